/* SPDX-License-Identifier: BSD-3-Clause
 * t_store.c - blocks stored, widened and multiplied with weights, on every instruction set: copies
 * exactly, with nothing written beside them; sums within the bound of store_hot.c.
 *
 * Covers: store_hot.c */

#include "base/test.h"
#include "simd/simd.h"

#include <string.h>

enum { MAX_FEATURES = 2500, LD = MAX_FEATURES + 3 };

static float *zt, *w, *Z;
static double *W;

static void check_store(const fxi_simd *t, size_t outputs, size_t rows, size_t shift)
{
    size_t all = FXI_LANES * LD;
    int bad = 0;

    for (size_t i = 0; i < all; i++)
        Z[i] = -1, W[i] = -1;
    t->map_store(Z + shift, LD, &bad, zt, outputs, rows);
    t->map_store_double(W + shift, LD, &bad, zt, outputs, rows);
    CHECK(!bad);
    for (size_t i = 0; i < all; i++) {
        size_t row = i < shift ? FXI_LANES : (i - shift) / LD;
        size_t s = i < shift ? MAX_FEATURES : (i - shift) % LD;
        float want = row < rows && s < outputs ? zt[s * FXI_LANES + row] : -1;
        CHECK(Z[i] == want && W[i] == (double)want);
    }
}

static void check_copy(const fxi_simd *t, size_t n, size_t shift)
{
    int bad = 0;

    for (size_t i = 0; i < n + shift + 1; i++)
        Z[i] = -1, W[i] = -1;
    t->map_copy(Z + shift, &bad, zt, n);
    t->map_widen(W + shift, &bad, zt, n);
    CHECK(!bad && Z[n + shift] == -1 && W[n + shift] == -1);
    for (size_t i = 0; i < n + shift; i++) {
        float want = i < shift ? -1 : zt[i - shift];
        CHECK(Z[i] == want && W[i] == (double)want);
    }
}

static void check_sums(const fxi_simd *t, size_t outputs)
{
    double S[FXI_LANES], one = 0.25, sum = 0, size = 0;
    int bad = 0;

    for (int k = 0; k < FXI_LANES; k++)
        S[k] = k;
    t->map_score(S, &bad, zt, w, outputs);
    for (int k = 0; k < FXI_LANES; k++) {
        double want = 0, abs = 0;
        for (size_t s = 0; s < outputs; s++) {
            double term = (double)w[s] * (double)zt[s * FXI_LANES + (size_t)k];
            want += term;
            abs += fabs(term);
        }
        CHECK_NEAR(S[k] - k, want, 66 * 0x1p-24 * abs + 1e-12);
    }
    t->map_dot(&one, &bad, zt, w, outputs);
    for (size_t s = 0; s < outputs; s++) {
        sum += (double)w[s] * (double)zt[s];
        size += fabs((double)w[s] * (double)zt[s]);
    }
    CHECK_NEAR(one - 0.25, sum, 66 * 0x1p-24 * size + 1e-12);
    CHECK(!bad);
}

/* One number that is not finite, anywhere: found; in a row that is not stored: not found. */
static void check_bad(const fxi_simd *t, size_t outputs, size_t rows)
{
    static const float evil[] = {INFINITY, -INFINITY, NAN};
    size_t s = test_below(outputs), row = test_below(FXI_LANES), at = s * FXI_LANES + row;
    float was = zt[at];
    double S[FXI_LANES] = {0};
    int bad[6] = {0};

    zt[at] = evil[test_below(3)];
    t->map_store(Z, LD, &bad[0], zt, outputs, rows);
    t->map_store_double(W, LD, &bad[1], zt, outputs, rows);
    t->map_score(S, &bad[2], zt, w, outputs);
    CHECK(bad[0] == (row < rows) && bad[1] == (row < rows) && bad[2] == 1);
    t->map_copy(Z, &bad[3], zt, at + 1);
    t->map_widen(W, &bad[4], zt, at + 1);
    CHECK(bad[3] == 1 && bad[4] == 1);
    zt[at] = was;
    was = zt[s];
    zt[s] = evil[test_below(3)];
    t->map_dot(S, &bad[5], zt, w, outputs);
    CHECK(bad[5] == 1);
    zt[s] = was;
}

int main(void)
{
    static const size_t sizes[] = {0,  1,  2,  3,   15,   16,   17,          31,
                                   63, 64, 65, 100, 1023, 1024, MAX_FEATURES};

    test_init();
    zt = fxi_alloc(MAX_FEATURES * FXI_LANES, sizeof *zt);
    w = fxi_alloc(MAX_FEATURES, sizeof *w);
    Z = fxi_alloc(FXI_LANES * LD, sizeof *Z);
    W = fxi_alloc(FXI_LANES * LD, sizeof *W);
    CHECK(zt && w && Z && W);
    for (size_t i = 0; i < MAX_FEATURES * FXI_LANES; i++)
        zt[i] = (float)(test_unit() - 0.25);
    for (size_t i = 0; i < MAX_FEATURES; i++)
        w[i] = (float)(test_unit() - 0.5);
    zt[3] = 3e38f, zt[5] = 0x1p-149f, zt[6] = -0.0f; /* finite, all of them */
    w[0] = 0x1p-100f;
    for (const fxi_simd *t = fxi_simd_targets; t->name; t++) {
        if (!t->supported())
            continue;
        for (size_t c = 0; c < sizeof sizes / sizeof *sizes; c++) {
            static const size_t rows[] = {1, 7, 15, 16};
            for (size_t r = 0; r < 4; r++) {
                check_store(t, sizes[c], rows[r], test_below(4));
                if (sizes[c])
                    for (int n = 0; n < 10; n++)
                        check_bad(t, sizes[c], rows[r]);
            }
            check_copy(t, sizes[c], test_below(4));
            check_sums(t, sizes[c]);
        }
    }
    free(zt);
    free(w);
    free(Z);
    free(W);
    return 0;
}
