/* SPDX-License-Identifier: BSD-3-Clause
 * page.c - the page of a recipe, in Markdown: what was done, the figure, our figures beside the
 * paper's, which claims hold, and how to make it again. */

#include "recipe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 120, FOLDED = 60 };      /* columns of prose; rows of a table that is shown open */

/* ---- Prose -------------------------------------------------------------------------------- */
/* Paragraphs, filled; a line after the first of a list is indented. */
static void add_prose(strbuf *t, const char *s, const char *start, const char *indent)
{
    size_t at = strlen(start);

    strbuf_add(t, "%s", start);
    for (bool first = true; *s; first = false) {
        size_t spaces = strspn(s, " \n"), n = strcspn(s + spaces, " \n");
        bool paragraph = !first && memchr(s, '\n', spaces) != NULL;
        s += spaces;
        if (!n)
            break;
        if (paragraph || (!first && at + 1 + n > WIDTH)) {
            strbuf_add(t, "\n%s%s", paragraph ? "\n" : "", indent);
            at = strlen(indent);
        } else if (!first) {
            strbuf_add(t, " ");
            at++;
        }
        strbuf_add(t, "%.*s", (int)n, s);
        at += n;
        s += n;
    }
    strbuf_add(t, "\n");
}

/* In a table: what Markdown would take for its own is escaped. */
static void add_plain(strbuf *t, const char *s)
{
    for (; *s; s++)
        strbuf_add(t, strchr("|<*`", *s) ? "\\%c" : "%c", *s);
}

/* ---- Numbers ------------------------------------------------------------------------------ */
/* With that many decimals or, with an exponent, that many decimals of the mantissa. */
static void add_number(strbuf *t, double x, int decimals, bool exponent)
{
    char s[48];

    snprintf(s, sizeof s, exponent ? "%.*e" : "%.*f", decimals, x);
    char *e = strchr(s, 'e');
    if (e)                              /* 2.3e-5: neither zeros nor + */
        *e++ = 0;
    strbuf_add(t, "%s", s);
    if (e)
        strbuf_add(t, "e%s%s", *e == '-' ? "-" : "", e + 1 + strspn(e + 1, "0"));
}

static int power(double x) { return x != 0 && isfinite(x) ? (int)floor(log10(fabs(x))) : 0; }

static bool is_share(const char *column)
{
    return strstr(column, "accuracy") || strstr(column, "auc");
}

/* Two digits of the deviation decide how many of the mean make sense. */
static void add_summary(strbuf *t, const char *column, summary s)
{
    if (!s.n)
        return;
    if (is_share(column)) {
        strbuf_add(t, s.n > 1 ? "%.4f +- %.4f" : "%.4f", s.mean, s.sd);
        return;
    }
    if (s.sd == 0 && s.mean == floor(s.mean) && fabs(s.mean) < 1e12) {
        strbuf_add(t, "%.0f", s.mean);
        return;
    }
    bool exponent = power(s.mean) < -3 || power(s.mean) > 5;
    int last = s.sd > 0 ? power(s.sd) - 1 : power(s.mean) - 3;   /* the last digit's place */
    int digits = power(s.mean) - last;
    last = digits < 1 ? power(s.mean) - 1 : digits > 4 ? power(s.mean) - 4 : last;
    add_number(t, s.mean, exponent ? power(s.mean) - last : last < 0 ? -last : 0, exponent);
    if (s.sd > 0) {
        strbuf_add(t, " +- ");
        add_number(t, s.sd, exponent ? 1 : last < 0 ? -last : 0, exponent);
    }
}

/* ---- The table ---------------------------------------------------------------------------- */
/* The column paper_X of a measured X; false: there is none. */
static bool paper_column(char out[80], const recipe *r, const char *x)
{
    snprintf(out, 80, "paper_%s", x);
    return recipe_measured(r, x) < RECIPE_VALUES && recipe_column(r, out) < r->columns;
}

/* A column that is shown next to X anyway is not repeated. */
static bool is_repeated(const recipe *r, const char *column)
{
    char name[80], sd[96];

    for (size_t i = 0; i < r->tables; i++)
        if (paper_column(name, r, r->table[i])) {
            snprintf(sd, sizeof sd, "%s_sd", name);
            if (!strcmp(column, name) || !strcmp(column, sd))
                return true;
        }
    return false;
}

static void add_head(strbuf *t, const recipe *r)
{
    char name[80];
    size_t columns = 0;

    for (size_t i = 0; i < r->tables; i++) {
        if (is_repeated(r, r->table[i]))
            continue;
        recipe_say(name, sizeof name, r->table[i]);
        strbuf_add(t, "| %s ", name);
        columns++;
        if (paper_column(name, r, r->table[i])) {
            strbuf_add(t, "| paper ");
            columns++;
        }
    }
    strbuf_add(t, "|\n");
    while (columns--)
        strbuf_add(t, "|---");
    strbuf_add(t, "|\n");
}

