/* SPDX-License-Identifier: BSD-3-Clause
 * convert_batches.h - rows of text into text, a batch at a time. */
#ifndef CONVERT_BATCHES_H
#define CONVERT_BATCHES_H
#include "tables/tables.h"
#include "files/files.h"

typedef struct convert_job {
    output **out;                       /* [2]; the second may be NULL */
    const char *const *format;          /* [2] of them */
    const char *base;                   /* of svmlight, or NULL: as in the input */
    size_t head;                        /* rows to keep; 0: all */
    double split;                       /* share of the first output; 0: all */
    size_t first, second;               /* rows that were written to each */
    double seconds;                     /* of writing */
} convert_job;
bool convert_batches_can(const char *path, const char *const *format, size_t outputs);
/* in->table describes all rows then. */
int convert_batches(convert_job *j, loaded *in, const char *path);
void convert_left_out(const char *format, bool label, bool weight);     /* says what is */
#endif
