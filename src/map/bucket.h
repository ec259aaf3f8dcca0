/* SPDX-License-Identifier: BSD-3-Clause
 * bucket.h - one draw of 64 bits as a signed bucket of a sketch: the place from the high bits, the
 * sign from the lowest.  Places are as uniform as fxi_rng_below's; up to 2^31 of them do not depend
 * on the lowest bit. */
#ifndef FXI_MAP_BUCKET_H
#define FXI_MAP_BUCKET_H
#include "base/base.h"

static inline size_t fxi_bucket_place(uint64_t bits, size_t buckets)
{
    __extension__ typedef unsigned __int128 u128;

    return (size_t)((u128)bits * buckets >> 64);
}
static inline float fxi_bucket_signed(uint64_t bits, float x) { return bits & 1 ? x : -x; }
#endif
