/* SPDX-License-Identifier: BSD-3-Clause
 * discover.c - fx_discover: rows are prepared as for a fit, halves of them select and test, and
 * what all halves found is reported. */

#include "discover/discover.h"

#include <stdlib.h>
#include <string.h>

enum { SPLITS = 25, SELECT_MIN = 8, SELECT_MAX = 50, SELECT_ROWS = 250, ORDER = 3, ROWS_MIN = 20 };
#define ALPHA 0.05

typedef struct work {
    fxi_discover d;
    fxi_half *half;                     /* [labellings][outputs][halves] */
    size_t labellings, halves_all;      /* as they are, then permutations; of halves in all */
    fxi_combined *found;                /* [founds] discoveries */
    size_t founds;
    fxi_effect *effect;                 /* [halves][founds] */
    uint64_t nulls;                     /* permutations with a discovery */
    fx_discovery *out;
} work;

/* ---- Options --------------------------------------------------------------------------------- */

static fx_status check(const fx_discover_options *o)
{
    if (o->order < 1 || o->order > FX_ORDER_MAX)
        return fxi_error(FX_EINVAL, "order = %d; products of 1 to %d columns can be searched",
                         o->order, FX_ORDER_MAX);
    if (!(o->alpha > 0 && o->alpha < 1))
        return fxi_error(FX_EINVAL, "alpha = %g; it must be between 0 and 1", o->alpha);
    if (!(o->max_seconds >= 0))
        return fxi_error(FX_EINVAL, "max_seconds = %g; it must not be negative", o->max_seconds);
    if (o->scale && strcmp(o->scale, "auto") && strcmp(o->scale, "none")
        && strcmp(o->scale, "maxabs"))
        return fxi_error(FX_EUNSUPPORTED, "scale = '%s'; products are searched on columns scaled "
                         "by auto, maxabs or none, which keep what 0 and 1 mean", o->scale);
    return FX_OK;
}

