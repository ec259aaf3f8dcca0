/* SPDX-License-Identifier: BSD-3-Clause
 * fitting.h - what tests of solvers share: problems, their objective written out, golden cases. */
#ifndef FITTING_H
#define FITTING_H
#include "base/test.h"
#include "fit/fit.h"

#include <jansson.h>
#include <string.h>

typedef fx_status fitting_solver(fxi_solution *s, const fxi_problem *p, const fx_run *run);
typedef struct fitting { double *w, b, objective, gap; size_t iterations; bool converged; } fitting;

/* Enough passes for any of them. */
static inline fxi_problem fitting_problem(const fxi_source *z, const fxi_loss *loss,
                                          const double *y, const double *c,
                                          fxi_intercept intercept, double tol)
{
    return (fxi_problem){.source = z, .loss = loss, .y = y, .c = c, .intercept = intercept,
                         .tol = tol, .max_iter = 100000, .seed = 1};
}

/* From zeros; free(out.w). */
static inline fitting fitting_run(fitting_solver *solve, const fxi_problem *p, const fx_run *run)
{
    fxi_solution s = {.w = fxi_zalloc(p->source->features, sizeof *s.w),
                      .beta = fxi_zalloc(p->source->rows, sizeof *s.beta)};
    fx_status st = solve(&s, p, run);

    if (st)
        fprintf(stderr, "%s\n", fx_error_detail());
    free(s.beta);
    CHECK(st == FX_OK);
    return (fitting){s.w, s.b, s.objective, s.gap, s.iterations, s.converged};
}

static inline fx_matrix fitting_dense(const double *X, size_t rows, size_t cols)
{
    return (fx_matrix){.rows = rows, .cols = cols, .stride = cols, .type = FX_F64, .val = X};
}

static inline fxi_source fitting_source(const fx_matrix *X, const fx_map *map, uint64_t keep)
{
    fxi_source z;

    CHECK(fxi_fit_source(&z, X, map, keep, NULL) == FX_OK);
    return z;
}

/* Row i none, one or three times, as rows and as weights: repeated rows to X3, y3, c3, their number
 * returned; c times how often. */
static inline size_t fitting_repeat(double *X3, double *y3, double *c3, const double *X,
                                    const double *y, double *c, size_t rows, size_t cols)
{
    size_t n = 0;

    for (size_t i = 0; i < rows; i++) {
        size_t times = i % 4 == 1 ? 3 : i % 4 == 2 ? 0 : 1;
        for (size_t k = 0; k < times; k++, n++) {
            memcpy(X3 + n * cols, X + i * cols, cols * sizeof *X);
            y3[n] = y[i];
            c3[n] = c[i];
        }
        c[i] *= (double)times;
    }
    return n;
}

/* From the optimum nothing moves, iterations are counted, memory is asked for. */
static inline void fitting_ends(fitting_solver *solve, fxi_problem p, const fitting *optimum,
                                double tol, size_t max_iter)
{
    fxi_solution s = {.w = optimum->w, .b = optimum->b};

    p.tol = tol;
    CHECK(solve(&s, &p, NULL) == FX_OK && s.converged && s.iterations == 1);
    p.tol = 0, p.max_iter = max_iter;
    CHECK(solve(&s, &p, NULL) == FX_OK && s.iterations <= max_iter);
    CHECK(solve(&s, &p, &(fx_run){RUN, .max_memory = 1000}) == FX_ELIMIT);
}

/* sum_i c_i loss(y_i, <w, x_i> + b) on dense rows */
static inline double fitting_loss(const fxi_problem *p, const double *X, const double *w, double b)
{
    double sum = 0;
    size_t d = p->source->features;

    for (size_t i = 0; i < p->source->rows; i++) {
        double f = b;
        for (size_t j = 0; j < d; j++)
            f += w[j] * X[i * d + j];
        sum += p->c[i] > 0 ? p->c[i] * p->loss->value(p->y[i], f, p->epsilon) : 0;
    }
    return sum;
}

/* The objective with penalty 0.5 |w|^2. */
static inline double fitting_objective(const fxi_problem *p, const double *X, const double *w,
                                       double b)
{
    double sum = p->intercept == FXI_APPENDED ? 0.5 * b * b : 0;

    for (size_t j = 0; j < p->source->features; j++)
        sum += 0.5 * w[j] * w[j];
    return sum + fitting_loss(p, X, w, b);
}

/* Numbers with all their digits are texts. */
static inline double fitting_number(json_t *v)
{
    return json_is_string(v) ? strtod(json_string_value(v), NULL) : json_number_value(v);
}

/* Every case of linear_svm.json that has this loss: objective to 1e-6 relative, w to what strong
 * convexity then leaves open, b where it is unique. */
static inline void fitting_golden(fitting_solver *solve, const fxi_loss *loss, double tol)
{
    json_error_t error;
    json_t *root = json_load_file("tests/golden/linear_svm.json", 0, &error), *one;
    size_t k, cases = 0;

    CHECK(root);
    json_array_foreach(json_object_get(root, "cases"), k, one) {
        const char *which = loss == &fxi_loss_squared_hinge ? "squared_hinge" : loss->name;
        json_t *want = json_object_get(one, which), *x = json_object_get(one, "X");
        size_t n = json_array_size(x), d = json_array_size(json_array_get(x, 0));
        const char *name = json_string_value(json_object_get(one, "intercept"));
        fxi_intercept intercept = *name == 'f' ? FXI_FREE : *name == 'a' ? FXI_APPENDED : FXI_NONE;
        double *X = fxi_alloc(n * d, sizeof *X), *y = fxi_alloc(2 * n, sizeof *y), *c = y + n;
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < d; j++)
                X[i * d + j] = fitting_number(json_array_get(json_array_get(x, i), j));
            y[i] = fitting_number(json_array_get(json_object_get(one, "y"), i));
            c[i] = fitting_number(json_object_get(one, "C"));
        }
        fx_matrix rows = fitting_dense(X, n, d);
        fxi_source z = fitting_source(&rows, NULL, 0);
        fxi_problem p = fitting_problem(&z, loss, y, c, intercept, tol);
        fitting s = fitting_run(solve, &p, NULL);
        double best = fitting_number(json_object_get(want, "objective"));
        json_t *w = json_object_get(want, "w"), *b = json_object_get(want, "b");
        CHECK(s.converged);
        CHECK_NEAR(s.objective, best, 1e-6 * best);
        CHECK_NEAR(fitting_objective(&p, X, s.w, s.b), s.objective, 1e-12 * best);
        for (size_t j = 0; j < d; j++)
            CHECK_NEAR(s.w[j], fitting_number(json_array_get(w, j)), sqrt(2 * tol * best) + 1e-9);
        if (intercept == FXI_APPENDED)
            CHECK_NEAR(s.b, fitting_number(json_array_get(w, d)), sqrt(2 * tol * best) + 1e-9);
        if (intercept == FXI_FREE && !json_is_null(b))
            CHECK_NEAR(s.b, fitting_number(b), 1e-2 * (1 + fabs(s.b)));
        free(s.w);
        free(X);
        free(y);
        cases++;
    }
    CHECK(cases > 20);
    json_decref(root);
}

/* A progress callback that asks to stop at its fourth call; ctx counts them. */
static inline int fitting_stop(void *ctx, double done)
{
    (void)done;
    return ++*(int *)ctx > 3;
}
#endif
