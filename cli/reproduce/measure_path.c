/* SPDX-License-Identifier: BSD-3-Clause
 * measure_path.c - measure `path`: L1 fits over all products of columns for many C, as in
 * fx_combos_path_new, on one thread.
 *
 * Columns of a case beyond the usual ones: order, the largest product (default 2); C_span, the
 * last C in units of the first (default 100); loss (default squared-hinge).  Options: steps=N,
 * tol=X, repeats=N.  The first C, the least with a weight, comes before the N of the option.
 *
 * products   of 1 to `order` columns, that no one writes out
 * steps      C that were fitted
 * weights    of the last C
 * searches   through all products; examined: products that these had to look at
 * gap        the largest of a step, proven over all products
 * seconds    of the processor, the least of `repeats` runs
 * memory     peak of the process minus what it held before, MiB */

#include "recipe.h"

#include <math.h>
#include <stdlib.h>

static const char *const columns[] = {"products", "steps", "weights", "searches", "examined", "gap",
                                      "seconds", "memory", NULL};
static const char *const options[] = {"steps", "tol", "repeats", NULL};
#define MIB 1048576.0

typedef struct figures { double steps, weights, searches, examined, gap, seconds, memory; } figures;

static int walk(figures *f, const fx_combos_options *o, const fx_table *t)
{
    fx_run calls = cli.run;
    fx_combos_path *p = NULL;
    uint64_t before = trial_memory_begin();
    double start = measure_clock();

    calls.threads = 1;
    fx_status s = fx_combos_path_new(&p, o, t->block, t->label, t->weight, &calls);
    double seconds = measure_clock() - start;
    uint64_t peak = trial_memory_end(before);
    if (s < 0)
        return say_failure(s);
    *f = (figures){(double)p->steps, (double)(p->first[p->steps] - p->first[p->steps - 1]),
                   (double)p->searches, (double)p->examined, 0, fmin(f->seconds, seconds),
                   peak ? fmin(f->memory, (double)peak / MIB) : NAN};
    for (size_t k = 0; k < p->steps; k++)
        f->gap = fmax(f->gap, p->gap[k]);
    fx_combos_path_free(p);
    return 0;
}

/* ---- A case ------------------------------------------------------------------------------- */
static int read_case(fx_combos_options *o, const recipe *r, size_t cell)
{
    double order, tol;
    int status;

    if ((status = recipe_number(&order, r, cell, "order", 2))
        || (status = recipe_number(&o->span, r, cell, "C_span", 0))
        || (status = measure_count(&o->steps, r, "steps", "99")))
        return status;
    if (!(order >= 1 && order <= FX_ORDER_MAX && order == floor(order)))
        return recipe_error(r, recipe_field(r, cell, "order"), "order: 1 to %d", FX_ORDER_MAX);
    const char *text = recipe_set(r, "tol", "1e-8");
    char *end;
    tol = strtod(text, &end);
    if (end == text || *end || !(tol > 0))
        return recipe_error(r, text, "tol=%s is not a number above 0", text);
    o->order = (size_t)order;
    o->tol = tol;
    o->steps += o->steps > 0;           /* and the first */
    o->loss = recipe_field(r, cell, "loss");
    return 0;
}

static double products_of(size_t cols, size_t order)
{
    double sum = 0, n = 1;

    for (size_t k = 0; k < order && k < cols; k++)
        sum += n *= (double)(cols - k) / (double)(k + 1);
    return sum;
}

static int run(const measure_context *l, size_t cell)
{
    fx_combos_options o = {.size = sizeof o};
    figures f = {.seconds = INFINITY, .memory = INFINITY};
    fx_table t;
    size_t repeats;
    int status;

    if ((status = read_case(&o, l->r, cell))
        || (status = measure_count(&repeats, l->r, "repeats", "1"))
        || (status = measure_rows(&t, l, cell)))
        return status;
    for (size_t i = 0; i == 0 || (i < repeats && !status); i++)
        status = walk(&f, &o, &t);
    return status ? status
                  : l->emit(l->ctx, (const double[]){products_of(t.cols, o.order), f.steps,
                                                     f.weights, f.searches, f.examined, f.gap,
                                                     f.seconds, f.memory});
}

static int check(const recipe *r)
{
    size_t repeats;
    int status = measure_count(&repeats, r, "repeats", "1");

    for (size_t cell = 0; cell < r->cells && !status; cell++) {
        fx_combos_options o;
        status = read_case(&o, r, cell);
    }
    return status;
}

const measure measure_path = {.name = "path",
                              .summary = "L1 fits over all products of columns, for many C: time, "
                                         "memory, gaps",
                              .columns = columns, .options = options, .run = run, .check = check};
