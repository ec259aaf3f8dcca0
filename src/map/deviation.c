/* SPDX-License-Identifier: BSD-3-Clause
 * deviation.c - the error of a map on the user's own rows, measured and predicted.
 *
 * Pairs i != j of rows are drawn uniformly and independently.  In chunks whose features take a few
 * megabytes, the rows are mapped and multiplied in double precision, and the kernel and the exact
 * variance are evaluated for the same pairs.  Sums run in the order of the pairs, so the result
 * depends neither on threads nor on the size of a chunk.
 *
 * The mean absolute error alone flatters structured maps on one-hot data, where few pairs carry
 * all of the error: so root mean square and largest error are given, too.  The interval about the
 * former is that of the mean of squared errors s over n pairs, 1.96 sd(s)/sqrt(n), divided by the
 * derivative of the square: it is for this map and all pairs of X, while `predicted` is the root of
 * the mean variance over seeds on the same pairs. */

#include "map/map.h"

#include <math.h>

enum { CHUNK = 512, FLOATS = 1 << 22 }; /* pairs, numbers of Z at a time, at most */

typedef struct measure {
    const fx_map *map;
    const fx_matrix *X;                 /* all rows */
    const fx_run *run;
    size_t chunk;                       /* pairs at a time */
    size_t capacity;                    /* most entries of two rows */
    size_t row[2 * CHUNK];              /* of X */
    const fx_matrix *picked;            /* those rows */
    float *Z;                           /* [2 * chunk][features] */
    double *space;                      /* [threads][per_thread] pair: 3 capacity; then for K */
    size_t per_thread;
    double error[CHUNK], K[CHUNK], V[CHUNK];
    fxi_stage stage;                    /* progress of this step within the whole call */
} measure;

typedef struct sums {
    double abs, square, fourth, error, K, V, max;
} sums;

/* The next step of the call, which takes `share` of it. */
static fx_run step(measure *e, double share)
{
    return fxi_parallel_stage(&e->stage, e->run, e->stage.from + e->stage.share, share);
}

/* ---- A chunk -------------------------------------------------------------------------------- */

static fx_status one_pair(void *ctx, size_t q, fxi_team *team)
{
    measure *e = ctx;
    const fx_map *m = e->map;
    double *space = e->space + (size_t)fxi_parallel_thread(team) * e->per_thread, one, dot = 0;
    const float *zx = e->Z + 2 * q * m->features, *zy = zx + m->features;
    fxi_pair p = fxi_map_variance_pair(space, e->capacity, fxi_data_row(e->picked, 2 * q),
                                       fxi_data_row(e->picked, 2 * q + 1));
    fx_status st = FX_EUNSUPPORTED;

    p.team = team;
    double K = fxi_map_variance_value(m->kernel, &p, space + e->capacity * 3, m->simd);
    if (!isfinite(K))
        return fxi_kernel_not_finite(m->kernel, K, e->row[2 * q], "row", e->row[2 * q + 1]);
    for (size_t s = 0; s < m->features; s++)
        dot += (double)zx[s] * zy[s];
    if (m->type->variance)
        st = m->type->variance(&one, &e->V[q], m, &p);
    if (st == FX_EUNSUPPORTED)
        e->V[q] = NAN;
    e->K[q] = K;
    e->error[q] = dot - K;
    return st == FX_EUNSUPPORTED ? FX_OK : st;
}

/* A feature is beyond floats: the row of X that it belongs to. */
static fx_status find_bad(measure *e, size_t rows)
{
    for (size_t r = 0; r < rows; r++) {
        fx_matrix one = *e->X;
        size_t size = one.type == FX_F32 ? sizeof(float) : sizeof(double);
        one.rows = 1;
        if (one.ptr)
            one.ptr += e->row[r];
        else
            one.val = (const char *)one.val + e->row[r] * one.stride * size;
        if (fx_map_apply(e->Z, e->map->features, FX_F32, e->map, &one, NULL) == FX_ENUMERIC)
            return fxi_error(FX_ENUMERIC,
                             "%s: a feature of row %zu (from 0) is beyond the range of floats; "
                             "scale the rows",
                             e->map->spec, e->row[r]);
    }
    return FX_ENUMERIC;
}

