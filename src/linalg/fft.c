/* SPDX-License-Identifier: BSD-3-Clause
 * fft.c - real Fourier transforms: plans, and the passes they are made of.
 *
 * A real vector of even length n is a complex one of length m = n/2, whose transform is taken apart
 * at the end (unpack) or put together at the beginning (pack); a vector of odd length is a complex
 * one with imaginary parts 0.  The complex transform goes through the prime factors of m in passes
 * of radix 4, 2, and odd ones up to FXI_FFT_RADIX.  If m has a larger prime factor, its transform
 * is a cyclic convolution with a chirp [1], of a power of two that is at least 2 m - 1:
 *
 *   X_k = c_k sum_j (x_j c_j) conj c_(k-j),    c_j = e^(-pi i j^2 / m).
 *
 * A backward transform is a forward one with real and imaginary parts exchanged.
 *
 * Rows lie side by side (a lane a row), so that no pass moves numbers within a register.  The plane
 * of imaginary parts is set off by SHIFT: passes read at distances that are powers of two, and both
 * planes would compete for the same cache lines.
 *
 * Cost: O(n log n) for every n, with a chirp about 15 times as much.  Sizes are products of
 * n < 2^31 and small numbers, far from the end of size_t.
 * Accuracy: |error|_2 <= c u log2(n) |X|_2 with a small c, u = 2^-24 [2]; the factors are rounded
 * from doubles that err by a few 2^-53.
 *
 * [1] L. Bluestein. A linear filtering approach to the computation of the discrete Fourier
 *     transform. IEEE Trans. Audio and Electroacoustics 18 (1970).
 * [2] N. Higham. Accuracy and Stability of Numerical Algorithms. SIAM, 2002, chapter 24. */

#include "linalg/fft.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_PASSES = 31,
    SHIFT = 512,                        /* floats */
    LONG = 1 << 15,                     /* numbers of scratch from which on rows go one by one */
    CHUNK = 1 << 12                     /* numbers of a table between two polls */
};

typedef struct pass {
    int radix;
    size_t m;                           /* length of the transforms that are left after it */
    size_t side;                        /* numbers of one row side by side before it */
    float *turn;                        /* [m][radix - 1] pairs */
    float *root;                        /* [radix] pairs cos, sin of 2 pi j / radix; odd ones */
    float *by_number;                   /* `turn` as linalg_fft_pass_row has it; or NULL */
} pass;

typedef struct chirp chirp;
typedef struct complex_plan {
    size_t m;
    pass at[MAX_PASSES];
    int passes;
    chirp *chirp;                       /* instead of passes, or NULL */
} complex_plan;

struct chirp {
    complex_plan inner;
    float *c;                           /* [2][m] */
    float *spectrum;                    /* [2][inner.m] of conj c, over inner.m */
};

struct fxi_linalg_fft {
    size_t n;
    bool even;
    complex_plan plan;
    float *half;                        /* [m/2 + 1] pairs e^(-pi i k / m), if n is even */
};

typedef struct planes {
    float *re, *im;
} planes;

size_t fxi_linalg_fft_length(size_t n)
{
    for (size_t m = n > 1 ? n : 1;; m++) {
        size_t rest = m;
        for (size_t p = 2; p <= 7; p++)         /* 4 and 6 divide nothing any more */
            while (rest % p == 0)
                rest /= p;
        if (rest == 1)
            return m;
    }
}

/* ---- Plans -------------------------------------------------------------------------------- */
/* e^(-2 pi i j / n), j < n, the same on every machine, which sin and cos of C are not: within the
 * eighth of the circle that j is in, by their series. */
