/* SPDX-License-Identifier: BSD-3-Clause
 * npy_array.c - one NumPy array from a stream of bytes, cut anywhere.
 *
 *   "\x93NUMPY" major minor length {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }\n
 *   numbers
 *
 * The header is a Python dictionary: its three keys are read in any order, all else is rejected.
 * Its claims are checked against the bytes that come; memory grows with those alone.
 * Numbers are little-endian, as is this machine. */

#include "read/read.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are copied as they are");

enum { HEADER_MAX = 1 << 20 };

fx_status fxi_read_npy_array_error(const fx_reader *r, const fxi_read_array *a, fx_status s,
                                   size_t byte, const char *format, ...)
{
    char reason[256];
    va_list args;

    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return fxi_error(s, "%s%s%s:%zu: %s", r->name, a->member ? ":" : "",
                     a->member ? a->member : "", byte, reason);
}

void fxi_read_npy_array_free(fxi_read_array *a)
{
    free(a->raw);
    a->raw = NULL;
    a->fill = a->capacity = 0;
}

/* Moves bytes until a->raw holds `limit`; at most doubles what has really come. */
static fx_status move(fxi_read_array *a, size_t limit, const char **bytes, size_t *len)
{
    size_t n = limit - a->fill < *len ? limit - a->fill : *len;

    if (a->fill + n > a->capacity) {
        size_t capacity = 2 * (a->fill + n) < limit ? 2 * (a->fill + n) : limit;
        unsigned char *raw = fxi_realloc(a->raw, capacity, 1);
        if (!raw)
            return FX_ENOMEM;
        a->raw = raw;
        a->capacity = capacity;
    }
    memcpy(a->raw + a->fill, *bytes, n);
    a->fill += n;
    *bytes += n;
    *len -= n;
    return FX_OK;
}

/* ---- The header ----------------------------------------------------------------------------- */
typedef struct cursor { const char *start, *p, *end; } cursor;

static bool eat(cursor *c, const char *word)
{
    size_t n = strlen(word);

    while (c->p < c->end && (*c->p == ' ' || *c->p == '\n'))
        c->p++;
    if ((size_t)(c->end - c->p) < n || memcmp(c->p, word, n))
        return false;
    c->p += n;
    return true;
}

static bool eat_string(cursor *c, char out[32])
{
    size_t n = 0;
    char quote = eat(c, "'") ? '\'' : eat(c, "\"") ? '"' : '\0';

    if (!quote)
        return false;
    while (c->p < c->end && *c->p != quote && n < 31)
        out[n++] = *c->p++;
    out[n] = '\0';
    return c->p < c->end && *c->p++ == quote;
}

static bool eat_size(cursor *c, size_t *out)
{
    size_t n = 0;

    eat(c, "");
    const char *first = c->p;
    for (; c->p < c->end && *c->p >= '0' && *c->p <= '9'; c->p++)
        if (!fxi_size_mul(&n, n, 10) || !fxi_size_add(&n, n, (size_t)(*c->p - '0')))
            return false;
    *out = n;
    return c->p > first && (eat(c, "L") || true);       /* old files write 3L */
}

static bool eat_shape(cursor *c, fxi_read_array *a)
{
    size_t n;

    if (!eat(c, "("))
        return false;
    for (a->dims = 0; !eat(c, ")"); a->dims++) {
        if (!eat_size(c, &n))
            return false;
        if (a->dims < 2)
            a->shape[a->dims] = n;
        if (!eat(c, ",") && !(c->p < c->end && *c->p == ')'))
            return false;
    }
    return true;
}

static fx_status set_type(const fx_reader *r, fxi_read_array *a, const char *descr)
{
    char order = descr[0];
    char *after = NULL;
    unsigned long item = order && descr[1] ? strtoul(descr + 2, &after, 10) : 0;

    if (item == 0 || item > 4096 || *after || !strchr("<>|=", order))
        return fxi_read_npy_array_error(r, a, FX_EUNSUPPORTED, 10, "type '%s' is not read", descr);
    a->kind = descr[1];
    a->item = a->kind == 'U' ? 4 * item : item;
    bool known = strchr("SU", a->kind) || (a->kind == 'b' && item == 1)
                 || (a->kind == 'f' && (item == 4 || item == 8))
                 || (strchr("iu", a->kind) && (item == 1 || item == 2 || item == 4 || item == 8));
    if (!known)
        return fxi_read_npy_array_error(r, a, FX_EUNSUPPORTED, 10,
                                        "type '%s' is not read; there are f4 f8 i1 i2 i4 i8 u1 u2 "
                                        "u4 u8 b1", descr);
    if (order == '>' && item > 1)
        return fxi_read_npy_array_error(r, a, FX_EUNSUPPORTED, 10,
                                        "type '%s' is big-endian; save x.astype(x.dtype"
                                        ".newbyteorder('<'))", descr);
    return FX_OK;
}

