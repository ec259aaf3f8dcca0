/* SPDX-License-Identifier: BSD-3-Clause
 * csv.h - between csv_header.c, which reads the first line, csv_again.c, which reads that of other
 * files, csv_columns.c, which finds what each
 * column is, csv_look.c, which looks at the first rows for that, csv_names.c, which knows the names
 * that are given, csv_resolve.c, which writes the choices into the spec, csv.c and arrow_rows.c,
 * which read the rows, csv_row.c, which stores what they read, and csv_field.c, which serves
 * all. */
#ifndef FXI_CSV_H
#define FXI_CSV_H
#include "read/read.h"

#include <string.h>

#define FXI_CSV_NONE SIZE_MAX

#ifndef FXI_CSV_LOOK                    /* fuzzing makes it small */
#define FXI_CSV_LOOK (1 << 20)
#endif

typedef enum fxi_csv_role {
    FXI_CSV_NUMBER,
    FXI_CSV_CATEGORY,
    FXI_CSV_LABEL,
    FXI_CSV_WEIGHT,
    FXI_CSV_QUERY,
    FXI_CSV_ID,
    FXI_CSV_UNSEEN,                     /* names are given, and this is not one of them */
    FXI_CSV_IGNORED
} fxi_csv_role;

typedef struct fxi_read_csv_column {
    fxi_csv_role role;
    bool query;                         /* of another role, and its values are queries, too */
    const char *name;                   /* header's, or c1, c2, ... */
    size_t len;
    size_t col;                         /* NUMBER: of the table, unless names are hashed */
} fxi_read_csv_column;
static inline bool fxi_csv_has_role(const fxi_read_csv_column *c, fxi_csv_role role)
{
    return c->role == role || (role == FXI_CSV_QUERY && c->query);
}

/* Values of nan=, in the order of its choices; the last is an old name of the second. */
enum { FXI_CSV_ERROR, FXI_CSV_ZERO, FXI_CSV_KEEP, FXI_CSV_OWN, FXI_CSV_DROP };

typedef struct fxi_read_csv_state {
    char separator;
    int nan, decimal_comma;             /* nan=, decimal= */
    bool header, no_header;             /* header=yes, header=no */
    char *label, *weight;               /* last, first, none, or a name; none or a name */
    char *query, *id;                   /* none or a name */
    char *cat, *num, *drop;             /* names with / between; cat: or none, all, auto, +names;
                                         * num: or auto; drop: or none */
    char *na;                           /* none, or more words that stand for a missing number */
    bool guess, all;                    /* cat=auto or cat=+..; cat=all */
    fxi_data_classes cats, nums, drops, nas;    /* names in cat=, num=, drop=, words in na= */
    /* Resolved by the first line: */
    size_t fields, label_at;            /* fields 0: not known yet */
    uint64_t line;
    bool named;                         /* that line was a header */
    bool mixed;                         /* header=auto: it was, but some of it are numbers */
    char *names;                        /* of the columns */
    fxi_read_csv_column *column;        /* [fields] */
    fxi_data_classes by_name;           /* names of the columns */
    bool *valued;                       /* [by_name.n] if names are given: one of them is a value of
                                         * the column, `city=Paris` */
    /* Resolved by csv_columns.c, perhaps not before the first row: */
    bool resolved;
    bool moved;                         /* dense rows, whose columns are in another order */
    size_t longest;                     /* name of a column */
} fxi_read_csv_state;

typedef struct fxi_read_csv_field {
    const char *text;                   /* without quotes and spaces around it */
    size_t len;
    bool quoted;
    const char *next;                   /* the separator after it, or the end of the line */
} fxi_read_csv_field;

/* Reads blank lines and a header, once, and resolves the columns. */
fx_status fxi_read_csv_header(fx_reader *r, const char **p, const char *end);
/* The first line alone; *header: whether it is one, and no row. */
fx_status fxi_read_csv_header_line(fx_reader *r, const char *line, const char *stop, bool *header);
/* csv_again.c - the header of another file, which must be the same. */
fx_status fxi_read_csv_again(fx_reader *r);
fx_status fxi_read_csv_again_skip(fx_reader *r, const char **p, const char *end);
/* csv_header.c - the first line alone, of lines that are held back. */
fx_status fxi_read_csv_header_held(fx_reader *r);
/* What each column is; [line, stop) is the first row.  Uses rows that begin before `limit`. */
fx_status fxi_read_csv_columns(fx_reader *r, const char *line, const char *stop, const char *limit,
                               const char *end);
/* csv_look.c - what the fields of a column look like in the first rows. */
enum { FXI_CSV_WORDS = 3 };
typedef struct fxi_read_csv_seen {
    size_t numbers, words;              /* fields; those that are missing are neither */
    size_t commas;                      /* words that are numbers with a decimal comma */
    uint64_t line;                      /* of the first word, and where in it */
    size_t at;
    char word[FXI_CSV_WORDS][FXI_EXCERPT];      /* the first words that differ */
    size_t kinds;                       /* words there; FXI_CSV_WORDS + 1: there are more */
} fxi_read_csv_seen;
/* seen[fields], zeros at first. */
void fxi_read_csv_look(fxi_read_csv_seen *seen, const fx_reader *r, const char *line,
                       const char *limit, const char *end);
