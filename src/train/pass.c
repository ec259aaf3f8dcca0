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

/* ---- Rows that are held out ------------------------------------------------------------------- */

enum { HELD_NUMBERS = 3 };              /* label, weight and score of each */

static bool is_held(const fx_pass *p, uint64_t row)
{
    return p->request.held_bytes && p->request.held[row / 8] >> row % 8 & 1;
}

static fx_status check_held(const fx_pass *p)
{
    uint64_t rows = p->stream.survey.rows, bytes = p->request.held_bytes;

    return !bytes || bytes == (rows + 7) / 8
               ? FX_OK
               : fxi_error(FX_EFORMAT, "request: %llu bytes for rows held out of %llu",
                           (unsigned long long)bytes, (unsigned long long)rows);
}

/* Each of them has a place among the counts, which are 0 in other answers. */
static fx_status begin_held(fx_pass *p)
{
    const fxi_request *r = &p->request;
    size_t rows = (size_t)p->stream.survey.rows,
           blocks = (rows + FXI_PASS_BLOCK - 1) / FXI_PASS_BLOCK;
    size_t numbers;

    if (!p->train.how.kind->scores || !r->q.w)
        return fxi_error(FX_EFORMAT, "request: scores without weights");
    if (!(p->held = fxi_alloc(blocks + 1, sizeof *p->held))
        || !(p->w = fxi_alloc(r->q.ws, sizeof *p->w)))
        return FX_ENOMEM;
    memcpy(p->w, r->q.w, r->q.ws * sizeof *p->w);
    p->request.q.w = p->w;
    p->held[0] = 0;
    for (size_t b = 0, i = 0; b < blocks; b++) {
        p->held[b + 1] = p->held[b];
        for (; i < rows && i < (b + 1) * FXI_PASS_BLOCK; i++)
            p->held[b + 1] += is_held(p, i);
    }
    return fxi_size_mul(&numbers, p->held[blocks], HELD_NUMBERS)
               ? fxi_pass_answer_counts(&p->answer, numbers, NULL)
               : FX_ENOMEM;
}

static fx_status add_held(fx_pass *p, const fxi_part *x)
{
    const fxi_train *t = &p->train;
    const double *class_weight = x->labels.classes ? t->labels.class_weight : NULL;
    size_t n = p->answer.numbers / HELD_NUMBERS, at = p->held[x->first / FXI_PASS_BLOCK];
    double *f = fxi_alloc(x->X.rows, sizeof *f), *to = p->answer.count;
    fx_status st = f ? t->how.kind->scores(f, &p->request.q, x, &p->run) : FX_ENOMEM;

    for (size_t i = 0; i < x->X.rows && !st; i++) {
        if (!is_held(p, x->first + i))
            continue;
        double y = x->labels.y[i], weight = x->labels.weight[i];
        to[at] = y;
        to[n + at] = class_weight ? weight * class_weight[(size_t)y] : weight;
        to[2 * n + at++] = f[i];
    }
    free(f);
    p->answer.rows += x->X.rows;
    return st;
}

/* ---- Beginning -------------------------------------------------------------------------------- */

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

static fx_status begin_columns(fx_pass *p)
{
    const fxi_question *q = &p->request.q;
    fx_status st = FX_OK;

    if (!p->columns)
        st = fxi_train_columns_fill(&p->missing, &p->columns, &p->stream, p->plan.missing);
    if (st)
        return st;
    size_t cols = p->missing.inputs + (q->flags ? 0 : p->missing.indicators);
    if (!q->w || q->ws != cols || (q->v && q->vs != 2 * cols))
        return fxi_error(FX_EFORMAT, "request: %zu columns of %zu", q->ws, cols);
    return begin_sums(p, fxi_data_columns_numbers(cols));
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

    if (r->what == FXI_REQUEST_SURVEY)
        p->survey.holes = r->holes;
    else if (!(st = open_setup(p, r)))
        st = check_held(p);
    if (!st && r->what == FXI_REQUEST_WEIGHTS)
        st = begin_sums(p, p->stream.survey.classes);
    if (!st && r->what == FXI_REQUEST_COLUMNS)
        st = begin_columns(p);
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
        return begin_held(p);
    st = p->train.how.kind->asked(&p->answer, &r->q, &p->train);
    return st ? st : set_order(p);
}