static void add_row(strbuf *t, const recipe *r, const records *k, size_t cell, size_t point,
                    bool all)
{
    char paper[80], sd[96], plain[256];

    for (size_t i = 0; i < r->tables; i++) {
        const char *column = r->table[i], *field = recipe_field(r, cell, column);
        size_t place = recipe_measured(r, column);
        if (is_repeated(r, column))
            continue;
        strbuf_add(t, "| ");
        if (place < RECIPE_VALUES)
            add_summary(t, column, records_of(k, cell, all ? point : RECORDS_LAST, place));
        else if (!strcmp(column, "point"))
            strbuf_add(t, "%zu", point);
        else if (!strcmp(column, "series") || !strcmp(column, "panel")) {
            recipe_say(plain, sizeof plain, field);
            add_plain(t, plain);
        } else
            add_plain(t, field ? field : "");
        if (paper_column(paper, r, column)) {
            snprintf(sd, sizeof sd, "%s_sd", paper);
            const char *value = recipe_field(r, cell, paper), *spread = recipe_field(r, cell, sd);
            strbuf_add(t, " | %s%s%s", value ? value : "", value && spread ? " +- " : "",
                       value && spread ? spread : "");
        }
        strbuf_add(t, " ");
    }
    strbuf_add(t, "|\n");
}

/* A row for each case; for each of its points, if the table shows their number. */
static void add_table(strbuf *t, const recipe *r, const records *k)
{
    size_t rows = 0;
    bool all = false;

    for (size_t i = 0; i < r->tables; i++)
        all |= !strcmp(r->table[i], "point");
    for (size_t i = 0; i < r->cells; i++)
        rows += all ? records_points(k, i) : 1;
    if (rows > FOLDED)
        strbuf_add(t, "\n<details><summary>The table: %zu rows</summary>\n", rows);
    strbuf_add(t, "\n");
    add_head(t, r);
    for (size_t i = 0; i < r->cells; i++) {
        size_t points = records_points(k, i);
        for (size_t q = all || !points ? 0 : points - 1; q < points; q++)
            add_row(t, r, k, i, q, all);
    }
    if (rows > FOLDED)
        strbuf_add(t, "\n</details>\n");
}

/* ---- The page ----------------------------------------------------------------------------- */
static void add_claims(strbuf *t, const claim *c, size_t claims)
{
    strbuf_add(t, "\n## Checks\n\n");
    for (size_t i = 0; i < claims; i++) {
        strbuf s = {0};
        add_plain(&s, c[i].text);
        t->failed |= s.failed;
        add_prose(t, s.s ? s.s : "",
                  c[i].left_out ? "- left out by --quick: "
                  : c[i].passed    ? "- met: "
                                : "- **not met**: ", "  ");
        strbuf_free(&s);
    }
}

static void add_origin(strbuf *t, const recipe *r, const records *k, const char *how)
{
    strbuf s = {0};

    strbuf_add(&s, "%s, seed%s %llu", r->quick ? "Quick" : "In full", r->seeds > 1 ? "s" : "",
               (unsigned long long)cli.seed);
    if (r->seeds > 1)
        strbuf_add(&s, " to %llu", (unsigned long long)(cli.seed + r->seeds - 1));
    strbuf_add(&s, "; %s. Every number is in [%s.csv](%s.csv).", k->origin, r->name, r->name);
    strbuf_add(t, "\n## How it was made\n\n    %s\n\n", how);
    t->failed |= s.failed;
    add_prose(t, s.s ? s.s : "", "", "");
    strbuf_free(&s);
}

int page_write(output *o, const recipe *r, const records *k, const claim *c, size_t claims,
               const char *how, const char *image)
{
    strbuf t = {0};

    strbuf_add(&t, "# %s\n\n", r->title);
    add_prose(&t, r->paper, "", "");
    if (r->about) {
        strbuf_add(&t, "\n");
        add_prose(&t, r->about, "", "");
    }
    if (image)
        strbuf_add(&t, "\n![%s](%s)\n", r->title, image);
    if (r->tables)
        add_table(&t, r, k);
    if (claims)
        add_claims(&t, c, claims);
    if (r->notes) {
        strbuf_add(&t, "\n## Notes\n\n");
        add_prose(&t, r->notes, "", "");
    }
    add_origin(&t, r, k, how);
    int status = t.failed ? say_no_memory("the page") : output_text(o, t.s);
    strbuf_free(&t);
    return status ? status : output_close(o);
}
