/* SPDX-License-Identifier: BSD-3-Clause
 * b_fit.c - seconds of a path of 99 C, evenly in log from the first weight's to 100 times that, by
 * order, loss and threads: rows of a file of svmlight text, or planted triples without one.
 *
 *     build/bench.combos.fit [FILE] */

#include "base/test.h"
#include "combos/combos.h"
#include "data/data.h"

#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { STEPS = 99 };

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static fx_data *rows_of(const char *path)
{
    fx_data *d = NULL, *one = NULL;

    if (!path) {
        CHECK(fx_data_make(&d, "triples:n=20000,d=200", 1, NULL) == FX_OK);
    } else {
        FILE *f = fopen(path, "rb");
        CHECK(f && !fseek(f, 0, SEEK_END));
        size_t len = (size_t)ftell(f);
        char *text = malloc(len + 1);
        rewind(f);
        CHECK(text && fread(text, 1, len, f) == len);
        fclose(f);
        CHECK(fx_data_parse(&d, "svmlight", path, text, len, NULL) == FX_OK);
        free(text);
    }
    fx_table t = fx_data_table(d);
    CHECK(fx_data_select(&one, &t, NULL, 0, NULL) == FX_OK);
    fx_data_free(d);
    return one;
}

static void path(const fx_table *t, const double *y, const double *weight, const fxi_loss *loss,
                 int order, int threads)
{
    fx_run run = {RUN, .threads = threads};
    fxi_combos_problem p = {.X = t->block, .loss = loss, .y = y, .weight = weight, .least = 1,
                            .order = order, .intercept = true};
    double start = now(), first, worst = 0;
    size_t most = 0, searches = 0, weights = 0;
    fxi_combos a;

    CHECK(fxi_combos_fit_new(&a, &p, &run) == FX_OK);
    CHECK(fxi_combos_fit_first(&first, &a, &run) == FX_OK);
    for (int k = 1; k <= STEPS; k++) {
        double C = first * pow(100, (double)k / STEPS);
        double next = k < STEPS ? first * pow(100, (k + 1.0) / STEPS) : 0;
        CHECK(fxi_combos_fit(&a, C, next, 1e-8, &run) == FX_OK);
        worst = fmax(worst, a.gap);
        most = a.set.n > most ? a.set.n : most;
        searches += a.rounds;
    }
    for (size_t k = 0; k < a.set.n; k++)
        weights += a.set.at[k].w != 0;
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    printf("%-14s %5d %7d %8.3f %9zu %10.3g %6zu %7zu %8.1e %16.9f %5ld\n", loss->name, order,
           threads, now() - start, searches, (double)fxi_combos_search_nodes(a.search), most,
           weights, worst, a.objective, u.ru_maxrss / 1024);
    fflush(stdout);
    fxi_combos_fit_free(&a);
}

int main(int argc, char **argv)
{
    fx_data *d = rows_of(argc > 1 ? argv[1] : NULL);
    fx_table t = fx_data_table(d);
    double *y = malloc(t.rows * sizeof *y), *weight = malloc(t.rows * sizeof *weight);

    CHECK(y && weight && t.label);
    for (size_t i = 0; i < t.rows; i++) {
        y[i] = t.label[i] > 0 ? 1 : -1;
        weight[i] = 1;
    }
    printf("%-14s %5s %7s %8s %9s %10s %6s %7s %8s %16s %5s\n", "loss", "order", "threads",
           "seconds", "searches", "nodes", "widest", "weights", "gap", "objective", "MiB");
    for (int order = 2; order <= (argc > 1 ? 6 : 3); order++)
        for (int threads = 1; threads <= 2; threads++)
            path(&t, y, weight, &fxi_loss_squared_hinge, order, threads);
    path(&t, y, weight, &fxi_loss_logistic, 3, 1);
    free(y);
    free(weight);
    fx_data_free(d);
    return 0;
}
