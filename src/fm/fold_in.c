/* SPDX-License-Identifier: BSD-3-Clause
 * fold_in.c - columns that a model has not learnt, from rows that hold them, while all else stays.
 *
 * Where no row holds two of them they are independent: one problem each (fold_in_column.c), on all
 * threads.  Of poly-net-uv a column is two, one of each half, and every row holds both.  Columns
 * that share rows are visited one after the other, and again, until a visit to all of them lowers
 * the objective by less than tol times it.
 *
 * The objective is what these rows and columns add to that of the training: the rows' losses over
 * W, and the penalties of the columns. */

#include "fm/fm.h"

#include <stdlib.h>
#include <string.h>

typedef struct folding {
    fxi_fm_fold fold;
    const unsigned char *fresh;
    size_t cols;                        /* new ones that rows hold, as blocks see them: */
    int32_t *col, *number;              /* [cols]; [fm->cols] the place there, or -1 */
    size_t *count;                      /* [fm->cols] rows that hold a column */
    size_t *first;                      /* [cols + 1] where the rows of each begin in row[] */
    int32_t *row;
    bool *shared;                       /* [cols] a row of it holds another */
    size_t shares, longest;             /* how many; rows of a column, at most */
    fxi_fm_fold_column **column;        /* [threads] */
    double *f;                          /* [rows of X] */
    const fx_run *run;
} folding;

/* ---- Columns and their rows --------------------------------------------------------------- */

static int32_t number_of(const folding *a, fxi_row r, size_t q)
{
    return fxi_row_value(r, q) != 0 ? a->number[fxi_row_column(r, q)] : -1;
}

/* Every column that may be new: the number 0, else -1. */
static void mark(folding *a)
{
    const fxi_fm *fm = a->fold.p->fm;

    for (size_t j = 0; j < fm->cols; j++) {
        int64_t from = fxi_fm_given(fm, j);
        a->number[j] = from >= 0 && a->fresh[from] ? 0 : -1;
    }
}

/* Counts the rows of each column; with `row`: writes them there. */
static void visit(folding *a, int32_t *row, fxi_team *team)
{
    const fxi_fm_problem *p = a->fold.p;
    size_t entries = 0;

    for (size_t i = 0; i < p->X->rows; i++) {
        fxi_row r = fxi_data_row(p->X, i);
        if (fxi_fm_score_stopped(&entries, r.n, team))
            return;
        for (size_t q = 0; q < r.n && p->c[i] > 0; q++) {
            if (number_of(a, r, q) < 0)
                continue;
            size_t j = (size_t)fxi_row_column(r, q);
            if (row)
                row[a->first[a->number[j]] + a->count[j]] = (int32_t)i;
            a->count[j]++;
        }
    }
}

/* Numbers the columns that rows hold. */
static void number_columns(folding *a)
{
    const fxi_fm *fm = a->fold.p->fm;
    size_t n = 0, rows = 0;

    for (size_t j = 0; j < fm->cols; j++) {
        if (!a->count[j]) {
            a->number[j] = -1;
            continue;
        }
        a->number[j] = (int32_t)n;
        a->col[n] = (int32_t)j;
        a->first[n++] = rows;
        rows += a->count[j];
        a->longest = a->count[j] > a->longest ? a->count[j] : a->longest;
    }
    a->first[n] = rows;
    a->cols = n;
}

/* Which columns meet another new one in a row. */
static void find_shared(folding *a, fxi_team *team)
{
    const fxi_fm_problem *p = a->fold.p;
    size_t entries = 0;

    for (size_t i = 0; i < p->X->rows; i++) {
        fxi_row r = fxi_data_row(p->X, i);
        int32_t one = -1, now;
        if (fxi_fm_score_stopped(&entries, r.n, team))
            return;
        for (size_t q = 0; q < r.n && p->c[i] > 0; q++) {
            if ((now = number_of(a, r, q)) < 0)
                continue;
            if (one >= 0)
                a->shared[one] = a->shared[now] = true;
            one = now;
        }
    }
    for (size_t k = 0; k < a->cols; k++)
        a->shares += a->shared[k];
}

/* One block: fxi_parallel_ordered reports that it was stopped. */
static fx_status find_columns(void *ctx, size_t block, fxi_team *team)
{
    folding *a = ctx;
    const fxi_fm *fm = a->fold.p->fm;
    size_t n = 0;

    (void)block;
    if (!(a->count = fxi_zalloc(fm->cols, sizeof *a->count))
        || !(a->number = fxi_alloc(fm->cols, sizeof *a->number)))
        return FX_ENOMEM;
    mark(a);
    visit(a, NULL, team);
    if (fxi_parallel_cancelled(team))   /* counts are incomplete */
        return FX_OK;
    for (size_t j = 0; j < fm->cols; j++)
        n += a->count[j] > 0;
    if (!(a->col = fxi_alloc(n, sizeof *a->col)) || !(a->shared = fxi_zalloc(n, sizeof *a->shared))
        || !(a->first = fxi_alloc(n + 1, sizeof *a->first)))
        return FX_ENOMEM;
    number_columns(a);
    if (!(a->row = fxi_alloc(a->first[n], sizeof *a->row)))
        return FX_ENOMEM;
    memset(a->count, 0, fm->cols * sizeof *a->count);
    visit(a, a->row, team);
    find_shared(a, team);
    return FX_OK;
}

