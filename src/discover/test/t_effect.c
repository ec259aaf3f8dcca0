/* SPDX-License-Identifier: BSD-3-Clause
 * t_effect.c - the effect is the median of the halves, its interval what their joint test does not
 * reject; halves estimate what they tested, in one model. */

#include "made.h"

enum { HALVES = 50, ROWS = 3000, COLS = 6 };

static double of_effect(double x, const fxi_effect *e, size_t n)
{
    double p[HALVES];

    for (size_t k = 0; k < n; k++)
        p[k] = erfc(fabs(x - e[k].w) / e[k].error / sqrt(2));
    return fxi_discover_combine_p(p, n, HALVES);
}

static void test_interval(void)
{
    fxi_effect e[HALVES], given[HALVES];
    fxi_combined c = {0};
    size_t n = 20 + test_below(HALVES - 20), holes = test_below(3);

    for (size_t k = 0; k < n; k++)
        e[k] = given[k] = (fxi_effect){1 + 0.3 * test_unit(), 0.1 + 0.1 * test_unit()};
    for (size_t k = 0; k < holes; k++)  /* halves that did not test it */
        e[n - 1 - k] = (fxi_effect){NAN, NAN};
    CHECK(fxi_discover_effect_join(&c, e, n, HALVES, 0.05) == FX_OK);
    n -= holes;
    size_t below = 0, above = 0;
    for (size_t k = 0; k < n; k++) {
        below += given[k].w < c.effect;
        above += given[k].w > c.effect;
    }
    CHECK(below == above && below + above >= n - 1);
    CHECK(c.low < c.effect && c.effect < c.high);
    CHECK(of_effect(c.low, given, n) >= 0.05 && of_effect(c.high, given, n) >= 0.05);
    for (double far = 1e-6; far < 10; far *= 3) {
        CHECK(of_effect(c.low - far, given, n) < 0.05);
        CHECK(of_effect(c.high + far, given, n) < 0.05);
    }
}

static void test_odd(void)
{
    fxi_combined c = {0};
    fxi_effect none[2] = {{NAN, NAN}, {NAN, NAN}},
               far[3] = {{INFINITY, 9}, {2, 0.1}, {INFINITY, 9}},
               against[4] = {{1, 0.01}, {5, 0.01}, {1, 0.01}, {5, 0.01}};

    CHECK(fxi_discover_effect_join(&c, none, 2, 2, 0.05) == FX_OK);
    CHECK(isnan(c.effect) && isnan(c.low) && isnan(c.high));
    CHECK(fxi_discover_effect_join(&c, far, 3, 4, 0.05) == FX_OK);
    CHECK(c.effect == INFINITY);         /* one half of four rejects what is far from 2 */
    CHECK_NEAR(c.low + c.high, 4, 1e-9);
    fxi_effect all[2] = {{INFINITY, 9}, {INFINITY, 9}};
    CHECK(fxi_discover_effect_join(&c, all, 2, 4, 0.05) == FX_OK);
    CHECK(c.effect == INFINITY && isnan(c.low) && isnan(c.high));
    fxi_effect few[1] = {{2, 0.1}};     /* 50 halves: one is not enough */
    CHECK(fxi_discover_effect_join(&c, few, 1, 50, 0.05) == FX_OK);
    CHECK(c.effect == 2 && c.low == -INFINITY && c.high == INFINITY);
    CHECK(fxi_discover_effect_join(&c, against, 4, 4, 0.05) == FX_OK);
    CHECK(c.effect == 3 && c.low == 1 && c.high == 5);
}

typedef struct call {
    fxi_discover d;
    fxi_half half;
    fxi_tested tested[2];
    fxi_combined c[3];
    fxi_effect out[3];
    double y[ROWS];
} call;

static fx_status run(void *ctx, size_t block, fxi_team *team)
{
    call *o = ctx;

    (void)block;
    return fxi_discover_effect(o->out, &o->half, o->c, 3, &o->d, 1, team);
}

static void test_half(void)
{
    static call o;
    made m;
    const fxi_discover_set set[] = {{1, {0}}, {2, {1, 2}}};
    const double w[] = {1.5, -2};

    make(&m, ROWS, COLS, 0.5);
    made_classes(&m, set, w, 2, 0);
    for (size_t i = 0; i < ROWS; i++)
        o.y[i] = m.y[i] > 0;
    o.d = (fxi_discover){.row = m.row, .rows = ROWS, .outputs = 1, .halves = 2,
                         .o = {.alpha = 0.05, .order = 2, .seed = 3}};
    o.d.train.X = m.X;
    o.d.train.labels.y = o.y;
    o.d.train.labels.weight = m.weight;
    o.c[0] = (fxi_combined){.set = set[0]};
    o.c[1] = (fxi_combined){.set = set[1]};
    o.c[2] = (fxi_combined){.set = {1, {5}}, .eliminated = true};
    o.tested[0].set = set[1];           /* this half has tested two of the three */
    o.tested[1].set = o.c[2].set;
    o.half = (fxi_half){.at = o.tested, .n = 2};
    with_team(run, &o);
    CHECK(isnan(o.out[0].w) && isnan(o.out[0].error));
    /* 1500 rows: errors are near 2 / sqrt(1500 / 4), and an effect is within 5 of them. */
    CHECK(o.out[1].error > 0.05 && o.out[1].error < 0.25 && o.out[2].error < 0.25);
    CHECK_NEAR(o.out[1].w, -2, 5 * o.out[1].error);
    CHECK_NEAR(o.out[2].w, 0, 5 * o.out[2].error);
    made_free(&m);
}

int main(void)
{
    test_init();
    for (int i = 0; i < test_cases(200); i++)
        test_interval();
    for (int i = 0; i < test_cases(5); i++)
        test_half();
    test_odd();
    return 0;
}