static void unit(float *re, float *im, size_t j, size_t n)
{
    size_t eighth = 8 * j / n, rest = 8 * j % n;
    double x = 0.78539816339744830962 * (double)(eighth % 2 ? n - rest : rest) / (double)n;
    double c = 1, s = x;

    for (double term = 1, k = 1; k < 20; k += 2) {
        term *= -x * x / (k * (k + 1));
        c += term;
        s += x * term / (k + 2);
    }
    bool steep = (eighth + 1) & 2;      /* nearer to the imaginary axis */
    double across = steep ? s : c, up = steep ? c : s;
    *re = (float)(eighth >= 2 && eighth < 6 ? -across : across);
    *im = (float)(eighth < 4 ? -up : up);
}

typedef struct units {                  /* e^(-2 pi i j / n), j = k, or k^2 mod n */
    float *re, *im;                     /* [count], `stride` apart */
    size_t stride, count, n;
    bool squares;
} units;

static fx_status fill_units(void *ctx, size_t b, fxi_team *team)
{
    const units *u = ctx;
    size_t end = u->count - b * CHUNK < CHUNK ? u->count : (b + 1) * CHUNK;

    (void)team;
    for (size_t k = b * CHUNK; k < end; k++)
        unit(u->re + k * u->stride, u->im + k * u->stride, u->squares ? k * k % u->n : k, u->n);
    return FX_OK;
}

static fx_status make_units(units u, const fx_run *run)
{
    return fxi_parallel((u.count + CHUNK - 1) / CHUNK, fill_units, &u, run);
}

/* 4, 2, the smallest odd factor, or more than FXI_FFT_RADIX. */
static size_t next_radix(size_t m)
{
    size_t r = 3;

    if (m % 2 == 0)
        return m % 4 == 0 ? 4 : 2;
    while (m % r != 0 && r <= FXI_FFT_RADIX)
        r += 2;
    return r;
}

static fx_status fill_pass(void *ctx, size_t b, fxi_team *team)
{
    const pass *a = ctx;
    size_t r = (size_t)a->radix, end = a->m - b * CHUNK < CHUNK ? a->m : (b + 1) * CHUNK;

    (void)team;
    for (size_t p = b * CHUNK; p < end; p++) {
        float *w = a->turn + 2 * p * (r - 1);
        for (size_t k = 1; k < r; k++)
            unit(w + 2 * k - 2, w + 2 * k - 1, p * k, a->m * r);
        for (size_t k = 0; a->by_number && k < 6; k++)
            for (size_t q = 0; q < a->side; q++)
                a->by_number[(k * a->m + p) * a->side + q] = w[k];
    }
    return FX_OK;
}

/* side: numbers of one row that are side by side when this pass begins. */
static fx_status make_pass(pass *a, size_t radix, size_t m, size_t side, const fx_run *run)
{
    bool row = radix == 4 && side <= 4 && m * side % FXI_LANES == 0;

    a->radix = (int)radix;
    a->side = side;
    a->m = m;
    a->turn = fxi_alloc(m * (radix - 1), 2 * sizeof *a->turn);
    if (!a->turn || (radix % 2 && !(a->root = fxi_alloc(radix, 2 * sizeof *a->root)))
        || (row && !(a->by_number = fxi_alloc(6 * m * side, sizeof *a->by_number))))
        return FX_ENOMEM;
    for (size_t j = 0; a->root && j < radix; j++) {
        unit(a->root + 2 * j, a->root + 2 * j + 1, j, radix);
        a->root[2 * j + 1] = -a->root[2 * j + 1];
    }
    return fxi_parallel((m + CHUNK - 1) / CHUNK, fill_pass, a, run);
}

static void free_plan(complex_plan *c)
{
    for (int i = 0; i < c->passes; i++) {
        free(c->at[i].turn);
        free(c->at[i].root);
        free(c->at[i].by_number);
    }
    if (c->chirp) {
        free_plan(&c->chirp->inner);
        free(c->chirp->c);
        free(c->chirp->spectrum);
    }
    free(c->chirp);
}

static bool is_smooth(size_t m)
{
    while (m > 1 && next_radix(m) <= FXI_FFT_RADIX)
        m /= next_radix(m);
    return m == 1;
}

