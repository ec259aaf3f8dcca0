/* SPDX-License-Identifier: BSD-3-Clause
 * kernel.c - what a fit of a kernel machine needs in addition to its rows: the kernel, a check of
 * the rows if it is `precomputed`, and the place of the vectors of an earlier perceptron: among the
 * rows, if it resumes with the same ones, else before them. */

#include "kind/kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool fxi_kind_kernel_given(const fx_model *m)
{
    return m->kernel && m->kernel->type == &fxi_kernel_precomputed;
}

bool fxi_kind_kernel_exact(const fx_model *m)
{
    return m->kernel && !m->map && !fxi_kind_kernel_given(m);
}

static bool is_numbered(const fx_matrix *X)
{
    for (size_t i = 0; i < X->rows; i++) {
        fxi_row r = fxi_data_row(X, i);
        if (!r.n || fxi_row_column(r, 0) != 0 || fxi_row_value(r, 0) != (double)(i + 1))
            return false;
    }
    return true;
}

/* serial=auto becomes what the rows say; the kernel is the one with that key. */
static fx_status resolve(fxi_train *t, const fx_plan *plan)
{
    fxi_machine *own = t->own;
    size_t n = t->X.rows, cols = t->X.cols;
    const char *given;
    size_t len;
    fx_status st = fx_spec_get(&given, &len, plan->kernel, "serial");
    bool decided = given && *given != 'a';      /* yes or no; not auto */

    if (st)
        return st;
    own->serial = decided ? *given == 'y' : cols == n + 1 && is_numbered(&t->X);
    if (cols != n + own->serial)
        return fxi_error(FX_ESHAPE,
                         "kernel precomputed: %zu rows have %zu columns; one for each "
                         "row is needed%s",
                         n, cols,
                         cols != n + 1 ? ""
                         : decided     ? ": say serial=yes if column 0 numbers the "
                                         "rows"
                                       : ", and before them may stand 1, 2, ..");
    fx_kernel_free(t->m->kernel);
    t->m->kernel = NULL;
    return fx_kernel_parse(&t->m->kernel,
                           own->serial ? "precomputed:serial=yes" : "precomputed:serial=no", NULL,
                           t->m->c.base);
}

static fx_status take_precomputed(fxi_train *t, const fx_plan *plan, const fx_run *run)
{
    fx_model_info *c = &t->m->c;
    fx_status st;

    if (*c->scale)
        return fxi_error(FX_EINVAL, "scale %s: rows of a precomputed kernel are not scaled",
                         c->scale);
    if (t->init)
        return fxi_error(FX_EUNSUPPORTED, "a model of a precomputed kernel cannot start from "
                                          "another");
    if (!(st = resolve(t, plan)))
        st = fxi_kernel_precomputed_check(t->m->kernel, &t->X, run);
    c->seen = NULL;                     /* a column of zeros may have numbers in other rows */
    return st;
}

fx_status fxi_kind_kernel(fxi_train *t, const fx_plan *plan, const fx_run *run)
{
    const char *name = t->how.learner->name;
    fx_model_info *c = &t->m->c;
    fx_status st;

    if (plan->map)
        return fxi_error(FX_EINVAL,
                         "%s takes its kernel exactly, without map %s; with a map take model %s",
                         name, plan->map, t->how.learner->on_map);
    if (!plan->kernel)
        return fxi_error(FX_EINVAL, "%s needs a kernel", name);
    if (!t->X.cols)
        return fxi_error(FX_EINVAL, "%s: rows have no columns", name);
    if (t->X.rows > INT32_MAX)
        return fxi_error(FX_EUNSUPPORTED, "%zu rows are too many for %s; take a map and %s",
                         t->X.rows, name, t->how.learner->on_map);
    if ((st = fx_kernel_parse(&t->m->kernel, plan->kernel, plan->family, c->base)))
        return st;
    if (fxi_kind_kernel_given(t->m) && (st = take_precomputed(t, plan, run)))
        return st;
    if (!(st = fxi_model_keep_text(&c->kernel, t->m, fx_kernel_spec(t->m->kernel))))
        st = fxi_model_keep_text(&c->family, t->m, plan->family);
    c->features = c->cols;              /* until vectors are stored */
    return st;
}

/* ---- A kernel perceptron that resumes ---------------------------------------------------- */

static bool same_row(fxi_row a, fxi_row b)
{
    bool same = a.n == b.n;

    for (size_t q = 0; q < a.n && same; q++)
        same = fxi_row_column(a, q) == fxi_row_column(b, q)
               && fxi_row_value(a, q) == fxi_row_value(b, q);
    return same;
}

/* True if all vectors are rows of X, in their order; `at` lists them. */
static bool find_vectors(int32_t *at, const fx_matrix *V, const fx_matrix *X)
{
    size_t found = 0;

    for (size_t i = 0; i < X->rows && found < V->rows; i++)
        if (same_row(fxi_data_row(V, found), fxi_data_row(X, i)))
            at[found++] = (int32_t)i;
    return found == V->rows;
}

fx_status fxi_kind_kernel_resume(fxi_train *t, const fx_run *run)
{
    const fx_matrix *V = &t->init->c.vectors;
    fxi_machine *own = t->own;

    if (!(own->at = fxi_alloc(V->rows, sizeof *own->at)))
        return FX_ENOMEM;
    if (find_vectors(own->at, V, &t->X))
        return FX_OK;
    free(own->at);
    own->at = NULL;
    return fxi_kind_kernel_join(t, run);
}

/* Before the numbers, as many zeros. */
static fx_status shift(double **x, size_t first, size_t n)
{
    double *longer = fxi_zalloc(first + n, sizeof *longer);

    if (!longer)
        return FX_ENOMEM;
    memcpy(longer + first, *x, n * sizeof *longer);
    free(*x);
    *x = longer;
    return FX_OK;
}

fx_status fxi_kind_kernel_join(fxi_train *t, const fx_run *run)
{
    const fx_matrix blocks[] = {t->init->c.vectors, t->X};
    size_t n = t->X.rows, first = blocks[0].rows;
    fx_data *both;
    fx_table table = {.rows = first + n, .cols = t->X.cols, .blocks = 2, .block = blocks};
    fx_status st = fxi_data_select(&both, &table, NULL, 0, false, run);

    if (st)
        return st;
    fx_data_free(t->rows);
    t->rows = both;
    t->X = both->table.block[0];
    ((fxi_machine *)t->own)->first = first;
    if (!(st = shift(&t->labels.y, first, n)))
        st = shift(&t->labels.weight, first, n);
    return st;
}
