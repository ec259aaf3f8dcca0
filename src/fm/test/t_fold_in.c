/* SPDX-License-Identifier: BSD-3-Clause
 * t_fold_in.c - new columns: where no row holds two, their numbers are those at which the objective
 * of the definition, W being another weight than that of the rows, has no slope, to 1e-8 by its
 * strong convexity; where rows hold several, visits lower it until one more does not; nothing else
 * changes; any threads give the same bits; without penalties; limits and stops.
 *
 * Covers: fold_in_column.c */

#include "fm/test/made.h"
#include "fm/test/slow.h"

static const double WEIGHT = 5000;      /* of the training */

/* Is number i of the vector one of a new column? */
static bool is_new(const fxi_fm *fm, size_t i, const unsigned char *fresh)
{
    if (fm->linear && i >= fm->w && i < fm->w + fm->given)
        return fresh[i - fm->w];
    for (size_t g = 0; g < fm->blocks; g++) {
        const fxi_fm_block *b = &fm->block[g];
        if (i >= b->P && i < b->lambda) {
            size_t at = (i - b->P) / FXI_LANES,
                   s = at / fm->cols * FXI_LANES + (i - b->P) % FXI_LANES;
            int64_t j = fxi_fm_given(fm, at % fm->cols);
            return s < fm->rank && j >= 0 && fresh[j];
        }
    }
    return false;
}

/* Sum of the rows' weights. */
static double weight_of(const made *m)
{
    double sum = 0;

    for (size_t i = 0; i < m->X.rows; i++)
        sum += m->c[i];
    return sum;
}

/* What rows and new columns add, from the definition; *off: what rounding may change in it. */
static double added(const made *m, const double *v, const unsigned char *fresh, double *off)
{
    double all = slow_objective(&m->p, v, 1e3, off), penalty = 0;
    double *only = fxi_zalloc(m->fm.size, sizeof *only);

    CHECK(only);
    for (size_t i = 0; i < m->fm.size; i++)
        only[i] = is_new(&m->fm, i, fresh) ? v[i] : 0;
    for (size_t g = 0; g < m->fm.blocks; g++)
        CHECK(only[m->fm.block[g].lambda] == 0);
    penalty = fxi_fm_penalty(&m->fm, only);
    free(only);
    return (all - fxi_fm_penalty(&m->fm, v)) * weight_of(m) / WEIGHT + penalty;
}

/* The largest slope by a number of a new column, over its penalty: no minimiser is farther. */
static double farthest(const made *m, const double *v, const unsigned char *fresh)
{
    double *G = fxi_alloc(m->fm.size, sizeof *G), objective, worst = 0;

    CHECK(G && fxi_fm_gradient(&objective, G, &m->p, v, NULL) == FX_OK);
    for (size_t i = 0; i < m->fm.size; i++) {
        if (!is_new(&m->fm, i, fresh))
            continue;
        double beta = i < m->fm.block[0].P ? m->fm.alpha : 0;
        for (size_t g = 0; g < m->fm.blocks; g++)
            if (i >= m->fm.block[g].P && i < m->fm.block[g].lambda)
                beta = m->fm.block[g].beta;
        double slope = (G[i] - beta * v[i]) * weight_of(m) / WEIGHT + beta * v[i];
        worst = fmax(worst, fabs(slope) / beta);
    }
    free(G);
    return worst;
}

static void check_others(const made *m, const double *was, const unsigned char *fresh)
{
    for (size_t i = 0; i < m->fm.size; i++)
        CHECK(is_new(&m->fm, i, fresh) || !memcmp(&m->v[i], &was[i], sizeof *was));
}

static double *copy_of(const made *m)
{
    double *was = fxi_alloc(m->fm.size, sizeof *was);

    CHECK(was);
    return memcpy(was, m->v, m->fm.size * sizeof *was);
}

typedef struct watch {
    const made *m;
    const unsigned char *fresh;
    double last;
    size_t n;
} watch;

