/* SPDX-License-Identifier: BSD-3-Clause
 * progress.c - the progress bar, and what a signal does.
 *
 * The handler only remembers the signal.  The library asks through the progress callback about
 * 20 times a second, reading and writing ask around every system call, so any command ends
 * within a fraction of a second with its temporary files removed.  From the first signal on a timer
 * interrupts system calls, so that one that was about to begin does not wait for ever.  A second
 * signal does not wait for anything.  Signals that kill do so as usual, but first the temporary
 * files are removed.  The bar is drawn when stderr is a terminal and the work has lasted a
 * second; passes over the same rows are one work. */

#define _GNU_SOURCE                     /* sched_getaffinity */
#include "terminal.h"

#include <math.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t signals, last, child;

static void wake(bool on)
{
    suseconds_t every = on ? 100000 : 0;
    const struct itimerval timer = {{0, every}, {0, every}};

    setitimer(ITIMER_REAL, &timer, NULL);
}

static void (*clean_files)(void);       /* safe in a signal handler */

static void clean_up(void)
{
    if (child)
        kill((pid_t)child, SIGKILL);    /* it may be filling a temporary file */
    clean_files();
}

static void remember(int number)
{
    last = number;
    if (signals) {                      /* asked twice */
        clean_up();
        _exit(EXIT_SIGNAL + number);
    }
    signals = 1;
    wake(true);
}

static void nothing(int number) { (void)number; }

static void die(int number)
{
    clean_up();
    signal(number, SIG_DFL);
    raise(number);                      /* delivered when this handler returns */
}

