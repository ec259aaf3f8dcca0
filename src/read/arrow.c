/* SPDX-License-Identifier: BSD-3-Clause
 * arrow.c - a stream of Arrow's record batches, read to its end.  What it gives out is released
 * here, and so is the stream. */

#include "read/arrow.h"

#include <errno.h>

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
