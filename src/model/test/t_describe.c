/* SPDX-License-Identifier: BSD-3-Clause
 * t_describe.c - all tables of names and keys: what they allow is accepted, the rest refused, and
 * what the description of a model promises is what a small fit does. */
#include "fixture.h"

#include <float.h>

typedef fx_status describes(fx_description *out, const char *spec);

/* ---- Keys -------------------------------------------------------------------------------- */

/* Was a value refused by the table?  Not if it does not go with another key. */
static bool by_table(fx_status s)
{
    static const char *const says[] = {"is not a", "is not from", "is not possible", "is negative",
                                       "must be"};

    for (size_t i = 0; i < sizeof says / sizeof *says && s == FX_EINVAL; i++)
        if (strstr(fx_error_detail(), says[i]))
            return true;
    return false;
}

/* name:key=value is accepted or refused.  Keys of synthetic sets narrow each other's range. */
static void given(describes *describe, const char *name, const fx_key *k, const char *value,
                  size_t len, bool good)
{
    char spec[256];
    fx_description d = FX_INIT(fx_description);

    snprintf(spec, sizeof spec, "%s:%s=%.*s", name, k->name, (int)len, value);
    fx_status s = describe(&d, spec);
    bool right = by_table(s) == !good || (good && describe == fx_data_make_describe);
    if (!right)
        fprintf(stderr, "%s: %d %s\n", spec, s, s ? fx_error_detail() : "");
    CHECK(right);
}

static void number(describes *describe, const char *name, const fx_key *k, double x, bool good)
{
    char text[32];

    if (k->type == FX_KEY_COUNT)
        snprintf(text, sizeof text, "%.0f", x);
    else
        fx_data_number(text, x);
    given(describe, name, k, text, strlen(text), good);
}

static void check_key(describes *describe, const char *name, const fx_key *k)
{
    bool numbers = k->type == FX_KEY_NUMBER || k->type == FX_KEY_COUNT || k->type == FX_KEY_LIST;

    CHECK(k->name[0] && k->help && k->help[0] && !strchr(k->help, '\n'));
    CHECK((k->type == FX_KEY_CHOICE) <= (k->values && k->fallback));
    if (k->fallback)                    /* every default is possible */
        given(describe, name, k, k->fallback, strlen(k->fallback), true);
    for (const char *v = k->values; v && *v; v += strcspn(v, "|"), v += *v == '|')
        given(describe, name, k, v, strcspn(v, "|"), true);
    if (k->type == FX_KEY_CHOICE) {
        CHECK(!strncmp(k->values, k->fallback, strlen(k->fallback)));
        given(describe, name, k, "nonsense", 8, false);
    }
    if (!numbers)
        return;
    CHECK(k->low <= k->high && (k->type == FX_KEY_COUNT) <= (k->high < 0x1p53 && !k->above));
    given(describe, name, k, "nonsense", 8, false);
    number(describe, name, k, k->low, !k->above);
    if (k->above)
        number(describe, name, k, nextafter(k->low, INFINITY), true);
    if (k->type != FX_KEY_COUNT || k->low > 0)
        number(describe, name, k, k->type == FX_KEY_COUNT ? k->low - 1 : k->low - 0.5, false);
    if (isinf(k->high))
        number(describe, name, k, DBL_MAX, true);
    else {
        number(describe, name, k, k->high, true);
        number(describe, name, k, k->type == FX_KEY_COUNT ? k->high + 1 : k->high + 0.5, false);
    }
}

static void check_table(const char *(*name)(size_t), describes *describe)
{
    size_t n = 0;
    fx_description d = FX_INIT(fx_description);

    for (; name(n); n++) {
        CHECK(describe(&d, name(n)) == FX_OK && !strcmp(d.name, name(n)));
        CHECK(d.help[0] && !strchr(d.help, '\n'));
        for (size_t i = 0; i < d.keys; i++)
            check_key(describe, d.name, &d.key[i]);
        CHECK(!d.key[d.keys].name);
    }
    d.name = "as it was";
    CHECK(describe(&d, "nonsense") == FX_EINVAL && strstr(fx_error_detail(), name(0)));
    CHECK(describe(&d, "") == FX_EINVAL && describe(&d, NULL) == FX_EINVAL);
    CHECK(describe(NULL, name(0)) == FX_EINVAL && !strcmp(d.name, "as it was"));
    CHECK(n >= 5);
}

