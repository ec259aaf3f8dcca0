/* SPDX-License-Identifier: BSD-3-Clause
 * zip_read.h - the members of a zip file, by its central directory.
 *
 * Stored and deflated members, zip64 too.  All information that a file contains twice must agree,
 * members must not overlap, and sizes and CRC-32 must match the content.  Nothing here prints or
 * opens files. */
#ifndef ZIP_READ_H
#define ZIP_READ_H
#include "decode.h"

/* At most `requested` bytes from there on, as pread(2) gives them. */
typedef ssize_t zip_at(void *ctx, void *buf, size_t requested, uint64_t offset);

typedef struct zip_reader zip_reader;
/* limit: bytes of memory that the directory may take.  Where it fails, *z is to be closed too; it
 * is NULL if there was no memory for it. */
decode_result zip_open(zip_reader **z, uint64_t size, uint64_t limit, zip_at *at, void *ctx);
decode_result zip_next(zip_reader *z, const char **name);        /* NULL at the end */
/* Reads as many bytes of the member as requested; fewer only at its end, when it has been
 * checked. */
decode_result zip_read(zip_reader *z, void *buf, size_t requested, size_t *got);
const char *zip_error(const zip_reader *z);     /* of DECODE_DAMAGED */
uint64_t zip_need(const zip_reader *z);         /* of DECODE_LIMIT */
void zip_close(zip_reader *z);
#endif
