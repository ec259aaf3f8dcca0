/* SPDX-License-Identifier: BSD-3-Clause
 * t_gram.c - every kernel against exact values, in every form of rows, on every instruction set;
 * then what a Gram matrix must be: symmetric, the same for any cutting and any threads.
 *
 * Covers: all_subsets.c, anova.c, cauchy.c, exp.c, groups.c, itemset.c, laplacian.c,
 * maclaurin.c, poly.c, rbf.c, vovk.c */

#include "kernel/test/golden.h"

#include <float.h>

/* Roundings that the longest-lived term of K meets, n common non-zeros: the headers of the kernel
 * files, with a few for the last operations. */
static double roundings(const fx_kernel *k, double n)
{
    const fxi_kernel_type *t = k->type;
    double inner = k->inner ? roundings(k->inner, n) : n;

    if (t == &fxi_kernel_poly)
        return k->order * (inner + 3) + 2 * k->order;
    if (t == &fxi_kernel_vovk)
        return k->order * (inner + 2);
    if (t == &fxi_kernel_maclaurin)
        return (double)k->coefs * (inner + 2);
    if (t->of)
        return inner + 4;
    if (t == &fxi_kernel_cauchy)
        return 6 * n + 4;
    if (t == &fxi_kernel_all_subsets)
        return 3 * n + 2;
    if (t == &fxi_kernel_itemset)
        return 2 * (double)k->tree->depth + (double)k->tree->nodes + 2;
    return n + 3 * k->order + 4;
}

static void one_case(json_t *c)
{
    static double x[GOLDEN_DIM], y[GOLDEN_DIM];
    static golden_row rx, ry;
    const char *id = json_string_value(json_object_get(c, "id"));
    const char *error = json_string_value(json_object_get(c, "error"));
    json_t *family = json_object_get(c, "family");
    fx_kernel *k = NULL;
    fx_status st = fx_kernel_parse(&k, json_string_value(json_object_get(c, "kernel")),
                                   family ? golden_family(family) : NULL, 0);

    if (error && strcmp(error, "domain")) {             /* not-psd, order: refused as a spec */
        CHECK(st == FX_EINVAL && !k && fx_error_detail()[0]);
        return;
    }
    if (st)
        fprintf(stderr, "%s: %s\n", id, fx_error_detail());
    CHECK(st == FX_OK);
    size_t dim = golden_vector(x, json_object_get(c, "x")), common = 0;
    CHECK(golden_vector(y, json_object_get(c, "y")) == dim);
    for (size_t j = 0; j < dim; j++)
        common += fxi_kernel_differences(k) ? x[j] != 0 || y[j] != 0 : x[j] * y[j] != 0;
    bool f32 = json_is_true(json_object_get(c, "f32_exact"));
    for (int fx = 0; fx < GOLDEN_FORMS; fx++)
        for (int fy = 0; fy < GOLDEN_FORMS; fy++) {
            if (!f32 && (fx | fy) & GOLDEN_FLOAT)
                continue;
            double got = -7;
            st = fx_kernel_gram(&got, 1, k, golden_form(&rx, x, dim, fx),
                                golden_form(&ry, y, dim, fy), NULL);
            if (error) {
                CHECK(st == FX_EDOMAIN && strstr(fx_error_detail(), "row 0 and row 0"));
                continue;
            }
            double want = strtod(json_string_value(json_object_get(c, "value")), NULL);
            double scale = strtod(json_string_value(json_object_get(c, "scale")), NULL);
            double bound = roundings(k, (double)common) * DBL_EPSILON / 2 * scale + DBL_MIN;
            if (!(st == FX_OK && fabs(got - want) <= bound))
                fprintf(stderr, "%s forms %d %d on %s: %.17g, want %.17g +- %g; %s\n", id, fx, fy,
                        fx_simd_target(), got, want, bound, fx_error_detail());
            CHECK(st == FX_OK && fabs(got - want) <= bound);
        }
    fx_kernel_free(k);
}

static void golden(void)
{
    json_t *root = golden_cases("tests/golden/kernels.json"), *c;
    size_t i;

    json_array_foreach(json_object_get(root, "cases"), i, c) one_case(c);
    CHECK(i > 200);
    json_decref(root);
}

/* Rows of mixed density as dense and as CSR; sizes around the edges of panels. */
enum { ROWS = 150, COLS = 37 };
static double dense[ROWS * COLS], csr_val[ROWS * COLS];
static int32_t csr_col[ROWS * COLS];
static int64_t csr_ptr[ROWS + 1];

