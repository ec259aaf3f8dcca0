/* SPDX-License-Identifier: BSD-3-Clause
 * t_ranked.c - auc and average precision against their definitions, threshold by threshold and
 * pair by pair.  Whole weights, so that sums are exact; 4 n roundings for the quotients. */
#include "base/test.h"
#include "metric/metric.h"

#include <string.h>

enum { N = 30, CLASSES = 4 };

static double area(const double *y, double class, const double *score, size_t width,
                   const double *w, size_t n)
{
    double right = 0, all = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (y[i] == class && y[j] != class) {
                double a = score[i * width], b = score[j * width];
                right += w[i] * w[j] * (a > b ? 1 : a == b ? 0.5 : 0);
                all += w[i] * w[j];
            }
    return right / all;
}

/* The sum over thresholds of (recall - recall of the next larger threshold) times precision. */
static double precision(const double *y, double class, const double *score, size_t width,
                        const double *w, size_t n)
{
    double sum = 0, positives = 0, before = 0;

    for (size_t i = 0; i < n; i++)
        positives += y[i] == class ? w[i] : 0;
    for (int threshold = 9; threshold >= -9; threshold--) {
        double hits = 0, taken = 0;
        for (size_t i = 0; i < n; i++)
            if (score[i * width] >= threshold) {
                taken += w[i];
                hits += y[i] == class ? w[i] : 0;
            }
        if (hits > before)
            sum += (hits - before) / positives * (hits / taken);
        before = hits;
    }
    return positives > 0 ? sum : NAN;
}

static double mean(double (*of)(const double *, double, const double *, size_t, const double *,
                                size_t),
                   const double *y, const double *score, size_t width, const double *w, size_t n)
{
    double sum = 0, defined = 0;

    for (size_t k = 0; k < width; k++) {
        double x = of(y, width > 1 ? (double)k : 1, score + k, width, w, n);
        if (!isnan(x)) {
            sum += x;
            defined++;
        }
    }
    return sum / defined;
}

static void agrees(fxi_metric_function *of, const fxi_metric_rows *r, double want)
{
    double got;

    CHECK(of(&got, r, SIZE_MAX, NULL) == FX_OK);
    if (isnan(want))
        CHECK(isnan(got));
    else
        CHECK_NEAR(got, want, 4 * N * 0x1p-53);
}

int main(void)
{
    double y[N], score[N * CLASSES], w[N];

    test_init();
    for (int t = 0; t < test_cases(300); t++) {
        size_t n = test_below(N + 1), classes = 2 + test_below(CLASSES - 1);
        size_t width = classes > 2 ? classes : 1, present = 1 + test_below(classes);
        for (size_t i = 0; i < n; i++) {
            y[i] = (double)test_below(present);
            w[i] = (double)test_below(4);
            for (size_t k = 0; k < width; k++)
                score[i * width + k] = (double)test_below(13) - 6;
        }
        fxi_metric_rows r = {.n = n, .classes = classes, .y = y, .score = score, .width = width,
                             .weight = w};
        agrees(fxi_metric_ranked_auc, &r, mean(area, y, score, width, w, n));
        agrees(fxi_metric_ranked_precision, &r, mean(precision, y, score, width, w, n));
    }
    return 0;
}
