/* SPDX-License-Identifier: BSD-3-Clause
 * arrow_batch.c - a record batch is what Arrow says it is, as far as that can be seen: schema and
 * array have the same columns, lengths and offsets fit into each other, buffers are there.
 *
 * A column that is left out may have any type.  Nothing is nested, so nothing recurs. */

#include "read/arrow.h"

#include <stdio.h>

static fx_status wrong(const fx_reader *r, const char *format, const char *name, long long number)
{
    char column[FXI_EXCERPT], reason[200];

    snprintf(reason, sizeof reason, format,
             fxi_data_text_excerpt(column, name ? name : "", name ? strlen(name) : 0), number);
    return fxi_error(FX_EINVAL, "%s: %s", r->name, reason);
}

fx_status fxi_read_arrow_batch_schema(const fx_reader *r, const struct ArrowSchema *schema)
{
    if (!schema || !schema->release)
        return fxi_error(FX_EINVAL, "%s: the Arrow schema is %s", r->name,
                         schema ? "released" : "NULL");
    if (!schema->format || strcmp(schema->format, "+s"))
        return wrong(r, "the Arrow schema has the format '%s'; a table has '+s'", schema->format,
                     0);
    if (schema->n_children < 1 || !schema->children)
        return wrong(r, "the Arrow schema has%s %lld columns", "", schema->n_children);
    for (int64_t j = 0; j < schema->n_children; j++) {
        const struct ArrowSchema *c = schema->children[j];
        if (!c || !c->format || !c->release)
            return wrong(r, "the Arrow schema%s has no column %lld (from 0)", "", j);
        if (c->dictionary && !c->dictionary->format)
            return wrong(r, "the column '%s' has a dictionary without a format", c->name, 0);
    }
    return FX_OK;
}

/* ---- Values --------------------------------------------------------------------------------- */
/* Lengths, and the place of row 0, which is `first` rows after the array's own first. */
static fx_status set_place(fxi_read_arrow_values *v, const fx_reader *r, const char *name,
                           const struct ArrowArray *a, size_t first, size_t rows)
{
    size_t at, need;

    if (!a || !a->release)
        return wrong(r, "the array of the column '%s' is missing or released", name, 0);
    if (a->length < 0 || a->offset < 0 || a->null_count < -1 || a->null_count > a->length)
        return wrong(r,
                     "the array of the column '%s' has an impossible length, offset or null "
                     "count (length %lld)",
                     name, a->length);
    if (!fxi_size_add(&need, first, rows) || need > (uint64_t)a->length)
        return wrong(r, "the array of the column '%s' has only %lld values", name, a->length);
    if (!fxi_size_add(&at, (size_t)a->offset, first) || !fxi_size_add(&need, at, rows)
        || !fxi_size_mul(&need, need, 16))
        return wrong(r, "the array of the column '%s' has the offset %lld: too large", name,
                     a->offset);
    v->at = at;
    v->n = rows;
    return FX_OK;
}

static fx_status set_buffers(fxi_read_arrow_values *v, const fx_reader *r, const char *name,
                             const struct ArrowArray *a)
{
    const int64_t need = (int64_t)fxi_read_arrow_values_buffers(v->type);
    const bool view = v->type == FXI_ARROW_TEXT_VIEW;

    if (a->n_buffers < need + view)     /* a view's texts, and at last their lengths */
        return wrong(r, "the array of the column '%s' has only %lld buffers", name, a->n_buffers);
    if (!need || !v->n)
        return FX_OK;
    if (!a->buffers || !a->buffers[1])
        return wrong(r, "the array of the column '%s' has values, but no buffer of them", name, 0);
    v->valid = a->null_count ? a->buffers[0] : NULL;
    v->data = a->buffers[1];
    if (a->null_count > 0 && !v->valid)
        return wrong(r, "the column '%s' has %lld nulls, but no buffer that says where", name,
                     a->null_count);
    if (need == 3) {
        v->text = a->buffers[2];
        v->text_len = fxi_read_arrow_values_offset(v, (size_t)a->offset + (size_t)a->length);
    }
    if (view) {
        v->part = a->buffers + 2;
        v->parts = (size_t)a->n_buffers - 3;
        v->part_len = a->buffers[a->n_buffers - 1];
    }
    if (v->parts && !v->part_len)
        return wrong(r, "the array of the column '%s' has texts without their lengths", name, 0);
    return FX_OK;
}

static fx_status set_values(fxi_read_arrow_values *v, const fx_reader *r, const char *name,
                            const struct ArrowArray *a, size_t first, size_t rows)
{
    fx_status s = set_place(v, r, name, a, first, rows);

    return s ? s : set_buffers(v, r, name, a);
}

