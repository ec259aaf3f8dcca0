/* SPDX-License-Identifier: BSD-3-Clause
 * sample.c - some of many rows, a pure function of (n, all, seed). */

#include "data/data.h"

void fx_data_sample(size_t *row, size_t n, size_t all, uint64_t seed)
{
    if (row)
        fxi_rng_sample(row, n < all ? n : all, all, (fxi_rng){seed, FXI_DATA_SAMPLE}, NULL);
}
