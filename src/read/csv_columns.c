/* SPDX-License-Identifier: BSD-3-Clause
 * csv_columns.c - what each column of a CSV file is: label, weight, number, category or nothing.
 *
 *   cat=NAME/NAME   these are categories            num=NAME/NAME   only these are numbers
 *   cat=auto        columns of words, by the        num=auto        all columns that are not
 *                   first rows (csv_look.c)                         categories
 *   cat=+NAME/NAME  these, too                      drop=NAME/NAME  these are left out
 *   cat=all         all but the label, the weight, the query and the identifier of rows; a query
 *                   that cat names is both
 *
 * If names are given (fx_data_reader_names), cat=auto goes by them: a column `age` is a number if
 * there is a name `age`, a category if there is a name `age=...` that is not another column
 * (csv_names.c), else it is unseen.  Label and weight may then be missing, categories too, but not
 * numbers.
 * A feature has one name and a name one feature: with a category `city` no other feature column is
 * called `city` or `city=...`.
 * A header that header=auto found is rejected if the first row has text and either the header
 * holds numbers or a field of both is the same: it may be a row. */

#include "read/csv.h"

#include <stdio.h>
#include <stdlib.h>

#define TWICE "two columns are named '%.64s'"

static fx_status reject(const fx_reader *r, const char *format, const char *name)
{
    const fxi_read_csv_state *t = r->state;
    char reason[160];

    snprintf(reason, sizeof reason, format, name);
    return fxi_read_error(r, t->line, 1, reason);
}

/* For the end of a message: the column that a name was likely meant to be. */
static const char *hint(char buf[FXI_NEAREST], const fxi_read_csv_state *t, const char *name,
                        size_t len)
{
    fxi_nearest near = fxi_nearest_to(name, len);

    for (size_t j = 0; j < t->fields; j++)
        fxi_nearest_try(&near, t->column[j].name, t->column[j].len);
    return fxi_nearest_hint(buf, &near);
}

static fx_status no_column(const fx_reader *r, const char *kind, const char *name, size_t len)
{
    const fxi_read_csv_state *t = r->state;
    char excerpt[FXI_EXCERPT], buf[FXI_NEAREST], reason[FXI_EXCERPT + FXI_NEAREST + 64];

    snprintf(reason, sizeof reason, "no %scolumn is named '%s'%s", kind,
             fxi_data_text_excerpt(excerpt, name, len), hint(buf, t, name, len));
    return fxi_read_error(r, t->line, 1, reason);
}

/* True if it is the column that this part of the spec names. */
static bool is(const fxi_read_csv_column *c, const char *value, size_t len)
{
    return fxi_spec_is(value, len, c->name, c->len);
}

/* True if another column than j has this name. */
static bool another(const fxi_read_csv_state *t, size_t j)
{
    size_t k = 0;

    while (k < t->fields && (k == j || strcmp(t->column[k].name, t->column[j].name)))
        k++;
    return k < t->fields;
}

/* First or last: or is that a feature?  Then the file has no label. */
static bool is_feature(const fx_reader *r, size_t j)
{
    const fxi_read_csv_state *t = r->state;
    size_t number;

    if (!r->names.given || another(t, j))
        return false;
    return fxi_read_csv_names_number(&number, r, &t->column[j])
           || fxi_read_csv_names_category(r, &t->column[j]);
}

fx_status fxi_read_csv_columns_label(fx_reader *r, char reason[FXI_CSV_REASON])
{
    fxi_read_csv_state *t = r->state;
    const size_t len = strlen(t->label);
    size_t at = 0;

    if (t->label_at != FXI_CSV_NONE) {
        if (is_feature(r, t->label_at))
            t->label_at = FXI_CSV_NONE;
        return FX_OK;
    }
    if (!strcmp(t->label, "none"))
        return FX_OK;
    while (at < t->fields && !is(&t->column[at], t->label, len))
        at++;
    if (at == t->fields) {
        if (r->names.given)
            return FX_OK;
        char buf[FXI_NEAREST];
        snprintf(reason, FXI_CSV_REASON, "no column is named '%.64s'%s", t->label,
                 hint(buf, t, t->label, len));
        return FX_EFORMAT;
    }
    if (another(t, at)) {
        snprintf(reason, FXI_CSV_REASON,
                 "two columns are named '%.64s' (use label=first or label=last)", t->label);
        return FX_EFORMAT;
    }
    t->label_at = at;
    return FX_OK;
}

