/* SPDX-License-Identifier: BSD-3-Clause
 * t_fft.c - transforms against the sum that defines them, there and back, by many threads on one
 * plan, and the lengths that are called fast; products of spectra.
 *
 * Covers: fft_hot.c, fft_pass.h */

#include "linalg/fft.h"

#include "base/test.h"
#include "simd/simd.h"

#include <string.h>

enum { LONGEST = 2187, TASKS = 64, NUMBERS = 67 };

/* Every radix, alone and with others; 67 and more take the way through a chirp. */
static const size_t lengths[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 15, 16, 17, 22, 30, 49, 61, 67, 97,
                                 100, 122, 128, 131, 134, 143, 201, 256, 360, 1009, 1280, 2018,
                                 2144, LONGEST};

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

static void define(double *X, const float *x, size_t n)
{
    size_t pairs = n / 2 + 1;

    for (size_t k = 0; k < pairs; k++) {
        X[k] = X[pairs + k] = 0;
        for (size_t j = 0; j < n; j++) {
            double angle = 2 * acos(-1) * (double)(j * k % n) / (double)n;
            X[k] += x[j] * cos(angle);
            X[pairs + k] -= x[j] * sin(angle);
        }
    }
}

/* Forward and back, into X[2 pairs][rows] and back[n][rows]. */
static void both_ways(float *X, float *back, const fxi_linalg_fft *f, const float *x, size_t rows,
                      const fxi_simd *simd)
{
    size_t bytes = fxi_linalg_fft_space(f, rows);
    void *space = fxi_alloc(bytes, 1);

    CHECK(space);
    memset(space, 0xff, bytes);         /* NaN: nothing that is not written first is read */
    fxi_linalg_fft_forward(X, f, x, rows, space, simd);
    fxi_linalg_fft_backward(back, f, X, rows, space, simd);
    free(space);
}

/* Products of whole spectra, of R rows and of one: number by number, and one row for all. */
static void check_spectra(const fxi_linalg_fft *f, const float *X, const float *one, size_t pairs,
                          const fxi_simd *s)
{
    enum { R = FXI_LANES };
    float *z = fxi_alloc(2 * pairs * R, sizeof *z), *y = fxi_alloc(2 * pairs, sizeof *y);
    size_t n = pairs * R;

    CHECK(z && y);
    memcpy(z, X, 2 * n * sizeof *z);
    memcpy(y, one, 2 * pairs * sizeof *y);
    fxi_linalg_fft_times(z, f, X, R, s);
    fxi_linalg_fft_times(y, f, one, 1, s);
    for (size_t i = 0; i < n; i++)
        CHECK(z[i] == X[i] * X[i] - X[n + i] * X[n + i]
              && z[n + i] == X[i] * X[n + i] + X[n + i] * X[i]);
    for (size_t i = 0; i < pairs; i++)
        CHECK(y[i] == one[i] * one[i] - one[pairs + i] * one[pairs + i]);
    fxi_linalg_fft_filter(z, f, X, one, R, s);
    for (size_t i = 0; i < n; i++)
        CHECK(z[i] == X[i] * one[i / R] - X[n + i] * one[pairs + i / R]
              && z[n + i] == X[i] * one[pairs + i / R] + X[n + i] * one[i / R]);
    fxi_linalg_fft_filter(y, f, one, one, 1, s);
    for (size_t i = 0; i < pairs; i++)
        CHECK(y[pairs + i] == one[i] * one[pairs + i] + one[pairs + i] * one[i]);
    free(z), free(y);
}

