/* SPDX-License-Identifier: BSD-3-Clause
 * kernel_measure.c - the times that estimates of kernel machines are based on, measured on samples
 * of the rows in some tens of milliseconds.  The best of several timings counts, because other
 * programs may be running. */

#include "kind/kind.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 1024, MIN_BLOCK = 16, MAX_BLOCK = 256, REPEAT = 8, TILES = 32, DEEP = 256 };
enum { STEPS = 40 * FXI_KIND_PILOT };   /* at most, of the pilot fit */

/* Blocks of rows of the Gram matrix, doubled until a block takes 1 ms; the fastest of at most
 * REPEAT counts. */
static fx_status time_pairs(fxi_estimating *e, const fx_run *run)
{
    const fxi_train *t = e->t;
    size_t n = t->X.rows < ROWS ? t->X.rows : ROWS, row[ROWS],
           block = n < MIN_BLOCK ? n : MIN_BLOCK;
    float *K[MAX_BLOCK], *values = fxi_alloc(n, MAX_BLOCK * sizeof *values);
    int32_t sample[ROWS];
    fx_status st = FX_ENOMEM;

    if (values)
        st = fxi_rng_sample(row, n, t->X.rows, (fxi_rng){t->seed, FXI_MODEL_SAMPLE}, run);
    for (size_t i = 0; i < n && !st; i++)
        sample[i] = (int32_t)row[i];
    for (size_t w = 0; w < MAX_BLOCK && !st; w++)
        K[w] = values + w * n;
    e->pair = HUGE_VAL;
    for (int times = 0; times < REPEAT && !st; times++) {
        double begin = fxi_train_clock(), seconds;
        st = fxi_kernel_rows(K, t->m->kernel, (fxi_row_subset){&t->X, sample, n},
                             (fxi_row_subset){&t->X, sample, block}, run);
        seconds = fmax(fxi_train_clock() - begin, 1e-9);
        e->pair = fmin(e->pair, seconds / (double)(block * n));
        if (seconds > 1e-2)
            break;
        if (seconds < 1e-3 && 2 * block <= MAX_BLOCK && 2 * block <= n)
            block *= 2;
    }
    free(values);
    return st;
}

static fx_status time_tile(fxi_estimating *e, const fx_run *run)
{
    const fxi_simd *simd = fxi_simd_get();
    double *a = fxi_zalloc(2 * DEEP + FXI_LANES, FXI_LANES * sizeof *a);

    if (!a)
        return FX_ENOMEM;
    double *b = a + DEEP * FXI_LANES, *C = b + DEEP * FXI_LANES, best = HUGE_VAL;
    for (int times = 0; times < REPEAT; times++) {
        double begin = fxi_train_clock();
        for (int i = 0; i < TILES; i++)
            simd->linalg_cholesky_tile(C, a, b, DEEP, 1);
        best = fmin(best, fmax(fxi_train_clock() - begin, 1e-9));
    }
    free(a);
    e->flop = best / (TILES * DEEP * FXI_LANES * FXI_LANES) / fxi_parallel_threads(run, SIZE_MAX);
    return FX_OK;
}

/* The first output on a sample of its rows: the others are in a fold that is left out. */
static fx_status sample_rows(int32_t *fold, const fxi_output *o, uint64_t seed, const fx_run *run)
{
    const fxi_train *t = o->train;
    size_t present = 0, n, row[FXI_KIND_PILOT];

    for (size_t i = 0; i < t->X.rows; i++)
        present += t->labels.weight[i] > 0 && (!t->labels.classes || o->y[i] != 0);
    n = present < FXI_KIND_PILOT ? present : FXI_KIND_PILOT;
    fx_status st = fxi_rng_sample(row, n, present, (fxi_rng){seed, FXI_MODEL_SAMPLE}, run);
    for (size_t i = 0, at = 0, k = 0; i < t->X.rows && !st; i++) {
        bool here = t->labels.weight[i] > 0 && (!t->labels.classes || o->y[i] != 0);
        fold[i] = here && k < n && row[k] == at ? -1 : 0;
        k += here && k < n && row[k] == at;
        at += here;
    }
    return st;
}

fx_status fxi_kind_kernel_measure_pilot(fxi_estimating *e, const fx_run *run)
{
    fxi_train *t = e->t;
    size_t steps = t->how.max_iter, rows = 0, vectors = 0;
    int32_t *fold = fxi_zalloc(t->X.rows, sizeof *fold);
    fxi_output o;
    fx_status st = fold ? fxi_train_output_new(&o, t, 0) : FX_ENOMEM;

    if (!st) {
        o.no_history = true;
        st = sample_rows(fold, &o, t->seed, run);
        t->how.max_iter = steps < STEPS ? steps : STEPS;
        if (!st)
            st = fxi_train_output_fit(&o, t->how.C, fold, 0, run);
        t->how.max_iter = steps;
        for (size_t i = 0; i < t->X.rows; i++) {
            rows += fold[i] < 0;
            vectors += o.s.beta[i] != 0;
        }
        e->steps = fmax(0.3, (double)o.s.iterations / (double)rows);
        e->support = fmax(0.1, (double)vectors / (double)rows);
        fxi_train_output_free(&o);
    }
    if (st == FX_EINVAL)                /* a sample of one class */
        st = FX_OK;
    free(fold);
    return st;
}

fx_status fxi_kind_kernel_measure(fxi_estimating *e, const fx_run *run)
{
    fx_status st = time_pairs(e, run);

    return st ? st : time_tile(e, run);
}
