/* SPDX-License-Identifier: BSD-3-Clause
 * arrow_values.c - values of Arrow's types as numbers and as the fields of a CSV file.
 *
 * Buffers need not be aligned, so numbers are copied out of them byte by byte (which compilers turn
 * into plain loads).  Buffers of Arrow do not tell their lengths; what can be checked are offsets,
 * codes and views. */

#include "read/arrow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Types ---------------------------------------------------------------------------------- */
typedef struct named {
    const char *format;
    fxi_read_arrow_type type;
} named;
static const named types[] = {
    {"n", FXI_ARROW_NULL}, {"b", FXI_ARROW_BOOL}, {"c", FXI_ARROW_I8}, {"C", FXI_ARROW_U8},
    {"s", FXI_ARROW_I16}, {"S", FXI_ARROW_U16}, {"i", FXI_ARROW_I32}, {"I", FXI_ARROW_U32},
    {"l", FXI_ARROW_I64}, {"L", FXI_ARROW_U64}, {"e", FXI_ARROW_F16}, {"f", FXI_ARROW_F32},
    {"g", FXI_ARROW_F64}, {"u", FXI_ARROW_TEXT}, {"U", FXI_ARROW_LARGE_TEXT},
    {"vu", FXI_ARROW_TEXT_VIEW}};

/* d:precision,scale or d:precision,scale,bits */
static fxi_read_arrow_type decimal(unsigned *width, int *scale, const char *format)
{
    enum { MOST = 38 };                 /* digits of 128 bits */
    char *end;

    strtol(format + 2, &end, 10);       /* the precision follows from the numbers */
    if (*end != ',')
        return FXI_ARROW_OTHER;
    const long by = strtol(end + 1, &end, 10);
    const long bits = *end == ',' ? strtol(end + 1, &end, 10) : 128;
    if (*end || by < -MOST || by > MOST || (bits != 32 && bits != 64 && bits != 128))
        return FXI_ARROW_OTHER;
    *width = (unsigned)bits / 8;
    *scale = (int)by;
    return FXI_ARROW_DECIMAL;
}

fxi_read_arrow_type fxi_read_arrow_values_type(unsigned *width, int *scale, const char *format)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(format, types[i].format))
            return types[i].type;
    return !strncmp(format, "d:", 2) ? decimal(width, scale, format) : FXI_ARROW_OTHER;
}

const char *fxi_read_arrow_values_name(const char *format)
{
    static const struct { const char *start, *name; } names[] = {
        {"td", "a date"}, {"tt", "a time"}, {"ts", "a time stamp"}, {"tD", "a duration"},
        {"ti", "an interval"}, {"z", "bytes"}, {"Z", "bytes"}, {"vz", "bytes"}, {"w", "bytes"},
        {"+r", "runs"}, {"+", "nested"}, {"d", "a decimal number of more than 128 bits"}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(format, names[i].start, strlen(names[i].start)))
            return names[i].name;
    return "an unknown type";
}

size_t fxi_read_arrow_values_buffers(fxi_read_arrow_type t)
{
    return t == FXI_ARROW_NULL ? 0 : t == FXI_ARROW_TEXT || t == FXI_ARROW_LARGE_TEXT ? 3 : 2;
}

/* ---- Numbers -------------------------------------------------------------------------------- */
static double half(const unsigned char *p)
{
    uint16_t w;

    memcpy(&w, p, 2);
    const int exponent = w >> 10 & 31, fraction = w & 1023;
    double x = exponent == 31 ? (fraction ? (double)NAN : (double)INFINITY)
               : exponent     ? ldexp(1024 + fraction, exponent - 25)
                              : ldexp(fraction, -24);
    return w >> 15 ? -x : x;
}

/* False also beyond 2^53, where a whole number may not be a double. */
static inline bool plain(double x, bool whole)
{
    return whole ? x < 0x1p53 && x > -0x1p53 : fxi_read_usable(x);
}

#define COPY(T, whole) \
    do { \
        for (size_t i = 0; i < n; i++) { \
            T value; \
            memcpy(&value, v->data + (at + i) * sizeof value, sizeof value); \
            double x = (double)value; \
            good &= plain(x, whole); \
            to[i * stride] = x; \
        } \
    } while (0)

bool fxi_read_arrow_values_numbers(double *to, size_t stride, const fxi_read_arrow_values *v,
                                   size_t first, size_t n)
{
    const size_t at = v->at + first;
    bool good = true;

    switch (v->type) {
    case FXI_ARROW_I8: COPY(int8_t, true); break;
    case FXI_ARROW_U8: COPY(uint8_t, true); break;
    case FXI_ARROW_I16: COPY(int16_t, true); break;
    case FXI_ARROW_U16: COPY(uint16_t, true); break;
    case FXI_ARROW_I32: COPY(int32_t, true); break;
    case FXI_ARROW_U32: COPY(uint32_t, true); break;
    case FXI_ARROW_I64: COPY(int64_t, true); break;
    case FXI_ARROW_U64: COPY(uint64_t, true); break;
    case FXI_ARROW_F32: COPY(float, false); break;
    case FXI_ARROW_F64: COPY(double, false); break;
    case FXI_ARROW_BOOL:
        for (size_t i = 0; i < n; i++)
            to[i * stride] = v->data[(at + i) / 8] >> (at + i) % 8 & 1;
        break;
    case FXI_ARROW_F16:
        for (size_t i = 0; i < n; i++)
            good &= fxi_read_usable(to[i * stride] = half(v->data + 2 * (at + i)));
        break;
    default:
        for (size_t i = 0; i < n; i++)
            to[i * stride] = NAN;
        return false;
    }
    for (size_t i = 0; v->valid && i < n; i++)
        if (!fxi_read_arrow_valid(v, first + i)) {
            to[i * stride] = NAN;
            good = false;
        }
    return good;
}

