/* SPDX-License-Identifier: BSD-3-Clause
 * packed.c - a matrix of independent signs, kept as bits: the plain projection of maps for
 * products, made faster than a matrix product in floats.
 *
 *   W[s][j] = +1 if bit s % 64 of draw (s / 64) cols + j is set, else -1
 *
 * Features are taken in groups of b = 3 or 4 (the instruction set's choice).  A row has 2^b
 * partial sums of +-x_j over a group, made once a tile; an output looks up one for each group:
 * an addition for b features and no multiplication.  With `products` the tables hold
 * prod (1 +- x_j) and an output multiplies them.
 *
 *   bits     [block][word][width]: a word holds the bits of 32/b groups of one output
 *   tables   rows of a tile with most groups filled go in batches of R = 8, 4, 2, 1 that share
 *            the look-up of bits: [batch][group][R][2^b];
 *            others have a list of the groups that they touch: [group of the list][2^b]
 *
 * Cost: D d/8 bytes for W; 2^b d floats of tables a row; D d/b additions a dense row, D times the
 * number of touched groups a sparse row.
 * Accuracy (u = 2^-24, g groups touched): sums have error at most (g + b) u sum |x_j|, products of
 * n factors at most 2 n u times the product, barring overflow and underflow. */

#include "project/project.h"

#include <stdlib.h>
#include <string.h>

enum { UNIT = 64, WIDTH_MAX = 256 };    /* outputs of one draw; of a block */

typedef struct packed {
    size_t features, groups, words;     /* features of a group; words of an output */
    uint32_t *bits;
} packed;

typedef struct packed_tile {            /* what space holds */
    const fxi_tile *t;
    size_t dense;
    size_t row[FXI_LANES];              /* the dense ones first */
    size_t touched[FXI_LANES];          /* of a sparse row: groups */
    float *tables, *x;                  /* x: [cols], a row written out */
    size_t *at;                         /* [FXI_LANES][groups]: 32 * word + shift */
} packed_tile;

static size_t per_word(const packed *s) { return 32 / s->features; }

static uint32_t *word_of(const fxi_project *p, size_t block, size_t j)
{
    const packed *s = p->state;

    return s->bits + (block * s->words + j / s->features / per_word(s)) * p->width;
}

static int shift_of(const packed *s, size_t j)
{
    return (int)(j / s->features % per_word(s) * s->features + j % s->features);
}

static fx_status draw(void *ctx, size_t block, fxi_team *team)
{
    const fxi_project *p = ctx;
    fxi_rng r = fxi_project_rng(p, p->part, 0);

    for (size_t j = 0; j < p->cols; j++) {
        uint32_t *word = word_of(p, block, j);
        int shift = shift_of(p->state, j);
        if (shift == 0)
            memset(word, 0, p->width * sizeof *word);
        for (size_t s = 0; s < p->width; s += UNIT, word += UNIT) {
            uint64_t signs = fxi_rng_bits(r, (block * p->width + s) / UNIT * p->cols + j);
            for (int i = 0; i < UNIT; i++)
                word[i] |= (uint32_t)(signs >> i & 1) << shift;
        }
        if (j % 4096 == 0 && fxi_parallel_cancelled(team))
            return FX_ECANCELLED;
    }
    return FX_OK;
}

/* Blocks of at most WIDTH_MAX outputs, about equal, and the memory that everything needs. */
static fx_status measure(fxi_project *p, packed *s)
{
    size_t like = p->like ? p->like : 1, tables, at, x;
    size_t min_blocks = (like + WIDTH_MAX - 1) / WIDTH_MAX;
    int features;

    p->simd->project_packed_shape(&features);
    s->features = (size_t)features;
    s->groups = p->cols / s->features + (p->cols % s->features != 0);
    s->words = s->groups / per_word(s) + (s->groups % per_word(s) != 0);
    p->lanes = false;
    p->width = (like + min_blocks * UNIT - 1) / (min_blocks * UNIT) * UNIT;
    p->blocks = (p->rows + p->width - 1) / p->width;
    if (!fxi_size_mul(&p->bytes, p->blocks * p->width * sizeof *s->bits, s->words)
        || !fxi_size_mul(&tables, s->groups, FXI_LANES * sizeof(float) << s->features)
        || !fxi_size_mul(&at, s->groups, FXI_LANES * sizeof(size_t))
        || !fxi_size_mul(&x, p->cols, sizeof(float)) || !fxi_size_add(&p->space, tables, at)
        || !fxi_size_add(&p->space, p->space, x)
        || !fxi_size_add(&p->space, p->space, sizeof(packed_tile) + 4 * 64))
        return fxi_error(FX_ELIMIT, "a packed projection of %zu x %zu signs is too large", p->rows,
                         p->cols);
    return FX_OK;
}

static fx_status packed_init(fxi_project *p, const fx_run *run)
{
    packed *s;
    fx_status st;

    if (p->law != FXI_LAW_SIGN)
        return fxi_error(FX_EUNSUPPORTED, "a packed projection has signs as entries");
    if (!(s = p->state = fxi_zalloc(1, sizeof *s)))
        return FX_ENOMEM;
    if ((st = measure(p, s)) != 0
        || (st = fxi_memory_check(run, p->bytes, "a packed projection")) != 0)
        return st;
    if (!(s->bits = fxi_alloc(p->bytes, 1)))
        return FX_ENOMEM;
    return fxi_parallel(p->blocks, draw, p, run);
}

