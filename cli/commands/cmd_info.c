/* SPDX-License-Identifier: BSD-3-Clause
 * cmd_info.c - featcross info: what is in a data file (model_info.c: in a model).
 *
 * Text is read in batches, and one pass over their entries counts; nothing of a row remains.
 * Columns that have entries are found by a hash table.  So the memory of a very wide file depends
 * on the columns that it uses, not on its width. */

#include "commands.h"
#include "models/models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LISTED = 20 };                   /* more different labels than this are numbers */

typedef struct peak { size_t column; double x; } peak;  /* x 0: a free slot */
typedef struct peaks {
    peak *slot;
    size_t slots, used;                 /* a power of two, at least twice as many as are used */
    int shift;                          /* of the hash */
} peaks;

typedef struct facts {
    uint64_t stored, nonzero, columns_used, bytes;
    size_t float_blocks, double_blocks;
    double low, high;                   /* of the stored values */
    size_t widest, widest_row;          /* entries, row from 1 */
    double min_peak, max_peak;          /* a column's peak is its largest |value|; zeros left out */
    size_t min_column, max_column;
    size_t queries;                     /* runs of rows with one qid */
    bool classes;                       /* labels are text, or few and whole */
    size_t listed;                      /* of the classes, in ascending order */
    struct {
        double label;
        uint64_t rows;
    } class[LISTED];
    uint64_t *named;                    /* rows of classes with names, by id (class_list) */
    size_t names;
    double label_low, label_sum, label_high;
    uint64_t missing;                   /* numbers; they are NaN in the rows */
    rows_survey survey;                 /* of batches where some are missing */
    int64_t qid;                        /* of the last row */
    peaks columns;
} facts;

static size_t row_start(const fx_matrix *X, size_t i)
{
    return X->ptr ? (size_t)X->ptr[i] : i * X->stride;
}

static size_t row_count(const fx_matrix *X, size_t i)
{
    return X->ptr ? (size_t)(X->ptr[i + 1] - X->ptr[i]) : X->cols;
}

static double value(const fx_matrix *X, size_t at)
{
    return X->type == FX_F32 ? ((const float *)X->val)[at] : ((const double *)X->val)[at];
}

static size_t column(const fx_matrix *X, size_t i, size_t q)
{
    size_t at = row_start(X, i) + q;

    return !X->ptr   ? q
           : X->wide ? (size_t)((const int64_t *)X->col)[at]
                     : (size_t)((const int32_t *)X->col)[at];
}

static void block_bytes(facts *f, const fx_matrix *X)
{
    uint64_t n = X->ptr ? (uint64_t)(X->ptr[X->rows] - X->ptr[0]) : (uint64_t)X->rows * X->stride;

    *(X->type == FX_F32 ? &f->float_blocks : &f->double_blocks) += 1;
    f->bytes += n * (X->type == FX_F32 ? 4 : 8);
    if (X->ptr)
        f->bytes += n * (X->wide ? 8 : 4) + 8 * ((uint64_t)X->rows + 1);
}

/* ---- Columns ------------------------------------------------------------------------------ */
static peak *find_peak(const peaks *p, size_t column)
{
    size_t i = (size_t)(column * 0x9e3779b97f4a7c15u >> p->shift);

    while (p->slot[i].x != 0 && p->slot[i].column != column)
        i = (i + 1) & (p->slots - 1);
    return &p->slot[i];
}

/* Twice the slots. */
static int grow_peaks(peaks *p, const char *name)
{
    peaks more = {.slots = p->slots ? 2 * p->slots : 1024, .used = p->used,
                  .shift = p->slots ? p->shift - 1 : 54};

    if (say_limit((double)sizeof(peak) * (double)more.slots, "%s: its columns need", name))
        return EXIT_MEMORY;
    if (!(more.slot = calloc(more.slots, sizeof *more.slot)))
        return say_no_memory("the columns");
    for (size_t i = 0; i < p->slots; i++)
        if (p->slot[i].x != 0)
            *find_peak(&more, p->slot[i].column) = p->slot[i];
    free(p->slot);
    *p = more;
    return 0;
}

static int enter_peak(peaks *p, size_t column, double x, const char *name)
{
    int status = 2 * p->used < p->slots ? 0 : grow_peaks(p, name);

    if (status)
        return status;
    peak *of = find_peak(p, column);
    p->used += of->x == 0;
    *of = (peak){column, fmax(of->x, x)};
    return 0;
}

