/* SPDX-License-Identifier: BSD-3-Clause
 * sparse_jl.c - sparse random projection [1], feature hashing [2] and hashed crosses.
 *
 * The D features are cut into s blocks of floor or ceil of D/s.  Each block has one bucket, and a
 * sign, for every column of the data: a non-zero x_j adds +-x_j / sqrt(s) to s features.  With s =
 * 1 this is the count sketch; without signs it is plain feature hashing, whose estimate
 *
 *   <x, y> + sum_{i != j} x_i y_j / (D/s)
 *
 * is biased (its variance is (1 - s/D) times that with signs).
 *
 * The columns may as well be those of the explicit expansion of a kernel: products of m distinct
 * features (anova), or of two, with repetition and weights sqrt(2), and a constant (poly of degree
 * 2).  They are enumerated row by row and hashed as they come: the expansion has C(d, m) columns,
 * of which a row costs C(nz, m) and nothing is stored.
 *
 * Hashing: the bits of column (j_1 .. j_m) in block i are draw j_m of the stream of i under a seed
 * that is itself hashed from j_1 .. j_{m-1}, and is the map's if m = 1.
 *
 * Cost: O(s C(nz, m) + D) a row, O(1) memory.  Accuracy: a feature that is a sum of k products errs
 * by at most (k + 1) u times the sum of their moduli, u = 2^-24.
 *
 * [1] D. Kane, J. Nelson. Sparser Johnson-Lindenstrauss transforms. J. ACM 61 (2014).
 * [2] K. Weinberger et al. Feature hashing for large scale multitask learning. ICML 2009. */

#include "map/bucket.h"
#include "map/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAF, CHAIN };                   /* uses of random numbers */
enum { POLL_EVERY = 1 << 16 };          /* buckets between polls for cancellation */

typedef struct state {
    size_t s, low, more;                /* blocks; of `low` buckets, the first `more` of one more */
    bool is_signed, repeat;             /* repeat: poly, a feature may come twice */
    int order;
    double gain, constant;              /* of features; the constant one, if poly has it */
    uint64_t stream[2];
} state;

typedef struct walk {                   /* the combinations of one row, or of two side by side */
    const fx_map *m;
    size_t n;
    double *x, *y;                      /* [n] */
    int64_t *col;                       /* [n] */
    float *z;                           /* the row's features, or */
    fxi_moments *sums;
    fxi_team *team;                     /* NULL: cannot be cancelled */
    size_t since;                       /* buckets since the last poll */
    bool stopped;
} walk;

typedef struct scratch {
    const fxi_tile *t;
    const double *x;
    walk w;
} scratch;

static size_t space(const fx_map *m, size_t entries)
{
    (void)m;
    return fxi_project_rounded(sizeof(scratch))
           + fxi_project_rounded((entries + 1) * sizeof(double))
           + fxi_project_rounded((entries + 1) * sizeof(int64_t));
}

static void prepare(void *base, const fx_map *m, const fxi_tile *t, const double *x)
{
    scratch *s = base;
    char *at = base;
    size_t max_entries = t->first[t->rows] + 1;  /* and the constant */

    fxi_project_carve(&at, sizeof *s);
    s->w.x = fxi_project_carve(&at, max_entries * sizeof *s->w.x);
    s->w.col = fxi_project_carve(&at, max_entries * sizeof *s->w.col);
    s->w.m = m;
    s->w.sums = NULL;
    s->w.team = t->team;
    s->w.since = 0;
    s->w.stopped = false;
    s->t = t;
    s->x = x;
}

/* Column (.., j) of value v, `seed` hashed from the features before j, to its s buckets. */
static void add(const walk *w, uint64_t seed, int64_t j, double v)
{
    const state *k = w->m->state;
    float *z = w->z, value = (float)v;

    for (size_t i = 0; i < k->s; i++) {
        size_t buckets = k->low + (i < k->more);
        uint64_t bits = fxi_rng_bits((fxi_rng){seed, k->stream[LEAF] + i}, (uint64_t)j);
        z[fxi_bucket_place(bits, buckets)] += k->is_signed ? fxi_bucket_signed(bits, value) : value;
        z += buckets;
    }
}

/* True if the call is cancelled; polls once per POLL_EVERY. */
static bool stopped(walk *w)
{
    const state *k = w->m->state;

    if (w->team && (w->since += k->s) > POLL_EVERY) {
        w->since = 0;
        w->stopped = fxi_parallel_cancelled(w->team);
    }
    return w->stopped;
}

/* All ways to choose `left` more features from entry `first` on; x, y: product so far. */
static void combine(walk *w, size_t first, int left, uint64_t seed, double x, double y)
{
    const state *k = w->m->state;

    for (size_t q = first; q + (k->repeat ? 1 : (size_t)left) <= w->n && !stopped(w); q++) {
        /* sqrt(2) for two different features, where both orders of them count */
        double weight = k->repeat && left == 1 && q > first ? sqrt(2) : 1;
        double v = x * w->x[q] * weight;
        if (left > 1)
            combine(w, k->repeat ? q : q + 1, left - 1,
                    fxi_rng_bits((fxi_rng){seed, k->stream[CHAIN]}, (uint64_t)w->col[q]), v,
                    w->sums ? y * w->y[q] : 0);
        else if (w->sums)
            fxi_map_variance_add(w->sums, v, y * w->y[q] * weight);
        else
            add(w, seed, w->col[q], v);
    }
}

