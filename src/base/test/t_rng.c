/* SPDX-License-Identifier: BSD-3-Clause
 * t_rng.c - rng.c against a plain Philox, recorded bits, the laws it should follow.
 *
 * Statistical bounds are chosen for a false alarm of 1e-9 each, about forty of them: with the
 * default seed the test always gives the same answer, and with any other seed it cries wolf less
 * than once in twenty million runs. */

#include "base/base.h"
#include "base/test.h"

#include <float.h>
#include <string.h>

enum { N = 1 << 16 };
static const double PI = 3.14159265358979323846, U = DBL_EPSILON / 2;
static const double SIGMAS = 6.11;      /* a normal number is further out once in 1e9 */

/* Philox4x32-10 as printed in the paper. */
static void philox(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2])
{
    uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]}, k[2] = {key[0], key[1]};

    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)0xd2511f53u * c[0], b = (uint64_t)0xcd9e8d57u * c[2];
        uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k[0], (uint32_t)b,
                            (uint32_t)(a >> 32) ^ c[3] ^ k[1], (uint32_t)a};
        memcpy(c, next, sizeof c);
        k[0] += 0x9e3779b9u;
        k[1] += 0xbb67ae85u;
    }
    memcpy(out, c, sizeof c);
}

/* The vectors that Random123 is distributed with check the twin, the twin checks rng.c. */
static void known_answers(void)
{
    static const struct { uint32_t counter[4], key[2], out[4]; } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}},
        {{~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}, {0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}},
        {{0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}, {0xa4093822u, 0x299f31d0u},
         {0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}}};
    uint32_t out[4];

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        philox(out, known[i].counter, known[i].key);
        CHECK(!memcmp(out, known[i].out, sizeof out));
    }
    CHECK(fxi_rng_bits((fxi_rng){0, 0}, 0) == 0xe169c58d6627e8d5u);
    CHECK(fxi_rng_bits((fxi_rng){0, 0}, 1) == 0x9b00dbd8bc57ac4cu);
    for (int n = test_cases(1000); n > 0; n--) {
        uint64_t seed = test_u64(), stream = test_u64(), i = test_u64() >> test_below(64);
        uint64_t pair = i / 2;
        philox(out,
               (uint32_t[]){(uint32_t)pair, (uint32_t)(pair >> 32), (uint32_t)stream,
                            (uint32_t)(stream >> 32)},
               (uint32_t[]){(uint32_t)seed, (uint32_t)(seed >> 32)});
        const uint32_t *half = out + 2 * (i & 1);
        CHECK(fxi_rng_bits((fxi_rng){seed, stream}, i) == ((uint64_t)half[1] << 32 | half[0]));
    }
}

