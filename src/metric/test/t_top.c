/* SPDX-License-Identifier: BSD-3-Clause
 * t_top.c - ndcg, precision and recall of the k best rows of queries against their definitions:
 * the mean over all orders of rows with equal scores, order by order; weights of queries; and the
 * same bits for rows in another order. */
#include "base/test.h"
#include "metric/metric.h"

#include <string.h>

enum { MAX = 6, QUERIES = 4, N = MAX * QUERIES };

typedef struct query {
    double y[MAX], score[MAX];
    size_t n;
} query;

static double dcg(const double *y, const size_t *order, size_t n, size_t k)
{
    double sum = 0;

    for (size_t i = 0; i < n && i < k; i++)
        sum += (y[order[i]] > 0 ? y[order[i]] : 0) / log2((double)i + 2);
    return sum;
}

static double hits(const double *y, const size_t *order, size_t n, size_t k)
{
    double sum = 0;

    for (size_t i = 0; i < n && i < k; i++)
        sum += y[order[i]] > 0;
    return sum;
}

/* All orders of the rows; those that descend by `key` count. */
static void orders(const query *q, const double *key, size_t k, size_t *order, size_t n,
                   double sum[3])
{
    if (n == q->n) {
        sum[0] += dcg(q->y, order, n, k);
        sum[1] += hits(q->y, order, n, k);
        sum[2]++;
        return;
    }
    for (size_t i = 0; i < q->n; i++) {
        bool used = n > 0 && key[i] > key[order[n - 1]];
        for (size_t j = 0; j < n; j++)
            used |= order[j] == i;
        for (size_t j = 0; j < q->n; j++) {     /* is one left that must come before? */
            bool taken = false;
            for (size_t h = 0; h < n; h++)
                taken |= order[h] == j;
            used |= !taken && key[j] > key[i];
        }
        if (used)
            continue;
        order[n] = i;
        orders(q, key, k, order, n + 1, sum);
    }
}

static double by_definition(int which, const query *q, size_t k)
{
    double got[3] = {0}, ideal[3] = {0}, relevant = 0;
    size_t order[MAX];

    orders(q, q->score, k, order, 0, got);
    orders(q, q->y, k, order, 0, ideal);
    for (size_t i = 0; i < q->n; i++)
        relevant += q->y[i] > 0;
    if (which == 0)
        return ideal[0] > 0 ? got[0] / got[2] / (ideal[0] / ideal[2]) : 0;
    return which == 1 ? got[1] / got[2] / (double)k
           : relevant > 0 ? got[1] / got[2] / relevant : 0;
}

/* Every query has one weight for all of its rows; one row of weight 0 is as good as absent. */
static size_t fill(query *q, size_t queries, double *y, double *score, double *w, int64_t *qid,
                   const double *weight)
{
    size_t n = 0;

    for (size_t g = 0; g < queries; g++)
        for (size_t i = 0; i < q[g].n; i++, n++) {
            y[n] = q[g].y[i];
            score[n] = q[g].score[i];
            w[n] = weight[g];
            qid[n] = (int64_t)(7 * g) - 1;
        }
    y[n] = 5, score[n] = 100, w[n] = 0, qid[n] = -1;
    return n + 1;
}

static void shuffle(double *y, double *score, double *w, int64_t *qid, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = test_below(i);
        double a = y[i - 1], b = score[i - 1], c = w[i - 1];
        int64_t d = qid[i - 1];
        y[i - 1] = y[j], score[i - 1] = score[j], w[i - 1] = w[j], qid[i - 1] = qid[j];
        y[j] = a, score[j] = b, w[j] = c, qid[j] = d;
    }
}

int main(void)
{
    static const char *const names[] = {"ndcg", "precision", "recall"};
    double y[N + 1], score[N + 1], w[N + 1], weight[QUERIES];
    int64_t qid[N + 1];

    test_init();
    for (int t = 0; t < test_cases(60); t++) {
        size_t queries = 1 + test_below(QUERIES), k = 1 + test_below(MAX + 2);
        query q[QUERIES];
        double total = 0;
        for (size_t g = 0; g < queries; g++) {
            q[g].n = 1 + test_below(MAX);
            total += weight[g] = 1 + (double)test_below(3);
            for (size_t i = 0; i < q[g].n; i++) {
                q[g].y[i] = (double)test_below(5) - 1;
                q[g].score[i] = (double)test_below(4) / 4;
            }
        }
        size_t n = fill(q, queries, y, score, w, qid, weight);
        fxi_metric_rows r = {.n = n, .y = y, .score = score, .width = 1, .weight = w, .qid = qid};
        for (int which = 0; which < 3; which++) {
            double want = 0, got, again;
            char name[32];
            fxi_metric m;
            for (size_t g = 0; g < queries; g++)
                want += weight[g] * by_definition(which, &q[g], k) / total;
            snprintf(name, sizeof name, "%s@%zu", names[which], k);
            CHECK(fxi_metric_parse(&m, name) == FX_OK);
            CHECK(fxi_metric_of(&got, &m, &r, NULL) == FX_OK);
            CHECK_NEAR(got, want, 1e-12);       /* thousands of roundings of numbers up to 10 */
            shuffle(y, score, w, qid, n);
            CHECK(fxi_metric_of(&again, &m, &r, NULL) == FX_OK && again == got);
        }
    }
    double none;
    CHECK(fxi_metric_top_ndcg(&none, &(fxi_metric_rows){0}, 3, NULL) == FX_OK && isnan(none));
    return 0;
}
