/* SPDX-License-Identifier: BSD-3-Clause
 * read.h - between the files of this room; other rooms use featcross.h only.  Each file calls those
 * to its right and below it, never back:
 *
 *   reader.c       the public functions; reader_feed.c, from bytes to rows; reader_spec.c
 *     svmlight.c   a chunk of sparse rows           csv.c    a chunk of rows of fields, csv_*.c
 *     words.c      a chunk of lines of words        names.c  columns by name, for csv.c and words.c
 *     reader_arrow.c, arrow.c   Arrow batches and streams as rows of csv    arrow_*.c
 *     npy.c        one dense array                  npz.c    several arrays, one sparse matrix
 *       npy_array.c     an array from a stream
 *       read.c          a chunk's labels and messages, sparse rows, blocks
 *         sources.c            names and lines of several files
 *         values.c, order.c    numbers, a row in order */
#ifndef FXI_READ_H
#define FXI_READ_H
#include "data/data.h"

#include <float.h>

/* A number that rows may hold: finite, and so is its square.  1.797e308, a common mark for
 * "missing", is not: no kernel can be computed with it. */
static inline bool fxi_read_usable(double x) { return x * x <= DBL_MAX; }

/* values.c - an array of numbers that is float until its first number that is not a float. */
typedef struct fxi_read_values {
    float *f32;                         /* one of the two is set */
    double *f64;
    size_t capacity;
} fxi_read_values;
fx_status fxi_read_values_new(fxi_read_values *v, size_t capacity);
fx_status fxi_read_values_widen(fxi_read_values *v, size_t n);  /* keeps the first n */
void *fxi_read_values_take(fxi_read_values *v, fx_type *type, size_t n); /* v is empty then */
/* n doubles become floats, if each of them is one. */
fx_status fxi_read_values_narrow(fxi_read_values *v, size_t n);
void fxi_read_values_free(fxi_read_values *v);
void *fxi_read_values_shrink(void *p, size_t n, size_t capacity, size_t size);  /* never fails */

static inline double fxi_read_values_get(const fxi_read_values *v, size_t i)
{
    return v->f32 ? (double)v->f32[i] : v->f64[i];
}
/* i is the next number or one before it; those after it may be lost. */
static inline fx_status fxi_read_values_set(fxi_read_values *v, size_t i, double x)
{
    if (v->f32) {
        float f = (float)x;
        if ((double)f == x || x != x) {
            v->f32[i] = f;
            return FX_OK;
        }
        fx_status s = fxi_read_values_widen(v, i);
        if (s)
            return s;
    }
    v->f64[i] = x;
    return FX_OK;
}

/* order.c - the entries of one row put in ascending order of their columns, equal columns left in
 * the order of the file. */
typedef struct fxi_read_order {         /* scratch, zeros at first */
    fxi_data_item *item;
    size_t capacity;                    /* items, and half as many again */
} fxi_read_order;
fx_status fxi_read_order_row(fxi_read_order *o, void *col, int wide, void *val, fx_type type,
                             size_t n, fxi_team *team);
void fxi_read_order_free(fxi_read_order *o);

/* text.c - bytes one after the other; zeros at first. */
typedef struct fxi_read_text {
    char *at;
    size_t len, capacity;
} fxi_read_text;
char *fxi_read_text_room(fxi_read_text *t, size_t more); /* at its end; NULL: no memory */

/* ids.c - texts that identify rows. */
typedef struct fxi_read_ids {           /* zeros at first */
    fxi_read_text text;                 /* each ends with a zero byte */
    size_t n;
} fxi_read_ids;
char *fxi_read_ids_room(fxi_read_ids *d, size_t len); /* for one and its end; NULL: no memory */
void fxi_read_ids_add(fxi_read_ids *d, size_t len);     /* the text of that length that is there */
fx_status fxi_read_ids_join(fxi_read_ids *to, const fxi_read_ids *from);
/* [n] in memory of d; NULL: no memory.  ids are empty then. */
const char *const *fxi_read_ids_take(fx_data *d, fxi_read_ids *ids);

