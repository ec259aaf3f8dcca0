/* SPDX-License-Identifier: BSD-3-Clause
 * datasets.h - named data sets, as recipes name them. */
#ifndef DATASETS_H
#define DATASETS_H
#include "tables/tables.h"

/* Rows in parts by the name of a set: datasets.c.  The last ones are cached, so that consecutive
 * cases with the same data read it once. */
typedef struct datasets datasets;
int datasets_open(datasets **out, const char *directory);       /* does it exist? */
/* spec: "NAME:key=value,..".  Keys of all sets: rows=N (at most N to train on, and N to choose on,
 * by seed), test-rows=N, valid=SHARE, test=SHARE (of sets without such a part), positive=CLASS
 * (labels +1 of that class and -1 of the others; none: as they are), seed=N|each|each+N (of splits
 * and drawn negatives; each: that of the cell; default 1).  A missing file is an error that names
 * its path.  The parts belong to `s` and are valid until two other specs have been requested. */
int datasets_get(parts **out, datasets *s, const char *spec, uint64_t seed);
/* Early check: is the spec valid, and are its files there? */
int datasets_check(const datasets *s, const char *spec);
void datasets_close(datasets *s);
#endif
