/* SPDX-License-Identifier: BSD-3-Clause
 * t_moments.c - means and variances of maps over seeds (moments.h): every golden case that is a map
 * of ours, hashed crosses, and Fourier features of structured projections.  t_moments_rk.c has what
 * is enumerated. */

#include "map/test/moments.h"

/* ---- Golden cases --------------------------------------------------------------------------- */

static const char *text(json_t *c, const char *key)
{
    return json_string_value(json_object_get(c, key));
}

static double real(json_t *c, const char *key)
{
    json_t *v = json_object_get(c, key);

    return json_is_string(v) ? strtod(json_string_value(v), NULL) : json_number_value(v);
}

static bool is(json_t *c, const char *key, const char *value)
{
    return text(c, key) && !strcmp(text(c, key), value);
}

/* Features that are independent, with the golden moments of one of them. */
static void independent(trial *t, json_t *c, size_t D)
{
    t->D = D;
    t->seeds = SEEDS;
    t->mean = real(c, "mean");
    t->one = real(c, "variance");
    t->variance = t->one / (double)D;
}

/* The golden moments are those of the whole map. */
static void sketch(trial *t, json_t *c, const char *D)
{
    t->D = (size_t)real(c, D);
    t->seeds = SKETCHES;
    t->mean = real(c, "mean");
    t->variance = real(c, "variance");
}

/* Orders are drawn with the golden probabilities unless some that are never drawn have one. */
static bool maclaurin(trial *t, json_t *c, char *map, size_t size)
{
    json_t *a = json_object_get(c, "coefs"), *P = json_object_get(c, "order_probs");
    bool h01 = json_is_true(json_object_get(c, "h01"));

    if (is(c, "sampling", "geometric"))
        return false;
    for (size_t n = 0; n < json_array_size(a); n++)
        if (strtod(json_string_value(json_array_get(P, n)), NULL) > 0
            && strtod(json_string_value(json_array_get(a, n)), NULL) == 0)
            return false;
    snprintf(map, size, "rm:p=%g,max-order=%d,h01=%s,projection=packed", real(c, "p"),
             (int)real(c, "max_order"), h01 ? "yes" : "no");
    independent(t, c, 64);
    if (h01)                            /* exact features are not like the others */
        t->one = NAN;
    t->mean = real(c, "total_mean");
    if (strstr(t->kernel, "exp"))
        fewer(t);
    return true;
}

/* Fills in the trial of a golden case; false: not a map of ours. */
static bool golden_trial(trial *t, json_t *c, char *map, char *kernel, size_t size)
{
    const char *name = text(c, "map");

    snprintf(kernel, size, "%s", text(c, "kernel") ? text(c, "kernel") : "linear");
    if (!strcmp(name, "rk")) {
        bool sign = is(c, "distribution", "rademacher"), laplace = is(c, "distribution", "laplace");
        bool bounded = sign || is(c, "distribution", "uniform"), one = !!strstr(kernel, "order=1");
        snprintf(map, size, "rk:dist=%s%s", text(c, "distribution"),
                 sign ? ",projection=packed" : "");
        independent(t, c, 64);
        t->heavy = !bounded && !one && (laplace || !strstr(kernel, "order=2"));
    } else if (!strcmp(name, "rk-complex")) {
        snprintf(map, size, "rk:complex=yes,projection=packed");
        independent(t, c, 64);
        t->variance = t->one / 32;
        t->one = NAN;
    } else if (!strcmp(name, "product") && is(c, "signs", "rademacher")) {
        snprintf(map, size, "rm:projection=packed");
        snprintf(kernel, size, "poly:degree=%d,coef0=0", (int)real(c, "degree"));
        independent(t, c, 64);
    } else if (!strcmp(name, "rk-circulant")) {
        snprintf(map, size, "rk:projection=circulant,signs=row");
        t->D = t->d;
        t->seeds = SKETCHES;
        t->mean = real(c, "mean");
        t->variance = real(c, "block_variance");
    } else if (!strcmp(name, "maclaurin"))
        return maclaurin(t, c, map, size);
    else if (!strcmp(name, "fourier")) {
        bool offset = is(c, "kind", "offset");
        snprintf(map, size, "rff:features=%s,projection=dense", offset ? "cos" : "cos-sin");
        independent(t, c, 64);
        if (!offset) {
            t->variance = t->one / 32;
            t->one = NAN;
        }
    } else if (!strcmp(name, "tensorsketch")) {
        snprintf(map, size, "ts");
        snprintf(kernel, size, "poly:degree=%d,coef0=%g", (int)real(c, "degree"), real(c, "coef0"));
        sketch(t, c, "D");
    } else if (!strcmp(name, "projection") && !is(c, "distribution", "sparse3")) {
        bool uniform = is(c, "distribution", "uniform");
        snprintf(map, size, "%s:dist=%s", uniform ? "rk" : "jl", text(c, "distribution"));
        independent(t, c, 64);
    } else if (!strcmp(name, "sparse-jl")) {
        snprintf(map, size, "sparse-jl:s=%d", (int)real(c, "s"));
        sketch(t, c, "m");
    } else
        return false;
    return true;
}

