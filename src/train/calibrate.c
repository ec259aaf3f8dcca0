/* SPDX-License-Identifier: BSD-3-Clause
 * calibrate.c - turns scores into probabilities: p = 1/(1 + exp(a f + b)), one sigmoid
 * per output, fitted on scores of rows that the fit had not seen (5 folds, by class and seed).
 *
 *   min over a, b of  - sum_i w_i (t_i log p_i + (1 - t_i) log(1 - p_i))
 *
 * t = (n+ + 1)/(n+ + 2) for positives, 1/(n- + 2) for others, n+ and n- their weights: targets
 * inside (0, 1) keep the optimum finite even if the scores separate the classes.  Newton's method
 * on two unknowns with a ridge of 1e-12 and halved steps; terms are formed so that nothing
 * overflows.
 *
 * References: Platt 2000; Lin, Lin, Weng 2007. */

#include "train/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FOLDS = FXI_CALIBRATE_FOLDS, ITERATIONS = 100, PIECE = 1 << 14 };

typedef struct points {
    const double *score;                /* [n], stride apart */
    const double *y, *weight;           /* positives: y == positive */
    size_t n, stride;
    double positive, high, low;         /* targets */
    fxi_team *team;                     /* or NULL */
} points;

/* Polls for cancellation once every PIECE points. */
static bool stopped(const points *p, size_t i)
{
    return i % PIECE == 0 && p->team && fxi_parallel_cancelled(p->team);
}

static double target(const points *p, size_t i)
{
    return p->y[i] == p->positive ? p->high : p->low;
}

/* -(t log p + (1 - t) log(1 - p)) = (t - 1) z + log(1 + exp(z)) = t z + log(1 + exp(-z)) */
static double loss(const points *p, double a, double b)
{
    double sum = 0;

    for (size_t i = 0; i < p->n && !stopped(p, i); i++) {
        double z = a * p->score[i * p->stride] + b, t = target(p, i);
        sum += p->weight[i] * (z >= 0 ? t * z + log1p(exp(-z)) : (t - 1) * z + log1p(exp(z)));
    }
    return sum;
}

/* Gradient g[2] and Hessian h[3] = aa, ab, bb. */
static void derive(double g[2], double h[3], const points *p, double a, double b)
{
    g[0] = g[1] = h[1] = 0;
    h[0] = h[2] = 1e-12;
    for (size_t i = 0; i < p->n && !stopped(p, i); i++) {
        double f = p->score[i * p->stride], z = a * f + b, e = exp(-fabs(z));
        double prob = z >= 0 ? e / (1 + e) : 1 / (1 + e);
        double slope = p->weight[i] * (target(p, i) - prob);
        double curve = p->weight[i] * e / ((1 + e) * (1 + e));
        g[0] += f * slope;
        g[1] += slope;
        h[0] += f * f * curve;
        h[1] += f * curve;
        h[2] += curve;
    }
}

void fxi_train_calibrate_sigmoid(double ab[2], const double *y, double positive,
                                 const double *score, size_t stride, const double *weight, size_t n,
                                 fxi_team *team)
{
    points p = {score, y, weight, n, stride, positive, 0, 0, team};
    double n1 = 0, n0 = 0, g[2], h[3];

    for (size_t i = 0; i < n; i++)
        *(y[i] == positive ? &n1 : &n0) += weight[i];
    p.high = (n1 + 1) / (n1 + 2);
    p.low = 1 / (n0 + 2);
    double a = 0, b = log((n0 + 1) / (n1 + 1)), now = loss(&p, a, b);
    for (int i = 0; i < ITERATIONS && !stopped(&p, 0); i++) {
        derive(g, h, &p, a, b);
        double det = h[0] * h[2] - h[1] * h[1];
        double da = -(h[2] * g[0] - h[1] * g[1]) / det, db = -(h[0] * g[1] - h[1] * g[0]) / det;
        double gain = g[0] * da + g[1] * db, step = 1, next;
        if (!(gain < -1e-14 * (now + 1)))
            break;
        while ((next = loss(&p, a + step * da, b + step * db)) > now + 1e-4 * step * gain
               && step > 1e-10)
            step /= 2;
        if (!(next < now))
            break;
        a += step * da;
        b += step * db;
        now = next;
    }
    ab[0] = a;
    ab[1] = b;
}

