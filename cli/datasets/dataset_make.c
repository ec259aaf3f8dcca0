/* SPDX-License-Identifier: BSD-3-Clause
 * dataset_make.c - synthetic rows: those of featcross make, and dense ones without structure, for
 * timings and toy experiments. */

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

static int read_size(size_t *out, const dataset_spec *w, const char *key)
{
    spec_part v = dataset_spec_value(w, key);
    char *end;
    double x = strtod(v.p, &end);

    if (end == v.p || end != v.p + v.n || !(x >= 1 && x <= 1e9) || x != floor(x))
        return dataset_spec_refuse(w, key, v, "a whole number from 1 to 1e9");
    *out = (size_t)x;
    return 0;
}

static int make_dense(dataset_rows *out, const dataset_spec *w, bool ball)
{
    size_t n, d;
    int status;

    if ((status = read_size(&n, w, "n")) || (status = read_size(&d, w, "d"))
        || (status = say_limit(8 * (double)n * (double)d, "set make: %zu rows need", n)))
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

static bool is_dense(const dataset_spec *w)
{
    return dataset_spec_is(w, "kind", "normal") || dataset_spec_is(w, "kind", "ball");
}

int dataset_make_keys(fx_description *d, const dataset_spec *w)
{
    static const fx_key dense[] = {{.name = "n", .fallback = "2000"},
                                   {.name = "d", .fallback = "64"}};
    spec_part kind = dataset_spec_value(w, "kind");
    char kinds[256] = "";

    if (is_dense(w)) {
        *d = (fx_description){.key = dense, .keys = sizeof dense / sizeof *dense};
        return 0;
    }
    for (size_t i = 0, n = 0; fx_data_make_name(i) && n < sizeof kinds; i++) {
        if (dataset_spec_is(w, "kind", fx_data_make_name(i)))
            return spec_about(d, fx_data_make_describe, fx_data_make_name(i)) ? 0 : EXIT_USAGE;
        n += (size_t)snprintf(kinds + n, sizeof kinds - n, "%s|", fx_data_make_name(i));
    }
    strncat(kinds, "normal|ball", sizeof kinds - strlen(kinds) - 1);
    return dataset_spec_refuse(w, "kind", kind, kinds);
}

int dataset_make_read(dataset_rows r[DATASET_PARTS], const dataset_spec *w)
{
    if (is_dense(w))
        return make_dense(&r[DATASET_TRAIN], w, dataset_spec_is(w, "kind", "ball"));
    size_t n = strlen(w->made.name), size = n + strlen(w->spec) + 1;
    char *spec = malloc(size);
    if (!spec)
        return say_no_memory("rows");
    memcpy(spec, w->made.name, n + 1);
    for (size_t i = 0; i < w->made.keys; i++) {
        const char *key = w->made.key[i].name;
        spec_part v = spec_get(w->spec, key);
        if (v.p)
            n += (size_t)snprintf(spec + n, size - n, "%c%s=%.*s", strchr(spec, ':') ? ',' : ':',
                                  key, (int)v.n, v.p);
    }
    fx_status s = fx_data_make(&r[DATASET_TRAIN].data, spec, w->seed, &cli.run);
    free(spec);
    return dataset_files_made(&r[DATASET_TRAIN], s);
}
