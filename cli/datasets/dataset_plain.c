/* SPDX-License-Identifier: BSD-3-Clause
 * dataset_plain.c - sets that are files of rows with labels. */

#include "dataset.h"
#include "terminal/terminal.h"

#include <stdlib.h>

int dataset_plain_read(dataset_rows r[DATASET_PARTS], const dataset_spec *w)
{
    int status = dataset_files_rows(&r[DATASET_TRAIN], w, 0, "svmlight:base=1");

    if (!status && w->kind->file[1])
        status = dataset_files_rows(&r[DATASET_TEST], w, 1, "svmlight:base=1");
    return status;
}

int dataset_plain_covtype(dataset_rows r[DATASET_PARTS], const dataset_spec *w)
{
    return dataset_files_rows(&r[DATASET_TRAIN], w, 0, "csv:header=no,label=last");
}

/* ---- Nursery ------------------------------------------------------------------------------
 * Its 8 attributes are ordered: a column for each of their 27 values, or places from 0 to 1. */
enum { ATTRIBUTES = 8 };
static const int levels[ATTRIBUTES] = {3, 5, 4, 4, 3, 2, 3, 3};

/* What a 1 in column j says: attribute and place. */
static bool place(size_t j, size_t *attribute, double *x)
{
    size_t first = 0;

    for (size_t a = 0; a < ATTRIBUTES; first += (size_t)levels[a++])
        if (j < first + (size_t)levels[a]) {
            *attribute = a;
            *x = (double)(j - first) / (levels[a] - 1);
            return true;
        }
    return false;
}

static int fill(double *x, const fx_table *t, const char *file)
{
    for (size_t b = 0; b < t->blocks; b++) {
        const fx_matrix *X = &t->block[b];
        for (size_t i = 0; i < X->rows; i++, x += ATTRIBUTES)
            for (int64_t q = X->ptr[i]; q < X->ptr[i + 1]; q++) {
                size_t attribute, j = X->wide ? (size_t)((const int64_t *)X->col)[q]
                                              : (size_t)((const int32_t *)X->col)[q];
                double value;
                if (!place(j, &attribute, &value))
                    return say_error("%s: column %zu of 27", file, j + 1);
                x[attribute] = value;
            }
    }
    return 0;
}

int dataset_plain_nursery(dataset_rows r[DATASET_PARTS], const dataset_spec *w)
{
    dataset_rows hot[DATASET_PARTS] = {{0}};
    int status = dataset_plain_read(dataset_spec_is(w, "form", "onehot") ? r : hot, w);

    if (status || !hot->data)
        return status;
    fx_table t = hot->table;
    double *x = calloc(t.rows * ATTRIBUTES, sizeof *x);
    status = x ? fill(x, &t, w->kind->file[0]) : say_no_memory("rows");
    if (!status) {
        fx_matrix X = {.rows = t.rows, .cols = ATTRIBUTES, .stride = ATTRIBUTES, .type = FX_F64,
                       .val = x};
        t.cols = ATTRIBUTES;
        t.blocks = 1;
        t.block = &X;
        status = dataset_files_take(&r[DATASET_TRAIN], &t);
    }
    free(x);
    dataset_parts_drop(hot);
    return status;
}

/* ---- Splice -------------------------------------------------------------------------------
 * 60 letters as numbers from 1 to 4: a column for each letter of each place. */
enum { LETTERS = 4 };

static int spell(fx_matrix *X, int32_t *col, const char *file)
{
    for (int64_t q = 0; q < X->ptr[X->rows]; q++) {
        double v = X->type == FX_F32 ? ((const float *)X->val)[q] : ((const double *)X->val)[q];
        int64_t j = X->wide ? ((const int64_t *)X->col)[q] : ((const int32_t *)X->col)[q];
        if (!(v >= 1 && v <= LETTERS && v == (int)v) || j > INT32_MAX / LETTERS - 1)
            return say_error("%s: %g in column %lld; letters are numbers from 1 to %d", file, v,
                             (long long)j + 1, LETTERS);
        col[q] = (int32_t)j * LETTERS + (int32_t)v - 1;
    }
    X->cols *= LETTERS;
    X->wide = 0;
    X->col = col;
    X->type = FX_F32;
    return 0;
}

int dataset_plain_splice(dataset_rows r[DATASET_PARTS], const dataset_spec *w)
{
    dataset_rows letters[DATASET_PARTS] = {{0}};
    fx_data *one = NULL;
    int status = dataset_plain_read(letters, w);

    if (status)
        return status;
    fx_table t = letters[DATASET_TRAIN].table;
    if (!(status = rows_choose(&one, &t, 0, 1))) {   /* one block */
        t = fx_data_table(one);
        fx_matrix X = *t.block;
        size_t n = (size_t)X.ptr[X.rows];
        int32_t *col = malloc((n + 1) * sizeof *col);
        float *ones = malloc((n + 1) * sizeof *ones);
        status = col && ones ? spell(&X, col, w->kind->file[0]) : say_no_memory("rows");
        for (size_t q = 0; q < n && !status; q++)
            ones[q] = 1;
        X.val = ones;
        t.cols = X.cols;
        t.block = &X;
        if (!status)
            status = dataset_files_take(&r[DATASET_TRAIN], &t);
        free(col);
        free(ones);
    }
    fx_data_free(one);
    dataset_parts_drop(letters);
    return status;
}
