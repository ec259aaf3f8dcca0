/* SPDX-License-Identifier: BSD-3-Clause
 * passes.c - a fit that asks for passes over rows that are elsewhere.
 *
 * The first pass is a survey (survey.c).  If classes are to be balanced, the next one adds up their
 * weights; if there is a map, one takes a sample of the rows.  After that every pass is a question
 * of a solver (pass/pass.h), or asks for scores of rows that it held out.  A request is bytes that
 * carry all that the answer depends on (request.c); the answer comes back as bytes, merged from
 * those of all parts. */

#include "train/pass.h"

#include <stdlib.h>
#include <string.h>

/* ---- One pass -------------------------------------------------------------------------------- */

/* The answer to r, merged into p, which was begun with it. */
static fx_status send(const fxi_stream *s, fx_pass *p, const fxi_message *request)
{
    fxi_message got = {0};
    fx_sink sink = {.size = sizeof sink, .write = fxi_pass_message_write, .ctx = &got};
    fx_status st = s->ask(s->ctx, request->at, request->len, &sink);

    if (got.failed)
        st = fxi_error(FX_ENOMEM, "out of memory for an answer");
    else if (st > 0)
        st = fxi_error(FX_EINVAL, "who answers the passes returned %d", (int)st);
    if (!st)
        st = fxi_train_pass_bytes_merge(p, got.at, got.len);
    free(got.at);
    return st;
}

static fx_status check_rows(const fxi_stream *s, uint64_t rows)
{
    return rows == s->survey.rows
               ? FX_OK
               : fxi_error(FX_EINVAL, "this pass has %llu rows, the first one %llu",
                           (unsigned long long)rows, (unsigned long long)s->survey.rows);
}

/* ---- Questions ------------------------------------------------------------------------------- */

enum { COLUMN = 100 };                  /* bytes that a pass keeps of each column */

/* Who answers may be in this process, with a pass for each thread: its answer, which leaves as a
 * message and arrives as one, and what it was asked.  Of a state there is one.  Products of
 * features are made in blocks that take less than the matrix, whose numbers are counts. */
static fx_status check_memory(const fxi_train *t, const fx_pass *p, size_t request)
{
    const fxi_answer *a = &p->answer;
    size_t passes = a->state ? 1 : t->threads, answer, all, more, kept;
    bool fits = a->counts ? fxi_size_mul(&answer, a->numbers, sizeof(double))
                          : fxi_pass_answer_bytes(&answer, a->numbers, 1);

    fits = fits && fxi_size_mul(&all, answer, passes + 3 + a->counts)
           && fxi_size_mul(&kept, t->X.cols, COLUMN) && fxi_size_mul(&more, request, 2)
           && fxi_size_add(&kept, kept, more) && fxi_size_mul(&kept, kept, passes + 1)
           && fxi_size_add(&all, all, kept) && fxi_size_add(&all, all, t->bytes);
    return fits ? fxi_memory_check(t->stream->run, all,
                                   "weights, their fit and a pass over the rows")
                : fxi_error(FX_ESHAPE, "answers of %zu numbers are too many", a->numbers);
}

typedef struct sending { const fxi_stream *s; fx_pass *p; const fxi_message *request; } sending;

static fx_status send_one(void *ctx, size_t block, fxi_team *team)
{
    const sending *x = ctx;

    (void)block, (void)team;
    return send(x->s, x->p, x->request);
}

