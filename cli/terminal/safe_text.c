/* SPDX-License-Identifier: BSD-3-Clause
 * safe_text.c - names from files and arguments, as a terminal or a figure may show them.
 *
 * UTF-8 is decoded here and in src/base/utf8.c: the program sees the public header only. */

#include "terminal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- Characters --------------------------------------------------------------------------- */
/* The character of UTF-8 at p, and its bytes; 0 bytes: there is none. */
static size_t decode(uint32_t *code, const char *p, const char *end)
{
    const unsigned char *s = (const unsigned char *)p;
    static const uint32_t min_code[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = *s < 0x80             ? 1
               : (*s & 0xe0) == 0xc0 ? 2
               : (*s & 0xf0) == 0xe0 ? 3
               : (*s & 0xf8) == 0xf0 ? 4
                                     : 0;

    if (n == 0 || n > (size_t)(end - p))
        return 0;
    *code = n == 1 ? *s : *s & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (s[i] & 0x3fu);
    }
    bool surrogate = *code >= 0xd800 && *code <= 0xdfff;
    return *code < min_code[n] || *code > 0x10ffff || surrogate ? 0 : n;
}

/* Controls of both ranges, ends of lines and paragraphs, marks and overrides of direction. */
static bool is_unsafe(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f
           || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

size_t safe_length(const char *p, const char *end)
{
    uint32_t code = 0;
    size_t n = decode(&code, p, end);

    return is_unsafe(code) ? 0 : n;
}

size_t safe_next(char out[SAFE_SIZE], const char *p, const char *end)
{
    uint32_t code = 0;
    size_t n = decode(&code, p, end);

    if (n == 0 || (n == 1 && is_unsafe(code)))
        snprintf(out, SAFE_SIZE, "\\x%02x", (unsigned)(unsigned char)*p);
    else if (is_unsafe(code))
        snprintf(out, SAFE_SIZE, "\\u%04x", (unsigned)code & 0xffff);
    else {
        memcpy(out, p, n);
        out[n] = '\0';
    }
    return n ? n : 1;
}

size_t safe_tail(const char *s, size_t n)
{
    size_t at = n;

    while (at > 0 && n - at < 3 && ((unsigned char)s[at - 1] & 0xc0) == 0x80)
        at--;
    unsigned char first = at > 0 ? (unsigned char)s[at - 1] : 0;
    size_t have = n - at + 1, need = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
    return need > have ? have : 0;
}

/* Never reads beyond the first `max_bytes` bytes, which may be the end of the buffer. */
size_t safe_cut(const char *s, size_t max_bytes)
{
    size_t n = strnlen(s, max_bytes);

    return n < max_bytes ? n : n - safe_tail(s, n);
}

void safe_add(strbuf *t, const char *s, size_t n)
{
    char one[SAFE_SIZE];

    for (const char *p = s; p < s + n;) {
        p += safe_next(one, p, s + n);
        strbuf_add(t, "%s", one);
    }
}

/* ---- printf ------------------------------------------------------------------------------- */
typedef struct sink {                   /* as in snprintf: n grows even if the buffer is full */
    char *out;
    size_t capacity, n;
} sink;

static void put(sink *k, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++, k->n++)
        if (k->n + 1 < k->capacity)
            k->out[k->n] = s[i];
    if (k->capacity)
        k->out[k->n < k->capacity ? k->n : k->capacity - 1] = '\0';
}

static void put_spaces(sink *k, size_t n)
{
    while (n-- > 0)
        put(k, " ", 1);
}

typedef struct conversion {
    char spec[48];                      /* "%-8.3g", with numbers in place of stars */
    bool left;
    int width, precision;               /* precision -1: none */
    char length, kind;                  /* 'l', 'L' for ll, 'z' or 0 */
} conversion;

static const char *number_at(int *value, const char *p, va_list *args)
{
    if (*p == '*') {
        *value = va_arg(*args, int);
        return p + 1;
    }
    for (*value = 0; *p >= '0' && *p <= '9'; p++)
        *value = 10 * *value + (*p - '0');
    return p;
}

