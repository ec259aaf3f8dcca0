/* SPDX-License-Identifier: BSD-3-Clause
 * missing.c - missing numbers, which are NaN in rows: learns from a table what to fill them with,
 * and fills rows.
 *
 *   zero     0
 *   mean     sum_i w_i x_ij / sum_i w_i          over the rows i that have a number in column j
 *   median   half of the weight of these rows has no larger number, half no smaller one; if that
 *            holds for two numbers, their middle
 *   drop     rows with a NaN are left out
 *
 * w are the weights of the table; rows of weight 0 are ignored.  A zero that a sparse row does not
 * store is a number.  A column without any number is filled with 0.  `indicator` adds a column for
 * each one that has a NaN in the table: 1 where that is missing, else 0.
 *
 * Filled rows have the type of the given ones, so that a row gets the same bits alone and among
 * others: floats get the fill value rounded to float.
 *
 * Accuracy: a mean is a sum of n products, |error| <= (n + 2) u sum_i w_i |x_ij| / sum_i w_i.
 * Cost: a pass over the table, 48 bytes for each column.  mean: another pass (columns.c).  median:
 * another pass for each GROUP numbers, which are sorted column by column. */

#include "data/data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP = 1 << 22 };               /* numbers that are sorted at a time: 128 MiB */

/* ---- Specs ------------------------------------------------------------------------------- */

static const struct { const char *spec; fxi_missing_how how; bool marked; } table[] = {
    {"error", FXI_MISSING_ERROR, false}, {"drop", FXI_MISSING_DROP, false},
    {"zero", FXI_MISSING_ZERO, false}, {"mean", FXI_MISSING_MEAN, false},
    {"median", FXI_MISSING_MEDIAN, false}, {"zero,indicator", FXI_MISSING_ZERO, true},
    {"mean,indicator", FXI_MISSING_MEAN, true}, {"median,indicator", FXI_MISSING_MEDIAN, true}};

fx_status fxi_data_missing_read(fxi_missing *out, const char *spec)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(spec ? spec : "error", table[i].spec)) {
            *out = (fxi_missing){.spec = i ? table[i].spec : "", .how = table[i].how,
                                 .marked = table[i].marked};
            return FX_OK;
        }
    return fxi_error(FX_EINVAL,
                     "missing values: there is no '%.60s'; there are error, drop, zero, mean, "
                     "median, zero,indicator, mean,indicator and median,indicator",
                     spec);
}

/* ---- Learning ---------------------------------------------------------------------------- */

typedef struct column {
    double weight;                      /* of its stored numbers */
    double stored;                      /* weight of rows that store something, NaN too */
    uint64_t missing;                   /* rows of positive weight that have NaN */
    size_t numbers, at;                 /* stored numbers; where the next one is put to be sorted */
} column;

typedef struct fitting {
    fxi_rows rows;
    column *column;
    double total;                       /* weight of all rows */
    double *fill;                       /* the largest |x| while rows are counted */
    /* median: columns [first, last), whose numbers are sorted at a time */
    size_t first, last;
    fxi_data_item *item, *scratch;
} fitting;

static double row_weight(const fx_table *t, size_t i) { return t->weight ? t->weight[i] : 1; }

static fx_status sum_piece(void *ctx, size_t p, fxi_team *team)
{
    fitting *f = ctx;
    const fx_table *t = f->rows.t;
    size_t i = p * f->rows.piece, end = t->rows - i < f->rows.piece ? t->rows : i + f->rows.piece;

    for (; i < end && !fxi_parallel_cancelled(team); i++) {
        fxi_row r = fxi_data_rows_at(&f->rows, i);
        double w = row_weight(t, i);
        f->total += w;
        for (size_t q = 0; q < r.n && w > 0; q++) {
            column *c = &f->column[fxi_row_column(r, q)];
            double x = fxi_row_value(r, q);
            c->stored += w;
            if (isnan(x)) {
                c->missing++;
                continue;
            }
            if (f->fill)
                f->fill[fxi_row_column(r, q)] = fmax(f->fill[fxi_row_column(r, q)], fabs(x));
            c->weight += w;
            c->numbers++;
        }
    }
    return FX_OK;
}

/* Weight of the rows that store nothing in the column: they have a 0 there. */
static double zeros(const fitting *f, const column *c) { return fmax(f->total - c->stored, 0); }

/* ---- Medians ----------------------------------------------------------------------------- */

