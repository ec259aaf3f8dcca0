/* SPDX-License-Identifier: BSD-3-Clause
 * missing.c - plan.missing: what fills missing values is learnt from the rows of training and put
 * into the model, with its columns and their names; then the rows are filled by it. */

#include "train/train.h"

#include <stdlib.h>
#include <string.h>

/* NAME=missing, and once more =missing while another column has that name. */
static fx_status add_name(char **out, fxi_data_classes *names, const char *name, fxi_team *team)
{
    static const char suffix[] = "=missing";
    size_t len = strlen(name), number;
    char *text = fxi_strndup(name, len);
    fx_status st = text ? FX_OK : FX_ENOMEM;

    do {
        char *longer = st ? NULL : fxi_realloc(text, len + sizeof suffix, 1);
        if (!longer) {
            free(text);
            return FX_ENOMEM;
        }
        text = longer;
        memcpy(text + len, suffix, sizeof suffix);
        len += sizeof suffix - 1;
    } while (fxi_data_classes_find(&number, names, text, len));
    if ((st = fxi_data_classes_add(&number, names, text, len, team)))
        free(text);
    else
        *out = text;
    return st;
}

typedef struct naming {
    fx_model *m;
    const fx_table *t;
    const char **name;                  /* [cols]; those of indicators are to be freed */
} naming;

static fx_status make_names(void *ctx, size_t b, fxi_team *team)
{
    const naming *n = ctx;
    const fx_model_info *c = &n->m->c;
    fxi_data_classes names = {0};
    size_t number;
    fx_status st = FX_OK;

    (void)b;
    for (size_t j = 0; j < c->inputs && !st; j++) {
        n->name[j] = n->t->name[j];
        st = fxi_data_classes_add(&number, &names, n->name[j], strlen(n->name[j]), team);
    }
    for (size_t j = c->inputs; j < c->cols && !st; j++) {
        char *text = NULL;
        st = add_name(&text, &names, n->t->name[c->indicator[j - c->inputs]], team);
        n->name[j] = text;
    }
    fxi_data_classes_free(&names);
    return st;
}

static fx_status keep_names(fx_model *m, const fx_table *t, const fx_run *run)
{
    fx_model_info *c = &m->c;

    if (c->cols == c->inputs || !t->name)
        return fxi_model_keep_texts(&c->name, m, t->name, t->cols);
    naming n = {m, t, fxi_zalloc(c->cols, sizeof *n.name)};
    fx_status st = n.name ? fxi_parallel_ordered(1, make_names, &n, run) : FX_ENOMEM;
    if (!st)
        st = fxi_model_keep_texts(&c->name, m, n.name, c->cols);
    for (size_t j = c->inputs; n.name && j < c->cols; j++)
        free((char *)(uintptr_t)n.name[j]);
    free(n.name);
    return st;
}

/* Counts, fill values and indicators, into the model. */
static fx_status learn(fx_model *m, const fxi_missing *how, const fx_table *t, const fx_run *run)
{
    fx_model_info *c = &m->c;
    fxi_missing_found found;
    const double *indicator = NULL;
    fx_status st = fxi_data_missing_fit(&found, how, t, run);

    if (st)
        return st;
    c->missing_values = found.values;
    c->missing_cols = found.columns;
    st = fxi_model_keep(&c->fill, m, found.fill, t->cols * sizeof *found.fill);
    if (!st && how->marked && found.columns) {
        st = fxi_model_keep(&indicator, m, (const void *)found.column,
                            found.columns * sizeof *found.column);
        c->indicator = (const void *)indicator;
        if (!st && !fxi_size_add(&c->cols, c->cols, found.columns))
            st = fxi_error(FX_ESHAPE, "%zu columns and %zu indicators: too many", c->cols,
                           found.columns);
    }
    fxi_data_missing_free(&found);
    return st;
}

fx_status fxi_train_missing(fx_table *out, fxi_train *t, const char *spec, const fx_table *table,
                            const fx_run *run)
{
    fx_model_info *c = &t->m->c;
    fxi_missing how;
    fx_status st = fxi_data_missing_read(&how, spec);

    if (st || (st = how.how ? fxi_data_check_missing_table(table, run) : FX_OK))
        return st;
    if (table) {
        c->cols = c->inputs = table->cols;
        c->missing = how.spec;
    }
    if (how.how && (st = learn(t->m, &how, table, run)))
        return st;
    if ((st = fxi_model_missing_table(out, &t->filled, c, table, run)))
        return st;
    c->missing_rows = table->rows - out->rows;
    if (table->rows && !out->rows)
        return fxi_error(FX_EINVAL, "all %zu rows have missing values, so drop leaves none to "
                         "learn from", table->rows);
    return keep_names(t->m, table, run);
}
