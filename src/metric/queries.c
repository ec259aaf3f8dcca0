/* SPDX-License-Identifier: BSD-3-Clause
 * queries.c - the rows of a ranking by query, score and label: three stable sorts. */

#include "metric/queries.h"

#include <stdlib.h>

fx_status fxi_metric_queries_new(fxi_metric_queries *q, const fxi_metric_rows *r,
                                 const double *score, size_t more, const fx_run *run)
{
    size_t bytes, each = 2 * sizeof *q->item + sizeof *q->level + more;
    fx_status st = fxi_memory_check(run, fxi_size_mul(&bytes, r->n + 1, each) ? bytes : SIZE_MAX,
                                    "scores in order");

    *q = (fxi_metric_queries){.r = r, .score = score};
    if (st)
        return st;
    q->item = fxi_alloc(r->n + r->n / 2, sizeof *q->item);
    q->level = fxi_alloc(r->n, sizeof *q->level);
    return q->item && q->level ? FX_OK : FX_ENOMEM;
}

void fxi_metric_queries_free(fxi_metric_queries *q)
{
    free(q->item);
    free(q->level);
}

fx_status fxi_metric_queries_sort(fxi_metric_queries *q, fxi_team *team)
{
    const fxi_metric_rows *r = q->r;
    fxi_data_item *item = q->item;
    fx_status st;

    q->n = 0;
    for (size_t i = 0; i < r->n; i++)
        if (fxi_metric_weight(r, i) > 0) {
            item[q->n].key.col = fxi_data_sort_number(r->y[i]);
            item[q->n++].with.number = i;
        }
    if ((st = fxi_data_sort(item, item + q->n, q->n, fxi_data_sort_ascending, team)))
        return st;
    q->levels = 0;
    for (size_t k = 0; k < q->n; k++) {
        q->levels += !k || item[k].key.col != item[k - 1].key.col;
        q->level[item[k].with.number] = q->levels;
    }
    for (size_t k = 0; k < q->n; k++)
        item[k].key.col = fxi_data_sort_number(q->score[item[k].with.number]);
    if ((st = fxi_data_sort(item, item + q->n, q->n, fxi_data_sort_ascending, team)) || !r->qid)
        return st;
    for (size_t k = 0; k < q->n; k++)
        item[k].key.col = r->qid[item[k].with.number];
    return fxi_data_sort(item, item + q->n, q->n, fxi_data_sort_ascending, team);
}

size_t fxi_metric_queries_tied(const fxi_metric_queries *q, size_t k, size_t last)
{
    double f = q->score[q->item[k].with.number];

    while (k < last && q->score[q->item[k].with.number] == f)
        k++;
    return k;
}

typedef struct visiting {
    fxi_metric_queries *q;
    fxi_metric_query *fn;
    void *ctx;
} visiting;

static bool same_query(const fxi_metric_queries *q, size_t k, size_t h)
{
    const int64_t *qid = q->r->qid;

    return !qid || qid[q->item[k].with.number] == qid[q->item[h].with.number];
}

static fx_status visit(void *ctx, size_t block, fxi_team *team)
{
    const visiting *v = ctx;
    fx_status st = fxi_metric_queries_sort(v->q, team);

    (void)block;
    for (size_t k = 0, end; k < v->q->n && !st && !fxi_parallel_cancelled(team); k = end) {
        for (end = k; end < v->q->n && same_query(v->q, k, end); end++)
            ;
        st = v->fn(v->ctx, k, end, team);
    }
    return st;
}

fx_status fxi_metric_queries_each(fxi_metric_queries *q, fxi_metric_query *fn, void *ctx,
                                  const fx_run *run)
{
    return fxi_parallel_ordered(1, visit, &(visiting){q, fn, ctx}, run);
}
