/* SPDX-License-Identifier: BSD-3-Clause
 * csv_resolve.c - what the first rows of a CSV file decided, spelt out in the reader's spec, so
 * that other rows are read in the same way. */

#include "read/csv.h"

#include <stdlib.h>

static fx_status resolve_categories(fx_reader *r)
{
    const fxi_read_csv_state *t = r->state;
    size_t bytes = 1, n = 0;
    bool sayable = true;                /* a name that is empty is not */

    for (size_t j = 0; j < t->fields; j++)
        if (!fxi_size_add(&bytes, bytes, 3 * t->column[j].len + 1))
            return FX_ENOMEM;
    char *list = fxi_alloc(bytes, 1);
    if (!list)
        return FX_ENOMEM;
    for (size_t j = 0; j < t->fields; j++)
        if (t->column[j].role == FXI_CSV_CATEGORY) {
            if (n)
                list[n++] = '/';
            n += fxi_spec_escape(list + n, t->column[j].name, t->column[j].len, "none|auto|all");
            sayable &= t->column[j].len > 0;
        }
    list[n] = '\0';
    fx_status s = sayable ? fxi_read_reader_spec_resolve(r, "cat", n ? list : "none") : FX_OK;
    free(list);
    return s;
}

static fx_status resolve_label(fx_reader *r)
{
    const fxi_read_csv_state *t = r->state;
    const fxi_read_csv_column *c = &t->column[t->label_at];
    char *value = fxi_alloc(3 * c->len + 1, 1);

    if (!value)
        return FX_ENOMEM;
    fxi_spec_escape(value, c->name, c->len, "first|last|none");
    fx_status s = fxi_read_reader_spec_resolve(r, "label", value);
    free(value);
    return s;
}

/* Two columns of one name: only their positions distinguish them. */
static bool label_named(const fxi_read_csv_state *t)
{
    const char *name = t->column[t->label_at].name;
    size_t same = 0;

    for (size_t j = 0; j < t->fields; j++)
        same += !strcmp(t->column[j].name, name);
    return same == 1;
}

fx_status fxi_read_csv_resolve(fx_reader *r)
{
    const fxi_read_csv_state *t = r->state;
    fx_status s = fxi_read_reader_spec_resolve(r, "header", t->named ? "yes" : "no");

    if (!s && t->named && t->label_at != FXI_CSV_NONE && label_named(t))
        s = resolve_label(r);
    return !s && (t->guess || t->all) && !r->names.given ? resolve_categories(r) : s;
}