/* Before and after a pass, progress is called. */
static fx_status ask(fxi_passes *passes, double *numbers, const fxi_question *q)
{
    fxi_asking *a = (fxi_asking *)passes;
    const fxi_train *t = a->o->train;
    const fxi_stream *s = t->stream;
    const fx_plan plan = fxi_train_request_plan(t);
    fx_pass p = {.run = fxi_sized_run(s->run),
                 .request = {.what = FXI_REQUEST_QUESTION, .classify = t->how.task == FXI_CLASSIFY,
                             .output = a->o->number, .C = a->C, .q = *q}};
    fx_status st = fxi_train_request(&a->request, &p.request, s, &plan);
    sending x = {s, &p, &a->request};

    if (!st)
        st = fxi_pass_answer_new(&p.answer, FXI_PASS_BLOCK, 1, 0, s->run);
    if (!st)
        st = t->how.kind->asked(&p.answer, q, t);
    if (!st)
        st = check_memory(t, &p, a->request.len);
    if (!st && !(st = fxi_parallel_ordered(1, send_one, &x, a->o->run)))
        st = check_rows(s, p.answer.rows);
    if (!st)
        fxi_pass_answer_round(numbers, &p.answer);
    fxi_pass_answer_free(&p.answer);
    return st;
}

void fxi_train_passes(fxi_asking *out, const fxi_output *o, double C)
{
    const fxi_train *t = o->train;
    size_t numbers;
    bool sparse = fxi_train_passes_sparse(&numbers, t);

    *out = (fxi_asking){.passes = {(size_t)t->stream->survey.rows, t->m->c.features, ask,
                                   sparse ? numbers : 0},
                        .o = o, .C = C};
}

void fxi_train_passes_free(fxi_asking *a) { free(a->request.at); }

/* ---- Before the first question --------------------------------------------------------------- */

static fx_status ask_for_rows(fx_pass *p, const fxi_train *t)
{
    const fxi_stream *s = t->stream;
    const fx_plan plan = fxi_train_request_plan(t);
    fxi_message request = {0};
    fx_status st = fxi_train_request(&request, &p->request, s, &plan);

    if (!st && !(p->sample = fxi_zalloc(p->request.rows, sizeof *p->sample)))
        st = FX_ENOMEM;
    if (!st && !(st = send(s, p, &request)))
        st = check_rows(s, p->rows);
    free(request.at);
    return st;
}

/* The rows that were sent, as the model sees them. */
static fx_status join_rows(fx_data **out, const fx_pass *p, const fxi_train *t, const fx_run *run)
{
    fx_matrix *block = fxi_alloc(p->samples, sizeof *block), X;
    fx_data *own = NULL, *filled = NULL;
    size_t rows = 0;

    if (!block)
        return FX_ENOMEM;
    for (size_t k = 0; k < p->samples; k++) {
        block[k] = p->sample[k].rows->table.block[0];
        block[k].cols = t->m->c.inputs;
        rows += block[k].rows;
    }
    fx_table raw = {.rows = rows, .cols = t->m->c.inputs, .blocks = p->samples, .block = block};
    fx_table table;
    fx_status st = rows == p->request.rows
                       ? fxi_model_missing_table(&table, &filled, &t->m->c, &raw, run)
                       : fxi_error(FX_EFORMAT, "%zu rows of %zu that were asked for", rows,
                                   p->request.rows);
    if (!st && !(st = fxi_model_rows_table(&X, &own, &t->m->c, NULL, &table, run))) {
        table.block = &X;
        table.blocks = 1;
        st = fxi_data_select(out, &table, NULL, 0, false, run);
    }
    fx_data_free(own);
    fx_data_free(filled);
    free(block);
    return st;
}

fx_status fxi_train_passes_sample(fx_data **out, const fxi_train *t, size_t n, const fx_run *run)
{
    size_t all = (size_t)t->stream->survey.rows, *row;
    fx_pass p = {.run = fxi_sized_run(run), .request = {.what = FXI_REQUEST_SAMPLE}};
    uint64_t *number;
    fx_status st = FX_ENOMEM;

    p.request.rows = n < all ? n : all;
    row = fxi_alloc(p.request.rows, sizeof *row);
    number = fxi_alloc(p.request.rows, sizeof *number);
    if (row && number) {
        st = fxi_rng_sample(row, p.request.rows, all, (fxi_rng){t->seed, FXI_MODEL_SAMPLE}, run);
        for (size_t k = 0; k < p.request.rows && !st; k++)
            number[k] = row[k];
        p.request.row = number;
        if (!st)
            st = ask_for_rows(&p, t);
        if (!st)
            st = join_rows(out, &p, t, run);
    }
    for (size_t k = 0; k < p.samples; k++)
        fx_data_free(p.sample[k].rows);
    fxi_free(p.sample, row, number);
    return st;
}

