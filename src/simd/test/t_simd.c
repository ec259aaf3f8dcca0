/* SPDX-License-Identifier: BSD-3-Clause
 * t_simd.c - the choice of the instruction set. */

#include "base/test.h"
#include "simd/simd.h"

#include <string.h>

int main(void)
{
    static const char *known[] = {"scalar", "avx2", "avx512", "neon"};
    const fxi_simd *best = NULL, *last = NULL;

    test_init();
    for (const fxi_simd *t = fxi_simd_targets; t->name; t++) {
        size_t found = 0;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            found += !strcmp(known[i], t->name);
        CHECK(found == 1);
        for (const fxi_simd *other = fxi_simd_targets; other < t; other++)
            CHECK(strcmp(other->name, t->name));        /* each once */
        if (!best && t->supported())
            best = t;                                   /* the table is best first */
        last = t;
    }
    CHECK(last && !strcmp(last->name, "scalar") && last->supported());

    unsetenv("FX_TARGET");
    CHECK(fxi_simd_get() == best);
    for (const fxi_simd *t = fxi_simd_targets; t->name; t++) {
        setenv("FX_TARGET", t->name, 1);                /* forced, if it can run here */
        CHECK(fxi_simd_get() == (t->supported() ? t : best));
        CHECK(!strcmp(fx_simd_target(), fxi_simd_get()->name));
    }
    setenv("FX_TARGET", "abacus", 1);
    CHECK(fxi_simd_get() == best);
    setenv("FX_TARGET", "", 1);
    CHECK(fxi_simd_get() == best);

    for (const fxi_simd *t = fxi_simd_targets; t->name; t++) { /* no table has a hole */
#define HOT(function, params) CHECK(t->function);
#include "simd/hot.def"
#undef HOT
    }
    return 0;
}