static void golden(void)
{
    static double x[GOLDEN_DIM], y[GOLDEN_DIM];
    json_t *root = golden_cases("tests/golden/map_moments.json"), *c;
    size_t i, seen = 0;

    json_array_foreach(json_object_get(root, "cases"), i, c)
    {
        char map[128], kernel[128];
        json_t *sets = json_object_get(c, "family");
        trial t = {.name = text(c, "id"), .map = map, .kernel = kernel, .x = x, .y = y,
                   .family = sets ? golden_family(sets) : NULL, .one = NAN};
        t.d = golden_vector(x, json_object_get(c, "x"));
        CHECK(golden_vector(y, json_object_get(c, "y")) == t.d);
        if (!golden_trial(&t, c, map, kernel, sizeof map))
            continue;
        seen++;
        CHECK(passes(&t));
    }
    CHECK(seen > 150);
    json_decref(root);
}

/* ---- Hashed crosses ------------------------------------------------------------------------- */

/* Every column of the expansion to one bucket of each of s blocks: two columns meet with
 * probability s/D. */
static void check_crosses(const char *kernel, int kind, size_t D, size_t s)
{
    double x[5], y[5], u[64], v[64], V = 0, mean = 0;
    size_t n = 0, d = 5;
    char map[64];

    fill(x, y, d, kind);
    if (kind == 1)
        u[n] = 0.5, v[n++] = 0.5;       /* (1/2 + <x,y>)^2 */
    for (size_t i = 0; i < d; i++) {
        if (kind == 1) {
            u[n] = x[i], v[n++] = y[i];
            u[n] = x[i] * x[i], v[n++] = y[i] * y[i];
        }
        for (size_t j = 0; j < i; j++) {
            double two = kind == 1 ? sqrt(2) : 1;
            u[n] = two * x[i] * x[j], v[n++] = two * y[i] * y[j];
        }
    }
    for (size_t i = 0; i < n; i++) {
        mean += u[i] * v[i];
        for (size_t j = 0; j < n; j++)
            V += i == j ? 0 : u[i] * u[i] * v[j] * v[j] + u[i] * v[i] * u[j] * v[j];
    }
    snprintf(map, sizeof map, "sparse-jl:s=%zu", s);
    trial t = {.name = "crosses", .map = map, .kernel = kernel, .x = x, .y = y, .d = d, .D = D,
               .seeds = SKETCHES, .mean = mean, .variance = V / (double)D, .one = NAN};
    CHECK(passes(&t));
}

/* ---- Rows that are only known to have the right law ----------------------------------------- */

static void check_mean(const char *map, const char *kernel, double want, const double *x,
                       const double *y, size_t d)
{
    trial t = {.name = "mean", .map = map, .kernel = kernel, .x = x, .y = y, .d = d, .D = 64,
               .seeds = SEEDS, .mean = want, .variance = NAN, .one = NAN};

    if (strstr(kernel, "exp"))
        fewer(&t);
    CHECK(passes(&t));
}

static void structured_fourier(void)
{
    double x[6], y[6], gap = 0, sum = 0, product = 1;

    fill(x, y, 6, false);
    for (size_t j = 0; j < 6; j++) {
        double e = x[j] - y[j];
        gap += e * e;
        sum += fabs(e);
        product /= 1 + 0.04 * e * e;
    }
    check_mean("rff:projection=hadamard", "rbf:gamma=0.1", exp(-0.1 * gap), x, y, 6);
    check_mean("rff:projection=hadamard,features=cos", "rbf:gamma=0.1", exp(-0.1 * gap), x, y, 6);
    check_mean("rff:projection=circulant", "rbf:gamma=0.1", exp(-0.1 * gap), x, y, 6);
    check_mean("rff:projection=circulant", "laplacian:gamma=0.2", exp(-0.2 * sum), x, y, 6);
    check_mean("rff:projection=circulant", "cauchy:gamma=0.2", product, x, y, 6);
    check_mean("rm:projection=hadamard", "exp:gamma=0.25(rbf:gamma=0.1)",
               exp(0.25 * exp(-0.1 * gap)), x, y, 6);
}

int main(void)
{
    test_init();
    golden();
    check_crosses("anova:order=2", 0, 32, 1);
    check_crosses("anova:order=2", 0, 12, 4);
    check_crosses("poly:degree=2,coef0=0.5", 1, 32, 4);
    structured_fourier();
    CHECK(checks <= CHECKS);
    check_sight();
    return 0;
}
