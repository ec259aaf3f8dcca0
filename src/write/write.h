/* SPDX-License-Identifier: BSD-3-Clause
 * write.h - between write.c, which walks over the rows, and the formats. */
#ifndef FXI_WRITE_H
#define FXI_WRITE_H
#include "data/data.h"

typedef struct fxi_writer fxi_writer;

/* A format is a few passes over the rows: before(pass), then row(pass, i) for all rows in order. */
typedef struct fxi_write_format {
    fx_description about;               /* but for the number of keys */
    size_t passes;
    fx_status (*start)(fxi_writer *w, const fxi_spec *s, const fx_key *keys); /* or NULL */
    fx_status (*before)(fxi_writer *w, size_t pass);                                /* or NULL */
    fx_status (*row)(fxi_writer *w, size_t pass, size_t i, fxi_row r);
} fxi_write_format;

extern const fxi_write_format fxi_write_svmlight, fxi_write_csv, fxi_write_tsv,
    fxi_write_precomputed, fxi_write_npy, fxi_write_npz;

/* True if a reader would take this text for a number. */
bool fxi_write_is_number(const char *text);
#define FXI_WRITE_MARK "\xef\xbb\xbf"   /* UTF-8's byte order mark: readers skip it at the start */
enum { FXI_WRITE_BUFFER = 1 << 16, FXI_WRITE_TOKEN = 96 };
struct fxi_writer {
    const fx_sink *sink;
    const fx_table *t;
    fxi_team *team;                     /* polled at every flush, as a row may be long */
    size_t used;                        /* bytes in buf */
    fx_type type;                       /* double if any block is */
    int base;                           /* svmlight: the first column is called so */
    char separator;                     /* csv, tsv */
    int headless;                       /* csv, tsv: header=no */
    uint64_t numbers;                   /* npz: numbers stored, counted by its first pass */
    bool wide;                          /* npz: indices of 64 bits */
    char buf[FXI_WRITE_BUFFER];
};

fx_status fxi_write_flush(fxi_writer *w);
/* Reserves FXI_WRITE_TOKEN bytes at buf + used, so that short texts need one check together. */
fx_status fxi_write_reserve(fxi_writer *w);
fx_status fxi_write_bytes(fxi_writer *w, const void *bytes, size_t len); /* any length */
/* These write into the reserved bytes. */
void fxi_write_integer(fxi_writer *w, uint64_t u);
static inline void fxi_write_char(fxi_writer *w, char c) { w->buf[w->used++] = c; }
static inline void fxi_write_number(fxi_writer *w, double x)
{
    w->used += (size_t)fxi_decimal_write(w->buf + w->used, x);
}

/* svmlight.c - labels as tokens.  Bytes stay reserved after the label. */
fx_status fxi_write_svmlight_names(const fx_table *t);     /* are they possible? */
fx_status fxi_write_svmlight_label(fxi_writer *w, size_t i);

/* npy.c - an array: its header (shape is the text between the brackets), then numbers. */
enum { FXI_NPY_HEADER = 192 };          /* longer than any header here, 64 or 128 bytes */
size_t fxi_write_npy_header(char out[FXI_NPY_HEADER], const char *descr, const char *shape);
const char *fxi_write_npy_type(const fxi_writer *w);
fx_status fxi_write_npy_number(fxi_writer *w, double x);
#endif