/* The same from what the columns look like: seen[fields]. */
fx_status fxi_read_csv_columns_seen(fx_reader *r, const fxi_read_csv_seen *seen);
/* FX_EFORMAT: the column has numbers and words, and no key says which it should have. */
fx_status fxi_read_csv_look_mixed(const fx_reader *r, const fxi_read_csv_column *c,
                                  const fxi_read_csv_seen *seen);
/* The label's place, by position or name; FX_EFORMAT with the reason: no such column. */
enum { FXI_CSV_REASON = 256 };
fx_status fxi_read_csv_columns_label(fx_reader *r, char reason[FXI_CSV_REASON]);
/* csv_names.c */
fx_status fxi_read_csv_names_list(fxi_data_classes *out, const char *list);     /* / between them */
bool fxi_read_csv_names_listed(const fxi_data_classes *list, const char *name, size_t len);
fx_status fxi_read_csv_names_columns(fx_reader *r);     /* t->by_name, t->valued */
/* If names are given: tells whether the column is one of them (then it is *col), or a category with
 * values there. */
bool fxi_read_csv_names_number(size_t *col, const fx_reader *r, const fxi_read_csv_column *c);
bool fxi_read_csv_names_category(const fx_reader *r, const fxi_read_csv_column *c);
/* True if the file may lack this name: only values of categories. */
bool fxi_read_csv_names_optional(const fxi_read_csv_state *t, const char *name);
/* What the columns resolved, in r->spec. */
fx_status fxi_read_csv_resolve(fx_reader *r);
/* False: a quote that does not end, or does not end the field. */
bool fxi_read_csv_field_read(fxi_read_csv_field *f, const char *p, const char *stop,
                             char separator);
/* The bytes of a field at out, "" made one quote; returns how many. */
size_t fxi_read_csv_field_copy(char *out, const fxi_read_csv_field *f);
/* True if it is a number.  decimal=comma: with a comma for the point. */
bool fxi_read_csv_field_number(double *x, const fxi_read_csv_state *t, const fxi_read_csv_field *f);
bool fxi_read_csv_field_comma(const fxi_read_csv_field *f);     /* a number with a decimal comma? */
/* Empty, or a word for that: NA, N/A, #N/A, <NA>, nan, null, none, ?, or one of na=. */
bool fxi_read_csv_field_missing(const fxi_read_csv_state *t, const fxi_read_csv_field *f);

/* csv_row.c - the row that is being read, and the rows of its chunk before it.  Failures of a row
 * end the chunk (fxi_read_fail); text and its length are what the message quotes. */
typedef struct fxi_read_csv_row {
    fxi_read_chunk *c;
    const fxi_read_csv_state *t;
    const fx_reader *r;
    const char *line, *stop;            /* where messages count from; text: the line */
    fxi_read_values val;                /* dense rows */
    size_t n;
    double *row;                        /* dense rows whose columns are moved: one of them */
    fxi_read_sparse sparse;             /* rows by name */
    char *name;                         /* [room] buffer for one name */
    size_t room;
} fxi_read_csv_row;
/* For c->lines rows of together at most so many fields, of which none is longer than `text`.  The
 * caller makes s->val or s->row, if rows are dense; close frees them. */
fx_status fxi_read_csv_row_open(fxi_read_csv_row *s, size_t fields, size_t text);
void fxi_read_csv_row_close(fxi_read_csv_row *s, bool good);    /* good: rows go to c->matrix */
fx_status fxi_read_csv_row_not_a_number(fxi_read_csv_row *s, const fxi_read_csv_column *column,
                                        const fxi_read_csv_field *f);
/* What nan= makes of a number that no row may hold: *x, or a failure. */
fx_status fxi_read_csv_row_unusable(fxi_read_csv_row *s, const fxi_read_csv_column *column,
                                    double *x, const char *text, size_t len);
fx_status fxi_read_csv_row_weight(fxi_read_csv_row *s, double x, const char *text, size_t len);
fx_status fxi_read_csv_row_query(fxi_read_csv_row *s, const fxi_read_csv_field *f);
fx_status fxi_read_csv_row_id(fxi_read_csv_row *s, const fxi_read_csv_field *f);
/* The field `Paris` of the column `city` is the feature `city=Paris`; an empty field is none. */
fx_status fxi_read_csv_row_category(fxi_read_csv_row *s, const fxi_read_csv_column *column,
                                    fxi_read_csv_field f);
fx_status fxi_read_csv_row_odd(fxi_read_csv_row *s, const fxi_read_csv_field *f); /* is it text? */
fx_status fxi_read_csv_row_end(fxi_read_csv_row *s);

/* The number of a sparse row. */
static inline fx_status fxi_read_csv_row_number(fxi_read_csv_row *s,
                                                const fxi_read_csv_column *column, double x)
{
    if (x == 0)
        return FX_OK;
    if (s->r->names.bits)
        return fxi_read_names_value(&s->sparse, s->r, s->c, column->name, column->len, x);
    return fxi_read_sparse_add(&s->sparse, (int64_t)column->col, x);
}

/* A word as the value of a key, for messages: 'x y' in quotes, %2F for a slash. */
enum { FXI_CSV_VALUE = 3 * FXI_EXCERPT };
const char *fxi_read_csv_field_value(char buf[FXI_CSV_VALUE], const char word[FXI_EXCERPT]);

static inline const char *fxi_read_csv_skip(const char *p, const char *stop, char separator)
{
    while (p < stop && (*p == ' ' || (*p == '\t' && separator != '\t')))
        p++;
    return p;
}
#endif
