/* SPDX-License-Identifier: BSD-3-Clause
 * cd_columns.c - rows for coordinate descent: those with weight, without zeros, by rows and by
 * columns; where all numbers are 1 they are not stored.
 *
 * Memory: 8 bytes per entry, 24 if numbers are not all 1; 12 more for each pair of a row and a
 * group of columns that the row has entries in. */

#include "fm/cd.h"

#include <string.h>

enum { BLOCKS = 32, ROWS = 1024 };      /* most blocks; least rows of one */

void fxi_fm_cd_columns_free(fxi_fm_cd_rows *R)
{
    fxi_free(R->pick, R->ptr, R->top, R->col, R->row, R->x, R->cx, R->cut, R->at, R->list,
             R->group_row, R->first, R->start, R->member);
    *R = (fxi_fm_cd_rows){0};
}

/* Sorts rows by length in windows of ROWS, so that the ends of loops over their entries are
 * predicted. */
static void order_rows(int32_t *pick, size_t rows, const fx_matrix *X)
{
    enum { LENGTHS = 256 };
    int32_t sorted[ROWS];

    for (size_t at = 0; at < rows && X->ptr; at += ROWS) {
        size_t n = rows - at < ROWS ? rows - at : ROWS, first[LENGTHS + 1] = {0};
        for (int put = 0; put < 2; put++) {
            for (size_t k = 0; k < n; k++) {
                size_t i = (size_t)pick[at + k], length = (size_t)(X->ptr[i + 1] - X->ptr[i]);
                length = length < LENGTHS ? length : LENGTHS - 1;
                if (put)
                    sorted[first[length]++] = pick[at + k];
                else
                    first[length + 1]++;
            }
            for (size_t l = 0; l < LENGTHS && !put; l++)
                first[l + 1] += first[l];
        }
        memcpy(pick + at, sorted, n * sizeof *pick);
    }
}

/* Counts entries by row and column; true if there are numbers other than 1. */
static bool count(fxi_fm_cd_rows *R, const fxi_fm_problem *p, fxi_team *team)
{
    bool other = false;

    for (size_t k = 0; k < R->rows; k++) {
        fxi_row r = fxi_data_row(p->X, (size_t)R->pick[k]);
        size_t n = 0;
        for (size_t q = 0; q < r.n; q++) {
            double x = fxi_row_value(r, q);
            if (x == 0)
                continue;
            n++;
            R->top[fxi_row_column(r, q) + 1]++;
            other |= x != 1;
        }
        R->ptr[k + 1] = R->ptr[k] + n;
        if ((k % 256 == 0 || r.n > 4096) && fxi_parallel_cancelled(team))
            break;
    }
    for (size_t j = 0; j < R->cols; j++)
        R->top[j + 1] += R->top[j];
    return other;
}

/* Sorts the entries of a row by group, by insertion: mostly they are sorted already. */
static void order_row(fxi_fm_cd_rows *R, const int32_t *group, size_t from, size_t to)
{
    for (size_t q = from + 1; q < to; q++) {
        int32_t j = R->col[q];
        double x = R->x ? R->x[q] : 1;
        size_t h = q;
        for (; h > from && group[R->col[h - 1]] > group[j]; h--) {
            R->col[h] = R->col[h - 1];
            if (R->x)
                R->x[h] = R->x[h - 1];
        }
        R->col[h] = j;
        if (R->x)
            R->x[h] = x;
    }
}

static void fill(fxi_fm_cd_rows *R, const fxi_fm_problem *p, fxi_team *team)
{
    for (size_t k = 0; k < R->rows; k++) {
        fxi_row r = fxi_data_row(p->X, (size_t)R->pick[k]);
        size_t to = R->ptr[k];
        for (size_t q = 0; q < r.n; q++) {
            double x = fxi_row_value(r, q);
            if (x == 0)
                continue;
            size_t j = (size_t)fxi_row_column(r, q), at = R->top[j]++;
            R->col[to] = (int32_t)j;
            R->row[at] = (int32_t)k;
            if (R->x)
                R->x[to] = R->cx[at] = x;
            to++;
        }
        if (p->fm->group)
            order_row(R, p->fm->group, R->ptr[k], to);
        if ((k % 256 == 0 || r.n > 4096) && fxi_parallel_cancelled(team))
            break;
    }
    memmove(R->top + 1, R->top, R->cols * sizeof *R->top);
    R->top[0] = 0;
}

/* Where long columns are cut. */
static fx_status cut(fxi_fm_cd_rows *R)
{
    size_t n = 0;

    R->blocks = R->rows / ROWS < 1 ? 1 : R->rows / ROWS > BLOCKS ? BLOCKS : R->rows / ROWS;
    R->step = R->rows / R->blocks + (R->rows % R->blocks > 0);
    if (!(R->cut = fxi_alloc(R->cols, sizeof *R->cut)))
        return FX_ENOMEM;
    for (size_t j = 0; j < R->cols; j++)
        R->cut[j] = R->top[j + 1] - R->top[j] >= FXI_FM_CD_LONG ? (int32_t)n++ : -1;
    if (!(R->at = fxi_alloc(n * (R->blocks + 1), sizeof *R->at)))
        return FX_ENOMEM;
    for (size_t j = 0; j < R->cols; j++) {
        size_t *at = R->at + (size_t)(R->cut[j] < 0 ? 0 : R->cut[j]) * (R->blocks + 1);
        size_t q = R->top[j];
        for (size_t b = 0; b <= R->blocks && R->cut[j] >= 0; b++) {
            while (q < R->top[j + 1] && (size_t)R->row[q] < b * R->step)
                q++;
            at[b] = b == R->blocks ? R->top[j + 1] : q;
        }
    }
    return FX_OK;
}

