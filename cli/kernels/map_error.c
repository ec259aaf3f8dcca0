/* SPDX-License-Identifier: BSD-3-Clause
 * map_error.c - errors of several maps on the same pairs of rows; every single error is stored.
 *
 * Sampled rows form groups of GROUP, and all pairs within a group are used.  Mapping sixteen rows
 * gives about a hundred pairs, and only the features of one group must be in memory.  The errors of
 * one map are correlated, because all pairs use the same projection.  So several seeds are drawn,
 * and the interval for rmse is that of a mean over seeds, by Student's distribution; with a single
 * seed it is a mean over groups.  (fx_map_deviation draws its pairs independently, and maps two
 * rows for each.)
 *
 * If a map draws independent random numbers for each column, columns that no sampled row has can be
 * left out: there may be a million of them, and the distribution of errors stays the same.
 * Structured projections depend on the width, and families of sets on column numbers, so they keep
 * all columns. */

#include "kernels.h"
#include "terminal/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP = 16, OF_GROUP = GROUP * (GROUP - 1) / 2 };
enum { FLOATS = 1 << 23 };              /* numbers of Z at a time, if a group has not more */

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

static int choose_rows(pair_sample *s, const loaded *l, uint64_t pairs)
{
    size_t n = l->table.rows, groups = (size_t)((pairs + OF_GROUP - 1) / OF_GROUP);
    size_t m = groups < n / GROUP ? groups * GROUP : n;
    int status = rows_draw(&s->data, &l->table, m, cli.seed);

    if (!status)
        s->rows = *fx_data_table(s->data).block;
    return status;
}

static int64_t column(const fx_matrix *X, size_t q)
{
    return X->wide ? ((const int64_t *)X->col)[q] : ((const int32_t *)X->col)[q];
}

/* Renumbers the columns that the sampled rows have. */
static int leave_out_zeros(pair_sample *s)
{
    const fx_matrix *X = &s->rows;
    size_t first = (size_t)X->ptr[0], n = (size_t)X->ptr[X->rows], used = 0;
    int64_t *all = malloc((n ? n : 1) * sizeof *all);

    s->col = malloc((n ? n : 1) * sizeof *s->col);
    if (!all || !s->col) {
        free(all);
        return say_no_memory("columns");
    }
    for (size_t q = first; q < n; q++)
        all[q - first] = column(X, q);
    qsort(all, n - first, sizeof *all, ascending_integers);
    for (size_t q = 0; q < n - first; q++)
        if (q == 0 || all[q] != all[used - 1])
            all[used++] = all[q];
    for (size_t q = first; q < n; q++) {
        int64_t c = column(X, q), *at = bsearch(&c, all, used, sizeof *all, ascending_integers);
        s->col[q] = at - all;
    }
    free(all);
    if (used && used < X->cols / 2) {
        s->narrow = *X;
        s->narrow.cols = used;
        s->narrow.wide = 1;
        s->narrow.col = s->col;
    }
    return 0;
}

/* True if the map's random numbers are independent from column to column. */
static bool independent(const fx_map *m)
{
    const char *spec = fx_map_spec(m);

    return spec_says(spec, "projection", "packed") || spec_says(spec, "projection", "dense")
           || spec_line(fx_map_describe, spec).independent;
}

static int choose_width(pair_sample *s, const char *const *maps, const fx_kernel *k, size_t D)
{
    fx_map *m = NULL;

    s->used = &s->rows;
    if (!s->narrow.rows)
        return 0;
    fx_status st = kernel_map(&m, maps, k, s->rows.cols, kernel_few(maps, D), cli.seed, &s->rows);
    if (st)
        return say_failure(st);
    if (independent(m))
        s->used = &s->narrow;
    fx_map_free(m);
    return 0;
}

int map_error_sample(pair_sample *s, const loaded *l, const kernel_choice *k, uint64_t pairs,
                     uint64_t seeds)
{
    double K[GROUP * GROUP];
    int status = choose_rows(s, l, pairs);

    if (status)
        return status;
    size_t capacity = (s->rows.rows / GROUP + 1) * OF_GROUP;
    if ((status = say_limit((double)capacity
                                * (double)(2 * sizeof *s->pair + (1 + seeds) * sizeof *s->K),
                            "%zu pairs and %llu seeds need", capacity, (unsigned long long)seeds)))
        return status;
    s->pair = malloc(2 * capacity * sizeof *s->pair);
    s->K = malloc(capacity * sizeof *s->K);
    s->error = calloc(seeds, capacity * sizeof *s->error);
    s->seeds = seeds;
    if (!s->pair || !s->K || !s->error)
        return say_no_memory("the pairs");
    for (size_t first = 0; first < s->rows.rows; first += GROUP) {
        fx_matrix g = rows_part(&s->rows, first, smaller(GROUP, s->rows.rows - first));
        fx_status st = fx_kernel_gram(K, GROUP, k->kernel, &g, NULL, &cli.run);
        if (st)
            return say_failure(st);
        for (size_t i = 0; i < g.rows; i++)
            for (size_t j = 0; j < i; j++, s->pairs++) {
                s->pair[2 * s->pairs] = first + i;
                s->pair[2 * s->pairs + 1] = first + j;
                s->K[s->pairs] = K[i * GROUP + j];
                s->scale += K[i * GROUP + j] * K[i * GROUP + j];
            }
    }
    s->scale = s->pairs ? sqrt(s->scale / (double)s->pairs) : 0;
    return s->rows.ptr && !k->family ? leave_out_zeros(s) : 0;
}

