/* SPDX-License-Identifier: BSD-3-Clause
 * t_pairs.c - pairs to be ranked against all pairs of rows, one by one. */

#include "base/test.h"
#include "fm/fm.h"

#include <string.h>

enum { ROWS = 40 };

/* Winner and losers of p are those of the definition. */
static void check(const fxi_fm_pairs *p, const double *y, const double *c, const int64_t *qid)
{
    static unsigned char beats[ROWS][ROWS];
    size_t pairs = 0;

    memset(beats, 0, sizeof beats);
    for (size_t i = 0; i < p->n; i++)
        for (size_t q = p->first[i]; q < p->last[i]; q++, pairs++)
            beats[p->winner[i]][p->order[q]]++;
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < ROWS; j++) {
            bool want = c[i] > 0 && c[j] > 0 && (!qid || qid[i] == qid[j]) && y[i] > y[j];
            CHECK(beats[i][j] == want);
            pairs -= want;
        }
    CHECK(pairs == 0);
}

int main(void)
{
    double y[ROWS], c[ROWS];
    int64_t qid[ROWS];
    fxi_fm_pairs p = {0};

    test_init();
    for (int round = 0; round < test_cases(20); round++) {
        for (size_t i = 0; i < ROWS; i++) {
            y[i] = (double)test_below(4) - 1.5;
            c[i] = test_below(4) ? test_unit() : 0;
            qid[i] = (int64_t)test_below(6) - 1;
        }
        for (int queries = 0; queries < 2; queries++) {
            CHECK(!fxi_fm_pairs_new(&p, y, c, queries ? qid : NULL, ROWS, NULL));
            check(&p, y, c, queries ? qid : NULL);
            fxi_fm_pairs_free(&p);
        }
    }
    for (size_t i = 0; i < ROWS; i++)
        y[i] = (double)qid[i];          /* one label a query */
    CHECK(fxi_fm_pairs_new(&p, y, c, qid, ROWS, NULL) == FX_EINVAL && !p.order);
    CHECK(strstr(fx_error_detail(), "differ in their labels"));
    memset(c, 0, sizeof c);
    CHECK(fxi_fm_pairs_new(&p, y, c, NULL, ROWS, NULL) == FX_EINVAL);
    return 0;
}
