/* SPDX-License-Identifier: BSD-3-Clause
 * t_values.c - gradients against exact values and against the reverse-mode table.
 *
 * The table (Blondel et al. 2016, algorithm 2) keeps all partial results of the insertion and runs
 * backwards: no subtraction, so it is stable, but it needs n m numbers.  Here it runs in long
 * double, as the twin of insertion + guarded deletion.
 *
 * Covers: all_subsets.c, anova.c, linear.c */

#include "kernel/test/golden.h"

#include <float.h>

enum { N = 40 };                        /* entries of a row */

/* d(sum_t theta_t e_t)/dp_j */
static void reverse_mode(long double *grad, const double *p, const double *x, int n, int m,
                         const double *theta)
{
    static long double a[N + 1][FX_ORDER_MAX + 1], b[N + 2][FX_ORDER_MAX + 1];

    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    a[0][0] = 1;
    for (int j = 1; j <= n; j++)
        for (int t = 0; t <= m; t++) {
            long double z = (long double)p[j - 1] * x[j - 1];
            a[j][t] = a[j - 1][t] + (t ? z * a[j - 1][t - 1] : 0);
        }
    for (int t = 1; t <= m; t++)        /* b[j][t] = dK/da[j][t] */
        b[n][t] = theta[t];
    for (int j = n; j >= 1; j--) {
        long double z = (long double)p[j - 1] * x[j - 1];
        for (int t = 0; t <= m; t++)
            b[j - 1][t] = b[j][t] + (t < m ? z * b[j][t + 1] : 0);
    }
    for (int j = 1; j <= n; j++) {
        grad[j - 1] = 0;
        for (int t = 1; t <= m; t++)
            grad[j - 1] += b[j][t] * a[j - 1][t - 1];
        grad[j - 1] *= x[j - 1];
    }
}

/* What anova.c promises for entry j: 64 k u |x_j| sum_t theta_t E_{t-1}(without j). */
static double bound(const double *p, const double *x, int n, int j, int m, const double *theta)
{
    double e[FX_ORDER_MAX + 1] = {1}, sum = 0;

    for (int i = 0; i < n; i++)
        if (i != j)
            fxi_kernel_esp_insert(e, m, fabs(p[i] * x[i]));
    for (int t = 1; t <= m; t++)
        sum += theta[t] * e[t - 1];
    return 64 * (n + 4 * m + 4) * DBL_EPSILON / 2 * fabs(x[j]) * sum * 1.0001;
}

/* Orders 1 to 8; one feature 1, 10, 1e3, 1e9 times the rest; few features; zeros. */
static void against_table(void)
{
    enum { VECTORS = 19 };
    static double P[N * VECTORS], V[VECTORS], G[N * VECTORS];
    static const double factor[] = {1, 10, 1e3, 1e9};

    for (int c = 0, cases = test_cases(160); c < cases; c++) {
        int m = c % 8 + 1, n = c % 3 ? (int)test_below(N) + 1 : (int)test_below(10) + 1;
        bool upto = c / 8 % 2;
        double x[N], theta[FX_ORDER_MAX + 1] = {0};
        char spec[256];
        int len = snprintf(spec, sizeof spec, "%s:order=%d", upto ? "anova-upto" : "anova", m);
        for (int t = 1; t <= m; t++) {
            theta[t] = upto ? (double)test_below(5) / 4 : t == m;
            if (upto)
                len += snprintf(spec + len, sizeof spec - (size_t)len, "%s%g",
                                t == 1 ? ",theta=" : "/", theta[t]);
        }
        for (int j = 0; j < n; j++) {
            x[j] = test_below(8) ? test_unit() - 0.3 : 0;
            for (int s = 0; s < VECTORS; s++)
                P[j * VECTORS + s] = test_below(9) ? test_unit() - 0.5 : 0;
        }
        x[test_below((size_t)n)] *= factor[c / 16 % 4];
        fx_kernel *k = NULL;
        fx_matrix X = {.rows = 1, .cols = (size_t)n, .stride = (size_t)n, .type = FX_F64, .val = x};
        CHECK(fx_kernel_parse(&k, spec, NULL, 0) == FX_OK);
        CHECK(fx_kernel_values(V, G, k, P, VECTORS, &X, NULL) == FX_OK);
        for (int s = 0; s < VECTORS; s++) {
            double p[N];
            long double want[N];
            for (int j = 0; j < n; j++)
                p[j] = P[j * VECTORS + s];
            reverse_mode(want, p, x, n, m, theta);
            for (int j = 0; j < n; j++)
                CHECK_NEAR(G[j * VECTORS + s], (double)want[j], bound(p, x, n, j, m, theta));
        }
        fx_kernel_free(k);
    }
}