static void one_length(size_t n)
{
    enum { R = FXI_LANES };
    size_t numbers = 2 * (n / 2 + 1);
    float *x = fxi_alloc(n * R, sizeof *x), *copy = fxi_alloc(n * R, sizeof *copy);
    float *X = fxi_alloc(numbers * R, sizeof *X), *back = fxi_alloc(n * R, sizeof *back);
    float *one = fxi_alloc(n, sizeof *one), *ones = fxi_alloc(n, sizeof *ones);
    float *Ones = fxi_alloc(numbers, sizeof *Ones), *first = fxi_alloc(numbers, sizeof *first);
    float *first_back = fxi_alloc(n, sizeof *first_back);
    double *want = fxi_alloc(numbers, sizeof *want), *scaled = fxi_alloc(n, sizeof *scaled), norm;
    size_t row = test_below(R);
    int tried = 0;
    fxi_linalg_fft *f = NULL;

    CHECK(x && back && X && copy && want && scaled && one && ones && Ones && first);
    CHECK(fxi_linalg_fft_new(&f, n, NULL) == 0 && fxi_linalg_fft_spectrum(f, R) == numbers * R);
    for (size_t j = 0; j < n * R; j++)
        x[j] = (float)(2 * test_unit() - 1);
    for (size_t j = 0; j < n; j++) {
        one[j] = x[j * R + row];
        scaled[j] = (double)n * one[j];
    }
    define(want, one, n);
    memcpy(copy, x, n * R * sizeof *x);
    for (const fxi_simd *s = fxi_simd_targets; s->name; s++) {
        if (!s->supported())
            continue;
        both_ways(Ones, ones, f, one, 1, s);
        double off = distance(Ones, want, numbers, &norm);
        CHECK_NEAR(off, 0, bound(n, norm));
        off = distance(ones, scaled, n, &norm);
        CHECK_NEAR(off, 0, 2 * bound(n, norm));
        both_ways(X, back, f, x, R, s);
        CHECK(memcmp(copy, x, n * R * sizeof *x) == 0);         /* the input stays */
        for (size_t k = 0; k < numbers; k++)    /* the same bits beside other rows */
            CHECK(X[k * R + row] == Ones[k]);
        for (size_t j = 0; j < n; j++)
            CHECK(back[j * R + row] == ones[j]);
        if (!tried++) {
            memcpy(first, Ones, numbers * sizeof *Ones);
            memcpy(first_back, ones, n * sizeof *ones);
        }
        CHECK(memcmp(first, Ones, numbers * sizeof *Ones) == 0);        /* on every target */
        CHECK(memcmp(first_back, ones, n * sizeof *ones) == 0);
        check_spectra(f, X, Ones, n / 2 + 1, s);
    }
    fxi_linalg_fft_free(f);
    free(x), free(back), free(X), free(copy), free(want), free(scaled);
    free(one), free(ones), free(Ones), free(first), free(first_back);
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
    void *space = fxi_alloc(fxi_linalg_fft_space(s->f, 1), 1);

    (void)team;
    CHECK(space && fxi_linalg_fft_new(&own, 8 + b, NULL) == 0);
    fxi_linalg_fft_forward(s->X + b * s->stride, s->f, s->x + b * s->stride, 1, space,
                           fxi_simd_get());
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
    CHECK(s.x && s.X && fxi_linalg_fft_new(&f, s.n, NULL) == 0
          && fxi_linalg_fft_new(&again, s.n, NULL) == 0);
    s.f = f;
    for (size_t i = 0; i < TASKS * s.stride; i++)       /* the same row again and again */
        s.x[i] = i < s.stride ? (float)test_unit() : s.x[i - s.stride];
    CHECK(fxi_parallel(TASKS, task, &s, &(fx_run){RUN, .threads = 4}) == 0);
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

/* Three roundings for each number at most, and nothing is written after the last. */
static void check_product(const float *zr, const float *zi, const float *a, const float *b)
{
    double ar = a[0], ai = a[1], br = b[0], bi = b[1];

    CHECK_NEAR(*zr, ar * br - ai * bi, 3 * 0x1p-24 * (fabs(ar * br) + fabs(ai * bi)));
    CHECK_NEAR(*zi, ar * bi + ai * br, 3 * 0x1p-24 * (fabs(ar * bi) + fabs(ai * br)));
}

static void check_products(const fxi_simd *simd, size_t n)
{
    enum { R = FXI_LANES, ALL = NUMBERS * R };
    _Alignas(64) static float a[2][ALL], b[2][ALL], z[2][ALL + R];

    for (size_t i = 0; i < ALL; i++)
        for (int part = 0; part < 2; part++) {
            a[part][i] = (float)(2 * test_unit() - 1);
            b[part][i] = (float)(2 * test_unit() - 1);
        }
    z[0][n] = z[1][n] = 7;
    simd->linalg_fft_times(z[0], z[1], a[0], a[1], b[0], b[1], n);
    for (size_t i = 0; i < n; i++)
        check_product(&z[0][i], &z[1][i], (float[]){a[0][i], a[1][i]}, (float[]){b[0][i], b[1][i]});
    CHECK(z[0][n] == 7 && z[1][n] == 7);
    z[0][n * R] = z[1][n * R] = 7;
    simd->linalg_fft_filter(z[0], z[1], a[0], a[1], b[0], b[1], n);
    for (size_t i = 0; i < n * R; i++)
        check_product(&z[0][i], &z[1][i], (float[]){a[0][i], a[1][i]},
                      (float[]){b[0][i / R], b[1][i / R]});
    CHECK(z[0][n * R] == 7 && z[1][n * R] == 7);
    for (size_t rows = 1; rows <= R; rows += R - 1) {
        memcpy(z[0], a[0], n * rows * sizeof *a[0]);
        z[0][n * rows] = 7;
        simd->linalg_fft_scale(z[0], b[0], n, rows);
        for (size_t i = 0; i < n * rows; i++)
            CHECK(z[0][i] == a[0][i] * b[0][i / rows]);
        CHECK(z[0][n * rows] == 7);
    }
}

static int stop(void *ctx, double done)
{
    (void)ctx, (void)done;
    return 1;
}

int main(void)
{
    fxi_linalg_fft *f = NULL;

    test_init();
    for (const fxi_simd *s = fxi_simd_targets; s->name; s++)
        for (size_t n = 0; s->supported() && n <= NUMBERS; n++)
            check_products(s, n);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        one_length(lengths[i]);
    threads();
    CHECK(fxi_linalg_fft_new(&f, 0, NULL) == FX_EINVAL && !f);
    CHECK(fxi_linalg_fft_new(&f, (size_t)1 << 31, NULL) == FX_EINVAL && !f);
    CHECK(fxi_linalg_fft_new(&f, 16777213, &(fx_run){RUN, .progress = stop}) == FX_ECANCELLED
          && !f);
    fxi_linalg_fft_free(NULL);
    for (size_t n = 1, next = 1; n < 3000; n++) {
        while (next < n || !fast(next))
            next++;
        CHECK(fxi_linalg_fft_length(n) == next);
    }
    CHECK(fxi_linalg_fft_length(0) == 1);
    return 0;
}
