/* SPDX-License-Identifier: BSD-3-Clause
 * cmd_info.c - featcross info: what is in a data file (model_info.c: in a model).
 *
 * One pass over the entries.  Columns that have entries are found by a hash table, or by plain
 * addressing unless there are far more columns than entries.  So the cost of a very wide file
 * depends on its entries, not on its width. */

#include "commands.h"
#include "models/models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LISTED = 20 };                   /* more different labels than this are numbers */

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
    double label_low, label_mean, label_high;
    uint64_t missing;                   /* numbers; they are NaN in the rows */
    char missing_text[LOAD_SAY];
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
typedef struct peak { size_t column; double x; } peak;  /* x 0: a free slot */
typedef struct peaks {
    peak *slot;
    size_t slots;                       /* a power of two, more than the columns that have a peak */
    int shift;                          /* of the hash; 0: the column is its slot */
} peaks;

static int new_peaks(peaks *p, const loaded *l)
{
    uint64_t max_columns = 2 * (uint64_t)rows_stored(&l->table, 1) + 1;
    int bits = 1;

    if (max_columns > l->table.cols)
        max_columns = l->table.cols;
    while ((uint64_t)1 << bits < max_columns)
        bits++;
    p->slots = (size_t)1 << bits;
    p->shift = p->slots < l->table.cols ? 64 - bits : 0;
    if (say_limit((double)sizeof(peak) * (double)p->slots, "%s: its columns need", l->name))
        return EXIT_MEMORY;
    p->slot = calloc(p->slots, sizeof *p->slot);
    return p->slot ? 0 : say_no_memory("the columns");
}

static peak *find_peak(const peaks *p, size_t column)
{
    size_t i = p->shift ? (size_t)(column * 0x9e3779b97f4a7c15u >> p->shift) : column;

    while (p->slot[i].x != 0 && p->slot[i].column != column)
        i = (i + 1) & (p->slots - 1);
    return &p->slot[i];
}

/* All but the comparison of columns. */
static void scan(facts *f, const peaks *p, const fx_matrix *X, size_t first_row)
{
    for (size_t i = 0; i < X->rows && !progress_at((double)(first_row + i)); i++) {
        size_t n = row_count(X, i), nonzero = 0;
        for (size_t q = 0; q < n; q++) {
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
                size_t j = column(X, i, q);
                peak *of = find_peak(p, j);
                nonzero++;
                f->columns_used += of->x == 0;
                *of = (peak){j, fmax(of->x, fabs(v))};
            }
        }
        f->nonzero += nonzero;
        if (nonzero > f->widest) {
            f->widest = nonzero;
            f->widest_row = first_row + i + 1;
        }
    }
}

static void compare(facts *f, const peaks *p)
{
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
        memmove(&f->class[c + 1], &f -> class[c], (f->listed++ - c) * sizeof *f->class);
        f->class[c].label = v;
        f->class[c].rows = 0;
    }
    f->class[c].rows++;
    return true;
}

static void count_labels(facts *f, const fx_table *t)
{
    double sum = 0;

    f->classes = true;
    f->label_low = f->label_high = t->label[0];
    for (size_t i = 0; i < t->rows; i++) {
        double v = t->label[i];
        sum += v;
        f->label_low = fmin(f->label_low, v);
        f->label_high = fmax(f->label_high, v);
        if (t->classes)                 /* the first of many names are listed */
            (void)(v < LISTED && enter(f, v));
        else if (f->classes)
            f->classes = v == floor(v) && enter(f, v);
    }
    f->label_mean = sum / (double)t->rows;
}

static int gather(facts *f, const loaded *l)
{
    const fx_table *t = &l->table;
    peaks p;
    int status = new_peaks(&p, l);

    if (status)
        return status;
    progress_begin("look", "rows", (double)t->rows);
    for (size_t b = 0, row = 0; b < t->blocks; row += t->block[b++].rows) {
        block_bytes(f, &t->block[b]);
        scan(f, &p, &t->block[b], row);
    }
    compare(f, &p);
    progress_end();
    free(p.slot);
    if (f->missing && (status = rows_missing_text(f->missing_text, l)))
        return status;
    if (t->label)
        count_labels(f, t);
    for (size_t i = 0; t->qid && i < t->rows; i++)
        f->queries += i == 0 || t->qid[i] != t->qid[i - 1];
    return progress_interrupted() ? progress_stop() : 0;
}

/* ---- Showing it --------------------------------------------------------------------------- */
/* The name of a column, or its number in the index base of the data. */
static const char *column_name(char buf[64], const fx_table *t, size_t j)
{
    if (j >= t->cols)                   /* of a table without columns */
        buf[0] = '\0';
    else if (t->name)
        snprintf(buf, 64, "%s", t->name[j]);
    else
        snprintf(buf, 64, "%zu", j + (size_t)t->base);
    return buf;
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

    if (!t->label)
        puts("labels       none");
    else if (!f->classes)
        safe_print(stdout, "labels       numbers from %s to %s, mean %.6g%s%s\n",
                   say_number(a, f->label_low), say_number(b, f->label_high), f->label_mean, of,
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
        safe_print(stdout, ", numbered from %d (%s)", t->base, l->base_given ? "given" : "found");
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
    if (f->missing)
        safe_print(stdout, "missing      %s\n", f->missing_text);
    print_labels(f, l);
    if (t->qid)
        safe_print(stdout, "queries      %zu\n", f->queries);
    if (l->reading.blank)
        safe_print(stdout, "blank lines  %llu, skipped\n", (unsigned long long)l->reading.blank);
    safe_print(stdout, "memory       %s, %zu float and %zu double blocks\n",
               say_bytes(a, (double)f->bytes), f->float_blocks, f->double_blocks);
    return say_flush();
}

static json_t *json_labels(const facts *f, const fx_table *t)
{
    char name[32];

    if (!t->label)
        return json_null();
    if (!f->classes)
        return json_pack("{s:s, s:f, s:f, s:f}", "kind", "numbers", "min", f->label_low, "mean",
                         f->label_mean, "max", f->label_high);
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
        "density", density(f, t), "base", t->base, "base_given", l->base_given, "labels",
        json_labels(f, t), "values", "min", f->low, "max", f->high, "column_magnitudes", "min",
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
    int status = load_as(&in, path[0],
                         &(load_options){.base = -1, .any_width = true, .kept = true});
    if (!status && !(status = gather(&f, &in)))
        status = cli.json ? print_json(&f, &in) : print(&f, &in);
    if (!status)
        label_check(&in);
    if (!status && f.min_peak > 0 && f.max_peak > 1e3 * f.min_peak)
        say_warning(
            "%s: columns differ in magnitude by %.2g to 1; --scale maxabs or std evens them "
            "out",
            in.name, f.max_peak / f.min_peak);
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
            "Of a model, prints its specs, classes, columns, and how training ended.",
    .examples = "info x.svm\n"
                "info m.fx\n"
                "info x.csv.gz --label none --json",
    .groups = {&reading_options, &common_options},
    .min_operands = 1, .max_operands = 1,
    .run = run,
};