static fx_status descend(void *ctx, const fxi_fm_state *now)
{
    watch *w = ctx;
    double off, value = added(w->m, now->v, w->fresh, &off);

    CHECK_NEAR(now->objective, value, off + 1e-13 * value);
    CHECK(now->objective <= w->last * (1 + 1e-13));
    w->last = now->objective;
    CHECK(now->iterations == ++w->n);
    return FX_OK;
}

/* new: how many columns are; rows hold about half of all. */
static void check_kind(fxi_fm_kind kind, int order, size_t rank, const fxi_loss *loss, int form,
                       size_t new)
{
    made *m = made_model(kind, order, rank, loss, 60, form);
    unsigned char fresh[MADE_COLS] = {0};
    double *was = copy_of(m), off;
    watch w = {.m = m, .fresh = fresh};
    fxi_fm_state s = {.v = m->v}, again = {.v = m->v};

    for (size_t k = 0; k < new; k++)
        fresh[2 + 3 * k] = 1;
    m->p.max_iter = 5000;
    m->p.tol = 1e-9;
    m->p.step = descend;
    m->p.ctx = &w;
    w.last = added(m, m->v, fresh, &off);
    double first = w.last;
    CHECK(fxi_fm_fold_in(&s, &m->p, fresh, WEIGHT, NULL) == FX_OK);
    CHECK(s.converged && s.iterations == w.n && s.objective < first);
    check_others(m, was, fresh);
    if (new == 1 && kind != FXI_FM_UV) {        /* that sees each column twice */
        CHECK(w.n == 1);
        CHECK(farthest(m, m->v, fresh) <= 1e-8);
    } else {
        m->p.step = NULL;
        CHECK(fxi_fm_fold_in(&again, &m->p, fresh, WEIGHT, NULL) == FX_OK);
        CHECK(again.iterations == 1 && again.objective <= s.objective * (1 + 1e-13));
    }
    free(was);
    made_end(m);
}

static void check_kinds(void)
{
    for (int k = 0; k < MADE_KINDS; k++)
        for (int l = 0; l < 3; l++)
            for (int order = 2; order <= 4; order++)
                for (size_t new = 1; new <= 3 && k != FXI_FM_POWER; new += 2)
                    check_kind((fxi_fm_kind)k, order, (size_t)(2 + order % 2), made_loss[l],
                               (k + l + order) % MADE_FORMS, new);
    check_kind(FXI_FM_HOFM, 5, 33, &fxi_loss_logistic, MADE_SPARSE, 1);
    check_kind(FXI_FM_SHARED, 9, 17, &fxi_loss_squared, MADE_FLOAT, 1);
    check_kind(FXI_FM_SUBSETS, 2, 16, &fxi_loss_squared_hinge, MADE_WIDE, 1);
}

/* Without penalties numbers that the rows do not determine stay, and the slope is 0. */
static void check_bare(const fxi_loss *loss)
{
    made *m = made_model(FXI_FM_HOFM, 3, 40, loss, 30, MADE_SPARSE);
    unsigned char fresh[MADE_COLS] = {0, 0, 0, 1};
    fxi_fm_state s = {.v = m->v};
    double *G = fxi_alloc(m->fm.size, sizeof *G), objective, *was = copy_of(m);

    m->fm.alpha = m->fm.beta_lambda = 0;
    for (size_t g = 0; g < m->fm.blocks; g++)
        m->fm.block[g].beta = m->fm.block[g].beta_front = 0;
    CHECK(fxi_fm_fold_in(&s, &m->p, fresh, weight_of(m), NULL) == FX_OK && s.converged);
    CHECK(G && fxi_fm_gradient(&objective, G, &m->p, m->v, NULL) == FX_OK);
    CHECK_NEAR(objective, s.objective, 1e-12 * (1 + objective));
    for (size_t i = 0; i < m->fm.size; i++)
        CHECK(!is_new(&m->fm, i, fresh) || fabs(G[i]) <= 1e-9);
    check_others(m, was, fresh);
    free(G);
    free(was);
    made_end(m);
}

