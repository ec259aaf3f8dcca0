/* SPDX-License-Identifier: BSD-3-Clause
 * newton_pass.c - what rows answer to Newton's method: sums over a piece of a run.
 *
 * Rows with c = 0 are absent, and a product needs only those with D > 0.  Dense rows of floats go
 * four at a time, so that the sums are loaded and stored once for all four; the last rows of a
 * piece are made up to four by a row with weights 0.  The inner product of a row does not depend on
 * the rows beside it. */

#include "fit/newton.h"

#include <math.h>
#include <stdlib.h>

enum { BATCH = 32 };                    /* rows that stay in a cache from scores to sums */

typedef struct queue {                  /* rows that wait for others */
    const float *z[4];
    double by[4];
    size_t n;
} queue;

typedef struct work {
    double *sum;
    const fxi_question *q;
    const fxi_piece *x;
    const fxi_problem *p;
    const fxi_simd *simd;
    size_t d;
    bool four;                          /* rows are dense floats */
    queue slopes, curves;               /* of these: what rows add to the gradient or the product;
                                         * to the other vectors */
} work;

static bool takes_part(const work *a, size_t i)
{
    return a->x->c[i] > 0 && (a->q->what != FXI_ASK_PRODUCT || a->x->D[i] > 0);
}

static bool needs_rows(const fxi_question *q, const fxi_piece *x)
{
    bool scores = (!x->f_known && !(q->flags & FXI_NEWTON_FLAT)) || (q->v && !x->q_known);
    size_t i = 0;

    if (q->what == FXI_ASK_LINE && !scores)
        return false;
    if (q->what == FXI_ASK_PRODUCT && x->D_known)
        while (i < x->rows && !(x->c[i] > 0 && x->D[i] > 0))
            i++;
    else
        while (i < x->rows && !(x->c[i] > 0))
            i++;
    return i < x->rows;
}

/* ---- Scores --------------------------------------------------------------------------------- */

/* f_i = <w, z_i> + b of rows i[n] */
static void score_four(double *f, const work *a, const double *w, double b, const size_t i[4],
                       size_t n)
{
    const float *dense[4];
    fxi_row z[4];
    double out[4];

    for (size_t r = 0; r < 4; r++) {
        z[r] = fxi_data_row(a->x->Z, i[r < n ? r : 0]);
        dense[r] = z[r].f32;
    }
    if (a->four)
        a->simd->fit_newton_dots(out, dense, w, a->d);
    else
        fxi_fit_row_dots(out, z, w, a->simd);
    for (size_t r = 0; r < n; r++)
        f[i[r]] = out[r] + b;
}

/* Of the rows that take part in the answer, or of all that take part in the fit. */
static void score(double *f, const work *a, const double *w, double b, size_t first, size_t end,
                  bool all)
{
    size_t i[4], n = 0;

    for (size_t r = first; r < end; r++) {
        if (all ? !(a->x->c[r] > 0) : !takes_part(a, r))
            continue;
        i[n++] = r;
        if (n == 4) {
            score_four(f, a, w, b, i, n);
            n = 0;
        }
    }
    if (n)
        score_four(f, a, w, b, i, n);
}

/* What the sums need of rows first..end - 1, if it is not known. */
static void prepare(const work *a, size_t first, size_t end)
{
    const fxi_piece *x = a->x;
    const fxi_problem *p = a->p;

    for (size_t i = first; i < end && !x->f_known && (a->q->flags & FXI_NEWTON_FLAT); i++)
        x->f[i] = 0;
    if (!x->f_known && !(a->q->flags & FXI_NEWTON_FLAT))
        score(x->f, a, a->q->w, 0, first, end, true);
    for (size_t i = first; i < end && a->q->what != FXI_ASK_LINE && !x->D_known; i++)
        if (x->c[i] > 0)
            x->D[i] = x->c[i] * p->loss->curve(x->y[i], x->f[i] + a->q->w[a->d], p->epsilon);
    bool along = a->q->what == FXI_ASK_LINE ? a->q->v && !x->q_known
                                            : a->q->what == FXI_ASK_PRODUCT && !a->four;
    if (along)
        score(x->q, a, a->q->v, a->q->v[a->d], first, end, false);
}

/* ---- Sums ----------------------------------------------------------------------------------- */

static void add_line(const work *a, size_t i)
{
    const fxi_problem *p = a->p;
    double c = a->x->c[i], q = a->q->v ? a->x->q[i] : 1, y = a->x->y[i];
    double f = a->x->f[i] + a->q->w[a->d] + a->q->t * q;
    double slope = c * p->loss->slope(y, f, p->epsilon);

    a->sum[FXI_ANSWER_VALUE] += c * p->loss->value(y, f, p->epsilon);
    a->sum[FXI_ANSWER_SLOPE] += slope * q;
    a->sum[FXI_ANSWER_CURVE] += c * p->loss->curve(y, f, p->epsilon) * q * q;
    a->sum[FXI_ANSWER_SIZE] += fabs(slope * q) + c * fabs(y * q);
}

