/* SPDX-License-Identifier: BSD-3-Clause
 * candidates.c - what train may choose from, simple first: rows as they are, products of two
 * columns, then of three, all of them if they are affordable and random features else. */

#include "selection.h"

#include <math.h>

#define BUDGET 4e7                      /* features that are not 0, of all rows together */
#define WIDTH 2e6                       /* most products of columns */

/* Of the products of columns, how many numbers are kept: those that are not 0, each with a column
 * beside it, or all if these are many. */
static double stored(const candidate_set *k, int order)
{
    return fmin(2 * rows_stored(&k->t, order),
                (double)k->t.rows * rows_products((double)k->t.cols, order));
}

static void enter(candidate_set *k, candidate x) { k->list[k->n++] = x; }

/* `times` features a column, fewer where that is too much. */
static size_t multiple(const candidate_set *k, size_t times)
{
    double max_features = fmin(BUDGET / (double)k->t.rows,
                               (double)cli.max_memory / 8 / (double)k->all);

    return (size_t)fmax(64, fmin((double)times * (double)k->t.cols, max_features));
}

static void enter_random(candidate_set *k, const char *kernel, const char *map)
{
    static const size_t times[] = {4, 16};
    candidate x = {.kernel = kernel, .map = map, .features = k->plan.features};

    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        size_t before = x.features;
        if (k->c->features)
            x.features = multiple(k, times[i]);
        x.work = (double)x.features * (double)k->t.rows;
        if (i == 0 || x.features != before)
            enter(k, x);
    }
}

/* All products, with either penalty; false: too many. */
static bool enter_products(candidate_set *k, const char *kernel, int order)
{
    double D = rows_products((double)k->t.cols, order), numbers = stored(k, order);
    double share = (double)k->all / (double)k->t.rows;
    candidate x = {.kernel = kernel, .map = UPTO_PRODUCTS, .features = (size_t)fmin(D, INT32_MAX),
                   .work = numbers + D};

    if (!k->c->features || D > WIDTH || numbers > BUDGET)
        return false;
    if (4 * numbers * share > (double)cli.max_memory / 2) {
        say_note("products of %d columns are left out: they would take more than half of the "
                 "memory allowed", order);
        return false;
    }
    enter(k, x);
    x.penalty = "l1";
    if (fitting_l1(k->of->regress))
        enter(k, x);
    return true;
}

void candidates_enter(candidate_set *k)
{
    static const char *const upto[] = {NULL, NULL, UPTO_ORDER "2", UPTO_ORDER "3"};

    if (fitting_about().kernel == FX_MUST) {
        enter(k, (candidate){.kernel = k->plan.kernel,
                             .work = (double)k->t.rows * (double)k->t.rows});
        return;
    }
    if (!k->c->kernel && k->plan.map) {
        enter_random(k, k->plan.kernel, k->plan.map);
        return;
    }
    enter(k, (candidate){0});
    for (int order = 2; order <= 3 && (size_t)order <= k->t.cols && k->c->kernel; order++)
        if (!enter_products(k, upto[order], order))
            enter_random(k, upto[order], UPTO_MAP);
}
