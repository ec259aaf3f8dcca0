/* SPDX-License-Identifier: BSD-3-Clause
 * kernel.c - the table of kernels, and kernels from spec strings. */

#include "kernel/kernel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const fxi_kernel_type *const table[] = {
#define KERNEL(name) &fxi_kernel_##name,
#include "kernel/kernel.def"
};
enum { KERNELS = sizeof table / sizeof *table };

static fx_description line(size_t i)
{
    return i < KERNELS ? fxi_spec_describe(table[i]->name, table[i]->help, table[i]->keys)
                       : (fx_description){0};
}

const char *fx_kernel_name(size_t i) { return line(i).name; }

void fx_kernel_free(fx_kernel *k)
{
    if (!k || atomic_fetch_sub(&k->shared, 1) > 0)
        return;
    fx_kernel_free(k->inner);
    fxi_family_free(k->tree, k->groups);
    fxi_free(k->coef, k->spec, k);
}

/* Nothing else of a kernel ever changes. */
fx_kernel *fxi_kernel_share(const fx_kernel *k)
{
    fx_kernel *same = (fx_kernel *)k;

    atomic_fetch_add(&same->shared, 1);
    return same;
}

const char *fx_kernel_spec(const fx_kernel *k) { return k->spec; }

/* Name and every key, defaults too, then the inner kernel in brackets. */
static char *complete_spec(const fx_kernel *k, const fxi_spec *s)
{
    char *own = fxi_spec_complete(s, k->type->keys), *spec = own;

    if (own && k->inner) {
        size_t n = strlen(own) + strlen(k->inner->spec) + 3;
        if ((spec = fxi_realloc(NULL, n, 1)) != NULL)
            snprintf(spec, n, "%s(%s)", own, k->inner->spec);
        free(own);
    }
    return spec;
}

void fxi_kernel_names(char out[256], bool outer)
{
    out[0] = '\0';
    for (size_t i = 0; i < KERNELS; i++)
        if (outer ? table[i]->of != NULL : table[i]->gradient != NULL)
            fxi_spec_list(out, 256, table[i]->name);
}

/* True if it has all that init needs; a name alone is described, too. */
static bool complete(const fxi_spec *s, const fx_key *keys)
{
    for (; keys->name; keys++)
        if (!strcmp(keys->name, "file")
            || (!keys->fallback && fxi_spec_at(s, keys->name) == s->keys))
            return false;
    return true;
}

/* base < 0: to be described alone. */
static fx_status parse(fx_kernel **out, const char *text, size_t len, const char *family, int base,
                       int depth)
{
    enum { DEPTH_MAX = 16 };
    fxi_spec s;
    fx_status st = fxi_spec_parse(&s, text, len);
    size_t i;

    if (st)
        return st;
    if (depth > DEPTH_MAX)
        return fxi_error(FX_EINVAL, "more than %d kernels inside one another", DEPTH_MAX);
    if ((st = fxi_spec_find(&i, &s, line, "kernel")) != 0)
        return st;
    if (s.inner && !table[i]->of) {
        char outer[256];
        fxi_kernel_names(outer, true);
        return fxi_error(FX_EINVAL, "%s takes no inner kernel; these do: %s", table[i]->name,
                         outer);
    }
    if (depth && table[i] == &fxi_kernel_precomputed)
        return fxi_error(FX_EINVAL, "precomputed stands alone, not inside another kernel");
    st = fxi_key_check(&s, table[i]->keys);
    if (st)
        return st;

    fx_kernel *k = fxi_zalloc(1, sizeof *k);
    if (!k)
        return FX_ENOMEM;
    k->type = table[i];
    if (s.inner)
        st = parse(&k->inner, s.inner, s.inner_len, family, base, depth + 1);
    if (!st && k->type->init && (base >= 0 || complete(&s, k->type->keys)))
        st = k->type->init(k, &s, family, base);
    if (!st && !(k->spec = complete_spec(k, &s)))
        st = FX_ENOMEM;
    if (st) {
        fx_kernel_free(k);
        return st;
    }
    *out = k;
    return FX_OK;
}

fx_status fx_kernel_parse(fx_kernel **out, const char *spec, const char *family, int base)
{
    if (!out || !spec)
        return fxi_error(FX_EINVAL, "fx_kernel_parse: %s is NULL", out ? "spec" : "out");
    if (base != 0 && base != 1)
        return fxi_error(FX_EINVAL, "index base %d is neither 0 nor 1", base);
    return parse(out, spec, strlen(spec), family, base, 0);
}

/* True if it is a sum over combinations of columns, each of not too many. */
static bool combines(const fx_kernel *k)
{
    bool alone = !k->inner || k->inner->type == &fxi_kernel_linear;

    return k->type->combines
           || (k->type->coefficient && alone && k->type->coefficient(k, FX_ORDER_MAX + 1) == 0);
}

