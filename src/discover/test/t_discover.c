/* SPDX-License-Identifier: BSD-3-Clause
 * t_discover.c - planted products are found and nothing is where there is nothing; the same for
 * any threads; effects in the units of the columns; bad input; limits.
 *
 * Covers: half.c, report.c, select.c, split.c */

#include "made.h"

enum { ROWS = 1000, COLS = 12 };

static fx_discovery *discover(const fx_discover_options *o, const fx_table *t, const fx_run *run)
{
    fx_discovery *d;

    CHECK(fx_discover(&d, o, t, run) == FX_OK);
    return d;
}

static bool is(const fx_discovered *a, size_t order, size_t x, size_t y, size_t z)
{
    const size_t want[] = {x, y, z};

    return a->order == order && !memcmp(a->column, want, order * sizeof *want);
}

/* Not by memcmp: structs have padding. */
static void same(const fx_discovery *a, const fx_discovery *b)
{
    CHECK(a->n == b->n && a->C == b->C && a->gap == b->gap && a->null_found == b->null_found
          && a->certified == b->certified);
    for (size_t k = 0; k < a->n; k++) {
        const fx_discovered *x = &a->at[k], *y = &b->at[k];
        CHECK(x->order == y->order && !memcmp(x->column, y->column, x->order * sizeof *x->column));
        CHECK(x->p == y->p && x->effect == y->effect && x->low == y->low && x->high == y->high
              && x->frequency == y->frequency && x->adds == y->adds && x->family == y->family
              && x->eliminated == y->eliminated && x->support == y->support
              && x->sames == y->sames);
    }
}

static void test_planted(void)
{
    made m;
    const fxi_discover_set set[] = {{3, {2, 5, 9}}, {1, {7}}};
    const double w[] = {4, -1.5};
    fx_discover_options o = FX_INIT(fx_discover_options);
    fx_run one = {RUN, .threads = 1}, three = {RUN, .threads = 3};

    make(&m, ROWS, COLS, 0.5);
    made_classes(&m, set, w, 2, 0);
    o.permutations = 2;
    fx_discovery *d = discover(&o, made_table(&m), &one);
    CHECK(d->n >= 2 && d->rows == ROWS && d->order == 3 && d->halves == 50 && d->select == 8);
    CHECK(d->products == 12 + 66 + 220 && d->certified && d->gap <= 1e-4 && d->C > 0);
    CHECK(d->info->classes == 2 && d->info->cols == COLS && d->permutations == 2);
    CHECK(d->null_high > 0.5 && d->null_found <= 2);
    for (size_t k = 0; k < d->n; k++) {
        const fx_discovered *a = &d->at[k];
        bool triple = is(a, 3, 2, 5, 9), single = is(a, 1, 7, 0, 0);
        CHECK(a->p <= 0.05 && a->eliminated == !(triple || single));
        if (a->eliminated)
            continue;
        double want = triple ? 4 : -1.5;
        CHECK(a->low < want && want < a->high && fabs(a->effect - want) < 1.5);
        CHECK(a->low * want > 0 && a->high * want > 0 && a->frequency > 0.5 && a->adds > 0);
        size_t support = 0;
        for (size_t i = 0; i < ROWS; i++)
            support += made_product(&m, i, &set[single]) != 0;
        double positive = 0;
        for (size_t i = 0; i < ROWS; i++)
            positive += made_product(&m, i, &set[single]) != 0 && m.y[i] > 0;
        CHECK(a->support == support && a->binary);
        CHECK_NEAR(a->mean, positive / (double)support, 1e-12);
    }
    double positive = 0;
    for (size_t i = 0; i < ROWS; i++)
        positive += m.y[i] > 0;
    CHECK_NEAR(*d->mean, positive / ROWS, 1e-12);
    CHECK(!d->at[0].eliminated && !d->at[1].eliminated && d->at[0].family == 0);
    test_helped();
    fx_discovery *e = discover(&o, &m.table, &three);
    CHECK(test_helped());
    same(d, e);
    fx_discovery_free(e);
    o.seed = 2;                         /* other halves */
    e = discover(&o, &m.table, &three);
    CHECK(e->n >= 2 && e->at[0].p != d->at[0].p);
    fx_discovery_free(e);
    fx_discovery_free(d);
    made_free(&m);
}

