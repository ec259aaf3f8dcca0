/* SPDX-License-Identifier: BSD-3-Clause
 * svmlight.c - `label [qid:q] index:value ...`, a line for each row.
 *
 * A dense row gives its non-zeros, a sparse row all that it stores.  A table without labels gets
 * the label 0.  Text that the format would split is rejected: better no file than one that reads
 * back as something else. */

#include "write/write.h"

#include <string.h>

static const int64_t QID_END = 1000000000000000000;     /* readers take 18 digits */

fx_status fxi_write_svmlight_names(const fx_table *t)
{
    for (size_t c = 0; c < t->classes; c++)
        if (!t->class_name[c][0] || strpbrk(t->class_name[c], " \t\r\n\v\f#:")
            || !strncmp(t->class_name[c], FXI_WRITE_MARK, 3)
            || fxi_write_is_number(t->class_name[c]))
            return fxi_error(FX_EUNSUPPORTED,
                             "class name '%s' cannot stand in this format (empty, a "
                             "number, with a space, # or :, or after a byte order mark)",
                             t->class_name[c]);
    return FX_OK;
}

static fx_status start(fxi_writer *w, const fxi_spec *s, const fx_key *table)
{
    int choice;
    fx_status st = fxi_key_choice(&choice, s, table, "base");

    if (st)
        return st;
    w->base = choice == 0;              /* "1|0" */
    return fxi_write_svmlight_names(w->t);
}

fx_status fxi_write_svmlight_label(fxi_writer *w, size_t i)
{
    const fx_table *t = w->t;
    fx_status s = fxi_write_reserve(w);

    if (s)
        return s;
    if (t->label && t->classes) {
        const char *name = t->class_name[(size_t)t->label[i]];
        s = fxi_write_bytes(w, name, strlen(name));
        return s ? s : fxi_write_reserve(w);
    }
    fxi_write_number(w, t->label ? t->label[i] : 0);
    return FX_OK;
}

/* The first row is a label alone: with a comma or semicolon in it, it would be taken for CSV. */
static fx_status check_bare(const fx_table *t)
{
    const char *name = t->classes ? t->class_name[(size_t)t->label[0]] : "";

    if (strpbrk(name, ",;"))
        return fxi_error(FX_EUNSUPPORTED,
                         "class name '%s' cannot stand alone in the first row: it "
                         "would look like CSV",
                         name);
    return FX_OK;
}

static fx_status row(fxi_writer *w, size_t pass, size_t i, fxi_row r)
{
    bool dense = !r.col32 && !r.col64, bare = i == 0;
    int64_t qid = w->t->qid ? w->t->qid[i] : -1;
    fx_status s = fxi_write_svmlight_label(w, i);

    (void)pass;
    if (s)
        return s;
    if (r.n && fxi_row_column(r, r.n - 1) > FX_INDEX_MAX - w->base)
        return fxi_error(FX_EUNSUPPORTED,
                         "row %zu (from 0): column %lld is beyond what text files hold, %d", i,
                         (long long)fxi_row_column(r, r.n - 1), FX_INDEX_MAX);
    if (qid >= QID_END)
        return fxi_error(FX_EUNSUPPORTED,
                         "row %zu (from 0): query %lld is beyond what text files hold, "
                         "%lld",
                         i, (long long)qid, (long long)QID_END - 1);
    if (qid >= 0) {
        memcpy(w->buf + w->used, " qid:", 5);
        w->used += 5;
        fxi_write_integer(w, (uint64_t)qid);
        bare = false;
    }
    for (size_t q = 0; q < r.n; q++) {
        double v = fxi_row_value(r, q);
        if (dense && v == 0)
            continue;
        if ((s = fxi_write_reserve(w)))
            return s;
        bare = false;
        fxi_write_char(w, ' ');
        fxi_write_integer(w, (uint64_t)(fxi_row_column(r, q) + w->base));
        fxi_write_char(w, ':');
        fxi_write_number(w, v);
    }
    if (bare && (s = check_bare(w->t)))
        return s;
    if ((s = fxi_write_reserve(w)))
        return s;
    fxi_write_char(w, '\n');
    return FX_OK;
}

static const fx_key keys[] = {{"base", "1", FXI_CHOICE("1|0"), "first index"}, {0}};

const fxi_write_format fxi_write_svmlight = {.about = {.name = "svmlight",
                                                       .help = "sparse rows: label index:value ..",
                                                       .key = keys,
                                                       .labels = 1},
                                             .passes = 1,
                                             .start = start,
                                             .row = row};
