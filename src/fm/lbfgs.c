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
 * Memory: 7 + 2 * corrections vectors, and what answers questions about the rows; 6 corrections, 3
 * for large models. */

#include "fm/fm.h"

#include <lbfgs.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CORRECTIONS = 6, FEW = 3, LARGE = 1 << 22, WINDOW = 10, ROUND = 20 };
enum { STOPPED = 100, FAILED };         /* what libLBFGS returns when we end it */

typedef struct fitting {
    fxi_fm_state *s;
    const fxi_fm_problem *p;
    fx_run how;                         /* tells the caller how far the iterations are .. */
    fxi_stage stage;                    /* .. which is here */
    double *x;                          /* [size] libLBFGS's variables, aligned */
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
    fx_status st = fxi_fm_gradient(&f, g, a->p, x, &a->how);
    if (st)
        return halt(a, st, g, n);
    for (int t = 0; fm->kind == FXI_FM_SIMPLEX && t < fm->block[0].order; t++)
        g[fm->block[0].theta + (size_t)t] = 0;
    for (size_t i = 0; i < fm->size; i++)
        check += 0 * g[i];
    bool finite = isfinite(f) && check == 0;
    if (a->first && !finite)
        return halt(a, fxi_error(FX_ENUMERIC, "the objective is %g at the start; scale the rows",
                                 f), g, n);
    if (a->first)
        a->s->objective = f;
    a->first = false;
    if (!finite)
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
    s->converged = flat;
    fx_status st = a->p->step ? a->p->step(a->p->ctx, s) : FX_OK;
    a->stop = st != 0;
    a->status = st < 0 ? st : FX_OK;
    s->converged |= st > 0;
    return a->stop || s->converged || a->done >= a->round ? STOPPED : 0;
}

/* By the size alone: the model must not depend on the memory. */
static int corrections(const fxi_fm *fm) { return fm->size > LARGE ? FEW : CORRECTIONS; }

/* Iterates until there is no more gain, or the round ends. */
static fx_status descend(fitting *a)
{
    const fxi_fm *fm = a->p->fm;
    lbfgs_parameter_t how;
    size_t before;
    bool failed;
    int ret;

    lbfgs_parameter_init(&how);
    how.m = corrections(fm);
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

/* A pass that others answer has the vector in a request and the sums in a message, for each thread
 * and for the one who asks. */
static bool count_messages(size_t *bytes, const fxi_fm *fm, size_t threads)
{
    size_t each, sums;

    return fxi_pass_answer_bytes(&sums, fm->size, 1) && fxi_size_mul(&each, fm->size, 16)
           && fxi_size_add(&each, each, sums) && fxi_size_mul(bytes, each, threads + 1);
}

bool fxi_fm_lbfgs_bytes(size_t *bytes, const fxi_fm *fm, const fx_matrix *X, size_t threads)
{
    size_t entries = X ? fxi_data_rows_max(X, 1) : fm->cols, rest, messages = 0;
    size_t simplex = fm->kind == FXI_FM_SIMPLEX && X ? (size_t)fm->block[0].order + 2 : 0;

    return fxi_size_mul(bytes, fm->size, (size_t)(7 + 2 * corrections(fm)) * sizeof(double))
           && fxi_fm_gradient_pass_bytes(&rest, fm, X ? X->rows : FXI_PASS_BLOCK, entries, threads)
           && fxi_size_add(bytes, *bytes, rest)
           && (X || count_messages(&messages, fm, threads))
           && fxi_size_add(bytes, *bytes, messages)
           && fxi_size_mul(&rest, X ? X->rows : 0, simplex * sizeof(double))
           && fxi_size_add(bytes, *bytes, rest);
}

static fx_status check(const fxi_fm_problem *p, size_t threads, const fx_run *run)
{
    const fxi_fm *fm = p->fm;
    size_t bytes;

    if (fm->size > INT_MAX)
        return fxi_error(FX_EUNSUPPORTED, "lbfgs: %zu numbers; at most %d are offered", fm->size,
                         INT_MAX);
    if (!fxi_fm_lbfgs_bytes(&bytes, fm, p->passes ? NULL : p->X, threads))
        bytes = SIZE_MAX;
    return fxi_memory_check(run, bytes, "vectors of lbfgs");
}

static fx_status fit(fitting *a)
{
    fxi_fm_state *s = a->s;
    const fxi_fm_problem *p = a->p;
    fx_status st = fxi_fm_gradient(&s->objective, NULL, p, s->v, &a->how);

    if (st || p->max_iter == 0)
        return st;
    if (!(a->x = fxi_alloc(p->fm->size, sizeof *a->x)))
        return FX_ENOMEM;
    st = p->fm->kind == FXI_FM_SIMPLEX ? alternate(a) : descend(a);
    free(a->x);
    return st;
}

fx_status fxi_fm_lbfgs(fxi_fm_state *s, const fxi_fm_problem *given, const fx_run *run)
{
    fxi_fm_problem p = *given;
    fitting a = {.s = s, .p = &p, .round = p.max_iter};
    fxi_fm_gradient_rows rows = {0};
    fx_status st = FX_OK;

    s->converged = false;
    a.how = fxi_parallel_stage(&a.stage, run, 0, 0);
    if (!p.passes)
        st = fxi_fm_gradient_memory(&rows, given, &a.how);
    if (!st)
        st = check(given, p.passes ? 1 : (size_t)fxi_parallel_threads(&rows.run, SIZE_MAX), run);
    if (!p.passes)
        p.passes = &rows.passes;
    if (!st)
        st = fit(&a);
    fxi_fm_gradient_memory_free(&rows);
    return st;
}
