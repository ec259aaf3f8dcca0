/* SPDX-License-Identifier: BSD-3-Clause
 * t_combine.c - joint p-values from the definition; the same product is joined over the halves that
 * selected it. */

#include "made.h"

enum { HALVES = 50 };

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* The definition, with the quantile q_g(p) = inf {x: at least g n of the numbers are <= x}, at many
 * g: all where the quantile changes are among them. */
static double joint(const double *p, size_t n, size_t halves)
{
    double all[HALVES], least = INFINITY;

    for (size_t k = 0; k < halves; k++)
        all[k] = k < n ? p[k] : 1;
    qsort(all, halves, sizeof *all, ascending);
    for (int i = 50; i <= 1000; i++) {
        double g = i / 1000.0;
        size_t k = (size_t)ceil(g * (double)halves - 1e-9);
        least = fmin(least, all[k - 1] / g);
    }
    return fmin(1, (1 - log(0.05)) * fmin(1, least));
}

static void test_p(void)
{
    double p[HALVES], q[HALVES];
    size_t halves = 2 * (1 + test_below(HALVES / 2)), n = test_below(halves + 1);

    while (1000 % halves)               /* so that the quantiles change at a g that is tried */
        halves = 2 * (1 + test_below(HALVES / 2));
    n = n < halves ? n : halves;
    for (size_t k = 0; k < n; k++)
        p[k] = q[k] = pow(test_unit(), 4);
    CHECK_NEAR(fxi_discover_combine_p(p, n, halves), joint(q, n, halves), 1e-12);
}

static void test_join(void)
{
    fxi_discover d = {.halves = 4, .outputs = 3, .o = {.alpha = 0.5}};
    fxi_tested a[2] = {{{1, {3}}, 1e-9, 30}, {{2, {0, 1}}, 1, 0}},
               b[2] = {{{2, {0, 1}}, 1e-3, 9}, {{1, {3}}, 1e-8, 26}}, c[1] = {{{1, {3}}, 1e-7, 20}};
    const fxi_half half[4] = {{a, 2, 0, 0, true, 0}, {b, 2, 0, 0, true, 0}, {c, 1, 0, 0, true, 0}};
    fxi_combined *out;
    size_t n;

    CHECK(fxi_discover_combine(&out, &n, half, &d, 2) == FX_OK && n == 2);
    double p[] = {1e-9, 1e-8, 1e-7}, q[] = {1e-3, 1};
    CHECK(out[0].set.n == 1 && out[0].set.column[0] == 3 && out[0].output == 2);
    CHECK_NEAR(out[0].p, 3 * fxi_discover_combine_p(p, 3, 4), 1e-20);
    CHECK(out[0].frequency == 0.75 && out[0].ratio == 26);
    CHECK(out[1].set.n == 2 && out[1].frequency == 0.5);
    CHECK_NEAR(out[1].p, 3 * fxi_discover_combine_p(q, 2, 4), 1e-12);
    free(out);
}

int main(void)
{
    test_init();
    for (int i = 0; i < test_cases(200); i++)
        test_p();
    test_join();
    return 0;
}
