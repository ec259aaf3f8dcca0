/* SPDX-License-Identifier: BSD-3-Clause
 * t_shuffle.c - a permutation, the same for the same seed, uniform over all orders of three. */

#include "base/test.h"
#include "featcross.h"

int main(void)
{
    size_t order[1000], again[1000];
    int seen[1000] = {0}, same = 0, count[6] = {0};

    test_init();
    fx_data_shuffle(order, 0, 1);
    fx_data_shuffle(order, 1000, 7);
    fx_data_shuffle(again, 1000, 7);
    for (int i = 0; i < 1000; i++) {
        CHECK(order[i] < 1000 && !seen[order[i]]++ && order[i] == again[i]);
        same += order[i] == (size_t)i;
    }
    CHECK(same < 10);                   /* fixed points are Poisson(1): P(>= 10) < 2e-7 */
    enum { N = 60000 };
    for (uint64_t seed = 0; seed < N; seed++) {
        fx_data_shuffle(order, 3, seed);
        count[order[0] * 2 + (order[1] > order[2])]++;
    }
    for (int i = 0; i < 6; i++)         /* binomial(N, 1/6), six standard deviations */
        CHECK_NEAR(count[i], N / 6, 6 * sqrt(N * 5.0 / 36));
    return 0;
}