/* Bits recorded once: they must never change, on any machine. */
static void recorded(void)
{
    static const struct { uint64_t i, bits; double uniform, normal, laplace, cauchy; } golden[] = {
        {0, 0x6bc31938c5f1788eu, 0x1.af0c64e317c5ep-2, -0x1.988630a38a971p-3,
         -0x1.60782c27a9aa6p-3, -0x1.03ad948671b3bp-2},
        {1, 0xb010cdff945b1117u, 0x1.60219bff28b63p-1, 0x1.f53fb51fd81d4p-2,
         0x1.e21fd1d153c88p-2, 0x1.56b451fcb375dp-1},
        {2, 0xf59d0f8dee350aa1u, 0x1.eb3a1f1bdc6a1p-1, 0x1.be7c4f8816679p+0,
         0x1.4179a81d9bdacp+1, 0x1.f3641c05d3339p+2},
        {3, 0x44c181b2ce836575u, 0x1.130606cb3a0dap-2, -0x1.3bf73277f171bp-1,
         -0x1.3e310b4a35d5dp-1, -0x1.c77887e1ff2d1p-1},
        {1000, 0x34e0a8c4b26e6bbau, 0x1.a705462593734p-3, -0x1.a30a8d63d4212p-1,
         -0x1.c4a2529eb719ep-1, -0x1.5184870c77a2cp+0},
        {54927, 0x00000e1ce5bf5845u, 0x1.c39cb7ebp-21, -0x1.3272c0ce833bp+2,
         -0x1.a9731337e760bp+3, -0x1.7188b3e6d0353p+18},
        {1099511627776, 0x2d81c6268122b0ffu, 0x1.6c0e31340915cp-3, -0x1.d90d5233e10dap-1,
         -0x1.08bf146ebc573p+0, -0x1.99bb7ffb0c48ep+0}};
    static const size_t permutation[] = {7, 3, 9, 5, 6, 1, 0, 4, 2, 8, 11, 10};
    static const size_t sample[] = {7, 15, 41, 64, 96};
    static const int sign[] = {-1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1, 1, 1, 1, -1};
    static const uint64_t below[] = {420945720, 687756423, 959427813, 268577678,
                                     174808227, 569595101, 708414836, 9150777};
    const fxi_rng r = {2026, 7};
    size_t out[12];

    for (size_t k = 0; k < sizeof golden / sizeof *golden; k++) {
        uint64_t i = golden[k].i;
        CHECK(fxi_rng_bits(r, i) == golden[k].bits);
        CHECK(fxi_rng_uniform(r, i) == golden[k].uniform);
        CHECK(fxi_rng_normal(r, i) == golden[k].normal);
        CHECK(fxi_rng_laplace(r, i) == golden[k].laplace);
        CHECK(fxi_rng_cauchy(r, i) == golden[k].cauchy);
    }
    fxi_rng_permutation(out, 12, r);
    CHECK(!memcmp(out, permutation, sizeof permutation));
    CHECK(!fxi_rng_sample(out, 5, 100, r, NULL));
    CHECK(!memcmp(out, sample, sizeof sample));
    for (uint64_t i = 0; i < 16; i++)
        CHECK(fxi_rng_sign(r, i) == sign[i]);
    for (uint64_t i = 0; i < 8; i++)
        CHECK(fxi_rng_below(r, i, 1000000007) == below[i]);
}

/* Each law is the inverse of its distribution function at the uniform number of that index.
 *
 * Normal: F(x) = erfc(-x/sqrt 2)/2; a relative error r of x moves F by r |x| F'(x).  In each of the
 * two polynomials all terms are positive, so Horner's rule errs by 14 U; with the quotient, the
 * rounding of the argument (log: 4 U, halved by the root; at most 8 U through the polynomials)
 * and the error of the formula itself (1 U), r < 45 U.
 * Laplace and Cauchy: the bounds of elementary.c, 2 and 4 ulp, of 2 U each. */
