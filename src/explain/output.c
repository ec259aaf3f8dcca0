/* SPDX-License-Identifier: BSD-3-Clause
 * output.c - which of several scores is explained: the one requested by number or by the name of
 * its class, else that of the class predicted for the row.
 *
 * Where scores are of pairs of classes, a class is explained against its rival: of the others, the
 * one that the prediction ranks highest for the row. */

#include "explain/explain.h"

#include <stdlib.h>
#include <string.h>

typedef struct ranking {
    const fx_model_info *c;
    const double *score;                /* [outputs] of the row */
    double *work;                       /* scratch of predict; of pairs of classes, it then holds
                                         * votes or probabilities */
    size_t predicted;
} ranking;

static fx_status rank(void *ctx, size_t block, fxi_team *team)
{
    ranking *r = ctx;

    (void)block;
    r->predicted = (size_t)fxi_model_predict_label(r->c, r->score, r->work, team);
    return FX_OK;
}

/* The pair of class k and the highest of the others. */
static size_t against_rival(const ranking *r, size_t k)
{
    size_t rival = k ? 0 : 1;

    for (size_t i = 0; i < r->c->classes; i++)
        if (i != k && r->work[i] > r->work[rival])
            rival = i;
    return fxi_model_pairs_number(r->c->classes, k < rival ? k : rival, k < rival ? rival : k);
}

/* requested: a class, or SIZE_MAX for the predicted one. */
static fx_status of_row(size_t *out, const fx_model *m, size_t requested, const fx_matrix *row,
                        const fx_run *run)
{
    const fx_model_info *c = &m->c;
    double *score = fxi_alloc(c->outputs, sizeof *score);
    ranking r = {c, score, fxi_alloc(fxi_model_predict_workspace(c), sizeof *r.work), 0};
    fx_status st = score && r.work ? FX_OK : FX_ENOMEM;

    if (!st && !(st = fx_model_predict(score, NULL, m, FX_SCORE, row, run)))
        st = fxi_parallel_ordered(1, rank, &r, run);
    if (!st) {
        size_t k = requested == SIZE_MAX ? r.predicted : requested;
        *out = c->pairs ? against_rival(&r, k) : k;
    }
    free(score);
    free(r.work);
    return st;
}

/* len bytes that are the name of a class. */
static bool find_class(size_t *out, const fx_model_info *c, const char *name, size_t len)
{
    for (*out = 0; *out < c->classes; ++*out)
        if (!strncmp(c->class_name[*out], name, len) && !c->class_name[*out][len])
            return true;
    return false;
}

/* "A/B"; names may hold strokes, too. */
static bool find_pair(size_t *out, const fx_model_info *c, const char *name)
{
    size_t a, b;

    for (const char *p = strchr(name, '/'); p; p = strchr(p + 1, '/'))
        if (find_class(&a, c, name, (size_t)(p - name)) && find_class(&b, c, p + 1, strlen(p + 1))
            && a < b) {
            *out = fxi_model_pairs_number(c->classes, a, b);
            return true;
        }
    return false;
}

static fx_status of_class(size_t *out, const fx_model *m, const fx_explain_options *q,
                          const fx_run *run)
{
    const fx_model_info *c = &m->c;
    const char *name = q->class_name;
    size_t k;

    if (!c->classes)
        return fxi_error(FX_EINVAL, "class %.60s: %s is not a model of classes", name, c->spec);
    if (c->pairs && find_pair(out, c, name))
        return FX_OK;
    if (!find_class(&k, c, name, strlen(name))) {
        fxi_nearest near = fxi_nearest_to(name, strlen(name));
        char hint[FXI_NEAREST];
        for (size_t i = 0; i < c->classes; i++)
            fxi_nearest_try(&near, c->class_name[i], strlen(c->class_name[i]));
        return fxi_error(FX_EINVAL, "there is no class %.60s; %.60s is one%s%s", name,
                         c->class_name[0], c->pairs ? ", and pairs are FIRST/SECOND" : "",
                         fxi_nearest_hint(hint, &near));
    }
    if (c->outputs == 1 && k == 0)
        return fxi_error(FX_EINVAL,
                         "with two classes the score is that of %.60s; for %.60s all signs change",
                         c->class_name[1], name);
    if (c->pairs && !q->row)
        return fxi_error(FX_EINVAL,
                         "class %.60s: scores are of pairs of classes, such as "
                         "%.60s/%.60s; with a row it is explained against its rival",
                         name, c->class_name[0], c->class_name[1]);
    if (c->pairs)
        return of_row(out, m, k, q->row, run);
    *out = c->outputs == 1 ? 0 : k;
    return FX_OK;
}

fx_status fxi_explain_output(size_t *out, const fx_model *m, const fx_explain_options *q,
                             const fx_run *run)
{
    const fx_model_info *c = &m->c;

    if (q->output_from_1 > c->outputs)
        return fxi_error(FX_EINVAL, "output %zu (from 1) of %zu", q->output_from_1, c->outputs);
    if (q->output_from_1 && q->class_name)
        return fxi_error(FX_EINVAL, "output %zu and class %.60s are given; one is enough",
                         q->output_from_1, q->class_name);
    if (q->class_name)
        return of_class(out, m, q, run);
    *out = q->output_from_1 ? q->output_from_1 - 1 : 0;
    return q->row && !q->output_from_1 && c->classes && c->outputs > 1
               ? of_row(out, m, SIZE_MAX, q->row, run)
               : FX_OK;
}
