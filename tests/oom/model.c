/* SPDX-License-Identifier: BSD-3-Clause
 * model.c - scenarios: models; a spec is the model, perhaps a blank and a map, or the groups of a
 * factorization machine. */

#include "scenario.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_factors(const char *spec) { return strstr(spec, "rank=") != NULL; }

static fx_plan plan_of(char model[96], const char *spec)
{
    const char *map = strchr(spec, ' ');
    fx_plan p = {.size = sizeof(fx_plan),
                 .model = model,
                 .scale = "maxabs",
                 .class_weight = "balanced",
                 .seed = 1};

    snprintf(model, 96, "%.*s", (int)strcspn(spec, " "), spec);
    if (strstr(model, "ridge") || strstr(model, "svr") || strstr(model, "pca")
        || strstr(model, "task="))
        p.class_weight = NULL;
    if (is_factors(model)) {
        p.kernel = map ? map + 1 : NULL;
        p.family = "a: 1 2\n";
        return p;
    }
    if (strstr(model, "kernel-"))
        p.kernel = "anova:order=2";
    if (map) {
        p.map = map + 1;
        p.kernel = "anova:order=2";
        p.features = 16;
    }
    return p;
}

static const char model_rows[] = "no 1:1 3:2\nyes 2:1\nno 1:2 3:1\nyes 2:2 3:0.5\nno 1:3\nyes 2:3\n"
                                 "maybe 3:3\nmaybe 3:4 4:1\nno 1:1\nyes 2:2\nmaybe 3:2\nno 1:4\n";

/* Text labels, or numbers for models of targets. */
static fx_data *rows_for(const char *spec)
{
    int targets = strstr(spec, "ridge") || strstr(spec, "svr") || strstr(spec, "task=");

    return parsed("svmlight", targets ? "1 1:1\n2 1:2\n2.5 1:3\n" : model_rows);
}

static fx_status got_model(fx_model *m, fx_status s)
{
    if (s < 0)
        expect((void *)m == MARK, "the model changed although the call failed");
    else {
        const fx_model_info *c = fx_model_inspect(m);
        hash_text(c->spec);
        hash_text(c->map);
        hash(c->weights, c->features * c->outputs * sizeof *c->weights);
        hash(c->intercepts, c->outputs * sizeof *c->intercepts);
        for (size_t g = 0; g < c->orders; g++)
            hash(c->factors[g].P,
                 c->outputs * c->factors[g].cols * c->factors[g].rank * sizeof(double));
        if (c->sigmoid)
            hash(c->sigmoid, 2 * c->outputs * sizeof *c->sigmoid);
        for (size_t k = 0; k < c->classes; k++)
            hash_text(c->class_name[k]);
        fx_model_free(m);
    }
    return s;
}

typedef struct answered { size_t len; unsigned char bytes[1 << 20]; } answered;

static int keep(void *ctx, const void *bytes, size_t len)
{
    answered *a = ctx;

    if (len > sizeof a->bytes - a->len)
        return 1;
    memcpy(a->bytes + a->len, bytes, len);
    a->len += len;
    return 0;
}

/* One pass has the rows, another one merges what it answers; both serve all requests of a fit. */
typedef struct worker {
    const fx_table *rows;
    fx_pass *part, *sum;
} worker;

static worker worker_of(const fx_table *t)
{
    worker w = {.rows = t};

    prepared(fx_model_pass_new(&w.part, &two), "a pass");
    prepared(fx_model_pass_new(&w.sum, &two), "a pass");
    return w;
}

static void worker_end(worker *w)
{
    fx_model_pass_free(w->part);
    fx_model_pass_free(w->sum);
}

static fx_status bring(void *ctx, const void *request, size_t bytes, const fx_sink *answer)
{
    static answered a;
    const worker *w = ctx;
    fx_status s = fx_model_pass_begin(w->part, request, bytes);

    a.len = 0;
    if (!s && !(s = fx_model_pass_begin(w->sum, request, bytes))
        && !(s = fx_model_pass_add(w->part, w->rows, 0))
        && !(s = fx_model_pass_end(&(fx_sink){.size = sizeof(fx_sink), .write = keep, .ctx = &a},
                                   w->part))
        && !(s = fx_model_pass_merge(w->sum, a.bytes, a.len)))
        s = fx_model_pass_end(answer, w->sum);
    return s;
}

static fx_status model_pass(const char *spec)
{
    fx_pass *p = MARK;

    (void)spec;
    call_begin();
    fx_status s = call_end(fx_model_pass_new(&p, &two));
    if (s < 0)
        expect((void *)p == MARK, "a pass changed although the call failed");
    else
        fx_model_pass_free(p);
    return s;
}

