/* SPDX-License-Identifier: BSD-3-Clause
 * recipe.c - access to a recipe: its fields, options and measure, and the place of an error. */

#include "recipe.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const measure *const measures[] = {&measure_error, &measure_time, &measure_fit,
                                          &measure_history, &measure_path, &measure_discover};
enum { MEASURES = sizeof measures / sizeof *measures };

const measure *recipe_measures(size_t i) { return i < MEASURES ? measures[i] : NULL; }

const measure *recipe_measure(const char *name)
{
    for (size_t i = 0; i < MEASURES; i++)
        if (!strcmp(measures[i]->name, name))
            return measures[i];
    return NULL;
}

/* ---- Faults ------------------------------------------------------------------------------- */
int recipe_error(const recipe *r, const char *at, const char *format, ...)
{
    char reason[512];
    size_t line = 1;
    va_list args;

    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    if (at) {
        for (const char *p = r->source; p < r->source + (at - r->text); p++)
            line += *p == '\n';
        say_error("%s:%zu: %s", r->file, line, reason);
    } else
        say_error("%s: %s", r->file, reason);
    return EXIT_USAGE;
}

void recipe_free(recipe *r)
{
    if (!r)
        return;
    free(r->text);
    free(r->source);
    free(r->file);
    free(r->about);
    free(r->notes);
    free(r->field);
    free(r);
}

/* ---- What it says ------------------------------------------------------------------------- */
size_t recipe_column(const recipe *r, const char *name)
{
    size_t i = 0;

    while (i < r->columns && strcmp(r->column[i], name))
        i++;
    return i;
}

const char *recipe_field(const recipe *r, size_t cell, const char *column)
{
    size_t i = recipe_column(r, column);

    return i < r->columns ? r->field[cell * r->columns + i] : NULL;
}

int recipe_number(double *out, const recipe *r, size_t cell, const char *column, double otherwise)
{
    const char *text = recipe_field(r, cell, column);
    char *end;

    *out = otherwise;
    if (!text)
        return 0;
    *out = strtod(text, &end);
    return end > text && !*end ? 0
                               : recipe_error(r, text, "%s: '%s' is not a number", column, text);
}

uint64_t recipe_seeds(const recipe *r, size_t cell)
{
    const char *text = recipe_field(r, cell, "seeds");
    uint64_t n = text ? strtoull(text, NULL, 10) : r->seeds;

    return n < r->seeds ? n : r->seeds;
}

const char *recipe_set(const recipe *r, const char *option, const char *otherwise)
{
    for (size_t i = 0; i < r->sets; i++)
        if (!strcmp(r->set[i].name, option))
            return r->set[i].value;
    return otherwise;
}

bool recipe_same(const char *a, const char *b) { return a && b ? !strcmp(a, b) : a == b; }

bool recipe_alike(const recipe *r, size_t a, size_t b, const char *column)
{
    return recipe_same(recipe_field(r, a, column), recipe_field(r, b, column));
}

size_t recipe_other(const recipe *r, size_t cell, const char *name)
{
    const char *panel = recipe_field(r, cell, "panel");
    size_t i = 0;

    name += *name == '@';
    while (i < r->cells && !(recipe_same(recipe_field(r, i, "series"), name)
                             && recipe_same(recipe_field(r, i, "panel"), panel)))
        i++;
    return i;
}

size_t recipe_measured(const recipe *r, const char *column)
{
    for (size_t i = 0; r->measure->columns[i]; i++)
        if (!strcmp(r->measure->columns[i], column))
            return i;
    return RECIPE_VALUES;
}

void recipe_say(char *out, size_t capacity, const char *field)
{
    size_t n = 0;

    for (; field && field[n] && n + 1 < capacity; n++)
        out[n] = field[n] == '_' ? ' ' : field[n];
    out[n] = '\0';
}
