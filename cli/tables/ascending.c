/* SPDX-License-Identifier: BSD-3-Clause
 * ascending.c - the order of numbers, for qsort. */

#include "tables.h"

int ascending_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}
