/* SPDX-License-Identifier: BSD-3-Clause
 * pass.c - rows that answer the requests of a fit, which may be elsewhere.
 *
 * A request carries all that an answer depends on.  What is kept from one request to the next is
 * a cache: the fit as the request's setup prepares it, and memory.  A part is prepared as rows to
 * predict are: labels among the classes, rows scaled. */

#include "train/pass.h"

#include <stdlib.h>
#include <string.h>

/* ---- Preparing ------------------------------------------------------------------------------ */

static void close_setup(fx_pass *p)
{
    if (p->prepared)
        fxi_train_close(&p->train);
    p->prepared = false;
    fxi_pass_answer_free(&p->answer);
    fx_data_free(p->table);
    p->table = NULL;
    fxi_train_survey_free(&p->stream.survey);
    fxi_free(p->stream.class_sum, p->stream.fill, p->stream.factor, p->columns, p->setup);
    p->columns = NULL;
    p->stream = (fxi_stream){0};
    p->setup = NULL;
    p->setup_bytes = 0;
}

/* The fit as the one who asks has prepared it, from the survey. */
static fx_status open_setup(fx_pass *p, const fxi_request *r)
{
    const fxi_survey *s = &p->stream.survey;
    fx_status st;

    if (p->setup && p->setup_bytes == r->setup_bytes && !memcmp(p->setup, r->setup, r->setup_bytes))
        return FX_OK;
    close_setup(p);
    if (!(p->setup = fxi_alloc(r->setup_bytes, 1)))
        return FX_ENOMEM;
    memcpy(p->setup, r->setup, r->setup_bytes);
    p->stream.run = &p->run;
    st = fxi_train_request_setup(&p->stream, &p->plan, p->setup, r->setup_bytes, &p->run);
    if (!st)
        p->setup_bytes = r->setup_bytes;
    if (st || (st = fxi_train_survey_table(&p->table, s, p->stream.class_sum)))
        close_setup(p);
    return st;
}

/* Solver questions need the model, too. */
static fx_status open_train(fx_pass *p)
{
    size_t rows = (size_t)p->stream.survey.rows, numbers;
    fx_status st;

    if (p->prepared)
        return FX_OK;
    if ((st = fxi_train_open_stream(&p->train, &p->plan, &p->table->table, &p->stream, &p->run)))
        return st;
    p->prepared = true;
    size_t features = p->train.m->c.features;
    bool sparse = fxi_train_passes_sparse(&numbers, &p->train);
    size_t run_rows = fxi_pass_run(rows, features, numbers, sparse);
    fxi_pass_answer_free(&p->answer);   /* of a request that needed no model */
    return fxi_pass_answer_new(&p->answer, run_rows, rows / run_rows + 1,
                               (double)rows * (double)features, &p->run);
}

static void clear_sample(fx_pass *p)
{
    for (size_t k = 0; k < p->samples; k++)
        fx_data_free(p->sample[k].rows);
    free(p->sample);
    p->sample = NULL;
    p->samples = 0;
}

static void clear_held(fx_pass *p)
{
    fxi_free(p->held, p->w);
    p->held = NULL;
    p->w = NULL;
}

fx_status fx_model_pass_new(fx_pass **out, const fx_run *run)
{
    fx_status st = fxi_sized_run_check(run);
    fx_pass *p;

    if (st || !out)
        return st ? st : fxi_error(FX_EINVAL, "fx_model_pass_new: out is NULL");
    if (!(p = fxi_zalloc(1, sizeof *p)))
        return FX_ENOMEM;
    p->run = fxi_sized_run(run);
    *out = p;
    return FX_OK;
}

void fx_model_pass_free(fx_pass *p)
{
    if (!p)
        return;
    close_setup(p);
    clear_sample(p);
    clear_held(p);
    fxi_train_survey_free(&p->survey);
    fxi_free(p->reading.copy, p->bytes.at, p->order);
    free(p);
}

/* ---- Beginning ------------------------------------------------------------------------------- */

/* An answer that needs no model. */
static fx_status begin_sums(fx_pass *p, size_t n)
{
    if (p->prepared)
        fxi_train_close(&p->train);
    p->prepared = false;
    fxi_pass_answer_free(&p->answer);
    fx_status st = fxi_pass_answer_new(&p->answer, FXI_PASS_BLOCK, 1, 0, &p->run);
    return st ? st : fxi_pass_answer_sums(&p->answer, n);
}

/* Blocks in the order of a state: 8 bytes for 4,096 rows. */
static fx_status set_order(fx_pass *p)
{
    const fxi_kind *kind = p->train.how.kind;
    size_t blocks = (size_t)((p->stream.survey.rows + FXI_PASS_BLOCK - 1) / FXI_PASS_BLOCK);

    free(p->order);
    p->order = NULL;
    p->blocks = blocks;
    if (!p->answer.state || !kind->order)
        return FX_OK;
    if (!(p->order = fxi_alloc(blocks, sizeof *p->order)))
        return FX_ENOMEM;
    kind->order(p->order, blocks, &p->request.q, &p->train);
    return FX_OK;
}

