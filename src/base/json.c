/* SPDX-License-Identifier: BSD-3-Clause
 * json.c - a strict reader of JSON (RFC 8259) that allocates once.
 *
 * The same scan runs twice.  The first time it checks the text and counts values and the bytes of
 * decoded strings; the second time it fills one piece of memory of exactly that size: the values,
 * each before those inside it, then the strings, each followed by a 0 byte.  Nothing is recursive,
 * so the stack does not grow with the text.
 *
 * Stricter than the RFC: the text is an object or an array, no object has a key twice, no string
 * holds U+0000, integers fit 64 bits, other numbers fit a double, the nesting is at most DEPTH and
 * the length at most FXI_JSON_MAX.
 *
 * Cost: two passes over the text, n log n comparisons of the keys of an object.  Memory: 16 bytes
 * per value, 8 per key, the strings. */

#include "base/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 64 };                    /* one bit of scan.objects each */
enum { PART = 1 << 16 };                /* bytes of text between two checks for cancellation */

typedef struct scan {
    const char *text, *p, *end;
    const char *what, *why;             /* for messages: the text; what is wrong at p */
    const fx_run *run;
    fxi_team *team;
    const char *polled;                 /* where cancellation was last checked */
    int depth;
    uint64_t objects;                   /* bit 0: 1 if the innermost open value is an object */
    size_t nodes, keys, bytes;          /* found so far */
    fxi_json *node, *open;              /* NULL in the first scan; `open` is the innermost */
    fxi_json unused;                    /* what the first scan writes to */
    char *strings;
} scan;

static bool fail(scan *s, const char *why)
{
    s->why = why;
    return false;
}

static bool cancelled(scan *s)
{
    if (s->p - s->polled < PART)
        return false;
    s->polled = s->p;
    return fxi_parallel_cancelled(s->team);
}

static int peek(const scan *s) { return s->p < s->end ? (unsigned char)*s->p : -1; }

static bool take(scan *s, int c)
{
    bool there = peek(s) == c;

    s->p += there;
    return there;
}

static void skip_space(scan *s)
{
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\n' || *s->p == '\r'))
        s->p++;
}

static fxi_json *add(scan *s, fxi_json_type type)
{
    fxi_json *v = s->node ? &s->node[s->nodes] : &s->unused;

    s->nodes++;
    *v = (fxi_json){.type = type};
    if (s->open)
        s->open->n++;
    return v;
}

/* ---- Strings ------------------------------------------------------------------------------ */

static void put(scan *s, const char *bytes, size_t n)
{
    if (s->node)
        memcpy(s->strings + s->bytes, bytes, n);
    s->bytes += n;
}

static void put_code(scan *s, uint32_t c)       /* as UTF-8 */
{
    char out[4];
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};

    for (size_t i = n; i-- > 1; c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(first[n] | c);
    put(s, out, n);
}

static bool hex4(uint32_t *out, scan *s)
{
    *out = 0;
    for (int i = 0; i < 4; i++, s->p++) {
        int c = peek(s), letter = c | 0x20;
        if (c >= '0' && c <= '9')
            *out = *out << 4 | (uint32_t)(c - '0');
        else if (letter >= 'a' && letter <= 'f')
            *out = *out << 4 | (uint32_t)(letter - 'a' + 10);
        else
            return fail(s, "expected four hexadecimal digits after \\u");
    }
    return true;
}

/* After \u; two of them make one character if the first is the high half of a pair. */
static bool unicode(scan *s)
{
    const char *from = s->p;
    uint32_t c, low = 0;

    if (!hex4(&c, s))
        return false;
    if (c >= 0xd800 && c < 0xdc00 && s->end - s->p >= 2 && s->p[0] == '\\' && s->p[1] == 'u') {
        s->p += 2;
        if (!hex4(&low, s))
            return false;
    }
    if (low >= 0xdc00 && low < 0xe000)
        c = 0x10000 + ((c & 0x3ff) << 10 | (low & 0x3ff));
    else if (low || (c >= 0xd800 && c < 0xe000)) {
        s->p = from;
        return fail(s, "half of a surrogate pair");
    }
    if (!c) {
        s->p = from;
        return fail(s, "character U+0000");
    }
    put_code(s, c);
    return true;
}

static bool escape(scan *s)             /* at the backslash */
{
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    int c = ++s->p < s->end ? *s->p : 0;

    if (c == 'u') {
        s->p++;
        return unicode(s);
    }
    const char *at = c ? strchr(letters, c) : NULL;
    if (!at)
        return fail(s, "unknown escape in a string");
    put(s, &meant[at - letters], 1);
    s->p++;
    return true;
}

static bool plain(char c) { return c != '"' && c != '\\' && (unsigned char)c - 0x20u < 0x60; }

