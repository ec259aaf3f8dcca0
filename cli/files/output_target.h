/* SPDX-License-Identifier: BSD-3-Clause
 * output_target.h - where an output goes in the end. */
#ifndef OUTPUT_TARGET_H
#define OUTPUT_TARGET_H
#include <stdbool.h>
#include <stddef.h>

/* path without links, so that a link stays a link and what it points to is replaced, or made if it
 * is not there; of a new file, its directory without links.  "" in /dev and /proc: what stands
 * there names a device or something open, even where stat sees a regular file behind it.  false:
 * errno says why. */
bool output_target_resolve(char *target, size_t capacity, const char *path, bool exists);
/* The new name of a file is on disk, as far as this file system can say; 0 or errno. */
int output_target_sync(const char *target);
#endif
