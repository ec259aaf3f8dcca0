/* SPDX-License-Identifier: BSD-3-Clause
 * main.c - the featcross program: the table of commands, and what all of them have in common. */

#include "commands/commands.h"
#include "files/files.h"
#include "team/team.h"
#include "terminal/terminal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND(name) &cmd_##name,
static const command *const commands[] = {
#include "commands/commands.def"
    NULL};
enum { COMMANDS = sizeof commands / sizeof *commands - 1 };

static int print_version(void)
{
    const char *library, *version_of;
    char version[32];

    safe_print(stdout, "featcross %s\n", machine_version(version, fx_version()));
    if (*machine_commit())
        safe_print(stdout, "commit           %s\n", machine_commit());
    safe_print(stdout, "instruction set  %s\n", fx_simd_target());
    safe_print(stdout, "threads          %d\n", progress_threads());
#if defined __clang__
    safe_print(stdout, "compiled with    clang %s\n", __clang_version__);
#else
    safe_print(stdout, "compiled with    gcc %s\n", __VERSION__);
#endif
    safe_print(stdout, "uses             jansson %s", jansson_version_str());
    for (size_t i = 0; input_codec(&library, &version_of, i); i++)
        safe_print(stdout, ", %s %s", library, version_of);
    putchar('\n');
    return say_flush();
}

static const command *find(const char *name)
{
    const char *names[COMMANDS];

    for (int i = 0; i < COMMANDS; i++) {
        names[i] = commands[i]->name;
        if (!strcmp(name, names[i]))
            return commands[i];
    }
    const char *near = fx_nearest(name, names, COMMANDS);
    say_error("there is no command '%s'", name);
    if (near)
        say_hint("did you mean featcross %s?", near);
    else
        say_hint("featcross --help lists the commands");
    return NULL;
}

static int help(const char *name)
{
    char version[32];
    int status = 0;

    if (!name)
        help_program(stdout, commands);
    else if (!strcmp(name, "--man"))
        status = help_man(stdout, commands, machine_version(version, fx_version()));
    else if (!strcmp(name, "--bash") || !strcmp(name, "--zsh") || !strcmp(name, "--fish"))
        status = completion_script(stdout, commands, name + 2);
    else {
        const command *c = find(name);
        status = c ? help_command(stdout, c) : EXIT_USAGE;
    }
    return status ? status : say_flush();
}

static int run(const command *c, int argc, char **argv)
{
    char **operand = malloc(((size_t)argc + 1) * sizeof *operand);
    int n, status;

    if (!operand)
        return say_no_memory("the arguments");
    status = opt_parse(c, argc, argv, operand, &n);
    cli.run = progress_run();
    if (!status && cli.help)
        status = team_rank() ? 0 : help(c->name);
    else if (!status && team_ranks() > 1 && !c->team)
        status = say_error("%s runs in one process; run it without mpirun", c->name);
    else if (!status && (n < c->min_operands || n > c->max_operands)) {
        say_error("%s: %s", c->name,
                  n < c->min_operands ? "an operand is missing" : "too many operands");
        say_hint("usage: featcross %s %s", c->name, c->operands);
        status = EXIT_USAGE;
    } else if (!status)
        status = c->run(n, operand);
    free(operand);
    return status;
}

/* If a standard stream is closed, the next file that is opened would get its number, and messages
 * would be written into that file.  So /dev/null is opened in its place, in the wrong mode: using
 * the stream still fails. */
static bool fill_streams(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd)
            return false;
    return true;
}

static int start(int argc, char **argv)
{
    int status;

    if (team_rank() && (argc < 2 || !find(argv[1])))
        return 0;                       /* the other process says it */
    if (argc < 2) {
        help_program(stderr, commands);
        return EXIT_USAGE;
    }
    if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "help"))
        status = help(argc > 2 ? argv[2] : NULL);
    else if (!strcmp(argv[1], "-V") || !strcmp(argv[1], "--version"))
        status = print_version();
    else {
        const command *c = find(argv[1]);
        status = c ? run(c, argc - 2, argv + 2) : EXIT_USAGE;
    }
    return status;
}

int main(int argc, char **argv)
{
    int status;

    if (!fill_streams())
        return EXIT_USAGE;
    progress_signals(output_drop);
    atexit(output_drop);                /* a library may end the program, too */
    status = team_start();
    return team_end(status ? status : start(argc, argv));
}
