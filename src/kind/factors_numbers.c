/* SPDX-License-Identifier: BSD-3-Clause
 * factors_numbers.c - the numbers of a factorization machine in their two forms: one vector an
 * output, as solvers and scores have them (fm.h), and arrays as users and files have them
 * (fx_factors).
 *
 * Cost: both are stored, one pass from one to the other. */

#include "kind/kind.h"

#include <stdlib.h>
#include <string.h>

fx_status fxi_kind_factors_numbers_new(fx_model *m, const fxi_learning *how)
{
    fxi_factors *own = m->own;
    fxi_fm_shape shape = ((const fxi_factors_keys *)how->own)->shape;
    int32_t *group = NULL;
    fx_status st = FX_OK;

    shape.given = m->c.cols;
    if (!m->c.split)
        m->c.split = shape.split;
    if (*m->c.kernel)
        st = fxi_kind_factors_groups(&group, &shape.groups, &m->c, how);
    shape.group = group;
    if (!st && !(own->fm = fxi_zalloc(1, sizeof *own->fm)))
        st = FX_ENOMEM;
    if (!st)
        st = fxi_fm_new(own->fm, &shape);
    free(group);
    return st;
}

/* ---- From the vectors to arrays ---------------------------------------------------------- */

static fx_status keep_numbers(double **out, fx_model *m, size_t a, size_t b)
{
    size_t n;

    *out = fxi_zalloc(fxi_size_mul(&n, a, b) ? n : SIZE_MAX, sizeof **out);
    return fxi_model_own(m, *out);
}

fx_status fxi_kind_factors_numbers_block(fx_factors *out, fx_model *m, size_t g, const fx_run *run)
{
    const fxi_fm *fm = ((const fxi_factors *)m->own)->fm;
    size_t outputs = m->c.outputs, order = (size_t)fm->block[g].order, rows, bytes;
    double *P, *lambda, *theta = NULL;
    fx_status st;

    if (!fxi_size_mul(&rows, outputs, fm->cols) || !fxi_size_mul(&bytes, rows, 8 * fm->rank))
        return fxi_error(FX_ESHAPE, "%zu factors of %zu columns are too many", fm->rank, fm->cols);
    if ((st = fxi_memory_check(run, bytes, "factors")) || (st = keep_numbers(&P, m, rows, fm->rank))
        || (st = keep_numbers(&lambda, m, outputs, fm->rank))
        || (fm->kind == FXI_FM_SIMPLEX && (st = keep_numbers(&theta, m, outputs, order))))
        return st;
    const fx_factors block = {.order = fm->block[g].order, .cols = fm->cols, .rank = fm->rank,
                              .P = P, .lambda = lambda, .theta = theta};
    *out = block;
    return FX_OK;
}

static fx_status keep_block(fx_factors *to, fx_model *m, size_t g)
{
    const fxi_factors *own = m->own;
    const fxi_fm *fm = own->fm;
    const fxi_fm_block *b = &fm->block[g];
    size_t outputs = m->c.outputs, rank = fm->rank, order = (size_t)b->order;
    double *norm;
    fx_status st = fxi_kind_factors_numbers_block(to, m, g, NULL);

    if (st || (st = keep_numbers(&norm, m, outputs, 1)))
        return st;
    /* The block has just been allocated; only its view is constant. */
    double *P = (double *)(uintptr_t)to->P, *lambda = (double *)(uintptr_t)to->lambda;
    double *theta = (double *)(uintptr_t)to->theta;
    to->norm = norm;
    for (size_t k = 0; k < outputs; k++) {
        const double *v = own->v + k * fm->size;
        for (size_t j = 0; j < fm->cols; j++)
            for (size_t s = 0; s < rank; s += FXI_LANES)
                memcpy(P + (k * fm->cols + j) * rank + s, v + fxi_fm_at(fm, g, s, j),
                       (rank - s < FXI_LANES ? rank - s : FXI_LANES) * sizeof *P);
        memcpy(lambda + k * rank, v + b->lambda, rank * sizeof *lambda);
        if (theta)
            memcpy(theta + k * order, v + b->theta, order * sizeof *theta);
        norm[k] = fxi_fm_norm(fm, v, g);
    }
    return FX_OK;
}

