/* SPDX-License-Identifier: BSD-3-Clause
 * plot.c - figures drawn by gnuplot.
 *
 * FIGURE.gnuplot and FIGURE.data stay beside the figure FIGURE, to be changed and drawn
 * again. */

#include "plot.h"

#include <ctype.h>
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
enum { PATIENCE = 5 };                  /* how often it is asked to end, every 100 ms */

/* Waits for pid and stores its status.  If this program is interrupted, pid is asked to end, and
 * then killed. */
static bool wait_for(pid_t pid, int *status)
{
    pid_t ended;
    int attempts = 0;

    progress_child((int)pid);
    while ((ended = waitpid(pid, status, 0)) < 0 && errno == EINTR)
        if (progress_interrupted())
            kill(pid, attempts++ < PATIENCE ? SIGTERM : SIGKILL);
    progress_child(0);
    return ended == pid;
}

/* Prints gnuplot's messages, which may contain file names. */
static void show(FILE *messages, bool failed)
{
    char bytes[8192];
    size_t n;

    rewind(messages);
    n = fread(bytes, 1, sizeof bytes - 1, messages);
    bytes[n] = '\0';
    for (char *line = strtok(bytes, "\n"); line; line = strtok(NULL, "\n"))
        if (failed || !cli.quiet)
            safe_print(stderr, "gnuplot: %s\n", line);
}

/* Runs gnuplot, which must not use our standard streams.  0: done; -1: failed; else errno. */
static int gnuplot(char *const *args)
{
    posix_spawn_file_actions_t own;
    FILE *messages = tmpfile();
    pid_t pid;
    int status = 0, error = messages ? posix_spawn_file_actions_init(&own) : errno;

    if (error) {
        if (messages)
            fclose(messages);
        return error;
    }
    if (!(error = posix_spawn_file_actions_addopen(&own, 0, "/dev/null", O_RDONLY, 0))
        && !(error = posix_spawn_file_actions_addopen(&own, 1, "/dev/null", O_WRONLY, 0))
        && !(error = posix_spawn_file_actions_adddup2(&own, fileno(messages), 2)))
        error = posix_spawnp(&pid, args[0], &own, NULL, args, environ);
    posix_spawn_file_actions_destroy(&own);
    if (!error) {
        error = wait_for(pid, &status) && status == 0 ? 0 : -1;
        if (!progress_interrupted())
            show(messages, error);
    }
    fclose(messages);
    return error;
}

int plot_check(void)
{
    char *const version[] = {(char[]){"gnuplot"}, (char[]){"--version"}, NULL};
    int error = gnuplot(version);

    if (!error)
        return 0;
    if (progress_interrupted())
        return progress_stop();
    if (error == ENOMEM)
        return say_no_memory("gnuplot");
    say_error("gnuplot: %s", error > 0 ? strerror(error) : "does not run");
    say_hint("--plot needs gnuplot (Debian: gnuplot-nox)");
    return EXIT_USAGE;
}

int plot_open(plot *p, const char *path)
{
    if (!terminal(path) || strlen(path) + sizeof ".gnuplot" > sizeof p->script_path)
        return say_error("--plot %s: the name must end with .png or .svg", path);
    snprintf(p->script_path, sizeof p->script_path, "%s.gnuplot", path);
    snprintf(p->data_path, sizeof p->data_path, "%s.data", path);
    int status;
    if ((status = output_open(&p->image, path, OUTPUT_TEXT))
        || (status = output_open(&p->script, p->script_path, OUTPUT_TEXT))
        || (status = output_open(&p->data, p->data_path, OUTPUT_TEXT)))
        return status;
    return plot_check();
}

/* ---- The script --------------------------------------------------------------------------- */
/* Inside single quotes gnuplot knows no escapes, no `commands` and no @macros.  Quotes and line
 * ends are not possible there (gnuplot loses a doubled quote at the beginning), so they go into
 * double quotes, and the pieces are joined. */
