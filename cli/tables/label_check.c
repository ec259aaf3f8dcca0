/* SPDX-License-Identifier: BSD-3-Clause
 * label_check.c - labels that are hardly meant as such: a different whole number in every row, or
 * huge ones of about the same size, as identifiers and time stamps are.  The last column of a table
 * is often one of these. */

#include "tables.h"
#include "terminal/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 20 };                      /* rows that may differ by chance; values of classes */
#define LARGE 1e5
#define TIMES 1e8                       /* seconds since 1970: from 1973 on */

/* y is sorted. */
static bool looks_odd(const double *y, size_t n)
{
    size_t values = 0;

    for (size_t i = 0; i < n; i++) {
        if (y[i] != floor(y[i]))
            return false;
        values += !i || y[i] != y[i - 1];
    }
    if (values > FEW && y[0] >= TIMES && y[n - 1] < 2 * y[0])
        return true;
    return values == n && (y[n - 1] - y[0] == (double)n - 1 || y[n - 1] >= LARGE);
}

void label_check(const loaded *l)
{
    const fx_table *t = &l->table;
    double *y = t->label && !t->classes && t->rows >= FEW ? malloc(t->rows * sizeof *y) : NULL;

    if (!y)
        return;                         /* no memory: no warning */
    memcpy(y, t->label, t->rows * sizeof *y);
    qsort(y, t->rows, sizeof *y, ascending_doubles);
    if (looks_odd(y, t->rows))
        say_warning("%s: the labels are whole numbers from %.17g to %.17g, as identifiers and time "
                    "stamps are; --label NAME takes another column", l->name, y[0],
                    y[t->rows - 1]);
    free(y);
}
