/* SPDX-License-Identifier: BSD-3-Clause
 * fold_in_column.c - the best numbers of one column while all others stay.
 *
 * All models but poly-net are linear in the numbers u of one column, its weight and its factors (of
 * poly-net-uv: those of one half): f_i = base_i + <g_i, u>.  So
 *
 *   q(u) = 1/W sum_i c_i loss(y_i, base_i + <g_i, u>) + 1/2 sum_k beta_k u_k^2
 *
 * over the rows that hold the column is convex, and Newton's method with halved steps minimises it,
 * for the squared loss in one step.  RIDGE times the largest second derivative is added to all of
 * them, so that there is a step without penalties, too; it changes steps, not where they end.  A
 * step that promises less than SMALL of q is the last: it is taken as it is, because q can no
 * longer tell whether it helps.
 *
 * Numbers are in panels of FXI_LANES, as in the model's vector; those beyond the rank have g = 0
 * and stay 0.  For n rows and D numbers, a step costs n D^2/2 + D^3/6 multiply-adds; memory is
 * 8 n D bytes. */

#include "fm/fm.h"
#include "linalg/cholesky.h"

#include <math.h>
#include <string.h>

enum { T = FXI_LANES, CHUNK = 64, STEPS = 100, HALVINGS = 60 };
static const double RIDGE = 1e-13, SMALL = 1e-14, SHARE = 1e-4;

struct fxi_fm_fold_column {
    const fxi_fm_fold *fold;
    fxi_fm_workspace *workspace;
    double *derivative;                 /* [entries][T] of a row, by one panel */
    size_t capacity, n;                 /* rows */
    const int32_t *row;                 /* [n] */
    double *G;                          /* [panels][capacity][T] */
    double *base, *f, *along;           /* [capacity] f without u; f; <g, step> */
    double *u, *beta, *slope, *step;    /* [panels * T] */
    double *H, *scaled;                 /* the matrix; [panels][CHUNK][T] */
    double value;                       /* q(u) */
};

bool fxi_fm_fold_in_column_bytes(size_t *bytes, const fxi_fm_fold *fold, size_t rows,
                                 size_t entries)
{
    size_t width = fold->panels * T, H, G;

    return fxi_linalg_cholesky_size(&H, width) && fxi_size_mul(&G, rows, width + 3)
           && fxi_size_add(bytes, H, G) && fxi_size_add(bytes, *bytes, width * (CHUNK + 4))
           && fxi_size_add(bytes, *bytes, entries * T)
           && fxi_size_mul(bytes, *bytes, sizeof(double))
           && fxi_size_add(bytes, *bytes, fxi_fm_row_bytes(fold->p->fm, entries));
}

fx_status fxi_fm_fold_in_column_new(fxi_fm_fold_column **out, const fxi_fm_fold *fold, size_t rows,
                                    size_t entries, fxi_scratch *scratch)
{
    size_t width = fold->panels * T, H;
    fxi_fm_fold_column *c = fxi_scratch_take(scratch, 1, sizeof *c);

    if (!c || !fxi_linalg_cholesky_size(&H, width))
        return FX_ENOMEM;
    *c = (fxi_fm_fold_column){.fold = fold, .capacity = rows};
    struct { double **to; size_t n; } arrays[] = {
        {&c->derivative, entries * T}, {&c->G, rows * width}, {&c->base, rows}, {&c->f, rows},
        {&c->along, rows}, {&c->u, width}, {&c->beta, width}, {&c->slope, width},
        {&c->step, width}, {&c->H, H}, {&c->scaled, width * CHUNK}};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (!(*arrays[i].to = fxi_scratch_take(scratch, arrays[i].n, sizeof(double))))
            return FX_ENOMEM;
    *out = c;
    return fxi_fm_row_workspace(&c->workspace, fold->p->fm, entries, scratch);
}

/* ---- Where the numbers are ---------------------------------------------------------------- */

/* Panel q of column `col` in the vector, how many of its lanes are in use (0: the column has none
 * of these numbers), and their penalty. */
typedef struct place {
    double *v;
    size_t lanes;
    double beta;
} place;

static place place_of(const fxi_fm_fold *fold, size_t col, size_t q)
{
    const fxi_fm *fm = fold->p->fm;
    size_t half = fm->twice ? fm->cols / 2 : fm->cols;

    if (fm->linear && q-- == 0)
        return (place){fold->v + fm->w + (col < half ? col - fm->front : 0), col < half, fm->alpha};
    const fxi_fm_block *b = &fm->block[q / fm->panels];
    size_t h = q % fm->panels, left = fm->rank - h * T;
    return (place){fold->v + b->P + (h * fm->cols + col) * T, left < T ? left : T, b->beta};
}

