/* SPDX-License-Identifier: BSD-3-Clause
 * b_sum.c - ns a number of an exact sum, beside a sum of doubles. */

#include "base/test.h"
#include "linalg/sum.h"

#include <time.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void)
{
    test_init();
    for (size_t n = 1000; n <= 1000000; n *= 10) {
        double *x = fxi_alloc(n, sizeof *x), *sum = fxi_zalloc(n, sizeof *sum);
        double best[4] = {1e9, 1e9, 1e9, 1e9};
        size_t blocks = fxi_sum_blocks(n);
        fxi_sum *a = fxi_alloc(blocks, sizeof *a), *b = fxi_alloc(blocks, sizeof *b);
        CHECK(x && sum && a && b);
        for (size_t i = 0; i < n; i++)
            x[i] = test_unit();
        fxi_linalg_sum_clear(a, blocks);
        fxi_linalg_sum_clear(b, blocks);
        for (int repeat = 0; repeat < 50; repeat++)
            for (int what = 0; what < 4; what++) {
                double begin = now();
                if (what == 0)
                    for (size_t i = 0; i < n; i++)
                        sum[i] += x[i];
                else if (what == 1)
                    fxi_linalg_sum_add(a, x, n);
                else if (what == 2)
                    fxi_linalg_sum_merge(b, a, blocks);
                else
                    fxi_linalg_sum_round(sum, b, n);
                best[what] = fmin(best[what], (now() - begin) / (double)n * 1e9);
            }
        printf("n %7zu: doubles %.2f, add %.2f, merge %.2f, round %.2f ns a number\n", n, best[0],
               best[1], best[2], best[3]);
        free(x), free(sum), free(a), free(b);
    }
    return 0;
}
