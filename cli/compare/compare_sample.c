/* SPDX-License-Identifier: BSD-3-Clause
 * compare_sample.c - rows drawn by seed from a file of which only the drawn ones are held.
 *
 * The draw depends on the number of rows and on all labels, so the file is read twice: first the
 * labels, 8 bytes a row, then the rows that were drawn. */

#include "compare.h"

#include <stdlib.h>
#include <string.h>

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
    if (say_limit(50 * (double)(s->rows + t->rows), "%s: a draw from %zu rows needs", l->name,
                  s->rows + t->rows))
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
typedef struct drawing {
    const size_t *row;                  /* [n] that were drawn, ascending */
    size_t n, at;                       /* at: of those, in the batches so far */
    fx_data **part;                     /* [parts] the drawn rows of a batch */
    size_t parts;
} drawing;

static int keep_drawn(void *ctx, loaded *l)
{
    drawing *d = ctx;
    size_t before = l->so_far.rows, end = before + l->table.rows, n = 0;

    while (d->at + n < d->n && d->row[d->at + n] < end)
        n++;
    size_t *row = malloc((n ? n : 1) * sizeof *row);
    fx_data **more = realloc(d->part, (d->parts + 1) * sizeof *more);
    d->part = more ? more : d->part;
    if (!row || !more) {
        free(row);
        return say_no_memory("drawn rows");
    }
    for (size_t i = 0; i < n; i++)
        row[i] = d->row[d->at + i] - before;
    fx_status s = n ? fx_data_select(&d->part[d->parts], &l->table, row, n, &cli.run) : FX_OK;
    free(row);
    if (s)
        return say_failure(s);
    d->parts += n > 0;
    d->at += n;
    return 0;
}

/* The drawn rows of all batches, in the order of the draw, instead of those in l. */
static int join(loaded *l, const drawing *d, const draw *s, const size_t *drawn)
{
    fx_matrix *block = calloc(d->parts + 1, sizeof *block);
    double *label = malloc(d->n * sizeof *label);
    size_t *place = malloc(d->n * sizeof *place);
    fx_table t = l->table;
    fx_data *joined = NULL;
    int status = block && label && place ? 0 : say_no_memory("drawn rows");

    for (size_t k = 0; k < d->parts && !status; k++) {
        block[k] = fx_data_table(d->part[k]).block[0];
        block[k].cols = t.cols;
    }
    for (size_t i = 0; i < d->n && !status; i++) {
        label[i] = s->label[d->row[i]];
        const size_t *at = bsearch(&drawn[i], d->row, d->n, sizeof *at, ascending_sizes);
        place[i] = (size_t)(at - d->row);
    }
    t.rows = d->n;
    t.blocks = d->parts;
    t.block = block;
    t.label = l->so_far.labelled ? label : NULL;
    fx_status st = status ? FX_OK : fx_data_select(&joined, &t, place, d->n, &cli.run);
    if (st)
        status = say_failure(st);
    if (joined)
        rows_replace(l, joined);
    free(block);
    free(label);
    free(place);
    return status;
}

int compare_sample(loaded *l, draw *s, const char *path, const load_options *like,
                   size_t max_rows, bool regress)
{
    load_options how = *like;
    drawing d = {.n = max_rows};
    size_t *drawn = NULL, *row = malloc(max_rows * sizeof *row);
    int status = row ? rows_draw_from(&drawn, &s->found.table, max_rows, regress, cli.seed)
                     : say_no_memory("a draw of rows");

    how.again = true;
    if (s->found.late_base)
        how.base = load_base(&s->found);
    if (!status) {
        memcpy(row, drawn, max_rows * sizeof *row);
        qsort(row, max_rows, sizeof *row, ascending_sizes);
        d.row = row;
        status = batches_read(l, path, &how, keep_drawn, &d);
    }
    if (!status && l->table.rows != s->rows)
        status = say_error("%s changed while it was read: %zu rows, then %zu", l->name, s->rows,
                           l->table.rows);
    if (!status)
        status = join(l, &d, s, drawn);
    for (size_t k = 0; k < d.parts; k++)
        fx_data_free(d.part[k]);
    free(d.part);
    free(row);
    free(drawn);
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
