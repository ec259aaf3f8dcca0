/* SPDX-License-Identifier: BSD-3-Clause
 * store_lines.c - the lines of a file of records.  What a line must begin with is known, so reading
 * compares that, and takes the numbers behind it. */

#include "store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST "# featcross reproduce "
#define BY ", by "

size_t store_lines_width(const recipe *r)
{
    size_t n = 0;

    while (r->measure->columns[n])
        n++;
    return n;
}

static void put_field(strbuf *t, const char *field)
{
    const char *quote = field && strpbrk(field, ",\"") ? "\"" : "";

    strbuf_add(t, "%s", quote);
    for (; field && *field; field++)
        strbuf_add(t, *field == '"' ? "\"\"" : "%c", *field);
    strbuf_add(t, "%s,", quote);
}

void store_lines_head(strbuf *t, const store *s)
{
    const recipe *r = s->r;

    strbuf_add(t, FIRST "%s, recipe %08lx, %s, seeds %llu to %llu%s%s\n", r->name,
               (unsigned long)r->crc, r->quick ? "quick" : "full", (unsigned long long)s->seed,
               (unsigned long long)(s->seed + r->seeds - 1), BY, s->known.origin);
    for (size_t i = 0; i < r->columns; i++)
        strbuf_add(t, "%s,", r->column[i]);
    strbuf_add(t, "seed,point");
    for (size_t i = 0; i < store_lines_width(r); i++)
        strbuf_add(t, ",%s", r->measure->columns[i]);
    strbuf_add(t, "\n");
}

static void put_start(strbuf *t, const recipe *r, size_t cell, uint64_t seed, size_t point)
{
    for (size_t i = 0; i < r->columns; i++)
        put_field(t, r->field[cell * r->columns + i]);
    strbuf_add(t, "%llu,%zu", (unsigned long long)seed, point);
}

void store_lines_record(strbuf *t, const recipe *r, const struct record *p)
{
    char number[32];

    put_start(t, r, p->cell, p->seed, p->point);
    for (size_t i = 0; i < store_lines_width(r); i++)
        strbuf_add(t, ",%s", isnan(p->value[i]) ? "" : say_number(number, p->value[i]));
    strbuf_add(t, "\n");
}

void store_lines_origin(store *s, const char *who)
{
    size_t n = strlen(s->known.origin);

    snprintf(s->known.origin + n, sizeof s->known.origin - n, "; then %s", who);
    s->resumed = strcmp(who, s->now) != 0;
}

const char *store_lines_by(const char *line)
{
    size_t n = sizeof STORE_BY - 1;

    return strncmp(line, STORE_BY, n) ? NULL : line + n;
}

/* ",0.5,,3": n numbers, where nothing is NaN; false: that is something else. */
static bool numbers(double *value, size_t n, const char *line)
{
    char *end;

    for (size_t i = 0; i < n; i++) {
        if (*line++ != ',')
            return false;
        value[i] = strtod(line, &end);
        if (end == line)
            value[i] = NAN;
        line = end;
    }
    return !*line;
}

bool store_lines_take(struct record *p, const store *s, size_t k, size_t point, const char *line)
{
    strbuf t = {0};

    if (k >= s->cells)
        return false;
    *p = (struct record){.point = point};
    store_cell(s, k, &p->cell, &p->seed);
    put_start(&t, s->r, p->cell, p->seed, point);
    for (size_t i = 0; i < RECIPE_VALUES; i++)
        p->value[i] = NAN;
    bool is = !t.failed && !strncmp(line, t.s, t.n)
              && numbers(p->value, store_lines_width(s->r), line + t.n);
    strbuf_free(&t);
    return is;
}

/* Who measured them may be another. */
size_t store_lines_check(store *s, const char *path, const char *bytes)
{
    strbuf t = {0};
    size_t n = 0;

    store_lines_head(&t, s);
    if (!t.failed) {
        const char *ours = strchr(t.s, '\n'), *theirs = strchr(bytes, '\n');
        size_t same = (size_t)(strstr(t.s, BY) - t.s) + sizeof BY - 1;
        if (theirs && !strncmp(bytes, t.s, same) && !strncmp(theirs, ours, strlen(ours))) {
            n = (size_t)(theirs - bytes) + strlen(ours);
            snprintf(s->known.origin, sizeof s->known.origin, "%.*s",
                     (int)(theirs - bytes - (ptrdiff_t)same), bytes + same);
            s->resumed = strcmp(s->known.origin, s->now) != 0;
        }
    }
    strbuf_free(&t);
    if (n)
        return n;
    if (strncmp(bytes, FIRST, sizeof FIRST - 1))
        say_error("%s: was not written by featcross reproduce", path);
    else
        say_error("%s: holds another run: %.*s", path, (int)strcspn(bytes + 2, "\n"), bytes + 2);
    say_hint("--restart measures again in its place, -o DIR leaves it alone");
    return 0;
}
