/* SPDX-License-Identifier: BSD-3-Clause
 * b_circulant.c - one thread, microseconds a row: circulant blocks beside the stored matrix, dense
 * rows and rows with a tenth of their columns. */

#include "project/test/tiles.h"

#include <time.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double time_tile(const fxi_project *p, const tiles_tile *a, int repeats)
{
    float *z = fxi_alloc(p->width * FXI_LANES, sizeof *z);
    void *space = fxi_alloc(p->space, 1);
    double best = INFINITY;

    CHECK(z && space);
    for (int i = 0; i < repeats; i++) {
        double start = now();
        p->type->prepare(space, p, &a->t, a->x);
        for (size_t b = 0; b < p->blocks; b++)
            p->type->apply(z, p, space, b);
        best = fmin(best, now() - start);
    }
    free(z);
    free(space);
    return best / (double)a->t.rows * 1e6;
}

int main(void)
{
    static const size_t size[][2] = {{1280, 80}, {8192, 1024}};

    test_init();
    printf("%-10s %5s %5s %6s %10s %10s\n", "form", "cols", "rows", "target", "dense", "tenth");
    for (size_t i = 0; i < 2; i++)
        for (size_t form = 0; form < 2; form++) {
            fxi_project p = {.type = form ? &fxi_project_circulant : &fxi_project_dense,
                             .rows = size[i][0], .cols = size[i][1], .scale = 1,
                             .law = FXI_LAW_GAUSSIAN, .seed = 1};
            tiles_tile full = tiles_new(FXI_LANES, p.cols, 1, true);
            tiles_tile tenth = tiles_new(FXI_LANES, p.cols, 0.1, false);
            CHECK(fxi_project_new(&p, NULL) == 0);
            for (const fxi_simd *t = fxi_simd_targets; t->name; t++)
                if (t->supported()) {
                    p.simd = t;
                    printf("%-10s %5zu %5zu %6s %10.2f %10.2f\n", p.type->name, p.cols, p.rows,
                           t->name, time_tile(&p, &full, 20), time_tile(&p, &tenth, 20));
                }
            fxi_project_free(&p);
            tiles_free(&full);
            tiles_free(&tenth);
        }
    return 0;
}
