/* SPDX-License-Identifier: BSD-3-Clause
 * t_fit.c - fits over all products: reference optima, the same problem written out, the path,
 * threads, weights, limits.
 *
 * Covers: set.c, newton.c, model.c */

#include "combos/test/made.h"
#include "fit/fit.h"

#include <jansson.h>
#include <string.h>

static void same(const fxi_combos *a, const fxi_combos *b)
{
    CHECK(a->b == b->b && a->objective == b->objective && a->gap == b->gap && a->set.n == b->set.n);
    for (size_t k = 0; k < a->set.n; k++)
        CHECK(a->set.at[k].w == b->set.at[k].w
              && fxi_combos_hits_compare(&a->set.at[k].set, &b->set.at[k].set) == 0);
}

/* The objective from its definition. */
static double objective(const made *m, const fxi_combos *a)
{
    double sum = 0;

    for (size_t k = 0; k < a->set.n; k++)
        sum += fabs(a->set.at[k].w);
    for (size_t i = 0; i < m->rows; i++) {
        double f = a->b;
        for (size_t k = 0; k < a->set.n; k++)
            f += a->set.at[k].w * made_product(m, i, made_bits(&a->columns, &a->set.at[k].set));
        sum += a->C * m->weight[i] * m->p.loss->value(m->y[i], f, 0);
    }
    return sum;
}

/* ---- Reference optima ------------------------------------------------------------------------ */

static const fxi_loss *loss_of(const char *name)
{
    return strcmp(name, "logistic") == 0  ? &fxi_loss_logistic
           : strcmp(name, "squared") == 0 ? &fxi_loss_squared
                                          : &fxi_loss_squared_hinge;
}

static double number(const json_t *o, const char *key)
{
    return json_number_value(json_object_get(o, key));
}

static void reference(const json_t *o)
{
    size_t rows = (size_t)number(o, "n"), cols = (size_t)number(o, "d");
    double *x = calloc(rows * cols, sizeof *x), *y = calloc(rows, sizeof *y),
           *weight = calloc(rows, sizeof *weight), want = number(o, "objective");

    CHECK(x && y && weight && rows && cols);
    for (size_t i = 0; i < rows; i++) {
        const json_t *row = json_array_get(json_object_get(o, "X"), i);
        for (size_t j = 0; j < cols; j++)
            x[i * cols + j] = json_number_value(json_array_get(row, j));
        y[i] = json_number_value(json_array_get(json_object_get(o, "y"), i));
        weight[i] = 1;
    }
    fx_matrix X = {.rows = rows, .cols = cols, .stride = cols, .type = FX_F64, .val = x};
    fxi_combos_problem p = {.X = &X, .y = y, .weight = weight, .least = 1, .intercept = true,
                            .order = (int)number(o, "order"),
                            .loss = loss_of(json_string_value(json_object_get(o, "loss")))};
    fxi_combos a;
    CHECK(fxi_combos_fit_new(&a, &p, NULL) == FX_OK);
    CHECK(fxi_combos_fit(&a, number(o, "C"), 0, 1e-10, NULL) == FX_OK);
    CHECK(a.certified && a.gap <= 1e-10);
    CHECK_NEAR(a.objective, want, 1e-9 * want);
    fxi_combos_fit_free(&a);
    free(x);
    free(y);
    free(weight);
}

static void test_reference(void)
{
    json_error_t e;
    json_t *all = json_load_file("tests/golden/combos_l1.json", 0, &e), *cases;

    CHECK(all && (cases = json_object_get(all, "cases")) && json_array_size(cases) == 9);
    for (size_t k = 0; k < json_array_size(cases); k++)
        reference(json_array_get(cases, k));
    json_decref(all);
}

/* ---- Written out ----------------------------------------------------------------------------- */