/* p is after the %; returns the position after the conversion. */
static const char *parse(conversion *c, const char *p, va_list *args)
{
    char flags[8] = "";
    size_t n = strspn(p, "-+ #0");

    *c = (conversion){.precision = -1};
    memcpy(flags, p, n < sizeof flags ? n : 0);
    p = number_at(&c->width, p + n, args);
    if (*p == '.')
        p = number_at(&c->precision, p + 1, args);
    c->left = strchr(flags, '-') || c->width < 0;
    if (*p == 'l' || *p == 'z') {
        c->length = *p++;
        if (*p == 'l')
            c->length = 'L', p++;
    }
    c->kind = *p++;
    const char *length = c->length == 'L' ? "ll" : c->length == 'l' ? "l" : c->length ? "z" : "";
    char width[12] = "", precision[12] = "";
    if (c->width)
        snprintf(width, sizeof width, "%d", c->width);
    if (c->precision >= 0)
        snprintf(precision, sizeof precision, ".%d", c->precision);
    snprintf(c->spec, sizeof c->spec, "%%%s%s%s%s%c", flags, width, precision, length, c->kind);
    return p;
}

static void put_string(sink *k, const conversion *c, const char *s)
{
    s = s ? s : "(null)";
    size_t n = c->precision < 0 ? strlen(s) : safe_cut(s, (size_t)c->precision);
    size_t width = (size_t)(c->width < 0 ? -(long)c->width : c->width), shown = 0;
    char one[SAFE_SIZE];

    for (const char *p = s; p < s + n; shown += strlen(one))
        p += safe_next(one, p, s + n);
    size_t spaces = width > shown ? width - shown : 0;
    if (!c->left)
        put_spaces(k, spaces);
    for (const char *p = s; p < s + n;) {
        p += safe_next(one, p, s + n);
        put(k, one, strlen(one));
    }
    if (c->left)
        put_spaces(k, spaces);
}

static void put_number(sink *k, const conversion *c, va_list *args)
{
    char buf[512];                      /* %f of the largest double has 309 digits */
    int n;

    if (strchr("eEfFgG", c->kind))
        n = snprintf(buf, sizeof buf, c->spec, va_arg(*args, double));
    else if (c->length == 'L')
        n = snprintf(buf, sizeof buf, c->spec, va_arg(*args, unsigned long long));
    else if (c->length == 'l')
        n = snprintf(buf, sizeof buf, c->spec, va_arg(*args, unsigned long));
    else if (c->length == 'z')
        n = snprintf(buf, sizeof buf, c->spec, va_arg(*args, size_t));
    else
        n = snprintf(buf, sizeof buf, c->spec, va_arg(*args, int));
    put(k, buf, n < 0 ? 0 : (size_t)n < sizeof buf ? (size_t)n : sizeof buf - 1);
}

static void format_all(sink *k, const char *format, va_list args)
{
    conversion c;
    va_list at;

    va_copy(at, args);                  /* one that functions may have the address of */
    while (*format) {
        size_t n = strcspn(format, "%");
        put(k, format, n);
        format += n;
        if (!*format)
            break;
        format = parse(&c, format + 1, &at);
        if (c.kind == 's')
            put_string(k, &c, va_arg(at, const char *));
        else if (c.kind == 'c')
            put_string(k, &c, (const char[]){(char)va_arg(at, int), '\0'});
        else if (c.kind == '%')
            put(k, "%", 1);
        else
            put_number(k, &c, &at);
    }
    va_end(at);
}

/* Written in one piece, because stderr is not buffered; truncated if there is no memory for a long
 * text. */
int safe_vprint(FILE *f, const char *format, va_list args)
{
    char small[2048];
    sink k = {small, sizeof small, 0};

    format_all(&k, format, args);
    char *large = k.n < sizeof small ? NULL : malloc(k.n + 1);
    if (large) {
        k = (sink){large, k.n + 1, 0};
        format_all(&k, format, args);
    }
    size_t n = large || k.n < sizeof small ? k.n : sizeof small - 1;
    fwrite(k.out, 1, n, f);
    free(large);
    return (int)n;
}

int safe_print(FILE *f, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    int n = safe_vprint(f, format, args);
    va_end(args);
    return n;
}
