/* SPDX-License-Identifier: BSD-3-Clause
 * commands.h - the commands, and help. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H
#include "options/options.h"

#include <stdio.h>

#define COMMAND(name) extern const command cmd_##name;
#include "commands.def"
#undef COMMAND

/* ---- help.c --------------------------------------------------------------------------------- */
void help_program(FILE *f, const command *const *all);
int help_command(FILE *f, const command *c);    /* 0, or an exit status after saying why */
int help_man(FILE *f, const command *const *all, const char *version);
/* completion.c - for bash, zsh or fish. */
int completion_script(FILE *f, const command *const *all, const char *shell);
/* help_lines.c - show(f, width, name, text) for each line of a table of the library, `width` being
 * that of the longest name.  0, or an exit status after saying why. */
typedef void help_show(FILE *f, size_t width, const char *name, const char *text);
int help_lines(FILE *f, spec_names *name, spec_describes *about, help_show *show);
#endif
