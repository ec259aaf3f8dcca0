/* SPDX-License-Identifier: BSD-3-Clause
 * pass.h - inside the library: questions to all rows, and the numbers that answer them.
 *
 * A solver that works by passes never sees a row.  It asks for sums over all rows, and a question
 * carries all that the answer depends on; what rows keep from one question to the next are caches.
 * So it does not matter where the rows are: in memory, in a file, on other machines.
 *
 * Nor does it matter how they are divided.  Rows are summed in runs, each in the order of its rows;
 * the length of a run depends on the data alone, and every run begins at a multiple of it.  The sum
 * of a run is added to an exact sum (linalg/sum.h), which has the same bits in any order. */
#ifndef FXI_PASS_H
#define FXI_PASS_H
#include "data/data.h"
#include "linalg/sum.h"

enum { FXI_PASS_BLOCK = 4096 };         /* rows: a part of the data is a run of such blocks */

/* ---- Questions ------------------------------------------------------------------------------
 * Plain numbers, so that a question can be sent as bytes.  What they mean is said where the
 * question is answered. */
typedef enum fxi_ask {
    FXI_ASK_GRADIENT,                   /* fit/newton_pass.c: value, gradient and more at w */
    FXI_ASK_PRODUCT,                    /* the Hessian at w times v */
    FXI_ASK_LINE,                       /* value, slope and curvature along v */
    FXI_ASK_HESSIAN,                    /* fit/newton_hessian.c: that of a sample of the rows */
    FXI_ASK_FM,                         /* fm/gradient_pass.c: loss and derivatives at w */
    FXI_ASK_MEAN,                       /* fit/pca_pass.c: sums of features and their squares */
    FXI_ASK_SPREAD,                     /* the matrix of variances times vectors */
    FXI_ASK_MOMENT,                     /* fit/pca_moment.c: the matrix itself */
    FXI_ASK_FM_COUNT,                   /* fm/adagrad.h: what rows hold .. */
    FXI_ASK_FM_VALUE,                   /* .. their loss .. */
    FXI_ASK_FM_EPOCH,                   /* .. and the state after an epoch */
    FXI_ASK_MISTAKES,                   /* kind/perceptron.c: a pass of the perceptron */
    FXI_ASKS
} fxi_ask;

typedef struct fxi_question {
    fxi_ask what;
    uint32_t flags;
    double t;
    const double *w, *v;                /* [ws], [vs]; NULL: none */
    size_t ws, vs;
} fxi_question;

/* Who answers a solver: gives the numbers of the answer. */
typedef struct fxi_passes {
    size_t rows, features;
    fx_status (*ask)(struct fxi_passes *a, double *answer, const fxi_question *q);
    size_t numbers;                     /* stored in all rows, if they are sparse; else 0 */
} fxi_passes;

/* run.c - rows of a run, by the data alone. */
size_t fxi_pass_run(size_t rows, size_t features, size_t numbers, bool sparse);

/* ---- answer.c: an answer in the making -------------------------------------------------------
 * The numbers of an answer are sums over rows; or counts: whole numbers below 2^53, which doubles
 * add exactly in any order; or a state that each row changes: all rows are added to one answer, in
 * the order that the question has (fxi_kind.order). */
typedef struct fxi_answer {
    size_t numbers;                     /* of the answer */
    bool counts, state;                 /* a state is kept as counts are */
    uint64_t rows;                      /* that were added */
    size_t run;                         /* rows of a run */
    size_t threads, capacity;           /* capacity: of numbers, in whole blocks of FXI_SUM */
    fx_run how;
    double *sum;                        /* [threads + 1][capacity] runs; the last: one that goes
                                         * on */
    fxi_sum *exact;                     /* [threads][capacity / FXI_SUM] */
    double *count;                      /* [numbers] 64-byte aligned if the answer owns it */
    size_t counted;                     /* capacity of count, if the answer owns it */
    bool open;                          /* a run goes on .. */
    uint64_t next;                      /* .. with this row */
} fxi_answer;
bool fxi_pass_answer_bytes(size_t *bytes, size_t numbers, size_t threads);
/* For answers to come; runs: how many there will be, at least; work: operations of a pass. */
fx_status fxi_pass_answer_new(fxi_answer *out, size_t run_rows, size_t runs, double work,
                              const fx_run *run);
