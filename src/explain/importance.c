/* SPDX-License-Identifier: BSD-3-Clause
 * importance.c - how much combinations change the scores of rows: the mean |contribution|, which is
 * |weight| times the mean |product of the columns|.
 *
 * A weight alone is meaningful for columns of size 1: a column of small numbers gets a large weight
 * and may change no score.  Importance does not depend on how the columns are scaled.
 *
 * The largest.  By Hoelder's inequality the mean |product| of t columns is at most the product of
 * their norms (mean |x|^t)^(1/t).  So |weight| times these norms, which is what the search of one
 * row looks for, bounds the importance.  The candidates with the largest bounds are searched for
 * and measured; if the last listed one is not below the bound of all others, the list is exact,
 * else more candidates are tried.
 *
 * Cost: for each candidate, the rows that hold its rarest column. */

#include "explain/explain.h"
#include "map/explicit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 4096,                    /* rows between two polls */
       BLOCK = 16,                      /* combinations */
       FIRST = 16, MORE = 8,            /* candidates per combination listed; factor per round */
       CANDIDATES = 1 << 14 };          /* no more of them */

/* ---- Importance of given combinations ----------------------------------------------------- */

typedef struct measuring {
    const fxi_explain_values *v;
    const uint64_t *held;               /* [cols] rows of all visits that have a column, or NULL: v
                                         * has all rows */
    const fxi_explain_item *item;
    size_t n;
    double *out;                        /* [n] */
} measuring;

typedef struct column {
    size_t at, end;                     /* into row and x */
    uint64_t held;                      /* by rows, of all */
    int power;
} column;

