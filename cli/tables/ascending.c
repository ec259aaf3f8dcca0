/* SPDX-License-Identifier: BSD-3-Clause
 * ascending.c - the order of numbers, for qsort. */

#include "tables.h"

int ascending_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int ascending_sizes(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return (x > y) - (x < y);
}

int ascending_integers(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

int ascending_labels(const void *a, const void *b)
{
    const labelled *x = a, *y = b;
    int order = ascending_doubles(&x->label, &y->label);

    return order ? order : ascending_sizes(&x->row, &y->row);
}
