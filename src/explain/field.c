/* SPDX-License-Identifier: BSD-3-Clause
 * field.c - one order of a part, packed for the search: columns by falling norm
 *
 *   n_j = sqrt(sum_s |lambda_s| p_js^2),
 *
 * in panels of FXI_LANES columns, or (sparse vectors) by columns and by components. */

#include "explain/explain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct keyed {
    double norm;
    size_t at;                          /* position in c */
} keyed;

typedef struct packing {
    fxi_explain_field *f;
    const fxi_explain_part *a;
    fxi_explain_columns c;
    keyed *by_norm;                     /* [c.n] falling */
    double *p;                          /* [S] of one column */
} packing;

void fxi_explain_field_free(fxi_explain_field *f)
{
    free(f->column);
    free(f->group);
    free(f->norm);
    free(f->lambda);
    free(f->largest);
    free(f->reach);
    free(f->P);
    free(f->ptr);
    free(f->row);
    free(f->component);
    free(f->rank);
    free(f->value);
    free(f->row_value);
    *f = (fxi_explain_field){0};
}

/* ---- Norms ------------------------------------------------------------------------------- */

static double by(const packing *l, size_t i) { return l->c.x ? l->c.x[i] : 1; }

/* Adds |p| of component s to its t largest, which fall. */
static void add_largest(fxi_explain_field *f, size_t s, double p)
{
    double *to = f->largest + s;

    for (int i = 0; i < f->t && p > 0; i++, to += f->S)
        if (f->part->repeats)
            *to = fmax(*to, p);
        else if (p > *to) {
            double smaller = *to;
            *to = p;
            p = smaller;
        }
}

static double norm_of(const packing *l, size_t i)
{
    const fxi_explain_field *f = l->f;
    const fxi_explain_part *a = l->a;
    size_t j = l->c.column[i], first = a->sparse ? a->ptr[j] : 0;
    size_t last = a->sparse ? a->ptr[j + 1] : f->S;
    double sum = 0;

    if (a->group && a->group[j] < 0)
        return 0;
    if (!a->sparse)
        a->read(l->p, a, j);
    for (size_t e = first; e < last; e++) {
        size_t s = a->sparse ? (size_t)a->component[e] : e;
        double p = (a->sparse ? a->value[e] : l->p[e]) * by(l, i);
        if (f->lambda[s] == 0)
            continue;
        add_largest(l->f, s, fabs(p));
        sum += fabs(f->lambda[s]) * p * p;
    }
    return sqrt(sum);
}

static int falling(const void *a, const void *b)
{
    const keyed *x = a, *y = b;

    return x->norm != y->norm ? (x->norm > y->norm ? -1 : 1) : (x->at > y->at) - (x->at < y->at);
}

static fx_status measure(void *ctx, size_t block, fxi_team *team)
{
    packing *l = ctx;
    keyed *k = l->by_norm;

    (void)block;
    l->f->n = 0;
    for (size_t i = 0; i < l->c.n && !fxi_parallel_cancelled(team); i++) {
        k[i] = (keyed){norm_of(l, i), i};
        l->f->n += k[i].norm > 0;
    }
    qsort(k, fxi_parallel_cancelled(team) ? 0 : l->c.n, sizeof *k, falling);
    return FX_OK;
}

/* ---- Layout ------------------------------------------------------------------------------ */

static void set_reach(fxi_explain_field *f)
{
    for (int r = 1; r <= f->t; r++)
        for (size_t s = 0; s < f->S; s++) {
            double a = fabs(f->lambda[s]), *to = f->reach + (size_t)r * f->S + s;
            double p = r == 1 ? 0 : f->largest[(size_t)(r - 2) * f->S + s];
            *to = !(a > 0) ? 0 : r == 1 ? 1 / a : to[-(ptrdiff_t)f->S] * p * p;
        }
}

static fx_status pack_panels(void *ctx, size_t block, fxi_team *team)
{
    packing *l = ctx;
    fxi_explain_field *f = l->f;

    (void)block;
    for (size_t i = 0; i < f->n && !fxi_parallel_cancelled(team); i++) {
        double *to = f->P + i / FXI_LANES * f->S * FXI_LANES + i % FXI_LANES;
        l->a->read(l->p, l->a, l->c.column[l->by_norm[i].at]);
        for (size_t s = 0; s < f->S; s++)
            to[s * FXI_LANES] = f->lambda[s] != 0 ? l->p[s] * by(l, l->by_norm[i].at) : 0;
    }
    return FX_OK;
}

