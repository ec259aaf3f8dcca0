/* SPDX-License-Identifier: BSD-3-Clause
 * hot.h - included by *_hot.c only: names carry the instruction set of this pass, -DFXI_TARGET=avx2
 * making FXI_HOT(f) into fxi_f_avx2, and fxi_vec is that target's register of doubles.
 *
 * + - * / work on fxi_vec as on double (on the scalar target it is one), so hot code is written
 * once.  With avx2, avx512 and neon the compiler may fuse a*b + c in some places and not in others:
 * results agree with scalar within the bounds that the tests state, not bit for bit.  Loops that
 * must give the same bits use fxi_fma, which a target always rounds in the same way. */
#ifndef FXI_HOT_H
#define FXI_HOT_H
#include "simd/simd.h"

#if FXI_WIDTH >= 32
#include <immintrin.h>
#elif FXI_WIDTH == 16
#include <arm_neon.h>
#endif

#define FXI_HOT(name)           FXI_HOT_(name, FXI_TARGET)
#define FXI_HOT_(name, target)  FXI_HOT__(name, target)
#define FXI_HOT__(name, target) fxi_##name##_##target
#define HOT(name, params) void FXI_HOT(name) params;
#include "simd/hot.def"

#if FXI_WIDTH > 8                       /* bytes of a register, set per target by CMake */
typedef double fxi_vec __attribute__((vector_size(FXI_WIDTH)));
typedef float fxi_flt __attribute__((vector_size(FXI_WIDTH)));
typedef int32_t fxi_int __attribute__((vector_size(FXI_WIDTH)));    /* as many as in fxi_flt */
typedef long long fxi_bits __attribute__((vector_size(FXI_WIDTH)));
#else
typedef double fxi_vec;
typedef float fxi_flt;
typedef int32_t fxi_int;
#endif
enum {
    FXI_STEP = FXI_WIDTH / 8,           /* doubles in fxi_vec */
    FXI_FSTEP = FXI_WIDTH > 8 ? FXI_WIDTH / 4 : 1, /* floats in fxi_flt */
    FXI_GROUP = FXI_WIDTH == 64 ? 2 : 4, /* registers that hide the latency of an addition */
    FXI_CHUNK = FXI_STEP * FXI_GROUP    /* lanes that one pass of a hot loop carries */
};
#define FXI_INLINE static inline __attribute__((always_inline))

FXI_INLINE fxi_vec fxi_splat(double x) { return (fxi_vec){0} + x; }
FXI_INLINE fxi_vec fxi_load(const double *p) { return *(const fxi_vec *)p; }
FXI_INLINE void fxi_store(double *p, fxi_vec v) { *(fxi_vec *)p = v; }
FXI_INLINE fxi_flt fxi_fsplat(float x) { return (fxi_flt){0} + x; }
FXI_INLINE fxi_flt fxi_fload(const float *p) { return *(const fxi_flt *)p; }
FXI_INLINE void fxi_fstore(float *p, fxi_flt v) { *(fxi_flt *)p = v; }
#if FXI_WIDTH > 8
FXI_INLINE fxi_vec fxi_abs(fxi_vec v) { return (fxi_vec)((fxi_bits)v & INT64_MAX); }
FXI_INLINE fxi_vec fxi_max(fxi_vec a, fxi_vec b)
{
    fxi_bits greater = a > b;

    return (fxi_vec)(((fxi_bits)a & greater) | ((fxi_bits)b & ~greater));
}
#else
FXI_INLINE fxi_vec fxi_abs(fxi_vec v) { return __builtin_fabs(v); }
FXI_INLINE fxi_vec fxi_max(fxi_vec a, fxi_vec b) { return a > b ? a : b; }
#endif
/* a*b + c, rounded once if the target has such an instruction, else twice: for doubles, for floats,
 * for one double. */
#if FXI_WIDTH == 64
FXI_INLINE fxi_vec fxi_fma(fxi_vec a, fxi_vec b, fxi_vec c)
{
    return (fxi_vec)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}
FXI_INLINE fxi_flt fxi_ffma(fxi_flt a, fxi_flt b, fxi_flt c)
{
    return (fxi_flt)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}
#elif FXI_WIDTH == 32
FXI_INLINE fxi_vec fxi_fma(fxi_vec a, fxi_vec b, fxi_vec c)
{
    return (fxi_vec)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}
FXI_INLINE fxi_flt fxi_ffma(fxi_flt a, fxi_flt b, fxi_flt c)
{
    return (fxi_flt)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}
#elif FXI_WIDTH == 16
FXI_INLINE fxi_vec fxi_fma(fxi_vec a, fxi_vec b, fxi_vec c)
{
    return (fxi_vec)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
}
FXI_INLINE fxi_flt fxi_ffma(fxi_flt a, fxi_flt b, fxi_flt c)
{
    return (fxi_flt)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}
#else
FXI_INLINE fxi_vec fxi_fma(fxi_vec a, fxi_vec b, fxi_vec c) { return a * b + c; }
FXI_INLINE fxi_flt fxi_ffma(fxi_flt a, fxi_flt b, fxi_flt c) { return a * b + c; }
#endif
#if FXI_WIDTH > 8
FXI_INLINE double fxi_fma1(double a, double b, double c) { return __builtin_fma(a, b, c); }
#else
FXI_INLINE double fxi_fma1(double a, double b, double c) { return a * b + c; }
#endif
/* The lanes that belong to entry k of the row (hot.def). */
FXI_INLINE const double *fxi_lanes(const double *zt, const int32_t *slot, size_t k)
{
    return zt + (slot ? (size_t)slot[k] : k) * FXI_LANES;
}
#endif
