/* SPDX-License-Identifier: BSD-3-Clause
 * scale.c - columns or rows brought to a common size; zeros stay zeros.
 *
 *   maxabs   x_ij f_j,  f_j = 1 / max_i |x_ij|                     result in [-1, 1]
 *   std      x_ij f_j,  f_j = 1 / s_j,  s_j^2 = sum_i (x_ij - mean_j)^2 / n,  absent zeros counted
 *   unit-l1  x_ij / sum_j |x_ij|
 *   unit-l2  x_ij / sqrt(sum_j x_ij^2)
 *   none     a copy
 *   auto     maxabs if some |x_ij| > 1, else none: a rule for fitting, never a fitted scaling
 *
 * Weights of the table count: a row of weight 0 has no effect, and in std a row of weight 3 counts
 * three times (n is then the sum of the weights).
 * A column without spread (std) or of zeros (maxabs) and a row of zeros are left as they are.  The
 * scaled table is one block of doubles, each product or quotient rounded once; `none` keeps types.
 *
 * Accuracy: f_j of maxabs is rounded once, and x f_j once more, which cannot leave [-1, 1].  For
 * std three passes are made: range, mean, and deviations from the mean (columns.c) with the
 * correction
 *
 *   n s^2 = sum (x - a)^2 - (sum (x - a))^2 / n        for the computed mean a        [1]
 *
 * If a is off by k s, k <= n u max|x|/s, then sum (x - a)^2 = n s^2 (1 + k^2) is computed with the
 * relative error (n + 3) u, and what is subtracted, n k^2 s^2, with at most
 * 2 n u n k s^2 (1 + k^2)^(1/2), so that the relative error of s^2 is at most (n + 5) u (1 + 2k)^2:
 * a large mean does no harm.
 * Numbers are first divided by a power of two near the largest of their column or row, which is
 * exact, so that no square overflows; f_j is at most DBL_MAX.
 *
 * Cost: one pass (maxabs) or three (std) over the table, 24 bytes (std: 136) for each column; row
 * scalings are fitted for free.
 *
 * [1] T. Chan, G. Golub, R. LeVeque. Algorithms for computing the sample variance.
 *     The American Statistician 37 (1983). */

#include "data/data.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NONE, MAXABS, STD, UNIT_L1, UNIT_L2, AUTO };
static const struct { const char *name, *help; } table[] = {
    {"none", "rows as they are"}, {"maxabs", "columns to [-1, 1]: divided by their largest number"},
    {"std", "columns divided by their standard deviation; not centred, so that zeros stay zeros"},
    {"unit-l1", "rows to L1 norm 1"}, {"unit-l2", "rows to L2 norm 1"},
    {"auto", "maxabs if a number is above 1 or below -1, else none"}};
enum { SCALINGS = sizeof table / sizeof *table };
static const fx_key no_keys[] = {{0}};

static fx_description line(size_t i)
{
    return i < SCALINGS ? fxi_spec_describe(table[i].name, table[i].help, no_keys)
                        : (fx_description){0};
}

struct fx_scale {
    size_t kind;                        /* position in the table */
    size_t cols;
    double *factor;                     /* [cols], NULL for none and row scalings */
};

static bool of_columns(size_t kind) { return kind == MAXABS || kind == STD; }

static fx_status parse(size_t *kind, const char *spec)
{
    fxi_spec s;

    return fxi_spec_read(&s, kind, spec, line, "scaling");
}

const char *fx_data_scale_name(size_t i) { return line(i).name; }

fx_status fx_data_scale_describe(fx_description *out, const char *spec)
{
    size_t kind;

    if (!out)
        return fxi_error(FX_EINVAL, "fx_data_scale_describe: out is NULL");
    fx_status st = fxi_sized_check(out, "fx_description");
    if (!st && !(st = parse(&kind, spec)))
        fxi_spec_give(out, line(kind));
    return st;
}

static fx_scale *scale_new(size_t kind, size_t cols)
{
    fx_scale *s = fxi_zalloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->kind = kind;
    if (of_columns(kind)) {
        s->cols = cols;
        s->factor = fxi_alloc(cols, sizeof *s->factor);
        if (!s->factor) {
            free(s);
            return NULL;
        }
    }
    return s;
}

