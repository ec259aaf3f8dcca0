/* SPDX-License-Identifier: BSD-3-Clause
 * maclaurin.c - the random Maclaurin map RM [1] for K = sum_n a_n k^n, k = <x,y> or another kernel:
 *
 *   Z_s(x) = sqrt(a_N/(P[N] D)) prod_{i <= N} z_i(x),   E z_i(x) z_i(y) = k(x,y),
 *
 * z_i a feature of a map for k: RK, or cos(w.x + b) of RFF.  A dot-product kernel of a dot-product
 * kernel is one, so series within series are multiplied out first (maclaurin_series.c).
 *
 *   orders=random     N drawn with P[N = n] proportional to p^-n among the orders with a_n > 0
 *   orders=allocated  a count of features for each order instead, in the place of P[N] D; no
 *                     variance from drawing N (maclaurin_orders.c)
 *   h01=yes           orders 0 and 1 are exact features sqrt(a_0), sqrt(a_1) x (of a composition
 *                     order 0 alone), after the random ones
 *
 * Only how many features have which order matters, so they are sorted, the highest orders first:
 * level i is an inner map of #{s: N_s >= i} features, all of them cut into the same blocks.
 * Infinite series are drawn up to an order such that all higher ones together have a probability
 * below 2^-60: cutting them has no visible effect.
 *
 * Cost: E[N] inner features for each feature.
 * Accuracy: 2 N + 2 roundings of 2^-24 beyond the errors of the inner features.
 *
 * [1] P. Kar, H. Karnick. Random Feature Maps for Dot Product Kernels. AISTATS 2012.  Its
 *     P[N = n] = 1/p^{n+1} sums up to 1 for p = 2 only. */

#include "map/maclaurin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct rm_space {
    const fxi_tile *tile;
    const double *x;
    float *y;                           /* [width * FXI_LANES] a block of one level */
    void **level;                       /* [levels] scratch */
} rm_space;

/* ---- From the spec ------------------------------------------------------------------------ */

static const fx_key keys[] = {
    {"p", "2", NULL, FX_KEY_NUMBER, 1, INFINITY, 1, "orders are drawn as p^-n"},
    {"h01", "no", FXI_CHOICE("no|yes"), "yes: orders 0 and 1 exactly, others at random"},
    {"max-order", "none", "none", FX_KEY_COUNT, 0, FXI_RM_ORDERS - 1, 0, "highest order"},
    {"orders", "random", FXI_CHOICE("random|allocated"),
     "features of each order: drawn, or shared out by their variance on the rows"},
    {"counts", "", FXI_LIST(0), "features n0/n1/.. of the orders 0, 1, .., as they were allocated"},
    {"projection", "auto", FXI_CHOICE("auto|packed|circulant|hadamard|dense"),
     "form of the random matrix; auto: chosen by kernel and size"}, {0}};
static const char *const projections[] = {"auto", "packed", "circulant", "hadamard", "dense"};

fx_status fxi_map_maclaurin_level(fx_map **out, const fx_map *m, size_t features,
                                  const char *projection, int number, const fx_run *run)
{
    const fxi_rm *s = m->state;
    uint64_t seed = fxi_rng_bits(fxi_rm_rng(m, FXI_RM_SEEDS), (uint64_t)number);
    char spec[64];

    snprintf(spec, sizeof spec, "%sprojection=%s",
             s->inner->type->differences ? "rff:features=cos," : "rk:", projection);
    return fxi_map_inner(out, spec, s->inner, m->cols, features, m->like, seed, m->stream, run);
}

static fx_status add_level(const fx_map *m, fxi_rm *s, size_t features, const char *projection,
                           const fx_run *run)
{
    fx_status st = fxi_map_maclaurin_level(&s->level[s->levels], m, features, projection, s->levels,
                                           run);

    if (st)
        return st;
    const fx_map *level = s->level[s->levels++], *first = s->level[0];
    if (level->width != first->width || level->lanes != first->lanes || level->rows != first->rows)
        return fxi_error(FX_EUNSUPPORTED, "rm: the levels of %s differ in form", level->spec);
    return FX_OK;
}

/* Level i has the features of order i and above; the first one is always there, be it for its
 * form. */
static fx_status add_levels(const fx_map *m, fxi_rm *s, const char *projection, const fx_run *run)
{
    size_t features = 0;
    fx_status st = FX_OK;

    for (int n = 1; n < s->top; n++)
        features += s->count[n];
    if (!(s->level = fxi_zalloc((size_t)s->top, sizeof *s->level)))
        return FX_ENOMEM;
    if (features == 0)
        return add_level(m, s, 1, projection, run);
    for (int n = 1; features && !st; features -= s->count[n++])
        st = add_level(m, s, features, projection, run);
    return st;
}

