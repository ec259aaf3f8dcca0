/* SPDX-License-Identifier: BSD-3-Clause
 * hadamard_hot.c - the fast Walsh-Hadamard transform of FXI_LANES rows side by side, or of one row.
 *
 * A vector of the transform is one number of each row, so that every stage is plain additions and
 * subtractions of registers.  Several stages are done at a time in registers (a pass of radix
 * 2, 4, 8, 16), and all stages of LEAF vectors, which the first-level cache holds, before the next
 * ones begin.  The first pass reads its vectors from where they are placed, with their signs: a
 * random placement costs an address and an exclusive or.
 *
 * Stages come in ascending order whatever the radix, hence the same bits on every instruction set,
 * and an error of at most log2(p) u sum |x|. */

#include "simd/transpose.h"

#include <string.h>

/* Lanes that share a register.  The scalar target has four too, in the compiler's own vectors,
 * which it turns into what the plain machine offers. */
#if FXI_WIDTH > 8
typedef fxi_flt vec;
typedef fxi_int vec_bits;
#else
typedef float vec __attribute__((vector_size(16)));
typedef int32_t vec_bits __attribute__((vector_size(16)));
#endif

enum {
    VEC_LANES = sizeof(vec) / sizeof(float),
    LEAF = 256,
    MAX_STAGES = FXI_WIDTH == 64 ? 4 : 3, /* in registers: 2^MAX_STAGES of them, one to spare */
    FAR = 3                             /* the same when vectors are far apart: 2^FAR ways of a
                                         * cache set, which they all share */
};

FXI_INLINE vec load(const float *x) { return *(const vec *)x; }
FXI_INLINE void save(float *x, vec v) { *(vec *)x = v; }

FXI_INLINE vec flip(vec v, int32_t place) /* the sign is the top bit */
{
    return (vec)((vec_bits)v ^ ((vec_bits){0} + (place & INT32_MIN)));
}

FXI_INLINE void butterflies(vec *a, int radix)
{
#pragma GCC unroll 4
    for (int h = 1; h < radix; h *= 2)
#pragma GCC unroll 16
        for (int i = 0; i < radix; i++)
            if (!(i & h)) {
                vec difference = a[i] - a[i + h];
                a[i] += a[i + h];
                a[i + h] = difference;
            }
}

/* Stages 1 .. radix/2 of n vectors, from x: vector place[c] (NULL: c) with a sign or times gain. */
FXI_INLINE void first_pass(float *z, const float *x, const int32_t *place, const float *gain,
                           size_t n, int radix)
{
    for (size_t c = 0; c < n; c += (size_t)radix)
        for (int lane = 0; lane < FXI_LANES; lane += VEC_LANES) {
            vec a[16];
#pragma GCC unroll 16
            for (int k = 0; k < radix; k++) {
                size_t i = c + (size_t)k;
                size_t at = place ? (size_t)(place[i] & INT32_MAX) : i;
                a[k] = load(x + at * FXI_LANES + lane);
                if (gain)
                    a[k] *= gain[i];
                else if (place)
                    a[k] = flip(a[k], place[i]);
            }
            butterflies(a, radix);
#pragma GCC unroll 16
            for (int k = 0; k < radix; k++)
                save(z + (c + (size_t)k) * FXI_LANES + lane, a[k]);
        }
}

/* Stages h .. h radix/2 of n vectors. */
FXI_INLINE void pass(float *z, size_t n, size_t h, int radix)
{
    for (size_t b = 0; b < n; b += h * (size_t)radix)
        for (size_t c = b; c < b + h; c++)
            for (int lane = 0; lane < FXI_LANES; lane += VEC_LANES) {
                float *at = z + c * FXI_LANES + lane;
                vec a[16];
#pragma GCC unroll 16
                for (int k = 0; k < radix; k++)
                    a[k] = load(at + (size_t)k * h * FXI_LANES);
                butterflies(a, radix);
#pragma GCC unroll 16
                for (int k = 0; k < radix; k++)
                    save(at + (size_t)k * h * FXI_LANES, a[k]);
            }
}

/* Stages h .. n/2, in as few passes as can be, of about equal radix. */
static void passes(float *z, size_t n, size_t h, int max_stages)
{
    int left = __builtin_ctzll(n / h);

    while (left > 0) {
        int count = (left + max_stages - 1) / max_stages, stages = (left + count - 1) / count;
        if (stages == 4 && MAX_STAGES == 4)
            pass(z, n, h, 16);
        else if (stages == 3)
            pass(z, n, h, 8);
        else if (stages == 2)
            pass(z, n, h, 4);
        else
            pass(z, n, h, 2);
        h <<= stages;
        left -= stages;
    }
}