static fx_status model_passes(const char *spec)
{
    char model[96];
    fx_data *d = rows_for(spec);
    fx_table t = fx_data_table(d);
    fx_plan plan = plan_of(model, spec);
    worker w = worker_of(&t);
    fx_model *m = MARK;

    call_begin();
    fx_status s = call_end(fx_model_passes_fit(&m, &plan, bring, &w, &two));
    worker_end(&w);
    fx_data_free(d);
    return got_model(m, s);
}

/* spec: a model, a blank, and what becomes of missing values; then the model is used. */
static fx_status model_missing(const char *spec)
{
    static const char *const name[2] = {"a", "b"};
    double x[] = {1, NAN, 3, 4, 5, NAN, 7, 8, 9, NAN, 2, 0}, y[] = {1, 2, 1, 1, 2, 2}, out[6];
    char model[96];
    fx_matrix X = {.rows = 6, .cols = 2, .stride = 2, .type = FX_F64, .val = x};
    fx_table t = {.rows = 6, .cols = 2, .blocks = 1, .block = &X, .name = name, .label = y};
    fx_plan plan = {.size = sizeof plan, .model = model, .missing = strchr(spec, ' ') + 1};
    fx_metrics metrics = FX_INIT(fx_metrics);
    fx_model *m = MARK;

    snprintf(model, sizeof model, "%.*s", (int)strcspn(spec, " "), spec);
    call_begin();
    fx_status s = fx_model_fit(&m, &plan, &t, &two), used = s;
    if (s >= 0)
        used = fx_model_evaluate(&metrics, NULL, m, &t, &two);
    if (used >= 0)
        used = fx_model_predict(out, NULL, m, FX_LABEL, &X, &two);
    call_end(used);
    if (s >= 0 && used < 0) {
        fx_model_free(m);
        return used;
    }
    return got_model(m, s);
}

static fx_model *model_of(const char *spec, const fx_table *t)
{
    char model[96];
    fx_plan plan = plan_of(model, spec);
    fx_model *m;

    prepared(fx_model_fit(&m, &plan, t, NULL), spec);
    return m;
}

static fx_status model_fit(const char *spec)
{
    char model[96];
    fx_data *d = rows_for(spec);
    fx_table t = fx_data_table(d);
    fx_plan plan = plan_of(model, spec);
    fx_model *m = MARK;

    plan.eval = strstr(spec, "pca") ? NULL : &t;
    plan.patience = is_factors(spec) ? 2 : 0;
    call_begin();
    fx_status s = call_end(fx_model_fit(&m, &plan, &t, &two));
    fx_data_free(d);
    return got_model(m, s);
}

/* More products of three columns than are written out. */
static fx_status model_found(const char *spec)
{
    fx_data *d = parsed("svmlight",
                        "no 1:1 3:1 9:1\nyes 2:1 3:1 200:1\nno 1:1 2:0.5\nyes 2:1 3:1 9:1\n"
                        "no 1:1 200:1\nyes 2:1 3:0.5\nno 3:1 9:1\nyes 2:1 3:1\n");
    fx_table t = fx_data_table(d);
    const fx_plan plan = {.size = sizeof plan, .model = spec, .map = "explicit", .seed = 1,
                          .kernel = "anova-upto:order=3", .eval = &t};
    fx_model *m = MARK;

    call_begin();
    fx_status s = call_end(fx_model_fit(&m, &plan, &t, &two));
    fx_data_free(d);
    return got_model(m, s);
}

/* Seconds differ from call to call. */
static fx_status model_estimate(const char *spec)
{
    char model[96];
    fx_data *d = rows_for(spec);
    fx_table t = fx_data_table(d);
    fx_plan plan = plan_of(model, spec);
    fx_estimate e = {.size = sizeof e, .seconds = -1, .bytes = 7};

    call_begin();
    fx_status s = call_end(fx_model_estimate(&e, &plan, &t, &two));
    fx_data_free(d);
    if (s < 0)
        expect(e.seconds == -1 && e.bytes == 7, "an output changed although the call failed");
    else
        hash(&e.bytes, sizeof e.bytes);
    return s;
}

static fx_status model_update(const char *spec)
{
    fx_data *d = rows_for(spec);
    fx_table t = fx_data_table(d);
    fx_model *first = model_of(spec, &t), *m = MARK;

    call_begin();
    fx_status s = call_end(fx_model_update(&m, first, &t, &two));
    fx_model_free(first);
    fx_data_free(d);
    return got_model(m, s);
}

