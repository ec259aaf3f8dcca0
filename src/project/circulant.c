/* SPDX-License-Identifier: BSD-3-Clause
 * circulant.c - blocks of rows that are one random vector, rolled: W x by Fourier transforms [1].
 *
 *   W[b p + r][j] = scale * w_b[(j - r) mod p] * sigma_j,    r = 0 .. p-1
 *
 * row r of a circulant is w_b rolled r places to the right, cut to the columns there are.  The
 * signs sigma are shared by all circulants, so a data row is signed and transformed once; then
 *
 *   W_b x = backward(conj(forward(w_b)) * forward(sigma x)) * scale / p.
 *
 * row_signs puts a sign on each row instead, as published.  Such signs cancel in every product of
 * two features of the same row: on data of one sign the map is poor.  With signs on the columns
 * different characters are orthogonal and the variance is that of independent rows, but for index
 * sets that a shift maps onto themselves.
 *
 * p is a fast length, cols or a little more (x is padded with zeros); from 256 on a multiple of
 * FXI_LANES.  A block of outputs is one circulant, or as many small ones as make a multiple of
 * FXI_LANES; the last one is cut.
 *
 * Cost: O((cols + rows) log p) per row, sparse or dense; memory 4 rows + 20 cols bytes.  Accuracy:
 * the error of all p outputs together is a small multiple of u log2(p) |w_b| |x|_2 sqrt(p), u =
 * 2^-24, |w_b| the largest modulus in the spectrum of w_b: for laws with variance 1 about sqrt(p
 * log p), so an output errs by about u log2(p) sqrt(log p) |x|_2, where its own size is |x|_2.
 * Cauchy: |w_b| is at most the sum of the |w|.
 *
 * [1] C. Feng, Q. Hu, S. Liao. Random feature mapping with signed circulant matrix projection.
 *     IJCAI 2015. */

#include "linalg/fft.h"
#include "project/project.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    SMALL = 256,                        /* up to here p is any fast length */
    ROLLED = 0,
    COLUMN_SIGN = 2,
    ROW_SIGN = 4,                       /* uses of random numbers, plus the part */
    CHUNK = 1 << 16                     /* numbers drawn between two polls */
};

typedef struct state {
    fxi_linalg_fft *fft;
    size_t p, stride;                   /* floats of a spectrum, with padding */
    size_t circulants;
    int first, last;                    /* parts whose entries are multiplied */
    float *spectra;                     /* [circulants][stride], conjugate, times scale/p */
    float *sigma;                       /* [cols] or, on the rows, [circulants * p] */
} state;

typedef struct scratch {
    const fxi_tile *t;
    size_t lanes;                       /* rows transformed side by side: 1 or FXI_LANES */
    float *spectra;                     /* of the data rows, `lanes` at a time */
    float *product;                     /* [stride][lanes] */
    float *wave;                        /* [p][lanes] */
    void *fft;
} scratch;

/* Cuts the scratch from `space`, or, if that is NULL, tells how many bytes it takes. */
static size_t layout(scratch *s, const state *c, char *space)
{
    size_t lanes = fxi_linalg_fft_lanes(c->fft), wave = c->p * lanes * sizeof(float);
    size_t spectrum = c->stride * sizeof(float), fft = fxi_linalg_fft_space(c->fft, lanes);
    char *rest = space;

    if (space) {
        fxi_project_carve(&rest, sizeof *s);
        s->spectra = fxi_project_carve(&rest, FXI_LANES * spectrum);
        s->product = fxi_project_carve(&rest, lanes * spectrum);
        s->wave = fxi_project_carve(&rest, wave);
        s->fft = fxi_project_carve(&rest, fft);
    }
    return fxi_project_rounded(sizeof *s) + (FXI_LANES + lanes) * spectrum
           + fxi_project_rounded(wave) + fxi_project_rounded(fft);
}

static double product(const fxi_project *p, int use, uint64_t block, uint64_t i)
{
    const state *c = p->state;
    double out = 1;

    for (int part = c->first; part <= c->last; part++) {
        fxi_rng rng = fxi_project_rng(p, use + part, block);
        out *= use == ROLLED ? fxi_project_draw(p->law, rng, i) : fxi_rng_sign(rng, i);
    }
    return out;
}

