/* SPDX-License-Identifier: BSD-3-Clause
 * pass.h - inside solvers: questions to all rows, and who answers them.
 *
 * A solver that works by passes never sees a row.  It asks for sums over all rows, and a question
 * carries all that the answer depends on; what rows keep from one question to the next are caches.
 * So it does not matter where the rows are: in memory (pass.c), in a file, on other machines.
 *
 * Nor does it matter how they are divided.  Rows are summed in runs, each in the order of its rows;
 * the length of a run depends on the data alone, and every run begins at a multiple of it.  The sum
 * of a run is added to an exact sum (linalg/sum.h), which has the same bits in any order. */
#ifndef FXI_FIT_PASS_H
#define FXI_FIT_PASS_H
#include "fit/fit.h"
#include "linalg/sum.h"

typedef enum fxi_ask {
    FXI_ASK_GRADIENT,                   /* value, gradient and more at w */
    FXI_ASK_PRODUCT,                    /* sum_i D_i <v, z_i> z_i, D_i the curvature at w */
    FXI_ASK_LINE                        /* value, slope and curvature at w + t v, along v */
} fxi_ask;

typedef struct fxi_question {
    fxi_ask what;
    bool first, squares;                /* gradient: also sum_i D_i z_i; sum_i D_i z_i^2 */
    const double *w;                    /* [features + 1], the intercept last */
    bool flat;                          /* w is 0 but for the intercept */
    const double *v;                    /* the same; line: NULL for the intercept alone */
    double t;
} fxi_question;

/* An answer: one block of numbers about all features, then vectors, each padded to whole blocks. */
enum { FXI_ANSWER_VALUE, FXI_ANSWER_SLOPE, FXI_ANSWER_CURVE, FXI_ANSWER_SIZE };
static inline size_t fxi_answer_vectors(const fxi_question *q)
{
    return q->what == FXI_ASK_GRADIENT ? (size_t)1 + q->first + q->squares
                                       : q->what == FXI_ASK_PRODUCT;
}
static inline size_t fxi_answer_numbers(const fxi_question *q, size_t features)
{
    return FXI_SUM + fxi_answer_vectors(q) * fxi_sum_padded(features);
}
/* Vector k of an answer: the gradient or the product, then those that were asked for. */
static inline double *fxi_answer_vector(double *answer, size_t k, size_t features)
{
    return answer + FXI_SUM + k * fxi_sum_padded(features);
}

/* Some rows of a run, and what is known about them. */
typedef struct fxi_piece {
    const fx_matrix *Z;                 /* their features; NULL: not needed */
    size_t rows;
    const double *y, *c;
    double *f, *D, *q;                  /* [rows] scores by w without its intercept, c times the
                                         * curvature at w, scores by v; of rows with c > 0 */
    bool f_known, D_known, q_known;     /* else they are computed */
} fxi_piece;

/* newton_pass.c - true if the features are needed to answer; adds to the sums of a run; sets D of
 * all rows, if they are not known. */
bool fxi_fit_newton_pass_needs(const fxi_question *q, const fxi_piece *x);
void fxi_fit_newton_pass_add(double *sum, const fxi_question *q, const fxi_piece *x,
                             const fxi_problem *p, size_t features, const fxi_simd *simd,
                             fxi_team *team);
void fxi_fit_newton_pass_curves(const double *w, const fxi_piece *x, const fxi_problem *p,
                                size_t features, const fxi_simd *simd);

/* Called with pieces of blocks of FXI_PASS_BLOCK rows, those of a block in order, D known; row: the
 * number of the first; last: the block ends. */
typedef fx_status fxi_pass_visit(void *ctx, uint64_t row, const fxi_piece *x, bool last);

/* Who answers: sums[fxi_answer_numbers], rounded; or visits all rows at w. */
typedef struct fxi_passes {
    size_t rows, features;
    fx_status (*ask)(struct fxi_passes *a, double *sums, const fxi_question *q);
    fx_status (*each)(struct fxi_passes *a, const double *w, fxi_pass_visit *visit, void *ctx);
} fxi_passes;
enum { FXI_PASS_BLOCK = 4096 };         /* rows: a part of the data is a run of such blocks */
/* Rows of a run. */
size_t fxi_fit_pass_run(size_t rows, size_t features, size_t numbers, bool sparse);

/* pass.c - the sums of a pass, to which rows are added in any order: `first` is the number of the
 * first row of z in the data, a multiple of FXI_PASS_BLOCK, and so is the number of rows unless
 * they are the last.  Where runs are longer than that, rows must come in their order. */
typedef struct fxi_pass_sums {
    size_t features, run, threads, numbers;     /* numbers: of the longest answer */
    fx_run how;
    const fxi_simd *simd;
    double *sum;                        /* [threads][numbers], and that of a run that goes on */
    fxi_sum *exact;                     /* [threads][numbers / FXI_SUM] */
    float *buffer;                      /* [threads][buffered] */
    size_t buffered;
    bool open;                          /* a run goes on .. */
    uint64_t next;                      /* .. with this row */
} fxi_pass_sums;
bool fxi_fit_pass_sums_bytes(size_t *bytes, size_t features, size_t threads);
/* runs: how many there will be, at least. */
fx_status fxi_fit_pass_sums(fxi_pass_sums *out, size_t features, size_t run_rows, size_t runs,
                            double work, const fx_run *run);
void fxi_fit_pass_sums_free(fxi_pass_sums *a);
void fxi_fit_pass_sums_clear(fxi_pass_sums *a, const fxi_question *q);
/* x: as fxi_piece, of all rows of z.  last: the data ends with them. */
fx_status fxi_fit_pass_sums_add(fxi_pass_sums *a, const fxi_question *q, const fxi_problem *p,
                                const fxi_source *z, const fxi_piece *x, uint64_t first, bool last);
void fxi_fit_pass_sums_round(double *sums, fxi_pass_sums *a, const fxi_question *q);
/* Visits the rows of z. */
fx_status fxi_fit_pass_sums_each(fxi_pass_sums *a, const double *w, const fxi_problem *p,
                                 const fxi_source *z, const fxi_piece *x, uint64_t first,
                                 fxi_pass_visit *visit, void *ctx);

/* pass_memory.c - rows in memory. */
typedef struct fxi_pass_memory {
    fxi_passes passes;
    const fxi_problem *p;
    fxi_pass_sums sums;
    fxi_piece x;                        /* of all rows */
    double *w, *v;                      /* [features + 1] whose scores x.f and x.q are, and x.D at
                                         * w */
} fxi_pass_memory;
bool fxi_fit_pass_memory_bytes(size_t *bytes, size_t rows, size_t features, size_t threads);
fx_status fxi_fit_pass_memory(fxi_pass_memory *out, const fxi_problem *p, const fx_run *run);
void fxi_fit_pass_memory_free(fxi_pass_memory *a);
#endif