/* Two new columns, one of which is in a row by itself; bilinear: one on each side. */
static fx_status model_fold_in(const char *spec)
{
    fx_data *d = rows_for(spec), *new = parsed("svmlight", "no 1:1 6:1\nyes 2:1 5:2 6:1\n");
    fx_table t = fx_data_table(d), x = fx_data_table(new);
    fx_model *first = model_of(spec, &t), *m = MARK;

    x.split = strstr(spec, "bilinear") ? 2 : 0;
    call_begin();
    fx_status s = call_end(fx_model_fold_in(&m, first, &x, &two));
    fx_model_free(first);
    fx_data_free(d);
    fx_data_free(new);
    return got_model(m, s);
}

static fx_status model_predict(const char *spec)
{
    fx_data *d = rows_for(spec), *other = parsed("svmlight", "0 1:1 4:2 9:1\n0 2:1\n");
    fx_table t = fx_data_table(d), x = fx_data_table(other);
    fx_model *m = model_of(spec, &t);
    fx_prediction what = fx_model_width(m, FX_PROBA)   ? FX_PROBA
                     : fx_model_width(m, FX_LABEL) ? FX_LABEL
                                                   : FX_SCORE;
    double out[6] = {0};
    uint64_t unseen = 77;

    call_begin();
    fx_status s = call_end(fx_model_predict(out, &unseen, m, what, x.block, &two));
    if (s < 0)
        expect(unseen == 77 && out[0] == 0, "results changed although the call failed");
    else
        hash(out, sizeof out);
    fx_model_free(m);
    fx_data_free(other);
    fx_data_free(d);
    return s;
}

static fx_status scorer_new(const char *spec)
{
    fx_data *d = rows_for(spec);
    fx_table t = fx_data_table(d);
    fx_model *m = model_of(spec, &t);
    fx_scorer *scorer = MARK;

    call_begin();
    fx_status s = call_end(fx_scorer_new(&scorer, m, &two));
    if (s < 0)
        expect((void *)scorer == MARK, "the scorer changed although the call failed");
    else
        fx_scorer_free(scorer);
    fx_model_free(m);
    fx_data_free(d);
    return s;
}

static fx_status scorer_predict(const char *spec)
{
    fx_data *d = rows_for(spec);
    fx_table t = fx_data_table(d);
    fx_model *m = model_of(spec, &t);
    fx_scorer *scorer;
    double out[12 * 3] = {0};
    uint64_t unseen = 77;

    prepared(fx_scorer_new(&scorer, m, NULL), spec);
    call_begin();
    fx_status s = call_end(fx_scorer_predict(out, &unseen, scorer, FX_SCORE, t.block, &two));
    if (s < 0)
        expect(unseen == 77 && out[0] == 0, "results changed although the call failed");
    else
        hash(out, sizeof out);
    fx_scorer_free(scorer);
    fx_model_free(m);
    fx_data_free(d);
    return s;
}

static fx_status give_table(void *table, fx_rows_take *take, void *to) { return take(to, table); }

static fx_status explain(const char *spec, bool one, bool visited)
{
    fx_data *d = rows_for(spec), *other = parsed("svmlight", "0 1:1 2:1 3:0.5 9:1\n");
    fx_table t = fx_data_table(d), x = fx_data_table(other);
    fx_model *m = model_of(spec, &t);
    fx_explanation *e = MARK;
    const fx_explain_options q = {.size = sizeof(fx_explain_options),
                                  .top = 4,
                                  .table = visited ? NULL : &t,
                                  .row = one ? x.block : NULL,
                                  .max_work = visited ? 0 : 100,
                                  .importance = one ? 1 : 2,
                                  .visit = visited ? give_table : NULL,
                                  .visit_ctx = &t};

    call_begin();
    fx_status s = call_end(fx_model_explain(&e, m, &q, &two));
    if (s < 0)
        expect((void *)e == MARK, "the answer changed although the call failed");
    else {
        const fx_explanation *a = e;
        for (size_t k = 0; k < a->n; k++)
            hash(&a->at[k].weight, sizeof a->at[k].weight);
        hash(&a->rest, sizeof a->rest);
        fx_explanation_free(e);
    }
    fx_model_free(m);
    fx_data_free(other);
    fx_data_free(d);
    return s;
}

static fx_status model_explain(const char *spec) { return explain(spec, true, false); }
static fx_status model_explain_held(const char *spec) { return explain(spec, false, false); }
static fx_status model_explain_visited(const char *spec) { return explain(spec, false, true); }

