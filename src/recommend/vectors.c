/* SPDX-License-Identifier: BSD-3-Clause
 * vectors.c - rows of one side as vectors, whose inner products with those of the other side are
 * scores.
 *
 * Elementary symmetric polynomials are built by insertion, a column at a time and all components
 * together.  Where there are groups, the entries of a group are added up first.
 *
 * Cost: O(entries S m) for S components of order m.  Accuracy: |<u, v> - score| <= (entries + S m)
 * 4 u times the score of the absolute values. */

#include "recommend/recommend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 64 };                     /* of a block */
enum { POLL = 1 << 20 };                /* multiplications between two polls */

typedef struct entry {                  /* of a row, in the order in which they are inserted */
    int32_t group;
    int32_t column;
    double x;
} entry;

typedef struct making {
    double *out;
    const fxi_recommend_sides *s;
    fx_side side;
    const fx_matrix *X;
    fxi_scratch_pool *pool;
    atomic_uint_fast64_t unseen;
    const fx_run *run;
} making;

typedef struct workspace {              /* of a thread */
    const making *a;
    fxi_team *team;
    entry *row;                         /* [n], without zeros */
    size_t n;
    double *z, *p, *e;                  /* [S], [S], [orders + 1][S] */
    size_t done;                        /* multiplications since the last poll */
} workspace;

static bool is_stopped(workspace *w, size_t more)
{
    w->done += more;
    if (w->done < POLL)
        return false;
    w->done = 0;
    return fxi_parallel_cancelled(w->team);
}

/* ---- One row and one part ---------------------------------------------------------------- */

static int by_group(const void *a, const void *b)
{
    const entry *x = a, *y = b;

    return x->group != y->group ? (x->group > y->group) - (x->group < y->group)
                                : (x->column > y->column) - (x->column < y->column);
}

/* Groups of a part without groups: each column is its own. */
static void sort_row(workspace *w, const fxi_explain_part *a)
{
    bool sorted = true;

    for (size_t q = 0; q < w->n; q++) {
        w->row[q].group = a->group ? a->group[w->row[q].column] : w->row[q].column;
        sorted &= q == 0 || by_group(&w->row[q - 1], &w->row[q]) < 0;
    }
    if (!sorted)
        qsort(w->row, w->n, sizeof *w->row, by_group);
}

/* z: sums of the entries of the group at *q, which moves behind it. */
static void add_group(workspace *w, const fxi_explain_part *a, size_t *q)
{
    const int32_t group = w->row[*q].group;

    memset(w->z, 0, a->S * sizeof *w->z);
    for (; *q < w->n && w->row[*q].group == group; ++*q) {
        const entry *e = &w->row[*q];
        a->read(w->p, a, (size_t)e->column);
        for (size_t s = 0; s < a->S; s++)
            w->z[s] += e->x * w->p[s];
    }
}

/* e[i] for i = 0..high of each component: elementary symmetric polynomials. */
static void insert_all(workspace *w, const fxi_explain_part *a)
{
    const size_t S = a->S, high = (size_t)a->high;

    memset(w->e + S, 0, high * S * sizeof *w->e);
    for (size_t s = 0; s < S; s++)
        w->e[s] = 1;
    sort_row(w, a);
    for (size_t q = 0; q < w->n && !is_stopped(w, S * high);) {
        bool counts = w->row[q].group >= 0;
        add_group(w, a, &q);
        for (size_t i = high; i > 0 && counts; i--)
            for (size_t s = 0; s < S; s++)
                w->e[i * S + s] += w->z[s] * w->e[(i - 1) * S + s];
    }
}

/* .. : powers <p, x>^i. */
static void raise_all(workspace *w, const fxi_explain_part *a)
{
    const size_t S = a->S;

    for (size_t s = 0; s < S; s++) {
        w->e[s] = 1;
        w->z[s] = 0;
    }
    for (size_t q = 0; q < w->n && !is_stopped(w, S); q++) {
        a->read(w->p, a, (size_t)w->row[q].column);
        for (size_t s = 0; s < S; s++)
            w->z[s] += w->row[q].x * w->p[s];
    }
    for (size_t i = 1; i <= (size_t)a->high; i++)
        for (size_t s = 0; s < S; s++)
            w->e[i * S + s] = w->z[s] * w->e[(i - 1) * S + s];
}

