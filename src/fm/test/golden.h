/* SPDX-License-Identifier: BSD-3-Clause
 * golden.h - the models of tests/golden/hofm.json: predictions, objectives and gradients of tiny
 * models, worked out by enumeration with many digits. */
#ifndef FXI_FM_TEST_GOLDEN_H
#define FXI_FM_TEST_GOLDEN_H
#include "base/test.h"
#include "fm/fm.h"

#include <jansson.h>
#include <string.h>

typedef struct golden {
    json_t *c;
    fxi_fm fm;
    double *v;
    size_t n;
    double y[64], weight[64], val[64 * 64];
    int64_t ptr[65];
    int32_t col[64 * 64];
    fx_matrix given, X;
    fx_data *own;
    fxi_fm_problem p;
} golden;

static inline double golden_number(json_t *v)       /* numbers with all their digits are texts */
{
    return json_is_string(v) ? strtod(json_string_value(v), NULL) : json_number_value(v);
}

static inline double golden_beta(const golden *g, const char *name)
{
    return golden_number(json_object_get(json_object_get(g->c, "beta"), name));
}

static inline size_t golden_row(golden *g, size_t at, json_t *row, size_t before)
{
    json_t *idx = json_object_get(row, "idx"), *val = json_object_get(row, "val");

    for (size_t q = 0; q < json_array_size(idx); q++, at++) {
        g->col[at] = (int32_t)(json_integer_value(json_array_get(idx, q)) + (json_int_t)before);
        g->val[at] = golden_number(json_array_get(val, q));
    }
    return at;
}

static inline size_t golden_dim(json_t *rows)
{
    return (size_t)json_integer_value(json_object_get(json_array_get(rows, 0), "dim"));
}

/* fn(ctx, value, where in the vector) for each number of `set`: params or grad of the case. */
static inline void golden_each(const golden *g, json_t *set, void (*fn)(void *, double, size_t),
                               void *ctx)
{
    const fxi_fm *fm = &g->fm;
    const char *name;
    json_t *a;

    json_object_foreach(set, name, a) {
        bool dims = *name == 'U' || *name == 'V';   /* dim x rank, others rank x dim */
        char end = name[strlen(name) - 1];          /* P2, lambda3 */
        size_t block = end >= '2' && end <= '9' ? (size_t)(end - '2') : 0;
        const fxi_fm_block *b = &fm->block[block];
        size_t before = *name == 'V' ? fm->given - json_array_size(a)
                      : fm->kind == FXI_FM_POWER ? 1 : 0;
        if (json_is_null(a))
            continue;
        if (*name == 'b')
            fn(ctx, golden_number(a), 0);
        for (size_t i = 0; i < json_array_size(a); i++) {
            json_t *one = json_array_get(a, i);
            if (*name == 'w')
                fn(ctx, golden_number(one), fm->w + i);
            else if (*name == 'g')
                fn(ctx, golden_number(one), fxi_fm_at(fm, 0, i, 0));
            else if (*name == 't')
                fn(ctx, golden_number(one), b->theta + i);
            else if (*name == 'l')
                fn(ctx, golden_number(one), b->lambda + i);
            for (size_t j = 0; j < json_array_size(one); j++)
                fn(ctx, golden_number(json_array_get(one, j)),
                   dims ? fxi_fm_at(fm, block, j, before + i)
                        : fxi_fm_at(fm, block, i, before + j));
        }
    }
}

static inline void golden_set(void *ctx, double value, size_t at) { ((double *)ctx)[at] = value; }

