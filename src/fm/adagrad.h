/* SPDX-License-Identifier: BSD-3-Clause
 * adagrad.h - inside fm: rows a few at a time, mini-batches, AdaGrad's step. */
#ifndef FXI_FM_ADAGRAD_H
#define FXI_FM_ADAGRAD_H
#include "fm/fm.h"

#define FXI_FM_ADAGRAD_EPSILON 1e-16    /* v -= lr g/sqrt(sum of g^2 + epsilon) */
#define FXI_FM_ADAGRAD_SMALL \
    1e-140 /* gradients below it are 0: their squares would be
                                         * denormal numbers */

enum {
    FXI_FM_ADAGRAD_ROWS = 16,           /* whose losses are added up together, at most */
    FXI_FM_ADAGRAD_MANY = 64,           /* that are visited together, at most */
    FXI_FM_ADAGRAD_ORDER = 8            /* of fast rows */
};

/* How scores are computed, which decides their last bits: so it depends on all rows, whatever part
 * of them is at hand. */
typedef struct fxi_fm_adagrad_look {
    bool fast;                          /* by adagrad_hot.c, else by row.c */
    bool subtracts;                     /* fast: order 2 may subtract, because no number is large */
    bool ones;                          /* all numbers of rows are known to be 1 */
    size_t max_rows;                    /* whose losses are added up together */
} fxi_fm_adagrad_look;
/* adagrad_look.c - counts of what rows hold, FXI_FM_ADAGRAD_LOOK of them, of rows i..end - 1 or
 * added up; then what follows from those of all rows.  flags: as part of a question. */
enum { FXI_FM_ADAGRAD_LOOK = 16 };
void fxi_fm_adagrad_look_add(double *count, const fxi_fm *fm, const fx_matrix *X, size_t i,
                             size_t end);
fxi_fm_adagrad_look fxi_fm_adagrad_look_of(const double *count, const fxi_fm *fm);
uint32_t fxi_fm_adagrad_look_flags(const fxi_fm_adagrad_look *l);
fxi_fm_adagrad_look fxi_fm_adagrad_look_read(uint32_t flags);
bool fxi_fm_adagrad_look_fits(const fxi_fm_adagrad_look *l, const fxi_fm *fm); /* of this model */
/* Rows at a time where the longest has so many entries; if they can be fast. */
size_t fxi_fm_adagrad_look_rows(const fxi_fm *fm, size_t entries);
bool fxi_fm_adagrad_look_fast(const fxi_fm *fm, size_t entries);

/* A few rows, held together until the slopes of their losses are known. */
typedef struct fxi_fm_adagrad_rows {
    const fxi_fm *fm;
    const fxi_simd *simd;
    fxi_team *team;
    fxi_fm_adagrad_look look;
    bool together;                      /* weights are visited together with order 2 */
    bool short_sums;                    /* all subtract: what is pending is sums, one a row */
    size_t entries;                     /* most in a row */
    size_t max_rows, rows;              /* at a time; how many there are */
    size_t capacity;                    /* of g: rows if short_sums, else their entries */
    fxi_threadpool *pool;               /* while batches are visited, or NULL */
    const size_t *start;                /* entries of row r: from start[r] - start[0] on .. */
    const double *x;                    /* .. numbers other than 0 .. */
    const int32_t *col;                 /* .. and their columns, as blocks see them */
    double f[FXI_FM_ADAGRAD_MANY];      /* scores */
    double by[FXI_FM_ADAGRAD_MANY];     /* slopes */
    double *part;                       /* [panels][max_rows] of scores */
    double *g;                          /* [blocks][panels][capacity][FXI_LANES] derivatives */
    double *table;                      /* fast: [threads][table_size] of adagrad_hot.c */
    size_t table_size;
    fxi_fm_workspace *workspace;        /* not fast; in scratch */
    fxi_scratch scratch;
    double *K;                          /* [max_rows][blocks][panels][FXI_LANES], not fast */
    double (*theta)[FX_ORDER_MAX];      /* [max_rows] df/dtheta, not fast */
    size_t *own_start;                  /* rows packed in here: [max_rows + 1] .. */
    double *own_x;                      /* .. and [max_rows * (entries + 1)] */
    int32_t *own_col;
    unsigned char *touched;             /* [cols] */
    int32_t *list, *front;              /* columns touched, without constants; constants */
    size_t listed, fronts;
    size_t since;                       /* work since the last poll for cancellation */
} fxi_fm_adagrad_rows;