static void fill(void)
{
    size_t n = 0;

    for (size_t i = 0; i < ROWS; i++) {
        double density = (double)(i % 5) / 4;           /* every fifth row is empty */
        for (size_t j = 0; j < COLS; j++) {
            double v = test_unit() < density ? (test_unit() - 0.4) / 4 : 0;
            dense[i * COLS + j] = v;
            if (v != 0 || (i + j) % 11 == 0) {          /* explicit zeros too */
                csr_val[n] = v;
                csr_col[n++] = (int32_t)j;
            }
        }
        csr_ptr[i + 1] = (int64_t)n;
    }
}

static fx_matrix rows_of(size_t first, size_t n, bool sparse)
{
    if (sparse)
        return (fx_matrix){.rows = n,
                           .cols = COLS,
                           .type = FX_F64,
                           .val = csr_val,
                           .col = csr_col,
                           .ptr = csr_ptr + first};
    return (fx_matrix){
        .rows = n, .cols = COLS, .stride = COLS, .type = FX_F64, .val = dense + first * COLS};
}

static const struct { const char *spec, *family; } specs[] = {
    {"linear", NULL}, {"poly:degree=3", NULL}, {"exp", NULL}, {"vovk", NULL},
    {"maclaurin:coef=1/0/2", NULL},
    {"anova:order=2", NULL}, {"anova:order=3", NULL}, {"anova:order=7", NULL},
    {"anova-upto:order=4,theta=1/0.5/0/2", NULL}, {"all-subsets", NULL}, {"rbf:gamma=0.5", NULL},
    {"laplacian", NULL}, {"cauchy", NULL}, {"exp(rbf)", NULL},
    {"itemset", "1 2\n3\n{}\n# no\n5 9 11\n1 2 30\n"},
    {"groups:order=2", "a: 0 1 2 3\nb: 4, 5 6\nc: 3 20\n"},
    {"cross", "u v\nu: 0 1 2 3 4 5 6 7 8\nv: 9 10 11 12 13 14 15 16\n"}};

static void check_properties(const char *spec, const char *family)
{
    static double K[ROWS * ROWS], L[ROWS * ROWS];
    fx_kernel *k = NULL;

    CHECK(fx_kernel_parse(&k, spec, family, 0) == FX_OK);
    for (int sparse = 0; sparse < 2; sparse++) {
        static const size_t sizes[] = {1, 15, 16, 17, 63, 65, ROWS};
        fx_matrix X = rows_of(0, ROWS, sparse);
        CHECK(fx_kernel_gram(K, ROWS, k, &X, NULL, &(fx_run){RUN, .threads = 1}) == FX_OK);
        CHECK(fx_kernel_gram(L, ROWS, k, &X, NULL, &(fx_run){RUN, .threads = 8}) == FX_OK);
        CHECK(!memcmp(K, L, sizeof K));             /* any number of threads */
        for (size_t i = 0; i < ROWS; i++)
            for (size_t j = 0; j < ROWS; j++)
                CHECK(K[i * ROWS + j] == K[j * ROWS + i]);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            size_t n = sizes[s], first = ROWS - n;  /* any cutting: the same bits */
            fx_matrix Y = rows_of(first, n, sparse);
            memset(L, 0x55, sizeof L);
            CHECK(fx_kernel_gram(L, ROWS, k, &Y, &X, NULL) == FX_OK);
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j <= first + i; j++) {
                    double a = L[i * ROWS + j], b = K[(first + i) * ROWS + j];
                    if (fxi_kernel_differences(k) && sparse)
                        CHECK_NEAR(a, b, 4 * COLS * DBL_EPSILON * fabs(b));
                    else
                        CHECK(a == b);
                }
        }
    }
    fx_matrix X = rows_of(0, ROWS, false), Y = rows_of(0, ROWS, true);
    CHECK(fx_kernel_gram(K, ROWS, k, &X, &X, NULL) == FX_OK);
    CHECK(fx_kernel_gram(L, ROWS, k, &X, &Y, NULL) == FX_OK);
    for (size_t i = 0; i < ROWS * ROWS; i++)        /* dense and sparse */
        CHECK_NEAR(L[i], K[i], 1e3 * COLS * DBL_EPSILON * (1 + fabs(K[i])));
    fx_kernel_free(k);
}

