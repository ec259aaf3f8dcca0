/* SPDX-License-Identifier: BSD-3-Clause
 * t_rows.c - rows of Gram matrices against fx_kernel_gram, float by float; and that a number
 * depends on its own two rows alone, bit for bit: alone or in company, dense or sparse, either way
 * round, for any threads, on every instruction set.
 *
 * Covers: panel.c, panel_eval.c, panel_pack.c, rows_hot.c */

#include "kernel/test/golden.h"

#include <float.h>

enum { N = 1100, D = 29, Z_ROWS = 37 };

static const char *const specs[]
    = {"linear", "poly:degree=2", "poly:degree=5,gamma=0.3", "exp:gamma=0.5", "vovk:degree=4",
       "vovk-inf", "maclaurin:coef=1/2/3", "anova:order=2", "anova:order=7", "anova-upto:order=3",
       "all-subsets", "itemset:file=f", "groups:file=f,order=2", "cross:file=f", "rbf:gamma=0.7",
       "rbf:gamma=300",                 /* both ways to a distance in one panel */
       "laplacian:gamma=0.2", "cauchy:gamma=0.9", "poly:degree=2(rbf)", "exp(anova)"};
enum { SPECS = sizeof specs / sizeof *specs };

static fx_kernel *kernel_of(const char *spec)
{
    fx_kernel *k = NULL;
    const char *family = strstr(spec, "itemset")  ? "{}\n1\n1 2 5\n7 9\n3 28\n"
                         : strstr(spec, "groups") ? "a: 1 2 3\nb: 9 7 20\n"
                                                  : "a b\na: 1 2 3 11\nb: 9 7 20 3\n";

    CHECK(fx_kernel_parse(&k, spec, strstr(spec, "file") ? family : NULL, 0) == FX_OK);
    return k;
}

/* The same numbers in eight forms: dense or CSR, float or double, two types of columns, and CSR
 * with so many columns that they are found through tables; all numbers are floats. */
static double f64[N * D], csr64[N * D];
static float f32[N * D], csr32[N * D];
static int32_t col32[N * D], far32[N * D];
static int64_t col64[N * D], far64[N * D], ptr[N + 1];
enum { FORMS = 8 };

static void fill(void)
{
    size_t n = 0;

    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < D; j++) {
            double v = test_below(4) < i % 5 ? (double)(float)((test_unit() - 0.4) / 6) : 0;
            f64[i * D + j] = v;
            f32[i * D + j] = (float)v;
            if (v != 0 || (i + j) % 13 == 0) {          /* explicit zeros too */
                csr64[n] = v;
                csr32[n] = (float)v;
                col64[n] = col32[n] = (int32_t)j;
                far32[n] = (int32_t)j * 700;            /* 20,000 columns: a table */
                far64[n++] = (int64_t)j << 40;          /* a hash table */
            }
        }
        ptr[i + 1] = (int64_t)n;
    }
}

static fx_matrix form(int f)
{
    fx_matrix X = {.rows = N, .cols = D, .stride = D, .type = f & 1 ? FX_F32 : FX_F64,
                   .val = f & 1 ? (const void *)f32 : f64};

    if (f < 2)
        return X;
    X.val = f & 1 ? (const void *)csr32 : csr64;
    X.ptr = ptr;
    X.stride = 0;
    X.wide = f >= 4 && f != 6;
    X.cols = f < 5 ? D : f == 6 ? 20000 + 700 : (size_t)1 << 46;
    X.col = f < 4    ? (const void *)col32
            : f == 4 ? (const void *)col64
            : f == 6 ? (const void *)far32
                     : far64;
    return X;
}

static float row_of[Z_ROWS][N], *K[Z_ROWS];
static double gram[N * Z_ROWS];

/* Rows with many others beside all rows: as gram has them, in every form and for any threads. */
static void against_gram(void)
{
    int32_t z[Z_ROWS], x[N];
    static double Zd[Z_ROWS * D];

    for (size_t w = 0; w < Z_ROWS; w++) {
        z[w] = (int32_t)test_below(N);
        K[w] = row_of[w];
        memcpy(Zd + w * D, f64 + (size_t)z[w] * D, D * sizeof *Zd);
    }
    for (size_t i = 0; i < N; i++)
        x[i] = (int32_t)(N - 1 - i);
    fx_matrix X = form(0), Z = X;
    Z.rows = Z_ROWS;
    Z.val = Zd;
    for (size_t s = 0; s < SPECS; s++) {
        fx_kernel *k = kernel_of(specs[s]);
        CHECK(fx_kernel_gram(gram, Z_ROWS, k, &X, &Z, &(fx_run){RUN, .threads = 1}) == FX_OK);
        for (int f = 0; f < FORMS; f++) {
            if (f > 4 && fxi_kernel_columns(k))         /* those columns mean other features */
                continue;
            fx_matrix A = form(f), B = form(f < 2 ? (f + 3) % 5 : f);
            int threads = f % 2 * 2 + 1;
            memset(row_of, 0x55, sizeof row_of);
            CHECK(fxi_kernel_rows(K, k, (fxi_row_subset){&A, x, N}, (fxi_row_subset){&B, z, Z_ROWS},
                                  &(fx_run){RUN, .threads = threads})
                  == FX_OK);
            CHECK(test_helped() == (threads > 1));
            for (size_t i = 0; i < N; i++)
                for (size_t w = 0; w < Z_ROWS; w++)
                    CHECK(row_of[w][i] == (float)gram[(N - 1 - i) * Z_ROWS + w]);
        }
        double d[N];
        fx_matrix A = form((int)(s % 4));
        CHECK(fxi_kernel_rows_diagonal(d, k, (fxi_row_subset){&A, x, N}, NULL) == FX_OK);
        for (size_t w = 0; w < Z_ROWS; w++)
            CHECK(d[N - 1 - (size_t)z[w]] == gram[(size_t)z[w] * Z_ROWS + w]);
        fx_kernel_free(k);
    }
}

