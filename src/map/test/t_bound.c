/* SPDX-License-Identifier: BSD-3-Clause
 * t_bound.c - theorems against golden values; which of them a map is given. */

#include "kernel/test/golden.h"
#include "map/map.h"

/* ---- Golden --------------------------------------------------------------------------------- */

static double value(json_t *c, const char *key)
{
    return json_number_value(json_object_get(c, key));
}

static double decimal(json_t *c, const char *key)
{
    return strtod(json_string_value(json_object_get(c, key)), NULL);
}

/* The interval of |Av|^2/|v|^2 is the error of <x,y> for unit rows: eps = 2q + 2q^2 makes it fail
 * with probability 4 exp(-D q^2), for two vectors. */
static void jl_interval(json_t *c)
{
    double delta = value(c, "delta"), upper = decimal(c, "upper"), lower = decimal(c, "lower");
    fxi_tail t;

    CHECK(upper - 1 >= 1 - lower);
    CHECK(fxi_map_bound_tail(&t, "jl", &(fxi_bound_args){.R = 1, .eps = upper - 1}));
    CHECK_NEAR(fxi_map_bound_log(t, value(c, "D")), log(2 * delta), 1e-10);
    CHECK_NEAR(fxi_map_bound_features(t, 2 * delta) / value(c, "D"), 1, 1e-10);
}

static void golden(void)
{
    json_t *root = golden_cases("tests/golden/bounds.json"), *c;
    size_t i;

    json_array_foreach(json_object_get(root, "cases"), i, c)
    {
        const char *kind = json_string_value(json_object_get(c, "kind"));
        const char *kernel = json_string_value(json_object_get(c, "kernel"));
        fxi_bound_args a = {.R = value(c, "R"), .eps = value(c, "eps"), .d = value(c, "d"),
                            .p = value(c, "p"), .m = (int)value(c, "m")};
        fx_kernel *k = NULL;
        fxi_tail t;
        if (!strcmp(kind, "jl")) {
            jl_interval(c);
            continue;
        }
        if (kernel)
            CHECK(fx_kernel_parse(&k, kernel, NULL, 0) == FX_OK);
        a.kernel = k;
        CHECK(fxi_map_bound_tail(&t, kind, &a));
        double want = decimal(c, "log_bound"), got = fxi_map_bound_log(t, value(c, "D"));
        double features = fxi_map_bound_features(t, value(c, "delta"));
        double smallest = value(c, "smallest_D");
        if (!(got == want || fabs(got - want) <= 1e-10 * (1 + fabs(want))))
            fprintf(stderr, "%s: %.17g, want %.17g\n", json_string_value(json_object_get(c, "id")),
                    got, want);
        CHECK(got == want || fabs(got - want) <= 1e-10 * (1 + fabs(want)));
        if (!json_is_null(json_object_get(c, "real_D")))
            CHECK_NEAR(features / decimal(c, "real_D"), 1, 1e-10);
        if (smallest < 1e9)
            CHECK(fmax(1, ceil(features)) == smallest);
        fx_kernel_free(k);
    }
    CHECK(i > 190);
    json_decref(root);
}

static void names(void)
{
    fxi_tail t;

    CHECK(!fxi_map_bound_tail(&t, "no such theorem", &(fxi_bound_args){0}));
}

/* f' of every kernel against a difference of f, through L of the uniform theorem. */
static void derivatives(void)
{
    static const char *const specs[] = {"poly:degree=3,gamma=0.5", "poly:degree=1,coef0=0",
                                        "exp:gamma=2",
                                        "vovk:degree=4", "vovk-inf", "maclaurin:coef=1/0.5/0/2"};

    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        fx_kernel *k = NULL;
        fxi_tail t, one;
        CHECK(fx_kernel_parse(&k, specs[i], NULL, 0) == FX_OK);
        fxi_bound_args a = {.R = 0.5, .eps = 0.1, .d = 3, .p = 2, .kernel = k};
        CHECK(fxi_map_bound_tail(&t, "maclaurin-uniform", &a));
        CHECK(fxi_map_bound_tail(&one, "maclaurin", &a));
        double h = 1e-5, slope = (k->type->of(k, 0.5 + h) - k->type->of(k, 0.5 - h)) / (2 * h);
        double L = 2 * (2 * 0.5 * sqrt(3) * slope);
        CHECK_NEAR(t.a, log(2) + 6 * log(32 * 0.5 * L / 0.1), 1e-7);
        CHECK_NEAR(t.b, one.b / 4, 1e-15 * one.b);
        a.R = 2;                        /* vovk-inf is not defined there */
        CHECK(fxi_map_bound_tail(&t, "maclaurin-uniform", &a));
        CHECK(isinf(fxi_map_bound_features(t, 0.1)) == (k->type == &fxi_kernel_vovk_inf));
        fx_kernel_free(k);
    }
}

