/* SPDX-License-Identifier: BSD-3-Clause
 * likelihood.c - models of a few products and an intercept, without a penalty, and the likelihood
 * ratio of each product.
 *
 * Classes: logistic regression by Newton's method.  Without product J it is fitted again, from
 * where the quadratic model at the optimum has its minimum without J: one or two steps.  Targets:
 * least squares, of which the loss without J follows from the covariance; the log-likelihood counts
 * the degrees of freedom that are left instead of the rows, so that its test is nearly the exact
 * one of normal errors.
 *
 * A product that depends linearly on those before it is left out, and its ratio is 0.  A product
 * that separates the classes has no largest likelihood; Newton's steps then go on by about 1 each
 * until the gain is below GAIN, far beyond SEPARATED, where there is next to no curvature.  Its
 * ratio is right nevertheless.
 *
 * Cost: an iteration takes a product of each two terms of a row, and terms^3/6. */

#include "discover/discover.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 60, HALVES = 40 };
#define DEPENDENT 1e-9                  /* share of a column's square that others leave of it */
#define GAIN      1e-9                  /* of the log-likelihood: a fit is finished */
#define SEPARATED 15.0                  /* logarithm of the odds of a product */
#define RIDGE     1e-10                 /* share of the Gram matrix: no curvature is 0 */

typedef struct work {
    const fxi_likelihood *m;
    size_t n;                           /* terms and, before them, the intercept */
    double *gram;                       /* [n][n] sum of weight z z' */
    double *LD;                         /* [n][n] factors of the curvature */
    double *slope, *step, *w, *try;     /* [n] */
    double *largest;                    /* [n] |product| */
    bool *out, *without;                /* [n] dependent; also: without a term */
    fxi_team *team;
} work;

static void close_work(work *k)
{
    fxi_free(k->gram, k->LD, k->slope, k->step, k->w, k->try, k->largest, k->out, k->without);
}