/* One split at a level at which much is discovered, so that every step is reached. */
static fx_status discover(const char *spec)
{
    fx_data *d = made("fields:n=500,fields=2,levels=3,noise=0.1");
    fx_table t = fx_data_table(d);
    fx_discovery *found = MARK;
    const fx_discover_options o = {.size = sizeof(fx_discover_options), .order = 2, .splits = 1,
                                   .alpha = 0.99, .regress = strcmp(spec, "targets") == 0,
                                   .select = 2};

    call_begin();
    fx_status s = call_end(fx_discover(&found, &o, &t, &two));
    if (s < 0)
        expect((void *)found == MARK, "the discovery changed although the call failed");
    else {
        expect(found->n > 0, "nothing was discovered");
        for (size_t k = 0; k < found->n; k++)
            hash(&found->at[k].p, sizeof found->at[k].p);
        fx_discovery_free(found);
    }
    fx_data_free(d);
    return s;
}

/* Numbers, signs and columns of ones, so that there are ties. */
static fx_status combos_path(const char *spec)
{
    static double x[40][5], y[40];
    const fx_matrix X = {.rows = 40, .cols = 5, .stride = 5, .type = FX_F64, .val = x};
    const fx_combos_options o = {.size = sizeof o, .loss = spec, .order = 3, .steps = 6};
    fx_combos_path *p = MARK;

    for (int i = 0; i < 40; i++) {
        for (int j = 0; j < 5; j++)
            x[i][j] = j == 4 ? 1 : (i >> j & 1) * (j == 3 && spec[0] == 'l' ? -0.5 : 1);
        y[i] = x[i][0] * x[i][1] > 0 || i % 7 == 0 ? 1 : -1;
    }
    call_begin();
    fx_status s = call_end(fx_combos_path_new(&p, &o, &X, y, NULL, &two));
    if (s < 0)
        expect((void *)p == MARK, "the path changed although the call failed");
    else {
        hash(p->objective, p->steps * sizeof *p->objective);
        hash(p->weight, p->first[p->steps] * sizeof *p->weight);
        hash(p->tie, p->tie_first[p->n] * sizeof *p->tie);
        fx_combos_path_free(p);
    }
    return s;
}

static fx_status got_metrics(const fx_metrics *m, size_t n, fx_status s)
{
    for (size_t i = 0; i < n; i++)
        if (s < 0)
            expect(m[i].rows == 77, "metrics changed although the call failed");
        else
            hash(&m[i], sizeof m[i]);
    return s;
}

static fx_status model_metrics(const char *spec)
{
    static const double y[] = {1, -1, 1}, score[] = {0.5, 0.1, -1};
    fx_metrics m = {.size = sizeof m, .rows = 77};

    (void)spec;
    call_begin();
    fx_status s = call_end(fx_model_metrics(&m, y, score, NULL, 3, 0));
    return got_metrics(&m, 1, s);
}

static fx_status model_evaluate(const char *spec)
{
    fx_data *d = rows_for(spec);
    fx_table t = fx_data_table(d);
    fx_model *m = model_of(spec, &t);
    fx_metrics got = {.size = sizeof got, .rows = 77};

    call_begin();
    fx_status s = call_end(fx_model_evaluate(&got, NULL, m, &t, &two));
    fx_model_free(m);
    fx_data_free(d);
    return got_metrics(&got, 1, s);
}

static fx_status model_measure(const char *spec)
{
    static const char *const classes[] = {"f1-macro", "average-precision", "accuracy"};
    static const char *const ranked[] = {"ndcg@3", "recall@2", "auc"};
    bool rank = strstr(spec, "task=rank");
    fx_data *d = rows_for(spec);
    fx_table t = fx_data_table(d);
    fx_model *m = model_of(spec, &t);
    double got[3];

    call_begin();
    fx_status s = call_end(fx_model_evaluate_by(got, rank ? ranked : classes, 3, m, &t, &two));
    fx_model_free(m);
    fx_data_free(d);
    if (s >= 0)
        hash(got, sizeof got);
    return s;
}

