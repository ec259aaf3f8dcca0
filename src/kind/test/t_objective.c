/* SPDX-License-Identifier: BSD-3-Clause
 * t_objective.c - the objective in a model's summary is that of its numbers, computed from the
 * public content: for every learner and solver, however the fit ended, on easy and on bad rows.
 * Covers: linear.c, factors_output.c, src/train/summary.c */

#include "model/test/fixture.h"

#include <stdbool.h>

enum { ROWS = 24, COLS = 4, EVAL = 9 };

typedef struct sample {
    double x[ROWS * COLS], label[ROWS], weight[ROWS];
    fx_matrix X;
    fx_table t;
    size_t classes;                     /* 0: targets */
} sample;

#define ANY(...) \
    ((const double[]){__VA_ARGS__}[test_below(sizeof((double[]){__VA_ARGS__}) / sizeof(double))])

/* Columns of numbers of one size, of zeros, of one number, of ones and zeros. */
static void draw(sample *a, size_t rows, size_t cols, size_t classes)
{
    double size = ANY(1, 1, 100), mean = ANY(0, 0, 1000);

    for (size_t j = 0; j < cols; j++) {
        size_t form = test_below(8);
        double by = ANY(1, 1, 1, 0.01, 100);
        for (size_t i = 0; i < rows; i++)
            a->x[i * cols + j] = form == 0   ? 0
                                 : form == 1 ? by
                                 : form == 2 ? (double)test_below(2)
                                             : by * (2 * test_unit() - 1);
    }
    for (size_t i = 0; i < rows; i++) {
        a->label[i] = classes ? (double)(i % classes) : mean + size * (2 * test_unit() - 1);
        a->weight[i] = i < classes || test_below(4) ? 1 : (double)test_below(3);
    }
    a->classes = classes;
    a->X = (fx_matrix){.rows = rows, .cols = cols, .stride = cols, .type = FX_F64, .val = a->x};
    a->t = (fx_table){.rows = rows,
                      .cols = cols,
                      .blocks = 1,
                      .block = &a->X,
                      .label = a->label,
                      .weight = a->weight};
}

/* ---- Definitions ------------------------------------------------------------------------- */

enum { HINGE, HINGE2, LOGISTIC, EPSILON, SQUARED, HALF };

static double loss_of(int kind, double y, double f)
{
    double low = fmax(0, 1 - y * f);

    switch (kind) {
    case HINGE: return low;
    case HINGE2: return low * low;
    case LOGISTIC: return y * f > 0 ? log1p(exp(-y * f)) : log1p(exp(y * f)) - y * f;
    case EPSILON: return fmax(0, fabs(y - f) - 0.1);
    default: return (kind == HALF ? 0.5 : 1) * (y - f) * (y - f);
    }
}

/* Sum of weights times losses over the rows and outputs; to *off what scores that are off by 1e-13
 * of their size may change in it. */
static double losses(const fx_model *m, const sample *a, int kind, double *off)
{
    const fx_model_info *c = fx_model_inspect(m);
    double *f = scores(m, &a->t), sum = 0, size = fabs(c->intercepts[0]);

    *off = 0;
    for (size_t j = 0; j < c->cols * c->outputs; j++)
        size += 100 * fabs(c->weights[j]);
    for (size_t b = 0; b < c->orders; b++)
        for (size_t s = 0; s < c->factors[b].cols * c->factors[b].rank; s++)
            size += 100 * fabs(c->factors[b].P[s]);
    for (size_t i = 0; i < a->t.rows; i++)
        for (size_t k = 0; k < c->outputs; k++) {
            double y = a->classes == 0            ? a->label[i]
                       : a->classes == 2          ? 2 * a->label[i] - 1
                       : a->label[i] == (double)k ? 1
                                                  : -1;
            double at = f[i * c->outputs + k], by = 1e-13 * (fabs(at) + fabs(y) + size);
            double here = loss_of(kind, y, at);
            sum += a->weight[i] * here;
            *off += a->weight[i]
                    * (fmax(fabs(loss_of(kind, y, at + by) - here),
                            fabs(loss_of(kind, y, at - by) - here))
                       + 1e-15);
        }
    free(f);
    return sum;
}

static double squares(const double *x, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sum;
}

/* ---- Linear models ----------------------------------------------------------------------- */

