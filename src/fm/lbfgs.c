/* SPDX-License-Identifier: BSD-3-Clause
 * lbfgs.c - all numbers at once by the quasi-Newton method of libLBFGS.
 *
 * The line search is backtracking with Wolfe's conditions: where the objective is not finite it
 * gets +infinity and halves the step.  It can fail near the minimum, by rounding; and if directions
 * overflow, its conditions are NaN and it accepts any state.  So a state that does not lower the
 * objective is not taken.  In both cases the method restarts from the last state with an empty
 * history, once for every state that was better.  A cancellation in the middle of a step is passed
 * as minus infinity, which ends the line search at once; the trial state is not used.
 *
 * Done when WINDOW iterations together lower the objective by less than tol times it, or the
 * gradient is tiny: near factors 0, where fits start, gradients are small, too, and single
 * iterations gain next to nothing before the factors have found a direction.  theta of hofm-simplex
 * is fixed while the rest moves for some iterations, then has its own steps (simplex.c).
 *
 * Memory: 7 + 2 * corrections vectors; 6 corrections, as few as 3 for large models or little
 * memory. */

#include "fm/fm.h"

#include <lbfgs.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CORRECTIONS = 6, MIN_CORRECTIONS = 3, LARGE = 1 << 22, WINDOW = 10, ROUND = 20 };
enum { STOPPED = 100, FAILED };         /* what libLBFGS returns when we end it */

typedef struct fitting {
    fxi_fm_state *s;
    const fxi_fm_problem *p;
    const fx_run *run;                  /* the caller's */
    fx_run how;                         /* tells it how far the iterations are .. */
    fxi_stage stage;                    /* .. which is here */
    double *x, *G;                      /* [size] libLBFGS's variables; the gradient, aligned */
    int corrections;
    size_t done, round;                 /* iterations so far; at which this round ends */
    bool first;                         /* the next value is that of s->v */
    bool stop;                          /* with .. */
    fx_status status;                   /* .. which may be 0: not converged */
    double past[WINDOW];                /* objectives of the last iterations of this round .. */
    size_t begun;                       /* .. which began after so many */
} fitting;

static double halt(fitting *a, fx_status st, double *g, int n)
{
    a->stop = true;
    a->status = st;
    memset(g, 0, (size_t)n * sizeof *g);
    return -HUGE_VAL;
}

static double evaluate(void *ctx, const double *x, double *g, const int n, const double step)
{
    fitting *a = ctx;
    const fxi_fm *fm = a->p->fm;
    double f, check = 0;

    (void)step;
    if (a->stop)
        return halt(a, a->status, g, n);
    fx_status st = fxi_fm_gradient(&f, a->G, a->p, x, &a->how);
    if (st)
        return halt(a, st, g, n);
    for (int t = 0; fm->kind == FXI_FM_SIMPLEX && t < fm->block[0].order; t++)
        a->G[fm->block[0].theta + (size_t)t] = 0;
    for (size_t i = 0; i < fm->size; i++)
        check += 0 * a->G[i];
    bool finite = isfinite(f) && check == 0;
    if (a->first && !finite)
        return halt(a, fxi_error(FX_ENUMERIC, "the objective is %g at the start; scale the rows",
                                 f), g, n);
    if (a->first)
        a->s->objective = f;
    a->first = false;
    if (finite)
        memcpy(g, a->G, fm->size * sizeof *g);
    else
        memset(g, 0, fm->size * sizeof *g);
    return finite ? f : HUGE_VAL;
}

static int progress(void *ctx, const double *x, const double *g, const double fx,
                    const double xnorm, const double gnorm, const double step, int n, int k, int ls)
{
    fitting *a = ctx;
    fxi_fm_state *s = a->s;

    (void)g, (void)xnorm, (void)gnorm, (void)step, (void)k, (void)ls;
    if (a->stop)
        return STOPPED;
    if (!(fx <= s->objective))
        return FAILED;
    double *past = &a->past[a->done % WINDOW];
    bool flat = a->done - a->begun >= WINDOW && *past - fx <= a->p->tol * fabs(fx);
    *past = s->objective;
    s->objective = fx;
    s->iterations++;
    a->done++;
    a->stage.from = (double)a->done / ((double)a->p->max_iter + 1);
    for (int i = 0; i < n; i++)
        s->v[i] = fabs(x[i]) < FXI_FM_TINY ? 0 : x[i];
    fx_status st = a->p->step ? a->p->step(a->p->ctx, s) : FX_OK;
    a->stop = st != 0 || (a->p->deadline > 0 && fxi_fm_clock() >= a->p->deadline);
    a->status = st < 0 ? st : FX_OK;
    s->converged = st > 0 || (!a->stop && flat);
    return a->stop || s->converged || a->done >= a->round ? STOPPED : 0;
}