/* ---- Roles ---------------------------------------------------------------------------------- */
static bool is_in(const fxi_data_classes *list, const fxi_read_csv_column *c)
{
    return fxi_read_csv_names_listed(list, c->name, c->len);
}

static fxi_csv_role feature(const fx_reader *r, const fxi_read_csv_column *c, bool text)
{
    const fxi_read_csv_state *t = r->state;
    const bool any = !strcmp(t->num, "auto"), by_name = r->names.given && !r->names.bits;
    const bool number = !any && is_in(&t->nums, c), listed = t->all || is_in(&t->cats, c);
    size_t place;

    if (is_in(&t->drops, c))
        return FXI_CSV_IGNORED;
    if (by_name && !(t->guess && number) && fxi_read_csv_names_category(r, c))
        return FXI_CSV_CATEGORY;
    if (by_name && listed && !t->guess)
        return FXI_CSV_UNSEEN;
    if (!by_name && (listed || (t->guess && text && !number)))
        return FXI_CSV_CATEGORY;
    if (!any && !number)
        return FXI_CSV_IGNORED;
    return by_name && !fxi_read_csv_names_number(&place, r, c) ? FXI_CSV_UNSEEN : FXI_CSV_NUMBER;
}

/* A column can be one thing only. */
static fx_status is_else(const fx_reader *r, const fxi_read_csv_column *c, fxi_csv_role role)
{
    static const char *const roles[] = {
        [FXI_CSV_NUMBER] = "a number",     [FXI_CSV_CATEGORY] = "a category",
        [FXI_CSV_LABEL] = "the label",     [FXI_CSV_WEIGHT] = "the weight",
        [FXI_CSV_QUERY] = "the query",     [FXI_CSV_ID] = "the identifier of rows",
        [FXI_CSV_UNSEEN] = "not known",    [FXI_CSV_IGNORED] = "left out"};
    const fxi_read_csv_state *t = r->state;
    char name[FXI_EXCERPT], reason[2 * FXI_EXCERPT + 64];

    snprintf(reason, sizeof reason, "the column '%s' is %s, so it cannot be %s",
             fxi_data_text_excerpt(name, c->name, c->len), roles[c->role], roles[role]);
    return fxi_read_error(r, t->line, 1, reason);
}

/* Every column of a list must be there, and be what the list says. */
static fx_status check_list(const fx_reader *r, const fxi_data_classes *list, fxi_csv_role role)
{
    const fxi_read_csv_state *t = r->state;

    for (size_t i = 0; i < list->n; i++) {
        const char *name = list->text + list->at[i];
        size_t j, first = t->fields;
        if (!fxi_data_classes_find(&j, &t->by_name, name, strlen(name)))
            return no_column(r, "feature ", name, strlen(name));
        for (; j < t->fields; j++)      /* the j-th name: of column j, or of later ones */
            if (!strcmp(t->column[j].name, name)) {
                first = first == t->fields ? j : first;
                if (fxi_csv_has_role(&t->column[j], role))
                    break;
            }
        if (j == t->fields)
            return is_else(r, &t->column[first], role);
    }
    return FX_OK;
}

/* The same of a key that names one column. */
static fx_status check_own(const fx_reader *r, const char *value, fxi_csv_role role)
{
    const fxi_read_csv_state *t = r->state;
    const size_t len = strlen(value);
    size_t named = t->fields;

    if (!strcmp(value, "none"))
        return FX_OK;
    for (size_t j = 0; j < t->fields; j++) {
        if (fxi_csv_has_role(&t->column[j], role))
            return FX_OK;
        if (is(&t->column[j], value, len))
            named = j;
    }
    return named < t->fields ? is_else(r, &t->column[named], role)
                             : no_column(r, "feature ", value, len);
}

static fx_status check_lists(const fx_reader *r)
{
    const fxi_read_csv_state *t = r->state;
    fx_status s;

    if (r->names.given)
        return FX_OK;                   /* place_given checks what is needed */
    if ((s = check_own(r, t->weight, FXI_CSV_WEIGHT)) || (s = check_own(r, t->query, FXI_CSV_QUERY))
        || (s = check_own(r, t->id, FXI_CSV_ID)) || (s = check_list(r, &t->drops, FXI_CSV_IGNORED))
        || (s = check_list(r, &t->cats, FXI_CSV_CATEGORY)))
        return s;
    return check_list(r, &t->nums, FXI_CSV_NUMBER);
}