/* The numbers about all features; returns the slope. */
static double add_numbers(const work *a, size_t i)
{
    const fxi_problem *p = a->p;
    double c = a->x->c[i], y = a->x->y[i], f = a->x->f[i] + a->q->w[a->d];
    double slope = c * p->loss->slope(y, f, p->epsilon);

    a->sum[FXI_ANSWER_VALUE] += c * p->loss->value(y, f, p->epsilon);
    a->sum[FXI_ANSWER_SLOPE] += slope;
    a->sum[FXI_ANSWER_CURVE] += a->x->D[i];
    a->sum[FXI_ANSWER_SIZE] += fabs(slope) + c * fabs(y);
    return slope;
}

static void add_gradient(const work *a, size_t i, fxi_row z)
{
    size_t d = a->d;
    double slope = add_numbers(a, i), D = a->x->D[i], *at = fxi_answer_vector(a->sum, 1, d);

    if (slope != 0)
        fxi_fit_row_add(fxi_answer_vector(a->sum, 0, d), slope, z, a->simd);
    if (!(D > 0))
        return;
    if (a->q->flags & FXI_NEWTON_FIRST)
        fxi_fit_row_add(at, D, z, a->simd);
    at += (a->q->flags & FXI_NEWTON_FIRST) ? fxi_sum_padded(d) : 0;
    for (size_t k = 0; (a->q->flags & FXI_NEWTON_SQUARES) && k < z.n; k++) {
        double x = fxi_row_value(z, k);
        at[fxi_row_column(z, k)] += D * x * x;
    }
}

static void add_product(const work *a, size_t i, fxi_row z)
{
    double q = a->x->D[i] * a->x->q[i];

    a->sum[FXI_ANSWER_SLOPE] += q;
    fxi_fit_row_add(fxi_answer_vector(a->sum, 0, a->d), q, z, a->simd);
}

/* ---- Four rows at a time ------------------------------------------------------------------ */

static void push(queue *q, const work *a, size_t i, double by)
{
    q->z[q->n] = fxi_data_row(a->x->Z, i).f32;
    q->by[q->n++] = by;
}

static void fill_up(queue *q)
{
    for (; q->n < 4; q->n++) {
        q->z[q->n] = q->z[0];
        q->by[q->n] = 0;
    }
}

static void add_slopes(work *a)
{
    queue *q = &a->slopes;

    fill_up(q);
    if (a->q->what == FXI_ASK_PRODUCT) {
        double dot[4];
        a->simd->fit_newton_dots(dot, q->z, a->q->v, a->d);
        for (size_t r = 0; r < 4; r++) {
            q->by[r] *= dot[r] + a->q->v[a->d];
            a->sum[FXI_ANSWER_SLOPE] += q->by[r];
        }
    }
    a->simd->fit_newton_adds(fxi_answer_vector(a->sum, 0, a->d), q->by, q->z, a->d);
    q->n = 0;
}

static void add_curves(work *a)
{
    queue *q = &a->curves;
    double *out = fxi_answer_vector(a->sum, 1, a->d);

    fill_up(q);
    if (a->q->flags & FXI_NEWTON_FIRST) {
        a->simd->fit_newton_adds(out, q->by, q->z, a->d);
        out += fxi_sum_padded(a->d);
    }
    if (a->q->flags & FXI_NEWTON_SQUARES)
        a->simd->fit_newton_squares(out, q->by, q->z, a->d);
    q->n = 0;
}

static void add_float_row(work *a, size_t i)
{
    bool product = a->q->what == FXI_ASK_PRODUCT;
    double by = product ? a->x->D[i] : add_numbers(a, i);

    if (by != 0)
        push(&a->slopes, a, i, by);
    if (!product && a->x->D[i] > 0 && (a->q->flags & (FXI_NEWTON_FIRST | FXI_NEWTON_SQUARES)))
        push(&a->curves, a, i, a->x->D[i]);
    if (a->slopes.n == 4)
        add_slopes(a);
    if (a->curves.n == 4)
        add_curves(a);
}

static void add_row(work *a, size_t i)
{
    if (a->q->what == FXI_ASK_LINE)
        add_line(a, i);
    else if (a->four)
        add_float_row(a, i);
    else if (a->q->what == FXI_ASK_PRODUCT)
        add_product(a, i, fxi_data_row(a->x->Z, i));
    else
        add_gradient(a, i, fxi_data_row(a->x->Z, i));
}

