/* SPDX-License-Identifier: BSD-3-Clause
 * request.c - what a pass is asked for, as bytes that carry all that the answer depends on.
 *
 *   what, classify, holes               counts
 *   setup                               not of a survey: its length, then a text for each member of
 *                                       the plan that matters here, features, seed, class values;
 *                                       the survey (survey_bytes.c); how many features of the map
 *                                       are not 0; sums of weights of classes;
 *                                       what fills missing numbers; factors of columns
 *   held                                which rows are held out: of weights, questions and scores
 *   rows                                of a sample: numbers of rows
 *   output, C                           of a question, or of scores
 *   question                            the same (pass/bytes.c), or of columns */

#include "train/train.h"

#include <string.h>

/* Texts of a plan that change how rows are prepared, in their order. */
enum { TEXTS = 7 };
static void texts_of(const char **text[TEXTS], fx_plan *p)
{
    const char **all[TEXTS] = {&p->model, &p->scale, &p->kernel, &p->map, &p->family,
                               &p->class_weight, &p->missing};

    memcpy(text, all, sizeof all);
}

fx_plan fxi_train_request_plan(const fxi_train *t)
{
    const fx_model_info *c = &t->m->c;
    fx_plan p = *t->stream->plan;

    p.model = t->how.spec;
    if (t->m->map) {                    /* keys that were left to the rows are known by now */
        p.kernel = c->kernel;
        p.map = c->map;
    }
    return p;
}

static bool holds_out(fxi_request_what what)
{
    return what == FXI_REQUEST_WEIGHTS || what == FXI_REQUEST_QUESTION || what == FXI_REQUEST_HELD;
}

static bool has_output(fxi_request_what what)
{
    return what == FXI_REQUEST_QUESTION || what == FXI_REQUEST_HELD;
}

static void put_setup(fxi_message *m, const fxi_stream *s, const fx_plan *plan)
{
    size_t at = m->len;
    fx_plan p = *plan;
    const char **text[TEXTS];

    fxi_pass_message_count(m, 0);       /* the length; set below */
    texts_of(text, &p);
    for (size_t k = 0; k < TEXTS; k++)
        fxi_pass_message_text(m, *text[k]);
    fxi_pass_message_count(m, p.features);
    fxi_pass_message_count(m, p.seed);
    fxi_pass_message_numbers(m, p.class_value, p.classes);
    fxi_train_survey_bytes(m, &s->survey);
    fxi_pass_message_count(m, s->counted);
    fxi_pass_message_number(m, s->products);
    fxi_pass_message_numbers(m, s->class_sum, s->survey.classes);
    fxi_pass_message_numbers(m, s->fill, s->survey.cols);
    fxi_pass_message_numbers(m, s->factor, s->factors);
    uint64_t len = m->len - at - sizeof len;
    if (!m->failed)
        memcpy(m->at + at, &len, sizeof len);
}

fx_status fxi_train_request(fxi_message *m, const fxi_request *r, const fxi_stream *s,
                            const fx_plan *plan)
{
    fxi_pass_message(m, FXI_REQUEST_NAME);
    fxi_pass_message_count(m, r->what);
    fxi_pass_message_count(m, r->classify);
    fxi_pass_message_count(m, r->holes);
    if (r->what != FXI_REQUEST_SURVEY)
        put_setup(m, s, plan);
    if (holds_out(r->what)) {
        size_t bytes = s->held ? ((size_t)s->survey.rows + 7) / 8 : 0;
        fxi_pass_message_count(m, bytes);
        fxi_pass_message_put(m, s->held, bytes);
    }
    if (r->what == FXI_REQUEST_SAMPLE) {
        fxi_pass_message_count(m, r->rows);
        fxi_pass_message_put(m, r->row, r->rows * sizeof *r->row);
    }
    if (has_output(r->what)) {
        fxi_pass_message_count(m, r->output);
        fxi_pass_message_number(m, r->C);
    }
    if (has_output(r->what) || r->what == FXI_REQUEST_COLUMNS)
        fxi_pass_bytes_question(m, &r->q);
    return fxi_pass_message_end(m);
}

