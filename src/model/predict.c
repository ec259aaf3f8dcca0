/* SPDX-License-Identifier: BSD-3-Clause
 * predict.c - labels and probabilities from scores; the scores are scorer.c's.
 *
 * Probabilities: p = 1/(1 + exp(a f + b)) of the score f.  Two classes: [1 - p, p].  More: p_k /
 * sum p, formed from logarithms so that the sum never vanishes; of pairs: couple.c. */

#include "model/model.h"

#include <float.h>
#include <math.h>

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

/* ---- Rows -------------------------------------------------------------------------------- */

fx_status fx_model_predict(double *out, uint64_t *unseen, const fx_model *m, fx_prediction what,
                           const fx_matrix *X, const fx_run *run)
{
    fx_scorer s;

    if (!m || !X)
        return fxi_error(FX_EINVAL, m ? "no rows are given" : "no model is given");
    fx_status st = fxi_model_scorer_open(&s, m, X->rows, run);
    if (!st)
        st = fx_scorer_predict(out, unseen, &s, what, X, run);
    fxi_model_scorer_close(&s);
    return st;
}
