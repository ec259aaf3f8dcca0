/* SPDX-License-Identifier: BSD-3-Clause
 * scoring.h - models of every kind, map and form of kernel machine, and rows in every form, for the
 * tests of scorers: t_scorer.c, tests/oom/scorer.c. */
#ifndef FXI_MODEL_SCORING_H
#define FXI_MODEL_SCORING_H
#include "base/test.h"
#include "featcross.h"

#include <string.h>

enum { SCORING_ROWS = 90, SCORING_COLS = 24, SCORING_WIDE = 30, SCORING_FORMS = 8 };

typedef struct scoring_case {
    fx_plan plan;
    size_t classes;                     /* 0: labels are targets */
    int dense;                          /* rows of training */
} scoring_case;

#define MAPPED(map_, kernel_, classes_) \
    { \
        {PLAN, .model = "svm-l2:max-iter=20", \
         .map = map_, \
         .kernel = kernel_, \
         .features = 70, \
         .seed = 2}, \
            classes_, 0 \
    }
#define MACHINE(model_, kernel_, classes_, dense_) \
    { \
        {PLAN, .model = model_, .kernel = kernel_, .seed = 2}, classes_, dense_ \
    }
static const scoring_case scoring_cases[] = {
    {{PLAN, .model = "svm"}, 2, 0},
    {{PLAN, .model = "logistic", .scale = "maxabs"}, 3, 0},
    {{PLAN, .model = "svm-l2:calibrate=yes", .scale = "unit-l2"}, 4, 1},
    {{PLAN, .model = "svm:calibrate=yes", .scale = "std"}, 2, 0},
    {{PLAN, .model = "ridge", .scale = "none"}, 0, 1},
    {{PLAN, .model = "perceptron"}, 3, 0},
    {{PLAN, .model = "pca:k=3"}, 2, 0},
    MAPPED("rk:projection=hadamard", "anova:order=2", 2),
    MAPPED("rk", "all-subsets", 3),
    MAPPED("rk:projection=circulant", "anova:order=3", 2),
    MAPPED("rm", "poly:degree=3,coef0=1", 2),
    MAPPED("ts", "poly:degree=2", 2),
    MAPPED("rff", "rbf:gamma=0.5", 3),
    MAPPED("jl", "linear", 2),
    MAPPED("sparse-jl", "linear", 2),
    MAPPED("explicit", "anova:order=2", 3),
    {{PLAN, .model = "logistic", .map = "rk", .kernel = "anova:order=2", .features = 40,
      .scale = "maxabs"}, 2, 1},
    MACHINE("kernel-svm", "rbf:gamma=0.5", 2, 0),
    MACHINE("kernel-svm", "rbf:gamma=0.5", 2, 1),
    MACHINE("kernel-svm", "rbf:gamma=500", 2, 0),
    MACHINE("kernel-svm:calibrate=yes", "poly:degree=2,coef0=1", 3, 0),
    MACHINE("kernel-svm:collapse=no", "anova:order=2", 2, 1),
    MACHINE("kernel-ridge:collapse=no", "all-subsets", 0, 0),
    MACHINE("kernel-svr", "laplacian:gamma=0.1", 0, 0),
    MACHINE("kernel-svr", "cauchy:gamma=0.1", 0, 1),
    MACHINE("kernel-pca:k=3", "exp:gamma=0.1", 2, 0),
    MACHINE("kernel-perceptron", "anova-upto:order=3", 3, 0),
    {{PLAN, .model = "kernel-svm:collapse=no", .kernel = "itemset", .family = "1 2\n3 5\n"},
     2,
     0},
    {{PLAN, .model = "fm:rank=5,max-iter=5"}, 2, 0},
    {{PLAN, .model = "fm:rank=20,max-iter=5", .scale = "maxabs"}, 3, 0},
    {{PLAN, .model = "fm:rank=3,max-iter=5", .kernel = "groups", .family = "a: 1 2\nb: 4\n"},
     2,
     0},
    {{PLAN, .model = "hofm:order=3,rank=3,max-iter=3"}, 2, 1},
    {{PLAN, .model = "hofm-shared:order=3,rank=3,max-iter=3"}, 2, 0},
    {{PLAN, .model = "hofm-simplex:order=3,rank=3,max-iter=3"}, 2, 0},
    {{PLAN, .model = "all-subsets:rank=3,max-iter=3"}, 2, 0},
    {{PLAN, .model = "poly-net:degree=3,rank=3,max-iter=3"}, 2, 1},
    {{PLAN, .model = "poly-net-uv:rank=3,max-iter=3,task=regress"}, 0, 0},
    {{PLAN, .model = "bilinear:rank=3,max-iter=3,split=10"}, 2, 0}};
