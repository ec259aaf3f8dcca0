/* SPDX-License-Identifier: BSD-3-Clause
 * t_variance.c - closed forms and the public function: golden moments, and a map of known error. */

#include "kernel/test/golden.h"
#include "map/map.h"

#include <float.h>

static const char *text(json_t *c, const char *key)
{
    return json_string_value(json_object_get(c, key));
}

static int whole(json_t *c, const char *key)
{
    return (int)json_integer_value(json_object_get(c, key));
}

static fxi_law law_of(const char *name)
{
    CHECK(!strcmp(name, "rademacher") || !strcmp(name, "gaussian") || !strcmp(name, "uniform"));
    return *name == 'r' ? FXI_LAW_SIGN : *name == 'g' ? FXI_LAW_GAUSSIAN : FXI_LAW_UNIFORM;
}

/* The variance of a golden case, or NAN if its map has no closed form here. */
static double closed(json_t *c, const fxi_pair *p)
{
    const char *map = text(c, "map");
    fxi_moments m = fxi_map_variance_moments(p);

    if (!strcmp(map, "projection") && strcmp(text(c, "distribution"), "sparse3"))
        return fxi_map_variance_jl(&m, law_of(text(c, "distribution")));
    if (!strcmp(map, "product"))
        return fxi_map_variance_product(&m, whole(c, "degree"), *text(c, "signs") == 'c');
    if (!strcmp(map, "sparse-jl"))
        return fxi_map_variance_sparse(&m, (size_t)whole(c, "s"), (size_t)whole(c, "m"));
    if (!strcmp(map, "tensorsketch")) {
        double root = sqrt(json_number_value(json_object_get(c, "coef0")));
        fxi_map_variance_add(&m, root, root);
        return fxi_map_variance_sketch(&m, whole(c, "degree"), (size_t)whole(c, "D"));
    }
    if (!strcmp(map, "fourier")) {
        fx_kernel *k = NULL;
        CHECK(fx_kernel_parse(&k, text(c, "kernel"), NULL, 0) == FX_OK);
        double v = fxi_map_variance_fourier(k, p, *text(c, "kind") == 'o');
        fx_kernel_free(k);
        return v;
    }
    return NAN;
}

static void golden(void)
{
    static double x[GOLDEN_DIM], y[GOLDEN_DIM];
    json_t *root = golden_cases("tests/golden/map_moments.json"), *c;
    size_t i, seen = 0;

    json_array_foreach(json_object_get(root, "cases"), i, c)
    {
        fxi_pair p = {.x = x, .y = y};
        p.n = golden_vector(x, json_object_get(c, "x"));
        CHECK(golden_vector(y, json_object_get(c, "y")) == p.n);
        double got = closed(c, &p);
        if (isnan(got))
            continue;
        double want = strtod(text(c, "variance"), NULL), mean = strtod(text(c, "mean"), NULL);
        if (!(fabs(got - want) <= 1e-13 * (fabs(want) + mean * mean)))
            fprintf(stderr, "%s: %.17g, want %.17g\n", text(c, "id"), got, want);
        CHECK(fabs(got - want) <= 1e-13 * (fabs(want) + mean * mean));
        seen++;
    }
    CHECK(seen == 8 + 21 + 11 + 6 + 8);
    json_decref(root);
}

/* One feature carries all: no error, exactly; and blocks of uneven size. */
static void exact(void)
{
    double x[] = {0.1, 0}, y[] = {0.7, 0};
    fxi_pair p = {.n = 2, .x = x, .y = y};
    fxi_moments m = fxi_map_variance_moments(&p);

    CHECK(fxi_map_variance_jl(&m, FXI_LAW_SIGN) == 0);
    CHECK(fxi_map_variance_product(&m, 5, false) == 0
          && fxi_map_variance_product(&m, 5, true) == 0);
    CHECK(fxi_map_variance_sketch(&m, 3, 8) == 0 && fxi_map_variance_sparse(&m, 3, 8) == 0);
    x[1] = 2, y[1] = -0.5;
    m = fxi_map_variance_moments(&p);
    double sum = m.P + m.Q;             /* 3 blocks of 2, 3, 3 rows */
    CHECK_NEAR(fxi_map_variance_sparse(&m, 3, 8), sum * (1 / 2. + 1 / 3. + 1 / 3.) / 9,
               8 * DBL_EPSILON * sum);
    CHECK(isinf(fxi_map_variance_jl(&m, FXI_LAW_CAUCHY)));
}

