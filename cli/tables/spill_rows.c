/* SPDX-License-Identifier: BSD-3-Clause
 * spill_rows.c - all rows, one part after the other, for what is decided by them before a fit. */

#include "spill.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int spill_reserve(spill_buffer *b, size_t n)
{
    if (b->capacity < n) {
        char *more = realloc(b->at, n);
        if (!more)
            return say_no_memory("a part of the rows");
        b->at = more;
        b->capacity = n;
    }
    b->n = n;
    return 0;
}

int spill_fetch(spill_buffer *b, const spill *s, const spill_part *part)
{
    int status = spill_reserve(b, part->bytes);

    if (!status && (errno = spill_read(s, part, b->at)))
        status = spill_failed(s, "reading");
    return status;
}

static int unpack(fx_data **out, const spill_buffer *b, const spill *s)
{
    fx_status st = fx_data_unpack(out, b->at, b->n, &cli.run);

    return !st                ? 0
           : st == FX_EFORMAT ? spill_damaged(s, fx_error_detail())
                              : say_failure(st);
}

int spill_unpack(fx_data **out, spill_buffer *b, const spill *s, const spill_part *part)
{
    int status = spill_fetch(b, s, part);

    return status ? status : unpack(out, b, s);
}

int spill_row(fx_data **out, const spill *s, uint64_t i)
{
    size_t row = (size_t)(i % FX_PASS_BLOCK);
    spill_buffer b = {0};
    fx_data *part = NULL;
    int status = spill_unpack(&part, &b, s, spill_part_at(s, i));

    if (!status) {
        fx_table t = fx_data_table(part);
        fx_status st = fx_data_select(out, &t, &row, 1, &cli.run);
        status = st ? say_failure(st) : 0;
    }
    fx_data_free(part);
    free(b.at);
    return status;
}

/* ---- A file that was made to deceive --------------------------------------------------------- */

/* Labels are classes of t, if those of all rows are classes. */
static bool are_named(const fx_table *all, const fx_table *t)
{
    if (all->classes && !t->classes)
        return false;
    for (size_t i = 0; i < t->rows && t->classes; i++)
        if (!t->label || !(t->label[i] >= 0 && t->label[i] < (double)t->classes))
            return false;
    return true;
}

static int check_block(const spill *s, const fx_table *all, const fx_table *t, uint64_t block)
{
    return spill_is_part(s, block * FX_PASS_BLOCK, t) && are_named(all, t)
               ? 0
               : spill_damaged(s, "a part has other rows or columns");
}

/* ---- Classes -------------------------------------------------------------------------------- */

static int by_name(const void *name, const void *item)
{
    return strcmp(name, *(const char *const *)item);
}

double spill_label(const fx_table *all, const fx_table *t, size_t i)
{
    if (!t->classes || t->classes == all->classes)
        return t->label[i];
    const char *const *at = bsearch(t->class_name[(size_t)t->label[i]], all->class_name,
                                    all->classes, sizeof *all->class_name, by_name);
    return at ? (double)(at - all->class_name) : -1;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

typedef struct visiting {
    spill *s;
    spill_buffer last, now;
    fx_data *end;                       /* the last block, which knows all classes .. */
    fx_table all;                       /* .. as a table */
    double label[FX_PASS_BLOCK];
} visiting;

static int visit_block(visiting *v, uint64_t block, spill_use *use, void *ctx)
{
    fx_data *d = NULL;
    int status = spill_share_take(&v->now, v->s, block);

    if (!status && !(status = unpack(&d, &v->now, v->s))) {
        fx_table t = fx_data_table(d);
        status = check_block(v->s, &v->all, &t, block);
        for (size_t i = 0; i < t.rows && t.classes && !status; i++)
            if ((v->label[i] = spill_label(&v->all, &t, i)) < 0)
                status = spill_damaged(v->s, "the last part lacks a class");
        t.label = t.classes ? v->label : t.label;
        t.classes = v->all.classes;
        t.class_name = v->all.class_name;
        t.name = v->s->name;
        status = status ? status : use(ctx, &t);
    }
    fx_data_free(d);
    if (!status && progress_at((double)(block * FX_PASS_BLOCK)))
        status = progress_stop();
    return status;
}

static int visit(visiting *v, uint64_t blocks, spill_use *use, void *ctx)
{
    int status = spill_share_ask(blocks - 1, blocks);

    if (status || (status = spill_share_take(&v->last, v->s, blocks - 1))
        || (status = unpack(&v->end, &v->last, v->s)))
        return status;
    v->all = fx_data_table(v->end);
    status = spill_share_ask(0, blocks);
    for (uint64_t k = 0; k < blocks && !status; k++)
        status = visit_block(v, k, use, ctx);
    return status;
}

int rows_each(const loaded *l, spill *s, spill_use *use, void *ctx)
{
    if (!s)
        return use(ctx, &l->table);
    visiting *v = calloc(1, sizeof *v);
    if (!v)
        return say_no_memory("a part of the rows");
    v->s = s;
    uint64_t blocks = spill_blocks(s);
    progress_begin("look", "rows", (double)s->rows);
    int status = blocks ? visit(v, blocks, use, ctx) : 0;
    progress_end();
    fx_data_free(v->end);
    free(v->last.at);
    free(v->now.at);
    free(v);
    return status;
}

/* ---- A sample ------------------------------------------------------------------------------- */

typedef struct drawing {
    row_sample sample;
    fx_table like;                      /* classes are those of one of the parts, for a while */
    size_t max_rows;
    fx_data **out;
    size_t rows, all;
} drawing;

static int count(void *ctx, const fx_table *t)
{
    return row_sample_count(&((drawing *)ctx)->sample, t);
}

/* The last part brings the names that the sample is joined with. */
static int take(void *ctx, const fx_table *t)
{
    drawing *d = ctx;
    int status = row_sample_take(&d->sample, t);

    d->rows += t->rows;
    if (status || d->rows < d->all)
        return status;
    d->like.classes = t->classes;
    d->like.class_name = t->class_name;
    return row_sample_join(d->out, &d->sample, &d->like);
}

int rows_sample(fx_data **out, const loaded *l, spill *s, size_t max_rows, bool classes)
{
    drawing d = {.sample = {.classes = classes}, .like = l->table, .max_rows = max_rows,
                 .out = out, .all = l->table.rows};
    int status = 0;

    if (classes)
        status = rows_each(l, s, count, &d);
    else
        d.sample.rows = l->table.rows;
    if (!status && !(status = row_sample_draw(&d.sample, max_rows, cli.seed)))
        status = rows_each(l, s, take, &d);
    row_sample_free(&d.sample);
    return status;
}