/* ---- Fitting columns ---------------------------------------------------------------------- */

typedef struct ranging {
    fxi_rows rows;
    double *low, *high;                 /* [cols] of the stored numbers; low > high: none */
} ranging;

static fx_status range_piece(void *ctx, size_t p, fxi_team *team)
{
    const ranging *f = ctx;
    const fx_table *t = f->rows.t;
    size_t i = p * f->rows.piece, end = t->rows - i < f->rows.piece ? t->rows : i + f->rows.piece;

    for (; i < end && !fxi_parallel_cancelled(team); i++) {
        fxi_row r = fxi_data_rows_at(&f->rows, i);
        for (size_t q = 0; q < r.n && (!t->weight || t->weight[i] > 0); q++) {
            size_t j = (size_t)fxi_row_column(r, q);
            double x = fxi_row_value(r, q);
            f->low[j] = x < f->low[j] ? x : f->low[j];
            f->high[j] = x > f->high[j] ? x : f->high[j];
        }
    }
    return FX_OK;
}

static double larger(double a, double b) { return a > b ? a : b; }

static double largest(double low, double high)
{
    return low <= high ? larger(fabs(low), fabs(high)) : 0;
}

static double limited(double factor) { return factor < DBL_MAX ? factor : DBL_MAX; }

/* The sums of all rows, as they are asked for, and what follows from them. */
typedef struct deviating {
    size_t cols;
    const double *low, *high;
    double *sum;                        /* [2 cols + 1] */
    double *unit, *mean, *unit_of_y;    /* [cols] */
    double *zeros;                      /* [cols] weight of rows that store nothing */
} deviating;

static void set_means(const deviating *d)
{
    double n = d->sum[2 * d->cols];

    for (size_t j = 0; j < d->cols; j++) {
        double mean = n > 0 ? d->sum[j] / n : 0, y = 0;
        d->zeros[j] = larger(n - d->sum[d->cols + j], 0);
        if (d->low[j] <= d->high[j])
            y = larger(fabs(d->low[j] * d->unit[j] - mean), fabs(d->high[j] * d->unit[j] - mean));
        d->unit_of_y[j] = fxi_data_columns_unit(d->zeros[j] > 0 ? larger(y, fabs(mean)) : y);
        d->mean[j] = mean;
    }
}

static double std_factor(const deviating *d, size_t j)
{
    double n = d->sum[2 * d->cols], zeros = d->zeros[j], v = d->unit_of_y[j];
    double low = d->low[j], high = d->high[j], zero = d->mean[j] * v;   /* less its deviation */
    double deviation = d->sum[j] - zeros * zero;
    double square = d->sum[d->cols + j] + zeros * zero * zero - deviation * deviation / n;
    bool spread = low < high || (zeros > 0 && low <= high && low != 0);

    return spread && square > 0 ? limited(d->unit[j] * (v / sqrt(square / n))) : 1;
}

fx_status fxi_data_scale_std(fx_scale **out, const double *low, const double *high, size_t cols,
                             fxi_columns_ask *ask, void *ctx, const fx_run *run)
{
    size_t numbers = fxi_data_columns_numbers(cols);
    fx_status st = FX_OK;
    double *x = fxi_alloc_within(&st, numbers + 4 * cols, sizeof *x, run, "fitting a scaling");
    fx_scale *s = st ? NULL : scale_new(STD, cols);

    if (!s) {
        free(x);
        return st ? st : FX_ENOMEM;
    }
    deviating d = {.cols = cols, .low = low, .high = high, .sum = x, .unit = x + numbers};
    d.mean = d.unit + cols;
    d.unit_of_y = d.mean + cols;
    d.zeros = d.unit_of_y + cols;
    for (size_t j = 0; j < cols; j++)
        d.unit[j] = fxi_data_columns_unit(largest(low[j], high[j]));
    fxi_column_sums a = {.cols = cols, .unit = d.unit};
    if (!(st = ask(ctx, d.sum, &a, run))) {
        set_means(&d);
        a.mean = d.mean;
        st = ask(ctx, d.sum, &a, run);
    }
    for (size_t j = 0; j < cols && !st; j++)
        s->factor[j] = std_factor(&d, j);
    free(x);
    if (st)
        fx_data_scale_free(s);
    else
        *out = s;
    return st;
}

