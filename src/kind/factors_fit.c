/* SPDX-License-Identifier: BSD-3-Clause
 * factors_fit.c - a factorization machine from labelled rows: what comes before the first step
 * besides what every fit has (train/train.c), and what is stored of its outputs.
 *
 * Memory: rows with their constants where the model has some, the numbers of each output thrice (as
 * solvers and as users have them, adagrad's sums), and what is running (factors_output.c). */

#include "kind/kind.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Before ------------------------------------------------------------------------------ */

/* The range of the targets, of earlier rows too; or the one that is given.  Rows that stand for all
 * have the smallest and the largest target (train/survey.c). */
static void keep_range(fxi_train *t)
{
    fx_model_info *c = &t->m->c;
    const fxi_factors_keys *how = t->how.own;

    if (how->range) {
        c->low = how->low;
        c->high = how->high;
        return;
    }
    for (size_t i = 0; i < t->X.rows && how->clip; i++)
        if (t->labels.weight[i] > 0) {
            c->low = fmin(c->low, t->labels.y[i]);
            c->high = fmax(c->high, t->labels.y[i]);
        }
}

static fx_status prepare_rows(fxi_train *t, const fx_run *run)
{
    fxi_factors *own = t->m->own;
    fxi_factors_fit *rows = t->own;
    fx_status st = fxi_kind_factors_numbers_new(t->m, &t->how);

    if (!st && !t->stream)
        st = fxi_fm_rows(&rows->X, &rows->own, own->fm, &t->X, run);
    keep_range(t);
    return st;
}

fx_status fxi_kind_factors_fit_prepare(fxi_train *t, const fx_plan *plan, const fx_run *run)
{
    fx_model_info *c = &t->m->c;
    fxi_factors_fit *own = t->own;
    fx_status st;

    own->patience = plan->patience;
    own->max_seconds = plan->max_seconds;
    if (plan->map)
        return fxi_error(FX_EUNSUPPORTED, "%s learns its own features: there is no map %s with it",
                         t->how.learner->name, plan->map);
    if (t->X.rows > INT32_MAX)
        return fxi_error(FX_EUNSUPPORTED, "%zu rows are too many for %s", t->X.rows,
                         t->how.learner->name);
    c->features = c->cols;
    if (plan->kernel && (st = fxi_kind_factors_groups_keep(t->m, plan, &t->how)))
        return st;
    return prepare_rows(t, run);
}

fx_status fxi_kind_factors_fit_eval(fxi_train *t, const fx_run *run)
{
    const fxi_factors *own = t->m->own;
    fxi_factors_fit *rows = t->own;

    return fxi_fm_rows(&rows->eval_X, &rows->eval_own, own->fm, &t->eval_X, run);
}

fx_status fxi_kind_factors_fit_update(fxi_train *t, const fx_run *run)
{
    size_t each, bytes;
    fx_status st = prepare_rows(t, run);

    ((fxi_factors_fit *)t->own)->single_pass = true;
    if (st)
        return st;
    if (!fxi_kind_factors_fit_bytes(&each, &bytes, t) || !fxi_size_add(&bytes, bytes, each))
        bytes = SIZE_MAX;
    return fxi_memory_check(run, bytes, "a factorization machine");
}

bool fxi_kind_factors_fit_bytes(size_t *each, size_t *all, const fxi_train *t)
{
    const fxi_fm *fm = ((const fxi_factors *)t->m->own)->fm;
    const fx_matrix *X = t->stream ? NULL : &((const fxi_factors_fit *)t->own)->X;
    size_t solver = 0, rows, numbers;
    int which = ((const fxi_factors_keys *)t->how.own)->solver;
    bool fits = which == FXI_FM_ADAGRAD && t->stream
                    ? fxi_fm_adagrad_pass_bytes(&solver, fm, (size_t)t->stream->survey.rows,
                                                fxi_kind_factors_pass_numbers(t), t->threads)
                : which == FXI_FM_ADAGRAD ? fxi_fm_adagrad_bytes(&solver, fm, X, t->threads)
                : which == FXI_FM_CD    ? fxi_fm_cd_bytes(&solver, fm, X)
                                        : fxi_fm_lbfgs_bytes(&solver, fm, X, t->threads);

    return fits && fxi_size_mul(&rows, t->X.rows, 8 * sizeof(double))
           && fxi_size_mul(&numbers, fm->size, 4 * sizeof(double))
           && fxi_size_add(each, rows, numbers) && fxi_size_add(each, *each, solver)
           && fxi_size_mul(all, fm->size, 3 * sizeof(double))
           && fxi_size_mul(all, *all, t->outputs);
}

void fxi_kind_factors_fit_close(fxi_train *t)
{
    fxi_factors_fit *rows = t->own;

    fx_data_free(rows->own);
    fx_data_free(rows->eval_own);
    free(rows->v);
    fxi_fm_adagrad_pass_free(rows->held);
}

/* ---- Outputs ----------------------------------------------------------------------------- */

fx_status fxi_kind_factors_fit_begin(fxi_train *t)
{
    fxi_factors *own = t->m->own;
    size_t all = fxi_size_mul(&all, t->outputs, own->fm->size) ? all : SIZE_MAX;

    own->v = fxi_alloc(all, sizeof *own->v);
    fx_status st = fxi_model_own(t->m, own->v);
    bool resumes = !t->fresh || ((const fxi_factors *)t->init->own)->state;
    if (!st && resumes && ((const fxi_factors_keys *)t->how.own)->solver == FXI_FM_ADAGRAD) {
        own->state = fxi_alloc(all, sizeof *own->state);
        st = fxi_model_own(t->m, own->state);
    }
    return st;
}

/* Losses are divided by it, but not those of pairs.  More rows of an update weigh more; new columns
 * change nothing. */
static void keep_weight(const fxi_output *o)
{
    const fxi_train *t = o->train;
    fx_model_info *c = &t->m->c;
    bool unknown = ((const fxi_factors_fit *)t->own)->single_pass && !(c->weight > 0);

    if (o->number == 0 && !t->fresh && !unknown && t->how.task != FXI_RANK)
        c->weight += ((const fxi_factors_state *)o->own)->weight;
}

/* Its numbers become the model's. */
void fxi_kind_factors_fit_keep(fxi_output *o)
{
    const fxi_factors *own = o->train->m->own;
    const fxi_factors_state *now = o->own;
    size_t size = own->fm->size;
    double *v = own->v + o->number * size;

    memcpy(v, now->f.v, size * sizeof *v);
    if (own->fm->intercept)
        v[0] += now->centre;
    keep_weight(o);
    if (!own->state)
        return;
    double *state = own->state + o->number * size;
    memcpy(state, now->f.sum, size * sizeof *state);
    fxi_kind_factors_init_keep(state, o);
}
