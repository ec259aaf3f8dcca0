/* SPDX-License-Identifier: BSD-3-Clause
 * newton_hot.c - elementary symmetric polynomials from power sums p_t, for many outputs at once:
 *
 *   t e_t = sum_{s=1..t} (-1)^{s+1} e_{t-s} p_s,     z = sum_t weight[t] e_t
 *
 * In doubles from order 3 on; order 2 is one product, whose rounding the rounding of
 * p_1 outweighs, and stays in floats.  Arrays are flat, n a multiple of FXI_LANES; numbers that
 * belong to data rows repeat with period FXI_LANES. */

#include "simd/hot.h"

#if FXI_WIDTH > 8
typedef float half __attribute__((vector_size(FXI_WIDTH / 2)));
FXI_INLINE fxi_vec widen(const float *p)
{
    return __builtin_convertvector(*(const half *)p, fxi_vec);
}
FXI_INLINE void narrow(float *p, fxi_vec v) { *(half *)p = __builtin_convertvector(v, half); }
#else
FXI_INLINE fxi_vec widen(const float *p) { return *p; }
FXI_INLINE void narrow(float *p, fxi_vec v) { *p = (float)v; }
#endif

/* Order at most 2: z = weight_1 p_1 + weight_2 (p_1^2 - p_2)/2, p_1 in z. */
static void second(float *z, const double *even, size_t n, const double *weight)
{
    fxi_flt w1 = fxi_fsplat((float)weight[1]), w2 = fxi_fsplat((float)(weight[2] / 2));
    _Alignas(64) float square[FXI_LANES];

    for (int w = 0; w < FXI_LANES; w++)
        square[w] = (float)(even[2 * FXI_LANES + w] * (weight[2] / 2));
    for (size_t i = 0; i < n; i += FXI_LANES)
        for (int w = 0; w < FXI_LANES; w += FXI_FSTEP) {
            fxi_flt p = fxi_fload(z + i + w);
            fxi_fstore(z + i + w, p * (w1 + w2 * p) - fxi_fload(square + w));
        }
}

/* m is a constant at the calls for low orders, so that e and p live in registers. */
FXI_INLINE void sums(float *z, const float *const *odd, const double *even, size_t n, const int m,
                     const double *weight)
{
    for (size_t i = 0; i < n; i += FXI_LANES)
        for (int w = 0; w < FXI_LANES; w += FXI_STEP) {
            fxi_vec e[FX_ORDER_MAX + 1], p[FX_ORDER_MAX + 1], out = fxi_splat(0);
            e[0] = fxi_splat(1);
            for (int t = 1; t <= m; t++) {
                p[t] = t % 2 ? widen(odd[t / 2] + i + w) : -fxi_load(even + t * FXI_LANES + w);
                e[t] = p[t];
                for (int s = 1; s < t; s++)
                    e[t] += e[t - s] * p[s];
                e[t] *= fxi_splat(1.0 / t);
                out += weight[t] * e[t];
            }
            narrow(z + i + w, out);
        }
}

/* odd[k]: power sums of order 2k + 1, odd[0] may be z; even[t*FXI_LANES + row] for even t. */
void FXI_HOT(map_newton)(float *z, const float *const *odd, const double *even, size_t n, int m,
                         const double *weight)
{
    switch (m) {
    case 1:
    case 2: second(z, even, n, weight); break;
    case 3: sums(z, odd, even, n, 3, weight); break;
    case 4: sums(z, odd, even, n, 4, weight); break;
    case 5: sums(z, odd, even, n, 5, weight); break;
    case 6: sums(z, odd, even, n, 6, weight); break;
    default: sums(z, odd, even, n, m, weight);
    }
}

