/* SPDX-License-Identifier: BSD-3-Clause
 * panel.h - for gram.c, rows.c and score.c: tiles of rows x against panels of FXI_LANES rows z. */
#ifndef FXI_KERNEL_PANEL_H
#define FXI_KERNEL_PANEL_H
#include "kernel/kernel.h"

enum {
    FXI_PANEL_WHOLE = 512,              /* columns up to which each has a slot */
    FXI_PANEL_BATCH = 64,               /* rows whose numbers stay in the cache until finished */
    FXI_PANEL_PAD = 4                   /* entries of sparse rows: a multiple, for kernel_dots */
};

typedef struct fxi_packed {             /* a panel: FXI_LANES rows z side by side */
    _Alignas(64) double norms[FXI_LANES];       /* ||z||^2, with p->gamma .. */
    double z_max, z_min;                /* .. and the largest and smallest of them */
    double *zt;                         /* [slots + 1][FXI_LANES] */
    bool sorted;                        /* its slots ascend by feature */
    size_t slots;                       /* in use; a slot of zeros follows them */
    int64_t *slot_col;                  /* [slots] the feature of a slot */
    int32_t *place;                     /* [table] slot of a feature or of a bucket, -1 none */
    int64_t *key;                       /* [table] feature of a bucket, -1 free */
    uint64_t has[FXI_PANEL_WHOLE / 64]; /* with a slot for every column: those in use, as bits */
} fxi_packed;

typedef struct fxi_space {              /* scratch of a thread, allocated once on entry */
    fxi_packed own;                     /* the panel that this thread packed */
    size_t packed;                      /* first of its rows z; SIZE_MAX: none */
    const fxi_packed *z;                /* the panel in use: own, or one that was ready */
    fxi_work work;
    double *tile;                       /* rows that are not dense doubles: the tile in doubles */
    size_t *start, *count;              /* [tile + 1], [tile] first entry, entries of sparse rows */
    int64_t *tile_col;                  /* of the entries: feature .. */
    int32_t *tile_slot;                 /* .. and slot */
    double *selected_x;                 /* what has a slot in the panel: tile and start, or .. */
    size_t *selected_start;             /* .. if not every column has one, others */
    double *x[2];                       /* sparse rows, aligned with the panel */
    int64_t *col;
    int32_t *slot;
    double *norm;                       /* [tile] ||x||^2, with p->gamma */
    double x_max;                       /* of them */
    double *out;                        /* [outs][tile][FXI_LANES] */
    size_t ops_since_poll;              /* operations since the last poll for cancellation */
} fxi_space;

typedef struct fxi_panels {             /* set kernel, x, z; the rest is fxi_kernel_panel_open's */
    const fx_kernel *kernel;
    fxi_row_subset x, z;
    size_t tile;                        /* rows of x in a tile */
    fxi_packed *ready;                  /* all panels of z (panel_ready.c); NULL: pack as needed */
    bool planned;                       /* what follows, to `shift`, is known */
    const fxi_simd *simd;
    bool dense, whole, hashed;          /* how slots are found */
    bool differences, pairs, columns, products; /* of the kernel */
    double gamma;                       /* > 0: the distance may come from products (rbf.c) */
    size_t panel_entries;               /* most columns that occur in a panel */
    size_t table;                       /* columns, or size of the hash table, 2^(64 - shift) */
    int shift;
    size_t row_entries, tile_entries;   /* most that occur */
    size_t cost;                        /* multiply-adds of the longest row with a panel */
    size_t outs;
    fxi_scratch *scratch;               /* holds the spaces; NULL: p allocates them */
    fxi_scratch own;
    fxi_space *space;                   /* [threads] */
} fxi_panels;

/* True if the call must stop; polls once per 2^20 operations, every few milliseconds at most. */
static inline bool fxi_panel_stopped(fxi_space *s, size_t operations)
{
    s->ops_since_poll += operations;
    if (s->ops_since_poll < 1 << 20)
        return false;
    s->ops_since_poll = 0;
    return fxi_parallel_cancelled(s->work.team);
}

static inline size_t fxi_panel_bucket(const fxi_panels *p, const fxi_packed *z, int64_t j)
{
    size_t h = (size_t)((uint64_t)j * 0x9e3779b97f4a7c15u >> p->shift); /* its top bits */

    while (z->key[h] != j && z->key[h] >= 0)
        h = (h + 1) & (p->table - 1);
    return h;
}