/* In doubles: each pair by itself, in all forms, both ways round. */
static void alone(void)
{
    enum { M = 9 };
    static double G[N * M];

    for (size_t s = 0; s < SPECS; s++) {
        fx_kernel *k = kernel_of(specs[s]);
        fx_matrix X = form((int)(s + test_below(2)) % 4), Z = form(2);
        size_t first = test_below(N - M);
        Z.rows = M;
        Z.ptr = ptr + first;
        CHECK(fx_kernel_gram(G, M, k, &X, &Z, NULL) == FX_OK);
        for (int c = 0; c < test_cases(40); c++) {
            size_t i = test_below(N), j = test_below(M);
            for (int f = 0; f < FORMS; f++) {
                if (f > 4 && fxi_kernel_columns(k))
                    continue;
                fx_matrix A = form(f), B = form(f < 5 ? (int)test_below(5) : f);
                double one, other;
                A.rows = B.rows = 1;
                A.val = A.ptr              ? A.val
                        : A.type == FX_F32 ? (const void *)(f32 + i * D)
                                           : f64 + i * D;
                B.val = B.ptr              ? B.val
                        : B.type == FX_F32 ? (const void *)(f32 + (first + j) * D)
                                           : f64 + (first + j) * D;
                A.ptr = A.ptr ? ptr + i : NULL;
                B.ptr = B.ptr ? ptr + first + j : NULL;
                CHECK(fx_kernel_gram(&one, 1, k, &A, &B, NULL) == FX_OK);
                CHECK(fx_kernel_gram(&other, 1, k, &B, &A, NULL) == FX_OK);
                if (memcmp(&one, &G[i * M + j], sizeof one) || memcmp(&one, &other, sizeof one))
                    fprintf(stderr, "%s, form %d: %.17g %.17g, with others %.17g\n", specs[s], f,
                            one, other, G[i * M + j]);
                CHECK(!memcmp(&one, &G[i * M + j], sizeof one));
                CHECK(!memcmp(&one, &other, sizeof one));
            }
        }
        fx_kernel_free(k);
    }
}

/* rbf against long double: rows close to one another, around 0 or far from it, short or long. */
static void distances(void)
{
    enum { ROWS = 40, COLS = 21 };
    static const double offset[] = {0, 1, 2.5, 1e3, 1e6}, spread[] = {1, 1e-4, 1e-9, 0};
    static double x[ROWS * COLS], L[ROWS * ROWS], S[ROWS * ROWS];
    static int32_t col[ROWS * COLS];
    static int64_t first[ROWS + 1];
    fx_kernel *k = kernel_of("rbf:gamma=0.5");
    fx_matrix X = {.rows = ROWS, .cols = COLS, .stride = COLS, .type = FX_F64, .val = x}, Y = X;
    double near = 0, far = 0;

    Y.ptr = first;
    Y.col = col;
    for (size_t i = 0; i < ROWS * COLS; i++) {
        col[i] = (int32_t)(i % COLS);
        first[i / COLS + 1] = (int64_t)(i / COLS + 1) * COLS;
    }
    for (size_t c = 0; c < 5 * 4; c++) {
        for (size_t i = 0; i < ROWS * COLS; i++)
            x[i] = offset[c / 4] * (1 + (double)(i % COLS) / COLS)
                   + spread[c % 4] * (test_unit() - 0.5);
        for (size_t j = 0; j < COLS; j++)               /* both kinds of norms in one panel */
            x[3 * COLS + j] = 0;
        CHECK(fx_kernel_gram(L, ROWS, k, &X, NULL, NULL) == FX_OK);
        CHECK(fx_kernel_gram(S, ROWS, k, &Y, &X, NULL) == FX_OK);
        CHECK(!memcmp(L, S, sizeof L));
        for (size_t i = 0; i < ROWS; i++)
            for (size_t j = 0; j < ROWS; j++) {
                long double t = 0, norms = 0;
                for (size_t f = 0; f < COLS; f++) {
                    long double a = x[i * COLS + f], b = x[j * COLS + f];
                    t += (a - b) * (a - b);
                    norms += a * a + b * b;
                }
                bool products = k->gamma * norms <= 1.0001L * FXI_KERNEL_NEAR;
                long double want = expl(-k->gamma * t);
                long double by = products ? 2 * k->gamma * norms * (COLS + 3)
                                          : k->gamma * t * (COLS + 3);
                CHECK_NEAR(L[i * ROWS + j], (double)want,
                           (double)((by + 4) * DBL_EPSILON / 2 * want) + DBL_MIN);
                CHECK(i != j || L[i * ROWS + j] == 1);
                near += products;
                far += !products;
            }
    }
    CHECK(near > 1000 && far > 1000);
    fx_kernel_free(k);
}

