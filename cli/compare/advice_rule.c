/* SPDX-License-Identifier: BSD-3-Clause
 * advice_rule.c - which of several methods to take, by their scores alone.
 *
 * The best method has the best mean score.  The recommended method is the simplest one whose mean
 * is within a margin of that (doc/math.md#advice).  All methods use the same splits, so the
 * differences d_1 .. d_n over seeds are paired.  With s^2 the sampling variance of one score on the
 * N rows tested, M methods, a rows tested and b trained on by a seed,
 *
 *   margin = max(floor, min(t_{0.975, n-1} sd(d) sqrt(1/n + a/b), 2 floor)),  floor = s sqrt(ln M),
 *
 * with one seed the first term alone.  The term a/b (Nadeau and Bengio) corrects for overlapping
 * training rows of different seeds.  The floor assumes that the best of M methods exceeds its true
 * score by chance by sqrt(2 ln M) standard errors, and that methods make most errors on the same
 * rows, which halves the variance of a difference.  The cap is for methods that fail on some seeds:
 * without it, the larger their variance, the more methods would count as equally good. */

#include "advice.h"

#include <math.h>

static const double t975[] = {          /* quantile of Student's t; degrees of freedom from 1 */
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201,
    2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074,
    2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042, 2.040,
};

static size_t seeds_of(const scores *c, size_t i)
{
    size_t n = 0;

    while (n < c->seeds && !isnan(c->score[i * c->seeds + n]))
        n++;
    return n;
}

/* For an interrupted run: the number of seeds that uses most measurements. */
static void count_seeds(recommendation *r, const scores *c)
{
    for (size_t n = c->seeds; n > 0; n--) {
        size_t have = 0;
        for (size_t i = 0; i < c->methods; i++)
            have += seeds_of(c, i) >= n;
        if (have * n > r->methods * r->seeds)
            r->methods = have, r->seeds = n;
    }
}

double advice_rule_mean(const scores *c, size_t i, size_t seeds)
{
    double sum = 0;

    for (size_t k = 0; k < seeds; k++)
        sum += c->score[i * c->seeds + k];
    return sum / (double)seeds;
}

double advice_rule_rows(const scores *c, size_t seeds)
{
    return fmin(c->tested * (double)seeds, c->tested_in_all);
}

/* The sampling variance of one score, which is a share of N rows or the root mean square of N
 * normal errors.  A share is shifted towards 1/2 by two rows, so that a small test set without an
 * error does not count as certain. */
static double sampling_error(const scores *c, double score, size_t seeds)
{
    double N = advice_rule_rows(c, seeds);

    if (c->falls)
        return score / sqrt(2 * N);
    double p = (score * N + 1) / (N + 2);
    return sqrt(p * (1 - p) / N);
}

double advice_rule_margin(const scores *c, const recommendation *r, size_t better, size_t other)
{
    const double *a = c->score + better * c->seeds, *b = c->score + other * c->seeds;
    double mean = 0, square = 0, n = (double)r->seeds;
    double floor = sampling_error(c, advice_rule_mean(c, better, r->seeds), r->seeds)
                   * sqrt(log((double)r->methods));

    if (r->seeds < 2)
        return floor;
    for (size_t k = 0; k < r->seeds; k++)
        mean += (a[k] - b[k]) / n;
    for (size_t k = 0; k < r->seeds; k++)
        square += (a[k] - b[k] - mean) * (a[k] - b[k] - mean);
    double wide = t975[r->seeds - 2] * sqrt(square / (n - 1)) * sqrt(1 / n + c->overlap);
    return fmax(floor, fmin(wide, 2 * floor));
}

recommendation advice_rule(const scores *c)
{
    recommendation r = {0};
    double sign = c->falls ? -1 : 1, top = -INFINITY;

    count_seeds(&r, c);
    if (r.seeds == 0)
        return r;
    for (size_t i = 0; i < c->methods; i++) {
        double x = seeds_of(c, i) < r.seeds ? -INFINITY : sign * advice_rule_mean(c, i, r.seeds);
        if (x > top)
            top = x, r.best = i;
    }
    r.chosen = r.best;
    for (size_t i = r.best; i-- > 0;)
        if (seeds_of(c, i) >= r.seeds
            && top - sign * advice_rule_mean(c, i, r.seeds)
                   <= advice_rule_margin(c, &r, r.best, i))
            r.chosen = i;
    return r;
}
