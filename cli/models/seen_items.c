/* SPDX-License-Identifier: BSD-3-Clause
 * seen_items.c - which items users have seen: lines `user item`, # comments.
 *
 * Names are those of the rows.  A name that is a number is found by its value: 7, 7.0 and 7e0
 * are the same.  Lines of items or users that are not there change nothing. */

#include "models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct named_item {
    const char *name;
    size_t number;
} named_item;

static int by_name(const void *a, const void *b)
{
    const named_item *x = a, *y = b;

    return strcmp(x->name, y->name);
}

static int by_user(const void *a, const void *b)
{
    const seen_pair *x = a, *y = b;
    int c = strcmp(x->user, y->user);

    return c ? c : (x->item > y->item) - (x->item < y->item);
}

/* The shortest form of a number; NULL: it is none, or in that form already. */
static const char *shortest(char buf[32], const char *word)
{
    char *end;
    double x = strtod(word, &end);      /* the locale is always C */

    if (end == word || *end || !isfinite(x))
        return NULL;
    fx_data_number(buf, x + 0.0);
    return strcmp(buf, word) ? buf : NULL;
}

static const named_item *find(const char *name, const named_item *all, size_t n)
{
    const named_item key = {.name = name};

    return bsearch(&key, all, n, sizeof *all, by_name);
}

/* The words of the line at *p, which moves behind it: the first two and how many there are. */
static size_t split(char *word[2], char **p)
{
    char *line = *p, *end = line + strcspn(line, "\n"), *save = NULL;
    size_t n = 0;

    *p = *end ? end + 1 : end;
    *end = '\0';
    line[strcspn(line, "#")] = '\0';
    for (char *w = strtok_r(line, " \t\r", &save); w; w = strtok_r(NULL, " \t\r", &save))
        if (n++ < 2)
            word[n - 1] = w;
    return n;
}

/* Users by the words of the text and, if that is another, by the number in shortest form, which is
 * text behind the others: `numbers` may move, so it is counted from its beginning. */
static int add(seen_items *s, size_t *capacity, const char *user, size_t item)
{
    char buf[32];
    const char *number = shortest(buf, user);

    if (s->n + 2 > *capacity) {
        *capacity = 2 * *capacity + 1024;
        seen_pair *more = realloc(s->at, *capacity * sizeof *more);
        if (!more)
            return say_no_memory("seen items");
        s->at = more;
    }
    s->at[s->n++] = (seen_pair){user, item};
    if (!number)
        return 0;
    s->at[s->n++] = (seen_pair){NULL, item};
    strbuf_bytes(&s->numbers, number, strlen(number) + 1);
    return s->numbers.failed ? say_no_memory("seen items") : 0;
}

static int read_lines(seen_items *s, const char *path, const named_item *all, size_t names)
{
    size_t capacity = 0, line = 0;
    int status = 0;

    for (char *p = s->text, *word[2]; *p && !status;) {
        char buf[32];
        size_t n = split(word, &p);
        line++;
        if (n && n != 2)
            return say_error("%s:%zu: %s; a line is a user and an item", path, line,
                             n < 2 ? "one word" : "more than two words");
        if (!n)
            continue;
        const named_item *item = find(word[1], all, names);
        const char *number = item ? NULL : shortest(buf, word[1]);
        item = number ? find(number, all, names) : item;
        if (item)
            status = add(s, &capacity, word[0], item->number);
        else
            s->unknown++;
    }
    const char *number = s->numbers.s;
    for (size_t i = 0; i < s->n; i++)
        if (!s->at[i].user) {
            s->at[i].user = number;
            number += strlen(number) + 1;
        }
    return status;
}

int seen_items_read(seen_items *s, const char *path, const char *const *name, size_t names)
{
    named_item *all = malloc((names + 1) * sizeof *all);
    int status = all ? input_slurp(&s->text, path) : say_no_memory("names of items");
    size_t n = 0;

    if (!status) {
        for (size_t i = 0; i < names; i++)
            all[i] = (named_item){name[i], i};
        qsort(all, names, sizeof *all, by_name);
        status = read_lines(s, path, all, names);
    }
    free(all);
    if (status)
        return status;
    if (s->n)
        qsort(s->at, s->n, sizeof *s->at, by_user);
    for (size_t i = 0; i < s->n; i++)
        if (!n || by_user(&s->at[n - 1], &s->at[i]) != 0)
            s->at[n++] = s->at[i];
    s->n = n;
    return 0;
}

/* The first pair that is not before this user. */
static size_t first_of(const seen_items *s, const char *user)
{
    size_t low = 0, high = s->n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (strcmp(s->at[mid].user, user) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

int seen_items_of(seen_items *s, size_t *from, const side_rows *users)
{
    char buf[32];

    from[0] = 0;
    for (size_t i = 0; i < users->X.rows; i++) {
        const char *name = side_rows_name(buf, users, i);
        size_t n = from[i], first = first_of(s, name), end = first;
        while (end < s->n && !strcmp(s->at[end].user, name))
            end++;
        if (n + (end - first) > s->capacity || !s->seen) {
            s->capacity = 2 * (n + (end - first)) + 1024;
            size_t *more = realloc(s->seen, s->capacity * sizeof *more);
            if (!more)
                return say_no_memory("seen items");
            s->seen = more;
        }
        for (size_t q = first; q < end; q++)
            s->seen[n++] = s->at[q].item;
        from[i + 1] = n;
    }
    return 0;
}

void seen_items_free(seen_items *s)
{
    free(s->text);
    strbuf_free(&s->numbers);
    free(s->at);
    free(s->seen);
}
