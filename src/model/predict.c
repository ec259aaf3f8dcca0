/* SPDX-License-Identifier: BSD-3-Clause
 * predict.c - labels, scores and probabilities of rows.
 *
 * Rows are taken in chunks, prepared (rows.c), and scored by the scorer of the model's kind, a
 * chunk on a thread: memory does not grow with the rows, and a row's score depends on the row
 * alone.
 *
 * Probabilities: p = 1/(1 + exp(a f + b)) of the score f.  Two classes: [1 - p, p].  More: p_k /
 * sum p, formed from logarithms so that the sum never vanishes; of pairs: couple.c. */

#include "model/model.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { SCORES = 1 << 22 };              /* of a chunk */
static const double FAR = 1e300;

/* ---- From scores ------------------------------------------------------------------------- */

/* a f + b of output k; clipped to finite, so that differences of logarithms are numbers */
static double sigmoid_at(const fx_model_info *c, const double *score, size_t k)
{
    return fmax(-FAR, fmin(FAR, c->sigmoid[2 * k] * score[k] + c->sigmoid[2 * k + 1]));
}

/* log 1/(1 + exp(z)) */
static double log_sigmoid(double z) { return z > 0 ? -z - log1p(exp(-z)) : -log1p(exp(z)); }

size_t fxi_model_predict_workspace(const fx_model_info *c)
{
    return c->pairs ? 3 * c->classes + c->outputs : c->classes;
}

/* work: 2 [classes] and [outputs] */
static void couple(double *p, const fx_model_info *c, const double *score, double *work,
                   fxi_team *team)
{
    double *r = work + 2 * c->classes;

    for (size_t k = 0; k < c->outputs; k++)
        r[k] = 1 / (1 + exp(sigmoid_at(c, score, k)));
    fxi_model_couple(p, r, c->classes, work, team);
}

double fxi_model_predict_log(const fx_model_info *c, const double *score, size_t k, double *work,
                             fxi_team *team)
{
    double largest = -INFINITY, sum = 0;

    if (c->classes == 2)
        return log_sigmoid(sigmoid_at(c, score, 0) * (k ? 1 : -1));
    if (c->pairs) {
        couple(work, c, score, work + c->classes, team);
        return log(fmax(work[k], DBL_MIN));
    }
    for (size_t j = 0; j < c->classes; j++)
        largest = fmax(largest, log_sigmoid(sigmoid_at(c, score, j)));
    for (size_t j = 0; j < c->classes; j++)
        sum += exp(log_sigmoid(sigmoid_at(c, score, j)) - largest);
    return log_sigmoid(sigmoid_at(c, score, k)) - largest - log(sum);
}

void fxi_model_predict_proba(double *p, const fx_model_info *c, const double *score, double *work,
                             fxi_team *team)
{
    double largest = -INFINITY, sum = 0;

    if (c->classes == 2) {
        p[1] = 1 / (1 + exp(sigmoid_at(c, score, 0)));
        p[0] = 1 - p[1];
        return;
    }
    if (c->pairs) {
        couple(p, c, score, work + c->classes, team);
        return;
    }
    for (size_t k = 0; k < c->classes; k++) {
        p[k] = log_sigmoid(sigmoid_at(c, score, k));
        largest = fmax(largest, p[k]);
    }
    for (size_t k = 0; k < c->classes; k++)
        sum += p[k] = exp(p[k] - largest);
    for (size_t k = 0; k < c->classes; k++)
        p[k] /= sum;
}

static size_t first_largest(const double *x, size_t n)
{
    size_t best = 0;

    for (size_t k = 1; k < n; k++)
        if (x[k] > x[best])
            best = k;
    return best;
}

double fxi_model_predict_clip(const fx_model_info *c, double score)
{
    return c->low > c->high ? score : fmax(c->low, fmin(c->high, score));
}

double fxi_model_predict_label(const fx_model_info *c, const double *score, double *work,
                               fxi_team *team)
{
    if (!c->classes)
        return fxi_model_predict_clip(c, score[0]);
    if (c->sigmoid)
        fxi_model_predict_proba(work, c, score, work, team);
    else if (c->pairs)
        fxi_model_pairs_vote(work, c, score);
    else
        return c->classes == 2 ? score[0] > 0 : (double)first_largest(score, c->classes);
    return (double)first_largest(work, c->classes);
}

/* ---- Scores ------------------------------------------------------------------------------ */

typedef struct prediction {
    double *out;
    fx_output what;
    size_t width;
    const fx_model *m;
    const fx_scale *scale;
    fxi_scorer scorer;
    const fx_matrix *X;
    size_t chunk;
    uint64_t *unseen;                   /* [chunks] */
    const fx_run *run;
} prediction;

/* Intercepts are added; a score that is not finite is an error. */
static fx_status finish_scores(double *S, const prediction *a, size_t first, size_t n)
{
    const double *b = a->scorer.intercepts;
    size_t outputs = a->m->c.outputs;

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < outputs; k++)
            if (!isfinite(S[i * outputs + k] += b ? b[k] : 0))
                return fxi_error(FX_ENUMERIC, "the score of row %zu is %g", first + i,
                                 S[i * outputs + k]);
    return FX_OK;
}

