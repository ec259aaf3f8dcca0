/* SPDX-License-Identifier: BSD-3-Clause
 * claims.h - a check of a recipe: claims.c parses it, claims_decide.c decides it. */
#ifndef CLAIMS_H
#define CLAIMS_H
#include "recipe.h"

enum { CLAIMS_WORDS = 10 };

typedef struct claim_line {             /* a line */
    char text[256];
    const char *word[CLAIMS_WORDS];     /* word[0] is X, word[1] the form */
    size_t words, column;               /* the place of X among what is measured */
    const char *series, *other, *by, *panel; /* S, T, D, P; or NULL */
    double limit;
    bool sd, lower;
} claim_line;

typedef struct findings {
    claim *at;
    size_t n, max_claims;
    const recipe *r;
    const records *k;
} findings;

void claims_decide_paper(findings *f, const claim_line *w);
void claims_decide_reach(findings *f, const claim_line *w);
void claims_decide_slope(findings *f, const claim_line *w);
void claims_decide_ratio(findings *f, const claim_line *w);
void claims_decide_bound(findings *f, const claim_line *w);
void claims_decide_share(findings *f, const claim_line *w);
#endif