static fx_status read_options(fx_discover_options *o, const fx_discover_options *given)
{
    fx_status st = FX_OK;

    *o = (fx_discover_options)FX_INIT(fx_discover_options);
    if (given)
        st = fxi_sized_in(o, sizeof *o, given, "fx_discover_options");
    if (!o->order)
        o->order = ORDER;
    if (o->alpha == 0)
        o->alpha = ALPHA;
    if (!o->splits)
        o->splits = SPLITS;
    return st ? st : check(o);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static fx_status list_rows(fxi_discover *d)
{
    const fxi_train *t = &d->train;

    if (!(d->row = fxi_alloc(t->X.rows, sizeof *d->row)))
        return FX_ENOMEM;
    for (size_t i = 0; i < t->X.rows; i++) {
        double weight = t->labels.weight[i];
        if (weight != floor(weight) || weight > 0x1p31)
            return fxi_error(FX_EDOMAIN, "row %zu (from 0) has weight %g; here a weight says how "
                             "often a row counts, so it must be a whole number", i, weight);
        if (weight > 0)
            d->row[d->rows++] = i;
    }
    if (d->rows < ROWS_MIN)
        return fxi_error(FX_EINVAL, "%zu rows; at least %d are needed, because one half of them "
                         "selects and the other one tests", d->rows, ROWS_MIN);
    return FX_OK;
}

static fx_status prepare(work *w, const fx_table *t, const fx_run *run)
{
    fxi_discover *d = &w->d;
    fx_plan plan = FX_INIT(fx_plan);

    plan.model = d->o.regress ? "ridge" : "logistic";
    plan.scale = d->o.scale ? d->o.scale : "auto";
    plan.missing = d->o.missing;
    plan.reader = d->o.reader;
    fx_status st = fxi_train_open(&d->train, &plan, t, run);
    if (st)
        return st;
    d->loss = d->o.regress ? &fxi_loss_squared : &fxi_loss_logistic;
    d->outputs = d->train.outputs;
    if ((st = list_rows(d)))
        return st;
    d->halves = 2 * d->o.splits;
    if (!d->o.select)
        d->o.select = d->rows / SELECT_ROWS < SELECT_MIN   ? SELECT_MIN
                      : d->rows / SELECT_ROWS > SELECT_MAX ? SELECT_MAX
                                                           : d->rows / SELECT_ROWS;
    w->labellings = d->o.permutations + 1;
    if (d->o.splits > SIZE_MAX / 2 || !w->labellings
        || !fxi_size_mul(&w->halves_all, w->labellings, d->outputs)
        || !fxi_size_mul(&w->halves_all, w->halves_all, d->halves))
        return fxi_error(FX_EINVAL, "%zu splits and %zu permutations of the labels are too many",
                         d->o.splits, d->o.permutations);
    w->half = fxi_zalloc(w->halves_all, sizeof *w->half);
    d->seconds = d->o.max_seconds * fxi_parallel_threads(run, w->halves_all)
                 / (double)w->halves_all;
    return w->half ? FX_OK : FX_ENOMEM;
}

/* ---- Halves ---------------------------------------------------------------------------------- */

typedef struct halving {
    work *w;
    const fx_run *run;
    uint64_t memory;                    /* of a thread; 0: any */
} halving;

static fx_status try_half(void *ctx, size_t block, fxi_team *team)
{
    const halving *o = ctx;
    const fxi_discover *d = &o->w->d;
    fx_run run = fxi_parallel_nested(o->run, team);

    run.max_memory = o->memory;
    return fxi_discover_half(&o->w->half[block], d, block / d->halves / d->outputs,
                             block / d->halves % d->outputs, block % d->halves, team, &run);
}

static fx_status try_halves(work *w, const fx_run *run)
{
    fx_run how = fxi_sized_run(run);
    halving o = {w, run, 0};

    if (how.max_memory)
        o.memory = how.max_memory / (uint64_t)fxi_parallel_threads(run, w->halves_all) + 1;
    return fxi_parallel(w->halves_all, try_half, &o, run);
}

/* Discoveries with these labels, of all outputs. */
static fx_status combine(work *w, size_t labelling, fxi_combined **out, size_t *n)
{
    const fxi_discover *d = &w->d;
    fxi_combined *all = NULL;

    *n = 0;
    for (size_t k = 0; k < d->outputs; k++) {
        fxi_combined *one;
        size_t ones, kept = 0;
        fx_status st = fxi_discover_combine(
            &one, &ones, w->half + (labelling * d->outputs + k) * d->halves, d, k);
        while (!st && kept < ones && one[kept].p <= d->o.alpha)
            kept++;
        fxi_combined *more = st ? NULL : fxi_realloc(all, *n + kept + 1, sizeof *more);
        if (more) {
            memcpy(more + *n, one, kept * sizeof *more);
            all = more;
            *n += kept;
        }
        free(st ? NULL : one);
        if (!more) {
            free(all);
            return FX_ENOMEM;
        }
    }
    *out = all;
    return FX_OK;
}

static fx_status count_nulls(work *w)
{
    for (size_t p = 1; p < w->labellings; p++) {
        fxi_combined *found;
        size_t n;
        fx_status st = combine(w, p, &found, &n);
        if (st)
            return st;
        w->nulls += n > 0;
        free(found);
    }
    return FX_OK;
}

/* ---- Discoveries ----------------------------------------------------------------------------- */

/* The end of the discoveries of the same output as the k-th. */
static size_t end_of(const work *w, size_t k)
{
    size_t end = k + 1;

    while (end < w->founds && w->found[end].output == w->found[k].output)
        end++;
    return end;
}

static fx_status eliminate(void *ctx, size_t block, fxi_team *team)
{
    work *w = ctx;
    fx_status st = combine(w, 0, &w->found, &w->founds);

    (void)block;
    for (size_t k = 0, end; k < w->founds && !st; k = end) {
        end = end_of(w, k);
        st = fxi_discover_eliminate(w->found + k, end - k, &w->d, team);
    }
    return st ? st : count_nulls(w);
}

static fx_status find_effects(void *ctx, size_t block, fxi_team *team)
{
    work *w = ctx;
    fx_status st = FX_OK;

    for (size_t k = 0, end; k < w->founds && !st; k = end) {
        end = end_of(w, k);
        st = fxi_discover_effect(w->effect + block * w->founds + k,
                                 &w->half[w->found[k].output * w->d.halves + block], w->found + k,
                                 end - k, &w->d, block, team);
    }
    return st;
}

static fx_status join_effects(work *w)
{
    fxi_effect *e = fxi_alloc(w->d.halves, sizeof *e);
    fx_status st = e ? FX_OK : FX_ENOMEM;

    for (size_t k = 0; k < w->founds && !st; k++) {
        for (size_t b = 0; b < w->d.halves; b++)
            e[b] = w->effect[b * w->founds + k];
        st = fxi_discover_effect_join(&w->found[k], e, w->d.halves, w->d.halves, w->d.o.alpha);
    }
    free(e);
    return st;
}

static fx_status conclude(void *ctx, size_t block, fxi_team *team)
{
    work *w = ctx;
    fx_status st = join_effects(w);

    (void)block;
    return st ? st
              : fxi_discover_report(&w->out, &w->d, w->found, w->founds, w->half, w->nulls, team);
}

static fx_status search(work *w, const fx_run *run)
{
    size_t numbers;
    fx_status st = try_halves(w, run);

    if (st || (st = fxi_parallel_ordered(1, eliminate, w, run)))
        return st;
    if (!fxi_size_mul(&numbers, w->d.halves, w->founds + 1)
        || !(w->effect = fxi_alloc(numbers, sizeof *w->effect)))
        return FX_ENOMEM;
    if (w->founds && (st = fxi_parallel(w->d.halves, find_effects, w, run)))
        return st;
    return fxi_parallel_ordered(1, conclude, w, run);
}

/* ---- Both ------------------------------------------------------------------------------------ */

static void close_work(work *w)
{
    for (size_t b = 0; w->half && b < w->halves_all; b++)
        free(w->half[b].at);
    fxi_free(w->half, w->found, w->effect, w->d.row);
    fxi_train_close(&w->d.train);
}

fx_status fx_discover(fx_discovery **out, const fx_discover_options *options, const fx_table *t,
                      const fx_run *run)
{
    work w = {0};

    if (!out)
        return fxi_error(FX_EINVAL, "no place is given for the discovery");
    fx_status st = read_options(&w.d.o, options);
    if (st || (st = fxi_sized_run_check(run)))
        return st;
    if (!(st = prepare(&w, t, run)) && !(st = search(&w, run)))
        *out = w.out;
    close_work(&w);
    return st;
}
