/* SPDX-License-Identifier: BSD-3-Clause
 * gradient_pass.c - what rows answer: their loss, and its derivatives by all numbers of a model.
 *
 * A row goes through all panels of all blocks at once: K(p_s, x) and its derivatives wait until the
 * score is known, and with it the slope of the loss, by which they are added to the sums.  Threads
 * take runs of rows, each with its own sums.  Models that leave the cache take one panel after the
 * other instead (gradient_wide.c), in longer runs, since adding to exact sums is slower there.
 *
 * Cost: O(m rank nz(X)) and, for each run, all numbers of the model: runs are long enough that it
 * is a small part. */

#include "fm/gradient.h"

#include <string.h>

enum { WIDE = 1 << 18 };                /* numbers of a model that is wide */
/* What a number costs that is added to exact sums, in units of what run.c has for linear models. */
enum { SUM_COST = 4, SUM_COST_WIDE = 64 };

static bool is_wide(const fxi_fm *fm) { return fm->size > WIDE; }

/* ---- The answer ---------------------------------------------------------------------------- */

size_t fxi_fm_gradient_pass_run(const fxi_fm *fm, size_t rows, size_t numbers, bool sparse)
{
    size_t lanes = fm->blocks * fm->panels * FXI_LANES;

    return fxi_pass_run(rows, fm->size * (is_wide(fm) ? SUM_COST_WIDE : SUM_COST), numbers * lanes,
                        sparse);
}

fx_status fxi_fm_gradient_pass_begin(fxi_answer *a, const fxi_question *q, const fxi_fm *fm)
{
    if (q->what != FXI_ASK_FM || (q->w ? q->ws != fm->size : q->flags))
        return fxi_error(FX_EFORMAT, "question %d does not fit a factorization machine of %zu "
                         "numbers", (int)q->what, fm->size);
    if (is_wide(fm))                    /* threads share a run */
        a->threads = (size_t)(a->how.threads = 1);
    return fxi_pass_answer_sums(a, FXI_FM_SUMS + (q->flags & FXI_FM_DERIVE ? fm->size : 0));
}

/* ---- A row --------------------------------------------------------------------------------- */

void fxi_fm_gradient_pass_orders(double *theta, const fxi_fm_workspace *w, const double *lambda,
                                 int order)
{
    const double *e = fxi_fm_row_orders(w);

    for (int t = 1; t <= order; t++)
        for (size_t s = 0; s < FXI_LANES; s++)
            theta[t - 1] += lambda[s] * e[(size_t)t * FXI_LANES + s];
}

void fxi_fm_gradient_pass_linear(double *G, const fxi_fm *fm, const fxi_fm_entries *row,
                                 double slope)
{
    double *w = G + fm->w;

    if (fm->intercept)
        G[0] += slope;
    for (size_t e = row->first; fm->linear && e < row->last; e++)
        w[(row->col ? (size_t)row->col[e] : e) - fm->front] += slope * row->x[e];
}

void fxi_fm_gradient_pass_panel(double *G, const fxi_fm_deriving *a, const fxi_fm_entries *row,
                                double slope, size_t i, const double *K, const double *g)
{
    const fxi_fm *fm = a->p->fm;
    const fxi_fm_block *b = &fm->block[i / fm->panels];
    size_t panel = i % fm->panels, lambda = b->lambda + panel * FXI_LANES;
    _Alignas(64) double by[FXI_LANES];

    for (size_t s = 0; s < FXI_LANES; s++)
        by[s] = slope * a->q->w[lambda + s];
    fm->simd->fm_add(G + b->P + panel * fm->cols * FXI_LANES, row->col, g, by, row->n);
    for (size_t s = 0; fm->how == FXI_FM_LEARNED && s < FXI_LANES; s++)
        G[lambda + s] += slope * K[s];
}

/* What a thread has for a row. */
typedef struct row_work {
    const fxi_fm_deriving *a;
    fxi_fm_workspace *workspace;
    double *K, *g;
    double theta[FX_ORDER_MAX];         /* hofm-simplex: derivatives of the score */
    fxi_team *team;
} row_work;

/* The score of a row; K and derivatives of all panels. */
static double score(row_work *k, const fxi_fm_entries *row)
{
    const fxi_fm *fm = k->a->p->fm;
    const double *v = k->a->q->w;
    double f = fxi_fm_row_linear(fm, row, v), sum[FXI_LANES] = {0};

    memset(k->theta, 0, sizeof k->theta);
    for (size_t i = 0; i < k->a->panels; i++) {
        size_t block = i / fm->panels, panel = i % fm->panels;
        const double *lambda = v + fm->block[block].lambda + panel * FXI_LANES;
        double *K = k->K + i * FXI_LANES, *g = k->g + i * k->a->entries * FXI_LANES;
        if (fm->kind == FXI_FM_SIMPLEX) {
            fxi_fm_row_value(K, k->workspace, v, block, panel, k->team);
            fxi_fm_gradient_pass_orders(k->theta, k->workspace, lambda, fm->block[block].order);
        }
        fxi_fm_row_gradient(K, g, k->workspace, v, block, panel, k->team);
        for (size_t s = 0; s < FXI_LANES; s++)
            sum[s] += lambda[s] * K[s];
    }
    for (size_t s = 0; s < FXI_LANES; s++)
        f += sum[s];
    return f;
}

static void derive(double *G, const row_work *k, const fxi_fm_entries *row, double slope)
{
    const fxi_fm *fm = k->a->p->fm;

    fxi_fm_gradient_pass_linear(G, fm, row, slope);
    for (size_t i = 0; i < k->a->panels; i++)
        fxi_fm_gradient_pass_panel(G, k->a, row, slope, i, k->K + i * FXI_LANES,
                                   k->g + i * k->a->entries * FXI_LANES);
    for (int t = 0; fm->kind == FXI_FM_SIMPLEX && t < fm->block[0].order; t++)
        G[fm->block[0].theta + (size_t)t] += slope * k->theta[t];
}

