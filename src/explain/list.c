/* SPDX-License-Identifier: BSD-3-Clause
 * list.c - combinations that are few enough to visit all: single columns, the sets of
 * a family, the columns of map explicit. */

#include "explain/explain.h"
#include "map/explicit.h"

#include <math.h>
#include <stdlib.h>

typedef struct listing {
    fxi_explain_top *top;
    const fxi_explain_terms *t;
    fxi_explain_columns c;
    size_t order;
    double *x;                          /* [cols] what a column is multiplied by; 0: left out */
    double *p;                          /* [S] */
} listing;

static fx_status offer(const listing *l, double weight, const int32_t *column, int order)
{
    fxi_explain_item item = {.weight = weight, .order = order};

    if (fabs(weight) < fxi_explain_min_weight(l->top))
        return FX_OK;                   /* most of them */
    for (int i = 0; i < order; i++)
        item.column[i] = column[i];
    return fxi_explain_top_offer(l->top, &item);
}

/* Single columns: the linear term and the parts' order 1 together. */
static fx_status singles(const listing *l, fxi_team *team)
{
    const fxi_explain_terms *t = l->t;
    fx_status st = FX_OK;

    for (size_t i = 0; i < l->c.n && !st && !fxi_parallel_cancelled(team); i++) {
        size_t j = l->c.column[i];
        double w = t->linear ? t->linear[j] : 0;
        for (size_t k = 0; k < t->parts; k++) {
            const fxi_explain_part *a = &t->part[k];
            if (a->low > 1 || t->tree || (a->group && a->group[j] < 0))
                continue;
            a->read(l->p, a, j);
            for (size_t s = 0; s < a->S; s++)
                w += fxi_explain_terms_lambda(a, 1)[s] * l->p[s];
        }
        st = offer(l, w * (l->c.x ? l->c.x[i] : 1), &(int32_t){(int32_t)j}, 1);
    }
    return st;
}

/* A family of sets: products along the path to each node. */
static fx_status family(const listing *l, fxi_team *team)
{
    const fxi_tree *tree = l->t->tree;
    const fxi_explain_part *a = &l->t->part[0];
    size_t cols = l->t->m->c.cols, S = a->S;
    double *stack = fxi_alloc((tree->depth + 1) * S, sizeof *stack);
    int32_t path[FXI_EXPLAIN_DEEP];
    fx_status st = stack ? FX_OK : FX_ENOMEM;

    for (size_t s = 0; s < S && !st; s++)
        stack[s] = a->lambda[s];
    for (size_t v = 0; v < tree->nodes && !st && !fxi_parallel_cancelled(team);) {
        size_t j = (size_t)tree->feature[tree->use[v]], level = (size_t)tree->level[v];
        if (j >= cols || l->x[j] == 0) {
            v = (size_t)tree->next[v];
            continue;
        }
        double *q = stack + level * S, *above = q - S, sum = 0;
        a->read(l->p, a, j);
        for (size_t s = 0; s < S; s++)
            sum += q[s] = above[s] * l->p[s] * l->x[j];
        path[level - 1] = (int32_t)j;
        if (tree->ends[v] && (!l->order || l->order == level))
            st = offer(l, sum, path, (int)level);
        v++;
    }
    free(stack);
    return st;
}

/* Map explicit: its columns in lexicographic order of combinations. */
static fx_status section(const listing *l, const fxi_section *s, fxi_team *team)
{
    const fx_model_info *c = &l->t->m->c;
    size_t d = c->cols, at = s->first;
    int t = s->order;
    int32_t j[FXI_EXPLAIN_DEEP + 1];
    fx_status st = FX_OK;

    for (int i = 0; i < t; i++)
        j[i] = i;
    for (size_t end = s->first + s->count; at < end && !st; at++) {
        double w = c->weights[at * c->outputs + l->t->output] * s->weight;
        for (int i = 0; i < t; i++)
            w *= l->x[j[i]];
        if (s->square) {
            j[1] = j[0];
            w *= l->x[j[0]];
        }
        st = offer(l, w, j, t + s->square);
        int i = t - 1;
        while (i >= 0 && (size_t)j[i] + (size_t)(t - i) >= d)
            i--;
        for (j[i < 0 ? 0 : i]++; i >= 0 && i + 1 < t; i++)
            j[i + 1] = j[i] + 1;
        if (at % 4096 == 0 && fxi_parallel_cancelled(team))
            break;
    }
    return st;
}

/* .. of a family: its sets in the order of the tree. */
static fx_status sets(const listing *l, const fxi_expansion *e, fxi_team *team)
{
    const fx_model_info *c = &l->t->m->c;
    const fxi_tree *tree = e->tree;
    double product[FXI_EXPLICIT_ORDERS] = {1};
    int32_t path[FXI_EXPLICIT_ORDERS];
    fx_status st = FX_OK;

    for (size_t v = 0; v < tree->nodes && !st && !fxi_parallel_cancelled(team);) {
        size_t j = (size_t)tree->feature[tree->use[v]], level = (size_t)tree->level[v];
        if (j >= c->cols || l->x[j] == 0) {
            v = (size_t)tree->next[v];
            continue;
        }
        product[level] = product[level - 1] * l->x[j];
        path[level - 1] = (int32_t)j;
        if (tree->ends[v] && (!l->order || l->order == level))
            st = offer(l, c->weights[(size_t)e->first[v] * c->outputs + l->t->output]
                          * product[level], path, (int)level);
        v++;
    }
    return st;
}

static fx_status sections(const listing *l, fxi_team *team)
{
    const fxi_expansion *e = l->t->expanded->state;
    fx_status st = FX_OK;

    if (e->tree)
        return sets(l, e, team);
    for (const fxi_section *s = e->section; s < e->section + e->sections && !st; s++) {
        size_t order = (size_t)s->order + s->square;
        if (s->order && (!l->order || l->order == order))
            st = section(l, s, team);
    }
    return st;
}

static fx_status list(void *ctx, size_t block, fxi_team *team)
{
    const listing *l = ctx;

    (void)block;
    l->top->team = team;
    return l->t->expanded  ? sections(l, team)
           : l->t->tree    ? family(l, team)
           : l->order <= 1 ? singles(l, team)
                           : FX_OK;
}

fx_status fxi_explain_list(fxi_explain_top *top, size_t order, const fxi_explain_terms *t,
                           fxi_explain_columns c, const fx_run *run)
{
    size_t S = 0, cols = t->m->c.cols;
    fx_status st = FX_OK;

    for (size_t k = 0; k < t->parts; k++)
        S = t->part[k].S > S ? t->part[k].S : S;
    listing l = {top, t, c, order, fxi_zalloc(cols, sizeof *l.x), fxi_alloc(S, sizeof *l.p)};
    if (!l.x || !l.p)
        st = FX_ENOMEM;
    for (size_t i = 0; i < c.n && !st; i++)
        l.x[c.column[i]] = c.x ? c.x[i] : 1;
    if (!st)
        st = fxi_parallel_ordered(1, list, &l, run);
    free(l.x);
    free(l.p);
    return st;
}
