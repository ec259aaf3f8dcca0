/* SPDX-License-Identifier: BSD-3-Clause
 * random_kernel_complex.c - complex=auto: whichever of real and complex draws has the smaller exact
 * variance, summed over pairs of sample rows. */

#include "map/random_kernel.h"

#include <stdio.h>

enum { PAIRS = 64 };                     /* their variances differ by less than real and complex */

static fx_status total(double *out, const char *complex, const fx_map *m, const char *projection,
                       const char *signs, const fx_matrix *sample, const size_t *pair,
                       const fx_run *run)
{
    char spec[128];
    double V[PAIRS];
    fx_map *one = NULL;
    fx_status st;

    snprintf(spec, sizeof spec, "rk:complex=%s,projection=%s,signs=%s", complex, projection, signs);
    st = fxi_map_inner(&one, spec, m->kernel, m->cols, m->random, m->like, m->seed, m->stream, run);
    if (!st)
        st = fx_map_variance(V, one, sample, pair, PAIRS, run);
    *out = 0;
    for (size_t q = 0; !st && q < PAIRS; q++)
        *out += V[q];
    fx_map_free(one);
    return st;
}

fx_status fxi_map_random_kernel_complex(bool *out, const fx_map *m, const char *projection,
                                        const char *signs, const fx_matrix *sample,
                                        const fx_run *run)
{
    fxi_rng r = {m->seed, FXI_MAP_COMPLEX};
    size_t pair[2 * PAIRS];
    double real, complex;
    fx_status st;

    if (!sample || sample->rows < 2)
        return fxi_error(FX_EINVAL, "rk: complex=auto must see two rows at least; say yes or no");
    *out = false;
    if (m->random % 2)                  /* no pairs of features */
        return FX_OK;
    for (size_t q = 0; q < PAIRS; q++) {
        pair[2 * q] = (size_t)fxi_rng_below(r, 2 * q, sample->rows);
        pair[2 * q + 1] = (size_t)fxi_rng_below(r, 2 * q + 1, sample->rows - 1);
        pair[2 * q + 1] += pair[2 * q + 1] >= pair[2 * q];
    }
    if ((st = total(&real, "no", m, projection, signs, sample, pair, run)) != 0
        || (st = total(&complex, "yes", m, projection, signs, sample, pair, run)) != 0)
        return st;
    *out = complex < real;
    return FX_OK;
}
