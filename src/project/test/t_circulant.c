/* SPDX-License-Identifier: BSD-3-Clause
 * t_circulant.c - rolled rows as defined, products against plain sums, and products of parts.
 *
 * Covers: project.c */

#include "project/test/tiles.h"

static const fxi_law laws[] = {FXI_LAW_SIGN, FXI_LAW_GAUSSIAN, FXI_LAW_UNIFORM, FXI_LAW_LAPLACE,
                               FXI_LAW_CAUCHY};

static double entry(const fxi_project *p, size_t s, size_t j)
{
    double w[FXI_LANES];

    p->type->entries(w, p, s, (int64_t)j);
    return w[0];
}

/* cols is a fast length: row r of a block is its row 0, rolled r places to the right, times signs
 * that stand on the columns or on the rows. */
static void rolled(fxi_law law, bool row_signs)
{
    enum { P = 12, BLOCKS = 3 };
    fxi_project p = {.type = &fxi_project_circulant, .rows = P * BLOCKS - 5, .cols = P, .law = law,
                     .scale = 0.5, .seed = 9, .stream = 2, .row_signs = row_signs};

    CHECK(fxi_project_new(&p, NULL) == 0);
    for (size_t s = 0; s < p.rows; s++)
        for (size_t j = 0; j < P; j++) {
            size_t b = s / P, r = s % P;
            double w = 0.5 * fxi_project_draw(law, fxi_project_rng(&p, 0, b), (j + P - r) % P);
            fxi_rng signs = fxi_project_rng(&p, row_signs ? 4 : 2, 0);
            CHECK(entry(&p, s, j) == w * fxi_rng_sign(signs, row_signs ? s : j));
        }
    fxi_project_free(&p);
}

/* The error of a transform is bounded for the vector as a whole: 16 u log2 with a factor for each
 * of three transforms (t_fft.c), and the largest modulus of the spectrum of w, at most
 * sum |w| = sum of the moduli in a row. */
static void products(size_t rows, size_t cols, size_t n, double density, bool dense)
{
    fxi_project p = {.type = &fxi_project_circulant, .rows = rows, .cols = cols, .scale = 0.25,
                     .law = laws[test_below(5)], .seed = test_u64(), .stream = test_below(65536),
                     .row_signs = test_below(2), .like = test_below(2) ? rows + 1000 : 0};
    tiles_tile a = tiles_new(n, cols, density, dense);
    double *z = fxi_alloc(rows, sizeof *z), *size = fxi_alloc(rows, sizeof *size), norm;
    double *weight = fxi_zalloc(rows, sizeof *weight), max_weight = 0;

    CHECK(z && size && weight && fxi_project_new(&p, NULL) == 0);
    CHECK(p.blocks == (rows + p.width - 1) / p.width);
    for (size_t s = 0; s < rows; s++) {
        for (size_t j = 0; j < cols; j++)
            weight[s] += fabs(entry(&p, s, j));
        max_weight = fmax(max_weight, weight[s]);
    }
    /* Padding takes weights out of a row that are in the spectrum: those of all rows are in one of
     * them each, so twice the largest row covers the rest (cols > p/2). */
    for (const fxi_simd *t = fxi_simd_targets; t->name; t++) {
        if (!t->supported())
            continue;
        p.simd = t;
        float *got = tiles_apply(&p, &a);
        for (size_t r = 0; r < n; r++) {
            float *row = got + r * p.blocks * p.width;
            tiles_exact(z, size, &norm, &p, &a, r);
            double u = 3 * 16 * (4 + log2((double)cols)) * 0x1p-24;
            for (size_t s = 0; s < rows; s++)
                CHECK_NEAR(row[s], z[s], u * 2 * max_weight * norm * sqrt(2 * (double)cols));
            tiles_tile one = tiles_single(&a, r);
            float *alone = tiles_apply(&p, &one);
            CHECK(memcmp(alone, row, rows * sizeof *row) == 0);
            free(alone);
            tiles_free(&one);
        }
        free(got);
    }
    fxi_project_free(&p);
    tiles_free(&a);
    free(z), free(size), free(weight);
}

/* Entries of the product are products of entries, and it multiplies like any other. */
static void parts(size_t rows, size_t cols)
{
    fxi_project a = {.type = &fxi_project_circulant, .rows = rows, .cols = cols, .scale = 1,
                     .seed = test_u64(), .row_signs = rows % 2}, b = a, both;
    tiles_tile t = tiles_new(5, cols, 0.5, false);
    double *z = fxi_alloc(rows, sizeof *z), *size = fxi_alloc(rows, sizeof *size), norm;
    size_t differ = 0;

    b.part = 1;
    CHECK(z && size && fxi_project_new(&a, NULL) == 0 && fxi_project_new(&b, NULL) == 0);
    CHECK(fxi_project_times(&both, &a, &b, NULL) == 0);
    CHECK(both.width == a.width && both.blocks == a.blocks);
    for (size_t s = 0; s < rows; s++)
        for (size_t j = 0; j < cols; j++) {
            CHECK(entry(&both, s, j) == entry(&a, s, j) * entry(&b, s, j));
            differ += entry(&a, s, j) != entry(&b, s, j);
        }
    CHECK(rows * cols < 64 || differ > 0);
    float *got = tiles_apply(&both, &t);
    for (size_t r = 0; r < 5; r++) {
        tiles_exact(z, size, &norm, &both, &t, r);
        for (size_t s = 0; s < rows; s++)       /* signs: |w_b| <= p < 2 cols */
            CHECK_NEAR(got[r * both.blocks * both.width + s], z[s],
                       3 * 16 * (4 + log2((double)cols)) * 0x1p-24 * 2 * (double)cols * norm
                           * sqrt(2 * (double)cols));
    }
    free(got);
    fxi_project_free(&a);
    fxi_project_free(&b);
    fxi_project_free(&both);
    tiles_free(&t);
    free(z), free(size);
}

static int stop(void *ctx, double done)
{
    (void)ctx, (void)done;
    return 1;
}

int main(void)
{
    static const size_t sizes[] = {1, 2, 3, 15, 16, 17, 63, 64, 100, 128, 257, 331};
    fxi_project p = {.type = &fxi_project_circulant, .rows = 300, .cols = 20, .scale = 1}, a = p;

    test_init();
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        rolled(laws[i], false);
        rolled(laws[i], true);
    }
    for (int i = test_cases(50); i--;) {
        size_t rows = sizes[test_below(12)], cols = sizes[test_below(12)];
        products(rows, cols, 1 + test_below(FXI_LANES), i % 7 * 0.1, i % 3 == 0);
        if (i % 5 == 0)
            parts(rows, cols);
    }
    products(2, 65540, 3, 0.001, false);        /* rows one by one */
    CHECK(fxi_project_new(&p, &(fx_run){RUN, .max_memory = 1000}) == FX_ELIMIT && !p.state);
    p = a;
    CHECK(fxi_project_new(&p, &(fx_run){RUN, .progress = stop}) == FX_ECANCELLED && !p.state);
    p = a;
    p.cols = SIZE_MAX / 32;
    CHECK(fxi_project_new(&p, NULL) == FX_ELIMIT);
    p = a;
    p.rows = SIZE_MAX / 4;
    CHECK(fxi_project_new(&p, NULL) == FX_ELIMIT);
    return 0;
}