fx_status fxi_train_request_read(fxi_request *out, fxi_reading *r, const void *bytes, size_t len)
{
    fx_status st = fxi_pass_message_read(r, bytes, len, FXI_REQUEST_NAME, "request");

    if (st)
        return st;
    uint64_t what = fxi_pass_message_read_count(r);
    r->bad |= what >= FXI_REQUESTS;
    *out = (fxi_request){.what = what < FXI_REQUESTS ? (fxi_request_what)what : 0,
                         .classify = fxi_pass_message_read_count(r) != 0};
    out->holes = fxi_pass_message_read_count(r) != 0;
    if (out->what != FXI_REQUEST_SURVEY) {
        out->setup_bytes = (size_t)fxi_pass_message_read_count(r);
        out->setup = fxi_pass_message_read_take(r, out->setup_bytes);
    }
    if (holds_out(out->what)) {
        out->held_bytes = (size_t)fxi_pass_message_read_count(r);
        out->held = fxi_pass_message_read_take(r, out->held_bytes);
    }
    if (out->what == FXI_REQUEST_SAMPLE) {
        uint64_t rows = fxi_pass_message_read_count(r);
        r->bad |= rows > r->left / sizeof *out->row;
        out->row = fxi_pass_message_read_take(r, r->bad ? 0 : (size_t)rows * sizeof *out->row);
        out->rows = r->bad ? 0 : (size_t)rows;
    }
    if (has_output(out->what)) {
        out->output = (size_t)fxi_pass_message_read_count(r);
        out->C = fxi_pass_message_read_number(r);
    }
    if (has_output(out->what) || out->what == FXI_REQUEST_COLUMNS)
        fxi_pass_bytes_read_question(&out->q, r);
    return r->bad || r->left ? fxi_error(FX_EFORMAT, "request: bytes that do not belong together")
                             : FX_OK;
}

static fx_status keep(double **to, const double *from, size_t n)
{
    if (!from)
        return FX_OK;
    if (!(*to = fxi_alloc(n, sizeof **to)))
        return FX_ENOMEM;
    memcpy(*to, from, n * sizeof **to);
    return FX_OK;
}

fx_status fxi_train_request_setup(fxi_stream *s, fx_plan *plan, const unsigned char *setup,
                                  size_t bytes, const fx_run *run)
{
    fxi_reading r = {.at = setup, .left = bytes};
    const char **text[TEXTS];
    size_t classes = 0, fills = 0;
    fx_status st;

    *plan = (fx_plan){.size = sizeof *plan};
    texts_of(text, plan);
    for (size_t k = 0; k < TEXTS; k++)
        *text[k] = fxi_pass_message_read_text(&r);
    plan->features = (size_t)fxi_pass_message_read_count(&r);
    plan->seed = fxi_pass_message_read_count(&r);
    plan->class_value = fxi_pass_message_read_numbers(&r, &plan->classes);
    if ((st = fxi_train_survey_bytes_merge(&s->survey, &r, run)))
        return st;
    s->counted = fxi_pass_message_read_count(&r);
    s->products = fxi_pass_message_read_number(&r);
    const double *sum = fxi_pass_message_read_numbers(&r, &classes);
    const double *fill = fxi_pass_message_read_numbers(&r, &fills);
    const double *factor = fxi_pass_message_read_numbers(&r, &s->factors);
    bool holes = fxi_train_columns_holes(plan->missing);
    r.bad |= !(s->products >= 0 && s->products < 0x1p53) || (sum && classes != s->survey.classes)
             || (fill && fills != s->survey.cols) || holes != s->survey.holes || !plan->model;
    if ((st = fxi_pass_message_read_end(&r, "request"))
        || (st = keep(&s->class_sum, sum, classes)) || (st = keep(&s->fill, fill, fills)))
        return st;
    return keep(&s->factor, factor, s->factors);
}