static void transform_lanes(float *z, const float *x, const int32_t *place, const float *gain,
                            size_t p)
{
    size_t leaf = p < LEAF ? p : LEAF;

    for (size_t c = 0; c < p; c += leaf) {
        float *at = z + c * FXI_LANES;
        if (gain)
            first_pass(at, x, place + c, gain + c, leaf, 1 << MAX_STAGES);
        else if (place)
            first_pass(at, x, place + c, NULL, leaf, 1 << MAX_STAGES);
        else
            first_pass(at, x + c * FXI_LANES, NULL, NULL, leaf, 1 << MAX_STAGES);
        passes(at, leaf, 1 << MAX_STAGES, MAX_STAGES);
    }
    passes(z, p, leaf, FAR);
}

/* Stage h < VEC_LANES within a register: number i and number i ^ h. */
#if FXI_WIDTH == 64
#define PARTNERS(v, h) \
    __builtin_shufflevector(v, v, 0 ^ h, 1 ^ h, 2 ^ h, 3 ^ h, 4 ^ h, 5 ^ h, 6 ^ h, 7 ^ h, 8 ^ h, \
                            9 ^ h, 10 ^ h, 11 ^ h, 12 ^ h, 13 ^ h, 14 ^ h, 15 ^ h)
#elif FXI_WIDTH == 32
#define PARTNERS(v, h) \
    __builtin_shufflevector(v, v, 0 ^ h, 1 ^ h, 2 ^ h, 3 ^ h, 4 ^ h, 5 ^ h, 6 ^ h, 7 ^ h)
#else
#define PARTNERS(v, h) __builtin_shufflevector(v, v, 0 ^ h, 1 ^ h, 2 ^ h, 3 ^ h)
#endif
#if FXI_WIDTH == 64
/* A product with 1 or -1 is exact, so fusing it with the sum changes no bit. */
FXI_INLINE vec stage_within(vec v, vec partners, int h)
{
    vec sign;

    for (int i = 0; i < VEC_LANES; i++)
        sign[i] = i & h ? -1 : 1;
    return (vec)_mm512_fmadd_ps((__m512)v, (__m512)sign, (__m512)partners);
}
#else
FXI_INLINE vec stage_within(vec v, vec partners, int h)
{
    vec_bits negative;

    for (int i = 0; i < VEC_LANES; i++)
        negative[i] = i & h ? INT32_MIN : 0;
    return partners + (vec)((vec_bits)v ^ negative);
}
#endif

/* x[place] with its sign.  Signs are random: a branch would be mispredicted half of the time. */
FXI_INLINE float placed(const float *x, int32_t place)
{
    uint32_t bits;
    float v;

    memcpy(&bits, x + (place & INT32_MAX), sizeof bits);
    bits ^= (uint32_t)(place & INT32_MIN);
    memcpy(&v, &bits, sizeof v);
    return v;
}

#if FXI_WIDTH == 64
/* t[at] of 16 places in registers t[n], n = 4 or 8; the sign of a place does not count. */
FXI_INLINE vec look_up(const vec *t, int n, vec_bits at)
{
    __m512i i = (__m512i)at;
    __m512 v[4];

    for (int k = 0; k < n / 2; k++)
        v[k] = _mm512_permutex2var_ps((__m512)t[2 * k], i, (__m512)t[2 * k + 1]);
    __mmask16 odd = _mm512_test_epi32_mask(i, _mm512_set1_epi32(32));
    v[0] = _mm512_mask_blend_ps(odd, v[0], v[1]);
    if (n == 8) {
        __mmask16 high = _mm512_test_epi32_mask(i, _mm512_set1_epi32(64));
        v[0] = _mm512_mask_blend_ps(high, v[0], _mm512_mask_blend_ps(odd, v[2], v[3]));
    }
    return (vec)v[0];
}

/* One row of order 16 n that is placed: from its numbers to the end in registers. */
FXI_INLINE void transform_short(float *z, const float *x, const int32_t *place, const float *gain,
                                int n)
{
    vec t[8], a[8];

#pragma GCC unroll 8
    for (int k = 0; k < n; k++)
        t[k] = (vec)_mm512_loadu_ps(x + 16 * k);
#pragma GCC unroll 8
    for (int k = 0; k < n; k++) {
        vec_bits at = (vec_bits)_mm512_loadu_si512(place + 16 * k);
        vec v = look_up(t, n, at);
        v = gain ? v * (vec)_mm512_loadu_ps(gain + 16 * k) : (vec)((vec_bits)v ^ (at & INT32_MIN));
        v = stage_within(v, PARTNERS(v, 1), 1);
        v = stage_within(v, PARTNERS(v, 2), 2);
        v = stage_within(v, PARTNERS(v, 4), 4);
        a[k] = stage_within(v, PARTNERS(v, 8), 8);
    }
    butterflies(a, n);
#pragma GCC unroll 8
    for (int k = 0; k < n; k++)
        save(z + 16 * k, a[k]);
}
#endif

