/* SPDX-License-Identifier: BSD-3-Clause
 * fm.h - inside the library: factorization machines and their relatives, one output.
 *
 *   f(x) = b + <w, x> + sum over blocks, sum_s lambda_s K(p_s, x)
 *
 * A block is one matrix of factors P, columns p_s, and a kernel:
 *
 *   fm, hofm        anova of order t, a block for each t = 2..m
 *   hofm-shared     anova of order m on m - 1 constants 1 set before the row
 *   hofm-simplex    sum_{t=1..m} theta_t anova_t, theta >= 0 with sum 1
 *   all-subsets     prod_j (1 + p_j x_j)
 *   poly-net        <p, x>^m, one constant before the row
 *   bilinear        anova of order 2 of two groups of columns: <u, a> <v, b>
 *   poly-net-uv     the same of the row (1, x) with itself: rows (1, x, 1, x)
 *
 * Groups: with s_g = sum_{j in g} p_j x_j the kernel takes the s_g instead of the p_j x_j, so that
 * no combination has two columns of one group.
 *
 *   objective = (1/W) sum_i c_i loss(y_i, f(x_i)) + alpha/2 |w|^2 + sum_blocks beta/2 |P|^2
 *               + beta_lambda/2 |lambda|^2 (where learned),      W = sum_i c_i
 *
 * with losses squared 0.5 (y - f)^2, logistic, squared hinge.  Rows with c_i = 0 are absent. */
#ifndef FXI_FM_H
#define FXI_FM_H
#include "kernel/kernel.h"
#include "loss/loss.h"
#include "pass/pass.h"

typedef enum fxi_fm_kind {
    FXI_FM_HOFM,
    FXI_FM_SHARED,
    FXI_FM_SIMPLEX,
    FXI_FM_SUBSETS,
    FXI_FM_POWER,
    FXI_FM_BILINEAR,
    FXI_FM_UV
} fxi_fm_kind;
typedef enum fxi_fm_lambda { FXI_FM_ONES, FXI_FM_SIGNS, FXI_FM_LEARNED } fxi_fm_lambda;

typedef struct fxi_fm_block {
    fx_kernel *kernel;                  /* anova, anova-upto or all-subsets, of sums of groups where
                                         * there are groups; NULL: <p, x>^order.  Theta of
                                         * hofm-simplex is in the vector, not here */
    int order;                          /* 0: all-subsets */
    double beta, beta_front;            /* of P; of its rows of constants */
    size_t P, lambda, theta;            /* where in the vector: [panels][cols][FXI_LANES] (column j
                                         * of component s: [s / FXI_LANES][j][s % FXI_LANES]),
                                         * [panels * FXI_LANES], [order] (hofm-simplex) */
} fxi_fm_block;

/* All numbers of a model are in one vector v[size]: b first (0 if there is none), then w[given]
 * (unless !linear), then the blocks.  Gradients, AdaGrad's sums and saved states have the same
 * shape.  Lanes beyond the rank are 0 and stay 0. */
typedef struct fxi_fm {
    fxi_fm_kind kind;
    const fxi_simd *simd;
    size_t given, cols;                 /* columns of rows as given, and as blocks see them */
    size_t front;                       /* constants 1 before the row .. */
    bool twice;                         /* .. and all of it repeated after itself */
    bool linear, intercept;
    fxi_fm_lambda how;                  /* FXI_FM_ONES, FXI_FM_SIGNS: lambda does not change */
    size_t rank, panels;
    int32_t *group;                     /* [cols] of each column as blocks see them, -1: takes no
                                         * part; NULL: each is its own.  Owned */
    size_t groups;
    double alpha, beta_lambda;
    fxi_fm_block block[FX_ORDER_MAX];
    size_t blocks;
    double times;                       /* what the penalties of the blocks were multiplied by */
    size_t w, size;
} fxi_fm;

/* fm.c - the requested model.  group is as above, but for columns as given, and is copied: for
 * FXI_FM_HOFM, or NULL.  split: for FXI_FM_BILINEAR. */
