/* SPDX-License-Identifier: BSD-3-Clause
 * links.h - between the files of links: links_text.c reads nodes and links, links_draw.c chooses
 * pairs, pairs.c remembers them, links.c makes rows. */
#ifndef FXI_LINKS_H
#define FXI_LINKS_H
#include "data/data.h"

/* A pair of nodes a, b is the number a * (nodes of B) + b; within A: a < b. */
typedef struct fxi_links {              /* zeros at first */
    const fx_table *A, *B;              /* B is A where links are within A */
    bool within;
    uint64_t pairs;                     /* of different nodes, as many as can be linked */
    uint64_t *link;                     /* [links] as in the text, then in random order .. */
    size_t links, train;                /* .. those for training first */
    uint64_t *drawn;                    /* other pairs, those for training first */
    fxi_data_pairs known;               /* links and drawn pairs; marked: in train */
} fxi_links;
/* A, B, within are set; fills pairs, link and the table. */
fx_status fxi_data_links_text(fxi_links *l, const char *text, const fx_run *run, fxi_team *team);
/* Halves of the links and drawn pairs: for_each for each link of training, for_held for each of the
 * others. */
fx_status fxi_data_links_draw(fxi_links *l, size_t for_each, size_t for_held, uint64_t seed,
                              const fx_run *run, fxi_team *team);
#endif
