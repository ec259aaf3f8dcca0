/* SPDX-License-Identifier: BSD-3-Clause
 * team.c - joins the processes that mpirun started, and parts from them.
 *
 * mpirun tells of itself by variables.  If it started several processes, the plugin is loaded,
 * which knows MPI; without it each would do all the work and write the same file, so that is an
 * error.  All must be one program and compute with one instruction set, since results have the same
 * bytes for any number of processes. */

#define _GNU_SOURCE                     /* sched_getaffinity */
#include "team_wires.h"

#include <dlfcn.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LIBRARY "libfeatcross_mpi.so"
#ifndef TEAM_LIBRARIES
#define TEAM_LIBRARIES "../lib"         /* from the folder of the program to that of libraries */
#endif

int team_rank(void) { return team.rank; }
int team_ranks(void) { return team.ranks; }

/* ---- The plugin ----------------------------------------------------------------------------- */

/* As the launchers say: 1 without one, 0 if there is one that does not say. */
static int ranks_started(void)
{
    static const char *const size[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"};

    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        if (getenv(size[i]))
            return atoi(getenv(size[i]));
    return getenv("PMIX_RANK") || getenv("PMI_RANK") ? 0 : 1;
}

/* Beside the program, where both were built, or where `make install` puts it. */
static void *open_library(void)
{
    static const char *const folder[] = {"", TEAM_LIBRARIES "/"};
    const char *given = getenv("FEATCROSS_MPI");
    char program[4096], path[4300];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    void *library = given ? dlopen(given, RTLD_NOW | RTLD_GLOBAL) : NULL;

    program[n < 0 ? 0 : n] = '\0';
    char *slash = strrchr(program, '/');
    if (slash)
        slash[1] = '\0';
    for (size_t i = 0; i < sizeof folder / sizeof *folder && !given && !library; i++) {
        snprintf(path, sizeof path, "%s%s" LIBRARY, program, folder[i]);
        if (access(path, R_OK) == 0)
            library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
        else if (i)
            library = dlopen(LIBRARY, RTLD_NOW | RTLD_GLOBAL);
    }
    return library;
}

static int load_plugin(int started)
{
    void *library = open_library();
    const team_plugin *p = library ? dlsym(library, TEAM_PLUGIN) : NULL;

    if (!p) {
        const char *why = dlerror();
        say_error("mpirun started several processes, but " LIBRARY " cannot be loaded: %s",
                  why ? why : "it is not beside this program");
        say_hint("build featcross where Open MPI is installed (scripts/install-deps mpi), or run "
                 "it without mpirun");
        return EXIT_USAGE;
    }
    if (p->version != TEAM_PLUGIN_VERSION)
        return say_error(LIBRARY " is of another version than this program: %d, not %d",
                         p->version, TEAM_PLUGIN_VERSION);
    if (!p->start(&team.rank, &team.ranks))
        return say_error("MPI cannot be started");
    team.plugin = p;
    return started && team.ranks != started
               ? say_error("mpirun started %d processes, but " LIBRARY " sees %d: it was built "
                           "with another MPI", started, team.ranks)
               : 0;
}

/* ---- Who the others are --------------------------------------------------------------------- */

typedef struct hello {
    int64_t version, cpus;
    char commit[48], target[24], host[64];
    cpu_set_t set;                      /* processors that this process may use */
} hello;

static hello introduce(void)
{
    hello h = {.version = fx_version(), .cpus = 1};

    snprintf(h.commit, sizeof h.commit, "%s", machine_commit());
    snprintf(h.target, sizeof h.target, "%s", fx_simd_target());
    gethostname(h.host, sizeof h.host - 1);
    if (sched_getaffinity(0, sizeof h.set, &h.set) == 0)
        h.cpus = CPU_COUNT(&h.set);
    return h;
}

/* The one that processors of both have. */
static const char *common_target(const char *a, const char *b)
{
    static const char *const least_first[] = {"scalar", "avx2", "neon"};

    for (size_t i = 0; i < sizeof least_first / sizeof *least_first; i++)
        if (!strcmp(a, least_first[i]) || !strcmp(b, least_first[i]))
            return least_first[i];
    return a;
}

static int differs(int k, const hello *its, const hello *ours)
{
    char version[32], other[32];

    if (its->version != ours->version || strcmp(its->commit, ours->commit) != 0)
        return say_error("process %d, on %s, is featcross %s %s, process 0 is %s %s", k, its->host,
                         machine_version(other, (int)its->version), its->commit,
                         machine_version(version, (int)ours->version), ours->commit);
    if (!strcmp(its->target, ours->target))
        return 0;
    say_error("process %d, on %s, computes with the instruction set %s, process 0 with %s, which "
              "gives other last digits", k, its->host, its->target, ours->target);
    say_hint("choose one that all have: mpirun -x FX_TARGET=%s ..",
             common_target(its->target, ours->target));
    return EXIT_USAGE;
}

/* Processes that may use the same processors share them. */
static int threads_of(const hello *all, int k)
{
    int same = 0;

    for (int i = 0; i < team.ranks; i++)
        same += !strcmp(all[i].host, all[k].host) && CPU_EQUAL(&all[i].set, &all[k].set);
    return all[k].cpus > same ? (int)all[k].cpus / same : 1;
}

static int compare(hello *all)
{
    team_message m = {0};
    int status = 0;

    for (int k = 1; k < team.ranks && !status; k++) {
        if (!team_receive(k, TEAM_HELLO, &m))
            status = progress_stop();
        else if (m.len != sizeof *all)
            status = say_error("process %d is another featcross than process 0", k);
        else {
            memcpy(&all[k], m.bytes, sizeof *all);
            status = differs(k, &all[k], &all[0]);
        }
    }
    free(m.bytes);
    return status;
}

static int receive_others(hello *all, int64_t *threads)
{
    int status = compare(all);

    for (int k = 1; k < team.ranks && !status; k++) {
        *threads = threads_of(all, k);
        if (!team_send(k, TEAM_HELLO, threads, sizeof *threads))
            status = progress_stop();
    }
    *threads = threads_of(all, 0);
    return status;
}

static int meet(void)
{
    hello *all = calloc((size_t)team.ranks, sizeof *all);
    team_message m = {0};
    int64_t threads = 1;
    int status = 0;

    if (!all)
        return say_no_memory("the list of processes");
    all[0] = introduce();
    if (!team.rank)
        status = receive_others(all, &threads);
    else if (!team_send(0, TEAM_HELLO, all, sizeof *all) || !team_receive(0, TEAM_HELLO, &m))
        status = progress_stop();
    else
        memcpy(&threads, m.bytes, sizeof threads);
    free(all);
    free(m.bytes);
    progress_share((int)threads);
    return status;
}

/* ---- The beginning and the end -------------------------------------------------------------- */

static FILE *errors;                    /* of a helper, for process 0 to say */
static char *said;
static size_t said_bytes;

/* Is this process 0?  The launchers say so before MPI does. */
static bool first_started(void)
{
    static const char *const rank[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};

    for (size_t i = 0; i < sizeof rank / sizeof *rank; i++)
        if (getenv(rank[i]))
            return atoi(getenv(rank[i])) == 0;
    return true;
}

int team_start(void)
{
    int started = ranks_started(), status;

    if (started == 1)
        return 0;
    if (!first_started()) {
        if (!(errors = open_memstream(&said, &said_bytes)))
            return say_no_memory("messages");
        say_errors_to(errors);
    }
    if ((status = load_plugin(started)) || team.ranks == 1)
        return status;
    progress_watch(team_watch);
    return meet();
}

/* What a helper has to say goes to process 0, and then it waits: when it ended, mpirun would end
 * the others before they have removed their unfinished files. */
static void leave(int status)
{
    if (errors)
        fflush(errors);
    if (status && !team.over)
        team_fail(status, said ? said : "");
    team_wait_for_end(progress_interrupted() ? 5 : 0);
}

/* Without MPI no one hears.  Process 0 will most likely have failed, too, and mpirun ends this one;
 * if not, only this machine has a fault. */
static int leave_alone(int status)
{
    if (!status || !errors)
        return status;
    fflush(errors);
    nanosleep(&(struct timespec){.tv_sec = 2}, NULL);
    if (!progress_interrupted())
        team_say(said);
    return status;
}

int team_end(int status)
{
    if (!team.plugin)
        return leave_alone(status);
    if (team.rank)
        leave(status);
    else
        team_over();
    progress_clear();
    if (status) {                       /* messages that no one takes any more may hold up MPI */
        signal(SIGALRM, SIG_DFL);
        alarm(10);
    }
    team.plugin->end();
    alarm(0);
    return team.rank ? 0 : status;
}