fx_status fx_kernel_describe(fx_description *out, const char *spec)
{
    fx_kernel *k;

    if (!out || !spec)
        return fxi_error(FX_EINVAL, "fx_kernel_describe: %s is NULL", out ? "spec" : "out");
    fx_status st = fxi_sized_check(out, "fx_description");
    if (st || (st = parse(&k, spec, strlen(spec), NULL, -1, 0)))
        return st;
    fx_description d = fxi_spec_describe(k->type->name, k->type->help, k->type->keys);
    d.explainable = combines(k);
    d.outer = k->type->of != NULL;
    d.precomputed = fxi_kernel_is_precomputed(k);
    for (const fx_kernel *in = k; in; in = in->inner)
        d.family = in->type->family;
    fxi_spec_give(out, d);
    fx_kernel_free(k);
    return FX_OK;
}

const char *fx_kernel_file(const char *spec, size_t *len)
{
    fxi_spec s;
    size_t n = spec ? strlen(spec) : 0;

    while (spec && fxi_spec_parse(&s, spec, n) == FX_OK) {
        size_t i = fxi_spec_at(&s, "file");
        if (i < s.keys) {
            if (len)
                *len = s.pair[i].value_len;
            return s.pair[i].value;
        }
        spec = s.inner;
        n = s.inner_len;
    }
    return NULL;
}

static const fx_kernel *innermost(const fx_kernel *k)
{
    while (k->inner)
        k = k->inner;
    return k;
}

void fxi_kernel_begin(double *out, const fx_kernel *k, const fxi_panel *p, const fxi_work *work)
{
    k = innermost(k);
    if (k->type->panel)
        k->type->panel(out, k, p, work);
    else
        work->simd->kernel_dot(out, p->x, p->x2, p->slot, p->zt, p->n);
}

void fxi_kernel_finish(double *out, size_t n, const fx_kernel *k, const fxi_simd *simd)
{
    if (k->inner)
        fxi_kernel_finish(out, n, k->inner, simd);
    if (k->type->finish)
        k->type->finish(out, n, k, simd);
    else if (k->type->of)
        for (size_t i = 0; i < n; i++)
            out[i] = k->type->of(k, out[i]);
}

void fxi_kernel_eval(double *out, const fx_kernel *k, const fxi_panel *p, const fxi_work *work)
{
    fxi_kernel_begin(out, k, p, work);
    fxi_kernel_finish(out, FXI_LANES, k, work->simd);
}

bool fxi_kernel_pairs(const fx_kernel *k)
{
    k = innermost(k);
    return k->type->pairs || k->type->of;
}

size_t fxi_kernel_scratch(const fx_kernel *k, size_t n, bool gradient)
{
    k = innermost(k);
    return k->type->scratch ? k->type->scratch(k, n, gradient) : 0;
}

size_t fxi_kernel_cost(const fx_kernel *k, size_t n)
{
    k = innermost(k);
    return (n + 1) * (size_t)(k->type->of || k->order < 1 ? 1 : k->order)
           + (k->tree ? k->tree->nodes + k->tree->features : 0)
           + (k->groups ? k->groups->groups : 0);
}

bool fxi_kernel_columns(const fx_kernel *k)
{
    k = innermost(k);
    return k->tree || k->groups;
}

bool fxi_kernel_differences(const fx_kernel *k) { return innermost(k)->type->differences; }

bool fxi_kernel_products(const fx_kernel *k)
{
    k = innermost(k);
    return k->type->products || k->type->of;
}

double fxi_kernel_squares(const fx_kernel *k)
{
    k = innermost(k);
    return k->type->squares ? k->gamma : 0;
}

bool fxi_kernel_is_precomputed(const fx_kernel *k) { return k->type == &fxi_kernel_precomputed; }

const fx_key fxi_kernel_gamma_keys[] = {
    {"gamma", "1", FXI_POSITIVE, "factor of the distance; exp: of <x,y>"}, {0}};

fx_status fxi_kernel_gamma_init(fx_kernel *k, const fxi_spec *s, const char *family, int base)
{
    (void)family, (void)base;
    return fxi_key_number(&k->gamma, s, fxi_kernel_gamma_keys, "gamma");
}

fx_status fxi_kernel_not_finite(const fx_kernel *k, double value, size_t i, const char *other,
                                size_t j)
{
    for (const fx_kernel *f = k; f && isnan(value); f = f->inner)
        if (f->type == &fxi_kernel_vovk_inf)
            return fxi_error(FX_EDOMAIN,
                             "%s is not defined for row %zu and %s %zu (from 0): it needs "
                             "|<x,y>| < 1; scale the rows to norms below 1",
                             k->spec, i, other, j);
    return fxi_error(FX_ENUMERIC, "%s overflows for row %zu and %s %zu (from 0); scale the rows",
                     k->spec, i, other, j);
}