typedef struct filling {
    const fxi_project *p;
    float *w;                           /* [p] */
    void *space;
    size_t signs;                       /* of sigma */
} filling;

static fx_status sign(void *ctx, size_t b, fxi_team *team)
{
    const filling *f = ctx;
    const state *c = f->p->state;
    size_t first = b * CHUNK, last = f->signs - first < CHUNK ? f->signs : first + CHUNK;

    (void)team;
    for (size_t i = first; i < last; i++)
        c->sigma[i] = (float)product(f->p, f->p->row_signs ? ROW_SIGN : COLUMN_SIGN, 0, i);
    return FX_OK;
}

static fx_status fill(void *ctx, size_t b, fxi_team *team)
{
    filling *f = ctx;
    const state *c = f->p->state;
    float *spectrum = c->spectra + b * c->stride;
    float factor = (float)(f->p->scale / (double)c->p);
    size_t n = fxi_linalg_fft_spectrum(c->fft, 1);

    for (size_t i = 0; i < c->p; i++) {
        if (i % CHUNK == 0 && fxi_parallel_cancelled(team))
            return FX_OK;               /* fxi_parallel reports it */
        f->w[i] = (float)product(f->p, ROLLED, b, i);
    }
    fxi_linalg_fft_forward(spectrum, c->fft, f->w, 1, f->space, f->p->simd);
    for (size_t k = 0; k < n; k++)      /* imaginary parts are the second half */
        spectrum[k] *= k < n / 2 ? factor : -factor;
    return FX_OK;
}

static void choose(state *c, fxi_project *p)
{
    size_t common = 1, like = (p->like + FXI_LANES - 1) / FXI_LANES * FXI_LANES;

    c->p = fxi_linalg_fft_length(p->cols);
    if (c->p > SMALL)
        c->p = fxi_linalg_fft_length((p->cols + FXI_LANES - 1) / FXI_LANES) * FXI_LANES;
    while (common < FXI_LANES && c->p % (2 * common) == 0)
        common *= 2;
    p->width = c->p * (FXI_LANES / common);
    if (p->width > like)
        p->width = like;
    p->blocks = p->rows / p->width + (p->rows % p->width != 0);
    c->circulants = p->rows / c->p + (p->rows % c->p != 0);
    c->stride = (2 * (c->p / 2 + 1) + FXI_LANES - 1) / FXI_LANES * FXI_LANES;
}

static fx_status build(fxi_project *p, int first, int last, const fx_run *run)
{
    state *c;
    size_t signs;
    fx_status st;
    filling f = {.p = p};

    if (p->cols > INT_MAX / 2 || p->like > SIZE_MAX / 256)
        return fxi_error(FX_ELIMIT, "a circulant %zu x %zu matrix; it has at most %d columns",
                         p->rows, p->cols, INT_MAX / 2);
    if (!(c = p->state = fxi_zalloc(1, sizeof *c)))
        return FX_ENOMEM;
    c->first = first;
    c->last = last;
    choose(c, p);
    p->lanes = true;
    signs = f.signs = p->row_signs ? c->circulants * c->p : p->cols;
    p->bytes = (c->circulants * c->stride + signs) * sizeof(float) + fxi_linalg_fft_bytes(c->p);
    if ((st = fxi_memory_check(run, p->bytes, "the circulant random matrix")) != 0)
        return st;
    if ((st = fxi_linalg_fft_new(&c->fft, c->p, run)) != 0)
        return st;
    p->space = layout(NULL, c, NULL);
    c->spectra = fxi_alloc(c->circulants * c->stride, sizeof *c->spectra);
    c->sigma = fxi_alloc(signs, sizeof *c->sigma);
    f.w = fxi_alloc(c->p, sizeof *f.w);
    f.space = fxi_alloc(fxi_linalg_fft_space(c->fft, 1), 1);
    if (c->spectra && c->sigma && f.w && f.space) {
        st = fxi_parallel((signs + CHUNK - 1) / CHUNK, sign, &f, run);
        if (!st)
            st = fxi_parallel_ordered(c->circulants, fill, &f, run);
    } else {
        st = FX_ENOMEM;
    }
    free(f.w);
    free(f.space);
    return st;
}

