/* SPDX-License-Identifier: BSD-3-Clause
 * recommend_lines.h - recommendations as lines of CSV or JSON, with the reasons for each. */
#ifndef RECOMMEND_LINES_H
#define RECOMMEND_LINES_H
#include "terminal/terminal.h"

/* ---- recommend_reasons.c: the combinations that speak for an item --------------------------- */
typedef struct recommend_reasons {
    const fx_model *model;
    size_t output, n;                   /* n: wanted, 0: none */
    const fx_matrix *users, *items;     /* the pair: rows `user`, `item` */
    size_t user, item;
    fx_explanation *e;                  /* of the last pair */
    const fx_combination **found;       /* [founds] of e, the largest first */
    size_t founds;
} recommend_reasons;
/* The pair that is asked for; r itself. */
recommend_reasons *recommend_reasons_pair(recommend_reasons *r, const fx_matrix *users, size_t user,
                                          const fx_matrix *items, size_t item);
int recommend_reasons_find(recommend_reasons *r);
void recommend_reasons_free(recommend_reasons *r);

/* ---- recommend_lines.c ---------------------------------------------------------------------- */
typedef struct recommend_lines {
    const fx_model_info *c;
    bool json;                          /* or CSV */
    const char *user, *item;
    recommend_reasons reasons;
    strbuf text;                        /* lines that were added */
} recommend_lines;
bool recommend_lines_named(const char *path);   /* is it called .jsonl? */
void recommend_lines_begin(recommend_lines *l);
int recommend_lines_add(recommend_lines *l, size_t rank, double score, recommend_reasons *why);
void recommend_lines_free(recommend_lines *l);
#endif
