/* SPDX-License-Identifier: BSD-3-Clause
 * estimate.c - fx_model_estimate: seconds and bytes of a fit before it runs, for the kinds that
 * have `seconds`: exact kernel machines.
 *
 * The fit is prepared as fx_model_fit prepares it (one pass over the rows, perhaps a scaled copy).
 * The kind's `measure` times the kernel, `pair` seconds per value, and multiply-adds, `flop`
 * seconds each, and may fit a sample (kind/kernel_measure.c).  From these the kind's `seconds`
 * gives the time of one fit with n rows; formulas and constants are in src/kind.  Here this is
 * summed over the outputs (those of pairs of classes have the rows of two; those of equal sizes are
 * counted, not visited, so that k classes take k log k steps, not k^2), and with calibrate=yes also
 * over FOLDS fits of 4/5 of the rows.  The result is an order of magnitude.
 *
 * Bytes are those of fx_model_fit's own sums: the copy of the rows, labels and weights, and for
 * each fit that runs at a time its arrays and its cache or matrix. */

#include "train/train.h"

#include <math.h>
#include <stdlib.h>

enum { FOLDS = FXI_CALIBRATE_FOLDS };

/* ---- Rows of each output ----------------------------------------------------------------- */
static int by_rows(const void *a, const void *b)
{
    const struct fxi_estimate_size *x = a, *y = b;

    return (x->rows < y->rows) - (x->rows > y->rows);
}

static fx_status count_rows(fxi_estimating *e)
{
    const fxi_train *t = e->t;
    bool pairs = t->m->c.pairs;
    size_t classes = pairs ? t->m->c.classes : 1, n = 0;

    if (!(e->size = fxi_zalloc(classes, sizeof *e->size)))
        return FX_ENOMEM;
    for (size_t i = 0; i < t->X.rows; i++)
        e->size[pairs ? (size_t)t->labels.y[i] : 0].rows += t->labels.weight[i] > 0;
    qsort(e->size, classes, sizeof *e->size, by_rows);
    for (size_t k = 0; k < classes; k++) {
        if (k == 0 || e->size[k].rows != e->size[n - 1].rows)
            e->size[n++] = (struct fxi_estimate_size){e->size[k].rows, 0};
        e->size[n - 1].times++;
    }
    e->sizes = n;
    return FX_OK;
}

/* Rows of the largest output. */
static size_t max_rows(const fxi_estimating *e)
{
    size_t n = e->size[0].rows;

    if (!e->t->m->c.pairs)
        return n;
    return n + (e->size[0].times > 1 ? n : e->size[1].rows);
}

static size_t fits(const fxi_train *t) { return t->how.components ? 1 : t->outputs; }

/* ---- Seconds ----------------------------------------------------------------------------- */

/* The fits of one output with n rows: its own, and those for its probabilities. */
static double output_seconds(const fxi_estimating *e, double n)
{
    double sum = e->t->how.kind->seconds(e, n);

    if (e->t->how.calibrate)
        sum += FOLDS * e->t->how.kind->seconds(e, n * (FOLDS - 1) / FOLDS);
    return sum;
}

typedef struct adding {
    const fxi_estimating *e;
    double seconds;
} adding;

/* Pairs of classes of size i and of any later size: all of the same two sizes take the same. */
static fx_status add_pairs(void *ctx, size_t i, fxi_team *team)
{
    adding *a = ctx;
    const struct fxi_estimate_size *size = a->e->size;
    double times = (double)size[i].times;

    for (size_t j = i; j < a->e->sizes && !fxi_parallel_cancelled(team); j++) {
        double pairs = times * (j == i ? (times - 1) / 2 : (double)size[j].times);
        if (pairs > 0)
            a->seconds += pairs * output_seconds(a->e, (double)(size[i].rows + size[j].rows));
    }
    return FX_OK;
}

static fx_status sum_seconds(double *out, const fxi_estimating *e, const fx_run *run)
{
    adding a = {e, 0};
    fx_status st = FX_OK;

    if (e->t->m->c.pairs)
        st = fxi_parallel_ordered(e->sizes, add_pairs, &a, run);
    else
        a.seconds = (double)fits(e->t) * output_seconds(e, (double)e->size[0].rows);
    *out = a.seconds;
    return st;
}

/* ---- Bytes ------------------------------------------------------------------------------- */
double fxi_train_estimate_matrix(const fx_matrix *X)
{
    double each = X->type == FX_F32 ? sizeof(float) : sizeof(double);

    if (!X->ptr)
        return (double)X->rows * (double)X->cols * each;
    return (double)(X->ptr[X->rows] - X->ptr[0]) * (each + (X->wide ? 8 : 4))
           + ((double)X->rows + 1) * sizeof *X->ptr;
}

static double bytes(const fxi_estimating *e)
{
    const fxi_train *t = e->t;
    double rows = (double)t->X.rows, base = t->rows ? fxi_train_estimate_matrix(&t->X) : 0;
    size_t each, all;

    if (!t->how.kind->bytes(&each, &all, t))
        return (double)SIZE_MAX;
    base += rows * 2 * sizeof(double) + (double)t->X.cols * sizeof(double);    /* labels; largest */
    return base + (double)all + t->how.kind->peak(e, (double)each, max_rows(e));
}

/* ---- The call ---------------------------------------------------------------------------- */

fx_status fx_model_estimate(fx_estimate *out, const fx_plan *plan, const fx_table *t,
                            const fx_run *run)
{
    fx_run free_run = fxi_sized_run(run);
    fxi_train train;
    fxi_estimating e = {.t = &train};
    fx_status st;

    if (!out || !plan)
        return fxi_error(FX_EINVAL, "no %s is given", out ? "plan" : "place for the estimate");
    fx_plan same;
    if ((st = fxi_sized_check(out, "fx_estimate"))
        || (st = fxi_sized_in(&same, sizeof same, plan, "fx_plan")))
        return st;
    fxi_learning how;
    st = fxi_model_learner(&how, same.model);
    if (!st && !how.kind->seconds)
        st = fxi_error(FX_EUNSUPPORTED, "the time of model %s is not estimated; %s",
                       how.learner->name, fxi_kinds_can.estimate);
    fxi_model_learner_free(&how);
    if (st)
        return st;
    same.eval = NULL;
    st = fxi_train_open(&train, &same, t, run);
    if (st == FX_ELIMIT) {              /* over the limit: estimate without one */
        free_run.max_memory = 0;
        st = fxi_train_open(&train, &same, t, &free_run);
    }
    if (st)
        return st;
    size_t jobs = fits(&train);
    fxi_train_each_share(&train, train.how.calibrate && jobs < FOLDS ? FOLDS : jobs, run);
    if (!(st = count_rows(&e)))
        st = train.how.kind->measure(&e, &free_run);
    double seconds = 0;
    if (!st)
        st = sum_seconds(&seconds, &e, run);
    if (!st) {
        double max_bytes = bytes(&e);
        fx_estimate found = {.size = sizeof found, .seconds = train.m->c.prepared + seconds,
                             .bytes = max_bytes < 0x1p63 ? (uint64_t)max_bytes : UINT64_MAX};
        fxi_sized_out(out, &found, sizeof found);
    }
    free(e.size);
    fxi_train_close(&train);
    return st;
}
