/* SPDX-License-Identifier: BSD-3-Clause
 * pass.h - between pass.c, which answers requests, and passes.c, which makes them. */
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
    uint64_t rows, next, visited;       /* rows added; the number of the next; blocks added */
    size_t *held;                       /* [blocks of FXI_PASS_BLOCK + 1] rows that are held out before
                                         * each; HELD */
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
/* Adds an answer to what was begun. */
fx_status fxi_train_pass_merge(fx_pass *p, const void *bytes, size_t len);
#endif
