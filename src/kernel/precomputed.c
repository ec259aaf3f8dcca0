/* SPDX-License-Identifier: BSD-3-Clause
 * precomputed.c - rows that are rows of a Gram matrix: K(x_i, x_j) is number j of row i.
 *
 * LIBSVM's text has the serial number of a row, from 1, in column 0, followed by the matrix:
 * serial=yes.  Nothing is computed, only looked up: directly in a dense row, and in a sparse one if
 * no zero is left out before the number, else by bisection. */

#include "kernel/kernel.h"

#include <math.h>

enum { ROWS = 64 };                     /* rows in a block */

fx_status fxi_kernel_precomputed_reject(const fx_kernel *k, const char *what)
{
    if (!fxi_kernel_is_precomputed(k))
        return FX_OK;
    return fxi_error(FX_EUNSUPPORTED,
                     "precomputed: the rows are a Gram matrix already, they do not give %s", what);
}

static size_t offset(const fx_kernel *k, const fx_matrix *X)
{
    return k->serial < 0 ? X->cols == X->rows + 1 : (size_t)k->serial;
}

static double at(fxi_row r, size_t j)
{
    size_t low = 0, high = r.n;

    if (r.n == 0)
        return 0;
    if (!r.col32 && !r.col64)
        return fxi_row_value(r, j);
    if (j < r.n && fxi_row_column(r, j) == (int64_t)j)
        return fxi_row_value(r, j);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (fxi_row_column(r, middle) < (int64_t)j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < r.n && fxi_row_column(r, low) == (int64_t)j ? fxi_row_value(r, low) : 0;
}

/* ---- Reading -------------------------------------------------------------------------------- */

typedef struct reading {
    float *const *K;
    double *S;
    const double *W;
    size_t outputs;
    fxi_row_subset x, z;
    size_t offset;
} reading;

/* Checks that there are columns for all rows of `of`. */
static fx_status check_range(const fx_matrix *X, fxi_row_subset of, size_t before)
{
    for (size_t i = 0; i < of.n; i++)
        if (fxi_row_subset_at(of, i) >= X->cols - (X->cols < before ? X->cols : before))
            return fxi_error(FX_ESHAPE,
                             "a precomputed kernel with %zu columns has none for row %zu (from 0)",
                             X->cols, fxi_row_subset_at(of, i));
    return FX_OK;
}

static fx_status row_block(void *ctx, size_t w, fxi_team *team)
{
    const reading *a = ctx;
    fxi_row r = fxi_data_row(a->z.X, fxi_row_subset_at(a->z, w));

    for (size_t i = 0; i < a->x.n && !fxi_data_stopped(i, team); i++) {
        double v = at(r, a->offset + fxi_row_subset_at(a->x, i));
        if (!isfinite((float)v))
            return fxi_error(FX_ENUMERIC,
                             "precomputed: %g for row %zu and row %zu (from 0) is no finite float",
                             v, fxi_row_subset_at(a->z, w), fxi_row_subset_at(a->x, i));
        a->K[w][i] = (float)v;
    }
    return FX_OK;
}

fx_status fxi_kernel_precomputed_rows(float *const *K, const fx_kernel *k, fxi_row_subset x,
                                      fxi_row_subset z, const fx_run *run)
{
    reading a = {.K = K, .x = x, .z = z, .offset = offset(k, z.X)};
    fx_status st = check_range(z.X, x, a.offset);
    fx_run how = fxi_parallel_run(run, (double)x.n * (double)z.n);

    return st ? st : fxi_parallel(z.n, row_block, &a, &how);
}

fx_status fxi_kernel_precomputed_diagonal(double *d, const fx_kernel *k, fxi_row_subset x,
                                          const fx_run *run)
{
    size_t before = offset(k, x.X);
    fx_status st = check_range(x.X, x, before);

    (void)run;
    for (size_t i = 0; i < x.n && !st; i++)
        d[i] = at(fxi_data_row(x.X, fxi_row_subset_at(x, i)), before + fxi_row_subset_at(x, i));
    return st;
}

static fx_status score_block(void *ctx, size_t b, fxi_team *team)
{
    const reading *a = ctx;
    size_t end = a->x.n - b * ROWS < ROWS ? a->x.n : (b + 1) * ROWS;

    for (size_t i = b * ROWS; i < end && !fxi_parallel_cancelled(team); i++) {
        fxi_row r = fxi_data_row(a->x.X, fxi_row_subset_at(a->x, i));
        double *s = a->S + i * a->outputs;
        for (size_t c = 0; c < a->outputs; c++)
            s[c] = 0;
        for (size_t w = 0; w < a->z.n; w++) {
            double v = at(r, a->offset + fxi_row_subset_at(a->z, w));
            for (size_t c = 0; c < a->outputs; c++)
                s[c] += v * a->W[w * a->outputs + c];
        }
    }
    return FX_OK;
}

fx_status fxi_kernel_precomputed_score(double *S, const fx_kernel *k, fxi_row_subset x,
                                       fxi_row_subset z, const double *W, size_t outputs,
                                       const fx_run *run)
{
    reading a = {.S = S, .W = W, .outputs = outputs, .x = x, .z = z, .offset = offset(k, x.X)};
    fx_status st = check_range(x.X, z, a.offset);
    fx_run how = fxi_parallel_run(run, (double)x.n * (double)z.n * (double)outputs);

    return st ? st : fxi_parallel((x.n + ROWS - 1) / ROWS, score_block, &a, &how);
}

/* ---- Checking ------------------------------------------------------------------------------- */

static fx_status check_block(void *ctx, size_t b, fxi_team *team)
{
    const reading *a = ctx;
    const fx_matrix *X = a->x.X;
    size_t end = X->rows - b * ROWS < ROWS ? X->rows : (b + 1) * ROWS;

    for (size_t i = b * ROWS; i < end && !fxi_parallel_cancelled(team); i++) {
        fxi_row r = fxi_data_row(X, i);
        double serial = a->offset ? at(r, 0) : 0;
        if (a->offset && serial != (double)i + 1)
            return fxi_error(FX_EDOMAIN,
                             "precomputed: row %zu (from 0) has serial number %g, not %zu; all "
                             "rows of the matrix are needed, in order",
                             i, serial, i + 1);
        for (size_t j = 0; j < i; j++) {
            double u = at(r, a->offset + j), v = at(fxi_data_row(X, j), a->offset + i);
            if (!(fabs(u - v) <= 1e-6 * fmax(fabs(u), fabs(v))))
                return fxi_error(FX_EDOMAIN,
                                 "precomputed: not symmetric, %g for row %zu and row %zu (from 0), "
                                 "%g for row %zu and row %zu",
                                 u, i, j, v, j, i);
        }
    }
    return FX_OK;
}

fx_status fxi_kernel_precomputed_check(const fx_kernel *k, const fx_matrix *X, const fx_run *run)
{
    reading a = {.x = {X, NULL, X->rows}, .offset = offset(k, X)};

    if (X->cols != X->rows + a.offset)
        return fxi_error(FX_ESHAPE,
                         "precomputed: %zu rows need %zu columns, or one more with serial numbers, "
                         "not %zu",
                         X->rows, X->rows, X->cols);
    return fxi_parallel((X->rows + ROWS - 1) / ROWS, check_block, &a, run);
}

static const fx_key keys[] = {
    {"serial", "auto", FXI_CHOICE("auto|no|yes"), "yes: column 0 numbers the rows from 1"}, {0}};

static fx_status init(fx_kernel *k, const fxi_spec *s, const char *family, int base)
{
    int choice;
    fx_status st = fxi_key_choice(&choice, s, keys, "serial");

    (void)family, (void)base;
    if (!st)
        k->serial = choice - 1;
    return st;
}

const fxi_kernel_type fxi_kernel_precomputed = {
    .name = "precomputed",
    .help = "rows are rows of a Gram matrix",
    .keys = keys, .init = init};
