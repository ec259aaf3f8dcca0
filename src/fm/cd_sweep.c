/* SPDX-License-Identifier: BSD-3-Clause
 * cd_sweep.c - visits of columns.
 *
 * A visit sums slopes over the rows of a column, then moves these rows by the step that follows.
 * Long columns are cut where blocks of rows are, and their parts go to the pool.  As parts with the
 * same number lie in the same rows, a part can be moved for one column and summed for the next
 * without waiting for the others: one run of the pool per column instead of two.  Sums of parts are
 * added in order, for any number of threads. */

#include "fm/cd.h"

#include <string.h>

enum { POLL = 1 << 16, HALVINGS = 60 };

/* ---- Denormal numbers --------------------------------------------------------------------- */
#if defined __x86_64__
enum { FLUSH = 0x8040 };                /* results and operands */
static unsigned get(void) { return __builtin_ia32_stmxcsr(); }
static void set(unsigned mode) { __builtin_ia32_ldmxcsr(mode); }
#elif defined __aarch64__
enum { FLUSH = 1 << 24 };
static unsigned get(void)
{
    uint64_t mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
    return (unsigned)mode;
}
static void set(unsigned mode) { __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)mode)); }
#else
enum { FLUSH = 0 };
static unsigned get(void) { return 0; }
static void set(unsigned mode) { (void)mode; }
#endif

unsigned fxi_fm_cd_sweep_flush(void)
{
    unsigned was = get();

    if ((was & FLUSH) != FLUSH)
        set(was | FLUSH);
    return was;
}

void fxi_fm_cd_sweep_restore(unsigned was) { set(was); }

/* ---- Rows --------------------------------------------------------------------------------- */

bool fxi_fm_cd_sweep_stopped(fxi_fm_descent *d, size_t entries)
{
    d->work += entries + 8;
    if (d->work >= POLL) {
        unsigned was = get();
        d->work = 0;
        set(was & ~(unsigned)FLUSH);    /* progress is the user's */
        if (fxi_parallel_cancelled(d->team))
            d->stop = true;
        set(was);
    }
    return atomic_load_explicit(&d->stop, memory_order_relaxed);
}

typedef struct walk {
    fxi_fm_descent *d;
    fxi_fm_cd_span *fn;
} walk;

static void walk_block(void *ctx, size_t b, int worker)
{
    walk *w = ctx;
    fxi_fm_descent *d = w->d;
    size_t first = b * d->R.step, last = first + d->R.step;

    last = last < d->R.rows ? last : d->R.rows;
    fxi_fm_cd_sweep_flush();
    for (size_t i = first; i < last; i += FXI_FM_CD_PIECE) {
        size_t end = last - i < FXI_FM_CD_PIECE ? last : i + FXI_FM_CD_PIECE;
        w->fn(d, b, i, end);
        if (worker ? atomic_load_explicit(&d->stop, memory_order_relaxed)
                   : fxi_fm_cd_sweep_stopped(d, d->R.ptr[end] - d->R.ptr[i]))
            return;
    }
}

void fxi_fm_cd_sweep_rows(fxi_fm_descent *d, fxi_fm_cd_span *fn)
{
    walk w = {d, fn};

    fxi_threadpool_run(d->pool, d->R.blocks, walk_block, &w);
}

/* ---- Columns ------------------------------------------------------------------------------ */

static fxi_fm_cd_column part_of(const fxi_fm_descent *d, const fxi_fm_cd_column *c, size_t b,
                                bool own)
{
    const size_t *at = d->R.at + (size_t)d->R.cut[c->j] * (d->R.blocks + 1) + b;
    size_t skip = at[0] - d->R.top[c->j];

    return (fxi_fm_cd_column){c->j,
                              at[1] - at[0],
                              c->row + skip,
                              c->x ? c->x + skip : NULL,
                              d->bad + b * (d->R.step / FXI_FM_CD_PIECE + 1),
                              own};
}

typedef struct visit {
    fxi_fm_descent *d;
    const fxi_fm_cd_column *sums, *rise; /* or NULL */
    double step;                        /* of rise */
} visit;

