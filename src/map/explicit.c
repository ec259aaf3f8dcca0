/* SPDX-License-Identifier: BSD-3-Clause
 * explicit.c - no randomness: all columns of an exact expansion, <Z(x), Z(y)> = K(x, y).
 *
 *   linear        x_j
 *   poly, m = 2   c, sqrt(2 c g) x_j, g x_j^2, sqrt(2) g x_i x_j      of (c + g <x,y>)^2
 *   anova         products of m distinct features
 *   anova-upto    sqrt(theta_t) times those of t = 1 .. m
 *   all-subsets   products of all 2^d subsets
 *   itemset       products of the sets of its family (explicit_sets.c)
 *
 * Columns come in sections of products of t distinct features, in lexicographic order; sections of
 * weight 0 are left out.  A block begins with the combination of its first column, found by
 * bisection on exact binomial coefficients, and then steps: one product a column, for the rows
 * of a tile side by side.
 *
 * Accuracy: a column is a product of at most t + 1 floats: relative error (2t + 1) 2^-24. */

#include "map/explicit.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 1024, ORDERS = FXI_EXPLICIT_ORDERS };
typedef fxi_section section;
typedef fxi_expansion expansion;

bool fxi_map_explicit_choose(size_t *out, size_t d, size_t t)
{
    size_t c = 1, whole;

    if (t > d)
        c = t = 0;
    t = t < d - t ? t : d - t;
    for (size_t i = 1; i <= t; i++) {   /* c (d - t + i)/i without the large product; d < 2^31 */
        size_t a = d - t + i;
        if (!fxi_size_mul(&whole, c / i, a) || !fxi_size_add(&c, whole, c % i * a / i))
            return false;
    }
    *out = c;
    return true;
}

/* ---- Columns ------------------------------------------------------------------------------ */

static bool add_section(expansion *e, fx_map *m, int order, bool square, double weight)
{
    section *s = &e->section[e->sections];

    if (weight == 0)
        return true;
    *s = (section){.order = order, .square = square, .weight = (float)weight, .first = m->features};
    e->sections++;
    return fxi_map_explicit_choose(&s->count, m->cols, (size_t)order)
           && fxi_size_add(&m->features, m->features, s->count);
}

static bool add_sections(expansion *e, fx_map *m)
{
    const fx_kernel *k = m->kernel;
    double c = k->coef0, g = k->gamma;
    bool fits = true;

    if (k->type == &fxi_kernel_linear)
        return add_section(e, m, 1, false, 1);
    if (k->type == &fxi_kernel_poly)
        return add_section(e, m, 0, false, c) && add_section(e, m, 1, false, sqrt(2 * c * g))
               && add_section(e, m, 1, true, g) && add_section(e, m, 2, false, sqrt(2) * g);
    if (k->type == &fxi_kernel_all_subsets) {
        if (m->cols >= ORDERS) {        /* too many; the message gives their number if it fits */
            m->features = m->cols < 64 ? (size_t)1 << m->cols : 0;
            return m->cols < 64;
        }
        for (int t = 0; fits && t <= (int)m->cols; t++)
            fits = add_section(e, m, t, false, 1);
    } else
        for (int t = 1; fits && t <= k->order; t++)
            fits = add_section(e, m, t, false, sqrt(k->coef[t]));
    return fits;
}

static const fx_key keys[] = {{0}};

static fx_status init(fx_map *m, const fxi_spec *s, const fx_matrix *sample, const fx_run *run)
{
    const fx_kernel *k = m->kernel;
    expansion *e = m->state = fxi_zalloc(1, sizeof *e);

    (void)s, (void)sample;
    if (!e)
        return FX_ENOMEM;
    if (k->type == &fxi_kernel_poly && k->order != 2)
        return fxi_error(FX_EUNSUPPORTED, "explicit: poly of degree 2 is offered, not of degree %d",
                         k->order);
    m->features = 0;
    if (k->tree) {
        fx_status st = fxi_map_explicit_sets(m, e);
        if (st)
            return st;
    } else if (!add_sections(e, m))
        return fxi_error(FX_ESHAPE, "explicit: %zu features make more than 2^64 columns", m->cols);
    double bytes = (double)m->features * sizeof(float);
    if (m->features > INT32_MAX)
        return fxi_error(FX_ESHAPE,
                         "explicit: %zu columns, %.0f bytes a row; at most %d columns are offered",
                         m->features, bytes, INT32_MAX);
    uint64_t limit = fxi_sized_run(run).max_memory;
    if (limit && bytes > (double)limit)
        return fxi_error(FX_ELIMIT,
                         "explicit: %zu columns, %.0f bytes a row; the limit is %" PRIu64,
                         m->features, bytes, limit);
    m->width = WIDTH;
    m->blocks = (m->features + WIDTH - 1) / WIDTH;
    m->lanes = true;
    return FX_OK;
}

