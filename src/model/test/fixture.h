/* SPDX-License-Identifier: BSD-3-Clause
 * fixture.h - small labelled tables for the tests of models. */
#ifndef FXI_MODEL_FIXTURE_H
#define FXI_MODEL_FIXTURE_H
#include "base/test.h"
#include "featcross.h"

#include <string.h>

static inline fx_data *made(const char *spec)
{
    fx_data *d;

    CHECK(fx_data_make(&d, spec, 3, NULL) == FX_OK);
    return d;
}

/* Text in svmlight form. */
static inline fx_data *parsed(const char *text)
{
    fx_data *d;

    CHECK(fx_data_parse(&d, "svmlight", "text", text, strlen(text), NULL) == FX_OK);
    return d;
}

static inline fx_model *fitted(const fx_plan *plan, const fx_table *t, const fx_run *run)
{
    fx_model *m = NULL;
    fx_status s = fx_model_fit(&m, plan, t, run);

    if (s < 0)
        fprintf(stderr, "%s: %s\n", plan->model, fx_error_detail());
    CHECK(s >= 0);
    return m;
}

/* What model and rows give, to be freed. */
static inline double *predicted(const fx_model *m, fx_prediction what, const fx_matrix *X,
                                const fx_run *run)
{
    double *out = malloc((X->rows * fx_model_width(m, what) + 1) * sizeof *out);

    CHECK(out && fx_model_predict(out, NULL, m, what, X, run) == FX_OK);
    return out;
}

static inline double *scores(const fx_model *m, const fx_table *t)
{
    return predicted(m, FX_SCORE, t->block, NULL);
}

static inline int same_bits(const double *a, const double *b, size_t n)
{
    return !memcmp(a, b, n * sizeof *a);
}

static inline int same_model(const fx_model *a, const fx_model *b)
{
    const fx_model_info *x = fx_model_inspect(a), *y = fx_model_inspect(b);

    return x->features == y->features && x->outputs == y->outputs
           && same_bits(x->weights, y->weights, x->features * x->outputs)
           && same_bits(x->intercepts, y->intercepts, x->outputs);
}
#endif
