/* SPDX-License-Identifier: BSD-3-Clause
 * t_scale.c - factors and scaled rows against the definitions; large means, extreme numbers. */

#include "data/test/random_table.h"

#include <float.h>

#define U (DBL_EPSILON / 2)

static double weight_of(const double *w, size_t i) { return w ? w[i] : 1; }

/* The definition, in long double; w may be NULL. */
static long double deviation(const double *x, size_t stride, const double *w, size_t n)
{
    long double mean = 0, square = 0, sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += weight_of(w, i);
    for (size_t i = 0; i < n; i++)
        mean += weight_of(w, i) * (long double)x[i * stride] / sum;
    for (size_t i = 0; i < n; i++)
        square += weight_of(w, i) * (x[i * stride] - mean) * (x[i * stride] - mean) / sum;
    return sqrtl(square);
}

static double largest(const double *x, size_t stride, const double *w, size_t n)
{
    double m = 0;

    for (size_t i = 0; i < n; i++)
        m = weight_of(w, i) > 0 ? fmax(m, fabs(x[i * stride])) : m;
    return m;
}

/* s^2 has the relative error (n + 5) u (1 + 2k)^2, k = n u m/s, of scale.c; |x| <= m.  A root
 * halves it; quotient and reciprocal add 4 u at most. */
static double std_bound(long double s, double m, size_t n)
{
    double k = (double)n * U * (double)(m / s);

    return ((double)n + 9) * U * (1 + 2 * k) * (1 + 2 * k);
}

static void columns(const random_table *r, const char *spec)
{
    bool std = !strcmp(spec, "std");
    size_t cols, n = r->t.rows;
    const double *w = r->t.weight;
    fx_scale *s = NULL, *again = NULL;
    fx_data *d = NULL;

    CHECK(fx_data_scale_fit(&s, spec, &r->t, NULL) == FX_OK);
    const double *f = fx_data_scale_columns(s, &cols);
    CHECK(f && cols == r->t.cols && !strcmp(fx_data_scale_spec(s), spec));
    for (size_t j = 0; j < cols; j++) {
        const double *x = &r->x[0][j];
        double m = largest(x, RT_COLS, w, n);
        size_t first = 0;
        bool spread = false;
        while (first < n && !(weight_of(w, first) > 0))
            first++;
        for (size_t i = first; i < n; i++)
            spread |= weight_of(w, i) > 0 && r->x[i][j] != r->x[first][j];
        if (std) {
            long double sd = deviation(x, RT_COLS, w, n);
            if (spread)
                CHECK_NEAR(f[j] * (double)sd, 1, std_bound(sd, m, n));
            else
                CHECK(f[j] == 1);
        } else
            CHECK(f[j] == (m > 0 ? 1 / m : 1));
    }
    CHECK(fx_data_scale_restore(&again, spec, f, cols) == FX_OK);
    CHECK(fx_data_scale_apply(&d, again, &r->t, NULL) == FX_OK);
    fx_table t = fx_data_table(d);
    CHECK(fxi_data_check_table(&t, NULL) == FX_OK && t.rows == n && t.cols == r->t.cols);
    CHECK(t.block[0].type == FX_F64 && !t.label == !r->t.label && !t.name == !r->t.name);
    for (size_t i = 0; i < n; i++) {
        fxi_row row = fxi_data_row(t.block, i);
        for (size_t q = 0; q < row.n; q++) {
            size_t j = (size_t)fxi_row_column(row, q);
            CHECK(row.f64[q] == r->x[i][j] * f[j]);
            CHECK(std || fabs(row.f64[q]) <= 1 || !(weight_of(w, i) > 0));
        }
    }
    fx_data_free(d);
    fx_data_scale_free(s);
    fx_data_scale_free(again);
}

/* maxabs or none, by the range of the rows that have a weight. */
static void automatic(const random_table *r)
{
    size_t n = r->t.rows, cols, all;
    double m = 0;
    fx_scale *s = NULL, *plain = NULL;

    for (size_t j = 0; j < r->t.cols; j++)
        m = fmax(m, largest(&r->x[0][j], RT_COLS, r->t.weight, n));
    CHECK(fx_data_scale_fit(&s, "auto", &r->t, NULL) == FX_OK);
    CHECK(!strcmp(fx_data_scale_spec(s), m > 1 ? "maxabs" : "none"));
    CHECK(fx_data_scale_fit(&plain, fx_data_scale_spec(s), &r->t, NULL) == FX_OK);
    const double *f = fx_data_scale_columns(s, &cols), *g = fx_data_scale_columns(plain, &all);
    CHECK(cols == all && !f == !g && (!f || !memcmp(f, g, cols * sizeof *f)));
    fx_data_scale_free(s);
    fx_data_scale_free(plain);
}

