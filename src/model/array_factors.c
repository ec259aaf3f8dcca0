/* SPDX-License-Identifier: BSD-3-Clause
 * array_factors.c - the arrays of a factorization machine in a file.  Their shapes follow from the
 * spec and the columns; what a file lacks, or has too much of, is refused before the vectors of the
 * model are allocated, which are at most FXI_LANES times as large as what stands in the file. */

#include "model/file.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

static fx_status missing(const char *name)
{
    return fxi_error(FX_EFORMAT, "model: `%s` is missing", name);
}

fx_status fxi_model_array_factors_header(fxi_parsing *p)
{
    fx_content *c = &p->m->c;
    fx_status st;

    if (*c->map)
        return fxi_error(FX_EFORMAT, "model: %s with map %s", c->spec, c->map);
    if (!p->how.clip)
        return FX_OK;
    if ((st = fxi_model_header_number(&c->low, p, "low"))
        || (st = fxi_model_header_number(&c->high, p, "high")))
        return st;
    return c->low <= c->high && c->low >= -DBL_MAX && c->high <= DBL_MAX
               ? FX_OK
               : fxi_error(FX_EFORMAT, "model: targets from %g to %g", c->low, c->high);
}

static fx_status take(const double **out, fxi_parsing *p, const char *what, int order, size_t rows,
                      size_t cols)
{
    char name[16];

    snprintf(name, sizeof name, "%s_%d", what, order);
    fx_status st = fxi_model_array_doubles(out, p, name, rows, cols);
    return st || *out ? st : missing(name);
}

static fx_status check_theta(const double *theta, size_t outputs, size_t order)
{
    for (size_t k = 0; theta && k < outputs; k++) {
        double sum = 0, least = 0;
        for (size_t t = 0; t < order; t++) {
            sum += theta[k * order + t];
            least = fmin(least, theta[k * order + t]);
        }
        if (least < 0 || !(fabs(sum - 1) <= 1e-9))
            return fxi_error(FX_EFORMAT, "model: `theta_%zu` of output %zu is not on the simplex",
                             order, k);
    }
    return FX_OK;
}

static fx_status take_block(fx_factors *to, fxi_parsing *p, const fxi_fm *fm, size_t g)
{
    int order = fm->block[g].order;
    size_t outputs = p->m->c.outputs, rows;
    fx_factors f = {.order = order, .cols = fm->cols, .rank = fm->rank};
    fx_status st;

    if (!fxi_size_mul(&rows, outputs, fm->cols))
        return fxi_error(FX_EFORMAT, "model: %zu columns of %zu outputs", fm->cols, outputs);
    if ((st = take(&f.P, p, "factors", order, rows, fm->rank))
        || (st = take(&f.lambda, p, "lambda", order, outputs, fm->rank))
        || (fm->kind == FXI_FM_SIMPLEX
            && (st = take(&f.theta, p, "theta", order, outputs, (size_t)order))))
        return st;
    *to = f;
    return check_theta(f.theta, outputs, (size_t)order);
}

/* Sums of squares, and what init_factors.c keeps beside them. */
static fx_status check_state(const double *state, size_t outputs, size_t size)
{
    for (size_t i = 0; state && i < outputs * size; i++)
        if (state[i] < 0 && i % size != 1)      /* b, which may be negative */
            return fxi_error(FX_EFORMAT, "model: number %zu of `state` is negative", i);
    for (size_t k = 0; state && k < outputs; k++)
        if (state[k * size + 2] > 1 || state[k * size + 3] > 1e15)
            return fxi_error(FX_EFORMAT, "model: `state` of output %zu: %g of lr, %g epochs", k,
                             state[k * size + 2], state[k * size + 3]);
    return FX_OK;
}

fx_status fxi_model_array_factors(fxi_parsing *p)
{
    fx_model *m = p->m;
    fx_content *c = &m->c;
    const double *state = NULL;
    fx_status st = fxi_model_header_blame(fxi_model_factors_new(m, &p->how));

    if (st)
        return st;
    fx_factors *block = fxi_zalloc(m->fm->blocks, sizeof *block);
    if ((st = fxi_model_own(m, block)))
        return st;
    for (size_t g = 0; g < m->fm->blocks && !st; g++)
        st = take_block(&block[g], p, m->fm, g);
    c->block = block;
    if (!st && p->how.solver == FXI_ADAGRAD)
        st = fxi_model_array_doubles(&state, p, "state", c->outputs, m->fm->size);
    m->state = (double *)(uintptr_t)state;      /* owned by the model */
    return st ? st : check_state(state, c->outputs, m->fm->size);
}

/* What is not there is 0. */
static fx_status check_zeros(const fx_model *m)
{
    const fx_content *c = &m->c;

    for (size_t i = 0; i < c->cols * c->outputs && !m->fm->linear; i++)
        if (c->weights[i] != 0)
            return fxi_error(FX_EFORMAT, "model: %s with a linear term", c->spec);
    for (size_t k = 0; k < c->outputs && !m->fm->intercept; k++)
        if (c->intercepts[k] != 0)
            return fxi_error(FX_EFORMAT, "model: %s with an intercept", c->spec);
    return FX_OK;
}

fx_status fxi_model_array_factors_take(fxi_parsing *p)
{
    fx_status st = check_zeros(p->m);

    return st ? st : fxi_model_factors_take(p->m, p->run);
}
