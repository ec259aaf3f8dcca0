/* SPDX-License-Identifier: BSD-3-Clause
 * t_hadamard.c - Hadamard projections: what is computed against the matrix that entries() gives,
 * within the bounds of hadamard.c, and what this matrix must be like.
 *
 * Covers: hadamard_hot.c */

#include "project/test/tiles.h"

#include <string.h>

static double *matrix(const fxi_project *p)     /* [rows][cols] */
{
    double *W = fxi_alloc(p->rows * p->cols, sizeof *W), w[FXI_LANES];

    CHECK(W);
    for (size_t s = 0; s < p->rows; s += FXI_LANES)
        for (size_t j = 0; j < p->cols; j++) {
            p->type->entries(w, p, s, (int64_t)j);
            for (size_t i = 0; i < FXI_LANES && s + i < p->rows; i++)
                W[(s + i) * p->cols + j] = w[i];
        }
    return W;
}

static fxi_project make(fxi_law law, size_t rows, size_t cols, size_t like, bool mixed, int part)
{
    fxi_project p = {.type = &fxi_project_hadamard, .rows = rows, .cols = cols, .like = like,
                     .law = law, .scale = law == FXI_LAW_SIGN ? 1 : 0.75, .mixed = mixed,
                     .seed = 5 + rows, .stream = 3, .part = part};

    CHECK(!fxi_project_new(&p, NULL));
    CHECK(p.width % FXI_LANES == 0 && p.lanes && p.blocks * p.width >= rows);
    CHECK((p.blocks - 1) * p.width < rows && p.like >= rows);
    return p;
}

/* A tile of `rows` rows; every third one is empty if sparse. */
static fxi_tile tile(size_t rows, size_t cols, bool sparse, int64_t *col, float *x)
{
    fxi_tile t = {.rows = rows, .cols = cols, .col = sparse ? col : NULL};
    size_t n = 0;

    for (size_t r = 0; r < rows; r++) {
        t.first[r] = n;
        for (size_t j = 0; j < cols; j++)
            if (!sparse || (r % 3 != 2 && test_below(4) == 0)) {
                col[n] = (int64_t)j;
                x[n++] = (float)(test_unit() - 0.3);
            }
    }
    for (size_t r = rows; r <= FXI_LANES; r++)
        t.first[r] = n;
    return t;
}

/* The factor of u sum |x| in the bound; see hadamard.c.  All entries may share a folded column; a
 * normal number is below 6 but for a chance of 2e-9. */
static double factor(const fxi_project *p, bool times)
{
    double order = (double)p->width, shared = p->cols / 2 > p->like ? (double)p->cols : 0;

    if (p->law == FXI_LAW_SIGN)
        return (times ? order / 64 + 20 : log2(order) + 1) + shared;
    return (2 * log2(order) + 4) * 6 * p->scale * sqrt(order);
}

static void check_product(fxi_project *p, size_t rows, bool sparse, bool times)
{
    size_t lanes = rows == 1 ? 1 : FXI_LANES, n = p->width * lanes, max_entries = rows * p->cols;
    float *x = fxi_alloc(max_entries, sizeof *x), *z = fxi_alloc(n, sizeof *z);
    float *best = fxi_alloc(n * p->blocks, sizeof *best);
    int64_t *col = fxi_alloc(max_entries, sizeof *col);
    void *space = fxi_alloc(p->space, 1);
    double *W = matrix(p), u = 0x1p-24;
    bool seen = false;

    CHECK(x && z && best && col && space);
    fxi_tile t = tile(rows, p->cols, sparse, col, x);
    double bound = factor(p, times) * u;
    for (p->simd = fxi_simd_targets; p->simd->name; p->simd++) {
        if (!p->simd->supported())
            continue;
        memset(space, 0xff, p->space);  /* NaN */
        p->type->prepare(space, p, &t, x);
        for (size_t b = 0; b < p->blocks; b++) {
            memset(z, 0xff, n * sizeof *z);
            p->type->apply(z, p, space, b);
            for (size_t i = 0; i < n; i++)
                CHECK(isfinite(z[i]));
            if (!seen)
                memcpy(best + b * n, z, n * sizeof *z);
            CHECK(!memcmp(best + b * n, z, n * sizeof *z));     /* the same on every target */
            for (size_t s = b * p->width; s < (b + 1) * p->width && s < p->rows; s++)
                for (size_t r = 0; r < rows; r++) {
                    double want = 0, size = 0;
                    for (size_t k = t.first[r]; k < t.first[r + 1]; k++) {
                        size_t j = sparse ? (size_t)col[k] : k - t.first[r];
                        want += W[s * p->cols + j] * (double)x[k];
                        size += fabs((double)x[k]);
                    }
                    CHECK_NEAR(z[(s - b * p->width) * lanes + r], want, bound * size);
                }
        }
        seen = true;
    }
    free(x);
    free(z);
    free(best);
    free(col);
    free(space);
    free(W);
    p->simd = fxi_simd_get();
}

