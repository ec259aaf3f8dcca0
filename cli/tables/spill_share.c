/* SPDX-License-Identifier: BSD-3-Clause
 * spill_share.c - which blocks of the rows a process keeps, where mpirun started several.
 *
 * Each process reads all rows and keeps groups of blocks in turn, so that all have about as many.
 * Where columns far outnumber the numbers of a block, passes add up several blocks before their sum
 * is exact, and these must be in one group. */

#include "spill.h"

#include <math.h>

/* Of sums: the most numbers for each column that they add up before they are exact; of models that
 * learn combinations and have many factors, and of others. */
static const double FAR_COMBINES = 40, FAR = 2;
enum { EACH = 16 };                     /* groups that each process gets, if it can */

bool spill_share_has(const spill *s)
{
    uint64_t group = s->rows / FX_PASS_BLOCK / s->group;

    return group % (uint64_t)team_ranks() == (uint64_t)team_rank();
}

/* Blocks that any pass adds up, at most; by the rows so far. */
static double blocks_of_sum(const spill *s, const loaded *l)
{
    double each = (double)l->reading.entries / ((double)l->reading.rows + 1);
    double far = s->combines ? FAR_COMBINES : FAR;

    return fmin(far * (double)l->table.cols / (each * FX_PASS_BLOCK + 1), 0x1p40);
}

int spill_share_begin(spill *s, const loaded *l)
{
    double share = load_expected(l) / FX_PASS_BLOCK / EACH / team_ranks();
    double least = s->group ? (double)s->group : blocks_of_sum(s, l);

    for (s->group = 1; (double)s->group < least || 2 * (double)s->group <= share;)
        s->group *= 2;
    return team_tell(&s->group, sizeof s->group) ? 0 : progress_stop();
}

int spill_share_say(const spill *s, const loaded *l)
{
    char size[32];

    say_note("%s: each of %d processes has its share of the rows in a file beside %s, here %s",
             l->name, team_ranks(), s->beside, say_bytes(size, (double)s->bytes));
    return 0;
}

bool spill_share_fails(spill *s, const loaded *l)
{
    double least = blocks_of_sum(s, l);

    if (team_ranks() == 1 || (double)s->group >= least)
        return false;
    while ((double)s->group < least)
        s->group *= 2;
    return true;
}
