/* SPDX-License-Identifier: BSD-3-Clause
 * hadamard.c - projections of blocks of a Hadamard matrix: O(log p) additions an output.
 *
 * H is the Sylvester-Hadamard matrix of order p, H[r][c] = (-1)^popcount(r & c).  The outputs come
 * in units of p rows, each with its own random numbers; a last unit that is cut takes a random
 * subset of its rows.
 *
 *   signs     H diag(sigma), feature j in column c(j), random and drawn again for every unit:
 *             columns apart (p >= cols), or with `mixed` apart and not column 0 (p > cols), which
 *             never changes sign.  Each row is uniform on {-1,+1}^cols.
 *   folded    if cols/2 > like: p >= like only, columns drawn with replacement.  Column and signs
 *             of a feature are bits of one draw, nothing is stored for features, and a row costs
 *             its entries and one transform (rows <= like <= p: there is one unit only).
 *   times     signs of part 0 times signs of part 1: H cancels, all rows of a unit are equal to
 *             sigma0 o sigma1, and the transform becomes a sum.
 *   gaussian  scale/sqrt(p) H diag(g) Pi H diag(sigma), Pi a random permutation, g normal.  Given
 *             Pi and sigma, a row is normal with covariance scale^2/p sigma H Pi' Pi H sigma
 *             = scale^2 I: exactly as an independent one [1], where H D1 H D2 H D3 is biased.
 *
 * The numbers of up to 16 data rows are side by side, and hadamard_hot.c transforms them together;
 * a single row is stored alone.
 *
 * Accuracy, u = 2^-24: signs (log2 p + 1) u sum |x|, folded one u more for each further entry that
 * shares a column, times (p/64 + 20) u sum |x| and the same, gaussian
 * (2 log2 p + 4) u sum |x| sum_c |g_c| scale/sqrt(p).
 *
 * [1] Q. Le, T. Sarlos, A. Smola. Fastfood: approximating kernel expansions in loglinear time.
 *     ICML 2013 (with one more diagonal, which is left out). */

#include "project/project.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLACE, SIGNS, ROWS = SIGNS + 2, GAINS }; /* uses of random numbers; SIGNS of part 0 and 1 */
/* The smallest order: small blocks increase the variance, by a factor p/(p - 3). */
enum { MIN_ORDER = 64, MAX_LOG = 24 };  /* of log2 p */
enum { CHUNK = 1 << 16 };               /* numbers drawn between two polls */

typedef struct state {
    size_t p, units;                    /* order of H; how many of them */
    bool folded, times;
    int32_t *place;                     /* [units][p] feature | sign; cols: none; not if folded */
    int32_t *column;                    /* [units][cols] where a feature is; not if folded */
    int32_t *shuffle;                   /* [units][p] gaussian: Pi */
    float *gain;                        /* [units][p] gaussian: scale/sqrt(p) g */
    size_t *row;                        /* [rows % p] of the last unit, if it is cut */
} state;

typedef struct scratch {
    size_t lanes;
    _Alignas(64) float x[];             /* [cols + 1][lanes], folded [p][lanes]; gaussian: then
                                         * [p][lanes] between the transforms */
} scratch;

static size_t power(size_t n)           /* of two, >= n and >= MIN_ORDER */
{
    size_t p = MIN_ORDER;

    while (p < n && p >> MAX_LOG == 0)
        p *= 2;
    return p;
}

static size_t unit_rows(const fxi_project *p, size_t unit)
{
    const state *s = p->state;
    size_t left = p->rows - unit * s->p;

    return left < s->p ? left : s->p;
}

/* Column of feature j in a folded unit; *sign = 1: its sign is minus. */
static size_t folded_column(const fxi_project *p, int64_t j, int *sign)
{
    const state *s = p->state;
    uint64_t bits = fxi_rng_bits(fxi_project_rng(p, PLACE, 0), (uint64_t)j);
    uint64_t low = bits & (((uint64_t)1 << 40) - 1);

    *sign = (int)((s->times ? bits >> 63 ^ bits >> 62 : bits >> (63 - p->part)) & 1);
    return (size_t)(p->mixed + (low * (s->p - p->mixed) >> 40));
}

