/* SPDX-License-Identifier: BSD-3-Clause
 * counts.c - precision, recall and F1 of predicted classes, from three sums of weights for each
 * class: t of its rows, p of rows that are predicted as it, h of rows that are both (hits).
 *
 *   precision h / p      recall h / t      F1 2 h / (p + t)
 *
 * A quotient with the divisor 0 is 0: a class that is never predicted has precision 0.  Of two
 * classes the plain metrics are of the second one; `macro` is the mean over the classes that occur
 * among labels or predictions, `micro` has the sums of all classes.  This is scikit-learn's
 * definition with zero_division=0. */

#include "metric/metric.h"

#include <stdlib.h>

typedef fxi_metric_count counts;

typedef double quotient(const counts *c);

static double divide(double a, double b) { return b > 0 ? a / b : 0; }
static double precision(const counts *c) { return divide(c->hits, c->predicted); }
static double recall(const counts *c) { return divide(c->hits, c->rows); }
static double f1(const counts *c) { return divide(2 * c->hits, c->predicted + c->rows); }

void fxi_metric_counts_add(counts *c, const fxi_metric_rows *r)
{
    for (size_t i = 0; i < r->n; i++) {
        size_t y = (size_t)r->y[i], label = (size_t)r->label[i];
        double w = fxi_metric_weight(r, i);
        c[y].rows += w;
        c[label].predicted += w;
        if (y == label)
            c[y].hits += w;
    }
}

static double macro(const counts *c, size_t n, quotient *of)
{
    double sum = 0, occurring = 0;

    for (size_t k = 0; k < n; k++)
        if (c[k].rows > 0 || c[k].predicted > 0) {
            sum += of(&c[k]);
            occurring++;
        }
    return sum / occurring;
}

static double micro(const counts *c, size_t n, quotient *of)
{
    counts all = {0};

    for (size_t k = 0; k < n; k++) {
        all.rows += c[k].rows;
        all.predicted += c[k].predicted;
        all.hits += c[k].hits;
    }
    return all.rows > 0 ? of(&all) : NAN;
}

static double second(const counts *c, size_t n, quotient *of)
{
    return n > 1 && c[0].rows + c[1].rows > 0 ? of(&c[1]) : NAN;
}

static fx_status combine(double *out, const fxi_metric_rows *r, quotient *of,
                         double (*all)(const counts *c, size_t n, quotient *of))
{
    counts *c = fxi_zalloc(r->classes, sizeof *c);

    if (!c)
        return FX_ENOMEM;
    fxi_metric_counts_add(c, r);
    *out = all(c, r->classes, of);
    free(c);
    return FX_OK;
}

#define METRICS                                                                                    \
    METRIC(precision, precision, second)                                                           \
    METRIC(precision_macro, precision, macro)                                                      \
    METRIC(precision_micro, precision, micro)                                                      \
    METRIC(recall, recall, second)                                                                 \
    METRIC(recall_macro, recall, macro)                                                            \
    METRIC(recall_micro, recall, micro)                                                            \
    METRIC(f1, f1, second)                                                                         \
    METRIC(f1_macro, f1, macro)                                                                    \
    METRIC(f1_micro, f1, micro)

#define METRIC(name, part, all)                                                                    \
    fx_status fxi_metric_counts_##name(double *out, const fxi_metric_rows *r, size_t k,            \
                                       const fx_run *run)                                          \
    {                                                                                              \
        (void)k, (void)run;                                                                        \
        return combine(out, r, part, all);                                                         \
    }
METRICS
#undef METRIC

bool fxi_metric_counts_of(double *out, const fxi_metric *m, const counts *c, size_t classes)
{
#define METRIC(name, part, all)                                                                    \
    if (m->type->of == fxi_metric_counts_##name) {                                                 \
        *out = all(c, classes, part);                                                              \
        return true;                                                                               \
    }
    METRICS
#undef METRIC
    return false;
}