/* A row alone has the bits that it has beside others. */
static void check_alone(fxi_project *p, size_t rows, bool sparse)
{
    tiles_tile a = tiles_new(rows, p->cols, 0.3, !sparse);
    size_t total = p->blocks * p->width, row = test_below(rows);

    for (p->simd = fxi_simd_targets; p->simd->name; p->simd++) {
        if (!p->simd->supported())
            continue;
        tiles_tile one = tiles_single(&a, row);
        float *beside = tiles_apply(p, &a), *alone = tiles_apply(p, &one);
        CHECK(!memcmp(beside + row * total, alone, p->rows * sizeof *alone));
        tiles_free(&one);
        free(beside), free(alone);
    }
    tiles_free(&a);
    p->simd = fxi_simd_get();
}

/* Signs; rows of a whole unit orthogonal; a feature's signs in it add up to 0 if mixed. */
static void check_signs(const fxi_project *p, size_t order)
{
    double *W = matrix(p);

    for (size_t i = 0; i < p->rows * p->cols; i++)
        CHECK(W[i] == 1 || W[i] == -1);
    for (size_t first = 0; first + order <= p->rows; first += order) {
        const double *w = W + first * p->cols;
        for (size_t j = 0; p->mixed && j < p->cols; j++) {
            double sum = 0;
            for (size_t r = 0; r < order; r++)
                sum += w[r * p->cols + j];
            CHECK(sum == 0);
        }
        for (size_t i = 0; i < p->cols && p->cols <= order; i++) /* columns apart: orthogonal */
            for (size_t j = 0; j < i; j++) {
                double sum = 0;
                for (size_t r = 0; r < order; r++)
                    sum += w[r * p->cols + i] * w[r * p->cols + j];
                CHECK(sum == 0);
            }
        for (size_t i = 0; i < order && p->cols == order; i++) /* and so are the rows */
            for (size_t k = 0; k < i; k++) {
                double sum = 0;
                for (size_t j = 0; j < p->cols; j++)
                    sum += w[i * p->cols + j] * w[k * p->cols + j];
                CHECK(sum == 0);
            }
    }
    free(W);
}

/* Two parts: the same columns (row 0 of H being 1, ratios to a unit's first row tell them), other
 * signs; their product. */
static void check_parts(size_t rows, size_t cols, size_t like, bool mixed)
{
    fxi_project a = make(FXI_LAW_SIGN, rows, cols, like, mixed, 0), ab;
    fxi_project b = make(FXI_LAW_SIGN, rows, cols, like, mixed, 1);
    double *A, *B, *AB;
    size_t different = 0, n = rows * cols;

    CHECK(!fxi_project_times(&ab, &a, &b, NULL));
    A = matrix(&a), B = matrix(&b), AB = matrix(&ab);
    for (size_t i = 0; i < n; i++) {
        CHECK(AB[i] == A[i] * B[i]);
        different += A[i] != B[i];
    }
    if (n >= 1000)                      /* at least 60 fair coins: false alarm below 1e-9 */
        CHECK(different > n / 10 && different < n - n / 10);
    for (size_t r = 1; r <= FXI_LANES; r += 5) {
        check_product(&b, r, r & 1, false);
        check_product(&ab, r, r & 1, true);
        check_product(&ab, r, !(r & 1), true);
        check_alone(&ab, 7, r & 1);
    }
    free(A);
    free(B);
    free(AB);
    fxi_project_free(&a);
    fxi_project_free(&b);
    fxi_project_free(&ab);
}

