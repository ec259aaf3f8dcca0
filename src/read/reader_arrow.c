/* SPDX-License-Identifier: BSD-3-Clause
 * reader_arrow.c - Arrow's record batches given to a reader, as the rows of a CSV file that has the
 * same columns.
 *
 * The schema is the header line, so csv_header.c and csv_columns.c find what each column is; only
 * cat=auto goes by types.  A batch is cut into chunks of rows, which go the way of chunks of text
 * (reader_feed.c). */

#include "read/arrow.h"

#include <stdlib.h>

/* ---- The schema ----------------------------------------------------------------------------- */
/* The names of all columns as the first line of a CSV file. */
static char *header_line(size_t *len, const struct ArrowSchema *schema, char separator)
{
    size_t bytes = 1, n = 0;

    for (int64_t j = 0; j < schema->n_children; j++) {
        const char *name = schema->children[j]->name;
        if (!fxi_size_add(&bytes, bytes, 2 * strlen(name ? name : "") + 3))
            return NULL;
    }
    char *line = fxi_alloc(bytes, 1);
    if (!line)
        return NULL;
    for (int64_t j = 0; j < schema->n_children; j++) {
        const char *name = schema->children[j]->name;
        if (j)
            line[n++] = separator;
        line[n++] = '"';
        for (const char *p = name ? name : ""; *p; p++) {
            line[n++] = *p;
            if (*p == '"')
                line[n++] = '"';
        }
        line[n++] = '"';
    }
    *len = n;
    return line;
}

/* What each column is: types tell numbers and words apart. */
static fx_status find_columns(fx_reader *r, const struct ArrowSchema *schema)
{
    fxi_read_csv_state *t = r->state;
    size_t len;
    bool header;
    unsigned width;
    int scale;

    t->header = true;
    t->no_header = false;
    char *line = header_line(&len, schema, t->separator);
    if (!line)
        return FX_ENOMEM;
    fx_status s = fxi_read_csv_header_line(r, line, line + len, &header);
    free(line);
    if (s)
        return s;
    fxi_read_csv_seen *seen = fxi_zalloc(t->fields, sizeof *seen);
    if (!seen)
        return FX_ENOMEM;
    for (size_t j = 0; j < t->fields && t->guess && !r->names.given; j++) {
        const struct ArrowSchema *c = schema->children[j];
        fxi_read_arrow_type type = fxi_read_arrow_values_type(&width, &scale, c->format);
        seen[j].words = c->dictionary || fxi_read_arrow_is_text(type);
    }
    s = fxi_read_csv_columns_seen(r, seen);
    free(seen);
    return s;
}

/* ---- A batch -------------------------------------------------------------------------------- */
static fx_status feed(fx_reader *r, const fxi_read_arrow_batch *b, const fx_run *run)
{
    const size_t most = b->rows && b->fields < FXI_ARROW_CHUNK ? FXI_ARROW_CHUNK / b->fields : 1;
    const size_t chunks = b->rows / most + (b->rows % most != 0);
    size_t all;

    if (!fxi_size_mul(&all, b->rows, b->fields) || !fxi_size_mul(&all, all, 64))
        return fxi_error(FX_ENOMEM, "%s: %zu rows of %zu columns", r->name, b->rows, b->fields);
    fxi_read_chunk *chunk = chunks ? fxi_zalloc(chunks, sizeof *chunk) : NULL;
    if (!chunk)
        return chunks ? FX_ENOMEM : FX_OK;
    for (size_t i = 0; i < chunks; i++) {
        const size_t left = b->rows - i * most;
        chunk[i].batch = b;
        chunk[i].first = i * most;
        chunk[i].lines = left < most ? left : most;
        chunk[i].marks = chunk[i].lines * b->fields;
    }
    return fxi_read_reader_feed_chunks(r, chunk, chunks, run);
}

static fx_status feed_batch(fx_reader *r, const struct ArrowSchema *schema,
                            const struct ArrowArray *array, const fx_run *run)
{
    const fxi_read_csv_state *t = r->state;
    fxi_read_arrow_batch b = {0};
    fx_status s = fxi_read_arrow_batch_schema(r, schema);

    r->batches = true;
    if (!s && !t->fields)
        s = find_columns(r, schema);
    if (!s && array)
        s = fxi_read_arrow_batch_open(&b, r, schema, array);
    if (!s)
        s = feed(r, &b, run);
    free(b.column);
    return s;
}

fx_status fx_data_reader_arrow(fx_reader *r, const struct ArrowSchema *schema,
                               const struct ArrowArray *array, const fx_run *run)
{
    fx_status s = fxi_read_check(r);

    if (!s)
        s = fxi_sized_run_check(run);
    if (s)
        return s;
    if (r->format != &fxi_read_csv)
        return fxi_error(FX_EINVAL, "%s: Arrow batches are read by a csv reader", r->name);
    if (r->count.bytes || r->files)
        return fxi_error(FX_EINVAL, "%s: an Arrow batch after bytes", r->name);
    return fxi_read_note(r, feed_batch(r, schema, array, run));
}
