/* SPDX-License-Identifier: BSD-3-Clause
 * t_search.c - the search against a loop over all sets: what is above a threshold, the best of
 * them, the largest slope; search after search, so that what was found before is used; threads.
 *
 * Covers: columns.c, hits.c, walk.c */

#include "combos/test/made.h"

#include <string.h>

static double slope(const made *m, const double *theta, unsigned set)
{
    double sum = 0;

    for (size_t i = 0; i < m->rows; i++)
        sum += theta[i] * made_product(m, i, set);
    return fabs(sum);
}

/* Is the product among the hits, or that of a smaller set with the same slope?  Items that all rows
 * hold are left out. */
static bool found(const made *m, const double *theta, const bool *hit, unsigned set)
{
    double own = slope(m, theta, set);

    for (unsigned s = set; s; s = (s - 1) & set)
        if (hit[s] && fabs(slope(m, theta, s) - own) <= 1e-12 * (double)m->rows)
            return true;
    return false;
}

static void compare(const made *m, const fxi_combos_columns *c, const fxi_combos_search *s,
                    const double *theta, double threshold, size_t most, double largest)
{
    const fxi_combos_hits *h = fxi_combos_search_hits(s);
    bool hit[MADE_SETS] = {false};
    double best = 0, worst = h->n ? h->at[h->n - 1].score : 0, tiny = 1e-12 * (double)m->rows;

    CHECK(h->n <= most);
    for (size_t k = 0; k < h->n; k++) {
        unsigned set = made_bits(c, &h->at[k].set);
        CHECK(made_allowed(m, set) && !hit[set]);
        CHECK_NEAR(h->at[k].score, slope(m, theta, set), tiny);
        CHECK(h->at[k].score > threshold);
        CHECK(k == 0 || fxi_combos_hits_better(&h->at[k - 1], &h->at[k]));
        hit[set] = true;
    }
    for (unsigned set = 1; set < 1u << m->cols; set++) {
        double own = made_allowed(m, set) ? slope(m, theta, set) : 0;
        best = fmax(best, own);
        if (own > threshold + tiny && (h->n < most || own > worst + tiny))
            CHECK(found(m, theta, hit, set));
    }
    CHECK(largest >= best - tiny);
    CHECK(largest <= fmax(best, threshold) + tiny);
}

/* With a limit: what is left out is not above *largest, for any threads. */
static size_t ended;                    /* searches that left something out */

static void limited(const made *m, fxi_combos_search **s, const double *theta, uint64_t limit)
{
    double largest[3], best = 0, all = 0;
    size_t width = (size_t)1 << 2 * test_below(4);

    for (unsigned set = 1; set < 1u << m->cols; set++)
        best = fmax(best, made_allowed(m, set) ? slope(m, theta, set) : 0);
    for (int k = 0; k < 3; k++) {
        fx_run run = {RUN, .threads = k + 1};
        fxi_combos_search_limit(s[k], limit, width);
        CHECK(fxi_combos_search_run(&largest[k], s[k], theta, 0.1, 1000, &run) == FX_OK);
        CHECK(largest[k] == largest[0]);
        CHECK(fxi_combos_search_hits(s[k])->n == fxi_combos_search_hits(s[0])->n);
        CHECK(fxi_combos_search_nodes(s[k]) == fxi_combos_search_nodes(s[0]));
        fxi_combos_search_limit(s[k], 0, 1);
    }
    CHECK(largest[0] >= best - 1e-12 * (double)m->rows);
    for (int k = 0; k < 3; k++)
        CHECK(fxi_combos_search_run(&all, s[k], theta, 0.1, 1000, NULL) == FX_OK);
    ended += all < largest[0];
}

static bool helped;                     /* some search had a second thread */

static void case_of(int signs, int least, int order, bool grouped)
{
    static made m;
    fxi_combos_columns c;
    fxi_combos_search *s[3];
    double theta[MADE_ROWS];

    make(&m, signs, &fxi_loss_logistic, least, order, grouped);
    CHECK(fxi_combos_columns_new(&c, &m.view, NULL) == FX_OK);
    CHECK(c.binary == (signs == 0) || c.numbers == 0);
    for (int k = 0; k < 3; k++)
        CHECK(fxi_combos_search_new(&s[k], &c, &m.p) == FX_OK);
    for (size_t i = 0; i < m.rows; i++)
        theta[i] = test_below(5) ? test_unit() - 0.5 : 0;
    /* First the same slopes with lower and lower thresholds: what was left out must come back. */
    double fall = 2;
    for (int turn = 0; turn < 14; turn++) {
        double largest[3], threshold = turn < 8        ? fall *= 0.8
                                       : turn % 3 == 2 ? 0
                                                       : 2 * test_unit();
        size_t most = turn >= 8 && turn % 2 ? 1 + test_below(5) : 1000;
        for (int k = 0; k < 3; k++) {
            fx_run run = {RUN, .threads = k + 1};
            CHECK(fxi_combos_search_run(&largest[k], s[k], theta, threshold, most, &run) == FX_OK);
            helped |= test_helped();
            const fxi_combos_hits *a = fxi_combos_search_hits(s[0]),
                                  *b = fxi_combos_search_hits(s[k]);
            CHECK(largest[k] == largest[0] && a->n == b->n);
            for (size_t q = 0; q < a->n; q++)
                CHECK(a->at[q].score == b->at[q].score
                      && fxi_combos_hits_compare(&a->at[q].set, &b->at[q].set) == 0);
            CHECK(fxi_combos_search_nodes(s[k]) == fxi_combos_search_nodes(s[0]));
        }
        if (turn % 4 == 1)
            limited(&m, s, theta, 1 + test_below(1000));
        for (int k = 0; k < 3; k++)
            CHECK(fxi_combos_search_run(&largest[k], s[k], theta, threshold, most, NULL) == FX_OK);
        compare(&m, &c, s[0], theta, threshold, most, largest[0]);
        for (size_t i = 0; i < m.rows && turn >= 7; i++)        /* near the last one, as in a fit */
            theta[i] *= 1 + 0.1 * (test_unit() - 0.5);
        if (turn == 11)
            theta[test_below(m.rows)] = 0;
    }
    for (int k = 0; k < 3; k++)
        fxi_combos_search_free(s[k]);
    fxi_combos_columns_free(&c);
}

