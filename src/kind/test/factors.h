/* SPDX-License-Identifier: BSD-3-Clause
 * factors.h - for tests of factorization machines: rows, and a model written and read. */
#ifndef FXI_FACTORS_H
#define FXI_FACTORS_H
#include "kind/kind.h"
#include "model/test/built.h"
#include "model/test/fixture.h"

enum { ROWS = 60, COLS = 7 };

/* Sparse rows with a target that products of columns make. */
typedef struct rows {
    double val[ROWS * COLS], y[ROWS], label[ROWS], weight[ROWS];
    int64_t ptr[ROWS + 1], qid[ROWS];
    int32_t col[ROWS * COLS];
    fx_matrix X;
    fx_table t;
} rows;

static inline void make_rows(rows *r)
{
    size_t at = 0;

    r->ptr[0] = 0;
    for (size_t i = 0; i < ROWS; i++) {
        double x[COLS] = {0};
        for (size_t j = 0; j < COLS; j++)
            if (j != 5 && test_below(3) > 0) {  /* column 5 is never seen */
                x[j] = 2 * test_unit() - 1;
                r->val[at] = x[j];
                r->col[at++] = (int32_t)j;
            }
        r->ptr[i + 1] = (int64_t)at;
        r->y[i] = 3 * x[0] * x[1] - 2 * x[2] * x[3] + x[4] + 0.5;
        r->weight[i] = 1 + (double)(i % 3);
        r->qid[i] = (int64_t)(i / 6);
    }
    r->X = (fx_matrix){
        .rows = ROWS, .cols = COLS, .type = FX_F64, .val = r->val, .ptr = r->ptr, .col = r->col};
    r->t = (fx_table){.rows = ROWS, .cols = COLS, .blocks = 1, .block = &r->X, .label = r->label};
}

/* Targets, or k classes by their size. */
static inline fx_table *labelled(rows *r, int classes)
{
    for (size_t i = 0; i < ROWS; i++)
        r->label[i] = classes == 0   ? r->y[i]
                      : classes == 2 ? (r->y[i] > 0.3 ? 1 : -1)
                                     : floor(fmin(fmax(r->y[i] + 1, 0), 2.9));
    return &r->t;
}

static inline fx_model *read_back(const fx_model *m)
{
    file f = dumped(m);
    fx_model *again = NULL;
    fx_status s = fx_model_parse(&again, f.bytes, f.len, NULL);

    if (s)
        fprintf(stderr, "%s\n", fx_error_detail());
    CHECK(s == FX_OK);
    file g = dumped(again);
    CHECK(g.len == f.len && !memcmp(g.bytes, f.bytes, f.len));
    free(f.bytes);
    free(g.bytes);
    return again;
}

static inline int same_factors(const fx_model *a, const fx_model *b)
{
    int same = same_model(a, b) && a->c.orders == b->c.orders;

    for (size_t g = 0; g < a->c.orders && same; g++) {
        const fx_factors *x = &a->c.factors[g], *y = &b->c.factors[g];
        same = x->cols == y->cols && same_bits(x->P, y->P, a->c.outputs * x->cols * x->rank)
               && same_bits(x->lambda, y->lambda, a->c.outputs * x->rank);
    }
    return same;
}

/* Written, read, the same answers; each output is the definition's, where that is short. */
static inline void check_model(const fx_model *m, const rows *r)
{
    const fx_model_info *c = fx_model_inspect(m);
    fx_model *again = read_back(m);
    double *f = scores(m, &r->t), *g = scores(again, &r->t);

    CHECK(same_bits(f, g, ROWS * c->outputs) && same_factors(m, again));
    CHECK(c->orders >= 1 && isnan(c->gap) && c->iterations >= 1 && c->features == COLS);
    for (size_t b = 0; b < c->orders; b++)       /* the column that was never seen */
        for (size_t k = 0; k < c->outputs; k++) {
            size_t front = ((const fxi_factors *)m->own)->fm->front;
            for (size_t s = 0; s < c->factors[b].rank; s++)
                CHECK(c->factors[b].P[(k * c->factors[b].cols + front + 5) * c->factors[b].rank + s]
                      == 0);
        }
    for (size_t i = 0;
         i < ROWS && c->factors[0].order == 2 && c->orders == 1 && c->factors[0].cols == COLS;
         i++) {
        double expected = c->intercepts[0], x[COLS] = {0};
        for (int64_t q = r->ptr[i]; q < r->ptr[i + 1]; q++)
            x[r->col[q]] = r->val[q];
        if (strstr(c->spec, "bilinear"))
            break;
        for (size_t j = 0; j < COLS; j++) {
            expected += c->weights[j * c->outputs] * x[j];
            for (size_t h = j + 1; h < COLS; h++)
                for (size_t s = 0; s < c->factors[0].rank; s++)
                    expected += c->factors[0].lambda[s]
                                * c->factors[0].P[j * c->factors[0].rank + s]
                                * c->factors[0].P[h * c->factors[0].rank + s] * x[j] * x[h];
        }
        CHECK_NEAR(f[i * c->outputs], expected, 1e-12 * (1 + fabs(expected)));
    }
    free(f);
    free(g);
    fx_model_free(again);
}
#endif
