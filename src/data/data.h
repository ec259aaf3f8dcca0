/* SPDX-License-Identifier: BSD-3-Clause
 * data.h - inside the library: rows of a matrix, and tables that own their memory. */
#ifndef FXI_DATA_H
#define FXI_DATA_H
#include "base/base.h"
#include "linalg/sum.h"

struct fx_data {
    fx_table table;                     /* the view that fx_data_table gives out */
    char *planted;                      /* of synthetic sets, else NULL */
    void **owned;                       /* everything below this struct, freed with it */
    size_t owns;
};
fx_data *fxi_data_new(void);            /* an empty table; NULL with the error set */
/* d takes over p (from fxi_alloc, fxi_realloc, ...) and frees it at its end, or at once if even
 * remembering it fails.  A NULL p is a failed allocation passed through.  FX_ENOMEM or 0. */
fx_status fxi_data_own(fx_data *d, void *p);
void *fxi_data_alloc(fx_data *d, size_t n, size_t size); /* fxi_alloc, owned by d; NULL: failed */

/* Loops over rows or numbers poll for cancellation once in 2^16 steps. */
static inline bool fxi_data_stopped(size_t i, fxi_team *team)
{
    return i % 65536 == 65535 && fxi_parallel_cancelled(team);
}

/* One row of a view: n stored numbers; a dense row stores all of them and has no columns. */
typedef struct fxi_row {
    size_t n;
    const float *f32;                   /* one of the two is set */
    const double *f64;
    const int32_t *col32;               /* one of the two, neither in a dense row */
    const int64_t *col64;
} fxi_row;
fxi_row fxi_data_row(const fx_matrix *X, size_t i);
static inline size_t fxi_data_stored(const fx_matrix *X)        /* numbers in all rows */
{
    return X->ptr ? (size_t)(X->ptr[X->rows] - X->ptr[0]) : X->rows * X->cols;
}
static inline double fxi_row_value(fxi_row r, size_t q) { return r.f32 ? r.f32[q] : r.f64[q]; }
static inline int64_t fxi_row_column(fxi_row r, size_t q)
{
    return r.col32 ? r.col32[q] : r.col64 ? r.col64[q] : (int64_t)q;
}

/* check.c - checks that X is as featcross.h requires: pointers, sizes, ascending columns within
 * range, finite numbers.  The detail names X as `name`, the row and the column.  One pass, no
 * memory.  For a table also labels, weights, classes, queries, names, base. */
fx_status fxi_data_check(const fx_matrix *X, const char *name, const fx_run *run);
fx_status fxi_data_check_table(const fx_table *t, const fx_run *run);
/* The same for rows in which numbers may be missing: NaN is accepted, infinity is not. */
fx_status fxi_data_check_missing(const fx_matrix *X, const char *name, const fx_run *run);
fx_status fxi_data_check_missing_table(const fx_table *t, const fx_run *run);

/* rows.c - rows of a table by number, across its blocks, and pieces of work of even size. */
typedef struct fxi_rows {
    const fx_table *t;
    size_t *start;                      /* [blocks + 1] first row of each block; free() it */
    uint64_t stored;                    /* numbers in all rows together */
    size_t piece, pieces;               /* rows per piece of about 2^16 numbers; how many */
} fxi_rows;
fx_status fxi_data_rows(fxi_rows *out, const fx_table *t);  /* sizes are checked */
/* Rows per piece, and the number of pieces, for rows with this many numbers. */
size_t fxi_data_rows_pieces(size_t *piece, uint64_t stored, size_t rows);
size_t fxi_data_rows_block(const fxi_rows *r, size_t i);    /* the block that holds row i */
fxi_row fxi_data_rows_at(const fxi_rows *r, size_t i);
/* The largest count of numbers stored in `group` rows that start at a multiple of group. */
size_t fxi_data_rows_max(const fx_matrix *X, size_t group);

/* columns.c - sums over the rows of each column, exact over blocks of rows; see there. */
typedef struct fxi_column_sums {
    size_t cols;
    const double *unit;                 /* [cols] powers of two */
    const double *mean;                 /* [2][cols] of x unit, and units: sums of deviations */
    bool missing;                       /* the weight of missing numbers is asked for */
} fxi_column_sums;
static inline size_t fxi_data_columns_numbers(size_t cols) { return 2 * cols + 1; }
double fxi_data_columns_unit(double largest);   /* 2^-e for 2^(e-1) <= largest < 2^e */
/* Adds the rows of t, of which the first has a number that is a multiple of FX_PASS_BLOCK. */
fx_status fxi_data_columns_add(fxi_sum *exact, const fxi_column_sums *a, const fx_table *t,
                               const fx_run *run);
