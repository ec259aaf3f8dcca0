/* SPDX-License-Identifier: BSD-3-Clause
 * variance_rk.c - the exact variance of the random kernel map on a pair of rows.
 *
 * One row w estimates K(x, y) by g(w) = Z(x) Z(y), Z(x) the kernel of w and x.  The second moment
 * is a coefficient of a generating function that is a product over features: with a, c marking
 * the orders in the two copies of Z(x) and b, e those of Z(y), a feature contributes
 *
 *   1 + z(ab + ce) + r (x^2 ac + y^2 be + z(ae + bc)) + z^2 abce,    z = xy.
 *
 * r marks features that tie the two copies of g together.  Terms without r make up K^2, so the
 * variance is the sum of all others and nothing is ever subtracted.  r^t collects the characters
 * of t features: over signs, g(w) = sum_T C_T prod_{j in T} w_j and V_t = sum_{|T|=t} C_T^2.
 * Other laws add (kappa - 1) z^2 abce to the terms with r.  A group of features enters as a sum;
 * then abce also has r^2 (P + Q) of its features (variance.c).
 *
 * Complex draws: Re G, G = Z(x) conj Z(y), has the mean of E|G|^2 and E G^2.  Powers of w other
 * than |w|^2 have mean 0, which leaves ac, be in the first and ae, bc in the second.
 *
 * Hadamard blocks: two rows of a block are w and w h, h a character of the block that does not
 * depend on the signs, so their covariance is sum_t V_t c_t, c_t the mean of prod_{j in T} h_j over
 * the placement of t features and the choice of h.  A number of distinct columns multiply to 1 or
 * not by the recurrence of `correlation`, columns drawn separately for each feature by a power.
 * k rows of a block weigh k (1 + (k - 1) c_t) V_t in the square of their sum.
 *
 * Cost: anova of order m takes (m+1)^4/2 states a feature, times 2m + 1 for Hadamard blocks;
 * all-subsets one number a feature, n for Hadamard blocks.  Relative error about n m u for
 * rows without negative numbers, otherwise relative to the same sums of absolute values. */

#include "map/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum moment { REAL, ABSOLUTE, SQUARE } moment;  /* E g^2; E |G|^2; E G^2 */

typedef struct member {                 /* entry of the pair, and the group it belongs to */
    size_t group, entry;
} member;

typedef struct problem {
    const fx_kernel *kernel;
    const fxi_pair *pair;
    double excess;                      /* kappa - 1 */
    fxi_moments *factor;                /* [factors] sums over each group of features */
    size_t factors;
    size_t max_power;                   /* of r; larger ones count as it */
    double *weight;                     /* [max_power + 1] of each power in the whole map */
    double *state;
} problem;

static bool stopped(const problem *p)
{
    return p->pair->team && fxi_parallel_cancelled(p->pair->team);
}

/* ---- Dependent rows ------------------------------------------------------------------------- */

/* c_t for t = 0..max_power.  Among all p columns odd t have mean 0 and c_{t+2} = -c_t
 * (t+1)/(p-1-t); without column 0 an odd t has the mean of t + 1, as if column 0 were the last
 * one. */
static void correlation(double *c, size_t max_power, const fxi_blocks *blocks)
{
    double p = (double)blocks->p, even = 1;

    for (size_t t = 0; t <= max_power; t++) {
        if (blocks->folded)
            c[t] = t == 0 ? 1 : blocks->mixed ? -c[t - 1] / (p - 1) : 0;
        else if (t > blocks->p)
            c[t] = 0;                   /* more features than columns: there is no such T */
        else if (t % 2 == 0)
            c[t] = even;
        else {
            even = -even * (double)t / (p - (double)t);
            c[t] = blocks->mixed ? even : 0;
        }
    }
}

void fxi_map_variance_rk_weights(double *weight, size_t max_power, const fxi_blocks *blocks)
{
    double rows = (double)blocks->rows, p = (double)blocks->p;

    if (blocks->p < 2) {
        for (size_t t = 0; t <= max_power; t++)
            weight[t] = 1 / rows;
        return;
    }
    double cut = (double)(blocks->rows % blocks->p), full = rows - cut;
    correlation(weight, max_power, blocks);
    for (size_t t = 0; t <= max_power; t++) {
        double c = weight[t];
        weight[t] = (full * fmax(0, 1 + (p - 1) * c) + cut * fmax(0, 1 + (cut - 1) * c)) / rows
                    / rows;
    }
}

/* ---- Factors -------------------------------------------------------------------------------- */

typedef struct factor {
    double z, xx, yy, zz;               /* of ab and ce; r ac; r be; r ae and r bc */
    double four[3];                     /* of abce, r abce, r^2 abce */
} factor;

