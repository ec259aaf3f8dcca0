/* SPDX-License-Identifier: BSD-3-Clause
 * reader.c - a reader from its spec to its tables; reader_feed.c gives it bytes.
 *
 * A reader collects blocks and labels; take makes a table of them.  The bytes of a block are
 * written once and never copied: the table takes them over. */

#include "read/read.h"

#include <stdlib.h>
#include <string.h>

static const fxi_read_format *const formats[] = {&fxi_read_svmlight, &fxi_read_csv, &fxi_read_words,
                                                 &fxi_read_npy, &fxi_read_npz};
enum { FORMATS = sizeof formats / sizeof *formats };

static fx_description line(size_t i)
{
    return i < FORMATS ? fxi_spec_counted(formats[i]->about) : (fx_description){0};
}

const char *fx_data_reader_format(size_t i) { return line(i).name; }

fx_status fx_data_reader_new(fx_reader **out, const char *spec, const char *name)
{
    fxi_spec s;
    size_t f;
    fx_status st;

    if (!out || !spec || !name)
        return fxi_error(FX_EINVAL, "a reader needs a format and a name");
    if ((st = fxi_spec_read(&s, &f, spec, line, "format to read")) != 0)
        return st;

    fx_reader *r = fxi_zalloc(1, sizeof *r);
    if (!r)
        return FX_ENOMEM;
    r->format = formats[f];
    r->widest = -1;
    r->name = fxi_read_sources_short(name);
    r->spec = fxi_spec_complete(&s, r->format->about.key);
    st = r->name && r->spec ? r->format->open(r, &s) : FX_ENOMEM;
    if (st) {
        fx_data_reader_free(r);
        return st;
    }
    *out = r;
    return FX_OK;
}

/* Only the format knows what else may be wrong with keys. */
fx_status fx_data_reader_describe(fx_description *out, const char *spec)
{
    fx_reader *r = NULL;
    fxi_spec s;
    size_t which;

    if (!out)
        return fxi_error(FX_EINVAL, "fx_data_reader_describe: out is NULL");
    fx_status st = fxi_sized_check(out, "fx_description");
    if (!st)
        st = fxi_spec_read(&s, &which, spec, line, "format to read");
    if (!st && !(st = fx_data_reader_new(&r, spec, "")))
        fxi_spec_give(out, line(which));
    fx_data_reader_free(r);
    return st;
}

void fx_data_reader_free(fx_reader *r)
{
    if (!r)
        return;
    if (r->state && r->format->close)
        r->format->close(r);
    free(r->state);
    free(r->name);
    fxi_read_sources_free(r);
    fx_data_free(r->data);
    fxi_free(r->block, r->label, r->qid, r->weight, r->spec, r->held.at, r->ids.text.at);
    fxi_data_classes_free(&r->classes);
    fxi_read_names_free(&r->names);
    free(r);
}

fx_status fx_data_reader_counts(fx_read_counts *out, const fx_reader *r)
{
    if (!out || !r)
        return fxi_error(FX_EINVAL, "fx_data_reader_counts: %s is NULL", out ? "r" : "out");
    fx_status st = fxi_sized_check(out, "fx_read_counts");
    if (!st)
        fxi_sized_out(out, &r->count, sizeof r->count);
    return st;
}

fx_status fx_data_reader_member(fx_reader *r, const char *member)
{
    fx_status s = fxi_read_check(r);

    if (s)
        return s;
    if (!r->format->member || !member)
        return fxi_error(FX_EINVAL, "%s: %s", r->name,
                         member ? "only npz has members" : "a member without a name");
    return fxi_read_note(r, r->format->member(r, member));
}

fx_status fx_data_reader_file(fx_reader *r, const char *name)
{
    fx_status s = fxi_read_check(r);

    if (s)
        return s;
    if (!r->format->parse || r->batches || !name)
        return fxi_error(FX_EINVAL, "%s: %s", r->name,
                         name ? "only text can go on in another file" : "a file without a name");
    return fxi_read_note(r, fxi_read_sources_add(r, name));
}

fx_status fx_data_reader_names(fx_reader *r, const char *const *name, size_t n)
{
    size_t twice, i = 0;
    fx_status s = fxi_read_check(r);

    if (s)
        return s;
    if (!r->format->about.names)
        return fxi_error(FX_EINVAL, "%s: only csv and text have columns by name", r->name);
    if (r->count.bytes || r->names.given)
        return fxi_error(FX_EINVAL, "%s: names come once, before the first bytes", r->name);
    while (name && i < n && name[i])
        i++;
    if (i < n || !n)
        return fxi_error(FX_EINVAL, "%s: name %zu of %zu is NULL", r->name, i, n);
    if (r->names.bits && n != (size_t)1 << r->names.bits)
        return fxi_error(FX_ESHAPE, "%s: %zu names, but hash-bits=%u makes %zu columns", r->name, n,
                         r->names.bits, (size_t)1 << r->names.bits);
    r->names.given = true;
    s = fxi_read_names_fix(r, name, n, &twice);
    if (s == FX_EINVAL)
        s = fxi_error(s, "%s: two columns are named '%s'", r->name, name[twice]);
    return fxi_read_note(r, s);
}

