/* SPDX-License-Identifier: BSD-3-Clause
 * t_select.c - chosen rows against the dense twin of a random table; errors.
 * Covers: data.c, rows.c */

#include "data/test/random_table.h"

static void same_row(const random_table *r, size_t from, const fx_table *got, size_t to)
{
    double x[RT_COLS] = {0};
    bool stored[RT_COLS] = {false};
    fxi_row row = fxi_data_row(&got->block[0], to);

    for (size_t q = 0; q < row.n; q++) {
        x[fxi_row_column(row, q)] = fxi_row_value(row, q);
        stored[fxi_row_column(row, q)] = true;
    }
    CHECK(!memcmp(x, r->x[from], sizeof x));            /* exact, signs of zeros too */
    for (size_t j = 0; j < got->cols && got->block[0].ptr; j++)
        CHECK(stored[j] == (r->sparse[from] ? r->stored[from][j] : x[j] != 0));
}

static void once(int layout, int type)
{
    static random_table r;
    size_t rows[50], n = test_below(50);
    fx_data *d = NULL;

    random_table_fill(&r, layout, type);
    if (r.t.rows == 0)
        n = 0;
    for (size_t i = 0; i < n; i++)
        rows[i] = test_below(r.t.rows);
    bool all = test_below(4) == 0;
    CHECK(fx_data_select(&d, &r.t, all ? NULL : rows, n, NULL) == FX_OK);
    if (all)
        n = r.t.rows;
    fx_table got = fx_data_table(d);
    CHECK(fxi_data_check_table(&got, NULL) == FX_OK);
    CHECK(got.rows == n && got.cols == r.t.cols && got.blocks == 1 && got.base == r.t.base);
    CHECK(!got.label == !r.t.label && !got.qid == !r.t.qid && !got.name == !r.t.name);
    CHECK(got.classes == r.t.classes && !got.weight == !r.t.weight);

    bool dense = true, f64 = false;
    for (size_t b = 0; b < r.t.blocks; b++)
        dense &= !r.block[b].ptr;
    for (size_t i = 0; i < n; i++) {
        size_t from = all ? i : rows[i], b = 0, first = 0;
        same_row(&r, from, &got, i);
        CHECK(!got.label || got.label[i] == r.label[from]);
        CHECK(!got.qid || got.qid[i] == r.qid[from]);
        CHECK(!got.weight || got.weight[i] == r.weight[from]);
        while (from - first >= r.block[b].rows)
            first += r.block[b++].rows;
        f64 |= r.block[b].type == FX_F64;
    }
    CHECK(!got.block[0].ptr == dense);
    CHECK(got.block[0].type == (f64 ? FX_F64 : FX_F32));
    for (size_t c = 0; c < got.classes; c++)
        CHECK(!strcmp(got.class_name[c], rt_classes[c]) && got.class_name[c] != rt_classes[c]);
    for (size_t j = 0; got.name && j < got.cols; j++)
        CHECK(!strcmp(got.name[j], rt_names[j]) && got.name[j] != rt_names[j]);
    fx_data_free(d);
}

static int stop(void *ctx, double done)
{
    (void)ctx;
    return done >= 0;
}

