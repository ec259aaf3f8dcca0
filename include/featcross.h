/* SPDX-License-Identifier: BSD-3-Clause
 *
 * featcross.h - learning with feature combinations: the public interface.
 *
 *   bytes --reader--> rows --kernel--> Gram matrix, values, gradients
 *                          --map--> random features, scores
 *                          --fit--> model --predict--> labels, scores, probabilities
 *
 * Kernels, maps, models, file formats, scalings and synthetic sets are named by spec strings, one
 * grammar for C, shell, Python and files:
 *
 *   name    name:key=value,key=value    outer:key=value(inner:key=value)
 *
 * doc/math.md has the formulas, doc/reference.md the names and keys of specs.  The rules below hold
 * for every function of every section.
 *
 * Structs and growth.  A struct with a member `size` may get more members at its end.  Start with
 *     fx_run run = FX_INIT(fx_run);
 *   which sets `size` and makes all other members 0, their default; in C, {.size = sizeof(fx_run),
 *   .threads = 2} does the same and more.  The library reads and writes no more than `size` bytes,
 *   so a program that was compiled with an older header keeps running.  A size that was not set is
 *   FX_EINVAL.  In a struct that the library reads, so is an unknown member that is not 0.
 *   Structs given out by pointer (fx_model_info, fx_explanation) may grow, too: do not copy them.
 *   All other structs and all functions stay as they are while FX_ABI is the same.
 * Failure.  After a failure, objects, structs and single numbers that a call was to set (`out`) are
 *   as they were before; arrays of numbers may be partly written.
 *   NULL where something is needed is FX_EINVAL.  Functions that return no status do not check it.
 * Memory.  Inputs are borrowed for the call.  Objects belong to the caller, who frees them with
 *   X_free; it takes NULL.  After the call that made it, an object needs neither its inputs nor any
 *   other object.  A pointer that a function returns, and those inside a view, belong to the object
 *   they came from and live as long as it does.
 * Threads.  Any number of threads may use the same object at once, except a reader, which is for
 *   one thread at a time.  Free an object when no thread uses it any more.  Results do not depend
 *   on the number of threads.
 * Callbacks (fx_run.progress, fx_sink) run in the thread that made the call.  They may call the
 *   library.  They must not free what the call is using, use the reader that it is using, or leave
 *   by an exception or longjmp.
 * Manners.  The library never prints, never exits, opens no file and has no global state except the
 * last error of each thread.  It reads one environment variable, FX_TARGET: an instruction set
 *   ("scalar", "avx2", ..) to be used instead of the best one.
 * C99 and later, C++11 and later. */
#ifndef FEATCROSS_H
#define FEATCROSS_H
#include <stddef.h>
#include <stdint.h>

