/* SPDX-License-Identifier: BSD-3-Clause
 * t_cd.c - coordinate descent: golden steps; a sweep by lanes beside a twin that moves one number
 * at a time, from definitions; the objective, computed by gradient.c, never rises, for every kind,
 * loss and form of rows; weights are copies of rows; a column far larger than the others; the same
 * bits for any threads; starts at an optimum, stops and limits.
 *
 * Covers: cd_anova.c, cd_anova_hot.c, cd_columns.c, cd_groups.c, cd_hot.c, cd_lanes.c,
 * cd_power.c, cd_shared.c, cd_subsets.c, cd_sweep.c */

#include "fm/cd.h"
#include "fm/test/golden.h"
#include "fm/test/made.h"

/* ---- Golden ------------------------------------------------------------------------------- */

static const char *text(json_t *path) { return json_string_value(json_array_get(path, 0)); }

static size_t number(json_t *path, size_t k)
{
    return (size_t)json_integer_value(json_array_get(path, k));
}

/* Where in the vector a path leads: bias, [w, j], [P.., component, column], [U or V, column,
 * component]. */
static size_t find(const golden *g, json_t *path)
{
    const char *name = text(path);
    size_t block = name[1] ? (size_t)(name[1] - '2') : 0;

    if (*name == 'b')
        return 0;
    if (*name == 'w')
        return g->fm.w + number(path, 1);
    if (*name == 'P')
        return fxi_fm_at(&g->fm, block, number(path, 1), number(path, 2));
    size_t split = json_array_size(json_object_get(json_object_get(g->c, "params"), "U"));
    return fxi_fm_at(&g->fm, 0, number(path, 2), number(path, 1) + (*name == 'V' ? split : 0));
}

static void compare(void *ctx, double value, size_t at)
{
    const golden *g = ctx;

    CHECK_NEAR(g->v[at], value, 1e-9 * (1 + fabs(value)));
}

static void check_steps(golden *g)
{
    json_t *steps = json_object_get(g->c, "steps"), *step;
    bool sequence = json_is_true(json_object_get(g->c, "sequence"));
    size_t k;

    json_array_foreach(steps, k, step)
    {
        json_t *path = json_object_get(step, "path"), *to = json_object_get(step, "minimiser");
        size_t at = find(g, path);
        double was = g->v[at], want = json_is_null(to) ? was : golden_number(to);
        if (g->fm.kind == FXI_FM_BILINEAR)      /* U and V have penalties of their own */
            g->fm.block[0].beta = golden_beta(g, text(path));
        CHECK_NEAR(was, golden_number(json_object_get(step, "old")), 1e-9 * (1 + fabs(was)));
        CHECK(fxi_fm_cd_coordinate(g->v, &g->p, at, NULL) == FX_OK);
        CHECK_NEAR(g->v[at], want, 1e-9 * (1 + fabs(want)));
        if (!sequence)
            g->v[at] = was;
    }
    if (!sequence)
        return;
    double objective;
    CHECK(fxi_fm_gradient(&objective, NULL, &g->p, g->v, NULL) == FX_OK);
    golden_each(g, json_object_get(g->c, "final_params"), compare, g);
    CHECK_NEAR(objective, golden_number(json_object_get(g->c, "final_objective")),
               1e-9 * objective);
}

static void check_golden(void)
{
    static golden g;
    json_t *root = json_load_file("tests/golden/cd_step.json", 0, NULL), *c;
    size_t k;

    CHECK(json_array_size(json_object_get(root, "cases")) == 21);
    json_array_foreach(json_object_get(root, "cases"), k, c)
    {
        json_object_set_new(c, "loss", json_string("squared"));
        golden_open(&g, c);
        check_steps(&g);
        golden_close(&g);
    }
    json_decref(root);
}

/* ---- Objectives --------------------------------------------------------------------------- */

typedef struct watch {
    const made *m;
    double last;
    size_t n;
} watch;