static void inverses(fxi_rng r)
{
    for (uint64_t i = 0; i < N; i++) {
        double u = fxi_rng_uniform(r, i), x = fxi_rng_normal(r, i);
        long double tail = u < 0.5 ? u : 1 - u;
        long double got = erfcl(fabsl((long double)x) / sqrtl(2)) / 2;
        double slope = fabs(x) * exp(-x * x / 2) / sqrt(2 * PI);
        CHECK((x < 0) == (u < 0.5));
        CHECK_NEAR((double)(got - tail), 0, 45 * U * slope + (double)(8 * LDBL_EPSILON * tail));

        long double want = logl(2 * tail) * (u < 0.5 ? 1 : -1);
        CHECK_NEAR((double)(fxi_rng_laplace(r, i) - want), 0, 4 * U * (double)fabsl(want));

        want = 1 / tanl(3.14159265358979323846264338327950288L * tail) * (u < 0.5 ? -1 : 1);
        if (tail > 0.25L)
            want = tanl(3.14159265358979323846264338327950288L * ((long double)u - 0.5L));
        CHECK_NEAR((double)(fxi_rng_cauchy(r, i) - want), 0, 8 * U * (double)fabsl(want));
    }
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Largest gap between the sample's distribution function and the uniform law.  It exceeds e with
 * probability 2 exp(-2 n e^2) at most (Massart), 1e-9 for n e^2 = 10.7. */
static void kolmogorov_smirnov(double *x, size_t n)
{
    double gap = 0;

    qsort(x, n, sizeof *x, ascending);
    for (size_t i = 0; i < n; i++) {
        gap = fmax(gap, fabs(x[i] - (double)i / (double)n));
        gap = fmax(gap, fabs(x[i] - (double)(i + 1) / (double)n));
    }
    CHECK_NEAR(gap, 0, sqrt(10.72 / (double)n));
}

typedef struct law {
    const char *name;
    double (*draw)(fxi_rng, uint64_t);
    double (*distribution)(double);
    double moment[5];                   /* E x^k; Cauchy has none */
} law;

static double uniform_law(double x) { return x; }
static double normal_law(double x) { return erfc(-x / sqrt(2)) / 2; }
static double laplace_law(double x) { return x < 0 ? exp(x) / 2 : 1 - exp(-x) / 2; }
static double cauchy_law(double x) { return 0.5 + atan(x) / PI; }

static void laws(fxi_rng r)
{
    static const law table[] = {
        {"uniform", fxi_rng_uniform, uniform_law, {1, 1.0 / 2, 1.0 / 3, 1.0 / 4, 1.0 / 5}},
        {"normal", fxi_rng_normal, normal_law, {1, 0, 1, 0, 3}},
        {"laplace", fxi_rng_laplace, laplace_law, {1, 0, 2, 0, 24}},
        {"cauchy", fxi_rng_cauchy, cauchy_law, {0}}};
    static double x[N], y[N];

    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        const law *l = &table[k];
        double sum = 0, squares = 0, product = 0;
        for (uint64_t i = 0; i < N; i++) {
            x[i] = l->draw(r, i);
            y[i] = l->distribution(x[i]);
            sum += x[i];
            squares += x[i] * x[i];
        }
        for (size_t i = 1; i < N; i++)          /* neighbours are independent */
            product += (y[i] - 0.5) * (y[i - 1] - 0.5) * 12;
        CHECK_NEAR(product / N, 0, SIGMAS / sqrt(N));
        if (l->moment[0] > 0) {
            double m1 = l->moment[1], m2 = l->moment[2], m4 = l->moment[4];
            CHECK_NEAR(sum / N, m1, SIGMAS * sqrt((m2 - m1 * m1) / N));
            CHECK_NEAR(squares / N, m2, SIGMAS * sqrt((m4 - m2 * m2) / N));
        }
        kolmogorov_smirnov(y, N);
    }
}

/* Other seeds and other streams give other, independent numbers. */
static void independent(fxi_rng r)
{
    fxi_rng other[] = {{r.seed + 1, r.stream}, {r.seed, r.stream + 1}, {r.stream, r.seed}};
    double balance = 0;

    for (size_t k = 0; k < sizeof other / sizeof *other; k++) {
        double product = 0;
        size_t equal = 0;
        for (uint64_t i = 0; i < N; i++) {
            product += (fxi_rng_uniform(r, i) - 0.5) * (fxi_rng_uniform(other[k], i) - 0.5) * 12;
            equal += fxi_rng_bits(r, i) == fxi_rng_bits(other[k], i);
        }
        CHECK_NEAR(product / N, 0, SIGMAS / sqrt(N));
        CHECK(equal == 0);
    }
    for (uint64_t i = 0; i < N; i++) {
        int s = fxi_rng_sign(r, i);
        CHECK(s == (fxi_rng_bits(r, i / 64) >> i % 64 & 1 ? 1 : -1));
        balance += s;
    }
    CHECK_NEAR(balance / N, 0, SIGMAS / sqrt(N));
}

