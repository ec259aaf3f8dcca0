/* SPDX-License-Identifier: BSD-3-Clause
 * csv.c - dense rows as text: numbers between commas, tabs or semicolons, one of them the label.
 *
 * csv_header.c reads the first line.  A field may stand in double quotes, "" for one of them, but
 * not run over a line end.  nan=drop reads empty, nan and infinite fields as 0, except the
 * label.  One pass, values correctly rounded. */

#include "data/csv.h"

#include <math.h>
#include <stdlib.h>

static const fxi_spec_key keys[] = {{"separator", "comma", "comma|tab|semicolon"},
                                    {"label", "last", NULL},
                                    {"header", "auto", "auto|yes|no"},
                                    {"nan", "error", "error|drop"},
                                    {0}};

static fx_status open_csv(fx_reader *r, const fxi_spec *s)
{
    const char *label;
    size_t len;
    fx_status st = fxi_data_reader_state(r, sizeof(fxi_data_csv_state));

    if (!st)
        st = fxi_spec_text(&label, &len, s, keys, "label");
    if (st)
        return st;
    fxi_data_csv_state *t = r->state;
    int separator, header;
    if ((st = fxi_spec_choice(&separator, s, keys, "separator"))
        || (st = fxi_spec_choice(&header, s, keys, "header"))
        || (st = fxi_spec_choice(&t->drop, s, keys, "nan")))
        return st;
    t->separator = ",\t;"[separator];
    t->header = header == 1;            /* auto|yes|no */
    t->no_header = header == 2;
    t->label = fxi_strndup(label, len);
    if (!t->label)
        return FX_ENOMEM;
    if (strcmp(t->label, "last") && strcmp(t->label, "first") && strcmp(t->label, "none")) {
        if (t->no_header)
            return fxi_error(FX_EINVAL, "csv: label=%s names a column, but header=no", t->label);
        t->header = true;
    }
    return FX_OK;
}

static void close_csv(fx_reader *r)
{
    fxi_data_csv_state *t = r->state;

    free(t->label);
    free(t->names);
}

/* ---- One chunk ------------------------------------------------------------------------------ */
typedef struct scan {
    fxi_data_chunk *c;
    const fxi_data_csv_state *t;
    const char *line, *stop;
    fxi_data_values val;
    size_t n;
} scan;

static fx_status read_label(scan *s, const char **p)
{
    fxi_data_csv_field f;
    fx_status st;

    if (!fxi_data_csv_field_read(&f, *p, s->stop, s->t->separator))
        return fxi_data_text_fault(s->c, s->line, *p, "a quote that does not end its field");
    if (!f.len)
        return fxi_data_text_fault(s->c, s->line, *p, "no label");
    *p = f.next;
    if (!f.quoted || !memchr(f.text, '"', f.len))
        return fxi_data_text_label(s->c, s->line, f.text, f.text, f.len);
    const char *byte, *odd = fxi_data_text_odd(&byte, f.text, f.len);
    if (odd)
        return fxi_data_text_fault(s->c, s->line, byte, "%s", odd);
    char *copy = fxi_alloc(f.len, 1);
    if (!copy)
        return FX_ENOMEM;
    size_t len = fxi_data_csv_field_copy(copy, &f);
    st = fxi_data_text_label(s->c, s->line, f.text, copy, len);
    free(copy);
    return st;
}

/* The field at p is not a plain number: empty, quoted, or wrong. */
static fx_status odd_value(scan *s, double *x, const char **p)
{
    char excerpt[FXI_EXCERPT];
    const char *odd, *byte;
    fxi_data_csv_field f;

    if (!fxi_data_csv_field_read(&f, *p, s->stop, s->t->separator))
        return fxi_data_text_fault(s->c, s->line, *p, "a quote that does not end its field");
    if (fxi_data_csv_field_number(x, &f)) {
        /* a number in quotes */
    } else if (!f.len && s->t->drop)
        *x = INFINITY;                  /* dropped like any other number that is not finite */
    else if (!f.len)
        return fxi_data_text_fault(s->c, s->line, *p, "an empty field (use nan=drop)");
    else if ((odd = fxi_data_text_odd(&byte, f.text, f.len)))
        return fxi_data_text_fault(s->c, s->line, byte, "%s", odd);
    else
        return fxi_data_text_fault(s->c, s->line, f.text, "'%s' is not a number%s",
                                   fxi_data_text_excerpt(excerpt, f.text, f.len),
                                   memchr(f.text, ':', f.len) ? "; this looks like svmlight" : "");
    *p = f.next;
    return FX_OK;
}

