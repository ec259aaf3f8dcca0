/* SPDX-License-Identifier: BSD-3-Clause
 * parts.c - rows to train on, to choose on and to test on, dealt by seed within each class. */

#include "tables.h"
#include "terminal/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int select_part(fx_data **out, fx_table *view, const fx_table *t, const int *of, int part,
                       size_t *rows)
{
    size_t n = 0;

    for (size_t i = 0; i < t->rows; i++)
        if (of[i] == part)
            rows[n++] = i;
    if (n == 0)
        return 0;
    fx_status s = fx_data_select(out, t, rows, n, &cli.run);
    if (s)
        return say_failure(s);
    *view = fx_data_table(*out);
    return 0;
}

enum { SHARES = 1000 };                 /* folds that parts are made of */

/* Takes an even share of 0, 1, 2, .., so that any run of them has its share. */
static bool counts(size_t k, double share)
{
    return floor((double)(k + 1) * share + 1e-9) > floor((double)k * share + 1e-9);
}

/* Rows are assigned to folds by label, so rows of a class are in consecutive folds.  Therefore
 * folds are given to the parts in turn. */
static void parts_of_folds(int part[SHARES], int folds, double valid, double test)
{
    size_t others = 0;

    for (int k = 0; k < folds; k++)
        part[k] = counts((size_t)k, test)                       ? 2
                  : counts(others++, valid / fmax(1 - test, valid)) ? 1
                                                                : 0;
}

/* A class without training rows could not be predicted, so all its rows go into training. */
static void keep_classes(int *of, const fx_table *t, double *seen)
{
    size_t n = 0;

    for (size_t i = 0; i < t->rows; i++)
        if (of[i] == 0)
            seen[n++] = t->label[i];
    qsort(seen, n, sizeof *seen, ascending_doubles);
    for (size_t i = 0; i < t->rows; i++)
        if (of[i] && !bsearch(&t->label[i], seen, n, sizeof *seen, ascending_doubles))
            of[i] = 0;
}

static int deal(int *of, const fx_table *t, double valid, double test, bool regress, uint64_t seed)
{
    int part[SHARES], folds = t->rows < SHARES ? (int)t->rows : SHARES;
    int32_t *fold = malloc(t->rows * sizeof *fold);
    double *seen = malloc(t->rows * sizeof *seen);

    int status = fold && seen ? 0 : say_no_memory("parts of the rows");
    fx_status s = status ? FX_OK : fx_data_folds(fold, t->rows, folds, regress ? NULL : t->label,
                                                 seed);
    if (s)
        status = say_failure(s);
    if (!status) {
        parts_of_folds(part, folds, valid, test);
        for (size_t i = 0; i < t->rows; i++)
            of[i] = part[fold[i]];
        if (!regress)
            keep_classes(of, t, seen);
    }
    free(fold);
    free(seen);
    return status;
}

int parts_split(parts *p, const fx_table *t, double valid, double test, bool regress,
                uint64_t seed)
{
    if (t->rows < 2)
        return say_error("%zu rows are too few for a part to train on", t->rows);
    size_t *rows = malloc(t->rows * sizeof *rows);
    int *of = malloc(t->rows * sizeof *of);
    int status = rows && of ? deal(of, t, valid, test, regress, seed)
                            : say_no_memory("parts of the rows");
    fx_table *const view[] = {&p->train, &p->valid, &p->test};

    p->regress = regress;
    for (int k = 0; k < 3 && !status; k++)
        status = select_part(&p->data[k], view[k], t, of, k, rows);
    free(rows);
    free(of);
    return status;
}

void parts_free(parts *p)
{
    for (int k = 0; k < 3; k++)
        fx_data_free(p->data[k]);
    fx_data_free(p->joined);
    free(p->fold);
    *p = (parts){0};
}

/* One table of the rows of both; the copy that fx_data_select makes is p->joined. */
fx_status parts_join(parts *p)
{
    if (p->joined)
        return FX_OK;
    size_t blocks = p->train.blocks + p->valid.blocks, n = p->train.rows + p->valid.rows;
    fx_matrix *block = malloc(blocks * sizeof *block);
    double *label = malloc(n * sizeof *label);
    int32_t *fold = malloc(n * sizeof *fold);
    fx_status s = block && label && fold ? FX_OK : FX_ENOMEM;

    if (!s) {
        fx_table t = p->train;
        memcpy(block, p->train.block, p->train.blocks * sizeof *block);
        memcpy(block + p->train.blocks, p->valid.block, p->valid.blocks * sizeof *block);
        memcpy(label, p->train.label, p->train.rows * sizeof *label);
        memcpy(label + p->train.rows, p->valid.label, p->valid.rows * sizeof *label);
        t.rows = n, t.blocks = blocks, t.block = block, t.label = label;
        t.qid = NULL, t.weight = NULL;
        s = fx_data_select(&p->joined, &t, NULL, 0, &cli.run);
    }
    free(block);
    free(label);
    if (s)
        free(fold);
    else
        p->fold = fold;
    return s;
}