/* ---- The public function -------------------------------------------------------------------- */

/* What the map is told: one stands for n, all for a sum that names every number and column. */
static fx_status listen(double *one, double *all, const fx_map *m, const fxi_pair *p)
{
    *one = (double)p->n;
    *all = 0;
    for (size_t j = 0; j < p->n; j++) {
        CHECK(j == 0 || p->col[j] > p->col[j - 1]);
        CHECK(p->x[j] != 0 || p->y[j] != 0);
        *all += (double)(p->col[j] + 1) * (p->x[j] + 3 * p->y[j] * p->y[j]);
    }
    return m->seed == 7 ? fxi_error(FX_EUNSUPPORTED, "seven") : FX_OK;
}

enum { ROWS = 40, COLS = 9, PAIRS = 300 };

static void door(void)
{
    static double dense[ROWS * COLS], val[ROWS * COLS], V[PAIRS], W[PAIRS];
    static int32_t col[ROWS * COLS];
    static int64_t ptr[ROWS + 1];
    static size_t pair[2 * PAIRS];
    fxi_map_type type = {.name = "listen", .variance = listen};
    fx_map m = {.type = &type, .cols = COLS};
    size_t n = 0;

    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < COLS; j++) {
            double v = test_below(4) < i % 5 ? test_unit() - 0.5 : 0;
            dense[i * COLS + j] = v;
            if (v != 0 || (i + j) % 7 == 0) {
                val[n] = v;
                col[n++] = (int32_t)j;
            }
        }
        ptr[i + 1] = (int64_t)n;
    }
    fx_matrix D = {.rows = ROWS, .cols = COLS, .stride = COLS, .type = FX_F64, .val = dense};
    fx_matrix S = {.rows = ROWS, .cols = COLS, .type = FX_F64, .val = val, .col = col, .ptr = ptr};
    for (size_t q = 0; q < 2 * PAIRS; q++)
        pair[q] = test_below(ROWS);
    for (int threads = 1; threads <= 3; threads++) {
        fx_run run = {RUN, .threads = threads};
        CHECK(fx_map_variance(V, &m, &D, pair, PAIRS, &run) == FX_OK);
        CHECK(fx_map_variance(W, &m, &S, pair, PAIRS, &run) == FX_OK);
        CHECK(test_helped() || threads == 1);
        for (size_t q = 0; q < PAIRS; q++) {
            double want = 0;
            for (size_t j = 0; j < COLS; j++) {
                double y = dense[pair[2 * q + 1] * COLS + j];
                want += (double)(j + 1) * (dense[pair[2 * q] * COLS + j] + 3 * y * y);
            }
            CHECK_NEAR(V[q], want, 1e-13);
            CHECK(V[q] == W[q]);
        }
    }
    CHECK(fx_map_variance(V, &m, &S, pair, 0, NULL) == FX_OK);
    CHECK(fx_map_variance(NULL, &m, &S, NULL, 0, NULL) == FX_OK);
    pair[5] = ROWS;
    CHECK(fx_map_variance(V, &m, &S, pair, PAIRS, NULL) == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "pair 2"));
    CHECK(fx_map_variance(V, &m, &S, pair, 2, NULL) == FX_OK);
    CHECK(fx_map_variance(V, NULL, &S, pair, 2, NULL) == FX_EINVAL);
    CHECK(fx_map_variance(NULL, &m, &S, pair, 2, NULL) == FX_EINVAL);
    CHECK(fx_map_variance(V, &m, &S, pair, 2, &(fx_run){RUN, .max_memory = 8}) == FX_ELIMIT);
    m.seed = 7;
    CHECK(fx_map_variance(V, &m, &S, pair, 2, NULL) == FX_EUNSUPPORTED);
    CHECK(!strcmp(fx_error_detail(), "seven"));
    m.cols = COLS + 1;
    CHECK(fx_map_variance(V, &m, &S, pair, 2, NULL) == FX_ESHAPE);
    type.variance = NULL;
    CHECK(fx_map_variance(V, &m, &S, pair, 2, NULL) == FX_EUNSUPPORTED);
    CHECK(strstr(fx_error_detail(), "listen"));
}

int main(void)
{
    test_init();
    golden();
    exact();
    door();
    return 0;
}