/* ---- Which theorems a map is given ---------------------------------------------------------- */

static fx_bound got[FX_BOUND_MAX];

/* A map of 5 columns that has nothing but its spec; its theorems as "a b c", or why none. */
static const char *theorems_of(const char *spec, const char *kernel, const char *file, int uniform)
{
    static char line[1024];
    char copy[256], name[32];
    fx_kernel *k = NULL;
    size_t n = 0;

    snprintf(copy, sizeof copy, "%s", spec);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(spec, ":"), spec);
    fxi_map_type type = {.name = name};
    CHECK(fx_kernel_parse(&k, kernel, file, 0) == FX_OK);
    fx_map m = {.type = &type, .kernel = k, .cols = 5, .spec = copy};
    fx_status st = fx_map_bound(got, FX_BOUND_MAX, &n, &m, 0.5, 0.1, 0.05, uniform);
    line[0] = '\0';
    CHECK(st == FX_OK || st == FX_EUNSUPPORTED);
    if (st)
        snprintf(line, sizeof line, "%s", fx_error_detail());
    for (size_t i = 0; !st && i < n; i++) {
        snprintf(line + strlen(line), sizeof line - strlen(line), "%s%s", i ? " " : "",
                 got[i].kind);
        CHECK(got[i].formula[0] && got[i].features > 0);
        CHECK(i == 0 || got[i].features <= got[i - 1].features);
    }
    fx_kernel_free(k);
    return line;
}

#define CHECK_MENTIONS(want, ...) CHECK(strstr(theorems_of(__VA_ARGS__), want))
#define CHECK_THEOREMS(want, ...) CHECK(!strcmp(theorems_of(__VA_ARGS__), want))
#define RK "rk:dist=rademacher,complex=no,projection=packed,signs=column"
static const char fixed[] = "itemset anova anova-factorial anova-maclaurin";

static void random_kernel(void)
{
    CHECK_THEOREMS(fixed, RK, "anova:order=3", NULL, 0);
    CHECK_THEOREMS(fixed, RK, "linear", NULL, 0);
    CHECK_THEOREMS(fixed, RK, "groups:order=2", "a: 0 1\nb: 2\n", 0);
    CHECK_THEOREMS(fixed, RK, "cross", "a b\na: 0 1\nb: 2\n", 0);
    CHECK_THEOREMS("itemset", RK, "all-subsets", NULL, 0);
    CHECK_THEOREMS("itemset", RK, "itemset", "0 1\n2\n", 0);
    CHECK_THEOREMS("itemset anova-upto", RK, "anova-upto:order=3", NULL, 0);
    CHECK_THEOREMS("anova-upto", RK, "anova-upto:order=2,theta=1/4", NULL, 0);
    double B = 0.5 + 2 * 0.125;
    CHECK_NEAR(got[0].features, 2 * pow(B, 4) / 0.01 * log(2 / 0.05), 1e-8);
    CHECK_THEOREMS("uniform", RK, "all-subsets", NULL, 1);
    CHECK_MENTIONS("theta", RK, "anova-upto:order=2,theta=1/4", NULL, 1);
    CHECK_MENTIONS("dependent", "rk:projection=hadamard", "anova", NULL, 0);
    CHECK_MENTIONS("Chebyshev", "rk:projection=circulant", "anova", NULL, 1);
    CHECK_MENTIONS("not bounded", "rk:dist=gaussian,projection=packed", "anova", NULL, 0);
    CHECK_MENTIONS("not bounded", "rk:dist=laplace,projection=packed", "anova", NULL, 0);
    /* A complex feature is two; uniform draws are sqrt3 times larger. */
    theorems_of(RK, "anova:order=2", NULL, 0);
    double real = got[3].features;
    theorems_of("rk:complex=yes,projection=packed", "anova:order=2", NULL, 0);
    CHECK_NEAR(got[3].features, 2 * real, 1e-12 * real);
    theorems_of("rk:dist=uniform,projection=packed", "anova:order=2", NULL, 0);
    CHECK_NEAR(got[3].features, 81 * real, 1e-10 * real);
}

