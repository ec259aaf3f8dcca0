/* SPDX-License-Identifier: BSD-3-Clause
 * plugin.h - between the program and libfeatcross_mpi.so, which alone knows MPI: messages of bytes
 * between processes that mpirun started.
 *
 * The program needs no MPI; it loads the plugin where mpirun starts several of it, and accepts only
 * this version. */
#ifndef TEAM_PLUGIN_H
#define TEAM_PLUGIN_H
#include <stdbool.h>
#include <stddef.h>

#define TEAM_PLUGIN "featcross_team"    /* name of the struct in the library */
enum { TEAM_PLUGIN_VERSION = 1 };
enum { TEAM_ANY = -1 };                 /* a message from whomever */

typedef bool team_idle(void);           /* called again and again by who waits; false: give up */

typedef struct team_plugin {
    int version;                        /* the first member, in every version */
    bool (*start)(int *rank, int *ranks);
    /* Waits until the bytes are on their way, or until all of them are there.  False: given up. */
    bool (*send)(int to, int tag, const void *bytes, size_t len, team_idle *idle);
    bool (*receive)(int from, int tag, void *bytes, size_t len, team_idle *idle);
    /* Without waiting: is there a message, from whom and how long?  It must be received next. */
    bool (*arrived)(int *from, int tag, size_t *len);
    void (*end)(void);
} team_plugin;
#endif
