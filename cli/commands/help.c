/* SPDX-License-Identifier: BSD-3-Clause
 * help.c - what --help prints and what the man page says, from the tables of the commands and, by
 * help_lines.c, of the library. */

#include "commands.h"
#include "tables/tables.h"

#include <string.h>

enum { WIDTH = 80, COLUMN = 28 };

static const struct { const char *status, *meaning; } exits[] = {
    {"0", "done"},
    {"1", "a negative answer, such as a Gram matrix that is not positive semidefinite"},
    {"2", "bad usage or bad input"},
    {"3", "numerical failure"},
    {"4", "out of memory, or over --max-memory"},
    {"129, 130, 143", "ended by SIGHUP, SIGINT (Ctrl-C) or SIGTERM; no unfinished file is left"},
};

/* Words of text from column `at`, further lines from column `indent`. */
static void wrap(FILE *f, size_t at, size_t indent, const char *text)
{
    bool first = true;

    while (*text) {
        size_t n = strcspn(text, " \n");
        if (!first && at + 1 + n > WIDTH) {
            fprintf(f, "\n%*s", (int)indent, "");
            at = indent;
        } else if (!first) {
            fputc(' ', f);
            at++;
        }
        fprintf(f, "%.*s", (int)n, text);
        at += n;
        first = false;
        text += n;
        if (*text == '\n') {
            fprintf(f, "\n%*s", (int)indent, "");
            at = indent;
            first = true;
        }
        text += *text != '\0';
    }
    fputc('\n', f);
}

/* "one; the default is x" needs one buffer at most this long. */
static const char *describe(char buf[512], const opt *o)
{
    snprintf(buf, 512, o->fallback ? "%s (default %s)" : "%s", o->help, o->fallback);
    return buf;
}

static void show_options(FILE *f, const opt_group *g)
{
    char left[96], text[512];

    fprintf(f, "\n%s:\n", g->title);
    for (const opt *o = g->opts; o->name; o++) {
        char letter[] = {'-', o->letter, ',', '\0'};
        snprintf(left, sizeof left, "  %-3s --%s%s%s", o->letter ? letter : "", o->name,
                 o->argument ? " " : "", o->argument ? o->argument : "");
        size_t n = strlen(left);
        if (n + 2 > COLUMN)
            fprintf(f, "%s\n%*s", left, COLUMN, "");
        else
            fprintf(f, "%-*s", COLUMN, left);
        wrap(f, COLUMN, COLUMN, describe(text, o));
    }
}

static void show_line(FILE *f, size_t width, const char *name, const char *text)
{
    fprintf(f, "  %-*s", (int)width + 2, name);
    wrap(f, width + 4, width + 4, text);
}

int help_command(FILE *f, const command *c)
{
    const struct {
        bool shown;
        const char *title;
        spec_names *name;
        spec_describes *about;
    } tables[] = {
        {c->models, "Models, as name:key=value,..; the first value of a key is its default",
         fx_model_name, fx_model_describe},
        {c->kernels, "Kernels; outer(inner) composes two", fx_kernel_name, fx_kernel_describe},
        {c->maps, "Maps, with the kernels they support; the first value of a key is its default",
         fx_map_name, fx_map_describe},
        {c->metrics, "Metrics; any whole number from 1 may follow @", fx_metric_name,
         fx_metric_describe}};

    fprintf(f, "Usage: featcross %s %s\n\n", c->name, c->operands);
    wrap(f, 0, 0, c->text);
    for (const opt_group *const *g = c->groups; *g; g++)
        show_options(f, *g);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (tables[i].shown) {
            fprintf(f, "\n%s:\n", tables[i].title);
            int status = help_lines(f, tables[i].name, tables[i].about, show_line);
            if (status)
                return status;
        }
    fputs("\nExamples:\n", f);
    for (const char *e = c->examples; *e;) {
        size_t n = strcspn(e, "\n");
        fprintf(f, "  featcross %.*s\n", (int)n, e);
        e += n + (e[n] == '\n');
    }
    return 0;
}

void help_program(FILE *f, const command *const *all)
{
    fputs("Usage: featcross COMMAND [options] [files]\n\n"
          "Learning with feature combinations.\n\nCommands:\n",
          f);
    for (; *all; all++)
        fprintf(f, "  %-9s %s\n", (*all)->name, (*all)->summary);
    fputs("\nfeatcross COMMAND --help describes a command; featcross --version prints versions.\n"
          "featcross help --bash, --zsh or --fish prints a completion script for that shell.\n", f);
}

/* ---- The man page, roff with the man(7) macros -------------------------------------------- */
static void roff_text(FILE *f, const char *text)
{
    bool line_start = true;

    for (; *text; text++) {
        if (line_start && (*text == '.' || *text == '\''))
            fputs("\\&", f);
        line_start = *text == '\n';
        if (*text == '-' || *text == '\\')
            fputs(*text == '-' ? "\\-" : "\\e", f);
        else if (*text == '^' || *text == '~')          /* else typeset as accents */
            fputs(*text == '^' ? "\\(ha" : "\\(ti", f);
        else
            fputc(*text, f);
    }
}

