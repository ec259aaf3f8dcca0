/* SPDX-License-Identifier: BSD-3-Clause
 * passes.c - fits on rows that come in parts, as often as they are asked for.
 *
 * The first pass is a survey (survey.c).  If classes are to be balanced, the next one adds up their
 * weights; if there is a map, one takes a sample of the rows.  After that every pass is a question
 * of Newton's method (fit/pass.h).  A part is prepared as rows to predict are: labels among the
 * classes, rows scaled; it keeps nothing for the next pass. */

#include "train/train.h"

#include <stdlib.h>
#include <string.h>

struct fx_pass {
    enum { SURVEY, WEIGHTS, SAMPLE, ASK, EACH } what;
    fxi_stream *s;
    uint64_t rows;                      /* that were added */
    bool classify;                      /* SURVEY, WEIGHTS: labels are classes */
    fxi_sum *weights;                   /* WEIGHTS: [blocks of classes] */
    const size_t *row;                  /* SAMPLE: [n] numbers of rows still to come, ascending */
    size_t n;
    struct answering *a;                /* ASK, EACH */
    const fxi_question *q;
    const double *w;
    fxi_pass_visit *visit;
    void *visit_ctx;
};

typedef struct answering {
    fxi_passes passes;
    const fxi_output *o;
    double C;
    fxi_pass_sums sums;
    fxi_problem p;                      /* loss and epsilon */
} answering;

/* ---- A part -------------------------------------------------------------------------------- */

/* Class k's rows weigh sum[k] in all. */
static fx_status add_weights(fx_pass *p, const fx_table *t)
{
    const fxi_survey *s = &p->s->survey;
    double *y = fxi_alloc(t->rows, sizeof *y);

    if (!y)
        return FX_ENOMEM;
    for (size_t i = 0; i < t->rows; i++) {
        bool absent = t->weight && t->weight[i] == 0;
        const char *name = s->texts && !absent ? t->class_name[(size_t)t->label[i]] : NULL;
        size_t at = absent ? 0 : fxi_train_survey_class(s, name, t->label[i] + 0.0);
        y[i] = at < s->classes ? (double)at : 0;
    }
    fx_status st = fxi_model_class_weight_sums(p->weights, y, t->weight, t->rows, s->classes);
    free(y);
    return st;
}

static fx_status add_sample(fx_pass *p, const fx_table *t, uint64_t first)
{
    size_t n = 0;

    while (n < p->n && p->row[n] < first + t->rows)
        n++;
    size_t *row = fxi_alloc(n, sizeof *row);
    if (!row)
        return FX_ENOMEM;
    for (size_t k = 0; k < n; k++)
        row[k] = p->row[k] - (size_t)first;
    fx_status st = n ? fxi_data_select(&p->s->sample[p->s->samples], t, row, n, false, p->s->run)
                     : FX_OK;
    p->s->samples += n && !st;
    p->row += n;
    p->n -= n;
    free(row);
    return st;
}

typedef struct part {
    fx_data *doubles, *scaled;
    fx_matrix X;
    fxi_source z;
    fxi_labels labels;
    double *space;                      /* [5][rows] */
    fxi_piece x;
} part;

static void close_part(part *a)
{
    fxi_fit_source_free(&a->z);
    fxi_model_labels_free(&a->labels);
    fx_data_free(a->doubles);
    fx_data_free(a->scaled);
    free(a->space);
}

/* Targets or signs, and weights, of the output's rows. */
static void set_labels(part *a, const answering *k)
{
    const fxi_train *t = k->o->train;
    const fxi_labels *l = &a->labels;
    size_t rows = a->X.rows;
    double *y = a->space, *c = y + rows;

    for (size_t i = 0; i < rows; i++) {
        size_t class = l->classes ? (size_t)l->y[i] : 0;
        double sign = l->classes ? fxi_model_pairs_sign(&t->m->c, k->o->number, class) : 1;
        double weight = l->weight[i];
        if (t->labels.class_weight)
            weight *= t->labels.class_weight[class];
        y[i] = l->classes ? sign : l->y[i];
        c[i] = sign != 0 ? weight * k->C : 0;
    }
    a->x = (fxi_piece){.rows = rows, .y = y, .c = c, .f = c + rows, .D = c + 2 * rows,
                       .q = c + 3 * rows};
}

static fx_status open_part(part *a, const answering *k, const fx_table *given)
{
    const fxi_train *t = k->o->train;
    const fxi_stream *s = t->stream;
    fx_table table = *given;
    fx_status st;

    *a = (part){0};
    if (s->survey.doubles) {            /* as all rows in one block would be */
        if ((st = fxi_data_select(&a->doubles, given, NULL, 0, true, s->run)))
            return st;
        table = a->doubles->table;
    }
    if ((st = fxi_model_labels_known(&a->labels, &t->m->c, &table, s->run))
        || (st = fxi_model_rows_table(&a->X, &a->scaled, &t->m->c, NULL, &table, s->run))
        || (st = fxi_fit_source(&a->z, &a->X, t->m->map, 0, s->run)))
        return st;
    if (!(a->space = fxi_alloc(a->X.rows, 5 * sizeof *a->space)))
        return FX_ENOMEM;
    set_labels(a, k);
    return FX_OK;
}

