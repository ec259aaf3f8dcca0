/* SPDX-License-Identifier: BSD-3-Clause
 * candidates.c - what train may choose from, simple first: rows as they are, products of two
 * columns, of three, then of four.  Products are written out if that is affordable; otherwise they
 * are random features.  Where there are too many to be written out, those with an L1 penalty are
 * found, in a limited number of steps. */

#include "selection.h"

#include <math.h>
#include <string.h>

#define BUDGET 4e7                      /* features that are not 0, of the rows looked at */
#define ALL 1e9                         /* .. of all rows together */
#define LARGE 0x1p28                    /* numbers of all rows; with more, what needs all of them in
                                         * memory is left out */
#define WIDTH 2e6                       /* most products of columns */

/* A number of a dense row costs one operation, and one of a sparse row as much as SPARSE of them.
 * With an L1 penalty a fit takes L1 times as long.  Both factors were measured. */
enum { SPARSE = 16, L1 = 4 };
/* Orders whose products may be found; operations of an iteration, 2^22 numbers that are added
 * up: three nanoseconds each, measured on a9a. */
enum { FOUND_ORDERS = 3 };
#define FOUND_OPS (0x1p22 * 3)

/* How many numbers are stored for the products of columns: those that are not 0, each with its
 * column number, or all numbers if most are not 0. */
static double stored(const candidate_set *k, int order)
{
    return fmin(2 * rows_stored(&k->t, order),
                (double)k->t.rows * rows_products((double)k->t.cols, order));
}

/* numbers: of the rows as the fit sees them, in dense ones. */
static void enter(candidate_set *k, candidate x, double numbers)
{
    x.ops = numbers * (x.penalty ? L1 : 1) * (double)k->outputs * (double)k->folds;
    k->list[k->n++] = x;
}

static double dense_numbers(const candidate_set *k, int order)
{
    return fmin(SPARSE * rows_stored(&k->t, order),
                (double)k->t.rows * rows_products((double)k->t.cols, order));
}

/* `times` features per column, fewer if that is too many. */
static size_t multiple(const candidate_set *k, size_t times)
{
    double max_features = fmin(BUDGET / (double)k->t.rows, ALL / (double)k->all);

    return (size_t)fmax(64, fmin((double)times * (double)k->t.cols, max_features));
}

static void enter_random(candidate_set *k, const char *kernel, const char *map)
{
    static const size_t times[] = {4, 16};
    candidate x = {.kernel = kernel, .map = map, .features = (double)k->plan.features};

    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        double before = x.features;
        if (k->c->features)
            x.features = (double)multiple(k, times[i]);
        x.work = x.features * (double)k->t.rows;
        if (i == 0 || x.features != before)
            enter(k, x, x.work);
    }
}

/* Of all rows of the data, if the rows used have so many. */
static double of_all(const candidate_set *k, double numbers)
{
    return numbers * (double)k->all / (double)k->t.rows;
}

/* stored: numbers of the rows. */
static void enter_penalties(candidate_set *k, candidate x, double numbers, double stored)
{
    bool large = of_all(k, stored) > LARGE;

    enter(k, x, numbers);
    x.penalty = "l1";
    if (x.features > UPTO_FOUND)
        return;                         /* enter_found */
    if (fitting_l1(k->of->regress) && !large)
        enter(k, x, numbers);
    else if (fitting_l1(k->of->regress))
        say_note("penalty l1 is left out: it would need all rows in memory, about %.1g numbers",
                 of_all(k, stored));
}

/* All products, with either penalty; false: too many. */
static bool enter_products(candidate_set *k, const char *kernel, int order)
{
    double D = rows_products((double)k->t.cols, order), numbers = stored(k, order);
    candidate x = {.kernel = kernel, .map = UPTO_PRODUCTS, .features = D,
                   .work = numbers + D};

    if (!k->c->features || D > WIDTH || numbers > BUDGET)
        return false;
    if (of_all(k, numbers) > ALL) {
        say_note("products of %d columns are left out: all rows together have about %.1g", order,
                 of_all(k, numbers));
        return false;
    }
    enter_penalties(k, x, dense_numbers(k, order), numbers);
    return true;
}