static double dot(const float *x, const float *y, size_t n)
{
    enum { WAYS = 8 };                  /* sums side by side */
    double sum[WAYS] = {0}, all = 0;
    size_t q = 0;

    for (; q + WAYS <= n; q += WAYS)
        for (size_t i = 0; i < WAYS; i++)
            sum[i] += (double)x[q + i] * y[q + i];
    for (; q < n; q++)
        all += (double)x[q] * y[q];
    for (size_t i = 0; i < WAYS; i++)
        all += sum[i];
    return all;
}

/* Errors of the pairs from *q on, those of `rows` mapped rows. */
static void compare(double *error, size_t *q, const double *K, const float *Z, size_t rows,
                    size_t D)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = i / GROUP * GROUP; j < i; j++, ++*q)
            error[*q] = dot(Z + i * D, Z + j * D, D) - K[*q];
}

static double mean_square(const double *error, size_t n)
{
    double sum = 0;

    for (size_t q = 0; q < n; q++)
        sum += error[q] * error[q];
    return n ? sum / (double)n : 0;
}

/* Half width of a 95 % interval about the mean of n numbers with this sum of squared deviations;
 * Student's quantile by its expansion about the normal one, whose last terms are made to fit 2 and
 * 3 numbers; 0.3 % low at most. */
static double interval(double deviations, size_t n)
{
    double u = 1 / ((double)n - 1), t = 1.96 + u * (2.372 + u * (2.823 + u * (1.665 + u * 3.886)));

    return t * sqrt(deviations * u / (double)n);
}

/* Figures of all errors, which are sorted by magnitude at the end. */
static void summarise(map_errors *out, pair_sample *s, double quantile, double eps)
{
    size_t n = s->pairs * s->seeds, groups = s->seeds > 1 ? s->seeds : s->pairs / OF_GROUP;
    size_t part = s->seeds > 1 ? s->pairs : OF_GROUP, within = 0;
    double square = mean_square(s->error, n), deviations = 0;

    out->rmse = sqrt(square);
    out->low = INFINITY;
    for (size_t i = 0; i < groups; i++) {
        double d = mean_square(s->error + i * part, part) - square;
        deviations += d * d;
    }
    for (size_t i = 0; i < s->seeds; i++) {
        double one = sqrt(mean_square(s->error + i * s->pairs, s->pairs));
        out->low = fmin(out->low, one);
        out->high = fmax(out->high, one);
    }
    out->ci95 = groups < 2      ? NAN
                : out->rmse > 0 ? interval(deviations, groups) / (2 * out->rmse)
                                : 0;
    for (size_t q = 0; q < n; q++) {
        s->error[q] = fabs(s->error[q]);
        out->mae += s->error[q] / (double)n;
        within += s->error[q] <= eps;
    }
    qsort(s->error, n, sizeof *s->error, ascending_doubles);
    size_t rank = (size_t)ceil(quantile * (double)n);
    out->within = n ? s->error[rank ? rank - 1 : 0] : 0;
    out->max = n ? s->error[n - 1] : 0;
    out->share = n ? (double)within / (double)n : 1;
}

static int errors_of(double *error, const pair_sample *s, const fx_map *m)
{
    size_t D = fx_map_features(m), done = 0;
    size_t step = D && FLOATS / D > GROUP ? FLOATS / D / GROUP * GROUP : GROUP;
    fx_status st = FX_OK;
    float *Z;

    step = smaller(step, s->rows.rows);
    if (say_limit(sizeof *Z * (double)step * (double)D, "%zu features of %zu rows need", D, step))
        return EXIT_MEMORY;
    if (!(Z = malloc((D && step ? D * step : 1) * sizeof *Z)))
        return say_no_memory("features");
    progress_begin("error", "rows", (double)s->rows.rows);
    for (size_t first = 0; first < s->rows.rows && !st; first += step) {
        fx_matrix g = rows_part(s->used, first, smaller(step, s->rows.rows - first));
        progress_part((double)first, (double)(first + g.rows));
        st = fx_map_apply(Z, D, FX_F32, m, &g, &cli.run);
        if (!st)
            compare(error, &done, s->K, Z, g.rows, D);
    }
    progress_end();
    free(Z);
    return st ? say_failure(st) : 0;
}

int map_error_maps(map_errors *out, fx_map **last, pair_sample *s, const char *const *maps,
                   const fx_kernel *k, size_t D, double quantile, double eps)
{
    fx_map *m = NULL;
    int status = choose_width(s, maps, k, D);

    *out = (map_errors){0};
    for (uint64_t i = 0; i < s->seeds && !status; i++) {
        fx_map_free(m);
        m = NULL;
        fx_status st = kernel_map(&m, maps, k, s->used->cols, D, cli.seed + i, s->used);
        status = st ? say_failure(st) : errors_of(s->error + i * s->pairs, s, m);
    }
    if (!status) {
        out->requested = D;
        out->columns = fx_map_features(m);
        summarise(out, s, quantile, eps);
    }
    if (last && !status) {
        fx_map_free(*last);
        *last = m;
    } else
        fx_map_free(m);
    return status;
}

void map_error_free(pair_sample *s)
{
    fx_data_free(s->data);
    free(s->col);
    free(s->pair);
    free(s->K);
    free(s->error);
}