static fx_status init(fxi_project *p, const fx_run *run) { return build(p, p->part, p->part, run); }

static fx_status times(fxi_project *out, const fxi_project *a, const fxi_project *b,
                       const fx_run *run)
{
    out->scale = a->scale * b->scale;
    return build(out, 0, 1, run);
}

static void release(fxi_project *p)
{
    state *c = p->state;

    if (c) {
        fxi_linalg_fft_free(c->fft);
        free(c->spectra);
        free(c->sigma);
    }
    free(c);
}

static void prepare(void *space, const fxi_project *p, const fxi_tile *t, const float *x)
{
    const state *c = p->state;
    scratch *s = space;

    layout(s, c, space);
    s->t = t;
    s->lanes = t->rows > 1 ? fxi_linalg_fft_lanes(c->fft) : 1;
    for (size_t r = 0; r < t->rows && !fxi_tile_stopped_long(t, c->p); r += s->lanes) {
        memset(s->wave, 0, c->p * s->lanes * sizeof *s->wave);
        for (size_t i = 0; i < s->lanes && r + i < t->rows; i++)
            for (size_t k = t->first[r + i]; k < t->first[r + i + 1]; k++) {
                size_t j = t->col ? (size_t)t->col[k] : k - t->first[r + i];
                s->wave[j * s->lanes + i] = p->row_signs ? x[k] : x[k] * c->sigma[j];
            }
        fxi_linalg_fft_forward(s->spectra + r * c->stride, c->fft, s->wave, s->lanes, s->fft,
                               p->simd);
    }
}

/* n outputs of one circulant, for all rows. */
static void apply_one(float *z, const fxi_project *p, const scratch *s, const float *spectrum,
                      size_t n)
{
    const state *c = p->state;
    size_t lanes = fxi_tile_lanes(s->t);
    bool direct = s->lanes == lanes && n == c->p;
    float *wave = direct ? z : s->wave;

    for (size_t r = 0; r < s->t->rows && !fxi_tile_stopped_long(s->t, c->p); r += s->lanes) {
        fxi_linalg_fft_filter(s->product, c->fft, s->spectra + r * c->stride, spectrum, s->lanes,
                              p->simd);
        fxi_linalg_fft_backward(wave, c->fft, s->product, s->lanes, s->fft, p->simd);
        if (s->lanes < lanes)
            for (size_t k = 0; k < n; k++)
                z[k * lanes + r] = wave[k];
        else if (!direct)
            memcpy(z, wave, n * lanes * sizeof *z);
    }
}

static void apply(float *z, const fxi_project *p, void *space, size_t block)
{
    const state *c = p->state;
    const scratch *s = space;
    size_t lanes = fxi_tile_lanes(s->t), start = block * p->width, i = 0;       /* i: output */

    if (s->lanes < lanes)               /* lanes without a row are finite, as promised */
        memset(z, 0, p->width * lanes * sizeof *z);
    for (; i < p->width && start + i < c->circulants * c->p; i += c->p) {
        size_t n = c->p < p->width - i ? c->p : p->width - i;
        apply_one(z + i * lanes, p, s, c->spectra + (start + i) / c->p * c->stride, n);
        if (p->row_signs)
            p->simd->linalg_fft_scale(z + i * lanes, c->sigma + start + i, n, lanes);
    }
    if (i < p->width)                   /* and so are outputs after the last */
        memset(z + i * lanes, 0, (p->width - i) * lanes * sizeof *z);
}

static void entries(double *w, const fxi_project *p, size_t s, int64_t j)
{
    const state *c = p->state;

    for (size_t i = 0; i < FXI_LANES; i++, s++) {
        size_t r = s % c->p, rolled = ((size_t)j + c->p - r) % c->p;
        w[i] = s >= p->rows ? 0
                            : p->scale * product(p, ROLLED, s / c->p, rolled)
                                  * (double)c->sigma[p->row_signs ? s : (size_t)j];
    }
}

const fxi_project_type fxi_project_circulant = {
    .name = "circulant", .init = init, .free = release, .prepare = prepare, .apply = apply,
    .entries = entries, .times = times,
};