/* All but the comparison of columns. */
static int scan(facts *f, const fx_matrix *X, size_t first_row, const char *name)
{
    int status = 0;

    for (size_t i = 0; i < X->rows && !status && !progress_interrupted(); i++) {
        size_t n = row_count(X, i), nonzero = 0;
        for (size_t q = 0; q < n && !status; q++) {
            double v = value(X, row_start(X, i) + q);
            if (isnan(v)) {
                f->missing++;
                continue;
            }
            if (f->stored++ == 0)
                f->low = f->high = v;
            f->low = fmin(f->low, v);
            f->high = fmax(f->high, v);
            if (v != 0) {
                nonzero++;
                status = enter_peak(&f->columns, column(X, i, q), fabs(v), name);
            }
        }
        f->nonzero += nonzero;
        if (nonzero > f->widest) {
            f->widest = nonzero;
            f->widest_row = first_row + i + 1;
        }
    }
    return status ? status : progress_interrupted() ? progress_stop() : 0;
}

static void compare(facts *f)
{
    const peaks *p = &f->columns;

    f->columns_used = p->used;
    for (size_t i = 0; i < p->slots; i++) {
        const size_t j = p->slot[i].column;
        const double x = p->slot[i].x;
        if (x == 0)
            continue;
        if (f->max_peak == 0 || x < f->min_peak || (x == f->min_peak && j < f->min_column)) {
            f->min_peak = x;
            f->min_column = j;
        }
        if (x > f->max_peak || (x == f->max_peak && j < f->max_column)) {
            f->max_peak = x;
            f->max_column = j;
        }
    }
}

/* ---- Labels ------------------------------------------------------------------------------- */
/* One more row of class v; false if there is no place for another class. */
static bool enter(facts *f, double v)
{
    size_t c = 0;

    while (c < f->listed && f->class[c].label < v)
        c++;
    if (c == f->listed || f->class[c].label != v) {
        if (f->listed == LISTED)
            return false;
        memmove(&f->class[c + 1], &f->class[c], (f->listed++ - c) * sizeof *f->class);
        f->class[c].label = v;
        f->class[c].rows = 0;
    }
    f->class[c].rows++;
    return true;
}

static void count_labels(facts *f, const fx_table *t, size_t before)
{
    if (!before) {
        f->classes = true;
        f->label_low = f->label_high = t->label[0];
    }
    for (size_t i = 0; i < t->rows; i++) {
        double v = t->label[i];
        f->label_sum += v;
        f->label_low = fmin(f->label_low, v);
        f->label_high = fmax(f->label_high, v);
        if (f->classes)
            f->classes = v == floor(v) && enter(f, v);
    }
}

static int count_names(facts *f, const loaded *l)
{
    const batch_facts *b = &l->so_far;

    f->classes = true;
    if (f->names < b->classes.n) {
        uint64_t *more = realloc(f->named, b->classes.n * sizeof *more);
        if (!more)
            return say_no_memory("classes");
        memset(more + f->names, 0, (b->classes.n - f->names) * sizeof *more);
        f->named = more;
        f->names = b->classes.n;
    }
    for (size_t i = 0; i < l->table.rows; i++)
        f->named[b->class_id[(size_t)l->table.label[i]]]++;
    return 0;
}

static int count_batch(void *ctx, loaded *l)
{
    facts *f = ctx;
    const fx_table *t = &l->table;
    uint64_t missing = f->missing;
    size_t row = l->so_far.rows;
    int status = 0;

    for (size_t i = 0; t->qid && i < t->rows; i++) {
        f->queries += row + i == 0 || t->qid[i] != f->qid;
        f->qid = t->qid[i];
    }
    for (size_t b = 0; b < t->blocks && !status; row += t->block[b++].rows) {
        block_bytes(f, &t->block[b]);
        status = scan(f, &t->block[b], row, l->name);
    }
    if (!status && f->missing > missing)
        status = rows_missing_look(&f->survey, t);
    if (!status && t->label && t->classes)
        status = count_names(f, l);
    else if (!status && t->label)
        count_labels(f, t, l->so_far.rows);
    return status;
}

/* The first of many names are listed. */
static void list_names(facts *f, const class_list *c)
{
    f->listed = c->n < LISTED ? c->n : LISTED;
    for (size_t i = 0; i < f->listed; i++) {
        f->class[i].label = (double)i;
        f->class[i].rows = f->named[c->at[i].id];
    }
}

