/* SPDX-License-Identifier: BSD-3-Clause
 * t_sample.c - so many of the numbers, ascending, the same for the same seed, every choice equally
 * likely. */

#include "base/test.h"
#include "featcross.h"

int main(void)
{
    size_t row[100], again[100];
    int count[32] = {0}, choices = 0;

    test_init();
    fx_data_sample(NULL, 5, 5, 1);
    fx_data_sample(row, 0, 10, 1);
    for (size_t n = 1; n <= 100; n++) {
        fx_data_sample(row, n, 90, 7);
        fx_data_sample(again, n, 90, 7);
        for (size_t i = 0; i < n && i < 90; i++) {
            CHECK(row[i] == again[i] && row[i] < 90 && (i == 0 || row[i] > row[i - 1]));
            CHECK(n < 90 || row[i] == i);
        }
    }
    enum { N = 60000 };
    for (uint64_t seed = 0; seed < N; seed++) { /* three of five */
        fx_data_sample(row, 3, 5, seed);
        count[1 << row[0] | 1 << row[1] | 1 << row[2]]++;
    }
    for (int i = 0; i < 32; i++)
        if (count[i]) {                 /* binomial(N, 1/10), six standard deviations */
            CHECK_NEAR(count[i], N / 10, 6 * sqrt(N * 0.09));
            choices++;
        }
    CHECK(choices == 10);
    return 0;
}
