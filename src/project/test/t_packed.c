/* SPDX-License-Identifier: BSD-3-Clause
 * t_packed.c - packed signs: their definition bit by bit, and sums and products against plain
 * loops over `entries`, within the bounds of packed.c, on every instruction set.
 *
 * Covers: packed_hot.c */

#include "base/test.h"
#include "project/project.h"

#include <string.h>

static const double u = 0x1p-24;

static fxi_project make(size_t rows, size_t cols, size_t like, bool products, int part)
{
    fxi_project p = {.type = &fxi_project_packed, .rows = rows, .cols = cols, .like = like,
                     .law = FXI_LAW_SIGN, .scale = 1, .products = products, .seed = 7,
                     .stream = 5, .part = part};
    fx_run two = {RUN, .threads = 2};

    CHECK(fxi_project_new(&p, &two) == FX_OK);
    CHECK(p.width % FXI_LANES == 0 && p.width * p.blocks >= p.rows && !p.lanes);
    return p;
}

static double entry(const fxi_project *p, size_t s, size_t j)
{
    double w[FXI_LANES];

    p->type->entries(w, p, s / FXI_LANES * FXI_LANES, (int64_t)j);
    return w[s % FXI_LANES];
}

static void check_entries(size_t rows, size_t cols)
{
    fxi_project a = make(rows, cols, rows, false, 0), b = make(rows, cols, rows, false, 1), c;
    size_t equal = 0;

    CHECK(fxi_project_times(&c, &a, &b, NULL) == FX_OK);
    for (size_t s = 0; s < rows; s++)
        for (size_t j = 0; j < cols; j++) {
            uint64_t i = s / 64 * cols + j;
            double wa = fxi_rng_bits(fxi_project_rng(&a, 0, 0), i) >> s % 64 & 1 ? 1 : -1;
            double wb = fxi_rng_bits(fxi_project_rng(&b, 1, 0), i) >> s % 64 & 1 ? 1 : -1;
            CHECK(entry(&a, s, j) == wa && entry(&b, s, j) == wb && entry(&c, s, j) == wa * wb);
            equal += wa == wb;
        }
    /* Parts are independent: 8 standard deviations, false alarm below 1e-14. */
    double n = (double)(rows * cols);
    CHECK_NEAR((double)equal, n / 2, 4 * sqrt(n) + 1);
    fxi_project_free(&a), fxi_project_free(&b), fxi_project_free(&c);
}

/* A tile of rows with about `density` of their entries, of several sizes. */
typedef struct data {
    fxi_tile t;
    int64_t *col;
    float *x;
} data;

static data make_data(size_t rows, size_t cols, double density, bool dense)
{
    data d = {.t = {.rows = rows, .cols = cols}};
    size_t n = 0;

    d.col = fxi_alloc(rows * cols, sizeof *d.col);
    d.x = fxi_alloc(rows * cols, sizeof *d.x);
    for (size_t r = 0; r < rows; r++) {
        /* rows of one tile differ in density: none, some, all */
        double take = dense ? 1 : r % 5 == 1 ? 0 : r % 5 == 3 ? 0.9 : density;
        for (size_t j = 0; j < cols; j++)
            if (test_unit() < take || dense) {
                d.col[n] = (int64_t)j;
                d.x[n++] = (float)((test_unit() - 0.5) * pow(8, -(double)test_below(3)));
            }
        d.t.first[r + 1] = n;
    }
    d.t.col = dense ? NULL : d.col;
    return d;
}

static void free_data(data *d) { free(d->col), free(d->x); }

static float *apply(const fxi_project *p, const fxi_tile *t, const float *x)
{
    float *z = fxi_alloc(FXI_LANES * p->width * p->blocks, sizeof *z);
    void *space = fxi_alloc(p->space, 1);

    p->type->prepare(space, p, t, x);
    for (size_t b = 0; b < p->blocks; b++)
        p->type->apply(z + b * FXI_LANES * p->width, p, space, b);
    free(space);
    return z;
}

static float at(const fxi_project *p, const float *z, size_t r, size_t s)
{
    return z[(s / p->width * FXI_LANES + r) * p->width + s % p->width];
}

static void check_row(const fxi_project *p, const data *d, const float *z, size_t r)
{
    size_t first = d->t.first[r], n = d->t.first[r + 1] - first, group = 0, groups = 0;
    size_t b = strcmp(p->simd->name, "avx2") ? 4 : 3;

    for (size_t k = 0; k < n; k++) {
        size_t g = (size_t)d->col[first + k] / b;
        groups += k == 0 || g != group;
        group = g;
    }
    for (size_t s = 0; s < p->rows; s++) {
        double sum = 0, size = 0, product = 1, got = at(p, z, r, s);
        for (size_t k = first; k < first + n; k++) {
            double wx = entry(p, s, (size_t)d->col[k]) * d->x[k];
            sum += wx;
            size += fabs(wx);
            product *= 1 + wx;
        }
        /* the doubles of this loop add roundings of 2^-53: 1 % is plenty */
        if (p->products)
            CHECK_NEAR(got, product, 2.02 * (double)n * u * fabs(product) + 0x1p-120);
        else
            CHECK_NEAR(got, sum, 1.01 * (double)(groups + b) * u * size);
    }
}

