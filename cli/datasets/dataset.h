/* SPDX-License-Identifier: BSD-3-Clause
 * dataset.h - what the files of named data sets share.  A set is one line of the table in
 * datasets.c and a function that makes its rows; how rows become parts is the same for all.
 *
 *   dataset_spec.c   a spec and its keys        dataset_files.c    files to rows
 *   dataset_parts.c  rows to parts             dataset_plain.c    tables of rows and labels
 *   dataset_make.c   synthetic rows            dataset_ratings.c  pairs with a number
 *   dataset_movielens.c, dataset_nips.c  pairs of nodes, linked or not */
#ifndef DATASET_H
#define DATASET_H
#include "datasets.h"

enum { DATASET_TRAIN, DATASET_VALID, DATASET_TEST, DATASET_PARTS };

typedef struct dataset_spec {           /* what a spec asks for */
    const struct dataset_kind *kind;
    const char *directory;              /* or NULL: none was given */
    const char *spec;
    fx_description made;                /* of synthetic rows: their kind, with its keys */
    size_t rows, test_rows;             /* at most; 0: all */
    double valid, test;                 /* shares */
    uint64_t seed;
} dataset_spec;

typedef struct dataset_rows {           /* rows of a part, before they are split or thinned */
    fx_data *data;
    fx_table table;                     /* its view; other labels or a greater width are beside */
    fx_matrix *wide;
    double *label;
} dataset_rows;

typedef struct dataset_kind {
    const char *name, *help;
    fx_key own;                         /* a key that only this set has; or nothing */
    /* More keys, which its value brings; or NULL. */
    int (*keys)(fx_description *d, const dataset_spec *w);
    double valid, test;                 /* shares if nothing is said; 0: there is such a part, or
                                         * none */
    bool own_valid, own_test;           /* parts that come with the set */
    bool regress;
    /* Fills r[DATASET_TRAIN] and the parts that come with the set. */
    int (*read)(dataset_rows r[DATASET_PARTS], const dataset_spec *w);
    const char *file[3];                /* in the directory; those there are */
    const char *otherwise;              /* does as well as the first */
    const char *positive;               /* class that is +1, the others being -1; or NULL: as is */
} dataset_kind;

/* ---- dataset_spec.c ---------------------------------------------------------------------- */
int dataset_spec_parse(dataset_spec *w, const dataset_kind *table, size_t n, const char *spec,
                       uint64_t seed);
/* Says that the value of a key is not what is expected. */
int dataset_spec_refuse(const dataset_spec *w, const char *key, spec_part v, const char *expected);
/* The value of a key, as given or its default. */
spec_part dataset_spec_value(const dataset_spec *w, const char *key);
bool dataset_spec_is(const dataset_spec *w, const char *key, const char *value);

/* ---- dataset_files.c: files in the directory, as they are or packed ---------------------- */
int dataset_files_check(const dataset_spec *w);         /* are all of them there? */
int dataset_files_slurp(char **text, const dataset_spec *w, int file); /* a number of the table */
int dataset_files_rows(dataset_rows *out, const dataset_spec *w, int file, const char *reader);
/* The same for a text in memory that was made from that file. */
int dataset_files_parse(dataset_rows *out, const dataset_spec *w, int file, const char *text,
                        const char *reader);
/* A copy of rows that stay the caller's. */
int dataset_files_take(dataset_rows *out, const fx_table *t);
/* out->data is there, unless s says why not. */
int dataset_files_made(dataset_rows *out, fx_status s);
/* The next line of *at, without its end; false: no more.  *at moves to the line after it. */
typedef struct dataset_line {
    const char *p, *end;
    size_t number;                      /* from 1; begin with a struct of zeros */
} dataset_line;
bool dataset_files_line(dataset_line *l, const char **at);
bool dataset_files_count(uint64_t *x, dataset_line *l); /* digits, with what is before them */
int dataset_files_error(const dataset_spec *w, int file, const dataset_line *l,
                        const char *expected);
/* Parts train and `other` of pairs of nodes of A and B, or within A if B is NULL. */
int dataset_files_links(dataset_rows r[DATASET_PARTS], const dataset_spec *w, const fx_table *A,
                        const fx_table *B, const char *links, const char *other);

/* ---- dataset_parts.c --------------------------------------------------------------------- */
int dataset_parts_make(parts *p, dataset_rows r[DATASET_PARTS], const dataset_spec *w);
void dataset_parts_drop(dataset_rows *r);

/* ---- The sets ----------------------------------------------------------------------------- */
int dataset_make_keys(fx_description *d, const dataset_spec *w);
int dataset_make_read(dataset_rows r[DATASET_PARTS], const dataset_spec *w);
int dataset_plain_read(dataset_rows r[DATASET_PARTS], const dataset_spec *w);
int dataset_plain_covtype(dataset_rows r[DATASET_PARTS], const dataset_spec *w);
int dataset_plain_nursery(dataset_rows r[DATASET_PARTS], const dataset_spec *w);
int dataset_plain_splice(dataset_rows r[DATASET_PARTS], const dataset_spec *w);
int dataset_ratings_movielens(dataset_rows r[DATASET_PARTS], const dataset_spec *w);
int dataset_ratings_lastfm(dataset_rows r[DATASET_PARTS], const dataset_spec *w);
int dataset_movielens_read(dataset_rows r[DATASET_PARTS], const dataset_spec *w);
int dataset_movielens_links(dataset_rows r[DATASET_PARTS], const dataset_spec *w);
int dataset_nips_read(dataset_rows r[DATASET_PARTS], const dataset_spec *w);
#endif
