/* SPDX-License-Identifier: BSD-3-Clause
 * dump_header.c - the header of a model file: strings of `__metadata__` that describe the
 * model, in a fixed order, then the place of each array.
 *
 * JSON is UTF-8, names and labels need not be.  If any string of the model is not, all of them are
 * written with every byte as the character of that number, and `text` says "bytes".
 *
 * The header is made twice: the first time only its length is counted, so there is one
 * allocation. */

#include "file/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool are_utf8(const char *const *text, size_t n)
{
    for (size_t i = 0; text && i < n; i++) {
        const char *p = text[i], *end = p + strlen(p);
        while (p < end) {
            size_t len = *p & 0x80 ? fxi_utf8(p, end) : 1;
            if (!len)
                return false;
            p += len;
        }
    }
    return true;
}

static void put(fxi_dumping *h, const char *text, size_t n)
{
    if (h->out)
        memcpy(h->out + h->len, text, n);
    if (!fxi_size_add(&h->len, h->len, n))
        h->len = SIZE_MAX;
}

/* ---- Strings ------------------------------------------------------------------------------ */

static size_t escape(char e[8], unsigned char c)
{
    static const char letters[] = "\"\\bfnrt", escaped[] = "\"\\\b\f\n\r\t";
    const char *at = strchr(escaped, c);

    if (!at)
        return (size_t)snprintf(e, 8, "\\u%04X", c);
    e[0] = '\\';
    e[1] = letters[at - escaped];
    return 2;
}

static bool is_plain(char c) { return (unsigned char)c >= 0x20 && c != '"' && c != '\\'; }

/* Text inside a string (level 1), or inside a string of JSON that is inside a string (level 2). */
static void put_inside(fxi_dumping *h, const char *text, size_t n, int level)
{
    for (size_t i = 0; i < n; i++) {
        size_t from = i;
        char e[8];
        while (i < n && is_plain(text[i]) && !(h->bytes && text[i] & 0x80))
            i++;
        put(h, text + from, i - from);
        if (i == n)
            return;
        unsigned char c = (unsigned char)text[i];
        if (c >= 0x80) {                /* a byte as the character of that number */
            e[0] = (char)(0xc0 | c >> 6);
            e[1] = (char)(0x80 | (c & 0x3f));
            put(h, e, 2);
        } else if (level == 1)
            put(h, e, escape(e, c));
        else
            put_inside(h, e, escape(e, c), level - 1);
    }
}

static void put_key(fxi_dumping *h, const char *key)
{
    put(h, ",", h->more);
    put(h, "\"", 1);
    put(h, key, strlen(key));
    put(h, "\":", 2);
    h->more = true;
}

void fxi_file_dump_header_begin(fxi_dumping *h, const char *key)
{
    put_key(h, key);
    put(h, "\"", 1);
}

void fxi_file_dump_header_add(fxi_dumping *h, const char *value)
{
    put_inside(h, value, strlen(value), 1);
}

void fxi_file_dump_header_end(fxi_dumping *h) { put(h, "\"", 1); }

void fxi_file_dump_header_text(fxi_dumping *h, const char *key, const char *value)
{
    fxi_file_dump_header_begin(h, key);
    fxi_file_dump_header_add(h, value);
    fxi_file_dump_header_end(h);
}

void fxi_file_dump_header_count(fxi_dumping *h, const char *key, uint64_t n)
{
    char buf[32];

    snprintf(buf, sizeof buf, "%llu", (unsigned long long)n);
    fxi_file_dump_header_text(h, key, buf);
}

void fxi_file_dump_header_number(fxi_dumping *h, const char *key, double x)
{
    char buf[32];

    fxi_decimal_write(buf, x);
    fxi_file_dump_header_text(h, key, buf);
}

static void put_list(fxi_dumping *h, const char *key, const char *const *text, size_t n)
{
    put_key(h, key);
    put(h, "\"[", 2);
    for (size_t i = 0; i < n; i++) {
        put(h, ",", i > 0);
        put_inside(h, "\"", 1, 1);
        put_inside(h, text[i], strlen(text[i]), 2);
        put_inside(h, "\"", 1, 1);
    }
    put(h, "]\"", 2);
}

/* Bilinear models say it in their spec. */
static bool is_split_told(const fx_model_info *c)
{
    char buf[32];
    const char *value;
    size_t n, len = (size_t)snprintf(buf, sizeof buf, "%zu", c->split);

    return !fx_spec_get(&value, &n, c->spec, "split") && value && n == len
           && !memcmp(value, buf, n);
}