typedef struct drawing {
    const fxi_project *p;
    size_t *columns;                    /* [p] */
} drawing;

static fx_status draw_unit(void *ctx, size_t unit, fxi_team *team)
{
    const fxi_project *p = ((drawing *)ctx)->p;
    const state *s = p->state;
    size_t *columns = ((drawing *)ctx)->columns;
    fxi_rng places = fxi_project_rng(p, PLACE, unit), gains = fxi_project_rng(p, GAINS, unit);
    fxi_rng signs = fxi_project_rng(p, SIGNS + p->part, unit);
    int32_t *place = s->place + unit * s->p;
    size_t reserved = p->law == FXI_LAW_SIGN && p->mixed, n = s->p - reserved;

    for (size_t c = 0; c < n && !fxi_parallel_cancelled(team); c += CHUNK)
        fxi_rng_permute(columns, c, n - c < CHUNK ? n : c + CHUNK, places);
    for (size_t c = 0; c < s->p; c++)
        place[c] = (int32_t)p->cols;
    for (size_t j = 0; j < p->cols; j++) {
        size_t c = p->law == FXI_LAW_SIGN ? columns[j] + reserved : j;
        if (j % CHUNK == 0 && fxi_parallel_cancelled(team))
            return FX_OK;               /* fxi_parallel reports it */
        place[c] = (int32_t)j | (fxi_rng_sign(signs, j) < 0 ? INT32_MIN : 0);
        s->column[unit * p->cols + j] = (int32_t)c;
    }
    for (size_t c = 0; p->law == FXI_LAW_GAUSSIAN && c < s->p; c++) {
        if (c % CHUNK == 0 && fxi_parallel_cancelled(team))
            return FX_OK;
        s->shuffle[unit * s->p + c] = (int32_t)columns[c];
        s->gain[unit * s->p + c] = (float)(p->scale / sqrt((double)s->p)
                                           * fxi_rng_normal(gains, c));
    }
    return FX_OK;
}

static fx_status init(fxi_project *p, const fx_run *run)
{
    static const char *const names[] = {"sign", "gaussian", "uniform", "laplace", "cauchy"};
    bool gaussian = p->law == FXI_LAW_GAUSSIAN;
    size_t reserved = !gaussian && p->mixed, need, all, bytes, cut, *columns;
    fx_status st;
    state *s;

    if (p->law != FXI_LAW_SIGN && !gaussian)
        return fxi_error(FX_EUNSUPPORTED,
                         "hadamard projections have entries of law sign or gaussian, not %s",
                         names[p->law]);
    if (!(p->state = s = fxi_zalloc(1, sizeof *s)))
        return FX_ENOMEM;
    s->folded = !gaussian && p->cols / 2 > p->like;
    need = s->folded ? p->like : p->cols + reserved;
    if ((s->p = power(need)) < need)
        return fxi_error(FX_EUNSUPPORTED,
                         "hadamard: %zu columns and %zu rows need an order above 2^%d", p->cols,
                         p->like, MAX_LOG);
    s->units = p->rows / s->p + (p->rows % s->p > 0);
    cut = p->rows % s->p;
    p->width = s->p < MIN_ORDER ? MIN_ORDER : s->p;
    p->blocks = p->rows / p->width + (p->rows % p->width > 0);
    p->lanes = true;
    p->unit = s->p;
    p->folded = s->folded;
    all = s->units * s->p;              /* < rows + 2^MAX_LOG */
    p->space = sizeof(scratch) + (s->folded ? s->p : p->cols + 4) * FXI_LANES * sizeof(float)
               + (gaussian ? s->p * FXI_LANES * sizeof(float) : 0);
    if (!fxi_size_mul(&bytes, s->folded ? 0 : all, gaussian ? 16 : 8)   /* cols <= p */
        || !fxi_size_add(&bytes, bytes, (s->p + cut) * sizeof *columns))
        return fxi_error(FX_ELIMIT, "hadamard: %zu outputs are too many", p->rows);
    if ((st = fxi_memory_check(run, bytes, "a hadamard projection")) != 0)
        return st;
    p->bytes = sizeof *s + bytes - s->p * sizeof *columns;
    if (cut && !(s->row = fxi_alloc(cut, sizeof *s->row)))
        return FX_ENOMEM;
    fxi_rng of_rows = fxi_project_rng(p, ROWS, s->units - 1);
    if (cut && (st = fxi_rng_sample(s->row, cut, s->p, of_rows, run)))
        return st;
    if (s->folded)
        return FX_OK;
    if (!(s->place = fxi_alloc(all, sizeof *s->place))
        || !(s->column = fxi_alloc(s->units * p->cols, sizeof *s->column))
        || (gaussian
            && (!(s->shuffle = fxi_alloc(all, sizeof *s->shuffle))
                || !(s->gain = fxi_alloc(all, sizeof *s->gain))))
        || !(columns = fxi_alloc(s->p, sizeof *columns)))
        return FX_ENOMEM;
    st = fxi_parallel_ordered(s->units, draw_unit, &(drawing){p, columns}, run);
    free(columns);
    return st;
}

