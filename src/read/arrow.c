/* SPDX-License-Identifier: BSD-3-Clause
 * arrow.c - rows of Arrow's record batches, read as the rows of a CSV file that has the same
 * columns.
 *
 * The schema is the header line, so csv_header.c and csv_columns.c find what each column is; only
 * cat=auto goes by types.  A batch is cut into chunks of rows, which go the way of chunks of text
 * (reader_feed.c). */

#include "read/arrow.h"

#include <errno.h>
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
        seen[j].words = c->dictionary
                        || fxi_arrow_is_text(fxi_arrow_values_type(&width, &scale, c->format));
    }
    s = fxi_read_csv_columns_seen(r, seen);
    free(seen);
    return s;
}

/* ---- A batch -------------------------------------------------------------------------------- */
static fx_status feed(fx_reader *r, const fxi_arrow_batch *b, const fx_run *run)
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
    fxi_arrow_batch b = {0};
    fx_status s = fxi_arrow_batch_schema(r, schema);

    r->batches = true;
    if (!s && !t->fields)
        s = find_columns(r, schema);
    if (!s && array)
        s = fxi_arrow_batch_open(&b, r, schema, array);
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

/* ---- A stream ------------------------------------------------------------------------------- */
static fx_status stream_error(const fx_reader *r, struct ArrowArrayStream *stream, int code)
{
    const char *why = stream->get_last_error ? stream->get_last_error(stream) : NULL;

    return fxi_error(code == ENOMEM ? FX_ENOMEM : FX_EFORMAT, "%s: the Arrow stream failed: %s",
                     r->name, why ? why : strerror(code));
}

static fx_status read_batches(fx_reader *r, struct ArrowArrayStream *stream,
                              const struct ArrowSchema *schema, const fx_run *run)
{
    fx_status s = fx_data_reader_arrow(r, schema, NULL, run);

    while (!s) {
        struct ArrowArray array = {0};
        int code = stream->get_next(stream, &array);
        if (code)
            return stream_error(r, stream, code);
        if (!array.release)             /* the end */
            return FX_OK;
        s = fx_data_reader_arrow(r, schema, &array, run);
        array.release(&array);
    }
    return s;
}

static fx_status read_stream(fx_data **out, const char *spec, const char *name,
                             struct ArrowArrayStream *stream, const fx_run *run)
{
    struct ArrowSchema schema = {0};
    fx_reader *r = NULL;
    fx_status s = out ? fx_data_reader_new(&r, spec, name)
                      : fxi_error(FX_EINVAL, "fx_data_arrow: nowhere to put the rows");

    if (s)
        return s;
    int code = stream->get_schema && stream->get_next ? stream->get_schema(stream, &schema)
                                                      : EINVAL;
    s = code ? stream_error(r, stream, code) : read_batches(r, stream, &schema, run);
    if (!s)
        s = fx_data_reader_take(out, r, 1, run);
    if (schema.release)
        schema.release(&schema);
    fx_data_reader_free(r);
    return s;
}

fx_status fx_data_arrow(fx_data **out, const char *spec, const char *name,
                        struct ArrowArrayStream *stream, const fx_run *run)
{
    if (!stream || !stream->release)
        return fxi_error(FX_EINVAL, "fx_data_arrow: the Arrow stream is %s",
                         stream ? "released" : "NULL");
    fx_status s = read_stream(out, spec, name, stream, run);
    stream->release(stream);
    return s;
}
