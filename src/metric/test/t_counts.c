/* SPDX-License-Identifier: BSD-3-Clause
 * t_counts.c - precision, recall and F1 against their definitions, counted class by class over
 * copies of the rows: whole weights are rows repeated, so all sums are exact. */
#include "base/test.h"
#include "metric/metric.h"

#include <string.h>

enum { N = 40, CLASSES = 5 };

static double divided(double a, double b) { return b > 0 ? a / b : 0; }

/* What stands behind a name: precision, recall or F1 of rows that are, are predicted, are both. */
static double quotient(int which, double rows, double predicted, double both)
{
    return which == 0   ? divided(both, predicted)
           : which == 1 ? divided(both, rows)
                        : divided(2 * both, rows + predicted);
}

static double by_definition(int which, int how, const double *y, const double *label, size_t n,
                            size_t classes)
{
    double sum = 0, occurring = 0, all[3] = {0}, result = NAN;

    for (size_t k = 0; k < classes; k++) {
        double rows = 0, predicted = 0, both = 0;
        for (size_t i = 0; i < n; i++) {
            rows += y[i] == (double)k;
            predicted += label[i] == (double)k;
            both += y[i] == (double)k && label[i] == (double)k;
        }
        if (how == 0 && k == 1 && n)
            result = quotient(which, rows, predicted, both);
        if (rows + predicted > 0) {
            sum += quotient(which, rows, predicted, both);
            occurring++;
        }
        all[0] += rows, all[1] += predicted, all[2] += both;
    }
    if (how == 1)
        result = sum / occurring;
    if (how == 2 && n)
        result = quotient(which, all[0], all[1], all[2]);
    return result;
}

int main(void)
{
    static const char *const names[3][3] = {{"precision", "precision-macro", "precision-micro"},
                                            {"recall", "recall-macro", "recall-micro"},
                                            {"f1", "f1-macro", "f1-micro"}};
    double y[N], label[N], w[N], Y[4 * N], L[4 * N];

    test_init();
    for (int t = 0; t < test_cases(300); t++) {
        size_t n = test_below(N + 1), classes = 2 + test_below(CLASSES - 1), all = 0;
        size_t true_ones = 1 + test_below(classes), predicted_ones = 1 + test_below(classes);
        bool weighted = test_below(2);
        for (size_t i = 0; i < n; i++) {
            y[i] = (double)test_below(true_ones);
            label[i] = (double)test_below(predicted_ones);
            w[i] = weighted ? (double)test_below(4) : 1;
            for (size_t c = 0; c < (size_t)w[i]; c++, all++)
                Y[all] = y[i], L[all] = label[i];
        }
        fxi_metric_rows r = {.n = n, .classes = classes, .y = y, .label = label,
                             .weight = weighted ? w : NULL};
        for (int which = 0; which < 3; which++)
            for (int how = 0; how < 3; how++) {
                double got, want = by_definition(which, how, Y, L, all, classes);
                fxi_metric m;
                if (how == 0 && classes > 2)
                    continue;
                CHECK(fxi_metric_parse(&m, names[which][how]) == FX_OK);
                CHECK(fxi_metric_of(&got, &m, &r, NULL) == FX_OK);
                CHECK(got == want || (isnan(got) && isnan(want)));
            }
    }
    return 0;
}
