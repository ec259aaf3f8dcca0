/* SPDX-License-Identifier: BSD-3-Clause
 * csv.c - rows of fields between commas, tabs or semicolons: numbers, categories, label, weight.
 *
 * csv_header.c reads the first line and csv_columns.c says what the columns are.  Rows are dense if
 * all their columns are numbers, else sparse, by name (names.c).  A field may be in double
 * quotes, "" for one of them, but not run over a line end.  nan= says how missing or infinite
 * numbers are treated, except label and weight.  One pass, values correctly rounded. */

#include "read/csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const fx_key keys[] = {
    {"separator", "comma", FXI_CHOICE("comma|tab|semicolon"), "between fields"},
    {"label", "last", FXI_TEXT("last|first|none"), "column of the label, or its name"},
    {"header", "auto", FXI_CHOICE("auto|yes|no"), "is the first line names of columns?"},
    {"nan", "error", FXI_CHOICE("error|zero|keep|category|drop"),
     "numbers that are missing or infinite: read as 0, kept as NaN for a model that fills them, or "
     "(category) that, and an empty category is the value NA; drop is an old name of zero"},
    {"cat", "none", FXI_TEXT("none|auto|all"),
     "columns of categories: NAME/NAME/..; auto: those of words; +NAME/..: these, too"},
    {"num", "auto", FXI_TEXT("auto"), "columns of numbers: NAME/NAME/..; others are left out"},
    {"weight", "none", FXI_TEXT("none"), "column of row weights: NAME"},
    {FXI_HASH_KEY},
    {"drop", "none", FXI_TEXT("none"), "columns that are left out: NAME/NAME/.."},
    {"query", "none", FXI_TEXT("none"),
     "column of queries, for rankings: NAME; a feature, too, if cat names it"},
    {"id", "none", FXI_TEXT("none"), "column that identifies rows, and is no feature: NAME"},
    {"na", "none", FXI_TEXT("none"),
     "more words for a missing number: WORD/WORD/..; NA, N/A, nan, null, none, ? always are"},
    {"decimal", "point", FXI_CHOICE("point|comma"), "3.14 or 3,14"},
    {0}};

static fx_status text_of(char **out, const fxi_spec *s, const char *key)
{
    const char *value;
    size_t len;
    fx_status st = fxi_key_text(&value, &len, s, keys, key);

    if (st)
        return st;
    if (!len)
        return fxi_error(FX_EINVAL, "csv: %s= names nothing", key);
    *out = fxi_strndup(value, len);
    return *out ? FX_OK : FX_ENOMEM;
}

/* What cat= says. */
static fx_status set_categories(fxi_read_csv_state *t)
{
    const char *list = *t->cat == '+' ? t->cat + 1 : t->cat;

    t->guess = !strcmp(t->cat, "auto") || *t->cat == '+';
    t->all = !strcmp(t->cat, "all");
    if (!*list)
        return fxi_error(FX_EINVAL, "csv: cat=+ names nothing");
    if (list == t->cat && (t->guess || t->all || !strcmp(list, "none")))
        return FX_OK;
    return fxi_read_csv_names_list(&t->cats, list);
}

static fx_status set_list(fxi_data_classes *out, const char *list, const char *none)
{
    return strcmp(list, none) ? fxi_read_csv_names_list(out, list) : FX_OK;
}

