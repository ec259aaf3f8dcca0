/* SPDX-License-Identifier: BSD-3-Clause
 * t_likelihood.c - models without a penalty: the slope is 0 at the optimum, ratios are those of
 * two fits, errors those of the inverse curvature, weights count rows; products that depend on
 * others or separate the classes are known. */

#include "made.h"

enum { TERMS = 5, ROWS = 300, COLS = 6 };

typedef struct call {
    made m;
    fxi_discover_set set[TERMS + 1];
    size_t terms;
    bool regress;
    fxi_likelihood_term term[TERMS + 1];
    double deviance;
} call;

static fx_status fit(void *ctx, size_t block, fxi_team *team)
{
    call *o = ctx;
    const fxi_likelihood_rows rows = {&o->m.X, o->m.y, o->m.weight, o->m.row, o->m.rows,
                                      o->regress};
    fxi_likelihood l;

    (void)block;
    CHECK(fxi_discover_likelihood_new(&l, o->set, o->terms, &rows, team) == FX_OK);
    CHECK(o->regress ? l.z.rows == o->m.rows : l.z.rows <= o->m.rows);
    CHECK(fxi_discover_likelihood(o->term, &o->deviance, &l, true, team) == FX_OK);
    fxi_discover_likelihood_free(&l);
    return FX_OK;
}

static void make_call(call *o, bool regress)
{
    const double w[TERMS] = {1, -1, 0.5, 2, 0};

    *o = (call){.terms = TERMS, .regress = regress,
                .set = {{1, {0}}, {1, {1}}, {2, {0, 2}}, {2, {3, 4}}, {3, {1, 2, 5}}}};
    make(&o->m, ROWS, COLS, 0.5);
    made_classes(&o->m, o->set, w, TERMS, -0.5);
    for (size_t i = 0; i < ROWS; i++) {
        o->m.y[i] += regress ? test_unit() : 0;
        o->m.weight[i] = (double)test_below(3);
    }
}

/* The deviance from its definition, of w[0] + sum w[k + 1] product k. */
static double deviance_at(const call *o, const double *w)
{
    double sum = 0;

    for (size_t i = 0; i < o->m.rows; i++) {
        double f = w[0], y = o->m.y[i];
        for (size_t k = 0; k < o->terms; k++)
            f += w[k + 1] * made_product(&o->m, i, &o->set[k]);
        sum += o->m.weight[i] * (o->regress ? (y - f) * (y - f) : 2 * log(1 + exp(-y * f)));
    }
    return sum;
}

/* The intercept is not given out: the best one for the weights, by golden section. */
static double best(const call *o, double *w)
{
    double low = -30, high = 30;

    for (int i = 0; i < 200; i++) {
        double a = low + 0.381966 * (high - low), b = low + 0.618034 * (high - low);
        w[0] = a;
        double left = deviance_at(o, w);
        w[0] = b;
        if (left < deviance_at(o, w))
            high = b;
        else
            low = a;
    }
    w[0] = (low + high) / 2;
    return deviance_at(o, w);
}

/* From the inverse of the curvature of the log-likelihood, which is that of a variance. */
static double error_of(const call *o, const double *w, size_t term, double variance)
{
    enum { N = TERMS + 1 };
    double H[N * N] = {0}, x[N] = {0}, z[N];
    bool out[N] = {false};

    for (size_t i = 0; i < o->m.rows; i++) {
        double f = 0;
        for (size_t k = 0; k < N; k++) {
            z[k] = k ? made_product(&o->m, i, &o->set[k - 1]) : 1;
            f += w[k] * z[k];
        }
        double p = 1 / (1 + exp(-f)),
               c = o->m.weight[i] * (o->regress ? 1 / variance : p * (1 - p));
        for (size_t k = 0; k < N; k++)
            for (size_t j = 0; j < N; j++)
                H[k * N + j] += c * z[k] * z[j];
    }
    fxi_discover_solve_factor(H, out, N, 0);
    x[term + 1] = 1;
    fxi_discover_solve(x, H, out, N);
    return sqrt(x[term + 1]);
}

static void test_optimum(bool regress)
{
    call o;
    double w[TERMS + 2], count = 0;

    make_call(&o, regress);
    with_team(fit, &o);
    for (size_t k = 0; k < TERMS; k++)
        w[k + 1] = o.term[k].w;
    CHECK_NEAR(best(&o, w), o.deviance, 1e-6 * o.deviance);
    for (size_t i = 0; i < o.m.rows; i++)
        count += o.m.weight[i];
    for (size_t k = 0; k < TERMS; k++) {
        double at = w[k + 1];
        CHECK(!o.term[k].dependent && !o.term[k].separates && o.term[k].error > 0);
        for (int sign = -1; sign <= 1; sign += 2) {
            w[k + 1] = at + sign * 0.01;
            CHECK(best(&o, w) > o.deviance);
        }
        w[k + 1] = at;
        /* Without it. */
        call less = o;
        less.terms = TERMS - 1;
        memmove(less.set + k, less.set + k + 1, (TERMS - 1 - k) * sizeof *less.set);
        with_team(fit, &less);
        double ratio = regress ? (count - TERMS - 1) * log(less.deviance / o.deviance)
                               : less.deviance - o.deviance;
        CHECK_NEAR(o.term[k].ratio, ratio, 1e-6 * fmax(1, ratio));
    }
    best(&o, w);
    for (size_t k = 0; k < TERMS; k++)
        CHECK_NEAR(o.term[k].error,
                   error_of(&o, w, k, regress ? o.deviance / (count - TERMS - 1) : 1),
                   1e-5 * o.term[k].error);
    made_free(&o.m);
}

