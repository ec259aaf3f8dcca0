/* SPDX-License-Identifier: BSD-3-Clause
 * t_export.c - libFM's text: read and scored by definition, there and back, malformed.
 * Covers: import.c */

#include "model/test/built.h"

enum { COLS = 5, ROWS = 9, RANK = 3 };
static double x[ROWS][COLS + 1];        /* column 0 is 0: index 0 of a text that counts from 1 */

static fx_matrix rows(int base)
{
    return (fx_matrix){.rows = ROWS,
                       .cols = (size_t)(COLS + base),
                       .stride = COLS + 1,
                       .type = FX_F64,
                       .val = base ? &x[0][0] : &x[0][1]};
}

static fx_model *imported(const char *text, int classes)
{
    fx_model *m = NULL;
    fx_status s = fx_model_import(&m, "libfm", classes, text, strlen(text), NULL);

    if (s)
        fprintf(stderr, "%s\n", fx_error_detail());
    CHECK(s == FX_OK);
    return m;
}

static char *exported(const fx_model *m)
{
    file f = {0};
    fx_status s = fx_model_export(&(fx_sink){.size = sizeof(fx_sink), .write = to_file, .ctx = &f},
                                  m, "libfm");

    if (s)
        fprintf(stderr, "%s\n", fx_error_detail());
    CHECK(s == FX_OK);
    to_file(&f, "", 1);
    return (char *)f.bytes;
}

static double *scored(const fx_model *m, const fx_matrix *X)
{
    double *f = malloc(X->rows * sizeof *f);

    CHECK(f && fx_model_predict(f, NULL, m, FX_SCORE, X, NULL) == FX_OK);
    return f;
}

/* A text that holds all sections, by hand. */
static void by_definition(void)
{
    static const char text[] = "#global bias W0\n0.5\n#unary interactions Wj\n1\n-2\n0\n"
                               "#pairwise interactions Vj,f\n1 2\n0.5 -1\r\n -1\t3 \n";
    const double z[2][3] = {{1, 2, 0}, {-1, 0.5, 2}};
    const fx_matrix X = {.rows = 2, .cols = 3, .stride = 3, .type = FX_F64, .val = z};
    fx_model *m = imported(text, 0), *n;
    double *f = scored(m, &X);

    /* 0.5 + 1 - 4 + (1*0.5 + 2*-1) 2;   0.5 - 1 - 1 + pairs (0,1) 0.75, (0,2) -2*5, (1,2) -3.5 */
    CHECK(f[0] == -5.5 && f[1] == 0.5 - 1 - 1 - 1.5 * -0.5 + 5 * -2 - 3.5);
    char *again = exported(m);
    CHECK(!strcmp(again, "#global bias W0\n0.5\n#unary interactions Wj\n1\n-2\n0\n"
                         "#pairwise interactions Vj,f\n1 2\n0.5 -1\n-1 3\n"));
    free(f);
    free(again);
    fx_model_free(m);

    m = imported("#unary interactions Wj\n1\n2\n3\n", 1);       /* of two classes */
    const fx_model_info *c = fx_model_inspect(m);
    CHECK(c->classes == 2 && c->class_value[0] == -1 && c->class_value[1] == 1 && c->cols == 3);
    double p[4], label[2];
    CHECK(fx_model_predict(p, NULL, m, FX_PROBA, &X, NULL) == FX_OK);
    CHECK_NEAR(p[1], 1 / (1 + exp(-5.)), 1e-15);
    CHECK(fx_model_predict(label, NULL, m, FX_LABEL, &X, NULL) == FX_OK && label[0] == 1);
    file whole = dumped(m);
    CHECK(fx_model_parse(&n, whole.bytes, whole.len, NULL) == FX_OK);
    free(whole.bytes);
    fx_model_free(n);
    fx_model_free(m);
    m = imported("#pairwise interactions Vj,f\n1\n\n1\n1", 0);
    f = scored(m, &X);
    CHECK(f[0] == 2 && f[1] == -0.5 - 2 + 1);
    free(f);
    fx_model_free(m);
    m = imported("#global bias W0\n3\n#unary interactions Wj\n1\n#pairwise interactions Vj,f\n\n",
                 0);
    CHECK(fx_model_inspect(m)->cols == 1 && fx_model_inspect(m)->intercepts[0] == 3);
    fx_model_free(m);
}

/* A fitted model, there and back.  Rounding: RANK COLS^2 terms, each a few times. */
static void there_and_back(const char *spec, const char *scale, int base)
{
    double y[ROWS];
    fx_matrix X = rows(0), wide = rows(base);
    const fx_table t = {.rows = ROWS, .cols = COLS, .blocks = 1, .block = &X, .label = y,
                        .base = base};
    const fx_plan plan = {PLAN, .model = spec, .scale = scale, .seed = 4};
    fx_model *m = NULL, *n;

    for (size_t i = 0; i < ROWS; i++)
        y[i] = strstr(spec, "regress") ? x[i][1] * x[i][2] + x[i][3] : i % 2 ? 1 : -1;
    CHECK(fx_model_fit(&m, &plan, &t, NULL) >= 0);
    char *text = exported(m);
    n = imported(text, !strstr(spec, "regress"));
    double *f = scored(m, &X), *g = scored(n, &wide);
    for (size_t i = 0; i < ROWS; i++)
        CHECK_NEAR(g[i], f[i], 1e-13 * (1 + fabs(f[i])));
    free(text), free(f), free(g);
    fx_model_free(m), fx_model_free(n);
}