/* weight=, query= and id= name one column each; true: this is it, and *role what it is. */
static bool is_own(fxi_csv_role *role, const fxi_read_csv_state *t, const fxi_read_csv_column *c)
{
    const struct { const char *name; fxi_csv_role role; } own[] = {
        {t->weight, FXI_CSV_WEIGHT}, {t->query, FXI_CSV_QUERY}, {t->id, FXI_CSV_ID}};

    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(own[i].name, "none") && is(c, own[i].name, strlen(own[i].name))) {
            *role = own[i].role;
            return true;
        }
    return false;
}

/* True if a column before j has this role. */
static bool taken(const fxi_read_csv_state *t, size_t j, fxi_csv_role role)
{
    for (size_t k = 0; k < j; k++)
        if (t->column[k].role == role)
            return true;
    return false;
}

/* Roles by the fields of the first rows. */
static fx_status find_roles(fx_reader *r, const fxi_read_csv_seen *seen)
{
    fxi_read_csv_state *t = r->state;

    for (size_t j = 0; j < t->fields; j++) {
        fxi_read_csv_column *c = &t->column[j];
        if (j == t->label_at) {
            c->role = FXI_CSV_LABEL;
            continue;
        }
        if (is_own(&c->role, t, c)) {
            if (taken(t, j, c->role))
                return reject(r, TWICE, c->name);
            c->query = c->role == FXI_CSV_QUERY && is_in(&t->cats, c);
            if (!c->query)
                continue;
        }
        c->role = feature(r, c, seen[j].words > seen[j].numbers);
        bool guessed = t->guess && !r->names.given && !strcmp(t->num, "auto") && !t->all
                       && !is_in(&t->cats, c) && c->role != FXI_CSV_IGNORED;
        if (guessed && seen[j].words
            && (c->role == FXI_CSV_NUMBER || seen[j].commas == seen[j].words))
            return fxi_read_csv_look_mixed(r, c, &seen[j]);
    }
    return check_lists(r);
}

/* A header that was only guessed may be a row: comparing it with the first row shows that. */
static fx_status check_header(const fx_reader *r, const char *p, const char *stop)
{
    const fxi_read_csv_state *t = r->state;
    bool texts = false, same = false;

    if (!t->guess || r->names.given || !t->named || t->header)
        return FX_OK;
    for (size_t j = 0; j < t->fields && p; j++) {
        const fxi_read_csv_column *c = &t->column[j];
        fxi_read_csv_field f = {.next = stop};
        double x;
        bool text = fxi_read_csv_field_read(&f, p, stop, t->separator) && f.len
                    && !fxi_read_csv_field_number(&x, t, &f);
        p = f.next < stop ? f.next + 1 : NULL;
        if (!text || j == t->label_at)
            continue;
        texts = true;
        same |= c->len == f.len && !memcmp(c->name, f.text, f.len);
    }
    return texts && (t->mixed || same)
               ? reject(r, "is this line a header? (header=yes or header=no)%s", "")
               : FX_OK;
}

static fx_status alike(const fx_reader *r, const char *column, const char *category)
{
    const fxi_read_csv_state *t = r->state;
    char reason[192];

    snprintf(reason, sizeof reason,
             "the column '%.48s' is named like a value of the category "
             "'%.48s'; rename one of them",
             column, category);
    return fxi_read_error(r, t->line, 1, reason);
}

/* A value of a category and another column would be one feature. */
static fx_status compare_names(void *ctx, size_t block, fxi_team *team)
{
    const fx_reader *r = ctx;
    const fxi_read_csv_state *t = r->state;
    fxi_data_classes all = {0};
    fx_status s = FX_OK;
    size_t at;

    (void)block;
    for (size_t j = 0; j < t->fields && !s; j++) {
        const fxi_read_csv_column *c = &t->column[j];
        if (c->role == FXI_CSV_CATEGORY)
            s = fxi_data_classes_find(&at, &all, c->name, c->len)
                    ? reject(r, TWICE, c->name)
                    : fxi_data_classes_add(&at, &all, c->name, c->len, team);
    }
    for (size_t j = 0; j < t->fields && all.n && !s; j++) {
        const fxi_read_csv_column *c = &t->column[j];
        if (c->role != FXI_CSV_NUMBER && c->role != FXI_CSV_CATEGORY)
            continue;
        if (c->role == FXI_CSV_NUMBER && fxi_data_classes_find(&at, &all, c->name, c->len))
            s = reject(r, TWICE, c->name);
        for (const char *p = c->name; !s && (p = strchr(p, '=')); p++)
            if (fxi_data_classes_find(&at, &all, c->name, (size_t)(p - c->name)))
                s = alike(r, c->name, all.text + all.at[at]);
    }
    fxi_data_classes_free(&all);
    return s;
}

