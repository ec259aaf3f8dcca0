/* SPDX-License-Identifier: BSD-3-Clause
 * team.h - the processes that mpirun started together, for one fit.
 *
 * Process 0 speaks, writes and decides; the others help it.  Without mpirun there is one process,
 * and all of this does nothing.  Functions that wait for another process return false when the team
 * stops, because of a signal or because one of them failed; progress_stop then says why. */
#ifndef CLI_TEAM_H
#define CLI_TEAM_H
#include "terminal/terminal.h"

#include <stddef.h>
#include <stdint.h>

/* ---- team.c --------------------------------------------------------------------------------- */
int team_start(void);                   /* 0, or an exit status */
int team_rank(void);                    /* of this process; 0: it decides */
int team_ranks(void);                   /* how many there are */
/* With the status of what this process did: the status to exit with. */
int team_end(int status);

/* ---- team_messages.c ------------------------------------------------------------------------ */
bool team_tell(void *bytes, size_t len);                 /* those of process 0, to all */
/* Has each process what process 0 has?  An error names the first that has not: "process 1 has ..".
 */
int team_same(const void *bytes, size_t len, const char *what);
/* Work that is done by turns: is this piece of it this process's?  Then it sends what it made to
 * process 0, which takes it; nothing happens in others.  0, or an exit status. */
bool team_turn(uint64_t turn);
int team_bring(uint64_t turn, void *bytes, size_t len);
/* A pass: process 0 asks the others; they get the request, which is valid until the next. */
bool team_ask(const void *request, size_t bytes);
bool team_asked(const void **request, size_t *bytes);    /* false: there are no more */
/* Every process merges what others answered into its own pass, and all but 0 send the sum on. */
fx_status team_collect(fx_pass *pass);
bool team_answer(const void *answer, size_t bytes);
/* What is no sum: another process gives it to process 0, which takes it; valid until the next. */
bool team_give(const void *bytes, size_t len);
bool team_take(int rank, const void **bytes, size_t *len);
#endif
