/* SPDX-License-Identifier: BSD-3-Clause
 * terms.c - a model as weights of combinations of columns: a constant, a linear term, and
 * sums over components.  Of a kernel machine the components are its vectors: K(v, x) is a sum over
 * combinations, prod v_j prod x_j, in every kernel that is offered here. */

#include "explain/explain.h"
#include "map/explicit.h"

#include <stdlib.h>
#include <string.h>

enum { DENSE = 8 };                     /* vectors with 1/DENSE of all numbers are dense */

void fxi_explain_terms_free(fxi_explain_terms *t)
{
    for (size_t k = 0; k < FXI_EXPLAIN_PARTS; k++) {
        fxi_explain_part *a = &t->part[k];
        free(a->lambda);
        free(a->group);
        free(a->angle);
        free(a->ptr);
        free(a->component);
        free(a->value);
    }
    free(t->linear);
    *t = (fxi_explain_terms){0};
}

fxi_explain_part *fxi_explain_terms_add(fxi_explain_terms *t, int low, int high, size_t S,
                                        bool same)
{
    fxi_explain_part *a = &t->part[t->parts];

    a->lambda = fxi_zalloc(same ? 1 : (size_t)(high - low) + 1, S * sizeof *a->lambda);
    if (!a->lambda)
        return NULL;
    t->parts++;
    a->low = low;
    a->high = high;
    a->S = S;
    a->same = same;
    return a;
}

const double *fxi_explain_terms_lambda(const fxi_explain_part *a, int t)
{
    return a->lambda + (a->same ? 0 : (size_t)(t - a->low) * a->S);
}

static fx_status unsupported(const char *what)
{
    return fxi_error(FX_EUNSUPPORTED,
                     "%s has no weights of combinations; explained are linear models on rows or on "
                     "maps rk, rm, explicit, kernel machines with linear, anova, anova-upto, "
                     "all-subsets, itemset, groups, cross, poly, and factorization machines",
                     what);
}

/* ---- Families ---------------------------------------------------------------------------- */

/* The group that column f of the family is in: -1 none, -2 several. */
static int32_t group_of(const fxi_groups *g, size_t f)
{
    int32_t in = -1;

    for (int32_t i = g->first[f]; i < g->first[f + 1]; i++) {
        size_t uses = g->factors == 0;
        for (size_t q = 0; q < g->factors; q++)
            uses += g->factor[q] == g->member[i];
        if (uses > 1 || (uses && in >= 0))
            return -2;
        in = uses ? g->member[i] : in;
    }
    return in;
}

static fx_status set_groups(fxi_explain_part *a, const fx_kernel *k, size_t cols)
{
    const fxi_groups *g = k->groups;
    bool cross = k->type == &fxi_kernel_cross;

    if (!(a->group = fxi_alloc(cols, sizeof *a->group)))
        return FX_ENOMEM;
    for (size_t j = 0; j < cols; j++)
        a->group[j] = cross ? -1 : (int32_t)(g->groups + j);
    for (size_t f = 0; f < g->features; f++) {
        int32_t in = group_of(g, f);
        if (in == -2)
            return fxi_error(FX_EUNSUPPORTED,
                             "column %lld (from 0) stands in several groups; "
                             "weights of combinations are offered where it stands in one",
                             (long long)g->feature[f]);
        if ((size_t)g->feature[f] < cols && (in >= 0 || cross))
            a->group[g->feature[f]] = in;
    }
    return FX_OK;
}

