/* SPDX-License-Identifier: BSD-3-Clause
 * t_solve.c - the factors give solutions; columns that depend on others, and no others, are out. */

#include "discover/discover.h"
#include "base/test.h"

#include <string.h>

enum { N = 8, ROWS = 20 };

static void one(void)
{
    double z[ROWS][N], A[N * N], LD[N * N], x[N], b[N];
    bool out[N] = {false}, made[N] = {false};
    size_t n = 1 + test_below(N);

    for (size_t j = 0; j < n; j++) {
        made[j] = j > 0 && test_below(3) == 0;
        double a = test_unit(), c = test_unit();
        size_t p = made[j] ? test_below(j) : 0, q = made[j] ? test_below(j) : 0;
        for (size_t i = 0; i < ROWS; i++)
            z[i][j] = made[j] ? a * z[i][p] + c * z[i][q] : test_unit() - 0.5;
        x[j] = b[j] = test_unit() - 0.5;
    }
    for (size_t j = 0; j < n; j++)
        for (size_t k = 0; k < n; k++) {
            A[j * n + k] = 0;
            for (size_t i = 0; i < ROWS; i++)
                A[j * n + k] += z[i][j] * z[i][k];
        }
    memcpy(LD, A, sizeof LD);
    fxi_discover_solve_factor(LD, out, n, 1e-9);
    fxi_discover_solve(x, LD, out, n);
    for (size_t j = 0; j < n; j++) {
        CHECK(out[j] == made[j]);
        double sum = 0;
        for (size_t k = 0; k < n; k++)
            sum += A[j * n + k] * x[k];
        if (out[j])
            CHECK(x[j] == 0);
        else
            CHECK_NEAR(sum, b[j], 1e-9);        /* condition numbers are below 1e4 here */
    }
    /* What is out beforehand stays out. */
    bool none[N] = {false};
    none[0] = true;
    fxi_discover_solve_factor(A, none, n, 1e-9);
    fxi_discover_solve(b, A, none, n);
    CHECK(none[0] && b[0] == 0);
}

int main(void)
{
    test_init();
    for (int i = 0; i < test_cases(300); i++)
        one();
    return 0;
}
