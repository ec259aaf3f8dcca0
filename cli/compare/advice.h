/* SPDX-License-Identifier: BSD-3-Clause
 * advice.h - between the parts of advice.c: which method to take (advice_rule.c, numbers alone),
 * how to train it (advice_command.c), and the words (advice.c). */
#ifndef ADVICE_H
#define ADVICE_H
#include "compare.h"

typedef struct scores {                 /* what the rule sees */
    size_t methods, seeds;              /* methods, simplest first */
    const double *score;                /* [methods][seeds]; NaN: not measured, nor what follows */
    bool falls;                         /* less is better: RMSE, else the share of right answers */
    double tested;                      /* different rows that scores are measured on, per seed */
    double tested_in_all;               /* .. and for all seeds together */
    double overlap;                     /* rows tested / rows trained on; 0: test rows are given */
} scores;

typedef struct recommendation {
    size_t seeds;                       /* the first seeds that count; 0: nothing was measured */
    size_t methods;                     /* that have them all; others are left out */
    size_t best, chosen;                /* positions; chosen: the simplest as good as the best */
} recommendation;
recommendation advice_rule(const scores *c);
double advice_rule_mean(const scores *c, size_t i, size_t seeds);
double advice_rule_rows(const scores *c, size_t seeds); /* different ones that were tested */
/* How much worse than another a method may score and still count as equally good. */
double advice_rule_margin(const scores *c, const recommendation *r, size_t better, size_t other);

/* The shell command that fits a method to all rows, with the median C of `seeds` seeds. */
int advice_command(FILE *f, const comparison *c, const method *m, size_t seeds);
#endif
