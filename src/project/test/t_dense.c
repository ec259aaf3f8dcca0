/* SPDX-License-Identifier: BSD-3-Clause
 * t_dense.c - the stored matrix against its draws, and its products against plain sums.
 *
 * Covers: dense_hot.c */

#include "project/test/tiles.h"

static const fxi_law laws[] = {FXI_LAW_SIGN, FXI_LAW_GAUSSIAN, FXI_LAW_UNIFORM, FXI_LAW_LAPLACE,
                               FXI_LAW_CAUCHY};

static void entries(fxi_law law)
{
    fxi_project p = {.type = &fxi_project_dense, .rows = 70, .cols = 13, .law = law,
                     .scale = 0.75, .seed = 5, .stream = 3, .part = 1};
    double w[FXI_LANES];

    CHECK(fxi_project_new(&p, NULL) == 0);
    fxi_rng rng = fxi_project_rng(&p, 1, 0);
    for (size_t s = 0; s < p.rows; s += 7)
        for (size_t j = 0; j < p.cols; j++) {
            p.type->entries(w, &p, s, (int64_t)j);
            for (size_t i = 0; i < FXI_LANES; i++)
                CHECK(w[i]
                      == (s + i < p.rows
                              ? (float)(0.75 * fxi_project_draw(law, rng, (s + i) * p.cols + j))
                              : 0));
        }
    fxi_project_free(&p);
}

static void products(size_t rows, size_t cols, size_t n, double density, bool dense)
{
    fxi_project p = {.type = &fxi_project_dense, .rows = rows, .cols = cols, .scale = 1,
                     .law = laws[test_below(5)], .seed = test_u64(), .stream = test_below(65536)};
    tiles_tile a = tiles_new(n, cols, density, dense);
    double *z = fxi_alloc(rows, sizeof *z), *size = fxi_alloc(rows, sizeof *size), norm;

    CHECK(z && size && fxi_project_new(&p, NULL) == 0);
    for (const fxi_simd *t = fxi_simd_targets; t->name; t++) {
        if (!t->supported())
            continue;
        p.simd = t;
        float *got = tiles_apply(&p, &a);
        for (size_t r = 0; r < n; r++) {
            size_t entry = a.t.first[r + 1] - a.t.first[r];
            float *row = got + r * p.blocks * p.width;
            tiles_exact(z, size, &norm, &p, &a, r);
            for (size_t s = 0; s < rows; s++)
                CHECK_NEAR(row[s], z[s], (double)(entry + 1) * 0x1p-24 * size[s]);
            /* Alone, and in the other format: the same bits. */
            tiles_tile one = tiles_single(&a, r);
            float *alone = tiles_apply(&p, &one);
            CHECK(memcmp(alone, row, rows * sizeof *row) == 0);
            free(alone);
            if (dense) {
                one.t.col = one.col;
                alone = tiles_apply(&p, &one);
                CHECK(memcmp(alone, row, rows * sizeof *row) == 0);
                free(alone);
            }
            tiles_free(&one);
        }
        free(got);
    }
    fxi_project_free(&p);
    tiles_free(&a);
    free(z), free(size);
}

static int stop(void *ctx, double done)
{
    (void)ctx, (void)done;
    return 1;
}

int main(void)
{
    static const size_t sizes[] = {1, 2, 3, 15, 16, 17, 63, 64, 100, 300};
    fxi_project p = {.type = &fxi_project_dense, .rows = 300, .cols = 20, .scale = 1};
    fxi_project a = p, b = p;

    test_init();
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++)
        entries(laws[i]);
    for (int i = test_cases(60); i--;) {
        size_t rows = sizes[test_below(10)], cols = sizes[test_below(10)];
        products(rows, cols, 1 + test_below(FXI_LANES), i % 7 * 0.1, i % 3 == 0);
    }
    CHECK(fxi_project_new(&p, &(fx_run){RUN, .max_memory = 1000}) == FX_ELIMIT && !p.state);
    p = a;
    CHECK(fxi_project_new(&p, &(fx_run){RUN, .progress = stop}) == FX_ECANCELLED && !p.state);
    p = a;
    p.rows = p.cols = SIZE_MAX / 32;
    CHECK(fxi_project_new(&p, NULL) == FX_ELIMIT);
    CHECK(fxi_project_new(&a, &(fx_run){RUN, .threads = 1}) == 0);
    CHECK(fxi_project_new(&b, &(fx_run){RUN, .threads = 4}) == 0 && test_helped());
    CHECK(a.bytes == b.bytes && memcmp(a.state, b.state, a.bytes) == 0);
    fxi_project_free(&a);
    fxi_project_free(&b);
    return 0;
}