static void quote(strbuf *t, const char *s, size_t n, bool format)
{
    strbuf_add(t, "'");
    for (size_t i = 0; i < n; i++)
        if (s[i] == '\n' || s[i] == '\'')
            strbuf_add(t, "'.\"%s\".'", s[i] == '\n' ? "\\n" : "'");
        else
            strbuf_add(t, "%c%s", s[i], format && s[i] == '%' ? "%" : "");
    strbuf_add(t, "'");
}

static void quote_shown(strbuf *t, const char *s, size_t n, bool format)
{
    strbuf shown = {0};

    safe_add(&shown, s, n);
    quote(t, shown.s ? shown.s : "", shown.n, format);
    t->failed |= shown.failed;
    strbuf_free(&shown);
}

void plot_quoted(strbuf *t, const char *s) { quote_shown(t, s, strlen(s), false); }

void plot_tic(strbuf *t, const char *s, size_t max_bytes)
{
    quote_shown(t, s, safe_cut(s, max_bytes), true);
}

/* gnuplot takes names that begin with < and | as commands, ~ as a home, $ as a block of data, - as
 * an option: none begins so here. */
static const char *before(const char *path)
{
    return *path == '/' || *path == '.' || *path == '_' || isalnum((unsigned char)*path) ? ""
                                                                                         : "./";
}

void plot_file(strbuf *t, const char *path)
{
    strbuf name = {0};

    strbuf_add(&name, "%s%s", before(path), path);
    quote(t, name.s ? name.s : "", name.n, false);
    t->failed |= name.failed;
    strbuf_free(&name);
}

void plot_wrapped(strbuf *t, const char *s, size_t columns) /* at the space nearest the middle */
{
    size_t n = strlen(s), best = 0;

    for (size_t i = 1; i < n; i++)
        if (s[i] == ' ' && llabs((long long)(2 * i) - (long long)n)
                               < llabs((long long)(2 * best) - (long long)n))
            best = i;
    if (n <= columns || !best) {
        plot_quoted(t, s);
        return;
    }
    quote_shown(t, s, best, false);
    strbuf_add(t, ".\"\\n\".");
    plot_quoted(t, s + best + 1);
}

/* The figure's name can be given from outside, so that we draw into a temporary file. */
void plot_begin(strbuf *t, const char *path, size_t width, size_t height)
{
    strbuf_add(t, "if (!exists('picture')) picture = ");
    plot_file(t, path);
    strbuf_add(t, "\nset terminal %s size %zu,%zu\nset output picture\n", terminal(path), width,
               height);
}

/* gnuplot does not report a full disk. */
static bool is_whole(const char *path, const char *image)
{
    bool svg = strstr(terminal(image), "svg") != NULL;
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
    strbuf t = {0}, script = {0};

    strbuf_add(&t, "picture = ");
    plot_file(&t, output_name(p->image));
    strbuf_add(&script, "%s%s", before(p->script_path), p->script_path);
    char *const args[] = {(char[]){"gnuplot"}, (char[]){"-e"}, t.s, script.s, NULL};
    int failed = t.failed || script.failed ? ENOMEM : gnuplot(args);
    strbuf_free(&t);
    strbuf_free(&script);
    if (progress_interrupted())
        return progress_stop();
    if (!failed && is_whole(output_name(p->image), path))
        return output_close(p->image);
    return say_error("gnuplot could not draw %s from %s%s", path, p->script_path,
                     failed ? "" : ": it ends too early; is the disk full?");
}

int plot_finish(plot *p, const char *path, const strbuf *script, const strbuf *data)
{
    if (script->failed || (data && data->failed))
        return say_no_memory("the picture");
    int status;
    if ((data && data->n && (status = output_text(p->data, data->s)))
        || (status = output_close(p->data)) || (status = output_text(p->script, script->s))
        || (status = output_close(p->script)))
        return status;
    return draw(p, path);
}
