/* SPDX-License-Identifier: BSD-3-Clause
 * bound.c - how many features a theorem requires.
 *
 * The mean of D independent estimates, each in [-C, C], errs by eps or more with probability at
 * most 2 exp(-D eps^2/(2 C^2)) (Hoeffding).  The theorems differ in C, for rows with |x|_1 <= R:
 *
 *   rk, signs        any family  C = e^2R, since |Z| <= prod (1 + |x_j|)
 *                    anova       C = R^2m, (R^m/m!)^2, (C(d,m) (R/d)^m)^2 by Maclaurin's inequality
 *                    anova-upto  C = (sum_t sqrt(theta_t) R^t/t!)^2
 *   rm, p            C = p/(p-1) f(p R^2), since a_n/P_n R^2n <= p/(p-1) a_n (p R^2)^n
 *   rff              C = 1, D/2 estimates; with cos(wx + b) C = 2
 *
 * Orders that are never drawn (a_n = 0, or exact by h01) only make the other P_n larger, so C holds
 * for them too; a series that max-order cuts is another kernel, and no theorem is given.
 * uniform(-sqrt3, sqrt3) draws are signs times numbers below sqrt3: R becomes sqrt3 R.  Complex
 * signs have |w_j| = 1 and D/2 estimates.  Uniformly over rows, by a net (Rahimi and Recht):
 * 2 (32 R L/eps)^2d exp(-D eps^2/(8 C^2)), L a Lipschitz constant of one estimate.
 *
 * A tensor sketch is no mean of independent estimates: Chebyshev on its exact variance, with
 * |x|_2 <= R.  Gaussian projections: |Ax|^2/|x|^2 is within 2 sqrt(t/D) + 2t/D of 1 with
 * probability 1 - 2e^-t (Laurent and Massart); at x + y and x - y, for unit x and y, this gives
 * <x,y> within as much, R^2 times that for |x|_2 <= R, with probability 1 - 4e^-t.
 *
 * Everything is kept as a logarithm: e^4R and (m!)^4 leave the range of doubles early. */

#include "map/map.h"

#include <math.h>
#include <string.h>

/* ---- Theorems ------------------------------------------------------------------------------- */

double fxi_map_bound_log(fxi_tail t, double D)
{
    return t.f > 0 || t.g > 0 ? log(t.f / D + t.g / D / D) : t.a - t.b * D;
}

double fxi_map_bound_features(fxi_tail t, double delta)
{
    if (t.f > 0 || t.g > 0)             /* f D + g = delta D^2 */
        return (t.f + sqrt(t.f * t.f + 4 * t.g * delta)) / (2 * delta);
    return (t.a - log(delta)) / t.b;
}

static fxi_tail hoeffding(double log_C, double eps)
{
    return (fxi_tail){.a = log(2), .b = exp(2 * (log(eps) - log_C)) / 2};
}

static fxi_tail uniformly(double log_C, double log_L, const fxi_bound_args *a)
{
    return (fxi_tail){.a = log(2) + 2 * a->d * (log(32 * a->R / a->eps) + log_L),
                      .b = exp(2 * (log(a->eps) - log_C)) / 8};
}

static fxi_tail itemset(const fxi_bound_args *a) { return hoeffding(2 * a->R, a->eps); }
static fxi_tail uniform_itemset(const fxi_bound_args *a)
{
    return uniformly(2 * a->R, log(a->d) / 2 + 2 * a->R, a);
}

static fxi_tail anova(const fxi_bound_args *a) { return hoeffding(2 * a->m * log(a->R), a->eps); }
static fxi_tail anova_factorial(const fxi_bound_args *a)
{
    return hoeffding(2 * (a->m * log(a->R) - lgamma(a->m + 1.0)), a->eps);
}

static fxi_tail anova_maclaurin(const fxi_bound_args *a)
{
    double log_B = 0;

    for (int i = 0; i < a->m; i++)      /* a factor 0 if there are fewer than m features */
        log_B += log(a->d > i ? (a->d - i) / (i + 1) * (a->R / a->d) : 0);
    return hoeffding(2 * log_B, a->eps);
}