static void one_golden(json_t *c)
{
    static double p[GOLDEN_DIM], x[GOLDEN_DIM], V[1], G[GOLDEN_DIM];
    static golden_row r;
    const char *id = json_string_value(json_object_get(c, "id"));
    fx_kernel *k = NULL;
    fx_status st = fx_kernel_parse(&k, json_string_value(json_object_get(c, "kernel")), NULL, 0);

    if (json_object_get(c, "error")) {
        CHECK(st == FX_EINVAL);
        return;
    }
    CHECK(st == FX_OK);
    size_t dim = golden_vector(x, json_object_get(c, "x"));
    CHECK(golden_vector(p, json_object_get(c, "p")) == dim);
    json_t *grad = json_object_get(c, "grad"), *scale = json_object_get(c, "grad_scale");
    double value = strtod(json_string_value(json_object_get(c, "value")), NULL);
    for (int form = 0; form < GOLDEN_FORMS; form++) {
        if (form & GOLDEN_FLOAT)
            continue;
        fx_matrix *X = golden_form(&r, x, dim, form);
        size_t n = X->ptr ? (size_t)X->ptr[1] : dim;
        CHECK(fx_kernel_values(V, G, k, p, 1, X, NULL) == FX_OK);
        for (size_t q = 0; q < n; q++) {
            size_t j = X->ptr ? (size_t)r.col64[q] : q;
            double want = strtod(json_string_value(json_array_get(grad, j)), NULL);
            double s = strtod(json_string_value(json_array_get(scale, j)), NULL);
            double c0 = 8 * ((double)n + 2 * k->order + 4);     /* small, as the file asks */
            if (!(fabs(G[q] - want) <= c0 * DBL_EPSILON / 2 * s))
                fprintf(stderr, "%s: entry %zu on %s, off by %g u\n", id, j, fx_simd_target(),
                        fabs(G[q] - want) / s / DBL_EPSILON * 2);
            CHECK_NEAR(G[q], want, c0 * DBL_EPSILON / 2 * s);
        }
        double got;
        golden_row rp;
        fx_matrix *Z = golden_form(&rp, p, dim, form);
        CHECK(fx_kernel_gram(&got, 1, k, X, Z, NULL) == FX_OK);
        CHECK(fabs(V[0] - value) <= fabs(got - value) + 64 * DBL_EPSILON * fabs(value) + DBL_MIN);
    }
    fx_kernel_free(k);
}

static void golden(void)
{
    json_t *root = golden_cases("tests/golden/anova_gradients.json"), *c;
    size_t i;

    json_array_foreach(json_object_get(root, "cases"), i, c) one_golden(c);
    CHECK(i > 60);
    json_decref(root);
}

/* Many rows and vectors: V is the Gram of P' and X, threads do not matter, dense equals sparse. */
static void many(void)
{
    enum { ROWS = 70, COLS = 12, VECTORS = 21 };
    static double x[ROWS * COLS], val[ROWS * COLS], P[COLS * VECTORS], PT[VECTORS * COLS];
    static double V[ROWS * VECTORS], W[ROWS * VECTORS], K[ROWS * VECTORS];
    static double G[ROWS * COLS * VECTORS], H[ROWS * COLS * VECTORS];
    static const char *specs[] = {"linear", "anova:order=3", "anova-upto:order=2", "all-subsets",
                                  "poly", "rbf", "exp:gamma=0.5(cauchy)"};
    int64_t ptr[ROWS + 1] = {0};
    int32_t col[ROWS * COLS];
    size_t nz = 0;

    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < COLS; j++)
            if ((x[i * COLS + j] = test_below(2) ? test_unit() - 0.5 : 0) != 0) {
                col[nz] = (int32_t)j;
                val[nz++] = x[i * COLS + j];
            }
        ptr[i + 1] = (int64_t)nz;
    }
    for (size_t j = 0; j < COLS; j++)
        for (size_t s = 0; s < VECTORS; s++)
            PT[s * COLS + j] = P[j * VECTORS + s] = test_unit() - 0.5;
    fx_matrix X = {.rows = ROWS, .cols = COLS, .stride = COLS, .type = FX_F64, .val = x};
    fx_matrix S = {.rows = ROWS, .cols = COLS, .type = FX_F64, .val = val, .ptr = ptr, .col = col};
    fx_matrix Q = {.rows = VECTORS, .cols = COLS, .stride = COLS, .type = FX_F64, .val = PT};
    for (size_t c = 0; c < sizeof specs / sizeof *specs; c++) {
        fx_kernel *k = NULL;
        CHECK(fx_kernel_parse(&k, specs[c], NULL, 0) == FX_OK);
        double *g = k->type->gradient ? G : NULL, *h = g ? H : NULL;
        CHECK(fx_kernel_values(V, g, k, P, VECTORS, &X, &(fx_run){RUN, .threads = 1}) == FX_OK);
        CHECK(fx_kernel_values(W, h, k, P, VECTORS, &X, &(fx_run){RUN, .threads = 8}) == FX_OK);
        CHECK(test_helped());
        CHECK(!memcmp(V, W, sizeof V) && (!g || !memcmp(G, H, sizeof G)));
        CHECK(fx_kernel_gram(K, VECTORS, k, &X, &Q, NULL) == FX_OK);
        for (size_t i = 0; i < ROWS * VECTORS; i++)     /* which may take rbf from products */
            CHECK_NEAR(V[i], K[i], fxi_kernel_squares(k) > 0 ? 64 * COLS * DBL_EPSILON : 0);
        CHECK(fx_kernel_values(W, h, k, P, VECTORS, &S, NULL) == FX_OK);
        for (size_t i = 0; i < ROWS * VECTORS; i++)
            CHECK_NEAR(W[i], V[i], 8 * COLS * DBL_EPSILON * (1 + fabs(V[i])));
        for (size_t i = 0; g && i < ROWS; i++)
            for (size_t q = (size_t)ptr[i]; q < (size_t)ptr[i + 1]; q++)
                for (size_t s = 0; s < VECTORS; s++)
                    CHECK_NEAR(H[q * VECTORS + s], G[(i * COLS + (size_t)col[q]) * VECTORS + s],
                               1e3 * COLS * DBL_EPSILON);
        if (!g)
            CHECK(fx_kernel_values(V, G, k, P, VECTORS, &X, NULL) == FX_EUNSUPPORTED);
        P[5] = INFINITY;
        CHECK(fx_kernel_values(V, NULL, k, P, VECTORS, &X, NULL) == FX_EDOMAIN);
        P[5] = PT[5 * COLS];
        fx_kernel_free(k);
    }
}

