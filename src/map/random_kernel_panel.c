/* SPDX-License-Identifier: BSD-3-Clause
 * random_kernel_panel.c - RK features by definition: the kernel of a row with FXI_LANES rows of W
 * at a time.  Every kernel and every law, at the cost of the kernel for each output; also the way
 * out for rows whose power sums would lose accuracy.
 *
 * Weighted orders take square roots of theta, so ANOVA is not left to the kernel. */

#include "map/random_kernel.h"

#include <complex.h>
#include <string.h>
#undef complex                          /* a name of fields here */

typedef double _Complex number;
enum { POLL_EVERY = 1 << 16 };          /* operations between polls for cancellation */

/* ---- Real draws --------------------------------------------------------------------------- */

static void real_values(double *out, const fx_map *m, const fxi_rk *k, const fxi_panel *p,
                        const fxi_work *work)
{
    if (k->order == 0) {
        fxi_kernel_eval(out, m->kernel, p, work);
        return;
    }
    work->simd->kernel_anova(work->scratch, p->x, p->slot, p->zt, p->n, k->order);
    for (int w = 0; w < FXI_LANES; w++) {
        out[w] = 0;
        for (int t = 1; t <= k->order; t++)
            out[w] += k->weight[t] * work->scratch[t * FXI_LANES + w];
    }
}

/* ---- Complex draws, one output at a time -------------------------------------------------- */

static number orders(const number *z, size_t n, int m, const double *weight)
{
    number e[FX_ORDER_MAX + 1] = {1}, sum = 0;

    for (size_t j = 0; j < n; j++)
        for (int t = m; t > 0; t--)
            e[t] += z[j] * e[t - 1];
    for (int t = 1; t <= m; t++)
        sum += weight[t] * e[t];
    return sum;
}

static number family(number *scratch, const fxi_tree *t, const number *z,
                             const int64_t *col, size_t n)
{
    number *by = scratch, *stack = by + t->features, sum = t->empty;

    memset(by, 0, t->features * sizeof *by);
    for (size_t e = 0; e < n; e++) {
        int64_t f = fxi_family_find(t->feature, t->features, col ? col[e] : (int64_t)e);
        if (f >= 0)
            by[f] = z[e];
    }
    stack[0] = 1;
    for (size_t v = 0; v < t->nodes;) {
        if (by[t->use[v]] == 0) {
            v = (size_t)t->next[v];
            continue;
        }
        number product = stack[t->level[v] - 1] * by[t->use[v]];
        stack[t->level[v]] = product;
        sum += t->ends[v] ? product : 0;
        v++;
    }
    return sum;
}

/* Sums of groups to sum[]; with `alone`, features in no group follow them; returns how many. */
static size_t group_sums(number *sum, const fxi_groups *g, const number *z,
                         const int64_t *col, size_t n, bool alone)
{
    size_t rows = g->groups;

    memset(sum, 0, rows * sizeof *sum);
    for (size_t e = 0; e < n; e++) {
        int64_t f = fxi_family_find(g->feature, g->features, col ? col[e] : (int64_t)e);
        if (f < 0 && alone)
            sum[rows++] = z[e];
        for (int32_t i = f < 0 ? 0 : g->first[f]; f >= 0 && i < g->first[f + 1]; i++)
            sum[g->member[i]] += z[e];
    }
    return rows;
}

static number complex_value(number *scratch, const fx_map *m, const fxi_rk *k,
                                    const number *z, const int64_t *col, size_t n)
{
    const fx_kernel *kernel = m->kernel;
    number product = 1;

    if (k->order)
        return orders(z, n, k->order, k->weight);
    if (kernel->tree)
        return family(scratch, kernel->tree, z, col, n);
    if (kernel->type == &fxi_kernel_groups) {
        double one[FX_ORDER_MAX + 1] = {0};
        one[kernel->order] = 1;
        n = group_sums(scratch, kernel->groups, z, col, n, true);
        return orders(scratch, n, kernel->order, one);
    }
    if (kernel->type == &fxi_kernel_cross) {
        group_sums(scratch, kernel->groups, z, col, n, false);
        for (size_t f = 0; f < kernel->groups->factors; f++)
            product *= scratch[kernel->groups->factor[f]];
        return product;
    }
    for (size_t j = 0; j < n; j++)
        product *= 1 + z[j];            /* all-subsets */
    return product;
}

