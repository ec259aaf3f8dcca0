/* SPDX-License-Identifier: BSD-3-Clause
 * combine.c - one p-value of the p-values of all halves.
 *
 * For each gamma, the gamma-quantile of the p-values divided by gamma is a p-value again; the
 * smallest of these over gamma from GAMMA to 1 is one if it is multiplied by 1 - ln GAMMA.
 * Quantiles of n numbers change at gamma = 1/n, 2/n, .., where they are divided by the most, so
 * these suffice.
 * Reference: Meinshausen, Meier, Buehlmann 2009. */

#include "discover/discover.h"

#include <stdlib.h>

#define GAMMA 0.05

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

double fxi_discover_combine_p(double *p, size_t n, size_t halves)
{
    double least = 1;

    qsort(p, n, sizeof *p, ascending);
    for (size_t k = (size_t)ceil(GAMMA * (double)halves); k <= n; k++)
        if (k > 0)
            least = fmin(least, p[k - 1] * (double)halves / (double)k);
    return fmin(1, (1 - log(GAMMA)) * least);
}

/* ---- Joining --------------------------------------------------------------------------------- */

static int by_set(const void *a, const void *b)
{
    const fxi_tested *const *s = a, *const *t = b;

    return fxi_discover_set_compare(&(*s)->set, &(*t)->set);
}

static int significant(const void *a, const void *b)
{
    const fxi_combined *x = a, *y = b;

    if (x->p != y->p)
        return x->p < y->p ? -1 : 1;
    if (x->ratio != y->ratio)
        return x->ratio > y->ratio ? -1 : 1;
    return fxi_discover_set_compare(&x->set, &y->set);
}

/* The same product, selected by n halves.  work: [halves] */
static fxi_combined join(double *work, const fxi_tested *const *t, size_t n, const fxi_discover *d)
{
    fxi_combined c = {.set = t[0]->set, .frequency = (double)n / (double)d->halves};

    for (size_t k = 0; k < n; k++)
        work[k] = t[k]->p;
    c.p = fxi_discover_combine_p(work, n, d->halves);
    for (size_t k = 0; k < n; k++)
        work[k] = t[k]->ratio;
    qsort(work, n, sizeof *work, ascending);
    c.ratio = work[n / 2];
    return c;
}

fx_status fxi_discover_combine(fxi_combined **out, size_t *n, const fxi_half *half,
                               const fxi_discover *d, size_t output)
{
    size_t all = 0, kept = 0;

    for (size_t b = 0; b < d->halves; b++)
        all += half[b].n;
    const fxi_tested **t = fxi_alloc(all + 1, sizeof *t);
    double *work = fxi_alloc(d->halves, sizeof *work);
    fxi_combined *list = fxi_alloc(all + 1, sizeof *list);
    if (!t || !work || !list) {
        fxi_free(t, work, list);
        return FX_ENOMEM;
    }
    all = 0;
    for (size_t b = 0; b < d->halves; b++)
        for (size_t k = 0; k < half[b].n; k++)
            t[all++] = &half[b].at[k];
    qsort(t, all, sizeof *t, by_set);
    for (size_t k = 0, end; k < all; k = end) {
        for (end = k + 1; end < all && by_set(&t[k], &t[end]) == 0; end++) {}
        list[kept] = join(work, t + k, end - k, d);
        list[kept].output = output;
        list[kept].p = fmin(1, list[kept].p * (double)d->outputs);
        kept++;
    }
    qsort(list, kept, sizeof *list, significant);
    fxi_free(t, work);
    *out = list;
    *n = kept;
    return FX_OK;
}
