/* SPDX-License-Identifier: BSD-3-Clause
 * model.c - the loss as a quadratic function of the weights of active members and the intercept,
 * plus the penalty, minimised by coordinate descent.
 *
 * The matrix sum_i curve_i z_i z_i' is built row by row: a row holds few of the members. */

#include "combos/combos.h"

#include <string.h>

enum { SWEEPS = 3000, POLL = 64 };      /* poll: rows between two polls */

typedef struct model {
    const fxi_combos *a;
    size_t n;
    size_t *member;
    double *G, *q, *step;               /* [n][n], [n] slopes of the model, [n] */
    size_t *ptr;                        /* [rows + 1] active members of a row */
    uint32_t *index;
    double *x;
} model;

static bool active(const fxi_combos_member *m) { return m->w != 0 || fabs(m->slope) > 1; }

static fx_status choose(model *m, fxi_scratch *scratch, const fx_run *run)
{
    const fxi_combos_set *s = &m->a->set;
    size_t numbers = 0, cells, bytes;

    m->n = 1;
    for (size_t k = 0; k < s->n; k++)
        if (active(&s->at[k])) {
            m->n++;
            numbers += s->at[k].rows;
        }
    if (!fxi_size_mul(&cells, m->n, m->n) || !fxi_size_mul(&bytes, cells, sizeof *m->G)
        || !fxi_size_add(&bytes, bytes, numbers * (sizeof *m->x + sizeof *m->index)))
        return fxi_error(FX_ENOMEM, "%zu products at once", m->n);
    fx_status st = fxi_memory_check(run, bytes, "products with a weight");
    if (st)
        return st;
    m->member = fxi_scratch_take(scratch, m->n, sizeof *m->member);
    m->G = fxi_scratch_take(scratch, cells, sizeof *m->G);
    m->q = fxi_scratch_take(scratch, m->n, sizeof *m->q);
    m->step = fxi_scratch_take(scratch, m->n, sizeof *m->step);
    m->ptr = fxi_scratch_take(scratch, m->a->columns.rows + 1, sizeof *m->ptr);
    m->index = fxi_scratch_take(scratch, numbers + 1, sizeof *m->index);
    m->x = fxi_scratch_take(scratch, numbers + 1, sizeof *m->x);
    if (!m->member || !m->G || !m->q || !m->step || !m->ptr || !m->index || !m->x)
        return FX_ENOMEM;
    m->n = 1;
    for (size_t k = 0; k < s->n; k++)
        if (active(&s->at[k]))
            m->member[m->n++] = k;
    return FX_OK;
}

/* Members by rows, of rows with a curvature. */
static void by_rows(model *m)
{
    const fxi_combos *a = m->a;
    size_t rows = a->columns.rows;

    memset(m->ptr, 0, (rows + 1) * sizeof *m->ptr);
    for (size_t k = 1; k < m->n; k++) {
        const fxi_combos_member *z = &a->set.at[m->member[k]];
        for (size_t p = 0; p < z->rows; p++)
            m->ptr[z->row[p] + 1] += a->curve[z->row[p]] > 0;
    }
    for (size_t i = 0; i < rows; i++)
        m->ptr[i + 1] += m->ptr[i];
    for (size_t k = 1; k < m->n; k++) {
        const fxi_combos_member *z = &a->set.at[m->member[k]];
        for (size_t p = 0; p < z->rows; p++)
            if (a->curve[z->row[p]] > 0) {
                size_t to = m->ptr[z->row[p]]++;
                m->index[to] = (uint32_t)k;
                m->x[to] = z->x ? z->x[p] : 1;
            }
    }
    for (size_t i = rows; i; i--)       /* the ends of rows become beginnings again */
        m->ptr[i] = m->ptr[i - 1];
    m->ptr[0] = 0;
}

static void add_row(model *m, size_t i)
{
    double curve = m->a->curve[i];

    m->G[0] += curve;
    for (size_t p = m->ptr[i]; p < m->ptr[i + 1]; p++) {
        double u = curve * m->x[p], *g = m->G + m->index[p] * m->n;
        g[0] += u;
        for (size_t z = m->ptr[i]; z <= p; z++)
            g[m->index[z]] += u * m->x[z];
    }
}

static void build(model *m, fxi_team *team)
{
    memset(m->G, 0, m->n * m->n * sizeof *m->G);
    for (size_t i = 0; i < m->a->columns.rows; i++) {
        if (i % POLL == 0 && fxi_parallel_cancelled(team))
            return;
        add_row(m, i);
    }
    for (size_t k = 0; k < m->n; k++)
        for (size_t z = 0; z < k; z++)
            m->G[z * m->n + k] = m->G[k * m->n + z];
    for (size_t k = 0; k < m->n; k++) {
        m->step[k] = 0;
        m->q[k] = k ? m->a->set.at[m->member[k]].slope : 0;     /* b is at its minimum */
    }
}

/* The step of one coordinate to its minimum. */
static double move(const model *m, size_t k)
{
    double h = m->G[k * m->n + k] * (1 + 1e-12) + 1e-12, s = -m->q[k] / h;

    if (k) {
        double w = m->a->set.at[m->member[k]].w + m->step[k], z = w + s;
        s = (z > 1 / h ? z - 1 / h : z < -1 / h ? z + 1 / h : 0) - w;
    }
    return s;
}

static void descend(model *m, double stop, fxi_team *team)
{
    double worst = INFINITY;

    for (int sweep = 0; sweep < SWEEPS && worst > stop && !fxi_parallel_cancelled(team); sweep++) {
        worst = 0;
        for (size_t k = m->a->p.intercept ? 0 : 1; k < m->n; k++) {
            const double *g = m->G + k * m->n;
            double s = move(m, k);
            if (s == 0)
                continue;
            worst = fmax(worst, fabs(s) * g[k]);
            m->step[k] += s;
            for (size_t z = 0; z < m->n; z++)
                m->q[z] += s * g[z];
        }
    }
}

fx_status fxi_combos_model_minimum(fxi_combos_model *out, const fxi_combos *a, double stop,
                                   fxi_scratch *scratch, const fx_run *run, fxi_team *team)
{
    model m = {.a = a};
    fx_status st = choose(&m, scratch, run);

    if (st)
        return st;
    by_rows(&m);
    build(&m, team);
    descend(&m, stop, team);
    *out = (fxi_combos_model){m.n, m.member, m.step};
    return FX_OK;
}
