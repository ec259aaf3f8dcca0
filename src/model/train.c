/* SPDX-License-Identifier: BSD-3-Clause
 * train.c - all of a fit that comes before the first step: rows joined and scaled, columns seen,
 * the map drawn, features stored if memory allows, labels and weights, rows to measure on.
 *
 * Everything but the weights is in the model when this is done, so whatever fails, fails early. */

#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SAMPLE = 256 };                  /* rows that a map's automatic keys look at */

double fxi_model_train_clock(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- Rows -------------------------------------------------------------------------------- */

/* The scaling by which rows become X; factors go into the model. */
static fx_status scale_rows(fxi_train *t, const char *spec, const fx_table *table,
                            const fx_run *run)
{
    fx_content *c = &t->m->c;
    fx_scale *scale;
    size_t cols;
    fx_status st = fx_data_scale_fit(&scale, spec, table, run);

    if (st)
        return st;
    const double *factor = fx_data_scale_factors(scale, &cols);
    st = fxi_model_keep(&c->factors, t->m, factor, cols * sizeof *factor);
    if (!st)
        st = fxi_model_keep_text(&c->scale, t->m, fx_data_scale_spec(scale));
    if (!st && !(st = fx_data_scale_apply(&t->own, scale, table, run)))
        t->X = t->own->table.block[0];
    fx_data_scale_free(scale);
    return st;
}

/* ---- Maps -------------------------------------------------------------------------------- */

/* Some rows, for keys that look at them. */
static fx_status take_sample(fx_data **out, const fxi_train *t, const fx_run *run)
{
    size_t row[SAMPLE], n = t->X.rows < SAMPLE ? t->X.rows : SAMPLE;
    fx_table table = {.rows = t->X.rows, .cols = t->X.cols, .blocks = 1, .block = &t->X};

    fxi_rng_sample(row, n, t->X.rows, (fxi_rng){t->seed, FXI_MODEL_SAMPLE});
    return fxi_data_select(out, &table, row, n, false, run);
}

static fx_status make_map(fxi_train *t, const fx_plan *plan, const fx_run *run)
{
    fx_model *m = t->m;
    fx_content *c = &m->c;
    fx_data *sample = NULL;
    fx_status st;

    if (t->how.learner->kernel)
        return fxi_model_kernel(t, plan, run);
    if (!plan->map && plan->kernel && t->how.components)
        return fxi_error(FX_EINVAL, "pca with kernel %s needs a map; kernel-pca takes it exactly",
                         plan->kernel);
    if (!plan->map) {
        c->features = c->cols;
        return FX_OK;
    }
    if (!plan->kernel)
        return fxi_error(FX_EINVAL, "map %s needs a kernel", plan->map);
    c->random = plan->features;
    if ((st = fx_kernel_parse(&m->kernel, plan->kernel, plan->family, c->base))
        || (st = take_sample(&sample, t, run)))
        return st;
    st = fx_map_parse(&m->map, plan->map, m->kernel, c->cols, plan->features, plan->seed,
                      sample->table.block, run);
    fx_data_free(sample);
    if (st || (st = fxi_model_keep_text(&c->map, m, fx_map_spec(m->map)))
        || (st = fxi_model_keep_text(&c->kernel, m, fx_kernel_spec(m->kernel)))
        || (st = fxi_model_keep_text(&c->family, m, plan->family)))
        return st;
    c->features = fx_map_features(m->map);
    return c->features ? FX_OK
                       : fxi_error(FX_EINVAL, "%s makes no features of %zu", c->map, c->random);
}

/* ---- Classes and rows to measure on ------------------------------------------------------ */

/* Kernel machines with a loss tell pairs of classes apart, others each from the rest. */
static fx_status keep_classes(fxi_train *t, const fx_table *table)
{
    fx_content *c = &t->m->c;
    size_t k = t->labels.classes;

    c->classes = k;
    c->pairs = k > 2 && t->how.learner->kernel && t->how.learner->loss;
    c->outputs = t->how.components ? t->how.components : k > 2 ? k : 1;
    if (c->pairs && !fxi_model_pairs(&c->outputs, k))
        return fxi_error(FX_ESHAPE, "%zu classes have too many pairs", k);
    t->outputs = c->outputs;
    if (!k)
        return FX_OK;
    const char **name = fxi_alloc(k, sizeof *name);
    char(*text)[32] = name ? fxi_alloc(k, sizeof *text) : NULL;
    fx_status st = text ? FX_OK : FX_ENOMEM;
    for (size_t i = 0; i < k && !st; i++) {
        if (!table->classes)
            fxi_decimal_write(text[i], t->labels.value[i]);
        name[i] = table->classes ? table->class_name[(size_t)t->labels.value[i]] : text[i];
    }
    if (!st)
        st = fxi_model_keep_texts(&c->class_name, t->m, name, k);
    if (!st && !table->classes)
        st = fxi_model_keep(&c->class_value, t->m, t->labels.value, k * sizeof *t->labels.value);
    free(name);
    free(text);
    return st;
}

static fx_status prepare_eval(fxi_train *t, const fx_table *eval, const fx_run *run)
{
    const fx_content *c = &t->m->c;
    fx_data *joined = NULL;
    fx_scale *scale = NULL;
    fx_matrix X;
    uint64_t unseen = 0;
    fx_status st = fxi_data_check_table(eval, run);

    if (!st)
        st = fxi_model_labels_known(&t->eval_labels, c, eval, run);
    if (!st)
        st = fxi_model_rows_join(&X, &joined, eval, run);
    if (!st && !X.ptr && X.cols != c->cols)
        st = fxi_error(FX_ESHAPE, "the rows to measure on have %zu columns, the others %zu", X.cols,
                       c->cols);
    if (!st)
        st = fxi_model_rows_scale(&scale, c);
    if (!st)
        st = fxi_model_rows(&t->eval_X, &t->eval_own, &unseen, c->cols, c->seen, scale, &X, 0,
                            X.rows, run);
    fx_data_scale_free(scale);
    if (t->eval_own || st)
        fx_data_free(joined);
    else
        t->eval_own = joined;
    if (!st)
        st = fxi_fit_source(&t->eval, &t->eval_X, t->m->map,
                            run && run->max_memory ? run->max_memory / 4 : UINT64_MAX, run);
    if (!st && t->m->fm)
        st = fxi_fm_rows(&t->eval_laid, &t->eval_laid_own, t->m->fm, &t->eval_X, run);
    return st;
}

/* Probabilities of a logistic model are the sigmoids of its scores. */
static fx_status keep_sigmoid(fx_model *m)
{
    double *ab = fxi_zalloc(m->c.outputs, 2 * sizeof *ab);
    fx_status st = fxi_model_own(m, ab);

    for (size_t k = 0; k < m->c.outputs && !st; k++)
        ab[2 * k] = -1;
    if (!st)
        m->c.sigmoid = ab;
    return st;
}

/* ---- The whole --------------------------------------------------------------------------- */

static fx_status read_labels(fxi_train *t, const fx_plan *plan, const fx_table *table,
                             const fx_run *run)
{
    const fxi_loss *loss = t->how.learner->loss;
    bool targets = loss ? loss->regress
                        : t->how.learner->kind == FXI_FACTORS && t->how.task != FXI_CLASSIFY;

    if (!t->how.components)
        return fxi_model_labels(&t->labels, table, targets, plan, run);
    if (plan->eval)
        return fxi_error(FX_EINVAL, "%s predicts no labels: there is nothing to measure on eval",
                         t->how.learner->name);
    return fxi_model_labels_none(&t->labels, table, plan, run);
}

static fx_status prepare(fxi_train *t, const fx_plan *plan, const fx_table *table,
                         const fx_run *run)
{
    fx_content *c = &t->m->c;
    fx_status st = fxi_data_check_table(table, run);

    bool factors = t->how.learner->kind == FXI_FACTORS;
    if (!st && !factors && (plan->metric || plan->patience || plan->max_seconds != 0))
        st = fxi_error(FX_EUNSUPPORTED, "%s has no %s; factorization machines have",
                       t->how.learner->name,
                       plan->metric     ? "choice of metric"
                       : plan->patience ? "patience"
                                        : "limit of time");
    if (st)
        return st;
    c->seed = plan->seed;
    c->cols = table->cols;
    c->rows = table->rows;
    c->base = table->base;
    if ((st = read_labels(t, plan, table, run)) || (st = keep_classes(t, table))
        || (st = fxi_model_keep_text(&c->spec, t->m, t->how.spec))
        || (st = fxi_model_keep_text(&c->reader, t->m, plan->reader))
        || (t->how.loss == &fxi_loss_logistic && c->classes && (st = keep_sigmoid(t->m)))
        || (st = fxi_model_keep_texts(&c->name, t->m, table->name, table->cols)))
        return st;
    if (plan->scale && strcmp(plan->scale, "none") != 0)
        st = scale_rows(t, plan->scale, table, run);
    else
        st = fxi_model_rows_join(&t->X, &t->own, table, run);
    if (!st)
        st = fxi_model_seen(t, run);
    if (!st)
        st = factors ? fxi_model_fit_factors_prepare(t, plan, table, run) : make_map(t, plan, run);
    if (!st)
        st = fxi_model_init_check(t);
    if (!st && t->init && t->how.learner->kernel)
        st = fxi_model_kernel_resume(t, run);
    if (!st)
        st = fxi_model_memory(t, plan, run);
    if (!st && plan->eval)
        st = prepare_eval(t, plan->eval, run);
    return st;
}

fx_status fxi_model_train_open(fxi_train *t, const fx_plan *plan, const fx_table *table,
                               const fx_run *run)
{
    fx_status st;

    *t = (fxi_train){.begin = fxi_model_train_clock()};
    if (!plan)
        return fxi_error(FX_EINVAL, "no plan is given");
    t->seed = plan->seed;
    t->init = plan->init;
    if (!(st = fxi_model_learner(&t->how, plan->model)) && !(t->m = fxi_model_new()))
        st = FX_ENOMEM;
    if (!st)
        st = prepare(t, plan, table, run);
    if (!st)
        t->m->c.prepared = fxi_model_train_clock() - t->begin;
    if (st)
        fxi_model_train_close(t);
    return st;
}

void fxi_model_train_close(fxi_train *t)
{
    fxi_fit_source_free(&t->source);
    fxi_fit_source_free(&t->eval);
    fx_data_free(t->own);
    fx_data_free(t->eval_own);
    fx_data_free(t->laid_own);
    fx_data_free(t->eval_laid_own);
    fxi_model_labels_free(&t->labels);
    fxi_model_labels_free(&t->eval_labels);
    free(t->largest);
    free(t->at);
    fx_model_free(t->m);
    free(t->how.spec);
    *t = (fxi_train){0};
}