/* The form of projection that the levels resolved to. */
static const char *form(const fxi_rm *s)
{
    const fx_map *level = s->level[0];

    for (size_t i = 0; i < sizeof level->resolved / sizeof *level->resolved; i++)
        if (level->resolved[i].key && !strcmp(level->resolved[i].key, "projection"))
            return level->resolved[i].value;
    return NULL;
}

static fx_status set_scales(const fx_map *m, fxi_rm *s)
{
    size_t i = 0, D = m->random;

    if (!(s->scale = fxi_zalloc(m->blocks * m->width, sizeof *s->scale)))
        return FX_ENOMEM;
    for (int n = s->top - 1; n >= 0; n--) {
        double whole = s->allocated ? (double)s->count[n] : s->P[n] * (double)D;
        for (size_t q = 0; q < s->count[n]; q++)
            s->scale[i++] = (float)sqrt(s->a[n] / whole);
    }
    return FX_OK;
}

static fx_status init(fx_map *m, const fxi_spec *spec, const fx_matrix *sample, const fx_run *run)
{
    fxi_rm *s = m->state = fxi_zalloc(1, sizeof *s);
    int h01 = 0, projection = 0;
    fx_status st;

    if (!s)
        return FX_ENOMEM;
    if (m->random == 0)
        return fxi_error(FX_EINVAL, "rm: 0 features; there must be at least one");
    if ((st = fxi_key_choice(&h01, spec, keys, "h01")) != 0
        || (st = fxi_key_choice(&projection, spec, keys, "projection")) != 0)
        return st;
    s->h01 = h01;
    s->inner = fxi_map_maclaurin_series_inner(m->kernel);
    if (!s->inner || s->inner->type == &fxi_kernel_linear) {
        if ((st = fx_kernel_parse(&s->linear, "linear", NULL, 0)) != 0)
            return st;
        s->inner = s->linear;
    }
    if ((st = fxi_map_maclaurin_orders(m, spec, sample, run)) != 0
        || (st = add_levels(m, s, projections[projection], run)) != 0)
        return st;
    if (form(s))
        fxi_map_resolve(m, "projection", "%s", form(s));
    m->rows = s->level[0]->rows;
    m->width = s->level[0]->width;
    m->lanes = s->level[0]->lanes;
    m->features = m->random + (s->h01 ? 1 + (s->linear ? m->cols : 0) : 0);
    m->blocks = (m->features + m->width - 1) / m->width;
    return set_scales(m, s);
}

static void free_state(fx_map *m)
{
    fxi_rm *s = m->state;

    if (!s)
        return;
    for (int i = 0; i < s->levels; i++)
        fx_map_free(s->level[i]);
    fx_kernel_free(s->linear);
    fxi_free(s->level, s->scale, s);
}

/* ---- Features ----------------------------------------------------------------------------- */

static size_t level_space(const fx_map *level, size_t entries)
{
    return fxi_project_rounded(level->type->space(level, entries));
}

static size_t space(const fx_map *m, size_t entries)
{
    const fxi_rm *s = m->state;
    size_t bytes = sizeof(rm_space) + (size_t)s->levels * sizeof(void *)
                   + m->width * FXI_LANES * sizeof(float) + 3 * 64;

    for (int i = 0; i < s->levels; i++)
        bytes += level_space(s->level[i], entries);
    return bytes;
}

static void prepare(void *base, const fx_map *m, const fxi_tile *t, const double *x)
{
    const fxi_rm *s = m->state;
    char *rest = base;
    rm_space *w = fxi_project_carve(&rest, sizeof *w);

    w->tile = t;
    w->x = x;
    w->level = fxi_project_carve(&rest, (size_t)s->levels * sizeof(void *));
    w->y = fxi_project_carve(&rest, m->width * FXI_LANES * sizeof(float));
    memset(w->y, 0, m->width * FXI_LANES * sizeof(float));
    for (int i = 0; i < s->levels && !fxi_tile_stopped_long(t, t->first[t->rows]); i++) {
        const fx_map *level = s->level[i];
        w->level[i] = fxi_project_carve(&rest, level_space(level, t->first[t->rows]));
        level->type->prepare(w->level[i], level, t, x);
    }
}

static void set(float *z, const fx_map *m, const fxi_tile *t, size_t output, size_t row,
                double value)
{
    z[fxi_map_lanes(m, t) ? output * FXI_LANES + row : row * m->width + output] = (float)value;
}

