/* SPDX-License-Identifier: BSD-3-Clause
 * fit.h - inside the library: linear models fitted on a source of blocks of features.
 *
 *   min over w, b of  penalty(w) + sum_i c_i loss(y_i, f_i),   f_i = <w, z_i> + b
 *
 * penalty 0.5 |w|^2, or |w|_1 for l1.c.  The intercept b is free (not penalised), appended
 * (penalised as the weight of a constant feature 1) or none (0).  Rows with c_i = 0 are absent:
 * cross-validation is weights on one source. */
#ifndef FXI_FIT_H
#define FXI_FIT_H
#include "data/data.h"
#include "loss/loss.h"
#include "map/map.h"

/* ---- source.c: rows of features, in blocks --------------------------------------------------
 * The numbers of a table, or a map's features: stored once as floats (sparse where most are 0), or,
 * if memory is short, computed when a block is visited.  Blocks depend on the shape alone, and both
 * cases are visited by the same blocks or runs, so the memory limit never changes a model. */
typedef struct fxi_source {
    const fx_matrix *X;                 /* rows as given, checked */
    const fx_map *map;                  /* NULL: features are the numbers of X */
    size_t rows, features;
    size_t block, blocks;               /* rows of a block (the last may have fewer); how many */
    size_t piece;                       /* a power of two <= block: a visit may also be of rows from
                                         * a multiple of it on */
    size_t stride;                      /* mapped rows: features, rounded up to FXI_LANES */
    bool sparse;                        /* blocks are CSR */
    size_t numbers;                     /* in all rows: those stored, if sparse */
    float *Z;                           /* [rows][stride] mapped, then zeros; NULL: not stored */
    fx_matrix crossed;                  /* the same, sparse; owned; ptr NULL: not stored */
    size_t buffer;                      /* floats of the buffer each visitor needs; 0: none */
} fxi_source;
/* X and map must live as long as the source.  Stores features if they fit into `keep` bytes. */
fx_status fxi_fit_source(fxi_source *out, const fx_matrix *X, const fx_map *map, uint64_t keep,
                         const fx_run *run);
/* Of some of the rows, as all of them together are; nothing is stored. */
fx_status fxi_fit_source_part(fxi_source *out, const fx_matrix *X, const fx_map *map, bool sparse,
                              const fx_run *run);
/* Are a map's features of sparse rows sparse, if so many are not 0? */
bool fxi_fit_source_sparse(uint64_t numbers, uint64_t rows, size_t features);
void fxi_fit_source_free(fxi_source *s);
size_t fxi_fit_source_bytes(const fxi_source *s);       /* of stored features */
/* Block b as a view: into Z, X or the visitor's 64-byte aligned buffer. */
fx_status fxi_fit_source_block(fx_matrix *out, const fxi_source *s, size_t b, float *buffer,
                               const fx_run *run);
/* At most n rows from `first` on, all of one block or piece. */
fx_status fxi_fit_source_run(fx_matrix *out, const fxi_source *s, size_t first, size_t n,
                             float *buffer, const fx_run *run);
/* Scores f[i*outputs + c] = <W[.][c], z_i> + b[c] of all rows; W is features x outputs. */
fx_status fxi_fit_source_scores(double *f, const fxi_source *s, const double *W, const double *b,
                                size_t outputs, const fx_run *run);

/* fn(ctx, i, z_i) for all rows in order, in the calling thread. */
typedef void fxi_source_row(void *ctx, size_t i, const fxi_row *z);
fx_status fxi_fit_source_rows(const fxi_source *s, fxi_source_row *fn, void *ctx,
                              const fx_run *run);

/* ---- row.c: what solvers do with one row, dense or sparse, float or double ------------------ */
double fxi_fit_row_dot(fxi_row r, const double *w, const fxi_simd *simd);
/* The same of four rows, to the same bits, in less time if they are sparse. */
void fxi_fit_row_dots(double out[4], const fxi_row r[4], const double *w, const fxi_simd *simd);
void fxi_fit_row_add(double *w, double a, fxi_row r, const fxi_simd *simd);     /* w += a z */
double fxi_fit_row_square(fxi_row r, const fxi_simd *simd);                     /* |z|^2 */

