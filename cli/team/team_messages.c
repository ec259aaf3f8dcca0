/* SPDX-License-Identifier: BSD-3-Clause
 * team_messages.c - what the processes of a team say to each other.
 *
 * Requests go down a binomial tree and answers up: process k has the children k + 1, k + 2, k + 4,
 * .. while the number added is below the lowest bit of k.  Messages about failures go directly to
 * process 0, which looks for them whenever it waits or shows progress; and so does the message of
 * process 0 that all is over.
 *
 * Who waits does not take a processor from who computes: after a moment it sleeps, an eighth of the
 * time that it has waited already, at most a millisecond. */

#define _GNU_SOURCE                     /* nanosleep, sched_yield */
#include "team_wires.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double SPIN = 2e-4, SLEEP = 1e-3, LOOK = 5e-3;     /* seconds */

struct team team = {.ranks = 1};

/* ---- Waiting -------------------------------------------------------------------------------- */

static double begun;                    /* when this wait began */

static void rest(double waited)
{
    double seconds = waited / 8 < SLEEP ? waited / 8 : SLEEP;

    if (waited < SPIN)
        sched_yield();
    else
        nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * seconds)}, NULL);
}

static bool idle(void)
{
    team_watch();
    if (progress_interrupted())
        return false;
    rest(say_clock() - begun);
    return true;
}

bool team_send(int to, int tag, const void *bytes, size_t len)
{
    begun = say_clock();
    return team.plugin->send(to, tag, bytes, len, idle);
}

static int no_memory(void) { return say_no_memory("a message of another process"); }

static bool receive(int from, int tag, size_t len, team_message *m)
{
    if (m->capacity < len) {
        char *more = realloc(m->bytes, len);
        if (!more) {
            progress_stop_by(no_memory);
            return false;
        }
        m->bytes = more;
        m->capacity = len;
    }
    m->len = len;
    return team.plugin->receive(from, tag, m->bytes, len, idle);
}

bool team_receive(int from, int tag, team_message *m)
{
    size_t len;

    begun = say_clock();
    while (!team.plugin->arrived(&from, tag, &len))
        if (!idle())
            return false;
    return receive(from, tag, len, m);
}

/* ---- Failures and the end ------------------------------------------------------------------- */

typedef struct failure { int status; char why[1020]; } failure;
static failure failed;                  /* what another process said first */

void team_say(const char *lines)
{
    progress_end();
    while (*lines) {
        size_t n = strcspn(lines, "\n");
        safe_print(stderr, "%.*s\n", (int)n, lines);
        lines += n + (lines[n] == '\n');
    }
}

static int say_other(void)              /* progress_stop, in process 0 */
{
    team_say(failed.why);
    return failed.status;
}

static int say_over(void) { return EXIT_USAGE; }         /* .. in others; no one hears it */

static bool wait_always(void) { return true; }

void team_watch(void)
{
    static double last;
    double now = say_clock();
    int from = TEAM_ANY;
    size_t len;

    if (!team.plugin || team.over || failed.status || now - last < LOOK)
        return;
    last = now;
    if (!team.plugin->arrived(&from, TEAM_CONTROL, &len))
        return;
    if (team.rank) {
        team.over = true;
        progress_stop_by(say_over);
    } else if (len == sizeof failed
               && team.plugin->receive(from, TEAM_CONTROL, &failed, len, wait_always))
        progress_stop_by(say_other);
}

void team_fail(int status, const char *why)
{
    failure f = {.status = status};

    if (strlen(why) < sizeof f.why)
        strcpy(f.why, why);
    else {                              /* its last line may be cut */
        memcpy(f.why, why, sizeof f.why - 2);
        f.why[sizeof f.why - 2] = '\n';
    }
    team.plugin->send(0, TEAM_CONTROL, &f, sizeof f, wait_always);
}

void team_over(void)
{
    for (int k = 1; k < team.ranks; k++)
        team.plugin->send(k, TEAM_CONTROL, NULL, 0, wait_always);
}