/* After the scaling, are all numbers within -1 and 1? */
static bool within_one(const candidate_set *k)
{
    const char *how = k->plan.scale ? k->plan.scale : "none";
    fx_scale *scale = NULL;

    if (strcmp(how, "none") != 0)
        return strcmp(how, "std") != 0;
    bool within = !fx_data_scale_fit(&scale, "auto", &k->t, &k->run)
                  && !strcmp(fx_data_scale_spec(scale), "none");
    fx_data_scale_free(scale);
    return within;
}

/* All products with an L1 penalty, where those with weights are found. */
static void enter_found(candidate_set *k, const char *kernel, int order)
{
    double D = rows_products((double)k->t.cols, order), numbers = rows_stored(&k->t, 1),
           fits = (double)(FOUND_ORDERS * k->first * k->outputs * (size_t)k->folds),
           iterations = floor(SELECTION_FOUND * SELECTION_OPS / (fits * FOUND_OPS));
    candidate x = {.kernel = kernel, .map = UPTO_PRODUCTS, .features = D,
                   .work = iterations * FOUND_OPS, .penalty = "l1",
                   .max_iter = (size_t)iterations};

    if (!k->c->features || D <= UPTO_FOUND || !fitting_l1(k->of->regress)
        || of_all(k, numbers) > LARGE || !within_one(k))
        return;
    if (iterations < 1) {
        say_note("left out to bound the work of choosing: kernel %s, map %s, penalty l1", kernel,
                 UPTO_PRODUCTS);
        return;
    }
    enter(k, x, iterations * FOUND_OPS / L1);
}

void candidates_enter(candidate_set *k)
{
    static const char *const upto[] = {NULL, NULL, UPTO_ORDER "2", UPTO_ORDER "3", UPTO_ORDER "4"};

    if (fitting_about().kernel == FX_MUST) {
        enter(k, (candidate){.kernel = k->plan.kernel,
                             .work = (double)k->t.rows * (double)k->t.rows}, 0);
        return;
    }
    if (!k->c->kernel && k->plan.map) {
        enter_random(k, k->plan.kernel, k->plan.map);
        return;
    }
    if (!k->c->kernel) {
        enter(k, (candidate){0}, 0);
        return;
    }
    enter_penalties(k, (candidate){0}, dense_numbers(k, 1), rows_stored(&k->t, 1));
    for (int order = 2; order <= 4 && (size_t)order <= k->t.cols; order++) {
        if (order < 4 && !enter_products(k, upto[order], order))
            enter_random(k, upto[order], UPTO_MAP);
        enter_found(k, upto[order], order);
    }
}

/* ---- What is left out ----------------------------------------------------------------------- */
static double all_ops(const candidate_set *k)
{
    double sum = 0;

    for (size_t i = 0; i < k->n; i++)
        sum += k->list[i].ops * (double)k->first;
    return sum;
}

/* Every other C: decades. */
static void thin_path(candidate_set *k)
{
    for (size_t i = 0; 2 * i < k->costs; i++)
        k->C[i] = k->C[2 * i];
    k->costs = (k->costs + 1) / 2;
    k->first = (k->first + 1) / 2;
    say_note("C in steps of 10, not 3, to bound the work of choosing");
}

static void leave_out(candidate_set *k, size_t i)
{
    const candidate *x = &k->list[i];

    say_note("left out to bound the work of choosing: kernel %s, map %s%s",
             x->kernel ? x->kernel : "none", x->map ? x->map : "none",
             x->penalty ? ", penalty l1" : "");
    k->n--;
    memmove(k->list + i, k->list + i + 1, (k->n - i) * sizeof *k->list);
}

/* Removes L1 first, if it is what takes longest, because it often gains little.  The simplest
 * candidate stays. */
void candidates_bound(candidate_set *k)
{
    bool thin = k->costs < SELECTION_COSTS;

    while (k->n > 1 && all_ops(k) > SELECTION_OPS) {
        size_t longest = 1;
        for (size_t i = 2; i < k->n; i++)
            longest = k->list[i].ops > k->list[longest].ops ? i : longest;
        if (thin || k->list[longest].penalty)
            leave_out(k, longest);
        else {
            thin_path(k);
            thin = true;
        }
    }
}