static fx_status begin(fx_pass *p)
{
    const fxi_request *r = &p->request;
    fx_status st = FX_OK;
    size_t sums;

    if (r->what == FXI_REQUEST_SURVEY)
        p->survey.holes = r->holes;
    else if (!(st = open_setup(p, r)))
        st = fxi_train_pass_held_check(p);
    if (!st && r->what == FXI_REQUEST_WEIGHTS)
        st = begin_sums(p, p->stream.survey.classes);
    if (!st && r->what == FXI_REQUEST_COLUMNS
        && !(st = fxi_train_pass_rows_columns_begin(&sums, p)))
        st = begin_sums(p, sums);
    if (!st && r->what == FXI_REQUEST_SAMPLE
        && !(p->sample = fxi_zalloc(r->rows, sizeof *p->sample)))
        st = FX_ENOMEM;
    bool model = r->what == FXI_REQUEST_QUESTION || r->what == FXI_REQUEST_PRODUCTS
                 || r->what == FXI_REQUEST_HELD;
    if (st || !model || (st = open_train(p)))
        return st;
    if (r->what == FXI_REQUEST_PRODUCTS)
        return p->train.m->map ? fxi_pass_answer_counts(&p->answer, 1, NULL)
                               : fxi_error(FX_EFORMAT, "request: no map");
    if (r->output >= p->train.outputs || !p->train.how.kind->asked)
        return fxi_error(FX_EFORMAT, "request: output %zu of %zu", r->output, p->train.outputs);
    if (r->what == FXI_REQUEST_HELD)
        return fxi_train_pass_held_begin(p);
    st = p->train.how.kind->asked(&p->answer, &r->q, &p->train);
    return st ? st : set_order(p);
}

