/* SPDX-License-Identifier: BSD-3-Clause
 * score.c - weighted sums of kernel values: S[i][c] = sum_w K(x_i, z_w) W[w][c].
 *
 * A tile of rows x is evaluated against all vectors z, panel by panel (panel.c); each panel's
 * values are multiplied with its weights while they are in the cache, so memory is one tile per
 * thread.  Sums are in double and in an order that depends on z.n and outputs alone: for one output
 * each lane has its own sum and they are added at the end, else the vectors follow one another.  A
 * value that is not finite makes its sum infinite or NaN, whatever its weight; only then it is
 * searched for. |error| <= (n + 1) u sum |K W| in addition to the errors of K, n = z.n. */

#include "kernel/panel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TILE = 512 };
enum { SUMS = 1 << 19 };                /* of a tile: the loop between two polls is 16 times that */

static const size_t READY = 1 << 26;    /* bytes of panels that a scorer may store in any case */

typedef struct score {
    double *S;
    const double *W;
    size_t outputs;
    size_t width;                       /* sums of a row: a lane each, or outputs rounded up */
    double *sum;                        /* [threads][tile][width] */
    double *weight;                     /* [threads][FXI_LANES][width], or [threads][FXI_LANES] */
    double *ready;                      /* the same for every panel; NULL: packed as needed */
    fxi_panels p;
    fxi_inverted *inverted;             /* the vectors by columns, instead of panels; or NULL */
} score;

/* Weights of a panel. */
static size_t weights_size(const score *a) { return FXI_LANES * (a->outputs == 1 ? 1 : a->width); }

/* The weights of vectors j.., 0 for lanes and outputs beyond the last. */
static void pack_weights(double *to, const score *a, size_t j)
{
    size_t width = a->outputs == 1 ? 1 : a->width, left = a->p.z.n - j;
    size_t lanes = left < FXI_LANES ? left : FXI_LANES;

    memset(to, 0, weights_size(a) * sizeof *to);
    for (size_t w = 0; w < lanes; w++)
        memcpy(to + w * width, a->W + (j + w) * a->outputs, a->outputs * sizeof *to);
}

static fx_status find_bad(const fxi_panels *p, const double *v, size_t i0, size_t n, size_t j,
                          size_t lanes)
{
    for (size_t i = 0; i < n; i++)
        for (size_t w = 0; w < lanes; w++)
            if (!isfinite(v[i * FXI_LANES + w]))
                return fxi_kernel_not_finite(p->kernel, v[i * FXI_LANES + w],
                                             fxi_row_subset_at(p->x, i0 + i), "vector",
                                             fxi_row_subset_at(p->z, j + w));
    return FX_OK;
}

/* Number of panels whose values are finished together: more if there are few rows. */
static size_t group_of(size_t rows) { return rows < FXI_PANEL_BATCH ? FXI_PANEL_BATCH / rows : 1; }

/* Kernel values of n rows with panels j, .., to s->out[panel][row][FXI_LANES]. */
static bool values(const fxi_panels *p, fxi_space *s, size_t i0, size_t n, size_t j, size_t end)
{
    double *out = s->out;

    if (n == 1
        && fxi_kernel_panel_eval_row(out, p, s, i0, j / FXI_LANES,
                                     (end - j + FXI_LANES - 1) / FXI_LANES)) {
        if (fxi_panel_stopped(s, (end - j) * (p->x.X->cols + 1)))
            return false;
        out += (end - j + FXI_LANES - 1) / FXI_LANES * FXI_LANES;
        j = end;
    }
    for (; j < end; j += FXI_LANES, out += n * FXI_LANES) {
        size_t left = p->z.n - j;
        if (!fxi_kernel_panel_pack(p, s, j, left < FXI_LANES ? left : FXI_LANES)
            || !fxi_kernel_panel_eval_begin(out, p, s, i0, n))
            return false;
    }
    fxi_kernel_finish(s->out, (size_t)(out - s->out), p->kernel, s->work.simd);
    return true;
}

