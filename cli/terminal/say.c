/* SPDX-License-Identifier: BSD-3-Clause
 * say.c - messages to people on stderr, one JSON object on stdout.
 *
 * The library speaks of spec keys ("use sort=yes"); at the command line these are options, so they
 * are respelt here, in one place. */

#include "terminal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const spelling[][2] = {
    {"sort=yes", "--sort"},         {"duplicates=sum", "--sum-duplicates"},
    {"use decimal=comma", "use --decimal comma"}, {"fields=ignore", "--ignore-fields"},
    {"use na=", "use --na "},       {", na=", ", --na "},   {" or na=", " or --na "},
    {", cat=+", ", --cat +"},
    {"header=yes", "--header"},     {"header=no", "--no-header"},
    {"base=0", "--index-base 0"},   {"base=1", "--index-base 1"},
    {"use cat=", "use --cat "},     {"raise max-iter", "raise --max-iter"},
    {"lower C", "lower -C"},        {"lower lr", "lower --lr"},
    {"scale it (maxabs, std)", "--scale maxabs"}, {"use solver=", "use --solver "},
};

#define MISSING "use nan=zero, or nan=keep and plan.missing"
static const char *missing_cure = MISSING;

void say_missing(const char *cure) { missing_cure = cure; }

#define LIMIT_HINT "--max-memory SIZE raises the limit"

static FILE *errors;                    /* NULL: stderr */

void say_errors_to(FILE *f) { errors = f; }

static void line(const char *prefix, const char *format, va_list args)
{
    FILE *f = errors ? errors : stderr;

    fputs(prefix, f);
    safe_vprint(f, format, args);
    fputc('\n', f);
}

int say_error(const char *format, ...)
{
    va_list args;

    progress_end();                     /* the bar must not stand in front of the message */
    va_start(args, format);
    line("featcross: ", format, args);
    va_end(args);
    return EXIT_USAGE;
}

void say_hint(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    line("HINT: ", format, args);
    va_end(args);
}

void say_note(const char *format, ...)
{
    va_list args;

    if (cli.quiet || errors)
        return;
    va_start(args, format);
    line("", format, args);
    va_end(args);
}

void say_warning(const char *format, ...)
{
    va_list args;

    if (errors)
        return;
    va_start(args, format);
    line("WARNING: ", format, args);
    va_end(args);
}

void say_lines(const char *all)
{
    while (*all) {
        size_t n = strcspn(all, "\n");
        say_note("%.*s", (int)n, all);
        all += n + (all[n] == '\n');
    }
}

/* The byte that %2C stands for in a column's name; -1: p is none of that. */
static int escaped(const char *p)
{
    const char digits[] = "0123456789ABCDEF";
    const char *high = p[0] == '%' && p[1] ? strchr(digits, p[1]) : NULL;
    const char *low = high && p[2] ? strchr(digits, p[2]) : NULL;

    return low ? (int)(16 * (high - digits) + (low - digits)) : -1;
}

/* True if detail is at the number of a row; *out: the same from 1. */
static bool row_from_0(unsigned long long *out, const char *all, const char *detail)
{
    bool named = detail - all >= 4 && !strncmp(detail - 4, "row ", 4);

    if (!named || *detail < '0' || *detail > '9')
        return false;
    *out = strtoull(detail, NULL, 10) + 1;
    return true;
}

/* In `out`, whose end is at n, "column 3": writes which numbers still count from 0.  Row numbers do
 * not: they were rewritten. */
static size_t keep_from_0(char *out, size_t capacity, size_t n)
{
    size_t end = n, start;

    while (end && out[end - 1] >= '0' && out[end - 1] <= '9')
        end--;
    end -= end > 0;                     /* the space before the number */
    for (start = end; start && out[start - 1] >= 'a' && out[start - 1] <= 'z';)
        start--;
    if (end - start == 3 && !strncmp(out + start, "row", 3))
        return n;
    char noun[16];
    snprintf(noun, sizeof noun, "%.*s", (int)(end - start < 10 ? end - start : 10), out + start);
    return n + (size_t)snprintf(out + n, capacity - n, " (%ss from 0)", noun);
}

