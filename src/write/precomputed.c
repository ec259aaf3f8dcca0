/* SPDX-License-Identifier: BSD-3-Clause
 * precomputed.c - a kernel matrix in libsvm's text (svm-train -t 4): `label 0:i 1:K 2:K ...`.
 *
 * Row i counts from 1.  Labels are those of svmlight. */

#include "write/write.h"

#include <string.h>

static fx_status start(fxi_writer *w, const fxi_spec *s, const fx_key *table)
{
    (void)s, (void)table;
    return fxi_write_svmlight_names(w->t);
}

/* Every column is written, zeros too: position j of a kernel row is its product with row j. */
static fx_status row(fxi_writer *w, size_t pass, size_t i, fxi_row r)
{
    fx_status s = fxi_write_svmlight_label(w, i);

    (void)pass;
    if (s)
        return s;
    memcpy(w->buf + w->used, " 0:", 3);
    w->used += 3;
    fxi_write_integer(w, (uint64_t)i + 1);
    for (size_t j = 0, q = 0; j < w->t->cols; j++) {
        bool here = q < r.n && (size_t)fxi_row_column(r, q) == j;
        if ((s = fxi_write_reserve(w)))
            return s;
        fxi_write_char(w, ' ');
        fxi_write_integer(w, (uint64_t)j + 1);
        fxi_write_char(w, ':');
        fxi_write_number(w, here ? fxi_row_value(r, q) : 0);
        q += here;
    }
    if ((s = fxi_write_reserve(w)))
        return s;
    fxi_write_char(w, '\n');
    return FX_OK;
}

static const fx_key keys[] = {{0}};

const fxi_write_format fxi_write_precomputed = {
    .about = {.name = "precomputed",
              .help = "LIBSVM's kernel text: label 0:row 1:K 2:K ..",
              .key = keys,
              .dense = 1,
              .labels = 1,
              .precomputed = 1},
    .passes = 1,
    .start = start,
    .row = row};
