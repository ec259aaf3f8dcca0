/* SPDX-License-Identifier: BSD-3-Clause
 * store_hot.c - what becomes of a block of features: stored row by row, or multiplied with weights.
 *
 * Blocks come as zt[output][FXI_LANES rows] or as rows z[output].  The first kind is turned square
 * by square in registers.  A row receives FXI_LANES outputs at a time, a cache line of floats, so
 * that the many rows that are written at once cost no more than one.  (Stores past the caches
 * were tried: within 10 % either way with 512 bits, always slower with 256.)
 *
 * A number is checked while it is in a register: v * 0 is 0 unless v is infinite or NaN, and a sum
 * of such products stays NaN.
 *
 * Scores: sums of at most 64 products in floats, these in doubles, so that the error is below
 * 66 u sum |w z|, u = 2^-24, however many features there are. */

#include "map/map.h"
#include "simd/hot.h"
#include "simd/transpose.h"

#include <math.h>
#include <string.h>

enum { F = FXI_FSTEP, TERMS = FXI_MAP_TERMS };

/* Anything but 0 in v sets *bad. */
FXI_INLINE void set_bad(int *bad, fxi_flt v)
{
    float a[F];

    memcpy(a, &v, sizeof a);
    for (int i = 0; i < F; i++)
        if (a[i] != 0)                  /* true of NaN */
            *bad = 1;
}

FXI_INLINE void put(float *to, fxi_flt v) { memcpy(to, &v, sizeof v); }

#if FXI_WIDTH > 8
typedef float half __attribute__((vector_size(FXI_WIDTH / 2)));
#if FXI_WIDTH == 64
#define LOW(v) __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7)
#define HIGH(v) __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15)
#elif FXI_WIDTH == 32
#define LOW(v) __builtin_shufflevector(v, v, 0, 1, 2, 3)
#define HIGH(v) __builtin_shufflevector(v, v, 4, 5, 6, 7)
#else
#define LOW(v) __builtin_shufflevector(v, v, 0, 1)
#define HIGH(v) __builtin_shufflevector(v, v, 2, 3)
#endif

FXI_INLINE void put_double(double *to, fxi_flt v)
{
    fxi_vec low = __builtin_convertvector((half)LOW(v), fxi_vec);
    fxi_vec high = __builtin_convertvector((half)HIGH(v), fxi_vec);

    memcpy(to, &low, sizeof low);
    memcpy(to + FXI_STEP, &high, sizeof high);
}
#else
FXI_INLINE void put_double(double *to, fxi_flt v) { *to = (double)v; }
#endif

/* FXI_LANES outputs of `rows` rows; to floats Z or doubles W, whichever is not NULL. */
FXI_INLINE void square(float *Z, double *W, size_t ldz, fxi_flt *check, const float *zt,
                       size_t rows)
{
    for (int lane = 0; lane < FXI_LANES; lane += F)
        for (int s = 0; s < FXI_LANES; s += F) {
            fxi_flt r[F];
            for (int k = 0; k < F; k++)
                r[k] = fxi_fload(zt + (s + k) * FXI_LANES + lane);
            fxi_transpose(r);
#pragma GCC unroll 16
            for (int k = 0; k < F; k++) {
                size_t row = (size_t)(lane + k);
                if (row >= rows)
                    break;
                check[k % 4] += r[k] * 0;
                if (Z)
                    put(Z + row * ldz + s, r[k]);
                else
                    put_double(W + row * ldz + s, r[k]);
            }
        }
}

FXI_INLINE void store(float *Z, double *W, size_t ldz, int *bad, const float *zt, size_t outputs,
                      size_t rows)
{
    fxi_flt check[4] = {0};
    float left = 0;
    size_t s = 0;

    for (; s + FXI_LANES <= outputs; s += FXI_LANES)
        if (rows == FXI_LANES)          /* the usual case, with a bound that the compiler knows */
            square(Z ? Z + s : Z, W ? W + s : W, ldz, check, zt + s * FXI_LANES, FXI_LANES);
        else
            square(Z ? Z + s : Z, W ? W + s : W, ldz, check, zt + s * FXI_LANES, rows);
    for (; s < outputs; s++)
        for (size_t row = 0; row < rows; row++) {
            float v = zt[s * FXI_LANES + row];
            left += v * 0;
            if (Z)
                Z[row * ldz + s] = v;
            else
                W[row * ldz + s] = (double)v;
        }
    set_bad(bad, check[0] + check[1] + (check[2] + check[3]));
    if (left != 0)
        *bad = 1;
}

void FXI_HOT(map_store)(float *Z, size_t ldz, int *bad, const float *zt, size_t outputs,
                        size_t rows)
{
    store(Z, NULL, ldz, bad, zt, outputs, rows);
}

void FXI_HOT(map_store_double)(double *Z, size_t ldz, int *bad, const float *zt, size_t outputs,
                               size_t rows)
{
    store(NULL, Z, ldz, bad, zt, outputs, rows);
}

