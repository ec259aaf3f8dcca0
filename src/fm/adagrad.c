/* SPDX-License-Identifier: BSD-3-Clause
 * adagrad.c - AdaGrad [1] in mini-batches, for rows or, as BPR [2], for pairs of rows.
 *
 * Rows with weight are shuffled and cut into batches of even size once, in blocks of 4,096 rows;
 * each epoch visits the batches in its own random order (adagrad_epoch.c).  Shuffles and losers of
 * pairs are functions of (seed, epoch), so that 5 and 5 epochs are 10 epochs, bit for bit.  A batch
 * makes one step
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
 * two copies of the state per epoch.  Outputs run in parallel.  A single one uses threads, too: for
 * objectives, which are exact sums over blocks, and for panels of a batch (adagrad_panels.c).
 *
 * Rows may be elsewhere: then epochs and objectives are questions (adagrad_ask.c), which carry the
 * whole state, and rows answer them to the same bits (adagrad_pass.c).
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
    const fx_run *run;
    fxi_fm_adagrad_memory rows;         /* in memory; or .. */
    fxi_fm_adagrad_asking asking;       /* .. elsewhere: p->passes */
    double weight;                      /* of all rows or pairs */
    double *good_v, *good_sum;          /* [size] the state before the epoch */
} descent;

static fx_status evaluate(descent *a, double *objective)
{
    double sum[FXI_FM_ADAGRAD_SUMS];
    fx_status st = a->p->passes ? fxi_fm_adagrad_ask_value(sum, &a->asking, a->s->v)
                                : fxi_fm_adagrad_memory_value(sum, &a->rows);

    if (st)
        return st;
    a->weight = sum[FXI_FM_ADAGRAD_WEIGHT];
    *objective = sum[FXI_FM_ADAGRAD_LOSS] / a->weight + fxi_fm_penalty(a->p->fm, a->s->v);
    return a->weight > 0 ? FX_OK : fxi_error(FX_EINVAL, "no row has a weight above 0");
}

/* Mean loss of the rows when they were visited.  Epochs count from 1. */
static fx_status visit_all(descent *a, double *loss, uint64_t epoch)
{
    fx_status st = a->p->passes ? fxi_fm_adagrad_ask_epoch(loss, &a->asking, a->s, epoch)
                                : fxi_fm_adagrad_memory_epoch(loss, &a->rows, epoch, a->s->lr);

    *loss /= a->weight;
    return st;
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
 * the penalties; *value is the objective afterwards; *good: if the new state is. */
static fx_status try_epoch(descent *a, double *visited, double *value, double start, bool *good)
{
    double loss;
    fx_status st = visit_all(a, &loss, a->s->iterations + 1);

    *good = !st && is_good(a, loss, start);
    if (!*good)
        return st;
    *visited = loss + fxi_fm_penalty(a->p->fm, a->s->v);
    st = evaluate(a, value);
    *good = !st && is_good(a, *value, start);
    return st;
}

/* Undoes the epoch.  True if it should be tried again at half the rate: not if time is over. */
static bool retry(descent *a, int *halvings)
{
    fxi_fm_state *s = a->s;

    restore_state(a);
    s->diverged = a->p->bare || (*halvings)++ == HALVINGS || is_late(a->p);
    if (!s->diverged)
        s->lr /= 2;
    return !s->diverged;
}

static fx_status descend(descent *a)
{
    fxi_fm_state *s = a->s;
    const fxi_fm_problem *p = a->p;
    size_t first = s->iterations, last = first + p->max_iter;
    double start, before;
    int halvings = 0;
    fx_status st = evaluate(a, &start);

    if (st)
        return st;
    s->objective = before = start;
    for (bool more = p->max_iter > 0; more;) {
        double visited, value;
        bool good;
        if ((st = try_epoch(a, &visited, &value, start, &good)))
            return st;
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
        st = p->step ? p->step(p->ctx, s) : FX_OK;
        if (st < 0)
            return st;
        s->converged |= st > 0;
        more = !s->converged && s->iterations < last;
    }
    return FX_OK;
}

/* ---- The door ---------------------------------------------------------------------------- */

bool fxi_fm_adagrad_bytes(size_t *bytes, const fxi_fm *fm, const fx_matrix *X, size_t threads)
{
    size_t states;

    return fxi_size_mul(&states, fm->size, 2 * sizeof(double))
           && fxi_fm_adagrad_memory_bytes(bytes, fm, X, threads)
           && fxi_size_add(bytes, *bytes, states);
}

static fx_status open_rows(descent *a)
{
    const fxi_fm_problem *p = a->p;
    size_t threads = (size_t)fxi_parallel_threads(a->run, SIZE_MAX), bytes;

    if (p->passes)
        return fxi_fm_adagrad_ask(&a->asking, p);
    if (!fxi_fm_adagrad_bytes(&bytes, p->fm, p->X, threads))
        return fxi_error(FX_ESHAPE, "%zu factors of %zu columns are too many", p->fm->rank,
                         p->fm->cols);
    fx_status st = fxi_memory_check(a->run, bytes, "adagrad");
    return st ? st : fxi_fm_adagrad_memory_new(&a->rows, p, a->s, a->run);
}

fx_status fxi_fm_adagrad(fxi_fm_state *s, const fxi_fm_problem *p, const fx_run *run)
{
    descent a = {.s = s, .p = p, .run = run};
    fx_status st;

    if (p->batch == 0)
        return fxi_error(FX_EINVAL, "batch=0: a step needs a row");
    s->converged = s->diverged = false;
    s->lr = s->lr > 0 ? s->lr : p->lr;
    if (!(st = open_rows(&a))) {
        a.good_v = fxi_alloc(p->fm->size, sizeof *a.good_v);
        a.good_sum = fxi_alloc(p->fm->size, sizeof *a.good_sum);
        st = a.good_v && a.good_sum ? FX_OK : FX_ENOMEM;
    }
    if (!st) {
        save_state(&a);
        st = descend(&a);
        if (st == FX_ECANCELLED)
            restore_state(&a);
    }
    fxi_free(a.good_v, a.good_sum);
    if (p->passes)
        fxi_fm_adagrad_ask_free(&a.asking);
    else
        fxi_fm_adagrad_memory_free(&a.rows);
    return st;
}