static fx_status descend(void *ctx, const fxi_fm_state *now)
{
    watch *w = ctx;
    double true_one;

    CHECK(fxi_fm_gradient(&true_one, NULL, &w->m->p, now->v, NULL) == FX_OK);
    CHECK_NEAR(now->objective, true_one, 1e-11 * true_one);
    CHECK(now->objective <= w->last * (1 + 1e-13));
    w->last = now->objective;
    CHECK(now->iterations == ++w->n);
    return FX_OK;
}

static void check_kind(fxi_fm_kind kind, int order, size_t rank, const fxi_loss *loss, int form)
{
    made *m = made_model(kind, order, rank, loss, 60, form);
    watch w = {.m = m};
    fxi_fm_state s = {.v = m->v};

    m->p.max_iter = 12;
    m->p.tol = -1;
    m->p.step = descend;
    m->p.ctx = &w;
    CHECK(fxi_fm_gradient(&w.last, NULL, &m->p, m->v, NULL) == FX_OK);
    double first = w.last;
    CHECK(fxi_fm_cd(&s, &m->p, NULL) == FX_OK);
    CHECK(w.n == 12 && s.objective < 0.99 * first);
    for (size_t i = 0; i < m->fm.size; i++)
        CHECK(made_free(m, i) || m->fm.how != FXI_FM_LEARNED || m->v[i] == 0 || i == 0);
    made_end(m);
}

static void check_objectives(void)
{
    for (int k = 0; k < MADE_KINDS; k++)
        for (int l = 0; l < 3; l++)
            for (int order = 2; order <= 4; order++)
                check_kind((fxi_fm_kind)k, order, (size_t)(2 + order % 2), made_loss[l],
                           (k + l + order) % MADE_FORMS);
    check_kind(FXI_FM_HOFM, 10, 3, &fxi_loss_logistic, MADE_SPARSE);
    check_kind(FXI_FM_SHARED, 9, 17, &fxi_loss_squared, MADE_SPARSE);
    check_kind(FXI_FM_HOFM, 6, 4, &fxi_loss_squared_hinge, MADE_DENSE);
}

/* ---- One coordinate at a time ------------------------------------------------------------- */

typedef struct twin {
    const made *m;
    double *v, *f, *g, *up;             /* scores; derivatives by one number; slopes */
} twin;

static void scores(double *f, const twin *t)
{
    CHECK(fxi_fm_score(f, &t->m->fm, t->v, (fxi_row_subset){.X = &t->m->X, .n = t->m->X.rows}, NULL)
          == FX_OK);
}

static void slopes(twin *t)
{
    scores(t->f, t);
    for (size_t i = 0; i < t->m->X.rows; i++)
        t->up[i] = fxi_fm_slope(t->m->p.loss, t->m->y[i], t->f[i]);
}

/* The step of v[at], with slopes up, that then become those of the function of curvature mu.  As a
 * score is linear in one number, its derivative is a difference. */
static void step_one(twin *t, size_t at, double beta)
{
    const made *m = t->m;
    double mu = fxi_fm_curve(m->p.loss), down = 0, curve = 0, W = 0, was = t->v[at];

    scores(t->f, t);
    t->v[at] = was + 1;
    scores(t->g, t);
    for (size_t i = 0; i < m->X.rows; i++) {
        double c = m->c[i];
        t->g[i] -= t->f[i];
        W += c;
        down += c * t->up[i] * t->g[i];
        curve += c * mu * t->g[i] * t->g[i];
    }
    t->v[at] = was - (down / W + beta * was) / (curve / W + beta);
    for (size_t i = 0; i < m->X.rows; i++)
        t->up[i] += mu * (t->v[at] - was) * t->g[i];
}

