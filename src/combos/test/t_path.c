/* SPDX-License-Identifier: BSD-3-Clause
 * t_path.c - the path against its definition: each step's objective from its weights and from a fit
 * of that C alone, rows and ties of the combinations by a loop over all sets, threads, options. */

#include "combos/test/made.h"

#include <string.h>

static unsigned bits_of(const fx_combination *x)
{
    unsigned bits = 0;

    for (size_t k = 0; k < x->order; k++) {
        CHECK(k == 0 || x->column[k] > x->column[k - 1]);
        bits |= 1u << x->column[k];
    }
    return bits;
}

static double objective(const made *m, const fx_combos_path *p, size_t step)
{
    double sum = 0;

    for (size_t q = p->first[step]; q < p->first[step + 1]; q++)
        sum += fabs(p->weight[q]);
    for (size_t i = 0; i < m->rows; i++) {
        double f = p->intercept[step];
        for (size_t q = p->first[step]; q < p->first[step + 1]; q++)
            f += p->weight[q] * made_product(m, i, bits_of(&p->at[p->combination[q]]));
        sum += p->C[step] * m->weight[i] * m->p.loss->value(m->y[i], f, 0);
    }
    return sum;
}

static void check_steps(const made *m, const fx_combos_path *p, double tol)
{
    fxi_combos a;

    CHECK(fxi_combos_fit_new(&a, &m->p, NULL) == FX_OK);
    for (size_t k = 0; k < p->steps; k++) {
        CHECK(p->gap[k] <= tol && p->first[k] <= p->first[k + 1]);
        CHECK_NEAR(objective(m, p, k), p->objective[k], 1e-12 * (1 + p->objective[k]));
        for (size_t q = p->first[k]; q < p->first[k + 1]; q++) {
            CHECK(p->weight[q] != 0 && p->combination[q] < p->n);
            CHECK(q == p->first[k] || p->combination[q] > p->combination[q - 1]);
        }
        CHECK(fxi_combos_fit(&a, p->C[k], 0, 1e-9, NULL) == FX_OK && a.certified);
        CHECK_NEAR(p->objective[k], a.objective, (tol + 1e-9) * a.objective);
    }
    fxi_combos_fit_free(&a);
}

/* True if the products of two sets are equal in all rows. */
static bool equal(const made *m, unsigned s, unsigned t)
{
    for (size_t i = 0; i < m->rows; i++)
        if (made_product(m, i, s) != made_product(m, i, t))
            return false;
    return true;
}

static void check_combinations(const made *m, const fx_combos_path *p, bool binary)
{
    for (size_t k = 0; k < p->n; k++) {
        unsigned set = bits_of(&p->at[k]), all = set;
        size_t rows = 0;
        CHECK(made_allowed(m, set));
        for (size_t i = 0; i < m->rows; i++)
            rows += made_product(m, i, set) != 0;
        CHECK(p->at[k].support == rows);
        for (size_t q = p->tie_first[k]; q < p->tie_first[k + 1]; q++) {
            CHECK(!(set >> p->tie[q] & 1));
            all |= 1u << p->tie[q];
        }
        for (unsigned s = 1; s < 1u << m->cols; s++)    /* of binary ones these are all; else
                                                         * some */
            if ((s & ~all) == 0 && (s & set) == set)
                CHECK(equal(m, s, set));
            else if (binary && equal(m, s, set))
                CHECK((s & ~all) == 0);
        for (size_t q = 0; q < k; q++)
            CHECK(!equal(m, set, bits_of(&p->at[q])));
    }
}

static void same(const fx_combos_path *a, const fx_combos_path *b)
{
    CHECK(a->steps == b->steps && a->n == b->n && a->examined == b->examined);
    CHECK(a->searches == b->searches && a->first[a->steps] == b->first[a->steps]);
    for (size_t k = 0; k < a->steps; k++)
        CHECK(a->C[k] == b->C[k] && a->intercept[k] == b->intercept[k] && a->gap[k] == b->gap[k]
              && a->objective[k] == b->objective[k] && a->first[k] == b->first[k]);
    for (size_t q = 0; q < a->first[a->steps]; q++)
        CHECK(a->weight[q] == b->weight[q] && a->combination[q] == b->combination[q]);
    for (size_t k = 0; k < a->n; k++)
        CHECK(bits_of(&a->at[k]) == bits_of(&b->at[k]));
}

