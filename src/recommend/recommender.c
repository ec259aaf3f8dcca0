/* SPDX-License-Identifier: BSD-3-Clause
 * recommender.c - items made ready: their vectors, and the same as floats in panels.
 *
 * Number 0 of an item's vector is 1 for all items: it decides nothing, and floats do without it.
 * Each other number is divided by the power of 2 above its largest |value|, by which a user's
 * number is multiplied (best.c): so no product of floats overflows, and their error is bounded
 * by one number. */

#include "recommend/recommend.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static void free_parts(fx_recommender *r)
{
    fxi_recommend_sides_free(&r->sides);
    fxi_free(r->V, r->zt, r->most);
}

/* Powers of 2 that no number of the items exceeds. */
static void find_most(fx_recommender *r)
{
    const size_t width = r->sides.width;

    for (size_t i = 0; i < r->items; i++)
        for (size_t k = 1; k < width; k++) {
            const double x = fabs(r->V[i * width + k]);
            if (x > r->most[k - 1])
                r->most[k - 1] = x;
        }
    for (size_t k = 0; k + 1 < width; k++) {
        int e = 0;
        frexp(r->most[k], &e);
        r->most[k] = r->most[k] > 0 ? ldexp(1, e < DBL_MAX_EXP ? e : DBL_MAX_EXP - 1) : 1;
    }
}

static fx_status pack_panel(void *ctx, size_t p, fxi_team *team)
{
    const fx_recommender *r = ctx;
    const size_t width = r->sides.width, w = width - 1;
    float *zt = r->zt + p * w * FXI_LANES;

    (void)team;
    for (size_t lane = 0; lane < FXI_LANES; lane++) {
        const size_t i = p * FXI_LANES + lane;
        for (size_t k = 0; k < w; k++)
            zt[k * FXI_LANES + lane] = i < r->items ? (float)(r->V[i * width + k + 1] / r->most[k])
                                                    : NAN;
    }
    return FX_OK;
}

static fx_status prepare(fx_recommender *r, size_t output, const fx_matrix *items,
                         const fx_run *run)
{
    size_t numbers, padded, bytes;
    fx_status st = fxi_recommend_vectors_check(r->m, items, run);

    if (st || (st = fxi_recommend_sides_new(&r->sides, r->m, output, run)))
        return st;
    const size_t width = r->sides.width;
    r->items = items->rows;
    r->panels = (items->rows + 2 * FXI_LANES - 1) / (2 * FXI_LANES) * 2;
    if (!fxi_size_mul(&numbers, items->rows, width)
        || !fxi_size_mul(&padded, r->panels * FXI_LANES, width - 1)
        || !fxi_size_mul(&bytes, numbers, 12))
        return fxi_error(FX_ESHAPE, "%zu items with vectors of %zu numbers are too many",
                         items->rows, width);
    if ((st = fxi_memory_check(run, bytes, "vectors of items")))
        return st;
    r->V = fxi_alloc(numbers, sizeof *r->V);
    r->zt = fxi_alloc(padded, sizeof *r->zt);
    r->most = fxi_zalloc(width - 1, sizeof *r->most);
    if (!r->V || !r->zt || !r->most)
        return FX_ENOMEM;
    if ((st = fxi_recommend_vectors(r->V, NULL, &r->sides, FX_SECOND, items, run)))
        return st;
    find_most(r);
    return fxi_parallel(r->panels, pack_panel, r, run);
}

fx_status fx_model_recommender_new(fx_recommender **out, const fx_model *m, size_t output,
                                   const fx_matrix *items, const fx_run *run)
{
    if (!out || !m || !items)
        return fxi_error(FX_EINVAL, "fx_model_recommender_new: %s is NULL",
                         !out ? "out"
                         : !m ? "m"
                              : "items");
    fx_recommender *r = fxi_zalloc(1, sizeof *r);
    if (!r)
        return FX_ENOMEM;
    r->m = m;
    r->simd = fxi_simd_get();
    fx_status st = prepare(r, output, items, run);
    if (st) {
        free_parts(r);
        free(r);
        return st;
    }
    fxi_model_share(m);
    *out = r;
    return FX_OK;
}

void fx_model_recommender_free(fx_recommender *r)
{
    if (!r)
        return;
    free_parts(r);
    fx_model_free((fx_model *)r->m);
    free(r);
}

/* ---- Asking ------------------------------------------------------------------------------ */

static fx_status check_seen(const size_t *from, const size_t *seen, size_t users)
{
    for (size_t i = 0; i < users && from; i++) {
        if (from[i] > from[i + 1])
            return fxi_error(FX_EINVAL, "from[%zu] = %zu, from[%zu] = %zu", i, from[i], i + 1,
                             from[i + 1]);
        for (size_t q = from[i] + 1; q < from[i + 1]; q++)
            if (seen[q - 1] >= seen[q])
                return fxi_error(FX_EINVAL, "seen items of user %zu are not ascending: %zu, %zu", i,
                                 seen[q - 1], seen[q]);
    }
    return FX_OK;
}

fx_status fx_model_recommender_best(size_t *item, double *score, uint64_t *unseen,
                                    const fx_recommender *r, const fx_matrix *users, size_t k,
                                    const size_t *from, const size_t *seen, const fx_run *run)
{
    if (!r || !users)
        return fxi_error(FX_EINVAL, r ? "no users are given" : "no recommender is given");
    fxi_recommend_question q = {.r = r, .users = users->rows, .k = k, .from = from, .seen = seen,
                                .item = item, .score = score};
    size_t numbers, bytes, all;
    fx_status st = fxi_recommend_vectors_check(r->m, users, run);
    if (st)
        return st;
    if (!k || !fxi_size_mul(&all, users->rows, k))
        return fxi_error(FX_EINVAL, "k = %zu items for each of %zu users", k, users->rows);
    if (users->rows && (!item || !score || (from && !seen)))
        return fxi_error(FX_EINVAL, "no place is given for the results, or no seen items");
    if ((st = check_seen(from, seen, users->rows)))
        return st;
    if (!fxi_size_mul(&numbers, users->rows, r->sides.width) || !fxi_size_mul(&bytes, numbers, 8))
        return fxi_error(FX_ESHAPE, "%zu users are too many", users->rows);
    if ((st = fxi_memory_check(run, bytes, "vectors of users")))
        return st;
    double *U = fxi_alloc(numbers, sizeof *U);
    if (!U)
        return FX_ENOMEM;
    q.U = U;
    uint64_t left_out = 0;
    st = fxi_recommend_vectors(U, &left_out, &r->sides, FX_FIRST, users, run);
    if (!st && !(st = fxi_recommend_best(&q, run)) && unseen)
        *unseen = left_out;
    free(U);
    return st;
}