#ifndef FX_API                          /* how functions are exported; may be predefined */
#if defined(__GNUC__) && !defined(_WIN32)
#define FX_API        __attribute__((visibility("default")))
#else
#define FX_API
#endif
#endif
#ifdef __cplusplus
#define FX_SIZE(type) size_t size = sizeof(type)
#define FX_INIT(type) {}
extern "C" {
#else
#define FX_SIZE(type) size_t size
#define FX_INIT(type) {.size = sizeof(type)}
#endif

/* FX_VERSION is 10000 * major + 100 * minor + patch.  Version 0.1.0 is the first one; functions and
 * members added later are marked `since`.  FX_ABI, and with it the name of the shared library,
 * changes when programs must be compiled again; before version 1.0.0 that may happen with a minor
 * version. */
#define FX_VERSION    100
#define FX_ABI        1
#define FX_ORDER_MAX  16                /* highest order of an ANOVA kernel */
#define FX_INDEX_MAX  INT32_MAX         /* largest feature index that a text file may hold */

FX_API int fx_version(void);            /* FX_VERSION of the library that is loaded */
FX_API int fx_abi(void);                /* FX_ABI of the library that is loaded */
FX_API const char *fx_simd_target(void); /* "scalar", "avx2", "avx512" or "neon" */

/* ---- Status -------------------------------------------------------------------------------
 * 0: done.  Negative: failed.  Positive: done, with a remark: the result is usable, and
 * fx_error_detail gives the remark.  So test FX_FAILED(s), not s != FX_OK: a model that
 * has not converged is still a model.  Later versions may have more statuses. */
typedef enum fx_status {
    FX_OK = 0,
    FX_NOT_CONVERGED = 1,               /* usable result, but the stopping rule was not reached */
    FX_DIVERGED = 2,                    /* numbers overflowed; this is the last good result */
    FX_ENOMEM = -1,                     /* an allocation failed */
    FX_EINVAL = -2,                     /* an argument or a spec string is wrong */
    FX_ESHAPE = -3,                     /* sizes do not fit together */
    FX_EFORMAT = -4,                    /* the input is malformed */
    FX_EDOMAIN = -5,                    /* a kernel is not defined for these rows */
    FX_ENUMERIC = -6,                   /* a result is not finite */
    FX_EUNSUPPORTED = -7,               /* valid, but not implemented; the detail says what is */
    FX_ECANCELLED = -8,                 /* the progress callback asked to stop */
    FX_ELIMIT = -9,                     /* fx_run.max_memory would be exceeded */
    FX_EOUTPUT = -10                    /* a sink returned an error */
} fx_status;
#define FX_FAILED(s)  ((s) < 0)
FX_API const char *fx_status_name(fx_status s); /* "FX_ESHAPE"; never NULL */
/* One line: the error or the remark of the last call in this thread that did not return FX_OK.
 * Valid until this thread's next call.  Meaningless after FX_OK. */
FX_API const char *fx_error_detail(void);

/* ---- How a long call runs -----------------------------------------------------------------
 * NULL is the default.  `progress` is called at least every 100 ms with the share of the work that
 * is done, 0 to 1; a nonzero return stops the call with FX_ECANCELLED within 100 ms. */
typedef struct fx_run {
    FX_SIZE(fx_run);
    int threads;                        /* 0: one for each processor this process may use */
    uint64_t max_memory;                /* bytes one call may allocate; 0: no limit */
    int (*progress)(void *ctx, double done);
    void *ctx;
    struct fx_step *step;               /* a fit stores each finished step of its history here, for
                                         * `progress` to show; if several fits run at once, only one
                                         * of them does.  NULL to skip */
} fx_run;

/* ---- Spec strings -------------------------------------------------------------------------
 * What the library offers is in tables: kernels, maps, models, file formats, scalings, synthetic
 * sets, metrics.  X_name(i) (for formats: X_format(i)) gives their names, NULL after the last;
 * X_describe gives one line of a table.  X_describe takes a whole spec or only a name, even if a
 * key must be given; a wrong spec fails with the same error as where it is used. */
typedef enum fx_key_type {
    FX_KEY_TEXT = 0,                    /* a file, the name of a column */
    FX_KEY_NUMBER = 1,
    FX_KEY_COUNT = 2,                   /* a whole number in digits */
    FX_KEY_CHOICE = 3,                  /* one of `values` */
    FX_KEY_LIST = 4                     /* numbers, divided by /: each from low to high */
} fx_key_type;
typedef struct fx_key {
    const char *name;
    const char *fallback;               /* default; "": nothing; NULL: the key must be given */
    const char *values;                 /* choice: "a|b|c", the default first; other types: words
                                         * that are also allowed; or NULL */
    fx_key_type type;
    double low, high;                   /* range of numbers, both ends included; INFINITY: no limit.
                                         * Other keys may narrow it (parity: k <= d) */
    int above;                          /* 1: low itself is excluded */
    const char *help;                   /* one line */
} fx_key;

/* Bits of tasks. */
#define FX_TASK_CLASSIFY  1             /* labels are classes */
#define FX_TASK_REGRESS   2             /* labels are numbers to be predicted */
#define FX_TASK_RANK      4             /* labels order the rows of a query */
typedef enum fx_need { FX_NO = 0, FX_MAY = 1, FX_MUST = 2 } fx_need;

typedef struct fx_description {         /* all texts are constants */
    FX_SIZE(fx_description);
    const char *name;
    const char *help;                   /* one line, without the keys */
    const fx_key *key;                  /* [keys] */
    size_t keys;
    int explainable;                    /* kernels, maps, models: 1: fx_model_explain works, if
                                         * kernel, map and model of the plan all have 1 */
    int precomputed;                    /* kernels, formats: 1: rows of a Gram matrix */
    /* formats */
    int dense;                          /* 1: rows have all columns, zeros too */
    int binary;                         /* 1: no lines of text */
    int members;                        /* 1: a file has members: see fx_data_reader_member,
                                         * fx_sink.member */
    int names;                          /* readers: 1: fx_data_reader_names works */
    int weights;                        /* writers: 1: stores weights of rows */
    /* kernels */
    int outer;                          /* 1: takes an inner kernel, as outer(inner) */
    const char *family;                 /* what its file, or that of its inner kernel, lists:
                                         * "sets"; "groups"; "named groups": groups, after a line
                                         * that names some of them; NULL: it has no file */
    /* maps */
    const char *const *kernels;         /* names of kernels it is for, NULL after the last */
    int composed;                       /* 1: also if they have an inner kernel */
    int exact;                          /* 1: features are not random; the map fixes their number */
    int norm;                           /* norm of rows in fx_map_bound: 1: L1, 2: L2 */
    int independent;                    /* 1: random numbers of columns are independent; maps with
                                         * the key projection: only if it is packed or dense */
    /* models */
    const char *kind;                   /* "linear", "perceptron", "kernel machine",
                                         * "kernel perceptron", "components",
                                         * "kernel components", "factorization machine" */
    const char *loss;                   /* "hinge", "squared-hinge", "logistic", "squared",
                                         * "epsilon-insensitive"; NULL: none */
    int task;                           /* task of this spec; 0: components */
    int tasks;                          /* offered by the key `task`; without that key: task */
    fx_need kernel, map;                /* a kernel without a map (FM: groups, cross); a map */
    int labels;                         /* models: 1: needs labels; writers: 1: stores them */
    int probabilities;                  /* 1: models of this spec give probabilities */
    int updatable;                      /* 1: fx_model_update works (not if precomputed) */
    int streamable;                     /* 1: rows need not be in memory: fx_model_passes_fit */
    int combines;                       /* 1: learns factors of combinations; takes no map */
    int mistakes;                       /* 1: objective counts mistakes; iterations are passes */
    int measured;                       /* 1: uses plan.patience and plan.max_seconds */
    int cached;                         /* 1: uses plan.cache */
    int pairs;                          /* 1: several classes: an output for each pair */
    const char *on_map;                 /* the model to use instead of this kernel machine on a
                                         * map's features; or NULL */
    const char *path;                   /* key of the penalty that fx_model_path varies: "C", or
                                         * "beta", which it multiplies; NULL: none */
    /* metrics: `tasks` are those it is defined for; probabilities 1: it needs them */
    int falls;                          /* 1: smaller is better */
    int two_classes;                    /* 1: only for two classes */
    int divisible;                      /* models: 1: streamable, and passes may be divided, see
                                         * fx_model_pass_divisible; since 0.2 */
    const char *sets;                   /* of another name of `name`, such as lasso: the keys that
                                         * it sets, "penalty=l1"; else NULL; since 0.2 */
} fx_description;

/* A part of a spec, inside it, not ended by a 0 byte: the value of a key, the name (key ""), or the
 * spec between the brackets (key "()").  A part that is missing is NULL; a malformed spec is
 * FX_EINVAL.  Defaults are not filled in: complete specs have every key. */
FX_API fx_status fx_spec_get(const char **value, size_t *len, const char *spec, const char *key);
/* The one of name[n] that is closest to a misspelt word, or NULL if none is close or two are
 * equally close.  Error details about unknown names end with it: did you mean 'logistic'? */
FX_API const char *fx_nearest(const char *word, const char *const *name, size_t n);

/* ---- Rows ---------------------------------------------------------------------------------
 * A view of rows x cols numbers: CSR when ptr is set, else dense with rows `stride` apart.
 * Borrowed for the call, never stored or freed.  Row i of CSR is the entries ptr[i] to ptr[i+1] - 1
 * of val and col; ptr[0] need not be 0, so that a view of rows i, i + 1, .. has ptr + i.
 * Views are copied and put in arrays, so they have no member `size`: fx_matrix will not change, and
 * fx_table has reserved members. */
typedef enum fx_type { FX_F32 = 0, FX_F64 = 1 } fx_type;
typedef struct fx_matrix {
    size_t rows, cols;
    size_t stride;                      /* dense: numbers from one row to the next, >= cols */
    fx_type type;                       /* of val */
    int wide;                           /* CSR: col is int64_t, else int32_t */
    const void *val;                    /* dense: rows * stride numbers; CSR: ptr[rows] */
    const int64_t *ptr;                 /* CSR: rows + 1 offsets from ptr[0] >= 0; dense: NULL */
    const void *col;                    /* CSR: columns from 0, ascending in each row */
} fx_matrix;

/* Rows with labels and names.  Blocks follow one another, all `cols` wide.  Each has its own type,
 * so that a file of small integers is stored as floats.  A long file has several blocks: for calls
 * that take one matrix, visit them all, or join them by fx_data_select(&one, t, NULL, 0, NULL). */
typedef struct fx_table {
    size_t rows, cols, blocks;
    const fx_matrix *block;             /* [blocks] */
    const double *label;                /* [rows]: numbers, or positions in class_name; or NULL */
    size_t classes;                     /* text labels only, else 0 */
    const char *const *class_name;      /* [classes], sorted bytewise; or NULL */
    const int64_t *qid;                 /* [rows] query numbers, -1: none in this row; or NULL */
    const double *weight;               /* [rows] finite, >= 0; or NULL: all 1 */
    const char *const *name;            /* [cols] feature names; or NULL */
    int base;                           /* 0 or 1: what the source calls the first column */
    const char *const *id;              /* [rows] texts that identify rows, csv:id=; or NULL.
                                         * Selecting or scaling rows drops them */
    size_t split;                       /* rows are pairs: columns of the first side; 0: not known.
                                         * fx_data_links sets it, fx_model_fold_in reads it.
                                         * Since 0.2 */
    const void *reserved[2];            /* NULL; for later versions */
} fx_table;

typedef struct fx_data fx_data;         /* a table that owns its memory */
FX_API fx_table fx_data_table(const fx_data *d);
FX_API void fx_data_free(fx_data *d);

/* ---- Reading ------------------------------------------------------------------------------
 * Feed bytes to a reader, take rows from it.  Formats are svmlight, csv, text, npy and npz;
 * doc/reference.md says what each one reads and what its keys do.  Numbers must be finite, and so
 * must their squares; nan=keep leaves NaN where they are missing.  An error is reported as
 * `name:line:column: reason` (npy: name:byte, npz: name:member:byte).  A reader is for one thread
 * at a time; tables that were taken from it do not depend on it. */
typedef struct fx_reader fx_reader;
typedef struct fx_read_counts {         /* what has been read so far */
    FX_SIZE(fx_read_counts);
    uint64_t bytes, lines, rows, entries;
    uint64_t blank;                     /* lines without a row: empty or comment only */
    uint64_t dropped;                   /* values read as 0, or left out, by nan=zero */
    uint64_t summed;                    /* entries merged by duplicates=sum */
    uint64_t sorted;                    /* rows put in order by sort=yes */
    uint64_t widest_line;               /* line of the largest index, 0 if none */
    uint64_t unseen;                    /* entries left out: names not among those given */
    uint64_t names, collisions;         /* hash-bits: distinct names; those that share a column */
    uint64_t zero;                      /* svmlight: 1 if an index 0 occurred; since 0.2 */
} fx_read_counts;
FX_API const char *fx_data_reader_format(size_t i); /* names of formats; NULL: no more */
FX_API fx_status fx_data_reader_describe(fx_description *out, const char *spec);
FX_API fx_status fx_data_reader_new(fx_reader **out, const char *spec, const char *name);
/* Feed the input in order.  Text must be cut after a line end (the last line need not have
 * one); npy may be cut anywhere.  After a failure the reader can only be freed. */
FX_API fx_status fx_data_reader_feed(fx_reader *r, const void *bytes, size_t len,
                                     const fx_run *run);
/* csv and text, call it before the first bytes: sets the columns by name; entries with other names
 * are left out and counted as unseen.  Used to read rows for a model that was fitted on named
 * columns.  CSV: columns may be in any order; a column whose name is given is a number; cat=auto
 * makes a column a category if names `city=...` are given that are not columns of the file; the
 * label (label=NAME), the weight and categories may be missing, but numbers may not.  hash-bits:
 * give all 2^B names; names are then not collected, so memory does not grow with the input. */
FX_API fx_status fx_data_reader_names(fx_reader *r, const char *const *name, size_t n);
/* After fx_data_reader_names: values of categories (csv) and words (text) that have none of those
 * names become columns after them, in the order in which they come; columns of numbers with other
 * names are left out all the same.  For fx_model_fold_in.  hash-bits: changes nothing, every name
 * has a column.  Since 0.2. */
FX_API fx_status fx_data_reader_names_more(fx_reader *r);
/* Text: the bytes that follow are those of another file, whose rows follow the rows so far.  The
 * last line of the file before ends here.  csv: if the first file has a header, this one begins
 * with the same.  Messages name the file and count its lines; fx_read_counts has the lines of all
 * files, without the later headers.  Since 0.2. */
FX_API fx_status fx_data_reader_file(fx_reader *r, const char *name);
/* npz: the bytes that follow belong to this member, "indices.npy". */
FX_API fx_status fx_data_reader_member(fx_reader *r, const char *member);
/* Rows fed since the last take, as wide as all rows so far.  csv:cat=auto gives no rows before it
 * has seen 1 MiB or the end, because it needs them to know the columns.  `end`: the input is
 * complete, so its end is checked and a reader that saw no row at all fails.  The first take
 * resolves base=auto.  base=late (since 0.2): if an index 0 comes later, the base of tables is 0
 * from then on, and column j of the tables before is column j + 1 of all. */
FX_API fx_status fx_data_reader_take(fx_data **out, fx_reader *r, int end,
                                     const fx_run *run);
FX_API fx_status fx_data_reader_counts(fx_read_counts *out, const fx_reader *r);
/* The complete spec: defaults spelt out, and after a take also what the rows resolved: base,
 * header, label, cat.  A reader made from it reads other rows in the same way.  The text lives
 * until the next take. */
FX_API const char *fx_data_reader_spec(const fx_reader *r);
FX_API void fx_data_reader_free(fx_reader *r);
/* Reads all of an input from memory; not for npz, whose members must be named to a reader. */
FX_API fx_status fx_data_parse(fx_data **out, const char *spec, const char *name,
                               const void *bytes, size_t len, const fx_run *run);

/* ---- Arrow --------------------------------------------------------------------------------------
 * Tables of polars, pandas, pyarrow, DuckDB, .. by Arrow's C data and C stream interface, whose
 * three structs are these (https://arrow.apache.org/docs/format/CDataInterface.html).  Since 0.2.
 * Rows are those of a CSV file that has the same columns: a reader of csv takes them, and its keys
 * mean the same, but separator and header nothing.  So the model is the same, too.  Beside
 * the fields of text, there are
 *   numbers     whole numbers of 8 to 64 bits below 2^53, half, float, double, decimals of at most
 *               128 bits; bool: 1 and 0.  Each keeps its value.  A null is missing, as an empty
 *               field is.  In a category they are decimal texts
 *   texts       also by offsets of 64 bits or as views; and dictionaries of texts or numbers.
 *               cat=auto: they are categories, whatever they hold
 * Columns of other types (dates, times, bytes, nested ones) must be converted, or left out by
 * drop=.  Lengths and offsets that contradict each other are errors; Arrow's buffers do not tell
 * how long they are, so the producer must be trusted to that extent.  Messages count rows from 0,
 * over all batches; in fx_read_counts lines are rows, and bytes are 0. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4
struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};
struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};
#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};
#endif
/* The next rows of a csv reader: a record batch (a struct array, "+s") instead of bytes.  Both are
 * borrowed: the caller releases them after the call.  All batches have the same columns.  array
 * NULL: there are no rows yet, but the columns are known. */
FX_API fx_status fx_data_reader_arrow(fx_reader *r, const struct ArrowSchema *schema,
                                      const struct ArrowArray *array, const fx_run *run);
/* Reads all of a stream by a csv spec, batch after batch, and releases it, also after a failure. */
FX_API fx_status fx_data_arrow(fx_data **out, const char *spec, const char *name,
                               struct ArrowArrayStream *stream, const fx_run *run);

/* ---- Writing ------------------------------------------------------------------------------------
 * Formats are svmlight, csv, tsv, npy, npz and precomputed; see doc/reference.md.  A name that the
 * format's reader would not read back unchanged is rejected with FX_EUNSUPPORTED; but a column
 * whose name is empty is called by its position, c5, when it is read.
 * A sink is called in order, from one thread, with pieces of any length; a nonzero return of either
 * of its functions stops the call with FX_EOUTPUT. */
FX_API const char *fx_data_write_format(size_t i);  /* names of formats; NULL: no more */
FX_API fx_status fx_data_write_describe(fx_description *out, const char *spec);
typedef struct fx_sink {
    FX_SIZE(fx_sink);
    int (*write)(void *ctx, const void *bytes, size_t len);
    int (*member)(void *ctx, const char *name, uint64_t size); /* npz only, before its bytes */
    void *ctx;
} fx_sink;
FX_API fx_status fx_data_write(const fx_sink *sink, const char *spec, const fx_table *t,
                               const fx_run *run);
/* Shortest decimal that reads back as x, whatever the locale; returns its length, < 32. */
FX_API int fx_data_number(char buf[32], double x);

/* ---- Choosing rows ------------------------------------------------------------------------ */
/* Copy of rows[0..n) of t, in that order, as one block (double if any chosen block is).
 * rows == NULL: all of t, n ignored.  Numbers may be missing (NaN). */
FX_API fx_status fx_data_select(fx_data **out, const fx_table *t, const size_t *rows, size_t n,
                                const fx_run *run);
FX_API void fx_data_shuffle(size_t *order, size_t n, uint64_t seed); /* a permutation of 0..n-1 */
/* n of the numbers 0..all-1, ascending, every choice equally likely; all of them if n is larger.
 * Takes no memory besides.  Since 0.2. */
FX_API void fx_data_sample(size_t *row, size_t n, size_t all, uint64_t seed);
/* fold[i] in 0..folds-1, sizes equal within one; with labels (numbers or class positions) also
 * within each label value. */
FX_API fx_status fx_data_folds(int32_t *fold, size_t n, int folds, const double *label,
                               uint64_t seed);

/* ---- Packed rows --------------------------------------------------------------------------------
 * A table as bytes that take little space and are read at the speed of memory, with a checksum: for
 * files of rows that are read again and again on the same kind of machine.  Names of columns and
 * identifiers of rows are left out.  Unpacked rows stay in the bytes, which must live as long; at
 * an address that is no multiple of 8 they are copied.  Damaged bytes are FX_EFORMAT. */
FX_API fx_status fx_data_pack(const fx_sink *sink, const fx_table *t, const fx_run *run);
FX_API fx_status fx_data_unpack(fx_data **out, const void *bytes, size_t len, const fx_run *run);

/* ---- Missing values ------------------------------------------------------------------------
 * A copy of t without missing values (NaN), as fx_model_fit makes it with plan.missing = spec (the
 * specs are explained there): filled, with indicator columns after the others, or with rows left
 * out.  For computations before a fit that need numbers, such as the width of a kernel. */
FX_API fx_status fx_data_fill(fx_data **out, const char *spec, const fx_table *t,
                              const fx_run *run);

/* ---- Scaling ------------------------------------------------------------------------------
 * none, maxabs, std (of columns), unit-l1, unit-l2 (of rows).  Scaled rows are one block of
 * doubles; `none` keeps their types.  Fitting "auto" gives maxabs if a number of the table is above
 * 1 or below -1, else none; fx_data_scale_spec says which.  Weights of the table count: a row of
 * weight 0 has no effect. */
typedef struct fx_scale fx_scale;
FX_API fx_status fx_data_scale_fit(fx_scale **out, const char *spec, const fx_table *t,
                                   const fx_run *run);
/* Makes a scaling from what fx_data_scale_spec and fx_data_scale_columns gave; factor[cols] is
 * copied. */
FX_API fx_status fx_data_scale_restore(fx_scale **out, const char *spec, const double *factor,
                                       size_t cols);
FX_API const char *fx_data_scale_spec(const fx_scale *s);
/* [*cols] what each column is multiplied by; NULL for row scalings */
FX_API const double *fx_data_scale_columns(const fx_scale *s, size_t *cols);
FX_API fx_status fx_data_scale_apply(fx_data **out, const fx_scale *s, const fx_table *t,
                                     const fx_run *run);
FX_API void fx_data_scale_free(fx_scale *s);
FX_API const char *fx_data_scale_name(size_t i);
FX_API fx_status fx_data_scale_describe(fx_description *out, const char *spec);

/* ---- Synthetic sets -----------------------------------------------------------------------
 * pairs, triples, parity, fields, dense-positive; fx_data_make_describe lists their keys.
 * Labels are +1 and -1; row i is the same for any n. */
FX_API fx_status fx_data_make(fx_data **out, const char *spec, uint64_t seed, const fx_run *run);
FX_API const char *fx_data_make_name(size_t i);
FX_API fx_status fx_data_make_describe(fx_description *out, const char *spec);
/* One planted set per line: columns from 1; "field1 field2" for fields; "" if there are none. */
FX_API const char *fx_data_planted(const fx_data *d);

/* ---- Links --------------------------------------------------------------------------------
 * Pairs of nodes as rows: the columns of a node of A, then those of a node of B.  links: text, one
 * link `a b` per line, # comments.  A node is named by its label (a number or a text), or by its
 * number from 1 if the table has no labels.  B NULL: links are within A, a pair of nodes has no
 * direction, and its first node is the one that comes first in A.  +1: a link; -1: any other pair
 * of nodes (within A: two different ones), drawn by seed.  qid of a row: the number of its node of
 * A, from 1.  Of P links, a random floor(P/2) are for training.
 *   "train"     these links, and `negatives` other pairs for each
 *   "test"      every pair that is not in train
 *   "sample"    the links of "test", and as many other pairs
 *   "all"       every link, and `negatives` other pairs for each; train comes first
 *   "given"     every link, in the order of the text, and nothing else; since 0.2
 * A link that is given twice is an error, and so is a label that two nodes share.  Numbers of nodes
 * may be missing (NaN) and are then missing in the rows.  Columns have names if both tables have
 * them; if a name is in both, all get the prefix `a.` or `b.`. */
FX_API fx_status fx_data_links(fx_data **out, const fx_table *A, const fx_table *B,
                               const char *links, const char *part, size_t negatives,
                               uint64_t seed, const fx_run *run);

/* ---- Kernels ------------------------------------------------------------------------------
 * family: text of an itemset or group file, NULL for kernels without one; its indices count from
 * `base`.  fx_kernel_file says which file a spec names. */
typedef struct fx_kernel fx_kernel;
FX_API fx_status fx_kernel_parse(fx_kernel **out, const char *spec, const char *family, int base);
FX_API const char *fx_kernel_file(const char *spec, size_t *len); /* inside spec; NULL: none */
FX_API const char *fx_kernel_spec(const fx_kernel *k);            /* complete: defaults spelt out */
FX_API const char *fx_kernel_name(size_t i);
FX_API fx_status fx_kernel_describe(fx_description *out, const char *spec);
FX_API void fx_kernel_free(fx_kernel *k);

/* K[i*ldk + j] = K(X_i, Z_j).  Z == NULL: Z is X, and each pair is evaluated once.
 * A result that is not finite is FX_EDOMAIN or FX_ENUMERIC, with the pair in the detail. */
FX_API fx_status fx_kernel_gram(double *K, size_t ldk, const fx_kernel *k, const fx_matrix *X,
                                const fx_matrix *Z, const fx_run *run);

/* Values and gradients for many rows and vectors: for row i and vector s, p_s = P[0..cols)[s],
 *   V[i*vectors + s] = K(p_s, X_i),    G[(first_i + q)*vectors + s] = dK/dp_s[j]
 * where j is the column of the q-th stored number of row i (all columns of a dense row) and
 * first_i how many are stored in the rows above.  P is cols x vectors.  G may be NULL; gradients
 * exist for linear, anova, anova-upto and all-subsets. */
FX_API fx_status fx_kernel_values(double *V, double *G, const fx_kernel *k, const double *P,
                                  size_t vectors, const fx_matrix *X, const fx_run *run);

/* ---- Random feature maps ------------------------------------------------------------------
 * Z(x) with <Z(x), Z(y)> = K(x, y) on average over seeds: a linear model on Z approximates a kernel
 * machine.  A map is drawn from (spec, kernel, cols, features, seed) and does not depend on data,
 * except for keys that are auto or allocated: those use `sample`, if it is given.  fx_map_spec
 * contains what they chose, and gives the same map without a sample. */
typedef struct fx_map fx_map;
FX_API fx_status fx_map_parse(fx_map **out, const char *spec, const fx_kernel *k, size_t cols,
                              size_t features, uint64_t seed, const fx_matrix *sample,
                              const fx_run *run);
FX_API const char *fx_map_spec(const fx_map *m);    /* complete: defaults and choices spelt out */
FX_API size_t fx_map_features(const fx_map *m);     /* columns of Z: as requested, or exact map's */
FX_API const char *fx_map_name(size_t i);
FX_API fx_status fx_map_describe(fx_description *out, const char *spec);
FX_API void fx_map_free(fx_map *m);

/* Z[i*ldz + s], floats or doubles by `type`, computed in floats.  A feature beyond the range of
 * floats is FX_ENUMERIC with its row. */
FX_API fx_status fx_map_apply(void *Z, size_t ldz, fx_type type, const fx_map *m,
                              const fx_matrix *X, const fx_run *run);
/* S[i*outputs + c] = sum_s Z_s(X_i) W[s*outputs + c], without storing Z.  A feature or sum beyond
 * the range of floats is FX_ENUMERIC with its row. */
FX_API fx_status fx_map_score(double *S, const fx_map *m, const double *W, size_t outputs,
                              const fx_matrix *X, const fx_run *run);

/* Exact variance over seeds of <Z(X_i), Z(X_j)>, (i, j) = pair[2q], pair[2q+1], to V[q]. */
FX_API fx_status fx_map_variance(double *V, const fx_map *m, const fx_matrix *X, const size_t *pair,
                                 size_t pairs, const fx_run *run);

/* How many random features are enough for P(|error| >= eps) <= delta, by every theorem that holds
 * for this map and kernel, the most general one first and the sharpest last: *n theorems, of which
 * the first `room` go to out.  The error is that of one pair of rows or, if `uniform`, the largest
 * over all pairs.  Rows have an L1 norm of at most `radius` (ts and jl: L2 norm; rff: any).
 * FX_EUNSUPPORTED, with the reason, if no theorem holds. */
#define FX_BOUND_MAX  4                 /* theorems for one map that this version knows */
typedef struct fx_bound {
    const char *kind;                   /* of the theorem: "itemset", "anova-factorial", .. */
    const char *formula;                /* its bound on the probability, for D features */
    double features;                    /* a real number, to be rounded up; may be infinite */
} fx_bound;
FX_API fx_status fx_map_bound(fx_bound *out, size_t room, size_t *n, const fx_map *m, double radius,
                              double eps, double delta, int uniform);

/* Measured error of <Z(x), Z(y)> against K(x, y) for one map, on `pairs` pairs of two different
 * rows of X, drawn by `seed` independently.  It falls as 1/sqrt(D) with D features: about D
 * (rmse/eps)^2 are needed for a root mean square error of eps. */
typedef struct fx_deviation {
    FX_SIZE(fx_deviation);
    size_t pairs;
    double mae, rmse, max;              /* of |error|: mean, root mean square, largest */
    double ci95;                        /* rmse +- this: 95 % interval for all pairs of X */
    double bias;                        /* mean error */
    double kernel_rms;                  /* root mean square of K, to compare with */
    double predicted;                   /* rmse over seeds, by exact variances; NaN: not known */
} fx_deviation;
FX_API fx_status fx_map_deviation(fx_deviation *out, const fx_map *m, const fx_matrix *X,
                                 size_t pairs, uint64_t seed, const fx_run *run);

/* ---- Models -------------------------------------------------------------------------------
 * A plan names a model and what comes before it: rows are scaled, perhaps mapped, then fitted.
 *   linear models             on rows, or on the features of plan.map
 *   kernel machines           exact, where plan.kernel is given and plan.map is not
 *   factorization machines    learn the weights of combinations themselves
 * Scores: one for a target or for two classes (positive: the second), else one for each class
 * against the rest, or for each pair of classes.  Classes are sorted: numbers by value, texts
 * bytewise.  doc/reference.md lists the models with all keys and objectives.
 * The same plan, rows and seed give the same model, bit for bit, for any number of threads and any
 * memory limit, unless max_seconds ends a fit.  A model never changes, so several threads may
 * predict with it at once, also while it is plan.init of a fit or is being updated. */
typedef struct fx_model fx_model;

typedef struct fx_plan {                /* what to fit; members that are 0 or NULL are defaults */
    FX_SIZE(fx_plan);
    const char *model;                  /* spec; must be given */
    const char *scale;                  /* spec of fx_data_scale_fit; NULL: none */
    const char *map, *kernel, *family;  /* as for fx_map_parse; map NULL: rows as they are, or, for
                                         * a kernel machine, the kernel itself */
    size_t features;                    /* number of random features; required with a random map,
                                         * exact maps have their own */
    uint64_t seed;                      /* for the map, the folds and the order of rows */
    const char *class_weight;           /* "balanced", or lines "class=weight"; NULL: all 1 */
    const char *reader;                 /* reader spec for such rows; stored in the model */
    const fx_model *init;               /* start from this model (newton, cd, factorization
                                         * machines, for which the table may have more columns) or
                                         * resume it (perceptrons, adagrad: on the same rows as if
                                         * the fit had not stopped); svm, svr: with solver=newton;
                                         * or NULL */
    const fx_table *eval;               /* rows to measure each iteration on; or NULL */
    const char *metric;                 /* a metric of fx_metric_name, computed on eval for each
                                         * output (several classes: each against the rest) and
                                         * stored in the history; NULL: "accuracy", for targets
                                         * "rmse", for rankings "auc".  fx_model_path:
                                         * fx_metrics.metric */
    /* factorization machines: */
    size_t patience;                    /* stop after this many iterations without a better metric
                                         * and return the best state; 0: do not */
    double max_seconds;                 /* the first iteration to end later is the last; 0: off */
    /* kernel machines: */
    uint64_t cache;                     /* kernel-svm, kernel-svr: bytes that a fit may use in all,
                                         * kernel values included; 0: 256 MiB.  A few rows always
                                         * fit; the model does not depend on it */
    /* classifiers: */
    const double *class_value;          /* [classes] in the form of the table's labels: classes that
                                         * the model has even if no row belongs to them, because
                                         * fx_model_update may bring such rows; or NULL */
    size_t classes;
    /* all models: */
    const char *missing;                /* how NaN in rows is treated, in training and later:
                                         *   "error"   FX_EDOMAIN; NULL means the same
                                         *   "drop"    rows with a NaN are left out of training and
                                         *             of fx_model_evaluate; predictions are NaN
                                         *   "zero", "mean", "median"  NaN is filled with 0, or with
                                         *             the column's mean or median over the rows
                                         *             of training (weighted) with a number there;
                                         *             zeros that sparse rows leave out are numbers
                                         *   "zero,indicator", "mean,indicator", "median,indicator"
                                         *             filled, and each column that has a NaN in
                                         *             training gets an indicator column after all
                                         *             others: 1 where it was missing, else 0; named
                                         *             NAME=missing
                                         * Not for precomputed kernels.  init must have the same. */
    const char *remark;                 /* one sentence that users of the model should know, stored
                                         * in it; or NULL */
    size_t split;                       /* rows are pairs: columns of the first side, the others are
                                         * of the second; stored in the model for fx_model_vectors.
                                         * 0: not known.  Since 0.2 */
    const char *side_reader[2];         /* with split: reader specs for rows of one side, whose
                                         * columns count on their own; or NULL.  Since 0.2 */
} fx_plan;

/* Classes are the distinct labels and those of the plan, at least two; regression models (svr,
 * ridge, kernel-svr, kernel-ridge) need numbers; pca and kernel-pca ignore labels.  Table weights
 * multiply the loss; a row of weight 0 has no effect.
 * "balanced" gives class k the weight n / (classes n_k), n and n_k sums of table weights.
 * FX_NOT_CONVERGED and FX_DIVERGED still give a model; the detail says what to do.
 * Features are stored if run->max_memory allows, else recomputed whenever they are needed. */
FX_API fx_status fx_model_fit(fx_model **out, const fx_plan *plan, const fx_table *t,
                              const fx_run *run);
/* Rows that are elsewhere: a fit that never sees them, since 0.2.
 *
 * Such a fit asks for passes over all rows.  A request is bytes that carry all that the answer
 * depends on; `ask` must write the answer to it, also bytes, to the sink.  An answer is made by an
 * fx_pass: begin it with the request, add rows, end it.  Several passes may answer for parts of the
 * rows, in other threads, programs or machines; merge their answers, in any order.  Sums are exact,
 * so the model has the same bytes as that of fx_model_fit on all rows, however they are divided.
 *
 * Rows are numbered from 0, and `first` is the number of a part's first row.  Parts begin at
 * multiples of FX_PASS_BLOCK and, except for the last one, hold a multiple of it.  If a pass is
 * divisible, parts may be added to any passes in any order.  If it is not, one pass must get all
 * blocks, in an order of its own: fx_model_pass_next is the number of the first row of the next
 * block (ahead 0) or of one after it (ahead 1, ..), or FX_PASS_END.  Blocks that follow each other
 * in the data and in that order may be one part.  Rows must be the same for each request: all
 * sparse or all dense, labels all texts or all numbers.  Sparse parts may differ in width.
 *
 * For models whose description says `streamable`; others: FX_EUNSUPPORTED.  plan.missing may be
 * anything but median; with "drop", rows that miss a number must not be given to a pass.
 * plan.eval is a table in memory.  Memory: that of a part and of the
 * sums, 40 bytes for each number and thread; it does not grow with the number of
 * rows.  run->max_memory must suffice for passes of run->threads threads, too.
 *
 * A pass may serve one request after the other, and is faster so.  Answers may be kept: a fit that
 * is given the same answers again asks for the same passes.  Damaged bytes: FX_EFORMAT.  While
 * `ask` works, it decides itself whether to stop: run->progress is called between passes. */
#define FX_PASS_BLOCK 4096
#define FX_PASS_END   UINT64_MAX
typedef struct fx_pass fx_pass;
typedef fx_status fx_pass_ask(void *ctx, const void *request, size_t bytes, const fx_sink *answer);
FX_API fx_status fx_model_passes_fit(fx_model **out, const fx_plan *plan, fx_pass_ask *ask,
                                     void *ctx, const fx_run *run);
FX_API fx_status fx_model_pass_new(fx_pass **out, const fx_run *run);
FX_API fx_status fx_model_pass_begin(fx_pass *p, const void *request, size_t bytes);
FX_API int fx_model_pass_divisible(const fx_pass *p);
FX_API uint64_t fx_model_pass_next(const fx_pass *p, size_t ahead);
FX_API fx_status fx_model_pass_add(fx_pass *p, const fx_table *t, uint64_t first);
FX_API fx_status fx_model_pass_merge(fx_pass *p, const void *answer, size_t bytes);
FX_API fx_status fx_model_pass_end(const fx_sink *answer, fx_pass *p);
FX_API void fx_model_pass_free(fx_pass *p);
/* Makes one more training pass over the rows of t, in their order, and stores the new model in
 * *out; m is not modified.  For perceptron, kernel-perceptron and factorization machines with
 * solver=adagrad; other models: FX_EUNSUPPORTED.  Labels must be m's classes; columns beyond m's
 * are left out; a sigmoid stays as it was. */
FX_API fx_status fx_model_update(fx_model **out, const fx_model *m, const fx_table *t,
                                 const fx_run *run);
/* Learns the columns that m does not know, such as a new user's, from the rows of t, while all else
 * stays as it is, and stores the new model in *out; m is not modified.  These are columns that are
 * all 0 in m's training and, where t is wider than m, those after m's; if m has names, t's names
 * begin with them.  Where m and t know their sides (`split`), that holds for the columns of each
 * side: new ones of the first side come before all of the second.  The numbers minimise m's
 * objective, in which losses are still divided by the weight of the rows of the training
 * (fx_model_info.weight): exactly where no row holds two of the new columns, else to m's `tol`
 * (FX_NOT_CONVERGED: not within 1,000 visits).  Rows are scaled as in m, further columns not at
 * all.  For factorization machines, but not poly-net and task=rank: FX_EUNSUPPORTED.  Labels must
 * be m's classes; without a new column: FX_EINVAL.  Since 0.2. */
FX_API fx_status fx_model_fold_in(fx_model **out, const fx_model *m, const fx_table *t,
                                  const fx_run *run);
/* Time and memory that fx_model_fit would take for a kernel machine, found by timing the kernel on
 * some rows.  seconds is only an order of magnitude; bytes is the peak allocation.  Other models:
 * FX_EUNSUPPORTED. */
typedef struct fx_estimate {
    FX_SIZE(fx_estimate);
    double seconds;
    uint64_t bytes;
} fx_estimate;
FX_API fx_status fx_model_estimate(fx_estimate *out, const fx_plan *plan, const fx_table *t,
                                   const fx_run *run);
FX_API void fx_model_free(fx_model *m);
FX_API const char *fx_model_name(size_t i);
FX_API fx_status fx_model_describe(fx_description *out, const char *spec);

typedef struct fx_step {                /* one step of a fit's history */
    size_t output, iteration;
    double seconds, objective, gap;
    double metric;                      /* plan.metric of this output on plan.eval; NaN without */
} fx_step;
typedef struct fx_factors {             /* factors of one order of a factorization machine */
    int order;                          /* 0: all subsets */
    size_t cols, rank;                  /* shape of P: constants, then the model's columns
                                         * (poly-net-uv: all of these twice) */
    const double *P;                    /* [outputs][cols][rank] */
    const double *lambda;               /* [outputs][rank] */
    const double *theta;                /* [outputs][order] of orders 1, 2, ..; NULL: `order` */
    const double *norm;                 /* [outputs] |P|; below 1e-6: the order is dead */
} fx_factors;
typedef struct fx_model_info {          /* contents of a model; lives as long as the model */
    const char *spec, *scale, *map, *kernel, *family, *reader; /* complete; "": none */
    uint64_t seed;
    size_t cols, random, features;      /* columns of rows; features requested (0: no map); made */
    size_t outputs, classes;            /* classes 0: a target */
    int base;                           /* first index in text files: 0 or 1 */
    const char *const *class_name;      /* [classes] sorted; numbers in shortest form */
    const double *class_value;          /* [classes] if labels are numbers, else NULL */
    const char *const *name;            /* [cols] names of columns, or NULL */
    const double *weights, *intercepts; /* [features][outputs], [outputs] */
    const double *sigmoid;              /* [outputs][2] a, b: probability 1/(1 + exp(a score + b));
                                         * NULL: none.  logistic: -1, 0 */
    const unsigned char *seen;          /* [cols] 1: column not all 0 in training; NULL: all are */
    const double *column_scale;         /* [cols] what columns are multiplied by; or NULL */
    fx_matrix vectors;                  /* kernel machines: [features] rows; rows 0: no such model,
                                         * or precomputed (weights of columns), or collapsed */
    size_t support_vectors;             /* kernel machines: number before they collapsed */
    int pairs;                          /* 1: an output for each pair of classes */
    const fx_factors *factors;          /* [orders] of factorization machines; else none.  weights
                                         * are then [cols][outputs], of the linear term */
    size_t orders;
    double low, high;                   /* targets are clipped to this range; low > high: not */
    const double *variance;             /* pca: [outputs]; else NULL */
    double total_variance;              /* pca: variance of the rows in all directions */
    /* the fit */
    size_t rows;
    double objective, gap;              /* sum over outputs; largest of any output, DBL_MAX: the
                                         * kernel is not positive semidefinite */
    uint64_t iterations;                /* largest number of any output */
    int converged;
    int version;                        /* FX_VERSION that wrote it */
    double prepared;                    /* seconds for scaling and mapping; not stored in files */
    const fx_step *history;             /* [steps]; not stored in files */
    size_t steps;
    /* missing values */
    const char *missing;                /* plan.missing; "": NaN is an error */
    size_t inputs;                      /* columns of rows to predict: cols less the indicators */
    const double *fill;                 /* [inputs] what NaN is filled with; NULL: 0 */
    const int64_t *indicator;           /* [cols - inputs] ascending: column j + inputs is 1 where
                                         * column indicator[j] was missing */
    uint64_t missing_values;            /* in the training rows, except rows of weight 0 */
    size_t missing_cols;                /* columns that have such values */
    size_t missing_rows;                /* rows that "drop" left out; not among `rows` */
    const char *remark;                 /* plan.remark; "": none */
    /* since 0.2 */
    double weight;                      /* factorization machines, but no rankings: weight of all
                                         * rows of the training, by which losses are divided; 0: not
                                         * known */
    const unsigned char *later;         /* [cols] 1: learnt by fx_model_fold_in; NULL: none */
    size_t split;                       /* rows are pairs: columns of the first side, by plan.split
                                         * or by the model (bilinear); 0: not known.  Since 0.2 */
    const char *side_reader[2];         /* plan.side_reader; "": none.  Since 0.2 */
} fx_model_info;
FX_API const fx_model_info *fx_model_inspect(const fx_model *m);

/* One file, in the safetensors layout (doc/format.md).  Parsing checks everything. */
FX_API fx_status fx_model_dump(const fx_sink *sink, const fx_model *m);
FX_API fx_status fx_model_parse(fx_model **out, const void *bytes, size_t len, const fx_run *run);

/* Columns that training never saw, and those beyond the model's, are left out; *unseen (may be
 * NULL) counts such entries.  Sparse rows may have any width, dense ones must have info->inputs
 * columns.  NaN is filled as info->missing says; with "drop" the predictions of such rows are NaN.
 *   FX_LABEL  [rows] position among the classes, or the target; pca has none
 *   FX_SCORE  [rows][outputs]
 *   FX_PROBA  [rows][classes] sum 1; where they exist, the label is the first largest one
 * Several classes: the probabilities of each against the rest, divided by their sum; with pairs,
 * the probabilities that fit all pairs best.  A score that is not finite is FX_ENUMERIC with its
 * row. */
typedef enum fx_prediction { FX_LABEL = 0, FX_SCORE = 1, FX_PROBA = 2 } fx_prediction;
FX_API size_t fx_model_width(const fx_model *m, fx_prediction what); /* numbers per row; 0: none */
FX_API fx_status fx_model_predict(double *out, uint64_t *unseen, const fx_model *m,
                                  fx_prediction what, const fx_matrix *X, const fx_run *run);

/* A scorer is a model prepared for many calls: its scaling, and its weights or vectors packed for
 * multiplication.  fx_scorer_predict gives the same results as fx_model_predict, bit for bit, but
 * prepares nothing again: for one row at a time it is 2 to 10 times as fast.
 * Memory: the model's, which is retained until the scorer is freed; a second copy of the weights,
 * as floats (map) or ordered by output (several outputs); for a kernel machine, its vectors in
 * panels of 16, up to 64 MiB or four times the vectors, whichever is more, and within
 * run->max_memory: if they need more, each call packs them.
 * A call on one thread, as all calls of few rows are, allocates scratch memory only
 *   - if none is free: when more threads are inside a call than ever before;
 *   - if the free one is too small: for more or longer rows than it was used for before.
 * The scorer keeps scratch memory until it is freed. */
typedef struct fx_scorer fx_scorer;
FX_API fx_status fx_scorer_new(fx_scorer **out, const fx_model *m, const fx_run *run);
FX_API fx_status fx_scorer_predict(double *out, uint64_t *unseen, const fx_scorer *s,
                                   fx_prediction what, const fx_matrix *X, const fx_run *run);
FX_API void fx_scorer_free(fx_scorer *s);

typedef struct fx_metrics {             /* NaN: does not apply */
    FX_SIZE(fx_metrics);
    size_t rows;
    double accuracy;
    double auc;                         /* ties count half; several classes: mean of each against
                                         * the rest */
    double logloss, rmse;
    double metric;                      /* fx_model_path: plan.metric */
} fx_metrics;
/* Metrics of given scores: y is +1 or -1, or a target if `regress`; weight may be NULL. */
FX_API fx_status fx_model_metrics(fx_metrics *out, const double *y, const double *score,
                                  const double *weight, size_t n, int regress);
/* Metrics of a model on labelled rows.  Labels are looked up among its classes by value if those
 * are numbers, else by name; an unknown one is FX_EINVAL.  accuracy is of predicted labels, logloss
 * of probabilities where they exist, rmse of targets.  confusion [classes][classes] may be NULL:
 * sums of weights by true (rows) and predicted class. */
FX_API fx_status fx_model_evaluate(fx_metrics *out, double *confusion, const fx_model *m,
                                   const fx_table *t, const fx_run *run);
/* Any metrics, by name: out[i] is name[i] of the model on these rows; NaN: not defined for them, as
 * auc is not if all rows are of one class.  A metric that is not defined for the model is
 * FX_EINVAL.  fx_metric_name lists them; doc/reference.md defines each.  Any number may follow @,
 * as in "ndcg@5": the best 5 rows of each query (table.qid). */
FX_API fx_status fx_model_evaluate_by(double *out, const char *const *name, size_t n,
                                      const fx_model *m, const fx_table *t, const fx_run *run);
/* The same for rows that come in batches, since 0.2: add them, then ask.  The results are those of
 * one table with all rows, bit for bit.  What is held of a row is its label, prediction, scores,
 * weight and query; nothing of targets.  If that would exceed run->max_memory, further rows are
 * only counted, and asking is FX_ELIMIT with what all of them need.  Messages count rows from the
 * first one of t; after a failed add, the evaluator is as before it. */
typedef struct fx_evaluator fx_evaluator;
FX_API fx_status fx_model_evaluator_new(fx_evaluator **out, const fx_model *m, const fx_run *run);
/* Before rows are added: no other metrics will be asked for.  If none of them needs the scores in
 * order (accuracy, logloss, precision, recall and F1 do not), nothing of the rows is held; then
 * fx_metrics.auc is NaN, and a confusion matrix is of at most 64 classes. */
FX_API fx_status fx_model_evaluator_only(fx_evaluator *e, const char *const *name, size_t n);
FX_API fx_status fx_model_evaluator_add(fx_evaluator *e, const fx_table *t, const fx_run *run);
/* The same for rows that were scored elsewhere, such as in another process, since 0.2:
 * score[rows][fx_model_width(m, FX_SCORE)], as fx_scorer_predict or fx_model_predict gives it. */
FX_API fx_status fx_model_evaluator_add_scored(fx_evaluator *e, const fx_table *t,
                                               const double *score, const fx_run *run);
FX_API fx_status fx_model_evaluator_metrics(fx_metrics *out, double *confusion,
                                            const fx_evaluator *e, const fx_run *run);
FX_API fx_status fx_model_evaluator_by(double *out, const char *const *name, size_t n,
                                       const fx_evaluator *e, const fx_run *run);
FX_API void fx_model_evaluator_free(fx_evaluator *e);
FX_API const char *fx_metric_name(size_t i);
FX_API fx_status fx_metric_describe(fx_description *out, const char *name);

/* ---- Which combinations matter --------------------------------------------------------------
 * A score is a sum over combinations of columns, weight * product of their numbers (after scaling),
 * for linear models on rows or on maps rk, rm, explicit, for kernel machines with linear, anova,
 * anova-upto, all-subsets, itemset, groups, cross, poly, and for factorization machines.  The
 * combinations with the largest |weight| are found by a search with bounds, without a table of
 * pairs.  Other models: FX_EUNSUPPORTED. */
/* Rows that are visited: take(to, t) is called for each table of some of them, always the same ones
 * in the same order, until it returns another status than 0, which is then returned.  Since 0.2. */
typedef fx_status fx_rows_take(void *to, const fx_table *t);
typedef fx_status fx_rows_visit(void *ctx, fx_rows_take *take, void *to);
typedef struct fx_explain_options {     /* zeros are defaults */
    FX_SIZE(fx_explain_options);
    size_t top;                         /* combinations to list; 0: 20 */
    size_t order;                       /* only combinations of this many columns; 0: any */
    size_t output_from_1;               /* 1 + number of the output to explain; 0: that of
                                         * class_name, else that of the class predicted for row,
                                         * else the first */
    const fx_table *table;              /* count its rows that hold all columns of a combination;
                                         * combinations that no row holds are not listed */
    const fx_matrix *row;               /* one row: rank by |contribution| to its score */
    double max_work;                    /* multiplications allowed, or other steps that take as
                                         * long; 0: 5e10, about ten seconds of one processor */
    const char *class_name;             /* explain the score of this class; pairs of classes: "A/B"
                                         * or, with row, "A": against the next best class for that
                                         * row; or NULL */
    uint64_t min_support;               /* rows of table a listed combination must be in; 0: 1 */
    int all;                            /* 1: also list combinations that no row holds */
    int importance;                     /* 1: measure the mean |contribution| over the rows of the
                                         * table; 2: also list the largest of these instead of the
                                         * largest |weights| */
    fx_rows_visit *visit;               /* instead of table: rows that are not in memory, visited
                                         * several times, with the same result.  FX_ELIMIT if the
                                         * search needs all rows at once: if it takes more than
                                         * max_work, or too few of many thousands of candidates are
                                         * in enough rows.  With `all`, without importance 2, it
                                         * never does.  Since 0.2 */
    void *visit_ctx;
} fx_explain_options;
typedef struct fx_combination {
    size_t order;
    const size_t *column;               /* [order] from 0, ascending; twice where it is squared.  To
                                         * display: info->name[j], or j + info->base */
    double weight;
    double contribution;                /* to the score of options.row; else 0 */
    uint64_t support;                   /* rows of options.table that hold it; else 0 */
} fx_combination;
typedef struct fx_explanation {
    size_t n;
    const fx_combination *at;           /* [n] largest first; single columns are of order 1 */
    int exact;                          /* 1: no other has a larger |weight| (|contribution|,
                                         * importance) */
    double missed;                      /* exact 0: no unlisted combination has a larger one */
    double constant;                    /* intercept and terms without columns */
    double score, rest;                 /* with row: constant + contributions + rest == score */
    size_t unseen;                      /* entries of row that the model leaves out */
    size_t output;                      /* number of the score that is explained */
    const double *importance;           /* [n] mean |contribution| over the rows of options.table;
                                         * NULL: options.importance was 0 */
} fx_explanation;
/* options NULL: the defaults. */
FX_API fx_status fx_model_explain(fx_explanation **out, const fx_model *m,
                                  const fx_explain_options *options, const fx_run *run);
FX_API void fx_explanation_free(fx_explanation *e);

/* ---- Which combinations matter, with control of errors ------------------------------------------
 * Among all products of up to `order` different columns: which are associated with the label?  Rows
 * are divided into two halves, `splits` times.  On each half, an L1 path over all products selects
 * a few; on the other one, each that was selected is tested in the model of all of them (classes:
 * logistic; targets: normal errors).  The tests of all halves are joined into one p-value for each
 * product.  doc/math.md#discover has the formulas.
 *   p <= alpha: a discovery.  Labels that have nothing to do with the columns give any discovery
 *   with probability alpha at most.  With some related products, the same holds of unrelated ones
 *   where the halves select all that are related; one that was missed may be represented by its
 *   parts, therefore nested discoveries are one family.
 * Numbers from -1 to 1 are taken as they are, others are scaled (maxabs).  Several classes: each
 * against the rest, and p is multiplied by the number of classes.  Weights of rows are whole
 * numbers: how often a row counts.  The result does not depend on threads, but for max_seconds.
 * Since 0.2. */
typedef struct fx_discover_options {    /* zeros are defaults */
    FX_SIZE(fx_discover_options);
    int order;                          /* products of 1 to `order` columns; 0: 3 */
    int regress;                        /* 1: labels are numbers to be predicted; 0: classes */
    double alpha;                       /* 0: 0.05 */
    size_t splits;                      /* of the rows into two halves; 0: 25 */
    size_t select;                      /* products that a half selects at most; 0: rows / 250, but
                                         * at least 8 and at most 50 */
    const char *scale;                  /* auto, maxabs or none; NULL: auto */
    const char *missing;                /* as fx_plan.missing */
    const char *reader;                 /* reader spec for such rows, stored in info; or NULL */
    uint64_t seed;
    double max_seconds;                 /* paths that last longer end early, not certified; 0:
                                         * off */
    size_t permutations;                /* also with shuffled labels, this many times */
} fx_discover_options;
typedef struct fx_column_set {
    size_t order;
    const size_t *column;               /* [order] from 0, ascending */
} fx_column_set;
typedef struct fx_discovered {
    size_t order;
    const size_t *column;               /* [order] from 0, ascending.  To display: as in
                                         * fx_combination */
    size_t output;                      /* several classes: the class that is against the rest */
    uint64_t support;                   /* rows that hold it: no column of it is 0 */
    double mean;                        /* share of the class (two classes: the second) among these,
                                         * or mean of their targets, by weights */
    int binary;                         /* 1: the product is 1 (after scaling) in all of these */
    double effect;                      /* of a product of 1 on the logarithm of the odds (two
                                         * classes: of the second) or on the target, in the model of
                                         * the discoveries that are not eliminated, and itself:
                                         * median over the halves that tested it.  Infinite: it
                                         * separates the classes */
    double low, high;                   /* effects that the tests of these halves together do not
                                         * reject at level alpha; NaN: all are infinite */
    double p;                           /* adjusted p-value */
    double frequency;                   /* share of the halves that selected it */
    double adds;                        /* share of the deviance (targets: variance) that it
                                         * explains and its parts, all products of its columns, do
                                         * not */
    size_t family;                      /* number, from 0: nested discoveries have the same */
    int eliminated;                     /* 1: adds nothing to the other discoveries */
    size_t sames;                       /* other sets with the same product in all rows, which the
                                         * data cannot tell apart, as far as they were tried */
    const fx_column_set *same;          /* [sames] */
} fx_discovered;
typedef struct fx_discovery {
    size_t n;
    const fx_discovered *at;            /* [n] p <= alpha; by family; eliminated ones last */
    const fx_model_info *info;          /* the rows: names, classes, scale, missing, base, .. */
    size_t rows;                        /* of positive weight */
    size_t order, select, halves;
    double alpha;
    double products;                    /* that were searched, by halves each */
    uint64_t nodes;                     /* products that had to be looked at, in all searches */
    double C, gap;                      /* median of where paths ended; largest proven gap */
    int certified;                      /* 1: every path was proven optimal over all products */
    const double *mean;                 /* [info->outputs] as in fx_discovered, of all rows */
    size_t permutations, null_found;    /* with shuffled labels; those with a discovery */
    double null_low, null_high;         /* 95 % interval of the probability of one */
} fx_discovery;
/* options NULL: the defaults. */
FX_API fx_status fx_discover(fx_discovery **out, const fx_discover_options *options,
                             const fx_table *t, const fx_run *run);
FX_API void fx_discovery_free(fx_discovery *d);
/* 95 % interval of a probability, of n > 0 trials of which k were a case (exact: Clopper and
 * Pearson), as null_low and null_high: for labels that the caller shuffles. */
FX_API void fx_discover_binomial(double *low, double *high, uint64_t k, uint64_t n);

/* ---- All combinations, few weights --------------------------------------------------------------
 * Since 0.2.  For each C of an ascending path, the minimum over w and b of
 *   |w|_1 + C sum_i weight_i loss(y_i, b + sum_J w_J prod_{j in J} x_ij),
 * J: all sets of `least` to `order` different columns.  Those with weights are found by a search
 * with bounds and never written out, so there may be any number of them; each step comes with a gap
 * that is proven over all sets.  Numbers of X must be within -1 and 1.  doc/math.md#combos */
typedef struct fx_combos_options {      /* zeros are defaults */
    FX_SIZE(fx_combos_options);
    const char *loss;                   /* "squared-hinge" (NULL), "logistic": y is -1 or 1;
                                         * "squared": y is any number */
    size_t least, order;                /* columns of a combination; 0: 1, and 2, at most 16 */
    const int32_t *group;               /* [cols] at most one column of each group; or NULL */
    int no_intercept;                   /* 1: b is 0 */
    const double *C;                    /* [steps] ascending; NULL: evenly in log, from the least C
                                         * with a weight to `span` times that */
    size_t steps;                       /* 0: 100 */
    double span;                        /* 0: 100 */
    double tol;                         /* largest gap of a step; 0: 1e-6 */
    size_t max_weights;                 /* end after a step with so many; 0: no limit */
} fx_combos_options;
typedef struct fx_combos_path {
    size_t steps;
    const double *C, *intercept;        /* [steps] */
    const double *objective;            /* [steps] */
    const double *gap;                  /* [steps] (objective - minimum) / objective is at most
                                         * this */
    size_t n;
    const fx_combination *at;           /* [n] what has a weight in some step, in the order in which
                                         * the path met it; weight: of the last step; support: rows
                                         * that hold it */
    const size_t *first;                /* [steps + 1] step k has the weights first[k] to
                                         * first[k + 1] - 1 of: */
    const size_t *combination;          /* [first[steps]] numbers in `at`, ascending in each step */
    const double *weight;               /* [first[steps]] */
    const size_t *tie_first;            /* [n + 1] at[i] has the ties tie_first[i] to
                                         * tie_first[i + 1] - 1 of: */
    const size_t *tie;                  /* [tie_first[n]] columns that are 1 in all its rows: with
                                         * any of them it is the same product.  Of combinations that
                                         * are equal in all rows only the smallest one is in `at`;
                                         * if all numbers are 0 or 1, the others consist of its
                                         * columns and ties */
    size_t searches;
    uint64_t examined;                  /* products that the searches evaluated */
} fx_combos_path;
/* options NULL: the defaults.  weight NULL: ones.  FX_EDOMAIN: a number beyond -1 and 1, or C is
 * NULL and no C gives a weight.  FX_NOT_CONVERGED: some gap is above tol. */
FX_API fx_status fx_combos_path_new(fx_combos_path **out, const fx_combos_options *options,
                                    const fx_matrix *X, const double *y, const double *weight,
                                    const fx_run *run);
FX_API void fx_combos_path_free(fx_combos_path *p);

/* Converts a linear model on map rk (kernel anova, anova-upto, all-subsets; real draws) to a
 * factorization machine whose factors are the map's random numbers.  It predicts the same. */
FX_API fx_status fx_model_factorize(fx_model **out, const fx_model *m, const fx_run *run);
/* Writes an FM of order 2 with one output as libFM's text; what that cannot express (lambda below
 * 0, scaled rows, groups, clipped targets) is FX_EUNSUPPORTED.  Scalings of columns are multiplied
 * in.  Lines are numbered by the indices of text files: if those count from 1, the line of index 0
 * is zeros. */
FX_API fx_status fx_model_export(const fx_sink *sink, const fx_model *m, const char *format);
/* format "libfm"; gives a regression model or, if `classify`, a model of the classes -1 and 1.
 * Column 0 is index 0. */
FX_API fx_status fx_model_import(fx_model **out, const char *format, int classify,
                                 const void *bytes, size_t len, const fx_run *run);

/* ---- Pairs of sides -------------------------------------------------------------------------
 * A row that joins the columns of a first side a (a user, the context) and of a second side b (an
 * item), which share no column, has the score <u(a), v(b)> if the model is a sum over combinations.
 * These are the vectors u and v, for an index of nearest neighbours or for fx_model_recommender.
 * Since 0.2.
 *
 * For linear models on rows or on maps rk and rm, kernel machines that fx_model_explain takes, and
 * factorization machines.  Not (FX_EUNSUPPORTED) where rows are scaled to unit norm, where targets
 * are clipped, for itemset and map explicit, and where a group has columns on both sides.  With
 * groups and in bilinear, the sides must be known: info->split.  Then a column of the other side is
 * FX_EINVAL with its row. */
typedef enum fx_side { FX_FIRST = 0, FX_SECOND = 1 } fx_side;
/* Numbers of a vector: 2, and for each order t >= 2 of a factorization machine rank * (t - 1); for
 * hofm-shared, hofm-simplex and poly-net of order m rank * (m - 1), for all-subsets and bilinear
 * rank, for poly-net-uv 2 * rank; a map has a component for each feature. */
FX_API fx_status fx_model_vectors_width(size_t *out, const fx_model *m, const fx_run *run);
/* out[rows][width], for the score with this number.  Columns are the model's, those of the other
 * side are 0 or, in sparse rows, absent; unseen and NaN as in fx_model_predict.  The constant of
 * the model is on the first side. */
FX_API fx_status fx_model_vectors(double *out, uint64_t *unseen, const fx_model *m, fx_side side,
                                  size_t output, const fx_matrix *X, const fx_run *run);

/* The best items for each user, by the score with this number.  A recommender keeps the vectors of
 * the items, which are rows of the second side, and the model; any number of threads may ask it.
 * Memory: 12 bytes for each number of the items' vectors; a call: 8 for each of the users'.
 * Since 0.2. */
typedef struct fx_recommender fx_recommender;
FX_API fx_status fx_model_recommender_new(fx_recommender **out, const fx_model *m, size_t output,
                                          const fx_matrix *items, const fx_run *run);
/* item[users][k], score[users][k]: the k items with the highest scores, the highest first, of equal
 * ones that with the lower number; where there are not so many, SIZE_MAX and NaN.  Items
 * seen[from[i]..from[i + 1]), ascending, are left out for user i; from NULL: none.  unseen (may be
 * NULL) counts entries of users in columns that the model does not know.  A score is an inner
 * product in doubles.  The same bits for any number of threads and any instruction set. */
FX_API fx_status fx_model_recommender_best(size_t *item, double *score, uint64_t *unseen,
                                           const fx_recommender *r, const fx_matrix *users,
                                           size_t k, const size_t *from, const size_t *seen,
                                           const fx_run *run);
FX_API void fx_model_recommender_free(fx_recommender *r);

/* Held-out metrics along a path of C, ascending, each fit starting from the one before:
 * out[k*folds + f] is for C[k], fitted without the rows of fold f and measured on them.  Set
 * out[0].size; the call sets the sizes of the others.  fold[rows]: -1: always used in training.
 * Scaling and seen columns are those of all rows.  For factorization machines C[k] multiplies beta,
 * and each fit starts from scratch.  plan.metric names the metric of out[].metric. */
FX_API fx_status fx_model_path(fx_metrics *out, const fx_plan *plan, const double *C, size_t n,
                               const fx_table *t, const int32_t *fold, int folds,
                               const fx_run *run);
/* The same of rows that are elsewhere, with the same results: asks for passes as
 * fx_model_passes_fit does.  rows: as many as the passes have; fold[rows] is in memory, and a
 * request has a bit for each row.  Since 0.2. */
FX_API fx_status fx_model_passes_path(fx_metrics *out, const fx_plan *plan, const double *C,
                                      size_t n, const int32_t *fold, size_t rows, int folds,
                                      fx_pass_ask *ask, void *ctx, const fx_run *run);

#ifdef __cplusplus
}
#endif
#endif