/* Features i and j agree in rows of H where character c(i) ^ c(j) is 1: placements of two units
 * are the same only if these patterns are. */
static void check_fresh(void)
{
    fxi_project p = make(FXI_LAW_SIGN, 256, 100, 256, false, 0);
    double *W = matrix(&p);
    size_t same = 0;

    for (size_t j = 1; j < 100; j++) {
        bool equal = true;
        for (size_t r = 0; r < 128; r++) {
            const double *w = W + r * 100, *v = W + (128 + r) * 100;
            equal = equal
                    && w[0] * w[j] * W[0] * W[j] == v[0] * v[j] * W[128 * 100] * W[128 * 100 + j];
        }
        same += equal;
    }
    CHECK(same < 20);                   /* 99 chances of 1/127 each: false alarm below 1e-18 */
    free(W);
    fxi_project_free(&p);
}

/* With cols = p, H W = scale sqrt(p) diag(g) Pi H diag(sigma): rows orthogonal, numbers of a row
 * equal but for signs, and there stand the g. */
static void check_gaussian(void)
{
    enum { P = 64, UNITS = 32 };
    fxi_project p = make(FXI_LAW_GAUSSIAN, P * UNITS, P, P * UNITS, false, 0);
    double *W = matrix(&p), squares = 0, inner = 0;
    static double V[P][P];

    for (size_t u = 0; u < UNITS; u++) {
        for (size_t r = 0; r < P; r++)
            for (size_t j = 0; j < P; j++) {
                V[r][j] = 0;
                for (size_t k = 0; k < P; k++)
                    V[r][j] += (__builtin_parityll(r & k) ? -1 : 1) * W[(u * P + k) * P + j];
            }
        for (size_t r = 0; r < P; r++) {
            double g = fabs(V[r][0]) / (0.75 * 8);
            squares += g * g;
            inner += g < 0.6744897501960817;
            for (size_t j = 1; j < P; j++)
                CHECK_NEAR(fabs(V[r][j]), fabs(V[r][0]), 1e-10);
            for (size_t i = 0; i < r; i++) {
                double dot = 0;
                for (size_t j = 0; j < P; j++)
                    dot += V[r][j] * V[i][j];
                CHECK_NEAR(dot, 0, 1e-7);
            }
        }
    }
    /* 2048 numbers; five deviations, sqrt(2/2048) and 0.5/sqrt(2048): false alarm below 1e-6. */
    CHECK_NEAR(squares / (P * UNITS), 1, 0.156);
    CHECK_NEAR(inner / (P * UNITS), 0.5, 0.056);
    free(W);
    fxi_project_free(&p);
}

/* Orders of every number of passes, and three million columns, folded: sparse rows of small halves,
 * so that nothing is rounded. */
static void check_wide(size_t rows, size_t cols, size_t like)
{
    fxi_project p = make(FXI_LAW_SIGN, rows, cols, like, true, 0);
    bool folded = cols / 2 > like;
    int64_t last = (int64_t)cols - 1, col[] = {0, 5, last / 3, last, 3, last - 1};
    float x[] = {1, -2, 0.5, 4, 8, 3}, *z = fxi_alloc(p.width * FXI_LANES, sizeof *z);
    fxi_tile t = {.rows = 3, .cols = cols, .first = {0, 4, 4, 6}, .col = col};
    void *space = fxi_alloc(p.space, 1);
    double w[6][FXI_LANES];

    CHECK(z && space && p.blocks == 1);
    CHECK(!folded || (p.bytes < 4096 && p.space == 64 + p.width * FXI_LANES * sizeof *z));
    for (p.simd = fxi_simd_targets; p.simd->name; p.simd++) {
        if (!p.simd->supported())
            continue;
        p.type->prepare(space, &p, &t, x);
        p.type->apply(z, &p, space, 0);
        for (size_t s = 0; s < rows; s++) {
            for (size_t k = 0; k < 6 && s % FXI_LANES == 0; k++)
                p.type->entries(w[k], &p, s, col[k]);
            for (size_t r = 0; r < 3; r++) {
                double want = 0;
                for (size_t k = t.first[r]; k < t.first[r + 1]; k++)
                    want += w[k][s % FXI_LANES] * (double)x[k];
                CHECK((double)z[s * FXI_LANES + r] == want);
            }
        }
    }
    free(z);
    free(space);
    fxi_project_free(&p);
}

