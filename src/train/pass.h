/* SPDX-License-Identifier: BSD-3-Clause
 * pass.h - between the files that answer a request (pass.c, pass_*.c), and passes.c, which makes
 * it. */
#ifndef FXI_TRAIN_PASS_H
#define FXI_TRAIN_PASS_H
#include "train/train.h"

typedef struct fxi_sampled { uint64_t first; fx_data *rows; } fxi_sampled; /* first: its number */

struct fx_pass {
    fx_run run;
    fxi_message bytes;                  /* the request .. */
    fxi_reading reading;
    fxi_request request;                /* .. read */
    bool begun;
    uint64_t rows, next, visited;       /* rows added; the number after the last; blocks added */
    size_t *held;                       /* [blocks of FXI_PASS_BLOCK + 1] rows that are held out
                                         * before each; HELD */
    double *w;                          /* the question's w, aligned; HELD */
    size_t *order, blocks;              /* [blocks] numbers of blocks in the order of a state; NULL:
                                         * that of the data */
    fxi_survey survey;                  /* SURVEY */
    fxi_sampled *sample;                /* [request.rows], SAMPLE: */
    size_t samples;
    fxi_answer answer;                  /* WEIGHTS, QUESTION */
    /* The setup of the last request, and what was made of it. */
    unsigned char *setup;
    size_t setup_bytes;
    fxi_stream stream;
    fx_plan plan;
    fx_data *table;
    fxi_missing missing;                /* COLUMNS: how rows are filled, if `columns` are known */
    int64_t *columns;
    fxi_train train;                    /* if `prepared` */
    bool prepared;
};

/* pass_part.c - a part of the rows for the output that is asked about: x has train, output, first
 * and all; to be closed after a failure, too. */
fx_status fxi_train_pass_part_open(fxi_part *x, const fx_pass *p, const fx_table *given);
void fxi_train_pass_part_close(fxi_part *x);

/* pass_rows.c - adds rows of t to an answer that needs no model; columns_begin: how many sums. */
fx_status fxi_train_pass_rows_weights(fx_pass *p, const fx_table *t, uint64_t first);
fx_status fxi_train_pass_rows_columns_begin(size_t *numbers, fx_pass *p);
fx_status fxi_train_pass_rows_columns(fx_pass *p, const fx_table *given);
fx_status fxi_train_pass_rows_sample(fx_pass *p, const fx_table *t, uint64_t first);

/* pass_held.c - rows that are held out. */
bool fxi_train_pass_held(const fx_pass *p, uint64_t row);       /* true: that row is */
fx_status fxi_train_pass_held_check(const fx_pass *p);          /* the request has a bit for each */
fx_status fxi_train_pass_held_begin(fx_pass *p);
fx_status fxi_train_pass_held_add(fx_pass *p, const fxi_part *x);

/* pass_bytes.c - the answer as a message; adds such an answer to what was begun. */
fx_status fxi_train_pass_bytes(fxi_message *m, fx_pass *p);
fx_status fxi_train_pass_bytes_merge(fx_pass *p, const void *bytes, size_t len);
#endif