/* ---- The reader --------------------------------------------------------------------------- */
typedef struct fxi_read_chunk fxi_read_chunk;
typedef struct fxi_read_format {        /* text has parse, arrays have feed */
    fx_description about;               /* but for the number of keys */
    fx_status (*open)(fx_reader *r, const fxi_spec *s);
    /* Text: bytes that `begin` has to see at once, unless the input has fewer; or NULL: any. */
    size_t (*look)(const fx_reader *r);
    /* Text: reads what comes before the first row, if there is something (or NULL). */
    fx_status (*begin)(fx_reader *r, const char **p, const char *end);
    /* Text: another file begins, of which r->file has the name; and: skips what precedes its rows,
     * r->opening false when it is done (or NULL: nothing does). */
    fx_status (*file)(fx_reader *r);
    fx_status (*skip)(fx_reader *r, const char **p, const char *end);
    fx_status (*parse)(const fx_reader *r, fxi_read_chunk *c);  /* appends rows to the chunk */
    fx_status (*feed)(fx_reader *r, const char *bytes, size_t len, const fx_run *run);
    fx_status (*member)(fx_reader *r, const char *member);      /* or NULL */
    /* Completes blocks and r->data; or NULL. */
    fx_status (*take)(fx_reader *r, bool end, const fx_run *run);
    void (*close)(fx_reader *r);                /* frees what r->state holds; or NULL */
} fxi_read_format;
extern const fxi_read_format fxi_read_svmlight, fxi_read_csv, fxi_read_words, fxi_read_npy,
    fxi_read_npz;

/* names.c - columns by name: numbered as names come, or given beforehand, or hashed. */
typedef struct fxi_read_names {         /* of a reader; zeros at first */
    bool used;                          /* rows come as names and values; below: how */
    bool binary;                        /* values are 1, also where a name is repeated */
    bool given;                         /* by fx_data_reader_names: others are unseen .. */
    bool more;                          /* .. or come after them */
    unsigned bits;                      /* columns are hashes of this many bits; 0: they are not */
    fxi_data_classes all;               /* column numbers; with bits: names found, or given */
    size_t fixed;                       /* the first of them, known before the rows */
    uint32_t *first;                    /* bits: [2^bits] a column's first name + 1, 0: none */
    unsigned char *shared;              /* bits: [2^bits] has a column another name, too? */
} fxi_read_names;
enum { FXI_HASH_BITS = 24 };            /* at most */
#define FXI_HASH_KEY                                                                               \
    "hash-bits", "0", FXI_COUNT(0, FXI_HASH_BITS), "columns are hashes of so many bits; 0: names"

/* sources.c - several files as one input.  Lines are counted over all of them. */
typedef struct fxi_read_file {
    char *name;
    uint64_t before, skipped;           /* lines of the files before; first lines, not counted */
} fxi_read_file;
enum { FXI_READ_PLACE = 224 };
char *fxi_read_sources_short(const char *name);    /* a copy for messages */
fx_status fxi_read_sources_add(fx_reader *r, const char *name);
const char *fxi_read_sources_name(uint64_t *of_file, const fx_reader *r, uint64_t line);
/* "line 3", or "line 3 of a.svm" if the other line is of another file. */
const char *fxi_read_sources_line(char buf[FXI_READ_PLACE], const fx_reader *r, uint64_t line,
                                uint64_t other);
void fxi_read_sources_free(fx_reader *r);

typedef enum fxi_label { FXI_LABEL_NONE, FXI_LABEL_NUMBER, FXI_LABEL_TEXT } fxi_label;

struct fx_reader {
    const fxi_read_format *format;
    void *state;                        /* of the format */
    char *name;                         /* of the input, for messages */
    fx_read_counts count;
    bool failed;
    bool keep_nan;                      /* arrays: nan=keep */
    bool batches;                       /* csv: rows come as Arrow batches, not as text */
    bool open_line;                     /* text: the last bytes had no line end */
    bool begun;                         /* text: bytes of this file have come */
    bool opening;                       /* text: .. but not yet all that `skip` has to see */
    fxi_read_file *file;                /* [files] those after the first */
    size_t files;
    fxi_read_text held;                 /* text: lines that wait until `look` is satisfied */
    char mark;                          /* text: entries of a chunk are bounded by its number */
    int base;                           /* 0 or 1; -1: not known yet */
    int64_t widest;                     /* svmlight: largest index so far, -1 if none */
    bool zero;                          /* svmlight: was one of them 0? */
    size_t cols;                        /* width of the next table */
    fxi_label kind;                     /* of all labels; below: the first one, for messages */
    uint64_t first_line;
    char first_label[FXI_EXCERPT];
    /* Rows since the last take. */
    fx_data *data;                      /* owns the arrays of the blocks */
    fx_matrix *block;
    size_t blocks, block_capacity;
    double *label;                      /* [rows], or NULL: none */
    int64_t *qid;                       /* [rows], or NULL: none */
    double *weight;                     /* [rows], or NULL: none */
    bool unlabelled;                    /* a row has no label: tables have none from then on */
    size_t rows, row_capacity;
    fxi_data_classes classes;           /* label[i] are its numbers if kind is text */
    fxi_read_names names;
    fxi_read_ids ids;
    char *spec;                         /* complete, with what is resolved */
};
fx_status fxi_read_check(const fx_reader *r);           /* is it there, has it not failed? */
fx_status fxi_read_note(fx_reader *r, fx_status s);     /* s; if it is an error, r has failed */
fx_status fxi_read_data(fx_reader *r);                  /* r->data is there */
/* Takes over the arrays of m, also when it fails.  Formats that have labels add them. */
fx_status fxi_read_block(fx_reader *r, fx_matrix m);
fx_status fxi_read_reserve(fx_reader *r, size_t n);     /* memory for n more labels, weights */
fx_status fxi_read_state(fx_reader *r, size_t size);    /* r->state, zeroed */
/* reader_feed.c - lines that were held back are parsed now: no more will come. */
fx_status fxi_read_reader_feed_held(fx_reader *r, const fx_run *run);
/* Parses chunks, which have .lines and .marks, and joins them; frees them also when it fails. */
fx_status fxi_read_reader_feed_chunks(fx_reader *r, fxi_read_chunk *chunk, size_t n,
                                      const fx_run *run);
