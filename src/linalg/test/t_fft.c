/* SPDX-License-Identifier: BSD-3-Clause
 * t_fft.c - transforms against the sum that defines them, there and back, by many threads on one
 * plan, and the lengths that are called fast; products of spectra.
 *
 * Covers: fft_hot.c */

#include "linalg/fft.h"

#include "base/test.h"
#include "simd/simd.h"

#include <string.h>

enum { LONGEST = 2187, TASKS = 64, PAIRS = 67 };

static const size_t lengths[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 30, 49, 97, 100, 128, 360,
                                 1009, 1280, LONGEST};

/* |error|_2 <= c u log2(n) |X|_2: c = 8, and one more logarithm for the twiddles.  Prime lengths
 * go through convolutions of about four times the length: as if n were 4n, twice. */
static double bound(size_t n, double norm) { return 16 * (3 + log2((double)n)) * 0x1p-24 * norm; }

/* Distance of two vectors and the length of the second. */
static double distance(const float *a, const double *b, size_t n, double *norm)
{
    double sum = 0;

    *norm = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
        *norm += b[i] * b[i];
    }
    *norm = sqrt(*norm);
    return sqrt(sum);
}

static void one_length(size_t n)
{
    size_t pairs = n / 2 + 1;
    float *x = fxi_alloc(n, sizeof *x), *back = fxi_alloc(n, sizeof *back);
    float *X = fxi_alloc(2 * pairs, sizeof *X), *copy = fxi_alloc(n, sizeof *copy);
    double *want = fxi_alloc(2 * pairs, sizeof *want), *scaled = fxi_alloc(n, sizeof *scaled), norm;
    fxi_linalg_fft *f = NULL;

    CHECK(x && back && X && copy && want && scaled && fxi_linalg_fft_new(&f, n) == 0);
    void *space = fxi_alloc(fxi_linalg_fft_space(f), 1);
    CHECK(space);
    for (size_t j = 0; j < n; j++)
        x[j] = (float)(2 * test_unit() - 1);
    memcpy(copy, x, n * sizeof *x);
    for (size_t k = 0; k < pairs; k++) {
        double re = 0, im = 0;
        for (size_t j = 0; j < n; j++) {
            double angle = 2 * acos(-1) * (double)(j * k % n) / (double)n;
            re += x[j] * cos(angle);
            im -= x[j] * sin(angle);
        }
        want[2 * k] = re;
        want[2 * k + 1] = im;
    }
    fxi_linalg_fft_forward(X, f, x, space);
    CHECK(memcmp(copy, x, n * sizeof *x) == 0);         /* the input stays */
    double off = distance(X, want, 2 * pairs, &norm);
    CHECK_NEAR(off, 0, bound(n, norm));
    fxi_linalg_fft_backward(back, f, X, space);
    for (size_t j = 0; j < n; j++)
        scaled[j] = (double)n * x[j];
    off = distance(back, scaled, n, &norm);
    CHECK_NEAR(off, 0, 2 * bound(n, norm));
    fxi_linalg_fft_free(f);
    free(space), free(x), free(back), free(X), free(copy), free(want), free(scaled);
}

/* Every task makes and frees a plan of its own too, as maps in several threads would. */
typedef struct shared {
    const fxi_linalg_fft *f;
    size_t n;
    float *x;                           /* [TASKS][stride] */
    float *X;                           /* [TASKS][stride] */
    size_t stride;
} shared;

static fx_status task(void *ctx, size_t b, fxi_team *team)
{
    shared *s = ctx;
    fxi_linalg_fft *own = NULL;
    void *space = fxi_alloc(fxi_linalg_fft_space(s->f), 1);

    (void)team;
    CHECK(space && fxi_linalg_fft_new(&own, 8 + b) == 0);
    fxi_linalg_fft_forward(s->X + b * s->stride, s->f, s->x + b * s->stride, space);
    fxi_linalg_fft_free(own);
    free(space);
    return FX_OK;
}

static void threads(void)
{
    shared s = {.n = 1280, .stride = 1296};
    fxi_linalg_fft *f = NULL, *again = NULL;

    s.x = fxi_zalloc(TASKS * s.stride, sizeof *s.x);
    s.X = fxi_zalloc(TASKS * s.stride, sizeof *s.X);
    CHECK(s.x && s.X && fxi_linalg_fft_new(&f, s.n) == 0 && fxi_linalg_fft_new(&again, s.n) == 0);
    s.f = f;
    for (size_t i = 0; i < TASKS * s.stride; i++)       /* the same row again and again */
        s.x[i] = i < s.stride ? (float)test_unit() : s.x[i - s.stride];
    CHECK(fxi_parallel(TASKS, task, &s, &(fx_run){.threads = 4}) == 0);
    for (size_t b = 1; b < TASKS; b++)
        CHECK(memcmp(s.X, s.X + b * s.stride, (s.n + 2) * sizeof *s.X) == 0);
    s.f = again;                                        /* another plan, same bits */
    CHECK(task(&s, 1, NULL) == 0);
    CHECK(memcmp(s.X, s.X + s.stride, (s.n + 2) * sizeof *s.X) == 0);
    fxi_linalg_fft_free(f);
    fxi_linalg_fft_free(again);
    free(s.x), free(s.X);
}

static bool fast(size_t n)
{
    while (n % 2 == 0)
        n /= 2;
    while (n % 3 == 0)
        n /= 3;
    while (n % 5 == 0)
        n /= 5;
    while (n % 7 == 0)
        n /= 7;
    return n == 1;
}

/* (re, im) pairs: three roundings for each number at most, and nothing is written after the last. */
static void check_times(const fxi_simd *simd, size_t pairs)
{
    float a[2 * PAIRS], b[2 * PAIRS], out[2 * PAIRS + 1];

    for (size_t i = 0; i < 2 * pairs; i++) {
        a[i] = (float)(2 * test_unit() - 1);
        b[i] = (float)(2 * test_unit() - 1);
    }
    out[2 * pairs] = 7;
    simd->linalg_fft_times(out, a, b, pairs);
    for (size_t k = 0; k < pairs; k++) {
        double ar = a[2 * k], ai = a[2 * k + 1], br = b[2 * k], bi = b[2 * k + 1];
        CHECK_NEAR(out[2 * k], ar * br - ai * bi, 3 * 0x1p-24 * (fabs(ar * br) + fabs(ai * bi)));
        CHECK_NEAR(out[2 * k + 1], ar * bi + ai * br,
                   3 * 0x1p-24 * (fabs(ar * bi) + fabs(ai * br)));
    }
    CHECK(out[2 * pairs] == 7);
}

int main(void)
{
    fxi_linalg_fft *f = NULL;

    test_init();
    for (const fxi_simd *s = fxi_simd_targets; s->name; s++)
        for (size_t pairs = 0; s->supported() && pairs <= PAIRS; pairs++)
            check_times(s, pairs);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        one_length(lengths[i]);
    threads();
    CHECK(fxi_linalg_fft_new(&f, 0) == FX_EINVAL && !f);
    CHECK(fxi_linalg_fft_new(&f, (size_t)1 << 31) == FX_EINVAL && !f);
    fxi_linalg_fft_free(NULL);
    for (size_t n = 1, next = 1; n < 3000; n++) {
        while (next < n || !fast(next))
            next++;
        CHECK(fxi_linalg_fft_length(n) == next);
    }
    CHECK(fxi_linalg_fft_length(0) == 1);
    return 0;
}
