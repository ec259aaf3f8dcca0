/* SPDX-License-Identifier: BSD-3-Clause
 * output.c - the fit of one output: a class against the rest, the second of two classes, the second
 * of a pair of classes, or a target.  The kind's solver does it. */

#include "train/train.h"

#include <stdlib.h>

void fxi_train_output_release(fxi_output *o)
{
    double **arrays[] = {&o->y, &o->c, &o->s.w, &o->s.beta, &o->score};

    if (o->own && o->train->how.kind->release)
        o->train->how.kind->release(o);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        free(*arrays[i]);
        *arrays[i] = NULL;
    }
}

void fxi_train_output_free(fxi_output *o)
{
    fxi_train_output_release(o);
    free(o->own);
    free(o->step);
    *o = (fxi_output){0};
}

fx_status fxi_train_output_new(fxi_output *o, const fxi_train *t, size_t number)
{
    const fxi_kind *kind = t->how.kind;
    size_t rows = t->source.rows;

    *o = (fxi_output){.train = t, .number = number};
    if (!(o->y = fxi_alloc(rows, sizeof *o->y)) || !(o->c = fxi_alloc(rows, sizeof *o->c))
        || !(o->own = fxi_zalloc(1, kind->state ? kind->state : 1)) || !kind->allocate(o)) {
        fxi_train_output_free(o);
        return FX_ENOMEM;
    }
    for (size_t i = 0; i < rows; i++) {
        double y = t->labels.y[i];
        o->y[i] = t->labels.classes ? fxi_model_pairs_sign(&t->m->c, number, (size_t)y) : y;
    }
    return FX_OK;
}

/* A class of which no row is left. */
static fx_status one_sided(const fxi_output *o, int without, bool positive)
{
    const fx_model_info *c = &o->train->m->c;
    size_t a = 0, b = c->outputs > 1 ? o->number : 1;

    if (c->pairs)
        fxi_model_pairs_of(&a, &b, c->classes, o->number);
    return fxi_error(FX_EINVAL, "without fold %d all rows %s class %s", without,
                     positive && !c->pairs ? "are of" : "lack",
                     c->class_name[positive && c->pairs ? a : b]);
}

fx_status fxi_train_output_fit(fxi_output *o, double C, const int32_t *fold, int without,
                               const fx_run *run)
{
    const fxi_train *t = o->train;
    /* Of rows elsewhere, the i-th here stands for those of class i. */
    const double *left = t->stream ? t->stream->left : NULL;
    bool side[2] = {false, false};      /* there are negatives, positives */

    o->run = run;
    for (size_t i = 0; i < t->source.rows; i++) {
        bool absent = (fold && fold[i] == without) || (left && !(left[i] > 0))
                      || (t->labels.classes && o->y[i] == 0);
        o->c[i] = absent ? 0 : t->labels.weight[i];
        if (o->c[i] > 0)
            side[o->y[i] > 0] = true;
    }
    if ((fold || left) && t->labels.classes && !(side[0] && side[1]))
        return one_sided(o, without, side[1]);
    return t->how.kind->solve(o, C, run);
}