static fx_status open_csv(fx_reader *r, const fxi_spec *s)
{
    int separator, header;
    uint64_t bits;
    fx_status st = fxi_read_state(r, sizeof(fxi_read_csv_state));

    if (st)
        return st;
    fxi_read_csv_state *t = r->state;
    if ((st = fxi_key_choice(&separator, s, keys, "separator"))
        || (st = fxi_key_choice(&header, s, keys, "header"))
        || (st = fxi_key_choice(&t->nan, s, keys, "nan"))
        || (st = fxi_key_choice(&t->decimal_comma, s, keys, "decimal"))
        || (st = text_of(&t->label, s, "label")) || (st = text_of(&t->weight, s, "weight"))
        || (st = text_of(&t->query, s, "query")) || (st = text_of(&t->id, s, "id"))
        || (st = text_of(&t->cat, s, "cat")) || (st = text_of(&t->num, s, "num"))
        || (st = text_of(&t->drop, s, "drop")) || (st = text_of(&t->na, s, "na"))
        || (st = set_categories(t)) || (st = set_list(&t->nums, t->num, "auto"))
        || (st = set_list(&t->drops, t->drop, "none")) || (st = set_list(&t->nas, t->na, "none"))
        || (st = fxi_key_count(&bits, s, keys, "hash-bits")))
        return st;
    if (t->nan == FXI_CSV_DROP)
        t->nan = FXI_CSV_ZERO;
    r->names.bits = (unsigned)bits;
    t->separator = r->mark = ",\t;"[separator];
    t->header = header == 1;            /* auto|yes|no */
    t->no_header = header == 2;
    if (strcmp(t->label, "last") && strcmp(t->label, "first") && strcmp(t->label, "none")) {
        if (t->no_header)
            return fxi_error(FX_EINVAL, "csv: label=%s names a column, but header=no", t->label);
        t->header = true;
    }
    return FX_OK;
}

static void close_csv(fx_reader *r)
{
    fxi_read_csv_state *t = r->state;

    fxi_free(t->label, t->weight, t->query, t->id, t->cat, t->num, t->drop, t->na, t->names,
             t->column, t->valued);
    fxi_data_classes_free(&t->cats);
    fxi_data_classes_free(&t->nums);
    fxi_data_classes_free(&t->drops);
    fxi_data_classes_free(&t->nas);
    fxi_data_classes_free(&t->by_name);
}

/* ---- One chunk ------------------------------------------------------------------------------ */
typedef struct scan {
    fxi_read_chunk *c;
    const fxi_read_csv_state *t;
    const fx_reader *r;
    const char *line, *stop;
    fxi_read_values val;                /* dense rows */
    size_t n;
    double *row;                        /* dense rows whose columns are moved: one of them */
    fxi_read_sparse sparse;             /* rows by name */
    char *name;                         /* buffer for one name */
} scan;

static fx_status open_quote(scan *s, const char *p)
{
    return fxi_read_fail(s->c, s->line, p, "a quote that does not end its field");
}

static fx_status read_label(scan *s, const char **p)
{
    fxi_read_csv_field f;
    fx_status st;

    if (!fxi_read_csv_field_read(&f, *p, s->stop, s->t->separator))
        return open_quote(s, *p);
    if (!f.len)
        return fxi_read_fail(s->c, s->line, *p, "no label");
    *p = f.next;
    if (!f.quoted || !memchr(f.text, '"', f.len))
        return fxi_read_label(s->c, s->line, f.text, f.text, f.len);
    const char *byte, *odd = fxi_data_text_odd(&byte, f.text, f.len);
    if (odd)
        return fxi_read_fail(s->c, s->line, byte, "%s", odd);
    char *copy = fxi_alloc(f.len, 1);
    if (!copy)
        return FX_ENOMEM;
    size_t len = fxi_read_csv_field_copy(copy, &f);
    st = fxi_read_label(s->c, s->line, f.text, copy, len);
    free(copy);
    return st;
}

/* What to do about a number that is missing or infinite; the program spells it in its own way. */
#define CURES "use nan=zero, or nan=keep and plan.missing"

static fx_status not_a_number(scan *s, const fxi_read_csv_column *column,
                              const fxi_read_csv_field *f)
{
    char excerpt[FXI_EXCERPT], name[FXI_EXCERPT], hint[2 * FXI_CSV_VALUE + 64] = "";
    char na[FXI_CSV_VALUE], cat[FXI_CSV_VALUE];
    const char *word = fxi_data_text_excerpt(excerpt, f->text, f->len);

    fxi_data_text_excerpt(name, column->name, column->len);
    fxi_read_csv_field_value(na, word);
    fxi_read_csv_field_value(cat, name);
    if (memchr(f->text, ':', f->len))
        snprintf(hint, sizeof hint, "; this looks like svmlight");
    else if (column->role == FXI_CSV_NUMBER && fxi_read_csv_field_comma(f))
        snprintf(hint, sizeof hint, " (use decimal=comma)");
    else if (column->role == FXI_CSV_NUMBER && s->r->names.given)
        snprintf(hint, sizeof hint, " (use na=%s if it is missing)", na);
    else if (column->role == FXI_CSV_NUMBER)
        snprintf(hint, sizeof hint, " (use cat=+%s, or na=%s if it is missing)", cat, na);
    return fxi_read_fail(s->c, s->line, f->text, "'%s' is not a number%s", word, hint);
}

