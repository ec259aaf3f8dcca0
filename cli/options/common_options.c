/* SPDX-License-Identifier: BSD-3-Clause
 * common_options.c - the options that every command has. */

#include "options.h"

common cli;

static const opt options[] = {
    {"json", 0, NULL, OPT_FLAG, &cli.json, NULL, "print one JSON object on standard output", 0, 0},
    {"quiet", 'q', NULL, OPT_FLAG, &cli.quiet, NULL,
     "print no progress, no report of train and tune, and no messages except warnings and errors",
     0, 0},
    {"verbose", 'v', "[N]", OPT_LEVEL, &cli.verbose, NULL,
     "print more: 1 times (gram, map, predict) and planted sets (make); 2 the steps of the "
     "solver; 3 its settings; without N, one level more than before", 0, 3},
    {"seed", 0, "N", OPT_COUNT, &cli.seed, "1", "seed of all random choices", 0, INT64_MAX},
    {"threads", 0, "N", OPT_COUNT, &cli.threads, "0",
     "number of threads; 0: one per processor; results do not depend on it", 0, 1024},
    {"max-memory", 0, "SIZE", OPT_SIZE, &cli.max_memory, "80%",
     "stop with an error if more memory, or a larger dense output, is needed: 512M, 2G (powers of "
     "1024), or a share of physical memory", 0, 0},
    {"help", 'h', NULL, OPT_FLAG, &cli.help, NULL, "print this text", 0, 0},
    {0},
};
const opt_group common_options = {"Common options", options};