static fx_status read_header(const fx_reader *r, fxi_read_array *a, size_t prefix)
{
    const char *text = (const char *)a->raw;
    cursor c = {text, text + prefix, text + a->fill};
    char key[32], descr[32] = "";
    bool fortran = false, ordered = false, shaped = false, well = eat(&c, "{");
    fx_status s;

    while (well && !eat(&c, "}")) {
        well = eat_string(&c, key) && eat(&c, ":");
        if (well && !strcmp(key, "descr")) {
            if (eat(&c, "["))
                return fxi_read_npy_array_error(r, a, FX_EUNSUPPORTED, (size_t)(c.p - text),
                                                "records are not read, only plain numbers");
            well = eat_string(&c, descr);
        } else if (well && !strcmp(key, "fortran_order")) {
            fortran = eat(&c, "True");
            ordered = well = fortran || eat(&c, "False");
        } else if (well && !strcmp(key, "shape"))
            shaped = well = eat_shape(&c, a);
        else
            well = false;
        if (well && !eat(&c, ","))
            well = c.p < c.end && *c.p == '}';
    }
    well = well && descr[0] && ordered && shaped;
    eat(&c, "");
    if (!well || c.p < c.end)
        return fxi_read_npy_array_error(r, a, FX_EFORMAT, (size_t)(c.p - text),
                                        "the header is not one of an array");
    s = set_type(r, a, descr);
    if (s)
        return s;
    if (a->dims > 2)
        return fxi_read_npy_array_error(r, a, FX_EUNSUPPORTED, prefix,
                                        "%zu dimensions; rows have two", a->dims);
    if (fortran && a->dims == 2 && a->shape[0] > 1 && a->shape[1] > 1)
        return fxi_read_npy_array_error(r, a, FX_EUNSUPPORTED, prefix,
                                        "fortran_order: columns come first; save "
                                        "numpy.ascontiguousarray(x)");
    a->need = a->item;
    for (size_t i = 0; i < a->dims; i++)
        if (!fxi_size_mul(&a->need, a->need, a->shape[i]))
            return fxi_read_npy_array_error(r, a, FX_EFORMAT, prefix, "the shape is too large");
    a->offset = a->fill;
    a->fill = 0;
    a->ready = true;
    return FX_OK;
}

/* How many bytes the header takes, as far as those read tell; *prefix of them before its text. */
static size_t header_size(const fxi_read_array *a, size_t *prefix)
{
    const unsigned char *h = a->raw;

    *prefix = a->fill < 8 || h[6] == 1 ? 10 : 12;
    if (a->fill < *prefix)
        return a->fill < 8 ? 8 : *prefix;
    size_t text = h[8] | (size_t)h[9] << 8;
    if (*prefix == 12)
        text |= (size_t)h[10] << 16 | (size_t)h[11] << 24;
    return *prefix + text;
}

fx_status fxi_read_npy_array_header(const fx_reader *r, fxi_read_array *a, const char **bytes,
                                    size_t *len)
{
    while (!a->ready) {
        size_t prefix, size = header_size(a, &prefix);
        if (size > HEADER_MAX)
            return fxi_read_npy_array_error(r, a, FX_EFORMAT, 8, "a header of %zu bytes", size);
        if (a->fill == size)
            return read_header(r, a, prefix);
        if (!*len)
            return FX_OK;
        fx_status s = move(a, size, bytes, len);
        if (s)
            return s;
        if (a->fill == 8 && memcmp(a->raw, "\x93NUMPY", 6))
            return fxi_read_npy_array_error(r, a, FX_EFORMAT, 0, "this is not an npy array");
        if (a->fill == 8 && (a->raw[6] < 1 || a->raw[6] > 3))
            return fxi_read_npy_array_error(r, a, FX_EFORMAT, 6,
                                            "npy version %d; 1, 2 and 3 are read", a->raw[6]);
    }
    return FX_OK;
}

fx_status fxi_read_npy_array_fill(fxi_read_array *a, size_t limit, const char **bytes, size_t *len)
{
    size_t before = a->fill, left = a->need - a->got;
    fx_status s = move(a, left < limit - a->fill ? a->fill + left : limit, bytes, len);

    a->got += a->fill - before;
    return s;
}