static size_t chirp_length(size_t m)
{
    size_t length = 1;

    while (length < 2 * m - 1)
        length *= 2;
    return length;
}

static fx_status make_chirp(complex_plan *c, const fx_run *run);

static fx_status make_plan(complex_plan *c, size_t m, const fx_run *run)
{
    fx_status st = FX_OK;
    size_t rest = m, side = 1;

    c->m = m;
    if (!is_smooth(m))
        return make_chirp(c, run);
    for (; rest > 1 && !st; c->passes++) {
        size_t radix = next_radix(rest);
        rest /= radix;
        st = make_pass(&c->at[c->passes], radix, rest, side, run);
        side *= radix;
    }
    return st;
}

/* ---- Complex transforms ------------------------------------------------------------------- */
/* Scratch is two pairs of planes, each for this many numbers of a row. */
static size_t scratch_length(const complex_plan *c) { return c->chirp ? c->chirp->inner.m : c->m; }

static size_t plane_floats(size_t length, size_t rows)
{
    return (length * rows + FXI_LANES - 1) / FXI_LANES * FXI_LANES + SHIFT;
}

static void cut(planes p[2], float *space, size_t length, size_t rows)
{
    size_t n = plane_floats(length, rows);

    p[0] = (planes){space, space + n};
    p[1] = (planes){space + 2 * n, space + 3 * n};
}

static void filter(planes z, planes a, const float *w, size_t n, size_t rows, const fxi_simd *simd)
{
    if (rows == FXI_LANES)
        simd->linalg_fft_filter(z.re, z.im, a.re, a.im, w, w + n, n);
    else
        simd->linalg_fft_times(z.re, z.im, a.re, a.im, w, w + n, n);
}

/* From numbers that are `step` floats apart, through both pairs of planes; returns the one that has
 * the result.  The input may be p[0]. */
static planes run_passes(const complex_plan *c, planes p[2], const float *xr, const float *xi,
                         size_t step, size_t rows, const fxi_simd *simd)
{
    size_t s = rows;
    int to = 1;

    for (int i = 0; i < c->passes; i++, to = !to) {
        const pass *at = &c->at[i];
        if (rows == 1 && step == s && at->by_number)
            simd->linalg_fft_pass_row(p[to].re, p[to].im, xr, xi, at->m * s, s, at->by_number);
        else
            simd->linalg_fft_pass(p[to].re, p[to].im, xr, xi, step, at->radix, at->root, at->m, s,
                                  at->turn);
        xr = p[to].re;
        xi = p[to].im;
        step = s *= (size_t)at->radix;
    }
    return p[!to];
}

static void gather(planes z, const float *xr, const float *xi, size_t step, size_t n, size_t rows)
{
    for (size_t j = 0; j < n; j++) {
        memcpy(z.re + j * rows, xr + j * step, rows * sizeof *xr);
        memcpy(z.im + j * rows, xi + j * step, rows * sizeof *xi);
    }
}

static planes run_plan(const complex_plan *c, planes p[2], const float *xr, const float *xi,
                       size_t step, size_t rows, const fxi_simd *simd)
{
    const chirp *h = c->chirp;
    planes q[2] = {p[1], p[0]}, z = q[0];

    if (c->passes)
        return run_passes(c, p, xr, xi, step, rows, simd);
    gather(z, xr, xi, step, c->m, rows);
    if (!h)
        return z;                       /* a single number */
    filter(z, z, h->c, c->m, rows, simd);
    memset(z.re + c->m * rows, 0, (h->inner.m - c->m) * rows * sizeof *z.re);
    memset(z.im + c->m * rows, 0, (h->inner.m - c->m) * rows * sizeof *z.im);
    z = run_passes(&h->inner, q, z.re, z.im, rows, rows, simd);
    filter(z, z, h->spectrum, h->inner.m, rows, simd);
    if (z.re != q[0].re) {              /* the backward transform starts where the numbers are */
        q[1] = q[0];
        q[0] = z;
    }
    z = run_passes(&h->inner, q, z.im, z.re, rows, rows, simd);
    z = (planes){z.im, z.re};
    filter(z, z, h->c, c->m, rows, simd);
    return z;
}

