/* SPDX-License-Identifier: BSD-3-Clause
 * labels.c - classes from labels, labels among known classes, weights of rows.
 *
 * The distinct labels are sorted and searched by bisection: n log k for n rows of k classes.
 * They are found by pieces of rows, each sorted and merged with those before.
 * More than CLASSES distinct numbers are taken for targets.  A row of weight 0 is ignored: its
 * label adds no class and may be unknown.  A plan may name classes that no row has. */

#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES = 1 << 16, PIECE = 1 << 14 };

typedef struct gathering {
    fxi_labels *l;
    const fx_table *t;
    const fx_model_info *known;            /* NULL: classes are being found */
    size_t capacity;
    double *piece;                      /* [PIECE] labels that may be new classes */
} gathering;

static double weight_of(const fx_table *t, size_t i) { return t->weight ? t->weight[i] : 1; }

void fxi_model_labels_free(fxi_labels *l)
{
    free(l->y);
    free(l->weight);
    free(l->value);
    free(l->class_weight);
    *l = (fxi_labels){0};
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Reduces the n labels in g->piece to those that are not classes yet, ascending; returns their
 * number. */
static size_t find_new(const gathering *g, size_t n)
{
    const fxi_labels *l = g->l;
    double *x = g->piece;
    size_t new = 0;

    qsort(x, n, sizeof *x, ascending);
    for (size_t i = 0, at = 0; i < n; i++) {
        while (at < l->classes && l->value[at] < x[i])
            at++;
        if ((at == l->classes || l->value[at] != x[i]) && (!new || x[new - 1] != x[i]))
            x[new ++] = x[i];
    }
    return new;
}

/* The n labels in g->piece are classes, if they are not yet: sorted, then merged from the back.  A
 * piece takes n log n and as many steps as there are classes, in whatever order labels come. */
static fx_status add_classes(gathering *g, size_t n)
{
    fxi_labels *l = g->l;
    size_t new = find_new(g, n), all = l->classes + new, old = l->classes;

    if (all > CLASSES)
        return fxi_error(FX_EINVAL,
                         "more than %d distinct labels (%g is one): for targets there are svr and "
                         "ridge",
                         CLASSES, g->piece[new - 1]);
    if (all > g->capacity) {
        size_t capacity = all < 8 ? 8 : 2 * all;
        double *more = fxi_realloc(l->value, capacity, sizeof *more);
        if (!more)
            return FX_ENOMEM;
        l->value = more;
        g->capacity = capacity;
    }
    for (size_t to = all; new;)
        l->value[--to] = old && l->value[old - 1] > g->piece[new - 1] ? l->value[--old]
                                                                      : g->piece[--new];
    l->classes = all;
    return FX_OK;
}

/* Distinct labels of a piece of rows. */
static fx_status find_piece(void *ctx, size_t b, fxi_team *team)
{
    gathering *g = ctx;
    const fx_table *t = g->t;
    size_t last = t->rows - b * PIECE < PIECE ? t->rows : (b + 1) * PIECE;
    size_t n = 0;

    (void)team;
    for (size_t i = b * PIECE; i < last; i++)
        if (weight_of(t, i) != 0)
            g->piece[n++] = t->label[i] + 0.0;  /* -0 is 0 */
    return add_classes(g, n);
}

/* The plan's classes: numbers or, as labels are, positions among names. */
static fx_status find_planned(gathering *g, const fx_plan *plan)
{
    double names = (double)g->t->classes;
    size_t n = 0;
    fx_status st = FX_OK;

    for (size_t k = 0; k < plan->classes && !st; k++) {
        double x = plan->class_value ? plan->class_value[k] : NAN;
        if (!isfinite(x) || (names > 0 && !(x >= 0 && x < names && x == floor(x))))
            return fxi_error(FX_EINVAL, "class %zu of the plan is %g, no %s", k, x,
                             names > 0 ? "position among names" : "number");
        g->piece[n++] = x + 0.0;
        if (n == PIECE || k + 1 == plan->classes) {
            st = add_classes(g, n);
            n = 0;
        }
    }
    return st;
}

/* ---- Labels among known classes ---------------------------------------------------------- */

/* The position of the key among n sorted items. */
static bool find(size_t *out, const void *key, const void *items, size_t n, size_t size,
                 int (*order)(const void *, const void *))
{
    const char *at = bsearch(key, items, n, size, order);

    *out = at ? (size_t)(at - (const char *)items) / size : n;
    return at;
}

static int by_name(const void *name, const void *item)
{
    return strcmp(name, *(const char *const *)item);
}

/* By value where the model's classes are numbers, else by name; text becomes a number and a number
 * text where the two differ. */
static bool find_class(size_t *out, const fx_model_info *c, const char *name, double x)
{
    char buf[32];

    if (c->class_value) {
        const char *end = name ? name + strlen(name) : NULL;
        if (name && fxi_decimal_read(&x, name, end) != end)
            return false;
        return find(out, &x, c->class_value, c->classes, sizeof x, ascending);
    }
    if (!name) {
        fxi_decimal_write(buf, x);
        name = buf;
    }
    return find(out, name, c->class_name, c->classes, sizeof *c->class_name, by_name);
}

static fx_status unknown(const fx_model_info *c, const char *name, double x, size_t i)
{
    char buf[32], list[160] = "";

    if (!name) {
        fxi_decimal_write(buf, x);
        name = buf;
    }
    for (size_t k = 0, n = 0; k < c->classes && n < sizeof list; k++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", k ? ", " : "", c->class_name[k]);
    return fxi_error(FX_EINVAL,
                     "the label of row %zu (from 0) is %.60s; the model's classes are %s", i,
                     name, list);
}

/* Most rows are of few classes that are numbers: found without a search, and without a jump that
 * depends on the label. */
static bool is_few(size_t *out, const fx_model_info *c, const char *name, double x)
{
    size_t k = 0, few = c->classes < 4 ? c->classes : 4;

    if (name || !c->class_value)
        return false;
    for (size_t j = 0; j < few; j++)
        k += c->class_value[j] < x;     /* they ascend */
    *out = k;
    return k < few && c->class_value[k] == x;
}

static fx_status known_piece(void *ctx, size_t b, fxi_team *team)
{
    gathering *g = ctx;
    const fx_table *t = g->t;
    size_t last = t->rows - b * PIECE < PIECE ? t->rows : (b + 1) * PIECE, k;

    (void)team;
    for (size_t i = b * PIECE; i < last; i++) {
        const char *name = t->classes ? t->class_name[(size_t)t->label[i]] : NULL;
        g->l->weight[i] = weight_of(t, i);
        g->l->y[i] = g->l->classes ? 0 : t->label[i];
        if (weight_of(t, i) == 0 || !g->l->classes)
            continue;
        if (g->known && is_few(&k, g->known, name, t->label[i]))
            ;
        else if (!g->known)
            find(&k, &t->label[i], g->l->value, g->l->classes, sizeof *t->label, ascending);
        else if (!find_class(&k, g->known, name, t->label[i]))
            return unknown(g->known, name, t->label[i], i);
        g->l->y[i] = (double)k;
    }
    return FX_OK;
}

static fx_status check_labels(const fx_table *t, bool regress)
{
    if (!t->rows)
        return fxi_error(FX_EINVAL, "the table has no rows");
    if (!t->label)
        return fxi_error(FX_EINVAL, "the table has no labels");
    if (regress && t->classes)
        return fxi_error(FX_EINVAL, "the labels are text (%s, ..); a model of targets needs "
                         "numbers", t->class_name[0]);
    return FX_OK;
}

static fx_status check_weights(const fx_table *t)
{
    for (size_t i = 0; i < t->rows; i++)
        if (weight_of(t, i) != 0)
            return FX_OK;
    return fxi_error(FX_EINVAL, "the weights of all %zu rows are zero", t->rows);
}

static fx_status allocate(fxi_labels *l, size_t rows, const fx_run *run)
{
    size_t bytes = fxi_size_mul(&bytes, rows, 2 * sizeof(double)) ? bytes : SIZE_MAX;
    fx_status st = fxi_memory_check(run, bytes, "labels and weights");

    if (!st && (!(l->y = fxi_alloc(rows, sizeof *l->y))
                || !(l->weight = fxi_alloc(rows, sizeof *l->weight))))
        st = FX_ENOMEM;
    return st;
}

fx_status fxi_model_labels_known(fxi_labels *out, const fx_model_info *c, const fx_table *t,
                                 const fx_run *run)
{
    gathering g = {out, t, c, 0, NULL};
    fx_status st = check_labels(t, !c->classes);

    *out = (fxi_labels){.classes = c->classes};
    if (!st && !(st = allocate(out, t->rows, run)))
        st = fxi_parallel_ordered((t->rows + PIECE - 1) / PIECE, known_piece, &g, run);
    if (st)
        fxi_model_labels_free(out);
    return st;
}

/* An error if the plan has classes or class weights for models without classes. */
static fx_status check_classless(const fx_plan *plan, const char *models)
{
    bool weights = plan->class_weight && *plan->class_weight;

    if (!weights && !plan->classes)
        return FX_OK;
    return fxi_error(FX_EINVAL, "%s are given, but %s no classes",
                     weights ? "class weights" : "classes", models);
}

fx_status fxi_model_labels_none(fxi_labels *out, const fx_table *t, const fx_plan *plan,
                                const fx_run *run)
{
    fx_status st = check_classless(plan, "the model has");

    *out = (fxi_labels){0};
    if (!st && !t->rows)
        st = fxi_error(FX_EINVAL, "the table has no rows");
    if (!st)
        st = allocate(out, t->rows, run);
    for (size_t i = 0; i < t->rows && !st; i++) {
        out->y[i] = 0;
        out->weight[i] = weight_of(t, i);
    }
    if (st)
        fxi_model_labels_free(out);
    return st;
}

/* ---- The call ---------------------------------------------------------------------------- */

fx_status fxi_model_labels(fxi_labels *out, const fx_table *t, bool regress, const fx_plan *plan,
                           const fx_run *run)
{
    const char *class_weight = plan->class_weight;
    char name[32];
    gathering g = {out, t, NULL, 0, NULL};
    size_t pieces = (t->rows + PIECE - 1) / PIECE;
    fx_status st = check_labels(t, regress);

    *out = (fxi_labels){0};
    if (!st && regress)
        st = check_classless(plan, "targets have");
    if (!st && !(st = check_weights(t)))
        st = allocate(out, t->rows, run);
    if (!st && !regress) {
        if (!(g.piece = fxi_alloc(PIECE, sizeof *g.piece)))
            st = FX_ENOMEM;
        else if (!(st = fxi_parallel_ordered(pieces, find_piece, &g, run)))
            st = find_planned(&g, plan);
        free(g.piece);
    }
    if (!st && !regress && out->classes < 2)
        st = fxi_error(FX_EINVAL, "all labels are of one class (%s: %zu rows); a classifier needs "
                       "two", fxi_model_class_weight_name(name, out, t, 0), t->rows);
    if (!st)
        st = fxi_parallel_ordered(pieces, known_piece, &g, run);
    if (!st && class_weight && *class_weight)
        st = fxi_model_class_weight(out, t, class_weight);
    if (st)
        fxi_model_labels_free(out);
    return st;
}
