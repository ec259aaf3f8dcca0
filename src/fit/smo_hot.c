/* SPDX-License-Identifier: BSD-3-Clause
 * smo_hot.c - the two passes over a working set that a step takes, and the update of e after many
 * steps.
 *
 * Every lane keeps its best value and its index; among equal values the lowest index wins, within a
 * lane and across lanes. */

#include "simd/hot.h"

#include <math.h>

#if FXI_WIDTH > 8
typedef float half __attribute__((vector_size(FXI_WIDTH / 2)));
typedef fxi_bits mask;
FXI_INLINE half hload(const float *p) { return *(const half *)p; }
FXI_INLINE fxi_vec widen(half h) { return __builtin_convertvector(h, fxi_vec); }
FXI_INLINE fxi_vec choose(mask m, fxi_vec a, fxi_vec b)
{
    return (fxi_vec)(((fxi_bits)a & m) | ((fxi_bits)b & ~m));
}
#else
typedef float half;
typedef int mask;
FXI_INLINE half hload(const float *p) { return *p; }
FXI_INLINE fxi_vec widen(half h) { return (double)h; }
FXI_INLINE fxi_vec choose(mask m, fxi_vec a, fxi_vec b) { return m ? a : b; }
#endif

enum { V = FXI_STEP, G = FXI_GROUP, CHUNK = FXI_CHUNK };

void FXI_HOT(fit_smo_scan)(double best[2], size_t *at, double *e, double t, const float *a,
                           const float *b, const float *up, const float *down, double scale,
                           size_t n)
{
    fxi_vec top[G], low[G], index[G];
    double tops[CHUNK], lows[CHUNK], indices[CHUNK], first = -HUGE_VAL, last = HUGE_VAL;
    size_t k = 0, where = 0;

    for (size_t g = 0; g < G; g++) {
        top[g] = fxi_splat(-HUGE_VAL);
        low[g] = fxi_splat(HUGE_VAL);
        index[g] = fxi_splat(0);
    }
    for (; k + CHUNK <= n; k += CHUNK) {
        fxi_vec now = fxi_splat((double)k);
        for (size_t g = 0; g < G; g++) {
            size_t q = k + g * V;
            fxi_vec r = fxi_load(e + q) - t * widen(hload(a + q) - hload(b + q));
            fxi_vec u = r + scale * widen(hload(up + q)), d = r + scale * widen(hload(down + q));
            mask more = u > top[g];
            fxi_store(e + q, r);
            top[g] = choose(more, u, top[g]);
            index[g] = choose(more, now, index[g]);
            low[g] = choose(d < low[g], d, low[g]);
        }
    }
    for (size_t g = 0; g < G; g++)
        for (size_t v = 0; v < V; v++) {
            size_t c = g * V + v;
            tops[c] = ((const double *)&top[g])[v];
            lows[c] = ((const double *)&low[g])[v];
            indices[c] = ((const double *)&index[g])[v] + (double)c;
        }
    for (size_t c = 0; c < CHUNK; c++) {
        if (tops[c] > first || (tops[c] == first && indices[c] < (double)where)) {
            first = tops[c];
            where = (size_t)indices[c];
        }
        last = lows[c] < last ? lows[c] : last;
    }
    for (; k < n; k++) {
        double r = e[k] -= t * (double)(a[k] - b[k]);
        double u = r + scale * (double)up[k], d = r + scale * (double)down[k];
        if (u > first) {
            first = u;
            where = k;
        }
        last = d < last ? d : last;
    }
    best[0] = first, best[1] = last;
    *at = where;
}

void FXI_HOT(fit_smo_second)(size_t *at, const double *e, const float *row, const float *diagonal,
                             const float *down, double scale, double top, double own, double tau,
                             size_t n)
{
    fxi_vec num[G], den[G], index[G];
    double nums[CHUNK], dens[CHUNK], indices[CHUNK], gain = 0, over = 1;
    float mine = (float)own;
    size_t k = 0, where = n;

    for (size_t g = 0; g < G; g++) {
        num[g] = index[g] = fxi_splat(0);
        den[g] = fxi_splat(1);
    }
    for (; k + CHUNK <= n; k += CHUNK) {
        fxi_vec now = fxi_splat((double)k);
        for (size_t g = 0; g < G; g++) {
            size_t q = k + g * V;
            fxi_vec less = top - (fxi_load(e + q) + scale * widen(hload(down + q)));
            fxi_vec c = fxi_max(widen((mine + hload(diagonal + q)) - 2 * hload(row + q)),
                                fxi_splat(tau));
            less = fxi_max(less, fxi_splat(0));
            less *= less;
            mask more = less * den[g] > num[g] * c;
            num[g] = choose(more, less, num[g]);
            den[g] = choose(more, c, den[g]);
            index[g] = choose(more, now, index[g]);
        }
    }
    for (size_t g = 0; g < G; g++)
        for (size_t v = 0; v < V; v++) {
            size_t c = g * V + v;
            nums[c] = ((const double *)&num[g])[v];
            dens[c] = ((const double *)&den[g])[v];
            indices[c] = ((const double *)&index[g])[v] + (double)c;
        }
    for (size_t c = 0; c < CHUNK; c++) {
        double a = nums[c] * over, b = gain * dens[c];
        if (nums[c] > 0 && (a > b || (a == b && indices[c] < (double)where))) {
            gain = nums[c], over = dens[c];
            where = (size_t)indices[c];
        }
    }
    for (; k < n; k++) {
        double less = top - (e[k] + scale * (double)down[k]);
        double c = (double)((mine + diagonal[k]) - 2 * row[k]);
        c = c > tau ? c : tau;
        if (less > 0 && less * less * over > gain * c) {
            gain = less * less, over = c;
            where = k;
        }
    }
    *at = where;
}

enum { STRIP = 512 };                   /* of e, which stays in the first cache for all rows */

void FXI_HOT(fit_smo_add)(double *e, const float *const *rows, const double *t, size_t count,
                          size_t n)
{
    for (size_t from = 0; from < n; from += STRIP) {
        size_t to = n - from < STRIP ? n : from + STRIP, r = 0;
        for (; r + 4 <= count; r += 4) {
            const float *a = rows[r], *b = rows[r + 1], *c = rows[r + 2], *d = rows[r + 3];
            double A = t[r], B = t[r + 1], C = t[r + 2], D = t[r + 3];
            for (size_t k = from; k < to; k++)
                e[k] -= (A * (double)a[k] + B * (double)b[k])
                        + (C * (double)c[k] + D * (double)d[k]);
        }
        for (; r < count; r++)
            for (size_t k = from; k < to; k++)
                e[k] -= t[r] * (double)rows[r][k];
    }
}
