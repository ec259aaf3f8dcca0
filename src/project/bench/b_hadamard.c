/* SPDX-License-Identifier: BSD-3-Clause
 * b_hadamard.c - one thread: microseconds a row of Hadamard sign projections, placement included,
 * FXI_LANES dense rows at a time: the blocks alone, stored row by row, multiplied with weights. */

#include "base/test.h"
#include "project/project.h"

#include <time.h>

enum { ROWS = 1024 };

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef enum emit { NOTHING, STORE, SCORE } emit;

static double measure(fxi_project *p, const float *X, float *Z, float *z, void *space,
                      const float *w, emit what)
{
    double best = 1e9, S[FXI_LANES] = {0};
    int bad = 0;

    for (int run = 0; run < 7; run++) {
        double start = now();
        for (size_t i = 0; i < ROWS; i += FXI_LANES) {
            fxi_tile t = {.rows = FXI_LANES, .cols = p->cols};
            for (size_t r = 0; r <= FXI_LANES; r++)
                t.first[r] = r * p->cols;
            p->type->prepare(space, p, &t, X + i * p->cols);
            for (size_t b = 0; b < p->blocks; b++) {
                size_t s = b * p->width, n = p->rows - s < p->width ? p->rows - s : p->width;
                p->type->apply(z, p, space, b);
                if (what == STORE)
                    p->simd->map_store(Z + i * p->rows + s, p->rows, &bad, z, n, FXI_LANES);
                else if (what == SCORE)
                    p->simd->map_score(S, &bad, z, w + s, n);
            }
        }
        best = fmin(best, now() - start);
    }
    return bad ? NAN : best / ROWS * 1e6;
}

int main(void)
{
    static const struct { size_t cols, rows; } cases[] = {
        {80, 1280}, {128, 2048}, {512, 8192}, {1024, 8192}, {4096, 8192}
    };

    test_init();
    printf("# target\td\tD\tproject\tstore\tscore\n");
    for (const fxi_simd *t = fxi_simd_targets; t->name; t++)
        for (size_t c = 0; t->supported() && c < sizeof cases / sizeof *cases; c++) {
            size_t d = cases[c].cols, D = cases[c].rows;
            fxi_project p = {.type = &fxi_project_hadamard, .rows = D, .cols = d, .scale = 1};
            if (fxi_project_new(&p, NULL))
                return 1;
            p.simd = t;
            float *X = fxi_alloc(ROWS * d, sizeof *X), *Z = fxi_zalloc(ROWS * D, sizeof *Z);
            float *z = fxi_alloc(p.width * FXI_LANES, sizeof *z), *w = fxi_zalloc(D, sizeof *w);
            void *space = fxi_alloc(p.space, 1);
            if (!X || !Z || !z || !w || !space)
                return 1;
            for (size_t i = 0; i < ROWS * d; i++)
                X[i] = (float)test_unit();
            printf("%s\t%zu\t%zu", t->name, d, D);
            for (emit what = NOTHING; what <= SCORE; what++)
                printf("\t%.3f", measure(&p, X, Z, z, space, w, what));
            printf("\n");
            fflush(stdout);
            free(X);
            free(Z);
            free(z);
            free(w);
            free(space);
            fxi_project_free(&p);
        }
    return 0;
}
