/* SPDX-License-Identifier: BSD-3-Clause
 * csv_row.c - what the fields of a row become: numbers, categories, label, weight, query,
 * identifier; the same for fields of text (csv.c) and of an Arrow array (arrow_rows.c). */

#include "read/csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool has(const fxi_read_csv_state *t, fxi_csv_role role)
{
    for (size_t j = 0; j < t->fields; j++)
        if (fxi_csv_has_role(&t->column[j], role))
            return true;
    return false;
}

fx_status fxi_read_csv_row_open(fxi_read_csv_row *s, size_t fields, size_t text)
{
    fxi_read_chunk *c = s->c;

    c->unlabelled = s->t->label_at == FXI_CSV_NONE;
    if (has(s->t, FXI_CSV_WEIGHT) && !(c->weight = fxi_alloc(c->lines, sizeof *c->weight)))
        return FX_ENOMEM;
    if (has(s->t, FXI_CSV_QUERY) && !(c->qid = fxi_alloc(c->lines, sizeof *c->qid)))
        return FX_ENOMEM;
    if (!s->r->names.used)
        return FX_OK;
    /* The text of a name and its value; NA may be longer than all of the chunk. */
    if (!fxi_size_add(&s->room, s->t->longest + sizeof "=NA", text)
        || !(s->name = fxi_alloc(s->room, 1)))
        return FX_ENOMEM;
    return fxi_read_sparse_open(&s->sparse, c->lines, fields);
}

void fxi_read_csv_row_close(fxi_read_csv_row *s, bool good)
{
    fx_matrix *m = &s->c->matrix;

    free(s->row);
    free(s->name);
    if (s->r->names.used) {
        fxi_read_sparse_close(&s->sparse, s->c, good);
        return;
    }
    if (!good) {
        fxi_read_values_free(&s->val);
        return;
    }
    m->rows = s->c->rows;
    m->cols = m->stride = s->r->cols;
    m->val = fxi_read_values_take(&s->val, &m->type, s->n);
}

/* ---- Numbers -------------------------------------------------------------------------------- */
/* What to do about a number that is missing or infinite; the program spells it in its own way. */
#define CURES "use nan=zero, or nan=keep and plan.missing"

fx_status fxi_read_csv_row_not_a_number(fxi_read_csv_row *s, const fxi_read_csv_column *column,
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

fx_status fxi_read_csv_row_unusable(fxi_read_csv_row *s, const fxi_read_csv_column *column,
                                    double *x, const char *text, size_t len)
{
    char excerpt[FXI_EXCERPT], name[FXI_EXCERPT];

    if (s->t->nan != FXI_CSV_ERROR) {
        s->c->count.dropped += s->t->nan == FXI_CSV_ZERO;
        *x = s->t->nan == FXI_CSV_ZERO ? 0 : NAN;
        return FX_OK;
    }
    fxi_data_text_excerpt(excerpt, text, len);
    return fxi_read_fail(s->c, s->line, text, "%s%s%s in the column '%s' is %s (" CURES ")",
                         len ? "'" : "", len ? excerpt : "an empty field", len ? "'" : "",
                         fxi_data_text_excerpt(name, column->name, column->len),
                         isnan(*x) ? "a missing number" : "not a finite number in range");
}

fx_status fxi_read_csv_row_weight(fxi_read_csv_row *s, double x, const char *text, size_t len)
{
    char excerpt[FXI_EXCERPT];

    if (!(x >= 0 && fxi_read_usable(x)))
        return fxi_read_fail(s->c, s->line, text,
                             "the weight %s is not a finite number of 0 or more",
                             fxi_data_text_excerpt(excerpt, text, len));
    s->c->weight[s->c->rows] = x;
    return FX_OK;
}

/* ---- Texts ---------------------------------------------------------------------------------- */
fx_status fxi_read_csv_row_odd(fxi_read_csv_row *s, const fxi_read_csv_field *f)
{
    const char *byte, *odd = fxi_data_text_odd(&byte, f->text, f->len);

    return odd ? fxi_read_fail(s->c, s->line, byte, "%s", odd) : FX_OK;
}

/* A whole number is the query number; any other text is hashed to one. */
fx_status fxi_read_csv_row_query(fxi_read_csv_row *s, const fxi_read_csv_field *f)
{
    double x;

    if (!f->len)
        return fxi_read_fail(s->c, s->line, f->text, "no query");
    bool number = fxi_decimal_read(&x, f->text, f->text + f->len) == f->text + f->len && x >= 0
                  && x < 0x1p53 && x == floor(x);
    s->c->qid[s->c->rows] = number ? (int64_t)x
                                   : (int64_t)fxi_read_names_hash(f->text, f->len, 62);
    return FX_OK;
}

fx_status fxi_read_csv_row_id(fxi_read_csv_row *s, const fxi_read_csv_field *f)
{
    fx_status st = fxi_read_csv_row_odd(s, f);

    if (st)
        return st;
    char *to = fxi_read_ids_room(&s->c->ids, f->len);
    if (!to)
        return FX_ENOMEM;
    fxi_read_ids_add(&s->c->ids, fxi_read_csv_field_copy(to, f));
    return FX_OK;
}

fx_status fxi_read_csv_row_category(fxi_read_csv_row *s, const fxi_read_csv_column *column,
                                    fxi_read_csv_field f)
{
    fx_status st;

    if (!f.len && s->t->nan == FXI_CSV_OWN)
        f = (fxi_read_csv_field){.text = "NA", .len = 2};
    if (!f.len || column->role == FXI_CSV_IGNORED)
        return FX_OK;
    if (column->role == FXI_CSV_UNSEEN) {
        s->c->count.unseen++;
        return FX_OK;
    }
    if ((st = fxi_read_csv_row_odd(s, &f)))
        return st;
    memcpy(s->name, column->name, column->len);
    s->name[column->len] = '=';
    size_t len = column->len + 1 + fxi_read_csv_field_copy(s->name + column->len + 1, &f);
    return fxi_read_names_value(&s->sparse, s->r, s->c, s->name, len, 1);
}

fx_status fxi_read_csv_row_end(fxi_read_csv_row *s)
{
    fx_status st = FX_OK;

    if (s->r->names.used)
        return fxi_read_names_row(&s->sparse, s->r, s->c, s->line);
    for (size_t j = 0; s->row && j < s->r->cols && !st; j++)
        st = fxi_read_values_set(&s->val, s->n++, s->row[j]);
    s->c->rows++;
    return st;
}
