/* SPDX-License-Identifier: BSD-3-Clause
 * t_npz.c - members in any order, int32 and int64 indices, rows out of order, labels; matrices that
 * contradict themselves are rejected. */

#include "data/test/reading.h"

typedef struct member { const char *name, *descr, *shape; const void *data; size_t bytes; } member;

static fx_status read_members(fx_data **d, const member *m, size_t n)
{
    fx_reader *r;
    fx_status s = FX_OK;

    CHECK(!fx_data_reader_new(&r, "npz", "x"));
    for (size_t i = 0; i < n && !s; i++) {
        unsigned char head[256] = "\x93NUMPY\1";
        int len = sprintf((char *)head + 10, "{'descr': '%s', 'fortran_order': False, 'shape': %s}",
                          m[i].descr, m[i].shape);
        head[8] = (unsigned char)len;
        s = fx_data_reader_member(r, m[i].name);
        if (!s)
            s = fx_data_reader_feed(r, head, (size_t)len + 10, NULL);
        for (size_t b = 0; b < m[i].bytes && !s; b++)   /* byte by byte */
            s = fx_data_reader_feed(r, (const char *)m[i].data + b, 1, NULL);
    }
    if (!s)
        s = fx_data_reader_take(d, r, 1, NULL);
    fx_data_reader_free(r);
    return s;
}

/* [1 . 0.1 .]  with its second row out of order: [. 3 . 2] */
static const double data[] = {1, 0.1, 2, 3};
static const int32_t indices[] = {0, 2, 3, 1}, indptr[] = {0, 2, 4, 4};
static const int64_t wide_indices[] = {0, 2, 3, 1}, wide_indptr[] = {0, 2, 4, 4};
static const int64_t shape[] = {3, 4};
static const float y[] = {1, -1, 2};
static const member good[] = {{"indices.npy", "<i4", "(4,)", indices, 16},
                              {"indptr.npy", "<i4", "(4,)", indptr, 16},
                              {"format.npy", "|S3", "()", "csr", 3},
                              {"shape.npy", "<i8", "(2,)", shape, 16},
                              {"data.npy", "<f8", "(4,)", data, 32},
                              {"_is_array.npy", "|b1", "()", "\1", 1},
                              {"y.npy", "<f4", "(3,)", y, 12}};
enum { GOOD = sizeof good / sizeof *good };

static void sparse(void)
{
    for (int k = 0; k < test_cases(40); k++) {
        member m[GOOD];
        fx_data *d;
        memcpy(m, good, sizeof m);
        if (k % 2)
            m[0] = (member){"indices.npy", "<i8", "(4,)", wide_indices, 32};
        if (k % 3)
            m[1] = (member){"indptr.npy", "<i8", "(4,)", wide_indptr, 32};
        if (k % 5 == 0)
            m[2] = (member){"format.npy", "<U3", "()", "c\0\0\0s\0\0\0r\0\0\0", 12};
        if (k % 5 == 1)                 /* padded, and the longest type name there is */
            m[2] = (member){"format.npy", "|S7", "()", "csr\0\0\0\0", 7};
        if (k % 5 == 2)
            m[2] = (member){"format.npy", "|S00000000000000000000000000003", "()", "csr", 3};
        for (size_t i = GOOD - 1; i > 0; i--) {
            size_t j = test_below(i + 1);
            member swap = m[i];
            m[i] = m[j];
            m[j] = swap;
        }
        CHECK(!read_members(&d, m, GOOD));
        fx_table t = fx_data_table(d);
        CHECK(fxi_data_check_table(&t, NULL) == FX_OK);
        CHECK(t.rows == 3 && t.cols == 4 && t.blocks == 1 && t.base == 0 && !t.block[0].wide);
        CHECK(reading_at(d, 0, 0) == 1 && reading_at(d, 0, 2) == 0.1 && reading_stored(d) == 4);
        CHECK(reading_at(d, 1, 1) == 3 && reading_at(d, 1, 3) == 2);
        CHECK(t.label[0] == 1 && t.label[1] == -1 && t.label[2] == 2);
        fx_data_free(d);
    }
    static const int64_t far[] = {0, 1ll << 40, 5, 7}, huge[] = {3, 1ll << 41};
    member m[GOOD];
    fx_data *d;
    memcpy(m, good, sizeof m);
    m[0] = (member){"indices.npy", "<i8", "(4,)", far, 32};
    m[3].data = huge;
    CHECK(!read_members(&d, m, GOOD - 1));
    CHECK(fx_data_table(d).block[0].wide && reading_at(d, 0, 1ll << 40) == 0.1);
    CHECK(!fx_data_table(d).label);
    fx_data_free(d);

    static const int32_t none[] = {0, 0, 0, 0};
    memcpy(m, good, sizeof m);
    m[0] = (member){"indices.npy", "<i4", "(0,)", none, 0};
    m[1].data = none;
    m[4] = (member){"data.npy", "<f8", "(0,)", none, 0};
    CHECK(!read_members(&d, m, GOOD));  /* rows of zeros */
    CHECK(fx_data_table(d).rows == 3 && reading_stored(d) == 0);
    fx_data_free(d);
}

