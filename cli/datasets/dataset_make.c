/* SPDX-License-Identifier: BSD-3-Clause
 * dataset_make.c - synthetic rows: those of featcross make, and dense ones without structure, which
 * timings and toy experiments want. */

#include "dataset.h"
#include "terminal/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Numbers: splitmix64, and pairs of normal ones by Box and Muller ----------------------- */
static double uniform(uint64_t *state)  /* 0 < x <= 1 */
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (double)(((z ^ z >> 31) >> 11) + 1) * 0x1p-53;
}

static double normal(uint64_t *state)
{
    double r = sqrt(-2 * log(uniform(state)));

    return r * cos(6.283185307179586 * uniform(state));
}

static void fill(double *x, double *label, size_t n, size_t d, bool ball, uint64_t seed)
{
    uint64_t state = seed;

    for (size_t i = 0; i < n; i++, x += d) {
        double sum = 0, length = 1;
        for (size_t j = 0; j < d; j++) {
            x[j] = normal(&state);
            sum += x[j] * x[j];
        }
        if (ball)                       /* a direction, and a radius for even density */
            length = pow(uniform(&state), 1 / (double)d) / sqrt(sum);
        for (size_t j = 0; j < d; j++)
            x[j] *= length;
        label[i] = x[0] * x[d > 1] > 0 ? 1 : -1;
    }
}

static int read_size(size_t *out, const dataset_spec *w, const char *key, size_t otherwise)
{
    const char *text = dataset_spec_value(w, key);
    char *end;
    double x = text ? strtod(text, &end) : (double)otherwise;

    if (text && (end == text || *end || !(x >= 1 && x <= 1e9) || x != floor(x))) {
        say_error("set make: %s=%s is not a whole number from 1 to 1e9", key, text);
        return EXIT_USAGE;
    }
    *out = (size_t)x;
    return 0;
}

static int make_dense(dataset_rows *out, const dataset_spec *w, bool ball)
{
    size_t n, d;
    int status = read_size(&n, w, "n", 2000);

    if (!status)
        status = read_size(&d, w, "d", 64);
    if (!status)
        status = say_limit(8 * (double)n * (double)d, "set make: %zu rows need", n);
    if (status)
        return status;
    double *x = malloc(n * d * sizeof *x), *label = malloc(n * sizeof *label);
    if (x && label) {
        fill(x, label, n, d, ball, w->seed);
        fx_matrix X = {.rows = n, .cols = d, .stride = d, .type = FX_F64, .val = x};
        status = dataset_files_take(out, &(fx_table){.rows = n, .cols = d, .blocks = 1, .block = &X,
                                                  .label = label, .base = 1});
    } else
        status = say_no_memory("rows");
    free(x);
    free(label);
    return status;
}

int dataset_make_read(dataset_rows r[DATASET_PARTS], const dataset_spec *w)
{
    static const char *const keys[] = {"n", "d", "nz", "k", "noise", "fields", "levels"};
    const char *kind = dataset_spec_value(w, "kind");
    fx_run run = progress_run();
    char spec[320];

    if (!kind)
        kind = "pairs";
    if (!strcmp(kind, "normal") || !strcmp(kind, "ball"))
        return make_dense(&r[DATASET_TRAIN], w, *kind == 'b');
    snprintf(spec, sizeof spec, "%s", kind);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (dataset_spec_value(w, keys[i]))
            spec_set(spec, sizeof spec, keys[i], dataset_spec_value(w, keys[i]));
    fx_status s = fx_data_make(&r[DATASET_TRAIN].data, spec, w->seed, &run);
    if (s)
        return say_failure(s);
    r[DATASET_TRAIN].table = fx_data_table(r[DATASET_TRAIN].data);
    return 0;
}