/* By name alone: kernels of the table that the specs above do not have. */
static bool listed(const char *name)
{
    size_t c = 0, n = strlen(name);

    while (c < sizeof specs / sizeof *specs
           && (strncmp(specs[c].spec, name, n) || (specs[c].spec[n] && specs[c].spec[n] != ':')))
        c++;
    return c < sizeof specs / sizeof *specs || !strcmp(name, "precomputed");
}

static void properties(void)
{
    for (size_t c = 0; c < sizeof specs / sizeof *specs; c++)
        check_properties(specs[c].spec, specs[c].family);
    for (size_t i = 0; fx_kernel_name(i); i++)
        if (!listed(fx_kernel_name(i)))
            check_properties(fx_kernel_name(i), NULL);
}

/* Several blocks either way, several threads, wide columns that share their low bits: all
 * pairs against the recurrence in long double. */
static void blocks(void)
{
    enum { N = 1100, D = 24, M = 3 };
    static double x[N * D], val[N * D], K[N * N], L[N * N];
    static int64_t ptr[N + 1], wide[N * D];
    size_t nz = 0;
    fx_kernel *k = NULL;

    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < D; j++)
            if ((x[i * D + j] = test_below(3) ? 0 : test_unit() - 0.4) != 0) {
                val[nz] = x[i * D + j];
                wide[nz++] = (int64_t)j << 41;
            }
        ptr[i + 1] = (int64_t)nz;
    }
    fx_matrix X = {.rows = N, .cols = D, .stride = D, .type = FX_F64, .val = x};
    fx_matrix S = {.rows = N, .cols = (size_t)1 << 62, .type = FX_F64, .wide = 1, .val = val,
                   .ptr = ptr, .col = wide};
    CHECK(fx_kernel_parse(&k, "anova:order=3", NULL, 0) == FX_OK);
    for (int form = 0; form < 4; form++) {
        fx_matrix *A = form & 1 ? &S : &X;
        CHECK(fx_kernel_gram(K, N, k, A, form & 2 ? A : NULL, &(fx_run){RUN, .threads = 1})
              == FX_OK);
        for (int threads = 2; threads <= 7; threads += 5) {
            memset(L, 0x55, sizeof L);
            CHECK(
                fx_kernel_gram(L, N, k, A, form & 2 ? A : NULL, &(fx_run){RUN, .threads = threads})
                == FX_OK);
            CHECK(test_helped() && !memcmp(K, L, sizeof K));
        }
        for (size_t i = 0; i < N; i++)
            for (size_t j = form & 2 ? 0 : i % 7; j < N; j += form & 2 ? 13 : 7) {
                long double e[M + 1] = {1}, E[M + 1] = {1};
                for (size_t c = 0; c < D; c++)
                    for (int t = M; t > 0; t--) {
                        long double z = (long double)x[i * D + c] * x[j * D + c];
                        e[t] += z * e[t - 1];
                        E[t] += fabsl(z) * E[t - 1];
                    }
                CHECK_NEAR(K[i * N + j], (double)e[M],
                           (D + 3 * M) * DBL_EPSILON / 2 * (double)E[M] + DBL_MIN);
            }
    }
    fx_kernel_free(k);
}

/* groups and cross against their definition by enumeration. */
static void group_definition(void)
{
    fx_kernel *g = NULL, *x = NULL;
    CHECK(fx_kernel_parse(&g, "groups:order=2", "a: 1 2 3\nb: 4 5\nc: 3 4 # overlaps\n", 1)
          == FX_OK);
    CHECK(fx_kernel_parse(&x, "cross", "a b\na: 1 2 3\nb: 4 5\n", 1) == FX_OK);
    for (int i = 0; i < test_cases(200); i++) {
        double u[6], v[6], z[6], got, bound = 0;
        for (int j = 0; j < 6; j++) {
            u[j] = test_unit() - 0.5, v[j] = test_unit() - 0.5, z[j] = u[j] * v[j];
            bound += fabs(z[j]);
        }
        double s[] = {z[0] + z[1] + z[2], z[3] + z[4], z[2] + z[3], z[5]}, want = 0;
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < a; b++)
                want += s[a] * s[b];
        bound *= bound * 4 * 20 * DBL_EPSILON;
        fx_matrix X = {.rows = 1, .cols = 6, .stride = 6, .type = FX_F64, .val = u}, Y = X;
        Y.val = v;
        CHECK(fx_kernel_gram(&got, 1, g, &X, &Y, NULL) == FX_OK);
        CHECK_NEAR(got, want, bound);
        CHECK(fx_kernel_gram(&got, 1, x, &X, &Y, NULL) == FX_OK);
        CHECK_NEAR(got, s[0] * s[1], bound);
    }
    fx_kernel_free(g);
    fx_kernel_free(x);
}

