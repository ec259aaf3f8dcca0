/* SPDX-License-Identifier: BSD-3-Clause
 * hostile.h - for tests of parsing: files with something changed, under a good CRC. */
#ifndef FXI_HOSTILE_H
#define FXI_HOSTILE_H
#include "model/test/built.h"

static inline void fix_crc(file *f)
{
    uint32_t crc = fxi_crc(0, f->bytes, f->len - 4);

    memcpy(f->bytes + f->len - 4, &crc, 4);
}

static inline void rejected(const file *f, fx_status expected, const char *why)
{
    fx_model *m = NULL;
    unsigned char *exact = malloc(f->len ? f->len : 1); /* so that a byte too far is noticed */

    CHECK(exact);
    memcpy(exact, f->bytes, f->len);
    fx_status s = fx_model_parse(&m, exact, f->len, NULL);
    if (s != expected || !strstr(fx_error_detail(), why)) {
        fprintf(stderr, "status %d: %s; expected: %s\n", (int)s, fx_error_detail(), why);
        CHECK(!"another answer");
    }
    CHECK(!m);
    free(exact);
}

/* The first `from` in the header replaced; length, spaces and CRC follow. */
static inline file edited(const file *f, const char *from, const char *to)
{
    uint64_t header;
    memcpy(&header, f->bytes, 8);
    char *text = calloc(header + strlen(to) + 16, 1);
    CHECK(text);
    memcpy(text, f->bytes + 8, header);
    char *at = strstr(text, from);
    if (!at) {
        fprintf(stderr, "no %s in %s\n", from, text);
        CHECK(!"nothing to replace");
    }
    memmove(at + strlen(to), at + strlen(from), strlen(at + strlen(from)) + 1);
    memcpy(at, to, strlen(to));
    size_t len = strlen(text);
    while (len && text[len - 1] == ' ')
        len--;
    while (len % 8)
        text[len++] = ' ';
    file out = {0};
    to_file(&out, &(uint64_t){len}, 8);
    to_file(&out, text, len);
    to_file(&out, f->bytes + 8 + header, f->len - 8 - header);
    free(text);
    fix_crc(&out);
    return out;
}

typedef struct change {
    const char *from, *to, *why;
} change;

static inline void check_changes(fx_model *m, const change *c)
{
    file f = dumped(m);

    for (; c->from; c++) {
        file g = edited(&f, c->from, c->to);
        rejected(&g, FX_EFORMAT, c->why);
        free(g.bytes);
    }
    fx_model_free(m);
    free(f.bytes);
}
#endif
