/* SPDX-License-Identifier: BSD-3-Clause
 * family_names.h - for kernel_choice.c. */
#ifndef FAMILY_NAMES_H
#define FAMILY_NAMES_H
#include "featcross.h"

#include <stdbool.h>

/* Columns by their names in files of groups and sets. */
int family_names_read(char **family, const char *path, const fx_table *t, bool sets);
#endif