static int stop(void *ctx, double done)
{
    (void)done;
    return ++*(int *)ctx > 1;
}

static void rejections(void)
{
    fx_kernel *k = kernel_of("poly:degree=2"), *v = kernel_of("vovk-inf");
    double x[3] = {1, 1e10, 1e200};
    float out[3], *one[1] = {out};
    int32_t rows[3] = {0, 1, 2}, z = 1;
    fx_matrix X = {.rows = 3, .cols = 1, .stride = 1, .type = FX_F64, .val = x}, Y = X;
    fxi_row_subset a = {&X, rows, 2}, b = {&X, &z, 1};

    CHECK(fxi_kernel_rows(one, k, a, b, NULL) == FX_ENUMERIC);          /* 1e40 */
    CHECK(strstr(fx_error_detail(), "row 1 and row 1 (from 0), too large for a float"));
    rows[1] = 2;
    CHECK(fxi_kernel_rows(one, k, a, b, NULL) == FX_ENUMERIC);          /* 1e420 */
    CHECK(strstr(fx_error_detail(), "overflows for row 2 and row 1"));
    CHECK(fxi_kernel_rows(one, v, a, b, NULL) == FX_EDOMAIN);
    CHECK(fxi_kernel_rows_diagonal(x, k, (fxi_row_subset){&Y, NULL, 3}, NULL) == FX_ENUMERIC);
    CHECK(strstr(fx_error_detail(), "row 2 and row 2"));
    Y.cols = 0;
    CHECK(fxi_kernel_rows(one, k, a, (fxi_row_subset){&Y, &z, 1}, NULL) == FX_ESHAPE);
    CHECK(fxi_kernel_rows(one, k, a, b, &(fx_run){RUN, .max_memory = 100}) == FX_ELIMIT);
    CHECK(fxi_kernel_rows(one, k, (fxi_row_subset){&X, rows, 0}, b, NULL) == FX_OK);
    Y.stride = 0;                       /* no columns: every row is empty */
    CHECK(fxi_kernel_rows(one, k, (fxi_row_subset){&Y, NULL, 3}, (fxi_row_subset){&Y, &z, 1}, NULL)
          == FX_OK);
    CHECK(out[0] == 1 && out[1] == 1 && out[2] == 1);
    fx_kernel_free(k);
    fx_kernel_free(v);

    enum { ROWS = 20000, WIDE = 500 };  /* seconds of work, stopped at the second question */
    double *big = calloc(ROWS * WIDE, sizeof *big);
    float *to = malloc(ROWS * sizeof *to), *K64[64];
    int polls = 0;
    CHECK(big && to);
    for (int w = 0; w < 64; w++)
        K64[w] = to;
    fx_matrix B = {.rows = ROWS, .cols = WIDE, .stride = WIDE, .type = FX_F64, .val = big};
    fxi_row_subset all = {&B, NULL, ROWS};
    fx_run run = {RUN, .threads = 1, .progress = stop, .ctx = &polls};
    k = kernel_of("anova:order=16");
    CHECK(fxi_kernel_rows(K64, k, all, (fxi_row_subset){&B, NULL, 64}, &run) == FX_ECANCELLED);
    CHECK(polls == 2);
    CHECK(fxi_kernel_rows_bytes(k, &B, &run) < 2 << 20);
    fx_kernel_free(k);
    free(big);
    free(to);
}

/* No call may take more than fxi_kernel_rows_bytes says: it is accepted as the limit. */
static void memory(void)
{
    int32_t z[Z_ROWS];

    for (int f = 0; f < FORMS; f++)
        for (size_t s = 0; s < SPECS; s++) {
            fx_kernel *k = kernel_of(specs[s]);
            fx_matrix X = form(f);
            fx_run run = {RUN, .threads = 2};
            run.max_memory = fxi_kernel_rows_bytes(k, &X, &run);
            for (size_t w = 0; w < Z_ROWS; w++) {
                z[w] = (int32_t)test_below(N);
                K[w] = row_of[w];
            }
            CHECK(fxi_kernel_rows(K, k, (fxi_row_subset){&X, NULL, N},
                                  (fxi_row_subset){&X, z, Z_ROWS}, &run)
                  == FX_OK);
            fx_kernel_free(k);
        }
}

int main(void)
{
    test_init();
    fill();
    golden_targets(against_gram);
    golden_targets(alone);
    golden_targets(distances);
    rejections();
    memory();
    return 0;
}
