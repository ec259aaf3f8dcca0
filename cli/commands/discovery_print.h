/* SPDX-License-Identifier: BSD-3-Clause
 * discovery_print.h - what discover found, as a table and a sentence, as rules, CSV, JSON and a
 * figure. */
#ifndef DISCOVERY_PRINT_H
#define DISCOVERY_PRINT_H
#include "figures/figures.h"
#include "models/models.h"

typedef struct discovered {
    const fx_discovery *d;
    bool regress, rules, all;           /* all: also list what was eliminated */
    double seconds;
} discovered;

int discovery_print(const discovered *x);
int discovery_print_csv(const discovered *x);
int discovery_print_json(const discovered *x);
/* Effects with intervals, on an open plot. */
int discovery_plot(plot *p, const char *path, const discovered *x);

/* discovery_words.c - one combination: "age x sex=male"; the class, of several; free() what is
 * char *, NULL: no memory. */
char *discovery_words_set(const fx_model_info *c, const size_t *column, size_t order);
/* The sets that the data cannot tell from it, "= age x sex=male", "" if there are none. */
char *discovery_words_same(const fx_model_info *c, const fx_discovered *a);
const char *discovery_words_class(const fx_model_info *c, size_t output);      /* of a positive
                                                                                * effect */
/* What was found and what that means, for a quotation. */
char *discovery_words_sentence(const discovered *x);
char *discovery_words_caution(const discovered *x);
/* "if .. then ..", and how sure. */
typedef struct rule {
    char *when, *then;
    double confidence, lift;            /* targets: the mean, and its difference to that of all */
} rule;
bool discovery_words_rule(rule *out, const discovered *x, const fx_discovered *a);     /* false:
                                                                                        * none */
#endif
