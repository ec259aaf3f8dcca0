/* SPDX-License-Identifier: BSD-3-Clause
 * values.c - an array of numbers that is float until its first number that is not a float.
 *
 * Most data are small integers or short decimals that a float holds exactly, at half the memory;
 * the rest must not lose a bit.  One conversion at most, so setting stays O(1) on average. */

#include "read/read.h"

#include <stdlib.h>

fx_status fxi_read_values_new(fxi_read_values *v, size_t capacity)
{
    float *f32 = fxi_alloc(capacity, sizeof *f32);

    if (!f32)
        return FX_ENOMEM;
    *v = (fxi_read_values){.f32 = f32, .capacity = capacity};
    return FX_OK;
}

fx_status fxi_read_values_widen(fxi_read_values *v, size_t n)
{
    double *f64 = fxi_alloc(v->capacity, sizeof *f64);

    if (!f64)
        return FX_ENOMEM;
    for (size_t i = 0; i < n; i++)
        f64[i] = v->f32[i];
    free(v->f32);
    v->f32 = NULL;
    v->f64 = f64;
    return FX_OK;
}

fx_status fxi_read_values_narrow(fxi_read_values *v, size_t n)
{
    size_t i = 0;

    while (i < n && ((double)(float)v->f64[i] == v->f64[i] || v->f64[i] != v->f64[i]))
        i++;
    if (i < n)
        return FX_OK;
    float *f32 = fxi_alloc(n, sizeof *f32);
    if (!f32)
        return FX_ENOMEM;
    for (i = 0; i < n; i++)
        f32[i] = (float)v->f64[i];
    free(v->f64);
    *v = (fxi_read_values){.f32 = f32, .capacity = n};
    return FX_OK;
}

void *fxi_read_values_shrink(void *p, size_t n, size_t capacity, size_t size)
{
    void *less = n < capacity - capacity / 8 ? fxi_realloc(p, n, size) : NULL;

    return less ? less : p;
}

void *fxi_read_values_take(fxi_read_values *v, fx_type *type, size_t n)
{
    void *p = v->f32 ? (void *)v->f32 : v->f64;

    *type = v->f32 ? FX_F32 : FX_F64;
    p = fxi_read_values_shrink(p, n, v->capacity, v->f32 ? sizeof(float) : sizeof(double));
    *v = (fxi_read_values){0};
    return p;
}

void fxi_read_values_free(fxi_read_values *v)
{
    free(v->f32);
    free(v->f64);
    *v = (fxi_read_values){0};
}
