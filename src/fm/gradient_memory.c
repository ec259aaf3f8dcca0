/* SPDX-License-Identifier: BSD-3-Clause
 * gradient_memory.c - questions answered by rows in memory. */

#include "fm/fm.h"

#include <math.h>

static fx_status ask(fxi_passes *passes, double *numbers, const fxi_question *q)
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

    *out = (fxi_fm_gradient_rows){.passes = {rows, fm->size, ask, 0}, .p = p};
    out->run = fxi_parallel_run(run, (double)numbers * (double)(fm->blocks * fm->rank));
    return fxi_pass_answer_new(&out->answer, run_rows, rows / run_rows + (rows % run_rows > 0),
                               INFINITY, &out->run);
}

void fxi_fm_gradient_memory_free(fxi_fm_gradient_rows *a) { fxi_pass_answer_free(&a->answer); }
