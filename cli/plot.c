/* SPDX-License-Identifier: BSD-3-Clause
 * plot.c - pictures drawn by gnuplot.
 *
 * PICTURE.gnuplot and PICTURE.data stay beside the picture PICTURE, to be changed and drawn
 * again. */

#include "plot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Names are shown as they are: '_' and '^' mean nothing. */
static const char *terminal(const char *path)
{
    size_t n = strlen(path);

    if (n > 4 && !strcmp(path + n - 4, ".svg"))
        return "svg dynamic noenhanced background 'white' font 'Arial,11' fontscale 1.3";
    return n > 4 && !strcmp(path + n - 4, ".png") ? "pngcairo noenhanced font 'Sans,11'" : NULL;
}

/* ---- gnuplot ------------------------------------------------------------------------------ */
/* Runs gnuplot, which must not write to our standard output.  0: done; -1: failed; else errno. */
static int gnuplot(char *const *args)
{
    posix_spawn_file_actions_t quiet;
    pid_t pid;
    int status = 0, error = posix_spawn_file_actions_init(&quiet);

    if (error)
        return error;
    error = posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
    if (!error)
        error = posix_spawnp(&pid, args[0], &quiet, NULL, args, environ);
    posix_spawn_file_actions_destroy(&quiet);
    if (error)
        return error;
    pid_t ended;
    while ((ended = waitpid(pid, &status, 0)) < 0 && errno == EINTR)
        if (progress_interrupted())
            kill(pid, SIGTERM);
    return ended == pid && status == 0 ? 0 : -1;
}

int plot_check(void)
{
    char *const version[] = {(char[]){"gnuplot"}, (char[]){"--version"}, NULL};
    int error = gnuplot(version);

    if (!error)
        return 0;
    if (progress_interrupted())
        return progress_stop();
    say_error("gnuplot: %s", error > 0 ? strerror(error) : "does not run");
    say_hint("--plot needs gnuplot (Debian: gnuplot-nox)");
    return EXIT_USAGE;
}

int plot_open(plot *p, const char *path, const char *const *input, size_t n)
{
    const char *const written[] = {path, p->script_path, p->data_path};

    if (!terminal(path) || strlen(path) + sizeof ".gnuplot" > sizeof p->script_path) {
        say_error("--plot %s: the name must end with .png or .svg", path);
        return EXIT_USAGE;
    }
    snprintf(p->script_path, sizeof p->script_path, "%s.gnuplot", path);
    snprintf(p->data_path, sizeof p->data_path, "%s.data", path);
    int status = 0;
    for (size_t i = 0; i < 3 && !status; i++)
        status = source_spare(written[i], input, n, "--plot");
    if (!status)
        status = output_open(&p->picture, path, "svg");
    if (!status)
        status = output_open(&p->script, p->script_path, "gnuplot");
    if (!status)
        status = output_open(&p->data, p->data_path, "tsv");
    if (status)
        return status;
    return plot_check();
}

/* ---- The script --------------------------------------------------------------------------- */
/* gnuplot doubles a quote inside quotes; a new line there would begin another command. */
void plot_quoted(text *t, const char *s)
{
    text_add(t, "'");
    for (; *s; s++)
        if (*s == '\'')
            text_add(t, "''");
        else
            text_add(t, "%c", *s == '\n' || *s == '\r' ? '?' : *s);
    text_add(t, "'");
}

void plot_wrapped(text *t, const char *s, size_t columns) /* at the blank nearest the middle */
{
    size_t n = strlen(s), best = 0;
    char first[512];

    for (size_t i = 1; i < n; i++)
        if (s[i] == ' ' && llabs((long long)(2 * i) - (long long)n)
                               < llabs((long long)(2 * best) - (long long)n))
            best = i;
    if (n <= columns || !best || best >= sizeof first) {
        plot_quoted(t, s);
        return;
    }
    memcpy(first, s, best);
    first[best] = 0;
    plot_quoted(t, first);
    text_add(t, ".\"\\n\".");
    plot_quoted(t, s + best + 1);
}

/* The picture's name can be given from outside, so that we draw into a temporary file. */
void plot_begin(text *t, const char *path, size_t width, size_t height)
{
    text_add(t, "if (!exists('picture')) picture = ");
    plot_quoted(t, path);
    text_add(t, "\nset terminal %s size %zu,%zu\nset output picture\n", terminal(path), width,
             height);
}

/* gnuplot says nothing of a full disk. */
static bool is_whole(const char *path, const char *picture)
{
    bool svg = strstr(terminal(picture), "svg") != NULL;
    const char *end = svg ? "</svg>" : "IEND\xae\x42\x60\x82";
    char last[16] = "";
    FILE *f = fopen(path, "rb");
    bool whole = f && fseek(f, svg ? -12 : -8, SEEK_END) == 0 && fread(last, 1, 12, f) >= 8
                 && strstr(last, end) != NULL;

    if (f)
        fclose(f);
    return whole;
}

static int draw(plot *p, const char *path)
{
    text t = {0};

    text_add(&t, "picture = ");
    plot_quoted(&t, output_name(p->picture));
    char *const args[] = {(char[]){"gnuplot"}, (char[]){"-e"}, t.s, p->script_path, NULL};
    int failed = t.failed ? ENOMEM : gnuplot(args);
    text_free(&t);
    if (progress_interrupted())
        return progress_stop();
    if (!failed && is_whole(output_name(p->picture), path))
        return output_close(p->picture);
    say_error("gnuplot could not draw %s from %s%s", path, p->script_path,
              failed ? "" : ": it ends too early; is the disk full?");
    return EXIT_USAGE;
}

int plot_finish(plot *p, const char *path, const text *script, const text *data)
{
    if (script->failed || (data && data->failed))
        return say_no_memory("the picture");
    int status = data && data->n ? output_text(p->data, data->s) : 0;
    if (!status)
        status = output_close(p->data);
    if (!status)
        status = output_text(p->script, script->s);
    if (!status)
        status = output_close(p->script);
    return status ? status : draw(p, path);
}