static fx_status path_of(fx_combos_path **p, const made *m, fx_combos_options *o, const fx_run *run)
{
    o->size = sizeof *o;
    o->loss = m->p.loss->name;
    o->group = m->p.group;
    return fx_combos_path_new(p, o, &m->view, m->y, m->weight, run);
}

static bool helped;
static size_t ties, weights;

static void case_of(int signs, const fxi_loss *loss)
{
    static made m;
    int order = 1 + (int)test_below(4), least = test_below(3) ? 1 : 1 + (int)test_below(2);
    fx_combos_path *p[2];
    fx_combos_options o = {.steps = 15, .span = 50, .tol = 1e-8};

    least = least < order ? least : order;
    do
        make(&m, signs, loss, least, order, test_below(2));
    while ((int)(m.cols / 2) < order);  /* there is a set, with groups too */
    o.least = (size_t)least;
    o.order = (size_t)order;
    o.no_intercept = test_below(4) == 0;
    m.p.intercept = !o.no_intercept;
    fx_status st = FX_OK;
    for (int k = 0; k < 2 && !st; k++) {
        fx_run run = {RUN, .threads = k + 1};
        st = path_of(&p[k], &m, &o, &run);
        helped |= test_helped();
    }
    if (st == FX_EDOMAIN)               /* the labels are equal */
        return;
    CHECK(st == FX_OK && p[0]->steps == 15);
    same(p[0], p[1]);
    CHECK_NEAR(p[0]->C[14] / p[0]->C[0], 50, 1e-12 * 50);
    check_steps(&m, p[0], 1e-8);
    check_combinations(&m, p[0], signs == 0);
    ties += p[0]->tie_first[p[0]->n];
    weights += p[0]->first[15];

    /* The same C, given; and an end before. */
    fx_combos_options given = o;
    given.C = p[0]->C;
    given.span = 0;
    fx_combos_path *q;
    CHECK(path_of(&q, &m, &given, NULL) == FX_OK && q->steps == 15);
    for (size_t k = 0; k < 15; k++)
        CHECK_NEAR(q->objective[k], p[0]->objective[k], 2e-8 * q->objective[k]);
    fx_combos_path_free(q);
    given.max_weights = 2;
    CHECK(path_of(&q, &m, &given, NULL) == FX_OK);
    for (size_t k = 0; k < q->steps; k++)
        CHECK((q->first[k + 1] - q->first[k] >= 2) == (k + 1 == q->steps) || q->steps == 15);
    fx_combos_path_free(q);
    for (int k = 0; k < 2; k++)
        fx_combos_path_free(p[k]);
}

/* ---- Columns that go together ---------------------------------------------------------------- */

static void test_ties(void)
{
    /* Columns 0 and 2 are equal, 3 is 1 wherever they are, 1 is another. */
    double x[] = {1, 0, 1, 1, 1, 1, 1, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1, 1},
           y[] = {1, 1, -1, -1, -1, 1};
    fx_matrix X = {.rows = 6, .cols = 4, .stride = 4, .type = FX_F64, .val = x};
    fx_combos_options o = {.size = sizeof o, .order = 4};
    fx_combos_path *p;

    CHECK(fx_combos_path_new(&p, &o, &X, y, NULL, NULL) == FX_OK);
    CHECK(p->steps == 100 && p->n >= 1);
    CHECK(p->at[0].order == 1 && (p->at[0].column[0] == 0 || p->at[0].column[0] == 2));
    CHECK(p->tie_first[1] == 2 && p->tie[0] + p->tie[1] + p->at[0].column[0] == 5);
    fx_combos_path_free(p);
}

/* ---- What is refused ------------------------------------------------------------------------- */

static int stop(void *ctx, double done)
{
    (void)done;
    return --*(int *)ctx < 0;
}

static void refused(const char *text, fx_combos_options o, double x, double y, double weight)
{
    double X[] = {1, 0, x, 1}, Y[] = {y, -1}, w[] = {1, weight};
    fx_matrix view = {.rows = 2, .cols = 2, .stride = 2, .type = FX_F64, .val = X};
    fx_combos_path *p = NULL;

    o.size = sizeof o;
    fx_status st = fx_combos_path_new(&p, &o, &view, Y, w, NULL);
    CHECK(FX_FAILED(st) && !p);
    if (!strstr(fx_error_detail(), text))
        fprintf(stderr, "%s\n", fx_error_detail());
    CHECK(strstr(fx_error_detail(), text));
}

