/* SPDX-License-Identifier: BSD-3-Clause
 * selection_rows.c - the rows that a choice is made on, and those of them that are held out.
 *
 * They are drawn by labels and seed alone, so they are the same wherever the rows are. */

#include "selection.h"

#include <stdlib.h>

enum { ROWS = 5000, FEW = 1000, MIN_ROWS = 10 };

int selection_rows(fx_data **part, candidate_set *k, training *of)
{
    const fx_table *t = &of->X.table;
    spill *s = of->streamed ? &of->spill : NULL;
    bool all = !s && (t->rows <= ROWS || kernel_precomputed(k->plan.kernel)); /* a square, or
                                                                                 nothing */
    int status = all ? 0 : rows_sample(part, &of->X, s, ROWS, !of->regress);

    if (status)
        return status;
    k->t = all ? *t : fx_data_table(*part);
    k->all = t->rows;
    k->fold = malloc((k->t.rows ? k->t.rows : 1) * sizeof *k->fold);
    return k->fold ? 0 : say_no_memory("the choice");
}

int selection_hold_out(candidate_set *k)
{
    size_t n = k->t.rows, in[SELECTION_FOLDS] = {0};
    size_t values = 0, rarest = 0;
    int status = k->of->regress ? 0 : task_values(&values, &rarest, &k->t);

    k->outputs = !status && !k->of->regress && values > 2 ? values : 1;
    if (status || n < MIN_ROWS || (!k->of->regress && values < 2))
        return status;
    status = held_out_deal(k->fold, &k->t, SELECTION_FOLDS, k->of->regress);
    k->folds = n < FEW ? SELECTION_FOLDS : 1;
    for (size_t i = 0; i < n && !status; i++) {
        k->fold[i] = k->fold[i] < k->folds ? k->fold[i] : -1;
        if (k->fold[i] >= 0) {
            in[k->fold[i]]++;
            k->held_out++;
        }
    }
    for (int f = 0; f < k->folds; f++)
        k->held_out = in[f] ? k->held_out : 0;
    return status;
}