static fx_status answer(fx_pass *p, const fx_table *t, uint64_t first)
{
    answering *k = p->a;
    part a;
    fx_status st = open_part(&a, k, t);

    if (!st && p->what == ASK)
        st = fxi_fit_pass_sums_add(&k->sums, p->q, &k->p, &a.z, &a.x, first,
                                   first + t->rows == p->s->survey.rows);
    else if (!st)
        st = fxi_fit_pass_sums_each(&k->sums, p->w, &k->p, &a.z, &a.x, first, p->visit,
                                    p->visit_ctx);
    close_part(&a);
    return st;
}

fx_status fx_model_passes_add(fx_pass *p, const fx_table *t, uint64_t first)
{
    uint64_t all = p->s->survey.rows;
    fx_status st = fxi_data_check_table(t, p->s->run);

    if (st || !t->rows)
        return st;
    if (p->rows % FX_PASS_BLOCK || first != p->rows)
        return fxi_error(FX_EINVAL, "a part begins with row %llu; it must be row %llu, and a "
                         "multiple of %d", (unsigned long long)first, (unsigned long long)p->rows,
                         FX_PASS_BLOCK);
    if (p->what != SURVEY && (first >= all || t->rows > all - first))
        return fxi_error(FX_EINVAL, "this pass has more than the %llu rows of the first one",
                         (unsigned long long)all);
    p->rows += t->rows;
    switch (p->what) {
    case SURVEY: return fxi_train_survey_add(&p->s->survey, t, p->classify, p->s->run);
    case WEIGHTS: return add_weights(p, t);
    case SAMPLE: return add_sample(p, t, first);
    default: return answer(p, t, first);
    }
}

uint64_t fx_model_passes_number(const fx_pass *p) { return p->s->passes; }

/* One pass over all rows. */
static fx_status visit(fx_pass *p)
{
    fxi_stream *s = p->s;
    fx_status st = s->rows(s->ctx, p);

    s->passes++;
    if (st)
        return st < 0 ? st : fxi_error(FX_EINVAL, "who brings the rows returned %d", (int)st);
    if (p->what != SURVEY && p->rows != s->survey.rows)
        return fxi_error(FX_EINVAL, "this pass has %llu rows, the first one %llu",
                         (unsigned long long)p->rows, (unsigned long long)s->survey.rows);
    return FX_OK;
}

/* ---- Questions ------------------------------------------------------------------------------ */

static fx_status ask(fxi_passes *passes, double *sums, const fxi_question *q)
{
    answering *a = (answering *)passes;
    fx_pass p = {.what = ASK, .s = a->o->train->stream, .a = a, .q = q};

    fxi_fit_pass_sums_clear(&a->sums, q);
    fx_status st = visit(&p);
    if (!st)
        fxi_fit_pass_sums_round(sums, &a->sums, q);
    return st;
}

static fx_status each(fxi_passes *passes, const double *w, fxi_pass_visit *fn, void *ctx)
{
    answering *a = (answering *)passes;
    fx_pass p = {.what = EACH, .s = a->o->train->stream, .a = a, .w = w, .visit = fn,
                 .visit_ctx = ctx};

    return visit(&p);
}

fx_status fxi_train_passes(fxi_passes **out, const fxi_problem *p, const fxi_output *o, double C,
                           const fx_run *run)
{
    const fxi_train *t = o->train;
    const fxi_survey *s = &t->stream->survey;
    size_t features = t->m->c.features, rows = (size_t)s->rows;
    size_t run_rows = fxi_fit_pass_run(rows, features, t->m->map ? 0 : (size_t)s->numbers,
                                       s->sparse && !t->m->map);
    answering *a = fxi_zalloc(1, sizeof *a);

    if (!a)
        return FX_ENOMEM;
    *a = (answering){.passes = {rows, features, ask, each}, .o = o, .C = C, .p = *p};
    fx_status st = fxi_fit_pass_sums(&a->sums, features, run_rows, rows / run_rows + 1,
                                     (double)rows * (double)features, run);
    if (st)
        free(a);
    else
        *out = &a->passes;
    return st;
}

void fxi_train_passes_free(fxi_passes *passes)
{
    answering *a = (answering *)passes;

    if (a)
        fxi_fit_pass_sums_free(&a->sums);
    free(a);
}

/* ---- Before the first question -------------------------------------------------------------- */

