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
