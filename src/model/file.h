/* SPDX-License-Identifier: BSD-3-Clause
 * file.h - inside model: files of models; doc/format.md describes them. */
#ifndef FXI_FILE_H
#define FXI_FILE_H
#include "model/model.h"

#include <jansson.h>

enum { FXI_MODEL_FORMAT = 1 };          /* the number of the format */
/* How the header of every file begins. */
#define FXI_MODEL_MAGIC "{\"__metadata__\":{\"format\":\"featcross\","

typedef struct fxi_parsing {
    fx_model *m;
    const unsigned char *data;          /* the arrays */
    size_t size, at;                    /* their bytes; those taken so far */
    json_t *root, *meta;                /* the header and its strings; json_decref(root) */
    size_t arrays;                      /* taken so far */
    bool bytes;                         /* strings hold bytes as characters */
    const fx_run *run;
} fxi_parsing;
/* header.c */
fx_status fxi_model_header_open(fxi_parsing *p, const unsigned char *bytes, size_t len);
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
#endif