/* Installs the handler unless the signal is ignored or a sanitizer has its own handler. */
static void on_default(int number, void (*handler)(int))
{
    struct sigaction act = {.sa_handler = handler}, old;

    sigemptyset(&act.sa_mask);
    if (sigaction(number, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
        sigaction(number, &act, NULL);
}

void progress_signals(void (*clean)(void))
{
    static const int deadly[] = {SIGABRT, SIGBUS,  SIGFPE,  SIGILL,  SIGPROF,   SIGQUIT, SIGSEGV,
                                 SIGSYS,  SIGTRAP, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU};
    struct sigaction act = {.sa_handler = remember};    /* no SA_RESTART: reads return */

    clean_files = clean;
    sigemptyset(&act.sa_mask);
    sigaction(SIGINT, &act, NULL);      /* even if ignored, as a shell's background jobs have it */
    sigaction(SIGTERM, &act, NULL);
    on_default(SIGHUP, remember);       /* nohup */
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
        on_default(deadly[i], die);
    act.sa_handler = die;
    sigaction(SIGPIPE, &act, NULL);
    act.sa_handler = nothing;
    sigaction(SIGALRM, &act, NULL);
    act.sa_handler = SIG_DFL;           /* plot.c waits for gnuplot, even if our parent does not */
    sigaction(SIGCHLD, &act, NULL);
    act.sa_handler = SIG_IGN;           /* a file size limit becomes an error of write(2) */
    sigaction(SIGXFSZ, &act, NULL);
}

void progress_child(int pid) { child = pid; }

bool progress_interrupted(void) { return signals != 0; }

void progress_clear(void)
{
    signals = 0;
    wake(false);
}

static int (*stop_by)(void);

void progress_stop_by(int (*by)(void))
{
    stop_by = by;
    signals = 1;
}

static void (*watch)(void);

void progress_watch(void (*by)(void)) { watch = by; }

int progress_stop(void)
{
    if (stop_by)
        return stop_by();
    say_error("interrupted");
    return last ? EXIT_SIGNAL + last : 0;
}

static struct {
    const char *what, *unit;            /* what: NULL, nothing is going on */
    char name[40];                      /* of a pass */
    double total, from, to;             /* units; the running call does from..to */
    double since, begun, drawn;         /* seconds: of all passes; of this one; of the last line */
    bool visible, held;
} bar;

static void start(const char *what, const char *unit, double total)
{
    bar.what = what;
    bar.unit = unit;
    bar.total = total;
    bar.from = 0;
    bar.to = total;
    bar.begun = say_clock();
}

void progress_begin(const char *what, const char *unit, double total)
{
    progress_end();
    if (bar.held)
        return;
    start(what, unit, total);
    bar.since = bar.drawn = bar.begun;
}

void progress_pass(unsigned long long pass, unsigned long long rows, double bytes)
{
    if (bar.held)
        return;
    if (!bar.what)
        bar.since = say_clock();
    snprintf(bar.name, sizeof bar.name, "pass %llu, %llu rows", pass, rows);
    start(bar.name, "B", bytes);
}

void progress_now(const char *what)
{
    if (bar.visible)
        fputs("\r\033[K", stderr);
    bar.visible = false;
    bar.what = what;
}

void progress_hold(bool held) { bar.held = held; }

void progress_part(double from, double to)
{
    if (bar.held)
        return;
    bar.from = from;
    bar.to = to;
}

void progress_end(void) { progress_now(bar.held ? bar.what : NULL); }

static const char *scaled(char buf[32], double x)
{
    static const char *const prefix[] = {"", "k", "M", "G", "T"};
    size_t p = 0;

    for (; x >= 1000 && p < 4; p++)
        x /= 1000;
    snprintf(buf, 32, x < 10 && p ? "%.1f %s" : "%.0f %s", x, prefix[p]);
    return buf;
}

/* Of the terminal: what is wider would go on in the next line and stay there. */
static size_t columns(void)
{
    struct winsize w;

    return ioctl(2, TIOCGWINSZ, &w) == 0 && w.ws_col > 0 && w.ws_col < 80 ? w.ws_col : 80;
}

/* A line that is redrawn in place; long words and narrow terminals shorten the bar. */
static void draw(double done, double seconds)
{
    char rate[32], amount[32], cells[31], line[128];
    size_t room = columns();

    if (bar.total > 0) {
        double share = done / bar.total < 1 ? done / bar.total : 1;
        size_t length = strlen(bar.what);
        size_t width = length <= 6 ? 30 : length < 26 ? 36 - length : 10;
        width -= width < 80 - room ? width : 80 - room;
        double left = share > 0 ? fmin(seconds / share - seconds, 1e9) : 0;
        memset(cells, '.', width);
        memset(cells, '#', (size_t)(share * (double)width));
        cells[width] = '\0';
        snprintf(line, sizeof line, "%-6.32s %3.0f %% [%s] %s%s/s, %d:%02d left", bar.what,
                 100 * share, cells, scaled(rate, done / seconds), bar.unit, (int)(left / 60),
                 (int)left % 60);
    } else
        snprintf(line, sizeof line, "%-6.32s %s%s, %s%s/s", bar.what, scaled(amount, done),
                 bar.unit, scaled(rate, done / seconds), bar.unit);
    safe_print(stderr, "\r\033[K%.*s", (int)room - 1, line);
    fflush(stderr);
}

static int tick(void *ctx, double done)
{
    double t = say_clock();

    (void)ctx;
    if (watch)
        watch();
    if (bar.what && !cli.quiet && t - bar.since > 1 && t - bar.drawn > 0.1 && isatty(2)) {
        bar.drawn = t;
        bar.visible = true;
        draw(bar.from + done * (bar.to - bar.from), t - bar.begun);
    }
    return signals != 0;
}

bool progress_at(double units)
{
    if (!bar.held)
        bar.from = bar.to = units;
    return tick(NULL, 0);
}

static int threads;                     /* 0: as many as there are processors */

void progress_share(int n) { threads = n; }

int progress_threads(void)
{
    cpu_set_t set;

    return cli.threads                                   ? (int)cli.threads
           : threads                                     ? threads
           : sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                         : 1;
}

fx_run progress_run(void)
{
    return (fx_run){.size = sizeof(fx_run),
                    .threads = cli.threads ? (int)cli.threads : threads,
                    .max_memory = cli.max_memory,
                    .progress = tick};
}