/* C(i + j, i) if the part repeats, else 1. */
static double choices(const fxi_explain_part *a, int i, int j)
{
    double c = 1;

    for (int k = 1; k <= i && a->repeats; k++)
        c = c * (j + k) / k;
    return c;
}

/* Numbers of one part to `to`; returns what belongs to this side alone. */
static double put_orders(double *to, workspace *w, const fxi_explain_part *a)
{
    const size_t S = a->S;
    double alone = 0;

    if (a->repeats)
        raise_all(w, a);
    else
        insert_all(w, a);
    for (int t = a->low; t <= a->high; t++) {
        const double *lambda = fxi_explain_terms_lambda(a, t);
        for (size_t s = 0; s < S; s++)
            alone += lambda[s] * w->e[(size_t)t * S + s];
    }
    if (w->a->side == FX_FIRST) {
        memcpy(to, w->e + S, ((size_t)a->high - 1) * S * sizeof *to);
        return alone;
    }
    memset(to, 0, ((size_t)a->high - 1) * S * sizeof *to);
    for (int i = 1; i < a->high; i++)
        for (int j = i < a->low ? a->low - i : 1; i + j <= a->high; j++) {
            const double *lambda = fxi_explain_terms_lambda(a, i + j), c = choices(a, i, j);
            for (size_t s = 0; s < S; s++)
                to[(size_t)(i - 1) * S + s] += c * lambda[s] * w->e[(size_t)j * S + s];
        }
    return alone;
}

/* lambda prod (1 + p a) beside prod (1 + p b); -lambda is in the constant. */
static void put_product(double *to, workspace *w, const fxi_explain_part *a)
{
    for (size_t s = 0; s < a->S; s++)
        to[s] = w->a->side == FX_FIRST ? a->lambda[s] : 1;
    for (size_t q = 0; q < w->n && !is_stopped(w, a->S); q++) {
        a->read(w->p, a, (size_t)w->row[q].column);
        for (size_t s = 0; s < a->S; s++)
            to[s] *= 1 + w->row[q].x * w->p[s];
    }
}

/* ---- Rows -------------------------------------------------------------------------------- */

static void put_row(double *to, workspace *w)
{
    const fxi_recommend_sides *s = w->a->s;
    const fxi_explain_terms *t = &s->terms;
    double *next = to + FXI_RECOMMEND_ALONE, alone = 0;

    for (size_t q = 0; q < w->n && t->linear; q++)
        alone += t->linear[w->row[q].column] * w->row[q].x;
    for (size_t k = 0; k < t->parts; k++) {
        const fxi_explain_part *a = &t->part[k];
        if (fxi_recommend_sides_product(a)) {
            put_product(next, w, a);
            next += a->S;
        } else {
            alone += put_orders(next, w, a);
            next += a->S * ((size_t)a->high - 1);
        }
    }
    to[0] = w->a->side == FX_FIRST ? t->constant + alone : 1;
    to[1] = w->a->side == FX_FIRST ? 1 : alone;
}

/* Numbers other than 0 of a row, which must be of this side where that is known. */
static fx_status take_row(workspace *w, fxi_row r, size_t number)
{
    const fx_model_info *c = &w->a->s->m->c;

    w->n = 0;
    for (size_t q = 0; q < r.n; q++) {
        const double x = fxi_row_value(r, q);
        const size_t j = (size_t)fxi_row_column(r, q);
        if (x == 0)
            continue;
        if (c->split && fxi_recommend_sides_of(c, j) != w->a->side)
            return fxi_error(FX_EINVAL,
                             "row %zu has column %zu (both from 0), which is of the "
                             "%s side: the first has %zu columns",
                             number, j, w->a->side == FX_FIRST ? "second" : "first", c->split);
        w->row[w->n++] = (entry){.column = (int32_t)j, .x = x};
    }
    return FX_OK;
}

