/* SPDX-License-Identifier: BSD-3-Clause
 * measure_error.c - measure `error`: how far <Z(x), Z(y)> of a random map is from K(x, y), over all
 * pairs of different rows.
 *
 * Each seed draws a new map and, with rows=N, a new sample of N training rows.  The mean over seeds
 * then estimates that over all pairs of all rows at a fraction of the cost.  Consecutive cases with
 * the same data, seed and kernel share the Gram matrix. */

#include "recipe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 256 };                   /* rows of Z against all before them, at a time */

static const char *const columns[] = {"mae", "rmse", "max", "relative", "features", NULL};
static const char *const options[] = {"rows", NULL};

static struct {
    char *of;                           /* data, scale, seed, rows= and kernel */
    double *K;                          /* [rows][rows] */
} cached;

static int need_gram(const fx_kernel *k, const fx_matrix *X, const measure_context *l, size_t cell)
{
    size_t n = X->rows;
    char key[MEASURE_KEY];

    measure_key(key, l, cell, recipe_field(l->r, cell, "kernel"));
    if (cached.of && !strcmp(cached.of, key))
        return 0;
    free(cached.of);
    free(cached.K);
    memset(&cached, 0, sizeof cached);
    int status = say_limit((double)n * (double)n * sizeof *cached.K,
                           "the Gram matrix of %zu rows needs", n);
    if (status)
        return status;
    if (!(cached.K = malloc(n * n * sizeof *cached.K)))
        return say_no_memory("the Gram matrix");
    fx_status s = fx_kernel_gram(cached.K, n, k, X, NULL, &cli.run);
    if (s)
        return say_failure(s);
    return (cached.of = strdup(key)) ? 0 : say_no_memory("the Gram matrix");
}

/* ---- Errors ------------------------------------------------------------------------------- */
typedef struct sums { double error, square, max, size; } sums;

/* Of the rows from `first` to `end`, G being theirs, each with all rows before it. */
static void add_errors(sums *s, const double *G, const double *K, size_t n, size_t first,
                       size_t end)
{
    for (size_t i = first; i < end; i++) {
        const double *g = G + (i - first) * end, *k = K + i * n;
        for (size_t j = 0; j < i; j++) {
            double e = fabs(g[j] - k[j]);
            s->error += e;
            s->square += e * e;
            s->max = fmax(s->max, e);
            s->size += fabs(k[j]);
        }
    }
}

static int compare(sums *s, const double *K, const fx_matrix *Z)
{
    size_t n = Z->rows;
    double *G = malloc((n < BLOCK ? n : BLOCK) * n * sizeof *G);
    fx_kernel *dot = NULL;
    fx_status st = G ? fx_kernel_parse(&dot, INNER_PRODUCT, NULL, 1) : FX_OK;

    for (size_t first = 0; first < n && G && !st; first += BLOCK) {
        size_t end = first + BLOCK < n ? first + BLOCK : n;
        fx_matrix before = rows_part(Z, 0, end), sample = rows_part(Z, first, end - first);
        st = fx_kernel_gram(G, end, dot, &sample, &before, &cli.run);
        if (!st)
            add_errors(s, G, K, n, first, end);
    }
    fx_kernel_free(dot);
    int status = !G ? say_no_memory("products of features") : st ? say_failure(st) : 0;
    free(G);
    return status;
}

static int errors_of(sums *s, const fx_map *m, const fx_matrix *X)
{
    size_t n = X->rows, D = fx_map_features(m);
    float *z = NULL;

    if (say_limit((double)n * (double)D * sizeof *z, "%zu features of %zu rows need", D, n))
        return EXIT_MEMORY;
    if (!(z = malloc(n * D * sizeof *z)))
        return say_no_memory("features");
    fx_matrix Z = {.rows = n, .cols = D, .stride = D, .type = FX_F32, .val = z};
    fx_status st = fx_map_apply(z, D, FX_F32, m, X, &cli.run);
    int status = st ? say_failure(st) : compare(s, cached.K, &Z);
    free(z);
    return status;
}

static int run(const measure_context *l, size_t cell)
{
    fx_table t = {0};
    kernel_choice k = {0};
    fx_map *m = NULL;
    sums s = {0};
    int status = measure_rows(&t, l, cell);

    if (!status && t.rows < 2)
        status = say_error("%s: %zu rows make no pair", recipe_field(l->r, cell, "data"), t.rows);
    if (!status && !(status = measure_map(&m, &k, &t, l, cell))
        && !(status = need_gram(k.kernel, t.block, l, cell))
        && !(status = errors_of(&s, m, t.block))) {
        double pairs = (double)t.rows * (double)(t.rows - 1) / 2;
        status = l->emit(l->ctx, (const double[]){s.error / pairs, sqrt(s.square / pairs), s.max,
                                                  s.error / s.size, (double)fx_map_features(m)});
    }
    fx_map_free(m);
    kernel_free(&k);
    return status;
}

const measure measure_error = {.name = "error",
                               .summary = "errors of a random map on all pairs of rows",
                               .columns = columns, .options = options, .run = run,
                               .check = measure_check};