/* ---- Folds ------------------------------------------------------------------------------- */

typedef struct collecting {
    double *S;                          /* [rows][outputs] */
    size_t outputs;
} collecting;

static fx_status collect(void *ctx, size_t b, const fxi_held_rows *x, const fx_run *run)
{
    const collecting *c = ctx;

    (void)b, (void)run;
    for (size_t i = 0; i < x->n; i++)
        memcpy(c->S + (size_t)x->row[i] * c->outputs, x->S + i * c->outputs,
               c->outputs * sizeof *c->S);
    return FX_OK;
}

/* Folds of the rows that count; others are in none.  Every class must remain whichever fold is left
 * out. */
static fx_status make_folds(int32_t *fold, size_t *folds, const fxi_train *t)
{
    size_t rows = t->source.rows, n = 0, *count = fxi_zalloc(t->labels.classes, sizeof *count);
    double *y = fxi_alloc(rows, sizeof *y);
    fx_status st = count && y ? FX_OK : FX_ENOMEM;

    for (size_t i = 0; i < rows && !st; i++)
        if (t->labels.weight[i] > 0) {
            y[n++] = t->labels.y[i];
            count[(size_t)t->labels.y[i]]++;
        }
    for (size_t k = 0; k < t->labels.classes && !st; k++)
        if (count[k] < 2)
            st = fxi_error(FX_EINVAL,
                           "calibrate=yes holds rows out, but class %s has fewer than two",
                           t->m->c.class_name[k]);
    *folds = n < FOLDS ? n : FOLDS;
    if (!st)
        st = fx_data_folds(fold, n, (int)*folds, y, t->seed);
    for (size_t i = rows; i-- && !st;)
        fold[i] = t->labels.weight[i] > 0 ? fold[--n] : -1;
    free(count);
    free(y);
    return st;
}

typedef struct sigmoids {
    double *ab;
    const fxi_train *t;
    const double *S;
} sigmoids;

static fx_status fit_sigmoid(void *ctx, size_t k, fxi_team *team)
{
    const sigmoids *s = ctx;
    const fx_model_info *c = &s->t->m->c;
    const fxi_labels *l = &s->t->labels;
    size_t outputs = s->t->outputs, rows = s->t->source.rows;
    double *y = fxi_alloc(2 * rows, sizeof *y), *weight = y ? y + rows : NULL;

    if (!y)
        return FX_ENOMEM;
    for (size_t i = 0; i < rows; i++) { /* a pair of classes ignores other classes */
        y[i] = fxi_model_pairs_sign(c, k, (size_t)l->y[i]);
        weight[i] = y[i] != 0 ? l->weight[i] : 0;
    }
    fxi_train_calibrate_sigmoid(s->ab + 2 * k, y, 1, s->S + k, outputs, weight, rows, team);
    free(y);
    return FX_OK;
}

fx_status fxi_train_calibrate(fxi_train *t, const fx_run *run)
{
    size_t rows = t->source.rows, outputs = t->outputs;
    double *ab = fxi_alloc(outputs, 2 * sizeof *ab), *S;
    fx_status st = fxi_model_own(t->m, ab);
    fxi_folds f = {NULL, 0, &t->how.C, 1};
    int32_t *fold = NULL;

    S = fxi_alloc_within(&st, rows, outputs * sizeof *S, run, "scores of the rows held out");
    if (!st && !(fold = fxi_alloc(rows, sizeof *fold)))
        st = FX_ENOMEM;
    if (!st)
        st = make_folds(fold, &f.folds, t);
    for (size_t i = 0; i < rows && !st; i++)
        if (fold[i] < 0)                /* in no fold: collect() never sets its scores */
            memset(S + i * outputs, 0, outputs * sizeof *S);
    f.fold = fold;
    if (!st)
        st = fxi_train_folds(t, &f, collect, &(collecting){S, outputs}, run);
    if (st >= 0)                        /* folds that did not converge are good enough */
        st = fxi_parallel(outputs, fit_sigmoid, &(sigmoids){ab, t, S}, run);
    if (!st)
        t->m->c.sigmoid = ab;
    free(fold);
    free(S);
    return st;
}
