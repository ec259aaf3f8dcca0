/* SPDX-License-Identifier: BSD-3-Clause
 * scorer.c - a model made ready to score rows: its scaling, and what its kind prepares.
 *
 * Rows are taken in chunks, filled where numbers are missing, prepared (rows.c), and scored by the
 * model's kind, a chunk on a thread: memory does not grow with the rows, and a row's score depends
 * on the row alone.  A chunk's memory is scratch that a thread takes from a pool and that stays
 * with the scorer. */

#include "model/model.h"

#include <math.h>
#include <stdlib.h>

enum { SCORES = 1 << 22 };              /* of a chunk */
enum { BRIEF = 64 };                    /* rows, fewer than which nothing is packed before */

/* ---- Making ------------------------------------------------------------------------------ */

fx_status fxi_model_scorer_open(fx_scorer *s, const fx_model *m, size_t rows, const fx_run *run)
{
    *s = (fx_scorer){.m = m, .missing = fxi_model_missing(&m->c), .brief = rows < BRIEF,
                     .simd = fxi_simd_get(), .close = free};
    fx_status st = fxi_model_rows_scale(&s->scale, &m->c);

    if (!st && !(s->pool = fxi_scratch_pool_new()))
        st = FX_ENOMEM;
    return st ? st : m->kind->scorer(s, run);
}

void fxi_model_scorer_close(fx_scorer *s)
{
    fxi_scratch_pool_free(s->pool);
    fx_data_scale_free(s->scale);
    s->close(s->own);
}

fx_status fx_scorer_new(fx_scorer **out, const fx_model *m, const fx_run *run)
{
    if (!out || !m)
        return fxi_error(FX_EINVAL, "fx_scorer_new: %s is NULL", m ? "out" : "m");
    fx_status st = fxi_sized_run_check(run);
    if (st)
        return st;
    fx_scorer *s = fxi_alloc(1, sizeof *s);
    st = s ? fxi_model_scorer_open(s, m, SIZE_MAX, run) : FX_ENOMEM;
    if (st) {
        if (s)
            fxi_model_scorer_close(s);
        free(s);
        return st;
    }
    fxi_model_share(m);
    *out = s;
    return FX_OK;
}

void fx_scorer_free(fx_scorer *s)
{
    if (!s)
        return;
    fxi_model_scorer_close(s);
    fx_model_free((fx_model *)s->m);
    free(s);
}

/* ---- Predicting -------------------------------------------------------------------------- */

typedef struct prediction {
    double *out;
    fx_prediction what;
    size_t width;
    const fx_scorer *s;
    const fx_matrix *X;
    size_t chunk;
    atomic_uint_fast64_t unseen;
    const fx_run *run;
} prediction;

/* Intercepts are added; a score that is not finite is an error. */
static fx_status finish_scores(double *S, const prediction *a, size_t first, size_t n)
{
    const double *b = a->s->intercepts;
    size_t outputs = a->s->m->c.outputs;

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < outputs; k++)
            if (!isfinite(S[i * outputs + k] += b ? b[k] : 0))
                return fxi_error(FX_ENUMERIC, "the score of row %zu (from 0) is %g", first + i,
                                 S[i * outputs + k]);
    return FX_OK;
}

static void write_rows(const prediction *a, const double *S, double *work, size_t first, size_t n,
                       fxi_team *team)
{
    const fx_model_info *c = &a->s->m->c;

    for (size_t i = 0; i < n && !fxi_parallel_cancelled(team); i++) {
        const double *score = S + i * c->outputs;
        double *to = a->out + (first + i) * a->width;
        if (a->what == FX_PROBA)
            fxi_model_predict_proba(to, c, score, work, team);
        else
            *to = fxi_model_predict_label(c, score, work, team);
    }
}

/* What is predicted for rows that the model leaves out. */
static void erase_rows(const prediction *a, size_t first, size_t n)
{
    for (size_t i = first; i < first + n; i++)
        if (fxi_data_missing_in(&a->s->missing, fxi_data_row(a->X, i)))
            for (size_t k = 0; k < a->width; k++)
                a->out[i * a->width + k] = NAN;
}

