/* SPDX-License-Identifier: BSD-3-Clause
 * pass_held.c - rows that are held out: a fit sees them with weight 0, and their answer is the
 * label, weight and score of each. */

#include "train/pass.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 3 };                   /* label, weight and score of each */

bool fxi_train_pass_held(const fx_pass *p, uint64_t row)
{
    return p->request.held_bytes && p->request.held[row / 8] >> row % 8 & 1;
}

fx_status fxi_train_pass_held_check(const fx_pass *p)
{
    uint64_t rows = p->stream.survey.rows, bytes = p->request.held_bytes;

    return !bytes || bytes == (rows + 7) / 8
               ? FX_OK
               : fxi_error(FX_EFORMAT, "request: %llu bytes for rows held out of %llu",
                           (unsigned long long)bytes, (unsigned long long)rows);
}

/* Each of them has a place among the counts, which are 0 in other answers. */
fx_status fxi_train_pass_held_begin(fx_pass *p)
{
    const fxi_request *r = &p->request;
    size_t rows = (size_t)p->stream.survey.rows,
           blocks = (rows + FXI_PASS_BLOCK - 1) / FXI_PASS_BLOCK;
    size_t numbers;

    if (!p->train.how.kind->scores || !r->q.w)
        return fxi_error(FX_EFORMAT, "request: scores without weights");
    if (!(p->held = fxi_alloc(blocks + 1, sizeof *p->held))
        || !(p->w = fxi_alloc(r->q.ws, sizeof *p->w)))
        return FX_ENOMEM;
    memcpy(p->w, r->q.w, r->q.ws * sizeof *p->w);
    p->request.q.w = p->w;
    p->held[0] = 0;
    for (size_t b = 0, i = 0; b < blocks; b++) {
        p->held[b + 1] = p->held[b];
        for (; i < rows && i < (b + 1) * FXI_PASS_BLOCK; i++)
            p->held[b + 1] += fxi_train_pass_held(p, i);
    }
    return fxi_size_mul(&numbers, p->held[blocks], NUMBERS)
               ? fxi_pass_answer_counts(&p->answer, numbers, NULL)
               : FX_ENOMEM;
}

fx_status fxi_train_pass_held_add(fx_pass *p, const fxi_part *x)
{
    const fxi_train *t = &p->train;
    const double *class_weight = x->labels.classes ? t->labels.class_weight : NULL;
    size_t n = p->answer.numbers / NUMBERS, at = p->held[x->first / FXI_PASS_BLOCK];
    double *f = fxi_alloc(x->X.rows, sizeof *f), *to = p->answer.count;
    fx_status st = f ? t->how.kind->scores(f, &p->request.q, x, &p->run) : FX_ENOMEM;

    for (size_t i = 0; i < x->X.rows && !st; i++) {
        if (!fxi_train_pass_held(p, x->first + i))
            continue;
        double y = x->labels.y[i], weight = x->labels.weight[i];
        to[at] = y;
        to[n + at] = class_weight ? weight * class_weight[(size_t)y] : weight;
        to[2 * n + at++] = f[i];
    }
    free(f);
    p->answer.rows += x->X.rows;
    return st;
}
