/* SPDX-License-Identifier: BSD-3-Clause
 * task.c - classes or numbers: by the options, else by the labels. */

#include "models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = TASK_VALUES, EACH = 5 }; /* more different labels than VALUES are numbers, but may
                                          * be classes if each of them has EACH rows or more */

int task_look(void *ctx, const fx_table *t)
{
    task_labels *l = ctx;

    l->rows += t->rows;
    l->missing |= !t->label;
    l->texts |= t->classes > 0;
    for (size_t i = 0; i < t->rows && t->label && !t->classes; i++) {
        double y = t->label[i];
        size_t c = 0;
        if (!l->fractions && y != floor(y)) {
            l->fractions = true;
            l->odd = y;
        }
        while (c < l->values && l->value[c] != y)
            c++;
        if (c == VALUES)
            l->many = true;
        else if (c == l->values)
            l->value[l->values++] = y;
    }
    return 0;
}

/* Each value twice, on average; two values are classes. */
static bool repeated(const task_labels *l) { return l->values <= 2 || 2 * l->values <= l->rows; }

static int count(void *counts, const fx_table *t) { return label_counts_add(counts, t); }

static void find_values(size_t *values, size_t *rarest, label_counts *c)
{
    label_counts_sort(c);
    *values = c->n;
    *rarest = c->n ? c->at[0].rows : 0;
    for (size_t i = 1; i < c->n; i++)
        *rarest = c->at[i].rows < *rarest ? c->at[i].rows : *rarest;
}

int task_values(size_t *values, size_t *rarest, const fx_table *t)
{
    label_counts c = {0};
    int status = label_counts_add(&c, t);

    find_values(values, rarest, &c);
    label_counts_free(&c);
    return status;
}

/* A number of years and the number of a class look the same; only the user knows which it is. */
static void say_many(label_counts *c)
{
    size_t values, rarest;

    find_values(&values, &rarest, c);
    if (rarest < EACH)
        say_note("task: regress, since labels have more than %d values", VALUES);
    else
        say_warning("task: regress, since labels have more than %d values; yet %zu whole numbers "
                    "of %zu rows or more each may be classes: --task classify takes them as "
                    "classes, --task regress as numbers without this warning",
                    VALUES, values, rarest);
}

/* *many: only how often each label occurs is left to be told. */
static int decide(bool *regress, bool *many, const loaded *l, const task_labels *y)
{
    bool known = fitting_task_known(regress);
    fx_description d = fitting_about();
    char number[32], names[SPEC_LIST];

    *many = false;
    if (y->missing)
        return say_error("%s has no labels", l->name);
    if (d.name && d.tasks == d.task && strcmp(fit.task, "auto") != 0
        && *regress != !strcmp(fit.task, "regress"))
        return say_error("--task %s, but %s is a model of %s", fit.task, fitting_given(),
                         *regress ? "numbers" : "classes");
    if (y->texts) {
        if (!known)
            say_note("task: classify, since labels are text");
        return 0;                       /* the library refuses numbers that are text */
    }
    if (fitting_ranks())
        return 0;
    if (known && !*regress && y->fractions && strcmp(fit.task, "classify") != 0) {
        model_numbers(names, d.kernel == FX_MUST);
        if (d.tasks & FX_TASK_REGRESS)
            say_error("%s: labels such as %s are no classes; --task regress takes them as numbers",
                      l->name, say_number(number, y->odd));
        else
            say_error("%s: labels such as %s are no classes; use --model %s, or "
                      "--task classify if they are",
                      l->name, say_number(number, y->odd), names);
        return EXIT_USAGE;
    }
    if (known)
        return 0;
    *regress = y->fractions || y->many || !repeated(y);
    if (y->fractions)
        say_note("task: regress, since labels such as %s are not whole",
                 say_number(number, y->odd));
    else if (y->many)
        *many = true;
    else if (!repeated(y))
        say_note("task: regress, since labels are numbers of %zu values in %zu rows", y->values,
                 y->rows);
    else
        say_note("task: classify, since labels are whole numbers of %zu value%s", y->values,
                 y->values == 1 ? "" : "s");
    return 0;
}

int task_decide_by(bool *regress, const loaded *l, const task_labels *y, label_counts *c)
{
    bool many;
    int status = decide(regress, &many, l, y);

    if (!status && many)
        say_many(c);
    return status;
}

int task_decide(bool *regress, const loaded *l, spill *s)
{
    task_labels y = {0};
    label_counts c = {0};
    bool many = false;

    if (fitting_unlabelled())
        return 0;
    int status = rows_each(l, s, task_look, &y);
    if (!status)
        status = decide(regress, &many, l, &y);
    if (!status && many && !(status = rows_each(l, s, count, &c)))
        say_many(&c);
    label_counts_free(&c);
    return status;
}