static fx_status fit_columns(fx_scale **out, size_t kind, const fx_table *t, const fx_run *run)
{
    ranging f = {.low = NULL};
    fx_scale *s = NULL;
    fx_status st = fxi_data_rows(&f.rows, t);

    if (!st && !(f.low = fxi_alloc(t->cols, 2 * sizeof *f.low)))
        st = FX_ENOMEM;
    if (!st) {
        f.high = f.low + t->cols;
        for (size_t j = 0; j < t->cols; j++) {
            f.low[j] = INFINITY;
            f.high[j] = -INFINITY;
        }
        st = fxi_parallel_ordered(f.rows.pieces, range_piece, &f, run);
    }
    if (!st && kind == STD)
        st = fxi_data_scale_std(&s, f.low, f.high, t->cols, fxi_data_columns_table,
                                (void *)(uintptr_t)t, run);
    else if (!st && !(s = scale_new(kind, t->cols)))
        st = FX_ENOMEM;
    for (size_t j = 0; !st && j < t->cols && kind == MAXABS; j++) {
        double m = largest(f.low[j], f.high[j]);
        s->factor[j] = m > 0 ? limited(1 / m) : 1;
    }
    fxi_free(f.low, f.rows.start);
    if (!st)
        *out = s;
    return st;
}

/* Nothing as wide as the table is allocated before. */
static fx_status check_memory(const fx_table *t, const fx_run *run)
{
    size_t bytes;

    if (!fxi_size_mul(&bytes, t->cols, 3 * sizeof(double)))
        return fxi_error(FX_ESHAPE, "the table has %zu columns: too many", t->cols);
    return fxi_memory_check(run, bytes, "fitting a scaling");
}

/* A factor below 1 means that the column has a number beyond 1. */
static void resolve_auto(fx_scale *s)
{
    for (size_t j = 0; j < s->cols; j++)
        if (s->factor[j] < 1)
            return;
    free(s->factor);
    *s = (fx_scale){.kind = NONE};
}

fx_status fx_data_scale_fit(fx_scale **out, const char *spec, const fx_table *t, const fx_run *run)
{
    size_t kind;
    fx_status st = parse(&kind, spec);
    bool automatic = !st && kind == AUTO;

    if (automatic)
        kind = MAXABS;
    if (!st)
        st = fxi_data_check_table(t, run);
    if (!st && !out)
        st = fxi_error(FX_EINVAL, "no place is given for the scaling");
    if (!st && of_columns(kind))
        st = check_memory(t, run);
    if (st)
        return st;
    fx_scale *s = NULL;
    if (of_columns(kind))
        st = fit_columns(&s, kind, t, run);
    else if (!(s = scale_new(kind, 0)))
        st = FX_ENOMEM;
    if (!st && automatic)
        resolve_auto(s);
    if (st)
        fx_data_scale_free(s);
    else
        *out = s;
    return st;
}

fx_status fx_data_scale_restore(fx_scale **out, const char *spec, const double *factor, size_t cols)
{
    size_t kind;
    fx_status st = parse(&kind, spec);

    if (st)
        return st;
    if (kind == AUTO)
        return fxi_error(FX_EINVAL, "auto is a rule to fit a scaling by; a fitted one is maxabs or "
                                    "none");
    if (!out || (of_columns(kind) && cols && !factor))
        return fxi_error(FX_EINVAL, out ? "%s needs factors" : "no place is given for %s",
                         table[kind].name);
    if (!of_columns(kind) && cols)
        return fxi_error(FX_EINVAL, "%s has no factors, but %zu are given", table[kind].name, cols);
    for (size_t j = 0; j < cols; j++)
        if (!(factor[j] > 0 && factor[j] <= DBL_MAX))
            return fxi_error(FX_EINVAL, "factor %zu of %s is %g; it must be positive and finite", j,
                             table[kind].name, factor[j]);
    fx_scale *s = scale_new(kind, cols);
    if (!s)
        return FX_ENOMEM;
    if (cols)
        memcpy(s->factor, factor, cols * sizeof *factor);
    *out = s;
    return FX_OK;
}

