/* SPDX-License-Identifier: BSD-3-Clause
 * dataset_parts.c - rows to parts: parts that a set does not have are split off from its training
 * rows, and parts are sampled down to the requested number of rows.  The seed decides both. */

#include "dataset.h"
#include "terminal/terminal.h"

#include <stdlib.h>
#include <string.h>

void dataset_parts_drop(dataset_rows *r)
{
    fx_data_free(r->data);
    free(r->wide);
    free(r->label);
    *r = (dataset_rows){0};
}

/* A view as wide as the widest part: files leave out columns that do not occur in them. */
static int widen(dataset_rows *r, size_t cols)
{
    if (r->table.rows == 0 || r->table.cols == cols)
        return 0;
    for (size_t b = 0; b < r->table.blocks; b++)
        if (!r->table.block[b].ptr)
            return say_error("the parts of the set have %zu and %zu columns", r->table.cols, cols);
    r->wide = rows_wider(&r->table, cols);
    return r->wide ? 0 : say_no_memory("wider rows");
}

/* Labels +1 of that class, -1 of the others. */
static int binarise(dataset_rows *r, spec_part positive)
{
    size_t n = r->table.rows, found = 0;
    char *end;
    double class = strtod(positive.p, &end);

    if (end == positive.p || end != positive.p + positive.n)
        return say_error("positive=%.*s is neither a label nor `none`", (int)positive.n,
                         positive.p);
    if (n == 0)
        return 0;
    if (!(r->label = malloc(n * sizeof *r->label)))
        return say_no_memory("labels");
    for (size_t i = 0; i < n; i++) {
        bool is = r->table.label[i] == class;
        r->label[i] = is ? 1 : -1;
        found += is;
    }
    if (found == 0)
        return say_error("positive=%.*s is the label of no row", (int)positive.n, positive.p);
    r->table.label = r->label;
    return 0;
}

/* A part that comes with the set.  It is copied only if it has to change. */
static int whole(parts *p, int part, dataset_rows *r, size_t max_rows, uint64_t seed)
{
    if (r->table.rows == 0)
        return 0;
    if (!r->wide && !r->label && r->table.blocks == 1 && (!max_rows || max_rows >= r->table.rows)) {
        p->data[part] = r->data;
        r->data = NULL;
        return 0;
    }
    return rows_choose(&p->data[part], &r->table, max_rows, seed);
}

static int thin(parts *p, int part, size_t max_rows, uint64_t seed)
{
    fx_data *less = NULL;
    fx_table t = p->data[part] ? fx_data_table(p->data[part]) : (fx_table){0};

    if (!max_rows || max_rows >= t.rows)
        return 0;
    int status = rows_choose(&less, &t, max_rows, seed);
    if (!status) {
        fx_data_free(p->data[part]);
        p->data[part] = less;
    }
    return status;
}

static int split(parts *p, dataset_rows r[DATASET_PARTS], const dataset_spec *w)
{
    dataset_rows *train = &r[DATASET_TRAIN];
    int status = w->valid + w->test <= 0
                     ? whole(p, DATASET_TRAIN, train, w->rows, w->seed)
                     : parts_split(p, &train->table, w->valid, w->test, w->kind->regress, w->seed);

    if (status || (status = thin(p, DATASET_TRAIN, w->rows, w->seed))
        /* no more to choose on than to train on */
        || (status = thin(p, DATASET_VALID, w->rows, w->seed))
        || (!p->data[DATASET_VALID]
            && (status = whole(p, DATASET_VALID, &r[DATASET_VALID], 0, w->seed)))
        || (!p->data[DATASET_TEST]
            && (status = whole(p, DATASET_TEST, &r[DATASET_TEST], w->test_rows, w->seed))))
        return status;
    return thin(p, DATASET_TEST, w->test_rows, w->seed);
}

int dataset_parts_make(parts *p, dataset_rows r[DATASET_PARTS], const dataset_spec *w)
{
    spec_part positive = spec_get(w->spec, "positive");
    size_t cols = 0;
    int status = 0;

    if (!positive.p && w->kind->positive)
        positive = (spec_part){w->kind->positive, strlen(w->kind->positive)};
    for (int k = 0; k < DATASET_PARTS; k++)
        cols = r[k].table.cols > cols ? r[k].table.cols : cols;
    for (int k = 0; k < DATASET_PARTS && !status; k++) {
        status = widen(&r[k], cols);
        if (!status && positive.p && !spec_says(w->spec, "positive", "none"))
            status = binarise(&r[k], positive);
    }
    if (!status)
        status = split(p, r, w);
    p->regress = w->kind->regress;
    fx_table *const view[] = {&p->train, &p->valid, &p->test};
    for (int k = 0; k < DATASET_PARTS && !status; k++)
        *view[k] = p->data[k] ? fx_data_table(p->data[k]) : (fx_table){0};
    if (!status && progress_interrupted())
        status = progress_stop();
    return status;
}