/* ---- Problems and solutions ----------------------------------------------------------------- */
typedef enum fxi_intercept { FXI_FREE, FXI_APPENDED, FXI_NONE } fxi_intercept;

typedef struct fxi_solution {           /* on entry: the start; zeros, or an earlier solution */
    double *w;                          /* [features] */
    double b;
    double *beta;                       /* [rows] dual.c, proximal.c: w = sum beta_i z_i; or NULL */
    double *neg_loss_gradient;          /* [features] newton.c puts sum_i -c_i loss'(y_i, f_i) z_i
                                         * there; NULL to skip */
    double **factor;                    /* newton.c leaves its preconditioner there, or NULL, for a
                                         * later call; free() it; NULL to skip */
    double objective;
    double gap;                         /* at least (objective - optimum) / objective */
    size_t iterations;
    bool converged;                     /* gap <= tol */
    bool stalled;                       /* patience is used up */
    bool dual;                          /* kind/linear.c: dual.c ended the last fit, so that w
                                         * follows from beta */
    bool indefinite;                    /* smo.c */
} fxi_solution;

typedef struct fxi_problem {
    const fxi_source *source;
    struct fxi_passes *passes;          /* pass/pass.h: newton.c asks these instead of source, y and
                                         * c; NULL: rows are in memory */
    const fxi_loss *loss;
    double epsilon;
    const double *y;                    /* [rows] +1 or -1, or targets */
    const double *c;                    /* [rows] C times weights, >= 0 */
    fxi_intercept intercept;
    double tol;                         /* stop at this relative gap */
    size_t max_iter;                    /* or after this many passes: not converged */
    size_t patience;                    /* newton.c: end after this many passes if steps are short;
                                         * dual.c: end if more visits per row are predicted; 0:
                                         * never */
    uint64_t seed;                      /* for the order in which blocks and rows are visited */
    const fx_kernel *kernel;            /* of kernel machines: the source's rows are plain */
    uint64_t cache;                     /* smo.c: bytes that it may use in all */
    /* After each iteration, with what is known then (objective and gap may be NaN); NULL to
     * skip.  A failure ends the fit. */
    fx_status (*step)(void *ctx, const fxi_solution *now);
    void *ctx;
} fxi_problem;

/* Each leaves a usable solution and returns FX_OK whether or not it converged. */
fx_status fxi_fit_dual(fxi_solution *s, const fxi_problem *p, const fx_run *run);
/* Newton's method adds its passes to s->iterations. */
fx_status fxi_fit_newton(fxi_solution *s, const fxi_problem *p, const fx_run *run);
/* What it takes besides its passes (newton.h), at most. */
bool fxi_fit_newton_bytes(size_t *bytes, size_t rows, size_t features);
fx_status fxi_fit_l1(fxi_solution *s, const fxi_problem *p, const fx_run *run);
/* The same by passes (newton.h): rows need not be in memory.  What it takes besides them. */
fx_status fxi_fit_l1_passes(fxi_solution *s, const fxi_problem *p, const fx_run *run);
bool fxi_fit_l1_passes_bytes(size_t *bytes, size_t features);
/* Losses with a rounded version, by Newton's method.  Starts from s->beta too.  If s->iterations is
 * not 0 another solver made s: passes are added, and only a smaller objective replaces it. */
fx_status fxi_fit_proximal(fxi_solution *s, const fxi_problem *p, const fx_run *run);

/* perceptron.c - online: one pass over the rows in the order given.  The state lets a later pass
 * resume. */
