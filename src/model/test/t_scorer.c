/* SPDX-License-Identifier: BSD-3-Clause
 * t_scorer.c - a scorer gives the bits of fx_model_predict: for rows alone, in parts, from several
 * threads at once; limits, cancellation, what it rejects.  (That it allocates nothing:
 * tests/oom/scorer.c.)
 * Covers: src/kernel/panel_ready.c */

#include "scoring.h"

#include <pthread.h>

enum { THREADS = 4, CALLS = 40 };

typedef struct calling {
    const fx_scorer *s;
    fx_prediction what;
    size_t width;
    const fx_matrix *X;
    const double *want;
    size_t thread;
} calling;

/* Parts of 1 to 7 rows, elsewhere for every thread, on one thread or two. */
static void *call(void *arg)
{
    const calling *c = arg;
    double out[7 * 8];

    CHECK(c->width <= 8);
    for (size_t k = 0; k < CALLS; k++) {
        size_t n = 1 + (k + c->thread) % 7, first = (k * 13 + c->thread * 29) % (c->X->rows - n);
        fx_matrix part = scoring_part(c->X, first, n);
        fx_run run = {RUN, .threads = (int)(1 + k % 2)};
        CHECK(fx_scorer_predict(out, NULL, c->s, c->what, &part, &run) == FX_OK);
        CHECK(!memcmp(out, c->want + first * c->width, n * c->width * sizeof *out));
    }
    return NULL;
}

static void same_bits_from_threads(const fx_scorer *s, const fx_model *m, fx_prediction what,
                                   const fx_matrix *X)
{
    size_t width = fx_model_width(m, what);
    double *want = calloc(X->rows * width + 1, sizeof *want), *out = calloc(X->rows * width + 1, 8);
    calling c[THREADS];
    pthread_t id[THREADS];
    uint64_t unseen = 1, again = 2;

    CHECK(want && out);
    CHECK(fx_model_predict(want, &unseen, m, what, X, NULL) == FX_OK);
    CHECK(fx_scorer_predict(out, &again, s, what, X, &(fx_run){RUN, .threads = 3}) == FX_OK);
    CHECK(unseen == again && !memcmp(out, want, X->rows * width * sizeof *out));
    for (size_t t = 0; t < THREADS; t++) {
        c[t] = (calling){s, what, width, X, want, t};
        CHECK(!pthread_create(&id[t], NULL, call, &c[t]));
    }
    for (size_t t = 0; t < THREADS; t++)
        pthread_join(id[t], NULL);
    for (size_t i = 0; i < X->rows; i++) {      /* a model that is asked once packs as it goes */
        fx_matrix row = scoring_part(X, i, 1);
        CHECK(fx_model_predict(out, NULL, m, what, &row, NULL) == FX_OK);
        CHECK(!memcmp(out, want + i * width, width * sizeof *out));
    }
    free(want);
    free(out);
}

/* The scorer keeps what it needs of its model.  Frees both. */
static void outlives(fx_scorer *s, fx_model *m, const fx_matrix *X)
{
    size_t n = X->rows * fx_model_width(m, FX_SCORE);
    double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);

    CHECK(a && b && fx_scorer_predict(a, NULL, s, FX_SCORE, X, NULL) == FX_OK);
    fx_model_free(m);
    CHECK(fx_scorer_predict(b, NULL, s, FX_SCORE, X, NULL) == FX_OK);
    CHECK(!memcmp(a, b, n * sizeof *a));
    fx_scorer_free(s);
    free(a);
    free(b);
}

static void every_kind(scoring_rows *r)
{
    for (size_t k = 0; k < SCORING_CASES; k++) {
        fx_model *m = scoring_model(&scoring_cases[k], r);
        fx_scorer *s = NULL;
        CHECK(fx_scorer_new(&s, m, NULL) == FX_OK);
        for (size_t f = 0; f < SCORING_FORMS; f++)
            for (fx_prediction what = FX_LABEL; what <= FX_PROBA; what++)
                if (fx_model_width(m, what))
                    same_bits_from_threads(s, m, what, &r->form[f]);
        outlives(s, m, &r->form[0]);
    }
}

/* Sparse vectors with many columns: slots through a table by column, and through a hash table; both
 * within the limit of memory, which leaves no panel. */