/* Folded, of mixed parity: no feature stands in column 0, whose sign never changes. */
static void check_column_0(void)
{
    enum { P = 64, COLUMNS = 2000 };
    fxi_project p = make(FXI_LAW_SIGN, P, COLUMNS, P, true, 0);
    double w[FXI_LANES];

    CHECK(p.folded && p.unit == P);
    for (int64_t j = 0; j < COLUMNS; j++) {
        double sum = 0;
        for (size_t s = 0; s < P; s += FXI_LANES) {
            p.type->entries(w, &p, s, j);
            for (size_t i = 0; i < FXI_LANES; i++)
                sum += w[i];
        }
        CHECK(sum == 0);
    }
    fxi_project_free(&p);
}

static void check_rejected(void)
{
    static const char *const names[] = {"sign", "gaussian", "uniform", "laplace", "cauchy"};
    fx_run little = {RUN, .max_memory = 1000};

    for (int law = FXI_LAW_UNIFORM; law <= FXI_LAW_CAUCHY; law++) {
        fxi_project p = {
            .type = &fxi_project_hadamard, .rows = 10, .cols = 10, .law = (fxi_law)law};
        CHECK(fxi_project_new(&p, NULL) == FX_EUNSUPPORTED
              && strstr(fx_error_detail(), names[law]));
    }
    fxi_project p = {.type = &fxi_project_hadamard, .rows = 1000, .cols = 1000, .scale = 1};
    CHECK(fxi_project_new(&p, &little) == FX_ELIMIT);
    p = (fxi_project){.type = &fxi_project_hadamard, .rows = 16, .cols = (size_t)1 << 40};
    p.law = FXI_LAW_GAUSSIAN;
    CHECK(fxi_project_new(&p, NULL) == FX_EUNSUPPORTED);
}

int main(void)
{
    static const struct { size_t rows, cols, like, order; } cases[] = {
        {1, 1, 1, 64}, {16, 2, 16, 64}, {17, 3, 40, 64}, {100, 15, 100, 64}, {64, 16, 64, 64},
        {130, 64, 130, 64}, {70, 100, 100, 128}, {300, 100, 300, 128}, {256, 128, 256, 128},
        {33, 300, 33, 64}, {20, 1000, 40, 64}, {1, 50, 1, 64}, {700, 500, 700, 512},
        {520, 1030, 520, 2048}
    };

    test_init();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int mixed = 0; mixed < 2; mixed++) {
            size_t rows = cases[i].rows, cols = cases[i].cols, like = cases[i].like;
            bool folded = cols / 2 > like;
            size_t order = cases[i].order << (mixed && !folded && cols == cases[i].order);
            fxi_project p = make(FXI_LAW_SIGN, rows, cols, like, mixed, 0);
            CHECK(p.width == order && p.unit == order);
            check_signs(&p, order);
            for (size_t r = 1; r <= FXI_LANES; r += 5)
                check_product(&p, r, r & 1, false);
            check_product(&p, 11, false, false);
            check_alone(&p, 11, false);
            check_alone(&p, 5, true);
            fxi_project_free(&p);
            if (rows * cols < 100000)
                check_parts(rows, cols, like, mixed);
            if (!mixed && cols <= 128 && rows * cols < 40000) {
                p = make(FXI_LAW_GAUSSIAN, rows, cols, like, false, 0);
                check_product(&p, 3, true, false);
                check_alone(&p, 3, true);
                check_product(&p, 16, false, false);
                fxi_project_free(&p);
            }
        }
    check_fresh();
    check_gaussian();
    for (size_t cols = 4000; cols < 100000; cols *= 2)
        check_wide(200, cols, cols);
    check_wide(200, 3000000, 200);
    check_column_0();
    check_rejected();
    return 0;
}