/* ---- Showing it --------------------------------------------------------------------------- */
/* The name of a column, or its number in the index base of the data. */
static const char *column_name(char buf[64], const fx_table *t, size_t j)
{
    if (!t->cols)
        buf[0] = '\0';
    else if (t->name)
        snprintf(buf, 64, "%s", t->name[j]);
    else
        snprintf(buf, 64, "%zu", j + (size_t)t->base);
    return buf;
}

static double label_mean(const facts *f, const fx_table *t)
{
    return f->label_sum / (double)t->rows;
}

static size_t classes(const facts *f, const fx_table *t)
{
    return t->classes ? t->classes : f->listed;
}

static const char *label_name(char buf[32], const fx_table *t, double label)
{
    return t->classes ? t->class_name[(size_t)label] : say_number(buf, label);
}

static void print_labels(const facts *f, const loaded *l)
{
    const fx_table *t = &l->table;
    char a[32], b[32], where[LOAD_SAY] = "";
    const char *of = load_say_label(where, l) ? ", label " : "";

    if (!l->so_far.labelled)
        puts("labels       none");
    else if (!f->classes)
        safe_print(stdout, "labels       numbers from %s to %s, mean %.6g%s%s\n",
                   say_number(a, f->label_low), say_number(b, f->label_high), label_mean(f, t), of,
                   where);
    else {
        safe_print(stdout, "labels       %zu class%s%s%s\n", classes(f, t),
                   classes(f, t) == 1 ? "" : "es", of, where);
        for (size_t c = 0; c < f->listed; c++)
            safe_print(stdout, "  %-10s %llu row%s (%.1f %%)\n",
                       label_name(a, t, f->class[c].label),
                       (unsigned long long)f->class[c].rows, f->class[c].rows == 1 ? "" : "s",
                       100 * (double)f->class[c].rows / (double)t->rows);
        if (classes(f, t) > f->listed)
            safe_print(stdout, "  and %zu more\n", classes(f, t) - f->listed);
    }
}

static double density(const facts *f, const fx_table *t)
{
    double cells = (double)t->rows * (double)t->cols;

    return cells > 0 ? (double)f->nonzero / cells : 0;
}

static int print(const facts *f, const loaded *l)
{
    const fx_table *t = &l->table;
    char a[64], b[64], text[LOAD_SAY];

    safe_print(stdout, "file         %s\n", l->name);
    safe_print(stdout, "format       %s%s%s\n", l->format, l->compression ? ", packed with " : "",
               l->compression ? l->compression : "");
    safe_print(stdout, "rows         %zu\n", t->rows);
    safe_print(stdout, "columns      %zu", t->cols);
    if (l->numbered)
        safe_print(stdout, ", numbered from %d (%s)", load_base(l),
                   l->base_given ? "given" : "found");
    if (f->columns_used < t->cols)
        safe_print(stdout, ", %llu of them empty", (unsigned long long)(t->cols - f->columns_used));
    safe_print(stdout,
               "\nnon-zeros    %llu, density %.3g %%, %.3g per row, at most %zu (row %zu)\n",
               (unsigned long long)f->nonzero, 100 * density(f, t),
               (double)f->nonzero / (double)t->rows, f->widest, f->widest_row);
    if (f->stored)
        safe_print(stdout, "values       from %s to %s\n", say_number(a, f->low),
                   say_number(b, f->high));
    if (f->max_peak > 0 && f->max_peak == f->min_peak)
        safe_print(stdout, "magnitudes   largest %s in every column\n", say_number(a, f->max_peak));
    else if (f->max_peak > 0) {
        char low[32], high[32];
        safe_print(stdout, "magnitudes   of columns from %s (column %s) to %s (column %s)\n",
                   say_number(low, f->min_peak), column_name(a, t, f->min_column),
                   say_number(high, f->max_peak), column_name(b, t, f->max_column));
    }
    if (load_say_categories(text, l))
        safe_print(stdout, "categories   %s\n", text);
    if (f->missing) {
        rows_missing_text(text, l, &f->survey);
        safe_print(stdout, "missing      %s\n", text);
    }
    print_labels(f, l);
    if (f->queries)
        safe_print(stdout, "queries      %zu\n", f->queries);
    if (l->reading.blank)
        safe_print(stdout, "blank lines  %llu, skipped\n", (unsigned long long)l->reading.blank);
    safe_print(stdout, "memory       %s, %zu float and %zu double blocks\n",
               say_bytes(a, (double)f->bytes), f->float_blocks, f->double_blocks);
    return say_flush();
}

