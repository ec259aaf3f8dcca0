/* SPDX-License-Identifier: BSD-3-Clause
 * best.c - the k best items for each user, exactly, by products in floats.
 *
 * Users are taken in blocks, items in chunks that stay in the cache while all users of the block
 * are multiplied with them.  A float product tells whether an item can be among the best: if it is
 * above a floor, the product in doubles decides, and a heap holds the best so far.  Hardly any item
 * passes: of n in random order about k log(n/k).
 *
 * The floor is safe.  A user's numbers are multiplied by the powers of 2 that the items' were
 * divided by, and all of them by one more, 2^s, so that sum_k |u_k| <= 1; items have |v_k| <= 1.
 * Then a float product, whose factors are rounded, too, is off by at most (w + 3) 2^-24 + w 2^-100
 * (w numbers, w < 2^20; the latter for tiny numbers), and the product in doubles by at most 2 w
 * 2^-53 (1 + |u_0|), u_0 being the number that all items share.
 *
 * Cost: O(users items w) operations on floats, a register of them at a time. */

#include "recommend/recommend.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum {
    BLOCK = 4 * FXI_RECOMMEND_USERS,    /* users of a block */
    CHUNK_BYTES = 1 << 17               /* of items; in a processor's own cache */
};

typedef struct answering {
    const fxi_recommend_question *q;
    size_t chunk;                       /* panels, an even number */
    fxi_scratch_pool *pool;
} answering;

typedef struct candidates {             /* of a user: a heap, the worst on top */
    size_t n;
    size_t *item;
    double *score;
} candidates;

typedef struct block {                  /* users first, first + 1, .. */
    const answering *a;
    size_t first, users;
    float *u;                           /* [tiles][w][FXI_RECOMMEND_USERS] */
    double *scale;                      /* [BLOCK] 2^s */
    float *floor;                       /* [BLOCK] */
    candidates best[BLOCK];
    uint32_t *hit;
    float *score;
} block;

/* ---- Heaps ------------------------------------------------------------------------------- */

static bool is_worse(const candidates *c, size_t a, size_t b)
{
    return c->score[a] < c->score[b] || (c->score[a] == c->score[b] && c->item[a] > c->item[b]);
}

static void swap(candidates *c, size_t a, size_t b)
{
    const size_t item = c->item[a];
    const double score = c->score[a];

    c->item[a] = c->item[b];
    c->score[a] = c->score[b];
    c->item[b] = item;
    c->score[b] = score;
}

static void sift_down(candidates *c, size_t at, size_t n)
{
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        child += child + 1 < n && is_worse(c, child + 1, child);
        if (!is_worse(c, child, at))
            return;
        swap(c, at, child);
    }
}

/* Items come in ascending order, so that of equal ones the first stays. */
static void offer(candidates *c, size_t k, size_t item, double score)
{
    if (c->n == k && !(score > c->score[0]))
        return;
    if (c->n == k) {
        c->item[0] = item;
        c->score[0] = score;
        sift_down(c, 0, k);
        return;
    }
    size_t at = c->n++;
    c->item[at] = item;
    c->score[at] = score;
    for (; at && is_worse(c, at, (at - 1) / 2); at = (at - 1) / 2)
        swap(c, at, (at - 1) / 2);
}

/* The best first; then what is not there. */
static void finish(candidates *c, size_t k)
{
    for (size_t n = c->n; n > 1; n--) {
        swap(c, 0, n - 1);
        sift_down(c, 0, n - 1);
    }
    for (size_t i = c->n; i < k; i++) {
        c->item[i] = SIZE_MAX;
        c->score[i] = NAN;
    }
}

/* ---- One user ---------------------------------------------------------------------------- */

static const double *vector_of(const block *b, size_t user)
{
    return b->a->q->U + (b->first + user) * b->a->q->r->sides.width;
}

/* Numbers 1, 2, .. as floats; an absent user is NaN, whose products are above nothing. */
static fx_status pack_user(block *b, size_t user)
{
    const fx_recommender *r = b->a->q->r;
    const size_t w = r->sides.width - 1;
    float *to = b->u + user / FXI_RECOMMEND_USERS * w * FXI_RECOMMEND_USERS
                + user % FXI_RECOMMEND_USERS;
    const double *x = user < b->users ? vector_of(b, user) : NULL;
    double sum = 0;
    int e = 0;

    for (size_t k = 0; k < w && x; k++)
        sum += fabs(x[k + 1] * r->most[k]);
    if (isinf(sum))
        return fxi_error(FX_ENUMERIC, "scores of user %zu (from 0) are not finite",
                         b->first + user);
    frexp(sum, &e);
    b->scale[user] = sum > 0 ? ldexp(1, -e < DBL_MAX_EXP ? -e : DBL_MAX_EXP - 1) : 1;
    b->floor[user] = -INFINITY;
    for (size_t k = 0; k < w; k++)
        to[k * FXI_RECOMMEND_USERS] = x ? (float)(x[k + 1] * r->most[k] * b->scale[user]) : NAN;
    return FX_OK;
}

static bool was_seen(const block *b, size_t user, size_t item)
{
    const fxi_recommend_question *q = b->a->q;

    if (!q->from)
        return false;
    size_t low = q->from[b->first + user], end = q->from[b->first + user + 1], high = end;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (q->seen[mid] < item)
            low = mid + 1;
        else
            high = mid;
    }
    return low < end && q->seen[low] == item;
}

