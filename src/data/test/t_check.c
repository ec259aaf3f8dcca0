/* SPDX-License-Identifier: BSD-3-Clause
 * t_check.c - what the check on entry rejects, with its place; tables of many blocks, long rows.
 * Covers: check_hot.c */

#include "base/test.h"
#include "data/data.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void rejected(const fx_table *t, fx_status expected, const char *holds)
{
    fx_status s = fxi_data_check_table(t, &(fx_run){RUN, .threads = 2});

    if (s != expected || !strstr(fx_error_detail(), holds)) {
        fprintf(stderr, "status %d, '%s'; want '%s'\n", (int)s, fx_error_detail(), holds);
        exit(1);
    }
}

/* Three rows behind three others: the row that is named is that of the table. */
static void places(void)
{
    float x[9] = {0}, val[9] = {0};
    int64_t ptr[4] = {2, 4, 4, 6};
    int32_t col[6] = {9, 9, 0, 2, 1, 2};
    fx_matrix block[2] = {{.rows = 3, .cols = 3, .stride = 3, .val = x},
                          {.rows = 3, .cols = 3, .val = val, .ptr = ptr, .col = col}};
    const char *classes[] = {"a", "b"};
    double label[6] = {0};
    int64_t qid[6] = {0, -1, 3, 0, 0, 0};
    fx_table t = {.rows = 6, .cols = 3, .blocks = 2, .block = block, .label = label, .qid = qid};

    CHECK(fxi_data_check_table(&t, NULL) == FX_OK);
    val[5] = NAN;
    rejected(&t, FX_EDOMAIN, "row 5, column 2 (from 0): NaN");
    val[5] = -INFINITY;
    rejected(&t, FX_EDOMAIN, "row 5, column 2 (from 0): -inf");
    val[5] = 0, col[5] = 3;
    rejected(&t, FX_ESHAPE, "row 5 (from 0): column 3");
    col[5] = 1;
    rejected(&t, FX_EINVAL, "row 5 (from 0): column 1 after 1");
    col[5] = 2, ptr[1] = 7;             /* beyond the arrays: found before they are touched */
    rejected(&t, FX_EINVAL, "row 3 (from 0): ptr goes from 2 to 7");
    ptr[1] = 1;
    rejected(&t, FX_EINVAL, "row 3 (from 0): ptr goes from 2 to 1");
    ptr[1] = 4, ptr[3] = 1;
    rejected(&t, FX_EINVAL, "falling from 2 to 1");
    ptr[3] = 6, ptr[0] = -1;
    rejected(&t, FX_EINVAL, "ptr[0] = -1");
    ptr[0] = 2, label[4] = INFINITY;
    rejected(&t, FX_EDOMAIN, "label of row 4");
    label[4] = 2, t.classes = 2, t.class_name = classes;
    rejected(&t, FX_EINVAL, "label of row 4 (from 0) is 2");
    label[4] = 0.5;
    rejected(&t, FX_EINVAL, "label of row 4 (from 0) is 0.5");
    label[4] = 1, qid[2] = -2;
    rejected(&t, FX_EINVAL, "query of row 2 (from 0) is -2");
    double weight[6] = {1, 0, 2.5, 1, 1, -1};
    qid[2] = 1, t.weight = weight;
    rejected(&t, FX_EDOMAIN, "weight of row 5 (from 0) is -1");
    weight[5] = INFINITY;
    rejected(&t, FX_EDOMAIN, "weight of row 5 (from 0) is inf");
    weight[5] = 1, weight[1] = NAN;
    rejected(&t, FX_EDOMAIN, "weight of row 1 (from 0) is");
    weight[1] = 0;
    CHECK(fxi_data_check_table(&t, NULL) == FX_OK);
    t.reserved[1] = &t;
    rejected(&t, FX_EINVAL, "reserved[1]");
    t.reserved[1] = NULL;
    t.split = t.cols + 1;
    rejected(&t, FX_EINVAL, "of the first side");
    t.split = 0;
    x[1] = INFINITY;
    rejected(&t, FX_EDOMAIN, "row 0, column 1");
}

