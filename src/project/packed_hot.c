/* SPDX-License-Identifier: BSD-3-Clause
 * packed_hot.c - sums of +-x_j by table: a group of features has 2^BITS partial sums (products
 * (1 +- x_j), likewise), one of which each output picks with its own BITS bits.  packed.c says how
 * bits and tables lie in memory.
 *
 * On x86 the table of a group is one register and picking is one permutation: 4 features of 16
 * outputs with avx512, 3 features of 8 outputs with avx2, for a permutation and an addition.
 * Elsewhere it is a load.  An output adds its groups in ascending order in one chain, whatever
 * loop it is in, and a group of zeros changes nothing: a row gives the same bits alone, among
 * others, dense and sparse. */

#include "simd/hot.h"

#if defined __AVX2__
#include <immintrin.h>
#endif

enum {
    BITS = FXI_WIDTH == 32 ? 3 : 4,     /* features of a group */
    ENTRIES = 1 << BITS,
    PER = 32 / BITS,                    /* groups of a word */
    UNIT = 64,                          /* outputs; widths are multiples */
    SUMS = FXI_WIDTH == 64 ? 16 : 8,    /* registers that hold sums */
    CACHE = 4096                        /* floats of tables that stay in the first cache */
};

FXI_INLINE fxi_int load_bits(const uint32_t *p) { return *(const fxi_int *)p; }

/* Entry (index mod ENTRIES) of the table for each output. */
FXI_INLINE fxi_flt pick(fxi_int index, const float *table)
{
#if FXI_WIDTH == 64
    return (fxi_flt)_mm512_permutexvar_ps((__m512i)index, _mm512_load_ps(table));
#elif FXI_WIDTH == 32
    return (fxi_flt)_mm256_permutevar8x32_ps(_mm256_load_ps(table), (__m256i)index);
#elif FXI_WIDTH > 8
    fxi_flt v;
    for (int i = 0; i < FXI_FSTEP; i++)
        v[i] = table[index[i] & (ENTRIES - 1)];
    return v;
#else
    return table[index & (ENTRIES - 1)];
#endif
}

FXI_INLINE fxi_flt join(fxi_flt a, fxi_flt b, bool products) { return products ? a * b : a + b; }

/* The table of a group with values v[BITS].  Products with +-1 are exact: fused or not, the sums
 * are the same. */
FXI_INLINE void fill(float *table, const float *v, bool products)
{
    static const _Alignas(64) float sign[4][16] = {
        {-1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1},
        {-1, -1, 1, 1, -1, -1, 1, 1, -1, -1, 1, 1, -1, -1, 1, 1},
        {-1, -1, -1, -1, 1, 1, 1, 1, -1, -1, -1, -1, 1, 1, 1, 1},
        {-1, -1, -1, -1, -1, -1, -1, -1, 1, 1, 1, 1, 1, 1, 1, 1}};

    for (int e = 0; e < ENTRIES; e += FXI_FSTEP) {
        fxi_flt t = fxi_fsplat(products ? 1 : 0);
        for (int k = 0; k < BITS; k++) {
            fxi_flt wx = fxi_fload(sign[k] + e) * v[k];
            t = products ? t * (1 + wx) : t + wx;
        }
        fxi_fstore(table + e, t);
    }
}

void FXI_HOT(project_packed_shape)(int *features) { *features = BITS; }

FXI_INLINE void fill_all(float *tables, size_t step, const float *x, size_t cols, bool products)
{
    float last[BITS] = {0};
    size_t whole = cols / BITS;

    for (size_t g = 0; g < whole; g++)
        fill(tables + g * step, x + g * BITS, products);
    for (size_t k = 0; k < cols % BITS; k++)
        last[k] = x[whole * BITS + k];
    if (cols % BITS)
        fill(tables + whole * step, last, products);
}

void FXI_HOT(project_packed_fill)(float *tables, size_t step, const float *x, size_t cols,
                                  bool products)
{
    if (products)
        fill_all(tables, step, x, cols, true);
    else
        fill_all(tables, step, x, cols, false);
}

void FXI_HOT(project_packed_fill_sparse)(float *tables, size_t *at, size_t *groups, const float *x,
                                         const int64_t *col, size_t n, bool products)
{
    size_t count = 0;

    for (size_t k = 0; k < n; count++) {
        size_t g = (size_t)col[k] / BITS;
        float v[BITS] = {0};
        do
            v[(size_t)col[k] - g * BITS] = x[k];
        while (++k < n && (size_t)col[k] < (g + 1) * BITS);
        at[count] = g / PER * 32 + g % PER * BITS;
        fill(tables + count * ENTRIES, v, products);
    }
    *groups = count;
}