static void dense(void)
{
    member m[] = {{"arr_0.npy", "<f8", "(2, 2)", data, 32}, {"labels.npy", "<f4", "(2,)", y, 8}};
    fx_data *d;

    CHECK(!read_members(&d, m, 2));
    CHECK(fx_data_table(d).cols == 2 && reading_at(d, 0, 1) == 0.1 && reading_at(d, 1, 1) == 3);
    CHECK(fx_data_table(d).label[1] == -1);
    fx_data_free(d);
}

static void bad(size_t at, member with, fx_status expected, const char *holds)
{
    member m[GOOD];
    fx_data *d = NULL;

    memcpy(m, good, sizeof m);
    m[at] = with;
    fx_status s = read_members(&d, m, GOOD);
    if (s != expected || d || !strstr(fx_error_detail(), holds)) {
        fprintf(stderr, "%s: %d %s; want %s\n", with.name, (int)s, fx_error_detail(), holds);
        exit(1);
    }
}

static void faults(void)
{
    static const int32_t falling[] = {0, 3, 2, 4}, late[] = {1, 2, 4, 4}, few[] = {0, 2, 3, 3},
                         outside[] = {0, 4, 1, 2}, negative[] = {0, -1, 1, 2},
                         twice[] = {0, 2, 1, 1};
    static const double odd[] = {1, INFINITY, 2, 3};
    static const int64_t narrow[] = {3, -4};
    fx_data *d = NULL;

    bad(0, (member){"indices.npy", "<i4", "(4,)", outside, 16}, FX_EFORMAT, "column 4");
    bad(0, (member){"indices.npy", "<i4", "(4,)", negative, 16}, FX_EFORMAT, "column -1");
    bad(0, (member){"indices.npy", "<i4", "(4,)", twice, 16}, FX_EFORMAT,
        "row 1 has column 1 (from 0) twice");
    bad(0, (member){"indices.npy", "<f4", "(3,)", y, 12}, FX_EFORMAT, "int32");
    bad(0, (member){"indices.npy", "<i4", "(3,)", indices, 12}, FX_EFORMAT, "x:data.npy:");
    bad(0, (member){"indices.npy", "<i4", "(4,)", indices, 15}, FX_EFORMAT, "ends after 15 of 16");
    bad(0, (member){"indices.npy", "<i4", "(3,)", indices, 16}, FX_EFORMAT, "after the last");
    bad(1, (member){"indptr.npy", "<i4", "(4,)", falling, 16}, FX_EFORMAT, "2 after 3");
    bad(1, (member){"indptr.npy", "<i4", "(4,)", late, 16}, FX_EFORMAT, "rise from 0");
    bad(1, (member){"indptr.npy", "<i4", "(4,)", few, 16}, FX_EFORMAT, "to the 4 entries");
    bad(1, (member){"indptr.npy", "<i4", "(3,)", indptr, 12}, FX_EFORMAT, "one number more");
    bad(2, (member){"format.npy", "|S3", "()", "csc", 3}, FX_EUNSUPPORTED, "tocsr");
    bad(2, (member){"format.npy", "<i4", "()", indptr, 4}, FX_EFORMAT, "name of a sparse");
    bad(2, (member){"format.npy", "|S7", "()", "cscccrr", 7}, FX_EUNSUPPORTED, "'cscccrr'");
    bad(2, (member){"format.npy", "|S8", "()", "csr\0\0\0\0", 8}, FX_EFORMAT, "name of a sparse");
    bad(2, (member){"format.npy", "<U8", "()", data, 32}, FX_EFORMAT, "name of a sparse");
    bad(2, (member){"format.npy", "|S4097", "()", "csr", 3}, FX_EUNSUPPORTED, "'|S4097'");
    bad(2, (member){"format.npy", "|S000000000000000000000000000003", "()", "csr", 3}, FX_EFORMAT,
        "header");
    bad(3, (member){"shape.npy", "<i8", "(2,)", narrow, 16}, FX_EFORMAT, "two whole numbers");
    bad(3, (member){"shape.npy", "<i8", "()", shape, 8}, FX_EFORMAT, "two whole numbers");
    bad(4, (member){"data.npy", "<f8", "(4,)", odd, 32}, FX_EFORMAT, "entry 1 (from 0): inf");
    bad(4, (member){"indptr.npy", "<i4", "(4,)", indptr, 16}, FX_EFORMAT, "member 'indptr.npy'");
    bad(4, (member){"weights.npy", "<f8", "(4,)", data, 32}, FX_EFORMAT, "'weights.npy' is not");
    bad(4, (member){"x.npy", "<f8", "(4,)", data, 32}, FX_EFORMAT, "both 'x.npy' and");
    bad(6, (member){"y.npy", "<f4", "(2,)", y, 8}, FX_EFORMAT, "one number for each row");
    CHECK(read_members(&d, good, 4) == FX_EFORMAT && strstr(fx_error_detail(), "'data.npy'"));
    CHECK(read_members(&d, good, 0) == FX_EFORMAT && strstr(fx_error_detail(), "no rows"));

    fx_reader *r;
    CHECK(!fx_data_reader_new(&r, "npz", "x"));
    CHECK(fx_data_reader_feed(r, "abc", 3, NULL) == FX_EINVAL);
    fx_data_reader_free(r);
}

