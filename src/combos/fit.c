/* SPDX-License-Identifier: BSD-3-Clause
 * fit.c - column generation: fit the products in the set, search all products for slopes above 1,
 * add these, until the gap that the search proves is small enough.
 *
 * Along a path of C one search a step does, as the strong rule finds the candidates of the next C,
 * C', in the search that certifies this one: products with a slope above 2 C/C' - 1.  A slope it
 * misses is found by the next search. */

#include "combos/combos.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 5000, ALONE = 50 };       /* candidates of a search: on a path; of a single C */
enum { ROUNDS = 500, IN_VAIN = 20 };
enum { POLL = 64 };                     /* candidates between two polls */
enum { WIDTH = 64 };                    /* first columns that share the work of a limited search, as
                                         * long as that finds something; in the end they do not */
#define LEAST 0.2                       /* threshold of the strong rule, however long the step */
#define NOISE (64 * DBL_EPSILON)        /* a slope of this share of all is rounding: labels are
                                         * equal */
#define INNER 0.3                       /* share of the gap that is left to the set */

void fxi_combos_fit_free(fxi_combos *a)
{
    fxi_combos_search_free(a->search);
    fxi_combos_set_free(&a->set);
    fxi_combos_columns_free(&a->columns);
    fxi_free(a->c, a->f, a->theta, a->curve, a->step);
}

/* ---- Memory ------------------------------------------------------------------------------------
 * One limit for all: each gets what the others leave. */

static size_t bytes_of(const fxi_combos *a)     /* of what a fit has from the beginning */
{
    return a->columns.bytes + a->columns.rows * (6 * sizeof(double) + sizeof(int32_t));
}

static size_t left(const fxi_combos *a, const fx_run *run, size_t others)
{
    size_t limit = (size_t)fxi_sized_run(run).max_memory, used = bytes_of(a) + others;

    return !limit ? 0 : used < limit ? limit - used : 1;
}

fx_status fxi_combos_fit_new(fxi_combos *out, const fxi_combos_problem *p, const fx_run *run)
{
    fxi_combos a = {.p = *p};
    size_t n = p->X->rows;
    fx_status st = fxi_combos_columns_new(&a.columns, p->X, run);

    if (!st && (st = fxi_memory_check(run, bytes_of(&a), "rows of products")))
        fxi_combos_columns_free(&a.columns);
    if (st)
        return st;
    a.c = fxi_zalloc(n, sizeof *a.c);
    a.f = fxi_zalloc(n, sizeof *a.f);
    a.theta = fxi_zalloc(n, sizeof *a.theta);
    a.curve = fxi_zalloc(n, sizeof *a.curve);
    a.step = fxi_zalloc(n, sizeof *a.step);
    *out = a;                           /* the set and the search keep the address of columns */
    if (!a.c || !a.f || !a.theta || !a.curve || !a.step
        || (st = fxi_combos_set_new(&out->set, &out->columns, run))
        || (st = fxi_combos_search_new(&out->search, &out->columns, &out->p))) {
        st = st ? st : FX_ENOMEM;
        fxi_combos_fit_free(out);
        *out = (fxi_combos){0};
    }
    return st;
}

static void set_cost(fxi_combos *a, double C)
{
    a->C = C;
    for (size_t i = 0; i < a->columns.rows; i++)
        a->c[i] = C * a->p.weight[i];
}

/* ---- Steps of a fit -------------------------------------------------------------------------- */

/* The fit of the set. */
static fx_status minimise(fxi_combos *a, double tol, const fx_run *run, fxi_team *team)
{
    fx_run how = fxi_sized_run(run);

    how.max_memory = left(a, run, a->set.bytes + fxi_combos_search_bytes(a->search));
    return fxi_combos_newton(a, tol, &how, team);
}

static fx_status search(double *largest, fxi_combos *a, double threshold, size_t most,
                        const fx_run *run)
{
    fx_run how = fxi_sized_run(run);

    how.max_memory = left(a, run, a->set.bytes);
    fx_status st = fxi_combos_search_run(largest, a->search, a->theta, threshold, most, &how);
    a->set.limit = left(a, run, fxi_combos_search_bytes(a->search));
    return st;
}

/* ---- The first C ----------------------------------------------------------------------------- */

typedef struct call {
    fxi_combos *a;
    double C, next, tol;
    const fx_run *run;
} call;

