/* SPDX-License-Identifier: BSD-3-Clause
 * b_packed.c - one thread, every instruction set: microseconds a row for packed signs, tables and
 * storing included, dense rows and rows with a tenth of the entries, full tiles and single rows. */

#include "base/test.h"
#include "project/project.h"

#include <string.h>
#include <time.h>

enum { TILES = 8 };

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Every tile's block goes to its place in Z[row][rows of W], as map.c stores it. */
static double time_rows(const fxi_project *p, fxi_tile *t, const float *x)
{
    float *Z = fxi_alloc(TILES * FXI_LANES * p->rows, sizeof *Z), *z;
    void *space = fxi_alloc(p->space, 1);
    double best = 1e9;

    z = fxi_alloc(FXI_LANES * p->width, sizeof *z);
    for (int run = 0; run < 7; run++) {
        double start = now();
        for (size_t tile = 0; tile < TILES; tile++) {
            p->type->prepare(space, p, t, x);
            for (size_t b = 0; b < p->blocks; b++) {
                size_t s = b * p->width, n = p->rows - s < p->width ? p->rows - s : p->width;
                p->type->apply(z, p, space, b);
                for (size_t r = 0; r < t->rows; r++)
                    memcpy(Z + (tile * t->rows + r) * p->rows + s, z + r * p->width, n * sizeof *z);
            }
        }
        best = fmin(best, now() - start);
    }
    free(Z), free(z), free(space);
    return best / (double)(TILES * t->rows) * 1e6;
}

int main(void)
{
    static const struct { size_t d, D; } shapes[] = {
        {80, 1280}, {1024, 8192}, {22, 256}, {300, 1024}, {784, 4096}};

    test_init();
    printf("# one thread, us a row\n# target\td\tD\tdense\t10 %%\tdense, alone\t10 %%, alone\n");
    for (const fxi_simd *simd = fxi_simd_targets; simd->name; simd++) {
        if (!simd->supported())
            continue;
        setenv("FX_TARGET", simd->name, 1);
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            size_t d = shapes[i].d, n = 0;
            fxi_project p = {.type = &fxi_project_packed, .rows = shapes[i].D, .cols = d,
                             .law = FXI_LAW_SIGN, .scale = 1};
            fxi_tile dense = {.rows = FXI_LANES, .cols = d}, sparse = dense;
            float *x = fxi_alloc(FXI_LANES * d, sizeof *x);
            int64_t *col = fxi_alloc(FXI_LANES * d, sizeof *col);
            if (fxi_project_new(&p, NULL))
                return 1;
            for (size_t r = 0; r < FXI_LANES; r++) {
                for (size_t j = 0; j < d; j++) {
                    x[r * d + j] = (float)test_unit() - 0.5F;
                    if (test_below(10) == 0)
                        col[n++] = (int64_t)j;
                }
                dense.first[r + 1] = (r + 1) * d;
                sparse.first[r + 1] = n;
            }
            sparse.col = col;
            double dense_time = time_rows(&p, &dense, x), sparse_time = time_rows(&p, &sparse, x);
            dense.rows = sparse.rows = 1;
            printf("%s\t%zu\t%zu\t%.2f\t%.2f\t%.2f\t%.2f\n", simd->name, d, p.rows, dense_time,
                   sparse_time, time_rows(&p, &dense, x), time_rows(&p, &sparse, x));
            free(x), free(col);
            fxi_project_free(&p);
        }
    }
    return 0;
}
