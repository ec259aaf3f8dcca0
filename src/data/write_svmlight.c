/* SPDX-License-Identifier: BSD-3-Clause
 * write_svmlight.c - `label [qid:q] index:value ...`, and libsvm's form of a kernel matrix.
 *
 * A dense row gives its non-zeros, a sparse row all that it stores.  A table without labels gets
 * the label 0.  A class name that the format would take apart is refused: better no file than one
 * that reads back as something else. */

#include "data/write.h"

#include <string.h>

static fx_status refuse_names(const fx_table *t)
{
    for (size_t c = 0; c < t->classes; c++)
        if (!t->class_name[c][0] || strpbrk(t->class_name[c], " \t\r\n\v\f#:"))
            return fxi_error(FX_EUNSUPPORTED, "class name '%s' cannot stand in this format (empty, "
                             "or with a space, # or :)", t->class_name[c]);
    return FX_OK;
}

static fx_status start(fxi_writer *w, const fxi_spec *s, const fxi_spec_key *keys)
{
    int choice;
    fx_status st = fxi_spec_choice(&choice, s, keys, "base");

    if (st)
        return st;
    w->base = choice == 0;              /* "1|0" */
    return refuse_names(w->t);
}

/* Leaves room for a short text behind the label. */
static fx_status write_label(fxi_writer *w, size_t i)
{
    const fx_table *t = w->t;
    fx_status s = fxi_data_write_room(w);

    if (s)
        return s;
    if (t->label && t->classes) {
        const char *name = t->class_name[(size_t)t->label[i]];
        s = fxi_data_write_bytes(w, name, strlen(name));
        return s ? s : fxi_data_write_room(w);
    }
    fxi_data_write_number(w, t->label ? t->label[i] : 0);
    return FX_OK;
}

static fx_status row(fxi_writer *w, size_t pass, size_t i, fxi_row r)
{
    bool dense = !r.col32 && !r.col64;
    fx_status s = write_label(w, i);

    (void)pass;
    if (s)
        return s;
    if (r.n && fxi_row_column(r, r.n - 1) > FX_INDEX_MAX - w->base)
        return fxi_error(FX_EUNSUPPORTED, "row %zu: column %lld is beyond what text files hold, %d",
                         i, (long long)fxi_row_column(r, r.n - 1), FX_INDEX_MAX);
    if (w->t->qid) {
        int64_t q = w->t->qid[i];
        memcpy(w->buf + w->used, " qid:-", 6);
        w->used += q < 0 ? 6 : 5;
        fxi_data_write_integer(w, q < 0 ? -(uint64_t)q : (uint64_t)q);
    }
    for (size_t q = 0; q < r.n; q++) {
        double v = fxi_row_value(r, q);
        if (dense && v == 0)
            continue;
        if ((s = fxi_data_write_room(w)))
            return s;
        fxi_data_write_char(w, ' ');
        fxi_data_write_integer(w, (uint64_t)(fxi_row_column(r, q) + w->base));
        fxi_data_write_char(w, ':');
        fxi_data_write_number(w, v);
    }
    if ((s = fxi_data_write_room(w)))
        return s;
    fxi_data_write_char(w, '\n');
    return FX_OK;
}

static fx_status start_precomputed(fxi_writer *w, const fxi_spec *s, const fxi_spec_key *keys)
{
    (void)s, (void)keys;
    return refuse_names(w->t);
}

/* Every column is written, zeros too: position j of a kernel row is its product with row j. */
static fx_status row_precomputed(fxi_writer *w, size_t pass, size_t i, fxi_row r)
{
    fx_status s = write_label(w, i);

    (void)pass;
    if (s)
        return s;
    memcpy(w->buf + w->used, " 0:", 3);
    w->used += 3;
    fxi_data_write_integer(w, (uint64_t)i + 1);
    for (size_t j = 0, q = 0; j < w->t->cols; j++) {
        bool here = q < r.n && (size_t)fxi_row_column(r, q) == j;
        if ((s = fxi_data_write_room(w)))
            return s;
        fxi_data_write_char(w, ' ');
        fxi_data_write_integer(w, (uint64_t)j + 1);
        fxi_data_write_char(w, ':');
        fxi_data_write_number(w, here ? fxi_row_value(r, q) : 0);
        q += here;
    }
    if ((s = fxi_data_write_room(w)))
        return s;
    fxi_data_write_char(w, '\n');
    return FX_OK;
}

static const fxi_spec_key base_key[] = {{"base", "1", "1|0"}, {NULL, NULL, NULL}};
static const fxi_spec_key no_keys[] = {{NULL, NULL, NULL}};

const fxi_data_format fxi_data_write_svmlight = {
    .name = "svmlight", .keys = base_key, .passes = 1, .start = start, .row = row};
const fxi_data_format fxi_data_write_precomputed = {
    .name = "precomputed", .keys = no_keys, .passes = 1, .start = start_precomputed,
    .row = row_precomputed};
