/* SPDX-License-Identifier: BSD-3-Clause
 * test.h - all a test needs.  A test is a main of its own: 0 is a pass.  Those of a module are one
 * program, which runs the one that is named: build/kernel.test gram (base/test/run.c).
 * FX_TEST_SEED repeats a failure, FX_TEST_MULT runs more cases (default 1). */
#ifndef FXI_TEST_H
#define FXI_TEST_H
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef main                             /* a test, under the name that CMake gives it */
int main(void);
#endif
__attribute__((weak)) atomic_bool test_checked;         /* one in a program: a CHECK was reached */

/* True if a thread other than the caller's has worked since the last call.  Where a test asks for
 * several threads and there are several blocks, one has: base/test/threads.c sees to it. */
bool test_helped(void);

/* Initialisers begin with these: fx_run run = {RUN, .threads = 2}. */
#define RUN .size = sizeof(fx_run)
#define PLAN .size = sizeof(fx_plan)

static uint64_t test_state, test_seed;

static inline void test_init(void)
{
    const char *s = getenv("FX_TEST_SEED");
    test_state = test_seed = s ? strtoull(s, NULL, 10) : 1;
}
static inline int test_cases(int n)             /* at least one, whatever FX_TEST_MULT is */
{
    const char *s = getenv("FX_TEST_MULT");
    double cases = s ? n * atof(s) : n;

    return cases < 1 ? 1 : (int)cases;
}
static inline uint64_t test_u64(void)           /* splitmix64 */
{
    uint64_t z = test_state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
static inline size_t test_below(size_t n) { return (size_t)(test_u64() % n); }
static inline double test_unit(void) { return (double)(test_u64() >> 11) * 0x1p-53; }

static inline void test_reached(void)
{
    atomic_store_explicit(&test_checked, true, memory_order_relaxed);
}
#define CHECK(cond) do { test_reached(); if (!(cond)) { \
    fprintf(stderr, "%s:%d: %s fails; FX_TEST_SEED=%llu\n", __FILE__, __LINE__, \
            #cond, (unsigned long long)test_seed); exit(1); } } while (0)
#define CHECK_NEAR(got, want, tol) do { double g_ = (got), w_ = (want), t_ = (tol); \
    test_reached(); \
    if (!(fabs(g_ - w_) <= t_)) { \
    fprintf(stderr, "%s:%d: %s = %.17g, want %.17g +- %.3g; FX_TEST_SEED=%llu\n", __FILE__, \
            __LINE__, #got, g_, w_, t_, (unsigned long long)test_seed); exit(1); } } while (0)
#endif