fx_status fxi_read_npy_array_end(const fx_reader *r, const fxi_read_array *a)
{
    if (!a->ready)
        return fxi_read_npy_array_error(r, a, FX_EFORMAT, a->fill, "the header is incomplete");
    if (a->got < a->need)
        return fxi_read_npy_array_error(r, a, FX_EFORMAT, a->offset + a->got,
                                        "ends after %zu of %zu bytes of numbers", a->got, a->need);
    return FX_OK;
}

/* ---- Numbers -------------------------------------------------------------------------------- */
int64_t fxi_read_npy_array_integer(const fxi_read_array *a, size_t i)
{
    const unsigned char *p = a->raw + i * a->item;
    uint64_t u = 0;

    memcpy(&u, p, a->item);
    if (a->kind != 'i')
        return u > INT64_MAX ? INT64_MAX : (int64_t)u;
    switch (a->item) {
    case 1: return (int8_t)u;
    case 2: return (int16_t)u;
    case 4: return (int32_t)u;
    default: return (int64_t)u;
    }
}

/* False: no double is this number (integers above 2^53). */
static bool number(double *x, const fxi_read_array *a, size_t i)
{
    float f;

    if (a->kind == 'f' && a->item == 4) {
        memcpy(&f, a->raw + i * sizeof f, sizeof f);
        *x = f;
        return true;
    }
    if (a->kind == 'f') {
        memcpy(x, a->raw + i * sizeof *x, sizeof *x);
        return true;
    }
    int64_t n = fxi_read_npy_array_integer(a, i);
    *x = (double)n;
    return n < INT64_MAX && *x < 0x1p63 && (int64_t)*x == n;
}

static fx_status reject(const fx_reader *r, const fxi_read_array *a, size_t i, size_t cols,
                        double x, bool exact)
{
    char place[64];

    if (cols)
        snprintf(place, sizeof place, "row %zu, column %zu (from 0)", i / cols, i % cols);
    else
        snprintf(place, sizeof place, "entry %zu (from 0)", i);
    return fxi_read_npy_array_error(r, a, FX_EFORMAT, a->offset + i * a->item,
                                    "%s: %.17g is not %s",
                                    place, x, !exact     ? "exactly the integer in the file"
                                              : isnan(x) ? "a finite number (use nan=keep and "
                                                           "plan.missing)"
                                                         : "a finite number in range");
}

fx_status fxi_read_npy_array_keys(fx_reader *r, const fxi_spec *s, const fx_key *keys)
{
    int keep = 0;
    fx_status st = fxi_key_choice(&keep, s, keys, "nan");

    r->keep_nan = keep;
    return st;
}

/* Finds whether all numbers are usable, and whether all are floats. */
static fx_status check(bool *floats, const fx_reader *r, const fxi_read_array *a, size_t n,
                       size_t first, size_t cols, fxi_team *team)
{
    *floats = true;
    for (size_t i = 0; i < n; i++) {
        double x = 0;
        bool exact = number(&x, a, i);
        if (!exact || (!fxi_read_usable(x) && !(r->keep_nan && isnan(x))))
            return reject(r, a, first + i, cols, x, exact);
        *floats &= (double)(float)x == x || isnan(x);
        if (fxi_data_stopped(i, team))
            return FX_ECANCELLED;
    }
    return FX_OK;
}

fx_status fxi_read_npy_array_numbers(void **val, fx_type *type, const fx_reader *r,
                                     fxi_read_array *a, size_t n, size_t first, size_t cols,
                                     fxi_team *team)
{
    bool floats;
    fx_status s = check(&floats, r, a, n, first, cols, team);
    size_t size = floats ? sizeof(float) : sizeof(double);
    unsigned char *out = a->raw;

    if (!s && size > a->item) {
        out = fxi_alloc(n, size);
        s = out ? FX_OK : FX_ENOMEM;
    }
    for (size_t i = 0; i < n && !s; i++) {      /* never ahead of what is still to be read */
        double x = 0;
        number(&x, a, i);
        float f = (float)x;
        memcpy(out + i * size, floats ? (void *)&f : &x, size);
        if (fxi_data_stopped(i, team))
            s = FX_ECANCELLED;
    }
    if (!s && out == a->raw)
        out = fxi_read_values_shrink(out, n * size, a->capacity, 1);
    else if (out != a->raw)
        free(a->raw);
    if (s)
        free(out);
    a->raw = NULL;
    a->fill = a->capacity = 0;
    if (s)
        return s;
    *val = out;
    *type = floats ? FX_F32 : FX_F64;
    return FX_OK;
}