static factor factor_of(const fxi_moments *m, moment which, double excess)
{
    factor f = {.z = m->c, .four = {m->c * m->c, excess * m->s, 0}};

    if (which != SQUARE) {
        f.xx = m->xx;
        f.yy = m->yy;
        f.four[2] += m->P;
    }
    if (which != ABSOLUTE) {
        f.zz = m->c;
        f.four[2] += m->Q;
    }
    return f;
}

/* to[] += by r^up from[], polynomials in r. */
static void spread(double *to, const double *from, double by, size_t up, size_t max_power)
{
    size_t t = 0;

    if (by == 0)
        return;
    for (; t + up < max_power; t++)
        to[t + up] += by * from[t];
    for (; t <= max_power; t++)
        to[max_power] += by * from[t];
}

/* ---- Products of all factors ---------------------------------------------------------------- */

/* all-subsets takes every factor at a = b = c = e = 1, a product of sums its abce term alone. */
static void multiply(double *out, problem *p, moment which)
{
    bool subsets = p->kernel->type == &fxi_kernel_all_subsets;
    double *v = p->state, *next = v + p->max_power + 1;

    memset(v, 0, (p->max_power + 1) * sizeof *v);
    v[0] = 1;
    for (size_t i = 0; i < p->factors && !stopped(p); i++) {
        factor f = factor_of(&p->factor[i], which, p->excess);
        if (subsets) {
            f.four[0] = (1 + f.z) * (1 + f.z);
            f.four[1] += f.xx + f.yy + 2 * f.zz;
        }
        memset(next, 0, (p->max_power + 1) * sizeof *next);
        for (size_t up = 0; up < 3; up++)
            spread(next, v, f.four[up], up, p->max_power);
        double *old = v;
        v = next;
        next = old;
    }
    for (size_t t = 0; t <= p->max_power; t++)
        out[t] += v[t];
}

/* ---- Symmetric polynomials of the factors --------------------------------------------------- */

enum { TERMS = 9 };
static const struct { unsigned char a, b, c, e, up; } terms[TERMS] = {
    {1, 1, 0, 0, 0}, {0, 0, 1, 1, 0}, {1, 0, 1, 0, 1}, {0, 1, 0, 1, 1}, {1, 0, 0, 1, 1},
    {0, 1, 1, 0, 1}, {1, 1, 1, 1, 0}, {1, 1, 1, 1, 1}, {1, 1, 1, 1, 2}};

/* One more factor, which takes part in orders up to `top`: downwards, so that each state reads
 * those below it before they change. */
static void insert(double *state, size_t m, size_t top, const factor *f, size_t max_power)
{
    const double by[TERMS] = {f->z,  f->z,  f->xx,      f->yy,     f->zz,
                              f->zz, f->four[0], f->four[1], f->four[2]};
    size_t stride_e = max_power + 1, stride_c = (m + 1) * stride_e, stride_b = (m + 1) * stride_c;
    size_t stride_a = (m + 1) * stride_b, below[TERMS];

    for (int i = 0; i < TERMS; i++)
        below[i] = terms[i].a * stride_a + terms[i].b * stride_b + terms[i].c * stride_c
                   + terms[i].e * stride_e;
    for (size_t a = top + 1; a-- > 0;)
        for (size_t b = top + 1; b-- > 0;)
            for (size_t c = top + 1; c-- > 0;)
                for (size_t e = top + 1; e-- > 0;) {
                    double *to = state + a * stride_a + b * stride_b + c * stride_c + e * stride_e;
                    if ((a + b + c + e) % 2)
                        continue;       /* every term is even in all four together */
                    for (int i = 0; i < TERMS; i++)
                        if (terms[i].a <= a && terms[i].b <= b && terms[i].c <= c
                            && terms[i].e <= e)
                            spread(to, to - below[i], by[i], terms[i].up, max_power);
                }
}

/* Orders weigh the square root of their coefficient, in each of the four copies of Z. */
static void orders(double *out, problem *p, moment which)
{
    const fx_kernel *k = p->kernel;
    size_t m = (size_t)k->order, n = m + 1, states = n * n * n * n;
    double weight[FX_ORDER_MAX + 1] = {0};

    for (size_t t = 0; t <= m; t++)
        weight[t] = k->coef ? sqrt(k->coef[t]) : t == m;
    memset(p->state, 0, states * (p->max_power + 1) * sizeof *p->state);
    p->state[0] = 1;
    for (size_t i = 0; i < p->factors && !stopped(p); i++) {
        factor f = factor_of(&p->factor[i], which, p->excess);
        insert(p->state, m, i + 1 < m ? i + 1 : m, &f, p->max_power);
    }
    for (size_t i = 0; i < states; i++)
        spread(out, p->state + i * (p->max_power + 1),
               weight[i / n / n / n] * weight[i / n / n % n] * weight[i / n % n] * weight[i % n], 0,
               p->max_power);
}

/* ---- Which features stand together ---------------------------------------------------------- */

