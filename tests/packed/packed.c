/* SPDX-License-Identifier: BSD-3-Clause
 * packed.c - damage to compressed streams and zip files is refused.
 *
 *   packed damage FILE ...   each bit changed, the file cut at each byte, bytes added: refused, or
 *                            the content is that of FILE (some bits carry no content)
 *   packed wide FILE         writes a zip file all of whose fields are zip64's, and reads it
 *
 * The decoders of the program are linked here, so that thousands of damaged files take a second. */

#include "files/decode.h"
#include "files/zip_read.h"
#include "files/zip_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bytes {
    unsigned char *p;
    size_t len, at;
} bytes;

typedef struct content {
    unsigned char p[1 << 20];
    size_t len;
} content;

static void fail(const char *file, const char *what, size_t where)
{
    fprintf(stderr, "%s: %s %zu\n", file, what, where);
    exit(1);
}

/* Pieces of 1, 2, 3, .. bytes: what comes out must not depend on how the input is cut. */
static ssize_t fill(void *ctx, void *buf, size_t want)
{
    bytes *b = ctx;
    size_t n = 1 + b->at % 257, left = b->len - b->at;

    n = n < want ? n : want;
    n = n < left ? n : left;
    memcpy(buf, b->p + b->at, n);
    b->at += n;
    return (ssize_t)n;
}

static ssize_t at(void *ctx, void *buf, size_t want, uint64_t offset)
{
    const bytes *b = ctx;

    memcpy(buf, b->p + offset, want);
    return (ssize_t)want;
}

static decode_result read_stream(content *c, bytes *b, const decode_format *f)
{
    decoder d;
    size_t got;
    decode_result r = decode_open(&d, f, 1 << 26, fill, b);

    b->at = 0;
    while (!r && !(r = decode_read(&d, c->p + c->len, 1000, &got)) && got) {
        c->len += got;
        if (c->len + 1000 > sizeof c->p)
            fail("content", "too long:", c->len);
    }
    if (r == DECODE_DAMAGED && strncmp(d.error, "byte ", 5) != 0)
        fail(d.error, "no place", 0);
    decode_close(&d);
    return r;
}

/* Names and content, one after the other. */
static decode_result read_zip(content *c, bytes *b)
{
    zip_reader *z = NULL;
    const char *name;
    decode_result r = zip_open(&z, b->len, 1 << 20, at, b);

    while (!r && !(r = zip_next(z, &name)) && name) {
        size_t got = strlen(name);
        if (c->len + got + 1000 > sizeof c->p)
            fail("content", "too long:", c->len);
        memcpy(c->p + c->len, name, got);
        c->len += got;
        while (!r && !(r = zip_read(z, c->p + c->len, 1000, &got)) && got) {
            c->len += got;
            if (c->len + 1000 > sizeof c->p)
                fail("content", "too long:", c->len);
        }
    }
    if (r == DECODE_DAMAGED && strncmp(zip_error(z), "byte ", 5) != 0)
        fail(zip_error(z), "no place", 0);
    zip_close(z);
    return r;
}

/* What the program would make of these bytes; true: it would refuse them. */
static bool refused(content *c, bytes *b)
{
    const decode_format *f = decode_find(b->p, b->len);
    bool zip = b->len >= 4 && (!memcmp(b->p, "PK\3\4", 4) || !memcmp(b->p, "PK\5\6", 4));

    c->len = 0;
    return f ? read_stream(c, b, f) != DECODE_OK : zip ? read_zip(c, b) != DECODE_OK : true;
}

static bool same(const content *a, const content *b)
{
    return a->len == b->len && !memcmp(a->p, b->p, a->len);
}

/* b has room for 16 bytes more. */
static void damage(const char *file, bytes b)
{
    static const unsigned char tails[] = {0, '\n', '1', 'B', 'P', '(', 0x1f, 0x50, 0xfd, 0xff};
    static content whole, other;
    size_t harmless = 0;

    if (refused(&whole, &b))
        fail(file, "refused, of bytes:", b.len);
    for (size_t bit = 0; bit < 8 * b.len; bit++) {
        b.p[bit / 8] ^= (unsigned char)(1 << bit % 8);
        if (!refused(&other, &b)) {
            harmless++;
            if (!same(&whole, &other))
                fail(file, "other content, without an error, if this bit is changed:", bit);
        }
        b.p[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    for (size_t len = 0; len < b.len; len++) {
        unsigned char *copy = malloc(len + 1);          /* for AddressSanitizer */
        memcpy(copy, b.p, len);
        bytes cut = {copy, len, 0};
        if (!refused(&other, &cut))
            fail(file, "accepted when cut to bytes:", len);
        free(copy);
    }
    for (size_t i = 0; i < sizeof tails; i++)
        for (size_t n = 1; n <= 3; n++) {
            bytes more = {b.p, b.len + n, 0};
            memset(b.p + b.len, tails[i], n);
            if (!refused(&other, &more))
                fail(file, "accepted with bytes behind it:", tails[i]);
        }
    printf("%s: %zu bytes, %zu bits without meaning\n", file, b.len, harmless);
}

static bytes load(const char *file)
{
    FILE *f = fopen(file, "rb");
    bytes b = {malloc((1 << 20) + 16), 0, 0};

    if (!f || !b.p)
        fail(file, "cannot be read", 0);
    b.len = fread(b.p, 1, 1 << 20, f);
    fclose(f);
    return b;
}

/* ---- zip64 -------------------------------------------------------------------------------- */
static int put(void *ctx, const void *p, size_t len) { return fwrite(p, 1, len, ctx) != len; }

static void wide(const char *file)
{
    static content c;
    FILE *f = fopen(file, "wb");
    zip_writer z = {.put = put, .ctx = f, .wide = 1};   /* only 0 is small enough */

    if (!f || zip_write_member(&z, "a.npy", 3) || zip_write_data(&z, "one", 3)
        || zip_write_member(&z, "empty", 0) || zip_write_member(&z, "b.npy", 6)
        || zip_write_data(&z, "four", 4) || zip_write_data(&z, "56", 2) || zip_write_end(&z)
        || fclose(f))
        fail(file, "cannot be written", 0);
    zip_write_free(&z);
    bytes b = load(file);
    if (refused(&c, &b) || c.len != 24 || memcmp(c.p, "a.npyoneemptyb.npyfour56", 24) != 0)
        fail(file, "not what was written; bytes:", c.len);
    damage(file, b);
    free(b.p);
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "wide")) {
        wide(argv[2]);
        return 0;
    }
    for (int i = 2; i < argc; i++) {
        bytes b = load(argv[i]);
        damage(argv[i], b);
        free(b.p);
    }
    return argc > 2 ? 0 : 2;
}
