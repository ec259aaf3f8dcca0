/* SPDX-License-Identifier: BSD-3-Clause
 * load_say.c - what was read, in words: size, label, categories; and warnings about columns that
 * were probably meant otherwise. */

#include "load.h"

#include <stdlib.h>
#include <string.h>

enum { FEW = 10 };                      /* values of a category that need no warning */

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Names of the table, ascending, since there may be 100,000 categories; NULL: none, or no
 * memory. */
static const char **sorted_names(const fx_table *t)
{
    const char **name = t->name ? malloc((t->cols + 1) * sizeof *name) : NULL;

    if (!name)
        return NULL;
    memcpy(name, t->name, t->cols * sizeof *name);
    qsort(name, t->cols, sizeof *name, compare);
    return name;
}

/* How many of the n names begin with the column's name and `=`; in *numbers, how many of these end
 * with a number. */
static size_t count_values(size_t *numbers, const char *const *name, size_t n, const char *column)
{
    size_t low = 0, high = n, count = 0;
    char start[257];
    const size_t len = (size_t)snprintf(start, sizeof start, "%s=", column);

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strncmp(name[middle], start, len) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *numbers = 0;
    for (; low + count < n && !strncmp(name[low + count], start, len); count++) {
        const char *value = name[low + count] + len;
        char *end;
        strtod(value, &end);
        *numbers += *value && !*end;
    }
    return count;
}

/* A column of numbers with some words looks like the first; numbers with signs such as $ or %, and
 * identifiers, look like the second. */
static void warn_values(const loaded *l, const char *column, size_t values, size_t numbers)
{
    uint64_t rows = l->reading.rows;    /* also those that --nan drop left out */

    if (reading_listed() || l->known || values < FEW)
        return;
    if (2 * numbers > values)
        say_warning("%s: the column %s is taken for categories, but %zu of its %zu values are "
                    "numbers; if the others stand for missing numbers, name them by --na",
                    l->name, column, numbers, values);
    else if (rows >= 2 * FEW && 10 * values > 9 * rows)
        say_warning("%s: the column %s is taken for categories, but has %zu different values in "
                    "%llu rows; if it identifies rows, use --id or --drop; if it holds numbers, "
                    "remove signs such as $ or %% from the file; --cat +%s keeps it without this "
                    "warning",
                    l->name, column, values, (unsigned long long)rows, column);
}

size_t load_say_categories(char shown[LOAD_SAY], const loaded *l)
{
    const char *list = spec_get(l->spec, "cat").p;
    size_t n = 0, columns = 0;

    *shown = '\0';
    if (!list || spec_says(l->spec, "cat", "none") || spec_says(l->spec, "cat", "auto"))
        return 0;
    const char **all = sorted_names(&l->table);
    while (*list && *list != ',') {
        size_t len = strcspn(list, "/,");
        char name[256];
        reading_name(name, sizeof name, list, len);
        size_t numbers, values = count_values(&numbers, all, all ? l->table.cols : 0, name);
        if (!l->reading.names)
            warn_values(l, name, values, numbers);
        if (n + strlen(name) + 32 < LOAD_SAY) {
            n += (size_t)snprintf(shown + n, LOAD_SAY - n, "%s%s", n ? ", " : "", name);
            if (!l->reading.names)
                n += (size_t)snprintf(shown + n, LOAD_SAY - n, " (%zu)", values);
        } else if (shown[n - 1] != '.')
            n += (size_t)snprintf(shown + n, LOAD_SAY - n, ", ...");
        columns++;
        list += len + (list[len] == '/');
    }
    free(all);
    return columns;
}

bool load_say_label(char out[LOAD_SAY], const loaded *l)
{
    spec_part label = spec_get(l->spec, "label"), header = spec_get(l->spec, "header");
    char name[96];

    if (!label.p || !header.p || !(l->table.label || l->so_far.labelled))
        return false;
    reading_name(name, sizeof name, label.p, label.n);
    bool place = spec_says(l->spec, "label", "last") || spec_says(l->spec, "label", "first");
    snprintf(out, LOAD_SAY, place ? "in the %s column" : "%s", name);
    return true;
}

void load_say(const loaded *l)
{
    const fx_read_counts *c = &l->reading;
    char rest[384] = "", text[LOAD_SAY];
    size_t n = 0;
    const struct { uint64_t count; const char *one, *what; } odd[] = {
        {c->blank, "blank line", "skipped"}, {c->dropped, "missing number", "read as 0"},
        {c->summed, "duplicate", "added up"}, {c->sorted, "row", "sorted"}};

    if (l->numbered)
        n = (size_t)snprintf(rest, sizeof rest, ", indices from %d (%s)", load_base(l),
                             l->base_given ? "given" : "found");
    if (l->part)
        n = (size_t)snprintf(rest, sizeof rest, ", part %s, seed %llu", l->part,
                             (unsigned long long)cli.seed);
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        if (odd[i].count)
            n += (size_t)snprintf(rest + n, sizeof rest - n, ", %llu %s%s %s",
                                  (unsigned long long)odd[i].count, odd[i].one,
                                  odd[i].count == 1 ? "" : "s", odd[i].what);
    bool found = load_say_label(text, l);
    say_note("%s: %s%s%s, %zu rows x %zu columns%s%s%s", l->name, l->format,
             l->compression ? " in " : "", l->compression ? l->compression : "", l->table.rows,
             l->table.cols, found ? ", label " : "", found ? text : "", rest);
    label_check(l);
    size_t columns = load_say_categories(text, l);
    if (columns)
        say_note("%s: %zu categorical column%s: %s", l->name, columns, columns == 1 ? "" : "s",
                 text);
    if (c->names)
        say_note("%s: %llu names hashed to %zu columns, %llu of them share one", l->name,
                 (unsigned long long)c->names, l->table.cols, (unsigned long long)c->collisions);
}

int load_say_twice(const loaded *l)
{
    fx_reader *r = NULL;

    if (!l->table.name || !spec_get(l->spec, "header").p)
        return 0;
    fx_status s = fx_data_reader_new(&r, l->spec, l->name);
    if (!s)
        s = fx_data_reader_names(r, l->table.name, l->table.cols);
    fx_data_reader_free(r);
    return s ? say_failure(s) : 0;
}