/* Who gives the sums of all rows, rounded; columns_table: those of a table, ctx. */
typedef fx_status fxi_columns_ask(void *ctx, double *sum, const fxi_column_sums *a,
                                  const fx_run *run);
fx_status fxi_data_columns_table(void *ctx, double *sum, const fxi_column_sums *a,
                                 const fx_run *run);
/* mean[cols] of the numbers that are not missing; 0 if there are none. */
fx_status fxi_data_columns_means(double *mean, const double *largest, size_t cols,
                                 fxi_columns_ask *ask, void *ctx, const fx_run *run);

/* scale.c - std by the sums of all rows; low, high: [cols] of the numbers that rows store, low >
 * high: none. */
fx_status fxi_data_scale_std(fx_scale **out, const double *low, const double *high, size_t cols,
                             fxi_columns_ask *ask, void *ctx, const fx_run *run);
/* scale.c - scales the numbers x of row i in place; `r` is the row with its original numbers.
 * none: true if scaling changes nothing. */
fx_status fxi_data_scale_row(double *x, const fx_scale *s, fxi_row r, size_t i);
bool fxi_data_scale_none(const fx_scale *s);

/* missing.c - missing numbers: learns from a table what to fill them with, and fills rows. */
typedef enum fxi_missing_how {
    FXI_MISSING_ERROR, FXI_MISSING_DROP, FXI_MISSING_ZERO, FXI_MISSING_MEAN, FXI_MISSING_MEDIAN
} fxi_missing_how;
typedef struct fxi_missing {
    const char *spec;                   /* static; "": error */
    fxi_missing_how how;
    bool marked;                        /* with indicators */
    size_t inputs;                      /* columns of rows as they are given */
    const double *fill;                 /* [inputs]; NULL: 0 */
    const int64_t *indicator;           /* [indicators] ascending: the columns that have one */
    size_t indicators;
} fxi_missing;
typedef struct fxi_missing_found {      /* in a table, in rows of positive weight */
    double *fill;                       /* [cols] of mean and median, else NULL */
    int64_t *column;                    /* [columns] ascending: those with missing values */
    size_t columns;
    uint64_t values;                    /* missing ones */
} fxi_missing_found;
/* spec, how and marked of a spec; NULL is "error". */
fx_status fxi_data_missing_read(fxi_missing *out, const char *spec);
fx_status fxi_data_missing_fit(fxi_missing_found *out, const fxi_missing *m, const fx_table *t,
                               const fx_run *run);
void fxi_data_missing_free(fxi_missing_found *f);
bool fxi_data_missing_in(const fxi_missing *m, fxi_row r);      /* true if an input is missing */
/* Numbers of the rows that miss nothing; free() them. */
fx_status fxi_data_missing_rows(size_t **out, size_t *n, const fxi_missing *m, const fx_table *t,
                                const fx_run *run);
/* Rows without missing values, wider by the indicators; dense ones are m->inputs wide.  In scratch
 * where something changes; inputs of rows that drop leaves out are 0.  Adds to *beyond the count of
 * numbers left out because their columns are beyond the inputs. */
fx_status fxi_data_missing_fill(fx_matrix *view, uint64_t *beyond, const fxi_missing *m,
                                const fx_matrix *X, fxi_scratch *scratch, const fx_run *run,
                                fxi_team *team);

/* fill.c - t filled by m: one block, or (drop) with rows left out.  Labels and the like stay the
 * caller's or, if rows are left out, belong to *own, like the rows.  Names do not change. */
fx_status fxi_data_fill_table(fx_table *out, fx_data **own, const fxi_missing *m, const fx_table *t,
                              const fx_run *run);
/* [inputs + indicators] names, those of the indicators NAME=missing, in memory of d. */
fx_status fxi_data_fill_names(const char *const **out, fx_data *d, const fxi_missing *m,
                              const char *const *name, const fx_run *run);

/* select.c - fx_data_select with the type of the numbers: as in t, or double in any case. */
fx_status fxi_data_select(fx_data **out, const fx_table *t, const size_t *rows, size_t n,
                          bool as_double, const fx_run *run);

/* Rows row[0..n) of a matrix, or its first n where row is NULL. */
typedef struct fxi_row_subset {
    const fx_matrix *X;
    const int32_t *row;
    size_t n;
} fxi_row_subset;
static inline size_t fxi_row_subset_at(fxi_row_subset s, size_t i)
{
    return s.row ? (size_t)s.row[i] : i;
}

/* sort.c - items in ascending order, equal ones left in their order.  scratch: n / 2 items.  If it
 * is stopped (FX_ECANCELLED) their order is undefined. */
