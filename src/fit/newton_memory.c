/* SPDX-License-Identifier: BSD-3-Clause
 * newton_memory.c - questions answered by rows in memory.
 *
 * Scores by the last w, curvatures there and scores by the last v are kept: a product then needs
 * one inner product a row, and a line none.  A question about another w computes them again, to the
 * same bits. */

#include "fit/newton.h"

#include <stdlib.h>
#include <string.h>

/* What is kept stays if it belongs to the w and v of the question. */
static void forget(fxi_newton_memory *a, const fxi_question *q)
{
    size_t d = a->passes.features, bytes = (d + 1) * sizeof *a->w;

    a->x.f_known &= !memcmp(a->w, q->w, d * sizeof *a->w);
    a->x.D_known &= a->x.f_known && a->w[d] == q->w[d];
    memcpy(a->w, q->w, bytes);
    if (q->v && q->what != FXI_ASK_HESSIAN && (!a->x.q_known || memcmp(a->v, q->v, bytes) != 0)) {
        a->x.q_known = false;
        memcpy(a->v, q->v, bytes);
    }
}

static fx_status ask(fxi_passes *passes, double *answer, const fxi_question *q)
{
    fxi_newton_memory *a = (fxi_newton_memory *)passes;

    forget(a, q);
    fx_status st = fxi_fit_newton_pass_begin(&a->answer, q, a->passes.features, answer);
    if (!st)
        st = fxi_fit_newton_pass(&a->answer, q, a->p, a->p->source, &a->x, 0, true);
    if (st) {
        a->x.f_known = a->x.D_known = a->x.q_known = false;
        return st;
    }
    a->x.f_known = true;
    a->x.D_known |= q->what != FXI_ASK_LINE;
    a->x.q_known |= q->what == FXI_ASK_LINE && q->v;
    fxi_pass_answer_round(answer, &a->answer);
    return FX_OK;
}

static bool count(size_t *numbers, size_t rows, size_t features)
{
    size_t weights;

    return features < SIZE_MAX && fxi_size_mul(numbers, rows, 3)
           && fxi_size_mul(&weights, features + 1, 2) && fxi_size_add(numbers, *numbers, weights);
}

bool fxi_fit_newton_memory_bytes(size_t *bytes, size_t rows, size_t features, size_t threads)
{
    size_t numbers, sums;

    return count(&numbers, rows, features) && fxi_size_mul(bytes, numbers, sizeof(double))
           && fxi_fit_newton_pass_bytes(&sums, features, threads)
           && fxi_size_add(bytes, *bytes, sums);
}

fx_status fxi_fit_newton_memory(fxi_newton_memory *out, const fxi_problem *p, const fx_run *run)
{
    const fxi_source *s = p->source;
    size_t run_rows = fxi_pass_run(s->rows, s->features, s->numbers, s->sparse), numbers;
    fxi_newton_memory a = {.passes = {s->rows, s->features, ask, s->sparse ? s->numbers : 0},
                           .p = p};
    fx_status st = fxi_pass_answer_new(&a.answer, run_rows, s->rows / run_rows + 1,
                                       (double)s->rows * (double)s->features, run);

    if (st)
        return st;
    double *x = count(&numbers, s->rows, s->features)
                    ? fxi_alloc_within(&st, numbers, sizeof *x, run, "scores of the rows")
                    : NULL;
    if (!x) {
        fxi_pass_answer_free(&a.answer);
        return st ? st : fxi_error(FX_ESHAPE, "%zu rows are too many", s->rows);
    }
    a.x = (fxi_piece){.rows = s->rows, .y = p->y, .c = p->c, .f = x, .D = x + s->rows,
                      .q = x + 2 * s->rows};
    a.w = x + 3 * s->rows;
    a.v = a.w + s->features + 1;
    memset(a.w, 0, 2 * (s->features + 1) * sizeof *a.w);
    *out = a;
    return FX_OK;
}

void fxi_fit_newton_memory_free(fxi_newton_memory *a)
{
    fxi_pass_answer_free(&a->answer);
    free(a->x.f);
}

fx_status fxi_fit_newton_memory_fit(fxi_newton_fit *fit, fxi_solution *s, const fxi_problem *p,
                                   const fx_run *run)
{
    fxi_newton_memory memory;
    fx_status st;

    if (p->passes)
        return fit(s, p, p->passes, run);
    if ((st = fxi_fit_newton_memory(&memory, p, run)))
        return st;
    st = fit(s, p, &memory.passes, run);
    fxi_fit_newton_memory_free(&memory);
    return st;
}
