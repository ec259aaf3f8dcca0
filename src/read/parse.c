/* SPDX-License-Identifier: BSD-3-Clause
 * parse.c - reads an input that is in memory as a whole: makes a reader, feeds it once, takes the
 * table. */

#include "read/read.h"

fx_status fx_data_parse(fx_data **out, const char *spec, const char *name, const void *bytes,
                        size_t len, const fx_run *run)
{
    fx_reader *r = NULL;
    fx_status s = fx_data_reader_new(&r, spec, name);

    if (!s)
        s = fx_data_reader_feed(r, bytes, len, run);
    if (!s)
        s = fx_data_reader_take(out, r, 1, run);
    fx_data_reader_free(r);
    return s;
}