static fx_status measure_chunk(sums *s, measure *e, size_t first, size_t n, uint64_t seed,
                               double share)
{
    fxi_rng rng = {seed, FXI_MAP_ERROR};
    fx_table all = {.rows = e->X->rows, .cols = e->X->cols, .blocks = 1, .block = e->X};
    fx_data *picked = NULL;
    fx_status st;

    for (size_t q = 0; q < n; q++) {    /* the second row is one of the others */
        size_t i = fxi_rng_below(rng, 2 * (first + q), e->X->rows);
        size_t j = fxi_rng_below(rng, 2 * (first + q) + 1, e->X->rows - 1);
        e->row[2 * q] = i;
        e->row[2 * q + 1] = j + (j >= i);
    }
    fx_run how = step(e, 0);
    if ((st = fx_data_select(&picked, &all, e->row, 2 * n, &how)) != 0)
        return st;
    e->picked = fx_data_table(picked).block;
    how = step(e, share / 2);
    st = fx_map_apply(e->Z, e->map->features, FX_F32, e->map, e->picked, &how);
    if (st == FX_ENUMERIC)
        st = find_bad(e, 2 * n);
    how = step(e, share / 2);
    if (!st)
        st = fxi_parallel(n, one_pair, e, &how);
    for (size_t q = 0; !st && q < n; q++) {
        double d = e->error[q];
        s->abs += fabs(d);
        s->square += d * d;
        s->fourth += d * d * d * d;
        s->error += d;
        s->K += e->K[q] * e->K[q];
        s->V += e->V[q];
        s->max = fmax(s->max, fabs(d));
    }
    fx_data_free(picked);
    return st;
}

/* ---- The door ------------------------------------------------------------------------------- */

static fx_status check(const fx_deviation *out, const fx_map *m, const fx_matrix *X, size_t pairs,
                       const fx_run *run)
{
    fx_status st;

    if (!out || !m || !X)
        return fxi_error(FX_EINVAL, "fx_map_deviation: %s is NULL", !out ? "out" : !m ? "m" : "X");
    if (pairs == 0 || pairs > SIZE_MAX / 4)
        return fxi_error(FX_EINVAL, "the error on %zu pairs is no number", pairs);
    if ((st = fxi_sized_check(out, "fx_deviation")) || (st = fxi_data_check(X, "X", run)))
        return st;
    if (X->cols != m->cols)
        return fxi_error(FX_ESHAPE, "X has %zu columns, the map %zu", X->cols, m->cols);
    if (X->rows < 2)
        return fxi_error(FX_ESHAPE, "X has %zu rows; a pair needs two", X->rows);
    return FX_OK;
}

static fx_status make_spaces(measure *e, int threads)
{
    size_t bytes;

    e->capacity = (2 * fxi_data_rows_max(e->X, 1) + 7) / 8 * 8; /* keeps what follows aligned */
    e->per_thread = e->capacity * 3 + fxi_map_variance_value_space(e->map->kernel, e->capacity);
    bytes = (size_t)threads * e->per_thread * sizeof(double)
            + 2 * e->chunk * e->map->features * sizeof *e->Z;
    fx_status st = fxi_memory_check(e->run, bytes, "sampled pairs and their features");
    if (st)
        return st;
    e->per_thread = (e->per_thread + 7) / 8 * 8; /* keeps the next thread's aligned */
    e->Z = fxi_alloc(2 * e->chunk * e->map->features, sizeof *e->Z);
    e->space = fxi_alloc((size_t)threads * e->per_thread, sizeof *e->space);
    return e->Z && e->space ? FX_OK : FX_ENOMEM;
}

static void summary(fx_deviation *out, const sums *s, size_t pairs)
{
    double n = (double)pairs, square = s->square / n, rmse = sqrt(square);
    double spread = sqrt(fmax(0, s->fourth / n - square * square) / n);

    const fx_deviation a = {.size = sizeof a,
                           .pairs = pairs,
                           .mae = s->abs / n,
                           .rmse = rmse,
                           .max = s->max,
                           .ci95 = rmse > 0 ? 1.96 * spread / (2 * rmse) : 0,
                           .bias = s->error / n,
                           .kernel_rms = sqrt(s->K / n),
                           .predicted = sqrt(s->V / n)};
    fxi_sized_out(out, &a, sizeof a);
}

fx_status fx_map_deviation(fx_deviation *out, const fx_map *m, const fx_matrix *X, size_t pairs,
                           uint64_t seed, const fx_run *run)
{
    fx_status st = check(out, m, X, pairs, run);
    sums s = {0};

    if (st)
        return st;
    measure *e = fxi_zalloc(1, sizeof *e);
    if (!e)
        return FX_ENOMEM;
    *e = (measure){.map = m, .X = X, .run = run, .chunk = CHUNK};
    while (e->chunk > 1 && e->chunk > FLOATS / 2 / (m->features + 1))
        e->chunk /= 2;
    if (e->chunk > pairs)
        e->chunk = pairs;
    int threads = fxi_parallel_threads(run, e->chunk);
    st = make_spaces(e, threads);
    for (size_t first = 0, n; !st && first < pairs; first += n) {
        n = pairs - first < e->chunk ? pairs - first : e->chunk;
        st = measure_chunk(&s, e, first, n, seed, (double)n / (double)pairs);
    }
    if (!st)
        summary(out, &s, pairs);
    fxi_free(e->space, e->Z, e);
    return st;
}
