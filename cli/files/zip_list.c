/* SPDX-License-Identifier: BSD-3-Clause
 * zip_list.c - the central directory of a zip file, and what its members' headers say.
 *
 * The end record is at the end of the file, the directory just before it, and members before that.
 * A file that is arranged differently, or that contradicts itself about a member, is rejected,
 * because other readers might see other content.  APPNOTE.TXT of PKWARE, sections 4.3 and 4.5.3. */

#include "zip_list.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { END = 22, END64 = 56, LOCATOR = 20, ENTRY = 46, LOCAL = 30, COMMENT = 65535 };
enum { ENCRYPTED = 1 << 0 | 1 << 6 | 1 << 13, DESCRIPTOR = 1 << 3, UTF8 = 1 << 11 };
enum { KNOWN_FLAGS = 1 << 1 | 1 << 2 | DESCRIPTOR | UTF8 };
enum { STORED = 0, DEFLATED = 8 };
static const uint32_t WIDE = 0xffffffff;        /* the value is among the zip64 fields */

static uint64_t number(const unsigned char *p, size_t bytes)
{
    uint64_t v = 0;

    while (bytes-- > 0)
        v = v << 8 | p[bytes];
    return v;
}

static uint16_t two(const unsigned char *p) { return (uint16_t)number(p, 2); }
static uint32_t four(const unsigned char *p) { return (uint32_t)number(p, 4); }
static uint64_t eight(const unsigned char *p) { return number(p, 8); }

decode_result zip_list_damaged(zip_list *l, uint64_t offset, const char *format, ...)
{
    va_list args;
    int n = snprintf(l->error, sizeof l->error, "byte %" PRIu64 " of the zip file: ", offset);

    va_start(args, format);
    vsnprintf(l->error + n, sizeof l->error - (size_t)n, format, args);
    va_end(args);
    return DECODE_DAMAGED;
}

decode_result zip_list_at(zip_list *l, void *buf, size_t n, uint64_t offset)
{
    if (offset > l->size || n > l->size - offset)
        return zip_list_damaged(l, l->size, "the file ends too early; it is incomplete");
    for (size_t got = 0; got < n;) {
        ssize_t r = l->at(l->ctx, (unsigned char *)buf + got, n - got, offset + got);
        if (r < 0)
            return DECODE_READ;
        if (r == 0)
            return zip_list_damaged(l, offset + got, "the file has become shorter");
        got += (size_t)r;
    }
    return DECODE_OK;
}

const char *zip_list_name(zip_list *l, const zip_member *m)
{
    memcpy(l->name, l->directory + m->name, m->name_len);
    l->name[m->name_len] = '\0';
    return l->name;
}

void zip_list_free(zip_list *l)
{
    free(l->directory);
    free(l->member);
    l->directory = NULL;
    l->member = NULL;
}

/* ---- The end record ----------------------------------------------------------------------- */
/* The fields of the zip64 end record, which must not contradict those of the plain one. */
static decode_result wide_end(zip_list *l, const unsigned char *end, uint64_t *end_at, bool *found)
{
    unsigned char locator[LOCATOR], wide[END64];
    uint64_t at = *end_at - LOCATOR;
    decode_result r = *end_at < LOCATOR ? DECODE_OK : zip_list_at(l, locator, LOCATOR, at);

    *found = false;
    if (r || *end_at < LOCATOR || memcmp(locator, "PK\6\7", 4) != 0)
        return r;
    uint64_t record = eight(locator + 8);
    if (record > at || at - record < END64)
        return zip_list_damaged(l, at, "the zip64 end record is not where it should be");
    if ((r = zip_list_at(l, wide, END64, record)))
        return r;
    uint64_t n = eight(wide + 32), len = eight(wide + 40), where = eight(wide + 48);
    bool same = (two(end + 10) == 0xffff || two(end + 10) == n)
                && (four(end + 12) == WIDE || four(end + 12) == len)
                && (four(end + 16) == WIDE || four(end + 16) == where);
    if (memcmp(wide, "PK\6\6", 4) != 0 || eight(wide + 4) != at - record - 12 || !same
        || eight(wide + 24) != n || four(wide + 16) || four(wide + 20) || four(locator + 4)
        || four(locator + 16) != 1)
        return zip_list_damaged(l, record, "the zip64 end record is wrong");
    l->n = n > SIZE_MAX ? SIZE_MAX : (size_t)n;
    l->directory_len = len;
    l->directory_at = where;
    *end_at = record;
    *found = true;
    return DECODE_OK;
}