static fx_status place_piece(void *ctx, size_t p, fxi_team *team)
{
    fitting *f = ctx;
    const fx_table *t = f->rows.t;
    size_t i = p * f->rows.piece, end = t->rows - i < f->rows.piece ? t->rows : i + f->rows.piece;

    for (; i < end && !fxi_parallel_cancelled(team); i++) {
        fxi_row r = fxi_data_rows_at(&f->rows, i);
        double w = row_weight(t, i);
        for (size_t q = 0; q < r.n && w > 0; q++) {
            size_t j = (size_t)fxi_row_column(r, q);
            double x = fxi_row_value(r, q);
            if (j < f->first || j >= f->last || isnan(x))
                continue;
            fxi_data_item *item = &f->item[f->column[j].at++];
            item->key.col = fxi_data_sort_number(x);
            item->with.x = w;
        }
    }
    return FX_OK;
}

typedef struct walk {                   /* over numbers in ascending order */
    double half, below, x;              /* weight to pass; of numbers so far; the last of them */
} walk;

/* One more number; true if it is the median, which is then w->x. */
static bool passes_half(walk *w, double x, double weight)
{
    if (!(weight > 0))
        return false;
    if (w->below + weight > w->half) {
        w->x = w->below == w->half ? w->x / 2 + x / 2 : x;
        return true;
    }
    w->below += weight;
    w->x = x;
    return false;
}

static fx_status set_median(void *ctx, size_t b, fxi_team *team)
{
    fitting *f = ctx;
    const size_t j = f->first + b;
    const column *c = &f->column[j];
    const size_t from = c->at - c->numbers;
    fxi_data_item *item = f->item + from;
    double zero = zeros(f, c);
    walk w = {.half = (c->weight + zero) / 2};
    bool found = false;
    fx_status st = fxi_data_sort(item, f->scratch + from, c->numbers, fxi_data_sort_ascending,
                                 team);

    for (size_t q = 0; q < c->numbers && !st && !found; q++) {
        double x = fxi_data_sort_value(item[q].key.col);
        if (x >= 0) {                   /* zeros that are not stored come before */
            found = passes_half(&w, 0, zero);
            zero = 0;
        }
        found = found || passes_half(&w, x, item[q].with.x);
    }
    if (!found && !st)
        passes_half(&w, 0, zero);
    f->fill[j] = w.x;
    return st;
}

/* Columns from f->first on, as many as fit GROUP numbers or one; all their medians. */
static fx_status set_group(fitting *f, const fx_run *run)
{
    size_t n = 0;

    for (f->last = f->first; f->last < f->rows.t->cols; f->last++) {
        column *c = &f->column[f->last];
        if (n && c->numbers > GROUP - (n < GROUP ? n : GROUP))
            break;
        c->at = n;
        n += c->numbers;
    }
    fx_status st = FX_OK;
    f->item = fxi_alloc_within(&st, n, 2 * sizeof *f->item, run, "numbers to find medians of");
    if (!st) {
        f->scratch = f->item + n;
        st = fxi_parallel_ordered(f->rows.pieces, place_piece, f, run);
    }
    if (!st)
        st = fxi_parallel(f->last - f->first, set_median, f, run);
    free(f->item);
    return st;
}

static fx_status set_medians(fitting *f, const fx_run *run)
{
    fx_status st = FX_OK;

    for (f->first = 0; f->first < f->rows.t->cols && !st; f->first = f->last)
        st = set_group(f, run);
    return st;
}

/* ---- What was found ---------------------------------------------------------------------- */

static fx_status list_columns(fxi_missing_found *out, const fitting *f)
{
    size_t cols = f->rows.t->cols;

    for (size_t j = 0; j < cols; j++) {
        out->columns += f->column[j].missing > 0;
        out->values += f->column[j].missing;
    }
    if (!(out->column = fxi_alloc(out->columns, sizeof *out->column)))
        return FX_ENOMEM;
    for (size_t j = 0, n = 0; j < cols; j++)
        if (f->column[j].missing)
            out->column[n++] = (int64_t)j;
    return FX_OK;
}

