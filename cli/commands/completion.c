/* SPDX-License-Identifier: BSD-3-Clause
 * completion.c - scripts by which shells complete commands, options and their values, from the
 * tables of the commands and of the library. */

#include "commands.h"
#include "terminal/terminal.h"

#include <ctype.h>
#include <string.h>

/* ---- What an option's argument may be ------------------------------------------------------- */
typedef enum argument { ARGUMENT_NONE, ARGUMENT_OTHER, ARGUMENT_VALUES, ARGUMENT_FILE } argument;

/* Adds a word unless it is there already. */
static void add_name(strbuf *t, const char *name, size_t n)
{
    for (const char *p = t->s; p && *p; p += strspn(p, " ")) {
        size_t len = strcspn(p, " ");
        if (len == n && !strncmp(p, name, n))
            return;
        p += len;
    }
    strbuf_add(t, "%s%.*s", t->n ? " " : "", (int)n, name);
}

static void add_names(strbuf *t, spec_names *name)
{
    for (size_t i = 0; name(i); i++)
        add_name(t, name(i), strlen(name(i)));
}

/* Values with spaces between them: words of "SPEC|auto" that are not placeholders, and the names
 * of the library's table that belongs to the option. */
static argument describe(strbuf *values, const opt *o)
{
    static const struct { const char *option; spec_names *name; } tables[] = {
        {"model", fx_model_name}, {"kernel", fx_kernel_name}, {"map", fx_map_name},
        {"metric", fx_metric_name}};
    const char *a = o->argument;

    if (!a || o->kind == OPT_LEVEL)
        return ARGUMENT_NONE;
    if (!strcmp(a, "FILE") || !strcmp(a, "DIR") || !strcmp(a, "MODEL"))
        return ARGUMENT_FILE;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (!strcmp(o->name, tables[i].option))
            add_names(values, tables[i].name);
    for (size_t n; *a; a += n + (a[n] == '|')) {
        n = strcspn(a, "|");
        if (o->kind == OPT_CHOICE || (strchr(o->argument, '|') && islower((unsigned char)*a)))
            add_name(values, a, n);
    }
    return values->n ? ARGUMENT_VALUES : ARGUMENT_OTHER;
}

/* The beginning of the help text, without characters that are shell syntax. */
static void add_help(strbuf *t, const char *help)
{
    const char *below = strstr(help, ", see below");
    size_t n = strcspn(help, ";(["), max_bytes = 70;

    if (below && (size_t)(below - help) < n)
        n = (size_t)(below - help);
    if (n > max_bytes)                  /* whole words */
        for (n = max_bytes; n && help[n] != ' ';)
            n--;
    while (n && strchr(" ,:", help[n - 1]))
        n--;
    for (size_t i = 0; i < n; i++)
        strbuf_add(t, "%s%c", strchr("'\\", help[i]) ? "\\" : "",
                   help[i] == ':' ? ',' : help[i]);
}

/* visit(t, o, kind, values, help) for every option of a command. */
typedef void visit(strbuf *t, const command *c, const opt *o, argument kind, const char *values,
                   const char *help);

static void each_option(strbuf *t, const command *c, visit *see)
{
    for (const opt_group *const *g = c->groups; *g; g++)
        for (const opt *o = (*g)->opts; o->name; o++) {
            strbuf values = {0}, help = {0};
            argument kind = describe(&values, o);
            add_help(&help, o->help);
            see(t, c, o, kind, values.s ? values.s : "", help.s ? help.s : "");
            t->failed |= values.failed || help.failed;
            strbuf_free(&values);
            strbuf_free(&help);
        }
}

/* Names that the first operand of a command may be; "": files. */
static void add_operands(strbuf *t, const command *c)
{
    if (!strcmp(c->name, "make"))
        add_names(t, fx_data_make_name);
}

static void add_commands(strbuf *t, const command *const *all)
{
    for (; *all; all++)
        strbuf_add(t, "%s ", (*all)->name);
}

/* ---- bash ----------------------------------------------------------------------------------- */
static void bash_value(strbuf *t, const command *c, const opt *o, argument kind,
                       const char *values, const char *help)
{
    (void)c;
    (void)help;
    if (kind == ARGUMENT_NONE)
        return;
    strbuf_add(t, "        --%s", o->name);
    if (o->letter)
        strbuf_add(t, " | -%c", o->letter);
    strbuf_add(t, kind == ARGUMENT_VALUES ? ") words='%s' ;;\n" : ") ;;\n", values);
}

static void bash_name(strbuf *t, const command *c, const opt *o, argument kind, const char *values,
                      const char *help)
{
    (void)c;
    (void)kind;
    (void)values;
    (void)help;
    strbuf_add(t, "--%s ", o->name);
}