fx_status fxi_train_passes_columns(void *train, double *sum, const fxi_column_sums *a,
                                   const fx_run *run)
{
    const fxi_train *t = train;
    const fxi_stream *s = t->stream;
    const fx_plan plan = fxi_train_request_plan(t);
    fxi_message request = {0};
    fx_pass p = {.run = fxi_sized_run(run),
                 .request = {.what = FXI_REQUEST_COLUMNS,
                             .q = {.flags = a->missing, .w = a->unit, .ws = a->cols, .v = a->mean,
                                   .vs = a->mean ? 2 * a->cols : 0}}};
    fx_status st = fxi_train_request(&request, &p.request, s, &plan);

    if (!st)
        st = fxi_pass_answer_new(&p.answer, FXI_PASS_BLOCK, 1, 0, run);
    if (!st)
        st = fxi_pass_answer_sums(&p.answer, fxi_data_columns_numbers(a->cols));
    if (!st && !(st = send(s, &p, &request)))
        st = check_rows(s, p.answer.rows);
    if (!st)
        fxi_pass_answer_round(sum, &p.answer);
    fxi_pass_answer_free(&p.answer);
    free(request.at);
    return st;
}

/* ---- Features that are mostly 0 -------------------------------------------------------------- */

/* Those of some maps of sparse rows. */
static bool may_be_sparse(const fxi_train *t)
{
    return t->m->map->type->sparse && t->stream->survey.sparse;
}

fx_status fxi_train_passes_products(const fxi_train *t, const fx_run *run)
{
    fxi_stream *s = t->stream;

    if (!may_be_sparse(t) || s->counted || !s->ask)
        return FX_OK;
    const fx_plan plan = fxi_train_request_plan(t);
    fxi_message request = {0};
    fx_pass p = {.run = fxi_sized_run(s->run),
                 .request = {.what = FXI_REQUEST_PRODUCTS,
                             .classify = t->how.task == FXI_CLASSIFY}};
    fx_status st = fxi_train_request(&request, &p.request, s, &plan);

    if (!st)
        st = fxi_pass_answer_new(&p.answer, FXI_PASS_BLOCK, 1, 0, run);
    if (!st)
        st = fxi_pass_answer_counts(&p.answer, 1, NULL);
    if (!st && !(st = send(s, &p, &request)))
        st = check_rows(s, p.answer.rows);
    if (!st)
        fxi_pass_answer_round(&s->products, &p.answer);
    s->counted = !st;
    fxi_pass_answer_free(&p.answer);
    free(request.at);
    return st;
}

/* Numbers that the rows store once they are filled. */
static size_t stored(const fxi_train *t)
{
    const fxi_survey *s = &t->stream->survey;
    const fx_model_info *c = &t->m->c;
    size_t n = (size_t)s->numbers;

    for (size_t k = 0; k < c->cols - c->inputs; k++)
        n += s->sparse ? (size_t)s->missing_all[c->indicator[k]] : (size_t)s->rows;
    return n;
}

bool fxi_train_passes_sparse(size_t *numbers, const fxi_train *t)
{
    const fxi_stream *s = t->stream;
    bool mapped = t->m->map;

    *numbers = !mapped ? stored(t) : s->counted ? (size_t)s->products : 0;
    return !mapped ? s->survey.sparse
                   : s->counted
                         && fxi_fit_source_sparse(*numbers, s->survey.rows, t->m->c.features);
}

/* ---- Classes, and rows that are held out ----------------------------------------------------- */

