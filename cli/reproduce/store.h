/* SPDX-License-Identifier: BSD-3-Clause
 * store.h - records on disk: PATH.part.csv grows by the lines of a cell; when all is there,
 * PATH.csv takes its place.  Its first line says of which recipe, mode, seeds, and by whom, all of
 * them if they were several; a cell that was cut off is dropped. */
#ifndef STORE_H
#define STORE_H
#include "recipe.h"

typedef struct store {
    const recipe *r;
    uint64_t seed;                      /* the first */
    records known;
    size_t cells, done, saved;          /* cases times seeds; those on disk; their records */
    char path[4096], part[4096];
    char now[256];                      /* machine_origin */
    bool resumed;                       /* what is there is by another, or of another day */
    int fd;                             /* of part; -1: all was there at the start */
    size_t end;                         /* of what is complete in it */
} store;
int store_open(store *s, const recipe *r, uint64_t seed, const char *path, bool restart);
void store_cell(const store *s, size_t k, size_t *cell, uint64_t *seed); /* the k-th to measure */
int store_emit(void *store, const double *value);       /* of cell `done`; emit of measures */
int store_save(store *s);               /* that cell is complete */
int store_finish(store *s);             /* s->path takes the place of s->part */
void store_close(store *s);

/* ---- store_lines.c -------------------------------------------------------------------------- */
size_t store_lines_width(const recipe *r);      /* columns of what is measured */
void store_lines_head(strbuf *t, const store *s);
void store_lines_record(strbuf *t, const recipe *r, const struct record *p);
/* Length of the head at the start of bytes; 0: the file is of something else, which is reported. */
size_t store_lines_check(store *s, const char *path, const char *bytes);
#define STORE_BY "# by "                /* a line that says who measured what follows */
const char *store_lines_by(const char *line);           /* who; NULL: it is another line */
void store_lines_origin(store *s, const char *who);     /* one more in known.origin */
/* Is that the line of the k-th cell and this point?  Then *p is what it says. */
bool store_lines_take(struct record *p, const store *s, size_t k, size_t point, const char *line);
#endif
