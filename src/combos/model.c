/* SPDX-License-Identifier: BSD-3-Clause
 * model.c - the loss as a quadratic function of the weights of active members and the intercept,
 * plus the penalty, minimised by coordinate descent.
 *
 * The matrix sum_i curve_i z_i z_i' is built row by row: a row holds few of the members.
 *
 * One coordinate at a time takes long where columns nearly depend on one another.  So now and then
 * all that have a weight move at once: to the minimum that their signs allow, or to where the first
 * sign would change. */

#include "combos/combos.h"
#include "linalg/cholesky.h"

#include <string.h>

enum { SWEEPS = 3000, POLL = 64 };      /* poll: rows or coordinates between two polls */
enum { JOINT = 16 };                    /* sweeps between two joint steps, or SHARE of the
                                         * members, */
#define SHARE 0.125 /* .. which take about as long */
#define JITTER 1e-10                    /* of the diagonal: the matrix may be singular */

typedef struct model {
    const fxi_combos *a;
    size_t n;
    size_t *member;
    double *G, *q, *step;               /* [n][n], [n] slopes of the model, [n] */
    double *A, *d;                      /* of those with a weight: the matrix, the joint step */
    size_t *moving;                     /* their numbers */
    size_t *ptr;                        /* [rows + 1] active members of a row */
    uint32_t *index;
    double *x;
} model;

static bool active(const fxi_combos_member *m) { return m->w != 0 || fabs(m->slope) > 1; }

static fx_status choose(model *m, fxi_scratch *scratch, const fx_run *run)
{
    const fxi_combos_set *s = &m->a->set;
    size_t numbers = 0, cells, tiles, bytes;

    m->n = 1;
    for (size_t k = 0; k < s->n; k++)
        if (active(&s->at[k])) {
            m->n++;
            numbers += s->at[k].rows;
        }
    if (!fxi_size_mul(&cells, m->n, m->n) || !fxi_linalg_cholesky_size(&tiles, m->n)
        || !fxi_size_add(&bytes, cells, tiles) || !fxi_size_mul(&bytes, bytes, sizeof *m->G)
        || !fxi_size_add(&bytes, bytes, numbers * (sizeof *m->x + sizeof *m->index)))
        return fxi_error(FX_ENOMEM, "%zu products at once", m->n);
    fx_status st = fxi_memory_check(run, bytes, "products with a weight");
    if (st)
        return st;
    m->member = fxi_scratch_take(scratch, m->n, sizeof *m->member);
    m->G = fxi_scratch_take(scratch, cells, sizeof *m->G);
    m->q = fxi_scratch_take(scratch, m->n, sizeof *m->q);
    m->step = fxi_scratch_take(scratch, m->n, sizeof *m->step);
    m->A = fxi_scratch_take(scratch, tiles, sizeof *m->A);
    m->d = fxi_scratch_take(scratch, m->n + FXI_TILE, sizeof *m->d);
    m->moving = fxi_scratch_take(scratch, m->n, sizeof *m->moving);
    m->ptr = fxi_scratch_take(scratch, m->a->columns.rows + 1, sizeof *m->ptr);
    m->index = fxi_scratch_take(scratch, numbers + 1, sizeof *m->index);
    m->x = fxi_scratch_take(scratch, numbers + 1, sizeof *m->x);
    if (!m->member || !m->G || !m->q || !m->step || !m->A || !m->d || !m->moving || !m->ptr
        || !m->index || !m->x)
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

/* Where the k-th coordinate is: a weight, or how far the intercept went. */
static double weight(const model *m, size_t k)
{
    return (k ? m->a->set.at[m->member[k]].w : 0) + m->step[k];
}

static void add_step(model *m, size_t k, double s)
{
    const double *g = m->G + k * m->n;

    m->step[k] += s;
    for (size_t z = 0; z < m->n; z++)
        m->q[z] += s * g[z];
}

/* The step of one coordinate to its minimum. */
static double step_of(const model *m, size_t k)
{
    double h = m->G[k * m->n + k] * (1 + 1e-12) + 1e-12, s = -m->q[k] / h;

    if (k) {
        double w = weight(m, k), z = w + s;
        s = (z > 1 / h ? z - 1 / h : z < -1 / h ? z + 1 / h : 0) - w;
    }
    return s;
}

/* Each coordinate in turn; returns the largest violation. */
static double sweep(model *m, fxi_team *team)
{
    double worst = 0;

    for (size_t k = m->a->p.intercept ? 0 : 1; k < m->n; k++) {
        double s = step_of(m, k);
        if (k % POLL == 0 && fxi_parallel_cancelled(team))
            return 0;
        worst = fmax(worst, fabs(s) * m->G[k * m->n + k]);
        if (s != 0)
            add_step(m, k, s);
    }
    return worst;
}

/* The Newton step d of the coordinates that may move, signs as they are. */
static fx_status joint_step(size_t *n, model *m, const fx_run *run)
{
    *n = 0;
    for (size_t k = m->a->p.intercept ? 0 : 1; k < m->n; k++)
        if (k == 0 || weight(m, k) != 0)
            m->moving[(*n)++] = k;
    for (size_t i = 0; i < *n; i++) {
        size_t k = m->moving[i];
        for (size_t j = 0; j <= i; j++)
            fxi_cholesky_at(m->A, i / FXI_TILE,
                            j / FXI_TILE)[j % FXI_TILE * FXI_TILE + i % FXI_TILE] =
                m->G[k * m->n + m->moving[j]] * (i == j ? 1 + JITTER : 1);
        m->d[i] = -m->q[k] - (k ? copysign(1, weight(m, k)) : 0);
    }
    fx_status st = *n ? fxi_linalg_cholesky(m->A, *n, run) : FX_OK;
    return st || !*n ? st : fxi_linalg_cholesky_solve(m->d, m->A, *n, run);
}

/* *whole: no sign was in the way.  Else the first that would change becomes 0. */
static fx_status move_together(bool *whole, model *m, const fx_run *run)
{
    size_t n, first = SIZE_MAX;
    double t = 1;
    fx_status st = joint_step(&n, m, run);

    *whole = true;
    if (st)
        return st == FX_ENUMERIC ? FX_OK : st;  /* singular in spite of the jitter */
    for (size_t i = 0; i < n; i++) {
        double w = weight(m, m->moving[i]);
        if (m->moving[i] && (w + t * m->d[i]) * w <= 0) {
            t = -w / m->d[i];
            first = i;
        }
    }
    for (size_t i = 0; i < n; i++) {
        size_t k = m->moving[i];
        add_step(m, k, i == first ? -weight(m, k) : t * m->d[i]);
    }
    *whole = first == SIZE_MAX;
    return FX_OK;
}

/* To the minimum of those that keep their signs; the others become 0 on the way. */
static fx_status move_all(model *m, const fx_run *run, fxi_team *team)
{
    bool whole = false;
    fx_status st = FX_OK;

    for (size_t k = 0; k < m->n && !whole && !st && !fxi_parallel_cancelled(team); k++)
        st = move_together(&whole, m, run);
    return st;
}

static fx_status descend(model *m, double stop, const fx_run *run, fxi_team *team)
{
    int between = (int)fmax(JOINT, SHARE * (double)m->n);
    fx_status st = FX_OK;

    for (int k = 1; k <= SWEEPS && sweep(m, team) > stop && !st; k++)
        if (k % between == 0)
            st = move_all(m, run, team);
    return st;
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
    st = descend(&m, stop, run, team);
    *out = (fxi_combos_model){m.n, m.member, m.step};
    return st;
}