typedef struct fxi_fm_shape {
    fxi_fm_kind kind;
    int order;                          /* or degree */
    size_t given, rank, split;
    bool linear, intercept;
    fxi_fm_lambda how;
    double alpha, beta_lambda;
    double beta[FX_ORDER_MAX];          /* [t - 2] of order t; [0] where there is no order */
    const int32_t *group;
    size_t groups;
} fxi_fm_shape;
fx_status fxi_fm_new(fxi_fm *out, const fxi_fm_shape *shape);
void fxi_fm_free(fxi_fm *fm);
void fxi_fm_times(fxi_fm *fm, double times);    /* multiplies the penalties of the blocks */
size_t fxi_fm_at(const fxi_fm *fm, size_t block, size_t component, size_t col); /* in the vector */
/* The given column that blocks see as column j; -1: a constant. */
int64_t fxi_fm_given(const fxi_fm *fm, size_t j);
/* Factors N(0, sd^2) by seed (blocks of order t > 2: sd^(2/t) for sd), 0 for columns that are not
 * `seen` ([given], or NULL: all are); lambda 1 or random signs; theta 1/order; b and w
 * 0, b of all-subsets minus the sum of lambda. */
void fxi_fm_start(double *v, const fxi_fm *fm, double sd, uint64_t seed, const unsigned char *seen);
/* objective's penalties; |P| of block g */
double fxi_fm_penalty(const fxi_fm *fm, const double *v);
double fxi_fm_norm(const fxi_fm *fm, const double *v, size_t block);

/* rows.c - rows as the blocks see them.  *own holds the view's memory, NULL if X is used as it is.
 * Below, X is always such a view, checked. */
fx_status fxi_fm_rows(fx_matrix *view, fx_data **own, const fxi_fm *fm, const fx_matrix *X,
                      const fx_run *run);

/* row.c - one row and one panel of components, used by scores, gradients, AdaGrad.  Each thread has
 * its own workspace; out, g and v are 64-byte aligned. */
typedef struct fxi_fm_workspace fxi_fm_workspace;
typedef struct fxi_fm_entries {         /* a row in doubles, in the workspace or the data */
    size_t n;
    const double *x;                    /* [n] */
    const int32_t *col;                 /* [n]; NULL: entry k is column k */
    size_t first, last;                 /* the entries as given: their w is [column - front] */
} fxi_fm_entries;
/* In scratch; entries: most in a row. */
fx_status fxi_fm_row_workspace(fxi_fm_workspace **out, const fxi_fm *fm, size_t entries,
                               fxi_scratch *scratch);
/* One for each thread. */
fx_status fxi_fm_row_workspaces(fxi_fm_workspace ***out, const fxi_fm *fm, size_t entries,
                                size_t threads, fxi_scratch *scratch);
size_t fxi_fm_row_bytes(const fxi_fm *fm, size_t entries); /* of a workspace */
/* Packs the next row once for all panels; given: a row without constants, which are added as
 * entries. */
fxi_fm_entries fxi_fm_row(fxi_fm_workspace *workspace, fxi_row r);
fxi_fm_entries fxi_fm_row_given(fxi_fm_workspace *workspace, fxi_row r);
/* b + <w, x> */
double fxi_fm_row_linear(const fxi_fm *fm, const fxi_fm_entries *row, const double *v);
/* K(p_s, x), without lambda, to out[FXI_LANES]. */
void fxi_fm_row_value(double *out, fxi_fm_workspace *workspace, const double *v, size_t block,
                      size_t panel, fxi_team *team);
/* The same, and the derivatives by p_s of entry e to g[e][FXI_LANES], together. */
void fxi_fm_row_gradient(double *out, double *g, fxi_fm_workspace *workspace, const double *v,
                         size_t block, size_t panel, fxi_team *team);
/* anova_t(p_s, x) for t = 0..order, [order + 1][FXI_LANES], of the last call of fxi_fm_row_value;
 * not for all-subsets and poly-net. */