/* The optimum by the solver of columns, within *gap of it. */
static double written_out(double *gap, const made *m, double C)
{
    unsigned sets[MADE_SETS];
    size_t n = 0;

    for (unsigned s = 1; s < 1u << m->cols; s++)
        if (made_allowed(m, s))
            sets[n++] = s;
    double *z = calloc(m->rows * n + 1, sizeof *z), *c = calloc(m->rows, sizeof *c),
           *w = calloc(n + 1, sizeof *w);
    CHECK(z && c && w && n);
    for (size_t i = 0; i < m->rows; i++) {
        c[i] = C * m->weight[i];
        for (size_t k = 0; k < n; k++)
            z[i * n + k] = made_product(m, i, sets[k]);
    }
    fx_matrix Z = {.rows = m->rows, .cols = n, .stride = n, .type = FX_F64, .val = z};
    fxi_source source;
    CHECK(fxi_fit_source(&source, &Z, NULL, UINT64_MAX, NULL) == FX_OK);
    fxi_problem p = {.source = &source, .loss = m->p.loss, .y = m->y, .c = c, .tol = 1e-9,
                     .intercept = FXI_FREE, .max_iter = 100000};
    fxi_solution s = {.w = w};
    CHECK(fxi_fit_l1(&s, &p, NULL) == FX_OK && s.gap < 1e-4);
    *gap = s.gap;
    fxi_fit_source_free(&source);
    free(z);
    free(c);
    free(w);
    return s.objective;
}

static bool helped;

static void test_written_out(int signs, const fxi_loss *loss)
{
    static made m;
    size_t order = 1 + test_below(4), least = test_below(3) ? 1 : 1 + test_below(order);
    fxi_combos a[2];
    double C = pow(10, 3 * test_unit() - 2), first;

    do
        make(&m, signs, loss, (int)least, (int)order, test_below(2));
    while (m.cols / 2 < order);         /* there is a set, with groups too */
    for (int k = 0; k < 2; k++) {
        fx_run run = {RUN, .threads = k + 1};
        CHECK(fxi_combos_fit_new(&a[k], &m.p, &run) == FX_OK);
        CHECK(fxi_combos_fit(&a[k], C, 0, 1e-9, &run) == FX_OK);
        helped |= test_helped();
        CHECK(a[k].certified);
    }
    same(&a[0], &a[1]);
    CHECK_NEAR(objective(&m, &a[0]), a[0].objective, 1e-12 * (1 + a[0].objective));
    double gap, best = written_out(&gap, &m, C);
    CHECK_NEAR(a[0].objective, best, (1e-9 + gap) * best);

    /* The first weight appears at the first C. */
    CHECK(fxi_combos_fit_first(&first, &a[0], NULL) == FX_OK);
    for (int above = 0; above < 2 && isfinite(first); above++) {
        double l1 = 0;
        CHECK(fxi_combos_fit(&a[0], first * (above ? 1.02 : 0.98), 0, 1e-12, NULL) == FX_OK);
        for (size_t k = 0; k < a[0].set.n; k++)
            l1 += fabs(a[0].set.at[k].w);
        CHECK(above ? l1 > 0 : l1 == 0);
    }
    for (int k = 0; k < 2; k++)
        fxi_combos_fit_free(&a[k]);
}

/* ---- The path -------------------------------------------------------------------------------- */

static void test_path(void)
{
    static made m;
    fxi_combos a, alone;
    double C;

    make(&m, 0, &fxi_loss_squared_hinge, 1, 3, false);
    for (size_t i = 0; i < m.rows; i++)
        m.weight[i] = 1;
    CHECK(fxi_combos_fit_new(&a, &m.p, NULL) == FX_OK);
    CHECK(fxi_combos_fit_first(&C, &a, NULL) == FX_OK && isfinite(C));
    for (int k = 0; k < 20; k++, C *= 1.25) {
        CHECK(fxi_combos_fit(&a, C, 1.25 * C, 1e-8, NULL) == FX_OK && a.certified);
        CHECK(fxi_combos_fit_new(&alone, &m.p, NULL) == FX_OK);
        CHECK(fxi_combos_fit(&alone, C, 0, 1e-8, NULL) == FX_OK && alone.certified);
        CHECK_NEAR(a.objective, alone.objective, 2e-8 * a.objective);
        fxi_combos_fit_free(&alone);
    }
    fxi_combos_fit_free(&a);
}

