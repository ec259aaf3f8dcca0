/* SPDX-License-Identifier: BSD-3-Clause
 * maclaurin_series.c - coefficients of a kernel as a series.
 *
 * A series of a series is multiplied out, f(g) = sum_j f_j g^j by powers of g cut at the requested
 * orders: lower orders of a product depend on lower orders only.  All terms are >= 0, so nothing
 * cancels.
 *
 * Cost: top^2/2 multiply-adds a power, until none adds anything.
 * Accuracy: a relative error of a few times top 2^-53. */

#include "map/maclaurin.h"

#include <math.h>
#include <string.h>

bool fxi_map_maclaurin_series_within(const fx_kernel *k)
{
    return k->inner && k->inner->type->coefficient;
}

const fx_kernel *fxi_map_maclaurin_series_inner(const fx_kernel *k)
{
    while (fxi_map_maclaurin_series_within(k))
        k = k->inner;
    return k->inner;
}

bool fxi_map_maclaurin_series_endless(const fx_kernel *k)
{
    return k->type == &fxi_kernel_exp || k->type == &fxi_kernel_vovk_inf
           || (k->inner && fxi_map_maclaurin_series_endless(k->inner));
}

/* a = f(g) */
static fx_status compose(double *a, int top, const fx_kernel *f, const double *g)
{
    double power[FXI_RM_COMPOSED] = {1};
    bool more = true;

    memset(a, 0, (size_t)top * sizeof *a);
    for (int j = 0; j < FXI_RM_ORDERS && more; j++) {
        double c = f->type->coefficient(f, j);
        more = j < 64;                  /* finite series with gaps end there */
        for (int n = top - 1; n >= 0; n--) {
            double term = c > 0 ? c * power[n] : 0, next = 0;   /* the power may be infinite */
            more |= term > 0x1p-60 * a[n];
            a[n] += term;
            for (int i = 0; i <= n; i++)
                next += power[i] * g[n - i];
            power[n] = next;            /* lower ones are still those of power j */
        }
    }
    for (int n = 0; n < top; n++)
        if ((more && f->type == &fxi_kernel_vovk_inf) || !isfinite(a[n]))
            return fxi_error(FX_EDOMAIN, "rm: %d terms of %s do not converge", FXI_RM_ORDERS,
                             f->spec);
    return FX_OK;
}

fx_status fxi_map_maclaurin_series(double *a, int top, const fx_kernel *k)
{
    double g[FXI_RM_COMPOSED];
    fx_status st;

    if (fxi_map_maclaurin_series_within(k)) {
        st = fxi_map_maclaurin_series(g, top, k->inner);
        return st ? st : compose(a, top, k, g);
    }
    for (int n = 0; n < top; n++)
        a[n] = k->type->coefficient(k, n);
    return FX_OK;
}