/* adagrad_rows.c - entries: the largest number of entries in a row; threads: of a pool, or 1. */
fx_status fxi_fm_adagrad_rows_new(fxi_fm_adagrad_rows *a, const fxi_fm *fm,
                                  fxi_fm_adagrad_look look, size_t entries, int threads);
void fxi_fm_adagrad_rows_free(fxi_fm_adagrad_rows *a);
bool fxi_fm_adagrad_rows_bytes(size_t *bytes, const fxi_fm *fm, size_t entries, size_t threads);
/* Appends a row to the `rows` that are there (0: it is the first); or takes n rows that the caller
 * packed. */
void fxi_fm_adagrad_rows_pack(fxi_fm_adagrad_rows *a, fxi_row r);
void fxi_fm_adagrad_rows_take(fxi_fm_adagrad_rows *a, const double *x, const int32_t *col,
                              const size_t *start, size_t n);
void fxi_fm_adagrad_rows_touch(fxi_fm_adagrad_rows *a); /* their columns become touched */
void fxi_fm_adagrad_rows_clear(fxi_fm_adagrad_rows *a); /* what was touched */
bool fxi_fm_adagrad_rows_stopped(fxi_fm_adagrad_rows *a); /* polls for cancellation */
/* Scores to f, derivatives to g if they will be needed; G += sum_r by[r] df_r/dv, f_r the score of
 * row r. */
void fxi_fm_adagrad_rows_score(fxi_fm_adagrad_rows *a, const double *v, bool learn);
void fxi_fm_adagrad_rows_accumulate(fxi_fm_adagrad_rows *a, double *G, const double *v);

/* Where the entries of row r begin; where what is pending of them is stored, kernel = block *
 * panels + panel.  Of short_sums, only r = 0. */
static inline size_t fxi_fm_adagrad_first(const fxi_fm_adagrad_rows *a, size_t r)
{
    return a->start[r] - a->start[0];
}
static inline double *fxi_fm_adagrad_pending(const fxi_fm_adagrad_rows *a, size_t kernel, size_t r)
{
    return a->g + (kernel * a->capacity + fxi_fm_adagrad_first(a, r)) * FXI_LANES;
}

/* adagrad_panels.c - fast rows: adds all but the linear term to f, the same of derivatives to G; a
 * step of the factors for all that was touched. */
size_t fxi_fm_adagrad_panels(const fxi_fm *fm);         /* of all blocks */
void fxi_fm_adagrad_panels_score(fxi_fm_adagrad_rows *a, const double *v, bool learn);
void fxi_fm_adagrad_panels_accumulate(fxi_fm_adagrad_rows *a, double *G, const double *v);
void fxi_fm_adagrad_panels_step(fxi_fm_adagrad_rows *a, double *v, double *sum, double *G,
                                const double *share, double lr);

/* Items of a block: rows with weight, or winners of pairs, shuffled and cut into batches of even
 * size. */
typedef struct fxi_fm_adagrad_block {
    size_t n, batches;
    size_t entries;                     /* most in a row */
    double *c, *y;                      /* [n] weights and labels */
    size_t *start;                      /* rows packed: [n + 1], [start[n]]; NULL: not packed, .. */
    double *x;
    int32_t *col;
    size_t *item;                       /* .. but rows of X, or positions among the winners */
    size_t rows_room, entries_room;     /* of which there is memory */
} fxi_fm_adagrad_block;
/* adagrad_block.c - of rows i..end - 1 of p (pairs: of all), which are block `number` of the data;
 * packed, or its items are read where they are.  Zeros at first; may be filled again, in the same
 * way.  An error frees it. */