/* True if the call is cancelled; polls once per POLL_EVERY. */
static bool stopped(fxi_rk_space *s, size_t operations)
{
    s->since += operations;
    if (s->since < POLL_EVERY)
        return false;
    if (fxi_tile_stopped(s->tile))
        return true;                    /* and at every later call */
    s->since = 0;
    return false;
}

/* w = (re + i im)/sqrt(2) */
static void complex_values(double *re, double *im, const fx_map *m, const fxi_rk *k,
                           const fxi_panel *p, fxi_rk_space *s)
{
    number *z = (number *)s->work.scratch, *scratch = z + p->n;
    size_t cost = fxi_kernel_cost(m->kernel, p->n);

    for (int w = 0; w < FXI_LANES && !stopped(s, cost); w++) {
        for (size_t e = 0; e < p->n; e++)
            z[e] = p->x[e] * 0.70710678118654752440
                   * (s->re[e * FXI_LANES + (size_t)w] + I * s->im[e * FXI_LANES + (size_t)w]);
        number v = complex_value(scratch, m, k, z, p->col, p->n);
        re[w] = creal(v);
        im[w] = cimag(v);
    }
}

/* ---- A block ------------------------------------------------------------------------------ */

size_t fxi_map_random_kernel_panel_space(const fx_map *m, size_t entries)
{
    const fx_kernel *k = m->kernel;
    const fxi_rk *rk = m->state;
    size_t max_entries = entries < m->cols ? entries : m->cols; /* of a row */
    size_t scratch = fxi_kernel_scratch(k, max_entries, false) + (FX_ORDER_MAX + 1) * FXI_LANES;

    if (rk->complex)
        scratch += 2
                   * (2 * max_entries + (k->tree ? k->tree->features + k->tree->depth + 1 : 0)
                      + (k->groups ? k->groups->groups : 0));
    return (2 * max_entries * FXI_LANES + scratch) * sizeof(double) + 3 * 64;
}

void fxi_map_random_kernel_panel_carve(fxi_rk_space *s, char **at, const fx_map *m, size_t entries)
{
    size_t max_entries = entries < m->cols ? entries : m->cols;

    s->re = fxi_project_carve(at, max_entries * FXI_LANES * sizeof *s->re);
    s->im = fxi_project_carve(at, max_entries * FXI_LANES * sizeof *s->im);
    s->work = (fxi_work){.simd = m->simd, .scratch = (double *)(void *)*at};
}

static void pack_rows_of_w(const fxi_rk *k, fxi_rk_space *s, size_t output, const int64_t *col,
                           size_t n)
{
    for (size_t e = 0; e < n; e++) {
        int64_t j = col ? col[e] : (int64_t)e;
        k->w[0].type->entries(s->re + e * FXI_LANES, &k->w[0], output, j);
        if (k->complex)
            k->w[1].type->entries(s->im + e * FXI_LANES, &k->w[1], output, j);
    }
}

static void put(float *z, const fx_map *m, const fxi_tile *t, size_t feature, size_t row,
                double value)
{
    z[fxi_map_lanes(m, t) ? feature * FXI_LANES + row : row * m->width + feature] = (float)value;
}

void fxi_map_random_kernel_panel(float *z, const fx_map *m, fxi_rk_space *s, size_t block)
{
    const fxi_rk *k = m->state;
    const fxi_tile *t = s->tile;
    size_t count = fxi_rk_count(k, block), first = block * k->w[0].width;
    _Alignas(64) double re[FXI_LANES], im[FXI_LANES];

    for (size_t q = 0; q < count; q += FXI_LANES) {
        if (!t->col)                    /* dense rows share them */
            pack_rows_of_w(k, s, first + q, NULL, t->cols);
        for (size_t r = 0; r < t->rows; r++) {
            size_t at = t->first[r], n = t->first[r + 1] - at;
            fxi_panel p = {.n = n, .x = s->x + at, .col = t->col ? t->col + at : NULL,
                           .zt = s->re};
            if (!s->inserted[r])
                continue;
            if (stopped(s, fxi_kernel_cost(m->kernel, n)))
                return;
            if (t->col)
                pack_rows_of_w(k, s, first + q, p.col, n);
            if (k->complex)
                complex_values(re, im, m, k, &p, s);
            else
                real_values(re, m, k, &p, &s->work);
            for (size_t w = 0; w < FXI_LANES && q + w < count; w++) {
                put(z, m, t, q + w, r, re[w] * k->scale);
                if (k->complex)         /* imaginary parts follow all real ones */
                    put(z, m, t, count + q + w, r, im[w] * k->scale);
            }
        }
    }
}
