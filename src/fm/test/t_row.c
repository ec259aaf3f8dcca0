/* SPDX-License-Identifier: BSD-3-Clause
 * t_row.c - a row beside components: ANOVA and its derivatives against the reverse-mode table in
 * long double, also where one feature dominates and in rows too long for the table; groups against
 * enumeration; all-subsets, powers and x~'UV'x~ against their definitions; all forms of rows.
 *
 * Covers: row_hot.c */

#include "fm/test/made.h"

#include <float.h>

enum { N = 2100 };                      /* entries of a row, at most */

/* sum_t theta_t e_t(z) and its derivatives by z */
static long double reverse_mode(long double *d, const long double *z, size_t n, int m,
                                const double *theta)
{
    static long double a[N + 1][FX_ORDER_MAX + 1];
    long double b[FX_ORDER_MAX + 2] = {0}, value = 0;

    memset(a, 0, (n + 1) * sizeof *a);
    a[0][0] = 1;
    for (size_t j = 0; j < n; j++)
        for (int t = 0; t <= m; t++)
            a[j + 1][t] = a[j][t] + (t ? z[j] * a[j][t - 1] : 0);
    for (int t = 1; t <= m; t++) {
        b[t] = theta[t];
        value += theta[t] * a[n][t];
    }
    for (size_t j = n; j-- > 0;) {
        d[j] = 0;
        for (int t = 1; t <= m; t++) {
            d[j] += b[t] * a[j][t - 1];
            b[t] += z[j] * b[t + 1];
        }
    }
    return value;
}

/* Errors are measured by the same of |z|. */
static void against_table(fxi_fm_kind kind, int order, size_t n, double factor)
{
    enum { RANK = 19 };
    fxi_fm_shape shape = {.kind = kind, .order = order, .given = n, .rank = RANK};
    fxi_fm fm;
    fxi_fm_workspace *workspace;
    fxi_scratch scratch = {0};
    size_t block = kind == FXI_FM_HOFM ? (size_t)order - 2 : 0;
    double x[N], theta[FX_ORDER_MAX + 1] = {0}, *v, *g;
    static long double z[N], abs_z[N], want[N], bound[N];
    _Alignas(64) double out[FXI_LANES], again[FXI_LANES];

    CHECK(fxi_fm_new(&fm, &shape) == FX_OK
          && fxi_fm_row_workspace(&workspace, &fm, n, &scratch) == FX_OK);
    CHECK((v = fxi_alloc(fm.size, 8)) && (g = fxi_alloc(n * FXI_LANES, 8)));
    fxi_fm_start(v, &fm, 0.5, test_u64(), NULL);
    for (int t = 1; t <= order; t++) {
        theta[t] = kind == FXI_FM_SIMPLEX ? (double)test_below(4) / 4 : t == order;
        if (kind == FXI_FM_SIMPLEX)
            v[fm.block[0].theta + (size_t)t - 1] = theta[t];
    }
    for (size_t j = 0; j < n; j++)
        x[j] = test_below(8) ? (test_unit() - 0.3) * (n > 99 ? 0.1 : 1) : 0;
    x[test_below(n)] = factor;
    fxi_row r = {.n = n, .f64 = x};
    fxi_fm_row(workspace, r);
    for (size_t h = 0; h < fm.panels; h++) {
        fxi_fm_row_value(again, workspace, v, block, h, NULL);
        for (size_t w = 0; kind == FXI_FM_SIMPLEX && w < FXI_LANES; w++)
            CHECK(fxi_fm_row_orders(workspace)[w] == 1);
        made_gradient(out, g, workspace, v, block, h);
        for (size_t s = h * FXI_LANES; s < RANK && s < (h + 1) * FXI_LANES; s++) {
            size_t w = s % FXI_LANES;
            for (size_t j = 0; j < n; j++) {
                z[j] = (long double)x[j] * v[fxi_fm_at(&fm, block, s, j)];
                abs_z[j] = fabsl(z[j]);
            }
            double size = (double)reverse_mode(bound, abs_z, n, order, theta);
            double value = (double)reverse_mode(want, z, n, order, theta);
            double u = (double)(2 * n + 4 * (size_t)order) * DBL_EPSILON;
            bool table = n * (size_t)order <= 4096;     /* else guarded deletion: six bits less */
            CHECK_NEAR(out[w], value, u * size);
            CHECK_NEAR(again[w], value, u * size);
            for (size_t j = 0; j < n; j++)
                CHECK_NEAR(g[j * FXI_LANES + w], x[j] * (double)want[j],
                           (table ? 1 : 64) * u * fabs(x[j]) * (double)bound[j]);
        }
    }
    fxi_scratch_free(&scratch);
    fxi_fm_free(&fm);
    free(v);
    free(g);
}

