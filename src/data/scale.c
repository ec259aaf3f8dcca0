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
 * std three passes are made: range, mean, and deviations from the mean with the correction
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
 * Cost: one pass (maxabs) or three (std) over the table, 56 bytes for each column; row scalings
 * are fitted for free.
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

typedef struct column {
    uint64_t stored;                    /* rows that store a number; the others hold zeros */
    double weight;                      /* of those rows */
    double low, high;                   /* of the stored numbers */
    double unit;                        /* 2^-e with |x| unit < 1 */
    double mean;                        /* of x unit; the sum while pass 1 runs */
    double deviation, square;           /* sums of x unit - mean and of its square */
} column;

enum { RANGE, MEAN, SPREAD };

typedef struct fitting {
    fxi_rows rows;
    column *column;
    uint64_t counted;                   /* rows that have a weight */
    double weight;                      /* of all rows */
} fitting;

static void visit(column *c, size_t pass, double x, double w)
{
    if (pass == RANGE) {
        c->low = c->stored && c->low < x ? c->low : x;
        c->high = c->stored && c->high > x ? c->high : x;
        c->stored++;
        c->weight += w;
    } else if (pass == MEAN)
        c->mean += w * (x * c->unit);
    else {
        double y = x * c->unit - c->mean;
        c->deviation += w * y;
        c->square += w * (y * y);
    }
}

static double larger(double a, double b) { return a > b ? a : b; }

/* 2^-e for 2^(e-1) <= x < 2^e; kept finite when x is subnormal. */
static double unit_of(double x)
{
    int e;

    frexp(x, &e);
    return ldexp(1, -e > 1023 ? 1023 : -e);
}

static void end_pass(column *c, size_t pass, const fitting *f)
{
    double zeros = c->stored < f->counted ? f->weight - c->weight : 0;

    if (pass == RANGE) {
        if (c->stored < f->counted) {
            c->low = c->low < 0 ? c->low : 0;
            c->high = c->high > 0 ? c->high : 0;
        }
        c->unit = unit_of(larger(fabs(c->low), fabs(c->high)));
    } else if (pass == MEAN)
        c->mean /= f->weight;
    else {
        c->deviation -= zeros * c->mean;
        c->square += zeros * c->mean * c->mean;
    }
}

/* Block b is a piece of rows in pass b / pieces; the last piece of a pass closes it. */
static fx_status fit_piece(void *ctx, size_t block, fxi_team *team)
{
    fitting *f = ctx;
    const fx_table *t = f->rows.t;
    size_t pass = block / f->rows.pieces, first = block % f->rows.pieces * f->rows.piece;
    size_t last = t->rows - first < f->rows.piece ? t->rows : first + f->rows.piece;

    for (size_t i = first; i < last && !fxi_parallel_cancelled(team); i++) {
        fxi_row r = fxi_data_rows_at(&f->rows, i);
        double w = t->weight ? t->weight[i] : 1;
        for (size_t q = 0; q < r.n && w > 0; q++)
            visit(&f->column[fxi_row_column(r, q)], pass, fxi_row_value(r, q), w);
        f->counted += pass == RANGE && w > 0;
        f->weight += pass == RANGE ? w : 0;
    }
    if (last == t->rows)
        for (size_t j = 0; j < t->cols; j++)
            end_pass(&f->column[j], pass, f);
    return FX_OK;
}

static double factor_of(const column *c, size_t kind, double n)
{
    double f;

    if (kind == MAXABS) {
        double m = larger(fabs(c->low), fabs(c->high));
        f = m > 0 ? 1 / m : 1;
    } else {
        double square = c->square - c->deviation * c->deviation / n;
        f = c->low < c->high && square > 0 ? c->unit / sqrt(square / n) : 1;
    }
    return f < DBL_MAX ? f : DBL_MAX;
}

static fx_status fit_columns(fx_scale *s, const fx_table *t, const fx_run *run)
{
    fitting f = {.column = NULL};
    size_t passes = s->kind == MAXABS ? 1 : 3;
    fx_status st = fxi_data_rows(&f.rows, t);

    if (!st && !(f.column = fxi_zalloc(t->cols, sizeof *f.column)))
        st = FX_ENOMEM;
    if (!st)
        st = fxi_parallel_ordered(passes * f.rows.pieces, fit_piece, &f, run);
    for (size_t j = 0; !st && j < t->cols; j++)
        s->factor[j] = factor_of(&f.column[j], s->kind, f.weight);
    free(f.column);
    free(f.rows.start);
    return st;
}

/* Nothing as wide as the table is allocated before. */
static fx_status check_memory(const fx_table *t, const fx_run *run)
{
    size_t bytes;

    if (!fxi_size_mul(&bytes, t->cols, sizeof(column) + sizeof(double)))
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
    fx_scale *s = scale_new(kind, t->cols);
    if (!s)
        return FX_ENOMEM;
    if (of_columns(kind))
        st = fit_columns(s, t, run);
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
    double largest = 0, norm = 0;

    for (size_t q = 0; q < n; q++)
        largest = larger(largest, fabs(x[q]));
    if (!(largest > 0))
        return;
    double unit = unit_of(largest);
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