/* Two batches of the rows. */
static fx_status model_evaluator(const char *spec)
{
    fx_data *d = rows_for(spec);
    fx_table t = fx_data_table(d);
    fx_model *m = model_of(spec, &t);
    fx_metrics got = {.size = sizeof got, .rows = 77};
    fx_evaluator *e = NULL;
    const char *const name = strstr(spec, "svm-l2") ? "f1-macro" : "auc";
    double value = 0, *score = calloc(t.rows * fx_model_width(m, FX_SCORE), sizeof *score);

    call_begin();
    fx_status s = fx_model_evaluator_new(&e, m, &two);
    if (!s)
        s = fx_model_evaluator_only(e, &name, 1);
    if (!s)
        s = fx_model_evaluator_add(e, &t, &two);
    if (!s)
        s = fx_model_evaluator_add_scored(e, &t, score, &two);
    if (!s)
        s = fx_model_evaluator_by(&value, &name, 1, e, &two);
    s = call_end(s ? s : fx_model_evaluator_metrics(&got, NULL, e, &two));
    fx_model_evaluator_free(e);
    fx_model_free(m);
    fx_data_free(d);
    free(score);
    return got_metrics(&got, 1, s);
}

static fx_status model_path(const char *spec)
{
    static const double C[] = {0.1, 1};
    static const int32_t fold[] = {0, 0, 1, 1, 0, 0, 0, 1, 1, 1, 1, 0};
    char model[96];
    fx_data *d = rows_for(spec);
    fx_table t = fx_data_table(d);
    fx_plan plan = plan_of(model, spec);
    plan.metric = strstr(spec, "ridge") ? "rmse" : "f1-macro";
    fx_metrics got[4] = {
        {.size = sizeof *got, .rows = 77}, {.rows = 77}, {.rows = 77}, {.rows = 77}};

    call_begin();
    fx_status s = call_end(fx_model_path(got, &plan, C, 2, &t, fold, 2, &two));
    fx_data_free(d);
    return got_metrics(got, 4, s);
}

static fx_status model_passes_path(const char *spec)
{
    static const double C[] = {0.1};
    static const int32_t fold[] = {0, 0, 1, 1, 0, 0, 0, 1, 1, 1, 1, 0};
    char model[96];
    fx_data *d = rows_for(spec);
    fx_table t = fx_data_table(d);
    fx_plan plan = plan_of(model, spec);
    worker w = worker_of(&t);
    fx_metrics got[2] = {{.size = sizeof *got, .rows = 77}, {.rows = 77}};

    call_begin();
    fx_status s = call_end(
        fx_model_passes_path(got, &plan, C, 1, fold, t.rows, 2, bring, &w, &two));
    worker_end(&w);
    fx_data_free(d);
    return got_metrics(got, 2, s);
}

static fx_status model_vectors_width(const char *spec)
{
    fx_data *d = rows_for(spec);
    fx_table t = fx_data_table(d);
    fx_model *m = model_of(spec, &t);
    size_t width = 77;

    call_begin();
    fx_status s = call_end(fx_model_vectors_width(&width, m, &two));
    expect(s >= 0 || width == 77, "the width changed although the call failed");
    hash(&width, sizeof width);
    fx_model_free(m);
    fx_data_free(d);
    return s;
}

/* Rows of one side: column 1. */
static fx_status model_vectors(const char *spec)
{
    fx_data *d = rows_for(spec), *other = parsed("svmlight", "0 1:1 9:1\n0 1:2\n");
    fx_table t = fx_data_table(d), x = fx_data_table(other);
    fx_model *m = model_of(spec, &t);
    size_t width;
    uint64_t unseen = 77;

    prepared(fx_model_vectors_width(&width, m, NULL), spec);
    double *out = calloc(2 * width, sizeof *out);
    call_begin();
    fx_status s = call_end(fx_model_vectors(out, &unseen, m, FX_FIRST,
                                            1 % fx_model_inspect(m)->outputs, x.block, &two));
    if (s < 0)
        expect(unseen == 77, "the count changed although the call failed");
    else
        hash(out, 2 * width * sizeof *out);
    free(out);
    fx_model_free(m);
    fx_data_free(other);
    fx_data_free(d);
    return s;
}

static fx_status model_recommender_new(const char *spec)
{
    fx_data *d = rows_for(spec);
    fx_table t = fx_data_table(d);
    fx_model *m = model_of(spec, &t);
    fx_recommender *r = MARK;

    call_begin();
    fx_status s = call_end(fx_model_recommender_new(&r, m, 0, t.block, &two));
    if (s < 0)
        expect((void *)r == MARK, "the recommender changed although the call failed");
    else
        fx_model_recommender_free(r);
    fx_model_free(m);
    fx_data_free(d);
    return s;
}

