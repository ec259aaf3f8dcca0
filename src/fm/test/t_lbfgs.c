/* SPDX-License-Identifier: BSD-3-Clause
 * t_lbfgs.c - libLBFGS: every kind and loss ends where the gradient is 0 and never rises on the
 * way; unseen columns stay 0; the same bits for any threads; stops, memory, overflow. */

#include "fm/test/made.h"

static double last;
static size_t calls;

static fx_status falls(void *ctx, const fxi_fm_state *now)
{
    (void)ctx;
    CHECK(now->objective <= last && now->iterations == ++calls);
    last = now->objective;
    return FX_OK;
}

static fxi_fm_state fit(made *m, const fx_run *run)
{
    fxi_fm_state s = {.v = m->v};

    last = INFINITY;
    calls = 0;
    m->p.step = falls;
    CHECK(fxi_fm_lbfgs(&s, &m->p, run) == FX_OK);
    return s;
}

static void check_minimum(fxi_fm_kind kind, int order, int l, int form)
{
    made *m = made_model(kind, order, 3, made_loss[l], 60, form);
    const fxi_fm_block *b = &m->fm.block[0];
    double *G = fxi_alloc(m->fm.size, sizeof *G), objective, norm = 0, theta[FX_ORDER_MAX];

    CHECK(G);
    for (size_t s = 0; s < m->fm.rank && m->fm.how == FXI_FM_SIGNS; s++)
        CHECK(fabs(m->v[b->lambda + s]) == 1);
    m->p.tol = 1e-11;
    m->p.max_iter = 10000;
    fxi_fm_state s = fit(m, NULL);
    CHECK((s.converged || kind == FXI_FM_SIMPLEX) && s.iterations > 3 && s.v == m->v);
    CHECK(fxi_fm_gradient(&objective, G, &m->p, m->v, NULL) == FX_OK);
    CHECK_NEAR(s.objective, objective, 1e-14 * fabs(objective));
    if (kind == FXI_FM_SIMPLEX) {       /* there a projected step leads nowhere */
        size_t n = (size_t)order;
        for (size_t t = 0; t < n; t++)
            theta[t] = m->v[b->theta + t] - G[b->theta + t];
        fxi_fm_simplex_project(theta, n);
        for (size_t t = 0; t < n; t++) {
            CHECK_NEAR(theta[t], m->v[b->theta + t], 1e-3);
            G[b->theta + t] = 0;
        }
    }
    for (size_t i = 0; i < m->fm.size; i++) {
        norm += G[i] * G[i];
        CHECK(made_free(m, i) || G[i] == 0);
    }
    CHECK_NEAR(sqrt(norm), 0, 1e-4);
    free(G);
    made_end(m);
}

static void check_unseen(void)
{
    made *m = made_model(FXI_FM_HOFM, 3, 5, &fxi_loss_squared, 50, MADE_DENSE);
    unsigned char seen[MADE_COLS] = {1, 1, 1, 0, 1, 1, 1, 1, 1};

    for (size_t i = 0; i < 50; i++)
        m->dense[i * MADE_COLS + 3] = 0;
    fxi_fm_start(m->v, &m->fm, 0.3, 1, seen);
    fit(m, NULL);
    for (size_t g = 0; g < m->fm.blocks; g++)
        for (size_t s = 0; s < 5; s++)
            CHECK(m->v[fxi_fm_at(&m->fm, g, s, 3)] == 0 && m->v[m->fm.w + 3] == 0);
    made_end(m);
}

static void check_threads(fxi_fm_kind kind)
{
    made *m = made_model(kind, 3, 20, &fxi_loss_logistic, MADE_ROWS, MADE_FLOAT);
    double *start = fxi_alloc(m->fm.size, sizeof *start), *one = fxi_alloc(m->fm.size, sizeof *one);
    fx_run run = {RUN, .threads = 1}, many = {RUN, .threads = 5};

    CHECK(start && one);
    memcpy(start, m->v, m->fm.size * sizeof *start);
    m->p.max_iter = 6;
    fxi_fm_state s = fit(m, &run);
    CHECK(!s.converged && s.iterations == 6 && !test_helped());
    memcpy(one, m->v, m->fm.size * sizeof *start);
    memcpy(m->v, start, m->fm.size * sizeof *start);
    fit(m, &many);
    CHECK(test_helped());
    CHECK(!memcmp(one, m->v, m->fm.size * sizeof *start));
    free(start);
    free(one);
    made_end(m);
}

