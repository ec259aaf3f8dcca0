/* SPDX-License-Identifier: BSD-3-Clause
 * project.h - inside the library: random matrices W (rows x cols) that multiply rows of data.
 *
 * A projection is drawn from (seed, stream) and its description alone.  It is used in two ways:
 * fast, block of outputs by block of outputs, for a tile of up to FXI_LANES data rows, and slowly,
 * entry by entry, which also defines it:
 *
 *   prepare   once per tile and set of values: what the blocks share (tables, a transform)
 *   apply     outputs [block*width, (block+1)*width) of W x for every row of the tile
 *   entries   W[s .. s+FXI_LANES)[j]: the matrix that it represents
 *
 * Each form is one file with one fxi_project_type and one line in project.def. */
#ifndef FXI_PROJECT_H
#define FXI_PROJECT_H
#include "simd/simd.h"

typedef enum fxi_law {                  /* of the entries: mean 0, variance 1 (Cauchy: scale 1) */
    FXI_LAW_SIGN, FXI_LAW_GAUSSIAN, FXI_LAW_UNIFORM, FXI_LAW_LAPLACE, FXI_LAW_CAUCHY
} fxi_law;
double fxi_project_draw(fxi_law law, fxi_rng r, uint64_t i);

typedef struct fxi_tile {               /* the pattern of up to FXI_LANES data rows */
    size_t rows, cols;
    size_t first[FXI_LANES + 1];        /* entries of row r: first[r] .. first[r+1] - 1 */
    const int64_t *col;                 /* their columns, ascending in a row, all < cols; NULL:
                                         * dense, every row has cols entries */
    fxi_team *team;                     /* for work that may take long; or NULL */
} fxi_tile;

/* Rows that are side by side if a projection has `lanes`; a single row is stored alone. */
static inline size_t fxi_tile_lanes(const fxi_tile *t) { return t->rows == 1 ? 1 : FXI_LANES; }

/* True if the call is cancelled.  What is computed then has no meaning. */
static inline bool fxi_tile_stopped(const fxi_tile *t)
{
    return t->team && fxi_parallel_cancelled(t->team);
}
/* The same between steps that take long if rows do: short ones are not worth reading the clock. */
static inline bool fxi_tile_stopped_long(const fxi_tile *t, size_t entries)
{
    return entries >> 12 && fxi_tile_stopped(t);
}

typedef struct fxi_project fxi_project;
typedef struct fxi_project_type {
    const char *name;
    /* Reads what the caller has set, checks it, fills in the rest.  On failure project.c frees. */
    fx_status (*init)(fxi_project *p, const fx_run *run);
    void (*free)(fxi_project *p);       /* p->state may be NULL or half made */
    /* x: one number per entry of the tile.  space: p->space bytes, 64-byte aligned. */
    void (*prepare)(void *space, const fxi_project *p, const fxi_tile *t, const float *x);
    /* z: p->width * FXI_LANES floats, 64-byte aligned.  lanes: z[output][fxi_tile_lanes(t) rows],
     * else z[row][p->width].  Numbers for rows that the tile does not have, and for outputs after
     * the last one of a cut block, are finite but have no meaning. */
    void (*apply)(float *z, const fxi_project *p, void *space, size_t block);
    void (*entries)(double *w, const fxi_project *p, size_t s, int64_t j);
    /* out: the projection whose entries are the products of a's and b's, which differ in `part`
     * only; NULL: not offered */
    fx_status (*times)(fxi_project *out, const fxi_project *a, const fxi_project *b,
                       const fx_run *run);
} fxi_project_type;

struct fxi_project {
    /* set by the caller */
    const fxi_project_type *type;
    size_t rows, cols;                  /* of W */
    size_t like;                        /* block sizes are chosen as for this many rows (>= rows),
                                         * so that several projections can be cut alike */
    fxi_law law;
    double scale;                       /* every entry is multiplied by it; 1 for signs */
    bool row_signs;                     /* circulant: signs on the rows, not on the columns */
    bool mixed;                         /* hadamard: leave column 0 empty */
    bool products;                      /* packed: apply gives prod_j (1 + W_sj x_j) */
    uint64_t seed, stream;              /* stream < 2^16; no two projections of a map share one */
    int part;                           /* 0 or 1: other numbers, same structure (placements) */
    /* filled in by init */
    const fxi_simd *simd;               /* by project.c, before init */
    size_t width, blocks;               /* outputs of a block, a multiple of FXI_LANES */
    bool lanes;
    size_t space, bytes;                /* of a tile's scratch; of state */
    size_t unit;                        /* hadamard: rows that belong together; 0: independent */
    bool folded;                        /* hadamard: features may share a column */
    void *state;
};

#define PROJECT(name) extern const fxi_project_type fxi_project_##name;
#include "project/project.def"

/* project.c */
/* *p is the description; on success a projection that fxi_project_free ends. */
fx_status fxi_project_new(fxi_project *p, const fx_run *run);
fx_status fxi_project_times(fxi_project *out, const fxi_project *a, const fxi_project *b,
                            const fx_run *run);
void fxi_project_free(fxi_project *p);
/* Random numbers of this projection: `use` (< 16) keeps purposes apart, `block` < 2^32. */
fxi_rng fxi_project_rng(const fxi_project *p, int use, uint64_t block);

/* Every form divides its space as it likes; carve cuts aligned pieces from it, each of the rounded
 * size. */
static inline size_t fxi_project_rounded(size_t bytes) { return (bytes + 63) / 64 * 64; }
static inline void *fxi_project_carve(char **space, size_t bytes)
{
    char *piece = *space;

    *space += fxi_project_rounded(bytes);
    return piece;
}
#endif
