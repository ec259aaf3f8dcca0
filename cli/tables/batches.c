/* SPDX-License-Identifier: BSD-3-Clause
 * batches.c - rows a batch at a time, each given to a function and then forgotten; what is known of
 * all of them adds up. */

#include "load.h"

#include <stdlib.h>

/* Rows of a batch, after those with missing numbers were left out or filled. */
static int take(loaded *l, const load_options *like, rows_survey *missing,
                int (*use)(void *ctx, loaded *l), void *ctx)
{
    batch_facts *f = &l->so_far;
    const fx_table *t = &l->table;
    int status = rows_missing_batch(l, like, missing);

    free(f->class_id);
    f->class_id = t->classes ? malloc(t->classes * sizeof *f->class_id) : NULL;
    if (!status && t->classes)
        status = f->class_id ? class_list_merge(&f->classes, f->class_id, t)
                             : say_no_memory("classes");
    if (status || !t->rows || rows_missing_refused(like, missing))
        return status;
    f->labelled |= t->label != NULL;
    f->weighted |= t->weight != NULL;
    label_check_add(&f->labels, t);
    status = use(ctx, l);
    f->rows += l->table.rows;
    return status;
}

/* l->table is of all rows, but has none of them. */
static int sum_up(loaded *l)
{
    batch_facts *f = &l->so_far;
    const fx_table *last = &l->table;

    f->class_name = f->classes.n ? class_list_names(&f->classes) : NULL;
    if (f->classes.n && !f->class_name)
        return say_no_memory("classes");
    l->table = (fx_table){.rows = f->rows, .cols = last->cols, .name = last->name,
                          .base = last->base, .classes = f->classes.n,
                          .class_name = f->class_name};
    if (l->late_base && l->table.cols)
        l->table.cols -= (size_t)load_base(l);  /* column 0 was none */
    return 0;
}

int batches_read(loaded *l, const char *path, const load_options *like,
                 int (*use)(void *ctx, loaded *l), void *ctx)
{
    load_options how = *like;
    rows_survey missing = {0};

    how.streamed = how.batched = true;
    int status = load_as(l, path, &how);
    while (!status && !(status = take(l, like, &missing, use, ctx)) && l->stream)
        status = load_next(l);
    if (!status)
        status = sum_up(l);
    if (!status && !like->again && !(status = load_check_width(l, like->any_width)))
        status = rows_missing_end(l, like, &missing);
    rows_missing_free(&missing);
    return status;
}

void batches_free(batch_facts *f)
{
    free(f->class_id);
    free(f->class_name);
    class_list_free(&f->classes);
    label_check_free(&f->labels);
    *f = (batch_facts){0};
}