static int stop(void *ctx, double done)
{
    CHECK(done >= 0 && done <= 1);
    return ++*(int *)ctx > 20;
}

static fx_status stop_step(void *ctx, const fxi_fm_state *now)
{
    return now->iterations == 2 ? *(fx_status *)ctx : FX_OK;
}

static void check_stops(void)
{
    made *m = made_model(FXI_FM_SHARED, 3, 4, &fxi_loss_logistic, 60, MADE_SPARSE);
    int polls = 0;
    fx_run run = {RUN, .progress = stop, .ctx = &polls}, small = {RUN, .max_memory = 1000};
    fxi_fm_state s = {.v = m->v};
    fx_status how = FX_NOT_CONVERGED;
    double objective;

    m->p.tol = 0;
    m->p.max_iter = 100000;
    CHECK(fxi_fm_lbfgs(&s, &m->p, &run) == FX_ECANCELLED && !s.converged && s.iterations > 1);
    CHECK(fxi_fm_gradient(&objective, NULL, &m->p, m->v, NULL) == FX_OK);
    CHECK_NEAR(objective, s.objective, 1e-14 * fabs(objective));        /* the last good state */
    CHECK(fxi_fm_lbfgs(&s, &m->p, &small) == FX_ELIMIT);
    m->p.step = stop_step;
    m->p.ctx = &how;
    s.iterations = 0;
    CHECK(fxi_fm_lbfgs(&s, &m->p, NULL) == FX_OK && s.converged && s.iterations == 2);
    how = FX_EINVAL;
    s.iterations = 0;
    CHECK(fxi_fm_lbfgs(&s, &m->p, NULL) == FX_EINVAL && s.iterations == 2);
    m->p.step = NULL;
    CHECK(fxi_fm_lbfgs(&s, &m->p, NULL) == FX_OK); /* tol 0: ends where rounding does */
    m->p.max_iter = 0;
    CHECK(fxi_fm_lbfgs(&s, &m->p, NULL) == FX_OK && !s.converged);
    made_end(m);
}

/* The least that is asked for suffices, and gives the same model as plenty. */
static void check_memory(void)
{
    made *m = made_model(FXI_FM_HOFM, 2, 40, &fxi_loss_squared, 60, MADE_SPARSE);
    size_t bytes;

    CHECK(fxi_fm_lbfgs_bytes(&bytes, &m->fm, &m->X, 1));
    fx_run run = {RUN, .max_memory = bytes, .threads = 1}, less = {RUN, .max_memory = bytes - 1};
    m->p.max_iter = 1000;
    fxi_fm_state s = fit(m, &run);
    CHECK(s.converged);
    CHECK(fxi_fm_lbfgs(&s, &m->p, &less) == FX_ELIMIT);
    made_end(m);
}

/* Steps that overflow are halved; a start that does is refused. */
static void check_overflow(void)
{
    made *m = made_model(FXI_FM_POWER, 4, 3, &fxi_loss_squared, 40, MADE_DENSE);
    fxi_fm_state s = {.v = m->v};

    for (size_t i = 0; i < m->X.rows * m->X.cols; i++)
        ((double *)m->X.val)[i] *= 1e30;
    for (size_t j = 0; j < m->fm.cols; j++)
        for (size_t k = 0; k < 3; k++)
            m->v[fxi_fm_at(&m->fm, 0, k, j)] *= 1e-25;
    m->p.max_iter = 50;
    s = fit(m, NULL);
    CHECK(isfinite(s.objective));
    for (size_t i = 0; i < m->fm.size; i++)
        CHECK(isfinite(m->v[i]));
    m->v[m->fm.block[0].P] = 1e200;
    CHECK(fxi_fm_lbfgs(&s, &m->p, NULL) == FX_ENUMERIC);
    made_end(m);
}

int main(void)
{
    test_init();
    for (int k = 0; k < MADE_KINDS; k++)
        for (int l = 0; l < 3; l++)
            check_minimum((fxi_fm_kind)k, 2 + (k + l) % 3, l, (k + l) % MADE_FORMS);
    check_unseen();
    check_threads(FXI_FM_HOFM);
    check_threads(FXI_FM_SIMPLEX);
    check_stops();
    check_memory();
    check_overflow();
    return 0;
}