static void put_content(fxi_dumping *h)
{
    const fx_model_info *c = &h->m->c;

    fxi_file_dump_header_text(h, "format", "featcross");
    fxi_file_dump_header_count(
        h, "format_version", *c->missing ? FXI_FORMAT_MISSING : (uint64_t)h->m->kind->format);
    fxi_file_dump_header_count(h, "version", (uint64_t)c->version);
    fxi_file_dump_header_text(h, "text", h->bytes ? "bytes" : "utf-8");
    fxi_file_dump_header_text(h, "model", c->spec);
    fxi_file_dump_header_text(h, "scale", c->scale);
    fxi_file_dump_header_text(h, "map", c->map);
    fxi_file_dump_header_text(h, "kernel", c->kernel);
    fxi_file_dump_header_text(h, "family", c->family);
    fxi_file_dump_header_text(h, "reader", c->reader);
    fxi_file_dump_header_count(h, "seed", c->seed);
    fxi_file_dump_header_count(h, "cols", c->cols);
    fxi_file_dump_header_count(h, "random", c->random);
    fxi_file_dump_header_count(h, "base", (uint64_t)c->base);
    if (c->classes) {
        put_list(h, "classes", c->class_name, c->classes);
        fxi_file_dump_header_text(h, "class_type", c->class_value ? "number" : "text");
    }
    if (c->name)
        put_list(h, "names", c->name, c->cols);
    if (*c->missing)
        fxi_file_missing_dump_header(h);
    if (h->m->kind->dump_header)
        h->m->kind->dump_header(h);
    fxi_file_later_dump(h);
    fxi_file_dump_header_count(h, "rows", c->rows);
    if (c->weight > 0)
        fxi_file_dump_header_number(h, "weight", c->weight);
    fxi_file_dump_header_number(h, "objective", c->objective);
    fxi_file_dump_header_number(h, "gap", c->gap);
    fxi_file_dump_header_count(h, "iterations", c->iterations);
    fxi_file_dump_header_text(h, "converged", c->converged ? "yes" : "no");
    if (*c->remark)
        fxi_file_dump_header_text(h, "remark", c->remark);
    if (c->split && !is_split_told(c))
        fxi_file_dump_header_count(h, "split", c->split);
    if (*c->side_reader[FX_FIRST])
        fxi_file_dump_header_text(h, "first_reader", c->side_reader[FX_FIRST]);
    if (*c->side_reader[FX_SECOND])
        fxi_file_dump_header_text(h, "second_reader", c->side_reader[FX_SECOND]);
}

/* ---- Arrays ------------------------------------------------------------------------------- */

static void put_array(fxi_dumping *h, const fxi_array *a)
{
    size_t end = h->at + a->bytes;
    char buf[200], cols[32] = "";

    if (a->cols)
        snprintf(cols, sizeof cols, ",%zu", a->cols);
    int n = snprintf(buf, sizeof buf,
                     ",\"%s\":{\"dtype\":\"%s\",\"shape\":[%zu%s],\"data_offsets\":[%zu,%zu]}",
                     a->name, a->type, a->rows, cols, h->at, end);
    put(h, buf, (size_t)n);
    h->at = end;
}

static void put_all(fxi_dumping *h)
{
    static const char begin[] = "{\"__metadata__\":{";

    h->more = false;
    h->at = 0;
    put(h, begin, sizeof begin - 1);
    put_content(h);
    put(h, "}", 1);
    for (size_t i = 0; i < h->arrays; i++)
        put_array(h, &h->array[i]);
    put(h, "}", 1);
}

fx_status fxi_file_dump_header(fxi_dumping *d)
{
    const fx_model_info *c = &d->m->c;
    const char *texts[] = {c->spec, c->scale, c->map, c->kernel, c->family, c->reader, c->remark,
                           c->side_reader[FX_FIRST], c->side_reader[FX_SECOND]};

    d->bytes = !are_utf8(texts, sizeof texts / sizeof *texts)
               || !are_utf8(c->class_name, c->classes) || !are_utf8(c->name, c->cols);
    put_all(d);
    if (d->len > FXI_JSON_MAX)
        return fxi_error(FX_EUNSUPPORTED,
                         "the header of the model would have %zu bytes, the limit is %d; give its "
                         "columns shorter names, or none",
                         d->len, FXI_JSON_MAX);
    size_t all = 8 + (d->len + 7) / 8 * 8;
    if (!(d->out = fxi_alloc(all, 1)))
        return FX_ENOMEM;
    memcpy(d->out, &(uint64_t){all - 8}, 8);
    d->len = 8;
    put_all(d);
    memset(d->out + d->len, ' ', all - d->len); /* to a multiple of 8 bytes */
    d->len = all;
    return FX_OK;
}