fx_status fxi_data_missing_fit(fxi_missing_found *out, const fxi_missing *m, const fx_table *t,
                               const fx_run *run)
{
    fitting f = {.column = NULL};
    bool learnt = m->how == FXI_MISSING_MEAN || m->how == FXI_MISSING_MEDIAN;
    fx_status st = fxi_data_rows(&f.rows, t);

    *out = (fxi_missing_found){0};
    if (st)
        return st;
    f.column = fxi_alloc_within(&st, t->cols, sizeof *f.column, run, "counting missing values");
    if (!st && learnt && !(f.fill = out->fill = fxi_zalloc(t->cols, sizeof *f.fill)))
        st = FX_ENOMEM;
    if (!st) {
        memset(f.column, 0, t->cols * sizeof *f.column);
        st = fxi_parallel_ordered(f.rows.pieces, sum_piece, &f, run);
    }
    if (!st && m->how == FXI_MISSING_MEAN)
        st = fxi_data_columns_means(f.fill, f.fill, t->cols, fxi_data_columns_table,
                                    (void *)(uintptr_t)t, run);
    if (!st && m->how == FXI_MISSING_MEDIAN)
        st = set_medians(&f, run);
    if (!st)
        st = list_columns(out, &f);
    free(f.column);
    free(f.rows.start);
    if (st)
        fxi_data_missing_free(out);
    return st;
}

void fxi_data_missing_free(fxi_missing_found *f)
{
    free(f->fill);
    free(f->column);
    *f = (fxi_missing_found){0};
}

/* ---- Rows that are left out -------------------------------------------------------------- */

bool fxi_data_missing_in(const fxi_missing *m, fxi_row r)
{
    for (size_t q = 0; q < r.n; q++)
        if (isnan(fxi_row_value(r, q)))
            return (uint64_t)fxi_row_column(r, q) < m->inputs;
    return false;
}

typedef struct listing {
    fxi_rows rows;
    const fxi_missing *m;
    size_t *row, n;
} listing;

static fx_status list_piece(void *ctx, size_t p, fxi_team *team)
{
    listing *l = ctx;
    size_t rows = l->rows.t->rows, piece = l->rows.piece;
    size_t i = p * piece, end = rows - i < piece ? rows : i + piece;

    for (; i < end && !fxi_parallel_cancelled(team); i++)
        if (!fxi_data_missing_in(l->m, fxi_data_rows_at(&l->rows, i)))
            l->row[l->n++] = i;
    return FX_OK;
}

fx_status fxi_data_missing_rows(size_t **out, size_t *n, const fxi_missing *m, const fx_table *t,
                                const fx_run *run)
{
    listing l = {.m = m};
    fx_status st = fxi_data_rows(&l.rows, t);

    if (st)
        return st;
    if (!(l.row = fxi_alloc(t->rows, sizeof *l.row)))
        st = FX_ENOMEM;
    if (!st)
        st = fxi_parallel_ordered(l.rows.pieces, list_piece, &l, run);
    free(l.rows.start);
    if (st) {
        free(l.row);
        return st;
    }
    *out = l.row;
    *n = l.n;
    return FX_OK;
}

/* ---- Filling ----------------------------------------------------------------------------- */

typedef struct filling {
    const fxi_missing *m;
    void *val;
    fx_type type;                       /* of val */
    int64_t *col;                       /* NULL: columns stay where they are */
    size_t to;                          /* the next number */
    uint64_t beyond;
} filling;

#define COUNT_NAN(v, n) \
    size_t count = 0; \
    for (size_t q = 0; q < (n); q++) \
        count += (v)[q] != (v)[q]; \
    return count

static size_t nan_floats(const float *v, size_t n) { COUNT_NAN(v, n); }
static size_t nan_doubles(const double *v, size_t n) { COUNT_NAN(v, n); }

static size_t count_missing(const fx_matrix *X, fxi_team *team)
{
    size_t n = 0;

    for (size_t i = 0; i < X->rows && !fxi_parallel_cancelled(team); i++) {
        fxi_row r = fxi_data_row(X, i);
        n += r.f32 ? nan_floats(r.f32, r.n) : nan_doubles(r.f64, r.n);
    }
    return n;
}

static void put(filling *f, int64_t j, double x)
{
    if (f->type == FX_F32)
        ((float *)f->val)[f->to] = (float)x;
    else
        ((double *)f->val)[f->to] = x;
    if (f->col)
        f->col[f->to] = j;
    f->to++;
}

/* A column beyond the inputs would be taken for an indicator, so it is left out here.  Without
 * indicators it stays, and is left out where the model's width is known. */