static void add_piece(double *sum, const fxi_question *q, const fxi_piece *x, const fxi_problem *p,
                      size_t features, const fxi_simd *simd, fxi_team *team)
{
    work a = {.sum = sum, .q = q, .x = x, .p = p, .simd = simd, .d = features};

    if (!x->Z && q->what != FXI_ASK_LINE)
        return;                         /* no row takes part */
    a.four = x->Z && !x->Z->ptr && x->Z->type == FX_F32;
    for (size_t first = 0; first < x->rows; first += BATCH) {
        size_t end = x->rows - first < BATCH ? x->rows : first + BATCH;
        prepare(&a, first, end);
        for (size_t i = first; i < end; i++)
            if (takes_part(&a, i))
                add_row(&a, i);
        if (first % (2 * BATCH) == 0 && fxi_parallel_cancelled(team))
            return;
    }
    if (a.slopes.n)
        add_slopes(&a);
    if (a.curves.n)
        add_curves(&a);
}

void fxi_fit_newton_pass_curves(const double *w, const fxi_piece *x, const fxi_problem *p,
                                size_t features, const fxi_simd *simd)
{
    const fxi_question q = {.what = FXI_ASK_GRADIENT, .w = w};
    work a = {.q = &q, .x = x, .p = p, .simd = simd, .d = features,
              .four = !x->Z->ptr && x->Z->type == FX_F32};

    for (size_t first = 0; first < x->rows; first += BATCH)
        prepare(&a, first, x->rows - first < BATCH ? x->rows : first + BATCH);
}

/* ---- A pass ---------------------------------------------------------------------------------- */

typedef struct adding {
    fxi_answer *a;
    const fxi_question *q;
    const fxi_problem *p;
    const fxi_source *z;
    const fxi_piece *x;
    const fxi_simd *simd;
    float *buffer;                      /* [threads][z->buffer] */
} adding;

static fxi_piece piece_at(const fxi_piece *x, size_t i, size_t rows)
{
    fxi_piece at = *x;

    at.rows = rows;
    at.y += i, at.c += i, at.f += i, at.D += i, at.q += i;
    return at;
}

static fx_status add_rows(void *ctx, double *sum, size_t i, size_t end, fxi_team *team)
{
    const adding *k = ctx;
    size_t piece = k->z->piece < k->a->run ? k->z->piece : k->a->run;
    float *buffer = k->buffer ? k->buffer + (size_t)fxi_parallel_thread(team) * k->z->buffer : NULL;
    fx_run how = fxi_parallel_nested(&k->a->how, team);
    fx_status st = FX_OK;

    for (; i < end && !st && !fxi_parallel_cancelled(team); i += piece) {
        fxi_piece x = piece_at(k->x, i, end - i < piece ? end - i : piece);
        fx_matrix Z;
        if (needs_rows(k->q, &x)) {
            st = fxi_fit_source_run(&Z, k->z, i, x.rows, buffer, &how);
            x.Z = &Z;
        }
        if (!st)
            add_piece(sum, k->q, &x, k->p, k->z->features, k->simd, team);
    }
    return st;
}

bool fxi_fit_newton_pass_bytes(size_t *bytes, size_t features, size_t threads)
{
    const fxi_question longest = {.flags = FXI_NEWTON_FIRST | FXI_NEWTON_SQUARES};

    return features < SIZE_MAX / 32
           && fxi_pass_answer_bytes(bytes, fxi_answer_numbers(&longest, features), threads);
}

fx_status fxi_fit_newton_pass_begin(fxi_answer *a, const fxi_question *q, size_t features,
                                    double *count)
{
    if (q->what == FXI_ASK_HESSIAN)
        return fxi_pass_answer_counts(a, fxi_fit_newton_hessian_numbers(features), count);
    return fxi_pass_answer_sums(a, fxi_answer_numbers(q, features));
}

fx_status fxi_fit_newton_pass(fxi_answer *a, const fxi_question *q, const fxi_problem *p,
                              const fxi_source *z, const fxi_piece *x, uint64_t first, bool last)
{
    adding k = {a, q, p, z, x, fxi_simd_get(), NULL};

    if (q->what == FXI_ASK_HESSIAN)
        return fxi_fit_newton_hessian_add(a, q, p, z, x, first);
    if (z->buffer && !(k.buffer = fxi_alloc(a->threads * z->buffer, sizeof *k.buffer)))
        return FX_ENOMEM;
    fx_status st = fxi_pass_answer_add(a, add_rows, &k, z->rows, first, last);
    free(k.buffer);
    return st;
}
