/* SPDX-License-Identifier: BSD-3-Clause
 * random_table.h - tables of random shape for tests, with a dense twin of doubles. */
#ifndef FXI_TEST_RANDOM_TABLE_H
#define FXI_TEST_RANDOM_TABLE_H
#include "base/test.h"
#include "data/data.h"

#include <string.h>

enum { RT_BLOCKS = 4, RT_ROWS = 7, RT_COLS = 9 };

typedef struct random_table {
    fx_table t;
    fx_matrix block[RT_BLOCKS];
    double x[RT_BLOCKS * RT_ROWS][RT_COLS];             /* the twin */
    bool stored[RT_BLOCKS * RT_ROWS][RT_COLS];          /* CSR rows: is it stored? */
    bool sparse[RT_BLOCKS * RT_ROWS];
    double f64[RT_BLOCKS][RT_ROWS * (RT_COLS + 2)];
    float f32[RT_BLOCKS][RT_ROWS * (RT_COLS + 2)];
    int64_t ptr[RT_BLOCKS][RT_ROWS + 1], col64[RT_BLOCKS][RT_ROWS * RT_COLS + 3];
    int32_t col32[RT_BLOCKS][RT_ROWS * RT_COLS + 3];
    double label[RT_BLOCKS * RT_ROWS];
    int64_t qid[RT_BLOCKS * RT_ROWS];
    double weight[RT_BLOCKS * RT_ROWS];
    const char *name[RT_COLS];
} random_table;

static const char *const rt_classes[] = {"cat", "dog", "owl"};
static const char *const rt_names[RT_COLS] = {"a", "b c", "d,e", "f\"g", "", "x\ty", " z",
                                              "u=1", "v "};

/* layout: 0 all dense, 1 all CSR, 2 a mix; type: 0 all float, 1 all double, 2 a mix. */
static void random_table_fill(random_table *r, int layout, int type)
{
    memset(r, 0, sizeof *r);
    size_t cols = test_below(RT_COLS + 1), row = 0;
    r->t.cols = cols;
    r->t.blocks = 1 + test_below(RT_BLOCKS);
    r->t.block = r->block;
    r->t.base = (int)test_below(2);
    for (size_t b = 0; b < r->t.blocks; b++) {
        fx_matrix *X = &r->block[b];
        bool sparse = layout == 2 ? test_below(2) : (size_t)layout;
        bool f64 = type == 2 ? test_below(2) : (size_t)type;
        size_t gap = sparse ? test_below(3) : test_below(2), at = gap; /* ptr[0] > 0 is allowed */
        X->rows = test_below(RT_ROWS + 1);
        X->cols = cols;
        X->type = f64 ? FX_F64 : FX_F32;
        X->val = f64 ? (const void *)r->f64[b] : r->f32[b];
        if (sparse) {
            X->ptr = r->ptr[b];
            X->wide = (int)test_below(2);
            X->col = X->wide ? (const void *)r->col64[b] : r->col32[b];
            r->ptr[b][0] = (int64_t)gap;
        } else
            X->stride = cols + gap;
        for (size_t i = 0; i < X->rows; i++, row++) {
            r->sparse[row] = sparse;
            for (size_t j = 0; j < cols; j++) {
                double v = ldexp((double)(test_u64() >> 12), (int)test_below(80) - 92);
                if (test_below(2))
                    v = (double)test_below(5) - 2;
                if (!f64)
                    v = (float)v;
                if (sparse && test_below(2))
                    continue;
                if (!sparse)
                    at = i * X->stride + j;
                r->x[row][j] = v;
                r->stored[row][j] = sparse;
                r->f64[b][at] = v;
                r->f32[b][at] = (float)v;
                if (sparse) {
                    r->col64[b][at] = (int64_t)j;
                    r->col32[b][at++] = (int32_t)j;
                }
            }
            if (sparse)
                r->ptr[b][i + 1] = (int64_t)at;
        }
    }
    r->t.rows = row;
    if (test_below(3)) {
        r->t.label = r->label;
        if (test_below(2)) {
            r->t.classes = 3;
            r->t.class_name = rt_classes;
        }
        for (size_t i = 0; i < row; i++)
            r->label[i] = r->t.classes ? (double)test_below(3) : (double)test_below(7) / 2 - 1;
    }
    if (test_below(2)) {
        r->t.qid = r->qid;
        for (size_t i = 0; i < row; i++)
            r->qid[i] = (int64_t)test_below(5) - 1;
    }
    if (test_below(2)) {
        r->t.weight = r->weight;
        for (size_t i = 0; i < row; i++)
            r->weight[i] = (double)test_below(4) / 2;
    }
    if (test_below(2)) {
        memcpy(r->name, rt_names, sizeof r->name);
        r->t.name = r->name;
    }
}
#endif