/* Columns that are equal have one weight, under the smallest set. */
static void test_equal(void)
{
    double x[8] = {1, 1, 1, 1, 0, 0, 0, 0}, y[4] = {1, 1, -1, -1}, weight[4] = {1, 1, 1, 1};
    fx_matrix X = {.rows = 4, .cols = 2, .stride = 2, .type = FX_F64, .val = x};
    fxi_combos_problem p = {.X = &X, .loss = &fxi_loss_logistic, .y = y, .weight = weight,
                            .least = 1, .order = 2, .intercept = true};
    fxi_combos a;

    CHECK(fxi_combos_fit_new(&a, &p, NULL) == FX_OK);
    CHECK(fxi_combos_fit(&a, 10, 0, 1e-9, NULL) == FX_OK && a.certified);
    CHECK(a.set.n == 1 && a.set.at[0].set.n == 1 && a.set.at[0].w > 0);
    fxi_combos_fit_free(&a);

    /* .. in whatever order they come */
    bool fresh;
    CHECK(fxi_combos_fit_new(&a, &p, NULL) == FX_OK);
    CHECK(fxi_combos_set_add(&fresh, &a.set, &(fxi_combo){.n = 2, .item = {0, 1}}) == FX_OK
          && fresh);
    CHECK(fxi_combos_set_add(&fresh, &a.set, &(fxi_combo){.n = 1, .item = {1}}) == FX_OK && !fresh);
    CHECK(a.set.n == 1 && a.set.at[0].set.n == 1 && a.set.at[0].set.item[0] == 1);
    fxi_combos_fit_free(&a);
}

/* Few rows and a large C: columns of the products nearly depend on one another, and curvatures are
 * small. */
static void test_dependent(void)
{
    static made m;
    fxi_combos a;

    for (int n = 0; n < 60; n++) {
        make(&m, n % 2, &fxi_loss_logistic, 1, 4, false);
        CHECK(fxi_combos_fit_new(&a, &m.p, NULL) == FX_OK);
        CHECK(fxi_combos_fit(&a, pow(10, 1 + 3 * test_unit()), 0, 1e-9, NULL) == FX_OK);
        CHECK(a.certified);
        fxi_combos_fit_free(&a);
    }
}

/* An end before: the gap is true, and goes on from there. */
static void test_little_work(void)
{
    static made m;
    fxi_combos a;
    size_t ended = 0;

    for (int n = 0; n < 40; n++) {
        make(&m, n % 3, &fxi_loss_squared_hinge, 1, 4, false);
        CHECK(fxi_combos_fit_new(&a, &m.p, NULL) == FX_OK);
        a.max_work = 1 + test_below(1000);
        CHECK(fxi_combos_fit(&a, 1, 0, 1e-9, NULL) == FX_OK);
        double gap = a.gap, before = a.objective;
        bool certified = a.certified;
        ended += !certified;
        CHECK(certified || a.work >= a.max_work);
        a.max_work = 0;
        CHECK(fxi_combos_fit(&a, 1, 0, 1e-9, NULL) == FX_OK && a.certified);
        CHECK(before - a.objective <= gap * before + 1e-9 * before);
        fxi_combos_fit_free(&a);
    }
    CHECK(ended);
}

static int stop(void *ctx, double done)
{
    (void)ctx, (void)done;
    return 1;
}

static void test_limits(void)
{
    static made m;
    fxi_combos a;
    fx_run small = {RUN, .max_memory = 600}, stopped = {RUN, .progress = stop};

    make(&m, 1, &fxi_loss_logistic, 1, 4, false);
    CHECK(fxi_combos_fit_new(&a, &m.p, &small) == FX_ELIMIT);
    CHECK(fxi_combos_fit_new(&a, &m.p, NULL) == FX_OK);
    CHECK(fxi_combos_fit(&a, 1, 0, 1e-9, &stopped) == FX_ECANCELLED);
    CHECK(fxi_combos_fit(&a, 1, 0, 1e-9, &small) == FX_ELIMIT);
    CHECK(fxi_combos_fit(&a, 1, 0, 1e-9, NULL) == FX_OK && a.certified);
    fxi_combos_fit_free(&a);
}

int main(void)
{
    static const fxi_loss *const loss[] = {&fxi_loss_squared_hinge, &fxi_loss_logistic,
                                           &fxi_loss_squared};

    test_init();
    test_reference();
    for (int n = test_cases(20); n-- > 0;)
        for (int signs = 0; signs < 3; signs++)
            for (int k = 0; k < 3; k++)
                test_written_out(signs, loss[k]);
    CHECK(helped);
    test_path();
    test_equal();
    test_dependent();
    test_little_work();
    test_limits();
    return 0;
}
