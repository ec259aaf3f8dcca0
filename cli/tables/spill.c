/* SPDX-License-Identifier: BSD-3-Clause
 * spill.c - rows that exceed the memory: read once and packed into a file (spill_write.c), which
 * answers the passes of a fit as often as it asks (spill_answer.c).
 *
 * The file holds blocks of FX_PASS_BLOCK rows, each packed by itself, so that any of them can be
 * read alone, and it does not matter where the batches of the reader end. */

#include "spill.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COPIES = 3, MORE = 2 };          /* a fit in memory takes so many times the rows */
enum { ROW = 64 };                      /* bytes of a row in a part, besides what is packed */

/* Factorization machines and filled rows take more. */
double spill_most(bool combines)
{
    return (double)cli.max_memory / (COPIES + (combines || rows_missing_plan() ? MORE : 0));
}

int spill_failed(const spill *s, const char *what)
{
    int error = errno;

    say_error("%s rows %s %s: %s", what, s->kept || s->loose ? "in" : "beside", s->beside,
              strerror(error));
    if (s->loose)
        say_hint("TMPDIR=FOLDER has them in another folder");
    else if (!s->kept && (error == ENOSPC || error == EDQUOT || error == EFBIG))
        say_hint("-o MODEL or --spill FILE on another disk has them there");
    return error == ENOMEM ? EXIT_MEMORY : EXIT_USAGE;
}

int spill_damaged(const spill *s, const char *detail)
{
    say_error("reading rows %s %s: %s", s->kept || s->loose ? "in" : "beside", s->beside, detail);
    if (s->kept)
        say_hint("it is damaged; delete it, and train makes it again");
    return EXIT_USAGE;
}

int spill_read(const spill *s, const spill_part *part, char *buf)
{
    for (uint64_t have = 0; have < part->bytes;) {
        ssize_t n = pread(s->fd, buf + have, part->bytes - have, (off_t)(part->begin + have));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n ? errno : EIO;
        have += (uint64_t)n;
    }
    return 0;
}

/* Each thread reads and unpacks one; alone, it reads the next ahead. */
uint64_t spill_reads(const spill *s, unsigned copies)
{
    uint64_t most = 0, n = progress_threads() > 1 ? (uint64_t)progress_threads() : 2;

    for (size_t k = 0; k < s->parts; k++)
        most = s->part[k].bytes > most ? s->part[k].bytes : most;
    return (n < s->parts ? n : s->parts) * (copies * most + ROW * FX_PASS_BLOCK);
}

bool spill_is_part(const spill *s, uint64_t first, const fx_table *t)
{
    uint64_t left = s->rows - first;

    return t->rows == (left < FX_PASS_BLOCK ? left : FX_PASS_BLOCK) && t->cols <= s->cols;
}

uint64_t spill_blocks(const spill *s) { return (s->rows + FX_PASS_BLOCK - 1) / FX_PASS_BLOCK; }

const spill_part *spill_part_at(const spill *s, uint64_t first)
{
    return &s->part[first / FX_PASS_BLOCK];
}

void spill_free(spill *s)
{
    spill_answer_free(s);
    if (s->fd >= 0)
        close(s->fd);
    for (size_t j = 0; j < s->names; j++)
        free((void *)s->name[j]);
    free(s->name);
    free(s->part);
    *s = (spill){.fd = -1};
}
