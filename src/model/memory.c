/* SPDX-License-Identifier: BSD-3-Clause
 * memory.c - what a fit may take: features are stored if the limit allows, and what is left then
 * decides how many fits go on side by side and how much they have for kernel values.  None of it
 * changes a model. */

#include "model/model.h"

#include <stdio.h>

enum { CACHE = 256 << 20 };             /* bytes, where plan.cache says nothing */
enum { MANY = 100 };                    /* outputs: their number is what takes the memory */

/* Fits by smo.c divide plan.cache, or what the limit leaves beside their own arrays if that is
 * less.  kernel_ridge.c takes one matrix for all threads. */
static void share_cache(fxi_train *t, uint64_t wanted, uint64_t left, size_t each,
                        const fx_run *run)
{
    uint64_t cache = wanted ? wanted : CACHE, fits;
    size_t least = 0;

    if (t->how.learner->loss != &fxi_loss_squared)
        fxi_fit_smo_bytes(&least, t->X.rows);
    fits = least ? cache / least : 0;
    fits = fits > 1 + left / each ? 1 + left / each : fits;
    uint64_t threads = (uint64_t)fxi_parallel_threads(run, SIZE_MAX);
    t->beside = !fits ? 1 : fits < threads ? fits : threads;
    left -= (t->beside - 1) * (each - least);
    t->cache = cache < left ? cache : left;
    if (t->cache < least)
        t->cache = least;
}

/* Numbers of a weight in a fit: itself; of a perceptron that may be updated also its state, which
 * is two numbers, and of a kernel's the age of the row. */
size_t fxi_model_memory_numbers(const fxi_train *t)
{
    bool online = t->how.learner->kind == FXI_ONLINE;

    return !online ? 1 : t->how.learner->kernel ? 4 : 3;
}

/* Bytes of all weights, what each output keeps of its fit, and the arrays of one fit. */
static bool weight_bytes(size_t *need, const fxi_train *t, size_t each)
{
    size_t rows = t->how.learner->kernel ? t->X.rows : t->m->c.features, kept;

    if (t->m->fm)
        return fxi_model_fit_factors_bytes(need, t) && fxi_size_add(need, *need, each);
    return fxi_size_mul(need, rows, fxi_model_memory_numbers(t) * sizeof(double))
           && fxi_size_mul(need, *need, t->outputs)
           && fxi_size_mul(&kept, t->outputs, sizeof(fxi_output)) && fxi_size_add(need, *need, kept)
           && fxi_size_add(need, *need, each);
}

/* Features are stored in what the limit leaves beside one fit; fits go on side by side in what is
 * left then.  An L1 penalty has columns of its own. */
fx_status fxi_model_memory(fxi_train *t, const fx_plan *plan, const fx_run *run)
{
    uint64_t limit = run && run->max_memory ? run->max_memory : UINT64_MAX, left;
    bool kernel = t->how.learner->kernel;
    size_t each, need;
    char what[96] = "weights and their fit";
    fx_status st;

    if (!fxi_model_output_bytes(&each, t) || !weight_bytes(&need, t, each))
        return fxi_error(FX_ESHAPE, "%zu rows, %zu features, %zu outputs are too many", t->X.rows,
                         t->m->c.features, t->outputs);
    if (t->outputs > MANY)
        snprintf(what, sizeof what, "weights of %zu %s and their fit", t->outputs,
                 t->m->c.pairs ? "pairs of classes" : "outputs");
    if ((st = fxi_memory_check(run, need, what)))
        return st;
    left = limit - need;
    if ((st = fxi_fit_source(&t->source, &t->X, t->m->map, t->how.l1 ? 0 : left, run)))
        return st;
    size_t visitors = (size_t)fxi_parallel_threads(run, t->source.blocks) * sizeof(float);
    if (!fxi_size_mul(&visitors, visitors, t->source.buffer)
        || !fxi_size_add(&visitors, visitors, need))
        visitors = SIZE_MAX;
    if ((st = fxi_memory_check(run, visitors, "weights, their fit and blocks of features")))
        return st;
    left -= fxi_fit_source_bytes(&t->source);
    bool alone = t->source.buffer || (t->how.l1 && limit != UINT64_MAX);
    t->beside = alone ? 1 : 1 + left / each;
    if (kernel && t->how.learner->kind == FXI_LOSS)
        share_cache(t, plan->cache, left, each, run);
    return FX_OK;
}
