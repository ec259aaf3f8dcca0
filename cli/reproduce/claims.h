/* SPDX-License-Identifier: BSD-3-Clause
 * claims.h - a check in words: claims.c reads it, claims_decide.c finds out. */
#ifndef CHECK_H
#define CHECK_H
#include "recipe.h"

enum { CHECK_WORDS = 10 };

typedef struct wish {                   /* a line */
    char text[256];
    const char *word[CHECK_WORDS];      /* word[0] is X, word[1] the form */
    size_t words, column;               /* the place of X among what is measured */
    const char *series, *other, *by, *panel; /* S, T, D, P; or NULL */
    double limit;
    bool sd, least;
} wish;

typedef struct findings {
    claim *at;
    size_t n, most;
    const recipe *r;
    const records *k;
} findings;

void claims_paper(findings *f, const wish *w);
void claims_reach(findings *f, const wish *w);
void claims_slope(findings *f, const wish *w);
void claims_ratio(findings *f, const wish *w);
#endif
