/* SPDX-License-Identifier: BSD-3-Clause
 * score.c - f(x) = b + <w, x> + sum over blocks, sum_s lambda_s K(p_s, x), for many rows.
 *
 * Rows are cut into blocks for the threads.  The sums of a row run over blocks and panels, lane by
 * lane, and the lanes are added last: an order that is the same for every row. */

#include "fm/fm.h"

enum { ROWS = 256 };                    /* rows in a block */

typedef struct scoring {
    double *f;
    const fxi_fm *fm;
    const double *v;
    fxi_row_subset x;
    fxi_fm_workspace **workspace;       /* [threads] */
} scoring;

bool fxi_fm_score_stopped(size_t *entries, size_t more, fxi_team *team)
{
    *entries += more + 16;
    if (*entries < 1 << 14)
        return false;
    *entries = 0;
    return fxi_parallel_cancelled(team);
}

/* f of the row that was packed last. */
static double score_packed(const fxi_fm *fm, const double *v, fxi_fm_workspace *workspace,
                           const fxi_fm_entries *row, fxi_team *team)
{
    _Alignas(64) double K[FXI_LANES], sum[FXI_LANES] = {0};
    double f = fxi_fm_row_linear(fm, row, v);

    for (size_t g = 0; g < fm->blocks; g++)
        for (size_t h = 0; h < fm->panels; h++) {
            const double *lambda = v + fm->block[g].lambda + h * FXI_LANES;
            fxi_fm_row_value(K, workspace, v, g, h, team);
            for (size_t s = 0; s < FXI_LANES; s++)
                sum[s] += lambda[s] * K[s];
        }
    for (size_t s = 0; s < FXI_LANES; s++)
        f += sum[s];
    return f;
}

double fxi_fm_score_row(const fxi_fm *fm, const double *v, fxi_fm_workspace *workspace, fxi_row r,
                        fxi_team *team)
{
    fxi_fm_entries row = fxi_fm_row(workspace, r);

    return score_packed(fm, v, workspace, &row, team);
}

static fx_status block(void *ctx, size_t b, fxi_team *team)
{
    const scoring *a = ctx;
    size_t end = a->x.n - b * ROWS < ROWS ? a->x.n : (b + 1) * ROWS, entries = 0;

    for (size_t i = b * ROWS; i < end; i++) {
        fxi_row r = fxi_data_row(a->x.X, fxi_row_subset_at(a->x, i));
        if (fxi_fm_score_stopped(&entries, r.n * a->fm->panels * a->fm->blocks, team))
            break;                      /* fxi_parallel reports it */
        a->f[i] = fxi_fm_score_row(a->fm, a->v, a->workspace[fxi_parallel_thread(team)], r, team);
    }
    return FX_OK;
}

fx_status fxi_fm_score(double *f, const fxi_fm *fm, const double *v, fxi_row_subset x,
                       const fx_run *run)
{
    scoring a = {.f = f, .fm = fm, .v = v, .x = x};
    size_t entries = fxi_data_rows_max(x.X, 1), blocks = (x.n + ROWS - 1) / ROWS;
    fx_run how = fxi_parallel_run(run,
                                  (double)x.n * (double)entries * (double)(fm->blocks * fm->rank));
    size_t threads = (size_t)fxi_parallel_threads(&how, blocks);
    fx_status st = fxi_memory_check(run, threads * fxi_fm_row_bytes(fm, entries),
                                    "scratch for scores");
    fxi_scratch scratch = {0};

    if (st || x.n == 0)
        return st;
    st = fxi_fm_row_workspaces(&a.workspace, fm, entries, threads, &scratch);
    if (!st)
        st = fxi_parallel(blocks, block, &a, &how);
    fxi_scratch_free(&scratch);
    return st;
}

fx_status fxi_fm_score_given(double *S, const fxi_fm *fm, const double *V, size_t outputs,
                             const fx_matrix *X, fxi_scratch *scratch, const fx_run *run,
                             fxi_team *team)
{
    size_t entries = (fm->front + fxi_data_rows_max(X, 1)) * (fm->twice ? 2 : 1), since = 0;
    fxi_fm_workspace *workspace;
    fx_status st = fxi_memory_check(run, fxi_fm_row_bytes(fm, entries), "scratch for scores");

    if (st || (st = fxi_fm_row_workspace(&workspace, fm, entries, scratch)))
        return st;
    for (size_t i = 0; i < X->rows; i++) {
        fxi_fm_entries row = fxi_fm_row_given(workspace, fxi_data_row(X, i));
        for (size_t k = 0; k < outputs; k++) {
            if (fxi_fm_score_stopped(&since, row.n * fm->panels * fm->blocks, team))
                return FX_OK;           /* fxi_parallel reports it */
            S[i * outputs + k] = score_packed(fm, V + k * fm->size, workspace, &row, team);
        }
    }
    return FX_OK;
}
