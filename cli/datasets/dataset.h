/* SPDX-License-Identifier: BSD-3-Clause
 * dataset.h - what the files of named data sets share.  A set is one line of the table in datasets.c and
 * a function that makes its rows; how rows become parts is the same for all.
 *
 *   dataset_spec.c   a spec, taken apart       dataset_files.c    files to rows
 *   dataset_parts.c  rows to parts             dataset_plain.c    tables of rows and labels
 *   dataset_make.c   synthetic rows            dataset_ratings.c   pairs with a number
 *   dataset_movielens.c, dataset_nips.c  pairs of nodes, linked or not */
#ifndef SETS_H
#define SETS_H
#include "datasets.h"

enum { SETS_TRAIN, SETS_VALID, SETS_TEST, SETS_PARTS };

typedef struct sets_want {              /* what a spec asks for */
    const struct sets_kind *kind;
    const char *directory;              /* or NULL: none was given */
    char text[256];                     /* what the pairs point into */
    struct { const char *key, *value; } pair[16];
    size_t pairs, rows, test_rows;      /* rows: at most; 0: all */
    double valid, test;                 /* shares */
    uint64_t seed;
} sets_want;

typedef struct sets_rows {              /* rows of a part, before they are split or thinned */
    fx_data *data;
    fx_table table;                     /* its view; other labels or a greater width are beside */
    fx_matrix *wide;
    double *label;
} sets_rows;

typedef struct sets_kind {
    const char *help;                   /* "NAME:key=default|other,key=..  what it is" */
    double valid, test;                 /* shares if nothing is said; 0: there is such a part, or
                                         * none */
    bool own_valid, own_test;           /* parts that come with the set */
    bool regress;
    /* Fills r[SETS_TRAIN] and the parts that come with the set. */
    int (*read)(sets_rows r[SETS_PARTS], const sets_want *w);
    const char *file[3];                /* in the directory; those there are */
    const char *otherwise;              /* does as well as the first */
    const char *positive;               /* class that is +1, the others being -1; or NULL: as is */
} sets_kind;

/* ---- dataset_spec.c -------------------------------------------------------------------------- */
int sets_want_parse(sets_want *w, const sets_kind *table, size_t n, const char *spec,
                    uint64_t seed);
/* The value of a key as given, or NULL; is it that one, the default being the first of help? */
const char *sets_want_value(const sets_want *w, const char *key);
bool sets_want_is(const sets_want *w, const char *key, const char *value);

/* ---- dataset_files.c: files in the directory, as they are or packed ---------------------------- */
int sets_files_check(const sets_want *w);               /* are all of them there? */
int sets_files_slurp(char **text, const sets_want *w, int file);        /* a number of the table */
int sets_files_rows(sets_rows *out, const sets_want *w, int file, const char *reader);
/* The same of text at hand, made from that file. */
int sets_files_parse(sets_rows *out, const sets_want *w, int file, const char *text,
                     const char *reader);
int sets_files_take(sets_rows *out, const fx_table *t); /* a copy of rows that stay the caller's */
/* The next line of *at, without its end; false: no more.  *at moves behind it. */
typedef struct sets_line {
    const char *p, *end;
    size_t number;                      /* from 1; begin with a struct of zeros */
} sets_line;
bool sets_files_line(sets_line *l, const char **at);
bool sets_files_count(uint64_t *x, sets_line *l);       /* digits, with what is before them */
int sets_files_fault(const sets_want *w, int file, const sets_line *l, const char *wanted);
/* Parts train and `other` of pairs of nodes of A and B, or within A if B is NULL. */
int sets_files_links(sets_rows r[SETS_PARTS], const sets_want *w, const fx_table *A,
                     const fx_table *B, const char *links, const char *other);

/* ---- dataset_parts.c ------------------------------------------------------------------------- */
int sets_parts_make(parts *p, sets_rows r[SETS_PARTS], const sets_want *w);
void sets_parts_drop(sets_rows *r);

/* ---- The sets ----------------------------------------------------------------------------- */
int sets_make_read(sets_rows r[SETS_PARTS], const sets_want *w);
int sets_plain_read(sets_rows r[SETS_PARTS], const sets_want *w);
int sets_plain_covtype(sets_rows r[SETS_PARTS], const sets_want *w);
int sets_plain_nursery(sets_rows r[SETS_PARTS], const sets_want *w);
int sets_ratings_movielens(sets_rows r[SETS_PARTS], const sets_want *w);
int sets_ratings_lastfm(sets_rows r[SETS_PARTS], const sets_want *w);
int sets_movielens_read(sets_rows r[SETS_PARTS], const sets_want *w);
int sets_movielens_links(sets_rows r[SETS_PARTS], const sets_want *w);
int sets_nips_read(sets_rows r[SETS_PARTS], const sets_want *w);
#endif
