/* SPDX-License-Identifier: BSD-3-Clause
 * score_hot.c - kernel values v[row][FXI_LANES] times weights, added to the sums of their rows.
 *
 * One output: a sum for each lane, so that nothing is added across a register before the end.
 * Many: outputs are side by side in a register and the lanes follow one another. */

#include "simd/hot.h"

void FXI_HOT(kernel_score_one)(double *S, const double *v, const double *W, size_t rows)
{
    fxi_vec weight[FXI_LANES / FXI_STEP];

    for (int g = 0; g < FXI_LANES / FXI_STEP; g++)
        weight[g] = fxi_load(W + g * FXI_STEP);
    for (size_t i = 0; i < rows * FXI_LANES; i += FXI_LANES)
        for (size_t g = 0; g < FXI_LANES / FXI_STEP; g++) {
            size_t at = i + g * FXI_STEP;
            fxi_store(S + at, fxi_load(S + at) + fxi_load(v + at) * weight[g]);
        }
}

void FXI_HOT(kernel_score_many)(double *S, const double *v, const double *W, size_t rows,
                                size_t outputs)
{
    enum { C = 8, G = C / FXI_STEP };

    for (size_t i = 0; i < rows; i++)
        for (size_t c = 0; c < outputs; c += C) {
            double *s = S + i * outputs + c;
            fxi_vec sum[G];
            for (int g = 0; g < G; g++)
                sum[g] = fxi_load(s + g * FXI_STEP);
            for (size_t w = 0; w < FXI_LANES; w++)
                for (int g = 0; g < G; g++)
                    sum[g] += v[i * FXI_LANES + w] * fxi_load(W + w * outputs + c + g * FXI_STEP);
            for (int g = 0; g < G; g++)
                fxi_store(s + g * FXI_STEP, sum[g]);
        }
}
