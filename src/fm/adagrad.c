/* SPDX-License-Identifier: BSD-3-Clause
 * adagrad.c - AdaGrad [1] in mini-batches, for rows or, as BPR [2], for pairs of rows.
 *
 * Rows with weight are shuffled and cut into batches of even size once; each epoch visits the
 * batches in its own random order.  Shuffles and losers of pairs are functions of (seed, epoch), so
 * that 5 and 5 epochs are 10 epochs, bit for bit.  A batch makes one step
 *
 *   g = gradient of (sum c loss)/(sum c) over the batch + penalties,
 *   sum += g^2,   v -= lr g/sqrt(sum + 1e-16)
 *
 * for each number that it touches: one square root per batch, not per row.  A column that is
 * touched by q of Q batches gets Q/q times its penalty each time.
 *
 * Guard: after every epoch the objective of its last state is computed (pairs: with one loser drawn
 * for each winner, always the same).  If it is not finite or more than twice that of the start, or
 * if this holds for the mean loss of the rows when they were visited, the epoch is undone and
 * repeated at half the rate, at most ten times.  The losses of the visits alone are not enough: if
 * one batch has all rows, they are from before the step.  So every state that p->step sees, and the
 * final one, has passed the guard, its objective is known, and no decision depends on max_iter.
 * Without the guard (guard=no, for comparisons) only a state that is not finite is undone, and it
 * ends the fit.
 *
 * The fit has converged when the losses of visits plus the penalties change by less than tol.
 *
 * Cost: O(order rank) per entry and epoch, of which the objective takes a fifth to a quarter, and
 * two copies of the state per epoch.  One thread per output: outputs run in parallel.
 *
 * [1] J. Duchi, E. Hazan, Y. Singer. Adaptive subgradient methods for online learning and
 *     stochastic optimization. JMLR 12 (2011).
 * [2] S. Rendle et al. BPR: Bayesian personalized ranking from implicit feedback. UAI 2009. */

#include "fm/adagrad.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HALVINGS = 10 };
#define FAR 2                           /* times the objective of the start */

typedef struct descent {
    fxi_fm_state *s;
    const fxi_fm_problem *p;
    fxi_fm_adagrad_batch batch;
    size_t n;                           /* items: rows, or winners of pairs */
    size_t *item;                       /* [n] those of a batch together */
    double weight;                      /* of all of them */
    size_t batches, *visit;             /* [batches] in the order of the epoch */
    double *good_v, *good_sum;          /* [size] the state before the epoch */
} descent;

static size_t first_of(const descent *a, size_t batch)
{
    size_t more = a->n % a->batches;

    return a->n / a->batches * batch + (batch < more ? batch : more);
}

/* A new permutation for each epoch, and one for epoch 0; or none. */
static void order(size_t *out, size_t n, const fxi_fm_problem *p, uint64_t epoch)
{
    if (!p->ordered) {
        fxi_rng_permutation(out, n, (fxi_rng){p->seed, FXI_FM_BATCHES + (epoch << 32)});
        return;
    }
    for (size_t i = 0; i < n; i++)
        out[i] = i;
}

/* Items with weight, shuffled. */
static fx_status choose_items(descent *a)
{
    const fxi_fm_problem *p = a->p;
    size_t items = p->pairs ? p->pairs->n : p->X->rows,
           *weighted = fxi_alloc(items, sizeof *weighted);

    if (!weighted)
        return FX_ENOMEM;
    for (size_t i = 0; i < items; i++)
        if (fxi_fm_adagrad_batch_weight(&a->batch, &i, 1) > 0)
            weighted[a->n++] = i;
    a->batches = a->n / p->batch + (a->n % p->batch > 0);
    a->item = fxi_alloc(a->n, sizeof *a->item);
    a->visit = fxi_alloc(a->batches, sizeof *a->visit);
    if (a->item && a->visit) {
        order(a->item, a->n, p, 0);
        for (size_t i = 0; i < a->n; i++)
            a->item[i] = weighted[a->item[i]];
        a->weight = fxi_fm_adagrad_batch_weight(&a->batch, a->item, a->n);
    }
    free(weighted);
    return !a->item || !a->visit ? FX_ENOMEM
           : a->n                ? FX_OK
                                 : fxi_error(FX_EINVAL, "no row has a weight above 0");
}