fx_status fxi_fm_adagrad_block_fill(fxi_fm_adagrad_block *a, const fxi_fm_problem *p, size_t i,
                                    size_t end, uint64_t number, bool packed);
void fxi_fm_adagrad_block_free(fxi_fm_adagrad_block *a);
size_t fxi_fm_adagrad_block_first(const fxi_fm_adagrad_block *a, size_t batch); /* item of it */
double fxi_fm_adagrad_block_weight(const fxi_fm_adagrad_block *a, size_t first, size_t n);
/* Bytes of blocks packed. */
bool fxi_fm_adagrad_block_bytes(size_t *bytes, size_t rows, size_t numbers);

typedef struct fxi_fm_adagrad_batch {
    const fxi_fm_problem *p;
    double *v, *sum;                    /* the state's */
    double *G;                          /* [size] gradient of the batch so far, without penalties;
                                         * NULL: losses alone */
    double *share;                      /* [cols] factor of penalties: all batches divided by those
                                         * that touch the column */
    fx_run how;                         /* for a pool of the panels' threads */
    fxi_fm_adagrad_rows rows;
} fxi_fm_adagrad_batch;

/* adagrad_batch.c - items `first`.. of a block; losers of pairs are drawn for `epoch`.  sum NULL:
 * losses alone, by one thread.  room: for rows of so many entries, between batches. */
fx_status fxi_fm_adagrad_batch_new(fxi_fm_adagrad_batch *a, const fxi_fm_problem *p, double *v,
                                   double *sum, fxi_fm_adagrad_look look, size_t entries,
                                   const fx_run *run);
fx_status fxi_fm_adagrad_batch_room(fxi_fm_adagrad_batch *a, size_t entries);
void fxi_fm_adagrad_batch_free(fxi_fm_adagrad_batch *a);
bool fxi_fm_adagrad_batch_bytes(size_t *bytes, const fxi_fm *fm, size_t entries, size_t threads);
/* count[cols]: adds 1 to each column of a batch, for every batch of the block. */
void fxi_fm_adagrad_batch_count(fxi_fm_adagrad_batch *a, double *count,
                                const fxi_fm_adagrad_block *b, uint64_t epoch);
/* share of these counts, of `batches` in all. */
void fxi_fm_adagrad_batch_share(double *share, const double *count, double batches, size_t cols);
/* sum c loss; unless by is 0, its gradient times `by` is added to G and its columns become
 * touched. */
double fxi_fm_adagrad_batch_add(fxi_fm_adagrad_batch *a, const fxi_fm_adagrad_block *b,
                                size_t first, size_t n, uint64_t epoch, double by);
/* One step by G and the penalties for all that was touched; G becomes 0. */
void fxi_fm_adagrad_batch_step(fxi_fm_adagrad_batch *a, double lr);

/* adagrad_epoch.c - an epoch: blocks come in their order, and as soon as a window of them is there
 * its batches are visited. */
enum { FXI_FM_ADAGRAD_WINDOW = 16 };    /* blocks, at most */
typedef struct fxi_fm_adagrad_epoch {
    fxi_fm_adagrad_batch *batch;
    uint64_t number;                    /* from 1 */
    double lr;
    size_t window;                      /* blocks of one */
    const fxi_fm_adagrad_block *block[FXI_FM_ADAGRAD_WINDOW];
    size_t blocks;                      /* that are there */
    uint64_t windows;                   /* visited */
    double loss;                        /* of the rows when they were visited */
} fxi_fm_adagrad_epoch;
/* Takes a block, which must stay until the window is empty (blocks 0); last: of the epoch. */
fx_status fxi_fm_adagrad_epoch_add(fxi_fm_adagrad_epoch *e, const fxi_fm_adagrad_block *b,
                                   bool last, fxi_team *team);

