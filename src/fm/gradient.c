/* SPDX-License-Identifier: BSD-3-Clause
 * gradient.c - the objective of a model and its derivatives by all numbers, at once: sums over the
 * rows, which p->passes or the rows themselves give (gradient_pass.c), and penalties. */

#include "fm/fm.h"

#include <math.h>
#include <stdlib.h>

static void add_penalties(double *G, const fxi_fm *fm, const double *v, size_t block, size_t panel)
{
    const fxi_fm_block *b = &fm->block[block];
    size_t first = b->P + panel * fm->cols * FXI_LANES, lambda = b->lambda + panel * FXI_LANES;
    size_t half = fm->twice ? fm->cols / 2 : fm->cols;

    for (size_t j = 0; j < fm->cols; j++) {
        double beta = j % half < fm->front ? b->beta_front : b->beta;
        for (size_t w = 0; w < FXI_LANES; w++)
            G[first + j * FXI_LANES + w] += beta * v[first + j * FXI_LANES + w];
    }
    for (size_t w = 0; w < FXI_LANES; w++) {
        if (fm->how == FXI_FM_LEARNED && panel * FXI_LANES + w < fm->rank)
            G[lambda + w] += fm->beta_lambda * v[lambda + w];
        else
            G[lambda + w] = 0;
    }
}

static void finish(double *G, const double *sum, double W, const fxi_fm *fm, const double *v)
{
    for (size_t i = 0; i < fm->size; i++)
        G[i] = W > 0 ? sum[i] / W : 0;
    for (size_t j = 0; fm->linear && j < fm->given; j++)
        G[fm->w + j] += fm->alpha * v[fm->w + j];
    for (size_t g = 0; g < fm->blocks; g++)
        for (size_t h = 0; h < fm->panels; h++)
            add_penalties(G, fm, v, g, h);
}

/* ---- Questions -------------------------------------------------------------------------- */

static fx_status ask_rows(fxi_passes *passes, double *numbers, const fxi_question *q)
{
    fxi_fm_gradient_rows *a = (fxi_fm_gradient_rows *)passes;
    fx_status st = fxi_fm_gradient_pass_begin(&a->answer, q, a->p->fm);

    if (!st && !(st = fxi_fm_gradient_pass(&a->answer, q, a->p, 0, true, &a->run)))
        fxi_pass_answer_round(numbers, &a->answer);
    return st;
}

fx_status fxi_fm_gradient_memory(fxi_fm_gradient_rows *out, const fxi_fm_problem *p,
                                 const fx_run *run)
{
    const fxi_fm *fm = p->fm;
    size_t rows = p->X->rows, numbers = fxi_data_stored(p->X);
    size_t run_rows = fxi_fm_gradient_pass_run(fm, rows, numbers, p->X->ptr);

    *out = (fxi_fm_gradient_rows){.passes = {rows, fm->size, ask_rows, 0}, .p = p};
    out->run = fxi_parallel_run(run, (double)numbers * (double)(fm->blocks * fm->rank));
    return fxi_pass_answer_new(&out->answer, run_rows, rows / run_rows + (rows % run_rows > 0),
                               INFINITY, &out->run);
}

void fxi_fm_gradient_memory_free(fxi_fm_gradient_rows *a) { fxi_pass_answer_free(&a->answer); }

/* The numbers of an answer; by the rows of p if nobody else answers. */
static fx_status ask(double *numbers, const fxi_fm_problem *p, const fxi_question *q,
                     const fx_run *run)
{
    fxi_fm_gradient_rows rows;
    fx_status st;

    if (p->passes)
        return p->passes->ask(p->passes, numbers, q);
    if ((st = fxi_fm_gradient_memory(&rows, p, run)))
        return st;
    st = rows.passes.ask(&rows.passes, numbers, q);
    fxi_fm_gradient_memory_free(&rows);
    return st;
}

fx_status fxi_fm_gradient(double *objective, double *G, const fxi_fm_problem *p, const double *v,
                          const fx_run *run)
{
    const fxi_fm *fm = p->fm;
    fxi_question q = {.what = FXI_ASK_FM, .flags = G ? FXI_FM_DERIVE : 0, .t = p->shift, .w = v,
                      .ws = fm->size};
    fx_status st = FX_OK;
    double *sum = fxi_alloc_within(&st, FXI_FM_SUMS + (G ? fm->size : 0), sizeof *sum, run,
                                   "a gradient");

    if (!sum)
        return st ? st : FX_ENOMEM;
    if (!(st = ask(sum, p, &q, run))) {
        double W = sum[FXI_FM_WEIGHT];
        *objective = (W > 0 ? sum[FXI_FM_LOSS] / W : 0) + fxi_fm_penalty(fm, v);
        if (G)
            finish(G, sum + FXI_FM_SUMS, W, fm, v);
    }
    free(sum);
    return st;
}

fx_status fxi_fm_gradient_zeros(double sum[FXI_FM_SUMS], const fxi_fm_problem *p,
                                const fx_run *run)
{
    return ask(sum, p, &(fxi_question){.what = FXI_ASK_FM, .t = p->shift}, run);
}
