/* SPDX-License-Identifier: BSD-3-Clause
 * fft.c - real Fourier transforms through FFTW [1], or through kissfft where the build asks for no
 * FFTW (whose licence is the GPL).
 *
 * FFTW: plans are estimated, never measured, so the same length always gets the same plan and the
 * same bits (unless the program itself has measured that length in this process: FFTW would
 * remember).  Its planner is the one part that is not safe to enter twice; our calls of it take a
 * lock.  Plans are made for aligned arrays and run on others that are aligned alike.  When FFTW
 * gets no memory for a plan it ends the process; it has no way to be told otherwise.
 *
 * kissfft: its real transform keeps scratch inside the plan and takes even lengths only, so the
 * complex one is used, for every length, with the caller's scratch: twice the work.
 *
 * Cost: O(n log n) for every n with FFTW; with kissfft prime factors p cost O(n p).
 * Accuracy: |error|_2 <= c u log2(n) |X|_2 with a small c, u = 2^-24 [2]; kissfft's twiddles are
 * rounded doubles.
 *
 * [1] M. Frigo, S. Johnson. The design and implementation of FFTW3. Proc. IEEE 93 (2005).
 * [2] N. Higham. Accuracy and Stability of Numerical Algorithms. SIAM, 2002, chapter 24. */

#include "linalg/fft.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#ifdef FXI_FFTW
#include <fftw3.h>
#include <pthread.h>
#else
#include <kiss_fft.h>
#endif

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

#ifdef FXI_FFTW
struct fxi_linalg_fft {
    size_t n;
    fftwf_plan forward, backward;
};

static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

static fx_status plan(fxi_linalg_fft *f)
{
    fx_status st = FX_ENOMEM;
    float *x = fxi_alloc(f->n, sizeof *x);      /* only their alignment matters */
    fftwf_complex *X = fxi_alloc(f->n / 2 + 1, sizeof *X);
    int n = (int)f->n;

    if (x && X) {
        pthread_mutex_lock(&planner);
        f->forward = fftwf_plan_dft_r2c_1d(n, x, X, FFTW_ESTIMATE | FFTW_PRESERVE_INPUT);
        f->backward = fftwf_plan_dft_c2r_1d(n, X, x, FFTW_ESTIMATE | FFTW_DESTROY_INPUT);
        pthread_mutex_unlock(&planner);
        st = f->forward && f->backward
                 ? FX_OK
                 : fxi_error(FX_ENOMEM, "no plan for a transform of length %zu", f->n);
    }
    free(x);
    free(X);
    return st;
}

static void destroy_plans(fxi_linalg_fft *f)
{
    pthread_mutex_lock(&planner);
    fftwf_destroy_plan(f->forward);
    fftwf_destroy_plan(f->backward);
    pthread_mutex_unlock(&planner);
}

size_t fxi_linalg_fft_space(const fxi_linalg_fft *f)
{
    (void)f;
    return 0;
}

void fxi_linalg_fft_forward(float *spectrum, const fxi_linalg_fft *f, const float *x, void *space)
{
    union {
        const float *in;
        float *x;
    } same = {x}; /* preserved, says the plan */

    (void)space;
    fftwf_execute_dft_r2c(f->forward, same.x, (fftwf_complex *)spectrum);
}

void fxi_linalg_fft_backward(float *x, const fxi_linalg_fft *f, float *spectrum, void *space)
{
    (void)space;
    fftwf_execute_dft_c2r(f->backward, (fftwf_complex *)spectrum, x);
}

#else
struct fxi_linalg_fft {
    size_t n;
    kiss_fft_cfg forward, backward;
};

/* kissfft's own state, in our memory. */
static kiss_fft_cfg configuration(size_t n, int inverse)
{
    size_t bytes = 0;
    void *memory;

    kiss_fft_alloc((int)n, inverse, NULL, &bytes);
    memory = fxi_alloc(bytes, 1);
    return memory ? kiss_fft_alloc((int)n, inverse, memory, &bytes) : NULL;
}

static fx_status plan(fxi_linalg_fft *f)
{
    f->forward = configuration(f->n, 0);
    f->backward = configuration(f->n, 1);
    return f->forward && f->backward ? FX_OK : FX_ENOMEM;
}

static void destroy_plans(fxi_linalg_fft *f)
{
    free(f->forward);
    free(f->backward);
}

size_t fxi_linalg_fft_space(const fxi_linalg_fft *f) { return 2 * f->n * sizeof(kiss_fft_cpx); }

void fxi_linalg_fft_forward(float *spectrum, const fxi_linalg_fft *f, const float *x, void *space)
{
    kiss_fft_cpx *in = space, *all = in + f->n;

    for (size_t j = 0; j < f->n; j++)
        in[j] = (kiss_fft_cpx){x[j], 0};
    kiss_fft(f->forward, in, all);
    memcpy(spectrum, all, (f->n / 2 + 1) * sizeof *all);
}

void fxi_linalg_fft_backward(float *x, const fxi_linalg_fft *f, float *spectrum, void *space)
{
    kiss_fft_cpx *all = space, *out = all + f->n;

    memcpy(all, spectrum, (f->n / 2 + 1) * sizeof *all);
    for (size_t k = f->n / 2 + 1; k < f->n; k++)
        all[k] = (kiss_fft_cpx){all[f->n - k].r, -all[f->n - k].i};
    kiss_fft(f->backward, all, out);
    for (size_t j = 0; j < f->n; j++)
        x[j] = out[j].r;
}
#endif

fx_status fxi_linalg_fft_new(fxi_linalg_fft **out, size_t n)
{
    fxi_linalg_fft *f;
    fx_status st;

    if (n == 0 || n > INT_MAX)
        return fxi_error(FX_EINVAL, "a transform of length %zu", n);
    if (!(f = fxi_zalloc(1, sizeof *f)))
        return FX_ENOMEM;
    f->n = n;
    if ((st = plan(f)) != 0) {
        fxi_linalg_fft_free(f);
        return st;
    }
    *out = f;
    return FX_OK;
}

void fxi_linalg_fft_free(fxi_linalg_fft *f)
{
    if (f)
        destroy_plans(f);
    free(f);
}
