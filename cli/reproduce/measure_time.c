/* SPDX-License-Identifier: BSD-3-Clause
 * measure_time.c - measure `time`: how long a random map takes for a row, on one thread.
 *
 * Measures only fx_map_apply to floats, for all rows at once, not the drawing of the map or of
 * rows.  The clock is the processor time of this process, which stops while other processes run.
 * The result is the minimum of `repeats` runs, because other load makes runs longer, never shorter.
 * Each seed is a repetition, and the spread over seeds shows how quiet the machine was. */

#include "recipe.h"

#include <math.h>
#include <stdlib.h>

static const char *const columns[] = {"us_per_row", "features", NULL};
static const char *const options[] = {"rows", "repeats", NULL};

static int time_map(double *seconds, const fx_map *m, const fx_matrix *X, size_t repeats)
{
    size_t D = fx_map_features(m);
    fx_run calls = cli.run;
    fx_status s = FX_OK;
    float *Z = NULL;

    if (say_limit((double)X->rows * (double)D * sizeof *Z, "%zu features of %zu rows need", D,
                  X->rows))
        return EXIT_MEMORY;
    if (!(Z = malloc(X->rows * D * sizeof *Z)))
        return say_no_memory("features");
    calls.threads = 1;
    *seconds = INFINITY;
    for (size_t i = 0; i < repeats && !s; i++) {
        double start = measure_clock();
        s = fx_map_apply(Z, D, FX_F32, m, X, &calls);
        *seconds = fmin(*seconds, measure_clock() - start);
    }
    free(Z);
    return s ? say_failure(s) : 0;
}

static int run(const measure_context *l, size_t cell)
{
    fx_table t = {0};
    kernel_choice k = {0};
    fx_map *m = NULL;
    size_t repeats;
    double seconds = 0;
    int status;

    if (!(status = measure_count(&repeats, l->r, "repeats", "3"))
        && !(status = measure_rows(&t, l, cell)) && !(status = measure_map(&m, &k, &t, l, cell))
        && !(status = time_map(&seconds, m, t.block, repeats ? repeats : 1)))
        status = l->emit(
            l->ctx, (const double[]){1e6 * seconds / (double)t.rows, (double)fx_map_features(m)});
    fx_map_free(m);
    kernel_free(&k);
    return status;
}

const measure measure_time = {.name = "time",
                              .summary = "microseconds a random map takes for a row, one thread",
                              .columns = columns, .options = options, .run = run,
                              .check = measure_check};