static void packed_free(fxi_project *p)
{
    packed *s = p->state;

    if (s)
        free(s->bits);
    free(s);
}

static size_t batch(size_t left) { return left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1; }

/* Looking up bits for one row alone costs about twice the addition, so a row is dense when more
 * than about half of its groups are touched: density 1/6. */
static bool is_dense(const fxi_tile *t, size_t r)
{
    return !t->col || t->first[r + 1] - t->first[r] > t->cols / 6;
}

static const float *written_out(float *out, const fxi_tile *t, const float *x, size_t r)
{
    if (!t->col)
        return x + t->first[r];
    memset(out, 0, t->cols * sizeof *out);
    for (size_t k = t->first[r]; k < t->first[r + 1]; k++)
        out[t->col[k]] = x[k];
    return out;
}

static void packed_prepare(void *space, const fxi_project *p, const fxi_tile *t, const float *x)
{
    const packed *s = p->state;
    const size_t entries = (size_t)1 << s->features;
    char *rest = space;
    packed_tile *tile = fxi_project_carve(&rest, sizeof *tile);
    size_t sparse = t->rows;

    tile->tables = fxi_project_carve(&rest, FXI_LANES * s->groups * entries * sizeof(float));
    tile->at = fxi_project_carve(&rest, FXI_LANES * s->groups * sizeof *tile->at);
    tile->x = fxi_project_carve(&rest, p->cols * sizeof(float));
    tile->t = t;
    tile->dense = 0;
    for (size_t r = 0; r < t->rows; r++)
        if (is_dense(t, r))
            tile->row[tile->dense++] = r;
        else
            tile->row[--sparse] = r;
    for (size_t i = 0, R; i < tile->dense; i += R) {
        R = batch(tile->dense - i);
        for (size_t r = 0; r < R && !fxi_tile_stopped_long(t, p->cols); r++)
            p->simd->project_packed_fill(tile->tables + (i * s->groups + r) * entries, R * entries,
                                         written_out(tile->x, t, x, tile->row[i + r]), p->cols,
                                         p->products);
    }
    for (size_t i = tile->dense; i < t->rows; i++) {
        size_t first = t->first[tile->row[i]], end = t->first[tile->row[i] + 1];
        p->simd->project_packed_fill_sparse(tile->tables + i * s->groups * entries,
                                            tile->at + i * s->groups, &tile->touched[i], x + first,
                                            t->col + first, end - first, p->products);
    }
}

static void packed_apply(float *z, const fxi_project *p, void *space, size_t block)
{
    const packed *s = p->state;
    const packed_tile *tile = space;
    const size_t row_tables = s->groups << s->features;
    const uint32_t *bits = s->bits + block * s->words * p->width;

    for (size_t i = 0, R; i < tile->dense; i += R) {
        float *to[8];
        R = batch(tile->dense - i);
        if (fxi_tile_stopped_long(tile->t, p->cols))
            return;
        for (size_t r = 0; r < R; r++)
            to[r] = z + tile->row[i + r] * p->width;
        p->simd->project_packed_dense(to, p->width, bits, tile->tables + i * row_tables, s->groups,
                                      (int)R, p->products);
    }
    for (size_t i = tile->dense; i < tile->t->rows; i++)
        p->simd->project_packed_sparse(z + tile->row[i] * p->width, p->width, bits,
                                       tile->tables + i * row_tables, tile->at + i * s->groups,
                                       tile->touched[i], p->products);
}

static void packed_entries(double *w, const fxi_project *p, size_t s, int64_t j)
{
    const uint32_t *word = word_of(p, s / p->width, (size_t)j) + s % p->width;
    int shift = shift_of(p->state, (size_t)j);

    for (int i = 0; i < FXI_LANES; i++)
        w[i] = word[i] >> shift & 1 ? 1 : -1;
}

/* Equal signs give +1: a block of out, of a and b. */
static fx_status agree(void *ctx, size_t block, fxi_team *team)
{
    const fxi_project *const *p = ctx;
    const packed *s = p[0]->state, *sa = p[1]->state, *sb = p[2]->state;
    size_t n = s->words * p[0]->width, first = block * n;

    (void)team;
    for (size_t i = first; i < first + n; i++)
        s->bits[i] = ~(sa->bits[i] ^ sb->bits[i]);
    return FX_OK;
}

static fx_status packed_times(fxi_project *out, const fxi_project *a, const fxi_project *b,
                              const fx_run *run)
{
    packed *s = out->state = fxi_zalloc(1, sizeof *s);
    fx_status st;

    if (!s)
        return FX_ENOMEM;
    *s = *(const packed *)a->state;
    s->bits = NULL;
    if ((st = fxi_memory_check(run, out->bytes, "a packed projection")) != 0)
        return st;
    if (!(s->bits = fxi_alloc(out->bytes, 1)))
        return FX_ENOMEM;
    return fxi_parallel(out->blocks, agree, &(const fxi_project *[]){out, a, b}, run);
}

const fxi_project_type fxi_project_packed = {
    .name = "packed",
    .init = packed_init,
    .free = packed_free,
    .prepare = packed_prepare,
    .apply = packed_apply,
    .entries = packed_entries,
    .times = packed_times,
};
