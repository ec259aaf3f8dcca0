/* SPDX-License-Identifier: BSD-3-Clause
 * t_estimate.c - what a fit would take: bytes as the fits themselves state them, seconds that grow
 * as they should; nothing here depends on how fast the machine is. */

#include "base/test.h"
#include "train/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 2400, COLS = 7 };

static double X[ROWS * COLS], label[ROWS];
static fx_matrix block;

static fx_table rows(size_t n, size_t classes)
{
    for (size_t i = 0; i < n; i++)
        label[i] = X[i * COLS] + X[i * COLS + 1] > 1 ? 1 : (double)(i % (classes - 1)) + 2;
    block = (fx_matrix){.rows = n, .cols = COLS, .stride = COLS, .type = FX_F64, .val = X};
    return (fx_table){.rows = n, .cols = COLS, .blocks = 1, .block = &block, .label = label};
}

static fx_estimate of(const fx_plan *plan, const fx_table *t, const fx_run *run)
{
    fx_estimate e = {.size = sizeof e, .seconds = -1, .bytes = 0};
    fx_status st = fx_model_estimate(&e, plan, t, run);

    if (st)
        fprintf(stderr, "%s\n", fx_error_detail());
    CHECK(st == FX_OK && e.seconds > 0 && isfinite(e.seconds) && e.bytes > 0);
    return e;
}

/* Besides what the solver states: labels, weights of k outputs and what is left of their fits,
 * arrays of the fit, columns. */
static uint64_t other_bytes(size_t n, size_t k)
{
    return 8 * (uint64_t)(n * (2 + k + 10) + COLS) + k * sizeof(fxi_output);
}

static void check_bytes(void)
{
    fx_run one = {RUN, .threads = 1};
    fx_table t = rows(1000, 2);
    fx_plan p = {PLAN, .model = "kernel-ridge", .kernel = "rbf:gamma=1"};
    size_t bytes;

    CHECK(fxi_fit_kernel_ridge_bytes(&bytes, 1000));
    CHECK(of(&p, &t, &one).bytes == bytes + other_bytes(1000, 1));
    p.scale = "maxabs";                 /* a copy of the rows */
    CHECK(of(&p, &t, &one).bytes == bytes + other_bytes(1000, 1) + 1000 * COLS * 8);
    p.scale = NULL;
    p.model = "kernel-pca:k=5";
    CHECK(fxi_fit_kernel_pca_bytes(&bytes, 1000, 5));
    CHECK(of(&p, &t, &one).bytes == bytes + other_bytes(1000, 5));
    p.model = "kernel-svm";
    p.cache = 1;
    CHECK(fxi_fit_smo_bytes(&bytes, 1000));
    CHECK(of(&p, &t, &one).bytes == bytes + other_bytes(1000, 1));
    p.cache = 1000000;
    CHECK(of(&p, &t, &one).bytes == 1000000 + other_bytes(1000, 1));
    p.cache = 0;                        /* all rows of the matrix and no more */
    uint64_t all = of(&p, &t, &one).bytes - other_bytes(1000, 1);
    CHECK(all >= 4000000 && all <= 4000000 + bytes);
    p.model = "kernel-perceptron";
    CHECK(of(&p, &t, &one).bytes                      /* each weight: its state and age, too */
          == other_bytes(1000, 1) + 3 * 8 * 1000);

    p.model = "kernel-ridge";           /* more than is allowed: said all the same */
    CHECK(fxi_fit_kernel_ridge_bytes(&bytes, 1000));
    CHECK(of(&p, &t, &(fx_run){RUN, .threads = 1, .max_memory = 100000}).bytes
          == bytes + other_bytes(1000, 1));
}

static void check_seconds(void)
{
    const char *models[] = {"kernel-svm", "kernel-svr", "kernel-ridge", "kernel-perceptron",
                            "kernel-pca:k=3"};

    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        fx_plan p = {PLAN, .model = models[i], .kernel = "anova:order=2"};
        fx_table few = rows(60, 2), many;
        double small = of(&p, &few, NULL).seconds;
        many = rows(ROWS, 2);           /* 1600 times the pairs */
        CHECK(of(&p, &many, NULL).seconds > 4 * small);
    }
    fx_plan p = {PLAN, .model = "kernel-svm", .kernel = "anova:order=2"};
    for (size_t classes = 2; classes < 7; classes++) {
        fx_table t = rows(ROWS, classes);
        of(&p, &t, &(fx_run){RUN, .threads = 3});
    }
    p.model = "kernel-svm:calibrate=yes";
    fx_table t = rows(300, 3);
    of(&p, &t, NULL);
    for (size_t n = 4; n < 40; n += 5) {        /* samples that are all there is */
        t = rows(n, 2);
        label[0] = 1, label[1] = 2;
        of(&p, &t, NULL);
    }
    t = rows(ROWS, 2);                  /* a pilot that sees one class */
    for (size_t i = 0; i < ROWS; i++)
        label[i] = 1 + (double)(i == 7);
    p.model = "kernel-svm";
    of(&p, &t, NULL);
}