static void test_refused(void)
{
    const double falling[] = {1, 0.5}, infinite[] = {1, INFINITY}, negative[] = {-1, 1};
    fx_combos_options none = {.steps = 2};
    fx_combos_path *p = NULL;

    refused("loss 'hinge' is not one of", (fx_combos_options){.loss = "hinge"}, 0, 1, 1);
    refused("did you mean 'squared'?", (fx_combos_options){.loss = "squard"}, 0, 1, 1);
    refused("combinations of 1 to 17", (fx_combos_options){.order = 17}, 0, 1, 1);
    refused("combinations of 3 to 2", (fx_combos_options){.least = 3, .order = 2}, 0, 1, 1);
    refused("C[1] is 0.5", (fx_combos_options){.C = falling, .steps = 2}, 0, 1, 1);
    refused("C[1] is inf", (fx_combos_options){.C = infinite, .steps = 2}, 0, 1, 1);
    refused("C[0] is -1", (fx_combos_options){.C = negative, .steps = 2}, 0, 1, 1);
    refused("but no steps", (fx_combos_options){.C = falling}, 0, 1, 1);
    refused("span 1", (fx_combos_options){.span = 1}, 0, 1, 1);
    refused("tol -1", (fx_combos_options){.tol = -1}, 0, 1, 1);
    refused("y of row 0 (from 0) is 2", none, 0, 2, 1);
    refused("y of row 0 (from 0) is nan", (fx_combos_options){.loss = "squared"}, 0, NAN, 1);
    refused("weight of row 1 (from 0) is -1", none, 0, 1, -1);
    refused("numbers from -1 to 1", none, 1.5, 1, 1);
    refused("NaN is not a finite number", none, NAN, 1, 1);
    refused("no combination has a weight", none, 0, -1, 1);
    refused("no combination has a weight", none, 0, 1, 0);
    CHECK(fx_combos_path_new(&p, NULL, &(fx_matrix){.rows = 0, .cols = 0, .type = FX_F64}, NULL,
                             NULL, NULL)
              == FX_EINVAL
          && !p);
    CHECK(fx_combos_path_new(&p, &(fx_combos_options){0}, &(fx_matrix){0}, NULL, NULL, NULL)
              == FX_EINVAL
          && !p);
    const double x[] = {1, 0}, y[] = {1, -1};
    const fx_matrix X = {.rows = 2, .cols = 1, .stride = 1, .type = FX_F64, .val = x};
    CHECK(fx_combos_path_new(&p, NULL, NULL, y, NULL, NULL) == FX_EINVAL && !p);
    CHECK(fx_combos_path_new(NULL, NULL, &X, y, NULL, NULL) == FX_EINVAL);
}

/* Stopped at each call of progress, and with each limit of memory until it suffices. */
static void test_limits(void)
{
    static made m;
    fx_combos_path *p = NULL;
    fx_combos_options o = {.steps = 5, .order = 3};
    fx_status st = FX_ELIMIT;
    size_t refusals = 0;

    make(&m, 1, &fxi_loss_logistic, 1, 3, false);
    for (int calls = 0; calls < 3; calls++) {
        int left = calls;
        fx_run run = {RUN, .progress = stop, .ctx = &left};
        CHECK(path_of(&p, &m, &o, &run) == FX_ECANCELLED && !p);
    }
    for (uint64_t limit = 100; st; limit += limit / 4) {
        fx_run run = {RUN, .max_memory = limit};
        st = path_of(&p, &m, &o, &run);
        CHECK(!st || (st == FX_ELIMIT && !p));
        refusals += st == FX_ELIMIT;
    }
    CHECK(refusals > 5);
    fx_combos_path_free(p);
    fx_combos_path_free(NULL);
}

int main(void)
{
    static const fxi_loss *const loss[] = {&fxi_loss_squared_hinge, &fxi_loss_logistic,
                                           &fxi_loss_squared};

    test_init();
    for (int n = test_cases(10); n-- > 0;)
        for (int signs = 0; signs < 3; signs++)
            for (int k = 0; k < 3; k++)
                case_of(signs, loss[k]);
    CHECK(helped && ties > 0 && weights > 0);
    test_ties();
    test_refused();
    test_limits();
    return 0;
}
