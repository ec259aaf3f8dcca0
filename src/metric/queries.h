/* SPDX-License-Identifier: BSD-3-Clause
 * queries.h - the rows of a ranking in order: by query, then score, then label, so that results do
 * not depend on the order in which rows are given. */
#ifndef FXI_METRIC_QUERIES_H
#define FXI_METRIC_QUERIES_H
#include "data/data.h"
#include "metric/metric.h"

typedef struct fxi_metric_queries {
    const fxi_metric_rows *r;
    const double *score;
    fxi_data_item *item;                /* [n] with.number is the row; then scratch of the sort */
    size_t n;                           /* rows of positive weight */
    size_t *level;                      /* [rows] of the label among all, from 1 */
    size_t levels;
} fxi_metric_queries;
/* Memory for rows that are ordered by `score`; `more`: bytes per row that the caller will take. */
fx_status fxi_metric_queries_new(fxi_metric_queries *q, const fxi_metric_rows *r,
                                 const double *score, size_t more, const fx_run *run);
void fxi_metric_queries_free(fxi_metric_queries *q);
fx_status fxi_metric_queries_sort(fxi_metric_queries *q, fxi_team *team);
/* Sorts, then calls fn for the items [first, last) of every query. */
typedef fx_status fxi_metric_query(void *ctx, size_t first, size_t last, fxi_team *team);
fx_status fxi_metric_queries_each(fxi_metric_queries *q, fxi_metric_query *fn, void *ctx,
                                  const fx_run *run);
/* The end of the items from k on, before last, whose scores are equal. */
size_t fxi_metric_queries_tied(const fxi_metric_queries *q, size_t k, size_t last);
#endif
