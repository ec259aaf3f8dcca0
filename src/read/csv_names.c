/* SPDX-License-Identifier: BSD-3-Clause
 * csv_names.c - names of columns: those in the lists of a spec, those of a CSV file, and what given
 * names (fx_data_reader_names) tell about its columns.
 *
 * A name belongs to the column that is called so.  If the file has none, the name `city=Paris` may
 * belong to the category `city`: cat=none says no, a list in cat= says which columns are
 * categories (cat=all: any), and cat=auto accepts it.  So the number `y=lag` does not turn a column
 * `y` next to it into a category.
 *
 * All of them are looked up by hash, since there may be 100,000 columns. */

#include "read/csv.h"

#include <stdlib.h>

/* ---- Lists ---------------------------------------------------------------------------------- */
typedef struct adding {
    fxi_data_classes *to;
    const char *list;
    char *buf;                          /* one name */
} adding;

static fx_status add_list(void *ctx, size_t part, fxi_team *team)
{
    const adding *a = ctx;
    const char *p = a->list;
    fx_status s = FX_OK;

    (void)part;
    for (size_t len, number; !s; p += len + 1) {
        len = strcspn(p, "/");
        s = fxi_data_classes_add(&number, a->to, a->buf, fxi_spec_unescape(a->buf, p, len), team);
        if (!p[len])
            break;
    }
    return s;
}

fx_status fxi_read_csv_names_list(fxi_data_classes *out, const char *list)
{
    adding a = {out, list, fxi_alloc(strlen(list), 1)};
    fx_status s = a.buf ? fxi_parallel_ordered(1, add_list, &a, NULL) : FX_ENOMEM;

    free(a.buf);
    return s;
}

bool fxi_read_csv_names_listed(const fxi_data_classes *list, const char *name, size_t len)
{
    size_t number;

    return fxi_data_classes_find(&number, list, name, len);
}

/* ---- Columns -------------------------------------------------------------------------------- */
/* Marks the columns that the given name may be a value of; one that is a column itself is none. */
static void mark_valued(fxi_read_csv_state *t, const char *name)
{
    size_t number;

    if (fxi_read_csv_names_listed(&t->by_name, name, strlen(name)))
        return;
    for (const char *p = name; (p = strchr(p, '=')); p++)
        if (fxi_data_classes_find(&number, &t->by_name, name, (size_t)(p - name)))
            t->valued[number] = true;
}

static fx_status find_columns(void *ctx, size_t part, fxi_team *team)
{
    const fx_reader *r = ctx;
    fxi_read_csv_state *t = r->state;
    const fxi_data_classes *given = &r->names.all;
    fx_status s = FX_OK;

    (void)part;
    for (size_t j = 0, number; j < t->fields && !s; j++)
        s = fxi_data_classes_add(&number, &t->by_name, t->column[j].name, t->column[j].len, team);
    if (s || !r->names.given)
        return s;
    if (!(t->valued = fxi_zalloc(t->by_name.n, sizeof *t->valued)))
        return FX_ENOMEM;
    for (size_t i = 0; i < given->n; i++)
        mark_valued(t, given->text + given->at[i]);
    return FX_OK;
}

fx_status fxi_read_csv_names_columns(fx_reader *r)
{
    return fxi_parallel_ordered(1, find_columns, r, NULL);
}

bool fxi_read_csv_names_number(size_t *col, const fx_reader *r, const fxi_read_csv_column *c)
{
    return fxi_data_classes_find(col, &r->names.all, c->name, c->len);
}

bool fxi_read_csv_names_category(const fx_reader *r, const fxi_read_csv_column *c)
{
    const fxi_read_csv_state *t = r->state;
    size_t number;
    bool listed = t->all || fxi_read_csv_names_listed(&t->cats, c->name, c->len);

    if (!listed && (!t->guess || fxi_read_csv_names_number(&number, r, c)))
        return false;
    return fxi_data_classes_find(&number, &t->by_name, c->name, c->len) && t->valued[number];
}

bool fxi_read_csv_names_optional(const fxi_read_csv_state *t, const char *name)
{
    for (const char *p = name; (p = strchr(p, '=')); p++)
        if (t->guess || t->all || fxi_read_csv_names_listed(&t->cats, name, (size_t)(p - name)))
            return true;
    return false;
}
