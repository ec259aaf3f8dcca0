/* SPDX-License-Identifier: BSD-3-Clause
 * pass_bytes.c - the answer of a pass as bytes, and bytes of others added to it. */

#include "train/pass.h"

#include <stdlib.h>

/* ---- A sample -------------------------------------------------------------------------------- */

static fx_status put_sample(fxi_message *m, const fx_pass *p)
{
    fx_status st = FX_OK;

    fxi_pass_message_count(m, p->rows);
    fxi_pass_message_count(m, p->samples);
    for (size_t k = 0; k < p->samples && !st; k++) {
        fxi_message one = {0};
        st = fx_data_pack(&(fx_sink){.size = sizeof(fx_sink), .write = fxi_pass_message_write,
                                     .ctx = &one},
                          &p->sample[k].rows->table, &p->run);
        if (one.failed)
            st = fxi_error(FX_ENOMEM, "out of memory for an answer");
        fxi_pass_message_count(m, p->sample[k].first);
        fxi_pass_message_count(m, one.len);
        fxi_pass_message_put(m, one.at, one.len);
        free(one.at);
    }
    return st;
}

static fx_status merge_sample(fx_pass *p, fxi_reading *r)
{
    uint64_t rows = fxi_pass_message_read_count(r), n = fxi_pass_message_read_count(r);
    fx_status st = FX_OK;

    r->bad |= n > p->request.rows - p->samples;
    for (uint64_t k = 0; k < n && !r->bad && !st; k++) {
        fxi_sampled now = {.first = fxi_pass_message_read_count(r)};
        size_t len = (size_t)fxi_pass_message_read_count(r), at = p->samples;
        const void *bytes = fxi_pass_message_read_take(r, len);
        fx_data *view = NULL;
        if (!bytes || (st = fx_data_unpack(&view, bytes, len, &p->run)))
            break;
        st = fxi_data_select(&now.rows, &view->table, NULL, 0, false, &p->run);
        fx_data_free(view);
        if (st)
            break;
        for (; at && p->sample[at - 1].first > now.first; at--)
            p->sample[at] = p->sample[at - 1];
        p->sample[at] = now;
        p->samples++;
    }
    p->rows += rows;
    return st;
}

/* ---- Any answer ------------------------------------------------------------------------------ */

fx_status fxi_train_pass_bytes(fxi_message *m, fx_pass *p)
{
    fx_status st = FX_OK;

    fxi_pass_message(m, FXI_ANSWER_NAME);
    fxi_pass_message_count(m, p->request.what);
    switch (p->request.what) {
    case FXI_REQUEST_SURVEY: fxi_train_survey_bytes(m, &p->survey); break;
    case FXI_REQUEST_SAMPLE: st = put_sample(m, p); break;
    default: st = fxi_pass_bytes_answer(m, &p->answer);
    }
    return st ? st : fxi_pass_message_end(m);
}

fx_status fxi_train_pass_bytes_merge(fx_pass *p, const void *bytes, size_t len)
{
    fxi_reading r;
    fx_status st = fxi_pass_message_read(&r, bytes, len, FXI_ANSWER_NAME, "answer");

    if (st)
        return st;
    if (fxi_pass_message_read_count(&r) != p->request.what)
        st = fxi_error(FX_EFORMAT, "an answer to another request");
    else
        switch (p->request.what) {
        case FXI_REQUEST_SURVEY: st = fxi_train_survey_bytes_merge(&p->survey, &r, &p->run); break;
        case FXI_REQUEST_SAMPLE: st = merge_sample(p, &r); break;
        default: st = fxi_pass_bytes_merge(&p->answer, &r);
        }
    if (st) {
        free(r.copy);
        return st;
    }
    return fxi_pass_message_read_end(&r, "answer");
}