static fxi_tail anova_upto(const fxi_bound_args *a)
{
    double B = 0, power = 1;

    for (int t = 1; t <= a->kernel->order; t++) {
        power *= a->R / t;
        B += sqrt(a->kernel->coef[t]) * power;
    }
    return hoeffding(2 * log(B), a->eps);
}

/* f of a dot product at s, or its derivative; infinite where f is not defined. */
static double series(const fx_kernel *k, double s, bool derivative)
{
    double sum = 0, power = 1;

    if (k->type == &fxi_kernel_vovk_inf && s >= 1)
        return INFINITY;
    if (!derivative)
        return k->type->of(k, s);
    if (k->type == &fxi_kernel_poly)
        return k->order * k->gamma * pow(k->coef0 + k->gamma * s, k->order - 1);
    if (k->type == &fxi_kernel_exp)
        return k->gamma * exp(k->gamma * s);
    if (k->type == &fxi_kernel_vovk_inf)
        return 1 / ((1 - s) * (1 - s));
    size_t terms = k->type == &fxi_kernel_vovk ? (size_t)k->order : k->coefs;
    for (size_t n = 1; n < terms; n++, power *= s)
        sum += (double)n * (k->coef ? k->coef[n] : 1) * power;
    return sum;
}

static double log_random_order(const fxi_bound_args *a, bool derivative)
{
    return log(a->p / (a->p - 1) * series(a->kernel, a->p * a->R * a->R, derivative));
}

static fxi_tail maclaurin(const fxi_bound_args *a)
{
    return hoeffding(log_random_order(a, false), a->eps);
}

static fxi_tail uniform_maclaurin(const fxi_bound_args *a)
{
    return uniformly(log_random_order(a, false),
                     log(a->p * a->R) + log(a->d) / 2 + log_random_order(a, true), a);
}

static fxi_tail fourier(const fxi_bound_args *a)
{
    return (fxi_tail){.a = log(2), .b = a->eps * a->eps / 4};
}

static fxi_tail fourier_offset(const fxi_bound_args *a) { return hoeffding(log(2), a->eps); }

static fxi_tail tensor_sketch(const fxi_bound_args *a)
{
    double scale = pow(a->R, 4 * a->m) / a->eps / a->eps;

    return (fxi_tail){.f = scale * 2 * (pow(2, a->m) - 1),
                      .g = scale * 2 * (pow(3, a->m) - pow(2, a->m + 1) + 1)};
}

/* 2q + 2q^2 = eps/R^2, q = sqrt(t/D) */
static fxi_tail projection(const fxi_bound_args *a)
{
    double e = a->eps / a->R / a->R, q = e / (1 + sqrt(1 + 2 * e));

    return (fxi_tail){.a = log(4), .b = q * q};
}

typedef struct theorem {
    const char *kind, *formula;
    fxi_tail (*tail)(const fxi_bound_args *a);
} theorem;

