/* SPDX-License-Identifier: BSD-3-Clause
 * fill.c - tables with missing values, filled: one block, wider by the indicators and their names,
 * or without the rows that are left out.  missing.c says what fills them. */

#include "data/data.h"

#include <stdlib.h>
#include <string.h>

/* ---- Names of indicators ------------------------------------------------------------------- */

/* NAME=missing, and once more =missing while another column has that name. */
static fx_status add_name(const char **out, fx_data *d, fxi_data_classes *names, const char *name,
                          fxi_team *team)
{
    static const char suffix[] = "=missing";
    size_t len = strlen(name), number;
    char *text = fxi_strndup(name, len);

    do {
        char *longer = text ? fxi_realloc(text, len + sizeof suffix, 1) : NULL;
        if (!longer) {
            free(text);
            return FX_ENOMEM;
        }
        text = longer;
        memcpy(text + len, suffix, sizeof suffix);
        len += sizeof suffix - 1;
    } while (fxi_data_classes_find(&number, names, text, len));
    fx_status st = fxi_data_own(d, text);
    if (st)
        return st;
    *out = text;
    return fxi_data_classes_add(&number, names, text, len, team);
}

typedef struct naming {
    fx_data *d;
    const fxi_missing *m;
    const char *const *from;
    const char **to;
} naming;

static fx_status make_names(void *ctx, size_t b, fxi_team *team)
{
    const naming *n = ctx;
    fxi_data_classes names = {0};
    size_t number, inputs = n->m->inputs;
    fx_status st = FX_OK;

    (void)b;
    for (size_t j = 0; j < inputs && !st; j++) {
        n->to[j] = n->from[j];
        st = fxi_data_classes_add(&number, &names, n->to[j], strlen(n->to[j]), team);
    }
    for (size_t k = 0; k < n->m->indicators && !st; k++)
        st = add_name(&n->to[inputs + k], n->d, &names, n->from[n->m->indicator[k]], team);
    fxi_data_classes_free(&names);
    return st;
}

fx_status fxi_data_fill_names(const char *const **out, fx_data *d, const fxi_missing *m,
                              const char *const *name, const fx_run *run)
{
    naming n = {d, m, name, fxi_data_alloc(d, m->inputs + m->indicators, sizeof *n.to)};
    fx_status st = n.to ? fxi_parallel_ordered(1, make_names, &n, run) : FX_ENOMEM;

    if (!st)
        *out = n.to;
    return st;
}

/* ---- Tables -------------------------------------------------------------------------------- */

static fx_status leave_out(fx_data **out, const fxi_missing *m, const fx_table *t,
                           const fx_run *run)
{
    size_t *row, n;
    fx_status st = fxi_data_missing_rows(&row, &n, m, t, run);

    if (!st) {
        st = fxi_data_select(out, t, row, n, false, run);
        free(row);
    }
    return st;
}

typedef struct filling {
    fx_matrix *view;
    const fxi_missing *m;
    const fx_matrix *X;
    fxi_scratch memory;
    const fx_run *run;
} filling;

static fx_status fill(void *ctx, size_t b, fxi_team *team)
{
    filling *f = ctx;
    uint64_t beyond = 0;

    (void)b;
    return fxi_data_missing_fill(f->view, &beyond, f->m, f->X, &f->memory, f->run, team);
}

/* X filled is the only block of t, in memory of d. */
static fx_status fill_block(fx_table *t, fx_data *d, const fxi_missing *m, const fx_matrix *X,
                            const fx_run *run)
{
    filling f = {fxi_data_alloc(d, 1, sizeof *f.view), m, X, {0}, run};
    fx_status st = f.view ? fxi_parallel_ordered(1, fill, &f, run) : FX_ENOMEM;

    for (void *p; !st && (p = fxi_scratch_release(&f.memory));)
        st = fxi_data_own(d, p);
    fxi_scratch_free(&f.memory);
    if (st)
        return st;
    t->cols = f.view->cols;
    t->blocks = 1;
    t->block = f.view;
    return FX_OK;
}

fx_status fxi_data_fill_table(fx_table *out, fx_data **own, const fxi_missing *m, const fx_table *t,
                              const fx_run *run)
{
    fx_data *d = NULL;
    fx_status st = FX_OK;

    *out = *t;
    if (m->how == FXI_MISSING_DROP)
        st = leave_out(&d, m, t, run);
    else if (t->blocks != 1)
        st = fxi_data_select(&d, t, NULL, 0, false, run);
    else if (!(d = fxi_data_new()))
        st = FX_ENOMEM;
    if (!st && m->how == FXI_MISSING_DROP)
        *out = d->table;
    else if (!st)
        st = fill_block(out, d, m, t->blocks == 1 ? t->block : d->table.block, run);
    if (st)
        fx_data_free(d);
    else
        *own = d;
    return st;
}

/* A copy that owns all it points to. */
static fx_status copy_table(fx_data **out, const fxi_missing *m, const fx_table *t,
                            const fx_run *run)
{
    fx_data *d = NULL;
    fx_status st = m->how == FXI_MISSING_DROP ? leave_out(&d, m, t, run)
                                              : fxi_data_select(&d, t, NULL, 0, false, run);

    if (!st && m->how > FXI_MISSING_DROP)
        st = fill_block(&d->table, d, m, d->table.block, run);
    if (!st && d->table.name && m->indicators)
        st = fxi_data_fill_names(&d->table.name, d, m, d->table.name, run);
    if (st)
        fx_data_free(d);
    else
        *out = d;
    return st;
}

fx_status fx_data_fill(fx_data **out, const char *spec, const fx_table *t, const fx_run *run)
{
    fxi_missing m;
    fxi_missing_found found;
    fx_status st = fxi_data_missing_read(&m, spec);

    if (!st)
        st = m.how ? fxi_data_check_missing_table(t, run) : fxi_data_check_table(t, run);
    if (!st && !out)
        st = fxi_error(FX_EINVAL, "fx_data_fill: out is NULL");
    if (st || (st = fxi_data_missing_fit(&found, &m, t, run)))
        return st;
    m.inputs = t->cols;
    m.fill = found.fill;
    m.indicator = found.column;
    m.indicators = m.marked ? found.columns : 0;
    st = copy_table(out, &m, t, run);
    fxi_data_missing_free(&found);
    return st;
}
