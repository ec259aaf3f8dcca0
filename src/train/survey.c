/* SPDX-License-Identifier: BSD-3-Clause
 * survey.c - what a fit has to know of all rows before it begins, when they come in parts: how many
 * there are, how wide, which classes, the largest number of each column.
 *
 * All of it is in a table of a few rows, one for each class, the first with the largest numbers of
 * all columns.  Prepared with these rows instead of all, a fit gets the same classes, columns and
 * scaling. */

#include "train/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES = (1 << 16) + 1 };       /* more are an error that labels.c reports */

/* ---- Classes ------------------------------------------------------------------------------ */

static int compare(const fxi_survey_class *a, const char *name, double x)
{
    return name ? strcmp(a->name, name) : (a->x > x) - (a->x < x);
}

/* Where the class is, or belongs. */
size_t fxi_train_survey_class(const fxi_survey *s, const char *name, double x)
{
    size_t low = 0, high = s->classes;

    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (compare(&s->class[mid], name, x) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static fx_status add_class(fxi_survey *s, const char *name, double x)
{
    size_t at = fxi_train_survey_class(s, name, x);

    if (at < s->classes && compare(&s->class[at], name, x) == 0)
        return FX_OK;
    if (s->classes == CLASSES)
        return FX_OK;
    if (s->classes == s->class_room) {
        size_t room = s->class_room ? 2 * s->class_room : 8;
        fxi_survey_class *more = fxi_realloc(s->class, room, sizeof *more);
        if (!more)
            return FX_ENOMEM;
        s->class = more;
        s->class_room = room;
    }
    char *copy = name ? fxi_alloc(strlen(name) + 1, 1) : NULL;
    if (name && !copy)
        return FX_ENOMEM;
    if (name)
        strcpy(copy, name);
    memmove(s->class + at + 1, s->class + at, (s->classes - at) * sizeof *s->class);
    s->class[at] = (fxi_survey_class){x, copy};
    s->classes++;
    return FX_OK;
}

/* Labels of a table are of few kinds, so the last one is mostly the same. */
static fx_status add_labels(fxi_survey *s, const fx_table *t)
{
    double last = NAN;
    fx_status st = FX_OK;

    for (size_t i = 0; i < t->rows && !st; i++) {
        double x = t->label[i] + 0.0;   /* -0 is 0 */
        if (x == last || (t->weight && t->weight[i] == 0))
            continue;
        st = t->classes ? add_class(s, t->class_name[(size_t)x], 0) : add_class(s, NULL, x);
        last = x;
    }
    return st;
}

/* ---- Columns ------------------------------------------------------------------------------ */

static fx_status widen(fxi_survey *s, size_t cols, const fx_run *run)
{
    if (cols <= s->cols)
        return FX_OK;
    fx_status st = fxi_memory_check(run, cols * sizeof *s->largest, "columns seen");
    if (st)
        return st;
    double *more = fxi_realloc(s->largest, cols, sizeof *more);
    if (!more)
        return FX_ENOMEM;
    memset(more + s->cols, 0, (cols - s->cols) * sizeof *more);
    s->largest = more;
    s->cols = cols;
    return FX_OK;
}

typedef struct scan {
    fxi_survey *s;
    const fx_table *t;
    const fx_matrix *X;
    size_t first;                       /* row of t that is the first of X */
} scan;

static fx_status scan_rows(void *ctx, size_t b, fxi_team *team)
{
    const scan *a = ctx;
    size_t i = b * FXI_PASS_BLOCK, end = a->X->rows - i < FXI_PASS_BLOCK ? a->X->rows
                                                                         : i + FXI_PASS_BLOCK;

    for (; i < end && !fxi_parallel_cancelled(team); i++) {
        fxi_row r = fxi_data_row(a->X, i);
        for (size_t q = 0; q < r.n && (!a->t->weight || a->t->weight[a->first + i] > 0); q++) {
            double x = fabs(fxi_row_value(r, q)), *max = a->s->largest + fxi_row_column(r, q);
            *max = x > *max ? x : *max;
        }
    }
    return FX_OK;
}

/* Names of columns, of the widest table. */
static fx_status keep_names(fxi_survey *s, const fx_table *t)
{
    size_t bytes = 0;

    if (!t->name || s->named == t->cols)
        return FX_OK;
    for (size_t j = 0; j < t->cols; j++)
        bytes += strlen(t->name[j]) + 1;
    const char **name = fxi_alloc(t->cols, sizeof *name);
    char *text = fxi_alloc(bytes, 1);
    if (!name || !text) {
        fxi_free(name, text);
        return FX_ENOMEM;
    }
    fxi_free(s->name, s->text);
    s->name = name;
    s->text = text;
    s->named = t->cols;
    for (size_t j = 0; j < t->cols; j++) {
        name[j] = strcpy(text, t->name[j]);
        text += strlen(text) + 1;
    }
    return FX_OK;
}

/* ---- The survey --------------------------------------------------------------------------- */

static fx_status check_alike(fxi_survey *s, const fx_table *t)
{
    bool sparse = false, dense = false;

    for (size_t b = 0; b < t->blocks; b++) {
        *(t->block[b].ptr ? &sparse : &dense) = true;
        s->doubles |= t->block[b].type == FX_F64;
    }
    if (!s->rows) {
        s->sparse = sparse;
        s->texts = t->classes;
        s->labelled = t->label;
        s->base = t->base;
    }
    if (sparse && dense)
        return fxi_error(FX_EUNSUPPORTED, "a part has dense and sparse rows");
    if (s->sparse != sparse || s->labelled != (t->label != NULL)
        || (t->label && s->texts != (t->classes > 0)))
        return fxi_error(FX_EINVAL, "row %llu (from 0): %s, those above it are not",
                         (unsigned long long)s->rows,
                         s->sparse != sparse               ? sparse ? "rows are sparse"
                                                                    : "rows are dense"
                         : s->labelled != (t->label != NULL) ? t->label ? "rows have labels"
                                                                        : "rows have no labels"
                         : t->classes                      ? "labels are texts"
                                                           : "labels are numbers");
    if (!sparse && s->rows && t->cols != s->cols)
        return fxi_error(FX_ESHAPE, "row %llu (from 0) has %zu columns, those above it have %zu",
                         (unsigned long long)s->rows, t->cols, s->cols);
    return FX_OK;
}

fx_status fxi_train_survey_add(fxi_survey *s, const fx_table *t, bool classes, const fx_run *run)
{
    fx_status st = check_alike(s, t);
    size_t first = 0;

    if (st || (st = widen(s, t->cols, run)) || (st = keep_names(s, t))
        || (classes && t->label && (st = add_labels(s, t))))
        return st;
    for (size_t b = 0; b < t->blocks && !st; b++) {
        const fx_matrix *X = &t->block[b];
        scan a = {s, t, X, first};
        st = fxi_parallel_ordered(X->rows / FXI_PASS_BLOCK + 1, scan_rows, &a, run);
        s->numbers += fxi_data_stored(X);
        first += X->rows;
    }
    for (size_t i = 0; i < t->rows && t->weight && !s->weighty; i++)
        s->weighty = t->weight[i] > 0;
    s->weighty |= !t->weight && t->rows;
    s->rows += t->rows;
    return st;
}

void fxi_train_survey_free(fxi_survey *s)
{
    for (size_t k = 0; k < s->classes; k++)
        free(s->class[k].name);
    fxi_free(s->class, s->largest, s->name, s->text);
    *s = (fxi_survey){0};
}

static fx_status fill(fx_data *d, const fxi_survey *s, size_t rows, size_t entries)
{
    int64_t *ptr = fxi_data_alloc(d, rows + 1, sizeof *ptr);
    int64_t *col = fxi_data_alloc(d, entries, sizeof *col);
    double *val = fxi_data_alloc(d, s->sparse ? entries : rows * s->cols, sizeof *val);
    double *label = fxi_data_alloc(d, rows, sizeof *label);
    const char **name = fxi_data_alloc(d, rows, sizeof *name);
    fx_matrix *X = fxi_data_alloc(d, 1, sizeof *X);

    if (!ptr || !col || !val || !label || !name || !X)
        return FX_ENOMEM;
    ptr[0] = 0;
    for (size_t j = 0, n = 0; j < s->cols && s->sparse; j++)
        if (s->largest[j] > 0) {
            val[n] = s->largest[j];
            col[n++] = (int64_t)j;
        }
    if (!s->sparse) {
        memset(val, 0, rows * s->cols * sizeof *val);
        memcpy(val, s->largest, s->cols * sizeof *val);
    }
    for (size_t k = 0; k < rows; k++) {
        ptr[k + 1] = (int64_t)entries;
        label[k] = s->texts || !s->classes ? (double)k : s->class[k].x;
        name[k] = s->texts ? s->class[k].name : NULL;
    }
    *X = (fx_matrix){.rows = rows, .cols = s->cols, .stride = s->sparse ? 0 : s->cols,
                     .type = FX_F64, .wide = s->sparse, .val = val,
                     .ptr = s->sparse ? ptr : NULL, .col = s->sparse ? col : NULL};
    d->table = (fx_table){.rows = rows, .cols = s->cols, .blocks = 1, .block = X,
                          .label = s->labelled ? label : NULL,
                          .classes = s->texts && s->classes ? rows : 0,
                          .class_name = s->texts && s->classes ? name : NULL,
                          .name = s->named == s->cols ? s->name : NULL, .base = s->base};
    return FX_OK;
}

fx_status fxi_train_survey_table(fx_data **out, const fxi_survey *s)
{
    size_t rows = s->classes ? s->classes : 1, entries = 0;
    fx_data *d;

    if (!s->rows)
        return fxi_error(FX_EINVAL, "there are no rows");
    if (!s->weighty)
        return fxi_error(FX_EINVAL, "the weights of all %llu rows are zero",
                         (unsigned long long)s->rows);
    for (size_t j = 0; j < s->cols; j++)
        entries += s->largest[j] > 0;
    if (!(d = fxi_data_new()))
        return FX_ENOMEM;
    fx_status st = fill(d, s, rows, entries);
    if (st)
        fx_data_free(d);
    else
        *out = d;
    return st;
}