static void bash(strbuf *t, const command *const *all)
{
    strbuf_add(t, "# bash completion of featcross, made from its tables of options.\n"
                  "_featcross() {\n"
                  "    local cur=${COMP_WORDS[COMP_CWORD]} words=\n"
                  "    local prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                  "    [ \"$prev\" = = ] && prev=${COMP_WORDS[COMP_CWORD-2]}\n"
                  "    [ \"$cur\" = = ] && cur=\n"
                  "    if [ \"$COMP_CWORD\" = 1 ]; then\n        words='");
    add_commands(t, all);
    strbuf_add(t, "help --help --version'\n    else case ${COMP_WORDS[1]} in\n    help) words='");
    add_commands(t, all);
    strbuf_add(t, "' ;;\n");
    for (; *all; all++) {
        strbuf operands = {0};
        add_operands(&operands, *all);
        strbuf_add(t, "    %s) case $prev in\n", (*all)->name);
        each_option(t, *all, bash_value);
        strbuf_add(t, "        *) case $cur in -*) words='");
        each_option(t, *all, bash_name);
        strbuf_add(t, "' ;;");
        if (operands.n)
            strbuf_add(t, " *) words='%s' ;;", operands.s);
        strbuf_add(t, " esac ;;\n        esac ;;\n");
        t->failed |= operands.failed;
        strbuf_free(&operands);
    }
    strbuf_add(t, "    esac fi\n"
                  "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
                  "}\n"
                  "complete -o default -F _featcross featcross\n");
}

/* ---- zsh ------------------------------------------------------------------------------------ */
static void zsh_option(strbuf *t, const command *c, const opt *o, argument kind,
                       const char *values, const char *help)
{
    (void)c;
    for (int form = o->letter ? 0 : 1; form < 2; form++) {
        bool is_long = form == 1;
        char letter[] = {o->letter, '\0'};
        strbuf_add(t, " \\\n        $'%s%s%s[%s]", is_long ? "--" : "-", is_long ? o->name : letter,
                   kind == ARGUMENT_NONE ? "" : is_long ? "=" : "+", help);
        if (kind == ARGUMENT_VALUES)
            strbuf_add(t, ":%s:(%s)", o->name, values);
        else if (kind != ARGUMENT_NONE)
            strbuf_add(t, ":%s:%s", o->name, kind == ARGUMENT_FILE ? "_files" : " ");
        strbuf_add(t, "'");
    }
}

static void zsh(strbuf *t, const command *const *all)
{
    strbuf_add(t, "#compdef featcross\n"
                  "# zsh completion of featcross, made from its tables of options.\n"
                  "_featcross() {\n"
                  "    local -a commands\n    commands=(\n");
    for (const command *const *c = all; *c; c++) {
        strbuf_add(t, "        $'%s:", (*c)->name);
        add_help(t, (*c)->summary);
        strbuf_add(t, "'\n");
    }
    strbuf_add(t, "        help:'describe a command'\n    )\n"
                  "    if (( CURRENT == 2 )); then\n"
                  "        _describe command commands\n        return\n    fi\n"
                  "    shift words\n    (( CURRENT-- ))\n"
                  "    case $words[1] in\n    help) _describe command commands ;;\n");
    for (; *all; all++) {
        strbuf operands = {0};
        add_operands(&operands, *all);
        strbuf_add(t, "    %s) _arguments -s", (*all)->name);
        each_option(t, *all, zsh_option);
        if (operands.n)
            strbuf_add(t, " \\\n        '1:kind:(%s)'", operands.s);
        strbuf_add(t, " \\\n        '*:file:_files' ;;\n");
        t->failed |= operands.failed;
        strbuf_free(&operands);
    }
    strbuf_add(t, "    esac\n}\n_featcross \"$@\"\n");
}

/* ---- fish ----------------------------------------------------------------------------------- */
static void fish_option(strbuf *t, const command *c, const opt *o, argument kind,
                        const char *values, const char *help)
{
    strbuf_add(t, "complete -c featcross -n '__fish_seen_subcommand_from %s' -l %s", c->name,
               o->name);
    if (o->letter)
        strbuf_add(t, " -s %c", o->letter);
    if (kind == ARGUMENT_VALUES)
        strbuf_add(t, " -x -a '%s'", values);
    else if (kind != ARGUMENT_NONE)
        strbuf_add(t, kind == ARGUMENT_FILE ? " -r -F" : " -x");
    strbuf_add(t, " -d '%s'\n", help);
}

static void fish(strbuf *t, const command *const *all)
{
    strbuf_add(t, "# fish completion of featcross, made from its tables of options.\n");
    for (const command *const *c = all; *c; c++) {
        strbuf_add(t, "complete -c featcross -f -n __fish_use_subcommand -a %s -d '", (*c)->name);
        add_help(t, (*c)->summary);
        strbuf_add(t, "'\n");
    }
    strbuf_add(t, "complete -c featcross -f -n __fish_use_subcommand -a help -d 'describe a "
                  "command'\ncomplete -c featcross -f -n '__fish_seen_subcommand_from help' -a '");
    add_commands(t, all);
    strbuf_add(t, "'\n");
    for (; *all; all++) {
        strbuf operands = {0};
        add_operands(&operands, *all);
        if (operands.n)
            strbuf_add(t, "complete -c featcross -n '__fish_seen_subcommand_from %s' -a '%s'\n",
                       (*all)->name, operands.s);
        each_option(t, *all, fish_option);
        t->failed |= operands.failed;
        strbuf_free(&operands);
    }
}

int completion_script(FILE *f, const command *const *all, const char *shell)
{
    strbuf t = {0};

    (!strcmp(shell, "bash") ? bash : !strcmp(shell, "zsh") ? zsh : fish)(&t, all);
    if (!t.failed)
        fwrite(t.s, 1, t.n, f);
    int status = t.failed ? say_no_memory("the completion") : 0;
    strbuf_free(&t);
    return status;
}
