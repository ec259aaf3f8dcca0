/* SPDX-License-Identifier: BSD-3-Clause
 * compare_sample.c - rows drawn by seed from a file of which only the drawn ones are held.
 *
 * The draw depends on how many rows each class has, so the file is read twice: first the rows are
 * counted, then those that were drawn are taken. */

#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The classes of t become numbers, which *label holds; free() it. */
static int number_classes(double **label, fx_table *t, const size_t *number)
{
    if (!(*label = malloc((t->rows ? t->rows : 1) * sizeof **label)))
        return say_no_memory("labels");
    for (size_t i = 0; i < t->rows; i++)
        (*label)[i] = (double)number[(size_t)t->label[i]];
    t->label = *label;
    t->classes = 0;
    return 0;
}

/* ---- Counting ----------------------------------------------------------------------------- */
static int count(void *ctx, loaded *l)
{
    draw *s = ctx;
    fx_table t = l->table;
    double *label = NULL;
    int status = task_look(&s->labels, &t);

    if (!status && t.classes)           /* in order of arrival */
        status = number_classes(&label, &t, l->so_far.class_id);
    s->sample.classes = t.label != NULL;
    if (!status)
        status = row_sample_count(&s->sample, &t);
    free(label);
    return status;
}

/* Classes that were numbered as they came get their places among all. */
static int sort_classes(draw *s)
{
    const class_list *all = &s->found.so_far.classes;
    label_counts *c = &s->sample.labels;
    size_t *rank = all->n ? class_list_ranks(all) : NULL;

    if (all->n && !rank)
        return say_no_memory("classes");
    for (size_t i = 0; i < c->slots && rank; i++)
        if (c->at[i].rows && isfinite(c->at[i].label))
            c->at[i].label = (double)rank[(size_t)c->at[i].label];
    free(rank);
    label_counts_sort(c);               /* since their slots were those of other labels */
    return 0;
}

int compare_count(draw *s, const char *path, const load_options *like)
{
    int status = input_again(path);

    if (!status)
        status = batches_read(&s->found, path, like, count, s);
    if (status || (status = sort_classes(s)))
        return status;
    s->labels.missing = !s->found.so_far.labelled;
    load_say(&s->found);
    return 0;
}

/* ---- Rows --------------------------------------------------------------------------------- */
static int changed(const loaded *l, size_t before, size_t now)
{
    return before == now ? 0
                         : say_error("%s changed while it was read: %zu rows, then %zu", l->name,
                                     before, now);
}

/* place[t->classes]: of each among all classes. */
static int find_classes(size_t *place, const loaded *l, const draw *s)
{
    const fx_table *t = &l->table, *all = &s->found.table;

    for (size_t k = 0, a = 0; k < t->classes; k++, a++) {       /* both are sorted */
        while (a < all->classes && strcmp(all->class_name[a], t->class_name[k]) < 0)
            a++;
        if (a == all->classes || strcmp(all->class_name[a], t->class_name[k]) != 0)
            return say_error("%s changed while it was read: class %s is new", l->name,
                             t->class_name[k]);
        place[k] = a;
    }
    return 0;
}

typedef struct taking { draw *s; size_t rows; } taking;         /* rows: of the first reading */

static int take(void *ctx, loaded *l)
{
    const taking *g = ctx;
    fx_table t = l->table;
    size_t now = l->so_far.rows + t.rows, *place = NULL;
    double *label = NULL;
    int status = now > g->rows ? changed(l, g->rows, now) : 0;

    if (!status && t.classes) {
        place = malloc(t.classes * sizeof *place);
        if (!(status = place ? find_classes(place, l, g->s) : say_no_memory("classes")))
            status = number_classes(&label, &t, place);
    }
    if (!status)
        status = row_sample_take(&g->s->sample, &t);
    free(place);
    free(label);
    return status;
}

int compare_sample(loaded *l, draw *s, const char *path, const load_options *like,
                   size_t max_rows, bool regress)
{
    load_options how = *like;
    taking g = {s, s->sample.rows};
    fx_data *joined = NULL;

    s->sample.classes = !regress;
    how.again = true;
    if (s->found.late_base)
        how.base = load_base(&s->found);
    int status = row_sample_draw(&s->sample, max_rows, cli.seed);
    if (!status)
        status = batches_read(l, path, &how, take, &g);
    if (!status && !(status = changed(l, g.rows, l->table.rows)))
        status = row_sample_join(&joined, &s->sample, &l->table);
    if (joined)
        rows_replace(l, joined);
    l->base_given = s->found.base_given;
    batches_free(&l->so_far);
    return status;
}

void compare_sample_free(draw *s)
{
    load_free(&s->found);
    row_sample_free(&s->sample);
}