/* The field at p is not a plain number: missing (then *x is NaN), quoted, or wrong. */
static fx_status odd_value(scan *s, const fxi_read_csv_column *column, double *x, const char **p)
{
    const char *odd, *byte;
    fxi_read_csv_field f;

    if (!fxi_read_csv_field_read(&f, *p, s->stop, s->t->separator))
        return open_quote(s, *p);
    if (!fxi_read_csv_field_number(x, s->t, &f)) {
        if (column->role == FXI_CSV_NUMBER && fxi_read_csv_field_missing(s->t, &f))
            *x = NAN;
        else if (!f.len)
            return fxi_read_fail(s->c, s->line, *p, "no weight");
        else if ((odd = fxi_data_text_odd(&byte, f.text, f.len)))
            return fxi_read_fail(s->c, s->line, byte, "%s", odd);
        else
            return not_a_number(s, column, &f);
    }
    *p = f.next;
    return FX_OK;
}

static fx_status read_number(scan *s, const fxi_read_csv_column *column, double *x, const char **p)
{
    const char *q = fxi_decimal_read(x, fxi_read_csv_skip(*p, s->stop, s->t->separator), s->stop);

    if (q)
        q = fxi_read_csv_skip(q, s->stop, s->t->separator);
    if (!q || (q != s->stop && *q != s->t->separator))
        return odd_value(s, column, x, p);
    *p = q;
    return FX_OK;
}

static fx_status unusable(scan *s, const fxi_read_csv_column *column, double x, const char *value,
                          const char *end)
{
    char excerpt[FXI_EXCERPT], name[FXI_EXCERPT];

    fxi_data_text_excerpt(excerpt, value, (size_t)(end - value));
    return fxi_read_fail(s->c, s->line, value, "%s%s%s in the column '%s' is %s (" CURES ")",
                         end > value ? "'" : "", end > value ? excerpt : "an empty field",
                         end > value ? "'" : "",
                         fxi_data_text_excerpt(name, column->name, column->len),
                         isnan(x) ? "a missing number" : "not a finite number in range");
}

static fx_status read_value(scan *s, const fxi_read_csv_column *column, const char **p)
{
    const char *value = fxi_read_csv_skip(*p, s->stop, s->t->separator);
    double x = 0;
    fx_status st = read_number(s, column, &x, p);

    if (st)
        return st;
    if (!fxi_read_usable(x)) {
        if (s->t->nan == FXI_CSV_ERROR)
            return unusable(s, column, x, value, *p);
        s->c->count.dropped += s->t->nan == FXI_CSV_ZERO;
        x = s->t->nan == FXI_CSV_ZERO ? 0 : NAN;
    }
    if (s->row)
        s->row[column->col] = x;
    else if (!s->r->names.used)
        return fxi_read_values_set(&s->val, s->n++, x);
    else if (x != 0 && s->r->names.bits)
        return fxi_read_names_value(&s->sparse, s->r, s->c, column->name, column->len, x);
    else if (x != 0)
        return fxi_read_sparse_add(&s->sparse, (int64_t)column->col, x);
    return FX_OK;
}

static fx_status read_weight(scan *s, const fxi_read_csv_column *column, const char **p)
{
    const char *value = fxi_read_csv_skip(*p, s->stop, s->t->separator);
    double x = 0;
    fx_status st = read_number(s, column, &x, p);

    if (!st && !(x >= 0 && fxi_read_usable(x))) {
        char excerpt[FXI_EXCERPT];
        return fxi_read_fail(s->c, s->line, value,
                             "the weight %s is not a finite number of 0 or more",
                             fxi_data_text_excerpt(excerpt, value, (size_t)(*p - value)));
    }
    s->c->weight[s->c->rows] = x;
    return st;
}

