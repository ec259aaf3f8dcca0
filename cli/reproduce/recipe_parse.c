/* SPDX-License-Identifier: BSD-3-Clause
 * recipe_parse.c - the text of an experiment (recipe.h) to what is to be measured.
 *
 * All strings of a recipe are pieces of one copy of its text, cut by NULs; a second copy is left as
 * it was, so that the line of a fault, even one found much later, follows from where its string
 * stands. */

#include "recipe_parse.h"

#include <stdlib.h>
#include <string.h>

/* ---- Values ------------------------------------------------------------------------------- */
/* "500 quick 50": the first, or the last with --quick. */
static int quick_or_full(char **out, const recipe *r, char *value)
{
    char *word[4] = {0};
    size_t n = 0;

    for (char *p = value; n < 4 && (word[n] = recipe_cases_word(&p));)
        n++;
    if (n != 1 && (n != 3 || strcmp(word[1], "quick")))
        return recipe_error(r, value, "expected VALUE, or VALUE quick VALUE");
    *out = n == 3 && r->quick ? word[2] : word[0];
    return 0;
}

/* ---- Lines -------------------------------------------------------------------------------- */
static int one_line(const char **out, const recipe *r, char *value)
{
    if (*out)
        return recipe_error(r, value, "this stands above already");
    *out = value;
    return 0;
}

/* Lines of a paragraph are joined; an empty one ends it. */
static int paragraph(char **all, const char *value)
{
    size_t n = *all ? strlen(*all) : 0;
    char *more = realloc(*all, n + strlen(value) + 3);

    if (!more)
        return say_no_memory("a recipe");
    *all = more;
    if (!*value)
        strcpy(more + n, n ? "\n\n" : "");
    else
        sprintf(more + n, "%s%s", n && more[n - 1] != '\n' ? " " : "", value);
    return 0;
}

static int parse_title(recipe *r, char *value) { return one_line(&r->title, r, value); }
static int parse_paper(recipe *r, char *value) { return one_line(&r->paper, r, value); }
static int parse_text(recipe *r, char *value) { return paragraph(&r->about, value); }
static int parse_note(recipe *r, char *value) { return paragraph(&r->notes, value); }

static int parse_measure(recipe *r, char *value)
{
    r->measure = recipe_measure(value);
    if (r->measure)
        return 0;
    recipe_error(r, value, "there is no measure '%s'", value);
    for (size_t i = 0; recipe_measures(i); i++)
        say_hint("measure %s: %s", recipe_measures(i)->name, recipe_measures(i)->summary);
    return EXIT_USAGE;
}

static int parse_seeds(recipe *r, char *value)
{
    char *n;
    int status = quick_or_full(&n, r, value);

    if (!status && !recipe_check_seeds(&r->seeds, n))
        status = recipe_error(r, n, "'%s' is not a number of seeds", n);
    return status;
}

static int parse_set(recipe *r, char *value)
{
    const char *const *known = r->measure ? r->measure->options : NULL;
    char *equals = strchr(value, '='), *used;

    if (!known)
        return recipe_error(r, value, "`measure` must stand above the options of it");
    if (!equals)
        return recipe_error(r, value, "expected NAME=VALUE");
    if (r->sets == sizeof r->set / sizeof *r->set)
        return recipe_error(r, value, "too many options");
    *equals = '\0';
    while (*known && strcmp(*known, value))
        known++;
    if (!*known)
        return recipe_error(r, value, "measure %s has no option '%s'", r->measure->name, value);
    int status = quick_or_full(&used, r, equals + 1);
    r->set[r->sets].name = value;
    r->set[r->sets++].value = used;
    return status;
}

static int parse_plot(recipe *r, char *value)
{
    recipe_plot *p = &r->plot[r->plots];
    const struct { const char *name; const char **to; } texts[] = {
        {"x", &p->x}, {"y", &p->y}, {"xlabel", &p->xlabel}, {"ylabel", &p->ylabel}};
    const struct { const char *name; bool *to; } flags[] = {
        {"log-x", &p->log_x}, {"log-y", &p->log_y}, {"last", &p->last}, {"dots", &p->dots}};

    if (r->plots == sizeof r->plot / sizeof *r->plot)
        return recipe_error(r, value, "too many plots");
    for (char *w; (w = recipe_cases_word(&value));) {
        char *equals = strchr(w, '=');
        size_t i = 0;
        if (equals) {
            *equals = '\0';
            while (i < 4 && strcmp(texts[i].name, w))
                i++;
            if (i < 4)
                *texts[i].to = equals + 1;
            if (i == 2 || i == 3)
                recipe_say(equals + 1, strlen(equals + 1) + 1, equals + 1);
        } else {
            while (i < 4 && strcmp(flags[i].name, w))
                i++;
            if (i < 4)
                *flags[i].to = true;
        }
        if (i == 4)
            return recipe_error(r, w, "a plot has no '%s'", w);
    }
    if (!p->x || !p->y)
        return recipe_error(r, value, "a plot needs x= and y=");
    r->plots++;
    return 0;
}