const double *fxi_fm_row_orders(const fxi_fm_workspace *workspace);

/* score.c - f[i] of rows, b and linear term included; a score depends on its row alone. */
fx_status fxi_fm_score(double *f, const fxi_fm *fm, const double *v, fxi_row_subset x,
                       const fx_run *run);
double fxi_fm_score_row(const fxi_fm *fm, const double *v, fxi_fm_workspace *workspace, fxi_row r,
                        fxi_team *team);
/* S[rows][outputs] of rows as given, without constants, by V[outputs][size], on the thread of this
 * block; run: its memory limit. */
fx_status fxi_fm_score_given(double *S, const fxi_fm *fm, const double *V, size_t outputs,
                             const fx_matrix *X, fxi_scratch *scratch, const fx_run *run,
                             fxi_team *team);
/* True if a loop over rows is to stop; polls once per 2^14 entries, which *entries counts. */
bool fxi_fm_score_stopped(size_t *entries, size_t more, fxi_team *team);

/* ---- Fitting ----------------------------------------------------------------------------- */
/* Pairs to be ranked: row i of winner[] should score above rows order[first[i]..last[i]). */
typedef struct fxi_fm_pairs {
    size_t n;
    size_t *winner, *first, *last;      /* [n] */
    size_t *order;
} fxi_fm_pairs;
/* pairs.c - rows of one query (qid NULL: all) with different labels, of those with c > 0. */
fx_status fxi_fm_pairs_new(fxi_fm_pairs *out, const double *y, const double *c, const int64_t *qid,
                           size_t rows, const fx_run *run);
void fxi_fm_pairs_free(fxi_fm_pairs *p);

typedef struct fxi_fm_state {
    double *v;                          /* [size] in: where to start; out: where it ended */
    double *sum;                        /* [size] adagrad: sums of squares, in and out; else NULL */
    double objective;                   /* of v, up to rounding, however the fit ended */
    double lr;                          /* adagrad: the rate in use, lowered by the guard */
    size_t iterations;                  /* epochs or steps, counted on from what is given */
    bool converged;
    bool diverged;                      /* adagrad: even at the smallest rate; v is the last good
                                         * state */
    bool rounded;                       /* cd: rounding errors let an iteration raise the objective
                                         * by more than tol; it was undone */
} fxi_fm_state;

typedef struct fxi_fm_problem {
    const fxi_fm *fm;
    const fx_matrix *X;                 /* as the blocks see them */
    fxi_passes *passes;                 /* lbfgs, adagrad: who answers; NULL: the rows of X, y, c */
    double shift;                       /* is taken from the targets */
    const fxi_loss *loss;               /* squared (halved here), logistic, squared_hinge */
    const double *y, *c;                /* [rows] */
    const fxi_fm_pairs *pairs;          /* adagrad: rank these; y is ignored.  Objective: mean of
                                         * c_winner log(1 + exp(f_loser - f_winner)), losers
                                         * drawn */
    double tol;                         /* stop when an iteration lowers the objective by less than
                                         * tol times it; lbfgs: when ten together do, or
                                         * |gradient| is at most tol/1000 max(1, |v|) */
    size_t max_iter;
    double deadline;                    /* adagrad: an epoch that was undone after this time of
                                         * fxi_fm_clock is not tried again; 0: it is */
    double lr;                          /* adagrad */
    size_t batch;                       /* adagrad: rows (pairs) of a step; all of one block */
    size_t window;                      /* adagrad: blocks of a window; 0: as X has it */
    bool bare;                          /* adagrad: no guard, what is not finite ends the fit */
    bool ordered;                       /* adagrad: rows in their order, not in a random one */
    uint64_t seed;
    /* After every iteration; may read now->v.  A positive status stops the fit as converged. */
    fx_status (*step)(void *ctx, const fxi_fm_state *now);
    void *ctx;
} fxi_fm_problem;
double fxi_fm_clock(void);              /* fm.c - seconds, monotonic */