static void rows(const random_table *r, const char *spec)
{
    bool l1 = !strcmp(spec, "unit-l1");
    size_t cols = 9;
    fx_scale *s = NULL;
    fx_data *d = NULL;

    CHECK(fx_data_scale_fit(&s, spec, &r->t, NULL) == FX_OK);
    CHECK(!fx_data_scale_columns(s, &cols) && cols == 0);
    CHECK(fx_data_scale_apply(&d, s, &r->t, NULL) == FX_OK);
    fx_table t = fx_data_table(d);
    for (size_t i = 0; i < t.rows; i++) {
        fxi_row row = fxi_data_row(t.block, i);
        long double norm = 0;
        for (size_t j = 0; j < t.cols; j++)
            norm += l1 ? fabsl(r->x[i][j]) : (long double)r->x[i][j] * r->x[i][j];
        if (!l1)
            norm = sqrtl(norm);
        for (size_t q = 0; q < row.n; q++) {    /* a sum, a square, a root, a quotient */
            double x = r->x[i][fxi_row_column(row, q)];
            double expected = norm > 0 ? (double)(x / norm) : 0;
            CHECK_NEAR(row.f64[q], expected, ((double)t.cols + 4) * U * fabs(expected));
        }
    }
    fx_data_free(d);
    fx_data_scale_free(s);
}

/* One dense column of doubles. */
static double factor(const char *spec, const double *x, size_t n)
{
    fx_matrix X = {.rows = n, .cols = 1, .stride = 1, .type = FX_F64, .val = x};
    fx_table t = {.rows = n, .cols = 1, .blocks = 1, .block = &X};
    fx_scale *s = NULL;

    CHECK(fx_data_scale_fit(&s, spec, &t, NULL) == FX_OK);
    double f = fx_data_scale_columns(s, NULL)[0];
    fx_data_scale_free(s);
    return f;
}

static int stop(void *ctx, double done)
{
    (void)ctx, (void)done;
    return 1;
}

