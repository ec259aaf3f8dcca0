/* SPDX-License-Identifier: BSD-3-Clause
 * scorer.c - a scorer that has seen rows like those that come allocates nothing: every allocation
 * fails from then on, for all kinds of models and forms of rows, one row or several, and for
 * another thread that comes when the first is outside. */

#include "model/test/scoring.h"
#include "wrap.h"

#include <pthread.h>

enum { PART = 9 };                      /* rows */

typedef struct calling {
    const fx_scorer *s;
    const fx_model *m;
    const scoring_rows *r;
} calling;

static void *call_all(void *arg)
{
    const calling *c = arg;
    const fx_run one = {RUN, .threads = 1};
    double out[PART * 8];

    for (size_t f = 0; f < SCORING_FORMS; f++)
        for (size_t n = PART; n; n = n == PART ? 1 : 0)
            for (size_t i = 0; i + n <= SCORING_ROWS; i += n)
                for (fx_prediction what = FX_LABEL; what <= FX_PROBA; what++) {
                    fx_matrix part = scoring_part(&c->r->form[f], i, n);
                    if (!fx_model_width(c->m, what))
                        continue;
                    fx_status s = fx_scorer_predict(out, NULL, c->s, what, &part,
                                                    i % 2 ? &one : NULL);
                    if (s)
                        fprintf(stderr, "%s, form %zu: %s\n", fx_model_inspect(c->m)->spec, f,
                                fx_error_detail());
                    CHECK(s == FX_OK);
                }
    return NULL;
}

int main(void)
{
    static scoring_rows r;
    static pthread_t id;

    test_init();
    scoring_make(&r);
    for (size_t k = 0; k < SCORING_CASES; k++) {
        fx_model *m = scoring_model(&scoring_cases[k], &r);
        fx_scorer *s = NULL;
        CHECK(fx_scorer_new(&s, m, NULL) == FX_OK);
        calling c = {s, m, &r};
        call_all(&c);
        wrap_fail(WRAP_ALL_FROM, 1);
        call_all(&c);
        CHECK(!pthread_create(&id, NULL, call_all, &c));
        pthread_join(id, NULL);
        CHECK(!wrap_failed());
        wrap_fail(WRAP_NOTHING, 0);
        fx_scorer_free(s);
        fx_model_free(m);
    }
    CHECK(wrap_live() == 0);
    printf("%d models allocate nothing for a row that is like others\n", (int)SCORING_CASES);
    return 0;
}
