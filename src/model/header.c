/* SPDX-License-Identifier: BSD-3-Clause
 * header.c - the frame of a model file and the strings of its header; nothing in them is believed.
 *
 * The length, the beginning and the CRC over all bytes come first, so that a damaged file is called
 * that, whatever the damage did to it.  Then the header must be JSON as Jansson reads it: UTF-8, no
 * key twice, no character 0, nesting bounded.  Strings that were written byte by byte (dump.c)
 * become bytes again. */

#include "model/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PREFIX = sizeof FXI_MODEL_MAGIC - 1 };
enum { GROWTH = 10 };                   /* bytes of JSON for one of text: a name of 8 becomes 80 */

/* ---- The frame ---------------------------------------------------------------------------- */

static fx_status load(json_t **out, const char *text, size_t len, const char *what,
                      const fx_run *run)
{
    json_error_t e;
    size_t bytes;
    fx_status st = fxi_memory_check(run, fxi_size_mul(&bytes, len, GROWTH) ? bytes : SIZE_MAX,
                                    "the header of a model");

    if (st)
        return st;
    if ((*out = json_loadb(text, len, JSON_REJECT_DUPLICATES, &e)) != NULL)
        return FX_OK;
    return !*e.text || json_error_code(&e) == json_error_out_of_memory
               ? fxi_error(FX_ENOMEM, "out of memory: the header of a model")
               : fxi_error(FX_EFORMAT, "model: %s is no JSON: %s", what, e.text);
}

fx_status fxi_model_header_open(fxi_parsing *p, const unsigned char *bytes, size_t len)
{
    uint64_t header;
    uint32_t crc;
    size_t begins = len < 8 ? 0 : len - 8 < PREFIX ? len - 8 : PREFIX;

    if (len < 8 || memcmp(bytes + 8, FXI_MODEL_MAGIC, begins) != 0)
        return fxi_error(FX_EFORMAT, "not a featcross model");
    memcpy(&header, bytes, sizeof header);
    if (len >= 8 + PREFIX)
        memcpy(&crc, bytes + len - sizeof crc, sizeof crc);
    if (len < 8 + PREFIX || fxi_crc(0, bytes, len - sizeof crc) != crc)
        return fxi_error(FX_EFORMAT, "the file is truncated or damaged");
    if (header < PREFIX || header > len - 8 || header % 8)
        return fxi_error(FX_EFORMAT, "model: a header of %llu bytes in a file of %zu",
                         (unsigned long long)header, len);
    p->data = bytes + 8 + header;
    p->size = len - 8 - (size_t)header;
    fx_status st = load(&p->root, (const char *)bytes + 8, (size_t)header, "the header",
                        p->run);
    if (!st)
        p->meta = json_object_get(p->root, "__metadata__");     /* there, by FXI_MODEL_MAGIC */
    return st;
}

fx_status fxi_model_header_blame(fx_status st)
{
    char why[400];

    if (!st || st == FX_ENOMEM || st == FX_ELIMIT || st == FX_ECANCELLED)
        return st;
    snprintf(why, sizeof why, "%s", fx_error_detail());
    return fxi_error(FX_EFORMAT, "model: %s", why);
}

/* ---- Strings ------------------------------------------------------------------------------ */

/* Bytes that were written as characters 0 to 255 into out, or only counted; -1: there is a larger
 * one.  Jansson has checked that text is UTF-8. */
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

/* Length of a string, with its end, as the model will hold it; 0: it cannot be. */
static size_t room(const fxi_parsing *p, const json_t *s)
{
    size_t len = json_string_length(s);

    return p->bytes ? (size_t)(narrow(NULL, json_string_value(s), len) + 1) : len + 1;
}

static char *copy(char *to, const fxi_parsing *p, const json_t *s)
{
    size_t len = json_string_length(s);

    if (p->bytes)
        len = (size_t)narrow(to, json_string_value(s), len);
    else
        memcpy(to, json_string_value(s), len);
    to[len] = '\0';
    return to + len + 1;
}

static fx_status get(const json_t **out, const fxi_parsing *p, const char *key)
{
    *out = json_object_get(p->meta, key);
    return json_is_string(*out)
               ? FX_OK
               : fxi_error(FX_EFORMAT, "model: `%s` %s", key, *out ? "is no string" : "is missing");
}

fx_status fxi_model_header_text(const char **out, const fxi_parsing *p, const char *key)
{
    const json_t *s;
    fx_status st = get(&s, p, key);

    if (st)
        return st;
    size_t n = room(p, s);
    if (!n)
        return fxi_error(FX_EFORMAT, "model: `%s` holds a character that is no byte", key);
    char *text = fxi_alloc(n, 1);
    if (text)
        copy(text, p, s);
    *out = text;
    return fxi_model_own(p->m, text);
}