/* ---- Promises ---------------------------------------------------------------------------- */

static fx_plan plan_of(const char *spec, const fx_description *d)
{
    return (fx_plan){PLAN, .model = spec, .seed = 3,
                     .kernel = d->kernel == FX_MUST ? "anova:order=2" : NULL};
}

/* Does a fit by this plan succeed? */
static bool fits(const fx_plan *plan, const fx_table *t)
{
    fx_model *m = NULL;
    fx_status s = fx_model_fit(&m, plan, t, NULL);

    fx_model_free(m);
    return s >= 0;
}

/* The key that a path varies is one of the spec; without one there is no path. */
static void check_path(const fx_plan *plan, const fx_table *t, const fx_description *d)
{
    int32_t fold[60];
    fx_metrics out[2] = {FX_INIT(fx_metrics)};
    size_t keys = 0;

    for (size_t i = 0; i < t->rows; i++)
        fold[i] = (int32_t)(i % 2);
    fx_status s = fx_model_path(out, plan, (double[]){0.5}, 1, t, fold, 2, NULL);
    CHECK(d->path ? s >= 0 : s == FX_EUNSUPPORTED);
    for (size_t i = 0; i < d->keys && d->path; i++)
        keys += !strcmp(d->key[i].name, d->path);
    CHECK(keys == (d->path != NULL));
}

typedef struct bringing { const fx_table *t; bool divisible; } bringing;

static fx_status bring(void *ctx, const void *request, size_t bytes, const fx_sink *answer)
{
    bringing *b = ctx;
    fx_pass *p = NULL;
    fx_status s = fx_model_pass_new(&p, NULL);

    if (!s && !(s = fx_model_pass_begin(p, request, bytes))) {
        b->divisible &= fx_model_pass_divisible(p);
        if (!(s = fx_model_pass_add(p, b->t, 0)))
            s = fx_model_pass_end(answer, p);
    }
    fx_model_pass_free(p);
    return s;
}

static void check_promises(const char *spec, const fx_table *t, const fx_table *classes)
{
    fx_description d = FX_INIT(fx_description), twin = d;
    CHECK(fx_model_describe(&d, spec) == FX_OK);
    const fx_plan plan = plan_of(spec, &d);
    fx_plan other = plan;
    fx_model *m = fitted(&plan, t, NULL), *more = NULL;
    const fx_model_info *c = fx_model_inspect(m);

    /* tasks */
    CHECK((c->classes > 0) == (d.task == FX_TASK_CLASSIFY));
    CHECK((d.task & d.tasks) == d.task && !d.task == !d.labels);
    CHECK((fx_model_width(m, FX_LABEL) > 0) == (d.task != 0));
    fx_table bare = *t;
    bare.label = NULL;
    CHECK(fits(&plan, &bare) == !d.labels);
    if (d.task == FX_TASK_CLASSIFY) {
        fx_model *three = fitted(&plan, classes, NULL);
        CHECK(fx_model_inspect(three)->pairs == d.pairs);
        fx_model_free(three);
    } else
        CHECK(!d.pairs);
    /* what it needs */
    other.kernel = NULL;
    CHECK(fits(&other, t) == (d.kernel != FX_MUST));
    other = (fx_plan){PLAN, .model = spec, .kernel = "groups:file=F", .family = "a: 1 2\nb: 3 4\n"};
    if (!strcmp(d.kind, "factorization machine"))
        CHECK(fits(&other, t) == (d.kernel == FX_MAY));
    other = (fx_plan){PLAN, .model = spec, .kernel = "anova:order=2", .map = "rk", .features = 9};
    CHECK(fits(&other, t) == (d.map == FX_MAY));
    other = plan;
    other.patience = 1;
    other.eval = t;
    CHECK(fits(&other, t) == d.measured);
    CHECK(d.combines == !strcmp(d.kind, "factorization machine"));
    CHECK(d.mistakes == (c->objective == floor(c->objective) && !d.loss && !c->variance));
    check_path(&plan, t, &d);
    /* what can be done with it */
    CHECK((fx_model_width(m, FX_PROBA) > 0) == d.probabilities);
    fx_status s = fx_model_update(&more, m, t, NULL);
    CHECK((s != FX_EUNSUPPORTED) == d.updatable && (s >= 0) == d.updatable);
    fx_model_free(more);
    fx_explanation *e = NULL;
    s = fx_model_explain(&e, m, &(fx_explain_options){.size = sizeof(fx_explain_options), .top = 3},
                         NULL);
    CHECK((s == FX_OK) == d.explainable && (s == FX_EUNSUPPORTED) == !d.explainable);
    fx_explanation_free(e);
    more = NULL;
    bringing b = {t, true};
    s = fx_model_passes_fit(&more, &plan, bring, &b, NULL);
    CHECK((s >= 0) == d.streamable && (s == FX_EUNSUPPORTED) == !d.streamable);
    CHECK(d.divisible == (d.streamable && b.divisible));
    fx_model_free(more);
    if (d.on_map) {
        CHECK(d.kernel == FX_MUST && fx_model_describe(&twin, d.on_map) == FX_OK);
        CHECK(twin.task == d.task && twin.map == FX_MAY && !twin.on_map);
        CHECK(d.loss ? !strcmp(d.loss, twin.loss) : !twin.loss);
    } else
        CHECK(d.kernel != FX_MUST);
    fx_model_free(m);
}

