/* SPDX-License-Identifier: BSD-3-Clause
 * gradient.c - the function that solvers build on: values and gradients of a kernel for many
 * rows and many vectors in one call.  Prints a row's score under two factors, and checks one
 * gradient by a difference quotient. */

#include <featcross.h>
#include <math.h>
#include <stdio.h>

enum { ROWS = 2, COLS = 3, VECTORS = 2 };

int main(void)
{
    static const double x[ROWS * COLS] = {1, 2, 3,
                                          0, 1, -1};
    const fx_matrix X = {.rows = ROWS, .cols = COLS, .stride = COLS, .type = FX_F64, .val = x};
    double P[COLS * VECTORS] = {0.5, 1,         /* vectors are columns of P */
                                0.25, -1,
                                2, 0.5};
    double V[ROWS * VECTORS], G[ROWS * COLS * VECTORS], W[ROWS * VECTORS];
    const double step = 0x1p-20;
    fx_kernel *k = NULL;

    fx_status s = fx_kernel_parse(&k, "anova:order=3", NULL, 0);
    if (!FX_FAILED(s))
        s = fx_kernel_values(V, G, k, P, VECTORS, &X, NULL);
    P[0 * VECTORS + 1] += step;                 /* feature 0 of vector 1 */
    if (!FX_FAILED(s))
        s = fx_kernel_values(W, NULL, k, P, VECTORS, &X, NULL);
    fx_kernel_free(k);
    if (FX_FAILED(s)) {
        fprintf(stderr, "%s: %s\n", fx_status_name(s), fx_error_detail());
        return 1;
    }
    /* The kernel is linear in each feature of p, so the quotient has rounding error only:
     * a few units in the last place of values below 8, divided by the step. */
    double quotient = (W[1] - V[1]) / step, gradient = G[0 * VECTORS + 1];
    printf("values %g %g, gradient %g, quotient %g\n", V[0], V[1], gradient, quotient);
    return fabs(quotient - gradient) > 16 * 0x1p-50 / step;
}
