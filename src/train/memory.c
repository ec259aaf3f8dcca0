/* SPDX-License-Identifier: BSD-3-Clause
 * memory.c - what a fit may take: features are stored if the limit allows, and what is left then
 * decides how many fits run in parallel and how much they have for kernel values.  None of it
 * changes a model. */

#include "train/train.h"

#include <stdio.h>

enum { MANY = 100 };                    /* outputs: memory grows with their number */

/* Rows in a file are not copied. */
static size_t copies(const fxi_train *t)
{
    const fx_data *copy[] = {t->filled, t->rows};
    double all = 0;

    for (size_t k = 0; k < 2 && !t->stream; k++)
        for (size_t b = 0; copy[k] && b < copy[k]->table.blocks; b++)
            all += fxi_train_estimate_matrix(&copy[k]->table.block[b]);
    return (size_t)all;
}

/* Features are stored in what the limit leaves after one fit; more fits run in parallel in what is
 * left then.  With an L1 penalty the solver stores columns itself. */
fx_status fxi_train_memory(fxi_train *t, const fx_plan *plan, const fx_run *run)
{
    uint64_t given = fxi_sized_run(run).max_memory, limit = given ? given : UINT64_MAX, left;
    const fxi_kind *kind = t->how.kind;
    size_t each, need;
    char what[96] = "weights and their fit";
    fx_status st;

    t->threads = (size_t)fxi_parallel_threads(run, SIZE_MAX);
    t->copies = copies(t);
    if (!kind->bytes(&each, &need, t) || !fxi_size_add(&need, need, each)
        || !fxi_size_add(&need, need, t->copies))
        return fxi_error(FX_ESHAPE, "%zu rows, %zu features, %zu outputs are too many", t->X.rows,
                         t->m->c.features, t->outputs);
    if (t->copies)
        snprintf(what, sizeof what, "copies of the rows, weights and their fit");
    if (t->outputs > MANY)
        snprintf(what, sizeof what, "weights of %zu %s and their fit", t->outputs,
                 t->m->c.pairs ? "pairs of classes" : "outputs");
    if ((st = fxi_memory_check(run, need, what)))
        return st;
    t->bytes = need;
    left = limit - need;
    if ((st = fxi_fit_source(&t->source, &t->X, t->m->map, t->how.unstored ? 0 : left, run)))
        return st;
    size_t buffers = (size_t)fxi_parallel_threads(run, t->source.blocks) * sizeof(float);
    if (!fxi_size_mul(&buffers, buffers, t->source.buffer)
        || !fxi_size_add(&buffers, buffers, need))
        buffers = SIZE_MAX;
    if ((st = fxi_memory_check(run, buffers, "weights, their fit and blocks of features")))
        return st;
    left -= fxi_fit_source_bytes(&t->source);
    bool single = t->source.buffer || (t->how.unstored && limit != UINT64_MAX);
    t->max_at_once = single ? 1 : 1 + left / each;
    if (kind->share)
        kind->share(t, plan, left, each, run);
    return FX_OK;
}