FXI_INLINE void copy(float *Z, double *W, int *bad, const float *z, size_t n)
{
    fxi_flt check[4] = {0};
    float left = 0;
    size_t s = 0;

    for (; s + 4 * F <= n; s += 4 * F)
        for (int k = 0; k < 4; k++) {
            fxi_flt v;
            memcpy(&v, z + s + k * F, sizeof v);
            check[k] += v * 0;
            if (Z)
                put(Z + s + k * F, v);
            else
                put_double(W + s + k * F, v);
        }
    for (; s < n; s++) {
        left += z[s] * 0;
        if (Z)
            Z[s] = z[s];
        else
            W[s] = (double)z[s];
    }
    set_bad(bad, check[0] + check[1] + (check[2] + check[3]));
    if (left != 0)
        *bad = 1;
}

void FXI_HOT(map_copy)(float *Z, int *bad, const float *z, size_t n) { copy(Z, NULL, bad, z, n); }

void FXI_HOT(map_widen)(double *Z, int *bad, const float *z, size_t n) { copy(NULL, Z, bad, z, n); }

/* Four sums at once hide the latency of the multiply-add. */
void FXI_HOT(map_score)(double *S, int *bad, const float *zt, const float *w, size_t outputs)
{
    for (int lane = 0; lane < FXI_LANES; lane += F)
        for (size_t first = 0; first < outputs; first += TERMS) {
            size_t last = outputs - first < TERMS ? outputs : first + TERMS, s = first;
            const float *z = zt + lane;
            fxi_flt sum[4] = {0};
            for (; s + 4 <= last; s += 4)
                for (size_t k = 0; k < 4; k++)
                    sum[k] += w[s + k] * fxi_fload(z + (s + k) * FXI_LANES);
            for (; s < last; s++)
                sum[0] += w[s] * fxi_fload(z + s * FXI_LANES);
            sum[0] = sum[0] + sum[1] + (sum[2] + sum[3]);
            float a[F];
            memcpy(a, sum, sizeof a);
            for (int k = 0; k < F; k++) {
                S[lane + k] += (double)a[k];
                if (!isfinite(a[k]))
                    *bad = 1;
            }
        }
}

/* The four sums are side by side here; their numbers are added in the same order, and product and
 * sum are fused in both places or in neither (t_apply.c compares them).  Four runs of TERMS go
 * together, since each waits for its own additions. */
typedef float four __attribute__((vector_size(16)));

FXI_INLINE void add_runs(double *S, int *bad, const float *z, const float *w, const int runs)
{
    four sum[4] = {0};

    for (size_t s = 0; s < TERMS; s += 4)
        for (int r = 0; r < runs; r++)
            sum[r] += *(const four *)(w + r * TERMS + s) * *(const four *)(z + r * TERMS + s);
    for (int r = 0; r < runs; r++) {
        float all = sum[r][0] + sum[r][1] + (sum[r][2] + sum[r][3]);
        *S += (double)all;
        if (!isfinite(all))
            *bad = 1;
    }
}

void FXI_HOT(map_score_row)(double *S, int *bad, const float *z, const float *w, size_t outputs)
{
    size_t first = 0, s;
    four sum = {0};

    for (; outputs - first >= 4 * TERMS; first += 4 * TERMS)
        add_runs(S, bad, z + first, w + first, 4);
    for (; outputs - first >= TERMS; first += TERMS)
        add_runs(S, bad, z + first, w + first, 1);
    if (first == outputs)
        return;
    for (s = first; s + 4 <= outputs; s += 4)
        sum += *(const four *)(w + s) * *(const four *)(z + s);
    for (; s < outputs; s++)
        sum[0] += w[s] * z[s];
    float all = sum[0] + sum[1] + (sum[2] + sum[3]);
    *S += (double)all;
    if (!isfinite(all))
        *bad = 1;
}

void FXI_HOT(map_dot)(double *S, int *bad, const float *z, const float *w, size_t outputs)
{
    double total = 0;
    size_t s = 0;

    while (s + 4 * F <= outputs) {
        size_t left = (outputs - s) / (4 * F), steps = left < TERMS / 4 ? left : TERMS / 4;
        fxi_flt sum[4] = {0};
        float a[F];
        for (; steps; steps--, s += 4 * F)
            for (int k = 0; k < 4; k++)
                sum[k] += fxi_fload(w + s + k * F) * fxi_fload(z + s + k * F);
        sum[0] = sum[0] + sum[1] + (sum[2] + sum[3]);
        memcpy(a, sum, sizeof a);
        for (int k = 0; k < F; k++)
            total += (double)a[k];
    }
    for (; s < outputs; s++)
        total += (double)(w[s] * z[s]);
    *S += total;
    if (!isfinite(total))
        *bad = 1;
}