static void sweep_twin(twin *t)
{
    const fxi_fm *fm = &t->m->fm;

    slopes(t);
    if (fm->intercept)
        step_one(t, 0, 0);
    for (size_t j = 0; j < fm->given && fm->linear; j++) {
        slopes(t);
        step_one(t, fm->w + j, fm->alpha);
    }
    for (size_t b = 0; b < fm->blocks; b++)
        for (size_t s = 0; s < fm->rank; s += FXI_FM_CD_LANES) {
            size_t end = fm->rank - s < FXI_FM_CD_LANES ? fm->rank : s + FXI_FM_CD_LANES;
            for (size_t g = 0; g < (fm->group ? fm->groups : 1); g++)
                for (size_t j = 0; j < fm->cols; j++) {
                    if (fm->group && fm->group[j] != (int32_t)g)
                        continue;
                    slopes(t);
                    for (size_t k = s; k < end; k++)
                        step_one(t, fxi_fm_at(fm, b, k, j), fm->block[b].beta);
                }
            slopes(t);
            for (size_t k = s; k < end && fm->how == FXI_FM_LEARNED; k++)
                step_one(t, fm->block[b].lambda + k, fm->beta_lambda);
        }
}

static void check_twin(fxi_fm_kind kind, int order, size_t rank, const fxi_loss *loss)
{
    made *m = made_model(kind, order, rank, loss, 25, MADE_SPARSE);
    size_t size = m->fm.size, n = m->X.rows;
    twin t = {.m = m, .v = fxi_alloc(size, sizeof *t.v), .f = fxi_alloc(n, sizeof *t.f),
              .g = fxi_alloc(n, sizeof *t.g), .up = fxi_alloc(n, sizeof *t.up)};
    fxi_fm_state s = {.v = m->v};

    memcpy(t.v, m->v, size * sizeof *t.v);
    m->p.max_iter = 1;
    CHECK(fxi_fm_cd(&s, &m->p, NULL) == FX_OK);
    sweep_twin(&t);
    for (size_t i = 0; i < size; i++)   /* theta, which is last, has steps of its own */
        if (kind != FXI_FM_SIMPLEX || i < m->fm.block[0].theta)
            CHECK_NEAR(m->v[i], t.v[i], 1e-9 * (1 + fabs(t.v[i])));
    free(t.v);
    free(t.f);
    free(t.g);
    free(t.up);
    made_end(m);
}

/* ---- Weights ------------------------------------------------------------------------------ */

static void check_weights(fxi_fm_kind kind, const fxi_loss *loss)
{
    enum { N = 30 };
    made *m = made_model(kind, 3, 3, loss, N, MADE_DENSE);
    size_t cols = m->X.cols, n = 0;
    double *v = fxi_alloc(m->fm.size, sizeof *v), *X = fxi_alloc(3 * N * cols, sizeof *X);
    double y[3 * N], c[3 * N];

    memcpy(v, m->v, m->fm.size * sizeof *v);
    for (size_t i = 0; i < N; i++) {
        m->c[i] = (double)(i % 4 ? i % 4 == 3 ? 3 : 1 : 0);
        for (size_t k = 0; k < (size_t)m->c[i]; k++, n++) {
            memcpy(X + n * cols, (const double *)m->X.val + i * cols, cols * sizeof *X);
            y[n] = m->y[i];
            c[n] = 1;
        }
    }
    fxi_fm_state a = {.v = m->v}, b = {.v = v};
    m->p.max_iter = 3;
    CHECK(fxi_fm_cd(&a, &m->p, NULL) == FX_OK);
    fx_matrix copies = {.rows = n, .cols = cols, .stride = cols, .type = FX_F64, .val = X};
    fxi_fm_problem p = m->p;
    p.X = &copies;
    p.y = y;
    p.c = c;
    CHECK(fxi_fm_cd(&b, &p, NULL) == FX_OK);
    CHECK_NEAR(a.objective, b.objective, 1e-12 * b.objective);
    for (size_t i = 0; i < m->fm.size; i++)
        CHECK_NEAR(m->v[i], v[i], 1e-10 * (1 + fabs(v[i])));
    free(v);
    free(X);
    made_end(m);
}

/* ---- A column 1e9 times the others -------------------------------------------------------- */

