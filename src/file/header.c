/* SPDX-License-Identifier: BSD-3-Clause
 * header.c - the frame of a model file and the strings of its header; nothing in them is trusted.
 *
 * The length, the beginning and the CRC over all bytes are checked first, so that a damaged file is
 * reported as damaged, whatever else is wrong with it.  Then the header must be JSON as json.c
 * reads it: UTF-8, no key twice, no character 0, nesting and length bounded.  Strings that were
 * written byte by byte (dump_header.c) become bytes again. */

#include "file/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PREFIX = sizeof FXI_MODEL_MAGIC - 1 };

/* ---- The frame ---------------------------------------------------------------------------- */

enum { PIECE = 1 << 24 };               /* bytes, between which a cancellation is noticed */

typedef struct summing { const unsigned char *bytes; size_t len; uint32_t crc; } summing;

static fx_status sum_piece(void *ctx, size_t block, fxi_team *team)
{
    summing *s = ctx;
    size_t first = block * PIECE, n = s->len - first < PIECE ? s->len - first : PIECE;

    (void)team;
    s->crc = fxi_crc(s->crc, s->bytes + first, n);
    return FX_OK;
}

/* FX_EFORMAT unless the last bytes are the CRC of those before. */
static fx_status check_crc(const fxi_parsing *p, const unsigned char *bytes, size_t len)
{
    uint32_t crc;
    summing s = {bytes, len - sizeof crc, 0};
    fx_status st = fxi_parallel_ordered((s.len + PIECE - 1) / PIECE, sum_piece, &s, p->run);

    memcpy(&crc, bytes + s.len, sizeof crc);
    return st ? st
           : crc == s.crc ? FX_OK
                          : fxi_error(FX_EFORMAT, "the file is truncated or damaged");
}

fx_status fxi_file_header_open(fxi_parsing *p, const unsigned char *bytes, size_t len)
{
    uint64_t header;
    size_t begins = len < 8 ? 0 : len - 8 < PREFIX ? len - 8 : PREFIX;

    if (len < 8 || memcmp(bytes + 8, FXI_MODEL_MAGIC, begins) != 0)
        return fxi_error(FX_EFORMAT, "not a featcross model");
    memcpy(&header, bytes, sizeof header);
    if (len < 8 + PREFIX)
        return fxi_error(FX_EFORMAT, "the file is truncated or damaged");
    fx_status st = check_crc(p, bytes, len);
    if (st)
        return st;
    if (header < PREFIX || header > len - 8 || header % 8)
        return fxi_error(FX_EFORMAT, "model: a header of %llu bytes in a file of %zu",
                         (unsigned long long)header, len);
    p->data = bytes + 8 + header;
    p->size = len - 8 - (size_t)header;
    st = fxi_json_parse(&p->root, (const char *)bytes + 8, (size_t)header,
                                  "the header of the model", p->run);
    if (!st)
        p->meta = fxi_json_get(p->root, "__metadata__");        /* there, by FXI_MODEL_MAGIC */
    return st;
}

fx_status fxi_file_header_error(fx_status st)
{
    char why[400];

    if (!st || st == FX_ENOMEM || st == FX_ELIMIT || st == FX_ECANCELLED)
        return st;
    snprintf(why, sizeof why, "%s", fx_error_detail());
    return fxi_error(FX_EFORMAT, "model: %s", why);
}

/* ---- Strings ------------------------------------------------------------------------------ */

/* Bytes that were written as characters 0 to 255 into out, or only counted; -1: there is a larger
 * one.  json.c has checked that text is UTF-8. */
static int64_t narrow(char *out, const char *text, size_t len)
{
    int64_t n = 0;

    for (size_t i = 0; i < len; i++, n++) {
        unsigned char c = (unsigned char)text[i];
        if (c >= 0xc4)
            return -1;
        if (c >= 0x80)
            c = (unsigned char)(c << 6 | ((unsigned char)text[++i] & 0x3f));
        if (out)
            out[n] = (char)c;
    }
    return n;
}

/* Bytes of a string in the model, its end included; 0: it holds a character that is no byte. */
static size_t text_bytes(const fxi_parsing *p, const fxi_json *s)
{
    return (p->bytes ? (size_t)narrow(NULL, s->text, s->n) : s->n) + 1;
}

static char *copy(char *to, const fxi_parsing *p, const fxi_json *s)
{
    size_t len = s->n;

    if (p->bytes)
        len = (size_t)narrow(to, s->text, len);
    else
        memcpy(to, s->text, len);
    to[len] = '\0';
    return to + len + 1;
}

/* The string of a key; NULL with the error FX_EFORMAT set. */
static const fxi_json *get(const fxi_parsing *p, const char *key)
{
    const fxi_json *s = fxi_json_get(p->meta, key);

    if (s && s->type == FXI_JSON_STRING)
        return s;
    fxi_error(FX_EFORMAT, "model: `%s` %s", key, s ? "is no string" : "is missing");
    return NULL;
}

fx_status fxi_file_header_text(const char **out, const fxi_parsing *p, const char *key)
{
    const fxi_json *s = get(p, key);

    if (!s)
        return FX_EFORMAT;
    size_t n = text_bytes(p, s);
    if (!n)
        return fxi_error(FX_EFORMAT, "model: `%s` holds a character that is no byte", key);
    char *text = fxi_alloc(n, 1);
    if (text)
        copy(text, p, s);
    *out = text;
    return fxi_model_own(p->m, text);
}