/* A whole number is the query number; any other text is hashed to one. */
static fx_status read_query(scan *s, const char **p)
{
    fxi_read_csv_field f;
    double x;

    if (!fxi_read_csv_field_read(&f, *p, s->stop, s->t->separator))
        return open_quote(s, *p);
    if (!f.len)
        return fxi_read_fail(s->c, s->line, *p, "no query");
    bool number = fxi_decimal_read(&x, f.text, f.text + f.len) == f.text + f.len && x >= 0
                  && x < 0x1p53 && x == floor(x);
    s->c->qid[s->c->rows] = number ? (int64_t)x
                                   : (int64_t)fxi_read_names_hash(f.text, f.len, 62);
    *p = f.next;
    return FX_OK;
}

static fx_status read_id(scan *s, const char **p)
{
    const char *odd, *byte;
    fxi_read_csv_field f;

    if (!fxi_read_csv_field_read(&f, *p, s->stop, s->t->separator))
        return open_quote(s, *p);
    if ((odd = fxi_data_text_odd(&byte, f.text, f.len)))
        return fxi_read_fail(s->c, s->line, byte, "%s", odd);
    char *to = fxi_read_ids_room(&s->c->ids, f.len);
    if (!to)
        return FX_ENOMEM;
    fxi_read_ids_add(&s->c->ids, fxi_read_csv_field_copy(to, &f));
    *p = f.next;
    return FX_OK;
}

/* The field `Paris` of the column `city` is the feature `city=Paris`; an empty field is no
 * feature. */
static fx_status read_category(scan *s, const fxi_read_csv_column *column, const char **p)
{
    const char *odd, *byte;
    fxi_read_csv_field f;

    if (!fxi_read_csv_field_read(&f, *p, s->stop, s->t->separator))
        return open_quote(s, *p);
    *p = f.next;
    if (!f.len && s->t->nan == FXI_CSV_OWN)
        f = (fxi_read_csv_field){.text = "NA", .len = 2};
    if (!f.len || column->role == FXI_CSV_IGNORED)
        return FX_OK;
    if (column->role == FXI_CSV_UNSEEN) {
        s->c->count.unseen++;
        return FX_OK;
    }
    if ((odd = fxi_data_text_odd(&byte, f.text, f.len)))
        return fxi_read_fail(s->c, s->line, byte, "%s", odd);
    memcpy(s->name, column->name, column->len);
    s->name[column->len] = '=';
    size_t len = column->len + 1 + fxi_read_csv_field_copy(s->name + column->len + 1, &f);
    return fxi_read_names_value(&s->sparse, s->r, s->c, s->name, len, 1);
}

static fx_status read_field(scan *s, const fxi_read_csv_column *column, const char **p)
{
    const char *again = *p;
    fx_status st = column->query ? read_query(s, &again) : FX_OK;

    if (st)
        return st;
    switch (column->role) {
    case FXI_CSV_NUMBER: return read_value(s, column, p);
    case FXI_CSV_LABEL: return read_label(s, p);
    case FXI_CSV_WEIGHT: return read_weight(s, column, p);
    case FXI_CSV_QUERY: return read_query(s, p);
    case FXI_CSV_ID: return read_id(s, p);
    default: return read_category(s, column, p);
    }
}

static fx_status end_row(scan *s)
{
    fx_status st = FX_OK;

    if (s->r->names.used)
        return fxi_read_names_row(&s->sparse, s->r, s->c, s->line);
    for (size_t j = 0; s->row && j < s->r->cols && !st; j++)
        st = fxi_read_values_set(&s->val, s->n++, s->row[j]);
    s->c->rows++;
    return st;
}

static fx_status read_line(scan *s)
{
    const fxi_read_csv_state *t = s->t;
    const char *p = s->line;
    size_t j = 0;

    if (fxi_read_csv_skip(p, s->stop, t->separator) == s->stop) {
        s->c->count.blank++;
        return FX_OK;
    }
    for (;; p++) {                      /* past the separator */
        if (j == t->fields)
            return fxi_read_fail(s->c, s->line, p, "more than the %zu fields of line %llu",
                                 t->fields, (unsigned long long)t->line);
        fx_status st = read_field(s, &t->column[j], &p);
        if (st)
            return st;
        j++;
        if (p == s->stop)
            break;
    }
    if (j < t->fields)
        return fxi_read_fail(s->c, s->line, p, "%zu fields, line %llu has %zu", j,
                             (unsigned long long)t->line, t->fields);
    return end_row(s);
}

