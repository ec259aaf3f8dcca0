/* SPDX-License-Identifier: BSD-3-Clause
 * nearest.c - the name that a misspelt word was likely meant to be, for error messages.
 *
 * The distance counts the letters to insert, delete or replace, and swaps of two neighbours, each
 * as one step (optimal string alignment); upper and lower case are the same.  A name is near if
 * this is at most a third of the word's length, or 1 for words of two letters or more; else a name
 * that begins with the word is the next best.  If two names are equally near, none is returned:
 * a wrong guess would be worse than the list.
 *
 * Cost: length of the word times length of the name; names that are too long or too short are
 * skipped at once, so that a million columns take milliseconds. */

#include "base/base.h"

#include <stdio.h>
#include <string.h>

enum { WORD = 64, SHOWN = 96 };         /* longest word, and longest name that is shown */

static char folded(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static bool same(char a, char b) { return folded(a) == folded(b); }

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* a is at most WORD letters long, b at most twice that. */
static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t row[3][2 * WORD + 1];        /* of the last two letters of a, and this one */

    for (size_t j = 0; j <= m; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            now[j] = least(last[j - 1] + !same(a[i - 1], b[j - 1]), least(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                now[j] = least(now[j], before[j - 2] + 1);
        }
    }
    return row[n % 3][m];
}

static bool begins(const char *name, const char *word, size_t len)
{
    size_t i = 0;

    while (i < len && same(name[i], word[i]))
        i++;
    return i == len;
}

fxi_nearest fxi_nearest_to(const char *word, size_t len)
{
    size_t limit = len < 2 || len > WORD ? 0 : len < 6 ? 1 : len / 3;

    return (fxi_nearest){.word = word, .len = len, .limit = limit, .distance = SIZE_MAX};
}

void fxi_nearest_try(fxi_nearest *n, const char *name, size_t len)
{
    size_t d = SIZE_MAX, apart = len > n->len ? len - n->len : n->len - len;

    if (!n->limit || len > SHOWN || (len == n->len && !memcmp(name, n->word, len)))
        return;
    if (apart <= n->limit)
        d = distance(n->word, n->len, name, len);
    if (d > n->limit) {
        if (len < n->len || !begins(name, n->word, n->len))
            return;
        d = n->limit + 1;
    }
    if (d < n->distance) {
        n->distance = d;
        n->name = name;
        n->name_len = len;
        n->tied = false;
    } else if (d == n->distance && (len != n->name_len || memcmp(name, n->name, len) != 0))
        n->tied = true;
}

const char *fxi_nearest_hint(char buf[FXI_NEAREST], const fxi_nearest *n)
{
    *buf = '\0';
    if (n->name && !n->tied)
        snprintf(buf, FXI_NEAREST, "; did you mean '%.*s'?", (int)n->name_len, n->name);
    return buf;
}

const char *fx_nearest(const char *word, const char *const *name, size_t n)
{
    if (!word || (n && !name))
        return NULL;
    fxi_nearest near = fxi_nearest_to(word, strlen(word));
    for (size_t i = 0; i < n; i++)
        if (name[i])
            fxi_nearest_try(&near, name[i], strlen(name[i]));
    return near.tied ? NULL : near.name;
}