static fx_status make_chirp(complex_plan *c, const fx_run *run)
{
    chirp *h = c->chirp = fxi_zalloc(1, sizeof *h);
    size_t length = chirp_length(c->m), m = c->m;
    const fxi_simd *simd = fxi_simd_get();
    planes p[2], z;
    float *space;
    fx_status st;

    if (!h)
        return FX_ENOMEM;
    if ((st = make_plan(&h->inner, length, run)) != 0)
        return st;
    h->c = fxi_alloc(m, 2 * sizeof *h->c);
    h->spectrum = fxi_alloc(length, 2 * sizeof *h->spectrum);
    if (!h->c || !h->spectrum)
        return FX_ENOMEM;
    if ((st = make_units((units){h->c, h->c + m, 1, m, 2 * m, true}, run)) != 0)
        return st;
    if (!(space = fxi_zalloc(4 * plane_floats(length, 1), sizeof *space)))
        return FX_ENOMEM;
    cut(p, space, length, 1);
    for (size_t j = 0; j < m; j++) {
        size_t mirror = j ? length - j : 0;
        p[0].re[j] = p[0].re[mirror] = h->c[j];
        p[0].im[j] = p[0].im[mirror] = -h->c[m + j];
    }
    z = run_passes(&h->inner, p, p[0].re, p[0].im, 1, 1, simd);
    for (size_t k = 0; k < length; k++) {
        h->spectrum[k] = z.re[k] / (float)length;
        h->spectrum[length + k] = z.im[k] / (float)length;
    }
    free(space);
    return FX_OK;
}

/* ---- Real transforms ---------------------------------------------------------------------- */
fx_status fxi_linalg_fft_new(fxi_linalg_fft **out, size_t n, const fx_run *run)
{
    fxi_linalg_fft *f;
    fx_status st;

    if (n == 0 || n > INT_MAX)
        return fxi_error(FX_EINVAL, "a transform of length %zu", n);
    if (!(f = fxi_zalloc(1, sizeof *f)))
        return FX_ENOMEM;
    f->n = n;
    f->even = n % 2 == 0;
    st = make_plan(&f->plan, f->even ? n / 2 : n, run);
    if (!st && f->even && !(f->half = fxi_alloc(n / 4 + 1, 2 * sizeof *f->half)))
        st = FX_ENOMEM;
    if (!st && f->even)
        st = make_units((units){f->half, f->half + 1, 2, n / 4 + 1, n, false}, run);
    if (st) {
        fxi_linalg_fft_free(f);
        return st;
    }
    *out = f;
    return FX_OK;
}

void fxi_linalg_fft_free(fxi_linalg_fft *f)
{
    if (!f)
        return;
    free_plan(&f->plan);
    free(f->half);
    free(f);
}

/* Factors 8 bytes a number and by_number 12; half of them; of a chirp its own tables, and planes
 * while they are made. */
size_t fxi_linalg_fft_bytes(size_t n)
{
    size_t m = n % 2 ? n : n / 2, length = is_smooth(m) ? 0 : chirp_length(m);

    return 20 * (length ? length : m) + 4 * n + (length ? 8 * m + 24 * length : 0) + 16 * SHIFT;
}

size_t fxi_linalg_fft_lanes(const fxi_linalg_fft *f)
{
    return scratch_length(&f->plan) < LONG ? FXI_LANES : 1;
}

size_t fxi_linalg_fft_space(const fxi_linalg_fft *f, size_t rows)
{
    return 4 * plane_floats(scratch_length(&f->plan), rows) * sizeof(float);
}