fx_status fxi_model_header_choice(bool *out, const fxi_parsing *p, const char *key, const char *no,
                                  const char *yes)
{
    const json_t *s;
    fx_status st = get(&s, p, key);

    if (st)
        return st;
    *out = !strcmp(json_string_value(s), yes);
    return *out || !strcmp(json_string_value(s), no)
               ? FX_OK
               : fxi_error(FX_EFORMAT, "model: `%s` is neither %s nor %s", key, no, yes);
}

fx_status fxi_model_header_count(uint64_t *out, const fxi_parsing *p, const char *key,
                                 uint64_t most)
{
    const json_t *s;
    fx_status st = get(&s, p, key);

    if (st)
        return st;
    const char *text = json_string_value(s);
    uint64_t n = 0;
    bool fits = *text && (*text != '0' || !text[1]);
    for (; fits && *text; text++) {
        unsigned digit = (unsigned)(unsigned char)*text - '0';
        fits = digit < 10 && !__builtin_mul_overflow(n, 10, &n)
               && !__builtin_add_overflow(n, digit, &n) && n <= most;
    }
    *out = n;
    return fits ? FX_OK
                : fxi_error(FX_EFORMAT, "model: `%s` is no number up to %llu", key,
                            (unsigned long long)most);
}

fx_status fxi_model_header_number(double *out, const fxi_parsing *p, const char *key)
{
    const json_t *s;
    fx_status st = get(&s, p, key);

    if (st)
        return st;
    const char *text = json_string_value(s), *end = text + strlen(text);
    return fxi_decimal_read(out, text, end) == end
               ? FX_OK
               : fxi_error(FX_EFORMAT, "model: `%s` is no number", key);
}

/* A list of strings, pointers and text in one piece; none if the key is missing. */
fx_status fxi_model_header_list(const char *const **out, size_t *n, const fxi_parsing *p,
                                const char *key)
{
    json_t *list = NULL;
    const json_t *s = json_object_get(p->meta, key);
    size_t bytes = 0, more;
    bool fits = true;

    *n = 0;
    if (!s)
        return FX_OK;
    fx_status st = get(&s, p, key);
    if (!st)
        st = load(&list, json_string_value(s), json_string_length(s), key, p->run);
    if (st)
        return st;
    *n = json_array_size(list);
    fits = json_is_array(list) && fxi_size_mul(&bytes, *n, sizeof(char *));
    for (size_t i = 0; fits && i < *n; i++) {
        s = json_array_get(list, i);
        fits = json_is_string(s) && (more = room(p, s)) != 0 && fxi_size_add(&bytes, bytes, more);
    }
    if (!fits)
        st = fxi_error(FX_EFORMAT, "model: `%s` is no list of strings", key);
    if (!st)
        st = fxi_memory_check(p->run, bytes, "a list of names");
    char **text = st ? NULL : fxi_alloc(bytes, 1);
    if (!st && !(st = fxi_model_own(p->m, text))) {
        char *to = (char *)(text + *n);
        for (size_t i = 0; i < *n; i++) {
            text[i] = to;
            to = copy(to, p, json_array_get(list, i));
        }
        *out = (const char *const *)text;
    }
    json_decref(list);
    return st;
}

/* Sorted and distinct; numbers are written as featcross writes them. */
fx_status fxi_model_header_classes(fxi_parsing *p)
{
    fx_content *c = &p->m->c;
    bool numbers = false, fine;
    fx_status st = fxi_model_header_list(&c->class_name, &c->classes, p, "classes");

    if (st || !c->class_name)
        return st;
    if (c->classes < 2)
        return fxi_error(FX_EFORMAT, "model: classes: there are %zu", c->classes);
    if ((st = fxi_model_header_choice(&numbers, p, "class_type", "text", "number")) != 0)
        return st;
    double *value = numbers ? fxi_alloc(c->classes, sizeof *value) : NULL;
    if (numbers && (st = fxi_model_own(p->m, value)) != 0)
        return st;
    for (size_t i = 0; i < c->classes; i++) {
        const char *text = c->class_name[i], *end = text + strlen(text);
        char again[32];
        if (numbers) {
            fine = fxi_decimal_read(&value[i], text, end) == end && isfinite(value[i])
                   && fxi_decimal_write(again, value[i]) && !strcmp(again, text)
                   && (!i || value[i - 1] < value[i]);
        } else
            fine = !i || strcmp(c->class_name[i - 1], text) < 0;
        if (!fine)
            return fxi_error(FX_EFORMAT, "model: class %zu is out of order%s", i,
                             numbers ? " or no number in shortest form" : "");
    }
    c->class_value = value;
    return FX_OK;
}