void fxi_pass_answer_free(fxi_answer *a);
/* Begins an answer of sums, or of counts: in `count`, or in memory of its own if that is NULL; or
 * of a state, zeros at first, in memory of its own. */
fx_status fxi_pass_answer_sums(fxi_answer *a, size_t numbers);
fx_status fxi_pass_answer_counts(fxi_answer *a, size_t numbers, double *count);
fx_status fxi_pass_answer_state(fxi_answer *a, size_t numbers);
/* Adds rows by fn, which adds rows i..end - 1 of these, all of one run, to sum[numbers].  `first`:
 * the number of the first row in the data, a multiple of FXI_PASS_BLOCK, and so is `rows` unless
 * they are the last.  Where runs are longer than that, rows must come in their order.  last: the
 * data ends with them. */
typedef fx_status fxi_pass_rows(void *ctx, double *sum, size_t i, size_t end, fxi_team *team);
fx_status fxi_pass_answer_add(fxi_answer *a, fxi_pass_rows *fn, void *ctx, size_t rows,
                              uint64_t first, bool last);
/* The numbers, rounded. */
void fxi_pass_answer_round(double *out, fxi_answer *a);

/* ---- message.c, message_read.c: numbers and texts as bytes -------------------------------------
 * A header with a name of 8 bytes, the length and a checksum; then numbers and arrays, each padded
 * to 8 bytes, as this machine has them (little-endian). */
typedef struct fxi_message {            /* zeros at first; free(at) */
    unsigned char *at;
    size_t len, capacity;
    bool failed;                        /* no memory */
} fxi_message;
enum { FXI_MESSAGE_HEADER = 24 };
void fxi_pass_message(fxi_message *m, const char name[8]);
/* As they are: fx_sink.write. */
int fxi_pass_message_write(void *message, const void *bytes, size_t len);
void fxi_pass_message_put(fxi_message *m, const void *bytes, size_t len);   /* padded */
void fxi_pass_message_count(fxi_message *m, uint64_t x);
void fxi_pass_message_number(fxi_message *m, double x);
void fxi_pass_message_numbers(fxi_message *m, const double *x, size_t n);       /* or NULL */
void fxi_pass_message_text(fxi_message *m, const char *text);                   /* or NULL */
fx_status fxi_pass_message_end(fxi_message *m);         /* length and checksum; FX_ENOMEM */

typedef struct fxi_reading {            /* a message that is being read */
    const unsigned char *at;
    size_t left;
    bool bad;                           /* it ended too early, or has what cannot be */
    void *copy;                         /* of bytes that were not aligned */
} fxi_reading;
/* FX_EFORMAT, with `what` in the message, if length, name or checksum are wrong. */
fx_status fxi_pass_message_read(fxi_reading *r, const void *bytes, size_t len, const char name[8],
                           const char *what);
const void *fxi_pass_message_read_take(fxi_reading *r, size_t len);  /* NULL: bad */
uint64_t fxi_pass_message_read_count(fxi_reading *r);
double fxi_pass_message_read_number(fxi_reading *r);
const double *fxi_pass_message_read_numbers(fxi_reading *r, size_t *n);
const char *fxi_pass_message_read_text(fxi_reading *r);
/* FX_EFORMAT unless all was read and nothing was bad; frees the copy. */
fx_status fxi_pass_message_read_end(fxi_reading *r, const char *what);

/* ---- bytes.c: questions and answers as parts of a message ------------------------------------ */
void fxi_pass_bytes_question(fxi_message *m, const fxi_question *q);
void fxi_pass_bytes_read_question(fxi_question *q, fxi_reading *r);     /* borrows from r */
/* FX_EINVAL if a run does not end with the rows. */
fx_status fxi_pass_bytes_answer(fxi_message *m, fxi_answer *a);
/* Adds what another answer to the same question holds; of a state: takes it, FX_EINVAL if there are
 * rows already. */
fx_status fxi_pass_bytes_merge(fxi_answer *a, fxi_reading *r);
#endif