/* Sums of weights of each class, of rows that are not held out. */
static fx_status weigh_classes(double **sum, const fxi_stream *s, const fx_plan *plan)
{
    fxi_message request = {0};
    fx_pass p = {.run = fxi_sized_run(s->run),
                 .request = {.what = FXI_REQUEST_WEIGHTS, .classify = true}};
    size_t classes = s->survey.classes;
    fx_status st = fxi_train_request(&request, &p.request, s, plan);

    if (!st)
        st = fxi_pass_answer_new(&p.answer, FXI_PASS_BLOCK, 1, 0, s->run);
    if (!st)
        st = fxi_pass_answer_sums(&p.answer, classes);
    if (!st && !(st = send(s, &p, &request)))
        st = check_rows(s, p.answer.rows);
    if (!st && !*sum && !(*sum = fxi_alloc(classes, sizeof **sum)))
        st = FX_ENOMEM;
    if (!st)
        fxi_pass_answer_round(*sum, &p.answer);
    fxi_pass_answer_free(&p.answer);
    free(request.at);
    return st;
}

fx_status fxi_train_passes_left(fxi_train *t)
{
    const fx_plan plan = fxi_train_request_plan(t);
    fxi_stream *s = t->stream;

    return t->labels.classes && s->survey.classes > 1 ? weigh_classes(&s->left, s, &plan) : FX_OK;
}

fx_status fxi_train_passes_held(double *out, const fxi_output *o, size_t n)
{
    const fxi_train *t = o->train;
    const fxi_stream *s = t->stream;
    const fx_plan plan = fxi_train_request_plan(t);
    fxi_message request = {0};
    fx_pass p = {.run = fxi_sized_run(s->run),
                 .request = {.what = FXI_REQUEST_HELD, .classify = t->how.task == FXI_CLASSIFY,
                             .output = o->number, .C = 1}};

    t->how.kind->scored(&p.request.q, o);
    fx_status st = fxi_train_request(&request, &p.request, s, &plan);
    if (!st)
        st = fxi_pass_answer_new(&p.answer, FXI_PASS_BLOCK, 1, 0, s->run);
    if (!st)
        st = fxi_pass_answer_counts(&p.answer, 3 * n, out);
    if (!st && !(st = send(s, &p, &request)))
        st = check_rows(s, p.answer.rows);
    fxi_pass_answer_free(&p.answer);
    free(request.at);
    return st;
}

/* ---- The fit --------------------------------------------------------------------------------- */

static fx_status check(const fx_plan *plan, const fxi_learning *how)
{
    fxi_missing missing;
    fx_status st = fxi_data_missing_read(&missing, plan->missing);

    if (st)
        return st;
    if (missing.how == FXI_MISSING_MEDIAN)
        return fxi_error(FX_EUNSUPPORTED, "missing values: %s needs all rows in memory; zero and "
                         "mean do not", missing.spec);
    if (how->calibrate)
        return fxi_error(FX_EUNSUPPORTED, "calibrate=yes needs all rows in memory");
    if (!how->kind->streams || !how->kind->streams(how))
        return fxi_error(FX_EUNSUPPORTED, "%s needs all rows in memory; %s", how->spec,
                         fxi_kinds_can.stream);
    return FX_OK;
}

/* The survey. */
static fx_status survey(fxi_stream *s, fxi_task task, bool holes)
{
    const bool classify = task == FXI_CLASSIFY;
    fxi_message request = {0};
    fx_pass p = {.run = fxi_sized_run(s->run),
                 .request = {.what = FXI_REQUEST_SURVEY, .classify = classify, .holes = holes}};
    fx_status st = fxi_train_request(&request, &p.request, s, NULL);

    if (!st)
        st = send(s, &p, &request);
    s->survey = p.survey;
    free(request.at);
    if (!st && task != FXI_CLASSIFY && task != FXI_NO_LABELS && s->survey.texts)
        st = fxi_error(FX_EINVAL, "the labels are texts; a model of targets needs numbers");
    return st;
}

static fx_status refuse_class(const fxi_survey *s)
{
    char number[32];

    fxi_decimal_write(number, s->class->x);
    return fxi_error(FX_EINVAL, "all labels are of one class (%s: %llu rows); a classifier needs "
                     "two", s->texts ? s->class->name : number, (unsigned long long)s->rows);
}

