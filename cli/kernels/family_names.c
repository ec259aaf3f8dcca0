/* SPDX-License-Identifier: BSD-3-Clause
 * family_names.c - columns by their names in files of groups and sets; the library reads numbers.
 *
 * In a group, the name of a column of categories stands for all its values: `place: city` is
 * city=Paris, city=Rome, ... Spaces, commas and # in a name are written %20, %2C, %23. */

#include "family_names.h"
#include "terminal/terminal.h"

#include <stdlib.h>
#include <string.h>

#define GAPS " \t\r,"

/* Is the word that name? */
static bool same(const char *word, size_t n, const char *name, size_t len)
{
    size_t i = 0;

    for (size_t k = 0; k < len; k++) {
        const char *escape = name[k] == ' ' ? "%20" : name[k] == ',' ? "%2C" : "%23";
        bool special = strchr(" ,#", name[k]);
        if (n - i < (special ? 3u : 1u)
            || (special ? strncmp(word + i, escape, 3) : word[i] != name[k]))
            return false;
        i += special ? 3 : 1;
    }
    return i == n;
}

/* The word as numbers of columns, or as it is if it is one; false: there is no such column. */
static bool put(FILE *f, const char *word, size_t n, const fx_table *t, bool sets)
{
    bool found = false;

    if (strspn(word, "0123456789") >= n || (sets && n == 2 && !strncmp(word, "{}", n))) {
        fprintf(f, "%.*s ", (int)n, word);
        return true;
    }
    for (size_t j = 0; j < t->cols; j++) {
        const char *name = t->name[j], *value = strchr(name, '=');
        if (same(word, n, name, strlen(name))
            || (!sets && value && same(word, n, name, (size_t)(value - name)))) {
            fprintf(f, "%zu ", j + (size_t)t->base);
            found = true;
        }
    }
    return found;
}

/* A name with escapes may not match; then there is no hint, and the message is clear without it. */
static int no_column(const char *path, size_t line, const char *word, size_t n, const fx_table *t)
{
    char typed[64];
    const char *near;

    snprintf(typed, sizeof typed, "%.*s", (int)n, word);
    near = n < sizeof typed ? fx_nearest(typed, t->name, t->cols) : NULL;
    return say_error("%s:%zu: there is no column '%.*s'%s%s%s", path, line, (int)n, word,
                     near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static int translate(FILE *f, const char *text, const char *path, const fx_table *t, bool sets)
{
    const char *p = text;

    for (size_t line = 1; *p; line++) {
        bool named = sets;              /* else from the word that ends in a colon on */
        while (*(p += strspn(p, GAPS)) && *p != '\n' && *p != '#') {
            size_t n = strcspn(p, GAPS "\n#");
            bool title = !named && memchr(p, ':', n) == p + n - 1;
            if (!named)
                fprintf(f, "%.*s ", (int)n, p);
            else if (!put(f, p, n, t, sets))
                return no_column(path, line, p, n, t);
            named |= title;
            p += n;
        }
        p += strcspn(p, "\n");
        if (*p == '\n')
            fputc(*p++, f);
    }
    return 0;
}

int family_names_read(char **family, const char *path, const fx_table *t, bool sets)
{
    char *out = NULL;
    size_t size;
    FILE *f = open_memstream(&out, &size);

    if (!f)
        return say_no_memory("groups");
    int status = translate(f, *family, path, t, sets);
    bool failed = ferror(f);
    if (fclose(f) || failed)
        status = say_no_memory("groups");
    if (status)
        free(out);
    else {
        free(*family);
        *family = out;
    }
    return status;
}
