/* SPDX-License-Identifier: BSD-3-Clause
 * arrow.h - between reader_arrow.c, which takes record batches, arrow_batch.c, which checks them,
 * arrow_values.c, which knows the types, and arrow_rows.c, which makes rows of a batch. */
#ifndef FXI_ARROW_H
#define FXI_ARROW_H
#include "read/csv.h"

#ifndef FXI_ARROW_CHUNK                 /* fuzzing makes it small, so that joins are tested */
#define FXI_ARROW_CHUNK (1 << 17)       /* fields in a chunk, or those of one row */
#endif

typedef enum fxi_read_arrow_type {
    FXI_ARROW_OTHER,                    /* neither a number nor a text */
    FXI_ARROW_NULL,
    FXI_ARROW_BOOL,
    FXI_ARROW_I8, FXI_ARROW_U8, FXI_ARROW_I16, FXI_ARROW_U16,
    FXI_ARROW_I32, FXI_ARROW_U32, FXI_ARROW_I64, FXI_ARROW_U64,
    FXI_ARROW_F16, FXI_ARROW_F32, FXI_ARROW_F64,
    FXI_ARROW_DECIMAL,                  /* a whole number of `width` bytes / 10^scale */
    FXI_ARROW_TEXT,                     /* offsets of 4 bytes, */
    FXI_ARROW_LARGE_TEXT,               /* of 8 bytes, */
    FXI_ARROW_TEXT_VIEW                 /* or 16 bytes that hold a short text or say where it is */
} fxi_read_arrow_type;
static inline bool fxi_read_arrow_is_text(fxi_read_arrow_type t) { return t >= FXI_ARROW_TEXT; }

typedef struct fxi_read_arrow_values {
    fxi_read_arrow_type type;
    unsigned width;                     /* decimal */
    int scale;
    size_t at, n;                       /* the values at..at + n - 1 of the buffers */
    const unsigned char *valid;         /* a bit for each; NULL: none is missing */
    const unsigned char *data;          /* numbers, offsets or views */
    const char *text;                   /* that offsets point to, */
    int64_t text_len;                   /* which has so many bytes, by its last offset */
    const void *const *part;            /* [parts] texts that views point to */
    const int64_t *part_len;            /* [parts] their lengths */
    size_t parts;
} fxi_read_arrow_values;

typedef struct fxi_read_arrow_column {
    fxi_read_arrow_values values;
    bool coded;                         /* values are places in: */
    fxi_read_arrow_values words;             /* the dictionary */
} fxi_read_arrow_column;

typedef struct fxi_read_arrow_batch {
    size_t rows, fields;
    fxi_read_arrow_column *column;           /* [fields] */
} fxi_read_arrow_batch;

/* arrow_batch.c - FX_EINVAL: the schema is not one of a table. */
fx_status fxi_read_arrow_batch_schema(const fx_reader *r, const struct ArrowSchema *schema);
/* The columns of an array, as far as their roles need them, checked; free b->column. */
fx_status fxi_read_arrow_batch_open(fxi_read_arrow_batch *b, const fx_reader *r,
                                    const struct ArrowSchema *schema,
                                    const struct ArrowArray *array);

/* arrow_values.c - the type that a format string names; *width, *scale: of a decimal. */
fxi_read_arrow_type fxi_read_arrow_values_type(unsigned *width, int *scale, const char *format);
size_t fxi_read_arrow_values_buffers(fxi_read_arrow_type t);      /* how many; views: at least */
const char *fxi_read_arrow_values_name(const char *format);     /* in messages: "a time stamp" */
int64_t fxi_read_arrow_values_offset(const fxi_read_arrow_values *v, size_t i); /* of text i */

static inline bool fxi_read_arrow_valid(const fxi_read_arrow_values *v, size_t i)
{
    const size_t at = v->at + i;

    return v->type != FXI_ARROW_NULL && (!v->valid || v->valid[at / 8] >> at % 8 & 1);
}
/* Numbers first..first + n - 1 to to[0], to[stride], ..; missing ones as NaN.  False: one of them
 * must be looked at alone: it is missing, infinite or large, or values are no binary numbers. */
bool fxi_read_arrow_values_numbers(double *to, size_t stride, const fxi_read_arrow_values *v,
                                   size_t first, size_t n);
/* One value as the field of a CSV file; buf: for numbers.  NULL, or what is wrong with it. */
enum { FXI_ARROW_DIGITS = 96 };
const char *fxi_read_arrow_values_text(fxi_read_csv_field *f, char buf[FXI_ARROW_DIGITS],
                                       const fxi_read_arrow_values *v, size_t i);
/* The place that a code of a dictionary of n words names; n: none. */
size_t fxi_read_arrow_values_place(const fxi_read_arrow_values *code, size_t i, size_t n);
#endif
