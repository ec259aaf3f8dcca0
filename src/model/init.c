/* SPDX-License-Identifier: BSD-3-Clause
 * init.c - a fit that starts from an earlier model: newton and cd from its weights, the perceptron
 * from all that it remembers, so that 5 and 5 passes are 10.  The vectors of a kernel perceptron
 * are rows, if they are found among these, or stand above them.
 *
 * The dual solver starts from a number for each row, which a model does not hold. */

#include "model/model.h"

#include <string.h>

static bool same_texts(const char *const *a, const char *const *b, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (strcmp(a[k], b[k]) != 0)
            return false;
    return true;
}

static bool same_scale(const fx_content *a, const fx_content *b)
{
    return !strcmp(a->scale, b->scale)
        && (!a->factors || !memcmp(a->factors, b->factors, a->cols * sizeof *a->factors));
}

static fx_status differs(const char *what, const char *before, const char *now)
{
    return fxi_error(FX_EINVAL, "init has another %s: '%.100s', now '%.100s'", what, before, now);
}

/* The same kernel, map and classes? */
static fx_status check_specs(const fx_content *i, const fx_content *c)
{
    if (strcmp(i->map, c->map) != 0)
        return differs("map", i->map, c->map);
    if (strcmp(i->kernel, c->kernel) != 0)
        return differs("kernel", i->kernel, c->kernel);
    if (strcmp(i->family, c->family) != 0 || (*c->map && i->seed != c->seed))
        return fxi_error(FX_EINVAL, "init has another seed or family of its map");
    if (i->classes != c->classes || !same_texts(i->class_name, c->class_name, c->classes))
        return fxi_error(FX_EINVAL, "init has %zu other classes than these %zu", i->classes,
                         c->classes);
    return FX_OK;
}

fx_status fxi_model_init_check(const fxi_train *t)
{
    const fx_content *c = &t->m->c, *i;

    if (!t->init)
        return FX_OK;
    i = &t->init->c;
    if (t->init->fm || t->m->fm) {
        fx_status st = t->m->fm ? fxi_model_init_factors_check(t)
                                : differs("model", i->spec, c->spec);
        return st ? st : check_specs(i, c);
    }
    if (t->how.learner->kind == FXI_COMPONENTS || (t->how.learner->kernel && t->how.learner->loss))
        return fxi_error(FX_EUNSUPPORTED, "%s cannot start from a model; solver=newton, cd and "
                         "perceptrons can", t->how.learner->name);
    if ((t->how.learner->loss == NULL) != (t->init->sum != NULL)
        || t->how.learner->kernel != t->init->exact)
        return differs("model", i->spec, c->spec);
    int solver = t->how.learner->loss ? fxi_model_output_solver(t) : FXI_NEWTON;
    if (solver == FXI_DUAL || solver == FXI_AUTO)
        return fxi_error(FX_EUNSUPPORTED, "the dual solver cannot start from a model; "
                         "solver=newton, cd and perceptron can");
    if (i->cols != c->cols || (i->features != c->features && !t->init->exact))
        return fxi_error(FX_EINVAL, "init has %zu columns and %zu features, now %zu and %zu",
                         i->cols, i->features, c->cols, c->features);
    fx_status st = check_specs(i, c);
    if (st)
        return st;
    if (!t->how.learner->loss && !same_scale(i, c))
        return fxi_error(FX_EINVAL, "init scales rows in another way; fx_model_update keeps it");
    return FX_OK;
}

/* Column k of [n][outputs]. */
static void take(double *to, const double *from, size_t n, size_t outputs, size_t k)
{
    for (size_t j = 0; j < n; j++)
        to[j] = from[j * outputs + k];
}

/* The same of vectors, to the rows that they are. */
static void take_vectors(fxi_output *o, const fx_model *m)
{
    const int32_t *at = o->train->at;
    size_t d = m->c.features, outputs = m->c.outputs, k = o->number;
    const double *now = m->sum, *sum = m->sum + (d + 1) * outputs;

    for (size_t j = 0; j < d; j++) {
        size_t i = at ? (size_t)at[j] : j;
        o->s.beta[i] = m->c.weights[j * outputs + k];
        o->q.w[i] = now[j * outputs + k];
        o->q.sum[i] = sum[j * outputs + k];
        o->q.age[i] = m->age[j * outputs + k];
    }
    o->q.b = now[d * outputs + k];
    o->q.sum_b = sum[d * outputs + k];
    o->q.steps = m->count[k];
}

void fxi_model_init(fxi_output *o)
{
    const fx_model *m = o->train->init;

    if (!m)
        return;
    size_t d = m->c.features, outputs = m->c.outputs, k = o->number;
    o->s.b = m->c.intercepts[k];
    if (m->sum)
        o->s.iterations = m->c.iterations;
    if (m->exact) {
        take_vectors(o, m);
        return;
    }
    take(o->s.w, m->c.weights, d, outputs, k);
    if (!m->sum)
        return;
    const double *now = m->sum, *sum = m->sum + (d + 1) * outputs;
    take(o->p.w, now, d, outputs, k);
    take(o->p.sum, sum, d, outputs, k);
    o->p.b = now[d * outputs + k];
    o->p.sum_b = sum[d * outputs + k];
    o->p.steps = m->count[k];
}