static void visit_part(void *ctx, size_t b, int worker)
{
    visit *v = ctx;
    fxi_fm_descent *d = v->d;
    fxi_fm_cd_part *part = &d->part[b];

    if (worker)
        fxi_fm_cd_sweep_flush();
    if (d->is_pending) {
        fxi_fm_cd_column c = part_of(d, &d->pending.c, b, !worker);
        d->model->move(d, &c, d->pending.p, d->pending.to);
    }
    if (v->sums) {
        fxi_fm_cd_column c = part_of(d, v->sums, b, !worker);
        d->model->sums(part->sum, d, &c);
    }
    if (v->rise) {
        fxi_fm_cd_column c = part_of(d, v->rise, b, !worker);
        part->rise = d->model->rise(d, &c, v->step);
    }
}

void fxi_fm_cd_sweep_finish(fxi_fm_descent *d)
{
    visit v = {.d = d};

    if (d->is_pending)
        fxi_threadpool_run(d->pool, d->R.blocks, visit_part, &v);
    d->is_pending = false;
}

static void sum_column(double *sum, fxi_fm_descent *d, const fxi_fm_cd_column *c)
{
    visit v = {.d = d, .sums = c};

    if (d->R.cut[c->j] < 0) {
        fxi_fm_cd_sweep_finish(d);
        d->model->sums(sum, d, c);
        return;
    }
    fxi_threadpool_run(d->pool, d->R.blocks, visit_part, &v);
    d->is_pending = false;
    memcpy(sum, d->part[0].sum, sizeof d->part[0].sum);
    for (size_t b = 1; b < d->R.blocks; b++)
        for (int k = 0; k < FXI_FM_CD_SUMS; k++)
            sum[k] += d->part[b].sum[k];
}

static double rise_of(fxi_fm_descent *d, const fxi_fm_cd_column *c, double step)
{
    visit v = {.d = d, .rise = c, .step = step};
    double sum = 0;

    if (d->R.cut[c->j] < 0)
        return d->model->rise(d, c, step);
    fxi_threadpool_run(d->pool, d->R.blocks, visit_part, &v);
    for (size_t b = 0; b < d->R.blocks; b++)
        sum += d->part[b].rise;
    return sum;
}

/* Half of it until the objective does not rise. */
static double shorten(fxi_fm_descent *d, const fxi_fm_cd_column *c, double p, double step,
                      double beta)
{
    for (int k = 0; k < HALVINGS && step != 0; k++, step /= 2)
        if (rise_of(d, c, step) / d->W + beta * step * (p + step / 2) <= 0)
            return step;
    return 0;
}

void fxi_fm_cd_sweep_column(fxi_fm_descent *d, size_t j)
{
    const fxi_fm_cd_rows *R = &d->R;
    size_t at = R->top[j], size = d->model->lanes * sizeof(double);
    fxi_fm_cd_column c = {j, R->top[j + 1] - at, R->row + at, R->cx ? R->cx + at : NULL, d->bad,
                          true};
    _Alignas(64) double sum[FXI_FM_CD_SUMS], to[FXI_FM_CD_LANES], was[FXI_FM_CD_LANES];
    double *p = fxi_fm_cd_factor(d, j);

    sum_column(sum, d, &c);
    if (d->stop)
        return;
    d->model->step(to, d, &c, sum);
    if (d->model->lanes == 1) {
        if (d->model->rise)
            *to = *p + shorten(d, &c, *p, *to - *p, fxi_fm_cd_beta(d, j));
        *to = !isfinite(*to) ? *p : fabs(*to) < FXI_FM_TINY ? 0 : *to;
    }
    if (!memcmp(to, p, size))
        return;
    memcpy(was, p, size);
    memcpy(p, to, size);
    if (R->cut[j] < 0)
        d->model->move(d, &c, was, to);
    else {
        d->pending.c = c;
        memcpy(d->pending.p, was, size);
        memcpy(d->pending.to, to, size);
        d->is_pending = true;
    }
}