/* n numbers of `item` bytes under this name, fed at once. */
static fx_status feed(fx_reader *r, const char *name, const char *descr, size_t n, const void *x,
                      size_t item, const fx_run *run)
{
    unsigned char head[256] = "\x93NUMPY\1";
    int len = sprintf((char *)head + 10, "{'descr': '%s', 'fortran_order': False, 'shape': (%zu,)}",
                      descr, n);
    fx_status s = fx_data_reader_member(r, name);

    head[8] = (unsigned char)len;
    if (!s)
        s = fx_data_reader_feed(r, head, (size_t)len + 10, run);
    return s ? s : fx_data_reader_feed(r, x, n * item, run);
}

static int stop(void *ctx, double done)
{
    CHECK(done >= 0 && done <= 1);
    return ++*(int *)ctx;
}

/* n entries in rows that are all out of order but the last; every column once in a row. */
static fx_status large(fx_data **d, fx_read_counts *count, size_t rows, size_t each,
                       const fx_run *feeds, const fx_run *takes)
{
    size_t n = rows * each;
    int64_t *col = malloc(n * sizeof *col), *ptr = malloc((rows + 1) * sizeof *ptr);
    int64_t size[] = {(int64_t)rows, (int64_t)each};
    double *val = malloc(n * sizeof *val);
    fx_reader *r;

    CHECK(col && ptr && val && !fx_data_reader_new(&r, "npz", "x"));
    for (size_t i = 0; i <= rows; i++)
        ptr[i] = (int64_t)(i * each);
    for (size_t q = 0; q < n; q++) {
        size_t j = q % each;
        col[q] = (int64_t)(q / each + 1 < rows || rows == 1 ? (j * 7919 + q / each) % each : j);
        val[q] = (double)col[q] + 0.1;
    }
    fx_status s = feed(r, "indices.npy", "<i8", n, col, 8, feeds);
    if (!s)
        s = feed(r, "data.npy", "<f8", n, val, 8, feeds);
    if (!s)
        s = feed(r, "indptr.npy", "<i8", rows + 1, ptr, 8, feeds);
    if (!s)
        s = feed(r, "shape.npy", "<i8", 2, size, 8, feeds);
    if (!s)
        s = feed(r, "format.npy", "|S1", 3, "csr", 1, feeds);
    if (!s)
        s = fx_data_reader_take(d, r, 1, takes);
    count->size = sizeof(fx_read_counts);
    fx_data_reader_counts(count, r);
    fx_data_reader_free(r);
    free(col), free(ptr), free(val);
    return s;
}

static void many(void)
{
    fx_read_counts count = FX_INIT(fx_read_counts);
    fx_data *d = NULL;
    int calls = 0;

    for (int threads = 1; threads <= 3; threads += 2) { /* several pieces */
        fx_run run = {RUN, .threads = threads};
        CHECK(large(&d, &count, 3000, 101, &run, &run) == FX_OK && count.sorted == 2999);
        fx_table t = fx_data_table(d);
        CHECK(fxi_data_check_table(&t, NULL) == FX_OK && t.rows == 3000 && t.cols == 101);
        for (size_t i = 0; i < t.rows; i++)
            for (size_t j = 0; j < 101; j++)
                CHECK(fxi_row_value(fxi_data_row(t.block, i), j) == (double)j + 0.1);
        fx_data_free(d);
        d = NULL;
    }
    /* The limit is for all members together: 16 bytes for each of 303 000 entries. */
    fx_run small = {RUN, .max_memory = 4000000}, enough = {RUN, .max_memory = 5000000};
    CHECK(large(&d, &count, 3000, 101, &small, NULL) == FX_ELIMIT && !d);
    CHECK(large(&d, &count, 3000, 101, &enough, NULL) == FX_OK);
    fx_data_free(d);
    d = NULL;
    /* Stopped, with many rows or one. */
    fx_run stopped = {RUN, .threads = 1, .progress = stop, .ctx = &calls};
    CHECK(large(&d, &count, 40000, 101, NULL, &stopped) == FX_ECANCELLED && !d && calls == 1);
    CHECK(large(&d, &count, 1, 3000000, NULL, &stopped) == FX_ECANCELLED && !d && calls == 2);
}

/* Claims beyond all memory: only what comes is kept. */
static void claims(void)
{
    static const char *const name[] = {"data.npy", "x.npy", "y.npy"};
    static const double x[128] = {0};   /* longer than the header, whose memory is used again */
    fx_data *d = NULL;

    for (size_t i = 0; i < 3; i++) {
        member m = {name[i], "<f8", "(288230376151711744,)", x, sizeof x};
        CHECK(read_members(&d, &m, 1) == FX_EFORMAT && !d);
        CHECK(strstr(fx_error_detail(), "ends after 1024 of 2305843009213693952 bytes"));
    }
}

int main(void)
{
    test_init();
    many();
    claims();
    sparse();
    dense();
    faults();
    return 0;
}
