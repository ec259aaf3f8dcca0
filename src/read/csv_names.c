/* SPDX-License-Identifier: BSD-3-Clause
 * csv_names.c - what given names (fx_data_reader_names) tell about the columns of a CSV file.
 *
 * A name belongs to the column that is called so.  If the file has none, the name `city=Paris` may
 * belong to the category `city`: cat=none says no, a list in cat= says which columns are
 * categories (cat=all: any), and cat=auto accepts it.  So the number `y=lag` does not turn a column
 * `y` next to it into a category. */

#include "read/csv.h"

bool fxi_read_csv_names_listed(const char *list, const char *name, size_t len)
{
    for (;; list++) {
        size_t n = strcspn(list, "/");
        if (fxi_spec_is(list, n, name, len))
            return true;
        list += n;
        if (!*list)
            return false;
    }
}

/* True if this is the name of a value of the category, `city=...`. */
static bool is_value(const fxi_read_csv_column *category, const char *name)
{
    return !strncmp(name, category->name, category->len) && name[category->len] == '=';
}

bool fxi_read_csv_names_number(size_t *col, const fx_reader *r, const fxi_read_csv_column *c)
{
    return fxi_data_classes_find(col, &r->names.all, c->name, c->len);
}

static bool has_column(const fxi_read_csv_state *t, const char *name)
{
    size_t j = 0;

    while (j < t->fields && strcmp(t->column[j].name, name))
        j++;
    return j < t->fields;
}

bool fxi_read_csv_names_category(const fx_reader *r, const fxi_read_csv_column *c)
{
    const fxi_read_csv_state *t = r->state;
    const fxi_data_classes *all = &r->names.all;
    size_t number;

    bool listed = t->all || (t->listed && fxi_read_csv_names_listed(t->listed, c->name, c->len));

    if (!listed && (!t->guess || fxi_read_csv_names_number(&number, r, c)))
        return false;
    for (size_t i = 0; i < all->n; i++) {
        const char *name = all->text + all->at[i];
        if (is_value(c, name) && !has_column(t, name))
            return true;
    }
    return false;
}

bool fxi_read_csv_names_optional(const fxi_read_csv_state *t, const char *name)
{
    for (const char *p = name; (p = strchr(p, '=')); p++)
        if (t->guess || t->all
            || (t->listed && fxi_read_csv_names_listed(t->listed, name, (size_t)(p - name))))
            return true;
    return false;
}