size_t fxi_linalg_fft_spectrum(const fxi_linalg_fft *f, size_t rows)
{
    return 2 * (f->n / 2 + 1) * rows;
}

void fxi_linalg_fft_forward(float *spectrum, const fxi_linalg_fft *f, const float *x, size_t rows,
                            void *space, const fxi_simd *simd)
{
    size_t m = f->plan.m, numbers = (f->n / 2 + 1) * rows;
    planes p[2], z;

    cut(p, space, scratch_length(&f->plan), rows);
    if (f->even && rows == 1)
        simd->linalg_fft_split(p[0].re, p[0].im, x, m);
    if (f->even) {
        z = rows == 1 ? run_plan(&f->plan, p, p[0].re, p[0].im, 1, 1, simd)
                      : run_plan(&f->plan, p, x, x + rows, 2 * rows, rows, simd);
        simd->linalg_fft_unpack(spectrum, spectrum + numbers, z.re, z.im, f->half, m, rows);
    } else {
        memset(p[0].im, 0, m * rows * sizeof *p[0].im);
        z = run_plan(&f->plan, p, x, p[0].im, rows, rows, simd);
        memcpy(spectrum, z.re, numbers * sizeof *spectrum);
        memcpy(spectrum + numbers, z.im, numbers * sizeof *spectrum);
    }
}

/* All n numbers of a spectrum from the half that is stored. */
static void mirror(planes z, const float *Xr, const float *Xi, size_t n, size_t rows)
{
    memcpy(z.re, Xr, (n / 2 + 1) * rows * sizeof *Xr);
    memcpy(z.im, Xi, (n / 2 + 1) * rows * sizeof *Xi);
    for (size_t k = n / 2 + 1; k < n; k++)
        for (size_t i = 0; i < rows; i++) {
            z.re[k * rows + i] = Xr[(n - k) * rows + i];
            z.im[k * rows + i] = -Xi[(n - k) * rows + i];
        }
}

void fxi_linalg_fft_backward(float *x, const fxi_linalg_fft *f, const float *spectrum, size_t rows,
                             void *space, const fxi_simd *simd)
{
    const float *imaginary = spectrum + (f->n / 2 + 1) * rows;
    size_t m = f->plan.m;
    planes p[2], z;

    cut(p, space, scratch_length(&f->plan), rows);
    if (f->even)
        simd->linalg_fft_pack(p[0].re, p[0].im, spectrum, imaginary, f->half, m, rows);
    else
        mirror(p[0], spectrum, imaginary, m, rows);
    z = run_plan(&f->plan, p, p[0].im, p[0].re, rows, rows, simd);
    if (!f->even)
        memcpy(x, z.im, m * rows * sizeof *x);
    else if (rows == 1)
        simd->linalg_fft_join(x, z.im, z.re, m);
    else
        for (size_t j = 0; j < m; j++) {
            memcpy(x + 2 * j * rows, z.im + j * rows, rows * sizeof *x);
            memcpy(x + (2 * j + 1) * rows, z.re + j * rows, rows * sizeof *x);
        }
}

void fxi_linalg_fft_times(float *z, const fxi_linalg_fft *f, const float *b, size_t rows,
                          const fxi_simd *simd)
{
    size_t n = (f->n / 2 + 1) * rows;

    simd->linalg_fft_times(z, z + n, z, z + n, b, b + n, n);
}

void fxi_linalg_fft_filter(float *z, const fxi_linalg_fft *f, const float *a, const float *w,
                           size_t rows, const fxi_simd *simd)
{
    size_t pairs = f->n / 2 + 1, n = pairs * rows;

    if (rows == FXI_LANES)
        simd->linalg_fft_filter(z, z + n, a, a + n, w, w + pairs, pairs);
    else
        simd->linalg_fft_times(z, z + n, a, a + n, w, w + n, n);
}