/* ---- Texts ---------------------------------------------------------------------------------- */
__extension__ typedef unsigned __int128 u128;

/* A decimal number of `width` bytes / 10^scale, all digits. */
static size_t write_decimal(char *buf, const fxi_read_arrow_values *v, size_t i)
{
    const unsigned char *p = v->data + (v->at + i) * v->width;
    const bool negative = p[v->width - 1] >> 7;
    char digit[FXI_ARROW_DIGITS];
    u128 x = negative ? ~(u128)0 : 0;
    int n = 0;
    size_t len = 0;

    memcpy(&x, p, v->width);            /* little-endian: the low bytes */
    for (x = negative ? -x : x; x || n <= v->scale; x /= 10)
        digit[n++] = (char)('0' + (int)(x % 10));
    if (n == 0)
        digit[n++] = '0';
    if (negative)
        buf[len++] = '-';
    while (n > 0) {
        buf[len++] = digit[--n];
        if (n == v->scale && n > 0)
            buf[len++] = '.';
    }
    for (int zero = v->scale; zero < 0; zero++)
        buf[len++] = '0';
    return len;
}

static size_t write_number(char buf[FXI_ARROW_DIGITS], const fxi_read_arrow_values *v, size_t i)
{
    double x;

    if (v->type == FXI_ARROW_DECIMAL)
        return write_decimal(buf, v, i);
    if (v->type == FXI_ARROW_I64 || v->type == FXI_ARROW_U64) {
        int64_t value;
        memcpy(&value, v->data + (v->at + i) * sizeof value, sizeof value);
        return (size_t)(v->type == FXI_ARROW_I64
                            ? snprintf(buf, FXI_ARROW_DIGITS, "%lld", (long long)value)
                            : snprintf(buf, FXI_ARROW_DIGITS, "%llu", (unsigned long long)value));
    }
    fxi_read_arrow_values_numbers(&x, 1, v, i, 1);
    return (size_t)fx_data_number(buf, x);
}

int64_t fxi_read_arrow_values_offset(const fxi_read_arrow_values *v, size_t i)
{
    int32_t narrow;
    int64_t wide;

    if (v->type == FXI_ARROW_TEXT) {
        memcpy(&narrow, v->data + i * sizeof narrow, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, v->data + i * sizeof wide, sizeof wide);
    return wide;
}

/* Bytes from *start on; false: offsets that fall, or point beyond the last one or into no text. */
static bool find_text(const char **start, size_t *len, const fxi_read_arrow_values *v, size_t i)
{
    const int64_t from = fxi_read_arrow_values_offset(v, v->at + i);
    const int64_t to = fxi_read_arrow_values_offset(v, v->at + i + 1);

    if (from < 0 || to < from || to > v->text_len || (to > from && !v->text))
        return false;
    *start = to > from ? v->text + from : "";
    *len = (size_t)(to - from);
    return true;
}

/* A view: its length, then at most 12 bytes, or 4 of them, a part, and where in it. */
static bool find_view(const char **start, size_t *len, const fxi_read_arrow_values *v, size_t i)
{
    enum { SHORT = 12 };
    const unsigned char *p = v->data + 16 * (v->at + i);
    int32_t word[4];

    memcpy(word, p, sizeof word);
    if (word[0] < 0)
        return false;
    *len = (size_t)word[0];
    *start = (const char *)p + 4;
    if (word[0] <= SHORT)
        return true;
    if (word[2] < 0 || (size_t)word[2] >= v->parts || word[3] < 0 || !v->part[word[2]]
        || (int64_t)word[3] + word[0] > v->part_len[word[2]])
        return false;
    *start = (const char *)v->part[word[2]] + word[3];
    return true;
}

const char *fxi_read_arrow_values_text(fxi_read_csv_field *f, char buf[FXI_ARROW_DIGITS],
                                       const fxi_read_arrow_values *v, size_t i)
{
    *f = (fxi_read_csv_field){.text = ""};
    if (!fxi_read_arrow_valid(v, i))
        return NULL;
    if (!fxi_read_arrow_is_text(v->type)) {
        f->text = buf;
        f->len = write_number(buf, v, i);
        return NULL;
    }
    if (!(v->type == FXI_ARROW_TEXT_VIEW ? find_view : find_text)(&f->text, &f->len, v, i))
        return "a text that is outside of its buffer";
    while (f->len && fxi_data_text_space(*f->text)) {
        f->text++;
        f->len--;
    }
    while (f->len && fxi_data_text_space(f->text[f->len - 1]))
        f->len--;
    return NULL;
}

size_t fxi_read_arrow_values_place(const fxi_read_arrow_values *code, size_t i, size_t n)
{
    double x;

    fxi_read_arrow_values_numbers(&x, 1, code, i, 1);
    return x >= 0 && x < (double)n ? (size_t)x : n;
}