/* A list of words, some of them in quotes: spec strings have slashes between them, options commas.
 * Moves *from behind it. */
static size_t copy_list(char *out, const char **from, size_t capacity)
{
    const char *p = *from;
    size_t n = 0;

    for (bool quoted = false; *p && (quoted || !strchr(" )", *p)) && n + 1 < capacity; p++) {
        quoted ^= *p == '\'';
        out[n++] = *p == '/' ? ',' : *p;
    }
    *from = p;
    return n;
}

/* Rewrites detail: row numbers that the library counts from 0 are counted from 1, spec keys become
 * options, and column names are decoded.  Truncated if it does not fit.  The first row number in
 * detail is relative to row `first`. */
static void respell(char *out, size_t capacity, const char *detail, size_t first)
{
    const char named[] = "is named '";
    const char *all = detail, from_0[] = " (from 0)";
    bool counted = strstr(detail, from_0) && strstr(detail, "row "), in_name = false;
    unsigned long long row;
    size_t n = 0;

    while (*detail && n + 32 < capacity) {
        if (counted && row_from_0(&row, all, detail)) {
            n += (size_t)snprintf(out + n, capacity - n, "%llu", row + first);
            first = 0;
            detail += strspn(detail, "0123456789");
            continue;
        }
        if (counted && !strncmp(detail, from_0, sizeof from_0 - 1)) {
            n = keep_from_0(out, capacity, n);
            detail += sizeof from_0 - 1;
            continue;
        }
        int byte = in_name ? escaped(detail) : -1;
        if (byte > 0) {
            out[n++] = (char)byte;
            detail += 3;
            continue;
        }
        in_name = (in_name && *detail != '\'')
                  || (n >= sizeof named - 1 && !strncmp(out + n - (sizeof named - 1), named,
                                                        sizeof named - 1));
        if (!strncmp(detail, MISSING, sizeof MISSING - 1) && n + strlen(missing_cure) < capacity) {
            n += (size_t)snprintf(out + n, capacity - n, "%s", missing_cure);
            detail += sizeof MISSING - 1;
            continue;
        }
        size_t k = 0, keys = sizeof spelling / sizeof *spelling;
        while (k < keys && strncmp(detail, spelling[k][0], strlen(spelling[k][0])) != 0)
            k++;
        if (k < keys) {
            n += (size_t)snprintf(out + n, capacity - n, "%s", spelling[k][1]);
            detail += strlen(spelling[k][0]);
            if (strstr(spelling[k][1], "--na "))
                n += copy_list(out + n, &detail, capacity - n);
        } else
            out[n++] = *detail++;
    }
    out[n] = '\0';
}

int say_failure(fx_status s) { return say_failure_from(s, 0); }

int say_failure_from(fx_status s, size_t first)
{
    char why[SAY_REASON];

    if (s == FX_ECANCELLED)
        return progress_stop();
    say_reason(why, first);
    return say_failure_by(s, why);
}

int say_failure_by(fx_status s, const char *why)
{
    say_error("%s", why);
    if (s == FX_ELIMIT)
        say_hint(LIMIT_HINT);
    return s == FX_ENOMEM || s == FX_ELIMIT ? EXIT_MEMORY
           : s == FX_ENUMERIC               ? EXIT_NUMERIC
                                            : EXIT_USAGE;
}

size_t say_failed_row(fx_status s)
{
    const char *row = strstr(fx_error_detail(), "row ");
    unsigned long long number;

    return s == FX_EINVAL && row && strstr(row, "(from 0)")
                   && row_from_0(&number, fx_error_detail(), row + 4)
               ? (size_t)number
               : 0;
}

void say_reason(char buf[SAY_REASON], size_t first)
{
    respell(buf, SAY_REASON, fx_error_detail(), first);
}