static fx_status predict_rows(prediction *a, size_t first, size_t n, fxi_scratch *scratch,
                              fxi_team *team)
{
    const fx_scorer *s = a->s;
    const fx_model_info *c = &s->m->c;
    double *S = a->out + first * c->outputs, *work = NULL;
    uint64_t unseen = 0;
    fx_matrix X;
    fx_status st = fxi_model_rows_filled(&X, &unseen, c, &s->missing, s->scale, a->X, first, n,
                                         scratch, a->run, team);

    a->unseen += unseen;
    if (!st && a->what != FX_SCORE) {
        S = fxi_scratch_take(scratch, n * c->outputs, sizeof *S);
        work = S ? fxi_scratch_take(scratch, fxi_model_predict_workspace(c), sizeof *work) : NULL;
        st = work ? FX_OK : FX_ENOMEM;
    }
    if (!st && !fxi_parallel_cancelled(team))
        if ((st = s->score(S, s, &X, scratch, a->run, team)))
            fxi_error_row(first);
    if (!st && !fxi_parallel_cancelled(team))
        st = finish_scores(S, a, first, n);
    if (!st && work && !fxi_parallel_cancelled(team))
        write_rows(a, S, work, first, n, team);
    if (!st && s->missing.how == FXI_MISSING_DROP)
        erase_rows(a, first, n);
    return st;
}

static fx_status predict_chunk(void *ctx, size_t b, fxi_team *team)
{
    prediction *a = ctx;
    size_t first = b * a->chunk, left = a->X->rows - first, n = left < a->chunk ? left : a->chunk;
    fxi_scratch *scratch = fxi_scratch_enter(a->s->pool);
    fx_status st = scratch ? predict_rows(a, first, n, scratch, team) : FX_ENOMEM;

    fxi_scratch_leave(scratch);
    return st;
}

/* As many rows as the kind likes; but scores of a chunk take 8 SCORES bytes at most, unless 16
 * rows have more. */
static size_t chunk_rows(const fx_scorer *s, const fx_matrix *X, const fx_run *run)
{
    size_t each = X->rows ? fxi_data_stored(X) / X->rows : 0;
    size_t n = s->numbers / (each ? each : 1), limit = SCORES / s->m->c.outputs;

    if (X->rows <= FXI_LANES)
        return FXI_LANES;
    n = n < s->rows ? n : s->rows;
    if (s->work > 0) {
        fx_run how = fxi_parallel_run(run, (double)X->rows * s->work);
        size_t share = X->rows / (size_t)fxi_parallel_threads(&how, X->rows);
        n = n < share ? n : share;
    }
    n = (n < limit ? n : limit) / FXI_LANES * FXI_LANES;
    return n < FXI_LANES ? FXI_LANES : n;
}

static fx_status check(const fx_model *m, fx_prediction what, const fx_matrix *X, const fx_run *run)
{
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
    if (!X->ptr && X->cols != m->c.inputs)
        return fxi_error(FX_ESHAPE, "dense rows have %zu columns, the model %zu", X->cols,
                         m->c.inputs);
    return *m->c.missing ? fxi_data_check_missing(X, "X", run) : fxi_data_check(X, "X", run);
}

fx_status fx_scorer_predict(double *out, uint64_t *unseen, const fx_scorer *s, fx_prediction what,
                            const fx_matrix *X, const fx_run *run)
{
    if (!s || !X)
        return fxi_error(FX_EINVAL, s ? "no rows are given" : "no scorer is given");
    fx_status st = check(s->m, what, X, run);
    if (!st && !out && X->rows)
        st = fxi_error(FX_EINVAL, "no place is given for the results");
    if (st)
        return st;
    prediction a = {.out = out, .what = what, .width = fx_model_width(s->m, what), .s = s, .X = X,
                    .chunk = chunk_rows(s, X, run), .run = run};
    st = fxi_parallel((X->rows + a.chunk - 1) / a.chunk, predict_chunk, &a, run);
    if (!st && unseen)
        *unseen = a.unseen;
    return st;
}
