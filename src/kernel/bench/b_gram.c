/* SPDX-License-Identifier: BSD-3-Clause
 * b_gram.c - one thread: Gram matrices beside a plain loop over pairs, with the largest error of
 * each against long double.  `bench.kernel.gram FILE` also writes X as a .npy file, so that
 * bench/gram.py can time NumPy on the same rows. */

#include "base/test.h"
#include "kernel/kernel.h"

#include <time.h>

enum { N = 2000, D = 100 };

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What a C programmer writes first: the recurrence, pair by pair. */
static double plain(const double *x, const double *z, size_t d, int m)
{
    double e[FX_ORDER_MAX + 1] = {1};

    for (size_t j = 0; j < d; j++)
        for (int t = m; t > 0; t--)
            e[t] += x[j] * z[j] * e[t - 1];
    return e[m];
}

static long double wide(const double *x, const double *z, size_t d, int m)
{
    long double e[FX_ORDER_MAX + 1] = {1};

    for (size_t j = 0; j < d; j++)
        for (int t = m; t > 0; t--)
            e[t] += (long double)x[j] * z[j] * e[t - 1];
    return e[m];
}

int main(int argc, char **argv)
{
    double *X = fxi_alloc(N * D, sizeof *X), *Z = fxi_alloc(N * D, sizeof *Z);
    double *K = fxi_alloc((size_t)N * N, sizeof *K), *L = fxi_alloc((size_t)N * N, sizeof *L);
    fx_matrix x = {.rows = N, .cols = D, .stride = D, .type = FX_F64, .val = X}, z = x;
    static const int orders[] = {2, 3, 4, 5, 8};

    z.val = Z;
    test_init();
    for (size_t i = 0; i < N * D; i++)
        X[i] = test_unit(), Z[i] = test_unit();
    if (argc > 1) {
        FILE *f = fopen(argv[1], "wb");
        char head[118];
        snprintf(head, sizeof head, "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }",
                 N, D);
        if (!f || fprintf(f, "\x93NUMPY\x01%c%c%c%-117s\n", 0, 118, 0, head) < 0
            || fwrite(X, sizeof *X, N * D, f) != N * D || fclose(f))
            return 1;
    }
    printf("# target %s, %d x %d rows, d = %d dense, one thread, seconds\n", fx_simd_target(), N, N,
           D);
    printf("# order\tplain\tgram\tratio\tsymmetric\tratio\terror\terror_plain\n");
    for (size_t c = 0; c < sizeof orders / sizeof *orders; c++) {
        int m = orders[c];
        double loop = 1e9, gram = 1e9, half = 1e9, err = 0, err_plain = 0;
        fx_kernel *k = NULL;
        fx_run one = {.size = sizeof(fx_run), .threads = 1};
        char spec[32];
        snprintf(spec, sizeof spec, "anova:order=%d", m);
        if (fx_kernel_parse(&k, spec, NULL, 0))
            return 1;
        for (int run = 0; run < 5; run++) {
            double t0 = now();
            if (run < 2)
                for (size_t i = 0; i < N; i++)
                    for (size_t j = 0; j < N; j++)
                        L[i * N + j] = plain(X + i * D, Z + j * D, D, m);
            double t1 = now();
            if (fx_kernel_gram(K, N, k, &x, &z, &one))
                return 1;
            double t2 = now();
            if (run == 4)
                for (size_t i = 0; i < N * N; i += 9973) {
                    long double w = wide(X + i / N * D, Z + i % N * D, D, m);
                    err = fmax(err, (double)fabsl((K[i] - w) / w));
                    err_plain = fmax(err_plain, (double)fabsl((L[i] - w) / w));
                }
            double t3 = now();
            if (fx_kernel_gram(K, N, k, &x, NULL, &one))
                return 1;
            half = fmin(half, now() - t3);
            gram = fmin(gram, t2 - t1);
            if (run < 2)
                loop = fmin(loop, t1 - t0);
        }
        printf("%d\t%.4f\t%.4f\t%.1f\t%.4f\t%.1f\t%.1e\t%.1e\n", m, loop, gram, loop / gram, half,
               loop / half, err, err_plain);
        fx_kernel_free(k);
    }
    free(X), free(Z), free(K), free(L);
    return 0;
}
