/* SPDX-License-Identifier: BSD-3-Clause
 * dump.c - a model as one file in the safetensors layout, described in doc/format.md.
 *
 *   8 bytes     length of the header, little-endian
 *   header      JSON, spaces behind so that the arrays begin at a multiple of 8
 *   arrays      those of 8-byte numbers first, then of 4, then bytes, rounded up to 8; the CRC-32
 *
 * What describes the model are strings of `__metadata__`, in a fixed order.  They hold no time,
 * host or number of threads: the same fit gives the same bytes.  The header begins with
 * FXI_MODEL_MAGIC, by which such a file is known.
 *
 * JSON is UTF-8, names and labels need not be.  If any string of the model is not, all of them are
 * written with every byte as the character of that number, and `text` says "bytes".
 *
 * Cost: one pass over the arrays; memory for the header twice. */

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
    put_count(h, "format_version", is_machine(c) || c->variance ? FXI_MODEL_FORMAT : 1);
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
    put_count(h, "rows", c->rows);
    put_number(h, "objective", c->objective);
    put_number(h, "gap", c->gap);
    put_count(h, "iterations", c->iterations);
    put_text(h, "converged", c->converged ? "yes" : "no");
}

/* ---- Arrays ------------------------------------------------------------------------------- */

typedef struct array {
    const char *name, *type;            /* of safetensors */
    const void *data;                   /* NULL: there is none */
    size_t size, rows, cols;            /* of a number; cols 0: one dimension */
} array;

static size_t bytes_of(const array *a) { return a->size * a->rows * (a->cols ? a->cols : 1); }

static void put_array(header *h, const array *a)
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

/* One byte a column, rounded up to 8: 1 where training met it.  Written if there are columns that
 * it did not meet, and with every map and vectors: then no other array need be as long as there are
 * columns, and what reads the file wants a reason to believe their number. */
static fx_status seen_columns(unsigned char **out, size_t *n, const fx_model *m)
{
    const fx_content *c = &m->c;

    *n = (c->cols + 7) / 8 * 8;
    *out = NULL;
    if (!*c->map && !m->exact && (!c->seen || !memchr(c->seen, 0, c->cols)))
        return FX_OK;
    if (!(*out = fxi_zalloc(*n, 1)))
        return FX_ENOMEM;
    if (c->seen)
        memcpy(*out, c->seen, c->cols);
    else
        memset(*out, 1, c->cols);
    return FX_OK;
}

/* The length and the header; all of it to be freed. */
static fx_status header_of(char **out, size_t *len, const fx_content *c, const array *a, size_t n)
{
    header h = {.root = json_object(), .meta = json_object()};

    h.bytes = !are_utf8((const char *[]){c->spec, c->scale, c->map, c->kernel, c->family,
                                         c->reader}, 6)
              || !are_utf8(c->class_name, c->classes) || !are_utf8(c->name, c->cols);
    h.failed = !h.root || json_object_set(h.root, "__metadata__", h.meta) != 0;
    if (!h.failed)
        put_content(&h, c);
    for (size_t i = 0; !h.failed && i < n; i++)
        if (a[i].data)
            put_array(&h, &a[i]);
    *out = h.failed ? NULL : text_of(len, h.root, 8);
    json_decref(h.meta);
    json_decref(h.root);
    if (!*out)
        return no_memory();
    memcpy(*out, &(uint64_t){*len - 8}, 8);
    return FX_OK;
}

static fx_status emit(const fx_sink *sink, uint32_t *crc, const void *bytes, size_t len)
{
    *crc = fxi_crc(*crc, bytes, len);
    return len && sink->write(sink->ctx, bytes, len)
               ? fxi_error(FX_EOUTPUT, "the output refused %zu bytes", len)
               : FX_OK;
}

fx_status fx_model_dump(const fx_sink *sink, const fx_model *m)
{
    unsigned char *seen;
    char *text = NULL;
    uint32_t crc = 0, sum = 0;
    size_t len = 0, wide;

    if (!sink || !sink->write || !m)
        return fxi_error(FX_EINVAL, "fx_model_dump: %s is NULL", m ? "the sink" : "the model");
    const fx_content *c = &m->c;
    const fx_matrix *v = &c->vectors;
    bool csr = m->exact && v->ptr;
    const void *col = csr ? v->col : NULL, *val = m->exact ? v->val : NULL;
    const char *real = v->type == FX_F32 ? "F32" : "F64";
    size_t size = v->type == FX_F32 ? 4 : 8, stored = csr ? (size_t)v->ptr[v->rows] : 0;
    fx_status st = seen_columns(&seen, &wide, m);
    const array arrays[] = {
        {"weights", "F64", c->weights, 8, c->features, c->outputs},
        {"intercepts", "F64", c->intercepts, 8, c->outputs, 0},
        {"sigmoid", "F64", c->sigmoid, 8, c->outputs, 2},
        {"factors", "F64", c->factors, 8, c->cols, 0},
        {"sums", "F64", m->sum, 8, 2 * (c->features + 1), c->outputs},
        {"counts", "I64", m->sum ? m->count : NULL, 8, c->outputs, 0},
        {"ages", "I64", m->age, 8, c->features, c->outputs},
        {"variance", "F64", c->variance, 8, c->outputs, 0},
        {"vector_ptr", "I64", csr ? v->ptr : NULL, 8, v->rows + 1, 0},
        {"vector_col", "I64", v->wide ? col : NULL, 8, stored, 0},
        {csr ? "vector_val" : "vectors", real, val, size, csr ? stored : v->rows,
         csr ? 0 : v->cols},
        {"vector_col", "I32", v->wide ? NULL : col, 4, stored, 0},
        {"seen", "U8", seen, 1, wide, 0},
        {"crc", "U32", &sum, 4, 1, 0},
    };
    const size_t n = sizeof arrays / sizeof *arrays;

    if (!st)
        st = header_of(&text, &len, c, arrays, n);
    if (!st)
        st = emit(sink, &crc, text, len);
    for (size_t i = 0; !st && i + 1 < n; i++)
        if (arrays[i].data)
            st = emit(sink, &crc, arrays[i].data, bytes_of(&arrays[i]));
    sum = crc;
    if (!st)
        st = emit(sink, &crc, &sum, sizeof sum);
    free(text);
    free(seen);
    return st;
}
