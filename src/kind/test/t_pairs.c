/* SPDX-License-Identifier: BSD-3-Clause
 * t_pairs.c - several classes as pairs: scores, votes, probabilities.
 * Covers: src/model/pairs.c, src/model/couple.c */
#include "machine.h"

enum { N = 200, CLASSES = 4, PAIRS = 6 };

static void numbers_of_pairs(void)
{
    size_t n, a, b, next = 0;

    CHECK(fxi_model_pairs(&n, 5) && n == 10);
    CHECK(!fxi_model_pairs(&n, SIZE_MAX / 2));
    for (size_t i = 0; i < 5; i++)
        for (size_t j = i + 1; j < 5; j++) {
            fxi_model_pairs_of(&a, &b, 5, next);
            CHECK(fxi_model_pairs_number(5, a, b) == next++);
            CHECK(a == i && b == j);
        }
    for (int i = 0; i < test_cases(2000); i++) {        /* of many: the number is told again */
        size_t k = 2 + test_below(i % 2 ? 65535 : 0xfffffff);
        CHECK(fxi_model_pairs(&n, k));
        next = i % 3 == 0   ? test_below(n)
               : i % 3 == 1 ? n - 1 - test_below(n < 9 ? n : 9)
                            : test_below(n < 9 ? n : 9);
        fxi_model_pairs_of(&a, &b, k, next);
        CHECK(a < b && b < k && a * (2 * k - a - 1) / 2 + b - a - 1 == next);
    }
}

/* Optimal: Qp is even, Q written out from the definition. */
static void couples(size_t k)
{
    double r[66], full[12][12] = {{0}}, p[12], work[24], even = 0, sum = 0;
    size_t next = 0;

    for (size_t a = 0; a < k; a++)
        for (size_t b = a + 1; b < k; b++) {
            double x = test_below(5) ? test_unit() : (double)test_below(2);
            r[next++] = x;
            x = fmax(1e-7, fmin(1 - 1e-7, x));
            full[b][a] = x;
            full[a][b] = 1 - x;
        }
    fxi_model_couple(p, r, k, work, NULL);
    for (int second = 0; second < 2; second++) {
        for (size_t a = 0; a < k; a++) {
            double Qp = 0;
            for (size_t b = 0; b < k; b++)
                if (b != a)
                    Qp += full[b][a] * full[b][a] * p[a] - full[b][a] * full[a][b] * p[b];
            if (second)
                CHECK_NEAR(Qp, even, 1e-11);
            else
                even += p[a] * Qp;
        }
    }
    for (size_t a = 0; a < k; a++) {
        CHECK(p[a] > 0);
        sum += p[a];
    }
    CHECK_NEAR(sum, 1, 1e-12);
}

/* Probabilities that agree with one another are found. */
static void couples_exactly(void)
{
    const double p[] = {0.5, 0.3, 0.2};
    const double r[] = {0.3 / 0.8, 0.2 / 0.7, 0.2 / 0.5};
    double got[3], work[6];

    fxi_model_couple(got, r, 3, work, NULL);
    for (size_t k = 0; k < 3; k++)
        CHECK_NEAR(got[k], p[k], 1e-10);
}

static fx_table four(const fx_data *d, double label[N])
{
    fx_table t = fx_data_table(d);

    for (size_t i = 0; i < t.rows; i++) {
        fxi_row r = fxi_data_row(t.block, i);
        label[i] = 10 * (t.label[i] > 0) + (double)(fxi_row_column(r, 0) % 2);
    }
    t.label = label;
    return t;
}

/* Score by score the models of two classes alone; labels by votes. */
static void are_two_class_models(void)
{
    fx_data *d = made("pairs:n=200,d=20,nz=6,k=4"), *e;
    double label[N];
    fx_table t = four(d, label);
    fx_plan plan = {PLAN, .model = "kernel-svm:tol=1e-6,collapse=no", .kernel = "rbf:gamma=0.2"};
    fx_model *m = fitted(&plan, &t, NULL);
    const fx_model_info *c = fx_model_inspect(m);
    double *S = scores(m, &t), *L = predicted(m, FX_LABEL, t.block, NULL);

    CHECK(c->classes == CLASSES && c->outputs == PAIRS && c->pairs == 1);
    for (size_t o = 0; o < PAIRS; o++) {
        size_t a, b, row[N], n = 0;
        fxi_model_pairs_of(&a, &b, CLASSES, o);
        for (size_t i = 0; i < N; i++)
            if (label[i] == c->class_value[a] || label[i] == c->class_value[b])
                row[n++] = i;
        CHECK(fx_data_select(&e, &t, row, n, NULL) == FX_OK);
        fx_table u = fx_data_table(e);
        fx_model *two = fitted(&plan, &u, NULL);
        double *f = scores(two, &t);
        for (size_t i = 0; i < n; i++)  /* others may have columns that are new to it */
            CHECK_NEAR(S[row[i] * PAIRS + o], f[row[i]], 1e-3);
        free(f);
        fx_model_free(two);
        fx_data_free(e);
    }
    for (size_t i = 0; i < N; i++) {
        int votes[CLASSES] = {0}, best = 0;
        for (size_t o = 0; o < PAIRS; o++) {
            size_t a, b;
            fxi_model_pairs_of(&a, &b, CLASSES, o);
            votes[S[i * PAIRS + o] > 0 ? b : a]++;
        }
        for (int k = 1; k < CLASSES; k++)
            best = votes[k] > votes[best] ? k : best;
        CHECK(L[i] == best);
    }
    free(S);
    free(L);
    fx_model_free(m);
    fx_data_free(d);
}

