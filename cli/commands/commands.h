/* SPDX-License-Identifier: BSD-3-Clause
 * commands.h - the commands, and help. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H
#include "options/options.h"

#include <stdio.h>

extern const command cmd_train, cmd_predict, cmd_evaluate, cmd_tune, cmd_explain;
extern const command cmd_compare, cmd_map, cmd_bound, cmd_gram, cmd_info, cmd_convert, cmd_make;
extern const command cmd_bench, cmd_reproduce;

/* ---- help.c --------------------------------------------------------------------------------- */
void help_program(FILE *f, const command *const *all);
void help_command(FILE *f, const command *c);
void help_man(FILE *f, const command *const *all, const char *version);
#endif
