/* SPDX-License-Identifier: BSD-3-Clause
 * base.h - what every module may use: errors, memory, sizes, random numbers, parallel loops. */
#ifndef FXI_BASE_H
#define FXI_BASE_H
#include "featcross.h"

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>

/* error.c - sets the detail of this thread and returns s, so that failing is one expression:
 *   return fxi_error(FX_ESHAPE, "X has %zu columns, Z has %zu", a, b); */
fx_status fxi_error(fx_status s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The call that failed was given the caller's rows from `first` on: its "row 3 (from 0)" becomes
 * the caller's row. */
void fxi_error_row(size_t first);

/* sized.c - structs with a member `size`, from callers whose header may be older or newer.  `ours`
 * is the struct's size here, `type` its name for messages.
 * check: the size is set, for structs to be filled.  in: a caller's struct as the library knows it.
 * out: the library's struct into the caller's, which was checked. */
fx_status fxi_sized_check(const void *given, const char *type);
fx_status fxi_sized_in(void *own, size_t ours, const void *given, const char *type);
void fxi_sized_out(void *given, const void *own, size_t ours);
/* A caller's run, or the defaults for NULL.  Members of a run are only read through this.  A wrong
 * run is returned as it is; fxi_parallel and fxi_memory_check report it by fxi_sized_run_check, so
 * that other functions need not. */
fx_run fxi_sized_run(const fx_run *run);
fx_status fxi_sized_run_check(const fx_run *run);

/* size.c - true and the result, or false where it does not fit size_t. */
bool fxi_size_add(size_t *out, size_t a, size_t b);
bool fxi_size_mul(size_t *out, size_t a, size_t b);

/* memory.c - all allocation of the library: n items of `size` bytes, 64-byte aligned, checked.
 * NULL with the error set.  Freed by free(). */
void *fxi_alloc(size_t n, size_t size);
void *fxi_zalloc(size_t n, size_t size);                /* zeroed */
void *fxi_realloc(void *old, size_t n, size_t size);    /* malloc's alignment; on failure old
                                                         * stays */
char *fxi_strndup(const char *s, size_t n);
/* free() of several pointers. */
#define fxi_free(...) \
    fxi_memory_free((void *[]){__VA_ARGS__}, sizeof((void *[]){__VA_ARGS__}) / sizeof(void *))
void fxi_memory_free(void *const *p, size_t n);
fx_status fxi_memory_check(const fx_run *run, size_t bytes, const char *what); /* or FX_ELIMIT */
/* fxi_alloc within the memory limit; `what` is for the message.  NULL also if *st is an error. */
void *fxi_alloc_within(fx_status *st, size_t n, size_t size, const fx_run *run, const char *what);

/* scratch.c - memory for the duration of a call: pieces like those of fxi_alloc, not zeroed.  Reset
 * releases all of them at once, and the next call uses the memory again.  Initialise with zeros. */
typedef struct fxi_scratch_block fxi_scratch_block;
typedef struct fxi_scratch {
    fxi_scratch_block *block;           /* the newest */
    size_t used, total;                 /* bytes used of that block; bytes of all blocks */
    size_t wanted;                      /* minimum size of the first block, in bytes */
    struct fxi_scratch *next;           /* in a pool: the list, fixed when it enters .. */
    atomic_bool busy;                   /* .. a thread is using it .. */
    _Atomic(const char *) thread;       /* .. the thread that used it last */
} fxi_scratch;
void *fxi_scratch_take(fxi_scratch *s, size_t n, size_t size);  /* NULL with the error set */
void fxi_scratch_reset(fxi_scratch *s);
void fxi_scratch_free(fxi_scratch *s);
void *fxi_scratch_release(fxi_scratch *s);      /* a block for the caller to free(); NULL: none */
/* A pool has one for each thread inside a call.  enter: NULL with the error set; leave resets. */
typedef struct fxi_scratch_pool fxi_scratch_pool;
fxi_scratch_pool *fxi_scratch_pool_new(void);   /* NULL with the error set */
void fxi_scratch_pool_free(fxi_scratch_pool *pool);
fxi_scratch *fxi_scratch_enter(fxi_scratch_pool *pool);
void fxi_scratch_leave(fxi_scratch *s); /* NULL: does nothing */

/* rng.c - counter-based: the i-th draw of (seed, stream) is a pure function. */
typedef struct fxi_rng {
    uint64_t seed, stream;
} fxi_rng;
uint64_t fxi_rng_bits(fxi_rng r, uint64_t i);           /* 64 random bits */
double fxi_rng_uniform(fxi_rng r, uint64_t i);          /* (0, 1), 2^52 values about 1/2 */
double fxi_rng_normal(fxi_rng r, uint64_t i);
double fxi_rng_laplace(fxi_rng r, uint64_t i);          /* density exp(-|x|)/2 */
double fxi_rng_cauchy(fxi_rng r, uint64_t i);
int fxi_rng_sign(fxi_rng r, uint64_t i);                /* -1 or +1: bit i % 64 of draw i / 64 */
uint64_t fxi_rng_below(fxi_rng r, uint64_t i, uint64_t n); /* 0..n-1, n > 0 */
void fxi_rng_permutation(size_t *out, size_t n, fxi_rng r);
/* The same, starting from the permutation of the first `have`: builds a large one in pieces. */
void fxi_rng_permute(size_t *out, size_t have, size_t n, fxi_rng r);
/* k of 0..n-1, ascending; 7 ns for each of n. */
fx_status fxi_rng_sample(size_t *out, size_t k, size_t n, fxi_rng r, const fx_run *run);

/* crc.c - CRC-32 as in zlib, piece by piece: crc is 0 for the first piece, then the last result. */
uint32_t fxi_crc(uint32_t crc, const void *bytes, size_t len);

/* checksum.c - 64 bits of bytes; zeros at first.  Pieces but the last are multiples of 64 bytes. */
typedef struct fxi_checksum { uint64_t lane[8]; } fxi_checksum;
void fxi_checksum_add(fxi_checksum *c, const void *bytes, size_t len);
uint64_t fxi_checksum_end(const fxi_checksum *c);

/* elementary.c - bit-identical on every machine, within 2 and 4 ulp; used by rng.c alone. */
double fxi_elementary_log(double x);                    /* x > 0, normal */
double fxi_elementary_tanpi(double x);                  /* tan(pi x), |x| < 1/2 */

/* parallel.c - fn(ctx, block) for block = 0..blocks-1 in any order, on run's threads.  A block's
 * result must depend on the block alone.  The first failing block in block order decides the
 * status and the detail.  Inside fn, long blocks poll fxi_parallel_cancelled every few
 * milliseconds. */
typedef struct fxi_team fxi_team;
typedef fx_status fxi_block(void *ctx, size_t block, fxi_team *team);
fx_status fxi_parallel(size_t blocks, fxi_block *fn, void *ctx, const fx_run *run);
/* The same in block order in the calling thread, for blocks that build on one another. */
fx_status fxi_parallel_ordered(size_t blocks, fxi_block *fn, void *ctx, const fx_run *run);
bool fxi_parallel_cancelled(fxi_team *team);            /* also calls progress, 20 times a second */
int fxi_parallel_thread(const fxi_team *team);          /* 0..threads-1, for scratch memory */
int fxi_parallel_threads(const fx_run *run, size_t blocks); /* how many threads will be used */
/* run, with one thread if all the work is below a million multiply-adds: a thread would take longer
 * to start.  Tests lift this limit (base/test/threads.c). */
fx_run fxi_parallel_run(const fx_run *run, double work);
/* A run for calls inside a block: one thread, stopped with the team.  alone: for a loop in one
 * thread, whose blocks may use all threads of run. */
fx_run fxi_parallel_nested(const fx_run *run, fxi_team *team);
fx_run fxi_parallel_alone(const fx_run *run, fxi_team *team);
/* A run whose progress goes from `from` to `from` + `share` during a call.  With share 0 the caller
 * sets stage->from itself. */
typedef struct fxi_stage {
    fx_run run;
    double from, share;
} fxi_stage;
fx_run fxi_parallel_stage(fxi_stage *stage, const fx_run *run, double from, double share);

/* threadpool.c - the same for many short runs: run's threads are started once, and a run of chunks
 * costs about a microsecond.  fn(ctx, chunk, worker) for chunk = 0..chunks-1 in any order; worker 0
 * is the caller, the only one that may poll or fail.  What fn computes depends on the chunk
 * alone. */
typedef struct fxi_threadpool fxi_threadpool;
typedef void fxi_threadpool_chunk(void *ctx, size_t chunk, int worker);
fx_status fxi_threadpool_new(fxi_threadpool **out, const fx_run *run);
int fxi_threadpool_workers(const fxi_threadpool *pool); /* started threads, plus the caller */
void fxi_threadpool_run(fxi_threadpool *pool, size_t chunks, fxi_threadpool_chunk *fn, void *ctx);
void fxi_threadpool_free(fxi_threadpool *pool);

/* spec.c - the grammar of spec strings. */
enum { FXI_SPEC_KEYS = 24 };
typedef struct fxi_spec {               /* name:key=value,..(inner), pointing into the text */
    const char *text, *name;
    size_t name_len;
    size_t keys;
    struct {
        const char *key, *value;
        size_t key_len, value_len;
    } pair[FXI_SPEC_KEYS];
    const char *inner;                  /* text between the brackets, or NULL */
    size_t inner_len;
} fxi_spec;
fx_status fxi_spec_parse(fxi_spec *out, const char *text, size_t len);
bool fxi_spec_named(const char *spec, const char *name);        /* true if that is its name */
bool fxi_spec_same(const char *name, const char *text, size_t len); /* true if text[len] is it */
/* Appends a comma and a name; cuts what does not fit `size` bytes. */
void fxi_spec_list(char *list, size_t size, const char *name);
void fxi_spec_set(fxi_spec *s, const char *key, const char *value); /* replaces or adds a pair */
/* A table of names: gives line i, made by fxi_spec_describe; name NULL: no more lines. */
typedef fx_description fxi_spec_line(size_t i);
fx_description fxi_spec_counted(fx_description d);      /* keys, as many as d.key has */
fx_description fxi_spec_describe(const char *name, const char *help, const fx_key *keys);
void fxi_spec_give(fx_description *out, fx_description d);      /* to a caller, after the check */
/* The line of that name; `what` for the message: "kernel". */
fx_status fxi_spec_find(size_t *which, const fxi_spec *s, fxi_spec_line *line, const char *what);
/* Parses, finds, checks; without an inner spec. */
fx_status fxi_spec_read(fxi_spec *out, size_t *which, const char *spec, fxi_spec_line *line,
                        const char *what);
/* Another name for a line with some keys set; a table ends with {0}. */
typedef struct fxi_spec_alias { const char *name, *line, *keys; } fxi_spec_alias;
/* The spec that an alias stands for, to be freed, and the keys that it sets; NULL: the name is none
 * of them. */
fx_status fxi_spec_expand(char **out, const char **sets, const char *spec,
                          const fxi_spec_alias *alias);
/* True if the value, which may write a byte as %2C, means that name. */
bool fxi_spec_is(const char *value, size_t len, const char *name, size_t name_len);
/* The bytes that a value means, to out[len]; returns how many. */
size_t fxi_spec_unescape(char *out, const char *value, size_t len);
/* Writes a name as a value that is neither one of the words "a|b|c" nor read as grammar, to out[3
 * len + 1]; returns its length. */
size_t fxi_spec_escape(char *out, const char *name, size_t len, const char *reserved);

/* Name and every key, defaults too, without the inner spec: to be freed; NULL: error set. */
char *fxi_spec_complete(const fxi_spec *s, const fx_key *table);
size_t fxi_spec_at(const fxi_spec *s, const char *key);         /* its pair; s->keys: not given */
bool fxi_spec_word(int *which, const char *values, const char *word, size_t len); /* of "a|b|c" */

/* key.c - values of a spec by a table of keys, which ends with a name NULL.  In a table a key is
 * its name, its default, one of these and its help. */
#define FXI_TEXT(words)        words, FX_KEY_TEXT, 0, 0, 0
#define FXI_CHOICE(values)     values, FX_KEY_CHOICE, 0, 0, 0
#define FXI_COUNT(low, high)   NULL, FX_KEY_COUNT, low, high, 0
#define FXI_NUMBER(low, high)  NULL, FX_KEY_NUMBER, low, high, 0
#define FXI_POSITIVE           NULL, FX_KEY_NUMBER, 0, INFINITY, 1
#define FXI_LIST(low)          NULL, FX_KEY_LIST, low, INFINITY, 0
/* Rejects keys that are not in the table and values that the table does not allow. */
fx_status fxi_key_check(const fxi_spec *s, const fx_key *table);
bool fxi_key_has(const fx_key *table, const char *key);
/* Values, defaults from the table; the detail names the spec, the key and what is possible. */
fx_status fxi_key_text(const char **out, size_t *len, const fxi_spec *s, const fx_key *table,
                       const char *key);
fx_status fxi_key_number(double *out, const fxi_spec *s, const fx_key *table, const char *key);
fx_status fxi_key_count(uint64_t *out, const fxi_spec *s, const fx_key *table, const char *key);
/* For keys whose range depends on other keys. */
fx_status fxi_key_count_within(uint64_t *out, const fxi_spec *s, const fx_key *table,
                               const char *key, uint64_t low, uint64_t high);
fx_status fxi_key_choice(int *out, const fxi_spec *s, const fx_key *table, const char *key);
fx_status fxi_key_list(double *out, size_t *n, size_t max, const fxi_spec *s, /* a/b/c */
                       const fx_key *table, const char *key);

/* nearest.c - the name that is closest to a misspelt word: try every name, then the hint is "; did
 * you mean 'NAME'?" for the end of a message, or "" if no name is close or two are equally
 * close. */
enum { FXI_NEAREST = 128 };             /* bytes of a hint */
typedef struct fxi_nearest {
    const char *word, *name;            /* name: the nearest so far, or NULL */
    size_t len, name_len;
    size_t limit, distance;
    bool tied;                          /* another name is as near */
} fxi_nearest;
fxi_nearest fxi_nearest_to(const char *word, size_t len);
void fxi_nearest_try(fxi_nearest *n, const char *name, size_t len);
const char *fxi_nearest_hint(char buf[FXI_NEAREST], const fxi_nearest *n);

/* decimal.c - decimal text to double, correctly rounded, whatever the locale.  Reads the longest
 * number at p, not beyond end; returns its end, or NULL if there is none.  nan, inf, infinity are
 * read in any case, overflow gives inf. */
const char *fxi_decimal_read(double *out, const char *p, const char *end);
int fxi_decimal_write(char buf[32], double x);          /* shortest that reads back; its length */

/* utf8.c - bytes of the UTF-8 character at p, 1 to 4; 0: there is none before end. */
size_t fxi_utf8(const char *p, const char *end);

/* json.c - JSON as an array of values in one piece of memory, to be freed: the root is the first,
 * each value comes before those inside it, and an object holds key, value, key, value, ..
 * `what` is the text in messages: "the header of a model". */
typedef enum fxi_json_type {
    FXI_JSON_NULL,
    FXI_JSON_FALSE,
    FXI_JSON_TRUE,
    FXI_JSON_INTEGER,
    FXI_JSON_REAL,
    FXI_JSON_STRING,
    FXI_JSON_ARRAY,
    FXI_JSON_OBJECT
} fxi_json_type;
typedef struct fxi_json {
    fxi_json_type type;
    uint32_t n;                         /* bytes of a string, values or keys inside */
    union {
        int64_t integer;
        double real;
        const char *text;               /* UTF-8 without a 0 byte; a 0 byte follows it */
        struct fxi_json *end;           /* array, object: one past the last value in it */
    };
} fxi_json;
enum { FXI_JSON_MAX = 1 << 30 };        /* bytes of text */
fx_status fxi_json_parse(fxi_json **out, const char *text, size_t len, const char *what,
                         const fx_run *run);
const fxi_json *fxi_json_next(const fxi_json *v);       /* the value after v and all inside v */
/* The value of a key; NULL: no such key, or not an object. */
const fxi_json *fxi_json_get(const fxi_json *object, const char *key);
#endif