fx_status fx_model_pass_begin(fx_pass *p, const void *request, size_t bytes)
{
    fx_status st;

    if (!p || !request)
        return fxi_error(FX_EINVAL, "fx_model_pass_begin: %s is NULL", p ? "request" : "pass");
    free(p->reading.copy);
    p->reading = (fxi_reading){0};
    clear_sample(p);
    clear_held(p);
    fxi_train_survey_free(&p->survey);
    p->begun = false;
    p->rows = p->next = p->visited = 0;
    p->bytes.len = 0;
    fxi_pass_message_put(&p->bytes, request, bytes);
    if (p->bytes.failed) {
        p->bytes.failed = false;
        return FX_ENOMEM;
    }
    if ((st = fxi_train_request_read(&p->request, &p->reading, p->bytes.at, bytes))
        || (st = begin(p)))
        return st;
    p->begun = true;
    return FX_OK;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static void count_products(fx_pass *p, const fx_matrix *X)
{
    const fx_map *map = p->train.m->map;

    for (size_t i = 0; i < X->rows && fxi_map_sparse(map, X); i++)
        *p->answer.count += (double)map->type->sparse(NULL, NULL, map, fxi_data_row(X, i));
    p->answer.rows += X->rows;
}

static fx_status answer(fx_pass *p, const fx_table *t, uint64_t first)
{
    fxi_part x = {.train = &p->train, .output = p->request.output, .first = first,
                  .all = p->stream.survey.rows};
    fx_status st = fxi_train_pass_part_open(&x, p, t);

    if (!st && p->request.what == FXI_REQUEST_PRODUCTS)
        count_products(p, &x.X);
    else if (!st && p->request.what == FXI_REQUEST_HELD)
        st = fxi_train_pass_held_add(p, &x);
    else if (!st)
        st = p->train.how.kind->answer(&p->answer, &p->request.q, &x);
    fxi_train_pass_part_close(&x);
    return st;
}

/* True if a state is asked for, which each row changes. */
static bool in_order(const fx_pass *p)
{
    return p->request.what == FXI_REQUEST_QUESTION && p->answer.state;
}

static uint64_t block_at(const fx_pass *p, uint64_t k) { return p->order ? p->order[k] : k; }

uint64_t fx_model_pass_next(const fx_pass *p, size_t ahead)
{
    uint64_t all = p->request.what == FXI_REQUEST_SURVEY ? UINT64_MAX : p->stream.survey.rows;
    uint64_t at = p->next + ahead * (uint64_t)FX_PASS_BLOCK;

    if (p->begun && in_order(p)) {
        uint64_t k = p->visited + ahead;
        return k < p->blocks ? (uint64_t)FX_PASS_BLOCK * block_at(p, k) : FX_PASS_END;
    }
    return p->begun && at < all ? at : FX_PASS_END;
}

int fx_model_pass_divisible(const fx_pass *p)
{
    return p->begun && (p->request.what != FXI_REQUEST_QUESTION
                        || (p->answer.run <= FX_PASS_BLOCK && !p->answer.state));
}

/* Of a state, blocks of a part must be those that come next. */
static fx_status check_order(const fx_pass *p, size_t rows, uint64_t first)
{
    for (uint64_t k = 0; in_order(p) && k * FX_PASS_BLOCK < rows; k++) {
        uint64_t next = fx_model_pass_next(p, (size_t)k), at = first + k * FX_PASS_BLOCK;
        if (at != next)
            return fxi_error(FX_EINVAL, "rows from %llu (from 0) on, where this pass needs those "
                             "from %llu on", (unsigned long long)at, (unsigned long long)next);
    }
    return FX_OK;
}

/* Only the last part may end within a block; rows of a later pass look as before. */
static fx_status check_place(const fx_pass *p, const fx_table *t, uint64_t first)
{
    bool survey = p->request.what == FXI_REQUEST_SURVEY;
    uint64_t all = p->stream.survey.rows;
    size_t rows = t->rows;
    fx_status st;

    if (!p->begun)
        return fxi_error(FX_EINVAL, "fx_model_pass_add: no request was begun");
    if (first % FX_PASS_BLOCK)
        return fxi_error(FX_EINVAL, "a part begins with row %llu; it must be a multiple of %d",
                         (unsigned long long)first, FX_PASS_BLOCK);
    if (survey && ((rows % FX_PASS_BLOCK && first < p->next)
                   || (p->next % FX_PASS_BLOCK && first + rows > p->next)))
        return fxi_error(FX_EINVAL, "a part of %zu rows from row %llu on, with others that end "
                         "before row %llu: only the last part may be no multiple of %d", rows,
                         (unsigned long long)first, (unsigned long long)p->next, FX_PASS_BLOCK);
    if (!survey && (first >= all || rows > all - first))
        return fxi_error(FX_EINVAL, "this pass has more than the %llu rows of the first one",
                         (unsigned long long)all);
    if (!survey && rows % FX_PASS_BLOCK && first + rows != all)
        return fxi_error(FX_EINVAL, "a part of %zu rows that is not the last; it must be a "
                         "multiple of %d", rows, FX_PASS_BLOCK);
    if (!survey && (st = fxi_train_survey_again(&p->stream.survey, t, first)))
        return st;
    return check_order(p, rows, first);
}

static bool holes(const fx_pass *p)
{
    return p->request.what == FXI_REQUEST_SURVEY ? p->survey.holes : p->stream.survey.holes;
}

fx_status fx_model_pass_add(fx_pass *p, const fx_table *t, uint64_t first)
{
    fx_status st;

    if (!p || !t)
        return fxi_error(FX_EINVAL, "fx_model_pass_add: %s is NULL", p ? "t" : "pass");
    if ((st = holes(p) ? fxi_data_check_missing_table(t, &p->run)
                       : fxi_data_check_table(t, &p->run))
        || !t->rows
        || (st = check_place(p, t, first)))
        return st;
    switch (p->request.what) {
    case FXI_REQUEST_SURVEY:
        st = fxi_train_survey_add(&p->survey, t, p->request.classify, &p->run);
        break;
    case FXI_REQUEST_WEIGHTS: st = fxi_train_pass_rows_weights(p, t, first); break;
    case FXI_REQUEST_SAMPLE: st = fxi_train_pass_rows_sample(p, t, first); break;
    case FXI_REQUEST_COLUMNS: st = fxi_train_pass_rows_columns(p, t); break;
    default: st = answer(p, t, first);
    }
    p->next = first + t->rows > p->next ? first + t->rows : p->next;
    p->visited += (t->rows + FX_PASS_BLOCK - 1) / FX_PASS_BLOCK;
    p->rows += t->rows;
    p->begun &= !st;
    return st;
}

/* ---- Answers --------------------------------------------------------------------------------- */

fx_status fx_model_pass_end(const fx_sink *sink, fx_pass *p)
{
    fxi_message m = {0};
    fx_sink to = FX_INIT(fx_sink);
    fx_status st = sink ? fxi_sized_in(&to, sizeof to, sink, "fx_sink") : FX_OK;

    if (st)
        return st;
    if (!p || !p->begun || !to.write)
        return fxi_error(FX_EINVAL, "fx_model_pass_end: %s",
                         p && p->begun ? "no sink is given" : "no request was begun");
    if (!(st = fxi_train_pass_bytes(&m, p)) && to.write(to.ctx, m.at, m.len))
        st = fxi_error(FX_EOUTPUT, "the answer could not be written");
    free(m.at);
    p->begun = false;
    return st;
}

fx_status fx_model_pass_merge(fx_pass *p, const void *answer_bytes, size_t len)
{
    if (!p || !p->begun)
        return fxi_error(FX_EINVAL, "fx_model_pass_merge: no request was begun");
    fx_status st = fxi_train_pass_bytes_merge(p, answer_bytes, len);
    p->begun &= !st;
    return st;
}
