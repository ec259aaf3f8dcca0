/* SPDX-License-Identifier: BSD-3-Clause
 * input_file.h - a file's bytes as they are, and what unpacks them: input_file.c under decode.c and
 * zip_read.c, these under input_packed.c. */
#ifndef INPUT_FILE_H
#define INPUT_FILE_H
#include "decode.h"
#include "files.h"

/* ---- input_file.c --------------------------------------------------------------------------- */
int input_failed(const input *s);       /* reading did, as errno says, or was interrupted */
ssize_t input_fill(void *ctx, void *buf, size_t requested);     /* decode_fill of an input */
ssize_t input_at(void *ctx, void *buf, size_t requested, uint64_t offset);      /* its zip_at */

/* ---- input_packed.c: from then on s->read unpacks ------------------------------------------- */
int input_packed_open(input *s, const decode_format *f);
int input_packed_open_zip(input *s);
void input_packed_close(input *s);
/* input_again.c: the copy of a pipe, from its beginning; -1: there is none of this path. */
int input_again_open(const char *path);
#endif