typedef struct fxi_perceptron {
    double *w, b;                       /* [n] features or rows; now */
    double *sum, sum_b;                 /* [n] sum of step number times update */
    int64_t *age;                       /* kernel_perceptron.c: [n] step of the last
                                         * mistake, 0: none */
    uint64_t steps;                     /* rows seen with c > 0 */
    uint64_t mistakes;                  /* of the last pass */
} fxi_perceptron;
fx_status fxi_fit_perceptron(fxi_perceptron *s, const fxi_problem *p, const fx_run *run);
/* The mean of the weights over all steps, to w[n] and *b. */
void fxi_fit_perceptron_mean(double *w, double *b, const fxi_perceptron *s, size_t n);

/* ---- Kernel machines: f(x) = sum_i beta_i K(x_i, x) + b ----------------------------------------
 *
 *   min over f, b of  0.5 |f|^2 + sum_i c_i loss(y_i, f(x_i) + b),   |f|^2 = beta' K beta
 *
 * The same problems, with p->kernel and without w; rows with c_i = 0 are absent and get beta_i = 0.
 * The intercept is free.  s->beta [rows] is where to start (feasible: zeros, or the solution for
 * smaller c) and the result. */

/* smo.c - hinge and epsilon-insensitive loss.  tol bounds the violation of the optimality
 * conditions (as LIBSVM's -e), gap is what was reached; an iteration is a step of two betas.
 * s->indefinite: K turned out not to be positive semidefinite, so there is no gap.  Uses p->cache
 * bytes, or its minimum if that is more: */
fx_status fxi_fit_smo(fxi_solution *s, const fxi_problem *p, const fx_run *run);
bool fxi_fit_smo_bytes(size_t *bytes, size_t rows);     /* the least */

/* kernel_ridge.c - squared loss, exactly: one factorisation, in place, of the symmetric n x n
 * matrix of the n rows with c > 0. */
fx_status fxi_fit_kernel_ridge(fxi_solution *s, const fxi_problem *p, const fx_run *run);
bool fxi_fit_kernel_ridge_bytes(size_t *bytes, size_t rows);

/* kernel_perceptron.c - one pass over the rows from `first` on, as fxi_fit_perceptron, with w and
 * sum over rows instead of features.  budget > 0: at most this many rows have w other than 0; the
 * one whose last mistake is the oldest is dropped first, and its part of the mean with it. */
fx_status fxi_fit_kernel_perceptron(fxi_perceptron *s, const fxi_problem *p, size_t first,
                                    size_t budget, const fx_run *run);

/* pca.c - the k directions of largest variance: component c of a row z is <W[.][c], z> + b[c], with
 * mean 0 and variance value[c] (divisor: the sum of the weights c_i) over the source's rows.  W is
 * [features][k], columns of length 1, their largest number positive, or of zeros where no variance
 * is left.  *total: variance in all directions.  1 <= k <= features and rows with c > 0.  seed: of
 * the start.  FX_NOT_CONVERGED: usable. */
fx_status fxi_fit_pca(double *W, double *b, double *value, double *total, const fxi_source *s,
                      const double *c, size_t k, uint64_t seed, const fx_run *run);
/* The same by passes (pca.h). */
fx_status fxi_fit_pca_by(double *W, double *b, double *value, double *total,
                         struct fxi_passes *rows, size_t k, uint64_t seed, const fx_run *run);
/* Only rows, features and numbers of s are used; numbers 0: rows are dense.  A search among at most
 * `threads` threads. */
bool fxi_fit_pca_bytes(size_t *bytes, const fxi_source *s, size_t k, size_t threads);
/* kernel_pca.c - the same in the kernel's space: component c is sum_i W[i][c] K(x_i, x) + b[c]; W
 * is [rows][k].  Holds the Gram matrix. */
fx_status fxi_fit_kernel_pca(double *W, double *b, double *value, double *total,
                             const fx_kernel *kernel, const fx_matrix *X, const double *c, size_t k,
                             uint64_t seed, const fx_run *run);
bool fxi_fit_kernel_pca_bytes(size_t *bytes, size_t rows, size_t k);

/* streams; see data/data.h */
enum { FXI_FIT_BLOCKS = 1020, FXI_FIT_ROWS, FXI_FIT_COLUMNS, FXI_FIT_PCA, FXI_FIT_HESSIAN };
#endif
