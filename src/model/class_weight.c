/* SPDX-License-Identifier: BSD-3-Clause
 * class_weight.c - weights of classes, which multiply those of their rows.
 *
 * balanced: a row of class c weighs n / (k n_c) times its own weight, n = sum of all weights, n_c
 * of those of the class, so that all classes weigh the same and their sum is n.  A class of the
 * plan that no row has weighs 1: rows of weight 0 count as of the first class, and must stay 0. */

#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *fxi_model_class_weight_name(char buf[32], const fxi_labels *l, const fx_table *t,
                                        size_t k)
{
    if (t->classes)
        return t->class_name[(size_t)l->value[k]];
    fxi_decimal_write(buf, l->value[k]);
    return buf;
}

typedef struct called {                 /* a class, as the spec calls it */
    const fx_table *t;
    const char *s;
    size_t len;
    double x;                           /* of classes that are numbers */
} called;

static int compare(const void *key, const void *value)
{
    const called *c = key;
    double v = *(const double *)value;

    if (!c->t->classes)
        return (c->x > v) - (c->x < v);
    const char *name = c->t->class_name[(size_t)v];
    int order = strncmp(c->s, name, c->len);
    return order ? order : name[c->len] ? -1 : 0;
}

/* The class that is called by these bytes: its name or, of a number, any form of its value.  Values
 * and names are sorted, so that weights of all k classes take k log k steps. */
static const double *find_called(const fxi_labels *l, const fx_table *t, const char *s, size_t len)
{
    called key = {t, s, len, 0};

    if (!t->classes && fxi_decimal_read(&key.x, s, s + len) != s + len)
        return NULL;
    return bsearch(&key, l->value, l->classes, sizeof *l->value, compare);
}

static fx_status read_weight(double *weight, const fxi_labels *l, const fx_table *t, const char *s,
                             const char *end)
{
    const char *sign = end;
    char buf[32], list[160] = "";
    double w;

    while (sign > s && *sign != '=')    /* the last one: names may hold others */
        sign--;
    if (sign == s || fxi_decimal_read(&w, sign + 1, end) != end || !(w > 0 && isfinite(w)))
        return fxi_error(FX_EINVAL,
                         "class weight '%.*s' is not CLASS=WEIGHT with a positive number",
                         (int)(end - s), s);
    const double *value = find_called(l, t, s, (size_t)(sign - s));
    if (value) {
        weight[value - l->value] = w;
        return FX_OK;
    }
    for (size_t k = 0, n = 0; k < l->classes && n < sizeof list; k++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", k ? ", " : "",
                              fxi_model_class_weight_name(buf, l, t, k));
    return fxi_error(FX_EINVAL, "class weight '%.*s' names no class; there are %s",
                     (int)(end - s), s, list);
}

/* weight[classes], from what is given and the sums of the rows' weights. */
static fx_status class_weights(double *weight, const fxi_labels *l, const fx_table *t,
                               const char *given, const double *sum)
{
    double total = 0;
    fx_status st = FX_OK;

    for (size_t k = 0; k < l->classes; k++)
        total += sum[k];
    bool balanced = !strcmp(given, "balanced");
    for (size_t k = 0; k < l->classes; k++)
        weight[k] = balanced && sum[k] > 0 ? total / ((double)l->classes * sum[k]) : 1;
    if (balanced)
        return FX_OK;
    for (const char *s = given; *s && !st;) {
        size_t len = strcspn(s, "\n");
        if (len)
            st = read_weight(weight, l, t, s, s + len);
        s += len + (s[len] != '\0');
    }
    return st;
}

/* Blocks of rows are added up in order, blocks exactly: the same sums for rows that come in
 * parts. */
fx_status fxi_model_class_weight_sums(fxi_sum *exact, const double *y, const double *weight,
                                      size_t rows, size_t classes)
{
    double *sum = fxi_alloc(classes, sizeof *sum);

    if (!sum)
        return FX_ENOMEM;
    for (size_t first = 0; first < rows; first += FXI_PASS_BLOCK) {
        size_t end = rows - first < FXI_PASS_BLOCK ? rows : first + FXI_PASS_BLOCK;
        memset(sum, 0, classes * sizeof *sum);
        for (size_t i = first; i < end; i++)
            sum[(size_t)y[i]] += weight ? weight[i] : 1;
        fxi_linalg_sum_add(exact, sum, classes);
    }
    free(sum);
    return FX_OK;
}

fx_status fxi_model_class_weight(fxi_labels *l, const fx_table *t, const char *given)
{
    double *sum = fxi_alloc(l->classes, sizeof *sum), *weight = fxi_alloc(l->classes, sizeof *sum);
    fxi_sum *exact = fxi_alloc(fxi_sum_blocks(l->classes), sizeof *exact);
    fx_status st = sum && weight && exact ? FX_OK : FX_ENOMEM;

    if (!st) {
        fxi_linalg_sum_clear(exact, fxi_sum_blocks(l->classes));
        st = fxi_model_class_weight_sums(exact, l->y, l->weight, t->rows, l->classes);
    }
    if (!st) {
        fxi_linalg_sum_round(sum, exact, l->classes);
        st = class_weights(weight, l, t, given, sum);
    }
    for (size_t i = 0; i < t->rows && !st; i++)
        l->weight[i] *= weight[(size_t)l->y[i]];
    fxi_free(sum, exact);
    if (st)
        free(weight);
    else
        l->class_weight = weight;
    return st;
}
