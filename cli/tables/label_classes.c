/* SPDX-License-Identifier: BSD-3-Clause
 * label_classes.c - classes of rows: how many, and are those of rows to measure on among those to
 * train on?  A model refuses others; here that is found before the fits. */

#include "tables.h"
#include "terminal/terminal.h"

#include <stdlib.h>
#include <string.h>

typedef struct class
{
    char number[32];
    const char *name;
    size_t row;
} class;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const class *)a)->name, ((const class *)b)->name);
}

static bool counts(const fx_table *t, size_t i) { return !t->weight || t->weight[i] != 0; }

/* Distinct labels of the rows that count, ascending.  free() them; NULL: no memory. */
static double *distinct(size_t *n, const fx_table *t)
{
    double *y = malloc((t->rows ? t->rows : 1) * sizeof *y);
    size_t rows = 0;

    *n = 0;
    if (!y)
        return NULL;
    for (size_t i = 0; i < t->rows; i++)
        if (counts(t, i))
            y[rows++] = t->label[i] + 0.0;      /* -0 is 0 */
    qsort(y, rows, sizeof *y, ascending_doubles);
    for (size_t i = 0; i < rows; i++)
        if (i == 0 || y[i] != y[*n - 1])
            y[(*n)++] = y[i];
    return y;
}

/* The classes of t by name, each with its first row.  free() them; NULL: no memory. */
static class *find(size_t *n, const fx_table *t)
{
    double *y = distinct(n, t);
    class *list = y ? calloc(*n ? *n : 1, sizeof *list) : NULL;
    for (size_t i = t->rows; i-- > 0 && list;)
        if (counts(t, i)) {
            double label = t->label[i] + 0.0;
            const double *at = bsearch(&label, y, *n, sizeof *y, ascending_doubles);
            class *c = &list[at - y];
            c->row = i;
            c->name = t->classes ? t->class_name[(size_t)*at] : say_number(c->number, *at);
        }
    free(y);
    if (list)
        qsort(list, *n, sizeof *list, by_name);
    return list;
}

size_t label_classes_count(const fx_table *t)
{
    size_t n;

    free(distinct(&n, t));
    return n;
}

int label_classes_known(const loaded *rows, const loaded *train, const char *hint)
{
    size_t known = 0, n = 0;
    class *have = find(&known, &train->table), *of = find(&n, &rows->table);
    int status = have && of ? 0 : say_no_memory("classes");

    char place[ROW_PLACE];

    for (size_t i = 0; i < n && !status; i++)
        if (!bsearch(&of[i], have, known, sizeof *have, by_name))
            status = say_error(
                "%s: row %zu is of class %s; none of the %zu rows of %s that are trained on "
                "is: %s",
                row_place(place, rows, of[i].row + 1), of[i].row + 1, of[i].name, train->table.rows,
                train->name, hint ? hint : "leave such rows out");
    free(have);
    free(of);
    return status;
}