static void end(fxi_project *p)
{
    state *s = p->state;

    if (s) {
        fxi_free(s->place, s->column, s->shuffle, s->gain, s->row);
    }
    free(s);
}

/* Folded: entries are added up in their columns. */
static void fold(float *y, const fxi_project *p, const fxi_tile *t, const float *x)
{
    const state *s = p->state;
    float scale[2] = {(float)p->scale, -(float)p->scale};
    size_t lanes = fxi_tile_lanes(t);
    int sign;

    memset(y, 0, s->p * lanes * sizeof *y);
    if (t->col)
        for (size_t r = 0; r < t->rows; r++)
            for (size_t k = t->first[r]; k < t->first[r + 1]; k++) {
                size_t c = folded_column(p, t->col[k], &sign);
                y[c * lanes + r] += scale[sign] * x[k];
            }
    else
        for (size_t j = 0; j < t->cols; j++) {
            size_t c = folded_column(p, (int64_t)j, &sign);
            if (j % CHUNK == 0 && fxi_tile_stopped(t))
                return;
            for (size_t r = 0; r < t->rows; r++)
                y[c * lanes + r] += scale[sign] * x[t->first[r] + j];
        }
}

static void prepare(void *space, const fxi_project *p, const fxi_tile *t, const float *x)
{
    const state *s = p->state;
    scratch *own = space;
    float *xt = own->x, scale = p->law == FXI_LAW_SIGN ? (float)p->scale : 1;
    size_t lanes = own->lanes = fxi_tile_lanes(t);

    if (s->folded) {
        fold(xt, p, t, x);
    } else if (t->col || lanes == 1) {
        memset(xt, 0, (p->cols + 1) * lanes * sizeof *xt);
        for (size_t r = 0; r < t->rows; r++)
            for (size_t k = t->first[r]; k < t->first[r + 1]; k++)
                xt[(t->col ? (size_t)t->col[k] : k - t->first[r]) * lanes + r] = scale * x[k];
    } else {
        p->simd->project_hadamard_pack(xt, x + t->first[0], t->rows, p->cols, scale);
        memset(xt + p->cols * FXI_LANES, 0, FXI_LANES * sizeof *xt);
    }
}