/* arrow_rows.c - appends the rows of a chunk of a batch. */
fx_status fxi_read_arrow_rows(const fx_reader *r, fxi_read_chunk *c);
/* reader_spec.c - key=value in r->spec from now on; unchanged if no spec can hold this value. */
fx_status fxi_read_reader_spec_resolve(fx_reader *r, const char *key, const char *value);

/* ---- Text ---------------------------------------------------------------------------------
 * Chunks are parsed independently; reader_feed.c joins them. */
struct fxi_read_chunk {
    const char *text, *end;             /* whole lines; or: */
    const struct fxi_read_arrow_batch *batch;        /* an Arrow batch, of which these are .. */
    size_t first;                       /* .. rows from this one on, one a line */
    size_t lines, marks;                /* counted before: bounds for the arrays */
    fxi_team *team;                     /* that parses it */
    /* What the lines hold. */
    size_t rows;
    fx_matrix matrix;                   /* set at the end of a chunk without an error */
    double *label;                      /* [lines], or NULL */
    int64_t *qid;                       /* [lines], or NULL: none so far; -1: none in this row */
    double *weight;                     /* [lines], or NULL: none */
    bool unlabelled;                    /* a row has no label */
    fxi_data_classes classes;
    fxi_data_classes names;             /* of columns, as they come in this chunk */
    fxi_read_ids ids;
    int32_t *column;                    /* [names.n] their columns, found by the join */
    fx_read_counts count;               /* count.lines: also the line being read */
    int64_t widest;                     /* largest index, -1 if none */
    bool zero;                          /* was one of them 0? */
    fxi_label kind;                     /* of the labels; below: the first of them */
    uint64_t first_line;
    size_t first_column, first_row;
    char first_label[FXI_EXCERPT];
    bool first_alone;                   /* commas in the first row's label, nothing after it */
    /* The error that ended it. */
    uint64_t error_line;                /* 0: none */
    size_t error_column;
    bool mixed;                         /* a number among text or the reverse; reported by the
                                         * join */
    bool words;                         /* only words so far: a header, if the input begins here */
    char reason[256];
};
/* The label s of row c->rows, which is at `at` in its line. */
fx_status fxi_read_label(fxi_read_chunk *c, const char *line, const char *at, const char *s,
                         size_t len);
/* Ends the chunk with FX_EFORMAT: the byte `at` of `line` is wrong. */
fx_status fxi_read_fail(fxi_read_chunk *c, const char *line, const char *at, const char *format,
                        ...) __attribute__((format(printf, 4, 5)));
fx_status fxi_read_error(const fx_reader *r, uint64_t line, size_t column, const char *reason);

/* Rows of a chunk as they are read. */
typedef struct fxi_read_sparse {
    int64_t *ptr;                       /* [lines + 1] */
    int32_t *col;                       /* [entries] */
    fxi_read_values val;
    size_t n, lines, entries;
    fxi_read_order order;
} fxi_read_sparse;
fx_status fxi_read_sparse_open(fxi_read_sparse *s, size_t lines, size_t entries);
static inline fx_status fxi_read_sparse_add(fxi_read_sparse *s, int64_t col, double x)
{
    s->col[s->n] = (int32_t)col;
    return fxi_read_values_set(&s->val, s->n++, x);
}
/* Entries from..end become those from `to` on: ascending, equal columns one entry, their sum (added
 * in the order of the file) or (binary) the first of them. */