fx_status fx_model_pass_begin(fx_pass *p, const void *request, size_t bytes)
{
    fx_status st;

    if (!p)
        return fxi_error(FX_EINVAL, "fx_model_pass_begin: pass is NULL");
    free(p->reading.copy);
    p->reading = (fxi_reading){0};
    clear_sample(p);
    clear_held(p);
    fxi_train_survey_free(&p->survey);
    p->begun = false;
    p->rows = p->next = p->visited = 0;
    p->bytes.len = 0;
    fxi_pass_message_put(&p->bytes, request, request ? bytes : 0);
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

/* Sums of weights of each class. */
static fx_status add_weights(fx_pass *p, const fx_table *t, uint64_t first)
{
    const fxi_survey *s = &p->stream.survey;
    double *y = fxi_alloc(t->rows, 2 * sizeof *y), *weight = y ? y + t->rows : NULL;

    if (!y)
        return FX_ENOMEM;
    for (size_t i = 0; i < t->rows; i++) {
        weight[i] = is_held(p, first + i) ? 0 : t->weight ? t->weight[i] : 1;
        bool absent = !t->label || (t->weight && t->weight[i] == 0);
        const char *name = s->texts && !absent ? t->class_name[(size_t)t->label[i]] : NULL;
        size_t at = absent ? 0 : fxi_train_survey_class(s, name, t->label[i] + 0.0);
        y[i] = at < s->classes ? (double)at : 0;
    }
    fx_status st = fxi_model_class_weight_sums(p->answer.exact, y, weight, t->rows, s->classes);
    free(y);
    p->answer.rows += t->rows;
    return st;
}

/* Sums of columns: of the rows as they are, or filled. */
static fx_status add_columns(fx_pass *p, const fx_table *given)
{
    const fxi_question *q = &p->request.q;
    fxi_column_sums a = {.cols = q->ws, .unit = q->w, .mean = q->v, .missing = q->flags != 0};
    fx_data *doubles = NULL, *filled = NULL;
    fx_table t = *given;
    fx_status st = FX_OK;

    if (!a.missing && p->stream.survey.holes) {
        if (p->stream.survey.doubles && !(st = fxi_data_select(&doubles, given, NULL, 0, true,
                                                                &p->run)))
            t = doubles->table;
        if (!st)
            st = fxi_data_fill_table(&t, &filled, &p->missing, doubles ? &doubles->table : given,
                                     &p->run);
    }
    if (!st)
        st = fxi_data_columns_add(p->answer.exact, &a, &t, &p->run);
    fx_data_free(filled);
    fx_data_free(doubles);
    p->answer.rows += t.rows;
    return st;
}

static fx_status add_sample(fx_pass *p, const fx_table *t, uint64_t first)
{
    const fxi_request *r = &p->request;
    size_t from = 0, n = 0;

    while (from < r->rows && r->row[from] < first)
        from++;
    while (from + n < r->rows && r->row[from + n] < first + t->rows)
        n++;
    if (!n)
        return FX_OK;
    size_t *row = fxi_alloc(n, sizeof *row);
    if (!row)
        return FX_ENOMEM;
    for (size_t k = 0; k < n; k++)
        row[k] = (size_t)(r->row[from + k] - first);
    fxi_sampled *to = &p->sample[p->samples];
    fx_status st = fxi_data_select(&to->rows, t, row, n, false, &p->run);
    to->first = r->row[from];
    p->samples += !st;
    free(row);
    return st;
}

static void close_part(fxi_part *x)
{
    fxi_fit_source_free(&x->z);
    fxi_model_labels_free(&x->labels);
    fx_data_free(x->doubles);
    fx_data_free(x->filled);
    fx_data_free(x->scaled);
    free(x->y);
}

/* Targets, or signs of one class against the others or of a pair, and weights of the output's rows. */
static void set_labels(fxi_part *x, double C)
{
    const fxi_train *t = x->train;
    const fx_model_info *c = &t->m->c;
    const double *label = x->labels.y, *weight = x->labels.weight;
    const double *class_weight = t->labels.class_weight;
    const double second = c->outputs > 1 ? (double)x->output : 1;
    const double sign[2] = {-1, 1};
    double *y = x->y, *by = x->c;

    for (size_t i = 0; i < x->X.rows; i++) {
        y[i] = label[i];
        by[i] = weight[i] * C;
    }
    if (!x->labels.classes)
        return;
    for (size_t i = 0; i < x->X.rows; i++) {
        y[i] = sign[label[i] == second];        /* no jump that depends on the label */
        if (class_weight)
            by[i] = weight[i] * class_weight[(size_t)label[i]] * C;
    }
    for (size_t i = 0; i < x->X.rows && c->pairs; i++) {
        y[i] = fxi_model_pairs_sign(c, x->output, (size_t)label[i]);
        by[i] = y[i] != 0 ? by[i] : 0;
    }
}

/* As absent as rows of weight 0. */
static void hold_out(fxi_part *x, const fx_pass *p)
{
    for (size_t i = 0; i < x->X.rows && p->request.held_bytes; i++)
        x->c[i] = is_held(p, x->first + i) ? 0 : x->c[i];
}

static fx_status open_part(fxi_part *x, const fx_pass *p, const fx_table *given)
{
    const fxi_train *t = &p->train;
    fx_table table = *given;
    size_t numbers;
    fx_status st;

    if (p->stream.survey.doubles) {     /* as all rows in one block would be */
        if ((st = fxi_data_select(&x->doubles, given, NULL, 0, true, &p->run)))
            return st;
        table = x->doubles->table;
    }
    const fx_table rows = table;
    if ((st = fxi_model_missing_fill(&table, &x->filled, &t->m->c, &rows, &p->run)))
        return st;
    st = t->how.task == FXI_NO_LABELS
             ? fxi_model_labels_none(&x->labels, &table, &p->plan, &p->run)
             : fxi_model_labels_known(&x->labels, &t->m->c, &table, &p->run);
    if (st
        || (st = fxi_model_rows_table(&x->X, &x->scaled, &t->m->c, NULL, &table, &p->run))
        || (st = fxi_fit_source_part(&x->z, &x->X, t->m->map,
                                     fxi_train_passes_sparse(&numbers, t), &p->run)))
        return st;
    if (!(x->y = fxi_alloc(x->X.rows, 2 * sizeof *x->y)))
        return FX_ENOMEM;
    x->c = x->y + x->X.rows;
    set_labels(x, p->request.C);
    hold_out(x, p);
    return FX_OK;
}

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
    fx_status st = open_part(&x, p, t);

    if (!st && p->request.what == FXI_REQUEST_PRODUCTS)
        count_products(p, &x.X);
    else if (!st && p->request.what == FXI_REQUEST_HELD)
        st = add_held(p, &x);
    else if (!st)
        st = p->train.how.kind->answer(&p->answer, &p->request.q, &x);
    close_part(&x);
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

/* Only the last part may end within a block. */
static fx_status check_place(const fx_pass *p, size_t rows, uint64_t first)
{
    bool survey = p->request.what == FXI_REQUEST_SURVEY;
    uint64_t all = p->stream.survey.rows;

    if (!p->begun)
        return fxi_error(FX_EINVAL, "fx_model_pass_add: no request was begun");
    if (first % FX_PASS_BLOCK || (survey && p->next % FX_PASS_BLOCK))
        return fxi_error(FX_EINVAL, "a part begins with row %llu after row %llu; both must be "
                         "multiples of %d", (unsigned long long)first,
                         (unsigned long long)p->next, FX_PASS_BLOCK);
    if (!survey && (first >= all || rows > all - first))
        return fxi_error(FX_EINVAL, "this pass has more than the %llu rows of the first one",
                         (unsigned long long)all);
    if (!survey && rows % FX_PASS_BLOCK && first + rows != all)
        return fxi_error(FX_EINVAL, "a part of %zu rows that is not the last; it must be a "
                         "multiple of %d", rows, FX_PASS_BLOCK);
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
        || (st = check_place(p, t->rows, first)))
        return st;
    switch (p->request.what) {
    case FXI_REQUEST_SURVEY:
        st = fxi_train_survey_add(&p->survey, t, p->request.classify, &p->run);
        break;
    case FXI_REQUEST_WEIGHTS: st = add_weights(p, t, first); break;
    case FXI_REQUEST_SAMPLE: st = add_sample(p, t, first); break;
    case FXI_REQUEST_COLUMNS: st = add_columns(p, t); break;
    default: st = answer(p, t, first);
    }
    p->next = first + t->rows;
    p->visited += (t->rows + FX_PASS_BLOCK - 1) / FX_PASS_BLOCK;
    p->rows += t->rows;
    p->begun &= !st;
    return st;
}