enum { SCORING_CASES = sizeof scoring_cases / sizeof *scoring_cases };

/* The same rows as dense and sparse ones, of doubles and floats, with short and long columns, with
 * columns beyond the model's, and the same with entries in columns that training never saw. */
typedef struct scoring_rows {
    double val[SCORING_ROWS * SCORING_WIDE], dense[SCORING_ROWS * SCORING_COLS];
    float val32[SCORING_ROWS * SCORING_WIDE], dense32[SCORING_ROWS * SCORING_COLS];
    int64_t ptr[SCORING_ROWS + 1], wide[SCORING_ROWS * SCORING_WIDE];
    int32_t col[SCORING_ROWS * SCORING_WIDE];
    int64_t new_ptr[SCORING_ROWS + 1];
    int32_t new_col[SCORING_ROWS * SCORING_WIDE];
    double new_val[SCORING_ROWS * SCORING_WIDE], label[SCORING_ROWS];
    fx_matrix form[SCORING_FORMS];
} scoring_rows;

/* Some rows are empty; column 3 and those from SCORING_COLS on are new. */
static inline void scoring_make(scoring_rows *r)
{
    size_t at = 0, added = 0;

    memset(r, 0, sizeof *r);
    for (size_t i = 0; i < SCORING_ROWS; i++) {
        for (size_t j = 0; j < SCORING_WIDE; j++) {
            double v = (double)(float)(test_unit() - 0.3);
            int known = j != 3 && j < SCORING_COLS, taken = i % 11 != 5 && test_below(3) == 0;
            if (taken && (known || i % 2)) {
                r->new_col[added] = (int32_t)j;
                r->new_val[added++] = v;
            }
            if (!taken || !known)
                continue;
            r->dense[i * SCORING_COLS + j] = r->val[at] = v;
            r->dense32[i * SCORING_COLS + j] = r->val32[at] = (float)v;
            r->wide[at] = r->col[at] = (int32_t)j;
            at++;
        }
        r->ptr[i + 1] = (int64_t)at;
        r->new_ptr[i + 1] = (int64_t)added;
    }
    const fx_matrix sparse = {.rows = SCORING_ROWS, .cols = SCORING_COLS, .type = FX_F64,
                              .val = r->val, .ptr = r->ptr, .col = r->col};
    const fx_matrix dense = {.rows = SCORING_ROWS, .cols = SCORING_COLS, .stride = SCORING_COLS,
                             .type = FX_F64, .val = r->dense};
    for (size_t f = 0; f < SCORING_FORMS; f++)
        r->form[f] = f < 2 ? dense : sparse;
    r->form[1].type = r->form[4].type = r->form[5].type = FX_F32;
    r->form[1].val = r->dense32;
    r->form[4].val = r->form[5].val = r->val32;
    r->form[3].wide = r->form[5].wide = 1;
    r->form[3].col = r->form[5].col = r->wide;
    r->form[6].cols = SCORING_WIDE;
    r->form[7] = (fx_matrix){.rows = SCORING_ROWS,
                             .cols = SCORING_WIDE,
                             .type = FX_F64,
                             .val = r->new_val,
                             .ptr = r->new_ptr,
                             .col = r->new_col};
}

static inline fx_matrix scoring_part(const fx_matrix *X, size_t first, size_t n)
{
    fx_matrix part = *X;

    part.rows = n;
    if (X->ptr)
        part.ptr += first;
    else
        part.val = (const char *)X->val + first * X->stride * (X->type == FX_F32 ? 4 : 8);
    return part;
}

static inline fx_model *scoring_model(const scoring_case *c, scoring_rows *r)
{
    fx_table t = {.rows = SCORING_ROWS, .cols = SCORING_COLS, .blocks = 1,
                  .block = &r->form[c->dense ? 0 : 2], .label = r->label};
    fx_model *m = NULL;

    for (size_t i = 0; i < SCORING_ROWS; i++)
        r->label[i] = c->classes ? (double)(i % c->classes) : r->dense[i * SCORING_COLS];
    if (fx_model_fit(&m, &c->plan, &t, NULL) < 0)
        fprintf(stderr, "%s: %s\n", c->plan.model, fx_error_detail());
    CHECK(m);
    return m;
}
#endif
