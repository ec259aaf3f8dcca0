/* SPDX-License-Identifier: BSD-3-Clause
 * columns.c - sums over the rows of each column, for means and deviations.
 *
 *   sums of numbers:     sum_i w_i x_ij u_j,  sum_i w_i over the rows that store something in j, or
 *                        (missing) that have NaN there
 *   sums of deviations:  sum_i w_i y_ij,  sum_i w_i y_ij^2,  y_ij = (x_ij u_j - mean_j) v_j
 *   the last one:        sum_i w_i
 *
 * w are the weights of the table; u and v powers of two that bring the largest number of a column,
 * and its largest deviation, near to 1: no square overflows, and none is lost beside others.  NaN
 * and numbers that a sparse row does not store add nothing.
 *
 * Blocks of FX_PASS_BLOCK rows are added up in order, blocks exactly: rows that come in parts have
 * the same sums.  Cost: a visit to the rows, and 2 numbers for each column in every block. */

#include "data/data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double fxi_data_columns_unit(double largest)
{
    int e;

    frexp(largest, &e);
    return ldexp(1, -e > 1023 ? 1023 : -e);     /* finite also if it is subnormal */
}

typedef struct adding {
    const fxi_column_sums *a;
    fxi_rows rows;
    double *sum;                        /* of a block */
    fxi_sum *exact;
} adding;

static void add_numbers(double *sum, const fxi_column_sums *a, fxi_row r, double w)
{
    for (size_t q = 0; q < r.n; q++) {
        size_t j = (size_t)fxi_row_column(r, q);
        double x = fxi_row_value(r, q);
        sum[j] += isnan(x) ? 0 : w * (x * a->unit[j]);
        sum[a->cols + j] += !a->missing || isnan(x) ? w : 0;
    }
}

static void add_deviations(double *sum, const fxi_column_sums *a, fxi_row r, double w)
{
    for (size_t q = 0; q < r.n; q++) {
        size_t j = (size_t)fxi_row_column(r, q);
        double y = (fxi_row_value(r, q) * a->unit[j] - a->mean[j]) * a->mean[a->cols + j];
        sum[j] += w * y;
        sum[a->cols + j] += w * (y * y);
    }
}

static fx_status add_block(void *ctx, size_t b, fxi_team *team)
{
    const adding *k = ctx;
    const fx_table *t = k->rows.t;
    size_t numbers = fxi_data_columns_numbers(k->a->cols), i = b * FX_PASS_BLOCK;
    size_t end = t->rows - i < FX_PASS_BLOCK ? t->rows : i + FX_PASS_BLOCK;

    memset(k->sum, 0, numbers * sizeof *k->sum);
    for (; i < end && !fxi_parallel_cancelled(team); i++) {
        double w = t->weight ? t->weight[i] : 1;
        if (!(w > 0))
            continue;
        fxi_row r = fxi_data_rows_at(&k->rows, i);
        if (k->a->mean)
            add_deviations(k->sum, k->a, r, w);
        else
            add_numbers(k->sum, k->a, r, w);
        k->sum[numbers - 1] += w;
    }
    fxi_linalg_sum_add(k->exact, k->sum, numbers);
    return FX_OK;
}

fx_status fxi_data_columns_add(fxi_sum *exact, const fxi_column_sums *a, const fx_table *t,
                               const fx_run *run)
{
    adding k = {.a = a, .exact = exact};
    fx_status st = fxi_data_rows(&k.rows, t);

    if (st)
        return st;
    if (!(k.sum = fxi_alloc(fxi_data_columns_numbers(a->cols), sizeof *k.sum)))
        st = FX_ENOMEM;
    if (!st)
        st = fxi_parallel_ordered(t->rows / FX_PASS_BLOCK + (t->rows % FX_PASS_BLOCK > 0),
                                  add_block, &k, run);
    fxi_free(k.sum, k.rows.start);
    return st;
}

fx_status fxi_data_columns_table(void *table, double *sum, const fxi_column_sums *a,
                                 const fx_run *run)
{
    size_t numbers = fxi_data_columns_numbers(a->cols), blocks = fxi_sum_blocks(numbers);
    fx_status st = FX_OK;
    fxi_sum *exact = fxi_alloc_within(&st, blocks, sizeof *exact, run, "sums of columns");

    if (st)
        return st;
    fxi_linalg_sum_clear(exact, blocks);
    if (!(st = fxi_data_columns_add(exact, a, table, run)))
        fxi_linalg_sum_round(sum, exact, numbers);
    free(exact);
    return st;
}

fx_status fxi_data_columns_means(double *mean, const double *largest, size_t cols,
                                 fxi_columns_ask *ask, void *ctx, const fx_run *run)
{
    size_t numbers = fxi_data_columns_numbers(cols);
    fx_status st = FX_OK;
    double *sum = fxi_alloc_within(&st, numbers + cols, sizeof *sum, run, "means of columns");

    if (st)
        return st;
    double *unit = sum + numbers;
    for (size_t j = 0; j < cols; j++)
        unit[j] = fxi_data_columns_unit(largest[j]);
    st = ask(ctx, sum, &(fxi_column_sums){.cols = cols, .unit = unit, .missing = true}, run);
    for (size_t j = 0; j < cols && !st; j++) {
        double weight = sum[numbers - 1] - sum[cols + j];
        mean[j] = weight > 0 ? sum[j] / weight / unit[j] : 0;
        if (!isfinite(mean[j]))
            st = fxi_error(FX_ENUMERIC, "the mean of column %zu overflows", j);
    }
    free(sum);
    return st;
}
