/* SPDX-License-Identifier: BSD-3-Clause
 * opt.c - GNU-style options from tables: --key value, --key=value, -n 10, -n10, -qv, and --.
 *
 * Options and operands may be mixed.  Names are never abbreviated: a script that works today must
 * not break when an option is added.  For a misspelt option the message suggests the nearest
 * name. */

#include "options.h"
#include "terminal/terminal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPTIONS = 96, WORDS = 64, WORD = 32 };  /* of a command; of a list, and letters of each */

const char *opt_hint(char buf[OPT_HINT], const char *list, const char *word)
{
    char text[WORDS][WORD];
    const char *names[WORDS], *near;
    size_t n = 0;

    for (const char *p = list; *p && n < WORDS; n++) {
        size_t len = strcspn(p, "|, ");
        snprintf(text[n], WORD, "%.*s", (int)len, p);
        names[n] = text[n];
        p += len + strspn(p + len, "|, ");
    }
    near = fx_nearest(word, names, n);
    *buf = '\0';
    if (near)
        snprintf(buf, OPT_HINT, "; did you mean '%s'?", near);
    return buf;
}

static int unknown(const command *c, const char *typed, size_t len)
{
    const char *names[OPTIONS];
    char word[64];
    size_t n = 0;

    for (const opt_group *const *g = c->groups; *g; g++)
        for (const opt *o = (*g)->opts; o->name && n < OPTIONS; o++)
            names[n++] = o->name;
    snprintf(word, sizeof word, "%.*s", (int)len, typed);
    const char *near = fx_nearest(word, names, n);
    say_error("%s has no option --%.*s", c->name, (int)len, typed);
    if (near)
        say_hint("did you mean --%s?", near);
    else
        say_hint("featcross %s --help lists the options", c->name);
    return EXIT_USAGE;
}

static const opt *find(const command *c, const char *name, size_t len, char letter)
{
    for (const opt_group *const *g = c->groups; *g; g++)
        for (const opt *o = (*g)->opts; o->name; o++)
            if (name ? strlen(o->name) == len && !memcmp(o->name, name, len) : o->letter == letter)
                return o;
    return NULL;
}

bool opt_among(const char *values, const char *v, size_t n)
{
    for (size_t len;; values += len + 1) {
        len = strcspn(values, "|");
        if (n == len && !memcmp(values, v, n))
            return true;
        if (!values[len])
            return false;
    }
}

bool opt_count(uint64_t *out, const char *text)
{
    char *end;

    if (*text < '0' || *text > '9')     /* strtoull would take "-1" and " 1" */
        return false;
    errno = 0;
    *out = strtoull(text, &end, 10);
    return !*end && errno == 0;
}