fx_status fxi_train_passes_sample(fx_data **out, const fxi_train *t, size_t n, const fx_run *run)
{
    fxi_stream *s = t->stream;
    size_t all = (size_t)s->survey.rows, *row, rows = 0;
    fx_pass p = {.what = SAMPLE, .s = s, .n = n < all ? n : all};
    fx_matrix *block = fxi_alloc(p.n, sizeof *block), X;
    fx_data *own = NULL;
    fx_status st = FX_ENOMEM;

    p.row = row = fxi_alloc(p.n, sizeof *row);
    s->sample = fxi_zalloc(p.n, sizeof *s->sample);
    if (block && row && s->sample) {
        fxi_rng_sample(row, p.n, all, (fxi_rng){t->seed, FXI_MODEL_SAMPLE});
        st = visit(&p);
    }
    for (size_t k = 0; k < s->samples && !st; k++) {
        block[k] = s->sample[k]->table.block[0];
        block[k].cols = t->m->c.cols;
        rows += block[k].rows;
    }
    fx_table table = {.rows = rows, .cols = t->m->c.cols, .blocks = s->samples, .block = block};
    if (!st && !(st = fxi_model_rows_table(&X, &own, &t->m->c, NULL, &table, run))) {
        table.block = &X;
        table.blocks = 1;
        st = fxi_data_select(out, &table, NULL, 0, false, run);
    }
    fx_data_free(own);
    fxi_free(block, row);
    return st;
}

static fx_status check(const fx_plan *plan, const fxi_learning *how)
{
    fx_description map = FX_INIT(fx_description);
    bool exact = plan->map && !fx_map_describe(&map, plan->map) && map.exact;
    bool missing = plan->missing && *plan->missing && strcmp(plan->missing, "error") != 0;
    const char *why = how->calibrate                                ? "calibrate=yes"
                      : missing                                     ? "filling missing values"
                      : plan->scale && !strcmp(plan->scale, "std")  ? "scaling by std"
                                                                    : NULL;

    if (why || exact)
        return fxi_error(FX_EUNSUPPORTED, "%s%s needs all rows in memory", exact ? "map " : "",
                         exact ? map.name : why);
    if (!how->kind->streams || !how->kind->streams(how))
        return fxi_error(FX_EUNSUPPORTED, "%s needs all rows in memory; %s", how->spec,
                         fxi_kinds_can.stream);
    return FX_OK;
}

/* The survey, and a table that stands for all rows. */
static fx_status look(fx_data **out, fxi_stream *s, const fx_plan *plan, const fxi_learning *how)
{
    fx_pass p = {.what = SURVEY, .s = s, .classify = how->task == FXI_CLASSIFY};
    fx_status st = visit(&p);
    fx_data *d = NULL;
    double *sum = NULL;

    if (!st && !p.classify && s->survey.texts)
        st = fxi_error(FX_EINVAL, "the labels are texts; a model of targets needs numbers");
    if (st || (st = fxi_train_survey_table(&d, &s->survey)))
        return st;
    if (plan->class_weight && !strcmp(plan->class_weight, "balanced") && p.classify
        && s->survey.labelled) {
        size_t blocks = fxi_sum_blocks(s->survey.classes);
        p = (fx_pass){.what = WEIGHTS, .s = s, .weights = fxi_alloc(blocks, sizeof *p.weights)};
        sum = fxi_data_alloc(d, s->survey.classes, sizeof *sum);
        st = p.weights && sum ? FX_OK : FX_ENOMEM;
        if (!st) {
            fxi_linalg_sum_clear(p.weights, blocks);
            st = visit(&p);
        }
        if (!st)
            fxi_linalg_sum_round(sum, p.weights, s->survey.classes);
        d->table.weight = sum;
        free(p.weights);
    }
    if (st)
        fx_data_free(d);
    else
        *out = d;
    return st;
}

static fx_status fit(fx_model **out, fxi_stream *s, const fx_plan *given, const fx_run *run)
{
    fx_plan plan;
    fxi_learning how = {0};
    fx_data *table = NULL;
    fxi_train t = {0};
    fx_status st = fxi_sized_in(&plan, sizeof plan, given, "fx_plan");

    if (!st && !(st = fxi_model_learner(&how, plan.model)) && !(st = check(&plan, &how)))
        st = look(&table, s, &plan, &how);
    if (!st)
        st = fxi_train_open_stream(&t, given, &table->table, s, run);
    if (!st) {
        t.max_at_once = 1;
        st = t.how.kind->fit(&t, run);
        if (st >= 0) {
            *out = t.m;
            t.m = NULL;
        }
        fxi_train_close(&t);
    }
    fx_data_free(table);
    fxi_model_learner_free(&how);
    return st;
}

fx_status fx_model_passes_fit(fx_model **out, const fx_plan *plan, fx_pass_rows *rows, void *ctx,
                              const fx_run *run)
{
    fxi_stream s = {.rows = rows, .ctx = ctx, .run = run};
    fx_status st;

    if (!out || !plan || !rows)
        return fxi_error(FX_EINVAL, "fx_model_passes_fit: %s is NULL",
                         !out ? "out" : !plan ? "plan" : "rows");
    st = fit(out, &s, plan, run);
    for (size_t k = 0; k < s.samples; k++)
        fx_data_free(s.sample[k]);
    free(s.sample);
    fxi_train_survey_free(&s.survey);
    return st;
}