/* Iterates until there is no more gain, or the round ends. */
static fx_status descend(fitting *a)
{
    const fxi_fm *fm = a->p->fm;
    lbfgs_parameter_t how;
    size_t before;
    bool failed;
    int ret;

    lbfgs_parameter_init(&how);
    how.m = a->corrections;
    how.epsilon = a->p->tol / 1000;
    how.linesearch = LBFGS_LINESEARCH_BACKTRACKING_WOLFE;
    do {
        before = a->done;
        memcpy(a->x, a->s->v, fm->size * sizeof *a->x);
        a->first = true;
        ret = lbfgs((int)fm->size, a->x, NULL, evaluate, progress, a, &how);
        failed = ret == FAILED || (ret < 0 && ret != LBFGSERR_OUTOFMEMORY);
    } while (failed && !a->stop && a->done > before);
    if (a->stop)
        return a->status;
    if (ret == LBFGSERR_OUTOFMEMORY)
        return fxi_error(FX_ENOMEM, "no memory for %d corrections of %zu numbers", how.m, fm->size);
    if (ret == LBFGS_SUCCESS || ret == LBFGS_ALREADY_MINIMIZED)
        a->s->converged = true;         /* the gradient is tiny */
    else if (failed && a->done > a->begun) /* no step leads down: check the last one */
        a->s->converged = a->past[(a->done - 1) % WINDOW] - a->s->objective
                          <= a->p->tol * fabs(a->s->objective);
    return FX_OK;
}

/* The rest and theta by turns. */
static fx_status alternate(fitting *a)
{
    fxi_fm_state *s = a->s;
    fx_status st;
    bool more = true;

    while (more) {
        double before = s->objective;
        size_t done = a->done;
        a->round = a->p->max_iter - a->done < ROUND ? a->p->max_iter : a->done + ROUND;
        a->begun = a->done;
        s->converged = false;
        if ((st = descend(a)) || a->stop)
            return st;
        if ((st = fxi_fm_simplex(s->v, a->p, &a->how))
            || (st = fxi_fm_gradient(&s->objective, NULL, a->p, s->v, &a->how)))
            return st;
        s->converged = before - s->objective <= a->p->tol * fabs(s->objective);
        more = !s->converged && a->done < a->p->max_iter && a->done > done;
    }
    return FX_OK;
}

/* ---- Memory ------------------------------------------------------------------------------ */

static bool count_bytes(size_t *bytes, const fxi_fm *fm, const fx_matrix *X, int corrections)
{
    size_t entries = fxi_data_rows_max(X, 1), rest;

    return fxi_size_mul(bytes, fm->size, (size_t)(7 + 2 * corrections) * sizeof(double))
        && fxi_size_mul(&rest, entries, (FXI_LANES + 1) * sizeof(double))
        && fxi_size_add(bytes, *bytes, rest) && fxi_size_mul(&rest, X->rows, 2 * sizeof(double))
        && fxi_size_add(bytes, *bytes, rest)
        && (fm->kind != FXI_FM_SIMPLEX
            || (fxi_size_mul(&rest, X->rows, (size_t)fm->block[0].order * sizeof(double))
                && fxi_size_add(bytes, *bytes, rest)))
        && fxi_size_add(bytes, *bytes, fxi_fm_row_bytes(fm, entries));
}

bool fxi_fm_lbfgs_bytes(size_t *bytes, const fxi_fm *fm, const fx_matrix *X)
{
    return count_bytes(bytes, fm, X, MIN_CORRECTIONS);
}

static fx_status choose(fitting *a)
{
    const fxi_fm *fm = a->p->fm;
    size_t max_memory = fxi_sized_run(a->run).max_memory, bytes = SIZE_MAX;

    if (fm->size > INT_MAX)
        return fxi_error(FX_EUNSUPPORTED, "lbfgs: %zu numbers; at most %d are offered", fm->size,
                         INT_MAX);
    a->corrections = fm->size > LARGE ? MIN_CORRECTIONS : CORRECTIONS;
    while (a->corrections > MIN_CORRECTIONS
           && (!count_bytes(&bytes, fm, a->p->X, a->corrections)
               || (max_memory && bytes > max_memory)))
        a->corrections--;
    if (!count_bytes(&bytes, fm, a->p->X, a->corrections))
        bytes = SIZE_MAX;
    return fxi_memory_check(a->run, bytes, "vectors of lbfgs");
}

fx_status fxi_fm_lbfgs(fxi_fm_state *s, const fxi_fm_problem *p, const fx_run *run)
{
    fitting a = {.s = s, .p = p, .run = run, .round = p->max_iter};
    fx_status st = choose(&a);

    if (st)
        return st;
    s->converged = false;
    a.how = fxi_parallel_stage(&a.stage, run, 0, 0);
    if ((st = fxi_fm_gradient(&s->objective, NULL, p, s->v, &a.how)) || p->max_iter == 0)
        return st;
    a.x = fxi_alloc(p->fm->size, sizeof *a.x);
    a.G = fxi_alloc(p->fm->size, sizeof *a.G);
    if (!a.x || !a.G)
        st = FX_ENOMEM;
    else
        st = p->fm->kind == FXI_FM_SIMPLEX ? alternate(&a) : descend(&a);
    free(a.x);
    free(a.G);
    return st;
}