/* What featcross.h requires of sparse rows, word by word. */
static bool is_valid(const fx_matrix *X)
{
    for (size_t i = 0; i < X->rows; i++) {
        fxi_row r = fxi_data_row(X, i);
        for (size_t q = 0; q < r.n; q++) {
            int64_t j = fxi_row_column(r, q);
            if (!isfinite(fxi_row_value(r, q)) || j < 0 || (uint64_t)j >= X->cols
                || (q && j <= fxi_row_column(r, q - 1)))
                return false;
        }
    }
    return true;
}

/* Rows that are checked together: one number, or one column, that may be wrong among rows of any
 * lengths. */
static void together(bool wide, bool doubles)
{
    enum { ROWS = 40, COLS = 6 };
    const double odd[] = {INFINITY, -INFINITY, NAN, FLT_MAX, -0.0, 1e-40};
    float f[ROWS * COLS];
    double d[ROWS * COLS];
    int32_t narrow[ROWS * COLS];
    int64_t ptr[ROWS + 1] = {0}, long_[ROWS * COLS];
    size_t n = 0;

    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < COLS; j++)
            if (test_below(2))
                narrow[n++] = (int32_t)j;
        ptr[i + 1] = (int64_t)n;
    }
    size_t at = test_below(n), what = test_below(3);
    if (what == 1)
        narrow[at] = (int32_t)test_below(COLS + 2) - 1;
    for (size_t q = 0; q < n; q++) {
        d[q] = f[q] = (float)(what == 2 && q == at ? odd[test_below(6)] : 1 + (double)q);
        long_[q] = narrow[q];
    }
    fx_matrix X = {.rows = ROWS, .cols = COLS, .type = doubles ? FX_F64 : FX_F32, .wide = wide,
                   .val = doubles ? (void *)d : f, .ptr = ptr,
                   .col = wide ? (void *)long_ : narrow};
    CHECK((fxi_data_check(&X, "X", NULL) == FX_OK) == is_valid(&X));
}

static int stop(void *ctx, double done)
{
    CHECK(done >= 0 && done < 1);       /* on the way, not after the last part */
    ++*(int *)ctx;
    return 1;
}

/* Work of several hundred milliseconds, in blocks that take less than one each, or in one row. */
static void stopped(size_t blocks)
{
    enum { COLS = 1 << 16 };
    float *x = calloc((size_t)COLS, sizeof *x);
    fx_matrix *block = malloc(blocks * sizeof *block);
    int calls = 0;

    CHECK(x && block);
    for (size_t b = 0; b < blocks; b++)
        block[b] = (fx_matrix){.rows = 1, .cols = COLS, .stride = COLS, .val = x};
    fx_table t = {.rows = blocks, .cols = COLS, .blocks = blocks, .block = block};
    CHECK(fxi_data_check_table(&t, &(fx_run){RUN, .threads = 1, .progress = stop, .ctx = &calls})
              == FX_ECANCELLED
          && calls == 1);
    free(x);
    free(block);
}

static void long_row(void)
{
    const size_t cols = (size_t)1 << 27;
    float *x = calloc(cols, sizeof *x);
    int calls = 0;

    CHECK(x);
    fx_matrix X = {.rows = 1, .cols = cols, .stride = cols, .val = x};
    CHECK(fxi_data_check(&X, "X", &(fx_run){RUN, .threads = 1, .progress = stop, .ctx = &calls})
              == FX_ECANCELLED
          && calls == 1);
    free(x);
}

int main(void)
{
    test_init();
    places();
    for (int k = 0; k < test_cases(400); k++)
        together(k % 2, k / 2 % 2);
    stopped(8000);
    long_row();
    return 0;
}