/* Pearson's statistic of equally likely cells. */
static double chi_square(const size_t *count, size_t cells, double draws)
{
    double sum = 0, want = draws / (double)cells;

    for (size_t i = 0; i < cells; i++)
        sum += ((double)count[i] - want) * ((double)count[i] - want) / want;
    return sum;
}

/* Upper 1e-9 points of chi-square with 6, 9, 23 degrees of freedom: 53.4, 60.7, 89.2. */
static void discrete(uint64_t seed)
{
    size_t seven[7] = {0}, order[24] = {0}, pair[10] = {0}, p[50], s[50];
    enum { DRAWS = 24000 };

    for (uint64_t i = 0; i < DRAWS; i++) {
        fxi_rng r = {seed, i};
        uint64_t b = fxi_rng_below(r, 0, 7);
        CHECK(b < 7);
        seven[b]++;
        fxi_rng_permutation(p, 4, r);
        size_t rank = 0;                        /* number of this order among 4! */
        for (size_t a = 0; a < 4; a++) {
            size_t smaller = 0;
            for (size_t c = a + 1; c < 4; c++)
                smaller += p[c] < p[a];
            rank = rank * (4 - a) + smaller;
        }
        CHECK(rank < 24);
        order[rank]++;
        CHECK(!fxi_rng_sample(s, 2, 5, r, NULL));
        CHECK(s[0] < s[1] && s[1] < 5);
        pair[s[1] * (s[1] - 1) / 2 + s[0]]++;
    }
    CHECK_NEAR(chi_square(seven, 7, DRAWS), 0, 53.4);
    CHECK_NEAR(chi_square(pair, 10, DRAWS), 0, 60.7);
    CHECK_NEAR(chi_square(order, 24, DRAWS), 0, 89.2);

    for (size_t n = 0; n <= 50; n++) {          /* every size: all of it, each once */
        fxi_rng r = {seed, n};
        unsigned char seen[50] = {0};
        fxi_rng_permutation(p, n, r);
        for (size_t i = 0; i < n; i++)
            CHECK(p[i] < n && !seen[p[i]]++);
        for (size_t k = 0; k <= n; k++) {
            CHECK(!fxi_rng_sample(s, k, n, r, NULL));
            for (size_t i = 0; i < k; i++)
                CHECK(s[i] < n && (i == 0 || s[i] > s[i - 1]));
        }
    }
    for (uint64_t i = 0; i < 1000; i++) {
        CHECK(fxi_rng_below((fxi_rng){seed, 0}, i, 1) == 0);
        CHECK(fxi_rng_below((fxi_rng){seed, 0}, i, UINT64_MAX) < UINT64_MAX);
    }
}

static int stop(void *polls, double done)
{
    (void)done;
    return ++*(int *)polls == 2;
}

/* A sample of more numbers than can be counted in a lifetime ends soon after it is stopped. */
static void check_cancelled(void)
{
    size_t s[4];
    int polls = 0;
    const fx_run run = {RUN, .threads = 1, .progress = stop, .ctx = &polls};

    CHECK(fxi_rng_sample(s, 4, SIZE_MAX, (fxi_rng){1, 2}, &run) == FX_ECANCELLED && polls == 2);
    CHECK(!fxi_rng_sample(s, 2, 3 << 17, (fxi_rng){1, 2}, NULL) && s[0] < s[1] && s[1] < 3 << 17);
}

int main(void)
{
    test_init();
    check_cancelled();
    known_answers();
    recorded();
    fxi_rng r = {test_u64(), test_u64()};
    inverses(r);
    laws(r);
    independent(r);
    discrete(r.seed);
    for (uint64_t i = 0; i < N; i++) {          /* never 0, never 1 */
        double u = fxi_rng_uniform(r, i);
        CHECK(u >= 0x1p-53 && u <= 1 - 0x1p-53);
    }
    return 0;
}