static void check_large(fxi_fm_kind kind, int order)
{
    made *m = made_model(kind, order, 3, &fxi_loss_squared, 50, MADE_DENSE);
    watch w = {.m = m};
    fxi_fm_state s = {.v = m->v};
    double *X = (double *)m->X.val;
    size_t large = m->fm.front + 4;

    for (size_t i = 0; i < 50; i++)
        X[i * m->X.cols + large] *= 1e9;
    for (size_t r = 0; r < 3; r++)      /* a start at which scores are no larger than without it */
        for (size_t g = 0; g < m->fm.blocks; g++)
            m->v[fxi_fm_at(&m->fm, g, r, large)] *= 1e-9;
    if (m->fm.linear)
        m->v[m->fm.w + 4] *= 1e-9;
    m->p.max_iter = 20;
    m->p.tol = -1;
    m->p.step = descend;
    m->p.ctx = &w;
    w.last = INFINITY;
    CHECK(fxi_fm_cd(&s, &m->p, NULL) == FX_OK);
    made_end(m);
    /* Factors of the common size: scores of 1e9 and above at the start. */
    m = made_model(kind, order, 3, &fxi_loss_squared, 50, MADE_DENSE);
    X = (double *)m->X.val;
    for (size_t i = 0; i < 50; i++)
        X[i * m->X.cols + large] *= 1e9;
    s = (fxi_fm_state){.v = m->v};
    m->p.max_iter = 20;
    CHECK(fxi_fm_cd(&s, &m->p, NULL) == FX_OK);
    double true_one;
    CHECK(fxi_fm_gradient(&true_one, NULL, &m->p, s.v, NULL) == FX_OK);
    CHECK(isfinite(true_one) && s.iterations == 20);
    CHECK_NEAR(s.objective, true_one, 1e-9 * true_one);
    made_end(m);
}

/* ---- Threads, optima, odd rows ------------------------------------------------------------ */

/* Ones in long and short columns. */
static made *long_columns(fxi_fm_kind kind, const fxi_loss *loss)
{
    enum { N = 5000 };
    made *m = made_model(kind, 3, kind == FXI_FM_HOFM ? 2 : 3, loss, 10, MADE_DENSE);
    fx_matrix given;

    CHECK((m->dense = fxi_realloc(m->dense, N * MADE_COLS, sizeof *m->dense)));
    CHECK((m->y = fxi_realloc(m->y, N, sizeof *m->y)));
    CHECK((m->c = fxi_realloc(m->c, N, sizeof *m->c)));
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < MADE_COLS; j++)
            m->dense[i * MADE_COLS + j] = test_below(10) > j;
        m->y[i] = test_below(2) ? 1 : -1;
        m->c[i] = i % 7 ? 1 : 0.5;
    }
    given = (fx_matrix){
        .rows = N, .cols = MADE_COLS, .stride = MADE_COLS, .type = FX_F64, .val = m->dense};
    fx_data_free(m->own);
    CHECK(fxi_fm_rows(&m->X, &m->own, &m->fm, &given, NULL) == FX_OK);
    m->p.y = m->y;
    m->p.c = m->c;
    m->p.max_iter = 2;
    m->p.tol = 0;
    return m;
}

static void check_threads(fxi_fm_kind kind, const fxi_loss *loss)
{
    made *m = long_columns(kind, loss);
    size_t size = m->fm.size;
    double *start = fxi_alloc(3 * size, sizeof *start), *one = start + size, *v = one + size;

    memcpy(start, m->v, size * sizeof *v);
    for (int threads = 1; threads <= 4; threads *= 2) {
        fx_run run = {RUN, .threads = threads};
        fxi_fm_state s = {.v = threads == 1 ? one : v};
        memcpy(s.v, start, size * sizeof *v);
        CHECK(fxi_fm_cd(&s, &m->p, &run) == FX_OK);
        CHECK(test_helped() == (threads > 1));
        CHECK(threads == 1 || !memcmp(one, v, size * sizeof *v));
    }
    free(start);
    made_end(m);
}

static void check_optimum(void)
{
    made *m = made_model(FXI_FM_HOFM, 3, 3, &fxi_loss_squared, 60, MADE_SPARSE);
    fxi_fm_state s = {.v = m->v};

    m->p.max_iter = 20000;
    m->p.tol = 1e-9;
    CHECK(fxi_fm_cd(&s, &m->p, NULL) == FX_OK);
    CHECK(s.converged && s.iterations > 1 && s.iterations < 20000);
    double at = s.objective;
    size_t before = s.iterations;
    m->p.tol = 1e-6;
    CHECK(fxi_fm_cd(&s, &m->p, NULL) == FX_OK);
    CHECK(s.converged && s.iterations == before + 1 && s.objective <= at * (1 + 1e-13));
    made_end(m);
}

