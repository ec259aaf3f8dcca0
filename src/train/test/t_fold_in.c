/* SPDX-License-Identifier: BSD-3-Clause
 * t_fold_in.c - fx_model_fold_in: the numbers of a new user beside ridge regression written out,
 * divided by the weight of the training, which files keep; users in turn or together; columns
 * within the width, after it, and between two sides; scalings, missing numbers, classes, names;
 * everything else the same bits, adagrad's state too; what cannot be folded in.
 *
 * Covers: src/kind/factors_fold_in.c */
#include "kind/test/factors.h"

enum { USERS = 12, ITEMS = 9, KNOWN = USERS + ITEMS };

/* Rows of text: user and item, and a number `age` in column KNOWN (beyond it: new users). */
static fx_data *ratings(size_t first, size_t users, size_t each, int classes)
{
    char text[1 << 14], *p = text;

    for (size_t u = first; u < first + users; u++)
        for (size_t k = 0; k < each; k++) {
            size_t item = (u + 2 * k) % ITEMS, user = u < USERS ? u : u + ITEMS + 1;
            double y = classes ? (double)((u * item + k) % (size_t)classes)
                               : 2 + sin((double)(u * item)) + 0.3 * (double)k;
            if (user < USERS)
                p += sprintf(p, "%.4f %zu:1 %zu:1 %d:%.2f\n", y, user, USERS + item, KNOWN,
                             0.1 * (double)(1 + k));
            else
                p += sprintf(p, "%.4f %zu:1 %d:%.2f %zu:1\n", y, USERS + item, KNOWN,
                             0.1 * (double)(1 + k), user);
        }
    fx_data *d;
    CHECK(fx_data_parse(&d, "svmlight:base=0", "text", text, (size_t)(p - text), NULL) == FX_OK);
    return d;
}

static fx_model *folded(const fx_model *m, const fx_table *t)
{
    fx_model *next = NULL;
    fx_status s = fx_model_fold_in(&next, m, t, NULL);

    if (s)
        fprintf(stderr, "%s: %s\n", m->c.spec, fx_error_detail());
    CHECK(s == FX_OK);
    return next;
}

/* Everything of a is in b, bit for bit. */
static void check_same(const fx_model *a, const fx_model *b)
{
    const fx_model_info *x = &a->c, *y = &b->c;

    CHECK(same_bits(x->intercepts, y->intercepts, x->outputs));
    CHECK(x->weight == y->weight && x->orders == y->orders && y->iterations == x->iterations);
    for (size_t j = 0; j < x->cols; j++) {
        if (x->seen && !x->seen[j])
            continue;
        CHECK(same_bits(x->weights + j * x->outputs, y->weights + j * x->outputs, x->outputs));
        for (size_t g = 0; g < x->orders; g++) {
            const fx_factors *p = &x->factors[g], *q = &y->factors[g];
            size_t front = p->cols - x->cols;
            for (size_t k = 0; k < x->outputs && p->cols < 2 * x->cols; k++)
                CHECK(same_bits(p->P + (k * p->cols + front + j) * p->rank,
                                q->P + (k * q->cols + front + j) * q->rank, p->rank));
        }
    }
    for (size_t g = 0; g < x->orders; g++)
        CHECK(
            same_bits(x->factors[g].lambda, y->factors[g].lambda, x->outputs * x->factors[g].rank));
}

/* ---- By hand ------------------------------------------------------------------------------ */

/* Solves A u = b of n unknowns by elimination with pivots. */
static void eliminate(double *A, double *b, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k; i < n; i++)
            best = fabs(A[i * n + k]) > fabs(A[best * n + k]) ? i : best;
        for (size_t j = 0; j < n; j++) {
            double x = A[k * n + j];
            A[k * n + j] = A[best * n + j];
            A[best * n + j] = x;
        }
        double y = b[k];
        b[k] = b[best];
        b[best] = y;
        for (size_t i = 0; i < n; i++) {
            double by = i == k ? 0 : A[i * n + k] / A[k * n + k];
            for (size_t j = 0; j < n; j++)
                A[i * n + j] -= by * A[k * n + j];
            b[i] -= by * b[k];
        }
    }
    for (size_t k = 0; k < n; k++)
        b[k] /= A[k * n + k];
}

