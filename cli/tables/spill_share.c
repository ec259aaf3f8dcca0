/* SPDX-License-Identifier: BSD-3-Clause
 * spill_share.c - which blocks of the rows a process keeps, where mpirun started several.
 *
 * Each process reads all rows and keeps groups of blocks in turn, so that all have about as many.
 * Where columns far outnumber the numbers of a block, passes add up several blocks before their sum
 * is exact, and these must be in one group.  What is decided by all rows before a fit, process 0
 * decides: it gets the others' blocks, one after the other. */

#include "spill.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of sums: the most numbers for each column that they add up before they are exact; of models that
 * learn combinations and have many factors, and of others. */
static const double FAR_COMBINES = 40, FAR = 2;
enum { EACH = 16 };                     /* groups that each process gets, if it can */

static int owner(const spill *s, uint64_t block)
{
    return team_ranks() == 1 ? 0 : (int)(block / s->group % (uint64_t)team_ranks());
}

bool spill_share_has(const spill *s) { return owner(s, s->rows / FX_PASS_BLOCK) == team_rank(); }

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

/* ---- Blocks of others ------------------------------------------------------------------------ */

typedef struct wanted {                 /* a request beside those of the library */
    char name[8];
    uint64_t begin, end;                /* blocks */
} wanted;
static const wanted none = {.name = "fxparts"};

int spill_share_ask(uint64_t begin, uint64_t end)
{
    wanted w = none;

    w.begin = begin;
    w.end = end;
    return team_ranks() == 1 || team_ask(&w, sizeof w) ? 0 : progress_stop();
}

bool spill_share_asked(const void *request, size_t bytes)
{
    return bytes == sizeof none && !memcmp(request, none.name, sizeof none.name);
}

int spill_share_give(const spill *s, const void *request)
{
    wanted w;
    spill_buffer b = {0};
    int status = 0;

    memcpy(&w, request, sizeof w);
    for (const spill_part *part = s->part; part < s->part + s->parts && !status; part++) {
        uint64_t block = part->first / FX_PASS_BLOCK;
        if (block < w.begin || block >= w.end)
            continue;
        if (!(status = spill_fetch(&b, s, part)) && !team_give(b.at, b.n))
            status = progress_stop();
    }
    free(b.at);
    return status;
}

/* s->part has the groups of this process one behind the other. */
static const spill_part *own_part(const spill *s, uint64_t block)
{
    uint64_t group = team_ranks() == 1 ? 1 : s->group;

    return &s->part[block / group / (uint64_t)team_ranks() * group + block % group];
}

int spill_share_take(spill_buffer *b, const spill *s, uint64_t block)
{
    const void *bytes;
    size_t n;

    if (owner(s, block) == team_rank())
        return spill_fetch(b, s, own_part(s, block));
    if (!team_take(owner(s, block), &bytes, &n))
        return progress_stop();
    int status = spill_reserve(b, n);
    if (!status)
        memcpy(b->at, bytes, n);
    return status;
}