static fx_status read_value(scan *s, const char **p)
{
    const char *value = fxi_data_csv_skip(*p, s->stop, s->t->separator), *q;
    double x = 0;

    q = fxi_decimal_read(&x, value, s->stop);
    if (q)
        q = fxi_data_csv_skip(q, s->stop, s->t->separator);
    if (q && (q == s->stop || *q == s->t->separator))
        *p = q;
    else {
        fx_status st = odd_value(s, &x, p);
        if (st)
            return st;
    }
    if (!fxi_data_usable(x)) {
        if (!s->t->drop) {
            char excerpt[FXI_EXCERPT];
            return fxi_data_text_fault(s->c, s->line, value,
                                       "%s is not a finite number in range (use nan=drop)",
                                       fxi_data_text_excerpt(excerpt, value, (size_t)(*p - value)));
        }
        s->c->count.dropped++;
        x = 0;
    }
    return fxi_data_values_set(&s->val, s->n++, x);
}

static fx_status read_line(scan *s)
{
    const fxi_data_csv_state *t = s->t;
    const char *p = s->line;
    size_t j = 0;

    if (fxi_data_csv_skip(p, s->stop, t->separator) == s->stop) {
        s->c->count.blank++;
        return FX_OK;
    }
    for (;; p++) {                      /* past the separator */
        if (j == t->fields)
            return fxi_data_text_fault(s->c, s->line, p, "more than the %zu fields of line %llu",
                                       t->fields, (unsigned long long)t->line);
        fx_status st = j == t->label_at ? read_label(s, &p) : read_value(s, &p);
        if (st)
            return st;
        j++;
        if (p == s->stop)
            break;
    }
    if (j < t->fields)
        return fxi_data_text_fault(s->c, s->line, p, "%zu fields, line %llu has %zu", j,
                                   (unsigned long long)t->line, t->fields);
    s->c->rows++;
    return FX_OK;
}

static fx_status parse_csv(const fx_reader *r, fxi_data_chunk *c)
{
    scan s = {.c = c, .t = r->state};
    const char *p = c->text;
    fx_status st = fxi_data_values_new(&s.val, c->marks + c->lines); /* fields, at most */

    while (!st && fxi_data_text_line(&s.line, &s.stop, &p, c->end)) {
        c->count.lines++;
        st = read_line(&s);
        if (!st && c->count.lines % 1024 == 0 && fxi_parallel_cancelled(c->team))
            st = FX_ECANCELLED;
    }
    if (st) {
        fxi_data_values_free(&s.val);
        return st;
    }
    c->matrix.rows = c->rows;
    c->matrix.cols = c->matrix.stride = r->cols;
    c->matrix.val = fxi_data_values_take(&s.val, &c->matrix.type, s.n);
    return FX_OK;
}

static fx_status feed_csv(fx_reader *r, const char *bytes, size_t len, const fx_run *run)
{
    const fxi_data_csv_state *t = r->state;

    return fxi_data_text_feed(r, bytes, len, t->separator, fxi_data_csv_header, parse_csv, run);
}

/* ---- Names ---------------------------------------------------------------------------------- */
static fx_status take_csv(fx_reader *r, bool end, const fx_run *run)
{
    const fxi_data_csv_state *t = r->state;

    (void)end, (void)run;
    if (!t->names)
        return FX_OK;
    char *text = fxi_alloc(t->names_len, 1);
    fx_status s = fxi_data_own(r->data, text);
    if (s)
        return s;
    const char **name = fxi_alloc(r->cols, sizeof *name);
    s = fxi_data_own(r->data, name);
    if (s)
        return s;
    memcpy(text, t->names, t->names_len);
    for (size_t j = 0; j < r->cols; j++) {
        name[j] = text;
        text += strlen(text) + 1;
    }
    r->data->table.name = name;
    return FX_OK;
}

const fxi_data_format fxi_data_csv = {"csv", keys, open_csv, feed_csv, NULL, take_csv, close_csv};