enum { ITEMSET, ANOVA, ANOVA_FACTORIAL, ANOVA_MACLAURIN, ANOVA_UPTO, UNIFORM };
enum { MACLAURIN = UNIFORM + 1, MACLAURIN_UNIFORM, FOURIER, FOURIER_OFFSET, TENSOR_SKETCH, JL };
enum { THEOREMS = JL + 1 };
static const theorem theorems[THEOREMS] = {
    [ITEMSET] = {"itemset", "2 exp(-D eps^2/(2 e^(4R)))", itemset},
    [ANOVA] = {"anova", "2 exp(-D eps^2/(2 R^(4m)))", anova},
    [ANOVA_FACTORIAL] = {"anova-factorial", "2 exp(-D eps^2 (m!)^4/(2 R^(4m)))", anova_factorial},
    [ANOVA_MACLAURIN] = {"anova-maclaurin", "2 exp(-D eps^2/(2 B^4)), B = C(d,m) (R/d)^m",
                         anova_maclaurin},
    [ANOVA_UPTO] = {"anova-upto", "2 exp(-D eps^2/(2 B^4)), B = sum_t sqrt(theta_t) R^t/t!",
                    anova_upto},
    [UNIFORM] = {"uniform", "2 (32 R sqrt(d) e^(2R)/eps)^(2d) exp(-D eps^2/(8 e^(4R)))",
                 uniform_itemset},
    [MACLAURIN] = {"maclaurin", "2 exp(-D eps^2/(2 C^2)), C = p/(p-1) f(p R^2)", maclaurin},
    [MACLAURIN_UNIFORM] = {"maclaurin-uniform",
                           "2 (32 R L/eps)^(2d) exp(-D eps^2/(8 C^2)), C = p/(p-1) f(p R^2), "
                           "L = p/(p-1) p R sqrt(d) f'(p R^2)",
                           uniform_maclaurin},
    [FOURIER] = {"fourier", "2 exp(-D eps^2/4)", fourier},
    [FOURIER_OFFSET] = {"fourier-offset", "2 exp(-D eps^2/8)", fourier_offset},
    [TENSOR_SKETCH] = {"tensorsketch",
                       "(R^(4m)/eps^2) (2 (2^m - 1)/D + 2 (3^m - 2^(m+1) + 1)/D^2)",
                       tensor_sketch},
    [JL] = {"jl", "4 exp(-D q^2), 2q + 2q^2 = eps/R^2", projection}};

bool fxi_map_bound_tail(fxi_tail *out, const char *kind, const fxi_bound_args *a)
{
    for (int i = 0; i < THEOREMS; i++)
        if (!strcmp(theorems[i].kind, kind)) {
            *out = theorems[i].tail(a);
            return true;
        }
    return false;
}

/* ---- Which of them hold --------------------------------------------------------------------- */

typedef struct choice {
    const fx_map *map;
    bool uniform;
    fxi_bound_args args;
    double each;                        /* features that make one estimate */
    int which[FX_BOUND_MAX], n;
} choice;

static bool is(const choice *c, const char *key, const char *value)
{
    const char *at;
    size_t len;

    return !fx_spec_get(&at, &len, c->map->spec, key) && at && fxi_spec_same(value, at, len);
}

static double number(const choice *c, const char *key, double otherwise)
{
    const char *at;
    size_t len;

    if (!fx_spec_get(&at, &len, c->map->spec, key) && at)
        fxi_decimal_read(&otherwise, at, at + len);
    return otherwise;
}

static void holds(choice *c, int which) { c->which[c->n++] = which; }

static fx_status none(const choice *c, const char *why)
{
    return fxi_error(FX_EUNSUPPORTED, "no %stheorem holds for %s and %s: %s",
                     c->uniform ? "uniform " : "", c->map->spec, c->map->kernel->spec, why);
}

static const char dependent[] = "the rows of a structured block are dependent; use the predicted "
                                "error, Chebyshev's inequality on the exact variance";

static bool structured(const choice *c)
{
    return is(c, "projection", "hadamard") || is(c, "projection", "circulant");
}

/* Every set of a family has this many features; 0: they differ, or it is no family of sets. */
static int one_order(const fx_kernel *k)
{
    if (k->type == &fxi_kernel_linear)
        return 1;
    if (k->type == &fxi_kernel_anova || k->type == &fxi_kernel_groups)
        return k->order;
    return k->type == &fxi_kernel_cross ? (int)k->groups->factors : 0;
}

static fx_status random_kernel(choice *c)
{
    const fx_kernel *k = c->map->kernel;
    bool weighted = k->type == &fxi_kernel_anova_upto, heavy = false;

    if (structured(c))
        return none(c, dependent);
    if (is(c, "dist", "gaussian") || is(c, "dist", "laplace"))
        return none(c, "its draws are not bounded; use the predicted error, Chebyshev's "
                       "inequality on the exact variance");
    for (int t = 1; weighted && t <= k->order; t++)
        heavy |= k->coef[t] > 1;        /* a set with a weight above 1, unlike any family */
    if (heavy && c->uniform)
        return none(c, "a weight theta is above 1");
    c->args.m = one_order(k);
    if (is(c, "dist", "uniform"))
        c->args.R *= sqrt(3);
    if (is(c, "complex", "yes"))
        c->each = 2;
    if (c->uniform) {
        holds(c, UNIFORM);
        return FX_OK;
    }
    if (!heavy)
        holds(c, ITEMSET);
    if (weighted)
        holds(c, ANOVA_UPTO);
    if (c->args.m) {
        holds(c, ANOVA);
        holds(c, ANOVA_FACTORIAL);
        holds(c, ANOVA_MACLAURIN);
    }
    return FX_OK;
}

