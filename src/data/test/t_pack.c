/* SPDX-License-Identifier: BSD-3-Clause
 * t_pack.c - packed rows: what comes back is what went in, whatever the form of the rows; damaged
 * bytes are refused.
 *
 * Covers: unpack.c */

#include "base/test.h"
#include "data/data.h"
#include "data/pack.h"

#include <string.h>
#include <time.h>

typedef struct bytes { unsigned char *at; size_t len; } bytes;

static int take(void *ctx, const void *at, size_t len)
{
    bytes *b = ctx;

    CHECK(b->at = realloc(b->at, b->len + len + 1));
    memcpy(b->at + b->len, at, len);
    b->len += len;
    return 0;
}

static int refuse(void *ctx, const void *at, size_t len)
{
    (void)ctx, (void)at;
    return len > 0;
}

static bytes packed(const fx_table *t)
{
    bytes b = {0};

    CHECK(fx_data_pack(&(fx_sink){.size = sizeof(fx_sink), .write = take, .ctx = &b}, t, NULL)
          == FX_OK);
    return b;
}

/* Rows of two tables are the same numbers, in the same form. */
static void check_same(const fx_table *a, const fx_table *b)
{
    fxi_rows x, y;

    CHECK(a->rows == b->rows && a->cols == b->cols && a->classes == b->classes
          && a->base == b->base);
    CHECK(!a->label == !b->label && !a->weight == !b->weight && !a->qid == !b->qid);
    CHECK(fxi_data_rows(&x, a) == FX_OK && fxi_data_rows(&y, b) == FX_OK);
    for (size_t i = 0; i < a->rows; i++) {
        fxi_row p = fxi_data_rows_at(&x, i), q = fxi_data_rows_at(&y, i);
        CHECK(p.n == q.n);
        for (size_t k = 0; k < p.n; k++) {
            double u = fxi_row_value(p, k), v = fxi_row_value(q, k);
            CHECK(fxi_row_column(p, k) == fxi_row_column(q, k));
            CHECK(!memcmp(&u, &v, sizeof u) || (u != u && v != v));
        }
        CHECK(!a->label || a->label[i] == b->label[i]);
        CHECK(!a->weight || a->weight[i] == b->weight[i]);
        CHECK(!a->qid || a->qid[i] == b->qid[i]);
    }
    for (size_t k = 0; k < a->classes; k++)
        CHECK(!strcmp(a->class_name[k], b->class_name[k]));
    free(x.start), free(y.start);
}

static void test_text(const char *spec, const char *text)
{
    fx_data *d, *back;
    bytes b;

    CHECK(fx_data_parse(&d, spec, "text", text, strlen(text), NULL) == FX_OK);
    b = packed(&d->table);
    CHECK(fx_data_unpack(&back, b.at, b.len, NULL) == FX_OK);
    check_same(&d->table, &back->table);
    fx_data_free(back);
    for (size_t k = 0; k < b.len * 8; k++) {    /* every bit counts */
        b.at[k / 8] ^= (unsigned char)(1 << k % 8);
        CHECK(fx_data_unpack(&back, b.at, b.len, NULL) == FX_EFORMAT);
        b.at[k / 8] ^= (unsigned char)(1 << k % 8);
    }
    for (size_t len = 0; len < b.len; len++)
        CHECK(fx_data_unpack(&back, b.at, len, NULL) == FX_EFORMAT);
    CHECK(fx_data_pack(NULL, &d->table, NULL) == FX_EINVAL);
    CHECK(fx_data_pack(&(fx_sink)FX_INIT(fx_sink), &d->table, NULL) == FX_EINVAL);
    CHECK(fx_data_pack(&(fx_sink){.size = sizeof(fx_sink), .write = refuse}, &d->table, NULL)
          == FX_EOUTPUT);
    CHECK(fx_data_unpack(&back, b.at, b.len, &(fx_run){RUN, .max_memory = 10}) == FX_ELIMIT);
    fx_data_free(d);
    free(b.at);
}