/* A user of fm: f = what m says without it + w + <p, sum of the others' factors>. */
static void check_by_hand(void)
{
    enum { RANK = 5, N = RANK + 1, EACH = 7 };
    fx_data *all = ratings(0, USERS, 6, 0), *user = ratings(USERS, 1, EACH, 0);
    fx_table t = fx_data_table(all), x = fx_data_table(user);
    double weight[USERS * 6], total = 0;
    fx_plan plan = {PLAN, .model = "fm:task=regress,rank=5,beta=1e-3,alpha=2e-3,sd=0.3", .seed = 5};

    for (size_t i = 0; i < t.rows; i++)
        total += weight[i] = 0.5 * (double)(i % 4);
    t.weight = weight;
    fx_model *m = fitted(&plan, &t, NULL), *next = folded(m, &x);
    const fx_model_info *c = &m->c, *now = &next->c;
    const double *P = c->factors->P, *f = scores(m, &x);
    double A[N * N] = {0}, b[N] = {0}, added = 0;

    CHECK(c->weight == total && c->cols == KNOWN + 1 && !c->later);
    for (size_t i = 0; i < EACH; i++) {
        fxi_row r = fxi_data_row(x.block, i);
        double g[N] = {1};
        for (size_t q = 0; q < 2; q++)
            for (size_t s = 0; s < RANK; s++)
                g[1 + s] += P[(size_t)fxi_row_column(r, q) * RANK + s] * fxi_row_value(r, q);
        for (size_t k = 0; k < N; k++) {
            b[k] += g[k] * (x.label[i] - f[i]) / total;
            for (size_t l = 0; l < N; l++)
                A[k * N + l] += g[k] * g[l] / total;
        }
    }
    for (size_t k = 0; k < N; k++)
        A[k * N + k] += k ? 1e-3 : 2e-3;
    eliminate(A, b, N);
    size_t j = now->cols - 1;
    CHECK(now->cols == KNOWN + 2 && now->rows == c->rows + EACH);
    CHECK_NEAR(now->weights[j], b[0], 1e-10);
    for (size_t s = 0; s < RANK; s++)
        CHECK_NEAR(now->factors->P[j * RANK + s], b[1 + s], 1e-10);
    double *after = scores(next, &x);
    for (size_t i = 0; i < EACH; i++)
        added += 0.5 * (after[i] - x.label[i]) * (after[i] - x.label[i]) / total;
    for (size_t k = 0; k < N; k++)
        added += (k ? 1e-3 : 2e-3) / 2 * b[k] * b[k];
    CHECK_NEAR(now->objective, c->objective + added, 1e-12);
    for (size_t k = 0; k < now->cols; k++)
        CHECK(now->later[k] == (k == j));
    check_same(m, next);
    fx_model_free(read_back(next));
    free((double *)(uintptr_t)f);
    free(after);
    fx_model_free(m);
    fx_model_free(next);
    fx_data_free(all);
    fx_data_free(user);
}

/* ---- All models --------------------------------------------------------------------------- */

static void near_scores(const fx_model *a, const fx_model *b, const fx_table *t, double tol)
{
    double *f = scores(a, t), *g = scores(b, t);

    for (size_t i = 0; i < t->rows * a->c.outputs; i++)
        CHECK_NEAR(f[i], g[i], tol);
    free(f);
    free(g);
}

