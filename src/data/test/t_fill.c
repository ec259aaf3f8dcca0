/* SPDX-License-Identifier: BSD-3-Clause
 * t_fill.c - tables without missing values: rows, names, labels, and rows that are left out. */

#include "base/test.h"
#include "data/data.h"

#include <string.h>

static double x[] = {1, NAN, 3, 4, 5, 6, NAN, NAN, 2};
static const float more[] = {0, 8, NAN};
static const double label[] = {1, 2, 3, 4}, weight[] = {1, 2, 1, 0};
static const int64_t qid[] = {0, 0, 1, 1};
static const char *const name[] = {"a", "b", "b=missing"};
static const fx_matrix block[] = {
    {.rows = 3, .cols = 3, .stride = 3, .type = FX_F64, .val = x},
    {.rows = 1, .cols = 3, .stride = 3, .type = FX_F32, .val = more}};
static const fx_table given = {.rows = 4, .cols = 3, .blocks = 2, .block = block, .label = label,
                               .weight = weight, .qid = qid, .name = name, .base = 1};

static void is(const char *spec, size_t cols, const double *rows, const double *labels, size_t n)
{
    fx_data *d = NULL;

    CHECK(fx_data_fill(&d, spec, &given, NULL) == FX_OK);
    fx_table t = fx_data_table(d);
    CHECK(fxi_data_check_table(&t, NULL) == FX_OK);
    CHECK(t.rows == n && t.cols == cols && t.blocks == 1 && t.base == 1);
    for (size_t i = 0; i < n; i++) {
        fxi_row r = fxi_data_row(t.block, i);
        CHECK(t.label[i] == labels[i] && t.weight && t.qid && t.label != label);
        for (size_t j = 0; j < cols; j++)
            CHECK(fxi_row_value(r, j) == rows[i * cols + j]);
    }
    CHECK(!strcmp(t.name[0], "a") && !strcmp(t.name[2], "b=missing"));
    if (cols == 5) {                    /* the name that is taken gets another end */
        CHECK(!strcmp(t.name[3], "a=missing") && !strcmp(t.name[4], "b=missing=missing"));
        CHECK(t.weight[1] == 2 && t.qid[2] == 1);
    }
    fx_data_free(d);
}

int main(void)
{
    fx_data *d = NULL;

    test_init();
    /* The last row has weight 0: column 2 misses nothing that counts, and has no indicator. */
    is("mean,indicator", 5,
       (double[]){1, 5, 3, 0, 1, 4, 5, 6, 0, 0, 3, 5, 2, 1, 1, 0, 8, 4.25, 0, 0}, label, 4);
    is("zero", 3, (double[]){1, 0, 3, 4, 5, 6, 0, 0, 2, 0, 8, 0}, label, 4);
    is("drop", 3, (double[]){4, 5, 6}, (double[]){2}, 1);
    CHECK(fx_data_fill(&d, "error", &given, NULL) == FX_EDOMAIN);
    CHECK(fx_data_fill(&d, "often", &given, NULL) == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "'often'"));
    CHECK(fx_data_fill(NULL, "mean", &given, NULL) == FX_EINVAL);
    CHECK(fx_data_fill(&d, "mean", NULL, NULL) == FX_EINVAL);
    return 0;
}
