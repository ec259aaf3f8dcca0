/* SPDX-License-Identifier: BSD-3-Clause
 * adagrad_panels.c - scores, derivatives and steps, each panel of each block by itself.
 *
 * A panel has factors, derivatives and parts of scores of its own, and the parts are added up in
 * order.  So threads may take panels in any order, and the bits stay the same. */

#include "fm/adagrad.h"

#include <string.h>

enum { ALONE = 256 };                   /* columns times panels that one thread visits as fast */

size_t fxi_fm_adagrad_panels(const fxi_fm *fm) { return fm->blocks * fm->panels; }

typedef struct visit {
    fxi_fm_adagrad_rows *a;
    const double *at;                   /* v, of scores and derivatives */
    double *v, *sum, *G;
    const double *share;
    double lr;
    bool learn;
} visit;

typedef struct panel {
    const fxi_fm_block *block;
    size_t P, lambda;                   /* where it begins */
    bool subtracts;
} panel;

static panel panel_of(const fxi_fm_adagrad_rows *a, size_t k)
{
    const fxi_fm *fm = a->fm;
    const fxi_fm_block *block = &fm->block[k / fm->panels];
    size_t h = k % fm->panels;

    return (panel){.block = block, .P = block->P + h * fm->cols * FXI_LANES,
                   .lambda = block->lambda + h * FXI_LANES,
                   .subtracts = block->order == 2 && a->look.subtracts};
}

static void visit_all(visit *g, fxi_threadpool_chunk *fn, size_t columns)
{
    const fxi_fm_adagrad_rows *a = g->a;
    size_t panels = fxi_fm_adagrad_panels(a->fm);

    if (a->pool && columns * panels >= ALONE)
        fxi_threadpool_run(a->pool, panels, fn, g);
    else
        for (size_t k = 0; k < panels; k++)
            fn(g, k, 0);
}

static size_t entries_of(const fxi_fm_adagrad_rows *a) { return fxi_fm_adagrad_first(a, a->rows); }

/* ---- Scores ------------------------------------------------------------------------------ */

/* The first panel adds to the linear terms; where weights are visited with it, it adds these. */
static void score_panel(void *ctx, size_t k, int worker)
{
    const visit *g = ctx;
    fxi_fm_adagrad_rows *a = g->a;
    const panel x = panel_of(a, k);
    const double *v = g->at, *w = a->together && k == 0 ? v + a->fm->w : NULL;
    double *f = k ? a->part + k * a->max_rows : a->f;
    double *pending = g->learn ? fxi_fm_adagrad_pending(a, k, 0) : NULL;
    double *table = a->table + (size_t)worker * a->table_size;

    if (k)
        memset(f, 0, a->rows * sizeof *f);
    if (x.subtracts)
        a->simd->fm_adagrad_score_two(f, pending, a->look.ones ? NULL : a->x, a->col, a->start,
                                      a->rows, v + x.P, v + x.lambda, w);
    else
        a->simd->fm_adagrad_score(f, pending, table, a->x, a->col, a->start, a->rows, v + x.P,
                                  v + x.lambda, x.block->order);
}

void fxi_fm_adagrad_panels_score(fxi_fm_adagrad_rows *a, const double *v, bool learn)
{
    visit_all(&(visit){.a = a, .at = v, .learn = learn}, score_panel, entries_of(a));
    for (size_t k = 1; k < fxi_fm_adagrad_panels(a->fm); k++)
        for (size_t r = 0; r < a->rows; r++)
            a->f[r] += a->part[k * a->max_rows + r];
}

/* ---- Derivatives ------------------------------------------------------------------------- */

static void accumulate_panel(void *ctx, size_t k, int worker)
{
    const visit *g = ctx;
    const fxi_fm_adagrad_rows *a = g->a;
    const panel x = panel_of(a, k);
    const double *pending = fxi_fm_adagrad_pending(a, k, 0), *v = g->at;
    double *G = g->G, *w = a->together && k == 0 ? G + a->fm->w : NULL;

    (void)worker;
    if (x.subtracts)
        a->simd->fm_adagrad_accumulate_two(G + x.P, pending, a->look.ones ? NULL : a->x, a->col,
                                           a->start, a->by, a->rows, v + x.P, v + x.lambda, w);
    else
        a->simd->fm_adagrad_accumulate(G + x.P, pending, a->x, a->col, a->start, a->by, a->rows);
}

void fxi_fm_adagrad_panels_accumulate(fxi_fm_adagrad_rows *a, double *G, const double *v)
{
    visit_all(&(visit){.a = a, .at = v, .G = G}, accumulate_panel, entries_of(a));
}

/* ---- Steps ------------------------------------------------------------------------------- */

static void step_panel(void *ctx, size_t k, int worker)
{
    const visit *g = ctx;
    const fxi_fm_adagrad_rows *a = g->a;
    const panel x = panel_of(a, k);

    (void)worker;
    a->simd->fm_adagrad(g->v + x.P, g->sum + x.P, g->G + x.P, a->list, a->listed, g->share,
                        x.block->beta, g->lr);
    a->simd->fm_adagrad(g->v + x.P, g->sum + x.P, g->G + x.P, a->front, a->fronts, g->share,
                        x.block->beta_front, g->lr);
}

void fxi_fm_adagrad_panels_step(fxi_fm_adagrad_rows *a, double *v, double *sum, double *G,
                                const double *share, double lr)
{
    visit g = {.a = a, .v = v, .sum = sum, .G = G, .share = share, .lr = lr};

    visit_all(&g, step_panel, a->listed + a->fronts);
}