/* What a loss is here: 0.5 (y - f)^2 for squared. */
double fxi_fm_loss(const fxi_loss *l, double y, double f);
double fxi_fm_slope(const fxi_loss *l, double y, double f);
double fxi_fm_bend(const fxi_loss *l, double y, double f);      /* second derivative */
double fxi_fm_curve(const fxi_loss *l);         /* largest second derivative: 1, 1/4, 2 */

/* cd.c - coordinate descent: b, w, then block by block, component by component, lambda, theta.
 * Exact minimiser of a coordinate for squared loss; the objective never rises, not even by
 * rounding. */
fx_status fxi_fm_cd(fxi_fm_state *s, const fxi_fm_problem *p, const fx_run *run);
bool fxi_fm_cd_bytes(size_t *bytes, const fxi_fm *fm, const fx_matrix *X);
/* adagrad.c - mini-batches in a seeded order.  An epoch after which the objective is not finite or
 * more than twice that of the start is repeated from the state before it, at half the rate. */
fx_status fxi_fm_adagrad(fxi_fm_state *s, const fxi_fm_problem *p, const fx_run *run);
bool fxi_fm_adagrad_bytes(size_t *bytes, const fxi_fm *fm, const fx_matrix *X, size_t threads);
/* adagrad_epoch.c - blocks that are held together, by all rows and the numbers stored in them; the
 * order of blocks in an epoch. */
size_t fxi_fm_adagrad_epoch_window(size_t rows, size_t numbers);
void fxi_fm_adagrad_epoch_order(size_t *block, size_t blocks, uint64_t seed, uint64_t epoch);
/* adagrad_pass.c - rows that are elsewhere answer its questions, FXI_ASK_FM_COUNT, .. (adagrad.h).
 * p: its fm, loss, batch, seed and window, and X, y, c: some of `all` rows, from `first` on.  held:
 * NULL at first; blocks that wait until their window is there.  bytes: of one who asks and one who
 * answers, `entries` in a row. */
typedef struct fxi_fm_adagrad_held fxi_fm_adagrad_held;
fx_status fxi_fm_adagrad_pass_begin(fxi_answer *a, const fxi_question *q, const fxi_fm *fm);
fx_status fxi_fm_adagrad_pass(fxi_answer *a, const fxi_question *q, const fxi_fm_problem *p,
                              uint64_t first, uint64_t all, fxi_fm_adagrad_held **held);
void fxi_fm_adagrad_pass_free(fxi_fm_adagrad_held *held);
uint64_t fxi_fm_adagrad_pass_epoch(const fxi_question *q);
bool fxi_fm_adagrad_pass_bytes(size_t *bytes, const fxi_fm *fm, size_t rows, size_t numbers,
                               size_t threads);
/* gradient.c - objective and its derivatives G[size] (NULL to skip; 0 for numbers that do not
 * change), the same bits for any threads and any division of the rows. */
fx_status fxi_fm_gradient(double *objective, double *G, const fxi_fm_problem *p, const double *v,
                          const fx_run *run);
/* Sums over the rows, of scores 0; each in a block of its own, so that its size alone decides how
 * exact it is. */
enum { FXI_FM_LOSS, FXI_FM_WEIGHT = FXI_SUM, FXI_FM_TARGET = 2 * FXI_SUM,
       FXI_FM_SUMS = 3 * FXI_SUM };
fx_status fxi_fm_gradient_zeros(double sum[FXI_FM_SUMS], const fxi_fm_problem *p,
                                const fx_run *run);
/* gradient_pass.c - rows answer FXI_ASK_FM: t is taken from the targets; w: the vector of a model,
 * 64-byte aligned where rows are added, or NULL: all scores are 0.  The numbers of the answer: sums
 * of c loss, c and c (y - t), and with FXI_FM_DERIVE from FXI_FM_SUMS on the derivatives of the
 * first by w[size].  p: its fm, loss, and X, y, c, which are some of the rows. */
