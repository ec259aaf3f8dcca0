/* SPDX-License-Identifier: BSD-3-Clause
 * file.h - files of models; doc/format.md describes them. */
#ifndef FXI_FILE_H
#define FXI_FILE_H
#include "model/model.h"

/* The number of the format: 2 has kernel machines and pca, 3 factorization machines, 4 missing
 * values that are filled or left out. */
enum { FXI_FORMAT_MISSING = 4, FXI_MODEL_FORMAT = FXI_FORMAT_MISSING };
/* How the header of every file begins. */
#define FXI_MODEL_MAGIC "{\"__metadata__\":{\"format\":\"featcross\","

typedef struct fxi_array {
    char name[16];
    const char *type;                   /* of safetensors */
    const void *data;
    size_t rows, cols, bytes;           /* cols 0: one dimension */
} fxi_array;
enum { FXI_FILE_ARRAYS = 16 + 3 * FX_ORDER_MAX };
struct fxi_dumping {                    /* a file that is written */
    const fx_model *m;
    fxi_array array[FXI_FILE_ARRAYS];
    size_t arrays;
    char *out;                          /* the header; NULL: its length is counted only */
    size_t len;                         /* SIZE_MAX: too large to count */
    bool bytes;                         /* every byte is a character */
    bool more;                          /* `__metadata__` has a key already */
    size_t at;                          /* where the next array begins */
};
/* dump.c - one more array, if there are data: "F64", "I64", "F32", "I32", "U32" or "U8". */
void fxi_file_dump_array(fxi_dumping *d, const char *name, const char *type, const void *data,
                         size_t rows, size_t cols);
/* dump_header.c - writes the length and the header of the file to d->out and d->len; free(d->out).
 * Then what a kind adds to it. */
fx_status fxi_file_dump_header(fxi_dumping *d);
void fxi_file_dump_header_count(fxi_dumping *d, const char *key, uint64_t n);
void fxi_file_dump_header_number(fxi_dumping *d, const char *key, double x);
void fxi_file_dump_header_text(fxi_dumping *d, const char *key, const char *value);
/* The same piece by piece. */
void fxi_file_dump_header_begin(fxi_dumping *d, const char *key);
void fxi_file_dump_header_add(fxi_dumping *d, const char *value);
void fxi_file_dump_header_end(fxi_dumping *d);

struct fxi_parsing {                    /* a file that is read */
    fx_model *m;
    const unsigned char *data;          /* the arrays */
    size_t size, at;                    /* their bytes; those taken so far */
    fxi_json *root;                     /* the header; to be freed */
    const fxi_json *meta;               /* its strings */
    size_t arrays;                      /* taken so far */
    bool bytes;                         /* strings hold bytes as characters */
    bool by_column;                     /* a weight for each column; the kind may clear it */
    fxi_learning how;                   /* the model's spec */
    const fx_run *run;
};
/* parse.c - kernel and map of m, which the weights are for. */
fx_status fxi_file_parse_map(fx_model *m, const fx_run *run);
/* missing.c - what a model stores about missing values: its strings, its arrays. */
void fxi_file_missing_dump_header(fxi_dumping *d);
void fxi_file_missing_dump_arrays(fxi_dumping *d);
fx_status fxi_file_missing_header(fxi_parsing *p, uint64_t format);
fx_status fxi_file_missing_arrays(fxi_parsing *p);
/* later.c - columns that came after the training, in both directions. */
void fxi_file_later_dump(fxi_dumping *d);
fx_status fxi_file_later_parse(fxi_parsing *p);
/* header.c */
fx_status fxi_file_header_open(fxi_parsing *p, const unsigned char *bytes, size_t len);
/* The status of a call on specs and numbers of the file: FX_EFORMAT instead of an error, unless
 * memory or time ran out. */
fx_status fxi_file_header_error(fx_status st);
/* The string of a key: as text that the model owns, one of two words, a decimal number of 0 to
 * `max`, a double, a list of strings (NULL if the key is missing) in one piece that it owns. */
fx_status fxi_file_header_text(const char **out, const fxi_parsing *p, const char *key);
fx_status fxi_file_header_choice(bool *out, const fxi_parsing *p, const char *key, const char *no,
                                 const char *yes);
fx_status fxi_file_header_count(uint64_t *out, const fxi_parsing *p, const char *key, uint64_t max);
fx_status fxi_file_header_number(double *out, const fxi_parsing *p, const char *key);
fx_status fxi_file_header_list(const char *const **out, size_t *n, const fxi_parsing *p,
                               const char *key);
fx_status fxi_file_header_classes(fxi_parsing *p);     /* into the model, if there are any */
/* array.c - the bytes of one number, "F64": 8; the next array of the file, rows x cols (cols 0: one
 * dimension).  The shape and type that the header names. */
size_t fxi_file_array_size(const char *type);
fx_status fxi_file_array(const void **out, fxi_parsing *p, const char *name, const char *type,
                         size_t rows, size_t cols);
fx_status fxi_file_array_doubles(const double **out, fxi_parsing *p, const char *name, size_t rows,
                                 size_t cols);
bool fxi_file_array_shape(size_t out[2], const fxi_parsing *p, const char *name, size_t n);
bool fxi_file_array_is(const fxi_parsing *p, const char *name, const char *type);
#endif
