/* SPDX-License-Identifier: BSD-3-Clause
 * rows.c - rows of a table by number, and the pieces in which long calls walk over them.
 *
 * A table read from a large file has thousands of blocks, so the block of a row is found by
 * bisection in the list of first rows.  A piece is a run of rows that holds about 2^16 numbers:
 * small enough that a call can be stopped between pieces well within 100 ms, large enough that the
 * loop costs nothing, and the same for any number of threads. */

#include "data/data.h"

enum { PIECE = 1 << 16 };

size_t fxi_data_rows_pieces(size_t *piece, uint64_t stored, size_t rows)
{
    double each = rows ? (double)stored / (double)rows : 0;

    *piece = (size_t)(PIECE / (each + 1));
    if (*piece == 0)
        *piece = 1;
    return rows / *piece + (rows % *piece != 0);
}

fx_status fxi_data_rows(fxi_rows *out, const fx_table *t)
{
    fxi_rows r = {.t = t, .start = fxi_alloc(t->blocks + 1, sizeof *r.start)};

    if (!r.start)
        return FX_ENOMEM;
    r.start[0] = 0;
    for (size_t b = 0; b < t->blocks; b++) {
        const fx_matrix *X = &t->block[b];
        r.start[b + 1] = r.start[b] + X->rows;
        r.stored += fxi_data_stored(X);
    }
    r.pieces = fxi_data_rows_pieces(&r.piece, r.stored, t->rows);
    *out = r;
    return FX_OK;
}

size_t fxi_data_rows_block(const fxi_rows *r, size_t i)
{
    size_t low = 0, high = r->t->blocks;        /* start[low] <= i < start[high] */

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (r->start[middle] <= i)
            low = middle;
        else
            high = middle;
    }
    return low;
}

fxi_row fxi_data_rows_at(const fxi_rows *r, size_t i)
{
    size_t b = fxi_data_rows_block(r, i);

    return fxi_data_row(&r->t->block[b], i - r->start[b]);
}

size_t fxi_data_rows_max(const fx_matrix *X, size_t group)
{
    size_t max = 0;

    if (!X->ptr)
        return (X->rows < group ? X->rows : group) * X->cols;
    for (size_t i = 0; i < X->rows; i += group) {
        size_t last = X->rows - i < group ? X->rows : i + group;
        size_t n = (size_t)(X->ptr[last] - X->ptr[i]);
        if (n > max)
            max = n;
    }
    return max;
}