static int parse_table(recipe *r, char *value)
{
    for (char *w; (w = recipe_cases_word(&value));) {
        if (r->tables == RECIPE_COLUMNS)
            return recipe_error(r, w, "too many columns");
        r->table[r->tables++] = w;
    }
    return 0;
}

static int parse_check(recipe *r, char *value)
{
    bool full = !strncmp(value, "full", 4) && value[4] && strchr(RECIPE_SPACES, value[4]);

    value += full ? 4 + strspn(value + 4, RECIPE_SPACES) : 0;
    if (r->checks == sizeof r->check / sizeof *r->check)
        return recipe_error(r, value, "too many checks");
    r->check[r->checks].text = value;
    r->check[r->checks++].full = full;
    return 0;
}

static const struct { const char *key; int (*parse)(recipe *r, char *value); } keys[] = {
    {"title", parse_title},     {"paper", parse_paper}, {"text", parse_text},
    {"note", parse_note},       {"seeds", parse_seeds}, {"measure", parse_measure},
    {"set", parse_set},         {"plot", parse_plot},   {"table", parse_table},
    {"check", parse_check},
};

static int parse_line(recipe *r, char *line)
{
    char *key = line, *value = line + strcspn(line, RECIPE_SPACES);

    if (*value)
        *value++ = '\0';
    value += strspn(value, RECIPE_SPACES);
    for (size_t n = strlen(value); n && strchr(RECIPE_SPACES, value[n - 1]); n--)
        value[n - 1] = '\0';
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strcmp(keys[i].key, key)) {
            if (!*value && keys[i].parse != parse_text && keys[i].parse != parse_note)
                return recipe_error(r, key, "`%s` says nothing", key);
            return keys[i].parse(r, value);
        }
    return recipe_error(r, key, "there is no key '%s'", key);
}

/* ---- The whole ---------------------------------------------------------------------------- */
static int parse(recipe *r)
{
    bool cases = false, left_out = false;
    int status = 0;

    for (char *p = r->text, *next; p && !status; p = next) {
        if ((next = strchr(p, '\n')))
            *next++ = '\0';
        char *first = p + strspn(p, RECIPE_SPACES);
        bool header = !strncmp(p, "cases", 5) && (!p[5] || strchr(RECIPE_SPACES, p[5]));
        if (!*first || *first == '#')
            continue;
        if (header) {
            char *rest = p + 5, *w = recipe_cases_word(&rest);
            if (w && (strcmp(w, "full") || recipe_cases_word(&rest)))
                status = recipe_error(r, w, "expected `cases`, or `cases full`");
            else if (!r->measure)
                status = recipe_error(r, p, "`measure` must stand above the cases");
            cases = true;
            left_out = w && r->quick;
        } else if (!cases)
            status = first == p ? parse_line(r, p)
                                : recipe_error(r, first, "a line begins with its key");
        else if (!r->columns)
            status = recipe_cases_columns(r, p);
        else if (!left_out)
            status = recipe_cases_add(r, p);
    }
    return status ? status : recipe_check(r);
}

static void add_crc(uint32_t *c, const char *s)         /* with the NUL at its end */
{
    size_t n = s ? strlen(s) : 0;

    for (size_t i = 0; i <= n; i++) {
        *c ^= i < n ? (unsigned char)s[i] : 0;
        for (int bit = 0; bit < 8; bit++)
            *c = *c >> 1 ^ (*c & 1 ? 0xEDB88320u : 0);
    }
}

/* Of what measurements depend on: words about them, tables and plots may change later. */
static uint32_t crc_of(const recipe *r)
{
    uint32_t c = UINT32_MAX;

    add_crc(&c, r->measure->name);
    for (size_t i = 0; i < r->sets; i++) {
        add_crc(&c, r->set[i].name);
        add_crc(&c, r->set[i].value);
    }
    for (size_t i = 0; i < r->columns; i++)
        add_crc(&c, r->column[i]);
    for (size_t i = 0; i < r->cells * r->columns; i++)
        add_crc(&c, r->field[i]);
    return ~c;
}

int recipe_parse(recipe **out, const char *name, const char *text, bool quick)
{
    const char *base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
    size_t n = strlen(base), end = sizeof ".recipe" - 1;
    recipe *r = calloc(1, sizeof *r);

    if (r)
        *r = (recipe){.text = strdup(text), .source = strdup(text), .file = strdup(name),
                      .seeds = 1, .quick = quick};
    if (!r || !r->text || !r->source || !r->file) {
        recipe_free(r);
        return say_no_memory("a recipe");
    }
    n -= n > end && !strcmp(base + n - end, ".recipe") ? end : 0;
    int status = 0;
    if (n >= sizeof r->name)
        status = recipe_error(r, NULL, "the name is too long");
    else
        snprintf(r->name, sizeof r->name, "%.*s", (int)n, base);
    if (!status)
        status = parse(r);
    if (status) {
        recipe_free(r);
        return status;
    }
    r->crc = crc_of(r);
    *out = r;
    return 0;
}