/* The library has no names of files: it says "links:7: ..", which is line 7 of the path. */
int say_file_error(const char *path, const char *ours, fx_status s)
{
    const char *detail = fx_error_detail();
    size_t n = strlen(ours);

    if (s != FX_EFORMAT)
        return say_failure(s);
    if (!strncmp(detail, ours, n) && detail[n] == ':')
        say_error("%s%s", path, detail + n);
    else
        say_error("%s: %s", path, detail);
    return EXIT_USAGE;
}

void say_remark(void)
{
    char detail[1024];

    respell(detail, sizeof detail, fx_error_detail(), 0);
    say_warning("%s", detail);
}

int say_no_memory(const char *what)
{
    say_error("out of memory for %s", what);
    return EXIT_MEMORY;
}

int say_limit(double bytes, const char *what, ...)
{
    char said[512], need[32], limit[32];
    va_list args;

    if (bytes <= (double)cli.max_memory)
        return 0;
    va_start(args, what);
    vsnprintf(said, sizeof said, what, args);
    va_end(args);
    say_error("%s %s, the limit is %s", said, say_bytes(need, bytes),
              say_bytes(limit, (double)cli.max_memory));
    say_hint(LIMIT_HINT);
    return EXIT_MEMORY;
}

/* jansson escapes the control characters of ASCII; others, which terminals obey as well, become
 * \uNNNN here, which is the same value. */
static void put_json(const char *bytes)
{
    const char *end = bytes + strlen(bytes);
    char one[SAFE_SIZE];

    while (bytes < end) {
        size_t used = safe_next(one, bytes, end);
        if (!strncmp(one, "\\u", 2))
            fputs(one, stdout);
        else
            fwrite(bytes, 1, used, stdout);
        bytes += used;
    }
}

static int add_json(const char *bytes, size_t n, void *ctx)
{
    strbuf *t = ctx;

    strbuf_add(t, "%.*s", (int)n, bytes);
    return t->failed ? -1 : 0;
}

/* Jansson ignores some write errors (a key that does not fit is left out), so the text is made
 * here, where every error is recorded. */
char *say_dump(json_t *value, size_t flags)
{
    strbuf t = {0};
    bool made = value && json_dump_callback(value, add_json, &t, flags) == 0 && !t.failed;

    json_decref(value);
    if (!made)
        strbuf_free(&t);
    return t.s;
}

int say_json(json_t *object)
{
    char *dump = say_dump(object, JSON_INDENT(2) | JSON_REAL_PRECISION(17));

    if (!dump)
        return say_no_memory("the JSON object");
    put_json(dump);
    fputc('\n', stdout);
    free(dump);
    return say_flush();
}

/* A value that cannot be made (no memory, not finite) must not be left out silently: the whole
 * object becomes NULL, which say_json reports. */
json_t *say_set(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) == 0)
        return object;
    json_decref(object);
    return NULL;
}

json_t *say_append(json_t *list, json_t *value)
{
    if (json_array_append_new(list, value) == 0)
        return list;
    json_decref(list);
    return NULL;
}

/* JSON is UTF-8; names of files and classes need not be. */
json_t *say_text(const char *bytes)
{
    errno = 0;
    json_t *s = bytes ? json_string(bytes) : json_null();
    char *plain = s || errno == ENOMEM ? NULL : strdup(bytes);

    for (char *p = plain; p && *p; p++)
        if ((unsigned char)*p >= 0x80)
            *p = '?';
    if (plain)
        s = json_string(plain);
    free(plain);
    return s;
}

int say_flush(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    say_error("standard output: %s", strerror(errno));
    return EXIT_USAGE;
}

const char *say_bytes(char buf[32], double bytes)
{
    static const char *const unit[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
    size_t u = 0;

    for (; bytes >= 1024 && u < 5; u++)
        bytes /= 1024;
    snprintf(buf, 32, u == 0 ? "%.0f %s" : "%.1f %s", bytes, unit[u]);
    return buf;
}

const char *say_number(char buf[32], double x)
{
    buf[fx_data_number(buf, x)] = '\0';
    return buf;
}

double say_clock(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
