/* SPDX-License-Identifier: BSD-3-Clause
 * t_explicit.c - exact expansions: dot products are the kernel, columns are counted and ordered
 * as promised, and what is too large is refused with its size.
 *
 * Covers: explicit_row.c, explicit_sets.c, sparse.c */

#include "base/test.h"
#include "kernel/kernel.h"
#include "map/map.h"

#include <float.h>
#include <string.h>

enum { ROWS = 19 };

/* Both forms of the same rows: about a third of the numbers are zero. */
typedef struct rows {
    double *x;
    int32_t *col;
    int64_t ptr[ROWS + 1];
    double *val;
    fx_matrix dense, sparse;
} rows;

static void make_rows(rows *r, size_t d)
{
    r->x = fxi_alloc(ROWS * d, sizeof *r->x);
    r->val = fxi_alloc(ROWS * d, sizeof *r->val);
    r->col = fxi_alloc(ROWS * d, sizeof *r->col);
    CHECK(r->x && r->val && r->col);
    int64_t n = 0;
    for (size_t i = 0; i < ROWS; i++) {
        r->ptr[i] = n;
        for (size_t j = 0; j < d; j++) {
            double v = test_below(3) && i != 2 ? (float)(test_unit() * 2 - 1) : 0;
            r->x[i * d + j] = v;
            r->val[n] = v;
            r->col[n] = (int32_t)j;
            n += v != 0;
        }
    }
    r->ptr[ROWS] = n;
    r->dense = (fx_matrix){.rows = ROWS, .cols = d, .stride = d, .type = FX_F64, .val = r->x};
    r->sparse = (fx_matrix){.rows = ROWS, .cols = d, .type = FX_F64, .val = r->val, .ptr = r->ptr,
                            .col = r->col};
}

static void free_rows(rows *r) { free(r->x), free(r->val), free(r->col); }

/* The features of sparse rows that are not 0 are those of the dense row, bit for bit, in ascending
 * columns, and scores are sums over them. */
static void check_sparse(const fx_map *m, const rows *r, const float *Z, size_t columns)
{
    int64_t ptr[ROWS + 1];
    size_t at = 0;
    double *W = fxi_alloc(2 * columns, sizeof *W), S[2 * ROWS];

    CHECK(W && fxi_map_sparse(m, &r->sparse) && !fxi_map_sparse(m, &r->dense));
    fxi_map_sparse_count(ptr, m, &r->sparse);
    float *val = fxi_alloc((size_t)ptr[ROWS] + 1, sizeof *val);
    int32_t *col = fxi_alloc((size_t)ptr[ROWS] + 1, sizeof *col);
    CHECK(val && col);
    CHECK(fxi_map_sparse_rows(val, col, ptr, m, &r->sparse, &(fx_run){RUN, .threads = 2}) == 0);
    for (size_t j = 0; j < 2 * columns; j++)
        W[j] = test_unit() - 0.5;
    CHECK(fx_map_score(S, m, W, 2, &r->sparse, NULL) == 0);
    for (size_t i = 0; i < ROWS; i++) {
        double sum = 0, size = 0;
        for (size_t s = 0; s < columns; s++) {
            float z = Z[i * (columns + 1) + s];
            if (at < (size_t)ptr[i + 1] && (size_t)col[at] == s)
                CHECK(val[at++] == z);
            else
                CHECK(z == 0);
            sum += z * W[2 * s + 1];
            size += fabs(z * W[2 * s + 1]);
        }
        CHECK(at == (size_t)ptr[i + 1]);
        CHECK_NEAR(S[2 * i + 1], sum, (double)columns * DBL_EPSILON * size);
    }
    free(W), free(val), free(col);
}

static void check_family(const char *spec, const char *family, size_t d, size_t columns,
                         int factors)
{
    fx_kernel *k = NULL;
    fx_map *m = NULL;
    rows r;

    make_rows(&r, d);
    CHECK(fx_kernel_parse(&k, spec, family, 0) == 0);
    CHECK(fx_map_parse(&m, "explicit", k, d, 0, 1, NULL, NULL) == 0);
    CHECK(fx_map_features(m) == columns);
    CHECK(!strcmp(fx_map_spec(m), "explicit"));
    double *K = fxi_alloc(ROWS * ROWS, sizeof *K);
    float *Z = fxi_alloc(ROWS * (columns + 1), sizeof *Z);
    float *Y = fxi_alloc(ROWS * (columns + 1), sizeof *Y);
    CHECK(K && Z && Y);
    CHECK(fx_kernel_gram(K, ROWS, k, &r.dense, NULL, NULL) == 0);
    CHECK(fx_map_apply(Z, columns + 1, FX_F32, m, &r.dense, NULL) == 0);
    CHECK(fx_map_apply(Y, columns + 1, FX_F32, m, &r.sparse, NULL) == 0);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < ROWS; j++) {
            double sum = 0, size = 0;
            for (size_t s = 0; s < columns; s++) {
                double z = (double)Z[i * (columns + 1) + s] * Z[j * (columns + 1) + s];
                sum += z;
                size += fabs(z);
            }
            /* 2 (2t + 1) roundings of 2^-24, of the columns; the sum itself is in double */
            CHECK_NEAR(sum, K[i * ROWS + j],
                       (2 * (2 * factors + 1) * 0x1p-24 + (double)columns * DBL_EPSILON) * size
                           + 1e-30);
        }
    for (size_t i = 0; i < ROWS; i++)
        CHECK(!memcmp(Z + i * (columns + 1), Y + i * (columns + 1), columns * sizeof *Z));
    check_sparse(m, &r, Z, columns);
    if (family)                         /* the first two are {} and the column 0 */
        for (size_t i = 0; i < ROWS; i++)
            CHECK(Z[i * (columns + 1)] == 1 && Z[i * (columns + 1) + 1] == (float)r.x[i * d]);
    if (!strcmp(spec, "anova:order=3")) {               /* lexicographic */
        size_t s = 0;
        for (size_t a = 0; a < d; a++)
            for (size_t b = a + 1; b < d; b++)
                for (size_t c = b + 1; c < d; c++, s++)
                    CHECK_NEAR(Z[s], r.x[a] * r.x[b] * r.x[c], 7 * 0x1p-24);
        CHECK(s == columns);
    }
    fx_map_free(m);
    fx_kernel_free(k);
    free(K), free(Z), free(Y);
    free_rows(&r);
}