/* Two users in turn, or together: no row holds both.  From a file it is the same. */
static void check_turns(const char *spec, int classes, const char *scale)
{
    fx_data *all = ratings(0, USERS, 6, classes), *one = ratings(USERS, 1, 8, classes);
    fx_data *other = ratings(USERS + 1, 1, 8, classes), *both = ratings(USERS, 2, 8, classes);
    fx_table t = fx_data_table(all), x = fx_data_table(one), y = fx_data_table(other);
    fx_table z = fx_data_table(both);
    fx_plan plan = {PLAN, .model = spec, .scale = scale, .seed = 2};
    fx_model *m = fitted(&plan, &t, NULL), *again = read_back(m);
    fx_model *first = folded(m, &x), *turn = folded(first, &y), *together = folded(again, &z);
    bool twice = strstr(spec, "poly-net-uv");

    check_same(m, first);
    check_same(first, turn);
    near_scores(m, turn, &t, 0);
    near_scores(turn, together, &z, twice ? 0.1 : 1e-8);
    CHECK_NEAR(turn->c.objective, together->c.objective, twice ? 1e-2 : 1e-10);
    CHECK(turn->c.later[KNOWN + 1] && turn->c.later[KNOWN + 2] && !turn->c.later[KNOWN]);
    fx_model *back = read_back(turn);
    CHECK(!memcmp(back->c.later, turn->c.later, turn->c.cols) && back->c.weight == m->c.weight);
    near_scores(turn, back, &z, 0);
    fx_model *models[] = {m, again, first, turn, together, back};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        fx_model_free(models[i]);
    fx_data *data[] = {all, one, other, both};
    for (size_t i = 0; i < 4; i++)
        fx_data_free(data[i]);
}

/* ---- Sides -------------------------------------------------------------------------------- */

/* Pairs of a user and of an item with its age; the first side has `split` columns. */
static fx_data *pairs(size_t first, size_t users, size_t each, size_t split)
{
    char text[1 << 14], *p = text;

    for (size_t u = first; u < first + users; u++)
        for (size_t k = 0; k < each; k++) {
            size_t item = (u + 2 * k) % ITEMS;
            p += sprintf(p, "%.4f %zu:1 %zu:1 %zu:%.2f\n", 2 + sin((double)(u * item)), u,
                         split + item, split + ITEMS, 0.1 * (double)(1 + k));
        }
    fx_data *d;
    CHECK(fx_data_parse(&d, "svmlight:base=0", "text", text, (size_t)(p - text), NULL) == FX_OK);
    return d;
}

static fx_table paired(const fx_data *d, size_t split)
{
    fx_table t = fx_data_table(d);

    t.split = split;
    return t;
}

/* No slope by the weight and the factors of column j, a user's. */
static void check_slope(const fx_model *m, const fx_table *x, size_t j, bool bilinear)
{
    const fx_model_info *c = &m->c;
    const fx_factors *P = c->factors;
    double *f = scores(m, x);

    for (size_t s = 0; s <= P->rank; s++) {     /* rank: the weight */
        double slope = s < P->rank ? 1e-3 * P->P[j * P->rank + s] : 2e-3 * c->weights[j];
        for (size_t i = 0; i < x->rows; i++) {
            fxi_row r = fxi_data_row(x->block, i);
            double g = s == P->rank;
            for (size_t q = 0; q < r.n && s < P->rank; q++) {
                size_t k = (size_t)fxi_row_column(r, q);
                if (k != j && (!bilinear || k >= c->split))
                    g += P->P[k * P->rank + s] * fxi_row_value(r, q);
            }
            if ((size_t)fxi_row_column(r, 0) == j)
                slope += (f[i] - x->label[i]) * g / c->weight;
        }
        CHECK_NEAR(slope, 0, 1e-10);
    }
    free(f);
}

/* New users come before the items: their numbers are where the objective has no slope, and none of
 * the others changes. */