static void malformed(void)
{
    static const struct { const char *text, *why; } bad[] = {
        {"", "no section"},
        {"1\n", "libfm:1: numbers before"},
        {"#global bias W1\n1\n", "libfm:1: no section of this name"},
        {"#global bias W0\n1\n\n#global bias W0\n", "libfm:4: this section is there twice"},
        {"#global bias W0\n1\n2\n", "libfm:3: a second bias"},
        {"#global bias W0\n1 2\n", "libfm:2: more than one"},
        {"#global bias W0\n#unary interactions Wj\n1\n", "the bias has no number"},
        {"#global bias W0\n1\n", "no columns"},
        {"#unary interactions Wj\n1\nx\n", "libfm:3: this is no line of numbers"},
        {"#unary interactions Wj\n1\n2x\n", "libfm:3: this is no line of numbers"},
        {"#unary interactions Wj\ninf\n", "libfm:2: a number is not finite"},
        {"#pairwise interactions Vj,f\n1 2\n1\n", "libfm:3: fewer numbers"},
        {"#pairwise interactions Vj,f\n1 2\n1 2 3\n", "libfm:3: more numbers"},
        {"#unary interactions Wj\n1\n#pairwise interactions Vj,f\n1 2\n1 2\n", "1 lines of unary"}};
    fx_model *keep = (fx_model *)&x, *m = keep;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(fx_model_import(&m, "libfm", 0, bad[i].text, strlen(bad[i].text), NULL) == FX_EFORMAT
              && m == keep);
        if (!strstr(fx_error_detail(), bad[i].why))
            fprintf(stderr, "%s\n", fx_error_detail());
        CHECK(strstr(fx_error_detail(), bad[i].why));
    }
    CHECK(fx_model_import(&m, "libffm", 0, "", 0, NULL) == FX_EINVAL && m == keep);
    CHECK(fx_model_import(&m, "libfm", 0, NULL, 0, NULL) == FX_EINVAL && m == keep);
    CHECK(fx_model_import(&m, "libfm", 0, "#unary interactions Wj\n1\n", 25,
                          &(fx_run){RUN, .max_memory = 10})
              == FX_ELIMIT
          && m == keep);
}

static int no(void *ctx, const void *bytes, size_t len)
{
    (void)ctx, (void)bytes;
    return len > 0;
}

static void check_unsupported(const char *spec, const char *scale, const char *why)
{
    double y[ROWS];
    fx_matrix X = rows(0);
    const fx_table t = {.rows = ROWS, .cols = COLS, .blocks = 1, .block = &X, .label = y};
    fx_model *m = NULL;

    for (size_t i = 0; i < ROWS; i++)
        y[i] = (double)(i % (strstr(spec, "rank=2") ? 3 : 2));
    CHECK(fx_model_fit(&m, &(fx_plan){PLAN, .model = spec, .scale = scale}, &t, NULL) >= 0);
    const fx_status s = fx_model_export(&(fx_sink){.size = sizeof(fx_sink), .write = no}, m,
                                        "libfm");
    CHECK(s == (*why ? FX_EUNSUPPORTED : FX_EOUTPUT));
    CHECK(strstr(fx_error_detail(), *why ? why : "refused"));
    CHECK(fx_model_export(&(fx_sink){.size = sizeof(fx_sink), .write = no}, m, "xlearn")
          == FX_EINVAL);
    fx_model_free(m);
}

int main(void)
{
    test_init();
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 1; j <= COLS; j++)
            x[i][j] = j == COLS ? 0 : test_unit() * 4 - 2;      /* the last one is never seen */
    by_definition();
    malformed();
    there_and_back("fm:task=regress,rank=3,max-iter=5,sd=0.5", NULL, 0);
    there_and_back("fm:rank=3,max-iter=5,sd=0.5", "maxabs", 1);
    there_and_back("hofm:order=2,rank=9,max-iter=5,linear=no,sd=0.5", "std", 1);
    check_unsupported("hofm:order=3", NULL, "of order 2");
    check_unsupported("ridge", NULL, "of order 2");
    check_unsupported("fm:rank=2", NULL, "3 outputs");
    check_unsupported("fm", "unit-l2", "cannot scale rows");
    check_unsupported("fm:lambda=signs,rank=64", NULL, "lambda of component");
    check_unsupported("fm:task=regress,clip=train", NULL, "clip=no");
    check_unsupported("fm", NULL, "");
    return 0;
}
