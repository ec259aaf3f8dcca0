/* SPDX-License-Identifier: BSD-3-Clause
 * metric.c - metrics by name, and rows that are held out for them. */

#include "cli.h"

#include <stdlib.h>
#include <string.h>

double metric_of(const fx_metrics *m, const char *name)
{
    return !strcmp(name, "accuracy") ? m->accuracy
           : !strcmp(name, "auc")    ? m->auc
           : !strcmp(name, "rmse")   ? m->rmse
                                     : m->logloss;
}

bool metric_falls(const char *name) { return !strcmp(name, "rmse") || !strcmp(name, "logloss"); }

int metric_check(const char *who, const char *name, bool regress)
{
    if (regress == !strcmp(name, "rmse"))
        return 0;
    say_error("%s: there is no %s for %s", who, name, regress ? "numbers" : "classes");
    return EXIT_USAGE;
}

int metric_missing(const char *who, const char *name)
{
    say_error("%s: there is no %s for this model and these rows%s", who, name,
              strcmp(name, "logloss") ? "" : "; use --calibrate or --model logistic");
    return EXIT_USAGE;
}

/* ---- Folds -------------------------------------------------------------------------------- */
static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Held out, the only row of its class would leave training without that class: it stays. */
static int keep_lone_rows(int32_t *fold, const fx_table *t)
{
    double *y = malloc((t->rows ? t->rows : 1) * sizeof *y);
    size_t lone = 0;

    if (!y)
        return say_no_memory("folds");
    memcpy(y, t->label, t->rows * sizeof *y);
    qsort(y, t->rows, sizeof *y, ascending);
    for (size_t i = 0; i < t->rows; i++) {
        const double *at = bsearch(&t->label[i], y, t->rows, sizeof *y, ascending);
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

int metric_folds(int32_t *fold, const fx_table *t, int folds, bool regress)
{
    fx_status s = fx_data_folds(fold, t->rows, folds, regress ? NULL : t->label, cli.seed);

    return s ? say_failure(s) : regress ? 0 : keep_lone_rows(fold, t);
}