static fx_status put_numbers(filling *f, fxi_row r)
{
    const fxi_missing *m = f->m;
    bool left_out = m->how == FXI_MISSING_DROP && fxi_data_missing_in(m, r);

    for (size_t q = 0; q < r.n; q++) {
        int64_t j = fxi_row_column(r, q);
        double x = fxi_row_value(r, q);
        bool inside = (uint64_t)j < m->inputs;
        if (!inside && m->indicators) {
            f->beyond += x != 0;
            continue;
        }
        if (isnan(x) && inside) {
            x = m->fill ? m->fill[j] : 0;
            if (f->type == FX_F32 && isinf((float)x))
                return fxi_error(FX_ENUMERIC,
                                 "column %lld is filled with %g, which no float holds; "
                                 "give the rows as doubles",
                                 (long long)j, x);
        }
        put(f, j, left_out && inside ? 0 : x);
    }
    return FX_OK;
}

/* Sparse rows hold the indicators that are 1, dense ones all of them. */
static void put_indicators(filling *f, fxi_row r)
{
    const fxi_missing *m = f->m;
    bool sparse = f->col != NULL;
    size_t next = 0;                    /* dense: the first that is not yet there */

    for (size_t q = 0; q < r.n; q++) {
        int64_t j = fxi_row_column(r, q);
        if (!isnan(fxi_row_value(r, q)) || (uint64_t)j >= m->inputs)
            continue;
        size_t k = fxi_data_sort_place(m->indicator, m->indicators, j);
        if (k == m->indicators || m->indicator[k] != j)
            continue;
        for (; !sparse && next < k; next++)
            put(f, 0, 0);
        put(f, (int64_t)(m->inputs + k), 1);
        next = k + 1;
    }
    for (; !sparse && next < m->indicators; next++)
        put(f, 0, 0);
}

/* Memory for a copy of X, which is given numbers later; *view describes it. */
static fx_status make_copy(fx_matrix *view, filling *f, int64_t **ptr, const fx_matrix *X,
                           size_t missing, fxi_scratch *scratch, const fx_run *run)
{
    const fxi_missing *m = f->m;
    size_t n, bytes, each = X->type == FX_F32 ? 4 : 8, columns = X->ptr && m->indicators ? 8 : 0;
    bool fits = X->ptr ? fxi_size_add(&n, fxi_data_stored(X), columns ? missing : 0)
                       : fxi_size_mul(&n, X->rows, m->inputs + m->indicators);

    if (!fits || !fxi_size_mul(&bytes, n, each + columns))
        return fxi_error(FX_ESHAPE, "%zu rows of %zu columns: too large", X->rows,
                         m->inputs + m->indicators);
    fx_status st = fxi_memory_check(run, bytes, "rows without missing values");
    if (st)
        return st;
    if (!(f->val = fxi_scratch_take(scratch, n, each))
        || (columns && !(f->col = fxi_scratch_take(scratch, n, columns)))
        || (X->ptr && !(*ptr = fxi_scratch_take(scratch, X->rows + 1, sizeof **ptr))))
        return FX_ENOMEM;
    *view = (fx_matrix){.rows = X->rows, .cols = X->cols, .type = X->type, .val = f->val,
                        .ptr = *ptr};
    if (m->indicators)
        view->cols = m->inputs + m->indicators;
    if (!X->ptr)
        view->stride = view->cols;
    else if (columns) {
        view->wide = 1;
        view->col = f->col;
    } else {
        view->wide = X->wide;
        view->col = (const char *)X->col + (size_t)X->ptr[0] * (X->wide ? 8 : 4);
    }
    return FX_OK;
}

fx_status fxi_data_missing_fill(fx_matrix *view, uint64_t *beyond, const fxi_missing *m,
                                const fx_matrix *X, fxi_scratch *scratch, const fx_run *run,
                                fxi_team *team)
{
    filling f = {.m = m, .type = X->type};
    int64_t *ptr = NULL;
    size_t missing = count_missing(X, team);

    *view = *X;
    if (m->indicators)
        view->cols = m->inputs + m->indicators;
    if (!missing && (!m->indicators || (X->ptr && X->cols <= m->inputs)))
        return FX_OK;
    fx_status st = make_copy(view, &f, &ptr, X, missing, scratch, run);
    if (ptr)
        ptr[0] = 0;
    for (size_t i = 0; i < X->rows && !st && !fxi_parallel_cancelled(team); i++) {
        fxi_row r = fxi_data_row(X, i);
        st = put_numbers(&f, r);
        put_indicators(&f, r);
        if (ptr)
            ptr[i + 1] = (int64_t)f.to;
    }
    *beyond += f.beyond;
    return st;
}