/* The factor of a column's penalty in a batch: all batches divided by those that touch it. */
static void count(descent *a, uint64_t epoch)
{
    fxi_fm_adagrad_rows *rows = &a->batch.rows;
    double *share = a->batch.share;
    size_t cols = a->p->fm->cols;

    memset(share, 0, cols * sizeof *share);
    for (size_t b = 0; b < a->batches && !fxi_fm_adagrad_rows_stopped(rows); b++) {
        size_t first = first_of(a, b);
        fxi_fm_adagrad_batch_touch(&a->batch, a->item + first, first_of(a, b + 1) - first, epoch);
        for (size_t q = 0; q < rows->listed; q++)
            share[rows->list[q]]++;
        fxi_fm_adagrad_rows_clear(rows);
    }
    for (size_t j = 0; j < cols; j++)
        share[j] = share[j] > 0 ? (double)a->batches / share[j] : 1; /* 1: constants */
}

static double objective(descent *a)
{
    double loss = fxi_fm_adagrad_batch_add(&a->batch, a->item, a->n, 0, 0);

    return loss / a->weight + fxi_fm_penalty(a->p->fm, a->s->v);
}

static double visit_batch(descent *a, size_t b, uint64_t epoch)
{
    const size_t *item = a->item + first_of(a, b);
    size_t n = first_of(a, b + 1) - first_of(a, b);
    double by = 1 / fxi_fm_adagrad_batch_weight(&a->batch, item, n);
    double loss = fxi_fm_adagrad_batch_add(&a->batch, item, n, epoch, by);

    fxi_fm_adagrad_batch_step(&a->batch, a->s->lr);
    return loss;
}

/* Mean loss of the rows when they were visited.  Epochs count from 1. */
static double visit_all(descent *a, uint64_t epoch)
{
    double loss = 0;

    order(a->visit, a->batches, a->p, epoch);
    if (a->p->pairs)                    /* other losers, other columns */
        count(a, epoch);
    for (size_t b = 0; b < a->batches && !fxi_fm_adagrad_rows_stopped(&a->batch.rows); b++)
        loss += visit_batch(a, a->visit[b], epoch);
    return loss / a->weight;
}

/* ---- The guard --------------------------------------------------------------------------- */

static void save_state(descent *a)
{
    memcpy(a->good_v, a->s->v, a->p->fm->size * sizeof *a->good_v);
    memcpy(a->good_sum, a->s->sum, a->p->fm->size * sizeof *a->good_sum);
}

static void restore_state(descent *a)
{
    memcpy(a->s->v, a->good_v, a->p->fm->size * sizeof *a->good_v);
    memcpy(a->s->sum, a->good_sum, a->p->fm->size * sizeof *a->good_sum);
}

static bool is_late(const fxi_fm_problem *p)
{
    return p->deadline > 0 && fxi_fm_clock() >= p->deadline;
}

/* True if a loss or an objective is finite and, with the guard, not far above the start. */
static bool is_good(const descent *a, double value, double start)
{
    return isfinite(value) && (a->p->bare || value <= FAR * (start + 1e-12));
}

/* One epoch from the last good state: *visited is the loss of its rows when they were visited plus
 * the penalties; *value is the objective afterwards.  True if the new state is good. */
static bool try_epoch(descent *a, double *visited, double *value, double start)
{
    double loss = visit_all(a, a->s->iterations + 1);

    if (!is_good(a, loss, start))
        return false;
    *visited = loss + fxi_fm_penalty(a->p->fm, a->s->v);
    *value = objective(a);
    return is_good(a, *value, start);
}

