/* SPDX-License-Identifier: BSD-3-Clause
 * tensor_sketch.c - TS [1]: polynomial kernels by convolved count sketches.
 *
 * A count sketch C_t adds feature j of a row, with a random sign, to a random one of D buckets.  The
 * cyclic convolution of m independent sketches of a row is a count sketch of its m-fold tensor
 * product, the bucket of (j_1 .. j_m) being the sum modulo D and its sign the product, so
 *
 *   Z(x) = C_1 x' * .. * C_m x',   E <Z(x), Z(y)> = <x', y'>^m = (coef0 + gamma <x, y>)^m
 *
 * with x' = (sqrt(gamma) x, sqrt(coef0)).  In the frequency domain the convolution is a product:
 * m transforms of D numbers, one back.
 *
 * Places and signs are hashed from (sketch, feature) when a non-zero asks for them; nothing is
 * stored.  Dense rows of a tile share them.
 *
 * Cost: O(m (nz + D log D)) a row; no memory but scratch.
 * Accuracy: every transform errs by a small multiple of u log2(D) times the length of its input, so
 * the features err by one of m u log2(D) times prod_t |C_t x'|_2 sqrt(D)^(m-1) over all of them at
 * the worst, and by that without the root as a rule, u = 2^-24.
 *
 * [1] N. Pham, R. Pagh. Fast and scalable polynomial kernels via explicit feature maps. KDD 2013. */

#include "linalg/fft.h"
#include "map/bucket.h"
#include "map/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TILE_FLOATS = 1 << 15 };         /* features of a tile: they stay in the cache */

typedef struct state {
    fxi_linalg_fft *fft;
    double gain, constant;              /* of features; the constant one */
} state;

typedef struct scratch {
    const fxi_tile *t;
    const double *x;
    float *sketch;                      /* [width] */
    float *spectrum[3];                 /* [width + FXI_LANES] */
    void *fft;
    uint64_t *bits;                     /* [degree][cols] of dense rows */
} scratch;

static size_t bits_bytes(const fx_map *m)
{
    return m->cols * (size_t)m->kernel->order * sizeof(uint64_t);
}

static size_t space(const fx_map *m, size_t entries)
{
    const state *k = m->state;

    return fxi_project_rounded(sizeof(scratch)) + fxi_project_rounded(m->width * sizeof(float))
           + 3 * fxi_project_rounded((m->width + FXI_LANES) * sizeof(float))
           + fxi_project_rounded(fxi_linalg_fft_space(k->fft))
           /* a dense row has as many */
           + (entries >= m->cols ? fxi_project_rounded(bits_bytes(m)) : 0);
}

static void carve(scratch *s, const fx_map *m, char *at, bool dense)
{
    const state *k = m->state;

    fxi_project_carve(&at, sizeof *s);
    s->sketch = fxi_project_carve(&at, m->width * sizeof(float));
    for (int i = 0; i < 3; i++)
        s->spectrum[i] = fxi_project_carve(&at, (m->width + FXI_LANES) * sizeof(float));
    s->fft = fxi_project_carve(&at, fxi_linalg_fft_space(k->fft));
    s->bits = dense ? fxi_project_carve(&at, bits_bytes(m)) : NULL;
}

static fxi_rng hash(const fx_map *m, int t)
{
    return fxi_project_rng(&(fxi_project){.seed = m->seed, .stream = m->stream}, 0, (uint64_t)t);
}

static void prepare(void *base, const fx_map *m, const fxi_tile *t, const double *x)
{
    scratch *s = base;

    carve(s, m, base, !t->col);
    s->t = t;
    s->x = x;
    for (int i = 0; s->bits && i < m->kernel->order && !fxi_tile_stopped_long(t, m->cols); i++) {
        fxi_rng rng = hash(m, i);
        for (size_t j = 0; j < m->cols; j++)
            s->bits[(size_t)i * m->cols + j] = fxi_rng_bits(rng, j);
    }
}

/* Sketch t of row r, times `factor`. */
static void count(const fx_map *m, const scratch *s, size_t r, int t, double factor)
{
    const state *k = m->state;
    const uint64_t *cached = s->bits ? s->bits + (size_t)t * m->cols : NULL;
    size_t first = s->t->first[r], last = s->t->first[r + 1], D = m->random;
    fxi_rng rng = hash(m, t);
    uint64_t bits;

    memset(s->sketch, 0, D * sizeof *s->sketch);
    for (size_t e = first; e < last; e++) {
        bits = cached ? cached[e - first] : fxi_rng_bits(rng, (uint64_t)s->t->col[e]);
        s->sketch[fxi_bucket_place(bits, D)] += fxi_bucket_signed(
            bits, (float)(s->x[e] * k->gain * factor));
    }
    if (k->constant > 0) {
        bits = fxi_rng_bits(rng, m->cols);
        s->sketch[fxi_bucket_place(bits, D)] += fxi_bucket_signed(bits,
                                                                  (float)(k->constant * factor));
    }
}

static void block(float *z, const fx_map *m, void *base, size_t b)
{
    const state *k = m->state;
    scratch *s = base;
    size_t D = m->random;

    (void)b;
    for (size_t r = 0; r < s->t->rows; r++) {
        float *have = s->spectrum[0], *next = s->spectrum[1], *product = s->spectrum[2];
        count(m, s, r, 0, m->kernel->order > 1 ? 1 / (double)D : 1);
        if (m->kernel->order == 1) {    /* nothing to convolve */
            memcpy(z + r * m->width, s->sketch, D * sizeof *z);
            continue;
        }
        fxi_linalg_fft_forward(have, k->fft, s->sketch, s->fft);
        for (int t = 1; t < m->kernel->order && !fxi_tile_stopped_long(s->t, D); t++) {
            count(m, s, r, t, 1);
            fxi_linalg_fft_forward(next, k->fft, s->sketch, s->fft);
            m->simd->linalg_fft_times(product, have, next, D / 2 + 1);
            float *old = have;
            have = product;
            product = old;
        }
        fxi_linalg_fft_backward(z + r * m->width, k->fft, have, s->fft);
    }
}

static const fx_key keys[] = {{0}};
static const char *const kernels[] = {"poly", NULL};

static fx_status init(fx_map *m, const fxi_spec *spec, const fx_matrix *sample, const fx_run *run)
{
    state *k = m->state = fxi_zalloc(1, sizeof *k);

    (void)spec, (void)sample, (void)run;
    if (!k)
        return FX_ENOMEM;
    if (m->random == 0)
        return fxi_error(FX_EINVAL, "ts: there must be at least one feature");
    k->gain = sqrt(m->kernel->gamma);
    k->constant = sqrt(m->kernel->coef0);
    m->width = (m->random + FXI_LANES - 1) / FXI_LANES * FXI_LANES;
    m->blocks = 1;
    m->lanes = false;
    m->rows = TILE_FLOATS / m->width;
    m->rows = m->rows < 1 ? 1 : m->rows > FXI_LANES ? FXI_LANES : m->rows;
    return fxi_linalg_fft_new(&k->fft, m->random);
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
