/* SPDX-License-Identifier: BSD-3-Clause
 * factors_fold_in.c - new columns of a factorization machine (train/fold_in.c): which machines can
 * take them, and what their fit needs.
 *
 * poly-net is not linear in the numbers of one column, a ranking's objective is about pairs of rows
 * that are drawn. */

#include "kind/kind.h"

fx_status fxi_kind_factors_fold_in_able(const fx_model *m)
{
    const char *name = m->learner->name;

    if (((const fxi_factors *)m->own)->fm->kind == FXI_FM_POWER)
        return fxi_error(FX_EUNSUPPORTED,
                         "no columns can be folded into %s, whose scores are powers "
                         "of their numbers; %s",
                         name, fxi_kinds_can.fold_in);
    if (m->task == FXI_RANK)
        return fxi_error(FX_EUNSUPPORTED, "no columns can be folded into %s with task=rank; %s",
                         name, fxi_kinds_can.fold_in);
    if (!(m->c.weight > 0))
        return fxi_error(FX_EUNSUPPORTED,
                         "the model does not say by which weight of rows its "
                         "training divided losses, as those of other programs and of versions "
                         "before 0.2: train it again to fold columns in");
    return FX_OK;
}

fx_status fxi_kind_factors_fold_in(fxi_train *t, const fx_run *run)
{
    fxi_factors *own = t->m->own;
    fxi_factors_fit *rows = t->own;
    size_t bytes;
    fx_status st = fxi_kind_factors_numbers_new(t->m, &t->how);

    if (st)
        return st;
    t->m->c.features = t->m->c.cols;
    if (!fxi_size_mul(&bytes, own->fm->size, (3 * t->outputs + 2) * sizeof(double)))
        bytes = SIZE_MAX;
    if ((st = fxi_memory_check(run, bytes, "a factorization machine")))
        return st;
    return fxi_fm_rows(&rows->X, &rows->own, own->fm, &t->X, run);
}