static bool string(scan *s)             /* at the quote */
{
    size_t begin = s->bytes;
    fxi_json *v = add(s, FXI_JSON_STRING);

    s->p++;
    for (;;) {
        const char *from = s->p, *stop = s->end - from < PART ? s->end : from + PART;
        while (s->p < stop && plain(*s->p))
            s->p++;
        put(s, from, (size_t)(s->p - from));
        if (cancelled(s))
            return false;
        int c = peek(s);
        size_t n = 0;
        if (c < 0)
            return fail(s, "the end of a string is missing");
        if (c == '"')
            break;
        if (c < 0x20)
            return fail(s, "control character in a string");
        if (c == '\\') {
            if (!escape(s))
                return false;
        } else if (c >= 0x80) {
            if (!(n = fxi_utf8(s->p, s->end)))
                return fail(s, "bytes that are not UTF-8");
            put(s, s->p, n);
            s->p += n;
        }
    }
    s->p++;
    v->n = (uint32_t)(s->bytes - begin);
    v->text = s->node ? s->strings + begin : "";
    put(s, "", 1);
    return true;
}

/* ---- Numbers and words -------------------------------------------------------------------- */

static bool digits(scan *s)
{
    const char *from = s->p;

    while (s->p < s->end && *s->p >= '0' && *s->p <= '9')
        s->p++;
    return s->p > from ? true : fail(s, "expected a digit");
}

static bool integer(scan *s, const char *from)
{
    bool negative = *from == '-', fits = true;
    int64_t x = 0;

    for (const char *p = from + negative; fits && p < s->p; p++) {
        int digit = *p - '0';
        fits = !__builtin_mul_overflow(x, 10, &x)
               && !(negative ? __builtin_sub_overflow(x, digit, &x)
                             : __builtin_add_overflow(x, digit, &x));
    }
    if (!fits) {
        s->p = from;
        return fail(s, "an integer that does not fit 64 bits");
    }
    add(s, FXI_JSON_INTEGER)->integer = x;
    return true;
}

static bool number(scan *s)
{
    const char *from = s->p;
    bool real = false;
    double x;

    take(s, '-');
    if (!take(s, '0') && !digits(s))
        return false;
    if (take(s, '.')) {
        real = true;
        if (!digits(s))
            return false;
    }
    if (take(s, 'e') || take(s, 'E')) {
        real = true;
        if (!take(s, '+'))
            take(s, '-');
        if (!digits(s))
            return false;
    }
    if (!real)
        return integer(s, from);
    fxi_decimal_read(&x, from, s->p);
    if (!isfinite(x)) {
        s->p = from;
        return fail(s, "a number beyond the range of doubles");
    }
    add(s, FXI_JSON_REAL)->real = x;
    return true;
}

static bool word(scan *s, const char *w, fxi_json_type type)
{
    size_t n = strlen(w);

    if ((size_t)(s->end - s->p) < n || memcmp(s->p, w, n) != 0)
        return fail(s, "expected a value");
    s->p += n;
    add(s, type);
    return true;
}

static bool scalar(scan *s)
{
    int c = peek(s);

    return c == '"'                             ? string(s)
           : c == '-' || (c >= '0' && c <= '9') ? number(s)
           : c == 't'                           ? word(s, "true", FXI_JSON_TRUE)
           : c == 'f'                           ? word(s, "false", FXI_JSON_FALSE)
                                                : word(s, "null", FXI_JSON_NULL);
}

/* ---- Arrays and objects ------------------------------------------------------------------- */

static bool begin(scan *s)              /* at the bracket */
{
    bool object = *s->p == '{';

    if (s->depth == DEPTH)
        return fail(s, "nested too deeply");
    s->depth++;
    s->objects = s->objects << 1 | object;
    fxi_json *v = add(s, object ? FXI_JSON_OBJECT : FXI_JSON_ARRAY);
    v->end = s->open;                   /* while it is open: what it is in */
    if (s->node)
        s->open = v;
    s->p++;
    return true;
}

static void finish(scan *s)             /* after the bracket */
{
    fxi_json *v = s->open;

    if (v) {
        s->open = v->end;
        v->end = &s->node[s->nodes];
        if (v->type == FXI_JSON_OBJECT)
            v->n /= 2;                  /* keys were counted like values */
    }
    s->depth--;
    s->objects >>= 1;
}

static bool key(scan *s)
{
    skip_space(s);
    if (peek(s) != '"')
        return fail(s, "expected a key in double quotes");
    s->keys++;
    if (!string(s))
        return false;
    skip_space(s);
    return take(s, ':') ? true : fail(s, "expected : after a key");
}

/* Reads on from a value to the start of the next one, or to the end of the text. */
static bool after_value(scan *s)
{
    while (s->depth) {
        bool object = s->objects & 1;
        skip_space(s);
        if (take(s, ','))
            return !object || key(s);
        if (!take(s, object ? '}' : ']'))
            return fail(s, object ? "expected , or } in an object" : "expected , or ] in an array");
        finish(s);
    }
    return true;
}