int main(void)
{
    test_init();
    for (int i = 0, n = test_cases(300); i < n; i++)
        for (int layout = 0; layout < 3; layout++)
            for (int type = 0; type < 3; type++)
                once(layout, type);

    /* Refusals leave the output alone. */
    float x[4] = {1, 2, 3, 4};
    fx_matrix X = {.rows = 2, .cols = 2, .stride = 2, .val = x};
    fx_table t = {.rows = 2, .cols = 2, .blocks = 1, .block = &X};
    size_t bad[] = {0, 2};
    fx_data *keep = (fx_data *)&t, *d = keep;
    CHECK(fx_data_select(&d, &t, bad, 2, NULL) == FX_EINVAL && d == keep);
    CHECK(strstr(fx_error_detail(), "row 2 (from 0) is chosen"));
    CHECK(fx_data_select(&d, NULL, NULL, 0, NULL) == FX_EINVAL && d == keep);
    CHECK(fx_data_select(NULL, &t, NULL, 0, NULL) == FX_EINVAL);
    CHECK(fx_data_select(&d, &t, NULL, 0, &(fx_run){RUN, .max_memory = 8}) == FX_ELIMIT
          && d == keep);
    t.rows = 3;
    CHECK(fx_data_select(&d, &t, NULL, 0, NULL) == FX_ESHAPE && d == keep);
    t.rows = 2, t.block = NULL;
    CHECK(fx_data_select(&d, &t, NULL, 0, NULL) == FX_EINVAL && d == keep);
    t.block = &X, t.classes = 2;
    CHECK(fx_data_select(&d, &t, NULL, 0, NULL) == FX_EINVAL && d == keep);
    double label[] = {0, 2};
    t.class_name = rt_classes, t.label = label;
    CHECK(fx_data_select(&d, &t, NULL, 0, NULL) == FX_EINVAL && d == keep);
    t.classes = 0, label[1] = NAN;
    CHECK(fx_data_select(&d, &t, NULL, 0, NULL) == FX_EDOMAIN && d == keep);
    t.label = NULL, t.base = 2;
    CHECK(fx_data_select(&d, &t, NULL, 0, NULL) == FX_EINVAL && d == keep);

    /* Columns beyond 32 bits. */
    int64_t ptr[] = {0, 1, 3}, col[] = {1ll << 40, 5, (1ll << 41) - 1};
    fx_matrix far = {.rows = 2, .cols = (size_t)1 << 41, .wide = 1, .val = x, .ptr = ptr,
                     .col = col};
    fx_table tfar = {.rows = 2, .cols = far.cols, .blocks = 1, .block = &far};
    size_t second[] = {1, 0};
    CHECK(fx_data_select(&d, &tfar, second, 2, NULL) == FX_OK);
    const fx_matrix *got = fx_data_table(d).block;
    CHECK(got->wide && got->ptr[1] == 2 && got->ptr[2] == 3);
    CHECK(((const int64_t *)got->col)[0] == 5 && ((const int64_t *)got->col)[1] == col[2]);
    CHECK(((const int64_t *)got->col)[2] == col[0] && ((const float *)got->val)[2] == 1);
    fx_data_free(d);
    far.cols = tfar.cols = INT32_MAX, col[0] = 7, col[2] = INT32_MAX - 1;       /* 32 suffice */
    CHECK(fx_data_select(&d, &tfar, second, 2, NULL) == FX_OK);
    got = fx_data_table(d).block;
    CHECK(!got->wide && ((const int32_t *)got->col)[1] == INT32_MAX - 1);
    fx_data_free(d);
    d = keep;

    /* Many blocks: bisection; a long call that is stopped. */
    enum { N = 3000, W = 3000, M = 200000 };
    static fx_matrix many[N];
    static float value[N];
    for (size_t i = 0; i < N; i++) {
        value[i] = (float)i;
        many[i] = (fx_matrix){.rows = i % 2, .cols = 1, .stride = 1, .val = &value[i]};
    }
    fx_table m = {.rows = N / 2, .cols = 1, .blocks = N, .block = many};
    CHECK(fx_data_select(&d, &m, NULL, 0, NULL) == FX_OK);
    for (size_t i = 0; i < N / 2; i++)
        CHECK(((const float *)fx_data_table(d).block[0].val)[i] == (float)(2 * i + 1));
    fx_data_free(d);
    d = keep;
    float *wide = calloc(W, sizeof *wide);
    size_t *again = calloc(M, sizeof *again);
    CHECK(wide && again);
    int64_t none = 0;                   /* zeros to be left out: much work, little memory */
    fx_matrix one[2] = {{.rows = 1, .cols = W, .stride = W, .val = wide},
                        {.cols = W, .ptr = &none}};
    fx_table w = {.rows = 1, .cols = W, .blocks = 2, .block = one};
    CHECK(fx_data_select(&d, &w, again, M, &(fx_run){RUN, .progress = stop}) == FX_ECANCELLED);
    CHECK(d == keep);
    free(wide), free(again);
    return 0;
}
