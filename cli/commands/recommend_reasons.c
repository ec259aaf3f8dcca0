/* SPDX-License-Identifier: BSD-3-Clause
 * recommend_reasons.c - why an item is recommended: combinations with the largest positive
 * contributions to the score of the pair, of those that hold a column of the item.  Others are
 * the same for all items. */

#include "recommend_lines.h"

#include <stdlib.h>

enum { LISTED = 1000 };                 /* combinations among which they are looked for */

recommend_reasons *recommend_reasons_pair(recommend_reasons *r, const fx_matrix *users, size_t user,
                                          const fx_matrix *items, size_t item)
{
    r->users = users;
    r->items = items;
    r->user = user;
    r->item = item;
    return r;
}

static const int32_t *columns(const fx_matrix *X, size_t i, size_t *n)
{
    *n = (size_t)(X->ptr[i + 1] - X->ptr[i]);
    return (const int32_t *)X->col + X->ptr[i];
}

/* Both rows as one, in the order of columns; a column that both have is that of their sum. */
static void join(int32_t *col, double *val, int64_t ptr[2], const recommend_reasons *r)
{
    size_t na, nb, a = 0, b = 0, n = 0;
    const int32_t *ca = columns(r->users, r->user, &na), *cb = columns(r->items, r->item, &nb);
    const double *xa = (const double *)r->users->val + r->users->ptr[r->user];
    const double *xb = (const double *)r->items->val + r->items->ptr[r->item];

    while (a < na || b < nb) {
        int32_t j = b == nb || (a < na && ca[a] < cb[b]) ? ca[a] : cb[b];
        double x = 0;
        if (a < na && ca[a] == j)
            x += xa[a++];
        if (b < nb && cb[b] == j)
            x += xb[b++];
        col[n] = j;
        val[n++] = x;
    }
    ptr[0] = 0;
    ptr[1] = (int64_t)n;
}

static bool holds_item(const fx_combination *c, const fx_model_info *info, const int32_t *col,
                       size_t n)
{
    for (size_t i = 0; i < c->order; i++)
        for (size_t k = 0; k < n; k++) {
            size_t j = c->column[i];
            if ((j < info->inputs ? (int64_t)j : info->indicator[j - info->inputs]) == col[k])
                return true;
        }
    return false;
}

/* Of the explanation; its list is by |contribution|, so the first positive ones are the largest. */
static int choose(recommend_reasons *r)
{
    size_t n;
    const int32_t *col = columns(r->items, r->item, &n);

    if (!r->found && !(r->found = malloc((r->n ? r->n : 1) * sizeof *r->found)))
        return say_no_memory("reasons");
    for (size_t i = 0; i < r->e->n && r->founds < r->n; i++)
        if (r->e->at[i].contribution > 0
            && holds_item(&r->e->at[i], fx_model_inspect(r->model), col, n))
            r->found[r->founds++] = &r->e->at[i];
    return 0;
}

int recommend_reasons_find(recommend_reasons *r)
{
    size_t na, nb;
    int64_t ptr[2];

    fx_explanation_free(r->e);
    r->e = NULL;
    r->founds = 0;
    if (!r->n)
        return 0;
    columns(r->users, r->user, &na);
    columns(r->items, r->item, &nb);
    int32_t *col = malloc((na + nb + 1) * sizeof *col);
    double *val = malloc((na + nb + 1) * sizeof *val);
    fx_status s = FX_OK;
    if (col && val) {
        join(col, val, ptr, r);
        const fx_matrix row = {.rows = 1, .cols = r->users->cols, .type = FX_F64, .val = val,
                               .ptr = ptr, .col = col};
        const fx_explain_options q = {.size = sizeof q, .top = LISTED, .row = &row,
                                      .output_from_1 = r->output + 1};
        s = fx_model_explain(&r->e, r->model, &q, &cli.run);
    }
    int status = !col || !val ? say_no_memory("reasons") : s ? say_failure(s) : choose(r);
    free(col);
    free(val);
    return status;
}

void recommend_reasons_free(recommend_reasons *r)
{
    fx_explanation_free(r->e);
    free(r->found);
}