static void check_sides(const char *spec, const char *scale, bool slopes)
{
    enum { NEW = 2, WIDE = USERS + NEW };
    fx_data *all = pairs(0, USERS, 6, USERS), *moved = pairs(0, USERS, 6, WIDE);
    fx_data *two = pairs(USERS, NEW, 8, WIDE), *one = pairs(USERS, 1, 8, WIDE);
    fx_table t = paired(all, 0), was = paired(moved, WIDE), x = paired(two, WIDE),
             y = paired(one, WIDE), small = paired(two, USERS - 1);
    fx_plan plan = {PLAN, .model = spec, .scale = scale, .split = USERS, .seed = 2};
    fx_model *m = fitted(&plan, &t, NULL), *now = folded(m, &x), *back = read_back(now);
    fx_model *turn = folded(m, &y);
    const fx_model_info *c = &now->c;
    double *before = scores(m, &t), *after = scores(back, &was);
    char split[24];

    CHECK(c->split == WIDE && c->cols == m->c.cols + NEW && back->c.split == WIDE);
    snprintf(split, sizeof split, "split=%d", WIDE);
    CHECK(!strstr(spec, "bilinear") || strstr(c->spec, split));
    for (size_t j = 0; j < c->cols; j++)
        CHECK(c->later[j] == (j >= USERS && j < WIDE));
    CHECK(same_bits(before, after, t.rows));
    if (slopes) {
        check_slope(now, &x, USERS, strstr(spec, "bilinear"));
        check_slope(now, &x, USERS + 1, strstr(spec, "bilinear"));
        check_slope(turn, &y, USERS, strstr(spec, "bilinear"));
    }
    fx_model *next = NULL;
    CHECK(fx_model_fold_in(&next, now, &small, NULL) == FX_EINVAL && !next
          && strstr(fx_error_detail(), "two sides"));
    free(before);
    free(after);
    fx_model *models[] = {m, now, back, turn};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        fx_model_free(models[i]);
    fx_data *data[] = {all, moved, two, one};
    for (size_t i = 0; i < 4; i++)
        fx_data_free(data[i]);
}

/* Groups have the numbers of columns. */
static void check_sides_groups(void)
{
    fx_data *all = pairs(0, USERS, 6, USERS), *two = pairs(USERS, 2, 8, USERS + 2);
    fx_table t = fx_data_table(all), x = paired(two, USERS + 2);
    fx_plan plan = {PLAN, .model = "fm:task=regress,rank=2,max-iter=3", .split = USERS, .seed = 2,
                    .kernel = "groups:file=F,order=2", .family = "a: 14 15\n"};
    fx_model *m = fitted(&plan, &t, NULL), *next = NULL;

    CHECK(fx_model_fold_in(&next, m, &x, NULL) == FX_EUNSUPPORTED && !next
          && strstr(fx_error_detail(), "groups"));
    fx_model_free(m);
    fx_data_free(all);
    fx_data_free(two);
}

/* A column within the width that training never saw; rows as dense ones. */
static void check_unseen(void)
{
    rows r;
    double X[4 * COLS] = {0}, label[4];
    fx_matrix dense = {.rows = 4, .cols = COLS, .stride = COLS, .type = FX_F64, .val = X};
    fx_table t = {.rows = 4, .cols = COLS, .blocks = 1, .block = &dense, .label = label};
    fx_plan plan = {PLAN, .model = "hofm:task=regress,order=3,rank=3", .scale = "maxabs",
                    .seed = 1};
    fx_model *next = NULL;

    make_rows(&r);
    fx_model *m = fitted(&plan, labelled(&r, 0), NULL);
    CHECK(m->c.seen && !m->c.seen[5]);
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < COLS; j++)
            X[i * COLS + j] = test_unit();
        label[i] = test_unit();
    }
    fx_model *now = folded(m, &t);
    CHECK(!now->c.seen && now->c.later[5] && now->c.cols == COLS && now->c.weights[5] != 0);
    check_same(m, now);
    CHECK(fx_model_fold_in(&next, now, &t, NULL) == FX_EINVAL && !next);
    CHECK(strstr(fx_error_detail(), "nothing to fold in"));
    /* rows of weight 0 hold nothing */
    double none[4] = {0};
    t.weight = none;
    CHECK(fx_model_fold_in(&next, m, &t, NULL) == FX_EINVAL && !next);
    fx_model_free(m);
    fx_model_free(now);
}

/* Adagrad goes on as if there were no new column. */
static void check_adagrad(void)
{
    fx_data *all = ratings(0, USERS, 6, 2), *user = ratings(USERS, 1, 8, 2);
    fx_table t = fx_data_table(all), x = fx_data_table(user);
    fx_plan plan = {PLAN, .model = "fm:rank=4,solver=adagrad,max-iter=5", .seed = 2};
    fx_model *m = fitted(&plan, &t, NULL), *now = folded(m, &x), *a, *b;

    CHECK(fx_model_update(&a, m, &t, NULL) == FX_OK && fx_model_update(&b, now, &t, NULL) == FX_OK);
    CHECK(a->c.weight == 2 * m->c.weight && b->c.weight == a->c.weight && b->c.later[KNOWN + 1]);
    near_scores(a, b, &t, 0);
    const fxi_factors *x0 = a->own, *y0 = b->own;
    CHECK(same_bits(x0->state, y0->state, 8));          /* b, rate and epochs */
    fx_model *models[] = {m, now, a, b};
    for (size_t i = 0; i < 4; i++)
        fx_model_free(models[i]);
    fx_data_free(all);
    fx_data_free(user);
}

