/* SPDX-License-Identifier: BSD-3-Clause
 * run.c - how many rows are added up before their sum goes to the exact sums.
 *
 * Runs are short, so that few rows are work for several threads; but sparse rows need enough
 * entries to pay for adding up all columns.  Runs of more than a block, whose rows must stay
 * together, are left to data whose columns far outnumber the entries of a block. */

#include "pass/pass.h"

#include <math.h>

enum { ROWS = 256, ENTRIES = 1 << 14, PER_COLUMN = 4 }; /* of a run, at least .. */
static const double PER_COLUMN_FAR = 0.5;       /* .. beyond a block */

size_t fxi_pass_run(size_t rows, size_t features, size_t numbers, bool sparse)
{
    double each = rows ? (double)numbers / (double)rows : 1, columns = (double)features;
    size_t run = ROWS;

    while (sparse && run < FXI_PASS_BLOCK && run < rows
           && each * (double)run < fmax(ENTRIES, PER_COLUMN * columns))
        run *= 2;
    while (sparse && run >= FXI_PASS_BLOCK && run < rows
           && each * (double)run < PER_COLUMN_FAR * columns)
        run *= 2;
    return run;
}
