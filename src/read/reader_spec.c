/* SPDX-License-Identifier: BSD-3-Clause
 * reader_spec.c - the spec by which a reader reads, choices of the rows spelt out.
 *
 * It is stored in a model, so that other rows are read in the same way as the training rows. */

#include "read/read.h"

#include <stdlib.h>
#include <string.h>

const char *fx_data_reader_spec(const fx_reader *r) { return r->spec; }

fx_status fxi_read_reader_spec_resolve(fx_reader *r, const char *key, const char *value)
{
    fxi_spec s;

    if (!value[0])                      /* the grammar has no place for it */
        return FX_OK;
    fx_status st = fxi_spec_parse(&s, r->spec, strlen(r->spec));
    if (st)
        return st;
    fxi_spec_set(&s, key, value);
    char *spec = fxi_spec_complete(&s, r->format->about.key);
    if (!spec)
        return FX_ENOMEM;
    free(r->spec);
    r->spec = spec;
    return FX_OK;
}
