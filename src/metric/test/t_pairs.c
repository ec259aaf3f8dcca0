/* SPDX-License-Identifier: BSD-3-Clause
 * t_pairs.c - the share of ordered pairs against its definition.  Weights are small
 * integers, so that all sums are exact and the two results are equal.
 * Covers: queries.c */
#include "base/test.h"
#include "metric/metric.h"

enum { N = 40 };

static double by_definition(const double *y, const double *score, const double *weight,
                            const int64_t *qid, size_t n)
{
    double right = 0, all = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (y[i] > y[j] && (!qid || qid[i] == qid[j])) {
                double w = weight ? weight[i] * weight[j] : 1;
                right += w * (score[i] > score[j] ? 1 : score[i] == score[j] ? 0.5 : 0);
                all += w;
            }
    return right / all;                 /* NaN without pairs */
}

int main(void)
{
    double y[N], score[N], weight[N];
    int64_t qid[N];

    test_init();
    for (int i = 0; i < test_cases(2000); i++) {
        size_t n = test_below(N + 1), labels = 1 + test_below(6), queries = 1 + test_below(4);
        bool weighted = test_below(2), by_query = test_below(2);
        for (size_t k = 0; k < n; k++) {
            y[k] = (double)test_below(labels) - 2;
            score[k] = (double)test_below(9) / 4 - 1;
            weight[k] = (double)test_below(5);
            qid[k] = (int64_t)test_below(queries);
        }
        double auc,
            expected = by_definition(y, score, weighted ? weight : NULL, by_query ? qid : NULL, n);
        fxi_metric_rows r = {.n = n, .y = y, .score = score, .width = 1,
                             .weight = weighted ? weight : NULL, .qid = by_query ? qid : NULL};
        CHECK(fxi_metric_ranked_auc(&auc, &r, SIZE_MAX, NULL) == FX_OK);
        CHECK(auc == expected || (isnan(auc) && isnan(expected)));
    }
    return 0;
}