static fx_status find_first(void *ctx, size_t block, fxi_team *team)
{
    call *o = ctx;
    fxi_combos *a = o->a;
    fx_run run = fxi_parallel_alone(o->run, team);
    double largest = 0, all = 0;

    (void)block;
    for (size_t k = 0; k < a->set.n; k++) {
        a->set.at[k].w = 0;
        a->set.at[k].keep = false;
    }
    fxi_combos_set_drop(&a->set);
    a->b = 0;
    memset(a->f, 0, a->columns.rows * sizeof *a->f);
    set_cost(a, 1);
    fx_status st = minimise(a, 0, &run, team);
    if (!st)
        st = search(&largest, a, 0, 1, &run);
    for (size_t i = 0; i < a->columns.rows; i++)
        all += a->c[i] * fabs(a->p.loss->slope(a->p.y[i], 0, 0));
    o->C = largest > NOISE * all ? 1 / largest : INFINITY;
    return st;
}

fx_status fxi_combos_fit_first(double *C, fxi_combos *a, const fx_run *run)
{
    call o = {.a = a, .run = run};
    fx_status st = fxi_parallel_ordered(1, find_first, &o, run);

    if (!st)
        *C = o.C;
    return st;
}

/* ---- A fit ----------------------------------------------------------------------------------- */

/* What the search found becomes the set, with the members that have weights. */
static fx_status renew(fxi_combos *a, size_t *fresh, fxi_team *team)
{
    const fxi_combos_hits *h = fxi_combos_search_hits(a->search);
    fx_status st = FX_OK;

    *fresh = 0;
    for (size_t k = 0; k < a->set.n; k++)
        a->set.at[k].keep = false;
    for (size_t k = 0; k < h->n && !st; k++) {
        bool now;
        if (k % POLL == 0 && fxi_parallel_cancelled(team))
            return FX_OK;
        st = fxi_combos_set_add(&now, &a->set, &h->at[k].set);
        *fresh += now;
    }
    fxi_combos_set_drop(&a->set);
    return st;
}

static void prove(fxi_combos *a, double proven, double tol)
{
    a->gap = a->objective > 0 ? fmax(a->objective - proven, 0) / a->objective : 0;
    a->certified = a->gap <= tol;
}

static bool spent(const fxi_combos *a)
{
    return a->rounds == ROUNDS || (a->max_rounds && a->rounds >= a->max_rounds)
           || (a->max_work && a->work >= a->max_work);
}

static fx_status fit_block(void *ctx, size_t block, fxi_team *team)
{
    const call *o = ctx;
    fxi_combos *a = o->a;
    fx_run run = fxi_parallel_alone(o->run, team);
    bool path = o->next > o->C;
    double threshold = path ? fmax(2 * o->C / o->next - 1, LEAST) : 1, proven = -INFINITY, largest;
    size_t fresh = 0, width = WIDTH;

    (void)block;
    fx_status st = minimise(a, path ? INNER * o->tol : 0.1, &run, team);
    a->work = 0;
    for (a->rounds = 0; !st;) {
        uint64_t before = fxi_combos_search_work(a->search);
        fxi_combos_search_limit(a->search, a->max_work ? a->max_work - a->work : 0, width);
        if ((st = search(&largest, a, threshold, path ? PATH : ALONE, &run)))
            return st;
        for (size_t k = 0; k < a->set.n; k++)   /* rounded otherwise than in the search */
            largest = fmax(largest, fabs(a->set.at[k].slope));
        proven = fmax(proven, fxi_combos_newton_dual(a, largest));
        prove(a, proven, o->tol);
        if ((st = renew(a, &fresh, team)))
            return st;
        a->rounds++;
        a->work += fxi_combos_search_work(a->search) - before;
        width = fresh || width == 1 ? width : width / 4;
        if (a->certified || (!fresh && a->rounds > IN_VAIN))
            return FX_OK;
        double inner = path ? 0 : fmin(0.1, 0.1 * a->gap);
        st = minimise(a, fmax(INNER * o->tol, inner), &run, team);
        if (!st && spent(a)) {          /* with what the last search found */
            prove(a, proven, o->tol);
            return FX_OK;
        }
    }
    return st;
}

fx_status fxi_combos_fit(fxi_combos *a, double C, double next, double tol, const fx_run *run)
{
    call o = {a, C, next, tol, run};

    set_cost(a, C);
    return fxi_parallel_ordered(1, fit_block, &o, run);
}
