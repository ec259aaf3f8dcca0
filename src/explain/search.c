/* SPDX-License-Identifier: BSD-3-Clause
 * search.c - the combinations with the largest |weight|.
 *
 * Small sets are listed (list.c).  Otherwise each order is searched separately.  A narrow beam
 * gives a first list.  Then all combinations are visited that may belong to it by the bounds of
 * weight.c, in rounds of first columns.  The blocks of a round share the list of the round before,
 * so that neither the list nor the visits depend on threads.  A search that takes more than its
 * share of max_work is ended: a wide beam follows, and the first columns that are left bound what
 * may have been missed. */

#include "explain/explain.h"

#include <math.h>
#include <stdlib.h>

enum { BLOCKS = 16, ROUND = 1024, NARROW = 8, WIDE = 4096, LARGE = 1 << 16 };
static const double SMALL = 1e7;        /* multiplications: no beam is worth it */
static const double SHARE = 0.9;        /* of the effort, for the search by bounds */

/* ---- One order --------------------------------------------------------------------------- */

typedef struct searching {
    fxi_explain_top *top;
    const fxi_explain_field *f;
    fxi_explain_walk *walk;             /* [blocks] */
    size_t blocks, next, end;           /* units of this round */
    double effort, *done;
} searching;

/* First position of a unit: panels of order 2, else columns. */
static size_t position(const fxi_explain_field *f, size_t unit)
{
    return f->P && f->t == 2 ? unit * FXI_LANES : unit;
}

static fx_status search_block(void *ctx, size_t b, fxi_team *team)
{
    searching *s = ctx;
    fxi_explain_walk *w = &s->walk[b];
    fx_status st = FX_OK;

    w->team = w->top.team = team;
    for (size_t u = s->next + b; u < s->end && !st && !w->stopped; u += s->blocks) {
        if (fxi_explain_weight_bound(s->f, position(s->f, u)) < fxi_explain_walk_min(w))
            break;
        st = s->f->P ? fxi_explain_dense(w, u) : fxi_explain_sparse(w, u);
    }
    return st;
}

static fx_status make_walks(searching *s)
{
    fx_status st = FX_OK;

    if (!(s->walk = fxi_zalloc(s->blocks, sizeof *s->walk)))
        return FX_ENOMEM;
    for (size_t b = 0; b < s->blocks && !st; b++) {
        fxi_explain_walk *w = &s->walk[b];
        w->f = s->f;
        w->simd = fxi_simd_get();
        w->top.max_items = s->top->max_items;
        w->top.holders = s->top->holders;
        st = s->f->P ? fxi_explain_dense_workspace(w, s->f) : fxi_explain_sparse_workspace(w, s->f);
    }
    return st;
}

static void free_walks(searching *s)
{
    for (size_t b = 0; s->walk && b < s->blocks; b++) {
        fxi_explain_walk *w = &s->walk[b];
        free(w->top.at);
        free(w->q);
        free(w->panel);
        free(w->sum);
        free(w->touched);
        free(w->component);
        free(w->mark);
    }
    free(s->walk);
}

/* All that may be listed, within `limit`; *left: the first unit that is not done. */
static fx_status by_bounds(searching *s, double *work, double limit, size_t *left,
                           const fx_run *run)
{
    const fxi_explain_field *f = s->f;
    size_t units = f->P && f->t == 2 ? f->panels : f->n;
    double begin = *work;
    bool stopped = false;
    fx_status st = make_walks(s);

    *left = units;
    for (size_t round = BLOCKS; s->next < units && !st && !stopped; s->next = s->end) {
        if (fxi_explain_weight_bound(f, position(f, s->next)) < fxi_explain_min_weight(s->top))
            break;
        s->end = units - s->next < round ? units : s->next + round;
        for (size_t b = 0; b < s->blocks; b++) {
            fxi_explain_walk *w = &s->walk[b];
            w->floor = fxi_explain_min_weight(s->top);
            w->work = w->poll = 0;
            w->limit = (limit - (*work - begin)) / (double)s->blocks;
        }
        *s->done = fmin(1, *work / s->effort);
        st = fxi_parallel(s->blocks, search_block, s, run);
        for (size_t b = 0; b < s->blocks && !st; b++) {
            *work += s->walk[b].work + s->walk[b].top.row_steps;
            s->walk[b].top.row_steps = 0;
            stopped |= s->walk[b].stopped;
            st = fxi_explain_top_merge(s->top, &s->walk[b].top);
        }
        if (stopped)
            *left = s->next;
        round = round < ROUND ? 2 * round : ROUND;
    }
    free_walks(s);
    return st;
}

