/* SPDX-License-Identifier: BSD-3-Clause
 * task.c - classes or numbers: by the options, else by the labels. */

#include "models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = 20, EACH = 5 };         /* more different labels than VALUES are numbers, but may be
                                         * classes if each of them has EACH rows or more */

typedef struct labels {
    double value[VALUES];
    size_t values;
    double odd;                         /* the first one that is not whole */
    bool whole, few;
    bool repeated;                      /* each value twice, on average; two values are classes */
} labels;

static labels scan(const fx_table *t)
{
    labels l = {.whole = true, .few = true};

    for (size_t i = 0; i < t->rows; i++) {
        double y = t->label[i];
        size_t c = 0;
        if (l.whole && y != floor(y)) {
            l.whole = false;
            l.odd = y;
        }
        while (c < l.values && l.value[c] != y)
            c++;
        if (c == VALUES)
            l.few = false;
        else if (c == l.values)
            l.value[l.values++] = y;
    }
    l.repeated = l.values <= 2 || 2 * l.values <= t->rows;
    return l;
}

int task_values(size_t *values, size_t *rarest, const fx_table *t)
{
    double *y = malloc((t->rows ? t->rows : 1) * sizeof *y);

    if (!y)
        return say_no_memory("labels");
    memcpy(y, t->label, t->rows * sizeof *y);
    qsort(y, t->rows, sizeof *y, ascending_doubles);
    *values = 0;
    *rarest = t->rows;
    for (size_t i = 0, next; i < t->rows; i = next) {
        for (next = i; next < t->rows && y[next] == y[i];)
            next++;
        *rarest = next - i < *rarest ? next - i : *rarest;
        ++*values;
    }
    free(y);
    return 0;
}

/* A number of years and the number of a class look the same; only the user knows which it is. */
static int say_many(const fx_table *t)
{
    size_t values = 0, rarest = 0;
    int status = task_values(&values, &rarest, t);

    if (status)
        return status;
    if (rarest < EACH)
        say_note("task: regress, since labels have more than %d values", VALUES);
    else
        say_warning("task: regress, since labels have more than %d values; yet %zu whole numbers "
                    "of %zu rows or more each may be classes: --task classify takes them as "
                    "classes, --task regress as numbers without this warning",
                    VALUES, values, rarest);
    return 0;
}

int task_decide(bool *regress, const loaded *l)
{
    bool known = fitting_task_known(regress);
    fx_description d = fitting_about();
    char number[32], names[SPEC_LIST];

    if (fitting_unlabelled())
        return 0;
    if (!l->table.label)
        return say_error("%s has no labels", l->name);
    if (d.name && d.tasks == d.task && strcmp(fit.task, "auto") != 0
        && *regress != !strcmp(fit.task, "regress"))
        return say_error("--task %s, but %s is a model of %s", fit.task, fitting_given(),
                         *regress ? "numbers" : "classes");
    if (l->table.classes) {
        if (!known)
            say_note("task: classify, since labels are text");
        return 0;                       /* the library refuses numbers that are text */
    }
    if (fitting_ranks())
        return 0;
    labels y = scan(&l->table);
    if (known && !*regress && !y.whole && strcmp(fit.task, "classify") != 0) {
        model_numbers(names, d.kernel == FX_MUST);
        if (d.tasks & FX_TASK_REGRESS)
            say_error("%s: labels such as %s are no classes; --task regress takes them as numbers",
                      l->name, say_number(number, y.odd));
        else
            say_error("%s: labels such as %s are no classes; use --model %s, or "
                      "--task classify if they are",
                      l->name, say_number(number, y.odd), names);
        return EXIT_USAGE;
    }
    if (known)
        return 0;
    *regress = !y.whole || !y.few || !y.repeated;
    if (!y.whole)
        say_note("task: regress, since labels such as %s are not whole", say_number(number, y.odd));
    else if (!y.few)
        return say_many(&l->table);
    else if (!y.repeated)
        say_note("task: regress, since labels are numbers of %zu values in %zu rows", y.values,
                 l->table.rows);
    else
        say_note("task: classify, since labels are whole numbers of %zu value%s", y.values,
                 y.values == 1 ? "" : "s");
    return 0;
}
