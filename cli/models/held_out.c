/* SPDX-License-Identifier: BSD-3-Clause
 * held_out.c - rows that are held out in turn, and how well fits without them predict them.
 *
 * The rows may be in a file.  Their folds and labels are in memory all the same: which rows are
 * held out must not depend on where they are. */

#include "models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Dealing ------------------------------------------------------------------------------ */

/* If the only row of a class were held out, training would not see that class.  So it is never held
 * out. */
static int keep_lone_rows(int32_t *fold, const fx_table *t)
{
    double *y = malloc((t->rows ? t->rows : 1) * sizeof *y);
    size_t lone = 0;

    if (!y)
        return say_no_memory("folds");
    memcpy(y, t->label, t->rows * sizeof *y);
    qsort(y, t->rows, sizeof *y, ascending_doubles);
    for (size_t i = 0; i < t->rows; i++) {
        const double *at = bsearch(&t->label[i], y, t->rows, sizeof *y, ascending_doubles);
        if ((at == y || at[-1] != *at) && (at == y + t->rows - 1 || at[1] != *at)) {
            fold[i] = -1;
            lone++;
        }
    }
    free(y);
    if (lone)
        say_note("%zu class%s of one row: always trained on, never held out", lone,
                 lone == 1 ? "" : "es");
    return 0;
}

int held_out_deal(int32_t *fold, const fx_table *t, int folds, bool regress)
{
    fx_status s = fx_data_folds(fold, t->rows, folds, regress ? NULL : t->label, cli.seed);

    return s ? say_failure(s) : regress ? 0 : keep_lone_rows(fold, t);
}

/* The rows of a query are held out together, because they are compared with one another. */
static int folds_of_queries(int32_t *fold, const fx_table *t, int folds)
{
    int64_t *query = malloc((t->rows ? t->rows : 1) * sizeof *query);
    size_t *order = malloc((t->rows ? t->rows : 1) * sizeof *order), n = 0;
    int status = query && order ? 0 : say_no_memory("folds");

    if (!status) {
        memcpy(query, t->qid, t->rows * sizeof *query);
        qsort(query, t->rows, sizeof *query, ascending_integers);
        for (size_t i = 0; i < t->rows; i++)
            if (i == 0 || query[i] != query[i - 1])
                query[n++] = query[i];
        fx_data_shuffle(order, n, cli.seed);
        if (n < (size_t)folds)
            status = say_error("%d folds of %zu quer%s", folds, n, n == 1 ? "y" : "ies");
    }
    for (size_t i = 0; i < t->rows && !status; i++) {
        const int64_t *at = bsearch(&t->qid[i], query, n, sizeof *query, ascending_integers);
        fold[i] = (int32_t)(order[at - query] % (size_t)folds);
    }
    free(query);
    free(order);
    return status;
}

enum { DEALING = 44 };                  /* bytes a row: fold, label, fx_data_folds */
enum { HELD_OUT = 136 };                /* of a row held out: answers with its score, metrics */

typedef struct labels { double *label; size_t n; } labels;

static int take_labels(void *ctx, const fx_table *t)
{
    labels *l = ctx;

    memcpy(l->label + l->n, t->label, t->rows * sizeof *l->label);
    l->n += t->rows;
    return 0;
}

/* Those of all rows in a file, in their order, unless they are numbers; free() them. */
static int gather_labels(double **out, training *t)
{
    size_t rows = t->X.table.rows;
    labels l = {0};
    int status = say_limit((double)machine_held() + (double)rows * DEALING,
                           "%s: the program, labels and folds of %zu rows take", t->X.name, rows);

    if (status || t->regress)
        return status;
    if (!(*out = l.label = malloc((rows ? rows : 1) * sizeof *l.label)))
        return say_no_memory("labels");
    return rows_each(&t->X, &t->spill, take_labels, &l);
}

int held_out_new(int32_t **out, training *t, size_t folds)
{
    fx_table rows = t->X.table;
    double *label = NULL;
    int status = t->streamed ? gather_labels(&label, t) : 0;
    int32_t *fold = malloc((rows.rows ? rows.rows : 1) * sizeof *fold);

    *out = fold;
    if (!fold && !status)
        status = say_no_memory("folds");
    rows.label = t->streamed ? label : rows.label;
    if (!status)
        status = t->rank && rows.qid ? folds_of_queries(fold, &rows, (int)folds)
                                     : held_out_deal(fold, &rows, (int)folds, t->regress);
    free(label);
    if (status || !t->streamed)
        return status;
    t->before = machine_held() + (uint64_t)rows.rows / folds * HELD_OUT;
    return say_limit(fmax((double)t->before + (double)spill_reads(&t->spill, 2),
                          (double)training_held(t) + 1),
                     "%s: the program, folds of %zu rows and scores of those held out take",
                     t->X.name, rows.rows);
}

bool held_out_stream(void)
{
    const char *missing = rows_missing_plan();

    return !missing || strncmp(missing, "drop", strlen("drop")) != 0;
}

/* ---- Measuring ---------------------------------------------------------------------------- */

int held_out_measure(fx_status *st, fx_metrics *m, training *t, const double *C, size_t n,
                  const int32_t *fold, size_t folds)
{
    fx_plan plan = metric_plan(&t->plan, t->metric);
    const fx_run run = training_run(t);

    m->size = sizeof *m;
    *st = t->streamed
              ? fx_model_passes_path(m, &plan, C, n, fold, t->X.table.rows, (int)folds,
                                     spill_answer, &t->spill, &run)
              : fx_model_path(m, &plan, C, n, &t->X.table, fold, (int)folds, &run);
    if (t->spill.status)
        return t->spill.status;
    /* What is chosen does not depend on memory. */
    bool memory = *st == FX_ENOMEM || *st == FX_ELIMIT || (*st == FX_EUNSUPPORTED && t->streamed);
    return memory || *st == FX_ECANCELLED ? training_failed(t, *st) : 0;
}