static inline fxi_fm_shape golden_shape(golden *g)
{
    static const char *const names[] = {"hofm", "hofm-shared", "hofm-simplex", "all-subsets",
                                        "polynet", "bilinear"};
    json_t *model = json_object_get(g->c, "model"), *params = json_object_get(g->c, "params");
    const char *name = json_string_value(json_object_get(model, "name"));
    json_t *degree = json_object_get(model, "degree"), *order = json_object_get(model, "order");
    fxi_fm_shape s = {.given = g->given.cols, .alpha = golden_beta(g, "w")};

    for (size_t k = 0; k < 6; k++)
        if (!strcmp(name, names[k]))
            s.kind = (fxi_fm_kind)k;
    s.order = (int)json_integer_value(degree ? degree : order);
    s.linear = json_is_array(json_object_get(params, "w"));
    s.intercept = json_is_number(json_object_get(params, "bias"));
    for (int t = 2; s.kind == FXI_FM_HOFM && t <= s.order; t++) {
        char P[8];
        snprintf(P, sizeof P, "P%d", t);
        s.beta[t - 2] = golden_beta(g, P);
        size_t rank = json_array_size(json_object_get(params, P));
        s.rank = rank > s.rank ? rank : s.rank; /* factors 0 fill up */
    }
    if (s.kind == FXI_FM_BILINEAR) {
        json_t *U = json_object_get(params, "U");
        s.split = json_array_size(U);
        s.rank = json_array_size(json_array_get(U, 0));
        s.beta[0] = golden_beta(g, "U");
    } else if (s.kind != FXI_FM_HOFM) {
        s.rank = json_array_size(json_object_get(params, "P"));
        s.beta[s.kind == FXI_FM_SHARED || s.kind == FXI_FM_SIMPLEX ? s.order - 2 : 0]
            = golden_beta(g, "P");
    }
    bool learned = json_object_get(params, "lambda") || json_object_get(params, "lambda2");
    s.how = learned ? FXI_FM_LEARNED : FXI_FM_ONES;
    return s;
}

/* The model, its rows and numbers of a case. */
static inline void golden_open(golden *g, json_t *c)
{
    json_t *A = json_object_get(c, "A"), *B = json_object_get(c, "B");
    json_t *X = A ? A : json_object_get(c, "X");
    const char *loss = json_string_value(json_object_get(c, "loss"));

    memset(g, 0, sizeof *g);
    g->c = c;
    g->n = json_array_size(X);
    for (size_t i = 0, at = 0; i < g->n; i++) {
        at = golden_row(g, at, json_array_get(X, i), 0);
        if (B)
            at = golden_row(g, at, json_array_get(B, i), golden_dim(A));
        g->ptr[i + 1] = (int64_t)at;
        g->y[i] = golden_number(json_array_get(json_object_get(c, "y"), i));
        g->weight[i] = 0.7;
    }
    g->given = (fx_matrix){.rows = g->n, .cols = golden_dim(X) + (B ? golden_dim(B) : 0),
                           .type = FX_F64, .val = g->val, .ptr = g->ptr, .col = g->col};
    fxi_fm_shape shape = golden_shape(g);
    CHECK(fxi_fm_new(&g->fm, &shape) == FX_OK);
    if (g->fm.kind == FXI_FM_POWER)
        g->fm.block[0].beta_front = golden_beta(g, "gamma");
    CHECK((g->v = fxi_alloc(g->fm.size, sizeof *g->v)));
    fxi_fm_start(g->v, &g->fm, 0, 1, NULL);
    golden_each(g, json_object_get(c, "params"), golden_set, g->v);
    CHECK(fxi_fm_rows(&g->X, &g->own, &g->fm, &g->given, NULL) == FX_OK);
    g->p = (fxi_fm_problem){.fm = &g->fm, .X = &g->X, .y = g->y, .c = g->weight,
                            .loss = !strcmp(loss, "squared")    ? &fxi_loss_squared
                                    : !strcmp(loss, "logistic") ? &fxi_loss_logistic
                                                                : &fxi_loss_squared_hinge};
}

static inline void golden_close(golden *g)
{
    fxi_fm_free(&g->fm);
    fx_data_free(g->own);
    free(g->v);
}

/* All cases, each opened. */
static inline void golden_run(void (*fn)(golden *))
{
    static golden g;
    json_t *root = json_load_file("tests/golden/hofm.json", 0, NULL), *c;
    size_t k;

    CHECK(root && json_array_size(json_object_get(root, "cases")) == 53);
    json_array_foreach(json_object_get(root, "cases"), k, c) {
        golden_open(&g, c);
        fn(&g);
        golden_close(&g);
    }
    json_decref(root);
}
#endif
