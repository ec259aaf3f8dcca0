/* SPDX-License-Identifier: BSD-3-Clause
 * maclaurin_orders.c - how many features have which order.
 *
 *   orders=random      drawn, P[N = n] proportional to p^-n among the orders with a_n > 0
 *   orders=allocated   one for each order, the others in proportion to a_n or, with a sample, to
 *                      a_n times the standard deviation of order n over pairs of its rows: the
 *                      shares that make the sum of a_n^2 V_n/count_n smallest
 *   counts=n0/n1/..    as allocated before
 *
 * Only coefficients of orders that can be drawn are computed: those of an infinite series cost O(n)
 * each. */

#include "map/maclaurin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALLOCATED = 10, PAIRS = 128 };   /* highest order by default; pairs of a sample's rows */
enum { CHUNK = 1 << 16 };               /* orders that are drawn together */

/* ---- Orders that may be drawn ------------------------------------------------------------- */

/* From order `low` on, an endless series without gaps is cut at or below this one. */
static int reach(double p, int low)
{
    return (int)fmin(FXI_RM_ORDERS, low + 2 + log(0x1p60 * (p / (p - 1))) / log(p));
}

static fx_status set_top(fxi_rm *s, const fx_map *m, const fxi_spec *spec, double p, int low)
{
    const fx_key *keys = m->type->keys;
    const char *text;
    size_t len;
    uint64_t max_order = s->allocated ? ALLOCATED : FXI_RM_ORDERS - 1;
    fx_status st = fxi_key_text(&text, &len, spec, keys, "max-order");

    if (!st && (len != 4 || memcmp(text, "none", 4) != 0))
        st = fxi_key_count(&max_order, spec, keys, "max-order");
    s->top = (int)max_order + 1;
    int all = FXI_RM_ORDERS;
    if (fxi_map_maclaurin_series_within(m->kernel))
        all = FXI_RM_COMPOSED;
    else if (!s->allocated && fxi_map_maclaurin_series_endless(m->kernel))
        all = reach(p, low);
    if (s->top > all)
        s->top = all;
    return st;
}

/* P proportional to p^-n over the orders that may be drawn. */
static fx_status probabilities(fxi_rm *s, const fx_map *m, double p, int low)
{
    double sum = 0, weight = 1;
    bool endless = !s->allocated && fxi_map_maclaurin_series_endless(m->kernel);
    int first = -1;

    for (int n = low; n < s->top; n++) {
        bool cut = endless && weight * p < 0x1p-60 * sum * (p - 1);
        if (s->a[n] > 0 && first < 0)
            first = n;
        if (first < 0)
            continue;
        if (s->a[n] > 0 && !cut)
            sum += s->P[n] = weight;
        weight /= p;
    }
    if (first < 0)
        return fxi_error(FX_EUNSUPPORTED, "rm: %s has no order from %d to %d to be drawn",
                         m->kernel->spec, low, s->top - 1);
    for (int n = 0; n < s->top; n++)
        s->P[n] /= sum;
    return FX_OK;
}

/* ---- Counts ------------------------------------------------------------------------------- */

static fx_status draw_counts(void *ctx, size_t b, fxi_team *team)
{
    const fx_map *m = ctx;
    fxi_rm *s = m->state;
    size_t first = b * CHUNK, end = m->random - first < CHUNK ? m->random : first + CHUNK;

    (void)team;
    for (size_t i = first; i < end; i++) {
        double u = fxi_rng_uniform(fxi_rm_rng(m, FXI_RM_DRAW), i);
        int n = 0, last = 0;
        for (; n < s->top && u >= 0; n++)
            if (s->P[n] > 0)
                u -= s->P[n], last = n;
        s->count[last]++;
    }
    return FX_OK;
}

typedef struct sampling {
    double *weight;                     /* [top] */
    const fx_map *m, *level;            /* level: knows the inner variance */
    const fx_matrix *X;
    size_t capacity;                    /* most entries of two rows */
    double *space;                      /* [3 * capacity] */
} sampling;

/* Pair q: the variance of each order. */
static fx_status sample_pair(void *ctx, size_t q, fxi_team *team)
{
    const sampling *a = ctx;
    const fxi_rm *s = a->m->state;
    fxi_rng rng = fxi_rm_rng(a->m, FXI_RM_SAMPLE);
    size_t rows = a->X->rows, i = (size_t)fxi_rng_below(rng, 2 * q, rows), j = i;
    double c = 0, V = 0;

    if (rows > 1)                       /* another row */
        j += 1 + (size_t)fxi_rng_below(rng, 2 * q + 1, rows - 1);
    fxi_pair pair = fxi_map_variance_pair(a->space, a->capacity, fxi_data_row(a->X, i),
                                          fxi_data_row(a->X, j % rows));
    pair.team = team;
    fx_status st = fxi_map_maclaurin_moments(&c, &V, a->level, &pair);
    for (int n = 0; !st && n < s->top; n++)
        if (s->P[n] > 0)
            a->weight[n] += fxi_map_variance_growth(c * c, V, n);
    return st;
}

/* weight[n] = a_n times the standard deviation of order n, over pairs of the sample's rows. */
static fx_status sample_weights(double *weight, const fx_map *m, const fx_map *level,
                                const fx_matrix *X, const fx_run *run)
{
    const fxi_rm *s = m->state;
    sampling a = {.weight = weight, .m = m, .level = level, .X = X,
                  .capacity = 2 * fxi_data_rows_max(X, 1)};

    if (!(a.space = fxi_alloc(a.capacity, 3 * sizeof *a.space)))
        return FX_ENOMEM;
    memset(weight, 0, (size_t)s->top * sizeof *weight);
    fx_status st = fxi_parallel_ordered(PAIRS, sample_pair, &a, run);
    for (int n = 0; n < s->top; n++)
        weight[n] = s->a[n] * sqrt(weight[n]);
    free(a.space);
    return st;
}

