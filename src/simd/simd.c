/* SPDX-License-Identifier: BSD-3-Clause
 * simd.c - which instruction set to use.
 *
 * Every *_hot.c is compiled once per target, with flags that name exactly the features tested
 * here (CMakeLists.txt).  A new hot function is one line in hot.def; the tables follow. */

#include "simd/simd.h"

#include <stdlib.h>
#include <string.h>

static int has_scalar(void) { return 1; }

#define HOT(name, params) void fxi_##name##_scalar params;
#include "simd/hot.def"
#if defined FXI_X86
static int has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
static int has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")
           && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
}
#define HOT(name, params) void fxi_##name##_avx2 params; void fxi_##name##_avx512 params;
#include "simd/hot.def"
#elif defined FXI_ARM
static int has_neon(void) { return 1; } /* part of every aarch64 */
#define HOT(name, params) void fxi_##name##_neon params;
#include "simd/hot.def"
#endif

const fxi_simd fxi_simd_targets[] = {
#if defined FXI_X86
    {"avx512", has_avx512,
#define HOT(name, params) fxi_##name##_avx512,
#include "simd/hot.def"
    },
    {"avx2", has_avx2,
#define HOT(name, params) fxi_##name##_avx2,
#include "simd/hot.def"
    },
#elif defined FXI_ARM
    {"neon", has_neon,
#define HOT(name, params) fxi_##name##_neon,
#include "simd/hot.def"
    },
#endif
    {"scalar", has_scalar,
#define HOT(name, params) fxi_##name##_scalar,
#include "simd/hot.def"
    },
    {0}
};

const fxi_simd *fxi_simd_get(void)
{
    const char *requested = getenv("FX_TARGET");
    const fxi_simd *t = fxi_simd_targets;

    if (requested)
        for (; t->name; t++)
            if (!strcmp(t->name, requested) && t->supported())
                return t;
    for (t = fxi_simd_targets; !t->supported();)
        t++;
    return t;
}

const char *fx_simd_target(void) { return fxi_simd_get()->name; }