static void roff(FILE *f, const char *text)
{
    roff_text(f, text);
    fputc('\n', f);
}

static void roff_options(FILE *f, const opt_group *g)
{
    char text[512];

    for (const opt *o = g->opts; o->name; o++) {
        fputs(".TP\n", f);
        if (o->letter)
            fprintf(f, "\\fB\\-%c\\fR, ", o->letter);
        fputs("\\fB\\-\\-", f);
        roff_text(f, o->name);
        fputs("\\fR", f);
        if (o->argument) {
            fputs(" \\fI", f);
            roff_text(f, o->argument);
            fputs("\\fR", f);
        }
        fputc('\n', f);
        roff(f, describe(text, o));
    }
}

static void roff_command(FILE *f, const command *c)
{
    fprintf(f, ".SS featcross %s\n.B featcross %s\n", c->name, c->name);
    roff(f, c->operands);
    fputs(".PP\n", f);
    roff(f, c->text);
    for (const opt_group *const *g = c->groups; *g; g++)
        if (*g != &reading_options && *g != &reading_but_format && *g != &common_options)
            roff_options(f, *g);
    fputs(".PP\n.nf\n", f);
    for (const char *e = c->examples; *e;) {
        size_t n = strcspn(e, "\n");
        char one[512];
        snprintf(one, sizeof one, "featcross %.*s", (int)n, e);
        roff(f, one);
        e += n + (e[n] == '\n');
    }
    fputs(".fi\n", f);
}

static void roff_line(FILE *f, size_t width, const char *name, const char *text)
{
    (void)width;
    fputs(".TP\n", f);
    roff(f, name);
    roff(f, text);
}

int help_man(FILE *f, const command *const *all, const char *version)
{
    fprintf(f,
            ".TH FEATCROSS 1 \"\" \"featcross %s\" \"User Commands\"\n"
            ".SH NAME\nfeatcross \\- learning with feature combinations\n"
            ".SH SYNOPSIS\n.B featcross\n.I COMMAND\n[options] [files]\n"
            ".SH DESCRIPTION\n",
            version);
    roff(f,
         "Kernels over combinations of features, random maps that approximate them, linear models "
         "on top, and the data handling around them. "
         "Results go to standard output, messages and progress to standard error; the file name - "
         "is standard input or output. Input may be packed with gzip, xz, zstd or bzip2. An "
         "output file appears complete or not at all.");
    fputs(".SH COMMANDS\n", f);
    for (const command *const *c = all; *c; c++)
        roff_command(f, *c);
    fputs(".SH READING OPTIONS\nOf every command that reads data.\n", f);
    roff_options(f, &reading_options);
    fputs(".SH COMMON OPTIONS\nOf every command.\n", f);
    roff_options(f, &common_options);
    fputs(".SH SPEC STRINGS\n", f);
    roff(f, "Kernels, maps, models, scalings and synthetic sets are named by one grammar: name, "
            "name:key=value,key=value, and composition, where the outer function's keys stand "
            "before the bracket, as in poly:degree=2(rbf:gamma=0.25). The kernels:");
    int status = help_lines(f, fx_kernel_name, fx_kernel_describe, roff_line);
    fputs(".PP\n", f);
    roff(f, "The maps, with the kernels that they serve; a key's first value is its default:");
    if (!status)
        status = help_lines(f, fx_map_name, fx_map_describe, roff_line);
    fputs(".PP\n", f);
    roff(f, "The models; a key's first value is its default:");
    if (!status)
        status = help_lines(f, fx_model_name, fx_model_describe, roff_line);
    fputs(".SH EXIT STATUS\n", f);
    for (size_t i = 0; i < sizeof exits / sizeof *exits; i++) {
        fprintf(f, ".TP\n.B %s\n", exits[i].status);
        roff(f, exits[i].meaning);
    }
    fputs(".SH ENVIRONMENT\n.TP\n.B FX_TARGET\n", f);
    roff(
        f,
        "Forces an instruction set: scalar, avx2, avx512 or neon. One that this processor lacks is "
        "ignored; featcross --version says which is in use.");
    fputs(".SH COMPLETION\n", f);
    roff(f, "featcross help --bash, --zsh or --fish prints a script by which that shell completes "
            "commands, options and values; make install puts all three where shells look for "
            "them.");
    fputs(".SH FILES\n", f);
    roff(f, "Extensions name formats: .svm .libsvm .svmlight (svmlight text), .csv, .tsv, .npy "
            "(dense) and "
            ".npz (SciPy CSR). Precomputed is LIBSVM's text for kernel matrices.");
    return status;
}
