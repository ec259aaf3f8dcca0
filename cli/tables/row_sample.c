/* SPDX-License-Identifier: BSD-3-Clause
 * row_sample.c - a random sample of rows that may come in batches, and twice: they are counted, it
 * is drawn, and they are taken.  Which rows these are depends on labels and seed alone.
 *
 * Of classes, each has its share, and at least one row where there are no more classes than rows to
 * draw.  Memory holds the sample and a few numbers for each class. */

#include "tables.h"
#include "terminal/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct row_stratum {
    size_t *row;                        /* [n] that are drawn, numbered among those of the class */
    size_t n, at, seen;                 /* taken so far; rows of the class so far */
} stratum;

int row_sample_count(row_sample *s, const fx_table *t)
{
    s->rows += t->rows;
    return s->classes ? label_counts_add(&s->labels, t) : 0;
}

/* ---- The draw ------------------------------------------------------------------------------- */

/* How many of the first x of n are taken, if `take` of them are, evenly spread. */
static size_t taken(size_t x, size_t take, size_t n) { return n ? x * take / n : 0; }

/* Of each class one row, as far as there are enough; then an even share of all others. */
int row_sample_draw(row_sample *s, size_t max_rows, uint64_t seed)
{
    label_counts_sort(&s->labels);
    size_t strata = s->classes ? s->labels.n : 1, done = 0;
    size_t n = max_rows < s->rows ? max_rows : s->rows;
    size_t firsts = !s->classes ? 0 : strata < n ? strata : n;
    size_t others = s->rows - (s->classes ? strata : 0);

    s->stratum = calloc(strata ? strata : 1, sizeof *s->stratum);
    s->drawn = malloc((n ? n : 1) * sizeof *s->drawn);
    if (!s->stratum || !s->drawn)
        return say_no_memory("a draw of rows");
    size_t *row = s->drawn;
    for (size_t k = 0; k < strata; k++) {
        size_t rows = s->classes ? s->labels.at[k].rows : s->rows, more = rows - s->classes;
        stratum *x = &s->stratum[k];
        *x = (stratum){.row = row};
        x->n = taken(k + 1, firsts, strata) - taken(k, firsts, strata)
               + taken(done + more, n - firsts, others) - taken(done, n - firsts, others);
        fx_data_sample(row, x->n, rows, seed + k);
        row += x->n;
        done += more;
    }
    return 0;
}

/* ---- The rows ------------------------------------------------------------------------------- */

static bool is_drawn(row_sample *s, const fx_table *t, size_t i)
{
    stratum *x = &s->stratum[s->classes ? label_counts_find(&s->labels, t->label[i]) : 0];
    bool drawn = x->at < x->n && x->row[x->at] == x->seen;

    x->seen++;
    x->at += drawn;
    return drawn;
}

static int keep(row_sample *s, const fx_table *given, const size_t *row, size_t n)
{
    fx_table t = *given;                /* names are those of all rows: row_sample_join */
    fx_data **more = realloc(s->part, (s->parts + 1) * sizeof *more);

    if (!more)
        return say_no_memory("drawn rows");
    s->part = more;
    t.classes = 0;
    t.class_name = t.name = NULL;
    fx_status st = fx_data_select(&s->part[s->parts], &t, row, n, &cli.run);
    s->parts += !st;
    return st ? say_failure(st) : 0;
}

int row_sample_take(row_sample *s, const fx_table *t)
{
    size_t *row = malloc((t->rows ? t->rows : 1) * sizeof *row), n = 0;

    if (!row)
        return say_no_memory("drawn rows");
    for (size_t i = 0; i < t->rows; i++)
        if (is_drawn(s, t, i))
            row[n++] = i;
    int status = n ? keep(s, t, row, n) : 0;
    free(row);
    return status;
}

/* A batch may be of doubles for the sake of a row that was not drawn. */
static bool are_floats(const double *x, size_t n)
{
    size_t i = 0;

    while (i < n && ((double)(float)x[i] == x[i] || isnan(x[i])))
        i++;
    return i == n;
}

static void narrow(fx_matrix *X)
{
    size_t n = X->ptr ? (size_t)X->ptr[X->rows] : X->rows * X->stride;
    char *to = (char *)(uintptr_t)X->val;

    if (X->type != FX_F64 || !are_floats(X->val, n))
        return;
    for (size_t i = 0; i < n; i++) {    /* in its own memory */
        float x = (float)((const double *)X->val)[i];
        memcpy(to + i * sizeof x, &x, sizeof x);
    }
    X->type = FX_F32;
}

/* Numbers of the rows of all parts, one part after the other. */
static void gather(row_sample *s, fx_matrix *block, double *label, double *weight, int64_t *qid)
{
    for (size_t k = 0, n = 0; k < s->parts; k++) {
        fx_table t = fx_data_table(s->part[k]);
        block[k] = t.block[0];
        for (size_t i = 0; i < t.rows; i++, n++) {
            label[n] = t.label ? t.label[i] : 0;
            weight[n] = t.weight ? t.weight[i] : 1;
            qid[n] = t.qid ? t.qid[i] : -1;
        }
    }
}

static int join(fx_data **out, row_sample *s, fx_table t)
{
    fx_matrix *block = malloc((s->parts + 1) * sizeof *block);
    double *number = malloc((t.rows + 1) * 2 * sizeof *number),
           *weight = number ? number + t.rows : NULL;
    int64_t *qid = malloc((t.rows + 1) * sizeof *qid);
    int status = block && number && qid ? 0 : say_no_memory("drawn rows");

    if (!status) {
        gather(s, block, number, weight, qid);
        for (size_t k = 0; k < s->parts; k++) {
            fx_table part = fx_data_table(s->part[k]);
            t.label = part.label ? number : t.label;
            t.weight = part.weight ? weight : t.weight;
            t.qid = part.qid ? qid : t.qid;
            narrow(&block[k]);
            block[k].cols = t.cols;
        }
        t.block = block;
        t.blocks = s->parts;
        fx_status st = fx_data_select(out, &t, NULL, 0, &cli.run);
        status = st ? say_failure(st) : 0;
    }
    free(block);
    free(number);
    free(qid);
    return status;
}

int row_sample_join(fx_data **out, row_sample *s, const fx_table *like)
{
    fx_table t = {.cols = like->cols, .classes = like->classes, .class_name = like->class_name,
                  .name = like->name, .base = like->base};

    for (size_t k = 0; k < s->parts; k++)
        t.rows += fx_data_table(s->part[k]).rows;
    return join(out, s, t);
}

void row_sample_free(row_sample *s)
{
    for (size_t k = 0; k < s->parts; k++)
        fx_data_free(s->part[k]);
    free(s->part);
    free(s->stratum);
    free(s->drawn);
    label_counts_free(&s->labels);
    *s = (row_sample){0};
}
