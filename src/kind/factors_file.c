/* SPDX-License-Identifier: BSD-3-Clause
 * factors_file.c - the arrays of a factorization machine in a file.  Their shapes follow from the
 * spec and the columns; a file with missing or extra arrays is rejected before the vectors of the
 * model are allocated, which are at most FXI_LANES times as large as the arrays in the file. */

#include "kind/kind.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

void fxi_kind_factors_file_header(fxi_dumping *d)
{
    const fx_model_info *c = &d->m->c;

    if (c->low > c->high)
        return;
    fxi_file_dump_header_number(d, "low", c->low);
    fxi_file_dump_header_number(d, "high", c->high);
}

/* The blocks of each order, then the state of adagrad. */
void fxi_kind_factors_file_dump(fxi_dumping *d)
{
    const fx_model_info *c = &d->m->c;
    const fxi_factors *own = d->m->own;
    char name[16];

    for (size_t g = 0; g < c->orders; g++) {
        const fx_factors *b = &c->factors[g];
        snprintf(name, sizeof name, "factors_%d", b->order);
        fxi_file_dump_array(d, name, "F64", b->P, c->outputs * b->cols, b->rank);
        snprintf(name, sizeof name, "lambda_%d", b->order);
        fxi_file_dump_array(d, name, "F64", b->lambda, c->outputs, b->rank);
        snprintf(name, sizeof name, "theta_%d", b->order);
        fxi_file_dump_array(d, name, "F64", b->theta, c->outputs, (size_t)b->order);
    }
    fxi_file_dump_array(d, "state", "F64", own->state, c->outputs, own->fm->size);
}

/* ---- Reading ------------------------------------------------------------------------------ */

fx_status fxi_kind_factors_file_range(fxi_parsing *p)
{
    fx_model_info *c = &p->m->c;
    fx_status st;

    if (*c->map)
        return fxi_error(FX_EFORMAT, "model: %s with map %s", c->spec, c->map);
    if (!((const fxi_factors_keys *)p->how.own)->clip)
        return FX_OK;
    if ((st = fxi_file_header_number(&c->low, p, "low"))
        || (st = fxi_file_header_number(&c->high, p, "high")))
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
    return fxi_file_array_doubles(out, p, name, rows, cols);
}

static fx_status check_theta(const double *theta, size_t outputs, size_t order)
{
    for (size_t k = 0; theta && k < outputs; k++) {
        double sum = 0, min = 0;
        for (size_t t = 0; t < order; t++) {
            sum += theta[k * order + t];
            min = fmin(min, theta[k * order + t]);
        }
        if (min < 0 || !(fabs(sum - 1) <= 1e-9))
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

/* Sums of squares, and what factors_init.c keeps with them. */
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

fx_status fxi_kind_factors_file_take(fxi_parsing *p)
{
    fx_model *m = p->m;
    fxi_factors *own = m->own;
    fx_model_info *c = &m->c;
    const double *state = NULL;
    fx_status st = fxi_file_header_error(fxi_kind_factors_numbers_new(m, &p->how));

    if (st)
        return st;
    const fxi_fm *fm = own->fm;
    fx_factors *block = fxi_zalloc(fm->blocks, sizeof *block);
    if ((st = fxi_model_own(m, block)))
        return st;
    for (size_t g = 0; g < fm->blocks && !st; g++)
        st = take_block(&block[g], p, fm, g);
    c->factors = block;
    if (!st && ((const fxi_factors_keys *)p->how.own)->solver == FXI_FM_ADAGRAD
        && fxi_json_get(p->root, "state"))
        st = fxi_file_array_doubles(&state, p, "state", c->outputs, fm->size);
    own->state = (double *)(uintptr_t)state;    /* owned by the model */
    return st ? st : check_state(state, c->outputs, fm->size);
}

/* What is not there is 0. */
fx_status fxi_kind_factors_file_parsed(fxi_parsing *p)
{
    const fx_model_info *c = &p->m->c;
    const fxi_fm *fm = ((const fxi_factors *)p->m->own)->fm;

    for (size_t i = 0; i < c->cols * c->outputs && !fm->linear; i++)
        if (c->weights[i] != 0)
            return fxi_error(FX_EFORMAT, "model: %s with a linear term", c->spec);
    for (size_t k = 0; k < c->outputs && !fm->intercept; k++)
        if (c->intercepts[k] != 0)
            return fxi_error(FX_EFORMAT, "model: %s with an intercept", c->spec);
    return fxi_kind_factors_numbers_take(p->m, p->run);
}