fx_status fxi_explain_terms_family(fxi_explain_part **out, fxi_explain_terms *t, const fx_kernel *k,
                                   const double *theta, const double *beta, size_t S)
{
    size_t cols = t->m->c.cols;
    bool all = k->type == &fxi_kernel_all_subsets, sets = k->tree != NULL;
    int low = 1, high = theta                           ? k->order
                        : k->type == &fxi_kernel_groups ? k->order
                        : k->type == &fxi_kernel_cross  ? (int)k->groups->factors
                        : all                           ? (int)cols
                        : sets                          ? (int)k->tree->depth
                                                        : 1;

    *out = NULL;
    if (high > FXI_EXPLAIN_DEEP && !all)
        return fxi_error(FX_EUNSUPPORTED, "combinations of %d columns; up to %d are explained",
                         high, FXI_EXPLAIN_DEEP);
    for (size_t s = 0; s < S && (all || (sets && k->tree->empty) || !high); s++)
        t->constant += beta[s];
    if (!high)
        return FX_OK;
    while (theta && theta[low] == 0 && low < high)
        low++;
    if (k->groups)
        low = high;
    fxi_explain_part *a = fxi_explain_terms_add(t, low, high, S, !theta);
    if (!a)
        return FX_ENOMEM;
    for (int i = low; i <= (theta ? high : low); i++)
        for (size_t s = 0; s < S; s++)
            a->lambda[(size_t)(i - low) * S + s] = beta[s] * (theta ? theta[i] : 1);
    t->tree = k->tree;
    *out = a;
    return k->groups ? set_groups(a, k, cols) : FX_OK;
}

/* ---- Kernel machines --------------------------------------------------------------------- */

static void read_dense(double *p, const fxi_explain_part *a, size_t j)
{
    const fx_matrix *V = a->from;

    for (size_t s = 0; s < a->S; s++) {
        size_t at = s * V->stride + j;
        p[s] = V->type == FX_F32 ? ((const float *)V->val)[at] : ((const double *)V->val)[at];
    }
}

static void read_sparse(double *p, const fxi_explain_part *a, size_t j)
{
    memset(p, 0, a->S * sizeof *p);
    for (size_t e = a->ptr[j]; e < a->ptr[j + 1]; e++)
        p[a->component[e]] = a->value[e];
}

/* Vectors by columns. */
static fx_status transpose(fxi_explain_part *a, const fx_matrix *V, size_t cols, const fx_run *run)
{
    size_t stored = (size_t)(V->ptr[V->rows] - V->ptr[0]);
    fx_status st = fxi_memory_check(run, stored * 12 + cols * 8, "vectors by columns");

    if (st)
        return st;
    size_t longest = fxi_data_rows_max(V, 1);
    a->sparse = (double)stored * DENSE < (double)V->rows * (double)cols;
    if (a->same && longest < (size_t)a->high)   /* no vector has more columns together */
        a->high = longest < (size_t)a->low ? a->low : (int)longest;

    a->ptr = fxi_zalloc(cols + 2, sizeof *a->ptr);
    a->component = fxi_alloc(stored, sizeof *a->component);
    a->value = fxi_alloc(stored, sizeof *a->value);
    if (!a->ptr || !a->component || !a->value)
        return FX_ENOMEM;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t s = 0; s < V->rows; s++) {
            fxi_row r = fxi_data_row(V, s);
            for (size_t e = 0; e < r.n; e++) {
                size_t j = (size_t)fxi_row_column(r, e);
                if (!pass) {
                    a->ptr[j + 2]++;
                    continue;
                }
                size_t at = a->ptr[j + 1]++;
                a->component[at] = (int32_t)s;
                a->value[at] = fxi_row_value(r, e);
            }
        }
        for (size_t j = 0; j < cols && !pass; j++)
            a->ptr[j + 1] += a->ptr[j]; /* where column j begins; then where it ends */
    }
    return FX_OK;
}

static fx_status set_vectors(fxi_explain_part *a, const fx_model_info *c, const fx_run *run)
{
    const fx_matrix *V = &c->vectors;

    a->from = V;
    a->read = V->ptr ? read_sparse : read_dense;
    return V->ptr ? transpose(a, V, c->cols, run) : FX_OK;
}

