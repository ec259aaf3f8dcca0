/* SPDX-License-Identifier: BSD-3-Clause
 * smo_step.c - steps of two variables, among all active ones or with a working set.
 *
 * Rows of the kernel matrix cost most, and a block of them little more than one.  So while many
 * variables are active, steps are done among a few hundred at a time: those that violate most, and
 * half of the set before, without which sets undo each other's work.  Their rows are computed
 * together, and all are used.  Steps within the set use only its own matrix, which is in the
 * first-level cache; e of the other variables is updated once at the end.
 *
 * Where fewer are active, their rows are short and most of them are in memory: then every step
 * searches all of them, and fewer steps are needed. */

#include "fit/smo.h"

#include <math.h>

enum {
    PLAIN = 4096, /* active variables that need no working set */
    BATCH = 64, /* steps without one between two polls of the clock */
    STEPS = 100
}; /* with one, for each of its variables, at most */
static const double LOCAL = 0.1;        /* share of its violation that a working set may keep */

double fxi_fit_smo_step_upper(const fxi_smo *d, size_t i)
{
    return d->p->loss->regress || d->p->y[i] > 0 ? d->bound_scale * d->p->c[i] : 0;
}

double fxi_fit_smo_step_lower(const fxi_smo *d, size_t i)
{
    return d->p->loss->regress || d->p->y[i] < 0 ? -d->bound_scale * d->p->c[i] : 0;
}

static void offsets(float *up, float *down, const fxi_smo *d, size_t i)
{
    bool kink = d->p->loss->regress && d->p->epsilon > 0;
    double beta = d->s->beta[i];

    *up = beta < fxi_fit_smo_step_upper(d, i) ? kink ? beta >= 0 ? -1 : 1 : 0 : -HUGE_VALF;
    *down = beta > fxi_fit_smo_step_lower(d, i) ? kink ? beta > 0 ? -1 : 1 : 0 : HUGE_VALF;
}

void fxi_fit_smo_step_offsets(fxi_smo *d, size_t k)
{
    offsets(&d->up[k], &d->down[k], d, (size_t)d->row[k]);
}

void fxi_fit_smo_step_scan(fxi_smo *d, size_t n)
{
    double best[2];

    d->simd->fit_smo_scan(best, &d->i, d->e, 0, d->diagonal, d->diagonal, d->up, d->down, d->scale,
                          n);
    d->top = best[0], d->bottom = best[1];
}

/* ---- A step ---------------------------------------------------------------------------------- */
typedef struct view {                   /* what a step sees: arrays of n variables */
    size_t n;
    double *e;
    float *up, *down, *diagonal;
    const int32_t *row;
    double best[2];                     /* largest up, smallest down */
    size_t i;                           /* the one of the largest up */
} view;

static double violation(const view *v) { return v->best[0] - v->best[1]; }

/* beta of q by t, or to `end` if t is at least the distance to it. */
static void move_beta(fxi_smo *d, view *v, size_t q, double t, double distance, double end)
{
    size_t i = (size_t)v->row[q];

    d->s->beta[i] = fabs(t) >= distance ? end : d->s->beta[i] + t;
    offsets(&v->up[q], &v->down[q], d, i);
}

/* The variable to be lowered with v->i, whose row is a. */
static size_t other(const fxi_smo *d, const view *v, const float *a)
{
    size_t j, k;
    double min_down = HUGE_VAL;

    d->simd->fit_smo_second(&j, v->e, a, v->diagonal, v->down, d->scale, v->best[0],
                            (double)v->diagonal[v->i], d->tau, v->n);
    for (k = j < v->n ? v->n : 0; k < v->n; k++) {  /* all gains vanish: the smallest down */
        double down = v->e[k] + d->scale * (double)v->down[k];
        j = down < min_down ? k : j;
        min_down = fmin(down, min_down);
    }
    return j;
}

/* Raises beta of v->i and lowers that of j; a and b are their rows. */
static void step(fxi_smo *d, view *v, size_t j, const float *a, const float *b)
{
    size_t i = (size_t)v->row[v->i], o = (size_t)v->row[j];
    double own = (double)v->diagonal[v->i], its = (double)v->diagonal[j];
    double curvature = own + its - 2 * (double)a[j];
    double hi = fxi_fit_smo_step_upper(d, i), lo = fxi_fit_smo_step_lower(d, o);
    double up = d->s->beta[i] < 0 ? fmin(hi, 0) : hi, down = d->s->beta[o] > 0 ? fmax(lo, 0) : lo;
    double distance = up - d->s->beta[i], distance_down = d->s->beta[o] - down;
    double t = (v->best[0] - v->e[j] - d->scale * (double)v->down[j]) / fmax(curvature, d->tau);

    t = fmin(t, fmin(distance, distance_down));
    if (curvature < -1e-5 * (fabs(own) + fabs(its)))
        d->s->indefinite = true;
    move_beta(d, v, v->i, t, distance, up);
    move_beta(d, v, j, -t, distance_down, down);
    d->simd->fit_smo_scan(v->best, &v->i, v->e, t, a, b, v->up, v->down, d->scale, v->n);
    d->s->iterations++;
}

/* ---- Without a working set ------------------------------------------------------------------- */
static fx_status plain(fxi_smo *d, double end)
{
    view v = {d->m, d->e, d->up, d->down, d->diagonal, d->row, {d->top, d->bottom}, d->i};
    fx_status st = FX_OK;

    for (int k = 0; k < BATCH && violation(&v) > end && d->s->iterations < d->p->max_iter; k++) {
        const float *a, *b;
        size_t j;
        if ((st = fxi_fit_smo_cache(&a, d, &v.i, 1)))
            break;
        j = other(d, &v, a);
        if ((st = fxi_fit_smo_cache(&b, d, &j, 1)))
            break;
        step(d, &v, j, a, b);
    }
    d->top = v.best[0], d->bottom = v.best[1];
    d->i = v.i;
    return st;
}