static int stop(void *ctx, double done)
{
    (void)done;
    return ++*(int *)ctx > 1;
}

static void rejections(void)
{
    double K[4] = {1, 2, 3, 4}, v[4] = {1, 2, NAN, 4};
    fx_kernel *k = NULL;
    fx_matrix X = {.rows = 2, .cols = 2, .stride = 2, .type = FX_F64, .val = v}, Y = X;

    CHECK(fx_kernel_parse(&k, "anova", NULL, 0) == FX_OK);
    CHECK(fx_kernel_gram(K, 2, k, &X, NULL, NULL) == FX_EDOMAIN);
    CHECK(strstr(fx_error_detail(), "row 1, column 0 (from 0): NaN"));
    fx_kernel *inside = NULL;           /* the domain of an inner kernel, too */
    double one[2] = {1, 1};
    fx_matrix O = {.rows = 1, .cols = 2, .stride = 2, .type = FX_F64, .val = one};
    CHECK(fx_kernel_parse(&inside, "exp(vovk-inf)", NULL, 0) == FX_OK);
    CHECK(fx_kernel_gram(K, 2, inside, &O, NULL, NULL) == FX_EDOMAIN);
    fx_kernel_free(inside);
    v[2] = 3;
    O.rows = 2;
    O.stride = 0;
    CHECK(fx_kernel_gram(K, 2, k, &O, NULL, NULL) == FX_ESHAPE);
    Y.cols = 1;
    CHECK(fx_kernel_gram(K, 2, k, &X, &Y, NULL) == FX_ESHAPE);
    CHECK(fx_kernel_gram(K, 1, k, &X, NULL, NULL) == FX_ESHAPE);
    CHECK(fx_kernel_gram(NULL, 2, k, &X, NULL, NULL) == FX_EINVAL);
    CHECK(fx_kernel_gram(K, 2, k, &X, NULL, &(fx_run){RUN, .max_memory = 100}) == FX_ELIMIT);
    CHECK(fx_kernel_gram(K, SIZE_MAX / 8, k, &X, NULL, NULL) == FX_ESHAPE);    /* would wrap */
    CHECK(K[0] == 1 && K[1] == 2 && K[2] == 3 && K[3] == 4);    /* untouched */
    v[0] = 1e200;
    CHECK(fx_kernel_gram(K, 2, k, &X, NULL, NULL) == FX_ENUMERIC);      /* 1e400 */
    CHECK(strstr(fx_error_detail(), "row 0 and row 0"));
    int64_t ptr[] = {0, 2, 4};
    int32_t col[] = {0, 1, 1, 1};
    fx_matrix S = {.rows = 2, .cols = 2, .type = FX_F64, .val = v, .ptr = ptr, .col = col};
    CHECK(fx_kernel_gram(K, 2, k, &S, NULL, NULL) == FX_EINVAL);        /* columns must increase */
    col[3] = 2;
    CHECK(fx_kernel_gram(K, 2, k, &S, NULL, NULL) == FX_ESHAPE);
    ptr[1] = 9;
    CHECK(fx_kernel_gram(K, 2, k, &S, NULL, NULL) == FX_EINVAL);
    S.rows = 0;
    CHECK(fx_kernel_gram(K, 2, k, &S, NULL, NULL) == FX_OK);            /* nothing to do */
    fx_kernel_free(k);
}

static void cancelled(void)             /* seconds of work, stopped at the second question */
{
    enum { N = 4000, D = 500 };
    double *x = calloc(N * D, sizeof *x), *K = malloc((size_t)N * N * sizeof *K);
    fx_matrix X = {.rows = N, .cols = D, .stride = D, .type = FX_F64, .val = x};
    fx_kernel *k = NULL;
    int polls = 0;

    CHECK(x && K && fx_kernel_parse(&k, "anova:order=8", NULL, 0) == FX_OK);
    CHECK(fx_kernel_gram(K, N, k, &X, NULL, &(fx_run){RUN, .progress = stop, .ctx = &polls})
          == FX_ECANCELLED);
    CHECK(polls == 2);
    fx_kernel_free(k);
    free(x);
    free(K);
}

int main(void)
{
    test_init();
    fill();
    golden_targets(golden);
    golden_targets(properties);
    blocks();
    group_definition();
    rejections();
    cancelled();
    return 0;
}
