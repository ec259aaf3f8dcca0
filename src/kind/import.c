/* SPDX-License-Identifier: BSD-3-Clause
 * import.c - a factorization machine of libFM's text; see export.c.
 *
 * Sections may be missing or empty: no bias is 0, no unary interactions is a model without linear
 * term, no pairwise ones are factors of 0.  Lines are for indices from 0 on; sections must agree on
 * how many there are, lines of factors on how many factors.  An error is `libfm:line: ..`.
 *
 * Cost: one pass that counts, one that reads; memory for the numbers, twice. */

#include "data/data.h"
#include "kind/kind.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BIAS, UNARY, PAIRWISE, SECTIONS };
static const char *const title[SECTIONS] = {"#global bias W0", "#unary interactions Wj",
                                            "#pairwise interactions Vj,f"};

typedef struct text {
    const char *p, *end;                /* what follows the line */
    const char *line, *stop;
    size_t number;                      /* of the line */
    int section;                        /* -1: before the first */
    bool seen[SECTIONS];
    size_t lines[SECTIONS];             /* of numbers, so far */
    size_t rank;                        /* numbers in a line of factors */
    double *to[SECTIONS];               /* where numbers go; NULL: they are counted */
} text;

static fx_status line_error(const text *t, const char *what)
{
    return fxi_error(FX_EFORMAT, "libfm:%zu: %s", t->number, what);
}

static fx_status begin_section(text *t)
{
    const size_t len = (size_t)(t->stop - t->line);

    for (int i = 0; i < SECTIONS; i++)
        if (strlen(title[i]) == len && !memcmp(title[i], t->line, len)) {
            if (t->seen[i])
                return line_error(t, "this section is there twice");
            t->seen[i] = true;
            t->section = i;
            return FX_OK;
        }
    return line_error(t,
                      "no section of this name; there are '#global bias W0', '#unary interactions "
                      "Wj' and '#pairwise interactions Vj,f'");
}

static const char *skip_spaces(const char *p, const char *stop)
{
    while (p < stop && (*p == ' ' || *p == '\t'))
        p++;
    return p;
}

/* The numbers of a line; how many there must be is known from the first line of the section. */
static fx_status read_numbers(text *t)
{
    const int i = t->section;
    size_t n = 0, max = i == PAIRWISE && t->lines[i] ? t->rank : SIZE_MAX;
    const char *p = skip_spaces(t->line, t->stop);

    if (i < 0)
        return line_error(t, "numbers before the first section");
    if (i != PAIRWISE)
        max = 1;
    for (; p < t->stop; n++) {
        double x;
        p = fxi_decimal_read(&x, p, t->stop);
        if (!p || (p < t->stop && *p != ' ' && *p != '\t'))
            return line_error(t, "this is no line of numbers");
        if (!isfinite(x))
            return line_error(t, "a number is not finite");
        if (n == max)
            return line_error(t, i == PAIRWISE ? "more numbers than in the lines above"
                                               : "more than one number");
        if (t->to[i])
            *t->to[i]++ = x;
        p = skip_spaces(p, t->stop);
    }
    if (i == PAIRWISE && t->lines[i] && n < max)
        return line_error(t, "fewer numbers than in the lines above");
    if (i == PAIRWISE)
        t->rank = n;
    if (i == BIAS && t->lines[i])
        return line_error(t, "a second bias");
    t->lines[i]++;
    return FX_OK;
}

static fx_status read_text(text *t, fxi_team *team)
{
    fx_status st = FX_OK;

    while (!st && fxi_data_text_line(&t->line, &t->stop, &t->p, t->end)) {
        t->number++;
        if (skip_spaces(t->line, t->stop) < t->stop)
            st = *t->line == '#' ? begin_section(t) : read_numbers(t);
        if (t->number % 1024 == 1023 && fxi_parallel_cancelled(team))
            st = FX_ECANCELLED;
    }
    return st;
}

/* ---- The model --------------------------------------------------------------------------- */
typedef struct making {
    const char *bytes;
    size_t len;
    bool classes;
    const fx_run *run;
    fx_model *m;
} making;