#define FXI_NO_COLUMN INT32_MIN
typedef struct fxi_read_merged {
    size_t end;                         /* of the entries from `to` on */
    int32_t twice, overflow;            /* the first column that was there twice; whose sum is */
} fxi_read_merged;                      /* out of range; or FXI_NO_COLUMN */
fx_status fxi_read_sparse_merge(fxi_read_merged *out, fxi_read_sparse *x, size_t from, size_t end,
                                size_t to, bool binary, fxi_team *team);
void fxi_read_sparse_close(fxi_read_sparse *s, fxi_read_chunk *c, bool good);   /* c->matrix */

/* names.c, continued.  True if columns are known when a row is read, so that the row is sorted at
 * its end. */
static inline bool fxi_read_names_known(const fxi_read_names *n)
{
    return (n->given && !n->more) || n->bits;
}
/* The entry of a name; one that is not among those given, if they are all, is counted and left
 * out. */
fx_status fxi_read_names_value(fxi_read_sparse *s, const fx_reader *r, fxi_read_chunk *c,
                               const char *name, size_t len, double x);
/* The row of this line ends here. */
fx_status fxi_read_names_row(fxi_read_sparse *s, const fx_reader *r, fxi_read_chunk *c,
                             const char *line);
/* Sets the names that come first; *twice: index of a name that is given twice (FX_EINVAL). */
fx_status fxi_read_names_fix(fx_reader *r, const char *const *name, size_t n, size_t *twice);
fx_status fxi_read_names_distinct(const char *const *name, size_t n, size_t *twice); /* likewise */
size_t fxi_read_names_hash(const char *name, size_t len, unsigned bits);
fx_status fxi_read_names_number(fx_reader *r, fxi_read_chunk *c, fxi_team *team); /* in order */
fx_status fxi_read_names_sort(const fx_reader *r, fxi_read_chunk *c, fxi_team *team);
fx_status fxi_read_names_take(fx_reader *r, const fx_run *run);         /* to the table, r->cols */
void fxi_read_names_free(fxi_read_names *n);

/* svmlight_error.c - ends the chunk: [p, q) is not index:value, or not the value of token. */
fx_status fxi_read_svmlight_error_pair(fxi_read_chunk *c, const char *line, const char *stop,
                                       const char *p, const char *q);
fx_status fxi_read_svmlight_error_value(fxi_read_chunk *c, const char *line, const char *token,
                                        const char *p, const char *q);
/* Where the second entry with this index is in a row that was read, those of nan=drop left out. */
const char *fxi_read_svmlight_error_second(const char *line, const char *stop, bool fields,
                                           int64_t index);

/* ---- npy arrays --------------------------------------------------------------------------- */
typedef struct fxi_read_array {         /* one array from a stream; zeros at first */
    const char *member;                 /* inside an npz, else NULL */
    bool ready;                         /* the header is read; what follows is set */
    char kind;                          /* f i u b: numbers; S U: text */
    size_t item;                        /* bytes of one number */
    size_t dims, shape[2];
    size_t need, got;                   /* bytes of all numbers, and of those that have come */
    size_t offset;                      /* of the first one in the file */
    unsigned char *raw;                 /* the header, then numbers, as they come */
    size_t fill, capacity;
} fxi_read_array;
/* Moves bytes into a, until its header is read. */
#define FXI_ARRAY_KEY                                                                              \
    "nan", "error", FXI_CHOICE("error|keep"),                                                      \
        "numbers that are NaN; keep: for a model that fills them"
fx_status fxi_read_npy_array_keys(fx_reader *r, const fxi_spec *s, const fx_key *keys);
fx_status fxi_read_npy_array_header(const fx_reader *r, fxi_read_array *a, const char **bytes,
                                    size_t *len);
/* Moves bytes into a, until a->raw holds `limit` bytes or all numbers have come. */
fx_status fxi_read_npy_array_fill(fxi_read_array *a, size_t limit, const char **bytes, size_t *len);
fx_status fxi_read_npy_array_end(const fx_reader *r, const fxi_read_array *a);  /* complete? */
/* The n numbers of a->raw, as float if each of them is one, else as double.  a->raw is taken over,
 * also on failure.  The i-th is number first + i of the array, whose rows have `cols` of them
 * (0: none).  A number that cannot be used is rejected with its place. */
fx_status fxi_read_npy_array_numbers(void **val, fx_type *type, const fx_reader *r,
                                     fxi_read_array *a, size_t n, size_t first, size_t cols,
                                     fxi_team *team);
int64_t fxi_read_npy_array_integer(const fxi_read_array *a, size_t i); /* kind i or u; saturates */
fx_status fxi_read_npy_array_error(const fx_reader *r, const fxi_read_array *a, fx_status s,
                                   size_t byte, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void fxi_read_npy_array_free(fxi_read_array *a);
#endif