/* Which kernels and maps can be explained, on rows so small that all are defined. */
static void explained(const char *kernel, const char *map, bool promised)
{
    const char *family = !strcmp(kernel, "itemset") ? "1 2\n3 4\n"
                         : !strcmp(kernel, "groups") ? "a: 1 2\nb: 3 4\n"
                         : !strcmp(kernel, "cross")  ? "a b\na: 1 2\nb: 3 4\n"
                                                     : NULL;
    const fx_plan plan = {PLAN,
                          .model = map ? "ridge" : "kernel-ridge:collapse=no",
                          .kernel = kernel,
                          .map = map,
                          .features = 8,
                          .family = family};
    double x[20 * 4], y[20];
    const fx_matrix X = {.rows = 20, .cols = 4, .stride = 4, .type = FX_F64, .val = x};
    const fx_table t = {.rows = 20, .cols = 4, .blocks = 1, .block = &X, .label = y, .base = 1};
    fx_explanation *e = NULL;

    for (size_t i = 0; i < 80; i++)
        x[i] = 0.4 * test_unit();
    for (size_t i = 0; i < 20; i++)
        y[i] = x[4 * i] * x[4 * i + 1];
    fx_model *m = fitted(&plan, &t, NULL);
    fx_status s = fx_model_explain(
        &e, m, &(fx_explain_options){.size = sizeof(fx_explain_options), .top = 3}, NULL);
    CHECK(s == (promised ? FX_OK : FX_EUNSUPPORTED));
    fx_explanation_free(e);
    fx_model_free(m);
}

static void explanations(void)
{
    static const char *const more[] = {"maclaurin:coef=1/2/3", "poly:degree=17", "exp(linear)",
                                       "poly(linear)", "poly(rbf)", "vovk:degree=17",
                                       "vovk:degree=18"};
    fx_description d = FX_INIT(fx_description);

    for (size_t i = 0; fx_kernel_name(i); i++) {
        CHECK(fx_kernel_describe(&d, fx_kernel_name(i)) == FX_OK);
        if (!d.precomputed && strcmp(d.name, "maclaurin") != 0)
            explained(d.name, NULL, d.explainable);
    }
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        CHECK(fx_kernel_describe(&d, more[i]) == FX_OK);
        explained(more[i], NULL, d.explainable);
    }
    for (size_t i = 0; fx_map_name(i); i++) {
        CHECK(fx_map_describe(&d, fx_map_name(i)) == FX_OK);
        explained(d.kernels[0], d.name, d.explainable);
    }
}

/* A label for each row from 0 to 2; `classes`: of the same rows. */
static void promises(void)
{
    static const char *const more[] = {
        "svm:calibrate=yes", "svm-l2:calibrate=yes", "perceptron:calibrate=yes", "pca:k=2",
        "kernel-svm:calibrate=yes", "kernel-pca:k=2", "kernel-svm:collapse=yes", "bilinear:split=4",
        "fm:task=regress", "fm:task=rank", "fm:solver=adagrad", "fm:loss=squared",
        "fm:solver=lbfgs", "fm:loss=squared-hinge", "hofm:task=regress,solver=adagrad,order=2"};
    fx_data *d = made("pairs:n=60,d=8,nz=3,k=2");
    fx_table t = fx_data_table(d), classes = t;
    double label[60];
    size_t n = 0;

    for (size_t i = 0; i < 60; i++)
        label[i] = (double)(i % 3);
    classes.label = label;
    for (; fx_model_name(n); n++) {
        fx_description of = FX_INIT(fx_description);
        bool whole = true;
        CHECK(fx_model_describe(&of, fx_model_name(n)) == FX_OK);
        for (size_t i = 0; i < of.keys; i++)
            whole &= of.key[i].fallback != NULL;
        if (whole)
            check_promises(of.name, &t, &classes);
    }
    CHECK(n >= 20);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        check_promises(more[i], &t, &classes);
    fx_data_free(d);
}