/* A search for more than there was takes less than the one that found it. */
static uint64_t saved(void)
{
    static made m;
    fxi_combos_columns c;
    fxi_combos_search *s;
    double theta[MADE_ROWS], largest;

    make(&m, 0, &fxi_loss_logistic, 1, 4, false);
    CHECK(fxi_combos_columns_new(&c, &m.view, NULL) == FX_OK);
    CHECK(fxi_combos_search_new(&s, &c, &m.p) == FX_OK);
    for (size_t i = 0; i < m.rows; i++)
        theta[i] = test_unit() - 0.5;
    CHECK(fxi_combos_search_run(&largest, s, theta, 1, 1000, NULL) == FX_OK);
    double threshold = fmax(largest, 1) * 1.01;
    CHECK(fxi_combos_search_run(&largest, s, theta, threshold, 1000, NULL) == FX_OK);
    uint64_t nodes = fxi_combos_search_nodes(s);
    fxi_combos_search_free(s);
    CHECK(fxi_combos_search_new(&s, &c, &m.p) == FX_OK);
    CHECK(fxi_combos_search_run(&largest, s, theta, 1, 1000, NULL) == FX_OK);
    nodes -= fxi_combos_search_nodes(s);
    fxi_combos_search_free(s);
    CHECK(fxi_combos_search_new(&s, &c, &m.p) == FX_OK);
    CHECK(fxi_combos_search_run(&largest, s, theta, threshold, 1000, NULL) == FX_OK);
    uint64_t alone = fxi_combos_search_nodes(s);
    fxi_combos_search_free(s);
    fxi_combos_columns_free(&c);
    CHECK(nodes <= alone);
    return alone - nodes;
}

static void test_reuse(void)
{
    uint64_t all = 0;

    for (int k = 0; k < 50; k++)
        all += saved();
    CHECK(all > 0);
}

static int stop(void *ctx, double done)
{
    (void)ctx, (void)done;
    return 1;
}

static void test_refused(void)
{
    double x[4] = {1, 0.5, 1.5, 0}, theta[2] = {1, -1}, largest = 7;
    fx_matrix X = {.rows = 2, .cols = 2, .stride = 2, .type = FX_F64, .val = x};
    fxi_combos_problem p = {.X = &X, .least = 1, .order = 2};
    fxi_combos_columns c;
    fxi_combos_search *s;

    CHECK(fxi_combos_columns_new(&c, &X, NULL) == FX_EDOMAIN);
    CHECK(strstr(fx_error_detail(), "row 1 (from 0) has 1.5 in column 0"));
    x[2] = -1;
    CHECK(fxi_combos_columns_new(&c, &X, &(fx_run){RUN, .max_memory = 10}) == FX_ELIMIT);
    CHECK(fxi_combos_columns_new(&c, &X, NULL) == FX_OK);
    CHECK(c.signs && !c.binary);
    CHECK(fxi_combos_search_new(&s, &c, &p) == FX_OK);
    fx_run small = {RUN, .max_memory = 10}, stopped = {RUN, .progress = stop};
    CHECK(fxi_combos_search_run(&largest, s, theta, 0, 9, &small) == FX_ELIMIT);
    CHECK(strstr(fx_error_detail(), "more than 10 bytes"));
    CHECK(fxi_combos_search_run(&largest, s, theta, 0, 9, &stopped) == FX_ECANCELLED);
    CHECK(largest == 7);
    CHECK(fxi_combos_search_run(&largest, s, theta, 0, 9, NULL) == FX_OK);
    CHECK(largest == 2);                /* x_0: 1 - -1 */
    fxi_combos_search_free(s);
    fxi_combos_columns_free(&c);
}

int main(void)
{
    test_init();
    for (int n = test_cases(60); n-- > 0;)
        for (int signs = 0; signs < 3; signs++) {
            size_t order = 1 + test_below(6), least = test_below(3) ? 1 : 1 + test_below(order);
            case_of(signs, (int)least, (int)order, test_below(2));
        }
    CHECK(helped && ended);
    test_reuse();
    test_refused();
    return 0;
}