static fx_status refuse_type(const fx_reader *r, const char *name, const char *format)
{
    char column[FXI_EXCERPT], type[FXI_EXCERPT];

    return fxi_error(FX_EUNSUPPORTED,
                     "%s: the column '%s' has the Arrow type %s (%s), neither a number nor a text: "
                     "convert it to one of these, or leave it out (drop=%s)",
                     r->name, fxi_data_text_excerpt(column, name, strlen(name)),
                     fxi_data_text_excerpt(type, format, strlen(format)),
                     fxi_read_arrow_values_name(format), column);
}

static fx_status set_column(fxi_read_arrow_column *c, const fx_reader *r, const char *name,
                            const struct ArrowSchema *schema, const struct ArrowArray *a,
                            size_t first, size_t rows)
{
    fxi_read_arrow_values *v = &c->values;
    fx_status s;

    v->type = fxi_read_arrow_values_type(&v->width, &v->scale, schema->format);
    if (!schema->dictionary)
        return v->type == FXI_ARROW_OTHER ? refuse_type(r, name, schema->format)
                                          : set_values(v, r, name, a, first, rows);
    if (v->type < FXI_ARROW_I8 || v->type > FXI_ARROW_U64)
        return wrong(r, "the column '%s' has a dictionary, but no whole numbers for it", name, 0);
    if ((s = set_values(v, r, name, a, first, rows)))
        return s;
    c->coded = true;
    v = &c->words;
    v->type = fxi_read_arrow_values_type(&v->width, &v->scale, schema->dictionary->format);
    if (v->type == FXI_ARROW_OTHER || schema->dictionary->dictionary)
        return refuse_type(r, name, schema->dictionary->format);
    if (!a->dictionary || a->dictionary->length < 0)
        return wrong(r, "the array of the column '%s' has no dictionary", name, 0);
    return set_values(v, r, name, a->dictionary, 0, (size_t)a->dictionary->length);
}

/* ---- The batch ------------------------------------------------------------------------------ */
static fx_status check_rows(const fx_reader *r, const struct ArrowSchema *schema,
                            const struct ArrowArray *a)
{
    if (!a || !a->release)
        return fxi_error(FX_EINVAL, "%s: the Arrow batch is %s", r->name, a ? "released" : "NULL");
    if (a->n_children != schema->n_children || !a->children)
        return wrong(r, "the Arrow batch has%s %lld columns, unlike its schema", "", a->n_children);
    if (a->length < 0 || a->offset < 0)
        return wrong(r, "the Arrow batch has%s %lld rows", "", a->length < 0 ? a->length : -1);
    const unsigned char *valid = a->n_buffers > 0 && a->buffers ? a->buffers[0] : NULL;
    fxi_read_arrow_values v = {.type = FXI_ARROW_BOOL, .at = (size_t)a->offset, .valid = valid};
    if (!a->null_count || !valid)
        return a->null_count > 0
                   ? wrong(r, "the Arrow batch has%s %lld rows that are null", "", a->null_count)
                   : FX_OK;
    for (size_t i = 0; i < (size_t)a->length; i++)
        if (!fxi_read_arrow_valid(&v, i))
            return wrong(r, "row%s %lld (from 0) of the Arrow batch is null", "", (long long)i);
    return FX_OK;
}

/* As the columns of the first batch are called. */
static fx_status check_name(const fx_reader *r, const struct ArrowSchema *schema, size_t j)
{
    const fxi_read_csv_state *t = r->state;
    const char *name = schema->children[j]->name ? schema->children[j]->name : "";
    char here[FXI_EXCERPT], there[FXI_EXCERPT];

    if (!*name || !strcmp(name, t->column[j].name))
        return FX_OK;
    return fxi_error(FX_EINVAL, "%s: column %zu (from 0) is '%s' here, but '%s' in the first batch",
                     r->name, j, fxi_data_text_excerpt(here, name, strlen(name)),
                     fxi_data_text_excerpt(there, t->column[j].name, t->column[j].len));
}

fx_status fxi_read_arrow_batch_open(fxi_read_arrow_batch *b, const fx_reader *r,
                                    const struct ArrowSchema *schema,
                                    const struct ArrowArray *array)
{
    const fxi_read_csv_state *t = r->state;
    fx_status s = check_rows(r, schema, array);

    if (s)
        return s;
    if ((size_t)schema->n_children != t->fields)
        return fxi_error(FX_EINVAL, "%s: %lld columns here, but %zu in the first batch", r->name,
                         (long long)schema->n_children, t->fields);
    *b = (fxi_read_arrow_batch){.rows = (size_t)array->length, .fields = t->fields};
    b->column = fxi_zalloc(t->fields, sizeof *b->column);
    if (!b->column)
        return FX_ENOMEM;
    for (size_t j = 0; j < t->fields && !s; j++) {
        const fxi_read_csv_column *c = &t->column[j];
        s = check_name(r, schema, j);
        if (!s && (c->query || (c->role != FXI_CSV_IGNORED && c->role != FXI_CSV_UNSEEN)))
            s = set_column(&b->column[j], r, c->name, schema->children[j], array->children[j],
                           (size_t)array->offset, b->rows);
    }
    return s;
}
