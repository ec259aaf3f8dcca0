/* SPDX-License-Identifier: BSD-3-Clause
 * output_target.h - where an output goes in the end. */
#ifndef OUTPUT_TARGET_H
#define OUTPUT_TARGET_H
#include <stdbool.h>
#include <stddef.h>

/* Resolves the links in path, so that a link stays a link and its target is replaced, or created if
 * it does not exist; for a new file the links of its directory.  Gives "" for paths in /dev and
 * /proc: these name a device or an open file, even if stat reports a regular file. false: errno
 * says why. */
bool output_target_resolve(char *target, size_t capacity, const char *path, bool exists);
/* Makes sure that the new name of a file is on disk, as far as the file system supports it; 0 or
 * errno. */
int output_target_sync(const char *target);
#endif