/* Several blocks of unlike types, more than one piece of bytes. */
static void test_blocks(void)
{
    enum { N = 3000, COLS = 11 };
    static double f64[N * COLS];
    static float f32[N * COLS];
    static int64_t qid[2 * N];
    fx_matrix block[2] = {{.rows = N, .cols = COLS, .stride = COLS, .type = FX_F32, .val = f32},
                          {.rows = N, .cols = COLS, .stride = COLS, .type = FX_F64, .val = f64}};
    fx_table t = {.rows = 2 * N, .cols = COLS, .blocks = 2, .block = block, .qid = qid};
    fx_data *back;

    for (size_t i = 0; i < N * COLS; i++) {
        f64[i] = test_unit();
        f32[i] = (float)test_unit();
    }
    for (size_t i = 0; i < 2 * N; i++)
        qid[i] = (int64_t)(i / 10);
    bytes b = packed(&t);
    CHECK(fx_data_unpack(&back, b.at, b.len, NULL) == FX_OK);
    check_same(&t, &back->table);
    CHECK(back->table.block[0].type == FX_F64);
    fx_data_free(back);
    free(b.at);
    block[1].rows = 0;
    t.rows = N;
    b = packed(&t);
    CHECK(fx_data_unpack(&back, b.at, b.len, NULL) == FX_OK && back->table.rows == N);
    fx_data_free(back);
    free(b.at);
}

/* Headers that promise what is not there, and whose checksum is right. */
static void test_deceiving(void)
{
    const float x[] = {1, 2, 3};
    const fx_matrix X = {.rows = 3, .cols = 1, .stride = 1, .type = FX_F32, .val = x};
    const struct { uint32_t flags; uint64_t rows, cols, entries, classes, text, bytes; } row[] = {
        {0, 3, 1, 3, 1, 1 << 20, 88},   /* names of classes */
        {FXI_PACK_ONES, 3, 1ull << 40, 3ull << 40, 0, 0, 72}};      /* dense rows of ones */

    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        bytes b = packed(&(fx_table){.rows = 3, .cols = 1, .blocks = 1, .block = &X});
        fxi_pack h;
        fxi_checksum c = {0};
        fx_data *d = NULL;
        memcpy(&h, b.at, sizeof h);
        h.flags = row[k].flags;
        h.rows = row[k].rows, h.cols = row[k].cols, h.entries = row[k].entries;
        h.classes = row[k].classes, h.text = row[k].text;
        h.bytes = row[k].bytes;
        h.checksum = 0;
        memcpy(b.at, &h, sizeof h);
        fxi_checksum_add(&c, b.at, h.bytes);
        h.checksum = fxi_checksum_end(&c);
        memcpy(b.at, &h, sizeof h);
        CHECK(fx_data_unpack(&d, b.at, h.bytes, NULL) == FX_EFORMAT && !d);
        CHECK(strstr(fx_error_detail(), k ? "without numbers" : "names of classes"));
        free(b.at);
    }
}

static size_t written;

static int write_slowly(void *ctx, const void *at, size_t len)
{
    (void)ctx, (void)at;
    nanosleep(&(struct timespec){.tv_nsec = 60000000}, NULL);   /* polls are 50 ms apart */
    written += len;
    return 0;
}

static int stop_writing(void *ctx, double done)
{
    (void)done;
    return written > *(size_t *)ctx;
}

static void test_stopped(void)
{
    enum { ROWS = 1 << 16 };
    static double x[ROWS];
    const fx_matrix X = {.rows = ROWS, .cols = 1, .stride = 1, .type = FX_F64, .val = x};
    const fx_table t = {.rows = ROWS, .cols = 1, .blocks = 1, .block = &X};
    const fx_sink slow = {.size = sizeof slow, .write = write_slowly};
    size_t least = 0;
    fx_run run = {RUN, .threads = 1, .progress = stop_writing, .ctx = &least};
    fx_data *d = NULL;
    bytes b = packed(&t);

    CHECK(fx_data_pack(&slow, &t, &run) == FX_ECANCELLED && written < b.len / 2);
    CHECK(fx_data_unpack(&d, b.at, b.len, &run) == FX_ECANCELLED && !d);
    free(b.at);
}

int main(void)
{
    test_init();
    test_text("svmlight", "1 3:1 7:1\n0\n1 1:1\n");
    test_text("svmlight:base=1", "1 qid:2 3:0.5 7:1e-300\n0 qid:3 9:2\n");
    test_text("csv:label=last,header=no", "1.5,2,yes\n3,0.1,no\n-1,0,perhaps\n");
    test_text("csv:label=none,header=no,nan=keep", "1,NA\n0,3\n");
    test_blocks();
    test_deceiving();
    test_stopped();
    return 0;
}