double fxi_fm_fold_in_column_penalty(const fxi_fm_fold *fold, size_t col)
{
    double sum = 0;

    for (size_t q = 0; q < fold->panels; q++) {
        place at = place_of(fold, col, q);
        for (size_t s = 0; s < at.lanes; s++)
            sum += at.beta / 2 * at.v[s] * at.v[s];
    }
    return sum;
}

static void load(fxi_fm_fold_column *c, size_t col)
{
    memset(c->u, 0, c->fold->panels * T * sizeof *c->u);
    for (size_t k = 0; k < c->fold->panels * T; k++)
        c->beta[k] = 1;                 /* of lanes that are not in use */
    for (size_t q = 0; q < c->fold->panels; q++) {
        place at = place_of(c->fold, col, q);
        for (size_t s = 0; s < at.lanes; s++) {
            c->u[q * T + s] = at.v[s];
            c->beta[q * T + s] = at.beta;
        }
    }
}

static void store(const fxi_fm_fold_column *c, size_t col)
{
    for (size_t q = 0; q < c->fold->panels; q++) {
        place at = place_of(c->fold, col, q);
        for (size_t s = 0; s < at.lanes; s++)
            at.v[s] = fabs(c->u[q * T + s]) < FXI_FM_TINY ? 0 : c->u[q * T + s];
    }
}

/* ---- Rows --------------------------------------------------------------------------------- */

static double *g_of(const fxi_fm_fold_column *c, size_t q, size_t i)
{
    return c->G + (q * c->capacity + i) * T;
}

static double multiply(const fxi_fm_fold_column *c, size_t i, const double *u)
{
    double sum = 0;

    for (size_t q = 0; q < c->fold->panels; q++) {
        const double *g = g_of(c, q, i);
        for (size_t s = 0; s < T; s++)
            sum += g[s] * u[q * T + s];
    }
    return sum;
}

/* g and f of row i of those that hold the column. */
static void derive(fxi_fm_fold_column *c, size_t i, size_t col, fxi_team *team)
{
    const fxi_fm_problem *p = c->fold->p;
    const fxi_fm *fm = p->fm;
    const double *v = c->fold->v;
    _Alignas(64) double K[T];
    fxi_fm_entries row = fxi_fm_row(c->workspace, fxi_data_row(p->X, (size_t)c->row[i]));
    size_t at = 0, q = fm->linear;

    while (row.col ? (size_t)row.col[at] != col : at != col)
        at++;
    c->f[i] = fxi_fm_row_linear(fm, &row, v);
    if (fm->linear) {
        memset(g_of(c, 0, i), 0, T * sizeof *c->G);
        *g_of(c, 0, i) = at < row.last ? row.x[at] : 0;
    }
    for (size_t b = 0; b < fm->blocks; b++)
        for (size_t h = 0; h < fm->panels; h++, q++) {
            const double *lambda = v + fm->block[b].lambda + h * T;
            double *g = g_of(c, q, i);
            fxi_fm_row_gradient(K, c->derivative, c->workspace, v, b, h, team);
            for (size_t s = 0; s < T; s++) {
                bool in = h * T + s < fm->rank;
                g[s] = in ? lambda[s] * c->derivative[at * T + s] : 0;
                c->f[i] += in ? lambda[s] * K[s] : 0;
            }
        }
    c->base[i] = c->f[i] - multiply(c, i, c->u);
}

/* ---- Newton's method ---------------------------------------------------------------------- */

/* q at u + t step. */
static double value_at(const fxi_fm_fold_column *c, double t)
{
    const fxi_fm_problem *p = c->fold->p;
    double loss = 0, penalty = 0;

    for (size_t i = 0; i < c->n; i++) {
        size_t r = (size_t)c->row[i];
        loss += p->c[r] * fxi_fm_loss(p->loss, p->y[r], c->f[i] + t * c->along[i]);
    }
    for (size_t k = 0; k < c->fold->panels * T; k++) {
        double u = c->u[k] + t * c->step[k];
        penalty += c->beta[k] / 2 * u * u;
    }
    return loss / c->fold->W + penalty;
}