static void begin(walk *w)
{
    const state *k = w->m->state;

    if (k->constant > 0) {
        if (w->sums)
            w->y[w->n] = k->constant;
        w->x[w->n] = k->constant;
        w->col[w->n++] = (int64_t)w->m->cols;
    }
    combine(w, 0, k->order, w->m->seed, w->sums ? 1 : 1 / sqrt((double)k->s), 1);
}

static void block(float *z, const fx_map *m, void *base, size_t b)
{
    const state *k = m->state;
    scratch *s = base;

    (void)b;
    for (size_t r = 0; r < s->t->rows; r++) {
        size_t first = s->t->first[r], n = s->t->first[r + 1] - first;
        s->w.n = 0;
        for (size_t q = 0; q < n; q++) {
            if (s->x[first + q] == 0)
                continue;
            s->w.x[s->w.n] = k->gain * s->x[first + q];
            s->w.col[s->w.n++] = s->t->col ? s->t->col[first + q] : (int64_t)q;
        }
        s->w.z = z + r * m->width;
        memset(s->w.z, 0, m->width * sizeof *z);
        begin(&s->w);
    }
}

static const fx_key keys[] = {
    {"s", "4", "theory", FX_KEY_COUNT, 1, INT32_MAX, 0,
     "hashed entries of each column; theory: as many as a theorem asks for"},
    {"signed", "yes", FXI_CHOICE("yes|no"), "no: plain feature hashing, which is biased"}, {0}};
static const char *const kernels[] = {"linear", "poly", "anova", NULL};

static fx_status read_s(state *k, fx_map *m, const fxi_spec *spec)
{
    const char *text;
    size_t len;
    uint64_t s;
    fx_status st = fxi_key_text(&text, &len, spec, keys, "s");

    if (st)
        return st;
    if (len == 6 && !memcmp(text, "theory", 6)) {
        double target = ceil(sqrt((double)m->random * log((double)m->cols)));
        s = target < 1 ? 1 : target > (double)m->random ? m->random : (uint64_t)target;
    } else if ((st = fxi_key_count(&s, spec, keys, "s")) != 0) {
        return st;
    }
    if (s > m->random)
        return fxi_error(FX_EINVAL, "sparse-jl: s=%llu blocks of %zu features",
                         (unsigned long long)s, m->random);
    k->s = (size_t)s;
    k->low = m->random / k->s;
    k->more = m->random % k->s;
    fxi_map_resolve(m, "s", "%zu", k->s);
    return FX_OK;
}

static fx_status init(fx_map *m, const fxi_spec *spec, const fx_matrix *sample, const fx_run *run)
{
    state *k = m->state = fxi_zalloc(1, sizeof *k);
    const fx_kernel *kernel = m->kernel;
    int plain = 0;
    fx_status st;

    (void)sample, (void)run;
    if (!k)
        return FX_ENOMEM;
    if (m->random == 0)
        return fxi_error(FX_EINVAL, "sparse-jl: there must be at least one feature");
    if ((st = fxi_key_choice(&plain, spec, keys, "signed")) != 0 || (st = read_s(k, m, spec)) != 0)
        return st;
    k->is_signed = !plain;
    k->order = kernel->type == &fxi_kernel_linear ? 1 : kernel->order;
    k->repeat = kernel->type == &fxi_kernel_poly;
    k->gain = k->repeat ? sqrt(kernel->gamma) : 1;
    k->constant = k->repeat ? sqrt(kernel->coef0) : 0;
    if (k->repeat && k->order != 2)
        return fxi_error(FX_EUNSUPPORTED, "sparse-jl serves poly of degree 2, not %d; ts does",
                         k->order);
    for (int use = LEAF; use <= CHAIN; use++)
        k->stream[use] = fxi_project_rng(&(fxi_project){.stream = m->stream}, use, 0).stream;
    m->width = (m->random + FXI_LANES - 1) / FXI_LANES * FXI_LANES;
    m->blocks = 1;
    m->lanes = false;
    m->rows = k->order > 1 ? 1 : FXI_LANES;     /* a row may take long */
    return FX_OK;
}

static fx_status variance(double *one, double *all, const fx_map *m, const fxi_pair *p)
{
    const state *k = m->state;
    double s = (double)k->s, low = (double)k->low, more = (double)k->more;
    fxi_moments sums = {0};
    walk w = {.m = m, .n = p->n, .sums = &sums, .team = p->team};
    fx_status st = FX_ENOMEM;

    w.x = fxi_alloc(p->n + 1, sizeof *w.x);
    w.y = fxi_alloc(p->n + 1, sizeof *w.y);
    w.col = fxi_alloc(p->n + 1, sizeof *w.col);
    if (w.x && w.y && w.col) {
        for (size_t q = 0; q < p->n; q++) {
            w.x[q] = k->gain * p->x[q];
            w.y[q] = k->gain * p->y[q];
            w.col[q] = p->col[q];
        }
        begin(&w);
        *all = fxi_map_variance_sparse(&sums, k->s, m->random);
        if (!k->is_signed)
            *all -= (sums.P + sums.Q) / (s * s)
                    * ((s - more) / (low * low) + more / ((low + 1) * (low + 1)));
        *one = *all * (double)m->random;
        st = FX_OK;
    }
    fxi_free(w.x, w.y, w.col);
    return st;
}

static void release(fx_map *m) { free(m->state); }

const fxi_map_type fxi_map_sparse_jl = {
    .name = "sparse-jl",
    .help = "sparse random projection by hashing; for anova and poly:degree=2, of hashed crosses",
    .keys = keys, .kernels = kernels, .init = init, .free = release, .space = space,
    .prepare = prepare, .block = block, .variance = variance};
