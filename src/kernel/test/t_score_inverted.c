/* SPDX-License-Identifier: BSD-3-Clause
 * t_score_inverted.c - scores by an inverted index of the vectors: the same bits as by panels. */

#include "kernel/panel.h"
#include "kernel/test/golden.h"

enum { N = 300, D = 1000, EACH = 12, OUTPUTS = 3 };

static double val[N * EACH];
static float small[N * EACH];
static int32_t col[N * EACH];
static int64_t ptr[N + 1];
static fx_matrix A = {.rows = N, .cols = D, .type = FX_F64, .val = val, .ptr = ptr, .col = col};

static void draw(double size)
{
    for (size_t i = 0; i < N; i++) {
        for (size_t q = 0; q < EACH; q++) {
            size_t at = i * EACH + q;
            double v = test_below(9) ? size * (test_unit() - 0.4) : 0;
            small[at] = (float)v;
            val[at] = (double)small[at];
            col[at] = (int32_t)(q * (D / EACH) + test_below(D / EACH));
        }
        ptr[i + 1] = (int64_t)((i + 1) * EACH);
    }
}

typedef struct call {
    double *S;
    const fxi_kernel_scorer *s;
    const fx_matrix *X;
} call;

static fx_status score_block(void *ctx, size_t b, fxi_team *team)
{
    const call *c = ctx;
    fxi_scratch scratch = {0};
    fx_status st = fxi_kernel_score_rows(c->S, c->s, c->X, &scratch, NULL, team);

    (void)b;
    fxi_scratch_free(&scratch);
    return st;
}

static fx_status score_rows(double *S, const fxi_kernel_scorer *s, const fx_matrix *X)
{
    return fxi_parallel(1, score_block, &(call){S, s, X}, NULL);
}

static void compare(const fx_kernel *k, const fx_matrix *X, size_t outputs)
{
    double S[N * OUTPUTS], T[N * OUTPUTS], W[N * OUTPUTS];
    fxi_kernel_scorer *s = NULL;
    fx_matrix one = *X;

    for (size_t i = 0; i < N * outputs; i++)
        W[i] = test_unit() - 0.5;
    CHECK(fxi_kernel_score(S, k, (fxi_row_subset){X, NULL, N}, (fxi_row_subset){&A, NULL, N}, W,
                           outputs, NULL)
          == FX_OK);
    CHECK(fxi_kernel_score_new(&s, k, &A, W, outputs, false, NULL) == FX_OK);
    CHECK(score_rows(T, s, X) == FX_OK);
    CHECK(!memcmp(S, T, N * outputs * sizeof *S));
    one.rows = 1;
    one.ptr += N / 2;
    CHECK(score_rows(T, s, &one) == FX_OK);
    CHECK(!memcmp(S + N / 2 * outputs, T, outputs * sizeof *S));
    fxi_kernel_score_free(s);
}

/* Is there an index, and the same bits with it or without? */
static void check(const char *spec, bool wanted)
{
    fx_matrix F = A;
    fx_kernel *k = NULL;
    fxi_inverted *z = NULL;

    F.type = FX_F32;
    F.val = small;
    CHECK(fx_kernel_parse(&k, spec, NULL, 0) == FX_OK);
    CHECK(fxi_kernel_score_inverted_new(&z, k, &A, SIZE_MAX) == FX_OK);
    CHECK((z != NULL) == wanted);
    fxi_kernel_score_inverted_free(z);
    CHECK(fxi_kernel_score_inverted_new(&z, k, &A, 1000) == FX_OK && !z);
    compare(k, &A, 1);
    compare(k, &A, OUTPUTS);
    compare(k, &F, 1);
    fx_kernel_free(k);
}

static void kernels(void)
{
    draw(1);
    check("poly:degree=3,coef0=1", true);
    check("linear", true);
    check("rbf:gamma=0.5", true);
    check("rbf:gamma=50", false);       /* far apart: distances from differences */
    check("anova:order=2", false);
    for (size_t i = 0; i < N; i++)      /* a column that all vectors have */
        col[i * EACH] = 0;
    check("rbf:gamma=0.5", true);
    for (size_t i = 0; i < N * EACH; i++)
        col[i] = (int32_t)(i % EACH);
    check("rbf:gamma=0.5", false);      /* nothing but such columns */
}

/* Rows farther away than the vectors, and one whose value overflows. */
static void far_rows(void)
{
    static double large[N * EACH];
    double W[N], S;
    fx_matrix X = A;
    fx_kernel *k = NULL;
    fxi_kernel_scorer *s = NULL;

    draw(1);
    X.val = large;
    for (size_t i = 0; i < N * EACH; i++)
        large[i] = 30 * val[i];
    CHECK(fx_kernel_parse(&k, "rbf:gamma=0.5", NULL, 0) == FX_OK);
    compare(k, &X, 1);
    fx_kernel_free(k);
    for (size_t i = 0; i < N; i++)
        W[i] = 1;
    for (size_t i = 0; i < N * EACH; i++)
        large[i] = 1e200;
    X.rows = 1;
    k = NULL;
    CHECK(fx_kernel_parse(&k, "poly:degree=2", NULL, 0) == FX_OK);
    CHECK(fxi_kernel_score_new(&s, k, &A, W, 1, false, NULL) == FX_OK);
    CHECK(score_rows(&S, s, &X) == FX_ENUMERIC);
    CHECK(strstr(fx_error_detail(), "row 0 and vector"));
    fxi_kernel_score_free(s);
    fx_kernel_free(k);
}

int main(void)
{
    test_init();
    golden_targets(kernels);
    far_rows();
    return 0;
}