static fx_data *csv(const char *text)
{
    fx_data *d;

    CHECK(fx_data_parse(&d, "csv:label=y,nan=keep", "text", text, strlen(text), NULL) == FX_OK);
    return d;
}

/* Means fill known columns; where indicators follow, nothing more can. */
static void check_missing(void)
{
    fx_data *all = csv("y,a,b\n1,2,1\n2,NA,3\n4,1,1\n3,2,NA\n"),
            *more = csv("y,a,b,c\n5,NA,2,1\n1,1,NA,1\n2,1,NA,NA\n"),
            *other = csv("y,a,B,c\n5,1,2,1\n");
    fx_table t = fx_data_table(all), x = fx_data_table(more), y = fx_data_table(other), z = x;
    fx_plan plan = {PLAN, .model = "fm:task=regress,rank=2", .missing = "mean", .seed = 1};
    fx_model *m = fitted(&plan, &t, NULL), *now = folded(m, &x), *next = NULL;

    CHECK(now->c.inputs == 3 && now->c.fill[2] == 0 && !strcmp(now->c.name[2], "c"));
    CHECK(now->c.fill[0] == m->c.fill[0] && now->c.weights[2] != 0);
    fx_model_free(read_back(now));
    CHECK(fx_model_fold_in(&next, m, &y, NULL) == FX_EINVAL
          && strstr(fx_error_detail(), "column 1 is 'b' in the model and 'B' in the rows"));
    z.name = NULL;
    CHECK(fx_model_fold_in(&next, m, &z, NULL) == FX_EINVAL
          && strstr(fx_error_detail(), "have none"));
    fx_model_free(m);
    plan.missing = "mean,indicator";
    m = fitted(&plan, &t, NULL);
    CHECK(fx_model_fold_in(&next, m, &x, NULL) == FX_EUNSUPPORTED
          && strstr(fx_error_detail(), "no place for more"));
    CHECK(!next);
    fx_model_free(m);
    fx_model_free(now);
    fx_data_free(all);
    fx_data_free(more);
    fx_data_free(other);
}

/* ---- What cannot be ----------------------------------------------------------------------- */

static void refuse(const fx_model *m, const fx_table *t, fx_status want, const char *says)
{
    fx_model *next = NULL;

    fx_status s = fx_model_fold_in(&next, m, t, NULL);
    if (s != want)
        fprintf(stderr, "%d: %s\n", s, fx_error_detail());
    CHECK(s == want && !next);
    if (!strstr(fx_error_detail(), says))
        fprintf(stderr, "%s\n", fx_error_detail());
    CHECK(strstr(fx_error_detail(), says));
}

static void refuse_model(const char *spec, const char *says)
{
    fx_data *all = ratings(0, USERS, 6, 2), *user = ratings(USERS, 1, 8, 2);
    fx_table t = fx_data_table(all), x = fx_data_table(user);
    fx_plan plan = {PLAN, .model = spec, .seed = 2};
    fx_model *m = fitted(&plan, &t, NULL);

    refuse(m, &x, FX_EUNSUPPORTED, says);
    fx_model_free(m);
    fx_data_free(all);
    fx_data_free(user);
}