static fx_status describe(fx_model *m, fxi_learning *how, const text *t, bool classes)
{
    static const char *const names[] = {"-1", "1"};
    static const double values[] = {-1, 1}, logistic[] = {-1, 0};
    fx_model_info *c = &m->c;
    char spec[128];
    fx_status st;

    snprintf(spec, sizeof spec, "fm:rank=%zu,task=%s,linear=%s,intercept=%s", t->rank ? t->rank : 1,
             classes ? "classify" : "regress", t->seen[UNARY] ? "yes" : "no",
             t->seen[BIAS] ? "free" : "none");
    if ((st = fxi_model_learner(how, spec)) || (st = fxi_model_become(m, how))
        || (st = fxi_model_keep_text(&c->spec, m, how->spec)))
        return st;
    c->cols = c->inputs = t->lines[PAIRWISE] ? t->lines[PAIRWISE] : t->lines[UNARY];
    c->outputs = 1;
    c->low = 1;                         /* above c->high: not clipped */
    c->converged = 1;
    if (!classes)
        return FX_OK;
    c->classes = 2;
    if ((st = fxi_model_keep_texts(&c->class_name, m, names, 2))
        || (st = fxi_model_keep(&c->class_value, m, values, sizeof values)))
        return st;
    return fxi_model_keep(&c->sigmoid, m, logistic, sizeof logistic);
}

static fx_status check_counts(const text *t)
{
    const size_t w = t->lines[UNARY], v = t->lines[PAIRWISE];

    if (!t->seen[BIAS] && !t->seen[UNARY] && !t->seen[PAIRWISE])
        return fxi_error(FX_EFORMAT, "libfm: there is no section");
    if (t->seen[BIAS] && !t->lines[BIAS])
        return fxi_error(FX_EFORMAT, "libfm: the bias has no number");
    if (w && v && w != v)
        return fxi_error(FX_EFORMAT, "libfm: %zu lines of unary interactions, %zu of pairwise ones",
                         w, v);
    if (!w && !v)
        return fxi_error(FX_EFORMAT, "libfm: there are no columns");
    return FX_OK;
}

static fx_status take_numbers(making *x, const fxi_learning *how, fxi_team *team)
{
    fx_model *m = x->m;
    const size_t rank = ((const fxi_factors_keys *)how->own)->shape.rank, cols = m->c.cols;
    text t = {.p = x->bytes, .end = x->bytes + x->len, .section = -1};
    double *b = NULL, *w = NULL, *P = NULL, *one = NULL;
    size_t bytes;
    fx_status st;

    if (!fxi_size_mul(&bytes, cols, (rank + 2) * sizeof *P))
        return fxi_error(FX_ESHAPE, "libfm: %zu factors of %zu columns are too many", rank, cols);
    if ((st = fxi_memory_check(x->run, bytes, "factors"))
        || (st = fxi_model_own(m, b = fxi_zalloc(1, sizeof *b)))
        || (st = fxi_model_own(m, w = fxi_zalloc(cols, sizeof *w)))
        || (st = fxi_model_own(m, P = fxi_zalloc(cols, rank * sizeof *P)))
        || (st = fxi_model_own(m, one = fxi_alloc(rank, sizeof *one))))
        return st;
    for (size_t s = 0; s < rank; s++)
        one[s] = 1;
    t.to[BIAS] = b;
    t.to[UNARY] = w;
    t.to[PAIRWISE] = P;
    if ((st = read_text(&t, team)) || (st = fxi_kind_factors_numbers_new(m, how)))
        return st;
    const fx_factors factors = {.order = 2, .cols = cols, .rank = rank, .P = P, .lambda = one};
    m->c.intercepts = b;
    m->c.weights = w;
    m->c.factors = &factors;              /* taken over by value */
    m->c.orders = 1;
    return fxi_kind_factors_numbers_take(m, x->run);
}

static fx_status make(void *ctx, size_t block, fxi_team *team)
{
    making *x = ctx;
    fxi_learning how = {0};
    text t = {.p = x->bytes, .end = x->bytes + x->len, .section = -1};
    fx_status st = read_text(&t, team);

    (void)block;
    if (!st && !(st = check_counts(&t)) && !(st = describe(x->m, &how, &t, x->classes)))
        st = take_numbers(x, &how, team);
    fxi_model_learner_free(&how);
    return st;
}

fx_status fx_model_import(fx_model **out, const char *format, int classify, const void *bytes,
                          size_t len, const fx_run *run)
{
    making x = {.bytes = bytes, .len = len, .classes = classify, .run = run};

    if (!out || !format || !bytes)
        return fxi_error(FX_EINVAL, "fx_model_import needs a format and bytes");
    if (strcmp(format, "libfm") != 0)
        return fxi_error(FX_EINVAL, "no format '%s'; there is libfm", format);
    if (!(x.m = fxi_model_new()))
        return FX_ENOMEM;
    fx_status st = fxi_parallel_ordered(1, make, &x, run);
    if (st)
        fx_model_free(x.m);
    else
        *out = x.m;
    return st;
}