/* Adds rows [first, first + n) to slopes and matrix. */
static void add_rows(fxi_fm_fold_column *c, size_t first, size_t n, const fxi_simd *simd)
{
    const fxi_fm_problem *p = c->fold->p;
    size_t panels = c->fold->panels;

    for (size_t i = 0; i < n; i++) {
        size_t r = (size_t)c->row[first + i];
        double share = p->c[r] / c->fold->W, f = c->f[first + i];
        double slope = share * fxi_fm_slope(p->loss, p->y[r], f);
        double bend = share * fxi_fm_bend(p->loss, p->y[r], f);
        for (size_t q = 0; q < panels; q++) {
            const double *g = g_of(c, q, first + i);
            double *scaled = c->scaled + (q * CHUNK + i) * T;
            for (size_t s = 0; s < T; s++) {
                c->slope[q * T + s] += slope * g[s];
                scaled[s] = bend * g[s];
            }
        }
    }
    for (size_t i = 0; i < panels; i++)
        for (size_t j = 0; j <= i; j++)
            simd->linalg_cholesky_tile(fxi_cholesky_at(c->H, i, j), c->scaled + j * CHUNK * T,
                                       g_of(c, i, first), n, 1);
}

static double *diagonal(const fxi_fm_fold_column *c, size_t k)
{
    return fxi_cholesky_at(c->H, k / T, k / T) + k % T * (T + 1);
}

/* Slopes and second derivatives at u. */
static void expand(fxi_fm_fold_column *c, fxi_team *team)
{
    size_t width = c->fold->panels * T, numbers = 0;
    const fxi_simd *simd = fxi_simd_get();
    double largest = 0;

    fxi_linalg_cholesky_size(&numbers, width);
    memset(c->H, 0, numbers * sizeof *c->H);
    for (size_t k = 0; k < width; k++)
        c->slope[k] = c->beta[k] * c->u[k];
    for (size_t i = 0; i < c->n && !fxi_parallel_cancelled(team); i += CHUNK)
        add_rows(c, i, c->n - i < CHUNK ? c->n - i : CHUNK, simd);
    for (size_t k = 0; k < width; k++)
        largest = fmax(largest, *diagonal(c, k));
    for (size_t k = 0; k < width; k++)
        *diagonal(c, k) += c->beta[k] + fmax(RIDGE * largest, 1e-300);
}

static void move(fxi_fm_fold_column *c, double t, double value)
{
    for (size_t k = 0; k < c->fold->panels * T; k++)
        c->u[k] += t * c->step[k];
    for (size_t i = 0; i < c->n; i++)
        c->f[i] = c->base[i] + multiply(c, i, c->u);
    c->value = value;
}

/* One step; *more: q was still to fall. */
static fx_status descend(bool *more, fxi_fm_fold_column *c, const fx_run *run, fxi_team *team)
{
    size_t width = c->fold->panels * T;
    double gain = 0, t = 1, value;

    *more = false;
    expand(c, team);
    fx_status st = fxi_linalg_cholesky(c->H, width, run);
    if (st)
        return st;
    for (size_t k = 0; k < width; k++)
        c->step[k] = -c->slope[k];
    if ((st = fxi_linalg_cholesky_solve(c->step, c->H, width, run)))
        return st;
    for (size_t k = 0; k < width; k++)
        gain -= c->slope[k] * c->step[k];
    for (size_t i = 0; i < c->n; i++)
        c->along[i] = multiply(c, i, c->step);
    if (!(gain > SMALL * c->value)) {
        move(c, 1, c->value);
        return FX_OK;
    }
    for (int k = 0; k < HALVINGS; k++, t /= 2)
        if ((value = value_at(c, t)) <= c->value - SHARE * t * gain) {
            move(c, t, value);
            *more = true;
            return FX_OK;
        }
    return FX_OK;
}

fx_status fxi_fm_fold_in_column(fxi_fm_fold_column *c, size_t col, const int32_t *row, size_t n,
                                const fx_run *run, fxi_team *team)
{
    fx_run alone = fxi_parallel_nested(run, team);
    size_t entries = 0;
    bool more = true;
    fx_status st = FX_OK;

    c->row = row;
    c->n = n;
    load(c, col);
    for (size_t i = 0; i < n; i++) {
        derive(c, i, col, team);
        if (fxi_fm_score_stopped(&entries, c->fold->panels, team))
            return FX_OK;               /* fxi_parallel reports it */
    }
    memset(c->step, 0, c->fold->panels * T * sizeof *c->step);
    memset(c->along, 0, n * sizeof *c->along);
    c->value = value_at(c, 0);
    for (int k = 0; k < STEPS && more && !st && !fxi_parallel_cancelled(team); k++)
        st = descend(&more, c, &alone, team);
    if (!st && !fxi_parallel_cancelled(team))
        store(c, col);
    return st;
}
