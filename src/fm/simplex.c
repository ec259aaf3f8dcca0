/* SPDX-License-Identifier: BSD-3-Clause
 * simplex.c - hofm-simplex: the weights theta of the orders, theta >= 0 with sum 1.
 *
 * With F_it = sum_s lambda_s anova_t(p_s, x_i) the score of row i is linear in theta, so the data
 * loss q(theta) is convex and its gradient has Lipschitz constant mu |M|, with mu the largest
 * second derivative of the loss, M = (1/W) sum_i c_i F_i F_i'.  A projected gradient step of 1/L,
 * L = mu max_t sum_u |M_tu| >= mu |M|, lowers q unless theta is its minimum; a step that raises q
 * by rounding is not taken.  F takes n m numbers; a step costs n m.
 *
 * The projection of x onto the simplex is max(0, x - tau) with tau such that its sum is 1: tau of
 * all numbers is a lower bound, the numbers below it drop out, and so on. */

#include "fm/fm.h"

#include <math.h>
#include <string.h>

enum { ROWS = 256, STEPS = 20, SUMS = FX_ORDER_MAX * FX_ORDER_MAX + 1 };

typedef struct weighing {
    const fxi_fm_problem *p;
    const double *v;
    const fxi_fm_block *b;
    size_t m;
    double W;
    double theta[FX_ORDER_MAX];
    double *F, *rest;                   /* [rows][m]; [rows] the score without them */
    double *part;                       /* [blocks of rows][SUMS] */
    fxi_fm_workspace **workspace;       /* [threads], in scratch */
    fxi_scratch scratch;
} weighing;

void fxi_fm_simplex_project(double *x, size_t n)
{
    double tau = -INFINITY;

    for (bool more = n > 0; more;) {
        double sum = -1, count = 0;
        for (size_t i = 0; i < n; i++)
            if (x[i] > tau) {
                sum += x[i];
                count++;
            }
        more = count > 0 && sum / count > tau;
        if (more)
            tau = sum / count;
    }
    for (size_t i = 0; i < n; i++)
        x[i] = x[i] > tau ? x[i] - tau : 0;
}

/* F and the rest of the scores; parts: sums of c F F'. */
static fx_status fill_rows(void *ctx, size_t block, fxi_team *team)
{
    weighing *a = ctx;
    const fxi_fm_problem *p = a->p;
    const fxi_fm *fm = p->fm;
    fxi_fm_workspace *workspace = a->workspace[fxi_parallel_thread(team)];
    size_t end = p->X->rows - block * ROWS < ROWS ? p->X->rows : (block + 1) * ROWS, entries = 0;
    double *M = a->part + block * SUMS;
    _Alignas(64) double K[FXI_LANES];

    memset(M, 0, SUMS * sizeof *M);
    for (size_t i = block * ROWS; i < end; i++) {
        double *F = a->F + i * a->m;
        memset(F, 0, a->m * sizeof *F);
        if (!(p->c[i] > 0))
            continue;
        fxi_fm_entries row = fxi_fm_row(workspace, fxi_data_row(p->X, i));
        if (fxi_fm_score_stopped(&entries, row.n * fm->panels, team))
            return FX_OK;
        a->rest[i] = fxi_fm_row_linear(fm, &row, a->v);
        for (size_t h = 0; h < fm->panels; h++) {
            const double *lambda = a->v + a->b->lambda + h * FXI_LANES;
            fxi_fm_row_value(K, workspace, a->v, 0, h, team);
            const double *e = fxi_fm_row_orders(workspace) + FXI_LANES;
            for (size_t t = 0; t < a->m; t++)
                for (size_t w = 0; w < FXI_LANES; w++)
                    F[t] += lambda[w] * e[t * FXI_LANES + w];
        }
        for (size_t t = 0; t < a->m; t++)
            for (size_t u = 0; u < a->m; u++)
                M[t * a->m + u] += p->c[i] * F[t] * F[u];
    }
    return FX_OK;
}

