/* SPDX-License-Identifier: BSD-3-Clause
 * options.h - commands and options as tables; parsing, --help and the man page all read them. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H
#include "cli.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum opt_kind {
    OPT_FLAG,                           /* bool: given */
    OPT_LEVEL,                          /* uint64_t up to high: one more each time, or -v2, -v 2 */
    OPT_TEXT,                           /* const char * */
    OPT_CHOICE,                         /* const char *: one of the argument's "a|b|c" */
    OPT_COUNT,                          /* uint64_t from low to high */
    OPT_SHARE,                          /* double, 0 < x < 1 */
    OPT_POSITIVE,                       /* double, x > 0 */
    OPT_SIZE                            /* uint64_t: bytes; 64K, 1.5G, 80% of physical memory */
} opt_kind;

typedef struct opt {                    /* a table ends with name NULL */
    const char *name;
    char letter;                        /* 0: long form only */
    const char *argument;               /* "FILE" or "a|b|c"; NULL for flags */
    opt_kind kind;
    void *to;                           /* where the value goes, by kind */
    const char *fallback;               /* text of the default value, or NULL: left alone */
    const char *help;
    uint64_t low, high;                 /* of a count; high 0: no bound */
} opt;

typedef struct opt_group {
    const char *title;
    const opt *opts;
} opt_group;

typedef struct command {
    const char *name, *operands, *summary;
    const char *text;                   /* paragraphs separated by newlines */
    const char *examples;               /* one a line, without "featcross" */
    const opt_group *groups[8];         /* ends with NULL */
    int min_operands, max_operands;
    bool kernels, maps, models, metrics; /* help lists them */
    bool team;                          /* may be run by mpirun */
    int (*run)(int n, char **operand);  /* the exit status */
} command;

/* Puts every option's value (or default) where its table says and the operands into
 * operand[0..*n).  Returns 0, or 2 after saying what is wrong. */
int opt_parse(const command *c, int argc, char **argv, char **operand, int *n);
bool opt_given(const opt *o);           /* has it another value than its default? */
/* "; did you mean 'b'?" for the end of a message, if the word is nearly one of "a|b|c" or of
 * "a, b, c"; else "". */
enum { OPT_HINT = 64 };
const char *opt_hint(char buf[OPT_HINT], const char *list, const char *word);
bool opt_size(uint64_t *out, const char *text);
bool opt_count(uint64_t *out, const char *text);        /* digits alone */
/* Is v[n] one of "a|b|c"? */
bool opt_among(const char *values, const char *v, size_t n);

/* ---- spec_keys.c: parts of spec strings, and keys set in them ------------------------------- */
typedef struct spec_part {
    const char *p;                      /* inside the spec; NULL: not there, or it cannot be read */
    size_t n;
} spec_part;
spec_part spec_get(const char *spec, const char *key);  /* as fx_spec_get; spec may be NULL */
bool spec_says(const char *spec, const char *key, const char *value);   /* key "": the name */
/* Sets a key in spec[size]; value NULL removes it. false: the buffer is too small. */
bool spec_set(char *spec, size_t size, const char *key, const char *value);
/* Tables of the library: X_name, X_describe. */
typedef const char *spec_names(size_t i);
typedef fx_status spec_describes(fx_description *d, const char *spec);
/* True if the spec is valid.  Ends the program if there is no memory for the check. */
bool spec_about(fx_description *d, spec_describes *about, const char *spec);
/* Describes the spec or, if it is invalid, its name, which is NULL if there is none; spec may be
 * NULL. */
fx_description spec_line(spec_describes *about, const char *spec);
const fx_key *spec_key(const fx_description *d, const char *name);      /* NULL: it has none */
/* "csv, tsv and text": those of a table for which `is` holds. */
enum { SPEC_LIST = 512 };
typedef bool spec_is(const fx_description *d, const char *what);
void spec_list(char out[SPEC_LIST], spec_names *name, spec_describes *about, spec_is *is,
               const char *what, const char *and);

extern const opt_group common_options;     /* common_options.c: those of every command */
#endif