static void check_refused(void)
{
    static const char libfm[] = "#unary interactions Wj\n1\n2\n";
    fx_data *all = ratings(0, USERS, 6, 2), *user = ratings(USERS, 1, 8, 3);
    fx_table t = fx_data_table(all), x = fx_data_table(user);
    fx_plan plan = {PLAN, .model = "fm:rank=2", .seed = 2};
    fx_model *m = fitted(&plan, &t, NULL), *old = NULL;

    refuse(m, &x, FX_EINVAL, "2");      /* a class of its own */
    CHECK(fx_model_fold_in(NULL, m, &x, NULL) == FX_EINVAL);
    refuse(NULL, &x, FX_EINVAL, "m is NULL");
    x.label = NULL;
    refuse(m, &x, FX_EINVAL, "no labels");
    fx_run small = {RUN, .max_memory = 2000};
    CHECK(fx_model_fold_in(&old, m, &x, &small) < 0 && !old);
    fx_data_free(user);
    user = ratings(USERS, 1, 8, 2);
    x = fx_data_table(user);
    CHECK(fx_model_fold_in(&old, m, &x, &small) == FX_ELIMIT && !old);
    CHECK(fx_model_import(&old, "libfm", 1, libfm, strlen(libfm), NULL) == FX_OK);
    refuse(old, &x, FX_EUNSUPPORTED, "by which weight");
    fx_model_free(old);
    fx_model_free(m);
    fx_data_free(all);
    fx_data_free(user);
    refuse_model("poly-net:rank=2", "into poly-net, whose");
    refuse_model("fm:rank=2,task=rank,max-iter=3,tol=1", "task=rank");
    refuse_model("logistic", "into logistic; into factorization machines");
}

/* Rows that hold two new columns: the objective falls from visit to visit. */
static void check_both_new(void)
{
    fx_data *all = ratings(0, USERS, 6, 0);
    fx_data *new = parsed(
        "1 0:0 1:1 23:1 30:1\n2 2:1 23:1 31:1\n4 15:1 23:1 30:1\n3 3:1 24:1 30:1\n");
    fx_table t = fx_data_table(all), x = fx_data_table(new);
    fx_plan plan = {PLAN, .model = "fm:task=regress,rank=3,sd=0.5,beta=1e-5,tol=1e-9", .seed = 2};
    fx_model *m = fitted(&plan, &t, NULL), *now = NULL;

    CHECK(fx_model_fold_in(&now, m, &x, NULL) >= 0);
    CHECK(now->c.steps > 3 && now->c.cols == 32);
    for (size_t k = 1; k < now->c.steps; k++)
        CHECK(now->c.history[k].objective <= now->c.history[k - 1].objective * (1 + 1e-13));
    CHECK(now->c.history[0].objective > 1.001 * now->c.history[now->c.steps - 1].objective);
    fx_model_free(m);
    fx_model_free(now);
    fx_data_free(all);
    fx_data_free(new);
}

int main(void)
{
    static const char *const specs[] = {
        "fm:task=regress,rank=20,sd=0.2", "hofm:task=regress,order=4,rank=3,sd=0.2",
        "hofm-shared:task=regress,order=3,rank=3,lambda=signs,sd=0.2",
        "hofm-simplex:task=regress,order=3,rank=3", "all-subsets:task=regress,rank=4,linear=no",
        "poly-net-uv:task=regress,rank=3,tol=1e-5", "bilinear:task=regress,split=12,rank=3",
        "fm:task=regress,rank=3,lambda=learned,solver=lbfgs,tol=1e-3",
        "fm:task=regress,rank=3,solver=adagrad,clip=train,tol=1e-2"};

    test_init();
    check_by_hand();
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        check_turns(specs[i], 0, NULL);
    check_turns("fm:rank=4", 2, "unit-l2");
    check_turns("fm:rank=4,loss=squared-hinge", 3, "maxabs");
    check_turns("all-subsets:rank=4,loss=squared", 3, "std");
    check_sides("fm:task=regress,rank=5,beta=1e-3,alpha=2e-3,sd=0.3", NULL, true);
    check_sides("bilinear:task=regress,split=12,rank=3,beta=1e-3,alpha=2e-3,sd=0.3", NULL, true);
    check_sides("hofm:task=regress,order=3,rank=3,sd=0.2", "maxabs", false);
    check_sides("hofm-shared:task=regress,order=3,rank=17,sd=0.2", NULL, false);
    check_sides("poly-net-uv:task=regress,rank=3,tol=1e-3", "std", false);
    check_sides_groups();
    check_unseen();
    check_adagrad();
    check_missing();
    check_both_new();
    check_refused();
    return 0;
}
