/* SPDX-License-Identifier: BSD-3-Clause
 * reproduce.h - what cmd_reproduce.c asks of one experiment. */
#ifndef REPRODUCE_H
#define REPRODUCE_H
#include "recipe.h"

typedef struct reproduce_options {
    const char *directory;              /* of the outputs */
    bool restart, image;
    uint64_t seeds;                     /* in place of the recipe's; 0: not given */
} reproduce_options;

/* Early check of all requested recipes: is the data there, and can results be written or
 * continued? */
int reproduce_data(const recipe *r, const datasets *s);
int reproduce_place(const recipe *r, const reproduce_options *how);
/* EXIT_NO: all is written, a check is not met.  *result: with --json. */
int reproduce_run(json_t **result, const recipe *r, datasets *known, const reproduce_options *how);

/* reproduce_table.c */
int reproduce_print(const recipe *r, const records *k); /* to stdout, a screen of it */
void reproduce_note(const recipe *r, const records *k, size_t cell); /* the same, as talk */
#endif
