/* SPDX-License-Identifier: BSD-3-Clause
 * same_file.h - no output replaces an input of the same run.
 *
 * source_open tells of every input, output_open of every file that an output will replace;
 * whichever comes second is refused if both are one regular file, by whatever names and links. */
#ifndef SAME_FILE_H
#define SAME_FILE_H
#include <sys/stat.h>

/* Each returns the exit status, after a message if it is not 0. */
int same_file_read(const char *name, const struct stat *st);
/* owner: whatever same_file_release will name. */
int same_file_write(const void *owner, const char *path, const struct stat *st);
void same_file_release(const void *owner);
/* That output may replace the input `path`: it is what the input has become. */
void same_file_update(const void *owner, const char *path);
#endif