/* True if the column has this row; skips all entries before it. */
static bool find_row(const fxi_explain_values *v, column *c, uint32_t row)
{
    size_t low = c->at, high = c->end;

    if (high - low == v->rows)          /* all rows have it; it is never moved */
        return true;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (v->row[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    c->at = low;
    return low < c->end && v->row[low] == row;
}

static double power(double x, int n)
{
    double product = 1;

    for (int i = 0; i < n; i++)
        product *= x;
    return product;
}

/* Its distinct columns, the rarest first. */
static int take_columns(column *of, const measuring *a, const fxi_explain_item *item)
{
    const fxi_explain_values *v = a->v;
    int n = 0;

    for (int i = 0; i < item->order; i++) {
        size_t j = (size_t)item->column[i];
        if (i && item->column[i] == item->column[i - 1]) {
            of[n - 1].power++;
            continue;
        }
        uint64_t held = a->held ? a->held[j] : v->first[j + 1] - v->first[j];
        of[n++] = (column){v->first[j], v->first[j + 1], held, 1};
    }
    for (int i = 1; i < n; i++)
        if (of[i].held < of[0].held) {
            column swap = of[0];
            of[0] = of[i];
            of[i] = swap;
        }
    return n;
}

/* sum plus that over rows of |product of its columns| */
static double sum_products(double sum, const measuring *a, const fxi_explain_item *item,
                           fxi_team *team)
{
    const fxi_explain_values *v = a->v;
    column of[FXI_EXPLAIN_DEEP] = {0};
    int n = take_columns(of, a, item);

    for (size_t e = of[0].at, steps = 1; e < of[0].end; e++, steps++) {
        uint32_t row = v->row[e];
        double product = power(v->x[e], of[0].power);
        int i = 1;
        for (; i < n && find_row(v, &of[i], row); i++) {
            bool all = of[i].end - of[i].at == v->rows;
            product *= power(v->x[of[i].at + (all ? row : 0)], of[i].power);
        }
        sum += i == n ? fabs(product) : 0;
        if (steps % PIECE == 0 && fxi_parallel_cancelled(team))
            break;
    }
    return sum;
}

static fx_status measure(void *ctx, size_t block, fxi_team *team)
{
    const measuring *a = ctx;
    size_t k = block * BLOCK, end = a->n - k < BLOCK ? a->n : k + BLOCK;

    for (; k < end && !fxi_parallel_cancelled(team); k++)
        a->out[k] = sum_products(a->out[k], a, &a->item[k], team);
    return FX_OK;
}

fx_status fxi_explain_importance_add(double *sum, const fxi_explain_item *item, size_t n,
                                     const fxi_explain_values *v, const uint64_t *held,
                                     const fx_run *run)
{
    measuring a = {v, held, item, n, sum};

    return fxi_parallel((n + BLOCK - 1) / BLOCK, measure, &a, run);
}

void fxi_explain_importance_end(double *sum, const fxi_explain_item *item, size_t n, double rows)
{
    for (size_t k = 0; k < n; k++)
        sum[k] = fabs(item[k].weight) * sum[k] / rows;
}

fx_status fxi_explain_importance(double *out, const fxi_explain_item *item, size_t n,
                                 const fxi_explain_values *v, const fx_run *run)
{
    memset(out, 0, n * sizeof *out);
    fx_status st = fxi_explain_importance_add(out, item, n, v, NULL, run);
    fxi_explain_importance_end(out, item, n, (double)v->rows);
    return st;
}

/* ---- The largest -------------------------------------------------------------------------- */

/* The longest combination that the model may have; beyond FXI_EXPLAIN_DEEP they are bounded. */
static int longest(const fxi_explain_terms *t, size_t columns)
{
    int order = 1;

    for (size_t k = 0; k < t->parts; k++) {
        const fxi_explain_part *a = &t->part[k];
        int high = a->repeats || (size_t)a->high < columns ? a->high : (int)columns;
        order = high > order ? high : order;
    }
    if (t->expanded) {
        const fxi_expansion *e = t->expanded->state;
        for (size_t i = 0; i < e->sections; i++)
            if (e->section[i].order + e->section[i].square > order)
                order = e->section[i].order + e->section[i].square;
        if (e->tree && (int)e->tree->depth > order)
            order = (int)e->tree->depth;
    }
    return order <= FXI_EXPLAIN_DEEP ? order : FXI_EXPLAIN_DEEP + 1;
}

void fxi_explain_importance_largest(double *largest, const fxi_explain_values *v)
{
    for (size_t j = 0; j < v->cols; j++)
        for (size_t e = v->first[j]; e < v->first[j + 1]; e++)
            largest[j] = fmax(largest[j], fabs(v->x[e]));
}

/* |x| is divided by the largest: powers neither overflow nor vanish. */
double fxi_explain_importance_powers(double sum, const fxi_explain_values *v, size_t j, int p,
                                     double largest)
{
    for (size_t e = v->first[j]; e < v->first[j + 1] && p <= FXI_EXPLAIN_DEEP; e++)
        sum += pow(fabs(v->x[e]) / largest, p);
    return sum;
}

double fxi_explain_importance_norm(double sum, double rows, int p, double largest)
{
    return p > FXI_EXPLAIN_DEEP || largest == 0 ? largest : largest * pow(sum / rows, 1. / p);
}

/* Of rows in memory. */
static fx_status norms(void *rows, double *norm, int low, int high, fxi_explain_columns c,
                       const fx_run *run)
{
    const fxi_explain_values *v = rows;
    double *largest = fxi_zalloc(v->cols, sizeof *largest);

    (void)run;
    if (!largest)
        return FX_ENOMEM;
    fxi_explain_importance_largest(largest, v);
    for (int p = low; p <= high; p++)
        for (size_t k = 0; k < c.n; k++, norm++) {
            size_t j = c.column[k];
            double sum = fxi_explain_importance_powers(0, v, j, p, largest[j]);
            *norm = fxi_explain_importance_norm(sum, (double)v->rows, p, largest[j]);
        }
    free(largest);
    return FX_OK;
}

static fx_status measure_top(void *rows, double *out, fxi_explain_top *top, const fx_run *run)
{
    return fxi_explain_importance(out, top->at, top->n, rows, run);
}

fxi_explain_measures fxi_explain_importance_by(fxi_explain_values *v)
{
    return (fxi_explain_measures){norms, measure_top, v};
}

typedef struct ranking {
    const fxi_explain_measures *by;
    const fxi_explain_terms *t;
    fxi_explain_columns c;              /* x: norms of one order */
    double *norm;                       /* [orders][c.n] */
    int low, high;                      /* orders */
} ranking;

static const double *norms_of(const ranking *r, int order)
{
    return r->norm + (size_t)(order - r->low) * r->c.n;
}

/* Candidates by their bounds, order by order: top->at[].weight is the bound. */
static fx_status find_candidates(fxi_explain_top *top, fxi_explain_search *s, const ranking *r,
                                 const fx_run *run)
{
    fxi_explain_search one = *s;
    fx_status st = FX_OK;

    s->exact = true;
    s->bound = 0;
    one.effort /= r->high - r->low + 1;
    for (int order = r->low; order <= r->high && !st; order++) {
        fxi_explain_columns c = {r->c.n, r->c.column, norms_of(r, order)};
        one.order = (size_t)order;
        st = fxi_explain_search_run(top, &one, r->t, c, run);
        s->exact &= one.exact;
        s->bound = fmax(s->bound, one.bound);
    }
    return st;
}

/* Bounds become weights: what the search multiplied by is divided out. */
static void restore_weights(fxi_explain_top *top, const ranking *r)
{
    for (size_t k = 0; k < top->n; k++) {
        fxi_explain_item *item = &top->at[k];
        const double *norm = norms_of(r, item->order);
        size_t at = 0;
        for (int i = 0; i < item->order; i++) {
            while (r->c.column[at] != (size_t)item->column[i])
                at++;
            item->weight /= norm[at];
        }
    }
}

typedef struct ranked {
    double importance;
    fxi_explain_item item;
} ranked;

static int larger_first(const void *first, const void *second)
{
    const ranked *a = first, *b = second;

    if (a->importance != b->importance)
        return a->importance > b->importance ? -1 : 1;
    return fxi_explain_top_compare(&a->item, &b->item);
}

/* Sorts the candidates by importance. */
static fx_status rank(fxi_explain_top *top, double *importance, const fxi_explain_measures *by,
                      const fx_run *run)
{
    ranked *list = fxi_alloc(top->n, sizeof *list);
    fx_status st = list ? by->measure(by->rows, importance, top, run) : FX_ENOMEM;

    for (size_t k = 0; k < top->n && !st; k++)
        list[k] = (ranked){importance[k], top->at[k]};
    if (!st && top->n)
        qsort(list, top->n, sizeof *list, larger_first);
    for (size_t k = 0; k < top->n && !st; k++) {
        importance[k] = list[k].importance;
        top->at[k] = list[k].item;
    }
    free(list);
    return st;
}

/* One round: n combinations of `candidates`; *enough: more candidates would not help. */
static fx_status try_candidates(fxi_explain_top *top, fxi_explain_search *s, const ranking *r,
                                size_t n, bool *enough, const fx_run *run)
{
    fx_status st = find_candidates(top, s, r, run);
    bool full = top->n == top->max_items;
    double others = full ? fmax(s->bound, fxi_explain_min_weight(top)) : s->bound;
    double *importance = st ? NULL : fxi_alloc(top->n, sizeof *importance);

    if (st || !importance)
        return st ? st : FX_ENOMEM;
    *enough = !full || !s->exact || top->max_items >= CANDIDATES;
    restore_weights(top, r);
    if (!(st = rank(top, importance, r->by, run))) {
        top->n = top->n < n ? top->n : n;
        double last = top->n < n ? 0 : importance[n - 1];
        s->exact = others <= last * FXI_EXPLAIN_SLACK;  /* bounds are rounded */
        s->bound = s->exact ? 0 : others;
        *enough |= s->exact;
    }
    free(importance);
    return st;
}

fx_status fxi_explain_importance_search(fxi_explain_top *top, fxi_explain_search *s,
                                        const fxi_explain_terms *t, fxi_explain_columns c,
                                        const fxi_explain_measures *by, const fx_run *run)
{
    const fxi_explain_search asked = *s;
    ranking r = {.by = by, .t = t, .c = c};
    size_t n = top->max_items, orders, numbers;
    bool enough = false;

    r.low = asked.order ? (int)asked.order : 1;
    r.high = asked.order ? (int)asked.order : longest(t, c.n);
    orders = (size_t)(r.high - r.low) + 1;
    r.norm = fxi_size_mul(&numbers, orders, c.n) ? fxi_alloc(numbers, sizeof *r.norm) : NULL;
    fx_status st = r.norm ? by->norms(by->rows, r.norm, r.low, r.high, c, run) : FX_ENOMEM;
    for (size_t each = FIRST; !enough && !st; each *= MORE) {
        *s = asked;
        top->n = 0;
        top->max_items = n < CANDIDATES / each ? n * each : n > CANDIDATES ? n : CANDIDATES;
        st = try_candidates(top, s, &r, n, &enough, run);
    }
    free(r.norm);
    return st;
}
