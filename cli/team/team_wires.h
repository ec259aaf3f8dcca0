/* SPDX-License-Identifier: BSD-3-Clause
 * team_wires.h - between the files of a team: the plugin, and who waits. */
#ifndef TEAM_WIRES_H
#define TEAM_WIRES_H
#include "plugin.h"
#include "team.h"

enum { TEAM_CONTROL, TEAM_HELLO, TEAM_DOWN, TEAM_UP };   /* tags of messages */
extern struct team {
    const team_plugin *plugin;          /* NULL: there is one process */
    int rank, ranks;
    bool over;                          /* process 0 has ended the team */
} team;

/* ---- team_messages.c: to and from one process, as those of team.h --------------------------- */
bool team_send(int to, int tag, const void *bytes, size_t len);
typedef struct team_message { char *bytes; size_t len, capacity; } team_message; /* free(bytes) */
bool team_receive(int from, int tag, team_message *m);
/* The others say why they failed; process 0 says that it is over. */
void team_watch(void);
void team_say(const char *lines);       /* what was said elsewhere */
void team_fail(int status, const char *why);
void team_over(void);
bool team_wait_for_end(double seconds); /* 0: as long as it takes */
#endif
