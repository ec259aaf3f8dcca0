/* SPDX-License-Identifier: BSD-3-Clause
 * choose.c - projection=auto for sign projections.
 *
 * Hadamard blocks are the fastest form and, placed at random, at least as accurate as independent
 * rows.  Kernels that need the panel read rows of W one by one: there independent rows are as fast,
 * and stored bits are the fastest to read, as long as they fit.
 * doc/guide.md has the table of choices with times and errors; t_choose.c recomputes it. */

#include "map/map.h"

const fxi_project_type *fxi_map_choose(const fx_kernel *k, size_t cols, size_t rows)
{
    size_t bits;
    bool fit = fxi_size_mul(&bits, cols, rows) && bits >> 33 == 0;     /* 1 GiB */

    return (k->tree || k->groups) && fit ? &fxi_project_packed : &fxi_project_hadamard;
}