fx_status fx_data_reader_names_more(fx_reader *r)
{
    fx_status s = fxi_read_check(r);

    if (s)
        return s;
    if (r->count.bytes || !r->names.given)
        return fxi_error(FX_EINVAL, "%s: more names come after those of fx_data_reader_names and "
                         "before the first bytes", r->name);
    r->names.more = !r->names.bits;
    return FX_OK;
}

/* Labels counted classes as they came; a table counts them in sorted order.  (A "parallel" loop of
 * one part, only so that it can be cancelled.) */
static fx_status sort_classes(void *ctx, size_t part, fxi_team *team)
{
    fx_reader *r = ctx;
    double *rank = fxi_alloc(r->classes.n, sizeof *rank);
    fx_status s = rank ? fxi_data_classes_take(r->data, rank, &r->classes, team) : FX_ENOMEM;

    (void)part;
    for (size_t i = 0; i < r->rows && !s; i++) {
        r->label[i] = rank[(size_t)r->label[i]];
        if (fxi_data_stopped(i, team))
            s = FX_ECANCELLED;
    }
    free(rank);
    return s;
}

/* The table takes over *array, n of `capacity` items. */
static fx_status hand_over(fx_reader *r, void **array, size_t n, size_t capacity, size_t size)
{
    void *p = *array;

    if (!p)
        return FX_OK;
    *array = NULL;
    p = fxi_read_values_shrink(p, n, capacity, size);
    fx_status s = fxi_data_own(r->data, p);
    if (!s)
        *array = p;                     /* for the table; reset once it is given out */
    return s;
}

static fx_status make_table(fx_reader *r)
{
    if (r->unlabelled) {
        free(r->label);
        r->label = NULL;
    }
    void *label = r->label, *qid = r->qid, *weight = r->weight, *block = r->block;
    size_t capacity = r->row_capacity;

    r->label = NULL;                    /* from here on r->data owns them */
    r->qid = NULL;
    r->weight = NULL;
    r->block = NULL;
    fx_status s = hand_over(r, &label, r->rows, capacity, sizeof *r->label);
    fx_status t = hand_over(r, &qid, r->rows, capacity, sizeof *r->qid);
    fx_status u = hand_over(r, &weight, r->rows, capacity, sizeof *r->weight);
    fx_status v = hand_over(r, &block, r->blocks, r->block_capacity, sizeof *r->block);
    const char *const *id = NULL;
    if (s || t || u || v || (r->ids.n && !(id = fxi_read_ids_take(r->data, &r->ids))))
        return FX_ENOMEM;
    for (size_t b = 0; b < r->blocks; b++)
        ((fx_matrix *)block)[b].cols = r->cols;

    fx_table *table = &r->data->table;
    table->rows = r->rows;
    table->cols = r->cols;
    table->blocks = r->blocks;
    table->block = block;
    table->label = label;
    table->qid = qid;
    table->weight = weight;
    table->id = id;
    table->base = r->base == 1;
    return FX_OK;
}

fx_status fx_data_reader_take(fx_data **out, fx_reader *r, int end, const fx_run *run)
{
    fx_status s = fxi_read_check(r);

    if (s)
        return s;
    if (!out)
        return fxi_error(FX_EINVAL, "%s: nowhere to put the rows", r->name);
    s = end ? fxi_read_reader_feed_held(r, run) : FX_OK;
    if (!s)
        s = fxi_read_data(r);
    if (!s && r->format->take)
        s = r->format->take(r, end != 0, run);
    if (!s && end && r->count.rows == 0)
        s = fxi_error(FX_EFORMAT, "%s: no rows", r->name);
    if (r->unlabelled)
        fxi_data_classes_free(&r->classes);
    if (!s && r->classes.n)
        s = fxi_parallel_ordered(1, sort_classes, r, run);
    if (!s)
        s = make_table(r);
    if (s)
        return fxi_read_note(r, s);
    *out = r->data;
    r->data = NULL;
    r->blocks = r->block_capacity = r->rows = r->row_capacity = 0;
    return FX_OK;
}
