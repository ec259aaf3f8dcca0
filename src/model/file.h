/* SPDX-License-Identifier: BSD-3-Clause
 * file.h - inside model: files of models; doc/format.md describes them. */
#ifndef FXI_FILE_H
#define FXI_FILE_H
#include "model/model.h"

/* The number of the format: 2 has kernel machines and pca, 3 factorization machines. */
enum { FXI_MODEL_FORMAT = 3 };
/* How the header of every file begins. */
#define FXI_MODEL_MAGIC "{\"__metadata__\":{\"format\":\"featcross\","

typedef struct fxi_array {
    char name[16];
    const char *type;                   /* of safetensors */
    const void *data;                   /* NULL: there is none */
    size_t size, rows, cols;            /* of a number; cols 0: one dimension */
} fxi_array;
/* dump_header.c - the length and the header of a file with these arrays, to be freed. */
fx_status fxi_model_dump_header(char **out, size_t *len, const fx_content *c, const fxi_array *a,
                                size_t n);

typedef struct fxi_parsing {
    fx_model *m;
    const unsigned char *data;          /* the arrays */
    size_t size, at;                    /* their bytes; those taken so far */
    fxi_json *root;                     /* the header; to be freed */
    const fxi_json *meta;               /* its strings */
    size_t arrays;                      /* taken so far */
    bool bytes;                         /* strings hold bytes as characters */
    fxi_learning how;                   /* the model's spec; free its own */
    const fx_run *run;
} fxi_parsing;
/* header.c */
fx_status fxi_model_header_open(fxi_parsing *p, const unsigned char *bytes, size_t len);
/* What the library says of specs and numbers is the file's fault: FX_EFORMAT, unless memory or time
 * ran out. */
fx_status fxi_model_header_blame(fx_status st);
/* The string of a key: as text that the model owns, one of two words, a decimal number of 0 to
 * `most`, a double, a list of strings (NULL if the key is missing) in one piece that it owns. */
fx_status fxi_model_header_text(const char **out, const fxi_parsing *p, const char *key);
fx_status fxi_model_header_choice(bool *out, const fxi_parsing *p, const char *key, const char *no,
                                  const char *yes);
fx_status fxi_model_header_count(uint64_t *out, const fxi_parsing *p, const char *key,
                                 uint64_t most);
fx_status fxi_model_header_number(double *out, const fxi_parsing *p, const char *key);
fx_status fxi_model_header_list(const char *const **out, size_t *n, const fxi_parsing *p,
                                const char *key);
fx_status fxi_model_header_classes(fxi_parsing *p);     /* into the model, if there are any */
/* array.c - the next array of the file, of numbers of `size` bytes, rows x cols (cols 0: one
 * dimension); *out stays if it is missing.  The shape and type that the header names. */
fx_status fxi_model_array(const void **out, fxi_parsing *p, const char *name, const char *type,
                          size_t size, size_t rows, size_t cols);
fx_status fxi_model_array_doubles(const double **out, fxi_parsing *p, const char *name, size_t rows,
                                  size_t cols);
bool fxi_model_array_shape(size_t out[2], const fxi_parsing *p, const char *name, size_t n);
bool fxi_model_array_is(const fxi_parsing *p, const char *name, const char *type);
fx_status fxi_model_array_vectors(fxi_parsing *p);      /* of a kernel machine */
/* array_factors.c - of a factorization machine: what its header has beside that of others; the
 * arrays behind `variance`; and all of it checked, the model's numbers made of it. */
fx_status fxi_model_array_factors_header(fxi_parsing *p);
fx_status fxi_model_array_factors(fxi_parsing *p);
fx_status fxi_model_array_factors_take(fxi_parsing *p);
#endif