/* A table that stands for all rows. */
static fx_status look(fx_data **out, fxi_stream *s, const fx_plan *plan, const fxi_learning *how)
{
    bool classify = how->task == FXI_CLASSIFY;
    bool balanced = classify && plan->class_weight && !strcmp(plan->class_weight, "balanced");
    fx_status st = survey(s, how->task, fxi_train_columns_holes(plan->missing));

    if (!st && classify && s->survey.classes == 1 && !plan->classes)
        st = refuse_class(&s->survey);
    if (!st && balanced && s->survey.labelled && s->survey.rows)
        st = weigh_classes(&s->class_sum, s, plan);
    return st ? st : fxi_train_survey_table(out, &s->survey, s->class_sum);
}

fx_status fxi_train_passes_open(fxi_train *t, fx_data **table, fxi_stream *s, const fx_plan *plan,
                                const fx_run *run)
{
    fxi_learning how = {0};
    fx_status st = fxi_model_learner(&how, plan->model);

    s->plan = plan;
    s->run = run;
    if (!st && !(st = check(plan, &how)) && !(st = look(table, s, plan, &how))
        && !(st = fxi_train_open_stream(t, plan, &(*table)->table, s, run)))
        t->max_at_once = 1;
    fxi_model_learner_free(&how);
    return st;
}

void fxi_train_passes_close(fxi_stream *s)
{
    fxi_free(s->class_sum, s->fill, s->factor, s->left);
    fxi_train_survey_free(&s->survey);
}

static fx_status fit(fx_model **out, fxi_stream *s, const fx_plan *given, const fx_run *run)
{
    fx_plan plan;
    fx_data *table = NULL;
    fxi_train t = {0};
    fx_status st = fxi_sized_in(&plan, sizeof plan, given, "fx_plan");

    if (!st && !(st = fxi_train_passes_open(&t, &table, s, &plan, run))) {
        st = t.how.kind->fit(&t, run);
        if (st >= 0) {
            *out = t.m;
            t.m = NULL;
        }
        fxi_train_close(&t);
    }
    fx_data_free(table);
    fxi_train_passes_close(s);
    return st;
}

fx_status fx_model_passes_fit(fx_model **out, const fx_plan *plan, fx_pass_ask *ask_for, void *ctx,
                              const fx_run *run)
{
    fxi_stream s = {.ask = ask_for, .ctx = ctx};
    fx_status st = fxi_sized_run_check(run);

    if (st)
        return st;
    if (!out || !plan || !ask_for)
        return fxi_error(FX_EINVAL, "fx_model_passes_fit: %s is NULL",
                         !out ? "out" : !plan ? "plan" : "ask");
    return fit(out, &s, plan, run);
}

fx_status fx_model_passes_path(fx_metrics *out, const fx_plan *plan, const double *C, size_t n,
                               const int32_t *fold, size_t rows, int folds, fx_pass_ask *ask_for,
                               void *ctx, const fx_run *run)
{
    fxi_path p = {.out = out, .C = C, .n = n, .fold = fold, .rows = rows, .folds = (size_t)folds};
    fxi_stream s = {.ask = ask_for, .ctx = ctx};
    fxi_train t = {0};
    fx_data *table = NULL;
    fx_status st = fxi_sized_run_check(run);

    if (st || (st = fxi_train_path_check(&p, "fx_model_passes_path", plan, ask_for != NULL)))
        return st;
    if (!(st = fxi_train_passes_open(&t, &table, &s, &p.plan, run))) {
        st = s.survey.rows == rows
                 ? fxi_train_path(&p, &t, run)
                 : fxi_error(FX_EINVAL, "folds of %zu rows, the passes have %llu", rows,
                             (unsigned long long)s.survey.rows);
        fxi_train_close(&t);
    }
    fx_data_free(table);
    fxi_train_passes_close(&s);
    return st;
}
