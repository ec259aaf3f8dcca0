/* SPDX-License-Identifier: BSD-3-Clause
 * made.h - for the tests here: rows of ones with planted products, and calls that need a team. */
#ifndef FXI_DISCOVER_MADE_H
#define FXI_DISCOVER_MADE_H
#include "base/test.h"
#include "discover/discover.h"

#include <string.h>

typedef struct made {
    size_t rows, cols;
    double *x, *y, *weight;
    size_t *row;                        /* 0, 1, .. */
    fx_matrix X;
    fx_table table;
} made;

static inline void *made_zeros(size_t n, size_t size)
{
    void *p = calloc(n + 1, size);

    CHECK(p);
    return p;
}

/* Ones of this density, at x; labels are 0. */
static inline void make(made *m, size_t rows, size_t cols, double density)
{
    *m = (made){.rows = rows, .cols = cols, .x = made_zeros(rows * cols, sizeof *m->x),
                .y = made_zeros(rows, sizeof *m->y),
                .weight = made_zeros(rows, sizeof *m->weight),
                .row = made_zeros(rows, sizeof *m->row)};
    for (size_t k = 0; k < rows * cols; k++)
        m->x[k] = test_unit() < density;
    for (size_t i = 0; i < rows; i++) {
        m->row[i] = i;
        m->weight[i] = 1;
    }
    m->X = (fx_matrix){.rows = rows, .cols = cols, .stride = cols, .type = FX_F64, .val = m->x};
}

static inline const fx_table *made_table(made *m)
{
    m->table = (fx_table){.rows = m->rows, .cols = m->cols, .blocks = 1, .block = &m->X,
                          .label = m->y};
    return &m->table;
}

static inline void made_free(made *m)
{
    free(m->x);
    free(m->y);
    free(m->weight);
    free(m->row);
}

static inline double made_product(const made *m, size_t i, const fxi_discover_set *s)
{
    double x = 1;

    for (int32_t k = 0; k < s->n; k++)
        x *= m->x[i * m->cols + (size_t)s->column[k]];
    return x;
}

/* Labels +1 and -1 by the logistic model. */
static inline void made_classes(made *m, const fxi_discover_set *s, const double *w, size_t n,
                                double b)
{
    for (size_t i = 0; i < m->rows; i++) {
        double f = b;
        for (size_t k = 0; k < n; k++)
            f += w[k] * made_product(m, i, &s[k]);
        m->y[i] = test_unit() < 1 / (1 + exp(-f)) ? 1 : -1;
    }
}

/* fn(ctx, 0, team), which must succeed. */
static inline void with_team(fxi_block *fn, void *ctx)
{
    CHECK(fxi_parallel_ordered(1, fn, ctx, NULL) == FX_OK);
}
#endif