static void add_row(double *sum, row_work *k, size_t i)
{
    const fxi_fm_problem *p = k->a->p;
    const fxi_question *q = k->a->q;
    double y = p->y[i] - q->t, c = p->c[i], f = 0, slope = 0;
    fxi_fm_entries row;

    if (q->flags & FXI_FM_DERIVE) {
        row = fxi_fm_row(k->workspace, fxi_data_row(p->X, i));
        f = score(k, &row);
        slope = c * fxi_fm_slope(p->loss, y, f);
    } else if (q->w)
        f = fxi_fm_score_row(p->fm, q->w, k->workspace, fxi_data_row(p->X, i), k->team);
    sum[FXI_FM_LOSS] += c * fxi_fm_loss(p->loss, y, f);
    sum[FXI_FM_WEIGHT] += c;
    sum[FXI_FM_TARGET] += c * y;
    if (slope != 0)
        derive(sum + FXI_FM_SUMS, k, &row, slope);
}

static fx_status add_rows(void *ctx, double *sum, size_t i, size_t end, fxi_team *team)
{
    const fxi_fm_deriving *a = ctx;
    size_t thread = (size_t)fxi_parallel_thread(team), polled = 0;
    row_work k = {.a = a, .team = team};

    if (a->workspace)
        k.workspace = a->workspace[thread];
    if (a->g) {
        k.K = a->K + thread * a->panels * FXI_LANES;
        k.g = a->g + thread * a->panels * a->entries * FXI_LANES;
    }
    for (; i < end; i++) {
        size_t entries = a->q->w ? fxi_data_row(a->p->X, i).n * a->panels : 1;
        if (fxi_fm_score_stopped(&polled, entries, team))
            break;                      /* fxi_parallel reports it */
        if (a->p->c[i] > 0)
            add_row(sum, &k, i);
    }
    return FX_OK;
}

/* ---- All rows ------------------------------------------------------------------------------ */

static size_t kept_panels(const fxi_fm *fm) { return is_wide(fm) ? 1 : fm->blocks * fm->panels; }

/* Of one thread. */
static bool count_row(size_t *bytes, const fxi_fm *fm, size_t entries)
{
    return fxi_size_mul(bytes, entries + 1, kept_panels(fm) * FXI_LANES * sizeof(double))
           && fxi_size_add(bytes, *bytes, fxi_fm_row_bytes(fm, entries));
}

bool fxi_fm_gradient_pass_bytes(size_t *bytes, const fxi_fm *fm, size_t rows, size_t entries,
                                size_t threads)
{
    size_t sums, row, all, slopes;

    return count_row(&row, fm, entries) && fxi_size_mul(&row, row, threads)
           && fxi_size_add(&all, fm->size, FXI_FM_SUMS)
           && fxi_pass_answer_bytes(&sums, all, is_wide(fm) ? 1 : threads)
           && fxi_size_mul(&slopes, rows, is_wide(fm) ? sizeof(double) : 0)
           && fxi_size_add(bytes, sums, row) && fxi_size_add(bytes, *bytes, slopes);
}

static fx_status make_space(fxi_fm_deriving *a, size_t threads, bool wide, const fx_run *run)
{
    const fxi_fm *fm = a->p->fm;
    size_t lanes = a->q->flags & FXI_FM_DERIVE ? threads * a->kept * FXI_LANES : 0, bytes;
    size_t rows = a->p->X->rows;

    if (!a->q->w)
        return FX_OK;
    if (!count_row(&bytes, fm, a->entries) || !fxi_size_mul(&bytes, bytes, threads)
        || !fxi_size_add(&bytes, bytes, wide ? rows * sizeof *a->slope : 0))
        return fxi_error(FX_ESHAPE, "%zu factors of %zu columns are too many", fm->rank, fm->cols);
    fx_status st = fxi_memory_check(run, bytes, "scratch for a gradient");
    if (st || (st = fxi_fm_row_workspaces(&a->workspace, fm, a->entries, threads, &a->scratch)))
        return st;
    if (lanes && (!(a->K = fxi_scratch_take(&a->scratch, lanes, sizeof *a->K))
                  || !(a->g = fxi_scratch_take(&a->scratch, (a->entries + 1) * lanes,
                                               sizeof *a->g))))
        return FX_ENOMEM;
    if (wide
        && (!(a->slope = fxi_scratch_take(&a->scratch, rows + 1, sizeof *a->slope))
            || !(a->part = fxi_scratch_take(&a->scratch, rows / FXI_FM_WIDE_ROWS + 2,
                                            sizeof *a->part))))
        return FX_ENOMEM;
    return FX_OK;
}

fx_status fxi_fm_gradient_pass(fxi_answer *answer, const fxi_question *q, const fxi_fm_problem *p,
                               uint64_t first, bool last, const fx_run *run)
{
    bool wide = is_wide(p->fm) && q->w;
    fxi_fm_deriving a = {.p = p, .q = q, .run = run, .panels = p->fm->blocks * p->fm->panels,
                         .kept = kept_panels(p->fm),
                         .entries = q->w ? fxi_data_rows_max(p->X, 1) : 0};
    size_t threads = wide ? (size_t)fxi_parallel_threads(run, SIZE_MAX) : answer->threads;
    fx_status st = make_space(&a, threads, wide, run);

    if (!st)
        st = fxi_pass_answer_add(answer, wide ? fxi_fm_gradient_wide : add_rows, &a, p->X->rows,
                                 first, last);
    fxi_scratch_free(&a.scratch);
    return st;
}
