/* SPDX-License-Identifier: BSD-3-Clause
 * components.c - principal components as models, pca and kernel-pca: scores are the components of a
 * row, there are no labels.  The objective is the variance that they hold. */

#include "kind/kind.h"

#include <float.h>
#include <math.h>

/* Seconds of a kernel-pca of n rows (train/estimate.c): n^2/2 pair + VECTORS (k + 4) n^2 flop.  The
 * constant comes from fits on real data. */
#define VECTORS 50.0

static const fx_key keys[] = {{"k", NULL, FXI_COUNT(1, INT32_MAX), "components"}, {0}};
static const fxi_learner pca[] = {
    {"pca", "directions of largest variance, of rows or of a map's features; no labels", keys, NULL,
     0, NULL}, {0}};
static const fxi_learner kernel_pca[] = {
    {"kernel-pca", "directions of largest variance in the kernel's space; no labels", keys, NULL, 0,
     "pca"}, {0}};

static fx_status read(fxi_learning *l, const fxi_spec *s)
{
    l->task = FXI_NO_LABELS;
    l->components = fxi_model_learner_count(l, s, "k");
    return FX_OK;
}

static bool of_rows(const fx_model *m) { return m->kind == &fxi_kind_kernel_components; }

/* ---- Before a fit ------------------------------------------------------------------------- */

static fx_status prepare(fxi_train *t, const fx_plan *plan, const fx_run *run)
{
    if (!plan->map && plan->kernel)
        return fxi_error(FX_EINVAL, "pca with kernel %s needs a map; kernel-pca takes it exactly",
                         plan->kernel);
    return fxi_kind_features_prepare(t, plan, run);
}

static bool bytes(size_t *each, size_t *all, const fxi_train *t)
{
    size_t rows = t->stream ? (size_t)t->stream->survey.rows : t->X.rows, solver;
    fxi_source like = {.rows = rows, .features = t->m->c.features};

    return (of_rows(t->m) ? fxi_fit_kernel_pca_bytes(&solver, rows, t->outputs)
                          : fxi_fit_pca_bytes(&solver, &like, t->outputs, t->threads))
           && fxi_kind_weights_bytes(each, all, t, 1, solver);
}

static double kernel_seconds(const fxi_estimating *e, double n)
{
    return n * n * (e->pair / 2 + VECTORS * ((double)e->t->how.components + 4) * e->flop);
}

/* ---- The fit ------------------------------------------------------------------------------ */

static fx_status check(const fxi_train *t)
{
    size_t rows = 0, k = t->outputs, max;

    for (size_t i = 0; i < t->source.rows; i++)
        rows += t->labels.weight[i] > 0;
    max = of_rows(t->m) || rows < t->source.features ? rows : t->source.features;
    if (!rows)
        return fxi_error(FX_EINVAL, "the weights of all %zu rows are zero", t->source.rows);
    return k <= max ? FX_OK
                    : fxi_error(FX_EINVAL, "%s: k=%zu components of %zu rows and %zu features",
                                t->how.learner->name, k, rows, t->source.features);
}

static fx_status finite(const double *x, size_t n, const char *what)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return fxi_error(FX_ENUMERIC, "%s %zu of the components is %g; scale the rows", what, i,
                             x[i]);
    return FX_OK;
}

static fx_status search(double *value, fxi_train *t, const fx_run *run)
{
    const fxi_weights *w = t->own;
    const double *weight = t->labels.weight;
    double *W = w->weights, *b = w->intercepts, *total = &t->m->c.total_variance;
    size_t k = t->outputs;

    if (of_rows(t->m))
        return fxi_fit_kernel_pca(W, b, value, total, t->m->kernel, &t->X, weight, k, t->seed, run);
    if (!t->stream)
        return fxi_fit_pca(W, b, value, total, &t->source, weight, k, t->seed, run);
    fxi_asking asking;
    const fxi_output all = {.train = t, .run = run};
    fxi_train_passes(&asking, &all, 1);
    fx_status st = fxi_fit_pca_by(W, b, value, total, &asking.passes, k, t->seed, run);
    fxi_train_passes_free(&asking);
    return st;
}