/* Empty rows and columns, all weights but one 0, factors too small, no denominator. */
static void check_odd(void)
{
    double x[3 * MADE_COLS] = {0}, y[3] = {1, -1, 1}, c[3] = {1, 0, 2};
    made *m = made_model(FXI_FM_HOFM, 3, 3, &fxi_loss_squared, 10, MADE_DENSE);
    fx_matrix X = {.rows = 3, .cols = MADE_COLS, .stride = MADE_COLS, .type = FX_F64, .val = x};
    fxi_fm_state s = {.v = m->v};

    x[2] = x[MADE_COLS + 1] = 1;
    m->p.X = &X;
    m->p.y = y;
    m->p.c = c;
    m->p.max_iter = 100;
    m->v[fxi_fm_at(&m->fm, 0, 1, 3)] = 1e-31;
    m->fm.block[1].beta = m->fm.block[1].beta_front = 0;
    double keep = m->v[fxi_fm_at(&m->fm, 1, 2, 5)];
    CHECK(fxi_fm_cd(&s, &m->p, NULL) == FX_OK);
    for (size_t r = 0; r < 3; r++)
        for (size_t j = 0; j < MADE_COLS; j++)  /* only their penalty speaks */
            CHECK(m->v[fxi_fm_at(&m->fm, 0, r, j)] == 0);
    CHECK(m->v[fxi_fm_at(&m->fm, 1, 2, 5)] == keep && keep != 0);
    made_end(m);
}

static fx_status enough(void *ctx, const fxi_fm_state *now)
{
    (void)ctx;
    return now->iterations == 3 ? (fx_status)1 : FX_OK;
}

static int stop_at_once(void *ctx, double done)
{
    (void)ctx, (void)done;
    return 1;
}

static void check_stops(void)
{
    made *m = made_model(FXI_FM_HOFM, 2, 3, &fxi_loss_logistic, 60, MADE_SPARSE);
    fxi_fm_state s = {.v = m->v};
    fx_run stop = {RUN, .progress = stop_at_once}, small = {RUN, .max_memory = 1000};
    size_t bytes;

    CHECK(fxi_fm_cd(&s, &m->p, &stop) == FX_ECANCELLED);
    CHECK(fxi_fm_cd(&s, &m->p, &small) == FX_ELIMIT);
    CHECK(fxi_fm_cd_bytes(&bytes, &m->fm, &m->X) && bytes > 60 * 8);
    m->p.tol = -1;
    m->p.step = enough;
    CHECK(fxi_fm_cd(&s, &m->p, NULL) == FX_OK && s.converged && s.iterations == 3);
    made_end(m);
}

int main(void)
{
    test_init();
    check_golden();
    check_objectives();
    for (int k = 0; k < MADE_KINDS; k++)
        if (k != FXI_FM_POWER)          /* not linear in a number */
            for (int l = 0; l < 3; l++)
                check_twin((fxi_fm_kind)k, 2 + l, (size_t)(11 - l), made_loss[l]);
    check_twin(FXI_FM_HOFM, 9, 9, &fxi_loss_squared);
    for (int l = 0; l < 3; l++) {
        check_weights(FXI_FM_HOFM, made_loss[l]);
        check_weights((fxi_fm_kind)(1 + 2 * l), made_loss[l]);
        check_threads(FXI_FM_SHARED, made_loss[l]);
        check_threads((fxi_fm_kind[]){FXI_FM_HOFM, FXI_FM_SUBSETS, FXI_FM_POWER}[l], made_loss[l]);
    }
    for (int order = 2; order <= 4; order++) {
        check_large(FXI_FM_HOFM, order);
        check_large(FXI_FM_SHARED, order);
    }
    check_optimum();
    check_odd();
    check_stops();
    return 0;
}
