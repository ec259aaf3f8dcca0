/* SPDX-License-Identifier: BSD-3-Clause
 * b_fft.c - transforms of a real row, there and back, one thread, microseconds: ours of FXI_LANES
 * rows side by side and of one row, beside FFTW where it is installed (plans estimated).
 *
 * Prints one line a length: n, side by side, alone, FFTW (nan: not found). */

#include "base/test.h"
#include "linalg/fft.h"

#include <dlfcn.h>
#include <time.h>

enum { REPEATS = 5, ESTIMATE = 1 << 6, PRESERVE = 1 << 4 };    /* FFTW's flags */
typedef void *plan_function(int, void *, void *, unsigned);
typedef void execute_function(void *);

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static size_t calls(size_t n) { return 1 + ((size_t)1 << 22) / n / FXI_LANES; }

static double ours(size_t n, size_t rows)
{
    fxi_linalg_fft *f = NULL;
    double best = INFINITY;

    CHECK(fxi_linalg_fft_new(&f, n, NULL) == 0);
    float *x = fxi_alloc(n * rows, sizeof *x), *X = fxi_alloc(fxi_linalg_fft_spectrum(f, rows), 4);
    float *y = fxi_alloc(n * rows, sizeof *y);
    void *space = fxi_alloc(fxi_linalg_fft_space(f, rows), 1);
    CHECK(x && X && y && space);
    for (int k = 0; k < REPEATS; k++) {
        for (size_t j = 0; j < n * rows; j++)
            x[j] = (float)test_unit();
        double start = now();
        for (size_t i = 0; i < calls(n); i++) {
            fxi_linalg_fft_forward(X, f, x, rows, space, fxi_simd_get());
            fxi_linalg_fft_backward(y, f, X, rows, space, fxi_simd_get());
        }
        best = fmin(best, (now() - start) / (double)(calls(n) * rows));
    }
    fxi_linalg_fft_free(f);
    free(x), free(X), free(y), free(space);
    return best * 1e6;
}

static void *function(void *library, const char *name)
{
    return library ? dlsym(library, name) : NULL;
}

static double fftw(void *library, size_t n)
{
    union {                             /* as C has no cast from objects to functions */
        void *object[3];
        struct {
            plan_function *forward, *backward;
            execute_function *execute;
        } call;
    } f = {{function(library, "fftwf_plan_dft_r2c_1d"), function(library, "fftwf_plan_dft_c2r_1d"),
            function(library, "fftwf_execute")}};
    float *x = fxi_alloc(n, sizeof *x), *X = fxi_alloc(n + 2, sizeof *X);
    float *y = fxi_alloc(n, sizeof *y);
    double best = INFINITY;

    CHECK(x && X && y);
    if (!f.object[0] || !f.object[1] || !f.object[2])
        return NAN;
    void *forward = f.call.forward((int)n, x, X, ESTIMATE | PRESERVE);
    void *backward = f.call.backward((int)n, X, y, ESTIMATE);
    for (int k = 0; k < REPEATS; k++) {
        for (size_t j = 0; j < n; j++)
            x[j] = (float)test_unit();
        double start = now();
        for (size_t i = 0; i < calls(n) * FXI_LANES; i++) {
            f.call.execute(forward);
            f.call.execute(backward);
        }
        best = fmin(best, (now() - start) / (double)(calls(n) * FXI_LANES));
    }
    free(x), free(X), free(y);
    return best * 1e6;
}

int main(void)
{
    static const size_t lengths[] = {100, 256, 1024, 1280, 1300, 4096, 10007, 16384, 65536};
    void *library = dlopen("libfftw3f.so.3", RTLD_NOW);

    test_init();
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        double wide = INFINITY, alone = INFINITY, other = INFINITY;
        for (int turn = 0; turn < 3; turn++) {
            wide = fmin(wide, ours(lengths[i], FXI_LANES));
            alone = fmin(alone, ours(lengths[i], 1));
            other = fmin(other, fftw(library, lengths[i]));
        }
        printf("%zu %.3f %.3f %.3f\n", lengths[i], wide, alone, other == INFINITY ? NAN : other);
    }
    return 0;
}
