/* SPDX-License-Identifier: BSD-3-Clause
 * sparse.c - the same where the components are sparse vectors: only columns that occur in a
 * vector together have a weight.
 *
 * A level holds the vectors that have all columns chosen so far, with their products.  Columns to
 * follow are those of these vectors; in the last place their sums are formed in one pass over them.
 * Cost, without bounds: the combinations of each vector, summed over vectors. */

#include "explain/explain.h"

#include <math.h>
#include <stdlib.h>

fx_status fxi_explain_sparse_workspace(fxi_explain_walk *w, const fxi_explain_field *f)
{
    size_t levels = (size_t)f->t + 1;

    w->q = fxi_alloc(levels * f->S, sizeof *w->q);
    w->component = fxi_alloc(levels * f->S, sizeof *w->component);
    w->sum = fxi_zalloc(f->n, sizeof *w->sum);
    w->touched = fxi_alloc(levels * f->n, sizeof *w->touched);
    w->mark = fxi_zalloc(f->n, 1);
    return w->q && w->component && w->sum && w->touched && w->mark ? FX_OK : FX_ENOMEM;
}

/* First entry of component s at position `from` or after it. */
static size_t find(const fxi_explain_field *f, int32_t s, size_t from)
{
    size_t low = f->row[s], high = f->row[s + 1];

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((size_t)f->rank[middle] < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Columns from `from` on of the level's n vectors, ascending, to touched; their sums to w->sum. */
static size_t gather(fxi_explain_walk *w, int level, size_t n, size_t from)
{
    const fxi_explain_field *f = w->f;
    const int32_t *component = w->component + (size_t)level * f->S;
    const double *q = w->q + (size_t)level * f->S;
    int32_t *touched = w->touched + (size_t)level * f->n;
    size_t found = 0;

    for (size_t k = 0; k < n; k++) {
        size_t first = find(f, component[k], from), end = f->row[component[k] + 1];
        w->work += FXI_EXPLAIN_ENTRY * ((double)(end - first) + 8);
        for (size_t e = first; e < end; e++) {
            int32_t i = f->rank[e];
            if (!w->mark[i]) {
                w->mark[i] = 1;
                w->sum[i] = 0;
                touched[found++] = i;
            }
            w->sum[i] += q[k] * f->row_value[e];
        }
    }
    for (size_t k = 0; k < found; k++)
        w->mark[touched[k]] = 0;
    if (found)
        qsort(touched, found, sizeof *touched, fxi_explain_ascending);
    return found;
}

/* The level's vectors that have column i too, one level down; how many. */
static size_t narrow(fxi_explain_walk *w, int level, size_t n, size_t i)
{
    const fxi_explain_field *f = w->f;
    const int32_t *above = w->component + (size_t)level * f->S;
    const double *q = w->q + (size_t)level * f->S;
    int32_t *component = w->component + (size_t)(level + 1) * f->S;
    double *next = w->q + (size_t)(level + 1) * f->S;
    size_t found = 0, e = f->ptr[i], k = 0;

    w->work += FXI_EXPLAIN_ENTRY * (double)(n + f->ptr[i + 1] - e);
    while (k < n && e < f->ptr[i + 1])
        if (above[k] < f->component[e])
            k++;
        else if (above[k] > f->component[e])
            e++;
        else {
            component[found] = above[k];
            next[found++] = q[k++] * f->value[e++];
        }
    return found;
}

static double reach_of(const fxi_explain_walk *w, int level, size_t n, int rest)
{
    const fxi_explain_field *f = w->f;
    const int32_t *component = w->component + (size_t)level * f->S;
    const double *q = w->q + (size_t)level * f->S, *reach = f->reach + (size_t)rest * f->S;
    double sum = 0;

    for (size_t k = 0; k < n; k++)
        sum += q[k] * q[k] * reach[component[k]];
    return sqrt(sum) * FXI_EXPLAIN_SLACK;
}

static void descend(fxi_explain_walk *w, int level, size_t n, size_t from)
{
    const fxi_explain_field *f = w->f;
    int rest = f->t - level;
    double reach = reach_of(w, level, n, rest);

    if (!fxi_explain_walk_count(w, 0) || !n || from >= f->n
        || reach * f->norm[from] < fxi_explain_walk_min(w))
        return;
    const int32_t *touched = w->touched + (size_t)level * f->n;
    size_t found = gather(w, level, n, from);
    for (size_t k = 0; k < found && !w->status && !w->stopped; k++) {
        size_t i = (size_t)touched[k];
        double min_weight = fxi_explain_walk_min(w);
        if (reach * f->norm[i] < min_weight)
            return;
        if ((rest == 1 && fabs(w->sum[i]) * FXI_EXPLAIN_SLACK < min_weight)
            || !fxi_explain_weight_joins(f, w->chosen, level, i))
            continue;
        w->chosen[level] = touched[k];
        if (rest == 1)
            w->status = fxi_explain_weight_offer(f, w->chosen, NULL, &w->top);
        else
            descend(w, level + 1, narrow(w, level, n, i), f->part->repeats ? i : i + 1);
    }
}

fx_status fxi_explain_sparse(fxi_explain_walk *w, size_t first)
{
    const fxi_explain_field *f = w->f;
    size_t n = f->ptr[first + 1] - f->ptr[first];
    int32_t *component = w->component + f->S;
    double *q = w->q + f->S;

    for (size_t k = 0; k < n; k++) {
        component[k] = f->component[f->ptr[first] + k];
        q[k] = f->lambda[component[k]] * f->value[f->ptr[first] + k];
    }
    w->chosen[0] = (int32_t)first;
    descend(w, 1, n, f->part->repeats ? first : first + 1);
    return w->status;
}
