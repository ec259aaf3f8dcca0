/* SPDX-License-Identifier: BSD-3-Clause
 * cli.h - what every folder of the program knows.
 *
 * One convention for failures: a function that can fail prints the reason on stderr and returns the
 * exit status; 0 means success.  Results go to stdout, everything else to stderr.
 *
 * Each folder has one header, named after it, that declares what other folders may use.  Folders on
 * the same line are siblings.  A file includes only headers of folders on the lines above its own
 * (tests/layers):
 *
 *   terminal           messages, progress and interruption, text that is safe to show
 *   team               the processes that mpirun started
 *   options            tables of options, and their parser
 *   files              bytes in and out: compressed, zipped, whole or not at all
 *   tables             rows: read, detected, drawn, scaled, split
 *   figures            what gnuplot draws
 *   kernels            kernels and maps as a user names them, and their errors
 *   models             options to plans, fits and model files
 *   compare, datasets  the leaderboard; named data sets
 *   reproduce          tables and figures of the papers
 *   commands           one file per command, and help */
#ifndef CLI_H
#define CLI_H
#include "defaults.h"
#include "featcross.h"

#include <stdbool.h>

enum {                                  /* exit statuses */
       EXIT_NO = 1, /* a negative answer */
       EXIT_USAGE = 2, /* bad usage or bad input */
       EXIT_NUMERIC = 3,
       EXIT_MEMORY = 4, /* out of memory or over the limit */
       EXIT_SIGNAL = 128 /* and the signal's number: 129 SIGHUP, 130 SIGINT, 143 SIGTERM */
};

typedef struct common {                 /* the options that every command has */
    bool help, json, quiet;
    uint64_t verbose, seed, threads, max_memory;
    fx_run run;                         /* passed to the calls of the library, made from these */
} common;
extern common cli;
#endif