static void others(void)
{
    CHECK_THEOREMS("maclaurin", "rm:p=2,h01=no,orders=random", "exp", NULL, 0);
    double two = got[0].features;
    CHECK_THEOREMS("maclaurin", "rm:p=3,h01=yes,max-order=none,orders=random", "exp", NULL, 0);
    CHECK_NEAR(got[0].features / two, pow(1.5 * exp(0.75) / (2 * exp(0.5)), 2), 1e-12);
    CHECK_THEOREMS("maclaurin-uniform", "rm:p=2", "vovk:degree=3", NULL, 1);
    CHECK_THEOREMS("maclaurin", "rm:max-order=2", "vovk:degree=3", NULL, 0);
    CHECK_THEOREMS("maclaurin", "rm:max-order=2", "maclaurin:coef=1/1/1", NULL, 0);
    CHECK_MENTIONS("max-order", "rm:max-order=1", "vovk:degree=3", NULL, 0);
    CHECK_MENTIONS("max-order", "rm:max-order=9", "exp", NULL, 0);
    CHECK_MENTIONS("max-order", "rm:max-order=1", "poly:degree=2", NULL, 0);
    CHECK_MENTIONS("drawn", "rm:orders=allocated", "poly:degree=2", NULL, 0);
    CHECK_MENTIONS("composition", "rm", "exp(rbf)", NULL, 0);
    CHECK_MENTIONS("dependent", "rm:projection=hadamard", "exp", NULL, 0);
    CHECK_THEOREMS("fourier", "rff:features=cos-sin,projection=dense", "rbf", NULL, 0);
    double pairs = got[0].features;
    CHECK_THEOREMS("fourier-offset", "rff:features=cos,projection=dense", "rbf", NULL, 0);
    CHECK_NEAR(got[0].features, 2 * pairs, 1e-9);
    CHECK_MENTIONS("dependent", "rff:projection=circulant", "rbf", NULL, 0);
    CHECK_MENTIONS("no uniform theorem", "rff:projection=dense", "rbf", NULL, 1);
    CHECK_THEOREMS("tensorsketch", "ts", "poly:degree=2,gamma=2,coef0=1", NULL, 0);
    double R4 = pow(2 * 0.25 + 1, 4), D = got[0].features;
    CHECK_NEAR(R4 / 0.01 * (6 / D + 4 / D / D), 0.05, 1e-12);
    CHECK_THEOREMS("jl", "jl:dist=gaussian", "linear", NULL, 0);
    CHECK_MENTIONS("predicted", "jl:dist=rademacher", "linear", NULL, 0);
    CHECK_MENTIONS("predicted", "sparse-jl:s=4", "linear", NULL, 0);
    CHECK_MENTIONS("no error", "explicit", "anova", NULL, 1);
}

static void door(void)
{
    char spec[] = RK;
    fxi_map_type type = {.name = "rk"};
    fx_kernel *k = NULL;
    fx_bound b[FX_BOUND_MAX] = {{0}};
    size_t n = 0;

    CHECK(fx_kernel_parse(&k, "anova", NULL, 0) == FX_OK);
    fx_map m = {.type = &type, .kernel = k, .cols = 5, .spec = spec};
    CHECK(fx_map_bound(b, FX_BOUND_MAX, &n, &m, 1, 0.1, 0.1, 0) == FX_OK && n == 4);
    CHECK(!strcmp(b[0].kind, "itemset"));
    CHECK(fx_map_bound(b, FX_BOUND_MAX, &n, &m, 1000, 0.1, 0.1, 0) == FX_OK
          && isinf(b[0].features));
    CHECK(fx_map_bound(NULL, FX_BOUND_MAX, &n, &m, 1, 0.1, 0.1, 0) == FX_EINVAL);
    CHECK(fx_map_bound(b, FX_BOUND_MAX, NULL, &m, 1, 0.1, 0.1, 0) == FX_EINVAL);
    CHECK(fx_map_bound(b, FX_BOUND_MAX, &n, NULL, 1, 0.1, 0.1, 0) == FX_EINVAL);
    const double bad[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        CHECK(fx_map_bound(b, FX_BOUND_MAX, &n, &m, bad[i], 0.1, 0.1, 0) == FX_EINVAL);
        CHECK(fx_map_bound(b, FX_BOUND_MAX, &n, &m, 1, bad[i], 0.1, 0) == FX_EINVAL);
        CHECK(fx_map_bound(b, FX_BOUND_MAX, &n, &m, 1, 0.1, bad[i], 0) == FX_EINVAL);
    }
    CHECK(fx_map_bound(b, FX_BOUND_MAX, &n, &m, 1, 0.1, 1, 0) == FX_EINVAL);
    fx_kernel_free(k);
}

int main(void)
{
    test_init();
    golden();
    names();
    derivatives();
    random_kernel();
    others();
    door();
    return 0;
}
