/* SPDX-License-Identifier: BSD-3-Clause
 * advice_constant.c - how well one does without looking at any column: by always answering the most
 * common class, or the mean label. */

#include "advice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool class_shares(double *max_share, double *min_share, const fx_table *t)
{
    double *label = malloc((t->rows ? t->rows : 1) * sizeof *label);

    if (!label)
        return false;
    memcpy(label, t->label, t->rows * sizeof *label);
    qsort(label, t->rows, sizeof *label, ascending_doubles);
    *max_share = 0, *min_share = 1;
    for (size_t i = 0, next; i < t->rows; i = next) {
        for (next = i; next < t->rows && label[next] == label[i];)
            next++;
        double share = (double)(next - i) / (double)t->rows;
        *max_share = fmax(*max_share, share);
        *min_share = fmin(*min_share, share);
    }
    free(label);
    return true;
}

/* The mean is updated row by row, so that no large squares cancel. */
static double deviation(const fx_table *t)
{
    double mean = 0, square = 0;

    for (size_t i = 0; i < t->rows; i++) {
        double d = t->label[i] - mean;
        mean += d / (double)(i + 1);
        square += d * (t->label[i] - mean);
    }
    return sqrt(square / (double)t->rows);
}

bool advice_constant(double *score, double *rarest, const fx_table *t, bool regress)
{
    if (!regress)
        return class_shares(score, rarest, t);
    *score = deviation(t);
    return true;
}
