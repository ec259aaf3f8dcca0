/* SPDX-License-Identifier: BSD-3-Clause
 * top.c - metrics of the k best rows of each query, by score.
 *
 *   DCG@k        sum over ranks i = 1 .. k of gain / log2(i + 1); the gain is the label, 0 below 0
 *   ndcg@k       DCG@k divided by that of the rows in the order of their labels
 *   precision@k  relevant rows (label > 0) among the k best, divided by k, also where a query has
 *                fewer rows
 *   recall@k     the same divided by the number of relevant rows of the query
 *
 * Rows of equal scores share their ranks: the result is the mean over all orders of them, so the
 * order in which rows are given has no effect.  A query without relevant rows counts 0.  ndcg is
 * that of scikit-learn's ndcg_score: linear gains, averaged over ties, 0 for such queries.
 *
 * The result is the mean over queries, each with the mean weight of its rows.  Rows without a query
 * are one query together.  Cost: n log n. */

#include "metric/queries.h"

typedef double gain_of(double label);
typedef double discount_of(size_t rank);        /* from 0 */

static double above_0(double label) { return fmax(label, 0); }
static double relevant(double label) { return label > 0; }
static double discounted(size_t rank) { return 1 / log2((double)rank + 2); }
static double plain(size_t rank)
{
    (void)rank;
    return 1;
}

typedef struct top top;
struct top {
    const fxi_metric_rows *r;
    double (*of)(const top *t, size_t first, size_t last);
    size_t k;
    fxi_metric_queries by_score, by_label;      /* by_label: ndcg alone */
    double sum, total;
};

/* Over the k best of the items [first, last), which ascend: the sum of gain times discount. */
static double sum_best(const fxi_metric_queries *q, size_t first, size_t last, size_t k,
                       gain_of *gain, discount_of *discount)
{
    double sum = 0;

    for (size_t end = last, at, rank = 0; end > first && rank < k; end = at) {
        double gains = 0, discounts = 0, tied = 0;
        double f = q->score[q->item[end - 1].with.number];
        for (at = end; at > first && q->score[q->item[at - 1].with.number] == f; at--, rank++) {
            gains += gain(q->r->y[q->item[at - 1].with.number]);
            discounts += rank < k ? discount(rank) : 0;
            tied++;
        }
        sum += gains / tied * discounts;
    }
    return sum;
}

static double ndcg(const top *t, size_t first, size_t last)
{
    double ideal = sum_best(&t->by_label, first, last, t->k, above_0, discounted);

    return ideal > 0 ? sum_best(&t->by_score, first, last, t->k, above_0, discounted) / ideal : 0;
}

static double precision(const top *t, size_t first, size_t last)
{
    return sum_best(&t->by_score, first, last, t->k, relevant, plain) / (double)t->k;
}

static double recall(const top *t, size_t first, size_t last)
{
    double all = sum_best(&t->by_score, first, last, SIZE_MAX, relevant, plain);

    return all > 0 ? sum_best(&t->by_score, first, last, t->k, relevant, plain) / all : 0;
}

static fx_status add_query(void *ctx, size_t first, size_t last, fxi_team *team)
{
    top *t = ctx;
    double weight = 0;

    if (t->of == ndcg && first == 0) {  /* queries have the same places in both orders */
        fx_status st = fxi_metric_queries_sort(&t->by_label, team);
        if (st)
            return st;
    }
    for (size_t k = first; k < last; k++)
        weight += fxi_metric_weight(t->r, t->by_score.item[k].with.number);
    weight /= (double)(last - first);
    t->sum += weight * t->of(t, first, last);
    t->total += weight;
    return FX_OK;
}

static fx_status mean(double *out, const fxi_metric_rows *r, size_t k,
                      double (*of)(const top *t, size_t first, size_t last), const fx_run *run)
{
    top t = {.r = r, .of = of, .k = k};
    size_t more = of == ndcg ? 2 * sizeof(fxi_data_item) + sizeof(size_t) : 0;
    fx_status st = fxi_metric_queries_new(&t.by_score, r, r->score, more, run);

    if (!st && of == ndcg)
        st = fxi_metric_queries_new(&t.by_label, r, r->y, more, run);
    if (!st)
        st = fxi_metric_queries_each(&t.by_score, add_query, &t, run);
    if (!st)
        *out = t.sum / t.total;         /* NaN: no rows */
    fxi_metric_queries_free(&t.by_score);
    fxi_metric_queries_free(&t.by_label);
    return st;
}

fx_status fxi_metric_top_ndcg(double *out, const fxi_metric_rows *r, size_t k, const fx_run *run)
{
    return mean(out, r, k, ndcg, run);
}

fx_status fxi_metric_top_precision(double *out, const fxi_metric_rows *r, size_t k,
                                   const fx_run *run)
{
    return mean(out, r, k, precision, run);
}

fx_status fxi_metric_top_recall(double *out, const fxi_metric_rows *r, size_t k, const fx_run *run)
{
    return mean(out, r, k, recall, run);
}
