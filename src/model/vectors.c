/* SPDX-License-Identifier: BSD-3-Clause
 * vectors.c - a kernel machine keeps the rows of training that have a weight other than 0, in their
 * order, sparse ones sparse, floats as floats; all else is dropped.
 *
 * Where the rows are those of a Gram matrix there is nothing to keep: the machine is linear in
 * their columns, one for each row of training.
 *
 * Cost: one pass; numbers are moved to their new places within the memory that they have. */

#include "model/model.h"

#include <stdlib.h>
#include <string.h>

static bool is_kept(const fxi_machine *a, size_t i, size_t rows, size_t outputs)
{
    const double *now = a->sum, *sum = a->sum ? a->sum + (rows + 1) * outputs : NULL;

    for (size_t e = i * outputs; e < (i + 1) * outputs; e++)
        if (a->weights[e] != 0 || (now && (now[e] != 0 || sum[e] != 0)))
            return true;
    return false;
}

typedef struct marking {
    size_t *kept;
    const fxi_machine *a;
    size_t rows, outputs;
} marking;

static fx_status mark(void *ctx, size_t i, fxi_team *team)
{
    const marking *m = ctx;

    (void)team;
    m->kept[i] = is_kept(m->a, i, m->rows, m->outputs);
    return FX_OK;
}

/* Rows [n] of [..][outputs] numbers of 8 bytes, ascending, to the front of `to`, which may be where
 * they are. */
static void gather(void *to, const void *from, const size_t *row, size_t n, size_t outputs)
{
    size_t each = 8 * outputs;

    for (size_t i = 0; i < n; i++)
        memmove((char *)to + i * each, (const char *)from + row[i] * each, each);
}

/* The model owns p, shortened. */
static fx_status hand_over(void *out, fx_model *m, void *p, size_t numbers)
{
    void *less = fxi_realloc(p, numbers ? numbers : 1, 8);
    fx_status st = fxi_model_own(m, less ? less : p);

    if (!st)
        memcpy(out, &(void *){less ? less : p}, sizeof(void *));
    return st;
}

static fx_status keep_rows(fxi_train *t, fxi_machine *a, const size_t *row, size_t n,
                           const fx_run *run)
{
    fx_model *m = t->m;
    size_t rows = t->source.rows, outputs = t->outputs, half = (n + 1) * outputs;
    fx_table table = {.rows = t->X.rows, .cols = t->X.cols, .blocks = 1, .block = &t->X};
    fx_status st = fxi_data_select(&m->kept, &table, row, n, false, run);

    if (st)
        return st;
    m->c.vectors = m->kept->table.block[0];
    m->c.features = m->c.support = n;
    gather(a->weights, a->weights, row, n, outputs);
    st = hand_over(&m->c.weights, m, a->weights, n * outputs);
    a->weights = NULL;
    if (!st && a->sum) {
        double *sum = a->sum, *below = sum + (rows + 1) * outputs;
        gather(sum, sum, row, n, outputs);
        memmove(sum + n * outputs, sum + rows * outputs, 8 * outputs);
        gather(sum + half, below, row, n, outputs);
        memmove(sum + half + n * outputs, below + rows * outputs, 8 * outputs);
        st = hand_over(&m->sum, m, sum, 2 * half);
        a->sum = NULL;
        if (!st) {
            gather(a->age, a->age, row, n, outputs);
            st = hand_over(&m->age, m, a->age, n * outputs);
            a->age = NULL;
        }
    }
    return st;
}

static fx_status keep_columns(fxi_train *t, const fxi_machine *a)
{
    fx_model *m = t->m;
    size_t outputs = t->outputs;
    double *w = fxi_zalloc(m->c.cols * outputs, sizeof *w);
    fx_status st = fxi_model_own(m, w);

    if (st)
        return st;
    memcpy(w + t->serial * outputs, a->weights, t->source.rows * outputs * sizeof *w);
    m->c.weights = w;
    m->c.features = m->c.cols;
    return FX_OK;
}

fx_status fxi_model_vectors(fxi_train *t, fxi_machine *a, const fx_run *run)
{
    size_t rows = t->source.rows, n = 0, *row = fxi_alloc(rows, sizeof *row);
    fx_status st = row ? fxi_parallel(rows, mark, &(marking){row, a, rows, t->outputs}, run)
                       : FX_ENOMEM;

    for (size_t i = 0; i < rows && !st; i++)
        if (row[i])
            row[n++] = i;
    if (!st)
        st = t->m->exact ? keep_rows(t, a, row, n, run) : keep_columns(t, a);
    t->m->c.support = n;
    free(row);
    free(a->weights);
    free(a->sum);
    free(a->age);
    *a = (fxi_machine){0};
    return st;
}