/* Probabilities are those of the sigmoids, coupled; the label has the largest. */
static void gives_probabilities(void)
{
    fx_data *d = made("pairs:n=200,d=20,nz=6,k=4");
    double label[N], work[2 * CLASSES], r[PAIRS], expected[CLASSES], loss = 0;
    fx_table t = four(d, label);
    fx_plan plan = {PLAN, .model = "kernel-svm:calibrate=yes", .kernel = "rbf:gamma=0.2"};
    fx_model *m = fitted(&plan, &t, NULL);
    const fx_model_info *c = fx_model_inspect(m);
    double *S = scores(m, &t), *P = predicted(m, FX_PROBA, t.block, NULL);
    double *L = predicted(m, FX_LABEL, t.block, NULL);
    fx_metrics e = FX_INIT(fx_metrics);

    CHECK(c->sigmoid && fx_model_width(m, FX_PROBA) == CLASSES);
    for (size_t i = 0; i < N; i++) {
        const double *p = P + i * CLASSES;
        size_t best = 0;
        for (size_t o = 0; o < PAIRS; o++) {
            r[o] = 1 / (1 + exp(c->sigmoid[2 * o] * S[i * PAIRS + o] + c->sigmoid[2 * o + 1]));
            CHECK(c->sigmoid[2 * o] < 0);
        }
        fxi_model_couple(expected, r, CLASSES, work, NULL);
        for (size_t k = 0; k < CLASSES; k++) {
            CHECK_NEAR(p[k], expected[k], 1e-9);
            best = p[k] > p[best] ? k : best;
            if (c->class_value[k] == label[i])
                loss -= log(p[k]) / N;
        }
        CHECK(L[i] == (double)best);
    }
    CHECK(fx_model_evaluate(&e, NULL, m, &t, NULL) == FX_OK);
    CHECK_NEAR(e.logloss, loss, 1e-9);
    CHECK(e.logloss < 1 && e.auc > 0.8);
    free(S);
    free(P);
    free(L);
    fx_model_free(m);
    fx_data_free(d);
}

/* A class of two rows can be held out, one of a single row cannot; one of weight 0 is none. */
static void rare_class(void)
{
    fx_data *d = made("pairs:n=200,d=20,nz=6,k=4");
    double label[N], weight[N];
    fx_table t = four(d, label);
    fx_plan plan = {PLAN, .model = "kernel-svm:calibrate=yes", .kernel = "rbf:gamma=0.2"};
    fx_model *m = NULL;

    for (size_t i = 0; i < N; i++)
        weight[i] = i != 5 && i != 9;
    label[5] = 77;
    CHECK(fx_model_fit(&m, &plan, &t, NULL) == FX_EINVAL && !m);
    CHECK(strstr(fx_error_detail(), "class 77 has fewer than two"));
    label[9] = 77;
    m = fitted(&plan, &t, NULL);
    CHECK(fx_model_inspect(m)->classes == CLASSES + 1);
    survives(m, t.block);
    fx_model_free(m);
    t.weight = weight;
    m = fitted(&plan, &t, NULL);
    CHECK(fx_model_inspect(m)->classes == CLASSES && fx_model_inspect(m)->outputs == PAIRS);
    fx_model_free(m);
    fx_data_free(d);
}

/* Three classes that beat one another in a circle: the first. */
static void ties(void)
{
    const fx_model_info c = {.classes = 3, .outputs = 3, .pairs = 1};
    const double circle[] = {1, -1, 1}, zeros[] = {0, 0, 0};
    double work[16];

    CHECK(fxi_model_predict_workspace(&c) <= 16);
    CHECK(fxi_model_predict_label(&c, circle, work, NULL) == 0);
    CHECK(work[0] == 1 && work[1] == 1 && work[2] == 1);
    CHECK(fxi_model_predict_label(&c, zeros, work, NULL) == 0);
}

int main(void)
{
    test_init();
    numbers_of_pairs();
    rare_class();
    ties();
    for (int i = 0; i < test_cases(200); i++)
        couples(3 + test_below(10));
    couples_exactly();
    are_two_class_models();
    gives_probabilities();
    return 0;
}