static fx_status pack_sparse(fxi_explain_field *f, const packing *l)
{
    const fxi_explain_part *a = l->a;
    size_t stored = 0;

    for (size_t i = 0; i < f->n; i++) {
        size_t j = l->c.column[l->by_norm[i].at];
        stored += a->ptr[j + 1] - a->ptr[j];
    }
    f->ptr = fxi_zalloc(f->n + 1, sizeof *f->ptr);
    f->row = fxi_zalloc(f->S + 2, sizeof *f->row);
    f->component = fxi_alloc(stored, sizeof *f->component);
    f->rank = fxi_alloc(stored, sizeof *f->rank);
    f->value = fxi_alloc(stored, sizeof *f->value);
    f->row_value = fxi_alloc(stored, sizeof *f->row_value);
    if (!f->ptr || !f->row || !f->component || !f->rank || !f->value || !f->row_value)
        return FX_ENOMEM;
    size_t to = 0;
    for (size_t i = 0; i < f->n; i++) {
        size_t j = l->c.column[l->by_norm[i].at];
        for (size_t e = a->ptr[j]; e < a->ptr[j + 1]; e++) {
            int32_t s = a->component[e];
            if (f->lambda[s] == 0)
                continue;
            f->component[to] = s;
            f->value[to++] = a->value[e] * by(l, l->by_norm[i].at);
            f->row[s + 2]++;
        }
        f->ptr[i + 1] = to;
    }
    for (size_t s = 0; s < f->S; s++)
        f->row[s + 1] += f->row[s];     /* row[s + 1] runs from the begin of s to its end */
    for (size_t i = 0; i < f->n; i++)
        for (size_t e = f->ptr[i]; e < f->ptr[i + 1]; e++) {
            size_t at = f->row[f->component[e] + 1]++;
            f->rank[at] = (int32_t)i;
            f->row_value[at] = f->value[e];
        }
    return FX_OK;
}

static fx_status pack_columns(packing *l, const fx_run *run)
{
    fxi_explain_field *f = l->f;
    size_t numbers, n = f->n;

    f->panels = (n + FXI_LANES - 1) / FXI_LANES;
    f->column = fxi_alloc(n, sizeof *f->column);
    f->norm = fxi_zalloc(f->panels * FXI_LANES + 1, sizeof *f->norm);
    f->reach = fxi_zalloc((size_t)f->t + 1, f->S * sizeof *f->reach);
    f->group = l->a->group ? fxi_alloc(n, sizeof *f->group) : NULL;
    if (!f->column || !f->norm || !f->reach || (l->a->group && !f->group))
        return FX_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        f->column[i] = (int32_t)l->c.column[l->by_norm[i].at];
        f->norm[i] = l->by_norm[i].norm;
        if (f->group)
            f->group[i] = l->a->group[f->column[i]];
    }
    set_reach(f);
    if (l->a->sparse)
        return pack_sparse(f, l);
    if (!fxi_size_mul(&numbers, f->panels * FXI_LANES, f->S))
        return fxi_error(FX_ESHAPE, "%zu factors of %zu columns are too many", f->S, n);
    fx_status st = fxi_memory_check(run, numbers > SIZE_MAX / 8 ? SIZE_MAX : 8 * numbers,
                                    "factors of all columns");
    if (st)
        return st;
    if (!(f->P = fxi_zalloc(numbers, sizeof *f->P)))
        return FX_ENOMEM;
    return fxi_parallel_ordered(1, pack_panels, l, run);
}

fx_status fxi_explain_field_new(fxi_explain_field *f, const fxi_explain_part *a, int t,
                                fxi_explain_columns c, const fx_run *run)
{
    const double *lambda = fxi_explain_terms_lambda(a, t);
    packing l = {f, a, c, fxi_alloc(c.n, sizeof *l.by_norm), fxi_alloc(a->S, sizeof *l.p)};
    double all = 1;
    fx_status st = l.by_norm && l.p ? FX_OK : FX_ENOMEM;

    *f = (fxi_explain_field){.part = a, .t = t, .S = a->S};
    f->lambda = fxi_alloc(a->S, sizeof *f->lambda);
    f->largest = fxi_zalloc((size_t)t, a->S * sizeof *f->largest);
    if (!f->lambda || !f->largest)
        st = FX_ENOMEM;
    for (int i = 2; i <= t && a->repeats; i++)
        all *= i;
    for (size_t s = 0; s < a->S && !st; s++)
        f->lambda[s] = all * lambda[s];
    if (!st && !(st = fxi_parallel_ordered(1, measure, &l, run)))
        st = pack_columns(&l, run);
    free(l.by_norm);
    free(l.p);
    if (st)
        fxi_explain_field_free(f);
    return st;
}
