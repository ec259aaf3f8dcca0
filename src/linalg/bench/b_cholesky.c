/* SPDX-License-Identifier: BSD-3-Clause
 * b_cholesky.c - GFLOP/s of the factorisation on one thread and on two, and of a solution. */

#include "base/test.h"
#include "linalg/cholesky.h"

#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void)
{
    static const size_t sizes[] = {100, 300, 1000, 2000, 4000};

    test_init();
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        size_t n = sizes[k], numbers, panels = fxi_cholesky_panels(n);
        CHECK(fxi_linalg_cholesky_size(&numbers, n));
        double *A = fxi_alloc(numbers, sizeof *A), *L = fxi_alloc(numbers, sizeof *L);
        double *x = fxi_zalloc(panels * FXI_TILE, sizeof *x), best[3] = {1e9, 1e9, 1e9};
        CHECK(A && L && x);
        for (size_t i = 0; i < numbers; i++)
            A[i] = test_unit() / (double)n;
        for (size_t i = 0; i < n; i++)
            fxi_cholesky_at(A, i / 16, i / 16)[i % 16 * 17] += 2;
        for (int repeat = 0; repeat < (n > 2000 ? 3 : 10); repeat++)
            for (int what = 0; what < 3; what++) {
                if (what < 2)
                    memcpy(L, A, numbers * sizeof *L);
                double begin = now();
                CHECK((what < 2 ? fxi_linalg_cholesky(
                           L, n, &(fx_run){.size = sizeof(fx_run), .threads = what + 1})
                                : fxi_linalg_cholesky_solve(x, L, n, NULL))
                      == FX_OK);
                double spent = now() - begin;
                best[what] = spent < best[what] ? spent : best[what];
            }
        double f = (double)n * (double)n * (double)n / 3e9;
        printf("n %5zu: %6.1f GFLOP/s, two threads %6.1f; solution %.3f ms\n", n, f / best[0],
               f / best[1], 1e3 * best[2]);
        free(A), free(L), free(x);
    }
    return 0;
}
