/* SPDX-License-Identifier: BSD-3-Clause
 * keep.c - copies of caller's data, owned by a model.  NULL stays NULL. */

#include "model/model.h"

#include <string.h>

fx_status fxi_model_keep(const double **out, fx_model *m, const double *from, size_t bytes)
{
    double *to;

    if (!from)
        return FX_OK;
    to = fxi_alloc(bytes, 1);
    fx_status st = fxi_model_own(m, to);
    if (!st)
        *out = memcpy(to, from, bytes);
    return st;
}

fx_status fxi_model_keep_text(const char **out, fx_model *m, const char *text)
{
    char *copy;

    if (!text || !*text)
        return FX_OK;
    copy = fxi_strndup(text, strlen(text));
    fx_status st = fxi_model_own(m, copy);
    if (!st)
        *out = copy;
    return st;
}

/* The pointers, then the texts, in one piece of memory. */
fx_status fxi_model_keep_texts(const char *const **out, fx_model *m, const char *const *text,
                               size_t n)
{
    size_t bytes;
    bool fits = fxi_size_mul(&bytes, n, sizeof *text);

    if (!text)
        return FX_OK;
    for (size_t i = 0; fits && i < n; i++)
        fits = fxi_size_add(&bytes, bytes, strlen(text[i]) + 1);
    const char **to = fxi_alloc(fits ? bytes : SIZE_MAX, 1);
    fx_status st = fxi_model_own(m, to);
    if (st)
        return st;
    char *at = (char *)(to + n);
    for (size_t i = 0; i < n; i++) {
        size_t len = strlen(text[i]) + 1;
        to[i] = memcpy(at, text[i], len);
        at += len;
    }
    *out = to;
    return FX_OK;
}

fx_status fxi_model_keep_content(fx_model *m, const fx_model_info *from)
{
    fx_model_info *c = &m->c;
    const char **texts[] = {&c->spec,   &c->scale,  &c->map,   &c->kernel,
                            &c->family, &c->reader, &c->remark, &c->side_reader[FX_FIRST],
                            &c->side_reader[FX_SECOND]};
    const double *indicator = NULL, *later = NULL;
    fx_status st = FX_OK;

    *c = *from;
    c->fill = NULL;
    c->indicator = NULL;
    c->weights = c->intercepts = c->variance = NULL;
    c->seen = NULL;
    c->vectors = (fx_matrix){0};
    c->factors = NULL;
    c->history = NULL;
    c->later = NULL;
    c->orders = c->steps = 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *text = *texts[i];
        *texts[i] = "";
        if (!st)
            st = fxi_model_keep_text(texts[i], m, text);
    }
    if (st || (st = fxi_model_keep_texts(&c->class_name, m, from->class_name, from->classes))
        || (st = fxi_model_keep_texts(&c->name, m, from->name, from->cols))
        || (st = fxi_model_keep(&c->class_value, m, from->class_value,
                                from->classes * sizeof *from->class_value))
        || (st = fxi_model_keep(&c->sigmoid, m, from->sigmoid,
                                from->outputs * 2 * sizeof *from->sigmoid))
        || (st = fxi_model_keep(&c->fill, m, from->fill, from->inputs * sizeof *from->fill))
        || (st = fxi_model_keep(&indicator, m, (const void *)from->indicator,
                                (from->cols - from->inputs) * sizeof *from->indicator))
        || (st = fxi_model_keep(&later, m, (const void *)from->later, from->cols)))
        return st;
    c->later = (const void *)later;
    c->indicator = (const void *)indicator;
    return fxi_model_keep(&c->column_scale, m, from->column_scale,
                          from->cols * sizeof *from->column_scale);
}
