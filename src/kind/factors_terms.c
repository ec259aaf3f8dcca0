/* SPDX-License-Identifier: BSD-3-Clause
 * factors_terms.c - factorization machines as sums over components (fm/fm.h has the models).
 *
 * Constants before the row are factors of a combination, but not among its columns: of hofm-shared,
 * order m, component s gives t columns the weight lambda_s e_{m-t}(its factors of the constants); a
 * power (g + <p, x>)^m gives them C(m, t) g^(m-t).  poly-net-uv is a sum of two such powers,
 *
 *   <u, x> <v, x> = (<u + v, x>^2 - <u - v, x>^2)/4,   x with its constant. */

#include "kind/kind.h"

#include <stdlib.h>

/* Factors of one output: [cols][rank]. */
static const double *factors(const fxi_explain_terms *t, const fx_factors *b)
{
    return b->P + t->output * b->cols * b->rank;
}

static void read_fm(double *p, const fxi_explain_part *a, size_t j)
{
    const double *P = (const double *)a->from + (a->first + j) * a->S;

    for (size_t s = 0; s < a->S; s++)
        p[s] = P[s];
}

static void read_uv(double *p, const fxi_explain_part *a, size_t j)
{
    size_t rank = a->S / 2;
    const double *u = (const double *)a->from + (a->first + j) * rank, *v = u + a->cols * rank;

    for (size_t s = 0; s < rank; s++) {
        p[s] = u[s] + v[s];
        p[rank + s] = u[s] - v[s];
    }
}

/* (g_s + <p_s, x>)^m: constant and orders 1 .. m of part a, which has lambda in each of them. */
static fx_status set_powers(fxi_explain_terms *t, fxi_explain_part *a, int m)
{
    double *g = fxi_alloc(a->S, sizeof *g);

    if (!g)
        return FX_ENOMEM;
    a->repeats = true;
    a->first--;
    a->read(g, a, 0);                   /* the constant's */
    a->first++;
    for (size_t s = 0; s < a->S; s++) {
        double by = a->lambda[s], over = 1;     /* C(m, t) g^(m - t), from t = m down */
        for (int i = m; i >= 0; i--) {
            if (i)
                a->lambda[(size_t)(i - 1) * a->S + s] = by * over;
            else
                t->constant += by * over;
            by *= g[s];
            over = over * i / (m - i + 1);
        }
    }
    free(g);
    return FX_OK;
}

static fx_status add_power(fxi_explain_terms *t, const fx_factors *b, const fxi_fm *fm)
{
    bool uv = fm->kind == FXI_FM_UV;
    int m = uv ? 2 : b->order;
    fxi_explain_part *a = fxi_explain_terms_add(t, 1, m, b->rank * (uv ? 2 : 1), false);

    if (!a)
        return FX_ENOMEM;
    a->from = factors(t, b);
    a->first = fm->front;
    a->cols = b->cols / 2;
    a->read = uv ? read_uv : read_fm;
    for (size_t s = 0; s < b->rank; s++) {
        double lambda = b->lambda[t->output * b->rank + s];
        a->lambda[s] = uv ? lambda / 4 : lambda;
        if (uv)
            a->lambda[b->rank + s] = -lambda / 4;
    }
    return set_powers(t, a, m);
}

/* hofm-shared: lambda_s e_{m-t} of the constants' factors */
static void set_shared(const fxi_explain_terms *t, fxi_explain_part *a, const fx_factors *b,
                       size_t front)
{
    const double *P = factors(t, b), *lambda = b->lambda + t->output * b->rank;

    for (size_t s = 0; s < a->S; s++) {
        double e[FX_ORDER_MAX + 1] = {1};
        for (size_t i = 0; i < front; i++)
            fxi_kernel_esp_insert(e, b->order, P[i * b->rank + s]);
        for (int i = a->low; i <= a->high; i++)
            a->lambda[(size_t)(i - a->low) * a->S + s] = lambda[s] * e[b->order - i];
    }
}

static fx_status add_anova(fxi_explain_terms *t, const fx_factors *b, const fxi_fm *fm)
{
    bool all = fm->kind == FXI_FM_SUBSETS;
    bool many = fm->kind == FXI_FM_SHARED || fm->kind == FXI_FM_SIMPLEX;
    size_t cols = t->m->c.cols;
    int low = all || many ? 1 : b->order, high = all ? (int)cols : b->order;
    const double *lambda = b->lambda + t->output * b->rank;
    const double *theta = b->theta ? b->theta + t->output * (size_t)b->order : NULL;
    fxi_explain_part *a = fxi_explain_terms_add(t, low, high, b->rank, all);

    if (!a || (fm->group && !(a->group = fxi_alloc(cols, sizeof *a->group))))
        return FX_ENOMEM;
    a->from = factors(t, b);
    a->first = fm->front;
    a->read = read_fm;
    for (size_t j = 0; j < cols && a->group; j++)
        a->group[j] = fm->group[j];
    for (int i = low; i <= (all ? low : high); i++)
        for (size_t s = 0; s < b->rank; s++)
            a->lambda[(size_t)(i - low) * b->rank + s] = lambda[s] * (theta ? theta[i - 1] : 1);
    if (fm->kind == FXI_FM_SHARED)
        set_shared(t, a, b, fm->front);
    for (size_t s = 0; s < b->rank && all; s++)
        t->constant += lambda[s];
    return FX_OK;
}

fx_status fxi_kind_factors_terms(fxi_explain_terms *t, const fx_run *run)
{
    const fx_model_info *c = &t->m->c;
    const fxi_fm *fm = ((const fxi_factors *)t->m->own)->fm;
    fx_status st = FX_OK;

    (void)run;
    if (fm->linear)
        st = fxi_explain_terms_linear(t);
    for (size_t g = 0; g < c->orders && !st; g++)
        st = fm->kind == FXI_FM_POWER || fm->kind == FXI_FM_UV ? add_power(t, &c->factors[g], fm)
                                                               : add_anova(t, &c->factors[g], fm);
    return st;
}