/* First row of each group's list, from counts in n[1..groups]. */
static void add_up(size_t *n, size_t groups)
{
    for (size_t g = 0; g < groups; g++)
        n[g + 1] += n[g];
}

/* n[g] was moved to the end of list g, which is where g + 1 begins. */
static void move_back(size_t *n, size_t groups)
{
    memmove(n + 1, n, groups * sizeof *n);
    n[0] = 0;
}

/* True if a row's run of entries of one group begins at entry q. */
static bool begins(const fxi_fm_cd_rows *R, const fxi_fm *fm, size_t row, size_t q)
{
    int32_t g = fm->group[R->col[q]];

    return g >= 0 && (q == R->ptr[row] || fm->group[R->col[q - 1]] != g);
}

/* For every group its columns, and the rows that have entries in it. */
static fx_status list(fxi_fm_cd_rows *R, const fxi_fm *fm)
{
    if (!(R->list = fxi_zalloc(fm->groups + 1, sizeof *R->list))
        || !(R->start = fxi_zalloc(fm->groups + 1, sizeof *R->start))
        || !(R->member = fxi_alloc(R->cols, sizeof *R->member)))
        return FX_ENOMEM;
    for (size_t j = 0; j < R->cols; j++)
        if (fm->group[j] >= 0)
            R->start[fm->group[j] + 1]++;
    add_up(R->start, fm->groups);
    for (size_t j = 0; j < R->cols; j++)
        if (fm->group[j] >= 0)
            R->member[R->start[fm->group[j]]++] = (int32_t)j;
    move_back(R->start, fm->groups);
    for (size_t k = 0; k < R->rows; k++)
        for (size_t q = R->ptr[k]; q < R->ptr[k + 1]; q++)
            if (begins(R, fm, k, q))
                R->list[fm->group[R->col[q]] + 1]++;
    add_up(R->list, fm->groups);
    if (!(R->group_row = fxi_alloc(R->list[fm->groups], sizeof *R->group_row))
        || !(R->first = fxi_alloc(R->list[fm->groups], sizeof *R->first)))
        return FX_ENOMEM;
    for (size_t k = 0; k < R->rows; k++)
        for (size_t q = R->ptr[k]; q < R->ptr[k + 1]; q++)
            if (begins(R, fm, k, q)) {
                size_t to = R->list[fm->group[R->col[q]]]++;
                R->group_row[to] = (int32_t)k;
                R->first[to] = q;
            }
    move_back(R->list, fm->groups);
    return FX_OK;
}

fx_status fxi_fm_cd_columns(fxi_fm_cd_rows *out, const fxi_fm_problem *p, fxi_team *team)
{
    fxi_fm_cd_rows R = {.cols = p->fm->cols};
    fx_status st = FX_ENOMEM;

    if (p->X->rows > INT32_MAX)
        return fxi_error(FX_ESHAPE, "%zu rows are too many for coordinate descent", p->X->rows);
    if (!(R.pick = fxi_alloc(p->X->rows, sizeof *R.pick)))
        return FX_ENOMEM;
    for (size_t i = 0; i < p->X->rows; i++)
        if (p->c[i] > 0)
            R.pick[R.rows++] = (int32_t)i;
    order_rows(R.pick, R.rows, p->X);
    if ((R.ptr = fxi_zalloc(R.rows + 1, sizeof *R.ptr))
        && (R.top = fxi_zalloc(R.cols + 1, sizeof *R.top))) {
        bool other = count(&R, p, team);
        R.entries = R.ptr[R.rows];
        if (fxi_parallel_cancelled(team))
            st = FX_ECANCELLED;
        else if ((R.col = fxi_alloc(R.entries, sizeof *R.col))
                 && (R.row = fxi_alloc(R.entries + FXI_FM_CD_AHEAD, sizeof *R.row))
                 && (!other
                     || ((R.x = fxi_alloc(R.entries, sizeof *R.x))
                         && (R.cx = fxi_alloc(R.entries, sizeof *R.cx))))) {
            memset(R.row + R.entries, 0, FXI_FM_CD_AHEAD * sizeof *R.row);
            fill(&R, p, team);
            st = fxi_parallel_cancelled(team) ? FX_ECANCELLED : cut(&R);
            if (!st && p->fm->group)
                st = list(&R, p->fm);
        }
    }
    if (st)
        fxi_fm_cd_columns_free(&R);
    else
        *out = R;
    return st;
}