/* Undoes the epoch.  True if it should be tried again at half the rate. */
static bool retry(descent *a, int *halvings)
{
    fxi_fm_state *s = a->s;

    restore_state(a);
    s->diverged = a->p->bare || (*halvings)++ == HALVINGS;
    if (s->diverged)
        return false;
    s->lr /= 2;
    return !is_late(a->p);
}

static fx_status descend(void *ctx, size_t block, fxi_team *team)
{
    descent *a = ctx;
    fxi_fm_state *s = a->s;
    const fxi_fm_problem *p = a->p;
    size_t first = s->iterations, last = first + p->max_iter;
    int halvings = 0;

    (void)block;
    a->batch.rows.team = team;
    if (!p->pairs)
        count(a, 0);
    double start = objective(a), before = start;
    if (fxi_parallel_cancelled(team))
        return FX_OK;                   /* fxi_parallel reports it */
    s->objective = start;
    for (bool more = p->max_iter > 0; more;) {
        double visited, value;
        bool good = try_epoch(a, &visited, &value, start);
        if (fxi_parallel_cancelled(team))
            break;
        if (!good) {
            more = retry(a, &halvings);
            continue;
        }
        /* the first epoch's losses may be those of the start, where one batch has all rows */
        s->converged = s->iterations > first && fabs(before - visited) < p->tol * fabs(before);
        s->iterations++;
        s->objective = value;
        before = visited;
        save_state(a);
        fx_status st = p->step ? p->step(p->ctx, s) : FX_OK;
        if (st < 0)
            return st;
        s->converged |= st > 0;
        more = !s->converged && s->iterations < last && !is_late(p);
    }
    return FX_OK;
}

/* ---- The door ---------------------------------------------------------------------------- */

bool fxi_fm_adagrad_bytes(size_t *bytes, const fxi_fm *fm, const fx_matrix *X)
{
    size_t states, items, cache;

    if (!fxi_fm_adagrad_batch_cacheable(X, &cache))
        cache = 0;
    return fxi_size_mul(&states, fm->size, 2 * sizeof(double))
           && fxi_size_mul(&items, X->rows, 5 * sizeof(size_t))
           && fxi_fm_adagrad_batch_bytes(bytes, fm, fxi_data_rows_max(X, 1))
           && fxi_size_add(bytes, *bytes, states) && fxi_size_add(bytes, *bytes, items)
           && fxi_size_add(bytes, *bytes, cache);
}

fx_status fxi_fm_adagrad(fxi_fm_state *s, const fxi_fm_problem *p, const fx_run *run)
{
    descent a = {.s = s, .p = p};
    size_t bytes;

    if (p->batch == 0)
        return fxi_error(FX_EINVAL, "batch=0: a step needs a row");
    if (!fxi_fm_adagrad_bytes(&bytes, p->fm, p->X))
        return fxi_error(FX_ESHAPE, "%zu factors of %zu columns are too many", p->fm->rank,
                         p->fm->cols);
    fx_status st = fxi_memory_check(run, bytes, "adagrad");
    if (st)
        return st;
    s->converged = s->diverged = false;
    s->lr = s->lr > 0 ? s->lr : p->lr;
    st = fxi_fm_adagrad_batch_new(&a.batch, p, s->v, s->sum, fxi_data_rows_max(p->X, 1));
    a.good_v = fxi_alloc(p->fm->size, sizeof *a.good_v);
    a.good_sum = fxi_alloc(p->fm->size, sizeof *a.good_sum);
    if (!a.good_v || !a.good_sum)
        st = FX_ENOMEM;
    if (!st)
        st = choose_items(&a);
    if (!st)
        st = fxi_fm_adagrad_batch_cache(&a.batch, a.item, a.n);
    if (!st) {
        save_state(&a);
        st = fxi_parallel_ordered(1, descend, &a, run);
        if (st == FX_ECANCELLED)
            restore_state(&a);
    }
    fxi_free(a.item, a.visit, a.good_v, a.good_sum);
    fxi_fm_adagrad_batch_free(&a.batch);
    return st;
}