/* Values v of a panel times its weights, added to the sums of the tile. */
static void add(const score *a, const fxi_simd *simd, double *sum, double *weight, double *v,
                size_t n, size_t j)
{
    const double *W = weight;
    size_t lanes = a->p.z.n - j;

    for (size_t i = 0; i < n && lanes < FXI_LANES; i++) /* no vector there */
        memset(v + i * FXI_LANES + lanes, 0, (FXI_LANES - lanes) * sizeof *v);
    if (a->ready)
        W = a->ready + j / FXI_LANES * weights_size(a);
    else
        pack_weights(weight, a, j);
    if (a->outputs == 1)
        simd->kernel_score_one(sum, v, W, n);
    else
        simd->kernel_score_many(sum, v, W, n, a->width);
}

/* Evaluates a tile against all panels and adds the values to its sums; or, if `sum` is NULL, checks
 * them one by one.  FX_ECANCELLED, without a detail, if the call must stop. */
static fx_status panels(const score *a, fxi_space *s, size_t i0, size_t n, double *sum,
                        double *weight)
{
    const fxi_panels *p = &a->p;
    size_t step = group_of(n) * FXI_LANES;
    fx_status st = FX_OK;

    for (size_t j0 = 0, end; j0 < p->z.n && !st; j0 = end) {
        end = p->z.n - j0 < step ? p->z.n : j0 + step;
        if (!values(p, s, i0, n, j0, end))
            return FX_ECANCELLED;
        for (size_t j = j0; j < end && !st; j += FXI_LANES) {
            double *v = s->out + (j - j0) * n;
            if (sum)
                add(a, s->work.simd, sum, weight, v, n, j);
            else
                st = find_bad(p, v, i0, n, j, end - j < FXI_LANES ? end - j : FXI_LANES);
        }
    }
    return st;
}

static void write_row(const score *a, size_t i, const double *sum)
{
    double *to = a->S + i * a->outputs;

    memcpy(to, sum, a->outputs * sizeof *to);
    for (size_t w = 1; a->outputs == 1 && w < FXI_LANES; w++)
        *to += sum[w];
}

/* Tile b, in the space of this thread. */
static fx_status score_tile(const score *a, size_t thread, size_t b, fxi_team *team)
{
    const fxi_panels *p = &a->p;
    fxi_space *s = &p->space[thread];
    size_t i0 = b * p->tile, n = p->x.n - i0 < p->tile ? p->x.n - i0 : p->tile;
    double *sum = a->sum + thread * p->tile * a->width, check = 0;
    double *weight = a->weight + thread * FXI_LANES * a->width;
    fx_status st = FX_ECANCELLED;

    s->work.team = team;
    memset(sum, 0, n * a->width * sizeof *sum);
    if (fxi_kernel_panel_eval_tile(p, s, i0, n))
        st = panels(a, s, i0, n, sum, weight);
    for (size_t i = 0; i < n * a->width && !st; i++)
        check += sum[i] * 0;            /* stays NaN if a value was not finite */
    if (check != 0)
        st = panels(a, s, i0, n, NULL, NULL);
    if (st)
        return st == FX_ECANCELLED ? FX_OK : st;        /* fxi_parallel reports a stop */
    for (size_t i = 0; i < n; i++)
        write_row(a, i0 + i, sum + i * a->width);
    return FX_OK;
}

static fx_status block(void *ctx, size_t b, fxi_team *team)
{
    return score_tile(ctx, (size_t)fxi_parallel_thread(team), b, team);
}

static size_t width_of(size_t outputs) { return outputs == 1 ? FXI_LANES : (outputs + 7) / 8 * 8; }

/* The rows of a tile; the number of tiles. */
static size_t cut(score *a)
{
    fxi_panels *p = &a->p;

    p->tile = fxi_kernel_panel_tile(p->x.X, TILE);
    if (p->x.n < p->tile)
        p->tile = p->x.n;
    if (p->tile > SUMS / a->width)      /* many outputs: poll for a stop more often */
        p->tile = SUMS / a->width ? SUMS / a->width : 1;
    return (p->x.n + p->tile - 1) / p->tile;
}

