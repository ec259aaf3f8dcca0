/* SPDX-License-Identifier: BSD-3-Clause
 * simd.h - the table of hot functions for this processor. */
#ifndef FXI_SIMD_H
#define FXI_SIMD_H
#include "base/base.h"

enum { FXI_LANES = 16 };                /* pairs or vectors treated side by side */

typedef struct fxi_simd {
    const char *name;                   /* "scalar", "avx2", "avx512", "neon" */
    int (*supported)(void);
#define HOT(name, params) void (*name) params;
#include "simd/hot.def"
} fxi_simd;

extern const fxi_simd fxi_simd_targets[];       /* best first; ends with name == NULL */

/* The best target, or the one that the environment variable FX_TARGET names if it can run here.
 * Callers fetch the table once, outside their loops. */
const fxi_simd *fxi_simd_get(void);
#endif
