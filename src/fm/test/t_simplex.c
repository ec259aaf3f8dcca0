/* SPDX-License-Identifier: BSD-3-Clause
 * t_simplex.c - the projection onto the simplex against its optimality conditions; steps of theta
 * that never raise the objective and end at its minimum over the simplex. */

#include "fm/test/made.h"

/* p is the projection of x: on the simplex, and x - p is one number where p > 0, not larger
 * elsewhere. */
static void check_projection(void)
{
    for (int k = 0; k < test_cases(200); k++) {
        size_t n = 1 + test_below(FX_ORDER_MAX);
        double x[FX_ORDER_MAX], p[FX_ORDER_MAX], sum = 0, tau = -INFINITY;
        double size = pow(10, (double)test_below(8) - 3);
        for (size_t i = 0; i < n; i++)
            p[i] = x[i] = size * (test_below(4) ? test_unit() - 0.5 : 0.25);
        fxi_fm_simplex_project(p, n);
        for (size_t i = 0; i < n; i++) {
            CHECK(p[i] >= 0);
            sum += p[i];
            tau = p[i] > 0 ? x[i] - p[i] : tau;
        }
        double tol = 1e-15 * (1 + size) * (double)n;
        CHECK_NEAR(sum, 1, tol);
        for (size_t i = 0; i < n; i++)
            CHECK(p[i] > 0 ? fabs(x[i] - p[i] - tau) <= tol : x[i] <= tau + tol);
    }
    double on[] = {0.25, 0, 0.5, 0.25};
    fxi_fm_simplex_project(on, 4);
    CHECK(on[0] == 0.25 && on[1] == 0 && on[2] == 0.5 && on[3] == 0.25);
}

static void check_steps(int order, int l)
{
    made *m = made_model(FXI_FM_SIMPLEX, order, 18, made_loss[l], 300, l);
    double before, after, min_slope, *theta = m->v + m->fm.block[0].theta, *G;

    CHECK((G = fxi_alloc(m->fm.size, sizeof *G)));
    CHECK(fxi_fm_gradient(&before, NULL, &m->p, m->v, NULL) == FX_OK);
    for (int k = 0; k < 300; k++) {
        double sum = 0;
        CHECK(fxi_fm_simplex(m->v, &m->p, NULL) == FX_OK);
        CHECK(fxi_fm_gradient(&after, G, &m->p, m->v, NULL) == FX_OK);
        CHECK(after <= before + 1e-15);
        for (int t = 0; t < order; t++) {
            CHECK(theta[t] >= 0);
            sum += theta[t];
        }
        CHECK_NEAR(sum, 1, 1e-14);
        before = after;
    }
    min_slope = INFINITY;               /* convex: no corner lies below the tangent */
    for (int t = 0; t < order; t++) {
        double slope = 0;
        for (int u = 0; u < order; u++)
            slope += G[m->fm.block[0].theta + (size_t)u] * ((u == t) - theta[u]);
        min_slope = fmin(min_slope, slope);
    }
    CHECK(min_slope > -1e-4);
    free(G);
    made_end(m);
}

static void check_threads(void)
{
    made *m = made_model(FXI_FM_SIMPLEX, 3, 30, &fxi_loss_squared, MADE_ROWS, MADE_SPARSE);
    double first[3], *theta = m->v + m->fm.block[0].theta;
    fx_run small = {RUN, .max_memory = 100};

    CHECK(fxi_fm_simplex(m->v, &m->p, &small) == FX_ELIMIT);
    for (int threads = 1; threads < 6; threads += 2) {
        fx_run run = {RUN, .threads = threads};
        theta[0] = theta[1] = theta[2] = 1. / 3;
        CHECK(fxi_fm_simplex(m->v, &m->p, &run) == FX_OK);
        CHECK(test_helped() == (threads > 1));
        if (threads == 1)
            memcpy(first, theta, sizeof first);
        CHECK(!memcmp(first, theta, sizeof first));
    }
    made_end(m);
}

int main(void)
{
    test_init();
    check_projection();
    for (int l = 0; l < 3; l++)
        check_steps(2 + l, l);
    check_threads();
    return 0;
}