const char *fx_data_scale_spec(const fx_scale *s) { return table[s->kind].name; }

const double *fx_data_scale_columns(const fx_scale *s, size_t *cols)
{
    if (cols)
        *cols = s->cols;
    return s->factor;
}

void fx_data_scale_free(fx_scale *s)
{
    if (!s)
        return;
    free(s->factor);
    free(s);
}

/* ---- Applying ----------------------------------------------------------------------------- */

/* All numbers of the row divided by its norm, both in units of a power of two. */
static void unit_row(double *x, size_t n, size_t kind)
{
    double max = 0, norm = 0;

    for (size_t q = 0; q < n; q++)
        max = larger(max, fabs(x[q]));
    if (!(max > 0))
        return;
    double unit = fxi_data_columns_unit(max);
    for (size_t q = 0; q < n; q++) {
        x[q] *= unit;
        norm += kind == UNIT_L1 ? fabs(x[q]) : x[q] * x[q];
    }
    if (kind == UNIT_L2)
        norm = sqrt(norm);
    for (size_t q = 0; q < n; q++)
        x[q] /= norm;
}

fx_status fxi_data_scale_row(double *x, const fx_scale *s, fxi_row r, size_t i)
{
    if (!of_columns(s->kind)) {
        unit_row(x, r.n, s->kind);
        return FX_OK;
    }
    for (size_t q = 0; q < r.n; q++) {
        double factor = s->factor[fxi_row_column(r, q)], y = x[q] * factor;
        if (!isfinite(y))
            return fxi_error(FX_ENUMERIC, "row %zu, column %lld (from 0): %g times %g overflows", i,
                             (long long)fxi_row_column(r, q), x[q], factor);
        x[q] = y;
    }
    return FX_OK;
}

bool fxi_data_scale_none(const fx_scale *s) { return s->kind == NONE; }

typedef struct applying {
    const fx_scale *s;
    const fx_matrix *X;                 /* the copy, of doubles: scaled in place */
    double *val;
    size_t piece;
} applying;

static fx_status apply_piece(void *ctx, size_t block, fxi_team *team)
{
    const applying *a = ctx;
    const fx_matrix *X = a->X;
    size_t first = block * a->piece, last = X->rows - first < a->piece ? X->rows : first + a->piece;
    fx_status st = FX_OK;

    for (size_t i = first; i < last && !st && !fxi_parallel_cancelled(team); i++) {
        fxi_row r = fxi_data_row(X, i);
        if (r.n)
            st = fxi_data_scale_row(a->val + (r.f64 - (const double *)X->val), a->s, r, i);
    }
    return st;
}

fx_status fx_data_scale_apply(fx_data **out, const fx_scale *s, const fx_table *t,
                              const fx_run *run)
{
    fx_status st = fxi_data_check_table(t, run);
    fx_data *d;
    fxi_rows rows;

    if (st)
        return st;
    if (!out || !s)
        return fxi_error(FX_EINVAL, s ? "no place is given for the rows" : "no scaling is given");
    if (of_columns(s->kind) && t->cols > s->cols)
        return fxi_error(FX_ESHAPE, "the table has %zu columns, the scaling %zu", t->cols, s->cols);
    if ((st = fxi_data_select(&d, t, NULL, 0, s->kind != NONE, run)))
        return st;
    if (s->kind != NONE && !(st = fxi_data_rows(&rows, &d->table))) {
        const fx_matrix *X = d->table.block;
        applying a = {s, X, (double *)(uintptr_t)X->val, rows.piece};
        st = fxi_parallel(rows.pieces, apply_piece, &a, run);
        free(rows.start);
    }
    if (st)
        fx_data_free(d);
    else
        *out = d;
    return st;
}
