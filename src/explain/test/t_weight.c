/* SPDX-License-Identifier: BSD-3-Clause
 * t_weight.c - no combination has a larger |weight| than its bounds allow: that of its first
 * position, and those of the search after each of its columns.  Columns may repeat or not. */
#include "base/test.h"
#include "explain/explain.h"

enum { COLS = 6, COMPONENTS = 3, MAX_ORDER = 4 };

static double factor[COLS][COMPONENTS];

static void read_factors(double *p, const fxi_explain_part *a, size_t j)
{
    for (size_t s = 0; s < a->S; s++)
        p[s] = factor[j][s];
}

/* Positions r[t] ascend. */
static void check_bounds(const fxi_explain_field *f, const int32_t *r)
{
    double q[COMPONENTS], weight = fabs(fxi_explain_weight(f, r, q));

    CHECK(weight <= fxi_explain_weight_bound(f, (size_t)r[0]));
    for (int level = 1; level < f->t; level++) {
        fxi_explain_weight_multiply(f, r, level, q);
        CHECK(weight <= fxi_explain_weight_reach(f, q, f->t - level) * f->norm[r[level]]
                            * FXI_EXPLAIN_SLACK);
    }
}

static void check_all(const fxi_explain_field *f, int32_t *r, int level)
{
    int32_t from = level == 0 ? 0 : r[level - 1] + !f->part->repeats;

    if (level == f->t)
        check_bounds(f, r);
    for (r[level] = from; level < f->t && r[level] < (int32_t)f->n; r[level]++)
        check_all(f, r, level + 1);
}

int main(void)
{
    static const size_t column[COLS] = {0, 1, 2, 3, 4, 5};

    test_init();
    for (int i = 0; i < test_cases(300); i++) {
        double lambda[COMPONENTS];
        fxi_explain_part a = {.low = 1, .high = MAX_ORDER, .S = COMPONENTS, .lambda = lambda,
                              .same = true, .repeats = i % 2, .read = read_factors};
        fxi_explain_field f;
        int32_t r[MAX_ORDER + 1];
        for (size_t k = 0; k < COMPONENTS; k++) {
            lambda[k] = 2 * test_unit() - 1;
            for (size_t j = 0; j < COLS; j++)   /* one large factor in each component, or none */
                factor[j][k] = (2 * test_unit() - 1) * (test_below(COLS) ? 1 : 4);
        }
        for (int t = 2; t <= MAX_ORDER; t++) {
            fxi_explain_columns c = {.n = COLS, .column = column};
            CHECK(fxi_explain_field_new(&f, &a, t, c, NULL) == FX_OK);
            check_all(&f, r, 0);
            fxi_explain_field_free(&f);
        }
    }
    return 0;
}