/* One row: the last four bits of its index are lanes. */
static void transform_row(float *z, const float *x, const int32_t *place, const float *gain,
                          size_t p)
{
#if FXI_WIDTH == 64
    if (place && p <= 128) {
        if (p == 64)
            transform_short(z, x, place, gain, 4);
        else if (gain)
            transform_short(z, x, place, gain, 8);
        else
            transform_short(z, x, place, NULL, 8);
        return;
    }
#endif
    for (size_t c = 0; place && gain && c < p; c++)
        z[c] = x[place[c] & INT32_MAX] * gain[c];
    for (size_t c = 0; place && !gain && c < p; c++)
        z[c] = placed(x, place[c]);
    for (size_t c = 0; c < p; c += FXI_LANES) {
        vec a[FXI_LANES / VEC_LANES];
        for (int k = 0; k < FXI_LANES / VEC_LANES; k++) {
            vec v = load((place ? z : x) + c + k * VEC_LANES);
            v = stage_within(v, PARTNERS(v, 1), 1);
            v = stage_within(v, PARTNERS(v, 2), 2);
#if FXI_WIDTH >= 32
            v = stage_within(v, PARTNERS(v, 4), 4);
#endif
#if FXI_WIDTH == 64
            v = stage_within(v, PARTNERS(v, 8), 8);
#endif
            a[k] = v;
        }
        butterflies(a, FXI_LANES / VEC_LANES);
        for (int k = 0; k < FXI_LANES / VEC_LANES; k++)
            save(z + c + k * VEC_LANES, a[k]);
    }
    passes(z, p / FXI_LANES, 1, MAX_STAGES);
}

void FXI_HOT(project_hadamard)(float *z, const float *x, const int32_t *place, const float *gain,
                               size_t p, size_t lanes)
{
    if (lanes == 1)
        transform_row(z, x, place, gain, p);
    else
        transform_lanes(z, x, place, gain, p);
}

/* Four sums of 64 vectors at most, whatever the lanes: the same bits. */
static float sum_row(const float *x, const int32_t *place, size_t p)
{
    float total = 0;

    for (size_t first = 0; first < p; first += 64) {
        size_t last = p - first < 64 ? p : first + 64;
        float a[4] = {0};
        for (size_t c = first; c < last; c += 4)
            for (size_t k = 0; k < 4; k++) {
                int32_t at = place ? place[c + k] : (int32_t)(c + k);
                a[k] += placed(x, at);
            }
        total += a[0] + a[1] + (a[2] + a[3]);
    }
    return total;
}

void FXI_HOT(project_hadamard_sum)(float *sum, const float *x, const int32_t *place, size_t p,
                                   size_t lanes)
{
    if (lanes == 1) {
        *sum = sum_row(x, place, p);
        return;
    }
    for (int lane = 0; lane < FXI_LANES; lane += VEC_LANES) {
        vec total = {0};
        for (size_t first = 0; first < p; first += 64) {
            size_t last = p - first < 64 ? p : first + 64;
            vec a[4] = {0};
            for (size_t c = first; c < last; c += 4)
                for (size_t k = 0; k < 4; k++) {
                    int32_t at = place ? place[c + k] : (int32_t)(c + k);
                    const float *from = x + (size_t)(at & INT32_MAX) * FXI_LANES;
                    a[k] += flip(load(from + lane), at);
                }
            total += a[0] + a[1] + (a[2] + a[3]);
        }
        save(sum + lane, total);
    }
}

void FXI_HOT(project_hadamard_pack)(float *xt, const float *x, size_t rows, size_t cols,
                                    float scale)
{
    enum { F = FXI_FSTEP };
    size_t whole = cols / F * F;

    for (size_t j = 0; j < whole; j += F)
        for (size_t lane = 0; lane < FXI_LANES; lane += F) {
            fxi_flt r[F];
            for (size_t k = 0; k < F; k++)
                if (lane + k < rows)
                    memcpy(r + k, x + (lane + k) * cols + j, sizeof *r);
                else
                    r[k] = fxi_fsplat(0);
            fxi_transpose(r);
            for (size_t k = 0; k < F; k++)
                fxi_fstore(xt + (j + k) * FXI_LANES + lane, r[k] * scale);
        }
    for (size_t j = whole; j < cols; j++)
        for (size_t lane = 0; lane < FXI_LANES; lane++)
            xt[j * FXI_LANES + lane] = lane < rows ? x[lane * cols + j] * scale : 0;
}