/* ---- With one -------------------------------------------------------------------------------- */
/* Puts k where it belongs among at[0..*n), sorted by falling key, at most `capacity`. */
static void insert(size_t *at, double *keys, size_t *n, size_t capacity, double key, size_t k)
{
    size_t q;

    if (*n == capacity && key <= keys[capacity - 1])
        return;
    for (q = *n < capacity ? (*n)++ : capacity - 1; q > 0 && keys[q - 1] < key; q--) {
        keys[q] = keys[q - 1];
        at[q] = at[q - 1];
    }
    keys[q] = key;
    at[q] = k;
}

/* Variables that were new in the set before, unless they are inactive now; then new ones, of the
 * largest up and of the smallest down. */
static void choose(fxi_smo *d)
{
    enum { HALF = FXI_SMO_SET / 2 };
    fxi_smo_set *w = d->set;
    double key[2][HALF];
    size_t at[2][HALF], n[2] = {0}, retained = 0, half;

    if (w->n - w->retained > HALF)      /* the first set is all new */
        w->retained = w->n - HALF;
    for (size_t q = w->retained; q < w->n; q++)
        if (!fxi_smo_inactive(d, w->at[q]))
            w->at[retained++] = w->at[q];
    half = (FXI_SMO_SET - retained) / 2;
    w->retained = w->n = retained;
    for (size_t k = 0; k < d->m; k++)
        d->support[k] = 0;
    for (size_t q = 0; q < retained; q++)
        d->support[w->at[q]] = -1;      /* not again */
    for (size_t k = 0; k < d->m; k++) {
        double up = fxi_smo_up(d, k), down = fxi_smo_down(d, k);
        if (d->support[k] < 0)
            continue;
        if (up > d->bottom)
            insert(at[0], key[0], &n[0], half, up, k);
        if (down < d->top)
            insert(at[1], key[1], &n[1], half, -down, k);
    }
    for (int side = 0; side < 2; side++)
        for (size_t q = 0; q < n[side]; q++)
            if (d->support[at[side][q]] >= 0) {
                d->support[at[side][q]] = -1;
                w->at[w->n++] = at[side][q];
            }
}

static fx_status gather(fxi_smo *d)
{
    fxi_smo_set *w = d->set;
    const fx_matrix *X = d->p->source->X;
    float *to[FXI_SMO_SET];
    fx_status st;

    for (size_t q = 0; q < w->n; q++) {
        size_t k = w->at[q];
        w->e[q] = d->e[k];
        w->up[q] = d->up[k];
        w->down[q] = d->down[k];
        w->diagonal[q] = d->diagonal[k];
        w->row[q] = d->row[k];
        w->beta[q] = d->s->beta[w->row[q]];
        to[q] = w->K[q];
    }
    if (w->n > d->slots) {              /* some rows must go before others come */
        fxi_row_subset rows = {X, w->row, w->n};
        return fxi_kernel_rows(to, d->p->kernel, rows, rows, &d->run);
    }
    st = fxi_fit_smo_cache(w->from, d, w->at, w->n);
    for (size_t q = 0; q < w->n && !st; q++)
        for (size_t r = 0; r < w->n; r++)
            w->K[q][r] = w->from[q][w->at[r]];
    return st;
}

/* Applies the changes of the set to all active variables. */
static fx_status apply(fxi_smo *d)
{
    fxi_smo_set *w = d->set;
    /* fit_smo_add sums by fours: pieces of whole fours give the same bits */
    size_t batch = d->slots < FXI_SMO_SET ? d->slots / 4 * 4 : FXI_SMO_SET;
    size_t moved = 0, at[FXI_SMO_SET];
    double t[FXI_SMO_SET];
    fx_status st = FX_OK;

    for (size_t q = 0; q < w->n; q++) {
        size_t k = w->at[q];
        double by = d->s->beta[w->row[q]] - w->beta[q];
        d->up[k] = w->up[q];
        d->down[k] = w->down[q];
        if (by != 0) {
            t[moved] = by;
            at[moved++] = k;
        }
    }
    for (size_t q = 0; q < moved && !st; q += batch) {
        size_t n = moved - q < batch ? moved - q : batch;
        if (!(st = fxi_fit_smo_cache(w->from, d, at + q, n)))
            d->simd->fit_smo_add(d->e, w->from, t + q, n, d->m);
    }
    return st;
}

static fx_status in_set(fxi_smo *d, double end)
{
    fxi_smo_set *w = d->set;
    view v = {0, w->e, w->up, w->down, w->diagonal, w->row, {0}, 0};
    fx_status st;

    choose(d);
    if ((st = gather(d)))
        return st;
    v.n = w->n;
    d->simd->fit_smo_scan(v.best, &v.i, w->e, 0, w->diagonal, w->diagonal, w->up, w->down, d->scale,
                          w->n);
    end = fmax(end, LOCAL * (violation(&v)));
    for (size_t k = 0; k < STEPS * w->n && violation(&v) > end && d->s->iterations < d->p->max_iter;
         k++) {
        const float *a = w->K[v.i];
        size_t j = other(d, &v, a);
        step(d, &v, j, a, w->K[j]);
    }
    if (!(st = apply(d)))
        fxi_fit_smo_step_scan(d, d->m);
    return st;
}

fx_status fxi_fit_smo_step(fxi_smo *d, double end)
{
    return d->m > PLAIN ? in_set(d, end) : plain(d, end);
}
