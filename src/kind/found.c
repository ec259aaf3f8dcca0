/* SPDX-License-Identifier: BSD-3-Clause
 * found.c - linear models with an L1 penalty on more products of columns than can be written out:
 * src/combos finds those with weights.
 *
 * Where map explicit would have more than FXI_FOUND columns, the fit is of the rows as they are,
 * and the model becomes one on map explicit of the sets that were found, kernel itemset.  The
 * number of columns decides, never memory. */

#include "kind/kind.h"
#include "map/explicit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORK 0x1p22                     /* numbers added up: an iteration, as is a search of
                                         * fewer */

typedef struct fxi_found_term {
    int32_t n, column[FX_ORDER_MAX];    /* ascending */
    double w;
} term;

/* ---- Before a fit ---------------------------------------------------------------------------- */

/* Products of low to high different columns of d. */
static double count(size_t d, int low, int high)
{
    double all = 0;

    for (int t = low; t <= high; t++) {
        double c = 1;
        for (int i = 0; i < t; i++)
            c *= (double)d > i ? (double)(d - (size_t)i) / (i + 1) : 0;
        all += c;
    }
    return all;
}

/* Orders least..order, all of weight 1; false: the kernel is no such sum, or is written out. */
static bool orders_of(int *least, int *order, bool *plain, const fx_kernel *k, size_t cols)
{
    *plain = true;
    *order = k->order;
    *least = 1;
    if (k->type == &fxi_kernel_all_subsets)
        *order = cols < FX_ORDER_MAX ? (int)cols : FX_ORDER_MAX;
    else if (k->type != &fxi_kernel_anova && k->type != &fxi_kernel_anova_upto)
        return false;
    else
        while (*least <= k->order && k->coef[*least] == 0)
            ++*least;
    for (int t = *least; t <= *order && k->type != &fxi_kernel_all_subsets; t++)
        *plain &= k->coef[t] == 1;
    return *least <= *order && count(cols, *least, *order) > FXI_FOUND;
}

fx_status fxi_kind_found_prepare(bool *found, fxi_train *t, const fx_plan *plan)
{
    fxi_found *f = &((fxi_linear *)t->own)->found;
    size_t cols = t->m->c.cols;
    fx_description d = FX_INIT(fx_description);
    fx_kernel *k;
    bool plain = true;

    *found = false;
    if (!plan->map || !plan->kernel || fx_map_describe(&d, plan->map) || !d.exact)
        return FX_OK;                   /* a wrong spec is reported where the map is made */
    fx_status st = fx_kernel_parse(&k, plan->kernel, plan->family, t->m->c.base);
    if (st)
        return st;
    *found = orders_of(&f->least, &f->order, &plain, k, cols);
    fx_kernel_free(k);
    if (*found && (!plain || t->how.intercept == FXI_APPENDED))
        return fxi_error(FX_EUNSUPPORTED, "%.4g products of %zu columns are more than %d, so those "
                         "with weights are found, and that is not offered with %s",
                         count(cols, f->least, f->order), cols, FXI_FOUND,
                         plain ? "intercept=appended" : "theta");
    if (!*found)
        return FX_OK;
    if (t->stream)
        return fxi_error(FX_EUNSUPPORTED, "products are found in rows that are in memory");
    f->found = true;
    t->m->c.random = plan->features;
    t->m->c.features = cols;            /* as they are, until it ends */
    return FX_OK;
}

void fxi_kind_found_close(fxi_train *t)
{
    fxi_found *f = &((fxi_linear *)t->own)->found;

    for (size_t k = 0; f->output && k < t->outputs; k++)
        free(f->output[k].term);
    free(f->output);
}

fx_status fxi_kind_found_begin(fxi_train *t)
{
    fxi_found *f = &((fxi_linear *)t->own)->found;

    f->output = fxi_zalloc(t->outputs, sizeof *f->output);
    return f->output ? FX_OK : FX_ENOMEM;
}

/* ---- One output ------------------------------------------------------------------------------ */