/* ---- Answers --------------------------------------------------------------------------------- */

static int append(void *m, const void *bytes, size_t len)
{
    fxi_pass_message_put(m, bytes, len);
    return ((fxi_message *)m)->failed;
}

static fx_status put_sample(fxi_message *m, const fx_pass *p)
{
    fx_status st = FX_OK;

    fxi_pass_message_count(m, p->rows);
    fxi_pass_message_count(m, p->samples);
    for (size_t k = 0; k < p->samples && !st; k++) {
        fxi_message one = {0};
        st = fx_data_pack(&(fx_sink){.size = sizeof(fx_sink), .write = append, .ctx = &one},
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

fx_status fx_model_pass_end(const fx_sink *sink, fx_pass *p)
{
    fxi_message m = {0};
    fx_sink to;
    fx_status st;

    if (!p || !p->begun)
        return fxi_error(FX_EINVAL, "fx_model_pass_end: no request was begun");
    if ((st = fxi_sized_in(&to, sizeof to, sink, "fx_sink")))
        return st;
    fxi_pass_message(&m, FXI_ANSWER_NAME);
    fxi_pass_message_count(&m, p->request.what);
    switch (p->request.what) {
    case FXI_REQUEST_SURVEY: fxi_train_survey_bytes(&m, &p->survey); break;
    case FXI_REQUEST_SAMPLE: st = put_sample(&m, p); break;
    default: st = fxi_pass_bytes_answer(&m, &p->answer);
    }
    if (!st && !(st = fxi_pass_message_end(&m)) && to.write(to.ctx, m.at, m.len))
        st = fxi_error(FX_EOUTPUT, "the answer could not be written");
    free(m.at);
    p->begun = false;
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

fx_status fxi_train_pass_merge(fx_pass *p, const void *bytes, size_t len)
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

fx_status fx_model_pass_merge(fx_pass *p, const void *answer_bytes, size_t len)
{
    if (!p || !p->begun)
        return fxi_error(FX_EINVAL, "fx_model_pass_merge: no request was begun");
    fx_status st = fxi_train_pass_merge(p, answer_bytes, len);
    p->begun &= !st;
    return st;
}
