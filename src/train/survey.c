/* SPDX-License-Identifier: BSD-3-Clause
 * survey.c - what a fit has to know of all rows before it begins, when they come in parts: how many
 * there are, how wide, which classes or range of targets, the largest number of each column.
 *
 * All of it is in a table of a few rows, one for each class, or for the smallest and the largest
 * target; the first has the largest numbers of all columns, the second what is missing.  Prepared
 * with these rows instead of all, a fit gets the same classes, columns and scaling. */

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

fx_status fxi_train_survey_add_class(fxi_survey *s, const char *name, double x)
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
        st = t->classes ? fxi_train_survey_add_class(s, t->class_name[(size_t)x], 0)
                        : fxi_train_survey_add_class(s, NULL, x);
        last = x;
    }
    return st;
}

/* The range of targets; what is not finite is an error of a later pass. */
static void add_targets(fxi_survey *s, const fx_table *t)
{
    for (size_t i = 0; i < t->rows; i++) {
        double x = t->label[i];
        if ((t->weight && !(t->weight[i] > 0)) || !isfinite(x))
            continue;
        fxi_train_survey_add_target(s, x);
    }
}

void fxi_train_survey_add_target(fxi_survey *s, double x)
{
    s->least = s->targets ? fmin(s->least, x) : x;
    s->most = s->targets ? fmax(s->most, x) : x;
    s->targets = true;
}

/* ---- Columns ------------------------------------------------------------------------------ */

fx_status fxi_train_survey_widen(fxi_survey *s, size_t cols, const fx_run *run)
{
    if (cols <= s->cols)
        return FX_OK;
    double **array[] = {&s->low, &s->high, &s->missing, &s->missing_all};
    const double at_first[] = {INFINITY, -INFINITY, 0, 0};
    size_t arrays = s->holes ? 4 : 2;
    fx_status st = fxi_memory_check(run, arrays * cols * sizeof **array, "columns seen");
    for (size_t k = 0; k < arrays && !st; k++) {
        double *more = fxi_realloc(*array[k], cols, sizeof *more);
        if (!more)
            return FX_ENOMEM;
        for (size_t j = s->cols; j < cols; j++)
            more[j] = at_first[k];
        *array[k] = more;
    }
    s->cols = st ? s->cols : cols;
    return st;
}

double fxi_train_survey_largest(const fxi_survey *s, size_t j)
{
    return s->low[j] <= s->high[j] ? fmax(fabs(s->low[j]), fabs(s->high[j])) : 0;
}

typedef struct scan {
    fxi_survey *s;
    const fx_table *t;
    const fx_matrix *X;
    size_t first;                       /* row of t that is the first of X */
} scan;

static void scan_number(fxi_survey *s, size_t j, double x, bool counts)
{
    if (isnan(x)) {
        s->missing_all[j]++;
        s->missing[j] += counts;
    } else if (counts) {
        s->low[j] = x < s->low[j] ? x : s->low[j];
        s->high[j] = x > s->high[j] ? x : s->high[j];
    }
}

static fx_status scan_rows(void *ctx, size_t b, fxi_team *team)
{
    const scan *a = ctx;
    size_t i = b * FXI_PASS_BLOCK, end = a->X->rows - i < FXI_PASS_BLOCK ? a->X->rows
                                                                         : i + FXI_PASS_BLOCK;

    for (; i < end && !fxi_parallel_cancelled(team); i++) {
        fxi_row r = fxi_data_row(a->X, i);
        bool counts = !a->t->weight || a->t->weight[a->first + i] > 0;
        for (size_t q = 0; q < r.n && (counts || a->s->holes); q++)
            scan_number(a->s, (size_t)fxi_row_column(r, q), fxi_row_value(r, q), counts);
    }
    return FX_OK;
}

/* Names of columns, of the widest table. */
fx_status fxi_train_survey_names(fxi_survey *s, const char *const *from, size_t cols)
{
    size_t bytes = 0;

    if (!from || s->named >= cols)
        return FX_OK;
    for (size_t j = 0; j < cols; j++)
        bytes += strlen(from[j]) + 1;
    const char **name = fxi_alloc(cols, sizeof *name);
    char *text = fxi_alloc(bytes, 1);
    if (!name || !text) {
        fxi_free(name, text);
        return FX_ENOMEM;
    }
    fxi_free(s->name, s->text);
    s->name = name;
    s->text = text;
    s->named = cols;
    for (size_t j = 0; j < cols; j++) {
        name[j] = strcpy(text, from[j]);
        text += strlen(text) + 1;
    }
    return FX_OK;
}

/* ---- The survey --------------------------------------------------------------------------- */

/* row: the first of those that are looked at; others: what it is compared with. */
static fx_status compare_looks(const fxi_survey *s, const fxi_survey_look *l, uint64_t row,
                               const char *others)
{
    if (s->sparse != l->sparse || s->labelled != l->labelled
        || (l->labelled && s->texts != l->texts))
        return fxi_error(
            FX_EINVAL, "row %llu (from 0): %s, those %s are not", (unsigned long long)row,
            s->sparse != l->sparse       ? l->sparse ? "rows are sparse" : "rows are dense"
            : s->labelled != l->labelled ? l->labelled ? "rows have labels" : "rows have no labels"
            : l->texts                   ? "labels are texts"
                                         : "labels are numbers",
            others);
    if (!l->sparse && s->rows && l->cols != s->cols)
        return fxi_error(FX_ESHAPE, "row %llu (from 0) has %zu columns, those %s have %zu",
                         (unsigned long long)row, l->cols, others, s->cols);
    return FX_OK;
}

