/* SPDX-License-Identifier: BSD-3-Clause
 * newton_pass.c - passes of Newton's method over the rows.
 *
 * Blocks of rows are dealt to at most 16 parts of consecutive blocks, by the shape alone; each part
 * sums into its own vectors, which are added in order: the same bits for any number of threads.  A
 * row is used for its inner product and its update while it is in the first-level cache. */

#include "fit/newton.h"

#include <string.h>

typedef struct pass {
    fxi_newton *n;
    enum { SCORES, GRADIENT, PRODUCT, OTHERS } what;
    const double *v;                    /* [d+1] */
    double *q;                          /* [rows] */
} pass;

static bool takes_part(const pass *a, size_t i)
{
    const fxi_newton *n = a->n;

    return n->p->c[i] > 0 && (a->what < PRODUCT || (n->D[i] > 0) == (a->what == PRODUCT));
}

/* M += D z^2, element by element */
static void add_squares(double *M, double D, fxi_row z, const fxi_simd *simd)
{
    if (z.f32 && !z.col32 && !z.col64) {
        simd->fit_newton_squares(M, D, z.f32, z.n);
        return;
    }
    for (size_t q = 0; q < z.n; q++) {
        double x = fxi_row_value(z, q);
        M[fxi_row_column(z, q)] += D * x * x;
    }
}

static void gradient_row(fxi_newton *n, double *part, size_t i, fxi_row z)
{
    const fxi_problem *p = n->p;
    double slope = p->c[i] * p->loss->slope(p->y[i], n->f[i], p->epsilon);
    double *g = part, *h = g + n->d + 1, *M = h + n->d + 1;
    double D = n->D[i] = p->c[i] * p->loss->curve(p->y[i], n->f[i], p->epsilon);

    if (slope != 0) {
        fxi_fit_row_add(g, slope, z, n->simd);
        g[n->d] += slope;
    }
    if (D > 0) {
        if (p->intercept == FXI_FREE)
            fxi_fit_row_add(h, D, z, n->simd);
        add_squares(M, D, z, n->simd);
        h[n->d] += D;
        M[n->d] += D;
    }
}

static void visit_row(const pass *a, double *part, size_t i, fxi_row z)
{
    fxi_newton *n = a->n;

    if (a->what == GRADIENT) {
        gradient_row(n, part, i, z);
        return;
    }
    a->q[i] = fxi_fit_row_dot(z, a->v, n->simd) + a->v[n->d];
    if (a->what == PRODUCT) {
        fxi_fit_row_add(part, n->D[i] * a->q[i], z, n->simd);
        part[n->d] += n->D[i] * a->q[i];
    }
}

/* Four dense rows of floats at once: q and update as above. */
static void visit_four(const pass *a, double *part, const size_t *i, const fx_matrix *Z,
                       size_t first)
{
    fxi_newton *n = a->n;
    const float *z[4];
    double q[4];

    for (size_t r = 0; r < 4; r++)
        z[r] = fxi_data_row(Z, i[r] - first).f32;
    n->simd->fit_newton_dots(q, z, a->v, n->d);
    for (size_t r = 0; r < 4; r++) {
        a->q[i[r]] = q[r] + a->v[n->d];
        q[r] = n->D[i[r]] * a->q[i[r]];
        if (a->what == PRODUCT)
            part[n->d] += q[r];
    }
    if (a->what == PRODUCT)
        n->simd->fit_newton_adds(part, q, z, n->d);
}

static void visit_block(const pass *a, double *part, size_t first, const fx_matrix *Z,
                        fxi_team *team)
{
    bool four = !Z->ptr && Z->type == FX_F32 && a->what != GRADIENT;
    size_t i[4], have = 0;

    for (size_t r = 0; r < Z->rows; r++) {
        if (takes_part(a, first + r))
            i[have++] = first + r;
        if (have == 4 && four) {
            visit_four(a, part, i, Z, first);
            have = 0;
        }
        for (size_t e = 0; e < have && (!four || r + 1 == Z->rows); e++)
            visit_row(a, part, i[e], fxi_data_row(Z, i[e] - first));
        have = four ? have : 0;
        if (r % 64 == 0 && fxi_parallel_cancelled(team))
            return;
    }
}

static fx_status visit_part(void *ctx, size_t k, fxi_team *team)
{
    const pass *a = ctx;
    fxi_newton *n = a->n;
    const fxi_source *s = n->p->source;
    size_t vectors = a->what == GRADIENT ? 3 : a->what == PRODUCT ? 1 : 0;
    double *part = n->part + k * 3 * (n->d + 1);
    float *buffer = s->buffer ? n->buffer + (size_t)fxi_parallel_thread(team) * s->buffer : NULL;
    fx_run how = fxi_parallel_nested(&n->how, team);
    fx_status st = FX_OK;

    memset(part, 0, vectors * (n->d + 1) * sizeof *part);
    for (size_t b = k * s->blocks / n->parts; b < (k + 1) * s->blocks / n->parts && !st; b++) {
        size_t first = b * s->block, end = first + s->block < s->rows ? first + s->block : s->rows;
        size_t i = first;
        fx_matrix Z;
        while (i < end && !takes_part(a, i))
            i++;
        if (i == end)
            continue;                   /* such a block need not be mapped */
        st = fxi_fit_source_block(&Z, s, b, buffer, &how);
        if (!st)
            visit_block(a, part, first, &Z, team);
        if (fxi_parallel_cancelled(team))
            return FX_OK;               /* fxi_parallel reports it */
    }
    return st;
}

static fx_status visit(pass a) { return fxi_parallel(a.n->parts, visit_part, &a, &a.n->how); }

/* out = the sum over parts of their vector number `which` */
static void reduce(double *out, const fxi_newton *n, size_t which)
{
    size_t m = n->d + 1;

    memcpy(out, n->part + which * m, m * sizeof *out);
    for (size_t k = 1; k < n->parts; k++) {
        const double *part = n->part + (3 * k + which) * m;
        for (size_t j = 0; j < m; j++)
            out[j] += part[j];
    }
}

fx_status fxi_fit_newton_pass_scores(double *f, fxi_newton *n, const double *v)
{
    return visit((pass){n, SCORES, v, f});
}

fx_status fxi_fit_newton_pass_gradient(fxi_newton *n)
{
    fx_status st = visit((pass){n, GRADIENT, NULL, NULL});

    if (st)
        return st;
    reduce(n->g, n, 0);
    reduce(n->h, n, 1);
    reduce(n->M, n, 2);
    for (size_t j = 0; j < n->penalised; j++) {
        n->g[j] += n->w[j];
        n->M[j] += 1;
    }
    return FX_OK;
}

fx_status fxi_fit_newton_pass_product(double *out, fxi_newton *n, const double *v)
{
    fx_status st = visit((pass){n, PRODUCT, v, n->q});

    if (!st)
        reduce(out, n, 0);
    return st;
}

fx_status fxi_fit_newton_pass_others(double *q, fxi_newton *n, const double *v)
{
    return visit((pass){n, OTHERS, v, q});
}