static fx_status open_work(work *k, const fxi_likelihood *m, fxi_team *team)
{
    size_t n = m->z.terms + 1, square;

    *k = (work){.m = m, .n = n, .team = team};
    if (!fxi_size_mul(&square, n, n))
        return fxi_error(FX_ENOMEM, "a model of %zu products", n - 1);
    k->gram = fxi_zalloc(square, sizeof *k->gram);
    k->LD = fxi_alloc(square, sizeof *k->LD);
    k->slope = fxi_alloc(n, sizeof *k->slope);
    k->step = fxi_alloc(n, sizeof *k->step);
    k->w = fxi_zalloc(n, sizeof *k->w);
    k->try = fxi_alloc(n, sizeof *k->try);
    k->largest = fxi_zalloc(n, sizeof *k->largest);
    k->out = fxi_zalloc(n, sizeof *k->out);
    k->without = fxi_zalloc(n, sizeof *k->without);
    if (k->gram && k->LD && k->slope && k->step && k->w && k->try && k->largest && k->out
        && k->without)
        return FX_OK;
    close_work(k);
    return FX_ENOMEM;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

void fxi_discover_likelihood_free(fxi_likelihood *m)
{
    fxi_discover_products_free(&m->z);
    fxi_free(m->y, m->weight);
}

fx_status fxi_discover_likelihood_new(fxi_likelihood *out, const fxi_discover_set *set, size_t n,
                                      const fxi_likelihood_rows *r, fxi_team *team)
{
    fxi_likelihood m = {.y = fxi_alloc(r->rows, sizeof *m.y),
                        .weight = fxi_alloc(r->rows, sizeof *m.weight), .regress = r->regress};
    fx_status st = m.y && m.weight ? FX_OK : FX_ENOMEM;

    for (size_t i = 0; i < r->rows && !st; i++) {
        m.y[i] = r->label[r->row[i]];
        m.weight[i] = r->weight[r->row[i]];
    }
    if (!st)
        st = fxi_discover_products_new(&m.z, set, n, r->X, r->row, r->rows, team);
    if (!st && !r->regress)
        st = fxi_discover_products_merge(&m.z, m.y, m.weight);
    if (st)
        fxi_discover_likelihood_free(&m);
    else
        *out = m;
    return st;
}

/* ---- Sums over rows -------------------------------------------------------------------------- */

/* A += c z z' for row i; the lower triangle. */
static void add_square(double *A, size_t n, const fxi_products *z, size_t i, double c)
{
    A[0] += c;
    for (size_t p = z->ptr[i]; p < z->ptr[i + 1]; p++) {
        double *row = A + (size_t)(z->term[p] + 1) * n, u = c * z->x[p];
        row[0] += u;
        for (size_t q = z->ptr[i]; q <= p; q++)
            row[z->term[q] + 1] += u * z->x[q];
    }
}

static void add_times(double *v, const fxi_products *z, size_t i, double c)
{
    v[0] += c;
    for (size_t p = z->ptr[i]; p < z->ptr[i + 1]; p++)
        v[z->term[p] + 1] += c * z->x[p];
}

static double score(const double *w, const fxi_products *z, size_t i)
{
    double f = w[0];

    for (size_t p = z->ptr[i]; p < z->ptr[i + 1]; p++)
        f += w[z->term[p] + 1] * z->x[p];
    return f;
}

/* The deviance at w; for classes also its slope, halved and negative, and curvature, halved. */
static double look(work *k, const double *w)
{
    const fxi_likelihood *m = k->m;
    double deviance = 0;

    memset(k->slope, 0, k->n * sizeof *k->slope);
    if (!m->regress)
        memset(k->LD, 0, k->n * k->n * sizeof *k->LD);
    for (size_t i = 0; i < m->z.rows && !fxi_data_stopped(i, k->team); i++) {
        double f = score(w, &m->z, i), y = m->y[i], c = m->weight[i];
        if (m->regress) {
            deviance += c * (y - f) * (y - f);
            continue;
        }
        double e = exp(-fabs(f)), wrong = (y * f > 0 ? e : 1) / (1 + e);
        deviance += 2 * c * (log1p(e) + fmax(0, -y * f));
        add_times(k->slope, &m->z, i, c * y * wrong);
        add_square(k->LD, k->n, &m->z, i, c * wrong * (1 - wrong));
    }
    return deviance;
}

/* ---- Columns that depend on others ----------------------------------------------------------- */

/* k->gram and k->out. */
static void find_dependent(work *k, fxi_likelihood_term *term)
{
    size_t n = k->n;

    for (size_t i = 0; i < k->m->z.rows && !fxi_data_stopped(i, k->team); i++)
        add_square(k->gram, n, &k->m->z, i, k->m->weight[i]);
    memcpy(k->LD, k->gram, n * n * sizeof *k->LD);
    fxi_discover_solve_factor(k->LD, k->out, n, DEPENDENT);
    for (size_t j = 1; j < n && term; j++)
        term[j - 1].dependent = k->out[j];
}

/* ---- Classes --------------------------------------------------------------------------------- */

static void factor_curvature(work *k, bool *out)
{
    for (size_t j = 0; j < k->n; j++)
        k->LD[j * k->n + j] += RIDGE * k->gram[j * k->n + j];
    fxi_discover_solve_factor(k->LD, out, k->n, 0);
}

/* From w to the largest likelihood over the columns that are not out; leaves its factors in LD. */
static double climb(work *k, double *w, bool *out)
{
    double deviance = look(k, w);

    factor_curvature(k, out);
    for (int step = 0; step < STEPS && !fxi_parallel_cancelled(k->team); step++) {
        double gain = 0, t = 1, now = INFINITY;
        memcpy(k->step, k->slope, k->n * sizeof *k->step);
        fxi_discover_solve(k->step, k->LD, out, k->n);
        for (size_t j = 0; j < k->n; j++)
            gain += k->slope[j] * k->step[j];
        if (!(gain > GAIN))
            break;
        for (int half = 0; half < HALVES && !(now <= deviance); half++, t /= 2) {
            for (size_t j = 0; j < k->n; j++)
                k->try[j] = w[j] + t * k->step[j];
            now = look(k, k->try);
        }
        if (!(now <= deviance))
            now = look(k, w);           /* no step helps */
        else
            memcpy(w, k->try, k->n * sizeof *w);
        factor_curvature(k, out);
        if (!(now < deviance))
            break;
        deviance = now;
    }
    return deviance;
}

/* The j-th column of the inverse, to k->step. */
static void invert_column(work *k, size_t j)
{
    memset(k->step, 0, k->n * sizeof *k->step);
    k->step[j] = 1;
    fxi_discover_solve(k->step, k->LD, k->out, k->n);
}

/* |product| of each term, to k->largest. */
static void find_largest(work *k)
{
    const fxi_products *z = &k->m->z;

    for (size_t p = 0; p < z->ptr[z->rows]; p++)
        k->largest[z->term[p] + 1] = fmax(k->largest[z->term[p] + 1], fabs(z->x[p]));
}

static fx_status test_classes(work *k, fxi_likelihood_term *term, double whole, bool ratios)
{
    size_t n = k->n, square = n * n;
    double *LD = fxi_alloc(square, sizeof *LD), *w = fxi_alloc(n, sizeof *w);
    const double *best = k->w;

    if (!LD || !w) {
        fxi_free(LD, w);
        return FX_ENOMEM;
    }
    find_largest(k);
    memcpy(LD, k->LD, square * sizeof *LD);
    for (size_t j = 1; j < n && !fxi_parallel_cancelled(k->team); j++) {
        fxi_likelihood_term *t = &term[j - 1];
        if (k->out[j])
            continue;
        memcpy(k->LD, LD, square * sizeof *LD);
        invert_column(k, j);
        t->w = best[j];
        t->error = sqrt(k->step[j]);
        t->separates = fabs(t->w) * k->largest[j] > SEPARATED && fabs(t->w) < t->error;
        if (!ratios)
            continue;
        for (size_t i = 0; i < n; i++)
            w[i] = t->separates ? 0 : best[i] - best[j] * k->step[i] / t->error / t->error;
        w[j] = 0;
        memcpy(k->without, k->out, n * sizeof *k->out);
        k->without[j] = true;
        t->ratio = fmax(0, climb(k, w, k->without) - whole);
    }
    fxi_free(LD, w);
    return FX_OK;
}

/* ---- Targets --------------------------------------------------------------------------------- */

static double solve_targets(work *k)
{
    const fxi_likelihood *m = k->m;

    for (size_t i = 0; i < m->z.rows; i++)
        add_times(k->w, &m->z, i, m->weight[i] * m->y[i]);
    fxi_discover_solve(k->w, k->LD, k->out, k->n);
    return look(k, k->w);
}

static void test_targets(work *k, fxi_likelihood_term *term, double squares)
{
    double freedom = 0;

    for (size_t i = 0; i < k->m->z.rows; i++)
        freedom += k->m->weight[i];
    for (size_t j = 0; j < k->n; j++)
        freedom -= !k->out[j];
    for (size_t j = 1; j < k->n; j++) {
        fxi_likelihood_term *t = &term[j - 1];
        if (k->out[j])
            continue;
        invert_column(k, j);
        t->w = k->w[j];
        t->error = sqrt(k->step[j] * squares / freedom);
        if (freedom >= 1)
            t->ratio = freedom * log1p(t->w * t->w / (k->step[j] * squares));
    }
}

/* ---- Both ------------------------------------------------------------------------------------ */

fx_status fxi_discover_likelihood(fxi_likelihood_term *term, double *deviance,
                                  const fxi_likelihood *m, bool ratios, fxi_team *team)
{
    work k;
    fx_status st = open_work(&k, m, team);

    if (st)
        return st;
    if (term)
        memset(term, 0, m->z.terms * sizeof *term);
    find_dependent(&k, term);
    *deviance = m->regress ? solve_targets(&k) : climb(&k, k.w, k.out);
    if (term && m->regress) {
        test_targets(&k, term, *deviance);
    } else if (term) {
        st = test_classes(&k, term, *deviance, ratios);
    }
    close_work(&k);
    return st;
}
