/* SPDX-License-Identifier: BSD-3-Clause
 * perceptron.c - one pass of the perceptron over the rows, in their order, and its mean.
 *
 * Step t = 1, 2, .. sees one row with c > 0.  On a mistake, y f <= 0, it adds u_t = c y z to the
 * weights (c y to the intercept, unless there is none), else u_t = 0.  The mean over the weights
 * after each of T steps needs no sum of T vectors:
 *
 *   (1/T) sum_t w_t = sum_t (T - t + 1)/T u_t = w_T - (1/T) sum_t (t - 1) u_t,
 *
 * so a mistake costs two updates of a row, and other rows one inner product.  All numbers that a
 * later pass needs are in the state: 5 and 5 passes are 10 passes, bit for bit.
 *
 * References: Rosenblatt 1958; Freund, Schapire 1999 (averaging). */

#include "fit/fit.h"

typedef struct online {
    fxi_perceptron *s;
    const fxi_problem *p;
    const fxi_simd *simd;
} online;

static void visit_row(void *ctx, size_t i, const fxi_row *z)
{
    const online *a = ctx;
    fxi_perceptron *s = a->s;
    const fxi_problem *p = a->p;

    if (!(p->c[i] > 0))
        return;
    double before = (double)s->steps++, u = p->c[i] * p->y[i];
    if (p->y[i] * (fxi_fit_row_dot(*z, s->w, a->simd) + s->b) > 0)
        return;
    s->mistakes++;
    fxi_fit_row_add(s->w, u, *z, a->simd);
    fxi_fit_row_add(s->sum, before * u, *z, a->simd);
    if (p->intercept != FXI_NONE) {
        s->b += u;
        s->sum_b += before * u;
    }
}

fx_status fxi_fit_perceptron(fxi_perceptron *s, const fxi_problem *p, const fx_run *run)
{
    online a = {s, p, fxi_simd_get()};

    s->mistakes = 0;
    return fxi_fit_source_rows(p->source, visit_row, &a, run);
}

void fxi_fit_perceptron_mean(double *w, double *b, const fxi_perceptron *s, size_t n)
{
    double T = s->steps ? (double)s->steps : 1;

    for (size_t j = 0; j < n; j++)
        w[j] = s->w[j] - s->sum[j] / T;
    *b = s->b - s->sum_b / T;
}