static void write_rows(const prediction *a, const double *S, double *work, size_t first, size_t n,
                       fxi_team *team)
{
    const fx_model_info *c = &a->m->c;

    for (size_t i = 0; i < n && !fxi_parallel_cancelled(team); i++) {
        const double *score = S + i * c->outputs;
        double *to = a->out + (first + i) * a->width;
        if (a->what == FX_PROBA)
            fxi_model_predict_proba(to, c, score, work, team);
        else
            *to = fxi_model_predict_label(c, score, work, team);
    }
}

static fx_status predict_chunk(void *ctx, size_t b, fxi_team *team)
{
    const prediction *a = ctx;
    const fx_model_info *c = &a->m->c;
    size_t first = b * a->chunk, left = a->X->rows - first, n = left < a->chunk ? left : a->chunk;
    fx_run how = fxi_parallel_nested(a->run, team);
    fx_matrix X;
    fx_data *own = NULL;
    double *scratch = NULL, *S = a->out + first * c->outputs;
    fx_status st = fxi_model_rows(&X, &own, &a->unseen[b], c->cols, c->seen, a->scale, a->X, first,
                                  n, &how);

    if (!st && a->what != FX_SCORE) {
        scratch = fxi_alloc(n * c->outputs + fxi_model_predict_workspace(c), sizeof *scratch);
        S = scratch;
        st = S ? FX_OK : FX_ENOMEM;
    }
    if (!st)
        st = a->scorer.score(S, &a->scorer, &X, &how, team);
    if (!st && !fxi_parallel_cancelled(team))
        st = finish_scores(S, a, first, n);
    if (!st && scratch && !fxi_parallel_cancelled(team))
        write_rows(a, S, scratch + n * c->outputs, first, n, team);
    fx_data_free(own);
    free(scratch);
    return st;
}

/* As many rows as the scorer likes; but scores of a chunk take 8 SCORES bytes at most, unless 16
 * rows have more. */
static size_t chunk_rows(const fxi_scorer *s, const fx_matrix *X)
{
    size_t numbers = X->ptr ? (size_t)(X->ptr[X->rows] - X->ptr[0]) : X->rows * X->cols;
    size_t each = X->rows ? numbers / X->rows : 0;
    size_t n = s->numbers / (each ? each : 1), limit = SCORES / s->m->c.outputs;

    n = n < s->rows ? n : s->rows;
    n = (n < limit ? n : limit) / FXI_LANES * FXI_LANES;
    return n < FXI_LANES ? FXI_LANES : n;
}

static fx_status check(const fx_model *m, fx_output what, const fx_matrix *X, const fx_run *run)
{
    if (!m || !X)
        return fxi_error(FX_EINVAL, m ? "no rows are given" : "no model is given");
    if (what == FX_PROBA && !m->c.sigmoid)
        return fxi_error(FX_EUNSUPPORTED, "%s gives no probabilities; %s", m->c.spec,
                         m->c.classes               ? m->kind->proba_hint
                         : m->task == FXI_NO_LABELS ? "its scores are components"
                                                    : "its labels are targets");
    if (what == FX_LABEL && m->task == FXI_NO_LABELS)
        return fxi_error(FX_EUNSUPPORTED, "%s predicts no labels; its scores are components",
                         m->c.spec);
    if (!fx_model_width(m, what))
        return fxi_error(FX_EINVAL, "output %d is neither labels, scores nor probabilities",
                         (int)what);
    if (!X->ptr && X->cols != m->c.cols)
        return fxi_error(FX_ESHAPE, "dense rows have %zu columns, the model %zu", X->cols,
                         m->c.cols);
    return fxi_data_check(X, "X", run);
}

fx_status fx_model_predict(double *out, uint64_t *unseen, const fx_model *m, fx_output what,
                           const fx_matrix *X, const fx_run *run)
{
    prediction a = {.out = out, .what = what, .m = m, .X = X, .run = run, .scorer = {.m = m}};
    fx_status st = check(m, what, X, run);
    fx_scale *scale = NULL;
    uint64_t sum = 0;

    if (!st && !out && X->rows)
        st = fxi_error(FX_EINVAL, "no place is given for the results");
    if (st)
        return st;
    a.width = fx_model_width(m, what);
    st = m->kind->scorer(&a.scorer, X, run);
    a.chunk = st ? 1 : chunk_rows(&a.scorer, X);
    size_t chunks = (X->rows + a.chunk - 1) / a.chunk;
    if (!st && !(a.unseen = fxi_zalloc(chunks, sizeof *a.unseen)))
        st = FX_ENOMEM;
    if (!st)
        st = fxi_model_rows_scale(&scale, &m->c);
    a.scale = scale;
    if (!st)
        st = fxi_parallel(chunks, predict_chunk, &a, run);
    for (size_t b = 0; b < chunks && !st; b++)
        sum += a.unseen[b];
    if (!st && unseen)
        *unseen = sum;
    fx_data_scale_free(scale);
    free(a.scorer.own);
    free(a.unseen);
    return st;
}