/* adagrad_memory.c - rows in memory. */
typedef struct fxi_fm_adagrad_memory {
    const fxi_fm_problem *p;
    const fx_run *run;
    size_t rows, blocks;                /* rows of a block, at most; how many blocks */
    fxi_fm_adagrad_block *block;        /* [blocks]; NULL: too many rows, made when visited */
    size_t *order;                      /* [blocks] of an epoch */
    size_t window, entries;
    fxi_fm_adagrad_batch batch;
    fxi_fm_adagrad_batch *value;        /* [answer.threads] */
    fxi_answer answer;
} fxi_fm_adagrad_memory;
fx_status fxi_fm_adagrad_memory_new(fxi_fm_adagrad_memory *m, const fxi_fm_problem *p,
                                    const fxi_fm_state *s, const fx_run *run);
void fxi_fm_adagrad_memory_free(fxi_fm_adagrad_memory *m);
/* Loss and weight of all rows, as VALUE has them below; an epoch, and the loss of the rows when
 * they were visited. */
enum { FXI_FM_ADAGRAD_LOSS, FXI_FM_ADAGRAD_WEIGHT = FXI_SUM, FXI_FM_ADAGRAD_SUMS };
fx_status fxi_fm_adagrad_memory_value(double *sum, fxi_fm_adagrad_memory *m);
fx_status fxi_fm_adagrad_memory_epoch(double *loss, fxi_fm_adagrad_memory *m, uint64_t epoch,
                                      double lr);
bool fxi_fm_adagrad_memory_bytes(size_t *bytes, const fxi_fm *fm, const fx_matrix *X,
                                 size_t threads);

/* ---- Rows elsewhere: adagrad_ask.c asks, adagrad_pass.c answers ---------------------------------
 * COUNT  counts: of the look, then batches, then for each column the batches that touch it
 * VALUE  flags: the look; t: taken from the targets; w: v.  Sums, FXI_FM_ADAGRAD_SUMS of them: loss
 *        and, in another block of them, because a loss may not be finite, weight
 * EPOCH  flags: the look; t: the rate; w: v; v: the epoch, what is taken from the targets, what the
 *        penalties are multiplied by, then sum and share.  A state: the loss of rows when they were
 *        visited, then v and sum, each from a multiple of FXI_FM_ADAGRAD_HEAD on */
enum {
    FXI_FM_ADAGRAD_HEAD = 8,
    FXI_FM_ADAGRAD_EPOCH = 0,
    FXI_FM_ADAGRAD_SHIFT = 1,
    FXI_FM_ADAGRAD_TIMES = 2
};
static inline size_t fxi_fm_adagrad_room(const fxi_fm *fm)
{
    return (fm->size + FXI_FM_ADAGRAD_HEAD - 1) / FXI_FM_ADAGRAD_HEAD * FXI_FM_ADAGRAD_HEAD;
}
static inline size_t fxi_fm_adagrad_numbers(const fxi_fm *fm, fxi_ask what)
{
    return what == FXI_ASK_FM_COUNT   ? FXI_FM_ADAGRAD_LOOK + 1 + fm->cols
           : what == FXI_ASK_FM_VALUE ? FXI_FM_ADAGRAD_SUMS
                                      : FXI_FM_ADAGRAD_HEAD + 2 * fxi_fm_adagrad_room(fm);
}
typedef struct fxi_fm_adagrad_asking {
    const fxi_fm_problem *p;
    fxi_fm_adagrad_look look;
    double *own;                        /* [HEAD + size + cols] v of a question .. */
    double *answer;                     /* .. and its answer */
} fxi_fm_adagrad_asking;
fx_status fxi_fm_adagrad_ask(fxi_fm_adagrad_asking *a, const fxi_fm_problem *p); /* COUNT */
void fxi_fm_adagrad_ask_free(fxi_fm_adagrad_asking *a);
fx_status fxi_fm_adagrad_ask_value(double *sum, fxi_fm_adagrad_asking *a, const double *v);
fx_status fxi_fm_adagrad_ask_epoch(double *loss, fxi_fm_adagrad_asking *a, fxi_fm_state *s,
                                   uint64_t epoch);
#endif