static fx_status make_space(score *a, size_t threads, fxi_scratch *scratch, const fx_run *run)
{
    size_t bytes, batch = a->p.tile + FXI_PANEL_BATCH - 1;

    if (!fxi_size_mul(&bytes, (a->p.tile + FXI_LANES) * threads * sizeof(double), a->width))
        bytes = SIZE_MAX;
    fx_status st = fxi_memory_check(run, bytes, "sums of kernel values");
    a->p.scratch = scratch;
    if (!st)
        st = fxi_kernel_panel_open(&a->p, (int)threads, batch / a->p.tile,
                                   "scratch for sums of kernel values", run);
    if (!st
        && (!(a->sum = fxi_scratch_take(scratch, threads * a->p.tile * a->width, sizeof *a->sum))
            || !(a->weight = fxi_scratch_take(scratch, threads * FXI_LANES * a->width,
                                              sizeof *a->weight))))
        st = FX_ENOMEM;
    return st;
}

static fx_status check_columns(const fx_matrix *X, const fx_matrix *Z)
{
    return X->cols == Z->cols ? FX_OK
                              : fxi_error(FX_ESHAPE, "rows of %zu columns beside vectors of %zu",
                                          X->cols, Z->cols);
}

fx_status fxi_kernel_score(double *S, const fx_kernel *k, fxi_row_subset x, fxi_row_subset z,
                           const double *W, size_t outputs, const fx_run *run)
{
    score a = {.S = S, .W = W, .outputs = outputs, .width = width_of(outputs),
               .p = {.kernel = k, .x = x, .z = z}};
    fxi_scratch scratch = {0};
    fx_status st;

    if (x.n == 0 || outputs == 0)
        return FX_OK;
    if (z.n == 0) {
        memset(S, 0, x.n * outputs * sizeof *S);
        return FX_OK;
    }
    if (fxi_kernel_is_precomputed(k))
        return fxi_kernel_precomputed_score(S, k, x, z, W, outputs, run);
    if ((st = check_columns(x.X, z.X)))
        return st;
    size_t blocks = cut(&a);
    fx_run how = fxi_parallel_run(run, (double)x.n * (double)z.n
                                           * (fxi_kernel_panel_work(k, x.X) + (double)outputs));
    st = make_space(&a, (size_t)fxi_parallel_threads(&how, blocks), &scratch, run);
    if (!st)
        st = fxi_parallel(blocks, block, &a, &how);
    fxi_scratch_free(&scratch);
    return st;
}

/* ---- Vectors that are packed once ------------------------------------------------------- */

struct fxi_kernel_scorer {
    score a;                            /* without rows */
};

/* Panels of sparse vectors can be many times the vectors. */
static size_t ready_limit(const fx_matrix *Z, const fx_run *run)
{
    size_t each = Z->type == FX_F32 ? 4 : 8, limit;

    if (Z->ptr)
        each += Z->wide ? 8 : 4;
    if (!fxi_size_mul(&limit, fxi_data_stored(Z), 4 * each) || limit < READY)
        limit = READY;
    uint64_t given = fxi_sized_run(run).max_memory;
    return given && given < limit ? (size_t)given : limit;
}

/* Panels and their weights, if they fit. */
static fx_status prepare(score *a, const fx_run *run)
{
    size_t n, bytes, limit = ready_limit(a->p.z.X, run);

    n = (a->p.z.n + FXI_LANES - 1) / FXI_LANES * weights_size(a);
    if (!fxi_size_mul(&bytes, n, sizeof *a->ready) || bytes > limit)
        return FX_OK;
    fx_status st = fxi_kernel_score_inverted_new(&a->inverted, a->p.kernel, a->p.z.X,
                                                 limit - bytes);
    if (!st && !a->inverted)
        st = fxi_kernel_panel_ready(&a->p, limit - bytes, run);
    if (st || !(a->inverted || a->p.ready))
        return st;
    if (!(a->ready = fxi_alloc(n, sizeof *a->ready)))
        return FX_ENOMEM;
    for (size_t j = 0; j < a->p.z.n; j += FXI_LANES)
        pack_weights(a->ready + j / FXI_LANES * weights_size(a), a, j);
    return FX_OK;
}

