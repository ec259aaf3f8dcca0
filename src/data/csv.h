/* SPDX-License-Identifier: BSD-3-Clause
 * csv.h - between csv_header.c, which reads the first line, csv.c, which reads the others, and
 * csv_field.c, which serves both. */
#ifndef FXI_CSV_H
#define FXI_CSV_H
#include "data/reader.h"

#include <string.h>

#define FXI_CSV_NO_LABEL SIZE_MAX

typedef struct fxi_data_csv_state {
    char separator;
    int drop;                           /* nan=drop */
    bool header, no_header;             /* header=yes, header=no */
    char *label;                        /* last, first, none, or a name */
    /* Settled by the first line: */
    size_t fields, label_at;            /* fields 0: not settled */
    uint64_t line;
    char *names;                        /* of the features, each with its NUL; NULL: no header */
    size_t names_len;
} fxi_data_csv_state;

typedef struct fxi_data_csv_field {
    const char *text;                   /* without quotes and blanks around it */
    size_t len;
    bool quoted;
    const char *next;                   /* the separator behind it, or the end of the line */
} fxi_data_csv_field;

/* Reads blank lines and a header, once; settles t and r->cols. */
fx_status fxi_data_csv_header(fx_reader *r, const char **p, const char *end);
/* False: a quote that does not end, or does not end the field. */
bool fxi_data_csv_field_read(fxi_data_csv_field *f, const char *p, const char *stop,
                             char separator);
/* The bytes of a field at out, "" made one quote; returns how many. */
size_t fxi_data_csv_field_copy(char *out, const fxi_data_csv_field *f);
bool fxi_data_csv_field_number(double *x, const fxi_data_csv_field *f); /* is it one? */

static inline const char *fxi_data_csv_skip(const char *p, const char *stop, char separator)
{
    while (p < stop && (*p == ' ' || (*p == '\t' && separator != '\t')))
        p++;
    return p;
}
#endif
