/* SPDX-License-Identifier: BSD-3-Clause
 * t_kernel_pca.c - kernel components against their definition and Jacobi's rotations; the linear
 * kernel against pca.c; components on maps against the exact ones: equal for the explicit map, and
 * nearer by the square root of the features for random ones.
 *
 * Covers: pca_panels.c */

#include "components.h"

enum { ROWS = 90, COLS = 12, K = 4, SEEDS = 5 };

static double X[ROWS * COLS], c[ROWS];
static double all;                      /* variance */

static fx_matrix rows_of(size_t rows)
{
    return (fx_matrix){.rows = rows, .cols = COLS, .stride = COLS, .type = FX_F64, .val = X};
}

static fx_kernel *kernel_of(const char *spec)
{
    fx_kernel *k = NULL;

    CHECK(fx_kernel_parse(&k, spec, NULL, 0) == FX_OK);
    return k;
}

static void draw(void)
{
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < COLS; j++)
            X[i * COLS + j] = test_below(3) ? (float)(test_unit() * pow(0.8, (double)j)) : 0;
        c[i] = test_below(6) ? 0.2 + test_unit() : 0;
    }
}

/* sqrt(w_i w_j) times the centred Gram matrix, by definition. */
static void define(double *A, const fx_kernel *k, size_t n)
{
    static double G[ROWS * ROWS], r[ROWS];
    fx_matrix m = rows_of(n);
    double total = 0, g = 0;

    CHECK(fx_kernel_gram(G, n, k, &m, NULL, NULL) == FX_OK);
    for (size_t i = 0; i < n; i++)
        total += c[i];
    for (size_t i = 0; i < n; i++) {
        r[i] = 0;
        for (size_t j = 0; j < n; j++)
            r[i] += c[j] / total * G[i * n + j];
        g += c[i] / total * r[i];
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            A[i * n + j] = sqrt(c[i] * c[j]) / total * (G[i * n + j] - r[i] - r[j] + g);
}

/* P = the components of the rows themselves. */
static void components(double *P, const fx_kernel *kernel, const double *W, const double *b,
                       size_t n, size_t k)
{
    static double G[ROWS * ROWS];
    fx_matrix m = rows_of(n);

    CHECK(fx_kernel_gram(G, n, kernel, &m, NULL, NULL) == FX_OK);
    for (size_t i = 0; i < n; i++)
        for (size_t a = 0; a < k; a++) {
            P[i * k + a] = b[a];
            for (size_t l = 0; l < n; l++)
                P[i * k + a] += G[i * n + l] * W[l * k + a];
        }
}

static void check_definition(const char *spec, size_t n, size_t k)
{
    static double A[ROWS * ROWS], V[ROWS * ROWS], d[ROWS], W[ROWS * ROWS], again[ROWS * ROWS];
    static double P[ROWS * ROWS], b[ROWS], value[ROWS];
    fx_kernel *kernel = kernel_of(spec);
    fx_matrix m = rows_of(n);

    define(A, kernel, n);
    components_jacobi(d, V, A, n);
    CHECK(fxi_fit_kernel_pca(W, b, value, &all, kernel, &m, c, k, 5, &(fx_run){RUN, .threads = 1})
          == FX_OK);
    CHECK(
        fxi_fit_kernel_pca(again, b, value, &all, kernel, &m, c, k, 5, &(fx_run){RUN, .threads = 3})
        == FX_OK);
    CHECK(test_helped() || n < 32);
    CHECK(!memcmp(W, again, n * k * sizeof *W));
    for (size_t a = 0; a < k; a++) {
        double largest = 0;
        CHECK_NEAR(value[a], d[a], 1e-10 * d[0]);
        for (size_t i = 0; i < n; i++) {
            CHECK(c[i] > 0 || W[i * k + a] == 0);
            largest = fabs(W[i * k + a]) > fabs(largest) ? W[i * k + a] : largest;
        }
        CHECK(value[a] > 0 ? largest > 0 : largest == 0 && b[a] == 0);
    }
    components(P, kernel, W, b, n, k);
    components_moments(P, c, n, k, value, 1e-8);
    for (size_t i = 0; i < n; i++)
        all -= d[i];
    CHECK_NEAR(all, 0, 1e-11 * d[0]);
    fx_kernel_free(kernel);
}

/* A precomputed matrix, with serial numbers or without, sparse or dense, gives the same. */
static void check_precomputed(void)
{
    enum { N = 40 };
    static double G[N * N], H[N * (N + 1)], W[2][N * K];
    static int64_t ptr[N + 1];
    static int32_t col[N * N];
    double b[2][K], value[2][K];
    fx_kernel *kernel = kernel_of("rbf:gamma=0.5"), *read = kernel_of("precomputed:serial=no");
    fx_kernel *numbered = kernel_of("precomputed:serial=yes");
    fx_matrix m = rows_of(N), dense = {.rows = N, .cols = N + 1, .stride = N + 1, .type = FX_F64,
                                       .val = H};
    fx_matrix sparse = {.rows = N, .cols = N, .type = FX_F64, .val = G, .ptr = ptr, .col = col};

    CHECK(fx_kernel_gram(G, N, kernel, &m, NULL, NULL) == FX_OK);
    CHECK(fxi_fit_kernel_pca(W[0], b[0], value[0], &all, kernel, &m, c, K, 1, NULL) == FX_OK);
    for (size_t i = 0; i < N * N; i++) {
        H[i / N * (N + 1)] = (double)(i / N + 1);
        H[i / N * (N + 1) + i % N + 1] = G[i];
        col[i] = (int32_t)(i % N);
        ptr[i / N + 1] = (int64_t)i + 1;
    }
    CHECK(fxi_fit_kernel_pca(W[1], b[1], value[1], &all, numbered, &dense, c, K, 1, NULL) == FX_OK);
    CHECK(!memcmp(W[0], W[1], sizeof W[0]) && !memcmp(b[0], b[1], sizeof b[0]));
    CHECK(fxi_fit_kernel_pca(W[1], b[1], value[1], &all, read, &sparse, c, K, 1, NULL) == FX_OK);
    CHECK(!memcmp(W[0], W[1], sizeof W[0]) && !memcmp(value[0], value[1], sizeof value[0]));
    fx_kernel_free(kernel);
    fx_kernel_free(read);
    fx_kernel_free(numbered);
}

/* With the linear kernel the components are pca.c's, but for their signs. */
static void check_linear(void)
{
    static double W[ROWS * K], U[COLS * K], P[ROWS * K], Q[ROWS * K];
    double b[K], value[K], e[K], want[K];
    fx_kernel *kernel = kernel_of("linear");
    fx_matrix m = rows_of(ROWS);
    fxi_source s;

    CHECK(fxi_fit_source(&s, &m, NULL, 0, NULL) == FX_OK);
    CHECK(fxi_fit_kernel_pca(W, b, value, &all, kernel, &m, c, K, 1, NULL) == FX_OK);
    CHECK(fxi_fit_pca(U, e, want, &all, &s, c, K, 1, NULL) == FX_OK);
    components(P, kernel, W, b, ROWS, K);
    CHECK(fxi_fit_source_scores(Q, &s, U, e, K, NULL) == FX_OK);
    for (size_t a = 0; a < K; a++) {
        double sign = 0;
        CHECK_NEAR(value[a], want[a], 1e-10 * want[0]);
        for (size_t i = 0; i < ROWS; i++)
            sign += P[i * K + a] * Q[i * K + a];
        for (size_t i = 0; i < ROWS; i++)
            CHECK_NEAR(P[i * K + a], sign < 0 ? -Q[i * K + a] : Q[i * K + a], 1e-7);
    }
    fxi_fit_source_free(&s);
    fx_kernel_free(kernel);
}

/* |P P' - Q Q'| / |Q Q'| in Frobenius norm: centred Gram matrices that k components leave. */
static double distance(const double *P, const double *Q)
{
    double far = 0, size = 0;

    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < ROWS; j++) {
            double p = 0, q = 0;
            for (size_t a = 0; a < K; a++) {
                p += P[i * K + a] * P[j * K + a];
                q += Q[i * K + a] * Q[j * K + a];
            }
            far += (p - q) * (p - q);
            size += q * q;
        }
    return sqrt(far / size);
}

