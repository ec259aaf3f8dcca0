/* SPDX-License-Identifier: BSD-3-Clause
 * cd_subsets.c - coordinate descent on all subsets, eight components at once: E is
 * S = prod_j (1 + z_j), the derivative by p_j is x_j S/(1 + z_j).
 *
 * S has been multiplied by the very number 1 + z_j by which it is divided, so nothing cancels.
 * Where that number is (nearly) 0 in some lane, or S left the range of doubles, the product of the
 * others is formed from scratch. */

#include "fm/cd.h"

enum { L = FXI_FM_CD_LANES };
#define NEAR 1e-3                       /* 0, of a factor */
#define FAR 1e150                       /* of 1, either way, of S */

static void product(double *out, const fxi_fm_descent *d, size_t i, size_t but)
{
    const fxi_fm_cd_rows *R = &d->R;

    for (int s = 0; s < L; s++)
        out[s] = 1;
    for (size_t q = R->ptr[i]; q < R->ptr[i + 1]; q++) {
        const double *p = fxi_fm_cd_factor(d, (size_t)R->col[q]);
        double x = R->x ? R->x[q] : 1;
        for (int s = 0; s < L && (size_t)R->col[q] != but; s++)
            out[s] *= 1 + x * p[s];
    }
}

static void values(double *out, const fxi_fm_descent *d, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++, out += L)
        product(out, d, i, SIZE_MAX);
}

static void build(const fxi_fm_descent *d, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++) {
        double *S = fxi_fm_cd_lanes_of(d, i);
        product(S, d, i, SIZE_MAX);
        for (int s = 0; s < L; s++)
            S[s] *= d->scale[i];
    }
}

static size_t derive(double *G, const fxi_fm_descent *d, const fxi_fm_cd_column *c, const double *p,
                     const double *to)
{
    size_t more = 0;

    d->simd->fm_cd_subsets(G, c->bad, d->E, c->row, c->x, c->n, p, to, NEAR, FAR);
    for (uint64_t left = *c->bad; left; left &= left - 1) {
        size_t q = (size_t)__builtin_ctzll(left), i = (size_t)c->row[q];
        double others[L], x = c->x ? c->x[q] : 1, *S = fxi_fm_cd_lanes_of(d, i);
        product(others, d, i, c->j);
        for (int s = 0; s < L; s++) {
            others[s] *= d->scale[i];
            G[q * L + (size_t)s] = x * others[s];
            S[s] = to ? others[s] * (1 + x * to[s]) : S[s];
        }
        more += d->R.ptr[i + 1] - d->R.ptr[i];
    }
    return more;
}

const fxi_fm_cd_model fxi_fm_cd_subsets
    = {FXI_FM_CD_LANES, build, values, fxi_fm_cd_lanes_sums, fxi_fm_cd_lanes_step,
       fxi_fm_cd_lanes_move, NULL, derive};