static bool has(const fxi_read_csv_state *t, fxi_csv_role role)
{
    for (size_t j = 0; j < t->fields; j++)
        if (fxi_csv_has_role(&t->column[j], role))
            return true;
    return false;
}

static fx_status open_chunk(scan *s)
{
    fxi_read_chunk *c = s->c;
    const size_t fields = c->marks + c->lines;  /* at most */
    size_t capacity;

    c->unlabelled = s->t->label_at == FXI_CSV_NONE;
    if (has(s->t, FXI_CSV_WEIGHT) && !(c->weight = fxi_alloc(c->lines, sizeof *c->weight)))
        return FX_ENOMEM;
    if (has(s->t, FXI_CSV_QUERY) && !(c->qid = fxi_alloc(c->lines, sizeof *c->qid)))
        return FX_ENOMEM;
    if (s->t->moved && !(s->row = fxi_alloc(s->r->cols, sizeof *s->row)))
        return FX_ENOMEM;
    if (!s->r->names.used)
        return fxi_read_values_new(&s->val, fields);
    /* The text of a name and its value; NA may be longer than all of the chunk. */
    if (!fxi_size_add(&capacity, s->t->longest + sizeof "=NA", (size_t)(c->end - c->text))
        || !(s->name = fxi_alloc(capacity, 1)))
        return FX_ENOMEM;
    return fxi_read_sparse_open(&s->sparse, c->lines, fields);
}

static fx_status parse_csv(const fx_reader *r, fxi_read_chunk *c)
{
    scan s = {.c = c, .t = r->state, .r = r};
    const char *p = c->text;
    fx_status st = open_chunk(&s);

    while (!st && fxi_data_text_line(&s.line, &s.stop, &p, c->end)) {
        c->count.lines++;
        st = read_line(&s);
        if (!st && c->count.lines % 1024 == 0 && fxi_parallel_cancelled(c->team))
            st = FX_ECANCELLED;
    }
    free(s.row);
    free(s.name);
    if (r->names.used) {
        fxi_read_sparse_close(&s.sparse, c, !st);
        return st;
    }
    if (st) {
        fxi_read_values_free(&s.val);
        return st;
    }
    c->matrix.rows = c->rows;
    c->matrix.cols = c->matrix.stride = r->cols;
    c->matrix.val = fxi_read_values_take(&s.val, &c->matrix.type, s.n);
    return FX_OK;
}

/* Bytes needed to guess the columns, so that the guess does not depend on how the input is cut. */
static size_t look(const fx_reader *r)
{
    const fxi_read_csv_state *t = r->state;

    return t->guess && !t->resolved && !r->names.given ? FXI_CSV_LOOK : 0;
}

/* ---- Names ---------------------------------------------------------------------------------- */
static fx_status take_csv(fx_reader *r, bool end, const fx_run *run)
{
    const fxi_read_csv_state *t = r->state;
    size_t bytes = 0;

    (void)end;
    if (r->names.used)
        return fxi_read_names_take(r, run);
    if (!t->named || !t->resolved)
        return FX_OK;
    for (size_t j = 0; j < t->fields; j++)
        bytes += t->column[j].len + 1;
    char *text = fxi_data_alloc(r->data, bytes, 1);
    const char **name = fxi_data_alloc(r->data, r->cols, sizeof *name);
    if (!text || !name)
        return FX_ENOMEM;
    for (size_t j = 0; j < t->fields; j++)
        if (t->column[j].role == FXI_CSV_NUMBER) {
            size_t len = t->column[j].len + 1;
            name[t->column[j].col] = memcpy(text, t->column[j].name, len);
            text += len;
        }
    r->data->table.name = name;
    return FX_OK;
}

const fxi_read_format fxi_read_csv = {.about = {.name = "csv",
                                                .help = "fields between commas, tabs or semicolons",
                                                .key = keys,
                                                .dense = 1,
                                                .names = 1},
                                      .open = open_csv,
                                      .look = look,
                                      .begin = fxi_read_csv_header,
                                      .file = fxi_read_csv_again,
                                      .skip = fxi_read_csv_again_skip,
                                      .parse = parse_csv,
                                      .take = take_csv,
                                      .close = close_csv};