/* parts: the loss, then its derivatives by theta. */
static fx_status weigh_rows(void *ctx, size_t block, fxi_team *team)
{
    weighing *a = ctx;
    const fxi_fm_problem *p = a->p;
    size_t end = p->X->rows - block * ROWS < ROWS ? p->X->rows : (block + 1) * ROWS;
    double *q = a->part + block * SUMS;

    (void)team;
    memset(q, 0, SUMS * sizeof *q);
    for (size_t i = block * ROWS; i < end; i++) {
        const double *F = a->F + i * a->m;
        double f = a->rest[i];
        if (!(p->c[i] > 0))
            continue;
        for (size_t t = 0; t < a->m; t++)
            f += a->theta[t] * F[t];
        double slope = p->c[i] * fxi_fm_slope(p->loss, p->y[i], f);
        q[0] += p->c[i] * fxi_fm_loss(p->loss, p->y[i], f);
        for (size_t t = 0; t < a->m; t++)
            q[t + 1] += slope * F[t];
    }
    return FX_OK;
}

/* Means over the rows of what the blocks have summed up. */
static void add_up(double *sum, const weighing *a, size_t n)
{
    size_t blocks = (a->p->X->rows + ROWS - 1) / ROWS;

    for (size_t k = 0; k < n; k++) {
        sum[k] = 0;
        for (size_t b = 0; b < blocks; b++)
            sum[k] += a->part[b * SUMS + k];
        sum[k] /= a->W;
    }
}

static fx_status descend(double *v, weighing *a, const fx_run *run)
{
    size_t blocks = (a->p->X->rows + ROWS - 1) / ROWS, m = a->m;
    double M[SUMS], now[FX_ORDER_MAX + 1], best[FX_ORDER_MAX + 1], L = 0;
    fx_status st = fxi_parallel(blocks, fill_rows, a, run);

    if (st)
        return st;
    add_up(M, a, m * m);
    for (size_t t = 0; t < m; t++) {
        double sum = 0;
        for (size_t u = 0; u < m; u++)
            sum += fabs(M[t * m + u]);
        L = sum > L ? sum : L;
    }
    L *= fxi_fm_curve(a->p->loss);
    if (!(L > 0) || !isfinite(L))       /* all the same, or beyond reach */
        return FX_OK;
    for (int step = 0; step <= STEPS; step++) {
        if ((st = fxi_parallel(blocks, weigh_rows, a, run)))
            return st;
        add_up(now, a, m + 1);
        bool falls = step == 0 || now[0] < best[0];
        bool enough = step > 0 && best[0] - now[0] <= 1e-9 * fabs(now[0]);
        if (!isfinite(now[0]) || !falls)
            return FX_OK;
        memcpy(best, now, (m + 1) * sizeof *best);
        memcpy(v + a->b->theta, a->theta, m * sizeof *v);
        if (enough)
            return FX_OK;
        for (size_t t = 0; t < m; t++)
            a->theta[t] -= best[t + 1] / L;
        fxi_fm_simplex_project(a->theta, m);
    }
    return FX_OK;
}

fx_status fxi_fm_simplex(double *v, const fxi_fm_problem *p, const fx_run *run)
{
    weighing a = {.p = p, .v = v, .b = &p->fm->block[0], .m = (size_t)p->fm->block[0].order};
    size_t n = p->X->rows, blocks = (n + ROWS - 1) / ROWS, entries = fxi_data_rows_max(p->X, 1);
    fx_run how = fxi_parallel_run(run, (double)n * (double)entries * (double)p->fm->rank);
    size_t threads = (size_t)fxi_parallel_threads(&how, blocks), numbers;

    memcpy(a.theta, v + a.b->theta, a.m * sizeof *v);
    for (size_t i = 0; i < n; i++)
        a.W += p->c[i];
    if (!(a.W > 0))
        return FX_OK;
    if (!fxi_size_mul(&numbers, n, a.m + 2) || numbers > SIZE_MAX / 64)
        return fxi_error(FX_ESHAPE, "%zu rows are too many", n);
    fx_status st = fxi_memory_check(run,
                                    (numbers + blocks * SUMS) * sizeof(double)
                                        + threads * fxi_fm_row_bytes(p->fm, entries),
                                    "scores by order");
    if (st)
        return st;
    a.F = fxi_alloc(n * a.m, sizeof *a.F);
    a.rest = fxi_alloc(n, sizeof *a.rest);
    a.part = fxi_alloc(blocks * SUMS, sizeof *a.part);
    st = a.F && a.rest && a.part
             ? fxi_fm_row_workspaces(&a.workspace, p->fm, entries, threads, &a.scratch)
             : FX_ENOMEM;
    if (!st)
        st = descend(v, &a, &how);
    fxi_scratch_free(&a.scratch);
    fxi_free(a.F, a.rest, a.part);
    return st;
}
