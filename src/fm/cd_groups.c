/* SPDX-License-Identifier: BSD-3-Clause
 * cd_groups.c - coordinate descent where no combination has two columns of one group, eight
 * components at once.
 *
 * The kernel takes s_g = sum_{j in g} p_j x_j instead of the p_j x_j.  Columns are visited group by
 * group: a group is opened by deleting its s_g from the e_t of all rows that have entries in it
 * (guarded as in cd_anova.c, with a stored at all orders), so that the state holds e(without g),
 * which does not change while its columns are visited: the derivative by p_j is x_j e_{m-1}(without
 * g), as for a linear term.  It is closed by inserting the new s_g.  Opening and closing cost O(m)
 * and the entries of the group, once for eight components. */

#include "fm/cd.h"

#include <string.h>

enum { CHUNK = 1024, L = FXI_FM_CD_LANES }; /* rows of a group; lanes */

/* Sums of the run of one group's entries that begins at *q; moves *q past it. */
static void sum_run(double *sum, const fxi_fm_descent *d, size_t row, size_t *q)
{
    const fxi_fm_cd_rows *R = &d->R;
    int32_t g = d->fm->group[R->col[*q]];

    memset(sum, 0, L * sizeof *sum);
    for (; *q < R->ptr[row + 1] && d->fm->group[R->col[*q]] == g; ++*q) {
        const double *p = fxi_fm_cd_factor(d, (size_t)R->col[*q]);
        double x = R->x ? R->x[*q] : 1;
        for (int s = 0; s < L; s++)
            sum[s] += x * p[s];
    }
}

/* E becomes a, e_1, .., e_k, of which a number z more, in each lane, is to be part; e_0 = e0. */
static void insert(double *E, int k, const double *z, double e0)
{
    for (int t = k; t > 1; t--)
        for (int s = 0; s < L; s++)
            E[t * L + s] += z[s] * E[(t - 1) * L + s];
    for (int s = 0; s < L; s++) {
        E[L + s] += z[s] * e0;
        E[s] += fabs(z[s]);
    }
}

/* a, e_1, .., e_k of the sums of all groups but `but` to E; how many there are. */
static size_t collect(double *E, const fxi_fm_descent *d, size_t row, int k, int32_t but, double e0)
{
    const fxi_fm_cd_rows *R = &d->R;
    double sum[L];
    size_t n = 0;

    memset(E, 0, (size_t)(k + 1) * L * sizeof *E);
    for (size_t q = R->ptr[row]; q < R->ptr[row + 1];) {
        int32_t g = d->fm->group[R->col[q]];
        sum_run(sum, d, row, &q);
        if (g < 0 || g == but)
            continue;
        insert(E, k, sum, e0);
        n++;
    }
    return n;
}

static void build(const fxi_fm_descent *d, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++) {
        double *E = fxi_fm_cd_lanes_of(d, i);
        d->e0[i] = d->scale[i];
        if (collect(E, d, i, d->m - 1, -1, d->scale[i]) >= (size_t)d->m)
            continue;
        d->e0[i] = 0;
        for (int s = 0; s < d->m * L; s++)
            E[s] = s < L ? INFINITY : 0;
    }
}

static void values(double *out, const fxi_fm_descent *d, size_t first, size_t last)
{
    double E[(FX_ORDER_MAX + 1) * L];

    for (size_t i = first; i < last; i++, out += L) {
        bool in = collect(E, d, i, d->m, -1, 1) >= (size_t)d->m;
        for (int s = 0; s < L; s++)
            out[s] = in ? E[d->m * L + s] : 0;
    }
}

static size_t derive(double *G, const fxi_fm_descent *d, const fxi_fm_cd_column *c, const double *p,
                     const double *to)
{
    (void)p, (void)to;
    d->simd->fm_cd_pick(G, d->E + (d->m - 1) * L, d->stride * L, c->row, c->x, c->n);
    return 0;
}

/* Without the sums of this group, of row i. */
static void delete (const fxi_fm_descent *d, size_t i, const double *sum, size_t group)
{
    double *E = fxi_fm_cd_lanes_of(d, i);
    bool fail = false;

    for (int s = 0; s < L; s++)
        fail |= fabs(sum[s]) * d->guard > E[s];
    if (fail) {
        collect(E, d, i, d->m - 1, (int32_t)group, d->e0[i]);
        return;
    }
    for (int s = 0; s < L; s++) {
        E[s] -= fabs(sum[s]);
        E[L + s] -= sum[s] * d->e0[i];
    }
    for (int t = 2; t < d->m; t++)
        for (int s = 0; s < L; s++)
            E[t * L + s] -= sum[s] * E[(t - 1) * L + s];
}

typedef struct group_pass {
    fxi_fm_descent *d;
    size_t group;
    bool open;
} group_pass;

static void pass(void *ctx, size_t chunk, int worker)
{
    const group_pass *a = ctx;
    fxi_fm_descent *d = a->d;
    size_t q = d->R.list[a->group] + chunk * CHUNK, end = d->R.list[a->group + 1];

    end = end - q < CHUNK ? end : q + CHUNK;
    if (worker)
        fxi_fm_cd_sweep_flush();
    for (; q < end; q++) {
        size_t i = (size_t)d->R.group_row[q], at = d->R.first[q];
        double sum[L];
        sum_run(sum, d, i, &at);
        if (a->open)
            delete (d, i, sum, a->group);
        else
            insert(fxi_fm_cd_lanes_of(d, i), d->m - 1, sum, d->e0[i]);
        if (worker ? atomic_load_explicit(&d->stop, memory_order_relaxed)
                   : fxi_fm_cd_sweep_stopped(d, at - d->R.first[q]))
            return;
    }
}

void fxi_fm_cd_groups_sweep(fxi_fm_descent *d, size_t first, size_t last)
{
    const fxi_fm_cd_rows *R = &d->R;

    for (size_t g = 0; g < d->fm->groups; g++) {
        size_t chunks = (R->list[g + 1] - R->list[g] + CHUNK - 1) / CHUNK;
        fxi_threadpool_run(d->pool, chunks, pass, &(group_pass){d, g, true});
        for (size_t q = R->start[g]; q < R->start[g + 1]; q++) {
            size_t j = (size_t)R->member[q];
            if (j < first || j >= last)
                continue;
            fxi_fm_cd_sweep_column(d, j);
            if (fxi_fm_cd_sweep_stopped(d, 0))
                return;
        }
        fxi_fm_cd_sweep_finish(d);
        fxi_threadpool_run(d->pool, chunks, pass, &(group_pass){d, g, false});
    }
}

const fxi_fm_cd_model fxi_fm_cd_groups
    = {FXI_FM_CD_LANES, build, values, fxi_fm_cd_lanes_sums, fxi_fm_cd_lanes_step,
       fxi_fm_cd_lanes_move, NULL, derive};
