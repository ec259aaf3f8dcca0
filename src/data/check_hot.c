/* SPDX-License-Identifier: BSD-3-Clause
 * check_hot.c - numbers that are not finite, whose exponents have all bits set; columns that are
 * not above the one before. */

#include "simd/hot.h"

#include <string.h>

void FXI_HOT(data_check_floats)(int *bad, const float *x, size_t n)
{
    const uint32_t infinite = 0x7f800000;
    uint32_t any = 0;

    for (size_t k = 0; k < n; k++) {
        uint32_t bits;
        memcpy(&bits, x + k, sizeof bits);
        any |= (bits & infinite) == infinite;
    }
    *bad |= any != 0;
}

void FXI_HOT(data_check_doubles)(int *bad, const double *x, size_t n)
{
    const uint64_t infinite = 0x7ff0000000000000;
    uint64_t any = 0;

    for (size_t k = 0; k < n; k++) {
        uint64_t bits;
        memcpy(&bits, x + k, sizeof bits);
        any |= (bits & infinite) == infinite;
    }
    *bad |= any != 0;
}

void FXI_HOT(data_check_falls)(size_t *falls, const int32_t *col, size_t n)
{
    uint32_t sum = 0;                   /* as wide as columns, so that it fits beside them */

    for (size_t k = 1; k < n; k++)
        sum += col[k] <= col[k - 1];
    *falls += sum;
}

void FXI_HOT(data_check_falls_wide)(size_t *falls, const int64_t *col, size_t n)
{
    uint64_t sum = 0;

    for (size_t k = 1; k < n; k++)
        sum += col[k] <= col[k - 1];
    *falls += (size_t)sum;
}
