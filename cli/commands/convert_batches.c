/* SPDX-License-Identifier: BSD-3-Clause
 * convert_batches.c - rows of text into text, a batch at a time.
 *
 * What must be known before the first row is written decides whether one pass is enough: a dense
 * text begins with the names of all columns, a share of the rows needs their number, and another
 * index base needs that of the input, which only all rows tell.  Then a first pass finds out. */

#include "convert_batches.h"
#include "terminal/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct state {
    convert_job *job;
    output_shape shape;                 /* of rows so far, of all in the second pass */
    fx_table all;                       /* what the first pass found; rows 0: there was none */
    const char *base;                   /* that is written; NULL: columns count as they are read */
    bool stop;                          /* one pass is not enough */
} state;

void convert_left_out(const char *format, bool label, bool weight)
{
    fx_description d = spec_line(fx_data_write_describe, format);

    if (!d.labels && label)
        say_note("labels have no place in %s and are left out; npz keeps them", format);
    if (!d.weights && weight)
        say_note("weights have no place in %s and are left out; csv and tsv keep them", format);
}

static fx_description about(const convert_job *j, size_t k)
{
    return spec_line(fx_data_write_describe, j->format[k]);
}

bool convert_batches_can(const char *path, const char *const *format, size_t outputs)
{
    for (size_t k = 0; k < outputs; k++) {
        fx_description d = spec_line(fx_data_write_describe, format[k]);
        if (d.binary || d.members || d.precomputed)
            return false;
    }
    return !movielens_dir_is(path);
}

/* ---- Writing ------------------------------------------------------------------------------ */
/* Rows [from, to) of t as the next ones of output k. */
static int write_rows(state *s, size_t k, const fx_table *t, size_t from, size_t to)
{
    convert_job *j = s->job;
    fx_description d = about(j, k);
    size_t *row = NULL, *done = k ? &j->second : &j->first;
    fx_data *part = NULL;
    fx_table u = *t;
    char spec[64];

    if (from == to)
        return 0;
    if (to - from < t->rows) {
        if (!(row = malloc((to - from) * sizeof *row)))
            return say_no_memory("rows");
        for (size_t i = from; i < to; i++)
            row[i - from] = i;
        fx_status st = fx_data_select(&part, t, row, to - from, &cli.run);
        free(row);
        if (st)
            return say_failure(st);
        u = fx_data_table(part);
        u.name = t->name;
    }
    if (spec_key(&d, "base"))
        snprintf(spec, sizeof spec, "%s:base=%s", j->format[k], s->base ? s->base : "0");
    else
        snprintf(spec, sizeof spec, *done && spec_key(&d, "header") ? "%s:header=no" : "%s",
                 j->format[k]);
    int status = output_part(j->out[k], spec, &u);
    *done += u.rows;
    fx_data_free(part);
    return status;
}

/* How many rows of the input go where: the first output takes those before the first number, the
 * second those before the second. */
static void bounds(const state *s, size_t *first, size_t *last)
{
    const convert_job *j = s->job;
    size_t n = s->all.rows ? s->all.rows : SIZE_MAX;

    *last = j->head && j->head < n ? j->head : n;
    *first = j->split > 0 ? (size_t)floor(j->split * (double)*last + 0.5) : *last;
}

static size_t within(size_t bound, size_t before, size_t rows)
{
    return bound <= before ? 0 : bound - before < rows ? bound - before : rows;
}

/* The rows of a batch; in a dense text they are as wide as all. */
static int write_batch(void *ctx, loaded *l)
{
    state *s = ctx;
    convert_job *j = s->job;
    fx_table t = l->table;
    fx_matrix *wide = NULL;
    size_t first, last, before = l->so_far.rows;
    double start = say_clock();
    bool dense = about(j, 0).dense || (j->out[1] && about(j, 1).dense);
    int status = 0;

    if (!s->all.rows) {
        output_shape_add(&s->shape, &t);
        s->stop = before == 0 && dense && s->shape.sparse;
        if (s->stop)
            return EXIT_USAGE;
        status = output_size_check_shape(j->out[0], j->format[0], &s->shape);
    } else if (t.cols < s->all.cols && !(wide = rows_wider(&t, s->all.cols)))
        status = say_no_memory("wider rows");
    if (wide)
        t.name = s->all.name;
    if (!s->base && l->numbered && !l->late_base)
        s->base = t.base ? "1" : "0";
    else if (!s->base && !l->numbered)
        s->base = "1";
    bounds(s, &first, &last);
    size_t a = within(first, before, t.rows), b = within(last, before, t.rows);
    if (!status)
        status = write_rows(s, 0, &t, 0, a);
    if (!status && j->out[1])
        status = write_rows(s, 1, &t, a, b);
    free(wide);
    j->seconds += say_clock() - start;
    return status;
}

/* ---- The passes --------------------------------------------------------------------------- */
static int measure(void *ctx, loaded *l)
{
    output_shape_add(ctx, &l->table);
    return 0;
}

/* Finds out what there is, and whether there is room for it. */
static int first_pass(state *s, loaded *found, load_options *like, const char *path)
{
    convert_job *j = s->job;
    size_t first, last;

    like->again = true;
    s->shape = (output_shape){.type = FX_F32};
    int status = batches_read(found, path, like, measure, &s->shape);
    like->again = false;
    if (status)
        return status;
    s->all = found->table;
    if (found->late_base)
        like->base = load_base(found);
    bounds(s, &first, &last);
    s->shape.cols = s->all.cols;
    s->shape.rows = first;
    if ((status = output_size_check_shape(j->out[0], j->format[0], &s->shape)))
        return status;
    s->shape.rows = last - first;
    return j->out[1] ? output_size_check_shape(j->out[1], j->format[1], &s->shape) : 0;
}

/* Says what each output lacks, and closes it.  One without rows has a header all the same. */
static int close_outputs(state *s, const loaded *in)
{
    static const double none;
    const convert_job *j = s->job;
    fx_table t = in->table;
    int status = 0;

    t.rows = 0;
    t.label = in->so_far.labelled ? &none : NULL;
    t.weight = in->so_far.weighted ? &none : NULL;
    for (size_t k = 0; k < 2 && j->out[k] && !status; k++) {
        convert_left_out(j->format[k], in->so_far.labelled, in->so_far.weighted);
        if (!(k ? j->second : j->first))
            status = output_part(j->out[k], j->format[k], &t);
        if (!status)
            status = output_close(j->out[k]);
    }
    return status;
}

int convert_batches(convert_job *j, loaded *in, const char *path)
{
    state s = {.job = j, .base = j->base, .shape = {.type = FX_F32}};
    load_options like = {.base = -1};
    loaded found = {0};
    bool first = j->split > 0 || j->base, dense = about(j, 0).dense;
    int status = first || dense ? input_again(path) : 0;

    if (!status && first)
        status = first_pass(&s, &found, &like, path);
    if (!status) {
        status = batches_read(in, path, &like, write_batch, &s);
        if (s.stop) {
            load_free(in);
            if (!(status = first_pass(&s, &found, &like, path)))
                status = batches_read(in, path, &like, write_batch, &s);
        }
    }
    if (!status && s.all.rows && in->table.rows != s.all.rows)
        status = say_error("%s changed while it was read: %zu rows, then %zu", in->name,
                           s.all.rows, in->table.rows);
    if (!status) {
        in->base_given = in->base_given && !found.late_base;
        load_say(in);
        status = close_outputs(&s, in);
    }
    load_free(&found);
    return status;
}