/* Products of `left` more columns from j on, none of a group that is in `used`. */
static double enumerate(const fxi_fm *fm, const double *z, size_t j, int left, unsigned used)
{
    double sum = 0;

    if (left == 0)
        return 1;
    for (; j < fm->cols; j++) {
        int32_t g = fm->group ? fm->group[j] : (int32_t)j;
        if (g >= 0 && !(used >> g & 1))
            sum += z[j] * enumerate(fm, z, j + 1, left - 1, used | 1u << g);
    }
    return sum;
}

/* K(p, x) by its definition; z_j = p_j x_j for all columns. */
static double define(const fxi_fm *fm, const fxi_fm_block *b, const double *v, const double *z)
{
    double sum = 0, product = 1;

    for (size_t j = 0; j < fm->cols; j++) {
        sum += z[j];
        product *= 1 + z[j];
    }
    if (fm->kind == FXI_FM_SUBSETS)
        return product;
    if (fm->kind == FXI_FM_POWER)
        return pow(sum, b->order);
    if (fm->kind != FXI_FM_SIMPLEX)
        return enumerate(fm, z, 0, b->order, 0);
    sum = 0;
    for (int t = 1; t <= b->order; t++)
        sum += v[b->theta + (size_t)t - 1] * enumerate(fm, z, 0, t, 0);
    return sum;
}

/* Every kind, every form of rows: K is of degree 1 in a factor (a power: of its order), so that
 * its derivative is what the difference over a step of any length says. */
static void against_definition(fxi_fm_kind kind, int order, size_t rank, int form)
{
    made *m = made_model(kind, order, rank, &fxi_loss_squared, 7, form);
    const fxi_fm *fm = &m->fm;
    fxi_fm_workspace *workspace;
    fxi_scratch scratch = {0};
    double z[2 * MADE_COLS + 32], x[2 * MADE_COLS + 32];
    double *g = fxi_alloc((2 * MADE_COLS + 32) * FXI_LANES, sizeof *g);
    _Alignas(64) double out[FXI_LANES], again[FXI_LANES];

    CHECK(g
          && fxi_fm_row_workspace(&workspace, fm, fxi_data_rows_max(&m->X, 1), &scratch) == FX_OK);
    for (size_t i = 0; i < 7; i++) {
        fxi_fm_entries row = fxi_fm_row(workspace, fxi_data_row(&m->X, i));
        memset(x, 0, sizeof x);
        for (size_t k = 0; k < row.n; k++)
            x[row.col ? (size_t)row.col[k] : k] = row.x[k];
        for (size_t j = 0; j < MADE_COLS; j++) {        /* constants and the row, perhaps twice */
            CHECK(x[fm->front + j] == m->dense[i * MADE_COLS + j]);
            CHECK(!fm->twice || x[fm->cols / 2 + 1 + j] == x[1 + j]);
        }
        for (size_t j = 0; j < fm->front; j++)
            CHECK(x[j] == 1 && (!fm->twice || x[fm->cols / 2 + j] == 1));
        for (size_t q = 0; q < fm->blocks * fm->rank; q++) {
            size_t b = q / fm->rank, s = q % fm->rank, w = s % FXI_LANES;
            for (size_t j = 0; j < fm->cols; j++)
                z[j] = x[j] * m->v[fxi_fm_at(fm, b, s, j)];
            double want = define(fm, &fm->block[b], m->v, z);
            made_gradient(out, g, workspace, m->v, b, s / FXI_LANES);
            fxi_fm_row_value(again, workspace, m->v, b, s / FXI_LANES, NULL);
            CHECK_NEAR(out[w], want, 1e-13);
            CHECK_NEAR(again[w], want, 1e-13);
            for (size_t k = 0; k < row.n; k++) {
                size_t j = row.col ? (size_t)row.col[k] : k;
                double keep = z[j], h = kind == FXI_FM_POWER ? 1e-4 : 1;
                z[j] = keep + h * x[j];
                double up = define(fm, &fm->block[b], m->v, z);
                z[j] = keep - h * x[j];
                double down = define(fm, &fm->block[b], m->v, z);
                z[j] = keep;
                CHECK_NEAR(g[k * FXI_LANES + w], (up - down) / (2 * h),
                           kind == FXI_FM_POWER ? 1e-6 : 1e-13);
            }
        }
    }
    fxi_scratch_free(&scratch);
    free(g);
    made_end(m);
}

int main(void)
{
    static const double factor[] = {1, 1e9};

    test_init();
    for (int c = 0; c < test_cases(28); c++)
        against_table(c / 7 % 2 ? FXI_FM_SIMPLEX : FXI_FM_HOFM, 2 + c % 7, 1 + test_below(40),
                      factor[c / 14]);
    against_table(FXI_FM_HOFM, 2, 2049, 1);
    against_table(FXI_FM_HOFM, 3, 1400, 1e9);
    against_table(FXI_FM_HOFM, 16, 20, 1);
    for (int k = 0; k < MADE_KINDS; k++)
        for (int form = 0; form < MADE_FORMS; form++)
            against_definition((fxi_fm_kind)k, 2 + (k + form) % 3, 3 + (size_t)form % 2 * 15, form);
    return 0;
}