static fx_status check_features(fx_reader *r)
{
    return fxi_parallel_ordered(1, compare_names, r, NULL);
}

/* ---- Columns of the table ------------------------------------------------------------------- */
/* Numbers get the columns of their names, all of which must be there. */
static fx_status place_given(fx_reader *r)
{
    fxi_read_csv_state *t = r->state;
    const fxi_data_classes *all = &r->names.all;
    unsigned char *seen = fxi_zalloc(all->n, 1);
    size_t numbers = 0, categories = 0;
    fx_status s = FX_OK;

    if (!seen)
        return FX_ENOMEM;
    for (size_t j = 0; j < t->fields && !s; j++) {
        fxi_read_csv_column *c = &t->column[j];
        categories += c->role == FXI_CSV_CATEGORY;
        if (c->role != FXI_CSV_NUMBER)
            continue;
        fxi_read_csv_names_number(&c->col, r, c);
        t->moved |= c->col != numbers++;
        if (seen[c->col]++)
            s = reject(r, TWICE, c->name);
    }
    for (size_t i = 0; i < all->n && !s; i++) {
        const char *name = all->text + all->at[i];
        if (!seen[i] && !fxi_read_csv_names_optional(t, name))
            s = no_column(r, "", name, strlen(name));
    }
    free(seen);
    if (!s && !numbers && !categories)
        s = reject(r, "none of these columns is known%s", "");
    r->cols = all->n;
    r->names.used = categories || numbers < all->n;     /* else dense rows */
    t->moved &= !r->names.used;
    return s;
}

/* Numbers come first, in the order of the file; categories are numbered as they are found. */
static fx_status place_new(fx_reader *r)
{
    fxi_read_csv_state *t = r->state;
    size_t numbers = 0, twice = 0;

    for (size_t j = 0; j < t->fields; j++) {
        r->names.used |= t->column[j].role == FXI_CSV_CATEGORY;
        if (t->column[j].role == FXI_CSV_NUMBER)
            t->column[j].col = numbers++;
    }
    r->names.used |= r->names.bits != 0;
    r->cols = numbers;
    if (!numbers && !r->names.used)
        return reject(r, "no features beside label and weight%s", "");
    if (!r->names.used)
        return FX_OK;
    const char **name = fxi_alloc(numbers, sizeof *name);
    if (!name)
        return FX_ENOMEM;
    for (size_t j = 0; j < t->fields; j++)
        if (t->column[j].role == FXI_CSV_NUMBER)
            name[t->column[j].col] = t->column[j].name;
    fx_status s = r->names.bits ? fxi_read_names_distinct(name, numbers, &twice)
                                : fxi_read_names_fix(r, name, numbers, &twice);
    if (s == FX_EINVAL)
        s = reject(r, TWICE, name[twice]);
    free(name);
    return s;
}

fx_status fxi_read_csv_columns_seen(fx_reader *r, const fxi_read_csv_seen *seen)
{
    fxi_read_csv_state *t = r->state;
    fx_status s = find_roles(r, seen);

    if (!s)
        s = check_features(r);
    if (!s)
        s = r->names.given && !r->names.bits ? place_given(r) : place_new(r);
    t->resolved = !s;
    return s ? s : fxi_read_csv_resolve(r);
}

fx_status fxi_read_csv_columns(fx_reader *r, const char *line, const char *stop, const char *limit,
                               const char *end)
{
    const fxi_read_csv_state *t = r->state;
    fxi_read_csv_seen *seen = fxi_zalloc(t->fields, sizeof *seen);

    if (!seen)
        return FX_ENOMEM;
    if (t->guess && !r->names.given)
        fxi_read_csv_look(seen, r, line, limit, end);
    fx_status s = check_header(r, line, stop);
    if (!s)
        s = fxi_read_csv_columns_seen(r, seen);
    free(seen);
    return s;
}