/* One feature for each order, the others in proportion to the weights, largest remainders last. */
static void share(fxi_rm *s, size_t D, size_t orders, const double *weight)
{
    size_t given = 0;
    double sum = 0, rest[FXI_RM_ORDERS] = {0};

    for (int n = 0; n < s->top; n++)
        if (s->P[n] > 0)
            sum += weight[n];
    for (int n = 0; n < s->top; n++)
        if (s->P[n] > 0) {
            double part = (double)(D - orders) * (sum > 0 ? weight[n] / sum : 0);
            s->count[n] = 1 + (size_t)part;
            rest[n] = part - floor(part);
            given += s->count[n];
        }
    while (given < D) {
        int best = 0;
        for (int n = 1; n < s->top; n++)
            if (s->P[n] > 0 && (s->P[best] <= 0 || rest[n] > rest[best]))
                best = n;
        size_t left = sum > 0 ? 1 : D - given;  /* no weights: all to the lowest order */
        s->count[best] += left;
        given += left;
        rest[best] = -1;
    }
}

static fx_status resolve_counts(fx_map *m, const fxi_rm *s)
{
    char text[sizeof m->resolved[0].value];
    size_t n = 0;
    int last = s->top - 1;

    while (last > 0 && s->count[last] == 0)
        last--;
    for (int i = 0; i <= last && n < sizeof text; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%zu", i ? "/" : "", s->count[i]);
    if (n >= sizeof text)
        return fxi_error(FX_EUNSUPPORTED,
                         "rm: counts of %d orders are too long; set a smaller max-order", last);
    fxi_map_resolve(m, "counts", "%s", text);
    return FX_OK;
}

static fx_status allocate(fx_map *m, const fx_matrix *sample, const fx_run *run)
{
    fxi_rm *s = m->state;
    size_t orders = 0;
    double weight[FXI_RM_ORDERS];
    fx_status st = FX_OK;

    for (int n = 0; n < s->top; n++)
        orders += s->P[n] > 0;
    if (m->random < orders)
        return fxi_error(FX_EINVAL, "rm: %zu features for %zu orders; each needs one", m->random,
                         orders);
    memcpy(weight, s->a, sizeof weight);
    if (sample && sample->rows) {       /* a map of one feature knows the inner variance */
        fx_map *one = NULL;
        bool dense = s->inner->type->differences;
        st = fxi_map_maclaurin_level(&one, m, 1, dense ? "dense" : "packed", 0, run);
        if (!st)
            st = sample_weights(weight, m, one, sample, run);
        fx_map_free(one);
    }
    for (int n = 0; !st && n < s->top; n++)
        if (!isfinite(weight[n]))
            st = fxi_error(FX_ENUMERIC,
                           "rm: the variance of order %d on the sample is beyond the range of "
                           "numbers; scale the rows",
                           n);
    if (st)
        return st;
    share(s, m->random, orders, weight);
    return resolve_counts(m, s);
}

static fx_status read_counts(fxi_rm *s, const fx_map *m, const fxi_spec *spec)
{
    double list[FXI_RM_ORDERS], sum = 0;
    size_t n = 0;
    fx_status st = fxi_key_list(list, &n, (size_t)s->top, spec, m->type->keys, "counts");

    if (st)
        return st;
    for (size_t i = 0; i < (size_t)s->top; i++) {
        double c = i < n ? list[i] : 0;
        if (!(c >= 0 && c <= INT32_MAX && c == floor(c)) || (c > 0) != (s->P[i] > 0))
            return fxi_error(FX_EINVAL, "rm: counts has %g features of order %zu", c, i);
        s->count[i] = (size_t)c;
        sum += c;
    }
    if (sum != (double)m->random)
        return fxi_error(FX_EINVAL, "rm: counts are %g features, not %zu", sum, m->random);
    return FX_OK;
}

fx_status fxi_map_maclaurin_orders(fx_map *m, const fxi_spec *spec, const fx_matrix *sample,
                                   const fx_run *run)
{
    const fx_key *keys = m->type->keys;
    fxi_rm *s = m->state;
    int allocated = 0, low = !s->h01 ? 0 : s->linear ? 2 : 1;
    double p = 2;
    const char *text;
    size_t len = 0;
    fx_status st;

    if ((st = fxi_key_number(&p, spec, keys, "p")) != 0
        || (st = fxi_key_choice(&allocated, spec, keys, "orders")) != 0
        || (st = fxi_key_text(&text, &len, spec, keys, "counts")) != 0)
        return st;
    s->allocated = allocated;
    if (allocated)
        p = 1;                          /* nothing is drawn: no order is too rare */
    if (len && !s->allocated)
        return fxi_error(FX_EINVAL, "rm: counts goes with orders=allocated");
    if ((st = set_top(s, m, spec, p, low)) != 0
        || (st = fxi_map_maclaurin_series(s->a, s->top, m->kernel)) != 0
        || (st = probabilities(s, m, p, low)) != 0)
        return st;
    if (len)
        return read_counts(s, m, spec);
    if (s->allocated)
        return allocate(m, sample, run);
    return fxi_parallel_ordered((m->random + CHUNK - 1) / CHUNK, draw_counts, m, run);
}
