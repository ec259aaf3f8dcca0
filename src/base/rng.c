/* SPDX-License-Identifier: BSD-3-Clause
 * rng.c - random numbers as a function of (seed, stream, index).
 *
 * Philox4x32-10 [1] turns the counter (index/2, stream) under the key `seed` into 128 bits: two
 * draws.  There is no state between calls, so any part of a random object can be made by any
 * thread, in any order.  Other laws come by inverse transform from one uniform number, with
 * the functions of elementary.c, so that all of them are bit-identical on every machine:
 *
 *   uniform  u = (k + 1/2) 2^-52, k of 52 bits: never 0 or 1, symmetric about 1/2
 *   normal   Wichura's AS 241 [2], relative error below 45 u = 5e-15
 *   laplace  -log(1 - |2u - 1|) with the sign of u - 1/2
 *   cauchy   tan(pi (u - 1/2))
 *
 * [1] J. Salmon et al. Parallel random numbers: as easy as 1, 2, 3. SC 2011.
 * [2] M. Wichura. Algorithm AS 241: the percentage points of the normal distribution.
 *     Applied Statistics 37 (1988). */

#include "base/base.h"

#include <Random123/philox.h>
#include <math.h>

__extension__ typedef unsigned __int128 u128;

uint64_t fxi_rng_bits(fxi_rng r, uint64_t i)
{
    uint64_t pair = i >> 1;
    philox4x32_ctr_t counter = {{(uint32_t)pair, (uint32_t)(pair >> 32), (uint32_t)r.stream,
                                 (uint32_t)(r.stream >> 32)}};
    philox4x32_key_t key = {{(uint32_t)r.seed, (uint32_t)(r.seed >> 32)}};
    philox4x32_ctr_t out = philox4x32(counter, key);

    return i & 1 ? (uint64_t)out.v[3] << 32 | out.v[2] : (uint64_t)out.v[1] << 32 | out.v[0];
}

double fxi_rng_uniform(fxi_rng r, uint64_t i)
{
    return ((double)(fxi_rng_bits(r, i) >> 12) + 0.5) * 0x1p-52;
}

static double horner(const double *c, double x)         /* eight coefficients, highest last */
{
    double sum = 0;

    for (int i = 7; i >= 0; i--)
        sum = sum * x + c[i];
    return sum;
}

double fxi_rng_normal(fxi_rng r, uint64_t i)
{
    static const double
        a[] = {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
               1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
               3.3430575583588128105e4, 2.5090809287301226727e3},
        b[] = {1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
               2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4,
               5.2264952788528545610e3},
        c[] = {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
               3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
               2.27238449892691845833e-2, 7.74545014278341407640e-4},
        d[] = {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
               1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
               1.05075007164441684324e-9},
        e[] = {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
               2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
               2.71155556874348757815e-5, 2.01033439929228813265e-7},
        f[] = {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1,
               1.48753612908506148525e-2, 7.86869131145613259100e-4, 1.84631831751005468180e-5,
               1.42151175831644588870e-7, 2.04426310338993978564e-15};
    double u = fxi_rng_uniform(r, i), q = u - 0.5;

    if (fabs(q) <= 0.425) {
        double s = 0.180625 - q * q;
        return q * horner(a, s) / horner(b, s);
    }
    double tail = q < 0 ? u : 1 - u, s = sqrt(-fxi_elementary_log(tail)), x;
    if (s <= 5)
        x = horner(c, s - 1.6) / horner(d, s - 1.6);
    else
        x = horner(e, s - 5) / horner(f, s - 5);
    return q < 0 ? -x : x;
}

double fxi_rng_laplace(fxi_rng r, uint64_t i)
{
    double u = fxi_rng_uniform(r, i);

    return u < 0.5 ? fxi_elementary_log(2 * u) : -fxi_elementary_log(2 * (1 - u));
}

double fxi_rng_cauchy(fxi_rng r, uint64_t i)
{
    return fxi_elementary_tanpi(fxi_rng_uniform(r, i) - 0.5);
}

int fxi_rng_sign(fxi_rng r, uint64_t i)
{
    return fxi_rng_bits(r, i >> 6) >> (i & 63) & 1 ? 1 : -1;
}

/* High half of bits * n.  Some values are up to n 2^-64 more likely than others: less than any
 * experiment can see, and one draw always suffices, which keeps i a plain index. */
uint64_t fxi_rng_below(fxi_rng r, uint64_t i, uint64_t n)
{
    return (uint64_t)((u128)fxi_rng_bits(r, i) * n >> 64);
}

void fxi_rng_permutation(size_t *out, size_t n, fxi_rng r) { fxi_rng_permute(out, 0, n, r); }

void fxi_rng_permute(size_t *out, size_t have, size_t n, fxi_rng r)
{
    for (size_t i = have; i < n; i++) { /* Fisher-Yates, inside out */
        size_t j = (size_t)fxi_rng_below(r, i, i + 1);
        out[i] = out[j];
        out[j] = i;
    }
}

enum { DRAWS = 1 << 16 };               /* between two polls */

typedef struct sampling {
    size_t *out, k, n, taken;
    fxi_rng r;
} sampling;

/* i is taken with probability (still wanted)/(still to come). */
static fx_status select_some(void *ctx, size_t block, fxi_team *team)
{
    sampling *s = ctx;
    size_t i = block * DRAWS, end = s->n - i < DRAWS ? s->n : i + DRAWS;

    (void)team;
    for (; i < end && s->taken < s->k; i++)
        if (fxi_rng_below(s->r, i, s->n - i) < s->k - s->taken)
            s->out[s->taken++] = i;
    return FX_OK;
}

fx_status fxi_rng_sample(size_t *out, size_t k, size_t n, fxi_rng r, const fx_run *run)
{
    sampling s = {.out = out, .k = k, .n = n, .r = r};

    return fxi_parallel_ordered(n / DRAWS + (n % DRAWS > 0), select_some, &s, run);
}