static void many_columns(void)
{
    enum { N = 200, EACH = 9 };
    static double val[N * EACH], label[N], want[N], out[N];
    static int64_t ptr[N + 1], col[N * EACH];

    for (size_t d = 2000; d <= 2000000; d *= 1000) {
        for (size_t e = 0; e < N * EACH; e++) {
            val[e] = 0.1 * (double)(1 + e % 7);
            col[e] = (int64_t)(e % EACH * (d / EACH) + test_below(e % 3 ? 5 : d / EACH));
            label[e / EACH] = (double)(e / EACH % 2);
            ptr[e / EACH + 1] = (int64_t)(e / EACH * EACH + EACH);
        }
        fx_matrix X = {.rows = N, .cols = d, .type = FX_F64, .wide = 1, .val = val, .ptr = ptr,
                       .col = col};
        fx_table t = {.rows = N, .cols = d, .blocks = 1, .block = &X, .label = label};
        const char *const kernels[] = {"rbf:gamma=0.3", "rbf:gamma=300", "poly:degree=2",
                                       "anova:order=2", "laplacian:gamma=0.2"};
        for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
            fx_plan plan = {PLAN, .model = "kernel-svm", .kernel = kernels[k]};
            fx_model *m = NULL;
            fx_scorer *s = NULL, *bare = NULL;
            fx_run small = {RUN, .threads = 1, .max_memory = 1 << 19};
            CHECK(fx_model_fit(&m, &plan, &t, NULL) >= 0);
            CHECK(fx_scorer_new(&s, m, NULL) == FX_OK && fx_scorer_new(&bare, m, &small) == FX_OK);
            for (size_t i = 0; i < N; i++) {
                fx_matrix row = scoring_part(&X, i, 1);
                CHECK(fx_model_predict(want + i, NULL, m, FX_SCORE, &row, NULL) == FX_OK);
                CHECK(fx_scorer_predict(out + i, NULL, s, FX_SCORE, &row, NULL) == FX_OK);
            }
            CHECK(!memcmp(out, want, sizeof out));
            CHECK(fx_scorer_predict(out, NULL, s, FX_SCORE, &X, NULL) == FX_OK);
            CHECK(!memcmp(out, want, sizeof out));
            CHECK(fx_scorer_predict(out, NULL, bare, FX_SCORE, &X, NULL) == FX_OK);
            CHECK(!memcmp(out, want, sizeof out));
            fx_scorer_free(s);
            fx_scorer_free(bare);
            fx_model_free(m);
        }
    }
}

static int stop(void *ctx, double done)
{
    (void)done;
    return --*(int *)ctx < 0;
}

static void limits(scoring_rows *r)
{
    const scoring_case mapped = MAPPED("rk", "anova:order=2", 2);
    fx_model *m = scoring_model(&mapped, r);
    fx_scorer *s = NULL, *none = NULL;
    double out[SCORING_ROWS];
    fx_matrix bad = r->form[0];

    CHECK(fx_scorer_new(&none, m, &(fx_run){RUN, .max_memory = 100}) == FX_ELIMIT && !none);
    CHECK(fx_scorer_new(&s, m, NULL) == FX_OK);
    CHECK(fx_scorer_predict(out, NULL, s, FX_SCORE, r->form, &(fx_run){RUN, .max_memory = 100})
          == FX_ELIMIT);
    for (int calls = 0; calls < 2; calls++)
        CHECK(fx_scorer_predict(out, NULL, s, FX_SCORE, r->form,
                                &(fx_run){RUN, .progress = stop, .ctx = &(int){calls}})
              == FX_ECANCELLED);
    CHECK(fx_scorer_predict(out, NULL, s, FX_SCORE, r->form,
                            &(fx_run){RUN, .progress = stop, .ctx = &(int){1000}})
          == FX_OK);
    CHECK(fx_scorer_predict(out, NULL, s, FX_PROBA, r->form, NULL) == FX_EUNSUPPORTED);
    CHECK(fx_scorer_predict(NULL, NULL, s, FX_SCORE, r->form, NULL) == FX_EINVAL);
    CHECK(fx_scorer_predict(out, NULL, NULL, FX_SCORE, r->form, NULL) == FX_EINVAL);
    CHECK(fx_scorer_predict(out, NULL, s, FX_SCORE, NULL, NULL) == FX_EINVAL);
    CHECK(fx_scorer_predict(out, NULL, s, (fx_prediction)7, r->form, NULL) == FX_EINVAL);
    bad.cols = 3;
    CHECK(fx_scorer_predict(out, NULL, s, FX_SCORE, &bad, NULL) == FX_ESHAPE);
    bad = r->form[0];
    bad.rows = 0;
    CHECK(fx_scorer_predict(NULL, NULL, s, FX_SCORE, &bad, NULL) == FX_OK);
    CHECK(fx_scorer_new(&none, NULL, NULL) == FX_EINVAL && !none);
    CHECK(fx_scorer_new(NULL, m, NULL) == FX_EINVAL);
    fx_scorer_free(NULL);
    fx_scorer_free(s);
    fx_model_free(m);
}

int main(void)
{
    static scoring_rows r;

    test_init();
    scoring_make(&r);
    every_kind(&r);
    many_columns();
    limits(&r);
    return 0;
}
