/* SPDX-License-Identifier: BSD-3-Clause
 * tensor_sketch.c - TS [1]: polynomial kernels by convolved count sketches.
 *
 * A count sketch C_t adds feature j of a row, with a random sign, to a random one of D buckets.
 * The cyclic convolution of m independent sketches of a row is a count sketch of its m-fold tensor
 * product, the bucket of (j_1 .. j_m) being the sum modulo D and its sign the product, so
 *
 *   Z(x) = C_1 x' * .. * C_m x',   E <Z(x), Z(y)> = <x', y'>^m = (coef0 + gamma <x, y>)^m
 *
 * with x' = (sqrt(gamma) x, sqrt(coef0)).  In the frequency domain the convolution is a product:
 * m transforms of D numbers, one back; the rows of a tile lie side by side.
 *
 * Places and signs are hashed from (sketch, feature) when a non-zero needs them; nothing is stored.
 * Dense rows of a tile share them.
 *
 * Cost: O(m (nz + D log D)) a row; memory 14 D bytes for the transform, more if D has a large prime
 * factor (linalg/fft.c).
 * Accuracy: every transform errs by a small multiple of u log2(D) times the length of its input, so
 * the features err by one of m u log2(D) times prod_t |C_t x'|_2 sqrt(D)^(m-1) over all of them at
 * the worst, and by that without the root as a rule, u = 2^-24.
 *
 * [1] N. Pham, R. Pagh. Fast and scalable polynomial kernels via explicit feature maps. KDD
 *     2013. */

#include "linalg/fft.h"
#include "map/bucket.h"
#include "map/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct state {
    fxi_linalg_fft *fft;
    double gain, constant;              /* of features; the constant one */
} state;

typedef struct scratch {
    const fxi_tile *t;
    const double *x;
    size_t lanes;                       /* rows transformed side by side: 1 or FXI_LANES */
    float *sketch;                      /* [random][lanes] */
    float *spectrum[2];                 /* of it */
    void *fft;
    uint64_t *bits;                     /* [degree][cols] of dense rows */
} scratch;

static size_t most_lanes(const fx_map *m) { return m->lanes ? FXI_LANES : 1; }

/* Cuts the scratch from `space`, or, if that is NULL, tells how many bytes it takes. */
static size_t layout(scratch *s, const fx_map *m, char *space, bool dense)
{
    const state *k = m->state;
    size_t sketch = m->random * most_lanes(m) * sizeof(float);
    size_t spectrum = fxi_linalg_fft_spectrum(k->fft, most_lanes(m)) * sizeof(float);
    size_t fft = fxi_linalg_fft_space(k->fft, most_lanes(m));
    size_t bits = dense ? m->cols * (size_t)m->kernel->order * sizeof *s->bits : 0;
    char *rest = space;

    if (space) {
        fxi_project_carve(&rest, sizeof *s);
        s->sketch = fxi_project_carve(&rest, sketch);
        for (int i = 0; i < 2; i++)
            s->spectrum[i] = fxi_project_carve(&rest, spectrum);
        s->fft = fxi_project_carve(&rest, fft);
        s->bits = dense ? fxi_project_carve(&rest, bits) : NULL;
    }
    return fxi_project_rounded(sizeof *s) + fxi_project_rounded(sketch)
           + 2 * fxi_project_rounded(spectrum) + fxi_project_rounded(fft)
           + fxi_project_rounded(bits);
}

static size_t space(const fx_map *m, size_t entries)
{
    return layout(NULL, m, NULL, entries >= m->cols);   /* a dense row has as many */
}

static fxi_rng hash(const fx_map *m, int t)
{
    return fxi_project_rng(&(fxi_project){.seed = m->seed, .stream = m->stream}, 0, (uint64_t)t);
}

static void prepare(void *base, const fx_map *m, const fxi_tile *t, const double *x)
{
    scratch *s = base;

    layout(s, m, base, !t->col);
    s->t = t;
    s->lanes = fxi_tile_lanes(t);
    s->x = x;
    for (int i = 0; s->bits && i < m->kernel->order && !fxi_tile_stopped_long(t, m->cols); i++) {
        fxi_rng rng = hash(m, i);
        for (size_t j = 0; j < m->cols; j++)
            s->bits[(size_t)i * m->cols + j] = fxi_rng_bits(rng, j);
    }
}