/* The rows of training as users and as items. */
static fx_status model_recommender_best(const char *spec)
{
    enum { ITEMS = 3, USERS = 12 };
    fx_data *d = rows_for(spec);
    fx_table t = fx_data_table(d);
    fx_model *m = model_of(spec, &t);
    size_t item[USERS * ITEMS] = {0}, from[USERS + 1] = {0}, seen[] = {1};
    double score[USERS * ITEMS];
    uint64_t unseen = 77;
    fx_recommender *r;

    for (size_t i = 1; i <= USERS; i++)
        from[i] = 1;
    prepared(fx_model_recommender_new(&r, m, 0, t.block, NULL), spec);
    call_begin();
    fx_status s = call_end(fx_model_recommender_best(item, score, &unseen, r, t.block, ITEMS, from,
                                                     seen, &two));
    if (s < 0)
        expect(unseen == 77, "the count changed although the call failed");
    else
        hash(item, sizeof item);
    fx_model_recommender_free(r);
    fx_model_free(m);
    fx_data_free(d);
    return s;
}

/* From a table with names, or with a map. */
static fx_model *to_be_written(const char *spec)
{
    fx_data *d = strcmp(spec, "csv") ? made("pairs:n=40,d=9,nz=4,k=2")
                                     : parsed("csv:nan=drop", text_of("csv"));
    fx_table t = fx_data_table(d);
    fx_plan plan = {.size = sizeof(fx_plan), .model = "svm", .features = 10};
    fx_model *m;

    if (!strcmp(spec, "rk"))
        plan.map = "rk", plan.kernel = "anova:order=2";
    else if (strstr(spec, "kernel-"))
        plan.model = spec, plan.kernel = "anova:order=2";
    else if (is_factors(spec))
        plan.model = spec;
    else
        plan.scale = "std";
    prepared(fx_model_fit(&m, &plan, &t, NULL), spec);
    fx_data_free(d);
    return m;
}

static fx_status model_dump(const char *spec)
{
    fx_model *m = to_be_written(spec);
    const fx_sink sink = {.size = sizeof(fx_sink), .write = to_memory, .ctx = &file};

    file.len = 0;
    call_begin();
    fx_status s = call_end(fx_model_dump(&sink, m));
    if (s >= 0)
        hash(file.bytes, file.len);
    fx_model_free(m);
    return s;
}

static fx_status model_parse(const char *spec)
{
    fx_model *m = to_be_written(spec), *back = MARK;
    const fx_sink sink = {.size = sizeof(fx_sink), .write = to_memory, .ctx = &file};

    file.len = 0;
    prepared(fx_model_dump(&sink, m), spec);
    fx_model_free(m);
    call_begin();
    fx_status s = call_end(fx_model_parse(&back, file.bytes, file.len, &two));
    if (s < 0)
        expect((void *)back == MARK, "the model changed although the call failed");
    else {
        const fx_model_info *c = fx_model_inspect(back);
        hash(c->weights, c->features * c->outputs * sizeof *c->weights);
        hash_text(c->class_name[1]);
        fx_model_free(back);
    }
    return s;
}

static fx_status model_factorize(const char *spec)
{
    fx_data *d = rows_for(spec);
    fx_table t = fx_data_table(d);
    fx_model *m = model_of(spec, &t), *n = MARK;

    call_begin();
    fx_status s = call_end(fx_model_factorize(&n, m, &two));
    fx_model_free(m);
    fx_data_free(d);
    return got_model(n, s);
}

static const char libfm[] = "#global bias W0\n0.5\n#unary interactions Wj\n1\n-2\n"
                            "#pairwise interactions Vj,f\n1 2\n0.5 -1\n";

static fx_status model_import(const char *spec)
{
    fx_model *m = MARK;

    call_begin();
    fx_status s = call_end(fx_model_import(&m, "libfm", *spec == 'c', libfm, sizeof libfm - 1,
                                           &two));
    return got_model(m, s);
}

static fx_status model_export(const char *spec)
{
    const fx_sink sink = {.size = sizeof(fx_sink), .write = to_memory, .ctx = &file};
    fx_model *m;

    prepared(fx_model_import(&m, "libfm", 0, libfm, sizeof libfm - 1, NULL), spec);
    file.len = 0;
    call_begin();
    fx_status s = call_end(fx_model_export(&sink, m, spec));
    fx_model_free(m);
    return s;
}

static fx_status model_describe(const char *spec) { return described(fx_model_describe, spec); }
static fx_status metric_describe(const char *name) { return described(fx_metric_describe, name); }