static bool value(scan *s)
{
    skip_space(s);
    if (cancelled(s))
        return false;
    if (peek(s) != '{' && peek(s) != '[')
        return scalar(s) && after_value(s);
    if (!begin(s))
        return false;
    skip_space(s);
    bool object = s->objects & 1;
    if (take(s, object ? '}' : ']')) {
        finish(s);
        return after_value(s);
    }
    return !object || key(s);
}

static bool document(scan *s)
{
    skip_space(s);
    if (peek(s) != '{' && peek(s) != '[')
        return fail(s, "expected { or [");
    do
        if (!value(s))
            return false;
    while (s->depth);
    skip_space(s);
    return s->p == s->end ? true : fail(s, "expected nothing more");
}

/* ---- Keys --------------------------------------------------------------------------------- */

static void sift(const fxi_json **heap, size_t i, size_t n)
{
    const fxi_json *v = heap[i];

    for (size_t c; (c = 2 * i + 1) < n; i = c) {
        c += c + 1 < n && strcmp(heap[c]->text, heap[c + 1]->text) < 0;
        if (strcmp(v->text, heap[c]->text) >= 0)
            break;
        heap[i] = heap[c];
    }
    heap[i] = v;
}

/* Heap sort: no memory, n log n whatever the keys are, and it can be stopped. */
static bool sort(const fxi_json **key, size_t n, fxi_team *team)
{
    for (size_t i = n / 2; i-- > 0;) {
        if (fxi_parallel_cancelled(team))
            return false;
        sift(key, i, n);
    }
    while (n-- > 1) {
        const fxi_json *last = key[n];
        if (fxi_parallel_cancelled(team))
            return false;
        key[n] = key[0];
        key[0] = last;
        sift(key, 0, n);
    }
    return true;
}

static fx_status check_keys(const scan *s, const fxi_json **key)
{
    for (const fxi_json *v = s->node; v < s->node + s->nodes; v++) {
        const fxi_json *k = v + 1;
        if (v->type != FXI_JSON_OBJECT)
            continue;
        for (size_t i = 0; i < v->n; i++, k = fxi_json_next(k + 1))
            key[i] = k;
        if (!sort(key, v->n, s->team))
            return FX_ECANCELLED;
        for (size_t i = 1; i < v->n; i++)
            if (!strcmp(key[i - 1]->text, key[i]->text))
                return fxi_error(FX_EFORMAT, "%s: duplicate key `%.200s`", s->what, key[i]->text);
    }
    return FX_OK;
}

/* ---- For other files ---------------------------------------------------------------------- */

static fx_status scan_once(scan *s)
{
    s->p = s->polled = s->text;
    s->nodes = s->keys = s->bytes = 0;
    return document(s) ? FX_OK
           : !s->why   ? FX_ECANCELLED
                       : fxi_error(FX_EFORMAT, "%s is no JSON: %s at byte %zu of %zu", s->what,
                                   s->why, (size_t)(s->p - s->text), (size_t)(s->end - s->text));
}

static fx_status parse(void *ctx, size_t block, fxi_team *team)
{
    scan *s = ctx;
    size_t bytes, all;

    (void)block;
    s->team = team;
    fx_status st = scan_once(s);
    if (st)
        return st;
    if (!fxi_size_mul(&bytes, s->nodes, sizeof *s->node)
        || !fxi_size_mul(&all, s->keys, sizeof(fxi_json *)) || !fxi_size_add(&all, all, bytes)
        || !fxi_size_add(&all, all, s->bytes))
        all = SIZE_MAX;
    if ((st = fxi_memory_check(s->run, all, s->what)) != 0)
        return st;
    if (!(s->node = fxi_alloc(all, 1)))
        return FX_ENOMEM;
    const fxi_json **key = (const fxi_json **)(s->node + s->nodes);
    s->strings = (char *)(key + s->keys);
    st = scan_once(s);
    return st ? st : check_keys(s, key);
}

fx_status fxi_json_parse(fxi_json **out, const char *text, size_t len, const char *what,
                         const fx_run *run)
{
    if (len > FXI_JSON_MAX)
        return fxi_error(FX_EFORMAT, "%s has %zu bytes, the limit is %d", what, len, FXI_JSON_MAX);
    scan s = {.text = text, .end = text + len, .what = what, .run = run};
    fx_status st = fxi_parallel_ordered(1, parse, &s, run);
    if (st) {
        free(s.node);
        return st;
    }
    *out = s.node;
    return FX_OK;
}

const fxi_json *fxi_json_next(const fxi_json *v)
{
    return v->type >= FXI_JSON_ARRAY ? v->end : v + 1;
}

const fxi_json *fxi_json_get(const fxi_json *object, const char *key)
{
    if (!object || object->type != FXI_JSON_OBJECT)
        return NULL;
    for (const fxi_json *k = object + 1; k < object->end; k = fxi_json_next(k + 1))
        if (!strcmp(k->text, key))
            return k + 1;
    return NULL;
}
