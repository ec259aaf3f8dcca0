/* SPDX-License-Identifier: BSD-3-Clause
 * factorize.c - a linear model on map rk as a factorization machine.
 *
 * Feature s of the map is K(w_s, x)/sqrt(D), so that a linear model is
 *
 *   f(x) = b + sum_s lambda_s K(w_s, x),    lambda_s = weight_s/sqrt(D),
 *
 * factors being what the map drew:
 *
 *   anova:order=2              fm
 *   anova, anova-upto, linear  hofm-simplex, theta_t = c_t/S, lambda_s = S weight_s/sqrt(D), where
 *                              c_t = sqrt(theta_t of the kernel), the map's weights of the orders
 *                              (0 or 1 for anova) and S is their sum
 *   all-subsets                all-subsets
 *
 * Maps compute in floats, factorization machines in doubles: predictions differ by what floats
 * lose.  Factors of columns that training never saw are 0; rows lose those columns in any case.
 *
 * Cost: O(outputs D cols) time and memory. */

#include "map/random_kernel.h"
#include "kind/kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static fx_status unsupported(const fx_model *m, const char *why)
{
    return fxi_error(FX_EUNSUPPORTED, "%s, map `%s`, kernel `%s`: %s", m->c.spec, m->c.map,
                     m->c.kernel, why);
}

static fx_status check(const fx_model *m)
{
    const fxi_kernel_type *k = m->kernel ? m->kernel->type : NULL;

    if (m->kind == &fxi_kind_factors)
        return fxi_error(FX_EUNSUPPORTED, "%s is a factorization machine already",
                         m->learner->name);
    if (!m->map || m->map->type != &fxi_map_random_kernel || m->c.variance)
        return unsupported(m, "only linear models on map rk are factorization machines");
    if (k != &fxi_kernel_anova && k != &fxi_kernel_anova_upto && k != &fxi_kernel_all_subsets
        && k != &fxi_kernel_linear)
        return unsupported(m, "only anova, anova-upto and all-subsets are kernels of these");
    if (((const fxi_rk *)m->map->state)->complex)
        return unsupported(m, "complex draws are no factors; fit with rk:complex=no");
    return FX_OK;
}

/* The spec, complete. */
static fx_status describe(fxi_learning *how, const fx_model *m)
{
    const fxi_rk *k = m->map->state;
    const char *loss = !m->c.classes ? "squared"
                       : m->c.sigmoid && m->c.sigmoid[0] == -1 && m->c.sigmoid[1] == 0
                           ? "logistic"
                           : "squared-hinge";
    char kind[32] = "all-subsets:", spec[160];

    if (m->kernel->type == &fxi_kernel_anova && k->order == 2)
        snprintf(kind, sizeof kind, "fm:");
    else if (k->order)
        snprintf(kind, sizeof kind, "hofm-simplex:order=%d,", k->order > 2 ? k->order : 2);
    snprintf(spec, sizeof spec, "%srank=%zu,task=%s,loss=%s,linear=no,lambda=learned", kind,
             k->outputs, m->c.classes ? "classify" : "regress", loss);
    return fxi_model_learner(how, spec);
}

/* All but the numbers. */
static fx_status copy_content(fx_model *to, const fx_model *m, const fxi_learning *how)
{
    const fx_model_info *from = &m->c;
    fx_model_info *c = &to->c;
    const double *seen = NULL;
    fx_status st = fxi_model_keep_content(to, from);

    c->map = c->kernel = c->family = "";
    c->random = c->support_vectors = 0;
    c->version = FX_VERSION;
    if (st || (st = fxi_model_keep_text(&c->spec, to, how->spec))
        || (st = fxi_model_keep(&c->intercepts, to, from->intercepts,
                                from->outputs * sizeof *from->intercepts))
        || (st = fxi_model_keep(&seen, to, (const void *)from->seen, from->cols)))
        return st;
    c->seen = (const void *)seen;
    return FX_OK;
}

/* ---- Numbers ----------------------------------------------------------------------------- */
typedef struct filling {
    const fx_model *m;
    const fxi_rk *k;
    double *P;                          /* [outputs][cols][rank] */
} filling;

/* Column j of W, once for each output. */
static fx_status fill_column(void *ctx, size_t j, fxi_team *team)
{
    const filling *f = ctx;
    const fxi_project *w = &f->k->w[0];
    const size_t rank = f->k->outputs, cols = f->m->c.cols;
    double lane[FXI_LANES];

    if (f->m->c.seen && !f->m->c.seen[j])
        return FX_OK;
    for (size_t s = 0; s < rank && !fxi_parallel_cancelled(team); s += FXI_LANES) {
        w->type->entries(lane, w, s, (int64_t)j);
        for (size_t o = 0; o < f->m->c.outputs; o++)
            for (size_t i = 0; i < FXI_LANES && s + i < rank; i++)
                f->P[(o * cols + j) * rank + s + i] = lane[i];
    }
    return FX_OK;
}

static fx_status fill(fx_model *n, const fx_model *m, const fx_run *run)
{
    const fxi_rk *k = m->map->state;
    const size_t outputs = m->c.outputs, rank = k->outputs;
    const int order = ((const fxi_factors *)n->own)->fm->block[0].order;
    fx_factors b;
    double sum = 0;
    fx_status st = fxi_kind_factors_numbers_block(&b, n, 0, run);

    if (st)
        return st;
    filling f = {.m = m, .k = k, .P = (double *)(uintptr_t)b.P};
    double *lambda = (double *)(uintptr_t)b.lambda, *theta = (double *)(uintptr_t)b.theta;
    for (int t = 1; t <= k->order && theta; t++)
        sum += k->weight[t];
    for (size_t o = 0; o < outputs; o++) {
        for (size_t s = 0; s < rank; s++)
            lambda[o * rank + s] = m->c.weights[s * outputs + o] * k->scale * (theta ? sum : 1);
        for (int t = 1; t <= k->order && theta; t++)
            theta[o * (size_t)order + (size_t)t - 1] = sum > 0 ? k->weight[t] / sum : t == 1;
    }
    if ((st = fxi_parallel(m->c.cols, fill_column, &f, run)))
        return st;
    n->c.factors = &b;                    /* taken over by value */
    n->c.orders = 1;
    return fxi_kind_factors_numbers_take(n, run);
}

fx_status fx_model_factorize(fx_model **out, const fx_model *m, const fx_run *run)
{
    fxi_learning how = {0};
    fx_model *n;
    fx_status st;

    if (!out || !m)
        return fxi_error(FX_EINVAL, "fx_model_factorize: %s is NULL", out ? "the model" : "out");
    if ((st = check(m)))
        return st;
    if (!(n = fxi_model_new()))
        return FX_ENOMEM;
    double *weights = NULL;             /* of the linear term, which does not exist */
    if (!(st = describe(&how, m)) && !(st = fxi_model_become(n, &how))
        && !(st = copy_content(n, m, &how))
        && !(st = fxi_model_own(n, weights = fxi_zalloc(m->c.cols, m->c.outputs * sizeof *weights)))
        && !(st = fxi_kind_factors_numbers_new(n, &how))) {
        n->c.weights = weights;
        st = fill(n, m, run);
    }
    fxi_model_learner_free(&how);
    if (st)
        fx_model_free(n);
    else
        *out = n;
    return st;
}