fx_status fxi_train_survey_alike(fxi_survey *s, const fxi_survey_look *l)
{
    if (!s->rows) {
        s->sparse = l->sparse;
        s->texts = l->texts;
        s->labelled = l->labelled;
        s->base = l->base;
    }
    return compare_looks(s, l, s->rows, "above it");
}

static fx_status look_at(fxi_survey_look *out, const fx_table *t)
{
    bool sparse = false, dense = false;

    for (size_t b = 0; b < t->blocks; b++)
        *(t->block[b].ptr ? &sparse : &dense) = true;
    *out = (fxi_survey_look){sparse, t->label != NULL, t->classes > 0, t->base, t->cols};
    return sparse && dense ? fxi_error(FX_EUNSUPPORTED, "a part has dense and sparse rows") : FX_OK;
}

static fx_status check_alike(fxi_survey *s, const fx_table *t)
{
    fxi_survey_look look;
    fx_status st = look_at(&look, t);

    for (size_t b = 0; b < t->blocks; b++)
        s->doubles |= t->block[b].type == FX_F64;
    return st ? st : fxi_train_survey_alike(s, &look);
}

fx_status fxi_train_survey_again(const fxi_survey *s, const fx_table *t, uint64_t first)
{
    static const char others[] = "of the first pass";
    fxi_survey_look look;
    fx_status st = look_at(&look, t);

    if (st || (st = compare_looks(s, &look, first, others)))
        return st;
    return t->cols > s->cols
               ? fxi_error(FX_ESHAPE, "row %llu (from 0) has %zu columns, those %s have %zu",
                           (unsigned long long)first, t->cols, others, s->cols)
               : FX_OK;
}

fx_status fxi_train_survey_add(fxi_survey *s, const fx_table *t, bool classes, const fx_run *run)
{
    fx_status st = check_alike(s, t);
    size_t first = 0;

    if (st || (st = fxi_train_survey_widen(s, t->cols, run))
        || (st = fxi_train_survey_names(s, t->name, t->cols))
        || (classes && t->label && (st = add_labels(s, t))))
        return st;
    if (!classes && t->label)
        add_targets(s, t);
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
    fxi_free(s->class, s->low, s->high, s->missing, s->missing_all, s->name, s->text);
    *s = (fxi_survey){0};
}

/* The number of the first row, or of the second, in column j; 0: none. */
static double stand_in(const fxi_survey *s, size_t row, size_t j)
{
    if (row == 0)
        return fxi_train_survey_largest(s, j);
    return row == 1 && s->missing && s->missing[j] > 0 ? NAN : 0;
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
    for (size_t k = 0, n = 0; k < rows; k++) {
        size_t class = k < s->classes ? k : 0;
        for (size_t j = 0; j < s->cols; j++) {
            double x = stand_in(s, k, j);
            if (!s->sparse)
                val[k * s->cols + j] = x;
            else if (x != 0) {
                val[n] = x;
                col[n++] = (int64_t)j;
            }
        }
        ptr[k + 1] = (int64_t)n;
        label[k] = s->targets    ? k ? s->most : s->least
                   : !s->classes ? (double)k
                   : s->texts ? (double)class : s->class[class].x;
        name[k] = s->texts && s->classes ? s->class[class].name : NULL;
    }
    *X = (fx_matrix){.rows = rows, .cols = s->cols, .stride = s->sparse ? 0 : s->cols,
                     .type = FX_F64, .wide = s->sparse, .val = val,
                     .ptr = s->sparse ? ptr : NULL, .col = s->sparse ? col : NULL};
    d->table = (fx_table){.rows = rows, .cols = s->cols, .blocks = 1, .block = X,
                          .label = s->labelled ? label : NULL,
                          .classes = s->texts && s->classes ? s->classes : 0,
                          .class_name = s->texts && s->classes ? name : NULL,
                          .name = s->named == s->cols ? s->name : NULL, .base = s->base};
    return FX_OK;
}

fx_status fxi_train_survey_table(fx_data **out, const fxi_survey *s, const double *class_sum)
{
    size_t rows = s->classes > 1 ? s->classes : s->missing || s->targets ? 2 : 1, entries = 0;
    fx_data *d;

    if (!s->rows)
        return fxi_error(FX_EINVAL, "there are no rows");
    if (!s->weighty)
        return fxi_error(FX_EINVAL, "the weights of all %llu rows are zero",
                         (unsigned long long)s->rows);
    for (size_t j = 0; j < s->cols; j++)
        entries += (size_t)(stand_in(s, 0, j) != 0) + (stand_in(s, 1, j) != 0);
    if (!(d = fxi_data_new()))
        return FX_ENOMEM;
    fx_status st = fill(d, s, rows, entries);
    d->table.weight = rows == s->classes ? class_sum : NULL;
    if (st)
        fx_data_free(d);
    else
        *out = d;
    return st;
}