/* The exact features among [start, end); scales have set them to 0. */
static void exact(float *z, const fx_map *m, const rm_space *w, size_t start, size_t end)
{
    const fxi_rm *s = m->state;
    const fxi_tile *t = w->tile;
    size_t D = m->random, low = start > D + 1 ? start - D - 1 : 0; /* first column of the block */

    for (size_t r = 0; r < t->rows; r++) {
        if (start <= D)
            set(z, m, t, D - start, r, sqrt(s->a[0]));
        size_t first = t->first[r], last = t->first[r + 1], at = first + low;
        if (t->col)
            at = first + fxi_data_sort_place(t->col + first, last - first, (int64_t)low);
        for (; s->linear && at < last; at++) {
            size_t feature = D + 1 + (t->col ? (size_t)t->col[at] : at - first);
            if (feature >= end)
                break;
            set(z, m, t, feature - start, r, sqrt(s->a[1]) * w->x[at]);
        }
    }
}

static void block(float *z, const fx_map *m, void *base, size_t b)
{
    const fxi_rm *s = m->state;
    rm_space *w = base;
    size_t width = m->width, start = b * width, rows = w->tile->rows;
    bool lanes = fxi_map_lanes(m, w->tile);

    if (lanes)
        for (size_t i = 0; i < width * FXI_LANES; i++)
            z[i] = s->scale[start + i / FXI_LANES];
    else
        for (size_t r = 0; r < rows; r++)
            memcpy(z + r * width, s->scale + start, width * sizeof *z);
    for (int i = 0; i < s->levels; i++) {
        const fx_map *level = s->level[i];
        size_t left = level->random > start ? level->random - start : 0;
        size_t n = left < width ? left : width;
        if (n == 0 || s->count[0] == m->random)
            break;
        float root = (float)sqrt((double)level->random);        /* its features have 1/root */
        level->type->block(w->y, level, w->level[i], b);
        if (lanes)
            m->simd->map_maclaurin_times(z, w->y, n * FXI_LANES, root);
        else
            for (size_t r = 0; r < rows; r++)
                m->simd->map_maclaurin_times(z + r * width, w->y + r * width, n, root);
    }
    if (s->h01 && start + width > m->random)
        exact(z, m, w, start, start + width < m->features ? start + width : m->features);
}

/* ---- Variance ----------------------------------------------------------------------------- */

fx_status fxi_map_maclaurin_moments(double *c, double *V, const fx_map *level, const fxi_pair *p)
{
    double all, *space;

    if (!level->type->variance)
        return fxi_error(FX_EUNSUPPORTED, "rm: no exact variance for %s", level->spec);
    if (!(space = fxi_alloc(fxi_map_variance_value_space(level->kernel, p->n), sizeof *space)))
        return FX_ENOMEM;
    *c = fxi_map_variance_value(level->kernel, p, space, level->simd);
    free(space);
    return level->type->variance(V, &all, level, p);
}

/* With c the inner kernel and V the variance of an inner feature, a product of n has second moment
 * (c^2 + V)^n.  Random orders add the variance of a_N c^N/P[N]. */
static fx_status variance(double *one, double *all, const fx_map *m, const fxi_pair *p)
{
    const fxi_rm *s = m->state;
    double c, V, D = (double)m->random, mean = 0, sum = 0;
    const char *rows = form(s);
    fx_status st;

    if (!rows || (strcmp(rows, "packed") != 0 && strcmp(rows, "dense") != 0))
        return fxi_error(FX_EUNSUPPORTED, "rm: the exact variance is known for independent rows, "
                                          "projection=packed or dense");
    if ((st = fxi_map_maclaurin_moments(&c, &V, s->level[0], p)) != 0)
        return st;
    for (int n = 0; n < s->top; n++)
        if (s->P[n] > 0)
            mean += s->a[n] * pow(c, n);
    for (int n = 0; n < s->top; n++) {
        double share = s->allocated ? (double)s->count[n] / D : s->P[n];
        if (!(share > 0))
            continue;
        sum += s->a[n] * s->a[n] / share * fxi_map_variance_growth(c * c, V, n);
        if (!s->allocated) {
            double off = s->a[n] * pow(c, n) / share - mean;
            sum += share * off * off;
        }
    }
    *one = sum;
    *all = sum / D;
    return FX_OK;
}

static const char *const kernels[] = {"poly", "exp", "vovk", "vovk-inf", "maclaurin", NULL};

const fxi_map_type fxi_map_maclaurin = {
    .name = "rm",
    .help = "random Maclaurin map",
    .keys = keys, .kernels = kernels, .explained = true, .composed = true,
    .init = init, .free = free_state,
    .space = space, .prepare = prepare, .block = block, .variance = variance};