/* A row of weight 2 is two rows. */
static void test_weights(bool regress)
{
    call o, two;
    size_t n = 0;

    make_call(&o, regress);
    with_team(fit, &o);
    make_call(&two, regress);
    made_free(&two.m);
    make(&two.m, 2 * ROWS, COLS, 0.5);
    for (size_t i = 0; i < ROWS; i++)
        for (double c = 0; c < o.m.weight[i]; c++, n++) {
            memcpy(two.m.x + n * COLS, o.m.x + i * COLS, COLS * sizeof *two.m.x);
            two.m.y[n] = o.m.y[i];
        }
    two.m.rows = two.m.X.rows = n;
    with_team(fit, &two);
    CHECK_NEAR(two.deviance, o.deviance, 1e-9 * o.deviance);
    for (size_t k = 0; k < TERMS; k++) {
        CHECK_NEAR(two.term[k].ratio, o.term[k].ratio, 1e-6 * fmax(1, o.term[k].ratio));
        CHECK_NEAR(two.term[k].error, o.term[k].error, 1e-6);
    }
    made_free(&o.m);
    made_free(&two.m);
}

/* Column 5 is columns 0 + 1, which are never both 1: it is left out, as it comes after these, and
 * so is their product, which is always 0.  The others are tested as if neither were there. */
static void test_dependent(bool regress)
{
    call o;

    make_call(&o, regress);
    for (size_t i = 0; i < ROWS; i++) {
        double *x = o.m.x + i * COLS;
        x[1] *= 1 - x[0];
        x[5] = x[0] + x[1];
    }
    o.set[TERMS - 1] = (fxi_discover_set){1, {5}};
    o.set[TERMS] = (fxi_discover_set){2, {0, 1}};
    o.terms = TERMS + 1;
    with_team(fit, &o);
    call less = o;
    less.terms = TERMS - 1;
    with_team(fit, &less);
    for (size_t k = 0; k < o.terms; k++) {
        CHECK(o.term[k].dependent == (k >= TERMS - 1));
        CHECK(k < TERMS - 1 ? o.term[k].ratio == less.term[k].ratio : o.term[k].ratio == 0);
    }
    made_free(&o.m);
}

/* All rows with columns 3 and 4 are of one class. */
static void test_separates(void)
{
    call o;

    make_call(&o, false);
    for (size_t i = 0; i < ROWS; i++)
        o.m.y[i] = made_product(&o.m, i, &o.set[3]) != 0 ? 1 : o.m.y[i];
    with_team(fit, &o);
    for (size_t k = 0; k < TERMS; k++)
        CHECK(o.term[k].separates == (k == 3));
    /* Its ratio is that of two fits; the others are as if its rows were absent. */
    call without = o;
    without.terms = TERMS - 1;
    without.set[3] = o.set[4];
    with_team(fit, &without);
    CHECK_NEAR(o.term[3].ratio, without.deviance - o.deviance, 1e-6 * o.term[3].ratio);
    CHECK(o.term[3].w > 0);
    call less = o;
    less.m.weight = made_zeros(ROWS, sizeof *less.m.weight);
    for (size_t i = 0; i < ROWS; i++)
        less.m.weight[i] = made_product(&o.m, i, &o.set[3]) != 0 ? 0 : o.m.weight[i];
    with_team(fit, &less);
    for (size_t k = 0; k < TERMS; k++)
        if (k != 3)
            CHECK_NEAR(o.term[k].ratio, less.term[k].ratio, 1e-4 * fmax(1, less.term[k].ratio));
    free(less.m.weight);
    made_free(&o.m);
}

/* A column of few large numbers has a large coefficient, and separates nothing. */
static void test_large(void)
{
    call o;

    make_call(&o, false);
    for (size_t i = 0; i < ROWS; i++) {
        double *x = o.m.x + i * COLS;
        x[0] = i < 3 ? 1 : 0.02 * test_unit();
        o.m.y[i] = test_unit() < 1 / (1 + exp(1 - 200 * fmin(x[0], 0.02))) ? 1 : -1;
    }
    with_team(fit, &o);
    CHECK(o.term[0].w > 15 && !o.term[0].separates && o.term[0].error < o.term[0].w);
    made_free(&o.m);
}

int main(void)
{
    test_init();
    for (int i = 0; i < test_cases(6); i++)
        for (int regress = 0; regress < 2; regress++) {
            test_optimum(regress);
            test_weights(regress);
            test_dependent(regress);
        }
    for (int i = 0; i < test_cases(6); i++) {
        test_separates();
        test_large();
    }
    return 0;
}
