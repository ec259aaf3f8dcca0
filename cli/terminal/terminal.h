/* SPDX-License-Identifier: BSD-3-Clause
 * terminal.h - messages, progress, machine and text that is safe to show. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H
#include "cli.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>

/* ---- say.c: messages, units, one JSON object ------------------------------------------------ */
#define SAY_FORMAT __attribute__((format(printf, 1, 2)))
int say_error(const char *format, ...) SAY_FORMAT;      /* featcross: ...; EXIT_USAGE */
void say_hint(const char *format, ...) SAY_FORMAT;      /* HINT: ... */
void say_note(const char *format, ...) SAY_FORMAT;      /* a line of talk, not with -q */
void say_warning(const char *format, ...) SAY_FORMAT;   /* WARNING: ..., with -q too */
void say_lines(const char *all);                        /* notes, one for each line */
void say_missing(const char *cure);     /* what failures advise where numbers are missing */
void say_errors_to(FILE *f);            /* a helper of another process: errors go there, the rest
                                         * nowhere */
int say_failure(fx_status s);                           /* of the library; the exit status */
int say_failure_from(fx_status s, size_t first);        /* .. of rows of the input from there on */
size_t say_failed_row(fx_status s);            /* the row, from 1, that the failure is about; 0:
                                                * none */
enum { SAY_REASON = 1024 };
/* The library's last failure, for those that go on; first: see say_failure_from. */
void say_reason(char buf[SAY_REASON], size_t first);
int say_failure_by(fx_status s, const char *why);       /* says it later; the exit status */
/* The same, of a file whose text the library calls `ours`; positions in it follow its path. */
int say_file_error(const char *path, const char *ours, fx_status s);
void say_remark(void);                                  /* a positive status, as a warning */
int say_no_memory(const char *what);
/* 0, or EXIT_MEMORY if bytes exceed --max-memory: "<what> 3.0 GiB, the limit is 2.0 GiB". */
int say_limit(double bytes, const char *what, ...) __attribute__((format(printf, 2, 3)));
int say_json(json_t *object);                           /* to stdout; takes the reference */
char *say_dump(json_t *value, size_t flags);            /* complete, or NULL; the same */
json_t *say_text(const char *bytes);                    /* a JSON string, even of odd bytes */
json_t *say_set(json_t *object, const char *key, json_t *value); /* object; NULL if that fails */
json_t *say_append(json_t *list, json_t *value);                 /* the same for an array */
int say_flush(void);                                    /* was all of stdout written? */
const char *say_bytes(char buf[32], double bytes);      /* "30.5 MiB" */
const char *say_number(char buf[32], double x);         /* shortest form */
double say_clock(void);                                 /* seconds, monotonic */

/* ---- progress.c: the bar, and interruption -------------------------------------------------- */
/* From now on signals end the program in order; clean removes unfinished files. */
void progress_signals(void (*clean)(void));
bool progress_interrupted(void);
int progress_stop(void);                /* says "interrupted"; the exit status of the last signal */
/* From now on work stops as if a signal had come, and progress_stop calls `by` instead. */
void progress_stop_by(int (*by)(void));
void progress_watch(void (*watch)(void));       /* is called about 20 times a second */
void progress_share(int threads);       /* as many of them by default */
/* A program that we wait for, or 0: it ends with us. */
void progress_child(int pid);
void progress_clear(void);              /* the work has stopped; what was done may be written */
/* A stretch of work: `total` units in all, 0 if unknown. */
void progress_begin(const char *what, const char *unit, double total);
/* The next pass over rows of so many bytes; passes follow one another without a bar's end. */
void progress_pass(unsigned long long pass, unsigned long long rows, double bytes);
/* The work continues under another name.  Removes the bar from the line, so that the caller can
 * print there. */
void progress_now(const char *what);
/* While the bar is held, nested stretches of work neither show nor move it; ending one clears the
 * line. */