int main(void)
{
    static random_table r;

    test_init();
    for (int i = 0, n = test_cases(500); i < n; i++) {
        random_table_fill(&r, i % 3, i / 3 % 3);
        columns(&r, "maxabs");
        columns(&r, "std");
        automatic(&r);
        rows(&r, "unit-l1");
        rows(&r, "unit-l2");
    }

    /* Hard columns: a large mean, a constant whose mean is not exact, extremes. */
    enum { N = 1001 };
    double x[N];
    for (size_t i = 0; i < N; i++)
        x[i] = 1e9 + (double)(i % 2);
    long double sd = deviation(x, 1, NULL, N);
    CHECK_NEAR(factor("std", x, N) * (double)sd, 1, std_bound(sd, 1e9, N));
    for (size_t i = 0; i < N; i++)      /* the computed mean is off by several s */
        x[i] = 0x1p52 + (double)(i % 7 == 0);
    double p = 143.0 / N;               /* 143 of them are one larger */
    sd = sqrtl(p * (1 - p));
    CHECK(std_bound(sd, 0x1p52, N) < 1e-5);
    CHECK_NEAR(factor("std", x, N) * (double)sd, 1, std_bound(sd, 0x1p52 + 1, N));
    for (size_t i = 0; i < N; i++)
        x[i] = 0.1;
    CHECK(factor("std", x, N) == 1);
    double big[] = {DBL_MAX, -DBL_MAX}, small[] = {4.9e-324, 0}, zero[] = {0, 0};
    CHECK_NEAR(factor("std", big, 2) * DBL_MAX, 1, 8 * U * 4); /* subnormal factor: two bits less */
    CHECK(factor("maxabs", big, 2) == 1 / DBL_MAX);
    CHECK(factor("maxabs", small, 2) == DBL_MAX && factor("std", small, 2) == DBL_MAX);
    CHECK(factor("maxabs", zero, 2) == 1 && factor("std", zero, 2) == 1);
    CHECK(factor("maxabs", zero, 0) == 1 && factor("std", zero, 0) == 1);

    /* auto: exactly 1 is within, the next number is not; rows of weight 0 do not count. */
    double one[] = {-1, 0.5, 1, 7}, weights[] = {1, 2, 1, 0};
    fx_matrix O = {.rows = 4, .cols = 1, .stride = 1, .type = FX_F64, .val = one};
    fx_table to = {.rows = 4, .cols = 1, .blocks = 1, .block = &O, .weight = weights};
    fx_scale *chosen = NULL;
    for (int beyond = 0; beyond < 2; beyond++) {
        size_t cols;
        one[2] = beyond ? nextafter(1, 2) : 1;
        CHECK(fx_data_scale_fit(&chosen, "auto", &to, NULL) == FX_OK);
        CHECK(!strcmp(fx_data_scale_spec(chosen), beyond ? "maxabs" : "none"));
        CHECK(!fx_data_scale_columns(chosen, &cols) == !beyond && cols == (size_t)beyond);
        fx_data_scale_free(chosen);
    }
    CHECK(fx_data_scale_restore(&chosen, "auto", NULL, 0) == FX_EINVAL);

    /* Norms of extreme rows. */
    double rowx[] = {DBL_MAX, DBL_MAX, 4.9e-324, 0, 3e-200, 4e-200};
    fx_matrix X = {.rows = 3, .cols = 2, .stride = 2, .type = FX_F64, .val = rowx};
    fx_table t = {.rows = 3, .cols = 2, .blocks = 1, .block = &X};
    fx_scale *s = NULL;
    fx_data *d = NULL;
    CHECK(fx_data_scale_fit(&s, "unit-l2", &t, NULL) == FX_OK);
    CHECK(fx_data_scale_apply(&d, s, &t, NULL) == FX_OK);
    const double *y = fx_data_table(d).block[0].val;
    CHECK_NEAR(y[0], sqrt(0.5), 4 * U);
    CHECK(y[2] == 1 && y[3] == 0);
    CHECK_NEAR(y[4], 0.6, 6 * U);
    fx_data_free(d);
    fx_data_scale_free(s);

    /* none: a copy of the same type. */
    float fx[] = {1, 2};
    fx_matrix F = {.rows = 1, .cols = 2, .stride = 2, .val = fx};
    fx_table tf = {.rows = 1, .cols = 2, .blocks = 1, .block = &F};
    CHECK(fx_data_scale_fit(&s, "none", &tf, NULL) == FX_OK);
    CHECK(fx_data_scale_apply(&d, s, &tf, NULL) == FX_OK);
    CHECK(fx_data_table(d).block[0].type == FX_F32);
    fx_data_free(d);
    fx_data_scale_free(s);

    /* Narrower tables are fine, wider ones are not; refusals leave the output alone. */
    double f3[] = {1, 2, 3};
    fx_data *keep = d = (fx_data *)&t;
    CHECK(fx_data_scale_restore(&s, "maxabs", f3, 3) == FX_OK);
    CHECK(fx_data_scale_apply(&d, s, &tf, NULL) == FX_OK);
    CHECK(((const double *)fx_data_table(d).block[0].val)[1] == 4);
    fx_data_free(d);
    d = keep;
    f3[1] = 1.5;                        /* DBL_MAX * 1.5 */
    fx_data_scale_free(s);
    CHECK(fx_data_scale_restore(&s, "std", f3, 3) == FX_OK);
    CHECK(fx_data_scale_apply(&d, s, &t, NULL) == FX_ENUMERIC && d == keep);
    fx_data_scale_free(s);
    CHECK(fx_data_scale_restore(&s, "maxabs", f3, 1) == FX_OK);
    CHECK(fx_data_scale_apply(&d, s, &tf, NULL) == FX_ESHAPE && d == keep);
    CHECK(fx_data_scale_apply(&d, NULL, &tf, NULL) == FX_EINVAL && d == keep);
    CHECK(fx_data_scale_apply(&d, s, NULL, NULL) == FX_EINVAL && d == keep);
    CHECK(fx_data_scale_apply(NULL, s, &tf, NULL) == FX_EINVAL);
    fx_data_scale_free(s);
    fx_scale *same = s = (fx_scale *)&t;
    CHECK(fx_data_scale_fit(&s, "minmax", &t, NULL) == FX_EINVAL && s == same);
    CHECK(strstr(fx_error_detail(), "unit-l1"));
    CHECK(fx_data_scale_fit(&s, "std:a=1", &t, NULL) == FX_EINVAL);
    CHECK(fx_data_scale_fit(&s, "std(none)", &t, NULL) == FX_EINVAL);
    CHECK(fx_data_scale_fit(&s, NULL, &t, NULL) == FX_EINVAL);
    CHECK(fx_data_scale_fit(&s, "std", NULL, NULL) == FX_EINVAL);
    CHECK(fx_data_scale_fit(NULL, "std", &t, NULL) == FX_EINVAL);
    CHECK(fx_data_scale_fit(&s, "std", &t, &(fx_run){RUN, .max_memory = 9}) == FX_ELIMIT);
    CHECK(fx_data_scale_restore(&s, "std", NULL, 2) == FX_EINVAL);
    CHECK(fx_data_scale_restore(&s, "unit-l1", f3, 3) == FX_EINVAL);
    f3[2] = -1;
    CHECK(fx_data_scale_restore(&s, "std", f3, 3) == FX_EINVAL && strstr(fx_error_detail(), "-1"));
    CHECK(s == same);
    fx_data_scale_free(NULL);

    enum { ROWS = 20000, COLS = 1000 }; /* long enough to be stopped */
    float *big_rows = calloc((size_t)ROWS * COLS, sizeof *big_rows);
    CHECK(big_rows);
    fx_matrix B = {.rows = ROWS, .cols = COLS, .stride = COLS, .val = big_rows};
    fx_table tb = {.rows = ROWS, .cols = COLS, .blocks = 1, .block = &B};
    CHECK(fx_data_scale_fit(&s, "std", &tb, &(fx_run){RUN, .progress = stop}) == FX_ECANCELLED);
    CHECK(s == same);
    free(big_rows);
    return 0;
}