static fx_status make_rows(making *a, size_t first, size_t n, fxi_scratch *scratch, fxi_team *team)
{
    const fxi_recommend_sides *s = a->s;
    workspace w = {.a = a, .team = team};
    uint64_t unseen = 0;
    fx_matrix X;
    fx_status st = fxi_model_rows_filled(&X, &unseen, &s->m->c, &s->missing, s->scale, a->X, first,
                                         n, scratch, a->run, team);

    if (st)
        return st;
    a->unseen += unseen;
    w.row = fxi_scratch_take(scratch, fxi_data_rows_max(&X, 1), sizeof *w.row);
    w.z = w.row ? fxi_scratch_take(scratch, s->scratch, sizeof *w.z) : NULL;
    if (!w.z)
        return FX_ENOMEM;
    w.p = w.z + s->components;
    w.e = w.p + s->components;
    for (size_t i = 0; i < n && !fxi_parallel_cancelled(team); i++) {
        double *to = a->out + (first + i) * s->width;
        if ((st = take_row(&w, fxi_data_row(&X, i), first + i)))
            return st;
        put_row(to, &w);
        for (size_t k = 0; k < s->width; k++)
            if (!isfinite(to[k]))
                return fxi_error(FX_ENUMERIC,
                                 "number %zu of the vector of row %zu (both from 0) "
                                 "is %g",
                                 k, first + i, to[k]);
        if (s->missing.how == FXI_MISSING_DROP
            && fxi_data_missing_in(&s->missing, fxi_data_row(a->X, first + i)))
            for (size_t k = 0; k < s->width; k++)
                to[k] = NAN;
    }
    return FX_OK;
}

static fx_status make_block(void *ctx, size_t b, fxi_team *team)
{
    making *a = ctx;
    size_t first = b * ROWS, left = a->X->rows - first;
    fxi_scratch *scratch = fxi_scratch_enter(a->pool);
    fx_status st = scratch ? make_rows(a, first, left < ROWS ? left : ROWS, scratch, team)
                           : FX_ENOMEM;

    fxi_scratch_leave(scratch);
    return st;
}

fx_status fxi_recommend_vectors(double *out, uint64_t *unseen, const fxi_recommend_sides *s,
                                fx_side side, const fx_matrix *X, const fx_run *run)
{
    making a = {.out = out, .s = s, .side = side, .X = X, .run = run};

    if (!(a.pool = fxi_scratch_pool_new()))
        return FX_ENOMEM;
    fx_status st = fxi_parallel((X->rows + ROWS - 1) / ROWS, make_block, &a, run);
    fxi_scratch_pool_free(a.pool);
    if (!st && unseen)
        *unseen = a.unseen;
    return st;
}

fx_status fxi_recommend_vectors_check(const fx_model *m, const fx_matrix *X, const fx_run *run)
{
    if (!X->ptr && X->cols != m->c.inputs)
        return fxi_error(FX_ESHAPE, "dense rows have %zu columns, the model %zu", X->cols,
                         m->c.inputs);
    return *m->c.missing ? fxi_data_check_missing(X, "X", run) : fxi_data_check(X, "X", run);
}

fx_status fx_model_vectors_width(size_t *out, const fx_model *m, const fx_run *run)
{
    fxi_recommend_sides s;

    if (!out || !m)
        return fxi_error(FX_EINVAL, "fx_model_vectors_width: %s is NULL", out ? "m" : "out");
    fx_status st = fxi_recommend_sides_new(&s, m, 0, run);
    if (!st)
        *out = s.width;
    fxi_recommend_sides_free(&s);
    return st;
}

fx_status fx_model_vectors(double *out, uint64_t *unseen, const fx_model *m, fx_side side,
                           size_t output, const fx_matrix *X, const fx_run *run)
{
    fxi_recommend_sides s;

    if (!m || !X || (!out && X->rows))
        return fxi_error(FX_EINVAL, "fx_model_vectors: %s is NULL", !m ? "m" : X ? "out" : "X");
    if (side != FX_FIRST && side != FX_SECOND)
        return fxi_error(FX_EINVAL, "side %d is neither the first nor the second", (int)side);
    fx_status st = fxi_recommend_vectors_check(m, X, run);
    if (st)
        return st;
    if (!(st = fxi_recommend_sides_new(&s, m, output, run)))
        st = fxi_recommend_vectors(out, unseen, &s, side, X, run);
    fxi_recommend_sides_free(&s);
    return st;
}
