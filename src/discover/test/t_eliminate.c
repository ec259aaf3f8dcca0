/* SPDX-License-Identifier: BSD-3-Clause
 * t_eliminate.c - what adds nothing goes, families are nested sets, and other sets with the same
 * product are found.
 *
 * Covers: family.c, same.c */

#include "made.h"

enum { ROWS = 4000, COLS = 8 };

typedef struct call {
    fxi_discover d;
    fxi_combined c[5];
    size_t n;
    double y[ROWS];
} call;

/* Labels of the data are positions among the classes. */
static void prepare(call *o, made *m)
{
    for (size_t i = 0; i < m->rows; i++)
        o->y[i] = m->y[i] > 0;
    o->d = (fxi_discover){.row = m->row, .rows = m->rows, .outputs = 1,
                          .o = {.alpha = 0.05, .order = 3}};
    o->d.train.X = m->X;
    o->d.train.labels.y = o->y;
    o->d.train.labels.weight = m->weight;
}

static fx_status run(void *ctx, size_t block, fxi_team *team)
{
    call *o = ctx;

    (void)block;
    CHECK(fxi_discover_eliminate(o->c, o->n, &o->d, team) == FX_OK);
    return FX_OK;
}

/* The labels follow a triple: its pairs are significant alone, and nothing beside it, but for an
 * error of probability 3e-4 at most in each case. */
static void test_triple(void)
{
    static call o;
    made m;
    const fxi_discover_set triple = {3, {1, 3, 4}};
    const double w = 3;

    make(&m, ROWS, COLS, 0.5);
    made_classes(&m, &triple, &w, 1, -1);
    prepare(&o, &m);
    o.d.o.alpha = 4e-4;
    o.n = 4;
    o.c[0] = (fxi_combined){.set = {2, {1, 3}}};
    o.c[1] = (fxi_combined){.set = triple};
    o.c[2] = (fxi_combined){.set = {2, {3, 4}}};
    o.c[3] = (fxi_combined){.set = {1, {4}}};
    with_team(run, &o);
    for (size_t k = 0; k < o.n; k++) {
        size_t support = 0;
        for (size_t i = 0; i < ROWS; i++)
            support += made_product(&m, i, &o.c[k].set) != 0;
        CHECK(o.c[k].eliminated == (k != 1) && o.c[k].support == support);
    }
    /* log-odds of 3 on an eighth of the rows explain a large share; singles alone explain theirs */
    CHECK(o.c[1].adds > 0.01 && o.c[1].adds < 0.5 && o.c[3].adds > 0.01);
    CHECK(o.c[0].adds > 0);
    fxi_discover_family(o.c, o.n);
    for (size_t k = 0; k < o.n; k++)
        CHECK(o.c[k].family == 0);
    made_free(&m);
}

static void test_family(void)
{
    fxi_combined c[] = {{.set = {2, {0, 1}}},           /* 0 */
                        {.set = {1, {5}}},              /* 1 */
                        {.set = {3, {2, 3, 4}}},        /* 2 */
                        {.set = {3, {0, 1, 2}}},        /* 0 */
                        {.set = {2, {0, 1}}, .output = 1},      /* 3: of another class */
                        {.set = {1, {2}}, .eliminated = true},  /* 2: in the first that holds it */
                        {.set = {2, {5, 6}}},           /* 1 */
                        {.set = {1, {7}}, .eliminated = true}}; /* 4 */
    const size_t want[] = {0, 1, 2, 0, 3, 2, 1, 4};

    fxi_discover_family(c, sizeof c / sizeof *c);
    for (size_t k = 0; k < sizeof c / sizeof *c; k++)
        CHECK(c[k].family == want[k]);
    /* A chain that becomes one family only by its last member. */
    fxi_combined chain[] = {{.set = {1, {0}}}, {.set = {1, {9}}}, {.set = {1, {1}}},
                            {.set = {2, {0, 1}}}};
    fxi_discover_family(chain, 4);
    CHECK(chain[0].family == 0 && chain[1].family == 1 && chain[2].family == 0
          && chain[3].family == 0);
}

typedef struct seek {
    fxi_discover *d;
    fxi_discover_set set, *out;
    size_t n;
} seek;

static fx_status find(void *ctx, size_t block, fxi_team *team)
{
    seek *s = ctx;

    (void)block;
    return fxi_discover_same(&s->out, &s->n, &s->set, s->d, team);
}

/* Every set of at most three columns, one by one. */
static void test_same(void)
{
    static call o;
    made m;
    seek s = {&o.d, {2, {0, 1}}, NULL, 0};

    make(&m, 200, COLS, 0.7);
    for (size_t i = 0; i < m.rows; i++) {
        double *x = m.x + i * COLS;
        x[5] = x[0];                            /* another name of column 0 */
        x[6] = fmax(x[6], x[0] * x[1]);         /* 1 wherever the pair is, and elsewhere */
    }
    prepare(&o, &m);
    with_team(find, &s);
    size_t found = 0;
    for (uint32_t mask = 1; mask < 1u << COLS; mask++) {
        const fxi_discover_set whole = {COLS, {0, 1, 2, 3, 4, 5, 6, 7}};
        fxi_discover_set t = fxi_discover_set_part(&whole, mask);
        bool same = t.n <= 3 && fxi_discover_set_compare(&t, &s.set) != 0, listed = false;
        for (size_t i = 0; i < m.rows; i++)
            same &= made_product(&m, i, &t) == made_product(&m, i, &s.set);
        for (size_t k = 0; k < s.n; k++)
            listed |= fxi_discover_set_compare(&t, &s.out[k]) == 0;
        CHECK(same == listed);
        found += same;
    }
    CHECK(found == s.n && s.n >= 4);            /* 1 5, 0 1 5, 0 1 6, 1 5 6 */
    free(s.out);
    m.x[0] = 0.5;                               /* not for such numbers */
    with_team(find, &s);
    CHECK(s.n == 0);
    free(s.out);
    made_free(&m);
}

int main(void)
{
    test_init();
    for (int i = 0; i < test_cases(3); i++) {
        test_triple();
        test_same();
    }
    test_family();
    return 0;
}
