/* SPDX-License-Identifier: BSD-3-Clause
 * shuffle.c - a random order of rows, a pure function of (n, seed). */

#include "data/data.h"

void fx_data_shuffle(size_t *order, size_t n, uint64_t seed)
{
    if (order)
        fxi_rng_permutation(order, n, (fxi_rng){seed, FXI_DATA_SHUFFLE});
}