/* Work of a search that leaves nothing out; parts of tiles that are not needed apart. */
static double all_of(const fxi_explain_field *f)
{
    double n = f->t == 2 ? fmax((double)f->n, FXI_LANES) : (double)f->n, sets = 1, work = 0;

    for (int i = 0; i < f->t; i++) {
        sets *= fmax(1, n + (f->part->repeats ? i : -i)) / (i + 1); /* of i + 1 columns */
        bool last = i >= f->t - 2;
        work += sets * (!f->P ? FXI_EXPLAIN_ENTRY : last ? 1 : FXI_EXPLAIN_STEP);
    }
    return work * (double)f->S;
}

/* How wide a beam takes about this work, 1 to max_width. */
static size_t beam_width(const fxi_explain_field *f, double work, size_t max_width)
{
    double each = 8. * f->t * (double)f->S * ((double)f->n + FXI_EXPLAIN_STEP * f->t);

    return work < each ? 1 : work > (double)max_width * each ? max_width : (size_t)(work / each);
}

static fx_status search_order(fxi_explain_top *top, fxi_explain_search *s,
                              const fxi_explain_field *f, double *work, double share,
                              const fx_run *run)
{
    searching a = {.top = top, .f = f, .blocks = top->max_items > LARGE ? 1 : BLOCKS,
                   .effort = s->effort, .done = s->done};
    size_t left = 0;
    double begin = *work, worst = all_of(f);
    fx_run how = fxi_parallel_run(run, fmin(worst, share));
    fx_status st = FX_OK;

    if (fxi_explain_weight_bound(f, 0) < fxi_explain_min_weight(top) || !f->n)
        return FX_OK;
    if (f->P && worst > SMALL)
        st = fxi_explain_beam(top, f, beam_width(f, (1 - SHARE) * share, NARROW), work, run);
    double limit = worst <= share ? INFINITY : (f->P ? SHARE : 1) * share - (*work - begin);
    if (!st)
        st = by_bounds(&a, work, limit, &left, &how);
    double bound = fxi_explain_weight_bound(f, position(f, left));
    if (st || bound == 0 || bound < fxi_explain_min_weight(top))
        return st;
    if (f->P)
        st = fxi_explain_beam(top, f, beam_width(f, share - (*work - begin), WIDE), work, run);
    s->exact = false;
    s->bound = fmax(s->bound, bound);
    return st;
}

/* ---- All of it --------------------------------------------------------------------------- */

typedef struct beyond {                 /* largest products of any columns */
    const fxi_explain_part *a;
    fxi_explain_columns c;
    double *p, *log;                    /* [S] */
} beyond;

static fx_status multiply(void *ctx, size_t block, fxi_team *team)
{
    const beyond *b = ctx;

    (void)block;
    for (size_t i = 0; i < b->c.n && !fxi_parallel_cancelled(team); i++) {
        b->a->read(b->p, b->a, b->c.column[i]);
        for (size_t s = 0; s < b->a->S; s++)
            b->log[s] += log(fmax(1, fabs(b->p[s] * (b->c.x ? b->c.x[i] : 1))));
    }
    return FX_OK;
}

/* Bound for combinations longer than those searched.  They have at least t = FXI_EXPLAIN_DEEP + 1
 * columns, at best those with the t largest factors and all others above 1:
 * sum_s |lambda_s| prod_{i<=t} min(1, M_si) prod_j max(1, |p_js|). */