/* Complex draws w = (s1 + i s2)/sqrt(2): powers of w have period 8,
 *
 *   w   = (s1 + i s2)/sqrt2    w^3 = (-s1 + i s2)/sqrt2    w^2 = i s1 s2    w^4 = -1
 *
 * a[k], b[k]: sums of s1 x^t, s2 x^t, t = 2k + 1; c[k]: of s1 s2 x^t, t = 4k + 2; even[t]: of x^t,
 * t a multiple of 4.  a[0] may be re, b[0] may be im. */
FXI_INLINE void complex_sums(float *re, float *im, const float *const *a, const float *const *b,
                             const float *const *c, const double *even, size_t n, const int m,
                             const double *weight)
{
    const double r = 0.70710678118654752440;

    for (size_t i = 0; i < n; i += FXI_LANES)
        for (int w = 0; w < FXI_LANES; w += FXI_STEP) {
            fxi_vec e[FX_ORDER_MAX + 1], f[FX_ORDER_MAX + 1];   /* e + i f */
            fxi_vec p[FX_ORDER_MAX + 1], q[FX_ORDER_MAX + 1];   /* signed power sums p + i q */
            fxi_vec x = fxi_splat(0), y = fxi_splat(0);
            e[0] = fxi_splat(1), f[0] = fxi_splat(0);
            for (int t = 1; t <= m; t++) {
                double s = (t - 1) / 4 % 2 ? -1 : 1;            /* w^{t} = -w^{t-4} */
                switch (t % 4) {
                case 1: p[t] = s * r * widen(a[t / 2] + i + w);
                        q[t] = s * r * widen(b[t / 2] + i + w); break;
                case 2: p[t] = fxi_splat(0);                    /* the minus of even t included */
                        q[t] = -s * widen(c[t / 4] + i + w); break;
                case 3: p[t] = -s * r * widen(a[t / 2] + i + w);
                        q[t] = s * r * widen(b[t / 2] + i + w); break;
                default: p[t] = s * fxi_load(even + t * FXI_LANES + w);
                         q[t] = fxi_splat(0);
                }
                e[t] = p[t], f[t] = q[t];
                for (int k = 1; k < t; k++) {
                    e[t] += e[t - k] * p[k] - f[t - k] * q[k];
                    f[t] += e[t - k] * q[k] + f[t - k] * p[k];
                }
                e[t] *= fxi_splat(1.0 / t), f[t] *= fxi_splat(1.0 / t);
                x += weight[t] * e[t], y += weight[t] * f[t];
            }
            narrow(re + i + w, x);
            narrow(im + i + w, y);
        }
}

/* Order at most 2: w1 (a + ib)/sqrt2 + w2 ((a^2 - b^2)/2 + i(ab - c))/2, a in re, b in im. */
static void complex_second(float *re, float *im, const float *c, size_t n, int m,
                           const double *weight)
{
    fxi_flt w1 = fxi_fsplat((float)(weight[1] * 0.70710678118654752440));
    fxi_flt w2 = fxi_fsplat((float)(weight[2] / 2)), w4 = fxi_fsplat((float)(weight[2] / 4));

    for (size_t i = 0; i < n; i += FXI_FSTEP) {
        fxi_flt a = fxi_fload(re + i), b = fxi_fload(im + i);
        fxi_flt d = m > 1 ? a * b - fxi_fload(c + i) : fxi_fsplat(0);
        fxi_fstore(re + i, w1 * a + w4 * (a - b) * (a + b));
        fxi_fstore(im + i, w1 * b + w2 * d);
    }
}

void FXI_HOT(map_newton_complex)(float *re, float *im, const float *const *a, const float *const *b,
                                 const float *const *c, const double *even, size_t n, int m,
                                 const double *weight)
{
    switch (m) {
    case 1:
    case 2: complex_second(re, im, c[0], n, m, weight); break;
    case 3: complex_sums(re, im, a, b, c, even, n, 3, weight); break;
    case 4: complex_sums(re, im, a, b, c, even, n, 4, weight); break;
    default: complex_sums(re, im, a, b, c, even, n, m, weight);
    }
}
