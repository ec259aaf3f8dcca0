/* SPDX-License-Identifier: BSD-3-Clause
 * kernel_perceptron.c - perceptron.c in a kernel's space: weights of rows instead of features.
 *
 * A mistake of row i adds c_i y_i to w_i; the score of a row is sum_i w_i K(x_i, x) + b.  Rows are
 * taken in blocks.  The part of a block's scores that comes from rows whose weights cannot change
 * meanwhile is computed together.  The other rows are near: the block's own rows and, under a
 * budget, those that its mistakes may push out.  Their kernel values with the block are stored, and
 * their part of a score is summed when its row is visited.
 *
 * Under a budget rows wait in a queue by the step of their last mistake, the oldest first.  A row
 * makes at most one mistake per pass, so it is in the queue at most twice: at its old place, which
 * is then void, and at a later one.
 *
 * Cost: a row is evaluated against each row with a weight, and at most 2 BLOCK more.
 *
 * References: Freund, Schapire 1999; Dekel, Shalev-Shwartz, Singer 2008 (a budget; they also let
 * all weights shrink before one is dropped, which we do not). */

#include "fit/fit.h"

#include <stdlib.h>

enum { BLOCK = 128, NEAR = 2 * BLOCK };

typedef struct online {
    fxi_perceptron *s;
    const fxi_problem *p;
    size_t first, budget;
    const fx_run *run;
    uint64_t start;                     /* steps before this pass */
    int32_t *queue;                     /* [head, tail) by age; the first `initial` came with s */
    size_t head, tail, initial;
    size_t nonzero;                     /* rows with w other than 0 */
    unsigned char *is_near;             /* [rows] 1: is in near */
    int32_t *far;                       /* rows, and their weights */
    double *W;
    int32_t row[BLOCK], near[NEAR];
    size_t rows, near_count;
    double score[BLOCK];                /* by far rows */
    float *K[NEAR];                     /* [BLOCK] kernel values of a near row with the block */
} online;

/* ---- The queue ---------------------------------------------------------------------------- */
typedef struct aged {
    int64_t age;
    int32_t row;
} aged;

static int older(const void *p, const void *q)
{
    const aged *a = p, *b = q;

    if (a->age != b->age)
        return a->age < b->age ? -1 : 1;
    return a->row < b->row ? -1 : 1;
}

static fx_status fill_queue(online *a)
{
    size_t n = 0, rows = a->p->source->rows;
    aged *all;

    for (size_t i = 0; i < rows; i++)
        n += a->s->w[i] != 0;
    if (!(all = fxi_alloc(n, sizeof *all)))
        return FX_ENOMEM;
    n = 0;
    for (size_t i = 0; i < rows; i++)
        if (a->s->w[i] != 0)
            all[n++] = (aged){a->s->age[i], (int32_t)i};
    qsort(all, n, sizeof *all, older);
    for (size_t q = 0; q < n; q++)
        a->queue[q] = all[q].row;
    a->nonzero = a->initial = a->tail = n;
    free(all);
    return FX_OK;
}

/* True if place q is void: its row is in the queue again, at a later place. */
static bool moved(const online *a, size_t q)
{
    return q < a->initial && a->s->age[a->queue[q]] > (int64_t)a->start;
}

static void drop(online *a)
{
    while (moved(a, a->head))
        a->head++;
    int32_t i = a->queue[a->head++];
    a->s->w[i] = a->s->sum[i] = 0;
    a->s->age[i] = 0;
    a->nonzero--;
}

/* ---- A block ------------------------------------------------------------------------------ */
static void add_near(online *a, int32_t i)
{
    if (!a->is_near[i]) {
        a->is_near[i] = 1;
        a->near[a->near_count++] = i;
    }
}

/* Kernel values of the block with its near rows, scores by the far ones.  A block's mistakes push
 * out no more rows than it has, so no others are near. */