/* R rows and S registers of outputs at a time, so that a row's tables serve S times and an
 * output's bits R times; features in spans whose tables stay in the first cache. */
FXI_INLINE void dense(float *const *z, size_t width, const uint32_t *bits, const float *tables,
                      size_t groups, int R, bool products)
{
    enum { UNIT_REGISTERS = UNIT / FXI_FSTEP };
    const int S = SUMS / R < UNIT_REGISTERS ? SUMS / R : UNIT_REGISTERS;
    const size_t span = (size_t)(CACHE / (R * ENTRIES * PER) * PER);

    for (size_t g0 = 0; g0 == 0 || g0 < groups; g0 += span) {
        size_t end = groups - g0 < span ? groups : g0 + span;
        for (size_t w = 0; w < width; w += (size_t)(S * FXI_FSTEP)) {
            const uint32_t *b = bits + g0 / PER * width + w;
            const float *t = tables + g0 * (size_t)(R * ENTRIES);
            fxi_flt sum[SUMS];
            for (int r = 0; r < R; r++)
                for (int s = 0; s < S; s++)
                    sum[r * S + s] = g0 ? fxi_fload(z[r] + w + s * FXI_FSTEP)
                                        : fxi_fsplat(products ? 1 : 0);
            for (size_t g = g0; g < end; b += width) {
                size_t stop = end - g < PER ? end : g + PER;
                fxi_int index[SUMS];
                for (int s = 0; s < S; s++)
                    index[s] = load_bits(b + s * FXI_FSTEP);
                for (; g < stop; g++, t += R * ENTRIES) {
                    for (int r = 0; r < R; r++)
                        for (int s = 0; s < S; s++)
                            sum[r * S + s] = join(sum[r * S + s], pick(index[s], t + r * ENTRIES),
                                                  products);
                    for (int s = 0; s < S; s++)
                        index[s] >>= BITS;
                }
            }
            for (int r = 0; r < R; r++)
                for (int s = 0; s < S; s++)
                    fxi_fstore(z[r] + w + s * FXI_FSTEP, sum[r * S + s]);
        }
    }
}

FXI_INLINE void dense_rows(float *const *z, size_t width, const uint32_t *bits, const float *tables,
                           size_t groups, int rows, bool products)
{
    switch (rows) {
    case 8: dense(z, width, bits, tables, groups, 8, products); break;
    case 4: dense(z, width, bits, tables, groups, 4, products); break;
    case 2: dense(z, width, bits, tables, groups, 2, products); break;
    default: dense(z, width, bits, tables, groups, 1, products);
    }
}

void FXI_HOT(project_packed_dense)(float *const *z, size_t width, const uint32_t *bits,
                                   const float *tables, size_t groups, int rows, bool products)
{
    if (products)
        dense_rows(z, width, bits, tables, groups, rows, true);
    else
        dense_rows(z, width, bits, tables, groups, rows, false);
}

FXI_INLINE void sparse(float *z, size_t width, const uint32_t *bits, const float *tables,
                       const size_t *at, size_t groups, bool products)
{
    enum { S = UNIT / FXI_FSTEP };

    for (size_t w = 0; w < width; w += UNIT) {
        fxi_flt sum[S];
        for (int s = 0; s < S; s++)
            sum[s] = fxi_fsplat(products ? 1 : 0);
        for (size_t i = 0; i < groups; i++) {
            const uint32_t *b = bits + (at[i] >> 5) * width + w;
            int shift = at[i] & 31;
            for (int s = 0; s < S; s++)
                sum[s] = join(sum[s],
                              pick(load_bits(b + s * FXI_FSTEP) >> shift, tables + i * ENTRIES),
                              products);
        }
        for (int s = 0; s < S; s++)
            fxi_fstore(z + w + s * FXI_FSTEP, sum[s]);
    }
}

void FXI_HOT(project_packed_sparse)(float *z, size_t width, const uint32_t *bits,
                                    const float *tables, const size_t *at, size_t groups,
                                    bool products)
{
    if (products)
        sparse(z, width, bits, tables, at, groups, true);
    else
        sparse(z, width, bits, tables, at, groups, false);
}
