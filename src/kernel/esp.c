/* SPDX-License-Identifier: BSD-3-Clause
 * esp.c - elementary symmetric polynomials, one number at a time; anova_hot.c has the same for
 * many at once, and the deletion.
 *
 *   e_t(z_1 .. z_n) = sum over the sets of t numbers of their product,   e_0 = 1
 *
 * Insert z:  e_t += z e_{t-1},        t = m .. 1 (downwards: e_{t-1} is still the old one)
 * Delete z:  d_t  = e_t - z d_{t-1},  t = 1 .. m (d: e of the others)
 *
 * Both cost m multiply-adds.  Insertion is backward stable: after n insertions
 *
 *   |error of e_t| <= k u/(1 - k u) E_t,   k = n + 2t,   E_t = e_t(|z_1| .. |z_n|).
 *
 * A deletion subtracts, and passes on the errors of all lower orders:
 *
 *   |error of d_t| <= k u/(1 - k u) (E_t + |z| E_{t-1} + .. + |z|^t E_0),
 *
 * which is large compared with E_t without z if |z| dominates: anova.c says when it may be used. */

#include "kernel/kernel.h"

void fxi_kernel_esp_insert(double *e, int m, double z)
{
    for (int t = m; t > 0; t--)
        e[t] += z * e[t - 1];
}