/* Rows with one new column each, of many: independent problems on several threads. */
static void check_threads(void)
{
    enum { N = 400, NEW = 40, COLS = NEW + 5 };
    fxi_fm_shape shape = {.kind = FXI_FM_HOFM, .order = 3, .given = COLS, .rank = 18,
                          .linear = true, .intercept = true, .alpha = 0.01, .beta = {0.02, 0.03}};
    fxi_fm fm;
    double val[3 * N], y[N], c[N];
    int64_t ptr[N + 1];
    int32_t col[3 * N];
    unsigned char fresh[COLS] = {0};
    fx_matrix X = {.rows = N, .cols = COLS, .type = FX_F64, .ptr = ptr, .col = col, .val = val};
    double *v[2], *G;

    CHECK(fxi_fm_new(&fm, &shape) == FX_OK);
    CHECK((G = fxi_alloc(fm.size, sizeof *G)));
    for (size_t j = 5; j < COLS; j++)
        fresh[j] = 1;
    for (size_t i = 0; i < N; i++) {
        ptr[i] = (int64_t)(3 * i);
        col[3 * i] = (int32_t)test_below(2);
        col[3 * i + 1] = (int32_t)(2 + test_below(3));
        col[3 * i + 2] = (int32_t)(5 + test_below(NEW));
        for (int k = 0; k < 3; k++)
            val[3 * i + (size_t)k] = test_unit();
        y[i] = test_below(2) ? 1 : -1;
        c[i] = 1;
    }
    ptr[N] = 3 * N;
    fxi_fm_problem p = {.fm = &fm, .X = &X, .loss = &fxi_loss_logistic, .y = y, .c = c,
                        .max_iter = 10};
    for (int threads = 1; threads <= 2; threads++) {
        double **to = &v[threads - 1];
        CHECK((*to = fxi_alloc(fm.size, sizeof **to)));
        fxi_fm_start(*to, &fm, 0.5, 3, NULL);
        fxi_fm_state s = {.v = *to};
        CHECK(fxi_fm_fold_in(&s, &p, fresh, N, &(fx_run){RUN, .threads = threads}) == FX_OK);
        CHECK(s.iterations == 1 && s.converged);
    }
    CHECK(test_helped());
    CHECK(!memcmp(v[0], v[1], fm.size * sizeof *G));
    double objective;
    CHECK(fxi_fm_gradient(&objective, G, &p, v[0], NULL) == FX_OK);
    for (size_t i = 0; i < fm.size; i++)
        CHECK(!is_new(&fm, i, fresh) || fabs(G[i]) <= 1e-8 * 0.01);
    fx_run small = {RUN, .max_memory = 1000};
    fxi_fm_state s = {.v = v[0]};
    CHECK(fxi_fm_fold_in(&s, &p, fresh, N, &small) == FX_ELIMIT);
    free(v[0]);
    free(v[1]);
    free(G);
    fxi_fm_free(&fm);
}

static int stop_at_once(void *ctx, double done)
{
    (void)ctx, (void)done;
    return 1;
}

static void check_stops(void)
{
    made *m = made_model(FXI_FM_HOFM, 3, 3, &fxi_loss_logistic, 500, MADE_SPARSE);
    unsigned char fresh[MADE_COLS] = {0, 1, 0, 1};
    fxi_fm_state s = {.v = m->v};
    fx_run run = {RUN, .progress = stop_at_once};

    CHECK(fxi_fm_fold_in(&s, &m->p, fresh, WEIGHT, &run) == FX_ECANCELLED);
    m->p.tol = -1;
    m->p.max_iter = 3;
    CHECK(fxi_fm_fold_in(&s, &m->p, fresh, WEIGHT, NULL) == FX_OK);
    CHECK(s.iterations == 3 && !s.converged);
    made_end(m);
}

int main(void)
{
    test_init();
    check_kinds();
    check_bare(&fxi_loss_squared);
    check_bare(&fxi_loss_squared_hinge);
    check_threads();
    check_stops();
    return 0;
}
