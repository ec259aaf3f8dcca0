/* SPDX-License-Identifier: BSD-3-Clause
 * messages.c - libfeatcross_mpi.so: messages of bytes by MPI (cli/team/plugin.h).
 *
 * MPI's functions that wait keep a processor busy, which another process of the job may need.  So
 * none is used: who waits tests and lets the program decide what to do meanwhile.  A message is its
 * length, then its bytes in pieces that MPI can count.  Errors of MPI end the job with its own
 * message. */

#include "team/plugin.h"

#include <mpi.h>
#include <stdint.h>

enum { PIECE = 1 << 30 };

static int length_tag(int tag) { return 2 * tag; }
static int bytes_tag(int tag) { return 2 * tag + 1; }

static bool start(int *rank, int *ranks)
{
    int level;

    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
        return false;
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, ranks);
    return level >= MPI_THREAD_FUNNELED;
}

/* What is given up is never completed: the program ends. */
static bool wait_for(MPI_Request *request, team_idle *idle)
{
    int done = 0;

    for (MPI_Test(request, &done, MPI_STATUS_IGNORE); !done;
         MPI_Test(request, &done, MPI_STATUS_IGNORE))
        if (!idle()) {
            MPI_Request_free(request);
            return false;
        }
    return true;
}

static bool send_piece(int to, int tag, const void *bytes, size_t len, team_idle *idle)
{
    MPI_Request request;

    MPI_Isend(bytes, (int)len, MPI_BYTE, to, tag, MPI_COMM_WORLD, &request);
    return wait_for(&request, idle);
}

static bool send(int to, int tag, const void *bytes, size_t len, team_idle *idle)
{
    const char *at = bytes;
    uint64_t length = len;
    bool sent = send_piece(to, length_tag(tag), &length, sizeof length, idle);

    for (size_t n; sent && len; at += n, len -= n) {
        n = len < PIECE ? len : PIECE;
        sent = send_piece(to, bytes_tag(tag), at, n, idle);
    }
    return sent;
}

static bool receive(int from, int tag, void *bytes, size_t len, team_idle *idle)
{
    char *at = bytes;
    bool got = true;

    for (size_t n; got && len; at += n, len -= n) {
        MPI_Request request;
        n = len < PIECE ? len : PIECE;
        MPI_Irecv(at, (int)n, MPI_BYTE, from, bytes_tag(tag), MPI_COMM_WORLD, &request);
        got = wait_for(&request, idle);
    }
    return got;
}

static bool arrived(int *from, int tag, size_t *len)
{
    int source = *from == TEAM_ANY ? MPI_ANY_SOURCE : *from, there = 0;
    uint64_t length;
    MPI_Status status;

    MPI_Iprobe(source, length_tag(tag), MPI_COMM_WORLD, &there, &status);
    if (!there)
        return false;
    *from = status.MPI_SOURCE;
    MPI_Recv(&length, sizeof length, MPI_BYTE, *from, length_tag(tag), MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    *len = (size_t)length;
    return true;
}

static void end(void) { MPI_Finalize(); }

__attribute__((visibility("default"))) const team_plugin featcross_team = {
    .version = TEAM_PLUGIN_VERSION, .start = start, .send = send, .receive = receive,
    .arrived = arrived, .end = end};
