/* SPDX-License-Identifier: BSD-3-Clause
 * t_sum.c - sums that merge: the same bits in any order and any tree, on every instruction set;
 * their error, against longer numbers and against whole ones; numbers that are huge, tiny or not
 * finite.
 *
 * Covers: sum_hot.c */

#include "base/test.h"
#include "linalg/sum.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { N = 200, TERMS = 60, BLOCKS = 4 };
static double x[TERMS][N];

/* Terms of all sizes up to 2^spread apart; many of them 0. */
static void make(int spread)
{
    for (size_t t = 0; t < TERMS; t++)
        for (size_t i = 0; i < N; i++) {
            int e = spread ? (int)test_below((uint64_t)(2 * spread)) - spread : 0;
            x[t][i] = test_below(8) ? ldexp(test_unit() - 0.5, e) : 0;
        }
}

/* The terms in a random order, in a random tree of merges. */
static void sum_somehow(double *out)
{
    static fxi_sum part[TERMS][BLOCKS];
    size_t parts = 1 + test_below(TERMS), order[TERMS];

    for (size_t k = 0; k < parts; k++)
        fxi_linalg_sum_clear(part[k], BLOCKS);
    for (size_t t = 0; t < TERMS; t++) {
        size_t j = test_below(t + 1);
        order[t] = order[j];
        order[j] = t;
    }
    for (size_t t = 0; t < TERMS; t++)
        fxi_linalg_sum_add(part[test_below(parts)], x[order[t]], N);
    while (parts > 1) {
        size_t a = test_below(parts), b = --parts;
        if (a != b)
            fxi_linalg_sum_merge(part[a], part[b], BLOCKS);
        else                            /* the last one joins the first */
            fxi_linalg_sum_merge(part[0], part[b], BLOCKS);
    }
    fxi_linalg_sum_round(out, part[0], N);
}

static void test_trees(int spread)
{
    double first[N], again[N];

    make(spread);
    sum_somehow(first);
    for (int k = 0; k < 40; k++) {
        sum_somehow(again);
        CHECK(memcmp(first, again, sizeof first) == 0);
    }
    for (size_t i = 0; i < N; i++) {
        long double sum = 0;
        double most = 0;
        for (size_t t = 0; t < TERMS; t++)
            sum += x[t][i];
        for (size_t t = 0; t < TERMS; t++)
            for (size_t j = i / FXI_SUM * FXI_SUM; j < N && j / FXI_SUM == i / FXI_SUM; j++)
                most = fmax(most, fabs(x[t][j]));
        CHECK_NEAR((double)sum, first[i],
                   TERMS * (double)LDBL_EPSILON * most + DBL_EPSILON * fabs(first[i]));
    }
}

/* Whole numbers, whose sums are known. */
static void test_rounding(void)
{
    double out[N];

    make(0);
    for (size_t t = 0; t < TERMS; t++)
        for (size_t i = 0; i < N; i++)
            x[t][i] = rint(ldexp(x[t][i], t % 2 ? 50 : 3));
    sum_somehow(out);
    for (size_t i = 0; i < N; i++) {
        int64_t sum = 0;
        for (size_t t = 0; t < TERMS; t++)
            sum += (int64_t)x[t][i];
        CHECK_NEAR(out[i], (double)sum, DBL_EPSILON * fabs((double)sum));
    }
}

/* A block becomes NaN if a number of it is not finite, in whatever order; other blocks stay. */
static void test_broken(double bad)
{
    double out[N];

    make(3);
    x[7][70] = bad;
    for (int k = 0; k < 20; k++) {
        sum_somehow(out);
        for (size_t i = 0; i < N; i++)
            CHECK(isnan(out[i]) == (i / FXI_SUM == 1));
    }
}

static void test_edges(void)
{
    const double edge[] = {0x1p1023, -0x1.fffffffffffffp1023, 0x1p-1040, 0x1p-1022, 0x1p39,
                           -0x1.fffffffffffffp38, 1, -0.0};
    fxi_sum a[1];
    double out[1];

    for (size_t k = 0; k < sizeof edge / sizeof *edge; k++) {   /* alone, a number is itself .. */
        fxi_linalg_sum_clear(a, 1);
        fxi_linalg_sum_add(a, &edge[k], 1);
        fxi_linalg_sum_round(out, a, 1);
        CHECK(out[0] == edge[k]);
        fxi_linalg_sum_add(a, &(double){-edge[k]}, 1);        /* .. and less itself it is 0 */
        fxi_linalg_sum_round(out, a, 1);
        CHECK(out[0] == 0);
    }
    fxi_linalg_sum_clear(a, 1);
    fxi_linalg_sum_round(out, a, 1);
    CHECK(out[0] == 0 && !signbit(out[0]));
    for (size_t k = 0; k < 1000000; k++)        /* counts do not overflow into their neighbours */
        fxi_linalg_sum_add(a, &(double){0x1.fffffffffffffp38}, 1);
    fxi_linalg_sum_round(out, a, 1);
    CHECK(out[0] == 1e6 * 0x1.fffffffffffffp38);
}

/* Every instruction set cuts alike. */
static void test_targets(void)
{
    int64_t want[3][FXI_SUM] = {{0}};
    uint64_t largest;

    make(30);
    fxi_simd_get()->linalg_sum_cut(want[0], x[0], 0x1p-30, FXI_SUM);
    fxi_simd_get()->linalg_sum_largest(&largest, x[0], 50);
    for (const fxi_simd *simd = fxi_simd_targets; simd->name; simd++) {
        int64_t limb[3][FXI_SUM] = {{0}};
        uint64_t bits;
        if (!simd->supported())
            continue;
        simd->linalg_sum_cut(limb[0], x[0], 0x1p-30, FXI_SUM);
        simd->linalg_sum_largest(&bits, x[0], 50);
        CHECK(memcmp(want, limb, sizeof want) == 0 && bits == largest);
    }
}

int main(void)
{
    test_init();
    for (int spread = 0; spread <= 500; spread = 3 * spread + 1)
        test_trees(spread);
    test_broken(NAN);
    test_broken(INFINITY);
    test_broken(-INFINITY);
    test_edges();
    CHECK(fxi_sum_blocks(0) == 0 && fxi_sum_blocks(64) == 1 && fxi_sum_padded(65) == 128);
    test_rounding();
    test_targets();
    return 0;
}