static void check_alone(const fxi_project *p, const data *d, const float *z, size_t r)
{
    fxi_tile one = {.rows = 1, .cols = d->t.cols, .first = {0}, .col = d->t.col};
    size_t first = d->t.first[r];

    one.first[1] = d->t.first[r + 1] - first;
    one.col = d->t.col ? d->t.col + first : NULL;
    float *y = apply(p, &one, d->x + first);
    for (size_t s = 0; s < p->rows; s++)
        CHECK(at(p, y, 0, s) == at(p, z, r, s));
    free(y);
}

/* Rows of a sparse tile written out as dense ones: the same bits. */
static void check_written_out(const fxi_project *p, const data *d, const float *z)
{
    size_t rows = d->t.rows, cols = d->t.cols;
    float *x = fxi_zalloc(rows * cols, sizeof *x);
    fxi_tile t = {.rows = rows, .cols = cols};

    for (size_t r = 0; r < rows; r++) {
        t.first[r + 1] = (r + 1) * cols;
        for (size_t k = d->t.first[r]; k < d->t.first[r + 1]; k++)
            x[r * cols + (size_t)d->col[k]] = d->x[k];
    }
    float *y = apply(p, &t, x);
    for (size_t r = 0; r < rows; r++)
        for (size_t s = 0; s < p->rows; s++)
            CHECK(at(p, y, r, s) == at(p, z, r, s));
    free(x);
    free(y);
}

static void check_case(size_t rows, size_t cols, size_t D, double density, bool dense,
                       bool products)
{
    fxi_project p = make(D, cols, D, products, 0);
    data d = make_data(rows, cols, density, dense);
    float *z = apply(&p, &d.t, d.x);

    for (size_t r = 0; r < rows; r++) {
        check_row(&p, &d, z, r);
        if (r < 4)
            check_alone(&p, &d, z, r);
    }
    if (dense) {                        /* the same rows given as sparse ones */
        d.t.col = d.col;
        float *y = apply(&p, &d.t, d.x);
        for (size_t r = 0; r < rows; r++)
            for (size_t s = 0; s < D; s++)
                CHECK(at(&p, y, r, s) == at(&p, z, r, s));
        free(y);
    } else
        check_written_out(&p, &d, z);
    free(z);
    free_data(&d);
    fxi_project_free(&p);
}

/* Products (1 +- x) with x = 1 are exactly 0 or powers of 2; a lost bit would show. */
static void check_exact(size_t cols)
{
    fxi_project p = make(65, cols, 65, true, 0), q = make(65, cols, 65, false, 0);
    fxi_tile t = {.rows = 1, .cols = cols, .first = {0, 1}};
    float one = 1;

    for (size_t j = 0; j < cols; j++) {
        int64_t col = (int64_t)j;
        t.col = &col;
        float *y = apply(&p, &t, &one), *z = apply(&q, &t, &one);
        for (size_t s = 0; s < p.rows; s++)
            CHECK(at(&p, y, 0, s) == 1 + entry(&p, s, j) && at(&q, z, 0, s) == entry(&q, s, j));
        free(y), free(z);
    }
    fxi_project_free(&p), fxi_project_free(&q);
}

static void check_refusals(void)
{
    fxi_project p = {.type = &fxi_project_packed, .rows = 64, .cols = 3, .law = FXI_LAW_GAUSSIAN};
    fx_run little = {RUN, .max_memory = 100};

    CHECK(fxi_project_new(&p, NULL) == FX_EUNSUPPORTED);
    p = (fxi_project){.type = &fxi_project_packed, .rows = 64, .cols = 300};
    CHECK(fxi_project_new(&p, &little) == FX_ELIMIT);
    p = (fxi_project){.type = &fxi_project_packed, .rows = 64, .cols = SIZE_MAX / 8};
    CHECK(fxi_project_new(&p, NULL) == FX_ELIMIT);
}

int main(void)
{
    static const size_t sizes[] = {1, 2, 3, 4, 15, 16, 17, 33, 100};
    static const size_t outputs[] = {1, 63, 64, 65, 130, 300};

    test_init();
    for (const fxi_simd *simd = fxi_simd_targets; simd->name; simd++) {
        if (!simd->supported())
            continue;
        setenv("FX_TARGET", simd->name, 1);
        CHECK(fxi_simd_get() == simd);
        check_entries(130, 37);
        check_entries(1, 1);
        check_exact(37);
        for (int c = 0; c < test_cases(18); c++) {
            size_t cols = c < 9 ? sizes[c] : test_below(300) + 1, rows = test_below(FXI_LANES) + 1;
            for (int kind = 0; kind < 4; kind++)
                check_case(rows, cols, outputs[(c + kind) % 6], 0.1, kind & 1, kind & 2);
        }
        check_case(16, 700, 64, 0.02, false, false);    /* several spans of features */
        check_case(13, 700, 64, 0.02, true, false);
        /* cut as for more rows */
        fxi_project p = make(70, 5, 300, false, 0), q = make(300, 5, 300, false, 0);
        CHECK(p.width == q.width && p.blocks == 1 && q.blocks == 2);
        for (size_t s = 0; s < 70; s++)
            CHECK(entry(&p, s, 3) == entry(&q, s, 3));
        fxi_project_free(&p), fxi_project_free(&q);
    }
    unsetenv("FX_TARGET");
    check_refusals();
    return 0;
}
