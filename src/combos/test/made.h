/* SPDX-License-Identifier: BSD-3-Clause
 * made.h - for the tests here: random rows, and all sets of columns one by one. */
#ifndef FXI_COMBOS_MADE_H
#define FXI_COMBOS_MADE_H
#include "base/test.h"
#include "combos/combos.h"

enum { MADE_ROWS = 60, MADE_COLS = 9, MADE_SETS = 1 << MADE_COLS };

typedef struct made {
    size_t rows, cols;
    double X[MADE_ROWS * MADE_COLS], y[MADE_ROWS], weight[MADE_ROWS];
    int32_t group[MADE_COLS];
    fx_matrix view;
    fxi_combos_problem p;
} made;

/* signs: 0: ones, 1: numbers in 0..1, 2: also negative ones. */
static inline void make(made *m, int signs, const fxi_loss *loss, int least, int order,
                        bool grouped)
{
    m->rows = 20 + test_below(MADE_ROWS - 20);
    m->cols = 2 + test_below(MADE_COLS - 1);
    double density = 0.2 + 0.6 * test_unit();
    for (size_t i = 0; i < m->rows; i++) {
        double *x = m->X + i * m->cols;
        for (size_t j = 0; j < m->cols; j++) {
            double v = signs == 0 ? 1 : signs == 1 ? test_unit() : 2 * test_unit() - 1;
            x[j] = test_unit() < density ? v : 0;
        }
        double f = 3 * x[0] * x[1] - x[m->cols - 1] + test_unit() - 0.7;
        m->y[i] = loss->regress ? f : f > 0 ? 1 : -1;
        m->weight[i] = (double)test_below(4);
    }
    for (size_t j = 0; j < m->cols; j++)
        m->group[j] = (int32_t)(j / 2);
    m->view = (fx_matrix){.rows = m->rows, .cols = m->cols, .stride = m->cols, .type = FX_F64,
                          .val = m->X};
    m->p = (fxi_combos_problem){.X = &m->view, .loss = loss, .y = m->y, .weight = m->weight,
                                .group = grouped ? m->group : NULL, .least = least, .order = order,
                                .intercept = true};
}

static inline int made_size(unsigned set)
{
    int n = 0;

    for (; set; set &= set - 1)
        n++;
    return n;
}

static inline bool made_allowed(const made *m, unsigned set)
{
    int n = made_size(set);

    if (n < m->p.least || n > m->p.order)
        return false;
    for (size_t j = 0; j < m->cols; j++)
        for (size_t k = 0; k < j && m->p.group; k++)
            if (set >> j & 1 && set >> k & 1 && m->group[j] == m->group[k])
                return false;
    return true;
}

static inline double made_product(const made *m, size_t i, unsigned set)
{
    double x = 1;

    for (size_t j = 0; j < m->cols; j++)
        x *= set >> j & 1 ? m->X[i * m->cols + j] : 1;
    return x;
}

/* A set of the search as bits of columns. */
static inline unsigned made_bits(const fxi_combos_columns *c, const fxi_combo *set)
{
    unsigned bits = 0;

    for (int32_t k = 0; k < set->n; k++)
        bits |= 1u << c->column[set->item[k]];
    return bits;
}
#endif