static void release(fx_map *m)
{
    expansion *e = m->state;

    if (e)
        free(e->first);
    free(e);
}

/* ---- Mapping ------------------------------------------------------------------------------ */

typedef struct scratch {
    size_t lanes;
    _Alignas(64) float x[];             /* [cols][lanes] */
} scratch;

static size_t space(const fx_map *m, size_t entries)
{
    (void)entries;
    return sizeof(scratch) + m->cols * FXI_LANES * sizeof(float);
}

static void prepare(void *base, const fx_map *m, const fxi_tile *t, const double *x)
{
    scratch *s = base;

    s->lanes = fxi_tile_lanes(t);
    memset(s->x, 0, m->cols * s->lanes * sizeof *s->x);
    for (size_t r = 0; r < t->rows; r++)
        for (size_t e = t->first[r]; e < t->first[r + 1]; e++) {
            size_t j = t->col ? (size_t)t->col[e] : e - t->first[r];
            s->x[j * s->lanes + r] = (float)x[e];
        }
}

/* Combination number `rank` of t of d things: index[0..t). */
static void unrank(size_t *index, size_t d, int t, size_t rank)
{
    size_t start = 0;

    for (int i = 0; i < t; i++, start++) {
        size_t n = d - start, k = (size_t)(t - i), low = 0, high = n - k, all = 0, without = 0;
        fxi_map_explicit_choose(&all, n, k);
        while (low < high) {            /* the largest index whose rank is at most `rank` */
            size_t middle = low + (high - low + 1) / 2;
            fxi_map_explicit_choose(&without, n - middle, k);
            if (all - without <= rank)
                low = middle;
            else
                high = middle - 1;
        }
        fxi_map_explicit_choose(&without, n - low, k);
        rank -= all - without;
        index[i] = start += low;
    }
}

static inline void multiply(float *out, const float *a, const float *b, size_t lanes)
{
    for (size_t w = 0; w < lanes; w++)
        out[w] = a[w] * b[w];
}

/* n columns of a section to z, from number `rank` of the section on. */
static inline void fill(float *z, const section *s, const float *x, size_t d, size_t rank, size_t n,
                        size_t lanes)
{
    _Alignas(64) float prefix[ORDERS][FXI_LANES]; /* weight and the first i factors */
    size_t index[ORDERS];
    int t = s->order, from = 0;

    for (int w = 0; w < FXI_LANES; w++)
        prefix[0][w] = s->weight;
    if (t == 0) {
        memcpy(z, prefix[0], lanes * sizeof *z);
        return;
    }
    unrank(index, d, t, rank);
    for (float *end = z + n * lanes;;) {
        for (int i = from; i < t - 1; i++)
            multiply(prefix[i + 1], prefix[i], x + index[i] * lanes, lanes);
        for (; index[t - 1] < d && z < end; index[t - 1]++, z += lanes) {
            const float *last = x + index[t - 1] * lanes;
            multiply(z, prefix[t - 1], last, lanes);
            if (s->square)
                multiply(z, z, last, lanes);
        }
        if (z == end)
            return;
        for (from = t - 2; index[from] + (size_t)(t - from) == d;)
            from--;
        index[from]++;
        for (int i = from + 1; i < t; i++)
            index[i] = index[i - 1] + 1;
    }
}

static void block(float *z, const fx_map *m, void *base, size_t b)
{
    const expansion *e = m->state;
    const scratch *own = base;
    size_t at = b * WIDTH, end = m->features - at < WIDTH ? m->features : at + WIDTH;

    if (e->tree) {
        fxi_map_explicit_sets_block(z, m, own->x, at, end, own->lanes);
        return;
    }
    for (const section *s = e->section; at < end; s++)
        if (at < s->first + s->count) {
            size_t last = s->first + s->count < end ? s->first + s->count : end;
            if (own->lanes == 1)        /* numbers of lanes that the compiler knows */
                fill(z, s, own->x, m->cols, at - s->first, last - at, 1);
            else
                fill(z, s, own->x, m->cols, at - s->first, last - at, FXI_LANES);
            z += (last - at) * own->lanes;
            at = last;
        }
}

static fx_status variance(double *one, double *all, const fx_map *m, const fxi_pair *p)
{
    (void)m, (void)p;
    *one = *all = 0;
    return FX_OK;
}

static const char *const kernels[] = {
    "linear", "poly", "anova", "anova-upto", "all-subsets", "itemset", NULL};
const fxi_map_type fxi_map_explicit = {
    .name = "explicit",
    .help = "every combination as a column, exactly; poly only with degree=2",
    .keys = keys, .kernels = kernels, .explained = true, .exact = true,
    .init = init, .free = release, .space = space,
    .prepare = prepare, .block = block, .sparse = fxi_map_explicit_row, .variance = variance};