static fx_status fit(fxi_train *t, const fx_run *run)
{
    fx_model_info *c = &t->m->c;
    const fxi_weights *w = t->own;
    size_t k = t->outputs;
    double *value = fxi_zalloc(k, sizeof *value), *total = &c->total_variance;
    fx_status st = fxi_model_own(t->m, value), reached = FX_OK;

    if (st || (!t->stream && (st = check(t))) || (st = fxi_kind_weights_begin(t)))
        return st;
    reached = search(value, t, run);
    if (reached < 0)
        return reached;
    if ((st = finite(w->weights, w->n * k, "weight"))
        || (st = finite(w->intercepts, k, "intercept")) || (st = finite(total, 1, "all variance"))
        || (st = finite(value, k, "variance")) || (st = fxi_kind_weights_finish(t, run)))
        return st;
    c->variance = value;
    c->converged = !reached;
    for (size_t i = 0; i < k; i++)
        c->objective += value[i];
    return reached;
}

/* ---- Rows that answer ------------------------------------------------------------------------ */

static bool streams(const fxi_learning *how)
{
    (void)how;
    return true;
}

/* Vectors of a question have a number for each feature. */
static fx_status asked(fxi_answer *a, const fxi_question *q, const fxi_train *t)
{
    const fxi_survey *s = &t->stream->survey;
    size_t numbers, d = t->m->c.features, most = FXI_PCA_GROUPS * FXI_LANES;
    bool mean = q->what == FXI_ASK_MEAN, spread = q->what == FXI_ASK_SPREAD;

    if (!d || !(mean || (q->w && q->ws == d && q->v && q->t > 0
                         && (spread ? q->vs % d == 0 && q->vs / d <= most
                                    : q->what == FXI_ASK_MOMENT && q->vs == d))))
        return fxi_error(FX_EFORMAT, "question %d does not fit %zu features", (int)q->what, d);
    bool sparse = fxi_train_passes_sparse(&numbers, t);
    a->run = fxi_fit_pca_pass_run((size_t)s->rows, d, numbers, sparse);
    return fxi_fit_pca_pass_begin(a, q, d, NULL);
}

static fx_status answer(fxi_answer *a, const fxi_question *q, const fxi_part *x)
{
    return fxi_fit_pca_pass(a, q, &x->z, x->c, x->first, x->first + x->X.rows == x->all);
}

/* ---- Files -------------------------------------------------------------------------------- */

static void dump_header(fxi_dumping *d)
{
    if (of_rows(d->m))
        fxi_kind_vectors_file_header(d);
    fxi_file_dump_header_number(d, "total_variance", d->m->c.total_variance);
}

static void dump_arrays(fxi_dumping *d)
{
    fxi_file_dump_array(d, "variance", "F64", d->m->c.variance, d->m->c.outputs, 0);
    fxi_kind_vectors_file_dump(d);
}

static fx_status parse_header(fxi_parsing *p)
{
    double *total = &p->m->c.total_variance;
    fx_status st = of_rows(p->m) ? fxi_kind_vectors_file_support(p) : FX_OK;

    if (!st)
        st = fxi_file_header_number(total, p, "total_variance");
    return st || (*total >= 0 && *total <= DBL_MAX)
               ? st
               : fxi_error(FX_EFORMAT, "model: `total_variance` is %g", *total);
}

static fx_status parse_arrays(fxi_parsing *p)
{
    fx_model_info *c = &p->m->c;
    fx_status st = fxi_file_array_doubles(&c->variance, p, "variance", c->outputs, 0);

    for (size_t k = 0; k < c->outputs && !st; k++)
        if (c->variance[k] < 0)
            return fxi_error(FX_EFORMAT, "model: number %zu of `variance` is %g", k,
                             c->variance[k]);
    return st ? st : fxi_kind_vectors_file_take(p);
}

const fxi_kind fxi_kind_components = {
    .name = "components", .learner = pca, .prepared = sizeof(fxi_weights), .format = 2,
    .map = FX_MAY, .read = read, .prepare = prepare, .bytes = bytes,
    .close = fxi_kind_weights_close, .fit = fit, .streams = streams, .asked = asked,
    .answer = answer, .scorer = fxi_kind_features_scorer,
    .terms = fxi_explain_terms_weights, .dump_header = dump_header, .dump_arrays = dump_arrays,
    .parse_header = parse_header, .parse_arrays = parse_arrays,
    .parsed = fxi_kind_features_parsed};

const fxi_kind fxi_kind_kernel_components = {
    FXI_KIND_VECTORS, .name = "kernel components", .learner = kernel_pca, .read = read,
    .prepare = fxi_kind_kernel, .bytes = bytes, .fit = fit, .measure = fxi_kind_kernel_measure,
    .seconds = kernel_seconds, .peak = fxi_kind_vectors_peak, .scorer = fxi_kind_features_scorer,
    .terms = fxi_explain_terms_weights, .dump_header = dump_header, .dump_arrays = dump_arrays,
    .parse_header = parse_header, .parse_arrays = parse_arrays};
