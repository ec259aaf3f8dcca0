/* SPDX-License-Identifier: BSD-3-Clause
 * made.h - small random models of every kind with rows, for tests of what fits them. */
#ifndef FXI_FM_TEST_MADE_H
#define FXI_FM_TEST_MADE_H
#include "base/test.h"
#include "fm/fm.h"

#include <string.h>

enum {
    MADE_ROWS = 700,
    MADE_COLS = 9,
    MADE_GROUPS = 4,
    MADE_KINDS = 7,
    MADE_DENSE = 0,
    MADE_SPARSE,
    MADE_FLOAT,
    MADE_WIDE,
    MADE_FORMS /* float, wide: sparse too */
};

static const fxi_loss *const made_loss[] = {&fxi_loss_squared, &fxi_loss_logistic,
                                            &fxi_loss_squared_hinge};

typedef struct made {
    fxi_fm fm;
    double *v;
    double *y, *c, *dense;              /* [rows], [rows][MADE_COLS] */
    int64_t *ptr, *wide;
    int32_t *col;
    void *val;
    fx_matrix given, X;                 /* as given, as the blocks see them */
    fx_data *own;
    fxi_fm_problem p;
} made;

/* Does number i of the vector change? */
static inline bool made_free(const made *m, size_t i)
{
    const fxi_fm *fm = &m->fm;

    if (i == 0)
        return fm->intercept;
    if (fm->linear && i >= fm->w && i < fm->w + fm->given)
        return true;
    for (size_t g = 0; g < fm->blocks; g++) {
        const fxi_fm_block *b = &fm->block[g];
        if (i >= b->P && i < b->lambda) {
            size_t j = (i - b->P) / FXI_LANES;
            return j / fm->cols * FXI_LANES + (i - b->P) % FXI_LANES < fm->rank;
        }
        if (i >= b->lambda && i < b->theta)
            return fm->how == FXI_FM_LEARNED && i - b->lambda < fm->rank;
        if (fm->kind == FXI_FM_SIMPLEX && i >= b->theta && i < b->theta + (size_t)b->order)
            return true;
    }
    return false;
}

/* Sparse rows, about half of them zeros, in one of the forms. */
static inline void made_rows(made *m, size_t n, int form)
{
    size_t stored = 0;

    CHECK((m->dense = fxi_alloc(n * MADE_COLS, sizeof(double))));
    CHECK((m->ptr = fxi_zalloc(n + 1, sizeof *m->ptr)));
    CHECK((m->col = fxi_alloc(n * MADE_COLS, sizeof *m->col)));
    CHECK((m->wide = fxi_alloc(n * MADE_COLS, sizeof *m->wide)));
    CHECK((m->val = fxi_alloc(n * MADE_COLS, sizeof(double))));
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < MADE_COLS; j++) {
            double x = test_below(2) ? (double)(float)(2 * test_unit() - 0.8) : 0;
            m->dense[i * MADE_COLS + j] = x;
            if (x == 0)
                continue;
            m->col[stored] = (int32_t)j;
            m->wide[stored] = (int64_t)j;
            if (form == MADE_FLOAT)
                ((float *)m->val)[stored++] = (float)x;
            else
                ((double *)m->val)[stored++] = x;
        }
        m->ptr[i + 1] = (int64_t)stored;
    }
    m->given = (fx_matrix){
        .rows = n, .cols = MADE_COLS, .stride = MADE_COLS, .type = FX_F64, .val = m->dense};
    if (form != MADE_DENSE)
        m->given = (fx_matrix){.rows = n,
                               .cols = MADE_COLS,
                               .ptr = m->ptr,
                               .val = m->val,
                               .type = form == MADE_FLOAT ? FX_F32 : FX_F64,
                               .wide = form == MADE_WIDE,
                               .col = form == MADE_WIDE ? (void *)m->wide : m->col};
}

typedef struct made_call {
    double *out, *g;
    fxi_fm_workspace *workspace;
    const double *v;
    size_t block, panel;
} made_call;

static inline fx_status made_inside(void *ctx, size_t block, fxi_team *team)
{
    const made_call *c = ctx;

    (void)block;
    fxi_fm_row_gradient(c->out, c->g, c->workspace, c->v, c->block, c->panel, team);
    return FX_OK;
}

/* fxi_fm_row_gradient with a team. */
static inline void made_gradient(double *out, double *g, fxi_fm_workspace *workspace,
                                 const double *v, size_t block, size_t panel)
{
    made_call c = {out, g, workspace, v, block, panel};

    CHECK(fxi_parallel_ordered(1, made_inside, &c, NULL) == FX_OK);
}

static inline void made_end(made *m)
{
    fxi_fm_free(&m->fm);
    fx_data_free(m->own);
    free(m->v);
    free(m->y);
    free(m->c);
    free(m->dense);
    free(m->ptr);
    free(m->wide);
    free(m->col);
    free(m->val);
    free(m);
}

/* lambda is learned where the order is odd, hofm has groups where the rank is even. */
static inline made *made_model(fxi_fm_kind kind, int order, size_t rank, const fxi_loss *loss,
                               size_t n, int form)
{
    static const int32_t group[MADE_COLS] = {0, 0, 1, 1, 2, -1, 3, 3, 2};
    fxi_fm_shape shape = {.kind = kind, .order = order, .given = MADE_COLS, .rank = rank,
                          .split = 4, .linear = kind != FXI_FM_UV, .intercept = order != 4,
                          .how = order % 2 ? FXI_FM_LEARNED : FXI_FM_SIGNS, .alpha = 0.03,
                          .beta_lambda = 0.02};
    made *m = fxi_zalloc(1, sizeof *m);

    CHECK(m);
    for (int t = 0; t < FX_ORDER_MAX; t++)
        shape.beta[t] = 0.01 * (t + 1);
    if (kind == FXI_FM_HOFM && rank % 2 == 0) {
        shape.group = group;
        shape.groups = MADE_GROUPS;
    }
    CHECK(fxi_fm_new(&m->fm, &shape) == FX_OK);
    if (kind == FXI_FM_POWER)
        m->fm.block[0].beta_front = 0.5;
    CHECK((m->v = fxi_alloc(m->fm.size, sizeof *m->v)));
    fxi_fm_start(m->v, &m->fm, 0.3, test_u64(), NULL);
    for (size_t i = 0; i < m->fm.w + (m->fm.linear ? m->fm.given : 0); i++)
        m->v[i] = made_free(m, i) ? test_unit() - 0.5 : 0;
    for (size_t s = 0; m->fm.how == FXI_FM_LEARNED && s < rank; s++)
        for (size_t g = 0; g < m->fm.blocks; g++)
            m->v[m->fm.block[g].lambda + s] = 0.2 + test_unit();
    made_rows(m, n, form);
    CHECK((m->y = fxi_alloc(n, sizeof *m->y)) && (m->c = fxi_alloc(n, sizeof *m->c)));
    for (size_t i = 0; i < n; i++) {
        m->y[i] = loss->regress ? 2 * test_unit() - 1 : test_below(2) ? 1 : -1;
        m->c[i] = (double)test_below(3) / 2;
    }
    m->c[0] = 1;
    CHECK(fxi_fm_rows(&m->X, &m->own, &m->fm, &m->given, NULL) == FX_OK);
    m->p = (fxi_fm_problem){
        .fm = &m->fm, .X = &m->X, .loss = loss, .y = m->y, .c = m->c, .tol = 1e-6, .max_iter = 100};
    return m;
}
#endif