/* Adds `value`, with the sign of its bits, to its bucket of lane r. */
static void add(const scratch *s, size_t D, size_t r, uint64_t bits, double value)
{
    s->sketch[fxi_bucket_place(bits, D) * s->lanes + r] += fxi_bucket_signed(bits, (float)value);
}

/* Sketch t of all rows, times `factor`. */
static void count(const fx_map *m, const scratch *s, int t, double factor)
{
    const state *k = m->state;
    const uint64_t *cached = s->bits ? s->bits + (size_t)t * m->cols : NULL;
    fxi_rng rng = hash(m, t);
    uint64_t last = k->constant > 0 ? fxi_rng_bits(rng, m->cols) : 0;

    memset(s->sketch, 0, m->random * s->lanes * sizeof *s->sketch);
    for (size_t r = 0; r < s->t->rows; r++) {
        size_t first = s->t->first[r];
        if (fxi_tile_stopped_long(s->t, s->t->first[r + 1] - first))
            return;
        for (size_t e = first; e < s->t->first[r + 1]; e++)
            add(s, m->random, r,
                cached ? cached[e - first] : fxi_rng_bits(rng, (uint64_t)s->t->col[e]),
                s->x[e] * k->gain * factor);
        if (k->constant > 0)
            add(s, m->random, r, last, k->constant * factor);
    }
}

static void block(float *z, const fx_map *m, void *base, size_t b)
{
    const state *k = m->state;
    const scratch *s = base;
    int degree = m->kernel->order;

    (void)b;
    count(m, s, 0, degree > 1 ? 1 / (double)m->random : 1);
    if (degree == 1)                    /* nothing to convolve */
        memcpy(z, s->sketch, m->random * s->lanes * sizeof *z);
    for (int t = 0; t < degree && degree > 1 && !fxi_tile_stopped_long(s->t, m->random); t++) {
        if (t)
            count(m, s, t, 1);
        fxi_linalg_fft_forward(s->spectrum[t > 0], k->fft, s->sketch, s->lanes, s->fft, m->simd);
        if (t)
            fxi_linalg_fft_times(s->spectrum[0], k->fft, s->spectrum[1], s->lanes, m->simd);
    }
    if (degree > 1)
        fxi_linalg_fft_backward(z, k->fft, s->spectrum[0], s->lanes, s->fft, m->simd);
}

static const fx_key keys[] = {{0}};
static const char *const kernels[] = {"poly", NULL};

static fx_status init(fx_map *m, const fxi_spec *spec, const fx_matrix *sample, const fx_run *run)
{
    state *k = m->state = fxi_zalloc(1, sizeof *k);
    fx_status st;

    (void)spec, (void)sample;
    if (!k)
        return FX_ENOMEM;
    if (m->random == 0)
        return fxi_error(FX_EINVAL, "ts: there must be at least one feature");
    k->gain = sqrt(m->kernel->gamma);
    k->constant = sqrt(m->kernel->coef0);
    m->width = (m->random + FXI_LANES - 1) / FXI_LANES * FXI_LANES;
    m->blocks = 1;
    if ((st = fxi_memory_check(run, fxi_linalg_fft_bytes(m->random), "ts: tables")) != 0
        || (st = fxi_linalg_fft_new(&k->fft, m->random, run)) != 0)
        return st;
    m->lanes = fxi_linalg_fft_lanes(k->fft) > 1;
    m->rows = most_lanes(m);
    return FX_OK;
}

static fx_status variance(double *one, double *all, const fx_map *m, const fxi_pair *p)
{
    const state *k = m->state;
    fxi_moments sums = {0};

    for (size_t j = 0; j < p->n; j++)
        fxi_map_variance_add(&sums, k->gain * p->x[j], k->gain * p->y[j]);
    if (k->constant > 0)
        fxi_map_variance_add(&sums, k->constant, k->constant);
    *all = fxi_map_variance_sketch(&sums, m->kernel->order, m->random);
    *one = *all * (double)m->random;
    return FX_OK;
}

static void release(fx_map *m)
{
    state *k = m->state;

    if (k)
        fxi_linalg_fft_free(k->fft);
    free(k);
}

const fxi_map_type fxi_map_tensor_sketch = {
    .name = "ts", .help = "TensorSketch: convolved count sketches",
    .keys = keys, .kernels = kernels, .l2 = true, .init = init, .free = release, .space = space,
    .prepare = prepare, .block = block, .variance = variance};