fx_status fxi_kernel_score_new(fxi_kernel_scorer **out, const fx_kernel *k, const fx_matrix *Z,
                               const double *W, size_t outputs, bool once, const fx_run *run)
{
    fxi_kernel_scorer *s = fxi_zalloc(1, sizeof *s);
    fx_status st = FX_OK;

    if (!s)
        return FX_ENOMEM;
    s->a = (score){.W = W,
                   .outputs = outputs,
                   .width = width_of(outputs),
                   .p = {.kernel = k, .z = {Z, NULL, Z->rows}}};
    if (!once && Z->rows)
        st = prepare(&s->a, run);
    if (st)
        fxi_kernel_score_free(s);
    else
        *out = s;
    return st;
}

void fxi_kernel_score_free(fxi_kernel_scorer *s)
{
    if (!s)
        return;
    fxi_kernel_panel_ready_free(&s->a.p);
    fxi_kernel_score_inverted_free(s->a.inverted);
    free(s->a.ready);
    free(s);
}

/* All rows by columns of the vectors; *done false: a row needs panels, perhaps only for an error
 * message with its numbers. */
static fx_status score_inverted(bool *done, const score *a, fxi_scratch *scratch, const fx_run *run,
                                fxi_team *team)
{
    const fxi_simd *simd = fxi_simd_get();
    size_t n = (a->p.z.n + FXI_LANES - 1) / FXI_LANES * FXI_LANES;
    fx_status st = fxi_memory_check(run, (n + a->width) * sizeof(double), "kernel values of a row");
    double *v, *sum;

    if (st)
        return st;
    if (!(v = fxi_scratch_take(scratch, n, sizeof *v))
        || !(sum = fxi_scratch_take(scratch, a->width, sizeof *sum)))
        return FX_ENOMEM;
    for (size_t i = 0; i < a->p.x.n && *done && !fxi_parallel_cancelled(team); i++) {
        double check = 0;
        *done = fxi_kernel_score_inverted_row(v, a->inverted, a->p.kernel,
                                              fxi_data_row(a->p.x.X, i), simd, team);
        memset(sum, 0, a->width * sizeof *sum);
        for (size_t j = 0; j < n && *done; j += FXI_LANES)
            add(a, simd, sum, NULL, v + j, 1, j);
        for (size_t w = 0; w < a->width; w++)
            check += sum[w] * 0;
        *done = *done && check == 0;
        if (*done)
            write_row(a, i, sum);
    }
    return FX_OK;
}

fx_status fxi_kernel_score_rows(double *S, const fxi_kernel_scorer *s, const fx_matrix *X,
                                fxi_scratch *scratch, const fx_run *run, fxi_team *team)
{
    score a = s->a;
    fx_status st = check_columns(X, a.p.z.X);

    a.S = S;
    a.p.x = (fxi_row_subset){X, NULL, X->rows};
    if (st || X->rows == 0)
        return st;
    if (a.p.z.n == 0) {
        memset(S, 0, X->rows * a.outputs * sizeof *S);
        return FX_OK;
    }
    bool done = a.inverted && X->ptr;
    if (done)
        st = score_inverted(&done, &a, scratch, run, team);
    if (st || done || fxi_parallel_cancelled(team))
        return st;
    size_t tiles = cut(&a);
    st = make_space(&a, 1, scratch, run);
    for (size_t b = 0; b < tiles && !st && !fxi_parallel_cancelled(team); b++)
        st = score_tile(&a, 0, b, team);
    return st;
}
