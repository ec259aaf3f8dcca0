/* SPDX-License-Identifier: BSD-3-Clause
 * t_folds.c - sizes within one overall and in each label; errors. */

#include "base/test.h"
#include "featcross.h"

#include <stdbool.h>
#include <string.h>

enum { N = 200, FOLDS = 40, LABELS = 5 };

int main(void)
{
    int32_t fold[N], again[N];
    double label[N];
    int differ = 0;

    test_init();
    for (int c = 0, cases = test_cases(3000); c < cases; c++) {
        size_t n = 2 + test_below(N - 1);
        int folds = 2 + (int)test_below(n - 1 < FOLDS - 1 ? n - 1 : FOLDS - 1);
        bool with = test_below(2);
        int size[FOLDS] = {0}, part[LABELS][FOLDS] = {{0}};
        for (size_t i = 0; i < n; i++)
            label[i] = (double)test_below(1 + test_below(LABELS));
        uint64_t seed = test_u64();
        CHECK(fx_data_folds(fold, n, folds, with ? label : NULL, seed) == FX_OK);
        CHECK(fx_data_folds(again, n, folds, with ? label : NULL, seed) == FX_OK);
        CHECK(!memcmp(fold, again, n * sizeof *fold));
        CHECK(fx_data_folds(again, n, folds, with ? label : NULL, seed + 1) == FX_OK);
        differ += memcmp(fold, again, n * sizeof *fold) != 0;
        for (size_t i = 0; i < n; i++) {
            CHECK(fold[i] >= 0 && fold[i] < folds);
            size[fold[i]]++;
            part[(int)label[i]][fold[i]]++;
        }
        for (int a = 0; a < folds; a++)
            for (int b = 0; b < folds; b++) {
                CHECK(size[a] - size[b] <= 1);
                for (int y = 0; with && y < LABELS; y++)
                    CHECK(part[y][a] - part[y][b] <= 1);
            }
    }
    CHECK(differ > 0);

    fold[0] = -7;
    CHECK(fx_data_folds(fold, 10, 1, NULL, 1) == FX_EINVAL);
    CHECK(fx_data_folds(fold, 10, 11, NULL, 1) == FX_EINVAL && strstr(fx_error_detail(), "11"));
    CHECK(fx_data_folds(fold, 10, -1, NULL, 1) == FX_EINVAL);
    CHECK(fx_data_folds(fold, 0, 2, NULL, 1) == FX_EINVAL);
    CHECK(fx_data_folds(NULL, 10, 2, NULL, 1) == FX_EINVAL);
    label[3] = NAN;
    CHECK(fx_data_folds(fold, 10, 2, label, 1) == FX_EDOMAIN && fold[0] == -7);
    return 0;
}