fx_status fxi_file_header_choice(bool *out, const fxi_parsing *p, const char *key, const char *no,
                                 const char *yes)
{
    const fxi_json *s = get(p, key);

    if (!s)
        return FX_EFORMAT;
    *out = !strcmp(s->text, yes);
    return *out || !strcmp(s->text, no)
               ? FX_OK
               : fxi_error(FX_EFORMAT, "model: `%s` is neither %s nor %s", key, no, yes);
}

fx_status fxi_file_header_count(uint64_t *out, const fxi_parsing *p, const char *key, uint64_t max)
{
    const fxi_json *s = get(p, key);

    if (!s)
        return FX_EFORMAT;
    const char *text = s->text;
    uint64_t n = 0;
    bool fits = *text && (*text != '0' || !text[1]);
    for (; fits && *text; text++) {
        unsigned digit = (unsigned)(unsigned char)*text - '0';
        fits = digit < 10 && !__builtin_mul_overflow(n, 10, &n)
               && !__builtin_add_overflow(n, digit, &n) && n <= max;
    }
    *out = n;
    return fits ? FX_OK
                : fxi_error(FX_EFORMAT, "model: `%s` is no number up to %llu", key,
                            (unsigned long long)max);
}

fx_status fxi_file_header_number(double *out, const fxi_parsing *p, const char *key)
{
    const fxi_json *s = get(p, key);

    if (!s)
        return FX_EFORMAT;
    const char *text = s->text, *end = text + strlen(text);
    return fxi_decimal_read(out, text, end) == end
               ? FX_OK
               : fxi_error(FX_EFORMAT, "model: `%s` is no number", key);
}

/* Bytes of n strings and of pointers to them; false: it is no list of strings. */
static bool list_bytes(size_t *bytes, const fxi_parsing *p, const fxi_json *list)
{
    size_t more;
    const fxi_json *s = list + 1;

    if (list->type != FXI_JSON_ARRAY || !fxi_size_mul(bytes, list->n, sizeof(char *)))
        return false;
    for (size_t i = 0; i < list->n; i++, s++)
        if (s->type != FXI_JSON_STRING || !(more = text_bytes(p, s))
            || !fxi_size_add(bytes, *bytes, more))
            return false;
    return true;
}

/* Pointers and text in one piece. */
static fx_status copy_list(const char *const **out, const fxi_parsing *p, const fxi_json *list,
                           const char *key)
{
    size_t bytes;

    if (!list_bytes(&bytes, p, list))
        return fxi_error(FX_EFORMAT, "model: `%s` is no list of strings", key);
    fx_status st = fxi_memory_check(p->run, bytes, "a list of names");
    if (st)
        return st;
    char **text = fxi_alloc(bytes, 1);
    if ((st = fxi_model_own(p->m, text)) != 0)
        return st;
    char *to = (char *)(text + list->n);
    for (size_t i = 0; i < list->n; i++) {
        text[i] = to;
        to = copy(to, p, &list[1 + i]);
    }
    *out = (const char *const *)text;
    return FX_OK;
}

fx_status fxi_file_header_list(const char *const **out, size_t *n, const fxi_parsing *p,
                               const char *key)
{
    char what[64];
    fxi_json *list;

    *n = 0;
    if (!fxi_json_get(p->meta, key))
        return FX_OK;
    const fxi_json *s = get(p, key);
    if (!s)
        return FX_EFORMAT;
    snprintf(what, sizeof what, "`%s` of the model", key);
    fx_status st = fxi_json_parse(&list, s->text, s->n, what, p->run);
    if (st)
        return st;
    *n = list->n;
    st = copy_list(out, p, list, key);
    free(list);
    return st;
}

/* Sorted and distinct; numbers are written as featcross writes them. */
fx_status fxi_file_header_classes(fxi_parsing *p)
{
    fx_model_info *c = &p->m->c;
    bool numbers = false, valid;
    fx_status st = fxi_file_header_list(&c->class_name, &c->classes, p, "classes");

    if (st || !c->class_name)
        return st;
    if (c->classes < 2)
        return fxi_error(FX_EFORMAT, "model: classes: there are %zu", c->classes);
    if ((st = fxi_file_header_choice(&numbers, p, "class_type", "text", "number")) != 0)
        return st;
    double *value = numbers ? fxi_alloc(c->classes, sizeof *value) : NULL;
    if (numbers && (st = fxi_model_own(p->m, value)) != 0)
        return st;
    for (size_t i = 0; i < c->classes; i++) {
        const char *text = c->class_name[i], *end = text + strlen(text);
        char again[32];
        if (numbers) {
            valid = fxi_decimal_read(&value[i], text, end) == end && isfinite(value[i])
                    && fxi_decimal_write(again, value[i]) && !strcmp(again, text)
                    && (!i || value[i - 1] < value[i]);
        } else
            valid = !i || strcmp(c->class_name[i - 1], text) < 0;
        if (!valid)
            return fxi_error(FX_EFORMAT, "model: class %zu is out of order%s", i,
                             numbers ? " or no number in shortest form" : "");
    }
    c->class_value = value;
    return FX_OK;
}