/* clang-format off */
const scenario model_scenarios[] = {
    {"fx_model_describe", model_describe, "fm:task=rank"},
    {"fx_model_describe", model_describe, "pca"},
    {"fx_model_describe", model_describe, "kernel-svm:calibrate=yes"},
    {"fx_model_fit", model_fit, "svm"},
    {"fx_model_fit", model_missing, "logistic mean,indicator"},
    {"fx_model_fit", model_missing, "logistic drop"},
    {"fx_model_fit", model_fit, "svm:calibrate=yes rk"},
    {"fx_model_fit", model_fit, "logistic rk"},
    {"fx_model_fit", model_fit, "svm-l2:penalty=l1"},
    {"fx_model_fit", model_fit, "svm-l2:penalty=l1,solver=proximal"},
    {"fx_model_fit", model_found, "logistic:penalty=l1"},
    {"fx_model_fit", model_fit, "svr"},
    {"fx_model_fit", model_fit, "ridge"},
    {"fx_model_fit", model_fit, "perceptron rk"},
    {"fx_model_fit", model_fit, "pca:k=2 rk"},
    {"fx_model_fit", model_fit, "kernel-svm:calibrate=yes,collapse=no"},
    {"fx_model_fit", model_fit, "kernel-svm:collapse=yes"},
    {"fx_model_fit", model_fit, "kernel-svr:collapse=no"},
    {"fx_model_fit", model_fit, "kernel-ridge:collapse=no"},
    {"fx_model_fit", model_fit, "kernel-perceptron"},
    {"fx_model_fit", model_fit, "kernel-pca:k=2"},
    {"fx_model_fit", model_fit, "hofm:order=3,rank=2,max-iter=3,tol=1,solver=cd groups:file=g"},
    {"fx_model_fit", model_fit, "poly-net-uv:task=regress,rank=2,max-iter=20,tol=1,solver=lbfgs"},
    {"fx_model_fit", model_fit, "fm:task=rank,rank=2,max-iter=3,tol=1"},
    {"fx_model_fit", model_fit, "fm:task=regress,rank=400000,max-iter=2,tol=1,solver=adagrad"},
    {"fx_model_passes_fit", model_passes, "logistic:tol=0.5 rk"},
    {"fx_model_passes_fit", model_passes, "ridge"},
    {"fx_model_passes_fit", model_passes, "pca:k=2"},
    {"fx_model_passes_fit", model_passes, "logistic:penalty=l1,solver=proximal,tol=0.5"},
    {"fx_model_pass_new", model_pass, ""},
    {"fx_model_pass_begin", model_passes, "ridge"},
    {"fx_model_pass_add", model_passes, "ridge"},
    {"fx_model_pass_merge", model_passes, "ridge"},
    {"fx_model_pass_end", model_passes, "ridge"},
    {"fx_model_estimate", model_estimate, "kernel-svm"},
    {"fx_model_estimate", model_estimate, "kernel-pca:k=2"},
    {"fx_model_update", model_update, "perceptron rk"},
    {"fx_model_update", model_update, "kernel-perceptron:budget=4"},
    {"fx_model_update", model_update, "fm:rank=2,solver=adagrad,max-iter=3,tol=1"},
    {"fx_model_fold_in", model_fold_in, "hofm:order=3,rank=2,max-iter=3,tol=1"},
    {"fx_model_fold_in", model_fold_in, "bilinear:split=1,rank=2,max-iter=3,tol=1"},
    {"fx_model_predict", model_predict, "poly-net:rank=2,max-iter=3,tol=1"},
    {"fx_model_predict", model_predict, "logistic rk"},
    {"fx_model_predict", model_predict, "svm"},
    {"fx_model_predict", model_predict, "kernel-svm:calibrate=yes,collapse=no"},
    {"fx_model_predict", model_predict, "kernel-pca:k=2"},
    {"fx_model_predict", model_predict, "perceptron rk"},
    {"fx_model_predict", model_predict, "kernel-perceptron"},
    {"fx_scorer_new", scorer_new, "svm"},
    {"fx_scorer_new", scorer_new, "logistic rk"},
    {"fx_scorer_new", scorer_new, "kernel-svm:calibrate=yes,collapse=no"},
    {"fx_scorer_predict", scorer_predict, "logistic"},
    {"fx_scorer_predict", scorer_predict, "svm rk"},
    {"fx_scorer_predict", scorer_predict, "kernel-svm:collapse=no"},
    {"fx_scorer_predict", scorer_predict, "poly-net:rank=2,max-iter=3,tol=1"},
    {"fx_combos_path_new", combos_path, "squared-hinge"},
    {"fx_combos_path_new", combos_path, "logistic"},
    {"fx_model_vectors_width", model_vectors_width, "svm rk"},
    {"fx_model_vectors", model_vectors, "svm"},
    {"fx_model_vectors", model_vectors, "svm rk"},
    {"fx_model_vectors", model_vectors, "kernel-svm:collapse=no"},
    {"fx_model_vectors", model_vectors, "all-subsets:max-iter=2,rank=3"},
    {"fx_model_vectors", model_vectors, "bilinear:split=1,max-iter=2,rank=3"},
    {"fx_model_recommender_new", model_recommender_new, "svm"},
    {"fx_model_recommender_new", model_recommender_new, "all-subsets:max-iter=2,rank=3"},
    {"fx_model_recommender_best", model_recommender_best, "svm"},
    {"fx_model_recommender_best", model_recommender_best, "all-subsets:max-iter=2,rank=3"},
    {"fx_model_explain", model_explain_held, "svm"},
    {"fx_model_explain", model_explain_visited, "svm rk"},
    {"fx_model_explain", model_explain_held, "hofm-shared:max-iter=2,rank=3"},
    {"fx_model_explain", model_explain, "svm"},
    {"fx_model_explain", model_explain, "svm rk"},
    {"fx_model_explain", model_explain, "kernel-svm:collapse=no"},
    {"fx_model_explain", model_explain, "kernel-perceptron"},
    {"fx_model_explain", model_explain, "hofm-shared:max-iter=2,rank=3"},
    {"fx_discover", discover, "classes"},
    {"fx_discover", discover, "targets"},
    {"fx_model_metrics", model_metrics, ""},
    {"fx_model_evaluate", model_evaluate, "logistic"},
    {"fx_model_evaluate", model_evaluate, "kernel-svm:calibrate=yes,collapse=no"},
    {"fx_model_evaluate", model_evaluate, "fm:task=rank,rank=2,max-iter=3,tol=1"},
    {"fx_metric_describe", metric_describe, "ndcg@5"},
    {"fx_model_evaluator_new", model_evaluator, "logistic"},
    {"fx_model_evaluator_add", model_evaluator, "kernel-svm:calibrate=yes,collapse=no"},
    {"fx_model_evaluator_add_scored", model_evaluator, "logistic"},
    {"fx_model_evaluator_by", model_evaluator, "logistic"},
    {"fx_model_evaluator_only", model_evaluator, "svm-l2"},
    {"fx_model_evaluator_metrics", model_evaluator, "fm:task=rank,rank=2,max-iter=3,tol=1"},
    {"fx_model_evaluate_by", model_measure, "logistic"},
    {"fx_model_evaluate_by", model_measure, "kernel-svm:calibrate=yes,collapse=no"},
    {"fx_model_evaluate_by", model_measure, "fm:task=rank,rank=2,max-iter=3,tol=1"},
    {"fx_model_path", model_path, "fm:rank=2,max-iter=3,tol=1"},
    {"fx_model_path", model_path, "logistic"},
    {"fx_model_path", model_path, "svm rk"},
    {"fx_model_path", model_path, "kernel-svm"},
    {"fx_model_path", model_path, "kernel-ridge"},
    {"fx_model_passes_path", model_passes_path, "logistic:tol=1 rk"},
    {"fx_model_passes_path", model_passes_path, "fm:rank=2,max-iter=3,tol=1,solver=adagrad"},
    {"fx_model_dump", model_dump, "csv"},
    {"fx_model_dump", model_dump, "rk"},
    {"fx_model_dump", model_dump, "kernel-perceptron"},
    {"fx_model_dump", model_dump, "kernel-pca:k=2"},
    {"fx_model_dump", model_dump, "fm:rank=2,solver=adagrad,max-iter=3,tol=1"},
    {"fx_model_parse", model_parse, "hofm-simplex:rank=2,max-iter=3,tol=1"},
    {"fx_model_parse", model_parse, "csv"},
    {"fx_model_parse", model_parse, "rk"},
    {"fx_model_parse", model_parse, "kernel-perceptron"},
    {"fx_model_parse", model_parse, "kernel-svm:collapse=no"},
    {"fx_model_parse", model_parse, "fm:rank=2,solver=adagrad,max-iter=3,tol=1"},
    {"fx_model_factorize", model_factorize, "logistic rk"},
    {"fx_model_factorize", model_factorize, "ridge rk:dist=gaussian"},
    {"fx_model_import", model_import, "classes"},
    {"fx_model_import", model_import, "target"},
    {"fx_model_export", model_export, "libfm"},
    {0},
};
/* clang-format on */