static json_t *json_labels(const facts *f, const loaded *l)
{
    const fx_table *t = &l->table;
    char name[32];

    if (!l->so_far.labelled)
        return json_null();
    if (!f->classes)
        return json_pack("{s:s, s:f, s:f, s:f}", "kind", "numbers", "min", f->label_low, "mean",
                         label_mean(f, t), "max", f->label_high);
    json_t *list = json_array();
    for (size_t c = 0; c < f->listed; c++)
        list = say_append(list, json_pack("{s:o, s:I}", "label",
                                          say_text(label_name(name, t, f->class[c].label)), "rows",
                                          (json_int_t)f->class[c].rows));
    return json_pack("{s:s, s:I, s:o}", "kind", "classes", "count", (json_int_t)classes(f, t),
                     "classes", list);
}

static int print_json(const facts *f, const loaded *l)
{
    const fx_table *t = &l->table;
    char a[64], b[64], label[LOAD_SAY];
    bool found = load_say_label(label, l);

    return say_json(json_pack(
        "{s:o, s:s, s:s?, s:I, s:I, s:I, s:f, s:i, s:b, s:o, s:{s:f, s:f}, "
        "s:{s:f, s:o, s:f, s:o}, s:I, s:{s:I, s:I}, s:I, s:I, s:{s:I, s:I, s:I}, s:f, s:o, s:I}",
        "file", say_text(l->name), "format", l->format, "compression", l->compression, "rows",
        (json_int_t)t->rows, "columns", (json_int_t)t->cols, "nonzeros", (json_int_t)f->nonzero,
        "density", density(f, t), "base", load_base(l), "base_given", l->base_given, "labels",
        json_labels(f, l), "values", "min", f->low, "max", f->high, "column_magnitudes", "min",
        f->min_peak, "min_column", say_text(column_name(a, t, f->min_column)), "max", f->max_peak,
        "max_column", say_text(column_name(b, t, f->max_column)), "empty_columns",
        (json_int_t)(t->cols - f->columns_used), "widest_row", "nonzeros", (json_int_t)f->widest,
        "row", (json_int_t)f->widest_row, "blank_lines", (json_int_t)l->reading.blank, "queries",
        (json_int_t)f->queries, "memory", "bytes", (json_int_t)f->bytes, "float_blocks",
        (json_int_t)f->float_blocks, "double_blocks", (json_int_t)f->double_blocks, "seconds",
        l->seconds, "label_column", found ? say_text(label) : json_null(), "missing",
        (json_int_t)f->missing));
}

static int run(int n, char **path)
{
    loaded in = {0};
    facts f = {0};

    (void)n;
    if (model_file_is(path[0]))
        return model_info(path[0]);
    int status = batches_read(&in, path[0],
                              &(load_options){.base = -1, .any_width = true, .kept = true},
                              count_batch, &f);
    if (!status) {
        compare(&f);
        if (in.table.classes)
            list_names(&f, &in.so_far.classes);
        status = cli.json ? print_json(&f, &in) : print(&f, &in);
    }
    if (!status)
        label_check(&in);
    if (!status && f.min_peak > 0 && f.max_peak > 1e3 * f.min_peak)
        say_warning(
            "%s: columns differ in magnitude by %.2g to 1; --scale maxabs or std evens them "
            "out",
            in.name, f.max_peak / f.min_peak);
    rows_missing_free(&f.survey);
    free(f.columns.slot);
    free(f.named);
    load_free(&in);
    return status;
}

const command cmd_info = {
    .name = "info",
    .operands = "FILE [options]",
    .summary = "show what is in a data or model file",
    .text = "Of a data file, prints format, size, index base, label column, categories, missing "
            "numbers, labels, the range of values and of columns, and the memory that the rows "
            "take. Warns if the magnitudes of columns differ by more than 1000 to 1, if a column "
            "looks like an identifier, and if the width is far larger than the number of entries. "
            "Text is read in batches, in constant memory. "
            "Of a model, prints its specs, classes, columns, and how training ended.",
    .examples = "info x.svm\n"
                "info m.fx\n"
                "info x.csv.gz --label none --json",
    .groups = {&reading_options, &common_options},
    .min_operands = 1, .max_operands = 1,
    .run = run,
};