static void apply(float *z, const fxi_project *p, void *space, size_t unit)
{
    const state *s = p->state;
    size_t rows = unit_rows(p, unit);
    const int32_t *place = s->place ? s->place + unit * s->p : NULL;
    scratch *own = space;
    float *xt = own->x, *y = xt + (p->cols + 1) * FXI_LANES;
    size_t lanes = own->lanes;

    if (s->times) {
        p->simd->project_hadamard_sum(z, xt, place, s->p, lanes);
        for (size_t r = 1; r < s->p; r++)
            memcpy(z + r * lanes, z, lanes * sizeof *z);
        return;
    }
    if (s->gain) {
        p->simd->project_hadamard(y, xt, place, NULL, s->p, lanes);
        p->simd->project_hadamard(z, y, s->shuffle + unit * s->p, s->gain + unit * s->p, s->p,
                                  lanes);
    } else {
        p->simd->project_hadamard(z, xt, place, NULL, s->p, lanes);
    }
    if (rows < s->p)                    /* s->row[r] >= r: what is read has not been overwritten */
        for (size_t r = 0; r < rows; r++)
            memmove(z + r * lanes, z + s->row[r] * lanes, lanes * sizeof *z);
}

static double character(size_t r, size_t c) { return __builtin_parityll(r & c) ? -1 : 1; }

/* Row r, column c of a unit before the signs of columns. */
static double entry(const state *s, size_t unit, size_t r, size_t c)
{
    double sum = 0;

    if (s->times)
        return 1;
    if (!s->gain)
        return character(r, c);
    for (size_t k = unit * s->p, i = 0; i < s->p; i++)
        sum += character(r, i) * (double)s->gain[k + i] * character((size_t)s->shuffle[k + i], c);
    return sum;
}

static void entries(double *w, const fxi_project *p, size_t first, int64_t j)
{
    const state *s = p->state;
    size_t unit = first / s->p, offset = first % s->p, rows = unit_rows(p, unit), c;
    double scale = p->law == FXI_LAW_SIGN ? (double)(float)p->scale : 1;
    int sign;

    if (s->folded) {
        c = folded_column(p, j, &sign);
    } else {
        c = (size_t)s->column[unit * p->cols + (size_t)j];
        sign = s->place[unit * s->p + c] < 0;
    }
    for (size_t i = 0; i < FXI_LANES; i++) {
        size_t r = offset + i;
        bool within = r < rows;
        if (within && rows < s->p && s->row)
            r = s->row[r];
        w[i] = within ? (sign ? -scale : scale) * entry(s, unit, r, c) : 0;
    }
}

static fx_status times(fxi_project *out, const fxi_project *a, const fxi_project *b,
                       const fx_run *run)
{
    const state *sa = a->state, *sb = b->state;
    size_t all = sa->units * sa->p;
    fx_status st;
    state *s;

    if (a->law != FXI_LAW_SIGN)
        return fxi_error(FX_EUNSUPPORTED, "only projections of signs have a product");
    if (!(out->state = s = fxi_zalloc(1, sizeof *s)))
        return FX_ENOMEM;
    s->p = sa->p;
    s->units = sa->units;
    s->folded = sa->folded;
    s->times = true;
    out->scale = a->scale * b->scale;
    out->bytes = sizeof *s + (s->folded ? 0 : all * sizeof *s->place);
    if (s->folded)
        return FX_OK;
    if ((st = fxi_memory_check(run, 2 * all * sizeof *s->place, "a hadamard projection")) != 0)
        return st;
    if (!(s->place = fxi_alloc(all, sizeof *s->place))
        || !(s->column = fxi_alloc(s->units * a->cols, sizeof *s->column)))
        return FX_ENOMEM;
    memcpy(s->column, sa->column, s->units * a->cols * sizeof *s->column);
    for (size_t c = 0; c < all; c++)    /* the same features; signs multiply */
        s->place[c] = sa->place[c] ^ (sb->place[c] & INT32_MIN);
    return FX_OK;
}

const fxi_project_type fxi_project_hadamard = {
    "hadamard", init, end, prepare, apply, entries, times
};
