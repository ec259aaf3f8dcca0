/* SPDX-License-Identifier: BSD-3-Clause
 * map.c - random features: their inner products are kernel values on average, and a linear model
 * on them needs no features in memory. */

#include <featcross.h>
#include <stdio.h>

enum { ROWS = 2, COLS = 4, FEATURES = 16384 };

int main(void)
{
    static const double x[ROWS * COLS] = {1, 2, 3, 0, 0, 1, 1, 5};
    static float Z[ROWS * FEATURES];
    static double W[FEATURES];
    double K[ROWS * ROWS], S[ROWS], product = 0;
    const fx_matrix X = {.rows = ROWS, .cols = COLS, .stride = COLS, .type = FX_F64, .val = x};
    fx_kernel *kernel = NULL;
    fx_map *map = NULL;

    fx_status s = fx_kernel_parse(&kernel, "anova:order=2", NULL, 1);
    if (!FX_FAILED(s))
        s = fx_kernel_gram(K, ROWS, kernel, &X, NULL, NULL);
    if (!FX_FAILED(s))
        s = fx_map_parse(&map, "rk", kernel, COLS, FEATURES, 1, NULL, NULL);   /* seed 1 */
    if (!FX_FAILED(s))
        s = fx_map_apply(Z, FEATURES, FX_F32, map, &X, NULL);
    for (int f = 0; f < FEATURES; f++) {
        product += (double)Z[f] * (double)Z[FEATURES + f];
        W[f] = (double)Z[f];            /* a model: closeness to the first row */
    }
    if (!FX_FAILED(s))
        s = fx_map_score(S, map, W, 1, &X, NULL);       /* Z W, without storing Z */
    if (!FX_FAILED(s))
        printf("kernel %g, features %.1f, score %.1f\n", K[1], product, S[1]);
    else
        fprintf(stderr, "%s: %s\n", fx_status_name(s), fx_error_detail());
    fx_map_free(map);
    fx_kernel_free(kernel);
    return FX_FAILED(s);
}