static fx_status bound_beyond(double *out, const fxi_explain_part *a, fxi_explain_columns c,
                              const fx_run *run)
{
    fxi_explain_field f = {0};
    beyond b = {a, c, fxi_alloc(a->S, sizeof *b.p), fxi_zalloc(a->S, sizeof *b.log)};
    fx_status st = b.p && b.log ? fxi_explain_field_new(&f, a, FXI_EXPLAIN_DEEP + 1, c, run)
                                : FX_ENOMEM;

    if (!st)
        st = fxi_parallel_ordered(1, multiply, &b, run);
    *out = 0;
    for (size_t s = 0; s < a->S && !st; s++) {
        double product = fabs(f.lambda[s]) * exp(b.log[s]) * FXI_EXPLAIN_SLACK;
        for (size_t i = 0; i < (size_t)f.t; i++)
            product *= fmin(1, f.largest[i * f.S + s]);
        *out += product;
    }
    fxi_explain_field_free(&f);
    free(b.p);
    free(b.log);
    return st;
}

static int highest(const fxi_explain_part *a, size_t columns)
{
    return a->repeats || (size_t)a->high < columns ? a->high : (int)columns;
}

/* Orders of a part that are to be searched: first..last. */
static int first_of(const fxi_explain_part *a, const fxi_explain_search *s)
{
    int low = a->low > 2 ? a->low : 2;

    return s->order > (size_t)low ? (int)fmin((double)s->order, FXI_EXPLAIN_DEEP + 1) : low;
}

static int last_of(const fxi_explain_part *a, const fxi_explain_search *s, size_t columns)
{
    int high = highest(a, columns);

    high = high < FXI_EXPLAIN_DEEP ? high : FXI_EXPLAIN_DEEP;
    return s->order && s->order < (size_t)high ? (int)s->order : high;
}

/* True if no bound of the next order is larger: one more column multiplies by at most 1. */
static bool falls(const fxi_explain_field *f)
{
    const double *last = f->largest + (size_t)(f->t - 1) * f->S;

    bool all = true;

    for (size_t s = 0; s < f->S; s++)
        all &= last[s] <= 1;
    return all;
}

static fx_status search_part(fxi_explain_top *top, fxi_explain_search *s, double *work,
                             const fxi_explain_part *a, fxi_explain_columns c, const fx_run *run)
{
    int high = highest(a, c.n), last = last_of(a, s, c.n);
    fx_status st = FX_OK;

    for (int t = first_of(a, s); t <= last && !st; t++) {
        fxi_explain_field f;
        if ((st = fxi_explain_field_new(&f, a, t, c, run)))
            return st;
        double share = (s->effort - *work) / (double)s->left--;
        bool done = a->same && falls(&f)
                    && fxi_explain_weight_bound(&f, 0) < fxi_explain_min_weight(top);
        st = search_order(top, s, &f, work, share, run);
        fxi_explain_field_free(&f);
        if (done)
            return st;                  /* bounds of longer ones are smaller still */
    }
    if (!st && high > FXI_EXPLAIN_DEEP && (!s->order || s->order > FXI_EXPLAIN_DEEP)) {
        double bound;
        if (!(st = bound_beyond(&bound, a, c, run)) && bound >= fxi_explain_min_weight(top)) {
            s->exact = false;
            s->bound = fmax(s->bound, bound);
        }
    }
    return st;
}

fx_status fxi_explain_search_run(fxi_explain_top *top, fxi_explain_search *s,
                                 const fxi_explain_terms *t, fxi_explain_columns c,
                                 const fx_run *run)
{
    double work = 0;
    fx_status st = fxi_explain_list(top, s->order, t, c, run);

    s->exact = true;
    s->bound = 0;
    s->left = 0;
    for (size_t k = 0; k < t->parts; k++)
        for (int i = first_of(&t->part[k], s); i <= last_of(&t->part[k], s, c.n); i++)
            s->left++;
    for (size_t k = 0; k < t->parts && !t->tree && !st; k++)
        st = search_part(top, s, &work, &t->part[k], c, run);
    if (!st && !s->exact)
        s->bound = fmax(s->bound, fxi_explain_min_weight(top));
    return st;
}
