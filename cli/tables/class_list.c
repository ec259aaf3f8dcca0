/* SPDX-License-Identifier: BSD-3-Clause
 * class_list.c - names of classes from batches of rows, each of which knows only its own. */

#include "tables.h"
#include "terminal/terminal.h"

#include <stdlib.h>
#include <string.h>

/* Both lists are sorted, so they are merged from their ends; names that are new are copied. */
int class_list_merge(class_list *l, size_t *id, const fx_table *t)
{
    size_t n = l->n, new = 0;

    for (size_t a = 0, b = 0; b < t->classes; b++) {
        while (a < n && strcmp(l->at[a].name, t->class_name[b]) < 0)
            a++;
        new += a == n || strcmp(l->at[a].name, t->class_name[b]) != 0;
    }
    named_class *more = new ? realloc(l->at, (n + new) * sizeof *more) : l->at;
    if (new && !more)
        return say_no_memory("classes");
    l->at = more;
    for (size_t a = n, b = t->classes, to = n + new, next = n; b > 0;) {
        int order = a ? strcmp(l->at[a - 1].name, t->class_name[b - 1]) : -1;
        if (order > 0) {
            l->at[--to] = l->at[--a];
            continue;
        }
        b--;
        if (order == 0) {
            l->at[--to] = l->at[--a];
            id[b] = l->at[to].id;
            continue;
        }
        char *name = strdup(t->class_name[b]);
        if (!name) {                    /* the list is whole again, though with a gap */
            l->n = n + new;
            memset(l->at + a, 0, (to - a) * sizeof *l->at);
            return say_no_memory("classes");
        }
        id[b] = next++;
        l->at[--to] = (named_class){name, id[b]};
    }
    l->n = n + new;
    return 0;
}

size_t *class_list_ranks(const class_list *l)
{
    size_t *rank = malloc((l->n ? l->n : 1) * sizeof *rank);

    for (size_t i = 0; i < l->n && rank; i++)
        rank[l->at[i].id] = i;
    return rank;
}

const char **class_list_names(const class_list *l)
{
    const char **name = malloc((l->n ? l->n : 1) * sizeof *name);

    for (size_t i = 0; i < l->n && name; i++)
        name[i] = l->at[i].name;
    return name;
}

void class_list_free(class_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->at[i].name);
    free(l->at);
    *l = (class_list){0};
}