/* What a float product must be above for the item to be among the best. */
static void raise_floor(block *b, size_t user)
{
    const fxi_recommend_question *q = b->a->q;
    const candidates *c = &b->best[user];
    const double w = (double)(q->r->sides.width - 1), shared = vector_of(b, user)[0];

    if (c->n < q->k)
        return;
    const double scale = b->scale[user], large = 1 + fabs(shared) * scale;
    const double least = (c->score[0] - shared) * scale - (w + 3) * 0x1p-24 - w * 0x1p-100
                         - (2 * w + 8) * 0x1p-53 * large;
    b->floor[user] = least > -FLT_MAX ? nextafterf((float)fmin(least, FLT_MAX), -INFINITY)
                                      : -INFINITY;
}

static fx_status take_hit(block *b, size_t user, size_t panel, const float *product)
{
    const fxi_recommend_question *q = b->a->q;
    const size_t width = q->r->sides.width;
    const double *x = vector_of(b, user);

    for (size_t lane = 0; lane < FXI_LANES; lane++) {
        const size_t item = panel * FXI_LANES + lane;
        const double *y = q->r->V + item * width;
        double score = 0;
        if (!(product[lane] > b->floor[user]) || was_seen(b, user, item))
            continue;
        for (size_t k = 0; k < width; k++)
            score += x[k] * y[k];
        if (!isfinite(score))
            return fxi_error(FX_ENUMERIC, "the score of user %zu and item %zu (both from 0) is %g",
                             b->first + user, item, score);
        offer(&b->best[user], q->k, item, score);
    }
    raise_floor(b, user);
    return FX_OK;
}

/* ---- Blocks ------------------------------------------------------------------------------ */

static fx_status take_chunk(block *b, size_t tile, size_t panel, size_t panels)
{
    const fx_recommender *r = b->a->q->r;
    const size_t w = r->sides.width - 1, first = tile * FXI_RECOMMEND_USERS;
    size_t hits = 0;
    fx_status st = FX_OK;

    r->simd->recommend_above(&hits, b->hit, b->score, b->u + tile * w * FXI_RECOMMEND_USERS,
                             r->zt + panel * w * FXI_LANES, b->floor + first, w, panels);
    for (size_t i = 0; i < hits && !st; i++)
        st = take_hit(b, first + b->hit[i] % FXI_RECOMMEND_USERS,
                      panel + b->hit[i] / FXI_RECOMMEND_USERS, b->score + i * FXI_LANES);
    return st;
}

static fx_status answer(block *b, fxi_team *team)
{
    const fxi_recommend_question *q = b->a->q;
    const size_t tiles = (b->users + FXI_RECOMMEND_USERS - 1) / FXI_RECOMMEND_USERS;
    fx_status st = FX_OK;

    for (size_t i = 0; i < b->users; i++)
        b->best[i] = (candidates){.item = q->item + (b->first + i) * q->k,
                                  .score = q->score + (b->first + i) * q->k};
    for (size_t i = 0; i < tiles * FXI_RECOMMEND_USERS && !st; i++)
        st = pack_user(b, i);
    for (size_t p = 0; p < q->r->panels && !st; p += b->a->chunk) {
        const size_t left = q->r->panels - p, panels = left < b->a->chunk ? left : b->a->chunk;
        if (fxi_parallel_cancelled(team))
            return FX_OK;               /* fxi_parallel reports it */
        for (size_t t = 0; t < tiles && !st; t++)
            st = take_chunk(b, t, p, panels);
    }
    for (size_t i = 0; i < b->users && !st && !fxi_parallel_cancelled(team); i++)
        finish(&b->best[i], q->k);
    return st;
}

static fx_status answer_block(void *ctx, size_t number, fxi_team *team)
{
    const answering *a = ctx;
    const size_t w = a->q->r->sides.width - 1, first = number * BLOCK;
    const size_t left = a->q->users - first, hits = a->chunk * FXI_RECOMMEND_USERS;
    fxi_scratch *scratch = fxi_scratch_enter(a->pool);
    block *b = scratch ? fxi_scratch_take(scratch, 1, sizeof *b) : NULL;
    fx_status st = FX_ENOMEM;

    if (b) {
        *b = (block){.a = a, .first = first, .users = left < BLOCK ? left : BLOCK};
        b->u = fxi_scratch_take(scratch, BLOCK * w, sizeof *b->u);
        b->scale = fxi_scratch_take(scratch, BLOCK, sizeof *b->scale);
        b->floor = fxi_scratch_take(scratch, BLOCK, sizeof *b->floor);
        b->hit = fxi_scratch_take(scratch, hits, sizeof *b->hit);
        b->score = fxi_scratch_take(scratch, hits * FXI_LANES, sizeof *b->score);
        if (b->u && b->scale && b->floor && b->hit && b->score)
            st = answer(b, team);
    }
    fxi_scratch_leave(scratch);
    return st;
}

fx_status fxi_recommend_best(const fxi_recommend_question *q, const fx_run *run)
{
    const size_t w = q->r->sides.width - 1, fits = CHUNK_BYTES / (w * FXI_LANES * sizeof(float));
    answering a = {.q = q, .chunk = fits < 2 ? 2 : fits / 2 * 2, .pool = fxi_scratch_pool_new()};

    if (!a.pool)
        return FX_ENOMEM;
    fx_status st = fxi_parallel((q->users + BLOCK - 1) / BLOCK, answer_block, &a, run);
    fxi_scratch_pool_free(a.pool);
    return st;
}
