/* SPDX-License-Identifier: BSD-3-Clause
 * moments.h - a map, drawn with many seeds through the public interface: mean and variance of
 * <Z(x), Z(y)> against exact ones.
 *
 * Three checks a case: the mean of the estimates; their mean squared distance from the exact mean;
 * and, where the D features of a map are independent, the mean square of the D times more estimates
 * that they are one by one.  A band is Z standard deviations of what is averaged: of the estimates,
 * the exact one; of their squares, from exact fourth moments where all draws can be enumerated,
 * else from those of the sample, doubled.  Heavy tails (Gaussian and Laplace draws of higher
 * orders, series without end): the mean alone.
 * False alarms, were the seeds not fixed: Z = 6.5 is passed with probability 8e-11, if averages are
 * normal, and a program makes at most 1200 checks: 1e-7, below 1e-6 with a margin for averages that
 * are not quite. */
#ifndef MOMENTS_H
#define MOMENTS_H
#include "kernel/test/golden.h"
#include "map/random_kernel.h"

enum { CHECKS = 1200 };
enum { SEEDS = 1500, SKETCHES = 12000 };        /* maps a case; of those that are one estimate */
static const double Z = 6.5;
static int checks;

typedef struct trial {
    const char *name, *map, *kernel, *family;
    const double *x, *y;
    size_t d, D;                        /* columns, features asked for */
    size_t seeds;
    double mean, variance;              /* exact; variance NAN: not known, the sample's is taken */
    double one;                         /* variance of the estimate of each of D independent
                                         * features; NAN: features are not of that kind */
    double fourth, one_fourth;          /* E (estimate - mean)^4, E (estimate of a feature)^4; 0:
                                         * not known */
    bool heavy;
    void (*spoil)(fx_map *m);           /* plants a fault */
} trial;

typedef struct average {                /* of numbers and their powers: sums */
    double n, sum, square, fourth;
} average;

static inline void add(average *a, double v)
{
    a->n++;
    a->sum += v;
    a->square += v * v;
    a->fourth += v * v * v * v;
}

static inline bool within(const trial *t, const char *what, double got, double want, double band)
{
    checks++;
    if (fabs(got - want) <= band)
        return true;
    if (!t->spoil)
        fprintf(stderr, "%s: %s, %s, D = %zu: %s %.9g, want %.9g +- %.3g\n", t->name, t->map,
                t->kernel, t->D, what, got, want, band);
    return false;
}

/* Standard deviation of the mean of n squares. */
static inline double spread(double exact, double square, const average *a)
{
    return sqrt((exact > 0 ? exact - square * square : 2 * a->fourth / a->n) / a->n);
}

static inline bool judge(const trial *t, const average *whole, const average *each, double size)
{
    double S = whole->n, rounding = 1e-5 * size / S;    /* of the estimate, made in floats */
    double V = isnan(t->variance) ? 2 * whole->square / S : t->variance;
    bool good = within(t, "mean", whole->sum / S, 0, Z * sqrt(V / S) + rounding);

    if (t->heavy || isnan(t->variance))
        return good;
    good &= within(t, "variance", whole->square / S, V,
                   Z * spread(t->fourth, V, whole) + rounding * (2 * sqrt(V) + rounding));
    if (!isnan(t->one)) {
        double want = t->one + t->mean * t->mean, off = (double)t->D * rounding;
        good &= within(t, "square of a feature", each->square / each->n, want,
                       Z * spread(t->one_fourth, want, each) + off * (2 * sqrt(want) + off));
    }
    return good;
}

/* Would this trial see all estimates multiplied by f: 0, or the square of a wrong scale?  What they
 * are then off by on average must be beyond a band twice as wide. */
static inline bool sees(const trial *t, double f, const average *whole, const average *each)
{
    double S = whole->n, V = isnan(t->variance) ? 2 * whole->square / S : t->variance;
    double off = fabs(f - 1) * fabs(t->mean);

    if (off > 2 * Z * sqrt(V / S))
        return true;
    if (t->heavy || isnan(t->variance))
        return false;
    if (fabs((f * f - 1) * V + off * off) > 2 * Z * spread(t->fourth, V, whole))
        return true;
    double want = isnan(t->one) ? 0 : t->one + t->mean * t->mean;
    return want > 0 && fabs(f * f - 1) * want > 2 * Z * spread(t->one_fourth, want, each);
}