/* Components on a map of D features against exact ones Q; *off: largest error of a variance. */
static double mapped(double *off, const char *spec, const fx_kernel *kernel, size_t D,
                     uint64_t seed, const double *Q, const double *want)
{
    static double P[ROWS * K];
    fx_matrix m = rows_of(ROWS);
    double b[K], value[K];
    fx_map *map = NULL;
    fxi_source s;

    CHECK(fx_map_parse(&map, spec, kernel, COLS, D, seed, NULL, NULL) == FX_OK);
    CHECK(fxi_fit_source(&s, &m, map, UINT64_MAX, NULL) == FX_OK);
    double *W = fxi_alloc(s.features * K, sizeof *W);
    CHECK(W && fxi_fit_pca(W, b, value, &all, &s, c, K, seed, NULL) == FX_OK);
    CHECK(fxi_fit_source_scores(P, &s, W, b, K, NULL) == FX_OK);
    *off = 0;
    for (size_t a = 0; a < K; a++)
        *off = fmax(*off, fabs(value[a] - want[a]) / want[0]);
    free(W);
    fxi_fit_source_free(&s);
    fx_map_free(map);
    return distance(P, Q);
}

/* From 64 to 4096 features the error shall fall by 8; seeds differ, so between 4 and 16. */
static void check_maps(const char *spec, const char *map, bool explicit)
{
    static double W[ROWS * K], Q[ROWS * K];
    double b[K], value[K], off, mean[3] = {0};
    fx_kernel *kernel = kernel_of(spec);
    fx_matrix m = rows_of(ROWS);

    CHECK(fxi_fit_kernel_pca(W, b, value, &all, kernel, &m, c, K, 1, NULL) == FX_OK);
    components(Q, kernel, W, b, ROWS, K);
    for (size_t t = 0; t < 3; t++)
        for (uint64_t seed = 1; seed <= SEEDS; seed++)
            mean[t] += mapped(&off, map, kernel, (size_t)64 << 3 * t, seed, Q, value) / SEEDS;
    CHECK(mean[1] < mean[0] && mean[2] < mean[1]);
    CHECK(mean[0] / mean[2] > 4 && mean[0] / mean[2] < 16);
    if (explicit) {
        CHECK_NEAR(mapped(&off, "explicit", kernel, 0, 1, Q, value), 0, 1e-5);
        CHECK_NEAR(off, 0, 1e-6);
    }
    fx_kernel_free(kernel);
}