/* Finds the end record, whose comment must reach to the end of the file. */
static decode_result read_end(zip_list *l)
{
    size_t tail_len = l->size < END + COMMENT ? (size_t)l->size : END + COMMENT, i;
    uint64_t first = l->size - tail_len;
    unsigned char *tail = malloc(tail_len + 1);
    decode_result r = !tail ? DECODE_MEMORY : zip_list_at(l, tail, tail_len, first);

    for (i = tail_len + 1; !r && i-- > 0;)
        if (tail_len - i >= END && !memcmp(tail + i, "PK\5\6", 4)
            && two(tail + i + 20) == tail_len - i - END)
            break;
    if (!r && i > tail_len)
        r = zip_list_damaged(
            l, l->size, "no directory at its end; the file is incomplete, or other bytes follow");
    if (!r) {
        const unsigned char *end = tail + i;
        uint64_t end_at = first + i;
        bool wide;
        l->n = two(end + 10);
        l->directory_len = four(end + 12);
        l->directory_at = four(end + 16);
        r = wide_end(l, end, &end_at, &wide);
        if (!r && (two(end + 4) || two(end + 6) || (two(end + 8) != two(end + 10))))
            r = zip_list_damaged(l, first + i, "a part of a zip file that was split");
        else if (!r && (l->directory_at > end_at || l->directory_len != end_at - l->directory_at))
            r = zip_list_damaged(l, end_at, "the directory is not where it should be");
        else if (!r && l->n > l->directory_len / ENTRY)
            r = zip_list_damaged(l, end_at, "the directory is too short for its members");
    }
    free(tail);
    return r;
}

/* ---- The directory ------------------------------------------------------------------------ */
/* Values of the zip64 extra field, in order, for those of the fields that are 0xffffffff. */
static bool wide_fields(const unsigned char *extra, size_t len, uint64_t *const field[], size_t n)
{
    size_t needed = 0;

    for (size_t i = 0; i < n; i++)
        needed += *field[i] == WIDE ? 8 : 0;
    while (needed && len >= 4) {
        size_t size = two(extra + 2);
        if (size > len - 4)
            return false;
        if (two(extra) == 1) {
            const unsigned char *p = extra + 4;
            for (size_t i = 0; i < n && needed <= size; i++)
                if (*field[i] == WIDE) {
                    *field[i] = eight(p);
                    p += 8;
                }
            return needed <= size;
        }
        extra += 4 + size;
        len -= 4 + size;
    }
    return !needed;
}

static const char *method_name(unsigned method)
{
    return method == 9    ? "deflate64"
           : method == 12 ? "bzip2"
           : method == 14 ? "lzma"
           : method == 93 ? "zstd"
           : method == 95 ? "xz"
                          : "unknown";
}

static bool good_name(const unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] < 0x20 || p[i] == 0x7f)
            return false;
    return n > 0 && n < ZIP_NAME;
}

/* Can this member be read at all? */
static decode_result check_kind(zip_list *l, uint64_t at, const zip_member *m)
{
    if (!good_name(l->directory + m->name, m->name_len))
        return zip_list_damaged(l, at, "a member's name of %u bytes is empty, too long or not text",
                                m->name_len);
    const char *name = zip_list_name(l, m);
    if (m->flags & ENCRYPTED)
        return zip_list_damaged(l, at, "member '%.80s' is encrypted; encryption is not supported",
                                name);
    if (m->flags & ~KNOWN_FLAGS)
        return zip_list_damaged(l, at, "member '%.80s' has flags 0x%04x, which are not supported",
                                name, m->flags);
    if (m->method != STORED && m->method != DEFLATED)
        return zip_list_damaged(l, at,
                                "member '%.80s' is packed by method %u (%s); only stored "
                                "and deflated members are supported",
                                name, m->method, method_name(m->method));
    if (m->method == STORED && m->compressed != m->size)
        return zip_list_damaged(l, at, "member '%.80s' is stored, but its two sizes differ", name);
    return DECODE_OK;
}

/* One entry of the directory; *used: its bytes. */
static decode_result entry(zip_list *l, zip_member *m, uint64_t at, size_t *used)
{
    const unsigned char *p = l->directory + at;
    uint64_t left = l->directory_len - at, offset = l->directory_at + at;

    if (left < ENTRY || memcmp(p, "PK\1\2", 4) != 0)
        return zip_list_damaged(l, offset, "no entry of the directory");
    size_t name = two(p + 28), extra = two(p + 30), comment = two(p + 32);
    *used = ENTRY + name + extra + comment;
    if (left < *used)
        return zip_list_damaged(l, offset, "an entry of the directory is too long");
    *m = (zip_member){.header = four(p + 42),
                      .compressed = four(p + 20),
                      .size = four(p + 24),
                      .crc = four(p + 16),
                      .name_len = (uint16_t)name,
                      .method = two(p + 10),
                      .flags = two(p + 8),
                      .deflated = two(p + 10) == DEFLATED,
                      .name = (size_t)at + ENTRY};
    uint64_t *const field[] = {&m->size, &m->compressed, &m->header};
    if (!wide_fields(p + ENTRY + name, extra, field, 3) || two(p + 34))
        return zip_list_damaged(l, offset, "an entry of the directory is wrong");
    return check_kind(l, offset, m);
}