/* The highest power of a dot-product kernel. */
static double highest_power(const fx_kernel *k)
{
    if (k->type == &fxi_kernel_poly)
        return k->order;
    if (k->type == &fxi_kernel_vovk)
        return k->order - 1;
    return k->type == &fxi_kernel_maclaurin ? (double)k->coefs - 1 : INFINITY;
}

static fx_status random_maclaurin(choice *c)
{
    if (structured(c))
        return none(c, dependent);
    if (c->map->kernel->inner)
        return none(c, "it is for kernels of <x,y>, not for compositions");
    if (is(c, "orders", "allocated"))
        return none(c, "orders are not drawn at random");
    if (number(c, "max-order", INFINITY) < highest_power(c->map->kernel))
        return none(c, "max-order cuts the series, so the map errs on average");
    c->args.p = number(c, "p", 2);
    holds(c, c->uniform ? MACLAURIN_UNIFORM : MACLAURIN);
    return FX_OK;
}

static fx_status choose(choice *c)
{
    const char *name = c->map->type->name;
    const fx_kernel *k = c->map->kernel;

    if (!strcmp(name, "rk"))
        return random_kernel(c);
    if (!strcmp(name, "rm"))
        return random_maclaurin(c);
    if (!strcmp(name, "explicit"))
        return none(c, "none is needed, it has no error");
    if (c->uniform)
        return none(c, "rk and rm have one");
    if (!strcmp(name, "rff")) {
        if (structured(c))
            return none(c, dependent);
        holds(c, is(c, "features", "cos") ? FOURIER_OFFSET : FOURIER);
        return FX_OK;
    }
    if (!strcmp(name, "ts")) {          /* rows get a coordinate sqrt(coef0) */
        c->args.m = k->order;
        c->args.R = sqrt(k->gamma * c->args.R * c->args.R + k->coef0);
        holds(c, TENSOR_SKETCH);
        return FX_OK;
    }
    if (!strcmp(name, "jl") && is(c, "dist", "gaussian")) {
        holds(c, JL);
        return FX_OK;
    }
    return none(c, "use the predicted error, Chebyshev's inequality on the exact variance");
}

fx_status fx_map_bound(fx_bound *out, size_t room, size_t *n, const fx_map *m, double radius,
                       double eps, double delta, int uniform)
{
    choice c = {.map = m, .uniform = uniform != 0, .each = 1};
    fx_status st;

    if ((!out && room) || !n || !m)
        return fxi_error(FX_EINVAL, "fx_map_bound: %s is NULL",
                         !out && room ? "out"
                         : !n         ? "n"
                                      : "m");
    if (!(radius > 0) || !isfinite(radius))
        return fxi_error(FX_EINVAL, "the radius must be above 0, not %g", radius);
    if (!(eps > 0) || !isfinite(eps))
        return fxi_error(FX_EINVAL, "eps must be above 0, not %g", eps);
    if (!(delta > 0 && delta < 1))
        return fxi_error(FX_EINVAL, "delta must be between 0 and 1, not %g", delta);
    c.args = (fxi_bound_args){.R = radius, .eps = eps, .d = (double)m->cols, .kernel = m->kernel};
    if ((st = choose(&c)) != 0)
        return st;
    for (int i = 0; i < c.n && (size_t)i < room; i++) {
        const theorem *t = &theorems[c.which[i]];
        out[i] = (fx_bound){t->kind, t->formula,
                            c.each * fxi_map_bound_features(t->tail(&c.args), delta)};
    }
    *n = (size_t)c.n;
    return FX_OK;
}
