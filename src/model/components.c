/* SPDX-License-Identifier: BSD-3-Clause
 * components.c - principal components as a model: scores are the components of a row, there are no
 * labels.  The objective is the variance that they hold. */

#include "model/model.h"

#include <math.h>
#include <stdlib.h>

bool fxi_model_components_bytes(size_t *bytes, const fxi_train *t)
{
    fxi_source like = {.rows = t->X.rows, .features = t->m->c.features};

    return t->how.learner->kernel ? fxi_fit_kernel_pca_bytes(bytes, t->X.rows, t->outputs)
                                  : fxi_fit_pca_bytes(bytes, &like, t->outputs);
}

static fx_status check(const fxi_train *t)
{
    size_t rows = 0, k = t->outputs, most;

    for (size_t i = 0; i < t->source.rows; i++)
        rows += t->labels.weight[i] > 0;
    most = t->how.learner->kernel || rows < t->source.features ? rows : t->source.features;
    if (!rows)
        return fxi_error(FX_EINVAL, "the weights of all %zu rows are zero", t->source.rows);
    return k <= most ? FX_OK
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

fx_status fxi_model_components(fxi_train *t, const fx_run *run)
{
    fx_content *c = &t->m->c;
    size_t k = t->outputs, n = t->how.learner->kernel ? t->source.rows : t->source.features;
    double *b = fxi_zalloc(k, sizeof *b), *value = NULL, *total = &c->total_variance;
    fxi_machine a = {0};
    fx_status st = fxi_model_own(t->m, b), reached = FX_OK;

    if (!st) {
        value = fxi_zalloc(k, sizeof *value);
        st = fxi_model_own(t->m, value);
    }
    if (!st && !(st = check(t)) && !(a.weights = fxi_alloc(n * k, sizeof *a.weights)))
        st = FX_ENOMEM;
    if (!st)
        st = t->how.learner->kernel
                 ? fxi_fit_kernel_pca(a.weights, b, value, total, t->m->kernel, &t->X,
                                      t->labels.weight, k, t->seed, run)
                 : fxi_fit_pca(a.weights, b, value, total, &t->source, t->labels.weight, k, t->seed,
                               run);
    if (st > 0) {
        reached = st;
        st = FX_OK;
    }
    if (!st && !(st = finite(a.weights, n * k, "weight")) && !(st = finite(b, k, "intercept")))
        st = isfinite(*total) ? finite(value, k, "variance") : finite(total, 1, "all variance");
    if (!st && t->how.learner->kernel)
        st = fxi_model_vectors(t, &a, run);
    else if (!st) {
        st = fxi_model_own(t->m, a.weights);
        c->weights = a.weights;
        a.weights = NULL;
    }
    free(a.weights);
    c->intercepts = b;
    c->variance = value;
    c->converged = !reached;
    for (size_t i = 0; i < k && !st; i++)
        c->objective += value[i];
    return st ? st : reached;
}