/* What has a weight. */
static fx_status list_terms(fxi_found_fit *own)
{
    const fxi_combos *fit = &own->fit;
    term *list = fxi_realloc(own->list.term, fit->set.n + 1, sizeof *list);
    size_t column[FX_ORDER_MAX];

    if (!list)
        return FX_ENOMEM;
    own->list = (fxi_found_list){list, 0};
    for (size_t i = 0; i < fit->set.n; i++) {
        const fxi_combos_member *m = &fit->set.at[i];
        term *to = &list[own->list.n];
        if (m->w == 0)
            continue;
        *to = (term){.n = m->set.n, .w = m->w};
        fxi_combos_columns_of(column, &fit->columns, &m->set);
        for (int32_t k = 0; k < to->n; k++)
            to->column[k] = (int32_t)column[k];
        own->list.n++;
    }
    return FX_OK;
}

fx_status fxi_kind_found_solve(fxi_output *o, double C, const fx_run *run)
{
    const fxi_train *t = o->train;
    const fxi_found *f = &((const fxi_linear *)t->own)->found;
    fxi_found_fit *own = o->own;
    fxi_combos_problem p = {.X = &t->X, .loss = t->how.loss, .y = o->y, .weight = o->c,
                            .least = f->least, .order = f->order,
                            .intercept = t->how.intercept == FXI_FREE};
    fx_status st = FX_OK;

    if (!own->open && (st = fxi_combos_fit_new(&own->fit, &p, run)))
        return st;
    own->open = true;
    own->fit.max_rounds = t->how.max_iter;
    own->fit.max_work = (uint64_t)((double)t->how.max_iter * WORK);
    if ((st = fxi_combos_fit(&own->fit, C, 0, t->how.tol, run)) || (st = list_terms(own)))
        return st;
    o->s.b = own->fit.b;
    o->s.objective = own->fit.objective;
    o->s.gap = own->fit.gap;
    o->s.converged = own->fit.certified;
    o->s.iterations = (size_t)fmax((double)own->fit.rounds,
                                   ceil((double)own->fit.work / WORK));
    if (!isfinite(o->s.objective) || !isfinite(o->s.b))
        return fxi_error(FX_ENUMERIC, "output %zu ends with intercept %g and objective %g; lower C",
                         o->number, o->s.b, o->s.objective);
    return fxi_train_history(o, &o->s);
}

void fxi_kind_found_release(fxi_output *o)
{
    fxi_found_fit *own = o->own;

    if (own->open)
        fxi_combos_fit_free(&own->fit);
    free(own->list.term);
    *own = (fxi_found_fit){0};
}

void fxi_kind_found_keep(fxi_output *o)
{
    fxi_found_fit *own = o->own;

    ((fxi_linear *)o->train->own)->found.output[o->number] = own->list;
    own->list = (fxi_found_list){0};
}

typedef struct scoring {
    double *f;
    const fxi_found_list *list;
    double b;
    const fx_matrix *X;
    const int32_t *row;                 /* or NULL: all */
    size_t n;
    double *x;                          /* [threads][cols] zeros between rows */
} scoring;

enum { ROWS = 256 };

static fx_status score_block(void *ctx, size_t block, fxi_team *team)
{
    const scoring *s = ctx;
    size_t end = (block + 1) * ROWS < s->n ? (block + 1) * ROWS : s->n;
    double *x = s->x + (size_t)fxi_parallel_thread(team) * s->X->cols;

    for (size_t i = block * ROWS; i < end && !fxi_parallel_cancelled(team); i++) {
        fxi_row r = fxi_data_row(s->X, s->row ? (size_t)s->row[i] : i);
        for (size_t q = 0; q < r.n; q++)
            x[fxi_row_column(r, q)] = fxi_row_value(r, q);
        s->f[i] = s->b;
        for (const term *z = s->list->term; z < s->list->term + s->list->n; z++) {
            double product = z->w;
            for (int32_t k = 0; k < z->n && product != 0; k++)
                product *= x[z->column[k]];
            s->f[i] += product;
        }
        for (size_t q = 0; q < r.n; q++)
            x[fxi_row_column(r, q)] = 0;
    }
    return FX_OK;
}