/* Targets, columns that are 4 or 0: the effect is of a product of 1. */
static void test_targets(void)
{
    made m;
    const fxi_discover_set set = {2, {1, 3}};
    fx_discover_options o = FX_INIT(fx_discover_options);

    make(&m, ROWS, 6, 0.4);
    for (size_t k = 0; k < m.rows * m.cols; k++)
        m.x[k] *= 4;
    for (size_t i = 0; i < ROWS; i++)
        m.y[i] = 10 + 0.5 * made_product(&m, i, &set) + 4 * (test_unit() - 0.5);
    o.regress = 1;
    o.order = 2;
    fx_discovery *d = discover(&o, made_table(&m), NULL);
    CHECK(d->n >= 1 && is(&d->at[0], 2, 1, 3, 0) && d->at[0].p < 1e-20 && d->info->classes == 0);
    /* The error of a mean of 1/6 of 500 rows with a deviation of 1.15 is 0.13, for 16 units. */
    CHECK_NEAR(d->at[0].effect, 0.5, 0.1);
    CHECK(d->at[0].low < 0.5 && d->at[0].high > 0.5 && d->at[0].adds > 0.1);
    fx_discovery_free(d);
    made_free(&m);
}

/* Three classes, each with a column: discoveries name the class. */
static void test_several(void)
{
    made m;
    fx_discover_options o = FX_INIT(fx_discover_options);
    bool found[3] = {false};

    make(&m, ROWS, 6, 0.4);
    for (size_t i = 0; i < ROWS; i++) {
        size_t y = test_below(3);
        m.y[i] = (double)y;
        m.x[i * 6 + y] = test_below(10) > 0;
    }
    o.order = 2;
    fx_discovery *d = discover(&o, made_table(&m), NULL);
    CHECK(d->info->outputs == 3);
    for (size_t k = 0; k < d->n; k++)
        if (!d->at[k].eliminated && d->at[k].order == 1 && *d->at[k].column == d->at[k].output
            && d->at[k].effect > 0)
            found[d->at[k].output] = true;
    CHECK(found[0] && found[1] && found[2]);
    fx_discovery_free(d);
    made_free(&m);
}

/* No label has to do with a column.  The chance of a discovery is 0.05 at most in each of 40 sets,
 * so that of 9 or more is below 1e-4 (binomial). */
static void test_nothing(void)
{
    int found = 0, sets = test_cases(40), most = sets < 40 ? 8 : sets / 4;

    for (int i = 0; i < sets; i++) {
        made m;
        fx_discover_options o = FX_INIT(fx_discover_options);
        make(&m, 200, 8, 0.5);
        for (size_t k = 0; k < m.rows; k++)
            m.y[k] = (double)test_below(2);
        o.regress = i % 2;
        fx_discovery *d = discover(&o, made_table(&m), NULL);
        found += d->n > 0;
        fx_discovery_free(d);
        made_free(&m);
    }
    CHECK(found <= most);
}

/* Rows of weight 0 are absent; weights are counts. */
static void test_weights(void)
{
    made m;
    const fxi_discover_set set = {2, {0, 1}};
    const double w = 3;
    fx_discover_options o = FX_INIT(fx_discover_options);

    make(&m, ROWS, 6, 0.5);
    made_classes(&m, &set, &w, 1, -1);
    o.order = 2;
    fx_table t = *made_table(&m);
    t.rows = m.X.rows = ROWS - 100;
    fx_discovery *d = discover(&o, &t, NULL);
    for (size_t i = ROWS - 100; i < ROWS; i++) {
        m.weight[i] = 0;
        m.y[i] = 0;                     /* a class of its own, if it counted */
    }
    t.rows = m.X.rows = ROWS;
    t.weight = m.weight;
    fx_discovery *e = discover(&o, &t, NULL);
    CHECK(d->n >= 1 && e->rows == ROWS - 100);
    same(d, e);
    fx_discovery_free(d);
    fx_discovery_free(e);
    m.weight[3] = 0.5;
    CHECK(fx_discover(&d, &o, &t, NULL) == FX_EDOMAIN && strstr(fx_error_detail(), "row 3"));
    made_free(&m);
}

static int stop(void *ctx, double done)
{
    (void)done;
    return ++*(int *)ctx > 3;
}

