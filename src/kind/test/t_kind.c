/* SPDX-License-Identifier: BSD-3-Clause
 * t_kind.c - the table of kinds: each has the functions that may not be NULL, its models have names
 * of their own; and of every model: the sizes of `own` that the table states are all that its kind
 * uses, the memory limit holds, the file has the format and the bytes that it should. */
#include "kind/kind.h"
#include "machine.h"

enum { N = 48, COLS = 5, CLASSES = 4, GUARD = 256, PATTERN = 0xa5 };

/* The functions that model.h does not allow to be NULL, by the way of fitting. */
static void check_functions(const fxi_kind *k)
{
    CHECK(k->name && k->learner && k->learner->name);
    CHECK(k->format >= 1 && k->format <= FXI_MODEL_FORMAT);
    CHECK(k->read && k->prepare && k->bytes && k->fit);
    CHECK(k->scorer && k->terms && k->parsed);
    if (k->fit == fxi_train_fit)
        CHECK(k->begin && k->allocate && k->solve && k->score && k->keep && k->finish
              && k->fold_not_converged);
    CHECK(!k->seconds == !k->peak && !k->seconds == !k->measure);
    CHECK(!k->start || k->init);
    CHECK(!k->updatable || (k->init && k->columns));
    CHECK(!k->update || k->updatable);
    CHECK(!k->widens || k->columns);
    CHECK(!k->numbers || (k->dump_arrays && k->parse_arrays));
}

/* The name, and 2 for each key that must be given. */
static const char *spec_of(char spec[64], const fxi_learner *l)
{
    size_t n = (size_t)snprintf(spec, 64, "%s", l->name);

    for (const fx_key *k = l->keys; k->name; k++)
        if (!k->fallback)
            n += (size_t)snprintf(spec + n, 64 - n, "%c%s=2", strchr(spec, ':') ? ',' : ':',
                                  k->name);
    return spec;
}

static void check_names(void)
{
    size_t models = 0;

    for (const fxi_kind *const *k = fxi_kinds; *k; k++) {
        for (const fxi_kind *const *o = fxi_kinds; o < k; o++)
            CHECK(strcmp((*k)->name, (*o)->name) != 0);
        for (const fxi_learner *l = (*k)->learner; l->name; l++, models++) {
            fxi_learning how;
            char spec[64];
            CHECK(fxi_model_learner(&how, spec_of(spec, l)) == FX_OK);
            CHECK(how.learner == l && how.kind == *k);  /* no line before it has this name */
            CHECK(how.task != FXI_CLASSIFY || (*k)->proba_hint);
            fxi_model_learner_free(&how);
        }
    }
    CHECK(models > 0 && fx_model_name(models - 1) && !fx_model_name(models));
}

/* ---- Every model ------------------------------------------------------------------------- */

/* The same bytes, followed by a pattern. */
static void *guarded(void *own, size_t size)
{
    unsigned char *p = fxi_alloc(size + GUARD, 1);

    CHECK(own && p);
    memcpy(p, own, size);
    memset(p + size, PATTERN, GUARD);
    free(own);
    return p;
}

static bool intact(const void *own, size_t size)
{
    const unsigned char *p = own;
    size_t i = 0;

    while (i < GUARD && p[size + i] == PATTERN)
        i++;
    return i == GUARD;
}

/* As fx_model_fit, with guards behind all that is the kind's own. */
static fx_model *fit_guarded(const fx_plan *plan, const fx_table *table, const fx_run *run)
{
    fxi_train t;
    fxi_output o;

    CHECK(fxi_train_open(&t, plan, table, run) == FX_OK);
    const fxi_kind *k = t.how.kind;
    t.own = guarded(t.own, k->prepared);
    t.how.own = guarded(t.how.own, k->options);
    t.m->own = guarded(t.m->own, k->numbers);
    if (k->fit == fxi_train_fit) {
        t.at_once = 1;
        CHECK(fxi_train_output_new(&o, &t, 0) == FX_OK);
        o.own = guarded(o.own, k->state);
        CHECK(fxi_train_output_fit(&o, t.how.C, NULL, 0, run) == FX_OK);
        CHECK(intact(o.own, k->state));
        fxi_train_output_free(&o);
    }
    CHECK(k->fit(&t, run) >= 0);
    CHECK(intact(t.own, k->prepared) && intact(t.how.own, k->options));
    CHECK(intact(t.m->own, k->numbers));
    fx_model *m = t.m;
    t.m = NULL;
    fxi_train_close(&t);
    return m;
}

static void check_bytes(const fx_model *a, const fx_model *b)
{
    file f = dumped(a), g = dumped(b);
    char format[80];

    CHECK(f.len == g.len && !memcmp(f.bytes, g.bytes, f.len));
    int n = snprintf(format, sizeof format, "%s\"format_version\":\"%d\"", FXI_MODEL_MAGIC,
                     a->kind->format);
    CHECK(f.len > 8 + (size_t)n && !memcmp(f.bytes + 8, format, (size_t)n));
    free(f.bytes);
    free(g.bytes);
}

static void check_model(const fxi_kind *k, const fxi_learner *l, const fx_table *t)
{
    fx_run run = {RUN, .threads = 2, .max_memory = 64 << 20}, none = {RUN, .max_memory = 1};
    char spec[64];
    fx_description d = FX_INIT(fx_description);
    CHECK(fx_model_describe(&d, spec_of(spec, l)) == FX_OK);
    fx_plan plan = {PLAN, .model = spec, .kernel = d.kernel == FX_MUST ? "rbf:gamma=1" : NULL};
    fx_model *m = fitted(&plan, t, &run), *guard = fit_guarded(&plan, t, &run), *next = NULL;
    const fx_model_info *c = fx_model_inspect(m);

    CHECK(m->kind == k
          && c->outputs
                 == (m->task == FXI_CLASSIFY    ? k->pairs ? 6 : CLASSES
                     : m->task == FXI_NO_LABELS ? c->outputs
                                                : 1));
    check_bytes(m, guard);
    survives(m, t->block);
    bool updatable = k->updatable && k->updatable(m);
    CHECK(fx_model_update(&next, m, t, &run) == (updatable ? FX_OK : FX_EUNSUPPORTED));
    if (updatable)
        survives(next, t->block);
    fx_model_free(next);
    fx_model_free(guard);
    fx_model_free(m);
    m = NULL;
    CHECK(fx_model_fit(&m, &plan, t, &none) == FX_ELIMIT && !m);
}

int main(void)
{
    static double x[N * COLS], label[N];
    fx_matrix X = {.rows = N, .cols = COLS, .stride = COLS, .type = FX_F64, .val = x};
    fx_table t = {.rows = N, .cols = COLS, .blocks = 1, .block = &X, .label = label};

    test_init();
    for (size_t i = 0; i < N * COLS; i++)
        x[i] = 2 * test_unit() - 1;
    for (size_t i = 0; i < N; i++)
        label[i] = (double)(i % CLASSES);
    check_names();
    for (const fxi_kind *const *k = fxi_kinds; *k; k++) {
        check_functions(*k);
        for (const fxi_learner *l = (*k)->learner; l->name; l++)
            check_model(*k, l, &t);
    }
    return 0;
}