/* ---- The objective ------------------------------------------------------------------------ */

static fx_status objective(double *out, folding *a)
{
    const fxi_fm_problem *p = a->fold.p;
    fxi_row_subset all = {p->X, NULL, p->X->rows};
    double loss = 0, penalty = 0;
    fx_status st = fxi_fm_score(a->f, p->fm, a->fold.v, all, a->run);

    for (size_t i = 0; i < p->X->rows && !st; i++)
        loss += p->c[i] > 0 ? p->c[i] * fxi_fm_loss(p->loss, p->y[i], a->f[i]) : 0;
    for (size_t k = 0; k < a->cols && !st; k++)
        penalty += fxi_fm_fold_in_column_penalty(&a->fold, (size_t)a->col[k]);
    *out = loss / a->fold.W + penalty;
    return st;
}

/* ---- Visits ------------------------------------------------------------------------------- */

static fx_status solve(const folding *a, size_t k, fxi_team *team)
{
    size_t first = a->first[k];

    return fxi_fm_fold_in_column(a->column[fxi_parallel_thread(team)], (size_t)a->col[k],
                                 a->row + first, a->first[k + 1] - first, a->run, team);
}

static fx_status solve_alone(void *ctx, size_t k, fxi_team *team)
{
    const folding *a = ctx;

    return a->shared[k] ? FX_OK : solve(a, k, team);
}

static fx_status solve_shared(void *ctx, size_t k, fxi_team *team)
{
    const folding *a = ctx;

    return a->shared[k] ? solve(a, k, team) : FX_OK;
}

static fx_status sweeps(fxi_fm_state *s, folding *a, const fx_run *how)
{
    const fxi_fm_problem *p = a->fold.p;
    double was;
    fx_status st = objective(&s->objective, a);

    s->iterations = 0;
    s->converged = false;
    while (!st && !s->converged && s->iterations < p->max_iter) {
        was = s->objective;
        if ((!s->iterations && (st = fxi_parallel(a->cols, solve_alone, a, how)))
            || (a->shares && (st = fxi_parallel_ordered(a->cols, solve_shared, a, a->run)))
            || (st = objective(&s->objective, a)))
            return st;
        s->iterations++;
        s->converged = !a->shares || was - s->objective <= p->tol * was;
        st = p->step ? p->step(p->ctx, s) : FX_OK;
        s->converged |= st > 0;
    }
    return st < 0 ? st : FX_OK;
}

/* Memory, for as many threads as there is work for. */
static fx_status open_columns(folding *a, const fx_run *how, fxi_scratch *scratch)
{
    const fxi_fm *fm = a->fold.p->fm;
    size_t threads = (size_t)fxi_parallel_threads(how, a->cols), bytes;
    size_t entries = fxi_data_rows_max(a->fold.p->X, 1);
    fx_status st = FX_OK;

    a->fold.panels = fm->linear + fm->blocks * fm->panels;
    if (!fxi_fm_fold_in_column_bytes(&bytes, &a->fold, a->longest, entries)
        || !fxi_size_mul(&bytes, bytes, threads))
        bytes = SIZE_MAX;
    if ((st = fxi_memory_check(a->run, bytes, "the numbers of new columns")))
        return st;
    if (!(a->column = fxi_scratch_take(scratch, threads, sizeof(fxi_fm_fold_column *)))
        || !(a->f = fxi_scratch_take(scratch, a->fold.p->X->rows, sizeof *a->f)))
        return FX_ENOMEM;
    for (size_t t = 0; t < threads && !st; t++)
        st = fxi_fm_fold_in_column_new(&a->column[t], &a->fold, a->longest, entries, scratch);
    return st;
}

fx_status fxi_fm_fold_in(fxi_fm_state *s, const fxi_fm_problem *p, const unsigned char *fresh,
                         double W, const fx_run *run)
{
    const fxi_fm *fm = p->fm;
    folding a = {.fold = {.p = p, .v = s->v, .W = W}, .fresh = fresh, .run = run};
    fxi_scratch scratch = {0};
    size_t bytes, rows;

    if (p->X->rows > INT32_MAX)
        return fxi_error(FX_ESHAPE, "%zu rows are too many to fold columns in", p->X->rows);
    if (!fxi_size_mul(&bytes, fm->cols, 32) || !fxi_size_mul(&rows, fxi_data_stored(p->X), 4)
        || !fxi_size_add(&bytes, bytes, rows))
        bytes = SIZE_MAX;
    fx_status st = fxi_memory_check(run, bytes, "rows by new columns");
    if (!st && !(st = fxi_parallel_ordered(1, find_columns, &a, run))) {
        double width = (double)(fm->rank * fm->blocks + fm->linear);
        double each = (double)a.longest + width;
        fx_run how = fxi_parallel_run(run, (double)a.cols * each * width * width / 2);
        if (!(st = open_columns(&a, &how, &scratch)))
            st = sweeps(s, &a, &how);
    }
    fxi_scratch_free(&scratch);
    fxi_free(a.col, a.number, a.count, a.first, a.row, a.shared);
    return st;
}
