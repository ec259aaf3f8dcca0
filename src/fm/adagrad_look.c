/* SPDX-License-Identifier: BSD-3-Clause
 * adagrad_look.c - how scores are computed, by what all rows hold.
 *
 * Blocks of rows count what they have, and counts add up, so the answer is the same wherever rows
 * are.  Of order 2 a derivative by subtraction has an error of about u x^2 |v| times the slope;
 * while that is below the root of epsilon, 1e-8, it changes no step: so no number may be large. */

#include "fm/adagrad.h"

#include <math.h>

enum { OTHERS, LARGE, SLOW, AT_A_TIME, MAX_ROWS = FXI_FM_ADAGRAD_ROWS };
enum { FAST_WORK = 4096 };              /* entries times order: longer tables leave the cache */
enum { PENDING = 1024 };                /* derivatives of entries for all panels */
enum { FAST = 1, SUBTRACTS = 2, ONES = 4, ROWS_AT = 8 };        /* of flags */

bool fxi_fm_adagrad_look_fast(const fxi_fm *fm, size_t entries)
{
    int m = fm->block[fm->blocks - 1].order;

    return (fm->kind == FXI_FM_HOFM || fm->kind == FXI_FM_SHARED) && !fm->group
           && fm->how != FXI_FM_LEARNED && m <= FXI_FM_ADAGRAD_ORDER
           && entries <= FAST_WORK / (size_t)m;
}

/* Two at least, for a pair. */
size_t fxi_fm_adagrad_look_rows(const fxi_fm *fm, size_t entries)
{
    size_t n = PENDING / ((entries + 1) * fm->panels * fm->blocks) / 2 * 2;

    return n < 2 ? 2 : n > MAX_ROWS ? MAX_ROWS : n;
}

void fxi_fm_adagrad_look_add(double *count, const fxi_fm *fm, const fx_matrix *X, size_t i,
                             size_t end)
{
    const double large = 1024;
    bool two = fm->block[0].order == 2;
    size_t entries = 0, others = 0, larger = 0;

    for (; i < end; i++) {
        fxi_row r = fxi_data_row(X, i);
        entries = r.n > entries ? r.n : entries;
        for (size_t q = 0; q < r.n && two; q++) {
            double x = fxi_row_value(r, q);
            larger += fabs(x) > large;
            others += !(x == 1 || x == 0);
        }
    }
    count[OTHERS] += (double)others;
    count[LARGE] += (double)larger;
    count[SLOW] += !fxi_fm_adagrad_look_fast(fm, entries);
    count[AT_A_TIME + fxi_fm_adagrad_look_rows(fm, entries) / 2]++;
}

fxi_fm_adagrad_look fxi_fm_adagrad_look_of(const double *count, const fxi_fm *fm)
{
    fxi_fm_adagrad_look l = {.fast = count[SLOW] == 0, .max_rows = 2};

    l.subtracts = l.fast && fm->block[0].order == 2 && count[LARGE] == 0;
    l.ones = l.subtracts && count[OTHERS] == 0;
    while (l.max_rows < MAX_ROWS && count[AT_A_TIME + l.max_rows / 2] == 0)
        l.max_rows += 2;
    return l;
}

uint32_t fxi_fm_adagrad_look_flags(const fxi_fm_adagrad_look *l)
{
    return (uint32_t)((l->fast ? FAST : 0) | (l->subtracts ? SUBTRACTS : 0) | (l->ones ? ONES : 0))
           | (uint32_t)l->max_rows << ROWS_AT;
}

fxi_fm_adagrad_look fxi_fm_adagrad_look_read(uint32_t flags)
{
    return (fxi_fm_adagrad_look){flags & FAST, flags & SUBTRACTS, flags & ONES, flags >> ROWS_AT};
}

bool fxi_fm_adagrad_look_fits(const fxi_fm_adagrad_look *l, const fxi_fm *fm)
{
    return l->max_rows >= 2 && l->max_rows <= MAX_ROWS
           && (!l->fast || fxi_fm_adagrad_look_fast(fm, 0))
           && (!l->subtracts || (l->fast && fm->block[0].order == 2))
           && (!l->ones || l->subtracts);
}
