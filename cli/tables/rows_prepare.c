/* SPDX-License-Identifier: BSD-3-Clause
 * rows_prepare.c - rows that were read: widened, scaled, put into one block, drawn. */

#include "tables.h"
#include "terminal/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void rows_replace(loaded *l, fx_data *data)
{
    fx_data_free(l->data);
    free(l->wide);
    l->wide = NULL;
    l->data = data;
    l->table = fx_data_table(data);
}

int rows_made(loaded *l, double start)
{
    l->table = fx_data_table(l->data);
    l->reading.rows = l->table.rows;
    l->reading.entries = (uint64_t)rows_stored(&l->table, 1);
    l->seconds = say_clock() - start;
    l->spec = strdup(MADE_ROWS);
    return l->spec ? 0 : say_no_memory("reading");
}

/* Views alone change: a sparse row says nothing of the columns that it lacks. */
fx_matrix *rows_wider(fx_table *t, size_t cols)
{
    fx_matrix *wide = malloc(t->blocks * sizeof *wide);

    for (size_t b = 0; b < t->blocks && wide; b++) {
        wide[b] = t->block[b];
        wide[b].cols = cols;
    }
    if (wide) {
        t->block = wide;
        t->cols = cols;
        t->name = NULL;                 /* there are none for the new columns */
    }
    return wide;
}

int rows_widen(loaded *l, size_t cols, const char *other)
{
    if (l->table.cols >= cols)
        return 0;
    if (!l->table.block[0].ptr)
        return say_error("%s has %zu columns, %s has %zu", l->name, l->table.cols, other, cols);
    l->wide = rows_wider(&l->table, cols);
    return l->wide ? 0 : say_no_memory("wider rows");
}

int rows_fit(fx_scale **out, const char *spec, const loaded *l)
{
    progress_begin("fit", "rows", (double)l->table.rows);
    fx_status st = fx_data_scale_fit(out, spec, &l->table, &cli.run);
    progress_end();
    return st ? say_failure(st) : 0;
}

int rows_scale(loaded *l, const fx_scale *scale)
{
    fx_data *scaled;

    progress_begin("scale", "rows", (double)l->table.rows);
    fx_status st = fx_data_scale_apply(&scaled, scale, &l->table, &cli.run);
    progress_end();
    if (st)
        return say_failure(st);
    rows_replace(l, scaled);
    return 0;
}

double rows_products(double n, int order)
{
    double sum = 0, product = 1;

    for (int t = 0; t < order; t++)
        sum += product *= (n - t) / (t + 1);
    return sum;
}

double rows_stored(const fx_table *t, int order)
{
    double sum = 0;

    for (size_t b = 0; b < t->blocks; b++) {
        const fx_matrix *X = &t->block[b];
        for (size_t i = 0; i < X->rows; i++)
            sum += rows_products((double)(X->ptr ? (size_t)(X->ptr[i + 1] - X->ptr[i]) : X->cols),
                                 order);
    }
    return sum;
}

typedef struct reaching {
    const char *spec;                   /* a literal of the library; NULL: no rows so far */
    double factor;                      /* of the column with the largest number; 0: none above 1 */
    size_t column;
} reaching;

static int look(void *ctx, const fx_table *t)
{
    reaching *r = ctx;
    fx_scale *scale = NULL;
    fx_data *filled = NULL;
    size_t cols;
    const char *missing = rows_missing_plan();
    fx_status st = missing ? fx_data_fill(&filled, missing, t, &cli.run) : FX_OK;

    if (!st) {
        fx_table whole = filled ? fx_data_table(filled) : *t;
        st = fx_data_scale_fit(&scale, "auto", &whole, &cli.run);
    }
    fx_data_free(filled);
    if (st)
        return say_failure(st);
    const double *factor = fx_data_scale_columns(scale, &cols);
    if (!r->spec || cols)
        r->spec = fx_data_scale_spec(scale);
    for (size_t j = 0; j < cols; j++)
        if (r->factor == 0 || factor[j] < r->factor) {
            r->factor = factor[j];
            r->column = j;
        }
    fx_data_scale_free(scale);
    return 0;
}

int rows_scaling(const char **out, const loaded *l, spill *s)
{
    const fx_table *t = &l->table;
    reaching r = {0};
    char number[32];
    int status = rows_each(l, s, look, &r);

    if (status)
        return status;
    *out = r.spec;
    snprintf(number, sizeof number, "%zu", r.column + (size_t)t->base);
    if (r.factor == 0)
        say_note("scaling: none, since all values are within -1 and 1");
    else
        say_note("scaling: %s (columns to [-1, 1]), since values reach %.6g in column %s", *out,
                 1 / r.factor, t->name ? t->name[r.column] : number);
    return 0;
}

int rows_join(loaded *l)
{
    fx_data *one;

    if (l->table.blocks == 1)
        return 0;
    fx_status st = fx_data_select(&one, &l->table, NULL, 0, &cli.run);
    if (st)
        return say_failure(st);
    rows_replace(l, one);
    return 0;
}

/* ---- A draw ------------------------------------------------------------------------------- */
int rows_draw(fx_data **out, const fx_table *t, size_t max_rows, uint64_t seed)
{
    size_t *row = malloc((t->rows ? t->rows : 1) * sizeof *row);

    if (!row)
        return say_no_memory("a draw of rows");
    fx_data_shuffle(row, t->rows, seed);
    fx_status s = fx_data_select(out, t, row, max_rows < t->rows ? max_rows : t->rows, &cli.run);
    free(row);
    return s ? say_failure(s) : 0;
}

int rows_choose(fx_data **out, const fx_table *t, size_t max_rows, uint64_t seed)
{
    size_t n = max_rows < t->rows ? max_rows : 0, *order = NULL;

    if (n) {
        if (!(order = malloc(t->rows * sizeof *order)))
            return say_no_memory("a sample of rows");
        fx_data_shuffle(order, t->rows, seed);
        qsort(order, n, sizeof *order, ascending_sizes);
    }
    fx_status s = fx_data_select(out, t, order, n, &cli.run);
    free(order);
    return s ? say_failure(s) : 0;
}

int rows_rescale(loaded *l, const char *spec)
{
    fx_scale *s = NULL;
    int status = 0;

    if (strcmp(spec, "none") != 0 && !(status = rows_fit(&s, spec, l)))
        status = rows_scale(l, s);
    fx_data_scale_free(s);
    return status;
}

int rows_ready(loaded *l, const char *path, const char *scale)
{
    int status = load(l, path, -1);

    if (status)
        return status;
    load_say(l);
    return (status = rows_rescale(l, scale)) ? status : rows_join(l);
}

fx_matrix rows_part(const fx_matrix *X, size_t first, size_t n)
{
    fx_matrix part = *X;

    part.rows = n;
    if (X->ptr)
        part.ptr += first;
    else if (X->val)
        part.val = (const char *)X->val
                   + first * X->stride * (X->type == FX_F64 ? sizeof(double) : sizeof(float));
    return part;
}