/* sum_n a_n (v.x)^n */
static fx_status add_series(fxi_explain_part **out, fxi_explain_terms *t, const fx_kernel *k,
                            const double *beta, size_t S)
{
    int high = 0;

    for (int n = 1; n <= FX_ORDER_MAX + 1; n++)
        if (k->type->coefficient(k, n) > 0)
            high = n;
    if (high > FX_ORDER_MAX)
        return fxi_error(FX_EUNSUPPORTED, "kernel %s: polynomials up to degree %d are explained",
                         k->spec, FX_ORDER_MAX);
    for (size_t s = 0; s < S; s++)
        t->constant += beta[s] * k->type->coefficient(k, 0);
    *out = NULL;
    if (!high)
        return FX_OK;
    if (!(*out = fxi_explain_terms_add(t, 1, high, S, false)))
        return FX_ENOMEM;
    (*out)->repeats = true;
    for (int n = 1; n <= high; n++)
        for (size_t s = 0; s < S; s++)
            (*out)->lambda[(size_t)(n - 1) * S + s] = beta[s] * k->type->coefficient(k, n);
    return FX_OK;
}

static fx_status add_vectors(fxi_explain_terms *t, const fx_run *run)
{
    const fx_model_info *c = &t->m->c;
    const fx_kernel *k = t->m->kernel;
    bool anova = k->type == &fxi_kernel_anova || k->type == &fxi_kernel_anova_upto;
    bool family = anova || k->tree || k->groups || k->type == &fxi_kernel_all_subsets
                  || k->type == &fxi_kernel_linear;
    bool series = k->type->coefficient && (!k->inner || k->inner->type == &fxi_kernel_linear);
    size_t S = c->vectors.rows;
    fxi_explain_part *a = NULL;

    if (!family && !series)
        return unsupported(k->spec);
    double *beta = fxi_alloc(S, sizeof *beta);
    fx_status st = beta ? FX_OK : FX_ENOMEM;
    for (size_t s = 0; s < S && !st; s++)
        beta[s] = c->weights[s * c->outputs + t->output];
    if (!st && S)
        st = family ? fxi_explain_terms_family(&a, t, k, anova ? k->coef : NULL, beta, S)
                    : add_series(&a, t, k, beta, S);
    free(beta);
    return st || !a ? st : set_vectors(a, c, run);
}

/* ---- Linear models ----------------------------------------------------------------------- */

fx_status fxi_explain_terms_linear(fxi_explain_terms *t)
{
    const fx_model_info *c = &t->m->c;

    if (!(t->linear = fxi_alloc(c->cols, sizeof *t->linear)))
        return FX_ENOMEM;
    for (size_t j = 0; j < c->cols; j++)
        t->linear[j] = c->weights[j * c->outputs + t->output];
    return FX_OK;
}

static fx_status add_expansion(fxi_explain_terms *t)
{
    const fx_model_info *c = &t->m->c;
    const fxi_expansion *e = t->m->map->state;

    t->expanded = t->m->map;
    for (const fxi_section *s = e->section; s < e->section + e->sections; s++)
        if (!s->order)
            t->constant += c->weights[s->first * c->outputs + t->output] * s->weight;
    if (e->tree && e->tree->empty)
        t->constant += c->weights[t->output];
    return FX_OK;
}

fx_status fxi_explain_terms_new(fxi_explain_terms *t, const fx_model *m, size_t output,
                                const fx_run *run)
{
    *t = (fxi_explain_terms){.m = m, .output = output, .constant = m->c.intercepts[output]};
    return m->kind->terms(t, run);
}

fx_status fxi_explain_terms_weights(fxi_explain_terms *t, const fx_run *run)
{
    const fx_model *m = t->m;

    if (m->c.vectors.cols)
        return add_vectors(t, run);
    if (m->map && m->map->type == &fxi_map_explicit)
        return add_expansion(t);
    if (m->map && (m->map->type == &fxi_map_random_kernel || m->map->type == &fxi_map_maclaurin))
        return fxi_explain_map(t);
    if (m->map || *m->c.kernel)
        return unsupported(m->map ? m->c.map : m->c.kernel);
    return fxi_explain_terms_linear(t);
}