static void check(const char *spec, size_t d, size_t columns, int factors)
{
    check_family(spec, NULL, d, columns, factors);
}

/* All sets of three columns that add up to a multiple of three: a column for each, in several
 * blocks of columns, and some of columns that rows do not have. */
static void check_sets(size_t d)
{
    char *text = calloc(d * d * d + 16, 4);
    size_t n = 2, len = 0;

    CHECK(text);
    len += (size_t)sprintf(text, "{}\n0\n%zu\n0 1 %zu\n", d, d + 1);
    n += 2;
    for (size_t a = 0; a < d; a++)
        for (size_t b = a + 1; b < d; b++)
            for (size_t c = b + 1; c < d; c++)
                if ((a + b + c) % 3 == 0) {
                    len += (size_t)sprintf(text + len, "%zu %zu %zu\n", a, b, c);
                    n++;
                }
    check_family("itemset", text, d, n, 3);
    free(text);
}

static fx_status parse_status(const char *kernel, size_t d, uint64_t limit)
{
    fx_run run = {RUN, .max_memory = limit};
    fx_kernel *k = NULL;
    fx_map *m = NULL;

    CHECK(fx_kernel_parse(&k, kernel, NULL, 0) == 0);
    fx_status st = fx_map_parse(&m, "explicit", k, d, 10, 1, NULL, &run);
    CHECK(st < 0 && !m);
    fx_kernel_free(k);
    return st;
}

int main(void)
{
    test_init();
    check("linear", 1, 1, 1);
    check("linear", 2000, 2000, 1);
    check("poly:degree=2", 1, 3, 3);
    check("poly:degree=2,coef0=0.5,gamma=0.7", 50, 51 * 52 / 2, 3);
    check("poly:degree=2,coef0=0,gamma=0.3", 17, 17 * 18 / 2, 3);
    check("anova:order=1", 5, 5, 1);
    check("anova:order=3", 3, 1, 3);
    check("anova:order=3", 2, 0, 3);
    check("anova:order=3", 26, 2600, 3);
    check("anova:order=3", 40, 9880, 3);
    check("anova:order=5", 16, 4368, 5);
    check("anova:order=16", 17, 17, 16);
    check("anova-upto:order=3,theta=0.5/0/2", 20, 20 + 1140, 4);
    check("anova-upto:order=2,theta=3", 46, 46 + 1035, 3);
    check("all-subsets", 1, 2, 1);
    check("all-subsets", 12, 4096, 12);

    check_sets(5);
    check_sets(30);

    CHECK(parse_status("poly:degree=2", 1000, 1000000) == FX_ELIMIT);
    CHECK(strstr(fx_error_detail(), "501501 columns, 2006004 bytes a row"));
    CHECK(parse_status("poly:degree=3", 10, 0) == FX_EUNSUPPORTED);
    CHECK(parse_status("rbf", 10, 0) == FX_EUNSUPPORTED);
    CHECK(parse_status("anova:order=2", 100000, 0) == FX_ESHAPE);
    CHECK(strstr(fx_error_detail(), "4999950000 columns, 19999800000 bytes a row"));
    CHECK(parse_status("all-subsets", 31, 0) == FX_ESHAPE);
    CHECK(strstr(fx_error_detail(), "2147483648 columns"));
    CHECK(parse_status("all-subsets", 40, 0) == FX_ESHAPE);
    CHECK(strstr(fx_error_detail(), "1099511627776 columns"));
    CHECK(parse_status("all-subsets", 100, 0) == FX_ESHAPE);
    CHECK(parse_status("anova:order=16", 1000000, 0) == FX_ESHAPE);
    CHECK(strstr(fx_error_detail(), "2^64"));
    return 0;
}
