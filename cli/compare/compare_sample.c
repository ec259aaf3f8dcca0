/* SPDX-License-Identifier: BSD-3-Clause
 * compare_sample.c - rows drawn by seed from a file of which only the drawn ones are held.
 *
 * The draw depends on the number of rows and on all labels, so the file is read twice: first the
 * labels, 8 bytes a row, then the rows that were drawn. */

#include "compare.h"

#include <stdlib.h>

/* ---- Labels ------------------------------------------------------------------------------- */
static int keep_labels(void *ctx, loaded *l)
{
    draw *s = ctx;
    const fx_table *t = &l->table;

    if (s->rows + t->rows > s->capacity) {
        s->capacity = (s->rows + t->rows) * 3 / 2;
        double *more = realloc(s->label, s->capacity * sizeof *more);
        if (!more)
            return say_no_memory("labels");
        s->label = more;
    }
    if (say_limit(50 * (double)(s->rows + t->rows), "%s: a draw from the first %zu rows needs",
                  l->name, s->rows + t->rows))
        return EXIT_MEMORY;
    for (size_t i = 0; i < t->rows; i++, s->rows++)
        s->label[s->rows] = !t->label    ? 0
                            : t->classes ? (double)l->so_far.class_id[(size_t)t->label[i]]
                                         : t->label[i];
    return 0;
}

int compare_labels(draw *s, const char *path, const load_options *like)
{
    int status = input_again(path);

    if (!status)
        status = batches_read(&s->found, path, like, keep_labels, s);
    fx_table *t = &s->found.table;
    size_t *rank = !status && t->classes ? class_list_ranks(&s->found.so_far.classes) : NULL;
    if (!status && t->classes && !rank)
        status = say_no_memory("classes");
    for (size_t i = 0; i < s->rows && rank; i++)
        s->label[i] = (double)rank[(size_t)s->label[i]];
    free(rank);
    if (status)
        return status;
    load_say(&s->found);
    t->label = s->found.so_far.labelled ? s->label : NULL;
    return 0;
}

/* ---- Rows --------------------------------------------------------------------------------- */
typedef struct taking {
    row_sample sample;
    const draw *s;
} taking;

static int changed(const loaded *l, const draw *s, size_t rows)
{
    return rows == s->rows ? 0
                           : say_error("%s changed while it was read: %zu rows, then %zu", l->name,
                                       s->rows, rows);
}

static int take(void *ctx, loaded *l)
{
    taking *d = ctx;
    size_t before = l->so_far.rows;
    fx_table t = l->table;

    if (before + t.rows > d->s->rows)
        return changed(l, d->s, before + t.rows);
    t.label = t.label ? d->s->label + before : NULL;    /* positions among all classes */
    return row_sample_take(&d->sample, &t);
}

int compare_sample(loaded *l, draw *s, const char *path, const load_options *like,
                   size_t max_rows, bool regress)
{
    load_options how = *like;
    taking d = {.sample = {.classes = !regress && s->found.table.label}, .s = s};
    fx_data *joined = NULL;
    int status = row_sample_count(&d.sample, &s->found.table);

    how.again = true;
    if (s->found.late_base)
        how.base = load_base(&s->found);
    if (!status && !(status = row_sample_draw(&d.sample, max_rows, cli.seed)))
        status = batches_read(l, path, &how, take, &d);
    if (!status && !(status = changed(l, s, l->table.rows)))
        status = row_sample_join(&joined, &d.sample, &l->table);
    if (joined)
        rows_replace(l, joined);
    row_sample_free(&d.sample);
    l->base_given = s->found.base_given;
    batches_free(&l->so_far);
    return status;
}

void compare_sample_free(draw *s)
{
    load_free(&s->found);
    free(s->label);
    *s = (draw){0};
}