static int by_group(const void *a, const void *b)
{
    const member *s = a, *t = b;

    if (s->group != t->group)
        return s->group < t->group ? -1 : 1;
    return s->entry < t->entry ? -1 : s->entry > t->entry;
}

/* The groups of a file: member[] sorted by group, then features in no group; returns how many. */
static size_t sort_groups(member *at, const problem *p)
{
    const fxi_groups *g = p->kernel->groups;
    bool cross = p->kernel->type == &fxi_kernel_cross;
    size_t n = 0;

    for (size_t i = 0; i < p->pair->n; i++) {
        int64_t f = fxi_family_find(g->feature, g->features, p->pair->col[i]);
        size_t group = g->groups + i;
        bool used = !cross;
        if (f >= 0) {
            group = (size_t)g->member[g->first[f]];
            for (size_t q = 0; cross && q < g->factors; q++)
                used |= (size_t)g->factor[q] == group;
        }
        if (used)
            at[n++] = (member){group, i};
    }
    if (n)
        qsort(at, n, sizeof *at, by_group);
    return n;
}

static fx_status collect(problem *p)
{
    const fxi_kernel_type *type = p->kernel->type;
    const fxi_pair *pair = p->pair;
    size_t n = pair->n;
    member *at = fxi_alloc(n + 1, sizeof *at);
    fx_status st = at ? FX_OK : FX_ENOMEM;

    p->factor = fxi_zalloc(n + 1, sizeof *p->factor);
    if (!st && !p->factor)
        st = FX_ENOMEM;
    for (size_t i = 0; !st && i < n; i++)
        at[i] = (member){type == &fxi_kernel_linear ? 0 : i, i};
    if (!st && p->kernel->groups)
        n = sort_groups(at, p);
    for (size_t i = 0; !st && i < n; i++) {
        p->factors += i == 0 || at[i].group != at[i - 1].group;
        fxi_map_variance_add(&p->factor[p->factors - 1], pair->x[at[i].entry],
                             pair->y[at[i].entry]);
    }
    free(at);
    return st;
}

static fx_status solve(double *one, double *all, problem *p, bool complex, const fxi_blocks *blocks)
{
    const fxi_kernel_type *type = p->kernel->type;
    bool product = type == &fxi_kernel_all_subsets || type == &fxi_kernel_cross
                   || type == &fxi_kernel_linear;
    bool dependent = blocks->p > 1 && (!blocks->folded || blocks->mixed);
    size_t m = product ? 0 : (size_t)p->kernel->order;
    size_t states = product ? 2 : (m + 1) * (m + 1) * (m + 1) * (m + 1);
    double *V;

    p->max_power = 1;                   /* independent rows: tied together or not */
    if (dependent)                      /* a group has at most r^2, a feature r */
        p->max_power = type == &fxi_kernel_all_subsets ? p->factors
                                                       : 2 * (product ? p->factors : m);
    p->state = fxi_alloc(states * (p->max_power + 1), sizeof *p->state);
    p->weight = fxi_alloc(p->max_power + 1, sizeof *p->weight);
    V = fxi_zalloc(p->max_power + 1, sizeof *V);
    if (!p->state || !p->weight || !V) {
        free(V);
        return FX_ENOMEM;
    }
    for (moment which = complex ? ABSOLUTE : REAL; which <= (complex ? SQUARE : REAL); which++)
        (product ? multiply : orders)(V, p, which);
    fxi_map_variance_rk_weights(p->weight, p->max_power, blocks);
    *one = *all = 0;
    for (size_t t = p->max_power; t > 0; t--) {
        *one += complex ? V[t] / 2 : V[t];
        *all += p->weight[t] * (complex ? V[t] / 2 : V[t]);
    }
    free(V);
    return FX_OK;
}

/* A cross of groups of which one has no feature in either row estimates 0 by 0. */
static bool vanishes(const problem *p)
{
    return p->kernel->type == &fxi_kernel_cross && p->factors < p->kernel->groups->factors;
}

fx_status fxi_map_variance_rk(double *one, double *all, const fx_kernel *k, const fxi_pair *pair,
                              fxi_law law, bool complex, const fxi_blocks *blocks)
{
    problem p = {.kernel = k, .pair = pair, .excess = fxi_map_variance_kurtosis(law) - 1};

    if (k->tree && law == FXI_LAW_SIGN)
        return fxi_map_variance_itemset(one, all, k->tree, pair, complex, blocks);
    if (k->tree)
        return fxi_error(FX_EUNSUPPORTED,
                         "rk: exact variances of itemset are known for dist=rademacher only");
    fx_status st = collect(&p);
    if (!st && vanishes(&p))
        *one = *all = 0;
    else if (!st)
        st = solve(one, all, &p, complex, blocks);
    fxi_free(p.factor, p.state, p.weight);
    return st;
}
