/* SPDX-License-Identifier: BSD-3-Clause
 * vectors.c - what kinds share that have a weight for each row of the training: kernel machines.
 *
 * A model stores the rows that have a weight other than 0, in their order, sparse ones sparse,
 * floats as floats; all others are dropped.  If the rows are those of a Gram matrix there is
 * nothing to store: the machine is linear in their columns, one for each row of training.
 *
 * Cost: one pass; numbers are moved to their new places within the memory that they have. */

#include "kind/kind.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 1 << 20, ROWS = 1024 };        /* of a chunk that is scored */

/* ---- Memory and time ---------------------------------------------------------------------- */

void fxi_kind_vectors_close(fxi_train *t)
{
    fxi_kind_weights_close(t);
    free(((fxi_machine *)t->own)->at);
}

void fxi_kind_vectors_free(fx_model *m) { fx_data_free(((fxi_vectors *)m->own)->data); }

double fxi_kind_vectors_peak(const fxi_estimating *e, double each, size_t rows)
{
    (void)rows;
    return fmax(e->t->at_once * each, fxi_train_estimate_matrix(&e->t->X));
}

/* ---- The fit ------------------------------------------------------------------------------ */

/* b + sum over rows of training of beta_i K(x_i, x) */
fx_status fxi_kind_vectors_score(double *f, const fxi_train *t, const fxi_solution *s,
                                 fxi_row_subset x, const fx_run *run)
{
    size_t n = 0, rows = t->source.rows;
    int32_t *row = fxi_alloc(rows, sizeof *row);
    double *beta = fxi_alloc(rows, sizeof *beta);
    fx_status st = row && beta ? FX_OK : FX_ENOMEM;

    for (size_t i = 0; i < rows && !st; i++)
        if (s->beta[i] != 0) {
            row[n] = (int32_t)i;
            beta[n++] = s->beta[i];
        }
    if (!st)
        st = fxi_kernel_score(f, t->m->kernel, x, (fxi_row_subset){&t->X, row, n}, beta, 1, run);
    for (size_t i = 0; i < x.n && !st; i++)
        f[i] += s->b;
    free(row);
    free(beta);
    return st;
}

/* ---- What is stored ------------------------------------------------------------------------ */

typedef struct marking {
    size_t *used;                       /* [rows] 1 or 0 */
    const fxi_weights *a;
    size_t rows, outputs;
} marking;

static fx_status mark(void *ctx, size_t i, fxi_team *team)
{
    const marking *m = ctx;
    const double *now = m->a->sum, *sum = now ? now + (m->rows + 1) * m->outputs : NULL;
    bool used = false;

    (void)team;
    for (size_t e = i * m->outputs; e < (i + 1) * m->outputs && !used; e++)
        used = m->a->weights[e] != 0 || (now && (now[e] != 0 || sum[e] != 0));
    m->used[i] = used;
    return FX_OK;
}

/* Rows [n] of [..][outputs] numbers of 8 bytes, ascending, to the front of `to`, which may be where
 * they are. */
static void gather(void *to, const void *from, const size_t *row, size_t n, size_t outputs)
{
    size_t each = 8 * outputs;

    for (size_t i = 0; i < n; i++)
        memmove((char *)to + i * each, (const char *)from + row[i] * each, each);
}

/* The model owns p, shortened. */
static fx_status hand_over(void *out, fx_model *m, void *p, size_t numbers)
{
    void *less = fxi_realloc(p, numbers ? numbers : 1, 8);
    fx_status st = fxi_model_own(m, less ? less : p);

    if (!st)
        memcpy(out, &(void *){less ? less : p}, sizeof(void *));
    return st;
}

static fx_status keep_rows(fxi_train *t, fxi_weights *a, const size_t *row, size_t n,
                           const fx_run *run)
{
    fx_model *m = t->m;
    size_t rows = t->source.rows, outputs = t->outputs, half = (n + 1) * outputs;
    fx_table table = {.rows = t->X.rows, .cols = t->X.cols, .blocks = 1, .block = &t->X};
    fxi_vectors *own = m->own;
    fx_status st = fxi_data_select(&own->data, &table, row, n, false, run);

    if (st)
        return st;
    m->c.vectors = own->data->table.block[0];
    m->c.features = m->c.support_vectors = n;
    gather(a->weights, a->weights, row, n, outputs);
    st = hand_over(&m->c.weights, m, a->weights, n * outputs);
    a->weights = NULL;
    if (!st && a->sum) {
        double *sum = a->sum, *below = sum + (rows + 1) * outputs;
        gather(sum, sum, row, n, outputs);
        memmove(sum + n * outputs, sum + rows * outputs, 8 * outputs);
        gather(sum + half, below, row, n, outputs);
        memmove(sum + half + n * outputs, below + rows * outputs, 8 * outputs);
        st = hand_over(&own->online.sum, m, sum, 2 * half);
        a->sum = NULL;
        if (!st) {
            gather(a->age, a->age, row, n, outputs);
            st = hand_over(&own->online.age, m, a->age, n * outputs);
            a->age = NULL;
        }
    }
    return st;
}

static fx_status keep_columns(fxi_train *t, const fxi_weights *a)
{
    fx_model *m = t->m;
    size_t outputs = t->outputs;
    double *w = fxi_zalloc(m->c.cols * outputs, sizeof *w);
    fx_status st = fxi_model_own(m, w);

    if (st)
        return st;
    memcpy(w + ((const fxi_machine *)t->own)->serial * outputs, a->weights,
           t->source.rows * outputs * sizeof *w);
    m->c.weights = w;
    m->c.features = m->c.cols;
    return FX_OK;
}

fx_status fxi_kind_vectors_finish(fxi_train *t, const fx_run *run)
{
    fxi_weights *a = t->own;
    size_t rows = t->source.rows, n = 0, *row = fxi_alloc(rows, sizeof *row);
    fx_status st = row ? fxi_parallel(rows, mark, &(marking){row, a, rows, t->outputs}, run)
                       : FX_ENOMEM;

    for (size_t i = 0; i < rows && !st; i++)
        if (row[i])
            row[n++] = i;
    if (!st)
        st = fxi_kind_kernel_exact(t->m) ? keep_rows(t, a, row, n, run) : keep_columns(t, a);
    t->m->c.support_vectors = n;
    free(row);
    return st;
}

/* ---- The model ---------------------------------------------------------------------------- */

static fx_status score_rows(double *S, const fx_scorer *s, const fx_matrix *X, fxi_scratch *scratch,
                            const fx_run *run, fxi_team *team)
{
    return fxi_kernel_score_rows(S, s->own, X, scratch, run, team);
}

static void close_vectors(void *own) { fxi_kernel_score_free(own); }

fx_status fxi_kind_vectors_scorer(fx_scorer *s, const fx_run *run)
{
    const fx_model_info *c = &s->m->c;
    size_t each = c->vectors.rows ? fxi_data_stored(&c->vectors) / c->vectors.rows : 0;
    fxi_kernel_scorer *own = NULL;
    fx_status st = fxi_kernel_score_new(&own, s->m->kernel, &c->vectors, c->weights, c->outputs,
                                        s->brief, run);

    s->own = own;
    s->close = close_vectors;
    s->numbers = NUMBERS;
    s->rows = ROWS;
    s->work = (double)c->vectors.rows * (double)(fxi_kernel_cost(s->m->kernel, each) + c->outputs);
    s->score = score_rows;
    return st;
}
