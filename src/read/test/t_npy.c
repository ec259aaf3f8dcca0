/* SPDX-License-Identifier: BSD-3-Clause
 * t_npy.c - every type, every header version, any cut; what is not an array of rows is rejected,
 * and no header makes the reader allocate what does not come.  Covers: npy_array.c */

#include "data/test/reading.h"

/* An npy file with this dictionary, then n bytes; its length. */
static size_t build(unsigned char *out, int version, const char *dict, const void *data, size_t n)
{
    size_t text = strlen(dict), prefix = version == 1 ? 10 : 12;

    memcpy(out, "\x93NUMPY", 6);
    out[6] = (unsigned char)version;
    out[7] = 0;
    for (size_t i = 8; i < prefix; i++)
        out[i] = (unsigned char)(text >> (i - 8) * 8);
    memcpy(out + prefix, dict, text);
    memcpy(out + prefix + text, data, n);
    return prefix + text + n;
}

static const char *dict_of(const char *descr, const char *shape)
{
    static char dict[128];

    sprintf(dict, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }  \n", descr, shape);
    return dict;
}

static void types(void)
{
    static const float f4[] = {1, -2.5f, 3, 0};
    static const double f8[] = {1, 0.1, 3, 0}, f8f[] = {1, 0.5, 3, 0};
    static const int8_t i1[] = {1, -128, 3, 0};
    static const uint8_t u1[] = {1, 255, 3, 0}, b1[] = {1, 0, 1, 0};
    static const int16_t i2[] = {1, -32768, 3, 0};
    static const uint16_t u2[] = {1, 65535, 3, 0};
    static const int32_t i4[] = {1, INT32_MIN, 3, 0}, i4d[] = {1, 16777217, 3, 0};
    static const uint32_t u4[] = {1, UINT32_MAX, 3, 0};
    static const int64_t i8[] = {1, -(1ll << 53), 3, 0}, i8d[] = {1, (1ll << 53) - 1, 3, 0};
    static const uint64_t u8[] = {1, 1ull << 62, 3, 0};
    static const struct {
        const char *descr;
        const void *data;
        size_t item;
        double second;
        int f32;
    } cases[] = {{"<f4", f4, 4, -2.5, 1}, {"<f8", f8, 8, 0.1, 0}, {"<f8", f8f, 8, 0.5, 1},
                   {"|i1", i1, 1, -128, 1}, {"|u1", u1, 1, 255, 1}, {"|b1", b1, 1, 0, 1},
                   {"<i2", i2, 2, -32768, 1}, {"<u2", u2, 2, 65535, 1},
                   {"<i4", i4, 4, INT32_MIN, 1}, {"<i4", i4d, 4, 16777217, 0},
                   {"<u4", u4, 4, UINT32_MAX, 0}, {"<i8", i8, 8, -0x1p53, 1},
                   {"<i8", i8d, 8, 0x1p53 - 1, 0}, {"<u8", u8, 8, 0x1p62, 1}};

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int version = 1; version <= 3; version++) {
            unsigned char file[256];
            size_t len = build(file, version, dict_of(cases[k].descr, "(2, 2)"), cases[k].data,
                               4 * cases[k].item);
            fx_data *d = reading_good_bytes("npy", file, len);
            fx_table t = fx_data_table(d);
            CHECK(t.rows == 2 && t.cols == 2 && !t.label && t.base == 0 && !t.name);
            CHECK(reading_at(d, 0, 0) == 1 && reading_at(d, 0, 1) == cases[k].second);
            CHECK(reading_at(d, 1, 1) == 0 && (t.block[0].type == FX_F32) == cases[k].f32);
            fx_data_free(d);

            for (size_t cut = 0; cut <= len; cut++) {   /* whole only at the end */
                fx_reader *r;
                CHECK(!fx_data_reader_new(&r, "npy", "x"));
                CHECK(!fx_data_reader_feed(r, file, cut, NULL));
                d = NULL;
                if (cut < len) {
                    fx_status s = fx_data_reader_take(&d, r, 1, NULL);
                    CHECK(s == FX_EFORMAT && !d);
                    CHECK(strstr(fx_error_detail(), cut ? "x:" : "no rows"));
                }
                fx_data_reader_free(r);
            }
            for (size_t cut = 1; cut < len; cut++) {    /* cut anywhere, taken in two */
                fx_reader *r;
                fx_data *e;
                CHECK(!fx_data_reader_new(&r, "npy", "x"));
                CHECK(!fx_data_reader_feed(r, file, cut, NULL));
                CHECK(!fx_data_reader_take(&d, r, 0, NULL));
                CHECK(!fx_data_reader_feed(r, file + cut, len - cut, NULL));
                CHECK(!fx_data_reader_take(&e, r, 1, NULL));
                size_t n = fx_data_table(d).rows;
                CHECK(n + fx_data_table(e).rows == 2 && fx_data_table(e).cols == 2);
                CHECK(n ? reading_at(d, 0, 1) == cases[k].second
                        : reading_at(e, 0, 1) == cases[k].second);
                fx_data_free(d);
                fx_data_free(e);
                fx_data_reader_free(r);
            }
        }
}

static void shapes(void)
{
    static const double x[] = {1, 2, 3, 4, 5, 6};
    unsigned char file[256];
    fx_data *d = reading_good_bytes("npy", file, build(file, 1, dict_of("<f8", "(6,)"), x, 48));

    CHECK(fx_data_table(d).rows == 6 && fx_data_table(d).cols == 1 && reading_at(d, 5, 0) == 6);
    fx_data_free(d);
    const char *odd = "{\"shape\":(1L,6L),\"fortran_order\":True,\"descr\":\"<f8\"}";
    d = reading_good_bytes("npy", file, build(file, 1, odd, x, 48));
    CHECK(fx_data_table(d).rows == 1 && reading_at(d, 0, 5) == 6);
    fx_data_free(d);
}