/* A few facts that a table of promises could have wrong as a whole. */
static void facts(void)
{
    fx_description d = FX_INIT(fx_description);

    CHECK(fx_model_describe(&d, "kernel-svm") == FX_OK && !strcmp(d.on_map, "svm"));
    CHECK(!strcmp(d.kind, "kernel machine") && !strcmp(d.loss, "hinge") && d.pairs);
    CHECK(fx_model_describe(&d, "pca") == FX_OK && !d.task && !d.loss && d.map == FX_MAY);
    CHECK(!strcmp(d.kind, "components") && d.keys == 1 && !d.key[0].fallback);
    CHECK(fx_model_describe(&d, "kernel-perceptron") == FX_OK);
    CHECK(!strcmp(d.kind, "kernel perceptron") && d.updatable);
    CHECK(fx_model_describe(&d, "svr") == FX_OK && !strcmp(d.loss, "epsilon-insensitive"));
    CHECK(!strcmp(d.kind, "linear") && d.task == FX_TASK_REGRESS && !strcmp(d.path, "C"));
    CHECK(fx_model_describe(&d, "fm:task=rank") == FX_OK && d.task == FX_TASK_RANK);
    CHECK(d.tasks == (FX_TASK_CLASSIFY | FX_TASK_REGRESS | FX_TASK_RANK) && d.updatable);
    CHECK(!strcmp(d.kind, "factorization machine") && !strcmp(d.loss, "logistic"));
    CHECK(!strcmp(d.path, "beta"));
    CHECK(fx_model_describe(&d, "perceptron") == FX_OK && !strcmp(d.kind, "perceptron"));
    CHECK(fx_model_describe(&d, "svm:penalty=l1") == FX_EINVAL);
    CHECK(fx_model_describe(&d, "fm:clip=train") == FX_EINVAL);
    CHECK(fx_data_reader_describe(&d, "csv:label=z,header=no") == FX_EINVAL);
    CHECK(fx_data_make_describe(&d, "parity:d=3,k=4") == FX_EINVAL);
}

/* Another name for ridge with an L1 penalty. */
static void lasso(void)
{
    fx_description d = FX_INIT(fx_description);
    fx_data *rows = made("pairs:n=60,d=8,nz=3,k=2");
    const fx_table t = fx_data_table(rows);
    const fx_plan plan = {PLAN, .model = "lasso:C=2"};
    fx_model *m = fitted(&plan, &t, NULL);

    CHECK(fx_model_describe(&d, "lasso") == FX_OK && !strcmp(d.name, "ridge"));
    CHECK(d.tasks == FX_TASK_REGRESS && !strcmp(d.sets, "penalty=l1"));
    CHECK(fx_model_describe(&d, "ridge") == FX_OK && !d.sets);
    CHECK(!strncmp(fx_model_inspect(m)->spec, "ridge:", 6));
    CHECK(strstr(fx_model_inspect(m)->spec, "penalty=l1"));
    fx_model_free(m);
    fx_data_free(rows);
    CHECK(fx_model_describe(&d, "lasso:penalty=l2") == FX_EINVAL);      /* given twice */
}

int main(void)
{
    test_init();
    lasso();
    check_table(fx_kernel_name, fx_kernel_describe);
    check_table(fx_map_name, fx_map_describe);
    check_table(fx_model_name, fx_model_describe);
    check_table(fx_data_reader_format, fx_data_reader_describe);
    check_table(fx_data_write_format, fx_data_write_describe);
    check_table(fx_data_scale_name, fx_data_scale_describe);
    check_table(fx_data_make_name, fx_data_make_describe);
    facts();
    promises();
    explanations();
    return 0;
}
