/* SPDX-License-Identifier: BSD-3-Clause
 * output_file.h - an output: for output_file.c and output_size.c. */
#ifndef OUTPUT_FILE_H
#define OUTPUT_FILE_H
#include "files.h"
#include "zip_write.h"

struct output {
    char path[4096], target[4096], temp[4096];
    bool used, direct;                  /* direct: stdout, a pipe, a device */
    bool terminal;                      /* names from files are made safe for it */
    char hold[4];                       /* the beginning of a character that it shall show */
    size_t held;
    int fd, error;                      /* errno of the first failure */
    bool zipped;
    zip_writer zip;
    fx_sink sink;
};
#endif