static void faults(void)
{
    static const double x[] = {1, 2, 3, 4, 5, 6}, odd[] = {1, 2, 3, NAN};
    static const int64_t big[] = {(1ll << 53) + 1};
    static const struct { const char *dict, *holds; fx_status s; } bad[] = {
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), 'extra': 1}", "header",
         FX_EFORMAT},
        {"{'descr': '<f8', 'shape': (3, 2)}", "header", FX_EFORMAT},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2}", "header", FX_EFORMAT},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, -2)}", "header", FX_EFORMAT},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2)} x", "header", FX_EFORMAT},
        {"", "header", FX_EFORMAT},
        {"{'descr': '<f8', 'fortran_order': True, 'shape': (3, 2)}", "ascontiguous",
         FX_EUNSUPPORTED},
        {"{'descr': '>f8', 'fortran_order': False, 'shape': (3, 2)}", "big-endian",
         FX_EUNSUPPORTED},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (3, 8)}", "'<f2'", FX_EUNSUPPORTED},
        {"{'descr': '<c16', 'fortran_order': False, 'shape': (3,)}", "'<c16'", FX_EUNSUPPORTED},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (3,)}", "'|O'", FX_EUNSUPPORTED},
        {"{'descr': '<U2', 'fortran_order': False, 'shape': (6,)}", "text", FX_EUNSUPPORTED},
        {"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (6,)}", "records",
         FX_EUNSUPPORTED},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': ()}", "single number", FX_EFORMAT},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2, 3)}", "3 dimensions",
         FX_EUNSUPPORTED},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (6, 0)}", "without columns",
         FX_EFORMAT},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2)}", "after the last", FX_EFORMAT},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (4, 2)}", "ends after 48 of 64",
         FX_EFORMAT},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999999, 9999999999999)}",
         "too large", FX_EFORMAT},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999, 2)}", "header",
         FX_EFORMAT},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000, 1000000000)}",
         "ends after", FX_EFORMAT},     /* and no large allocation */
    };
    unsigned char file[512];
    fx_data *d = NULL;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        size_t len = build(file, 1, bad[i].dict, x, sizeof x);
        fx_status s = fx_data_parse(&d, "npy", "x", file, len, NULL);
        if (s != bad[i].s || d || !strstr(fx_error_detail(), bad[i].holds)) {
            fprintf(stderr, "%s: %d %s\n", bad[i].dict, (int)s, fx_error_detail());
            exit(1);
        }
    }
    reading_bad_bytes("npy", "PK\3\4abcdefgh", 12, "x:0: ", "not an npy");
    reading_bad_bytes("npy", "\x93NUMPY\4\0abcd", 12, "x:6: ", "version 4");
    reading_bad_bytes("npy", "\x93NUMPY\2\0\377\377\377\377", 12, "x:8: ", "a header of");
    reading_bad_bytes("npy", file, build(file, 1, dict_of("<f8", "(2, 2)"), odd, 32), "x:",
                      "row 1, column 1 (from 0): nan");
    reading_bad_bytes("npy", file, build(file, 1, dict_of("<i8", "(1, 1)"), big, 8), "x:",
                      "exactly");
    reading_bad_bytes("npy", file, build(file, 1, dict_of("<f8", "(0, 2)"), x, 0), "x: ",
                      "no rows");
}

/* A claim beyond all memory, in one row or many: only what comes is kept. */
static void claims(void)
{
    static const char *const shape[] = {"(1, 288230376151711744)", "(288230376151711744,)",
                                        "(144115188075855872, 2)"};
    static const double x[128] = {0};   /* longer than the header, whose memory is used again */
    unsigned char file[1300];

    for (size_t i = 0; i < 3; i++)
        reading_bad_bytes("npy", file, build(file, 1, dict_of("<f8", shape[i]), x, sizeof x), "x:",
                          "ends after 1024 of 2305843009213693952 bytes");
}

static void large(void)                 /* several blocks, each of its own type */
{
    const size_t rows = 100000, cols = 7;
    double *x = malloc(rows * cols * sizeof *x);
    unsigned char *file = malloc(rows * cols * sizeof *x + 256);
    char shape[64], where[64];
    int wide = 0;

    CHECK(x && file);
    for (size_t i = 0; i < rows * cols; i++)
        x[i] = (double)(i % 1000) + (i == 400000 ? 0.1 : 0);
    sprintf(shape, "(%zu, %zu)", rows, cols);
    size_t len = build(file, 2, dict_of("<f8", shape), x, rows * cols * sizeof *x);
    fx_data *d = reading_good_bytes("npy", file, len);
    fx_table t = fx_data_table(d);
    CHECK(t.rows == rows && t.blocks > 2);
    for (size_t b = 0; b < t.blocks; b++)
        wide += t.block[b].type == FX_F64;
    CHECK(wide == 1);
    x[90001 * cols + 3] = NAN;          /* far behind the first block */
    build(file, 2, dict_of("<f8", shape), x, rows * cols * sizeof *x);
    reading_bad_bytes("npy", file, len, "x:", "row 90001, column 3 (from 0): nan");
    sprintf(where, "x:%zu: ", len - (rows * cols - 90001 * cols - 3) * sizeof *x);
    CHECK(!strncmp(fx_error_detail(), where, strlen(where)));
    x[90001 * cols + 3] = (double)((90001 * cols + 3) % 1000);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            CHECK(fxi_row_value(reading_row(&t, i), j) == x[i * cols + j]);
    fx_data_free(d);
    free(x);
    free(file);
}

int main(void)
{
    test_init();
    types();
    shapes();
    faults();
    claims();
    large();
    return 0;
}