static void test_refused(void)
{
    made m;
    fx_discovery *d = NULL;
    fx_discover_options o = FX_INIT(fx_discover_options);
    int calls = 0;
    fx_run run = {RUN, .progress = stop, .ctx = &calls}, small = {RUN, .max_memory = 20000};

    make(&m, ROWS, COLS, 0.5);
    for (size_t i = 0; i < ROWS; i++)
        m.y[i] = (double)test_below(2);
    const fx_table *t = made_table(&m);
#define REFUSED(member, value, status, what) do { \
        fx_discover_options bad = o; \
        bad.member = value; \
        CHECK(fx_discover(&d, &bad, t, NULL) == status && strstr(fx_error_detail(), what) && !d); \
    } while (0)
    REFUSED(order, 17, FX_EINVAL, "order = 17");
    REFUSED(order, -1, FX_EINVAL, "order = -1");
    REFUSED(alpha, 1.5, FX_EINVAL, "alpha = 1.5");
    REFUSED(alpha, NAN, FX_EINVAL, "alpha = nan");
    REFUSED(max_seconds, -1, FX_EINVAL, "max_seconds = -1");
    REFUSED(scale, "std", FX_EUNSUPPORTED, "scale = 'std'");
    REFUSED(missing, "never", FX_EINVAL, "never");
    REFUSED(splits, SIZE_MAX, FX_EINVAL, "splits");
    REFUSED(permutations, SIZE_MAX, FX_EINVAL, "permutations");
    REFUSED(size, 0, FX_EINVAL, "size");
    CHECK(fx_discover(NULL, &o, t, NULL) == FX_EINVAL);
    o.permutations = 100000;
    CHECK(fx_discover(&d, &o, t, &run) == FX_ECANCELLED && !d && calls > 3);
    o.permutations = 0;
    CHECK(fx_discover(&d, &o, t, &small) == FX_ELIMIT && !d);
    m.table.rows = m.X.rows = 15;
    CHECK(fx_discover(&d, &o, t, NULL) == FX_EINVAL && strstr(fx_error_detail(), "15 rows") && !d);
    m.table.rows = m.X.rows = ROWS;
    m.x[5] = NAN;
    CHECK(fx_discover(&d, &o, t, NULL) == FX_EDOMAIN && !d);
    o.missing = "mean";
    CHECK(fx_discover(&d, &o, t, NULL) == FX_OK);
    fx_discovery_free(d);
    fx_discovery_free(NULL);
    made_free(&m);
}

/* A product that decides the class alone has no finite effect, and is found. */
static void test_separates(void)
{
    made m;
    const fxi_discover_set set = {2, {0, 3}};
    fx_discover_options o = FX_INIT(fx_discover_options);

    make(&m, 400, COLS, 0.5);
    for (size_t i = 0; i < m.rows; i++)
        m.y[i] = made_product(&m, i, &set) != 0 ? 1 : (double)test_below(2);
    o.order = 2;
    fx_discovery *d = discover(&o, made_table(&m), NULL);
    CHECK(d->n >= 1 && is(&d->at[0], 2, 0, 3, 0) && !d->at[0].eliminated);
    CHECK(d->at[0].effect == INFINITY && !(d->at[0].low < 0) && d->at[0].mean == 1);
    /* Of 200 rows to test on 50 hold it: by chance all would be of one class with a probability of
     * 2^-50, and of the rows that selected at least 8 products were chosen. */
    CHECK(d->at[0].p < 1e-6);
    fx_discovery_free(d);
    made_free(&m);
}

/* Ones of a category: each level is 1 less the others.  The pairs of two categories decide, and all
 * of them together depend on the intercept; yet what they say is found. */
static void test_categories(void)
{
    made m;
    fx_discover_options o = FX_INIT(fx_discover_options);

    make(&m, ROWS, 4, 0);
    for (size_t i = 0; i < ROWS; i++) {
        size_t a = test_below(2), b = test_below(2);
        m.x[i * 4 + a] = m.x[i * 4 + 2 + b] = 1;
        m.y[i] = (double)(test_below(10) ? a == b : a != b);
    }
    o.order = 2;
    fx_discovery *d = discover(&o, made_table(&m), NULL);
    CHECK(d->n >= 2 && d->at[0].order == 2 && d->at[1].order == 2);
    for (size_t k = 0; k < 2; k++) {
        bool same = d->at[k].column[0] + 2 == d->at[k].column[1];
        CHECK(same ? d->at[k].low > 0 : d->at[k].high < 0);
    }
    fx_discovery_free(d);
    made_free(&m);
}

/* A path that must end at once proves nothing and finds nothing. */
static void test_time(void)
{
    made m;
    const fxi_discover_set set = {1, {0}};
    const double w = 5;
    fx_discover_options o = FX_INIT(fx_discover_options);

    make(&m, ROWS, COLS, 0.5);
    made_classes(&m, &set, &w, 1, -2);
    o.max_seconds = 1e-9;
    fx_discovery *d = discover(&o, made_table(&m), NULL);
    CHECK(!d->certified && d->n == 0);
    fx_discovery_free(d);
    made_free(&m);
}

int main(void)
{
    test_init();
    for (int i = 0; i < test_cases(2); i++) {
        test_planted();
        test_targets();
        test_several();
        test_weights();
        test_separates();
        test_categories();
    }
    test_nothing();
    test_refused();
    test_time();
    return 0;
}