fx_status fxi_kind_found_score(double *f, const fxi_output *o, const int32_t *row, size_t n,
                               const fx_run *run)
{
    const fxi_train *t = o->train;
    size_t blocks = (n + ROWS - 1) / ROWS;
    const fxi_found_fit *own = o->own;
    scoring s = {f, &own->list, own->fit.b, row ? &t->X : &t->eval_X, row, n, NULL};

    s.x = fxi_zalloc((size_t)fxi_parallel_threads(run, blocks) * s.X->cols, sizeof *s.x);
    fx_status st = s.x ? fxi_parallel(blocks, score_block, &s, run) : FX_ENOMEM;
    free(s.x);
    return st;
}

/* ---- The model ------------------------------------------------------------------------------- */

/* In the order of a family's sets: lexicographic. */
static int by_columns(const void *a, const void *b)
{
    const term *s = a, *t = b;

    for (int32_t i = 0; i < s->n && i < t->n; i++)
        if (s->column[i] != t->column[i])
            return s->column[i] < t->column[i] ? -1 : 1;
    return s->n < t->n ? -1 : s->n > t->n;
}

/* All sets with a weight in some output, each once; at least one. */
static fx_status unite(term **out, size_t *n, const fxi_found *f, size_t outputs)
{
    size_t all = 1, kept = 0;

    for (size_t k = 0; k < outputs; k++)
        all += f->output[k].n;
    term *list = fxi_zalloc(all, sizeof *list);
    if (!list)
        return FX_ENOMEM;
    all = 0;
    for (size_t k = 0; k < outputs; k++)
        for (size_t i = 0; i < f->output[k].n; i++)
            list[all++] = f->output[k].term[i];
    if (!all)
        list[all++] = (term){.n = f->least};    /* any set: its weight is 0 */
    for (int32_t k = 0; k < list[0].n && list[0].w == 0; k++)
        list[0].column[k] = k;
    qsort(list, all, sizeof *list, by_columns);
    for (size_t i = 0; i < all; i++)
        if (!kept || by_columns(&list[kept - 1], &list[i]) != 0)
            list[kept++] = list[i];
    *out = list;
    *n = kept;
    return FX_OK;
}

static fx_status keep_family(fx_model *m, const term *list, size_t n)
{
    size_t room = 2, len = 0;

    for (size_t i = 0; i < n; i++)
        room += (size_t)list[i].n * 12;
    char *text = fxi_alloc(room, 1);
    fx_status st = fxi_model_own(m, text);
    if (st)
        return st;
    for (size_t i = 0; i < n; i++)
        for (int32_t k = 0; k < list[i].n; k++)
            len += (size_t)snprintf(text + len, room - len, "%" PRId64 "%c",
                                    (int64_t)list[i].column[k] + m->c.base,
                                    k + 1 < list[i].n ? ' ' : '\n');
    m->c.family = text;
    return FX_OK;
}

static fx_status keep_weights(fxi_train *t, const term *list, size_t n)
{
    const fxi_found *f = &((const fxi_linear *)t->own)->found;
    size_t outputs = t->outputs, all;
    double *w = fxi_size_mul(&all, n, outputs) ? fxi_zalloc(all, sizeof *w) : NULL;
    fx_status st = fxi_model_own(t->m, w);

    for (size_t k = 0; k < outputs && !st; k++)
        for (size_t i = 0; i < f->output[k].n; i++) {
            const term *own = &f->output[k].term[i];
            const term *at = bsearch(own, list, n, sizeof *list, by_columns);
            w[(size_t)(at - list) * outputs + k] = own->w;
        }
    t->m->c.weights = w;
    return st;
}

fx_status fxi_kind_found_finish(fxi_train *t, const fx_run *run)
{
    fx_model *m = t->m;
    fx_model_info *c = &m->c;
    term *list = NULL;
    size_t n;
    fx_status st = unite(&list, &n, &((fxi_linear *)t->own)->found, t->outputs);

    if (!st && !(st = keep_family(m, list, n)))
        st = keep_weights(t, list, n);
    free(list);
    if (st || (st = fx_kernel_parse(&m->kernel, "itemset:file=found", c->family, c->base))
        || (st = fx_map_parse(&m->map, "explicit", m->kernel, c->cols, 1, c->seed, NULL, run))
        || (st = fxi_model_keep_text(&c->map, m, fx_map_spec(m->map))))
        return st;
    c->features = n;
    return fxi_model_keep_text(&c->kernel, m, fx_kernel_spec(m->kernel));
}
