/* SPDX-License-Identifier: BSD-3-Clause
 * smo_shrink.c - fewer active variables.
 *
 * Most variables become inactive at a bound long before the end, and steps need not read them.
 * Variables that leave are moved after the active ones; both groups keep their order. */

#include "fit/smo.h"

#include <string.h>

/* Variables first..n-1 of an array, those with to[k] >= 0 before the others. */
static void part(void *array, size_t size, const fxi_smo *d, const int32_t *to, size_t first,
                 size_t n)
{
    char *a = array, *others = (char *)d->weight;
    size_t stay = first, leave = 0;

    for (size_t k = first; k < n; k++)
        if (to[k] >= 0)
            memmove(a + stay++ * size, a + k * size, size);
        else
            memcpy(others + leave++ * size, a + k * size, size);
    memcpy(a + stay * size, others, leave * size);
}

static void part_all(fxi_smo *d, size_t first, size_t n)
{
    const int32_t *to = d->support;

    part(d->row, sizeof *d->row, d, to, first, n);
    part(d->e, sizeof *d->e, d, to, first, n);
    part(d->up, sizeof *d->up, d, to, first, n);
    part(d->down, sizeof *d->down, d, to, first, n);
    part(d->diagonal, sizeof *d->diagonal, d, to, first, n);
}

fx_status fxi_fit_smo_shrink(fxi_smo *d)
{
    size_t stay = 0, before = d->m;
    fx_status st;

    for (size_t k = 0; k < before; k++)
        d->support[k] = fxi_smo_inactive(d, k) ? -1 : (int32_t)stay++;
    if (stay > before - before / 10)    /* moving rows takes longer than a few steps */
        return FX_OK;
    if ((st = fxi_fit_smo_cache_shrink(d, d->support, stay)))
        return st;
    part_all(d, 0, before);
    d->i = (size_t)d->support[d->i];    /* of the largest up, which is active */
    d->set->n = d->set->retained = 0;   /* positions have changed */
    return FX_OK;
}

fx_status fxi_fit_smo_shrink_not(fxi_smo *d)
{
    size_t m = d->m;
    fx_status st = FX_OK;

    for (size_t k = d->m; k < d->n; k++)
        d->support[k] = fxi_smo_inactive(d, k) ? -1 : (int32_t)m++;
    part_all(d, d->m, d->n);
    if (m > d->m)
        st = fxi_fit_smo_cache_grow(d, m);
    fxi_fit_smo_step_scan(d, m);        /* the largest up may have moved */
    return st;
}
