/* SPDX-License-Identifier: BSD-3-Clause
 * reproduce_table.c - results on the terminal: the recipe's table, the paper's figures beside. */

#include "reproduce.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 2 * RECIPE_COLUMNS,    /* what is measured has the paper's beside it */
       SCREEN = 40 };                   /* rows of a table */

typedef struct column {
    const char *name;
    size_t measured;                    /* its place; RECIPE_VALUES: of the case */
    char paper[64];                     /* the column of the paper's; "": it is not that */
} column;

/* Of `table`; without one: the series, and what is plotted. */
static size_t list(column *c, const recipe *r)
{
    const char *name[COLUMNS] = {"series"};
    size_t names = r->tables ? 0 : 1, n = 0;

    for (size_t i = 0; i < r->tables; i++)
        name[names++] = r->table[i];
    for (size_t i = 0; i < r->plots && !r->tables; i++) {
        name[names++] = r->plot[i].x;
        name[names++] = r->plot[i].y;
    }
    for (size_t i = 0; i < names && n + 1 < COLUMNS; i++) {
        size_t place = recipe_measured(r, name[i]);
        if (!strncmp(name[i], "paper_", 6))
            continue;
        c[n++] = (column){.name = name[i], .measured = place};
        c[n] = (column){.name = "paper", .measured = RECIPE_VALUES};
        snprintf(c[n].paper, sizeof c[n].paper, "paper_%s", name[i]);
        n += place < RECIPE_VALUES && recipe_column(r, c[n].paper) < r->columns;
    }
    return n;
}

static const char *field(char buf[64], const column *c, const recipe *r, const records *k,
                         size_t cell)
{
    if (c->measured == RECIPE_VALUES)
        recipe_say(buf, 64, recipe_field(r, cell, *c->paper ? c->paper : c->name));
    else {
        summary s = records_of(k, cell, RECORDS_LAST, c->measured);
        snprintf(buf, 64, !s.n ? "-" : s.n > 1 ? "%.4g +- %.2g" : "%.4g", s.mean, s.sd);
    }
    return buf;
}

/* If there are too many cases, the last one of each series is shown, usually that with most
 * features, .. */
static bool is_last(const recipe *r, size_t cell)
{
    size_t i = cell + 1;

    while (i < r->cells
           && !(recipe_alike(r, i, cell, "series") && recipe_alike(r, i, cell, "panel")))
        i++;
    return i == r->cells;
}

/* .. and of these as many as a screen has. */
static size_t choose(size_t shown[SCREEN], const recipe *r)
{
    size_t n = 0;

    for (size_t i = 0; i < r->cells && n < SCREEN; i++)
        if (r->cells <= SCREEN || is_last(r, i))
            shown[n++] = i;
    return n;
}

int reproduce_print(const recipe *r, const records *k)
{
    column c[COLUMNS];
    char buf[64];
    size_t n = list(c, r), width[COLUMNS], shown[SCREEN], rows = choose(shown, r);

    for (size_t i = 0; i < n; i++) {
        width[i] = strlen(c[i].name);
        for (size_t row = 0; row < rows; row++) {
            size_t w = strlen(field(buf, &c[i], r, k, shown[row]));
            width[i] = w > width[i] ? w : width[i];
        }
    }
    safe_print(stdout, "%s\n\n", r->title);
    for (size_t i = 0; i < n; i++)
        safe_print(stdout, i + 1 < n ? "%-*s  " : "%-*s\n", i + 1 < n ? (int)width[i] : 0,
                   c[i].name);
    for (size_t row = 0; row < rows; row++)
        for (size_t i = 0; i < n; i++)
            safe_print(stdout, i + 1 < n ? "%-*s  " : "%-*s\n", i + 1 < n ? (int)width[i] : 0,
                       field(buf, &c[i], r, k, shown[row]));
    if (rows < r->cells)
        safe_print(stdout, "%zu of %zu rows, the last of a series each; the page has all.\n", rows,
                   r->cells);
    safe_print(stdout, "\n");
    return say_flush();
}

void reproduce_note(const recipe *r, const records *k, size_t cell)
{
    column c[COLUMNS];
    char buf[64];
    strbuf t = {0};

    for (size_t i = 0, n = list(c, r); i < n; i++)
        if (*field(buf, &c[i], r, k, cell))
            strbuf_add(&t, "%s%s%s%s", t.n ? ", " : "",
                       c[i].measured < RECIPE_VALUES || *c[i].paper ? c[i].name : "",
                       c[i].measured < RECIPE_VALUES || *c[i].paper ? " " : "", buf);
    if (!t.failed && t.n)
        say_note("%s", t.s);
    strbuf_free(&t);
}
