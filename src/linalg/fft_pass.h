/* SPDX-License-Identifier: BSD-3-Clause
 * fft_pass.h - a pass of a complex Fourier transform, and products, for numbers of type NUMBER.
 * fft_hot.c includes it twice, with registers and with single floats; NAME(x) keeps them apart.
 *
 * Stockham's order [1]: no numbers are exchanged between passes.  Each pass of radix r takes
 * r numbers that lie far apart, transforms them in registers, and leaves them side by side, so that
 * the next pass finds runs r times as long.
 *
 * [1] C. Van Loan. Computational Frameworks for the Fast Fourier Transform. SIAM, 1992. */

typedef struct NAME(pair) {
    NUMBER re, im;
} NAME(pair);

FXI_INLINE NAME(pair) NAME(sum)(NAME(pair) a, NAME(pair) b)
{
    return (NAME(pair)){a.re + b.re, a.im + b.im};
}

FXI_INLINE NAME(pair) NAME(difference)(NAME(pair) a, NAME(pair) b)
{
    return (NAME(pair)){a.re - b.re, a.im - b.im};
}

FXI_INLINE NAME(pair) NAME(turned)(NAME(pair) a, float re, float im)
{
    return (NAME(pair)){a.re * re - a.im * im, a.re * im + a.im * re};
}

FXI_INLINE void NAME(transform_two)(NAME(pair) *t)
{
    NAME(pair) a = t[0];

    t[0] = NAME(sum)(a, t[1]);
    t[1] = NAME(difference)(a, t[1]);
}

FXI_INLINE void NAME(transform_four)(NAME(pair) *t)
{
    NAME(pair) a = NAME(sum)(t[0], t[2]), b = NAME(difference)(t[0], t[2]);
    NAME(pair) c = NAME(sum)(t[1], t[3]), d = NAME(difference)(t[1], t[3]);
    NAME(pair) turned = {d.im, -d.re};  /* -i d */

    t[0] = NAME(sum)(a, c);
    t[1] = NAME(sum)(b, turned);
    t[2] = NAME(difference)(a, c);
    t[3] = NAME(difference)(b, turned);
}

/* Odd r: with a_j = t_j + t_(r-j) and b_j = t_j - t_(r-j), outputs k and r - k share the sums
 * u = t_0 + sum_j cos(2 pi j k / r) a_j and v = sum_j sin(2 pi j k / r) b_j: they are u - i v and
 * u + i v. */
FXI_INLINE void NAME(transform_odd)(NAME(pair) *t, int r, const float *root)
{
    NAME(pair) out[FXI_FFT_RADIX], all = t[0];

#pragma GCC unroll 3
    for (int j = 1; j <= r / 2; j++) {
        NAME(pair) a = NAME(sum)(t[j], t[r - j]);
        t[r - j] = NAME(difference)(t[j], t[r - j]);
        t[j] = a;
        all = NAME(sum)(all, a);
    }
#pragma GCC unroll 3
    for (int k = 1; k <= r / 2; k++) {
        NAME(pair) u = t[0], v = t[r - 1];
        int at = k;                     /* j k mod r */
        u.re += root[2 * k] * t[1].re;
        u.im += root[2 * k] * t[1].im;
        v.re *= root[2 * k + 1];
        v.im *= root[2 * k + 1];
#pragma GCC unroll 3
        for (int j = 2; j <= r / 2; j++) {
            at += at + k < r ? k : k - r;
            u.re += root[2 * at] * t[j].re;
            u.im += root[2 * at] * t[j].im;
            v.re += root[2 * at + 1] * t[r - j].re;
            v.im += root[2 * at + 1] * t[r - j].im;
        }
        out[k] = (NAME(pair)){u.re + v.im, u.im - v.re};
        out[r - k] = (NAME(pair)){u.re - v.im, u.im + v.re};
    }
    t[0] = all;
#pragma GCC unroll 6
    for (int k = 1; k < r; k++)
        t[k] = out[k];
}

FXI_INLINE NAME(pair) NAME(load)(const float *re, const float *im)
{
    return (NAME(pair)){*(const NUMBER *)re, *(const NUMBER *)im};
}

FXI_INLINE void NAME(save)(float *re, float *im, NAME(pair) a)
{
    *(NUMBER *)re = a.re;
    *(NUMBER *)im = a.im;
}

/* y[r p + k][q] = w[p][k] sum_j x[p + m j][q] e^(-2 pi i j k / r) for p < m, k < r, q < s. */
FXI_INLINE void NAME(pass)(float *yr, float *yi, const float *xr, const float *xi, size_t step,
                           int r, const float *root, size_t m, size_t s, const float *w)
{
    for (size_t p = 0; p < m; p++, w += 2 * (r - 1))
        for (size_t q = 0; q < s; q += sizeof(NUMBER) / sizeof(float)) {
            NAME(pair) t[FXI_FFT_RADIX];
            t[0] = NAME(load)(xr + p * step + q, xi + p * step + q);
#pragma GCC unroll 8
            for (int k = 1; k < r; k++) {
                size_t at = (p + m * (size_t)k) * step + q;
                t[k] = NAME(load)(xr + at, xi + at);
            }
            if (r == 2)
                NAME(transform_two)(t);
            else if (r == 4)
                NAME(transform_four)(t);
            else
                NAME(transform_odd)(t, r, root);
#pragma GCC unroll 8
            for (int k = 0; k < r; k++) {
                size_t at = (p * (size_t)r + (size_t)k) * s + q;
                if (k && m > 1)         /* where m is 1, all factors are */
                    t[k] = NAME(turned)(t[k], w[2 * k - 2], w[2 * k - 1]);
                NAME(save)(yr + at, yi + at, t[k]);
            }
        }
}

/* The radixes that are worth their own code. */
static void NAME(any_pass)(float *yr, float *yi, const float *xr, const float *xi, size_t step,
                           int r, const float *root, size_t m, size_t s, const float *w)
{
    if (r == 2)
        NAME(pass)(yr, yi, xr, xi, step, 2, root, m, s, w);
    else if (r == 3)
        NAME(pass)(yr, yi, xr, xi, step, 3, root, m, s, w);
    else if (r == 4)
        NAME(pass)(yr, yi, xr, xi, step, 4, root, m, s, w);
    else if (r == 5)
        NAME(pass)(yr, yi, xr, xi, step, 5, root, m, s, w);
    else if (r == 7)
        NAME(pass)(yr, yi, xr, xi, step, 7, root, m, s, w);
    else
        NAME(pass)(yr, yi, xr, xi, step, r, root, m, s, w);
}

static void NAME(times)(float *zr, float *zi, const float *ar, const float *ai, const float *br,
                        const float *bi, size_t n)
{
    for (size_t i = 0; i < n; i += sizeof(NUMBER) / sizeof(float)) {
        NAME(pair) a = NAME(load)(ar + i, ai + i), b = NAME(load)(br + i, bi + i);
        NAME(save)(zr + i, zi + i,
                   (NAME(pair)){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re});
    }
}