static void check_linear(void)
{
    static const struct { const char *spec; int loss, classes; bool l1; } of[] = {
        {"svm", HINGE, 2, false}, {"svm:solver=dual", HINGE, 3, false},
        {"svm:solver=newton", HINGE, 2, false}, {"svm-l2:solver=dual", HINGE2, 2, false},
        {"svm-l2:solver=newton", HINGE2, 3, false}, {"svm-l2:penalty=l1", HINGE2, 2, true},
        {"svm-l2:penalty=l1,solver=proximal", HINGE2, 2, true},
        {"logistic", LOGISTIC, 3, false}, {"logistic:penalty=l1", LOGISTIC, 2, true},
        {"svr", EPSILON, 0, false}, {"svr:solver=dual", EPSILON, 0, false},
        {"svr:solver=newton", EPSILON, 0, false}, {"ridge", SQUARED, 0, false},
        {"ridge:penalty=l1", SQUARED, 0, true},
        {"ridge:penalty=l1,solver=proximal", SQUARED, 0, true}};
    static const char *const intercepts[] = {"free", "appended", "none"};
    static sample a;

    for (int q = 0; q < test_cases(2000); q++) {
        size_t k = (size_t)q % (sizeof of / sizeof *of), how = test_below(3);
        double C = ANY(1e-3, 1, 1, 1000), off;
        char spec[160];
        draw(&a, 4 + test_below(ROWS - 4), 1 + test_below(COLS), (size_t)of[k].classes);
        snprintf(spec, sizeof spec, "%s%cC=%g,intercept=%s,max-iter=%d,tol=%g", of[k].spec,
                 strchr(of[k].spec, ':') ? ',' : ':', C, intercepts[how],
                 (int)ANY(1, 2, 3, 10, 60, 1000), ANY(1e-2, 1e-3, 1e-9));
        fx_model *m = fitted(&(fx_plan){PLAN, .model = spec}, &a.t, NULL);
        const fx_model_info *c = fx_model_inspect(m);
        double expected = C * losses(m, &a, of[k].loss, &off);
        for (size_t j = 0; j < c->cols * c->outputs; j++)
            expected += of[k].l1 ? fabs(c->weights[j]) : 0.5 * c->weights[j] * c->weights[j];
        for (size_t j = 0; j < c->outputs && how == 1; j++)
            expected += of[k].l1 ? fabs(c->intercepts[j])
                                 : 0.5 * c->intercepts[j] * c->intercepts[j];
        if (!(fabs(c->objective - expected) <= C * off + 1e-12 * expected))
            fprintf(stderr, "%s\n", spec);
        CHECK_NEAR(c->objective, expected, C * off + 1e-12 * expected);
        fx_model_free(m);
    }
}

/* ---- Factorization machines -------------------------------------------------------------- */

static double penalties(const fx_model_info *c, double alpha, double beta, double of_lambda)
{
    double sum = alpha / 2 * squares(c->weights, c->cols * c->outputs);

    for (size_t b = 0; b < c->orders; b++) {
        const fx_factors *f = &c->factors[b];
        sum += beta / 2 * squares(f->P, c->outputs * f->cols * f->rank)
               + of_lambda / 2 * squares(f->lambda, c->outputs * f->rank);
    }
    return sum;
}

static void check_factors(void)
{
    static const char *const kinds[] = {"fm", "hofm:order=3", "hofm-shared:order=3",
                                        "hofm-simplex:order=3", "all-subsets", "poly-net",
                                        "poly-net-uv", "bilinear:split=1"};
    static const char *const solvers[] = {"cd", "adagrad", "lbfgs"};
    static const char *const lambdas[] = {"ones", "signs", "learned"};
    static const struct { const char *name; int loss; } of[]
        = {{"classify,loss=logistic", LOGISTIC}, {"classify,loss=squared-hinge", HINGE2},
           {"classify,loss=squared", HALF}, {"regress", HALF}};
    static sample a, other;

    for (int q = 0; q < test_cases(1500); q++) {
        size_t k = test_below(8), solver = test_below(3), task = test_below(4), how = test_below(3);
        size_t classes = task == 3 ? 0 : 2 + test_below(2), cols = 2 + test_below(COLS - 1);
        double alpha = ANY(0, 1e-4), beta = ANY(0, 1e-4, 0.1), of_lambda = ANY(0, 1e-3), off, W = 0;
        char spec[400];
        draw(&other, EVAL, cols, classes);
        draw(&a, 4 + test_below(ROWS - 4), cols, classes);
        snprintf(spec, sizeof spec,
                 "%s%ctask=%s,solver=%s,lambda=%s,rank=%zu,alpha=%g,beta=%g,"
                 "beta-lambda=%g,lr=%g,batch=%g,max-iter=%zu,tol=%g,guard=%s,sd=%g",
                 kinds[k], strchr(kinds[k], ':') ? ',' : ':', of[task].name, solvers[solver],
                 lambdas[how], 1 + test_below(4), alpha, beta, of_lambda, ANY(0.1, 1, 100),
                 ANY(2, 64), 1 + test_below(25), ANY(0, 1e-4), test_below(4) ? "yes" : "no",
                 ANY(0.01, 0.3));
        fx_plan plan = {PLAN, .model = spec, .seed = test_u64()};
        if (test_below(2)) {
            plan.eval = &other.t;
            plan.patience = test_below(4);
        }
        fx_model *m = NULL;
        fx_status st = fx_model_fit(&m, &plan, &a.t, NULL);
        if (st < 0) {                   /* without a guard numbers may leave the range */
            CHECK(st == FX_ENUMERIC);
            continue;
        }
        const fx_model_info *c = fx_model_inspect(m);
        for (size_t i = 0; i < a.t.rows; i++)
            W += a.weight[i];
        double expected = losses(m, &a, of[task].loss, &off) / W
                          + penalties(c, alpha, beta, how == 2 ? of_lambda : 0);
        if (!(fabs(c->objective - expected) <= off / W + 1e-12 * expected))
            fprintf(stderr, "%s\n", spec);
        CHECK_NEAR(c->objective, expected, off / W + 1e-12 * expected);
        if (plan.patience && c->outputs == 1 && c->iterations)  /* the step that was the best */
            CHECK(c->history[c->iterations - 1].objective == c->objective);
        fx_model_free(m);
    }
}

int main(void)
{
    test_init();
    check_linear();
    check_factors();
    return 0;
}