typedef struct fxi_data_item {          /* a key, and what goes with it */
    union {
        int64_t col;
        const char *name;
    } key;
    union {
        double x;
        size_t number;
    } with;
} fxi_data_item;
typedef int fxi_data_compare(const fxi_data_item *a, const fxi_data_item *b);
fx_status fxi_data_sort(fxi_data_item *item, fxi_data_item *scratch, size_t n,
                        fxi_data_compare *compare, fxi_team *team);
int fxi_data_sort_ascending(const fxi_data_item *a, const fxi_data_item *b);    /* by key.col */
int64_t fxi_data_sort_number(double x); /* ascending as x does; -0 is 0 */
double fxi_data_sort_value(int64_t number);     /* the other way */
/* The first of ascending a[n] that is not below x; n: all are. */
size_t fxi_data_sort_place(const int64_t *a, size_t n, int64_t x);
int fxi_data_sort_integers(const void *a, const void *b);       /* for qsort: of int64_t */

/* classes.c - distinct texts (labels, names of columns), numbered as they come. */
typedef struct fxi_data_classes {       /* zeros at first */
    size_t n, capacity;
    size_t *at;                         /* [n]: where each name begins in text */
    char *text;                         /* names, each with its NUL */
    size_t text_len, text_capacity;
    size_t *slot;                       /* hash table of numbers + 1; 0 is free */
    size_t slots;                       /* a power of two */
} fxi_data_classes;
fx_status fxi_data_classes_add(size_t *number, fxi_data_classes *c, const char *s, size_t len,
                               fxi_team *team);
/* True if the name is known; sets its number. */
bool fxi_data_classes_find(size_t *number, const fxi_data_classes *c, const char *s, size_t len);
/* Names to d->table, sorted bytewise; rank[number] is the place of each; empties c. */
fx_status fxi_data_classes_take(fx_data *d, double *rank, fxi_data_classes *c, fxi_team *team);
void fxi_data_classes_free(fxi_data_classes *c);

/* text.c - lines of a text, and the parts of them that messages quote. */
enum { FXI_EXCERPT = 40 };              /* bytes of input quoted in a message, and its end */
const char *fxi_data_text_excerpt(char buf[FXI_EXCERPT], const char *s, size_t len); /* buf */
/* The line at *p is [*line, *stop), its end left out; *p moves past it.  False: none is left. */
bool fxi_data_text_line(const char **line, const char **stop, const char **p, const char *end);
static inline bool fxi_data_text_space(char b) { return b == ' ' || b == '\t'; }
/* How many lines there are, the last one perhaps without its end, and how often the byte `mark`. */
void fxi_data_text_count(size_t *lines, size_t *marks, const char *p, const char *end, char mark);
size_t fxi_data_text_lines(const char *text);   /* at most, of a text that ends with a 0 byte */
/* Reason for a byte that no text holds (NUL, lone carriage return) in s, else NULL; *at: where. */
const char *fxi_data_text_odd(const char **at, const char *s, size_t len);

/* pairs.c - a set of pairs, each a number below 2^62, perhaps marked; pairs in random order. */
typedef struct fxi_data_pairs {         /* zeros at first; free() slot */
    uint64_t *slot;                     /* hash table of 2 * (pair + 1) + mark; 0 is free */
    size_t slots, entered;              /* a power of two; how many pairs are in it */
} fxi_data_pairs;
/* Reserves memory for `more` pairs; at most half of the table is in use. */
fx_status fxi_data_pairs_reserve(fxi_data_pairs *p, size_t more, const fx_run *run, fxi_team *team);
/* The slot of the pair, or the free slot where it would be entered. */
uint64_t *fxi_data_pairs_find(const fxi_data_pairs *p, uint64_t pair);
bool fxi_data_pairs_enter(fxi_data_pairs *p, uint64_t pair, bool mark); /* false: it was there */
fx_status fxi_data_pairs_shuffle(uint64_t *pair, size_t n, fxi_rng r, fxi_team *team); /* n > 0 */

/* Streams of random numbers: no two uses share one.  make.c gives every row its own stream. */
enum {
    FXI_DATA_SHUFFLE = 1000,
    FXI_DATA_FOLDS,
    FXI_DATA_MAKE,
    FXI_DATA_MAKE_PAIR,
    FXI_DATA_MOVIELENS,
    FXI_DATA_MOVIELENS_PAIR,
    FXI_DATA_LINKS,
    FXI_DATA_LINKS_TRAIN,
    FXI_DATA_LINKS_HELD,
    FXI_DATA_SAMPLE
};
#endif