static int stop(void *ctx, double done)
{
    (void)done;
    return ++*(int *)ctx > 1;
}

static void rejections(void)
{
    double x[] = {9, 1e200, 1}, p[] = {0, 1e200}, V[1] = {7}, G[2] = {7, 7};
    int64_t ptr[] = {1, 3};             /* entries before the first row are not read */
    int32_t col[] = {5, 0, 1};
    fx_matrix X = {.rows = 1, .cols = 2, .type = FX_F64, .val = x, .ptr = ptr, .col = col};
    static const char *specs[] = {"anova:order=2", "anova-upto:order=2", "all-subsets"};
    fx_kernel *k = NULL;

    for (int c = 0; c < 3; c++) {       /* K(p, x) is finite, its derivative 1e400 is not */
        CHECK(fx_kernel_parse(&k, specs[c], NULL, 0) == FX_OK);
        CHECK(fx_kernel_values(V, NULL, k, p, 1, &X, NULL) == FX_OK);
        CHECK(fx_kernel_values(V, G, k, p, 1, &X, NULL) == FX_ENUMERIC);
        CHECK(strstr(fx_error_detail(), "row 0 and vector 0"));
        fx_kernel_free(k);
    }
    CHECK(fx_kernel_parse(&k, "linear", NULL, 0) == FX_OK);
    CHECK(fx_kernel_values(V, G, k, p, 1, &X, NULL) == FX_OK && V[0] == 1e200);
    CHECK(G[0] == 1e200 && G[1] == 1);
    V[0] = 7;
    CHECK(fx_kernel_values(V, NULL, k, p, SIZE_MAX - 7, &X, NULL) == FX_ESHAPE);
    CHECK(fx_kernel_values(V, NULL, k, p, SIZE_MAX / 16, &X, NULL) == FX_ESHAPE);
    CHECK(fx_kernel_values(V, NULL, k, p, 1, &X, &(fx_run){RUN, .max_memory = 10}) == FX_ELIMIT);
    CHECK(fx_kernel_values(NULL, NULL, k, p, 1, &X, NULL) == FX_EINVAL && V[0] == 7);
    p[0] = 1e200;
    CHECK(fx_kernel_values(V, NULL, k, p, 1, &X, NULL) == FX_ENUMERIC);
    fx_kernel_free(k);

    enum { COLS = 200000, VECTORS = 64 };       /* one row, a second of work */
    double *row = malloc(COLS * sizeof *row), *P = malloc(COLS * VECTORS * sizeof *P), out[VECTORS];
    double *grad = malloc(COLS * VECTORS * sizeof *grad);
    fx_matrix W = {.rows = 1, .cols = COLS, .stride = COLS, .type = FX_F64, .val = row};
    int polls = 0;
    CHECK(row && P && grad && fx_kernel_parse(&k, "anova:order=16", NULL, 0) == FX_OK);
    for (size_t i = 0; i < COLS * VECTORS; i++)
        P[i] = 1e-3;
    for (size_t i = 0; i < COLS; i++)
        row[i] = i ? 1e-3 : 1e9;
    CHECK(fx_kernel_values(out, grad, k, P, VECTORS, &W,
                           &(fx_run){RUN, .progress = stop, .ctx = &polls})
          == FX_ECANCELLED);
    fx_kernel_free(k);
    free(row);
    free(P);
    free(grad);
}

int main(void)
{
    test_init();
    rejections();
    golden_targets(golden);
    golden_targets(against_table);
    golden_targets(many);
    return 0;
}
