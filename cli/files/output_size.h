/* SPDX-License-Identifier: BSD-3-Clause
 * output_size.h - is there room for an output that is written as a whole array? */
#ifndef ROOM_H
#define ROOM_H
#include "cli.h"

/* Before anything is written: refuses rows x cols numbers in that format that exceed --max-memory
 * or the free space where o will be.  Formats that leave zeros out are not looked at. */
int room_for(const output *o, const char *format, fx_type type, size_t rows, size_t cols);
int room_for_table(const output *o, const char *spec, const fx_table *t);
#endif
