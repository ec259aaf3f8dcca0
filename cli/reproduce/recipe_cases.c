/* SPDX-License-Identifier: BSD-3-Clause
 * recipe_cases.c - the cases of a recipe: a line of names, lines of fields, lists in them. */

#include "recipe_parse.h"

#include <stdlib.h>
#include <string.h>

char *recipe_cases_word(char **p)
{
    char *w = *p + strspn(*p, RECIPE_SPACES);

    if (!*w)
        return NULL;
    *p = w + strcspn(w, RECIPE_SPACES);
    if (**p)
        *(*p)++ = '\0';
    return w;
}

int recipe_cases_columns(recipe *r, char *line)
{
    for (char *w; (w = recipe_cases_word(&line));) {
        if (r->columns == RECIPE_COLUMNS)
            return recipe_error(r, w, "too many columns");
        if (recipe_column(r, w) < r->columns)
            return recipe_error(r, w, "there are two columns '%s'", w);
        if (!strcmp(w, "seed") || !strcmp(w, "point") || recipe_measured(r, w) < RECIPE_VALUES)
            return recipe_error(r, w, "'%s' is measured, and no column of cases", w);
        r->column[r->columns++] = w;
    }
    return 0;
}

static size_t cut_list(char *w)         /* its length; NULs between its parts */
{
    size_t n = 1;

    for (; (w = strchr(w, '|')); n++)
        *w++ = '\0';
    return n;
}

int recipe_cases_add(recipe *r, char *line)
{
    char *part[RECIPE_COLUMNS], *w;
    size_t length[RECIPE_COLUMNS], n = 0, cases = 1;

    while ((w = recipe_cases_word(&line))) {
        if (n == r->columns)
            return recipe_error(r, w, "more than the %zu columns above", r->columns);
        part[n] = w;
        length[n] = cut_list(w);
        if (length[n] > 1 && cases > 1 && length[n] != cases)
            return recipe_error(r, w, "%s: %zu values, where a column before has %zu", r->column[n],
                                length[n], cases);
        cases = length[n] > 1 ? length[n] : cases;
        n++;
    }
    if (n < r->columns)
        return recipe_error(r, part[0], "%zu fields, there are %zu columns", n, r->columns);
    if (r->cells + cases > RECIPE_CASES)
        return recipe_error(r, part[0], "more than %d cases", RECIPE_CASES);
    const char **more = realloc(r->field, (r->cells + cases) * n * sizeof *more);
    if (!more)
        return say_no_memory("a recipe");
    r->field = more;
    for (size_t i = 0; i < cases; i++)
        for (size_t j = 0; j < n; j++) {
            r->field[(r->cells + i) * n + j] = *part[j] && strcmp(part[j], "-") ? part[j] : NULL;
            if (length[j] > 1)
                part[j] += strlen(part[j]) + 1;
        }
    r->cells += cases;
    return 0;
}