fx_status fxi_kind_factors_numbers_keep(fxi_train *t, const fx_run *run)
{
    fx_model *m = t->m;
    const fxi_factors *own = m->own;
    const fxi_fm *fm = own->fm;
    fx_model_info *c = &m->c;
    size_t outputs = c->outputs;
    double *w, *b;
    fx_factors *block = fxi_zalloc(fm->blocks, sizeof *block);
    fx_status st = fxi_model_own(m, block);

    (void)run;
    if (st || (st = keep_numbers(&w, m, c->cols, outputs))
        || (st = keep_numbers(&b, m, outputs, 1)))
        return st;
    for (size_t g = 0; g < fm->blocks && !st; g++)
        st = keep_block(&block[g], m, g);
    if (st)
        return st;
    for (size_t k = 0; k < outputs; k++) {
        const double *v = own->v + k * fm->size;
        b[k] = v[0];
        for (size_t j = 0; j < c->cols; j++)
            w[j * outputs + k] = fm->linear ? v[fm->w + j] : 0;
    }
    c->factors = block;
    c->orders = fm->blocks;
    c->weights = w;
    c->intercepts = b;
    c->features = c->cols;
    return FX_OK;
}

/* ---- And back ---------------------------------------------------------------------------- */

static void take_block(double *v, const fxi_fm *fm, const fx_factors *from, size_t g, size_t k)
{
    const fxi_fm_block *b = &fm->block[g];
    size_t rank = fm->rank, order = (size_t)b->order;

    for (size_t j = 0; j < fm->cols; j++)
        for (size_t s = 0; s < rank; s++)
            v[fxi_fm_at(fm, g, s, j)] = from->P[(k * fm->cols + j) * rank + s];
    memcpy(v + b->lambda, from->lambda + k * rank, rank * sizeof *v);
    if (fm->kind == FXI_FM_SIMPLEX)
        memcpy(v + b->theta, from->theta + k * order, order * sizeof *v);
}

fx_status fxi_kind_factors_numbers_take(fx_model *m, const fx_run *run)
{
    fxi_factors *own = m->own;
    const fxi_fm *fm = own->fm;
    fx_model_info *c = &m->c;
    size_t outputs = c->outputs, all, bytes;
    double *norm = NULL;
    fx_factors *block = NULL;
    fx_status st;

    if (!fxi_size_mul(&all, outputs, fm->size) || !fxi_size_mul(&bytes, all, sizeof *own->v))
        return fxi_error(FX_ESHAPE, "%zu factors of %zu columns are too many", fm->rank, fm->cols);
    if ((st = fxi_memory_check(run, bytes, "the factors of a model"))
        || (st = fxi_model_own(m, block = fxi_zalloc(fm->blocks, sizeof *block)))
        || (st = keep_numbers(&norm, m, fm->blocks, outputs))
        || (st = fxi_model_own(m, own->v = fxi_zalloc(all, sizeof *own->v))))
        return st;
    for (size_t k = 0; k < outputs; k++) {
        double *v = own->v + k * fm->size;
        v[0] = c->intercepts[k];
        for (size_t j = 0; j < c->cols && fm->linear; j++)
            v[fm->w + j] = c->weights[j * outputs + k];
        for (size_t g = 0; g < fm->blocks; g++) {
            take_block(v, fm, &c->factors[g], g, k);
            norm[g * outputs + k] = fxi_fm_norm(fm, v, g);
        }
    }
    for (size_t g = 0; g < fm->blocks; g++) {
        block[g] = c->factors[g];
        block[g].norm = norm + g * outputs;
    }
    c->factors = block;
    c->orders = fm->blocks;
    c->features = c->cols;
    return FX_OK;
}
