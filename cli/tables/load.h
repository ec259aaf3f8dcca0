/* SPDX-License-Identifier: BSD-3-Clause
 * load.h - what load.c uses of its folder: formats, options as a spec, MovieLens. */
#ifndef LOAD_H
#define LOAD_H
#include "tables.h"
#include "files/files.h"
#include "terminal/terminal.h"

/* ---- format_detect.c: formats by name and by content ---------------------------------------- */
typedef struct format_line {
    const char *p, *end;
} format_line;
/* The first line with something on it, comment lines left out. */
format_line format_first_line(const char *p, const char *end);
bool format_has(format_line l, char c);
bool format_words(const char *bytes, size_t len);        /* is it a line of words? */
/* By the first bytes, the name, the first line; reader: spec by which other rows were read, or
 * NULL. */
const char *format_found(bool zip, const char *path, const char *bytes, size_t len,
                         const char *reader);
/* format_foreign.c - an error that says so if the file has a format that is not read. */
int format_foreign(const char *path);

/* ---- load.c -------------------------------------------------------------------------------- */
/* After all rows: fails if a row of this width would be too large, unless any width will do. */
int load_check_width(const loaded *l, bool any);

/* ---- load_files.c --------------------------------------------------------------------------- */
/* Before anything is read: are all of them there?  *size: of all, 0 if that is not known.  Sets
 * l->name, if there is more than one. */
int load_files_check(loaded *l, uint64_t *size, const char *path, const load_options *like);
/* Another input instead of that in *in; fails where its bytes cannot follow those of text. */
int load_files_next(input *in, const char *path);
/* An input was opened: adds a source; it was read: sets its hash. */
int load_files_opened(loaded *l, input *in, const char *path);
int load_files_read(loaded *l, const input *in);

/* ---- reading.c ------------------------------------------------------------------------------ */
fx_status reading_about(fx_description *d, const char *format); /* of --format */
/* Adds a spec to t, which is {0} before and freed by the caller, whatever comes of it. */
int reading_make(strbuf *t, const char *format, const fx_description *d, const load_options *like,
                 const char *bytes, size_t len);
/* Rows for a model may lack columns that its reader names, but not those that this command asks
 * for. */
int reading_check(const loaded *l);
bool reading_listed(void);              /* does --cat name columns? */
const char *reading_nan(void);          /* of --nan, or NULL */
void reading_name(char *out, size_t capacity, const char *value, size_t len); /* %2C is a comma */

/* ---- rows_missing.c ------------------------------------------------------------------------- */
/* The value of the reader's key nan, NULL: as it is.  nan: that key, or NULL: it has none. */
const char *rows_missing_reader(const load_options *like, const fx_key *nan);

/* ---- movielens_dir.c ------------------------------------------------------------------------ */
int movielens_dir_read(loaded *l, const char *path, const load_options *like);
#endif
