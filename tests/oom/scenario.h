/* SPDX-License-Identifier: BSD-3-Clause
 * scenario.h - what the scenarios of oom.c share. */
#ifndef SCENARIO_H
#define SCENARIO_H
#include "featcross.h"
#include "wrap.h"

/* Prepares its arguments, calls one public function between call_begin() and call_end(), releases
 * everything. */
typedef struct scenario {
    const char *function;               /* NULL: the end of a table */
    fx_status (*run)(const char *spec);
    const char *spec;
} scenario;
extern const scenario data_scenarios[], kernel_scenarios[], model_scenarios[];

/* One run, with what it gave out, hashed; false when the failure was not reached.  Ends the program
 * if the call did not behave (want: the hash of an undisturbed run, 0: not known). */
bool scenario_once(uint64_t *got, const scenario *c, wrap_what what, long n, uint64_t want);

/* True if the call refuses a run whose size is not set. */
bool scenario_refuses(const scenario *c);

extern fx_run two;                      /* threads */
void call_begin(void);
fx_status call_end(fx_status s);
void expect(bool holds, const char *what);
void prepared(fx_status s, const char *what);   /* runs undisturbed, so it must not fail */

/* What the call gave out. */
void hash(const void *p, size_t n);
void hash_text(const char *s);
void hash_table(const fx_table *t);
fx_status got_data(fx_data *d, fx_status s);
/* An output that a failing call must leave as it was. */
#define MARK ((void *)(uintptr_t)0x5a5a5a5a)

/* arrow.c */
fx_status arrow_batch(const char *spec);
fx_status arrow_stream(const char *spec);

/* A call of X_describe that may fail. */
fx_status described(fx_status (*describe)(fx_description *, const char *), const char *spec);

/* Rows. */
enum { FEW = 300, MANY = 20000 };       /* rows of text: one piece; several, for several threads */
const char *svmlight(size_t rows);      /* text labels, integers and fractions, qid, comments */
const char *text_of(const char *spec);  /* that a spec can read */
fx_data *parsed(const char *spec, const char *text);
fx_data *made(const char *spec);

/* A file in memory, in members as npz has them; others have one without a name. */
typedef struct memory {
    char bytes[1 << 18];
    size_t len, members, start[8];
    char name[8][32];
} memory;
extern memory file;
int to_memory(void *ctx, const void *bytes, size_t len);
fx_status write_file(const char *spec, const fx_table *t, const fx_run *run);
#endif
