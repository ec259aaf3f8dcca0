/* SPDX-License-Identifier: BSD-3-Clause
 * make.h - between make.c, which owns memory and threads, and the synthetic sets. */
#ifndef FXI_DATA_MAKE_H
#define FXI_DATA_MAKE_H
#include "data/data.h"

/* A set while it is made: every row stores the same count of numbers. */
typedef struct fxi_making {
    uint64_t seed;
    size_t n, cols;
    size_t stored;                      /* numbers in each row; cols if dense */
    bool dense;
    fx_type type;
    double noise;                       /* share of labels that are flipped */
    size_t m, k;                        /* features in a planted set; how many sets */
    size_t levels;                      /* fields: of each */
    size_t extra;                       /* bytes that plant and finish allocate */
    size_t slots;                       /* pairs, triples: of the set of features drawn */
    size_t *feature;                    /* planted features first; or NULL.  free() */
    double effect;                      /* pairs, triples: of a set on log-odds; 0: it decides */
    double *chance;                     /* [k + 1] of a positive label, by sets; or NULL.  free() */
    double *popularity;                 /* fields: [levels] cumulated; or NULL.  free() */
} fxi_making;

typedef struct fxi_data_set {
    const char *name, *help;
    const fx_key *keys;
    /* Reads and checks the keys other than n and noise; allocates nothing. */
    fx_status (*start)(fxi_making *m, const fxi_spec *s, const fx_key *keys);
    /* Draws what all rows share. */
    fx_status (*plant)(fxi_making *m);
    /* Row i into col (ascending; NULL if dense) and val (of m->type; 1 where a sparse row leaves
     * it); returns the label without noise.  `drawn` is [slots] zeros and must be so again. */
    double (*row)(const fxi_making *m, size_t i, int32_t *col, void *val, uint32_t *drawn);
    fx_status (*finish)(const fxi_making *m, fx_data *d);       /* names; or NULL */
    const char *planted;                /* text if it is always the same; NULL: m->feature */
} fxi_data_set;

extern const fxi_data_set fxi_data_make_pairs, fxi_data_make_triples, fxi_data_make_parity,
    fxi_data_make_fields, fxi_data_make_dense_positive;

fx_status fxi_data_make_one(fxi_making *m);     /* plants one set of m->m features */

/* The random numbers of row i: draw 0 decides whether its label is flipped, the row itself uses
 * draws from 1 on. */
static inline fxi_rng fxi_data_make_row(const fxi_making *m, size_t i)
{
    return (fxi_rng){m->seed, (uint64_t)FXI_DATA_MAKE << 48 | (uint64_t)i};
}
#endif