enum { FXI_FM_DERIVE = 1 };
fx_status fxi_fm_gradient_pass_begin(fxi_answer *a, const fxi_question *q, const fxi_fm *fm);
fx_status fxi_fm_gradient_pass(fxi_answer *a, const fxi_question *q, const fxi_fm_problem *p,
                               uint64_t first, bool last, const fx_run *run);
/* Rows of a run; numbers: stored in all rows, as blocks see them.  Bytes of an answer, rows: that
 * are added at a time. */
size_t fxi_fm_gradient_pass_run(const fxi_fm *fm, size_t rows, size_t numbers, bool sparse);
bool fxi_fm_gradient_pass_bytes(size_t *bytes, const fxi_fm *fm, size_t rows, size_t entries,
                                size_t threads);
/* The rows of p answer. */
typedef struct fxi_fm_gradient_rows {
    fxi_passes passes;
    const fxi_fm_problem *p;
    fxi_answer answer;
    fx_run run;
} fxi_fm_gradient_rows;
fx_status fxi_fm_gradient_memory(fxi_fm_gradient_rows *out, const fxi_fm_problem *p,
                                 const fx_run *run);
void fxi_fm_gradient_memory_free(fxi_fm_gradient_rows *a);
/* lbfgs.c - minimises it by libLBFGS.  Theta of hofm-simplex alternates with the rest.  Bytes: of
 * rows X, or NULL: of passes that others answer on as many threads. */
fx_status fxi_fm_lbfgs(fxi_fm_state *s, const fxi_fm_problem *p, const fx_run *run);
bool fxi_fm_lbfgs_bytes(size_t *bytes, const fxi_fm *fm, const fx_matrix *X, size_t threads);
/* simplex.c - hofm-simplex: theta of v, by projected gradient steps that never raise the objective;
 * the projection of x[n] onto the simplex. */
fx_status fxi_fm_simplex(double *v, const fxi_fm_problem *p, const fx_run *run);
void fxi_fm_simplex_project(double *x, size_t n);

/* fold_in.c - the best numbers of columns that are `fresh` ([given]) and that rows of p hold, from
 * s->v on, while all others stay; losses are divided by W.  Not for FXI_FM_POWER.  s->iterations:
 * visits, of which one suffices where no row holds two of them; s->objective: what these rows and
 * columns add to that of the training. */
fx_status fxi_fm_fold_in(fxi_fm_state *s, const fxi_fm_problem *p, const unsigned char *fresh,
                         double W, const fx_run *run);
/* fold_in_column.c - one of them. */
typedef struct fxi_fm_fold {
    const fxi_fm_problem *p;
    double *v;
    double W;                           /* what losses are divided by */
    size_t panels;                      /* of FXI_LANES numbers each: the weight (if there are
                                         * any), then those of each block */
} fxi_fm_fold;
/* Scratch of one thread, for columns that at most `rows` rows of at most `entries` entries hold. */
typedef struct fxi_fm_fold_column fxi_fm_fold_column;
fx_status fxi_fm_fold_in_column_new(fxi_fm_fold_column **out, const fxi_fm_fold *fold, size_t rows,
                                    size_t entries, fxi_scratch *scratch);
bool fxi_fm_fold_in_column_bytes(size_t *bytes, const fxi_fm_fold *fold, size_t rows,
                                 size_t entries);
/* The numbers of column `col`, as blocks see it, which rows row[n] hold, become the best ones. */
fx_status fxi_fm_fold_in_column(fxi_fm_fold_column *c, size_t col, const int32_t *row, size_t n,
                                const fx_run *run, fxi_team *team);
/* What they cost by themselves: their penalties. */
double fxi_fm_fold_in_column_penalty(const fxi_fm_fold *fold, size_t col);

/* streams; see data/data.h */
enum { FXI_FM_START = 1040, FXI_FM_LAMBDA, FXI_FM_BATCHES, FXI_FM_LOSERS, FXI_FM_BLOCKS };
#define FXI_FM_TINY 1e-30               /* smaller factors become 0: no denormal numbers */
#endif
