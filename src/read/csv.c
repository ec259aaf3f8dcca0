/* SPDX-License-Identifier: BSD-3-Clause
 * csv.c - rows of fields between commas, tabs or semicolons: numbers, categories, label, weight.
 *
 * csv_header.c reads the first line and csv_columns.c says what the columns are.  Rows are dense if
 * all their columns are numbers, else sparse, by name (names.c).  A field may be in double
 * quotes, "" for one of them, but not run over a line end.  nan= says how missing or infinite
 * numbers are treated, except label and weight.  One pass, values correctly rounded. */

#include "read/csv.h"

#include <math.h>
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
typedef fxi_read_csv_row scan;

static fx_status open_quote(scan *s, const char *p)
{
    return fxi_read_fail(s->c, s->line, p, "a quote that does not end its field");
}

/* The field at *p, which moves past it. */
static fx_status next_field(fxi_read_csv_field *f, scan *s, const char **p)
{
    if (!fxi_read_csv_field_read(f, *p, s->stop, s->t->separator))
        return open_quote(s, *p);
    *p = f->next;
    return FX_OK;
}

static fx_status read_label(scan *s, const char **p)
{
    const char *at = *p;
    fxi_read_csv_field f;
    fx_status st = next_field(&f, s, p);

    if (st)
        return st;
    if (!f.len)
        return fxi_read_fail(s->c, s->line, at, "no label");
    if (!f.quoted || !memchr(f.text, '"', f.len))
        return fxi_read_label(s->c, s->line, f.text, f.text, f.len);
    if ((st = fxi_read_csv_row_odd(s, &f)))
        return st;
    char *copy = fxi_alloc(f.len, 1);
    if (!copy)
        return FX_ENOMEM;
    size_t len = fxi_read_csv_field_copy(copy, &f);
    st = fxi_read_label(s->c, s->line, f.text, copy, len);
    free(copy);
    return st;
}

/* The field at p is not a plain number: missing (then *x is NaN), quoted, or wrong. */
static fx_status odd_value(scan *s, const fxi_read_csv_column *column, double *x, const char **p)
{
    const char *at = *p;
    fxi_read_csv_field f;
    fx_status st = next_field(&f, s, p);

    if (st || fxi_read_csv_field_number(x, s->t, &f))
        return st;
    if (column->role == FXI_CSV_NUMBER && fxi_read_csv_field_missing(s->t, &f)) {
        *x = NAN;
        return FX_OK;
    }
    if (!f.len)
        return fxi_read_fail(s->c, s->line, at, "no weight");
    st = fxi_read_csv_row_odd(s, &f);
    return st ? st : fxi_read_csv_row_not_a_number(s, column, &f);
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

static fx_status read_value(scan *s, const fxi_read_csv_column *column, const char **p)
{
    const char *value = fxi_read_csv_skip(*p, s->stop, s->t->separator);
    double x = 0;
    fx_status st = read_number(s, column, &x, p);

    if (!st && !fxi_read_usable(x))
        st = fxi_read_csv_row_unusable(s, column, &x, value, *p > value ? (size_t)(*p - value) : 0);
    if (st)
        return st;
    if (s->r->names.used)
        return fxi_read_csv_row_number(s, column, x);
    if (!s->row)
        return fxi_read_values_set(&s->val, s->n++, x);
    s->row[column->col] = x;
    return FX_OK;
}

static fx_status read_weight(scan *s, const fxi_read_csv_column *column, const char **p)
{
    const char *value = fxi_read_csv_skip(*p, s->stop, s->t->separator);
    double x = 0;
    fx_status st = read_number(s, column, &x, p);

    return st ? st : fxi_read_csv_row_weight(s, x, value, (size_t)(*p - value));
}

static fx_status read_field(scan *s, const fxi_read_csv_column *column, const char **p)
{
    const char *again = *p;
    fxi_read_csv_field f;
    fx_status st = FX_OK;

    if (fxi_csv_has_role(column, FXI_CSV_QUERY) && !(st = next_field(&f, s, &again)))
        st = fxi_read_csv_row_query(s, &f);
    if (st)
        return st;
    switch (column->role) {
    case FXI_CSV_NUMBER: return read_value(s, column, p);
    case FXI_CSV_LABEL: return read_label(s, p);
    case FXI_CSV_WEIGHT: return read_weight(s, column, p);
    default: break;
    }
    if ((st = next_field(&f, s, p)) || column->role == FXI_CSV_QUERY)
        return st;
    return column->role == FXI_CSV_ID ? fxi_read_csv_row_id(s, &f)
                                      : fxi_read_csv_row_category(s, column, f);
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
    return fxi_read_csv_row_end(s);
}

static fx_status open_chunk(scan *s)
{
    const size_t fields = s->c->marks + s->c->lines;    /* at most */
    fx_status st = fxi_read_csv_row_open(s, fields, (size_t)(s->c->end - s->c->text));

    if (st || s->r->names.used)
        return st;
    if (s->t->moved && !(s->row = fxi_alloc(s->r->cols, sizeof *s->row)))
        return FX_ENOMEM;
    return fxi_read_values_new(&s->val, fields);
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
    fxi_read_csv_row_close(&s, !st);
    return st;
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
