/* SPDX-License-Identifier: BSD-3-Clause
 * dump_header.c - the header of a model file: what describes the model are strings of
 * `__metadata__`, in a fixed order, and behind it where each array lies.
 *
 * JSON is UTF-8, names and labels need not be.  If any string of the model is not, all of them are
 * written with every byte as the character of that number, and `text` says "bytes". */

#include "model/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static fx_status no_memory(void)
{
    return fxi_error(FX_ENOMEM, "out of memory: the header of a model");
}

/* ---- Strings ------------------------------------------------------------------------------ */

static bool is_utf8(const char *text)
{
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        int more = *p < 0x80 ? 0 : *p >> 5 == 6 ? 1 : *p >> 4 == 14 ? 2 : *p >> 3 == 30 ? 3 : -1;
        static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
        if (more < 0)
            return false;
        uint32_t c = more ? *p & (0x3fu >> more) : *p;
        for (int i = 1; i <= more; i++) {
            if (p[i] >> 6 != 2)         /* the end of the text too */
                return false;
            c = c << 6 | (p[i] & 0x3f);
        }
        if (c < least[more] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
            return false;
        p += more + 1;
    }
    return true;
}

static bool are_utf8(const char *const *text, size_t n)
{
    for (size_t i = 0; text && i < n; i++)
        if (!is_utf8(text[i]))
            return false;
    return true;
}

typedef struct header {
    json_t *root, *meta;
    bool bytes;                         /* every byte is a character */
    bool failed;                        /* memory ran out */
    size_t at;                          /* where the next array begins */
} header;

static json_t *string(const header *h, const char *text)
{
    size_t n = strlen(text), len = 0;
    char *wide;

    if (!h->bytes)
        return json_stringn(text, n);
    if (!(wide = fxi_realloc(NULL, n, 2)))
        return NULL;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c >= 0x80)
            wide[len++] = (char)(0xc0 | c >> 6);
        wide[len++] = (char)(c < 0x80 ? c : 0x80 | (c & 0x3f));
    }
    json_t *out = json_stringn(wide, len);
    free(wide);
    return out;
}

/* value is given away; NULL is a failure passed on. */
static void put(header *h, const char *key, json_t *value)
{
    h->failed |= json_object_set_new(h->meta, key, value) != 0;
}

static void put_text(header *h, const char *key, const char *value)
{
    put(h, key, string(h, value));
}

static void put_count(header *h, const char *key, uint64_t n)
{
    char buf[32];

    snprintf(buf, sizeof buf, "%llu", (unsigned long long)n);
    put(h, key, json_string(buf));
}

static void put_number(header *h, const char *key, double x)
{
    char buf[32];

    fxi_decimal_write(buf, x);
    put(h, key, json_string(buf));
}

/* JSON as text with `before` bytes before it and spaces behind, rounded up to 8 bytes in all. */
static char *text_of(size_t *len, const json_t *j, size_t before)
{
    size_t n = json_dumpb(j, NULL, 0, JSON_COMPACT), all = (before + n + 7) / 8 * 8;
    char *text = n ? fxi_alloc(all, 1) : NULL;

    if (!text)
        return NULL;
    memset(text, ' ', all);
    *len = before ? all : n;
    if (json_dumpb(j, text + before, n, JSON_COMPACT) == n)
        return text;
    free(text);
    return NULL;
}

static void put_list(header *h, const char *key, const char *const *text, size_t n)
{
    json_t *list = json_array();
    size_t len = 0;

    for (size_t i = 0; i < n; i++)
        h->failed |= json_array_append_new(list, string(h, text[i])) != 0;
    char *all = h->failed ? NULL : text_of(&len, list, 0);
    put(h, key, all ? json_stringn(all, len) : NULL);
    free(all);
    json_decref(list);
}

static bool is_machine(const fx_content *c) { return !strncmp(c->spec, "kernel-", 7); }

static void put_content(header *h, const fx_content *c)
{
    put_text(h, "format", "featcross");
    put_count(h, "format_version", c->blocks ? 3 : is_machine(c) || c->variance ? 2 : 1);
    put_count(h, "version", (uint64_t)c->version);
    put_text(h, "text", h->bytes ? "bytes" : "utf-8");
    put_text(h, "model", c->spec);
    put_text(h, "scale", c->scale);
    put_text(h, "map", c->map);
    put_text(h, "kernel", c->kernel);
    put_text(h, "family", c->family);
    put_text(h, "reader", c->reader);
    put_count(h, "seed", c->seed);
    put_count(h, "cols", c->cols);
    put_count(h, "random", c->random);
    put_count(h, "base", (uint64_t)c->base);
    if (c->classes) {
        put_list(h, "classes", c->class_name, c->classes);
        put_text(h, "class_type", c->class_value ? "number" : "text");
    }
    if (c->name)
        put_list(h, "names", c->name, c->cols);
    if (is_machine(c))
        put_count(h, "support", c->support);
    if (c->variance)
        put_number(h, "total_variance", c->total_variance);
    if (c->low <= c->high) {
        put_number(h, "low", c->low);
        put_number(h, "high", c->high);
    }
    put_count(h, "rows", c->rows);
    put_number(h, "objective", c->objective);
    put_number(h, "gap", c->gap);
    put_count(h, "iterations", c->iterations);
    put_text(h, "converged", c->converged ? "yes" : "no");
}

/* ---- Arrays ------------------------------------------------------------------------------- */

static size_t bytes_of(const fxi_array *a) { return a->size * a->rows * (a->cols ? a->cols : 1); }

static void put_array(header *h, const fxi_array *a)
{
    json_int_t at = (json_int_t)h->at, end = at + (json_int_t)bytes_of(a);
    json_int_t n = (json_int_t)a->rows, m = (json_int_t)a->cols;
    json_t *entry = m ? json_pack("{s:s,s:[I,I],s:[I,I]}", "dtype", a->type, "shape", n, m,
                                  "data_offsets", at, end)
                      : json_pack("{s:s,s:[I],s:[I,I]}", "dtype", a->type, "shape", n,
                                  "data_offsets", at, end);

    h->failed |= json_object_set_new(h->root, a->name, entry) != 0;
    h->at = (size_t)end;
}

fx_status fxi_model_dump_header(char **out, size_t *len, const fx_content *c, const fxi_array *a,
                                size_t n)
{
    header h = {.root = json_object(), .meta = json_object()};

    h.bytes = !are_utf8((const char *[]){c->spec, c->scale, c->map, c->kernel, c->family,
                                         c->reader}, 6)
              || !are_utf8(c->class_name, c->classes) || !are_utf8(c->name, c->cols);
    h.failed = !h.root || json_object_set(h.root, "__metadata__", h.meta) != 0;
    if (!h.failed)
        put_content(&h, c);
    for (size_t i = 0; !h.failed && i < n; i++)
        put_array(&h, &a[i]);
    *out = h.failed ? NULL : text_of(len, h.root, 8);
    json_decref(h.meta);
    json_decref(h.root);
    if (!*out)
        return no_memory();
    memcpy(*out, &(uint64_t){*len - 8}, 8);
    return FX_OK;
}
