/* SPDX-License-Identifier: BSD-3-Clause
 * t_products.c - products of sets in some rows, one by one; orders and parts of sets.
 *
 * Covers: set.c */

#include "made.h"

enum { SETS = 12, ROWS = 50, COLS = 7 };

typedef struct call {
    made m;
    fxi_discover_set set[SETS];
    size_t row[ROWS], rows;
} call;

/* Is row `a` of z the row `b` of the data, with the same y? */
static bool matches(const call *o, const fxi_products *z, size_t a, size_t b, const double *y)
{
    size_t at = z->ptr[a];

    for (size_t k = 0; k < SETS; k++) {
        double x = made_product(&o->m, o->row[b], &o->set[k]);
        if (x != 0 && !(at < z->ptr[a + 1] && z->term[at] == (int32_t)k && z->x[at++] == x))
            return false;
    }
    return at == z->ptr[a + 1] && y[a] == (b % 2 ? 1 : -1);
}

/* Every row of the data is in exactly one row, whose weight is the sum of theirs. */
static void compare_merged(const call *o, fxi_products *z)
{
    double y[ROWS + 1], weight[ROWS + 1], want[ROWS + 1] = {0};

    for (size_t i = 0; i < o->rows; i++) {
        y[i] = i % 2 ? 1 : -1;
        weight[i] = (double)i;
    }
    CHECK(fxi_discover_products_merge(z, y, weight) == FX_OK && z->rows <= o->rows);
    for (size_t b = 0; b < o->rows; b++) {
        size_t found = 0;
        for (size_t a = 0; a < z->rows; a++)
            if (matches(o, z, a, b, y)) {
                want[a] += (double)b;
                found++;
            }
        CHECK(found == 1);
    }
    for (size_t a = 0; a < z->rows; a++)
        CHECK(weight[a] == want[a]);
}

static fx_status compare(void *ctx, size_t block, fxi_team *team)
{
    const call *o = ctx;
    fxi_products z;
    size_t support[SETS] = {0};

    (void)block;
    CHECK(fxi_discover_products_new(&z, o->set, SETS, &o->m.X, o->row, o->rows, team) == FX_OK);
    CHECK(z.rows == o->rows && z.terms == SETS && z.ptr[0] == 0);
    for (size_t i = 0; i < o->rows; i++) {
        size_t at = z.ptr[i];
        for (size_t k = 0; k < SETS; k++) {
            double x = made_product(&o->m, o->row[i], &o->set[k]);
            if (x == 0)
                continue;
            CHECK(at < z.ptr[i + 1] && z.term[at] == (int32_t)k && z.x[at] == x);
            at++;
            support[k]++;
        }
        CHECK(at == z.ptr[i + 1]);
    }
    CHECK(memcmp(support, z.support, sizeof support) == 0);
    compare_merged(o, &z);
    fxi_discover_products_free(&z);
    return FX_OK;
}

static fxi_discover_set draw(size_t cols)
{
    fxi_discover_set whole = {.n = (int32_t)cols};

    for (size_t j = 0; j < cols; j++)
        whole.column[j] = (int32_t)j;
    return fxi_discover_set_part(&whole, 1 + (uint32_t)test_below((1u << cols) - 1));
}

static void test_sets(void)
{
    const fxi_discover_set a = {2, {1, 4}}, b = {3, {1, 2, 4}}, c = {2, {1, 5}}, none = {0};

    CHECK(fxi_discover_set_within(&a, &b) && !fxi_discover_set_within(&b, &a));
    CHECK(!fxi_discover_set_within(&c, &b) && fxi_discover_set_within(&none, &c)
          && fxi_discover_set_within(&a, &a));
    CHECK(fxi_discover_set_compare(&a, &b) < 0 && fxi_discover_set_compare(&b, &a) > 0
          && fxi_discover_set_compare(&a, &c) < 0 && fxi_discover_set_compare(&a, &a) == 0);
    fxi_discover_set part = fxi_discover_set_part(&b, 5);
    CHECK(part.n == 2 && part.column[0] == 1 && part.column[1] == 4);
}

int main(void)
{
    test_init();
    test_sets();
    for (int i = 0; i < test_cases(50); i++) {
        call o = {.rows = test_below(ROWS)};
        make(&o.m, ROWS, COLS, 0.6);
        for (size_t k = 0; k < ROWS * COLS && i % 2; k++)
            o.m.x[k] *= test_unit() - 0.5;
        for (size_t k = 0; k < SETS; k++)
            o.set[k] = draw(COLS);
        for (size_t k = 0; k < o.rows; k++)
            o.row[k] = test_below(ROWS);
        with_team(compare, &o);
        made_free(&o.m);
    }
    return 0;
}