/* Position of feature j in the table. */
static inline int32_t *fxi_panel_place(const fxi_panels *p, const fxi_packed *z, int64_t j)
{
    return &z->place[p->hashed ? fxi_panel_bucket(p, z, j) : (size_t)j];
}

/* True if the distance of rows with these squared norms may come from products. */
static inline bool fxi_panel_near(const fxi_panels *p, double x, double z)
{
    return p->gamma * (x + z) <= FXI_KERNEL_NEAR;
}

/* The rows of a tile, at most `tile`: fewer where rows are long. */
size_t fxi_kernel_panel_tile(const fx_matrix *X, size_t tile);
/* Approximate number of multiply-adds for a row and one vector. */
double fxi_kernel_panel_work(const fx_kernel *k, const fx_matrix *X);
/* Bytes for a thread that evaluates rows of X against panels of rows of X. */
size_t fxi_kernel_panel_bytes(const fx_kernel *k, const fx_matrix *X, size_t tile, size_t outs);
/* How slots are found; ready: of panels that are all stored. */
fx_status fxi_kernel_panel_plan(fxi_panels *p, bool ready);
/* Sets sizes and allocates memory for this many threads; p->tile must be set.  close frees the
 * memory, also after a failure, unless it is in the caller's scratch. */
fx_status fxi_kernel_panel_open(fxi_panels *p, int threads, size_t outs, const char *what,
                                const fx_run *run);
void fxi_kernel_panel_close(fxi_panels *p);
/* The space of this thread. */
fxi_space *fxi_kernel_panel_space(const fxi_panels *p, fxi_team *team);
/* The tile of rows i0.. of x; panel of rows z from first on; the kernel of both, from row `from`
 * of the tile on, to out[tile][FXI_LANES].  Each returns false if the call must stop. */
bool fxi_kernel_panel_eval_tile(const fxi_panels *p, fxi_space *s, size_t i0, size_t rows);
bool fxi_kernel_panel_pack(const fxi_panels *p, fxi_space *s, size_t first, size_t lanes);
/* The same for any tile that follows. */
bool fxi_kernel_panel_pack_any(const fxi_panels *p, fxi_space *s, size_t first, size_t lanes);
bool fxi_kernel_panel_eval(double *out, const fxi_panels *p, fxi_space *s, size_t i0, size_t from,
                           size_t rows);
/* The same for all rows, but for fxi_kernel_finish. */
bool fxi_kernel_panel_eval_begin(double *out, const fxi_panels *p, fxi_space *s, size_t i0,
                                 size_t rows);
/* The same for the one row of a tile and several panels at a time, FXI_PANEL_BATCH at most; false:
 * these rows and panels need the general function. */
bool fxi_kernel_panel_eval_row(double *out, const fxi_panels *p, const fxi_space *s, size_t i0,
                               size_t first, size_t panels);
/* panel_ready.c - all panels of p->z, packed once for any rows x; none, if they would take more
 * than `limit` bytes.  Then p, with other rows x and their tile, serves fxi_kernel_panel_open. */
fx_status fxi_kernel_panel_ready(fxi_panels *p, size_t limit, const fx_run *run);
void fxi_kernel_panel_ready_free(fxi_panels *p);

/* score_inverted.c - vectors z by columns: an inverted index.  A sparse row visits only the columns
 * that it has. */
typedef struct fxi_inverted {
    size_t vectors, cols;
    double gamma;                       /* as in fxi_panels */
    double z_max;
    size_t *ptr;                        /* [cols + 1] entries of a column: .. */
    int32_t *row;                       /* .. their vectors, ascending, .. */
    double *val;                        /* .. and numbers */
    double *norms;                      /* [panels][FXI_LANES] with gamma: ||z||^2 */
} fxi_inverted;

/* *out NULL: it would take more than `limit` bytes, or panels are faster, or the kernel needs more
 * than inner products. */
fx_status fxi_kernel_score_inverted_new(fxi_inverted **out, const fx_kernel *k, const fx_matrix *Z,
                                  size_t limit);
void fxi_kernel_score_inverted_free(fxi_inverted *z);
/* K(x, z) for all vectors, v[panels][FXI_LANES], the same bits as by panels; false: this row needs
 * them, or the call is to stop. */
bool fxi_kernel_score_inverted_row(double *v, const fxi_inverted *z, const fx_kernel *k, fxi_row x,
                             const fxi_simd *simd, fxi_team *team);
#endif
