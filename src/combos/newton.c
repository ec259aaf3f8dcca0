/* SPDX-License-Identifier: BSD-3-Clause
 * newton.c - minimises over the members of the set: Newton steps, each the minimum of a quadratic
 * model with the penalty (model.c), shortened until the objective falls, and the exact intercept.
 *
 * Under a free intercept theta_i = -c_i loss'(y_i, f_i) sums to 0, so theta, divided by the largest
 * slope if that is above 1, is feasible in the dual and proves how far the objective is from the
 * minimum. */

#include "combos/combos.h"
#include "fit/l1.h"

#include <string.h>

enum { STEPS = 200, STALLED = 8, HALVES = 40 };
enum { POLL = 64 };                     /* members between two polls */

/* A problem for the search along the intercept (fit/l1_line.c), which looks at scores alone. */
typedef struct line {
    fxi_source source;
    fxi_problem p;
} line;

static const fxi_problem *line_of(line *l, const fxi_combos *a)
{
    l->source = (fxi_source){.rows = a->columns.rows};
    l->p = (fxi_problem){.source = &l->source,
                         .loss = a->p.loss,
                         .y = a->p.y,
                         .c = a->c,
                         .intercept = a->p.intercept ? FXI_FREE : FXI_NONE};
    return &l->p;
}

static void slopes_of_rows(fxi_combos *a)
{
    const fxi_loss *loss = a->p.loss;

    for (size_t i = 0; i < a->columns.rows; i++) {
        bool absent = !(a->c[i] > 0);
        a->theta[i] = absent ? 0 : -a->c[i] * loss->slope(a->p.y[i], a->f[i], 0);
        a->curve[i] = absent ? 0 : a->c[i] * loss->curve(a->p.y[i], a->f[i], 0);
    }
}

/* Everything at the present weights; *largest: slope of a member. */
static fx_status look(fxi_combos *a, double *largest, const fx_run *run, fxi_team *team)
{
    line l;
    fxi_l1_line at;
    fx_status st = fxi_fit_l1_line_intercept(&at, &a->b, a->f, line_of(&l, a), run);

    if (st)
        return st;
    slopes_of_rows(a);
    a->objective = at.value;
    *largest = 0;
    for (size_t k = 0; k < a->set.n; k++) {
        fxi_combos_member *m = &a->set.at[k];
        if (k % POLL == 0 && fxi_parallel_cancelled(team))
            return FX_OK;
        m->slope = -fxi_combos_set_dot(m, a->theta);
        *largest = fmax(*largest, fabs(m->slope));
        a->objective += fabs(m->w);
    }
    return FX_OK;
}

double fxi_combos_newton_dual(const fxi_combos *a, double largest)
{
    double scale = 1 / fmax(1, largest), sum = 0;

    for (size_t i = 0; i < a->columns.rows; i++)
        if (a->c[i] > 0)
            sum -= a->p.loss->conjugate(a->p.y[i], scale * a->theta[i], a->c[i], 0);
    return sum;
}

/* Of the scores f + t step, and of weights that went as far. */
static fx_status objective_at(double *out, const fxi_combos *a, const fxi_combos_model *m, double t,
                              const fx_run *run)
{
    line l;
    fxi_l1_line at;
    fx_status st = fxi_fit_l1_line_at(&at, line_of(&l, a), a->f, a->step, t, run);

    *out = at.value;
    for (size_t k = 0; k < a->set.n; k++)
        *out += fabs(a->set.at[k].w);
    for (size_t k = 1; k < m->n; k++) {
        double w = a->set.at[m->member[k]].w;
        *out += fabs(w + t * m->step[k]) - fabs(w);
    }
    return st;
}

/* Goes along the model's step as far as the objective falls as it should. */
static fx_status move(fxi_combos *a, const fxi_combos_model *m, const fx_run *run)
{
    double fall = 0, t = 1, now = INFINITY;
    fx_status st = FX_OK;

    for (size_t i = 0; i < a->columns.rows; i++)
        a->step[i] = m->step[0];
    for (size_t k = 1; k < m->n; k++) {
        const fxi_combos_member *z = &a->set.at[m->member[k]];
        if (m->step[k] != 0)
            fxi_combos_set_axpy(a->step, m->step[k], z);
        fall += fabs(z->w + m->step[k]) - fabs(z->w);
    }
    for (size_t i = 0; i < a->columns.rows; i++)
        fall -= a->theta[i] * a->step[i];
    for (int k = 0; k < HALVES; k++, t /= 2) {
        if ((st = objective_at(&now, a, m, t, run)))
            return st;
        if (now <= a->objective + 0.01 * t * fall + 1e-13 * a->objective)
            break;
    }
    if (!(now <= a->objective * (1 + 1e-12)))
        return FX_OK;                   /* no step helps */
    for (size_t i = 0; i < a->columns.rows; i++)
        a->f[i] += t * a->step[i];
    a->b += t * m->step[0];
    for (size_t k = 1; k < m->n; k++)
        a->set.at[m->member[k]].w += t * m->step[k];
    return FX_OK;
}

fx_status fxi_combos_newton(fxi_combos *a, double tol, const fx_run *run, fxi_team *team)
{
    fxi_scratch scratch = {0};
    double least = INFINITY, largest = 0;
    fx_status st = FX_OK;

    for (int step = 0, stalled = 0; !st && !fxi_parallel_cancelled(team); step++) {
        if ((st = look(a, &largest, run, team)))
            break;
        double gap = (a->objective - fxi_combos_newton_dual(a, largest)) / a->objective;
        stalled = gap < 0.9 * least ? 0 : stalled + 1;
        least = fmin(least, gap);
        if (!(gap > tol) || stalled > STALLED || step == STEPS)
            break;
        fxi_combos_model m;
        fxi_scratch_reset(&scratch);
        /* A violation of v costs a gap of about v |w|_1. */
        st = fxi_combos_model_minimum(&m, a, 0.01 * fmax(gap, tol), &scratch, run, team);
        if (!st)
            st = move(a, &m, run);
    }
    fxi_scratch_free(&scratch);
    return st;
}