/* ---- Members ------------------------------------------------------------------------------ */
/* Do the sizes and the checksum in the header agree with the directory? */
static decode_result same_sizes(zip_list *l, const zip_member *m, const unsigned char *head,
                                bool *same)
{
    uint64_t size = four(head + 22), compressed = four(head + 18);
    uint64_t *const field[] = {&size, &compressed};
    size_t name = two(head + 26), len = two(head + 28);
    unsigned char *extra = malloc(len + 1);
    decode_result r = extra ? zip_list_at(l, extra, len, m->header + LOCAL + name) : DECODE_MEMORY;

    *same = !r && wide_fields(extra, len, field, 2) && size == m->size
            && compressed == m->compressed && four(head + 14) == m->crc;
    free(extra);
    return r;
}

/* The header before the data, which must say the same as the directory; sets m->start. */
static decode_result local(zip_list *l, zip_member *m)
{
    unsigned char head[LOCAL], name[ZIP_NAME];
    decode_result r = zip_list_at(l, head, LOCAL, m->header);

    if (r)
        return r;
    uint16_t flags = two(head + 6), name_len = two(head + 26);
    bool same = !memcmp(head, "PK\3\4", 4) && two(head + 8) == m->method
                && !((flags ^ m->flags) & ~(DESCRIPTOR | UTF8)) && name_len == m->name_len;
    if (same && !(r = zip_list_at(l, name, name_len, m->header + LOCAL)))
        same = !memcmp(name, l->directory + m->name, name_len);
    if (!r && same && !(flags & DESCRIPTOR))
        r = same_sizes(l, m, head, &same);
    m->start = m->header + LOCAL + name_len + two(head + 28);
    return r      ? r
           : same ? DECODE_OK
                  : zip_list_damaged(l, m->header,
                                     "the header of member '%.80s' contradicts the directory",
                                     zip_list_name(l, m));
}

static int by_header(const void *a, const void *b)
{
    const zip_member *const *p = a, *const *q = b;

    return ((*p)->header > (*q)->header) - ((*p)->header < (*q)->header);
}

/* Members end before the next one begins, and before the directory. */
static decode_result check_overlap(zip_list *l)
{
    const zip_member **order = malloc((l->n ? l->n : 1) * sizeof *order);
    decode_result r = order ? DECODE_OK : DECODE_MEMORY;

    for (size_t i = 0; !r && i < l->n; i++)
        order[i] = &l->member[i];
    if (!r)
        qsort(order, l->n, sizeof *order, by_header);
    for (size_t i = 0; !r && i < l->n; i++) {
        uint64_t end = i + 1 < l->n ? order[i + 1]->header : l->directory_at;
        if (order[i]->start > end || order[i]->compressed > end - order[i]->start)
            r = zip_list_damaged(l, order[i]->header, "member '%.80s' overlaps what follows it",
                                 zip_list_name(l, order[i]));
    }
    free(order);
    return r;
}

decode_result zip_list_read(zip_list *l, uint64_t size, uint64_t limit, zip_at *at, void *ctx)
{
    *l = (zip_list){.size = size, .at = at, .ctx = ctx};
    decode_result r = read_end(l);
    if (r)
        return r;
    l->need = l->directory_len + (uint64_t)l->n * (sizeof *l->member + sizeof(void *));
    if (l->need > limit || l->need > SIZE_MAX / 2)
        return DECODE_LIMIT;
    l->directory = malloc((size_t)l->directory_len + 1);
    l->member = malloc((l->n ? l->n : 1) * sizeof *l->member);
    if (!l->directory || !l->member)
        return DECODE_MEMORY;
    r = zip_list_at(l, l->directory, (size_t)l->directory_len, l->directory_at);
    uint64_t used = 0;
    for (size_t i = 0; !r && i < l->n; i++) {
        size_t n = 0;
        r = entry(l, &l->member[i], used, &n);
        used += n;
        if (!r)
            r = local(l, &l->member[i]);
    }
    if (!r && used != l->directory_len)
        r = zip_list_damaged(l, l->directory_at + used,
                             "the directory has bytes after its last entry");
    return r ? r : check_overlap(l);
}