/* How many trials of each map would see zeros, and a scale that is 5 % too large. */
static struct { char name[16]; int trials, zeros, scale; } sight[8];

static inline void count(const trial *t, const average *whole, const average *each)
{
    size_t n = strcspn(t->map, ":"), i = 0;

    while (i < 8 && sight[i].name[0]
           && (strlen(sight[i].name) != n || memcmp(sight[i].name, t->map, n)))
        i++;
    CHECK(i < 8 && n < sizeof sight[i].name);
    memcpy(sight[i].name, t->map, n);
    sight[i].trials++;
    sight[i].zeros += sees(t, 0, whole, each);
    sight[i].scale += sees(t, 1.05 * 1.05, whole, each);
}

/* No map is looked at through bands that would let it be zero, or of another scale: some kernels
 * are 0 or have heavy tails, but three trials in four see zeros, and some see the scale. */
static inline void check_sight(void)
{
    for (size_t i = 0; i < 8 && sight[i].name[0]; i++) {
        if (4 * sight[i].zeros < 3 * sight[i].trials || !sight[i].scale)
            fprintf(stderr, "%s: of %d trials %d see zeros and %d a wrong scale\n", sight[i].name,
                    sight[i].trials, sight[i].zeros, sight[i].scale);
        CHECK(4 * sight[i].zeros >= 3 * sight[i].trials && sight[i].scale);
    }
}

static inline bool passes(const trial *t)
{
    fx_kernel *k = NULL;
    double rows[2 * GOLDEN_DIM], size = 0;
    fx_matrix X = {.rows = 2, .cols = t->d, .stride = t->d, .type = FX_F64, .val = rows};
    average whole = {0}, each = {0};
    const fx_run run = {RUN, .threads = 1};
    float *z = NULL;
    size_t n = 0, seeds = t->spoil ? t->seeds : (size_t)test_cases((int)t->seeds);

    memcpy(rows, t->x, t->d * sizeof *rows);
    memcpy(rows + t->d, t->y, t->d * sizeof *rows);
    CHECK(fx_kernel_parse(&k, t->kernel, t->family, 0) == FX_OK);
    for (size_t seed = 0; seed < seeds; seed++) {
        fx_map *m = NULL;
        double estimate = 0, xx = 0, yy = 0;
        fx_status st = fx_map_parse(&m, t->map, k, t->d, t->D, test_seed << 32 | seed, NULL, &run);
        if (st)
            fprintf(stderr, "%s: %s of %s: %s\n", t->name, t->map, t->kernel, fx_error_detail());
        CHECK(st == FX_OK);
        if (!z) {
            double V;
            const size_t pair[2] = {0, 1};
            n = fx_map_features(m);
            CHECK((z = fxi_alloc(2 * n, sizeof *z)) != NULL);
            /* What the library says of its own variance; circulants: see theory_circulant. */
            if (!isnan(t->variance) && !t->spoil && !strstr(t->map, "circulant")
                && fx_map_variance(&V, m, &X, pair, 1, &run) == FX_OK)
                CHECK_NEAR(V, t->variance, 1e-9 * (V + t->mean * t->mean));
        }
        if (t->spoil)
            t->spoil(m);
        CHECK(fx_map_apply(z, n, FX_F32, m, &X, &run) == FX_OK);
        for (size_t s = 0; s < n; s++) {
            double a = (double)z[s], b = (double)z[n + s];
            estimate += a * b;
            xx += a * a;
            yy += b * b;
            if (!isnan(t->one))
                add(&each, (double)t->D * a * b);
        }
        add(&whole, estimate - t->mean);
        size += sqrt(xx * yy);
        fx_map_free(m);
    }
    free(z);
    fx_kernel_free(k);
    if (!t->spoil && seeds >= t->seeds)
        count(t, &whole, &each);
    return judge(t, &whole, &each, size);
}

/* Numbers between 0.2 and 1.2, of both signs or positive, exact in floats. */
static inline void fill(double *x, double *y, size_t d, bool positive)
{
    for (size_t j = 0; j < d; j++) {
        x[j] = (double)(float)(0.2 + test_unit()) * (positive || test_below(2) ? 1 : -1);
        y[j] = (double)(float)(0.2 + test_unit()) * (positive || test_below(2) ? 1 : -1);
    }
}

/* As many random features, from fewer seeds: series without end take a while to be drawn. */
static inline void fewer(trial *t)
{
    t->D *= 5;
    t->seeds /= 5;
    t->variance /= 5;
}
#endif
