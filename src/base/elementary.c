/* SPDX-License-Identifier: BSD-3-Clause
 * elementary.c - log and tan(pi x) from additions, multiplications and divisions alone.
 *
 * The C library's functions differ between machines in the last bit, and random numbers must not
 * (this file is compiled without contraction into fused operations).  Plain Taylor series after a
 * reduction, long enough that the rounding of the last two operations dominates:
 *
 *   log x = k ln 2 + 2 artanh s,  x = 2^k m,  sqrt(1/2) <= m < sqrt 2,
 *           s = (m-1)/(m+1), |s| < 0.172
 *   tan(pi x) = sin(pi x)/cos(pi x) for |x| <= 1/4, the inverse of tan(pi(1/2 - x)) beyond
 *
 * Errors stay below 2 ulp for log and 4 ulp for tanpi (test/t_elementary.c, against libm). */

#include "base/base.h"

#include <string.h>

double fxi_elementary_log(double x)
{
    static const double ln2_hi = 0x1.62e42fefa38p-1, ln2_lo = 0x1.ef35793c7673p-45;
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    int k = (int)(bits >> 52) - 1023;
    bits = (bits & 0xfffffffffffffu) | 0x3ff0000000000000u;
    double m;
    memcpy(&m, &bits, sizeof m);        /* 1 <= m < 2 */
    if (m > 0x1.6a09e667f3bcdp+0) {     /* sqrt 2 */
        m *= 0.5;
        k++;
    }
    double s = (m - 1) / (m + 1), q = s * s, r = 0;
    for (int i = 23; i >= 3; i -= 2)    /* sum of s^i/i, i odd, from s^3 on; q < 0.0295 */
        r = r * q + 1.0 / i;
    r = r * q;                          /* artanh s = s + s r */
    double hi = k * ln2_hi, lo = k * ln2_lo + 2 * s * r;
    return hi + (2 * s + lo);
}

/* tan(pi y), 0 <= y <= 1/4, as sin/cos of t = pi y <= 0.786. */
static double tanpi_small(double y)
{
    double t = y * 0x1.921fb54442d18p+1, q = t * t, sin = 0, cos = 0;

    for (int i = 19; i >= 3; i -= 2)    /* sin t = t (1 - q/(2*3) (1 - q/(4*5) (..))) */
        sin = (1 - sin) * q / (i * (i - 1));
    for (int i = 18; i >= 2; i -= 2)
        cos = (1 - cos) * q / (i * (i - 1));
    return t * (1 - sin) / (1 - cos);
}

double fxi_elementary_tanpi(double x)
{
    double y = x < 0 ? -x : x;
    double t = y <= 0.25 ? tanpi_small(y) : 1 / tanpi_small(0.5 - y);

    return x < 0 ? -t : t;
}