static fx_status eval_block(online *a, const fx_run *how)
{
    const fx_matrix *X = a->p->source->X;
    fxi_row_subset block = {X, a->row, a->rows};
    size_t n = 0, max_dropped = a->budget && a->nonzero + a->rows > a->budget ? a->rows : 0;

    a->near_count = 0;
    for (size_t r = 0; r < a->rows; r++)
        add_near(a, a->row[r]);
    for (size_t q = a->head; q < a->tail && max_dropped; q++)
        if (!moved(a, q)) {
            add_near(a, a->queue[q]);
            max_dropped--;
        }
    for (size_t q = a->head; q < a->tail; q++) {
        int32_t i = a->queue[q];
        if (!moved(a, q) && !a->is_near[i]) {
            a->far[n] = i;
            a->W[n++] = a->s->w[i];
        }
    }
    for (size_t l = 0; l < a->near_count; l++)
        a->is_near[a->near[l]] = 0;
    fx_status st = fxi_kernel_rows(a->K, a->p->kernel, block,
                                   (fxi_row_subset){X, a->near, a->near_count}, how);
    return st ? st
              : fxi_kernel_score(a->score, a->p->kernel, block, (fxi_row_subset){X, a->far, n},
                                 a->W, 1, how);
}

static void visit_row(online *a, size_t r)
{
    fxi_perceptron *s = a->s;
    int32_t i = a->row[r];
    double before = (double)s->steps++, y = a->p->y[i], u = a->p->c[i] * y, f = a->score[r];

    for (size_t l = 0; l < a->near_count; l++)
        f += s->w[a->near[l]] * (double)a->K[l][r];
    if (y * (f + s->b) > 0)
        return;
    s->mistakes++;
    a->nonzero += s->w[i] == 0;
    s->w[i] += u;
    s->sum[i] += before * u;
    s->age[i] = (int64_t)s->steps;
    a->queue[a->tail++] = i;
    if (a->p->intercept != FXI_NONE) {
        s->b += u;
        s->sum_b += before * u;
    }
    if (a->budget && a->nonzero > a->budget)
        drop(a);
}

static fx_status visit_block(void *ctx, size_t b, fxi_team *team)
{
    online *a = ctx;
    size_t from = a->first + b * BLOCK, rows = a->p->source->rows;
    size_t end = rows - from < BLOCK ? rows : from + BLOCK;
    fx_run how = fxi_parallel_alone(a->run, team);

    a->rows = 0;
    for (size_t i = from; i < end; i++)
        if (a->p->c[i] > 0)
            a->row[a->rows++] = (int32_t)i;
    if (!a->rows)
        return FX_OK;
    fx_status st = eval_block(a, &how);
    for (size_t r = 0; r < a->rows && !st; r++)
        visit_row(a, r);
    return st;
}

fx_status fxi_fit_kernel_perceptron(fxi_perceptron *s, const fxi_problem *p, size_t first,
                                    size_t budget, const fx_run *run)
{
    size_t rows = p->source->rows;
    online a = {.s = s, .p = p, .first = first, .budget = budget, .run = run, .start = s->steps};
    float *K = fxi_alloc(NEAR * BLOCK, sizeof *K);
    fx_status st = FX_ENOMEM;

    if (rows > INT32_MAX) {
        free(K);
        return fxi_error(FX_ESHAPE, "%zu rows are too many for a kernel machine", rows);
    }
    a.queue = fxi_alloc(2 * rows, sizeof *a.queue);
    a.is_near = fxi_zalloc(rows, sizeof *a.is_near);
    a.far = fxi_alloc(rows, sizeof *a.far);
    a.W = fxi_alloc(rows, sizeof *a.W);
    s->mistakes = 0;
    if (K && a.queue && a.is_near && a.far && a.W && !(st = fill_queue(&a))) {
        for (size_t l = 0; l < NEAR; l++)
            a.K[l] = K + l * BLOCK;
        while (budget && a.nonzero > budget)
            drop(&a);
        st = fxi_parallel_ordered((rows - first + BLOCK - 1) / BLOCK, visit_block, &a, run);
    }
    fxi_free(K, a.queue, a.is_near, a.far, a.W);
    return st;
}