static int stop(void *ctx, double done)
{
    (void)ctx;
    return done >= 0;
}

/* As many classes as rows: a visit to each pair, let alone with a loop over classes, would take
 * minutes; the number of pairs is known, and so is what they need. */
static void many_classes(void)
{
    enum { MANY = 20000 };
    const double pairs = MANY * (MANY - 1.0) / 2;
    double *y = malloc(MANY * sizeof *y), *x = malloc(MANY * sizeof *x);
    fx_plan p = {PLAN, .model = "kernel-svm", .kernel = "rbf:gamma=1"};
    fx_model *m = NULL;
    fx_estimate e = FX_INIT(fx_estimate);

    for (size_t i = 0; i < MANY; i++) {
        y[i] = MANY - (double)i;
        x[i] = test_unit();
    }
    fx_matrix one = {.rows = MANY, .cols = 1, .stride = 1, .type = FX_F64, .val = x};
    fx_table t = {.rows = MANY, .cols = 1, .blocks = 1, .block = &one, .label = y};
    fx_run run = {RUN, .max_memory = (uint64_t)1 << 30};
    e = of(&p, &t, &run);
    CHECK((double)e.bytes > 8 * pairs * MANY && (double)e.bytes < 8.1 * pairs * MANY);
    CHECK(fx_model_fit(&m, &p, &t, &run) == FX_ELIMIT && !m);
    CHECK(strstr(fx_error_detail(), "199990000 pairs of classes"));
    p.model = "kernel-svm:calibrate=yes";
    CHECK(fx_model_fit(&m, &p, &t, &run) == FX_ELIMIT && !m);
    p.model = "kernel-perceptron";      /* 4 numbers for each of 20000 x 20000 weights */
    run.max_memory = (uint64_t)8 << 30;
    CHECK(fx_model_fit(&m, &p, &t, &run) == FX_ELIMIT && !m);
    for (size_t i = 0; i < MANY; i++)   /* sizes 1, 2, 3, ..: as many as there can be */
        y[i] = floor(sqrt(2.0 * (double)i));
    p.model = "kernel-svm";
    CHECK(of(&p, &t, NULL).seconds > 0);
    free(y);
    free(x);
}

int main(void)
{
    fx_plan p = {PLAN, .model = "svm"};
    fx_estimate e = {.size = sizeof e, .seconds = 1, .bytes = 2};

    test_init();
    for (size_t i = 0; i < ROWS * COLS; i++)
        X[i] = test_unit();
    check_bytes();
    check_seconds();
    many_classes();
    fx_table t = rows(300, 2);
    CHECK(fx_model_estimate(&e, &p, &t, NULL) == FX_EUNSUPPORTED);
    CHECK(strstr(fx_error_detail(), "svm"));
    p.model = "pca:k=2";
    CHECK(fx_model_estimate(&e, &p, &t, NULL) == FX_EUNSUPPORTED);
    p.model = "kernel-svm";
    CHECK(fx_model_estimate(&e, &p, &t, NULL) == FX_EINVAL);    /* no kernel */
    p.model = "kernel-sum";
    CHECK(fx_model_estimate(&e, &p, &t, NULL) == FX_EINVAL);
    CHECK(fx_model_estimate(&e, NULL, &t, NULL) == FX_EINVAL);
    CHECK(fx_model_estimate(NULL, &p, &t, NULL) == FX_EINVAL);
    p = (fx_plan){PLAN, .model = "kernel-ridge", .kernel = "rbf"};
    CHECK(fx_model_estimate(&e, &p, &t, &(fx_run){RUN, .progress = stop}) == FX_ECANCELLED);
    CHECK(e.seconds == 1 && e.bytes == 2);
    return 0;
}