bool opt_size(uint64_t *out, const char *text)
{
    static const char units[] = "KMGT";
    char *end;

    if ((*text < '0' || *text > '9') && *text != '.')
        return false;
    double x = strtod(text, &end);
    if (*end == '%') {
        x *= 0.01 * (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
        end++;
    } else if (*end) {
        const char *u = strchr(units, *end & ~0x20);
        if (u && (*end & ~0x20)) {
            x = ldexp(x, 10 * (int)(u - units + 1));
            end++;
            if (*end == 'i' && end[1] == 'B')
                end++;
        }
        if (*end == 'B')
            end++;
    }
    if (*end || !(x >= 1) || x >= 0x1p63)
        return false;
    *out = (uint64_t)x;
    return true;
}

static int set(const command *c, const opt *o, const char *v)
{
    uint64_t u;
    double x;
    char *end, hint[OPT_HINT];

    switch (o->kind) {
    case OPT_FLAG: *(bool *)o->to = true; return 0;
    case OPT_LEVEL:
        u = *(uint64_t *)o->to;
        if (v && (!opt_count(&u, v) || u > o->high))
            break;
        u += !v && u < o->high;
        *(uint64_t *)o->to = u;
        return 0;
    case OPT_TEXT: *(const char **)o->to = v; return 0;
    case OPT_CHOICE:
        if (!opt_among(o->argument, v, strlen(v)))
            break;
        *(const char **)o->to = v;
        return 0;
    case OPT_COUNT:
        if (!opt_count(&u, v) || u < o->low || (o->high && u > o->high))
            break;
        *(uint64_t *)o->to = u;
        return 0;
    case OPT_SHARE:
    case OPT_POSITIVE:
        x = strtod(v, &end);
        if (end == v || *end || !(x > 0 && x < (o->kind == OPT_SHARE ? 1 : INFINITY)))
            break;
        *(double *)o->to = x;
        return 0;
    case OPT_SIZE:
        if (!opt_size(&u, v))
            break;
        *(uint64_t *)o->to = u;
        return 0;
    }
    if (o->kind == OPT_CHOICE)
        return say_error("%s: --%s %s is not possible; use one of %s%s", c->name, o->name, v,
                         o->argument, opt_hint(hint, o->argument, v));
    if (o->kind == OPT_LEVEL || (o->kind == OPT_COUNT && o->high))
        return say_error("%s: --%s %s is not a whole number from %llu to %llu", c->name, o->name, v,
                         (unsigned long long)o->low, (unsigned long long)o->high);
    if (o->kind == OPT_COUNT)
        return say_error("%s: --%s %s is not a whole number of %llu or more", c->name, o->name, v,
                         (unsigned long long)o->low);
    if (o->kind == OPT_SHARE)
        return say_error("%s: --%s %s is not a share between 0 and 1", c->name, o->name, v);
    if (o->kind == OPT_POSITIVE)
        return say_error("%s: --%s %s is not a number above 0", c->name, o->name, v);
    return say_error("%s: --%s %s is not a size such as 512M, 2G or 80%%", c->name, o->name, v);
}

bool opt_given(const opt *o)
{
    const char *fallback = o->fallback ? o->fallback : "";
    const char *text = "";
    uint64_t n = 0, usual = 0;

    switch (o->kind) {
    case OPT_FLAG: return *(const bool *)o->to;
    case OPT_TEXT:
    case OPT_CHOICE:
        text = *(const char *const *)o->to;
        return text && strcmp(text, fallback) != 0;
    case OPT_SHARE:
    case OPT_POSITIVE: return *(const double *)o->to != (*fallback ? strtod(fallback, NULL) : 0);
    case OPT_LEVEL:
    case OPT_COUNT:
    case OPT_SIZE: break;
    }
    n = *(const uint64_t *)o->to;
    return n != (*fallback && (o->kind == OPT_SIZE ? opt_size(&usual, fallback)
                                                   : opt_count(&usual, fallback))
                     ? usual
                     : 0);
}

/* The argument of a level is optional, so the next word is taken only if it is a number. */
static bool takes_argument(const opt *o, const char *next)
{
    return o->kind == OPT_LEVEL ? next && *next && !next[strspn(next, "0123456789")]
                                : o->argument != NULL;
}

static int no_argument(const command *c, const opt *o)
{
    return say_error("%s: --%s needs an argument: %s", c->name, o->name, o->argument);
}

static int parse_long(const command *c, const char *arg, char ***next)
{
    size_t len = strcspn(arg, "=");
    const char *v = arg[len] ? arg + len + 1 : NULL;
    const opt *o = find(c, arg, len, 0);

    if (!o)
        return unknown(c, arg, len);
    if (v && o->kind == OPT_FLAG)
        return say_error("%s: --%s takes no argument", c->name, o->name);
    if (!v && takes_argument(o, (*next)[1]) && !(v = *++*next))
        return no_argument(c, o);
    return set(c, o, v);
}

static int parse_letters(const command *c, const char *arg, char ***next)
{
    while (*arg) {
        const opt *o = find(c, NULL, 0, *arg);
        const char *v = NULL;
        if (!o) {
            say_error("%s has no option -%c", c->name, *arg);
            say_hint("featcross %s --help lists the options", c->name);
            return EXIT_USAGE;
        }
        arg++;
        if (takes_argument(o, *arg ? arg : (*next)[1])) {
            v = *arg ? arg : *++*next;
            arg = "";
            if (!v)
                return no_argument(c, o);
        }
        int status = set(c, o, v);
        if (status)
            return status;
    }
    return 0;
}

int opt_parse(const command *c, int argc, char **argv, char **operand, int *n)
{
    int status = 0;
    char **end = argv + argc;

    *n = 0;
    for (const opt_group *const *g = c->groups; *g; g++)
        for (const opt *o = (*g)->opts; o->name; o++)
            if (o->fallback && (status = set(c, o, o->fallback)))
                return status;
    for (char **next = argv; next < end && *next; next++) {
        char *arg = *next;
        if (!strcmp(arg, "--")) {
            while (++next < end)
                operand[(*n)++] = *next;
            break;
        }
        if (arg[0] != '-' || !arg[1])
            operand[(*n)++] = arg;
        else if ((status = arg[1] == '-' ? parse_long(c, arg + 2, &next)
                                         : parse_letters(c, arg + 1, &next)))
            return status;
    }
    return 0;
}
