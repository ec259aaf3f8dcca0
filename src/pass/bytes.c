/* SPDX-License-Identifier: BSD-3-Clause
 * bytes.c - questions and answers as parts of a message. */

#include "pass/pass.h"

#include <string.h>

enum { SUMS, COUNTS, STATE };           /* what the numbers of an answer are */

void fxi_pass_bytes_question(fxi_message *m, const fxi_question *q)
{
    fxi_pass_message_count(m, (uint64_t)q->what);
    fxi_pass_message_count(m, q->flags);
    fxi_pass_message_number(m, q->t);
    fxi_pass_message_numbers(m, q->w, q->ws);
    fxi_pass_message_numbers(m, q->v, q->vs);
}

void fxi_pass_bytes_read_question(fxi_question *q, fxi_reading *r)
{
    uint64_t what = fxi_pass_message_read_count(r), flags = fxi_pass_message_read_count(r);

    r->bad |= what >= FXI_ASKS || flags > UINT32_MAX;
    *q = (fxi_question){.what = what < FXI_ASKS ? (fxi_ask)what : 0, .flags = (uint32_t)flags};
    q->t = fxi_pass_message_read_number(r);
    q->w = fxi_pass_message_read_numbers(r, &q->ws);
    q->v = fxi_pass_message_read_numbers(r, &q->vs);
}

fx_status fxi_pass_bytes_answer(fxi_message *m, fxi_answer *a)
{
    size_t blocks = fxi_sum_blocks(a->numbers), room = a->capacity / FXI_SUM;

    if (a->open)
        return fxi_error(FX_EINVAL, "rows end with row %llu (from 0), within a run: parts of this "
                         "data must be multiples of %zu rows", (unsigned long long)a->next - 1,
                         a->run);
    fxi_pass_message_count(m, a->rows);
    fxi_pass_message_count(m, a->state ? STATE : a->counts ? COUNTS : SUMS);
    fxi_pass_message_count(m, a->numbers);
    if (a->counts) {
        fxi_pass_message_put(m, a->count, a->numbers * sizeof *a->count);
        return FX_OK;
    }
    for (size_t t = 1; t < a->threads; t++) {
        fxi_linalg_sum_merge(a->exact, a->exact + t * room, blocks);
        fxi_linalg_sum_clear(a->exact + t * room, blocks);
    }
    fxi_pass_message_put(m, a->exact, blocks * sizeof *a->exact);
    return FX_OK;
}

fx_status fxi_pass_bytes_merge(fxi_answer *a, fxi_reading *r)
{
    uint64_t rows = fxi_pass_message_read_count(r), what = fxi_pass_message_read_count(r);
    uint64_t numbers = fxi_pass_message_read_count(r);
    bool counts = what != SUMS;

    if (r->bad || numbers != a->numbers || what != (a->state ? STATE : a->counts ? COUNTS : SUMS))
        return fxi_error(FX_EFORMAT, "an answer of %llu numbers, where one of %zu is expected",
                         (unsigned long long)numbers, a->numbers);
    if (a->state && a->rows && rows)
        return fxi_error(FX_EINVAL, "this pass cannot be divided: one must get all rows");
    size_t blocks = fxi_sum_blocks(a->numbers);
    const void *from = fxi_pass_message_read_take(r, counts ? a->numbers * sizeof *a->count
                                                       : blocks * sizeof *a->exact);
    if (!from || (!counts && !fxi_linalg_sum_possible(from, blocks)))
        return fxi_error(FX_EFORMAT, "an answer with numbers that cannot be");
    const double *count = from;
    for (size_t k = 0; counts && k < a->numbers && (!a->state || rows); k++)
        a->count[k] = a->state ? count[k] : a->count[k] + count[k];
    if (!counts)
        fxi_linalg_sum_merge(a->exact, from, blocks);
    a->rows += rows;
    return FX_OK;
}