static int stop(void *ctx, double done)
{
    CHECK(done >= 0 && done <= 1);
    return ++*(int *)ctx > 1;
}

static void check_errors(void)
{
    static double W[ROWS * (ROWS + 1)], b[ROWS + 1], value[ROWS + 1];
    fx_kernel *kernel = kernel_of("rbf:gamma=1");
    fx_matrix m = rows_of(ROWS);
    int calls = 0;
    size_t bytes;

    CHECK(fxi_fit_kernel_pca(W, b, value, &all, kernel, &m, c, 0, 1, NULL) == FX_EINVAL);
    CHECK(fxi_fit_kernel_pca(W, b, value, &all, kernel, &m, c, ROWS + 1, 1, NULL) == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "k is 91"));
    CHECK(fxi_fit_kernel_pca_bytes(&bytes, ROWS, K) && bytes >= 8 * ROWS * ROWS);
    CHECK(fxi_fit_kernel_pca(W, b, value, &all, kernel, &m, c, K, 1,
                             &(fx_run){RUN, .max_memory = bytes - 1})
          == FX_ELIMIT);
    CHECK(fxi_fit_kernel_pca(W, b, value, &all, kernel, &m, c, K, 1,
                             &(fx_run){RUN, .progress = stop, .ctx = &calls})
          == FX_ECANCELLED);
    CHECK(!fxi_fit_kernel_pca_bytes(&bytes, SIZE_MAX / 2, K));
    CHECK(!fxi_fit_kernel_pca_bytes(&bytes, (size_t)1 << 31, K));
    fx_kernel_free(kernel);
}

int main(void)
{
    test_init();
    draw();
    check_definition("rbf:gamma=0.5", ROWS, 5);
    check_definition("anova:order=2", 37, 3);
    check_definition("poly:degree=2", ROWS, 30);
    check_definition("linear", ROWS, COLS + 4);         /* more than the rank */
    check_definition("linear", 17, 9);
    check_precomputed();
    check_linear();
    check_errors();
    check_maps("anova:order=2", "rk:projection=packed", true);
    check_maps("rbf:gamma=0.5", "rff", false);
    return 0;
}