bool team_wait_for_end(double seconds)
{
    double start = say_clock();

    while (!team.over && (seconds == 0 || say_clock() - start < seconds)) {
        rest(SLEEP * 8);
        team_watch();
    }
    return team.over;
}

/* ---- The tree ------------------------------------------------------------------------------- */

static int parent(void) { return team.rank & (team.rank - 1); }

/* The k-th child, or 0. */
static int child(int k)
{
    int at = team.rank + (1 << k);

    return at < team.ranks && (!team.rank || (1 << k) < (team.rank & -team.rank)) ? at : 0;
}

/* From the largest subtree on, which takes longest. */
static bool pass_down(const void *bytes, size_t len)
{
    int k = 0;
    bool sent = true;

    while (child(k))
        k++;
    while (sent && k--)
        sent = team_send(child(k), TEAM_DOWN, bytes, len);
    return sent;
}

static bool take_down(team_message *m)
{
    return team_receive(parent(), TEAM_DOWN, m) && pass_down(m->bytes, m->len);
}

bool team_tell(void *bytes, size_t len)
{
    team_message m = {0};

    if (team.ranks == 1)
        return true;
    if (!team.rank)
        return pass_down(bytes, len);
    bool got = take_down(&m) && m.len == len;
    if (got) {
        memcpy(bytes, m.bytes, len);
        free(m.bytes);
    }
    return got;
}

int team_same(const void *bytes, size_t len, const char *what)
{
    team_message m = {0};
    char done = 0;

    if (team.ranks == 1)
        return 0;
    if (team.rank)
        return team_send(0, TEAM_UP, bytes, len) && team_tell(&done, 1) ? 0 : progress_stop();
    for (int k = 1; k < team.ranks; k++) {
        if (!team_receive(k, TEAM_UP, &m))
            return progress_stop();
        if (m.len != len || memcmp(m.bytes, bytes, len) != 0) {
            free(m.bytes);
            return say_error("process %d has %s than process 0", k, what);
        }
    }
    free(m.bytes);
    return team_tell(&done, 1) ? 0 : progress_stop();
}

static int whose(uint64_t turn) { return (int)(turn % (uint64_t)team.ranks); }

bool team_turn(uint64_t turn) { return whose(turn) == team.rank; }

static int say_other_rows(void) { return say_error("the processes have read other rows"); }

static bool take(int rank, void *bytes, size_t len)
{
    size_t there;

    begun = say_clock();
    while (!team.plugin->arrived(&rank, TEAM_UP, &there))
        if (!idle())
            return false;
    if (there != len)
        progress_stop_by(say_other_rows);
    return there == len && team.plugin->receive(rank, TEAM_UP, bytes, len, idle);
}

int team_bring(uint64_t turn, void *bytes, size_t len)
{
    bool mine = team_turn(turn), done = true;

    if (mine && team.rank)
        done = team_send(0, TEAM_UP, bytes, len);
    else if (!mine && !team.rank)
        done = take(whose(turn), bytes, len);
    return done ? 0 : progress_stop();
}

/* ---- Passes --------------------------------------------------------------------------------- */

static team_message request, answer;    /* kept from one pass to the next */

bool team_ask(const void *bytes, size_t len) { return pass_down(bytes, len); }

bool team_asked(const void **bytes, size_t *len)
{
    if (!take_down(&request))
        return false;
    *bytes = request.bytes;
    *len = request.len;
    return true;
}

fx_status team_collect(fx_pass *pass)
{
    fx_status st = FX_OK;

    for (int k = 0; child(k) && !st; k++)
        st = team_receive(child(k), TEAM_UP, &answer)
                 ? fx_model_pass_merge(pass, answer.bytes, answer.len)
                 : FX_ECANCELLED;
    return st;
}

bool team_answer(const void *bytes, size_t len)
{
    return team_send(parent(), TEAM_UP, bytes, len);
}

bool team_give(const void *bytes, size_t len) { return team_send(0, TEAM_UP, bytes, len); }

bool team_take(int rank, const void **bytes, size_t *len)
{
    bool got = team_receive(rank, TEAM_UP, &answer);

    *bytes = answer.bytes;
    *len = answer.len;
    return got;
}
