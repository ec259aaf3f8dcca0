/* SPDX-License-Identifier: BSD-3-Clause
 * sides.c - which models have scores that are inner products of two sides.
 *
 * A model that is a sum over combinations (explain.h) has parts sum_s lambda_ts e_t(p_s x), e_t the
 * elementary symmetric polynomial, of orders t from low to high.  For x = a + b with columns of
 * their own
 *
 *   e_t(p x) = sum_{i=0..t} e_i(p a) e_{t-i}(p b)
 *
 * i = 0 and i = t belong to one side alone.  The others need high - 1 numbers for each component,
 * however many orders there are: e_i(p a) beside sum_j lambda_{i+j} e_j(p b).  Powers <p, x>^t
 * (a part that repeats) have <p, a>^i and C(i + j, i) <p, b>^j instead.  All combinations at
 * once are a product over the columns less 1, and the product is that of the sides.
 * doc/math.md#vectors */

#include "recommend/recommend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static fx_status refuse(const fx_model_info *c, const char *why)
{
    return fxi_error(FX_EUNSUPPORTED, "%s: its scores are no inner products of two sides: %s",
                     c->spec, why);
}

fx_side fxi_recommend_sides_of(const fx_model_info *c, size_t column)
{
    size_t j = column < c->inputs ? column : (size_t)c->indicator[column - c->inputs];

    return j < c->split ? FX_FIRST : FX_SECOND;
}

/* What is done to rows before and to scores after. */
static fx_status check_model(const fx_model_info *c)
{
    char why[96];

    if (c->cols > INT32_MAX)
        return fxi_error(FX_EUNSUPPORTED, "%zu columns; vectors are offered for up to %d", c->cols,
                         INT32_MAX);
    if (c->low <= c->high)
        return refuse(c, "its targets are clipped; fit with clip=no");
    if (c->column_scale || !*c->scale || !strcmp(c->scale, "none"))
        return FX_OK;
    snprintf(why, sizeof why,
             "scaling %.20s divides a row by a norm of both; scale columns "
             "(maxabs, std)",
             c->scale);
    return refuse(c, why);
}

/* No group may have columns on both sides. */
static fx_status check_groups(const fxi_explain_part *a, const fx_model_info *c)
{
    int32_t groups = 0;
    char why[160];

    if (!c->split)
        return refuse(c, "it has groups of columns, and which columns are of which side is not "
                         "known; fit it with plan.split, or train it with --links");
    for (size_t j = 0; j < c->cols; j++)
        groups = a->group[j] >= groups ? a->group[j] + 1 : groups;
    unsigned char *on = fxi_zalloc((size_t)groups, 1);
    if (!on)
        return FX_ENOMEM;
    size_t j = 0;
    for (; j < c->cols; j++) {
        if (a->group[j] < 0)
            continue;
        on[a->group[j]] |= (unsigned char)(1 << fxi_recommend_sides_of(c, j));
        if (on[a->group[j]] == (1 << FX_FIRST | 1 << FX_SECOND))
            break;
    }
    free(on);
    if (j == c->cols)
        return FX_OK;
    snprintf(why, sizeof why, "the group of column %zu%s%.60s has columns on both sides",
             j + (size_t)c->base, c->name ? " " : "", c->name ? c->name[j] : "");
    return refuse(c, why);
}

static fx_status add_part(fxi_recommend_sides *s, const fxi_explain_part *a)
{
    const fx_model_info *c = &s->m->c;
    bool product = fxi_recommend_sides_product(a);
    size_t orders = product ? 1 : (size_t)a->high, more, scratch;
    fx_status st = a->group ? check_groups(a, c) : FX_OK;

    if (st)
        return st;
    if (!fxi_size_mul(&more, a->S, product ? 1 : orders - 1)
        || !fxi_size_add(&s->width, s->width, more) || !fxi_size_mul(&scratch, a->S, orders + 1))
        return fxi_error(FX_ESHAPE, "%zu components of order %d are too many", a->S, a->high);
    s->components = a->S > s->components ? a->S : s->components;
    s->scratch = scratch > s->scratch ? scratch : s->scratch;
    for (size_t i = 0; i < a->S && product; i++)
        s->terms.constant -= a->lambda[i];
    return FX_OK;
}

fx_status fxi_recommend_sides_new(fxi_recommend_sides *s, const fx_model *m, size_t output,
                                  const fx_run *run)
{
    *s = (fxi_recommend_sides){
        .m = m, .missing = fxi_model_missing(&m->c), .width = FXI_RECOMMEND_ALONE};
    const fxi_explain_terms *t = &s->terms;
    fx_status st = fxi_sized_run_check(run);

    if (!st)
        st = check_model(&m->c);
    if (!st && output >= m->c.outputs)
        st = fxi_error(FX_EINVAL, "output %zu; %s has %zu", output, m->c.spec, m->c.outputs);
    if (st || (st = fxi_explain_terms_new(&s->terms, m, output, run))
        || (st = fxi_model_rows_scale(&s->scale, &m->c)))
        return st;
    if (t->tree || t->expanded)
        return refuse(&m->c, t->tree ? "its kernel is a family of sets; fit a factorization machine"
                                     : "map explicit has a weight for each combination; fit map rk "
                                       "or a factorization machine");
    for (size_t k = 0; k < t->parts && !st; k++)
        st = add_part(s, &t->part[k]);
    s->scratch += 2 * s->components;
    return st;
}

void fxi_recommend_sides_free(fxi_recommend_sides *s)
{
    fxi_explain_terms_free(&s->terms);
    fx_data_scale_free(s->scale);
}
