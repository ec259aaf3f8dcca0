/* SPDX-License-Identifier: BSD-3-Clause
 * compare.h - the leaderboard: every method that suits the rows, measured by one rule.
 *
 *   cmd_compare.c        measures each method with each seed (models/trial.c)
 *   compare_rows.c       reads and splits the rows;  compare_sample.c  draws them
 *   methods.c            which methods;  kernel_setup.c  their scaling and C
 *   compare_table.c      table;  compare_files.c  CSV, JSON;  compare_figure.c  figure
 *   advice_rule.c        which method to take, by scores alone (doc/math.md#advice)
 *   advice_command.c     how to train
 *   advice.c             the paragraph */
#ifndef COMPARE_H
#define COMPARE_H
#include "models/models.h"

enum { COMPARE_METHODS = 64, COMPARE_SEEDS = 32, COMPARE_TRIES = 16 };

typedef struct method {                 /* a line; in order of simplicity: the advice prefers the
                                         * first of those that are as good as the best */
    char name[96];                      /* "rk anova:order=2, 4x" */
    char family[64];                    /* a line of the figure: "rk anova:order=2" */
    char model[FITTING_SPEC];
    const char *kernel, *map, *scale;   /* or NULL */
    size_t features;                    /* asked for; 0: no map */
    double choose[COMPARE_TRIES];       /* C, or factors of beta: as many for all */
    size_t tries;
    char left_out[256];                 /* why it is not run; "": it is */
    trial trial[COMPARE_SEEDS];         /* of seeds cli.seed .. */
    size_t done;                        /* seeds that were measured: the first ones */
    char failed[256];                   /* why seed number `done` failed; then no more are tried.
                                         * "": none did */
    bool no_memory;                     /* .. because memory ran out or the limit was reached */
} method;

typedef struct comparison {
    const char *methods, *features, *exact; /* options; methods may be NULL: all */
    const char *test_path;              /* or NULL */
    uint64_t max_rows;                  /* rows to look at */
    loaded X, test;                     /* test.data NULL: a part of X */
    bool regress;
    const char *metric;                 /* what decides; NULL: accuracy or rmse */
    size_t rows, cols;                  /* that are used */
    size_t train, valid, tested;        /* rows in each part */
    uint64_t seeds;
    double constant[COMPARE_SEEDS];     /* score of one answer for all rows, by seed */
    method *list;                       /* [COMPARE_METHODS] */
    size_t n;
    bool interrupted;                   /* what is here is not all */
    const char *scale;                  /* of the rows, unless the method has its own reasons */
} comparison;

/* compare_rows.c */
int compare_rows(comparison *c, const char *data);
int compare_split(parts *p, const comparison *c, uint64_t seed);

/* compare_sample.c */
typedef struct draw {                   /* what the first pass over a file finds */
    loaded found;                       /* its table has no rows */
    task_labels labels;
    row_sample sample;                  /* rows and labels are counted; texts by their classes */
} draw;
int compare_count(draw *s, const char *path, const load_options *like);        /* and says it */
/* max_rows of them, fewer than there are, as row_sample.c draws them. */
int compare_sample(loaded *l, draw *s, const char *path, const load_options *like,
                   size_t max_rows, bool regress);
void compare_sample_free(draw *s);

/* methods.c: depends only on the shape of the rows, never on a clock, so that a seed gives the same
 * lines. */
#define METHODS_NAMES                                                                              \
    "linear, explicit, " COMPARE_PAIRS ", " COMPARE_TRIPLES ", " COMPARE_SUBSETS                   \
    ", rk, ts, rm, rff, exact"
int methods_check(const comparison *c);  /* early: the options */
int methods_enter(comparison *c);

/* compare_table.c */
typedef struct spread { double mean, sd; size_t n; } spread;    /* sd NaN: n < 2 */
/* Over seeds; what: a metric, "train_seconds", "test_seconds", "bytes", "memory". */
spread compare_spread(const method *m, const char *what);
/* The number of seeds, of the first `seeds`, that chose the weakest penalty on offer: a weaker one
 * may be better. */
size_t compare_ends(const method *m, size_t seeds);
size_t compare_remarked(const method *m, fx_status s);  /* seeds whose fit ended with that */
/* The methods that were measured, best first; among equals the simpler one first. free() it. */
const method **compare_ranking(const comparison *c, size_t *n);
int compare_print(const comparison *c, const char *advice);              /* to stdout */

/* compare_files.c */
int compare_csv(output *o, const comparison *c);        /* closes it */
json_t *compare_json(const comparison *c, const char *advice);

/* advice.c: one paragraph.  It depends only on scores and sizes, never on seconds; differences
 * within the spread over seeds do not count. */
char *advice_of(const comparison *c);    /* free() it; NULL: no memory */
int compare_figure(plot *p, const char *path, const comparison *c); /* compare_figure.c */
#endif