void progress_hold(bool held);
/* The next library call does the units from `from` to `to`. */
void progress_part(double from, double to);
bool progress_at(double units);         /* between calls: so far; true: stop */
void progress_end(void);
fx_run progress_run(void);              /* threads, memory, and the bar as callback: cli.run */
int progress_threads(void);             /* how many of them */

/* ---- strbuf.c --------------------------------------------------------------------------------
 * A text that grows.  Start with {0}; if memory runs out, failed is set and adding does nothing, so
 * that only the end needs a check. */
typedef struct strbuf {
    char *s;                            /* ends with a NUL; NULL: nothing was added */
    size_t n, capacity;
    bool failed;
} strbuf;
void strbuf_add(strbuf *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void strbuf_bytes(strbuf *t, const void *bytes, size_t n);      /* any; no NUL behind them */
void strbuf_field(strbuf *t, const char *field);         /* of CSV, in quotes where it needs them */
/* Memory for n more bytes and a NUL, to be filled and counted in t->n, or NULL. */
char *strbuf_reserve(strbuf *t, size_t n);
void strbuf_free(strbuf *t);

/* ---- safe_text.c -----------------------------------------------------------------------------
 * Names from files and arguments, as a terminal or a figure may show them.
 * Valid UTF-8 stays as it is.  Control characters, invalid bytes, and characters that end a line or
 * reverse the direction of writing become \xNN (a byte) or \uNNNN (a character). */
enum { SAFE_SIZE = 8 };                 /* bytes that one character can become, and a NUL */
/* Bytes of the character at p, before end, if it may be shown as it is; else 0. */
size_t safe_length(const char *p, const char *end);
/* The character at p as it may be shown; returns how many bytes of p that was. */
size_t safe_next(char out[SAFE_SIZE], const char *p, const char *end);
/* How many of the last bytes of s[n] begin a character that does not end there. */
size_t safe_tail(const char *s, size_t n);
/* Bytes of s, in whole characters, up to `max_bytes`. */
size_t safe_cut(const char *s, size_t max_bytes);
void safe_add(strbuf *t, const char *s, size_t n);

/* printf, where what %s and %c print is made safe; text of the format itself is printed as it is.
 * Width and precision of %s count the bytes of the argument.  Knows the conversions of
 * numbers that the program uses; returns the bytes printed. */
int safe_print(FILE *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
int safe_vprint(FILE *f, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

/* ---- text_table.c: tables that fit the terminal ------------------------------------------------
 * Begin with {column, columns}.  Cells come row by row, and behind each row its remark, "" if it
 * has none.  Columns whose cells are all empty are not shown. */
typedef struct text_table_column {           /* up to 16 */
    const char *head;
    bool left;                          /* text; numbers stand to the right */
    int spare;                          /* the larger, the sooner it is left out; 0: never */
    size_t least;                       /* text may be cut to so many characters; 0: never */
} text_table_column;
typedef struct text_table {
    const text_table_column *column;
    size_t columns;
    strbuf text;                        /* cells, safe to show, each with a NUL behind it */
} text_table;
void text_table_cell(text_table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
int text_table_print(FILE *f, const text_table *t);
void text_table_free(text_table *t);
size_t text_table_width(FILE *f);            /* columns of a terminal; SIZE_MAX: f is none */

/* ---- machine.c ------------------------------------------------------------------------------ */
uint64_t machine_memory(const char *key);        /* a line of /proc/self/status; 0: unknown */
uint64_t machine_held(void);            /* memory of the program now, which counts in limits */
uint64_t machine_peak(void);            /* most memory that this process held */
const char *machine_version(char buf[32], int v);        /* "0.1.0" of fx_version */
const char *machine_commit(void);       /* of this build, by cmake/commit.cmake; "": not known */
/* "featcross 0.1.0 at 3c78009, on .., 2026-01-31" */
const char *machine_origin(char buf[256]);
#endif
