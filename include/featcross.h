/* SPDX-License-Identifier: BSD-3-Clause
 *
 * featcross.h - learning with feature combinations: the whole public interface.
 *
 *   bytes --reader--> rows --kernel--> Gram matrix, values, gradients
 *                          --map--> random features, scores
 *
 * Kernels, file formats, scalings and synthetic sets are named by spec strings, one grammar
 * for C, shell, Python and files:
 *
 *   name    name:key=value,key=value    outer:key=value(inner:key=value)
 *
 * A struct that the caller fills is plain; an object that the library owns is opaque.  Objects
 * other than a reader never change after creation and may be used by several threads at once.
 * Every X_free takes NULL.  Pointers inside a view live as long as the object it came from.
 * The library never prints, never exits, opens no file and keeps no global state.
 * What is computed is written down in doc/math.md. */
#ifndef FEATCROSS_H
#define FEATCROSS_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define FX_API        __attribute__((visibility("default")))
#define FX_VERSION    100               /* 10000 * major + 100 * minor + patch */
#define FX_ABI        0                 /* changes when a program must be compiled again */
#define FX_ORDER_MAX  16                /* highest order of an ANOVA kernel */
#define FX_INDEX_MAX  INT32_MAX         /* largest feature index that a text file may hold */

FX_API int fx_version(void);            /* FX_VERSION of the library that is loaded */
FX_API int fx_abi(void);                /* FX_ABI of the library that is loaded */
FX_API const char *fx_simd_target(void); /* "scalar", "avx2", "avx512" or "neon"; see FX_TARGET */

/* ---- Status -------------------------------------------------------------------------------
 * 0 done; negative failed, outputs untouched; positive done with a remark. */
typedef enum fx_status {
    FX_OK = 0,
    FX_NOT_CONVERGED = 1,               /* the result is usable, the stopping rule was not met */
    FX_ENOMEM = -1,                     /* an allocation failed */
    FX_EINVAL = -2,                     /* an argument or a spec string is wrong */
    FX_ESHAPE = -3,                     /* sizes do not fit together */
    FX_EFORMAT = -4,                    /* input bytes are not what they should be */
    FX_EDOMAIN = -5,                    /* a kernel is not defined for these rows */
    FX_ENUMERIC = -6,                   /* a result is not finite */
    FX_EUNSUPPORTED = -7,               /* sensible, but not offered; the detail says what is */
    FX_ECANCELLED = -8,                 /* the progress callback asked to stop */
    FX_ELIMIT = -9,                     /* fx_run.max_memory would be exceeded */
    FX_EOUTPUT = -10                    /* a sink refused bytes */
} fx_status;
FX_API const char *fx_status_name(fx_status s); /* "FX_ESHAPE"; never NULL */
FX_API const char *fx_error_detail(void);       /* last failure in this thread, one line */

/* ---- How a long call runs -----------------------------------------------------------------
 * NULL, or a struct of zeros, is the default.  Results do not depend on `threads`.
 * `progress` is called in the calling thread at least every 100 ms with the share of the work
 * that is done, 0 to 1; a nonzero return stops the call with FX_ECANCELLED within 100 ms. */
typedef struct fx_run {
    int threads;                        /* 0: one for each processor this process may use */
    uint64_t max_memory;                /* bytes one call may allocate; 0: no limit */
    int (*progress)(void *ctx, double done);
    void *ctx;
} fx_run;

/* ---- Rows ---------------------------------------------------------------------------------
 * A view of rows x cols numbers: CSR when ptr is set, else dense with rows `stride` apart.
 * Borrowed for the call, never kept nor freed. */
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

/* Rows with labels and names.  Blocks stand one below the other, all `cols` wide; each has a
 * type of its own, so that a file of small integers stays in floats. */
typedef struct fx_table {
    size_t rows, cols, blocks;
    const fx_matrix *block;             /* [blocks] */
    const double *label;                /* [rows]: numbers, or positions in class_name; or NULL */
    size_t classes;                     /* text labels only, else 0 */
    const char *const *class_name;      /* [classes], sorted bytewise; or NULL */
    const int64_t *qid;                 /* [rows] query numbers, -1: none in this row; or NULL */
    const char *const *name;            /* [cols] feature names; or NULL */
    int base;                           /* 0 or 1: what the source calls the first column */
} fx_table;

typedef struct fx_data fx_data;         /* a table that owns its memory */
FX_API fx_table fx_data_table(const fx_data *d);
FX_API void fx_data_free(fx_data *d);

/* ---- Reading ------------------------------------------------------------------------------
 * Format specs, defaults first:
 *   svmlight:base=auto|0|1,sort=no|yes,duplicates=error|sum,nan=error|drop,fields=error|ignore
 *   csv:separator=comma|tab|semicolon,label=last|first|none|NAME,header=auto|yes|no,nan=error|drop
 *   npy    npz
 * svmlight: base=auto is 0 if an index 0 occurs, else 1.  Equal indices are added in the order of
 * the file.  Entries that nan=drop leaves out still count for the base and the width.
 * CSV: the first line is a header if a field outside the label is not a number (header=auto) or if
 * label= is the NAME of a column.  With header=auto a first line of the numbers 0, 1, 2, ... or
 * 1, 2, 3, ... and a label that is text is refused, since it may be either.
 * npz has the members of SciPy's save_npz, or one dense array x or arr_0, and perhaps labels y or
 * labels; it is fed member by member.  Numbers must be finite, and so must their squares.
 * A fault is reported as `name:line:column: reason` (npy: name:byte, npz: name:member:byte). */
typedef struct fx_reader fx_reader;
typedef struct fx_reading {             /* what has been read so far */
    uint64_t bytes, lines, rows, entries;
    uint64_t blank;                     /* lines without a row: empty or comment only */
    uint64_t dropped;                   /* values left out by nan=drop */
    uint64_t summed;                    /* entries merged by duplicates=sum */
    uint64_t sorted;                    /* rows put in order by sort=yes */
    uint64_t widest_line;               /* line of the largest index, 0 if none */
} fx_reading;
FX_API fx_status fx_data_reader_new(fx_reader **out, const char *spec, const char *name);
/* Feed the input in order.  Text must be cut after a line end (the last line need not have
 * one); npy may be cut anywhere.  After a failure the reader can only be freed. */
FX_API fx_status fx_data_reader_feed(fx_reader *r, const void *bytes, size_t len,
                                     const fx_run *run);
/* npz: the bytes that follow belong to this member, "indices.npy". */
FX_API fx_status fx_data_reader_member(fx_reader *r, const char *member);
/* Rows fed since the last take, as wide as all rows so far.  `end`: the input is complete, so its
 * end is checked and a reader that saw no row at all fails.  The first take settles base=auto. */
FX_API fx_status fx_data_reader_take(fx_data **out, fx_reader *r, int end,
                                     const fx_run *run);
FX_API fx_reading fx_data_reader_count(const fx_reader *r);
FX_API void fx_data_reader_free(fx_reader *r);
/* All of it at once, from memory; not for npz, whose members only a reader can be told. */
FX_API fx_status fx_data_parse(fx_data **out, const char *spec, const char *name,
                               const void *bytes, size_t len, const fx_run *run);

/* ---- Writing ------------------------------------------------------------------------------
 * Format specs: svmlight:base=1|0, csv:header=yes|no, tsv:header=yes|no, npy (dense), npz (SciPy
 * CSR), precomputed (libsvm's kernel text: `label 0:row 1:K 2:K ...`, rows from 1).
 * A name that the format's reader would not give back is refused with FX_EUNSUPPORTED.
 * A nonzero return of either sink function stops the call with FX_EOUTPUT. */
typedef struct fx_sink {
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
 * rows == NULL: all of t, n ignored. */
FX_API fx_status fx_data_select(fx_data **out, const fx_table *t, const size_t *rows, size_t n,
                                const fx_run *run);
FX_API void fx_data_shuffle(size_t *order, size_t n, uint64_t seed); /* a permutation of 0..n-1 */
/* fold[i] in 0..folds-1, sizes equal within one; with labels (numbers or class positions) also
 * within each label value. */
FX_API fx_status fx_data_folds(int32_t *fold, size_t n, int folds, const double *label,
                               uint64_t seed);

/* ---- Scaling ------------------------------------------------------------------------------
 * Specs: none, maxabs (columns to [-1, 1]), std (columns divided by their standard deviation,
 * not centred: zeros stay zeros), unit-l1, unit-l2 (rows to norm 1).  Columns without spread (std)
 * or of zeros (maxabs) and rows of zeros are left alone.  Scaled rows are one block of doubles. */
typedef struct fx_scale fx_scale;
FX_API fx_status fx_data_scale_fit(fx_scale **out, const char *spec, const fx_table *t,
                                   const fx_run *run);
FX_API fx_status fx_data_scale_restore(fx_scale **out, const char *spec, const double *factor,
                                       size_t cols);
FX_API const char *fx_data_scale_spec(const fx_scale *s);
/* [*cols] what each column is multiplied by; NULL for row scalings */
FX_API const double *fx_data_scale_factors(const fx_scale *s, size_t *cols);
FX_API fx_status fx_data_scale_apply(fx_data **out, const fx_scale *s, const fx_table *t,
                                     const fx_run *run);
FX_API void fx_data_scale_free(fx_scale *s);

/* ---- Synthetic sets -----------------------------------------------------------------------
 * Specs, defaults first:
 *   pairs:n=2000,d=100,nz=20,k=10,noise=0.05    sparse rows, k planted pairs decide the label
 *   triples:...                                 the same with k planted triples
 *   parity:n=2000,d=20,k=3,noise=0              dense +-1 rows, label = product of k features
 *   fields:n=2000,fields=4,levels=25,noise=0.05 one-hot fields, label from pairs of levels
 *   dense-positive:n=2000,d=64                  |N(1, 0.5)|, unit rows, label from a pair
 * Labels are +1 and -1; row i is the same for any n. */
FX_API fx_status fx_data_make(fx_data **out, const char *spec, uint64_t seed, const fx_run *run);
/* One planted set a line: its columns from 1; "field1 field2" for fields; "" if there are none. */
FX_API const char *fx_data_planted(const fx_data *d);

/* ---- Kernels ------------------------------------------------------------------------------
 * family: text of an itemset or group file, NULL for kernels without one; its indices count from
 * `base`.  fx_kernel_file says which file a spec names. */
typedef struct fx_kernel fx_kernel;
FX_API fx_status fx_kernel_parse(fx_kernel **out, const char *spec, const char *family, int base);
FX_API const char *fx_kernel_file(const char *spec, size_t *len); /* inside spec; NULL: none */
FX_API const char *fx_kernel_spec(const fx_kernel *k);            /* complete: defaults spelt out */
FX_API const char *fx_kernel_help(size_t i);    /* line i of the table of kernels; NULL: no more */
FX_API void fx_kernel_free(fx_kernel *k);

/* K[i*ldk + j] = K(X_i, Z_j).  Z == NULL: Z is X, each pair evaluated once.
 * Here and in fx_kernel_values, results that are not finite (FX_EDOMAIN, FX_ENUMERIC, with the pair
 * in the detail) and FX_ECANCELLED are met on the way: K is then partly written.  All other
 * failures leave it untouched. */
FX_API fx_status fx_kernel_gram(double *K, size_t ldk, const fx_kernel *k, const fx_matrix *X,
                                const fx_matrix *Z, const fx_run *run);

/* Values and gradients for many rows and vectors: for row i and vector s, p_s = P[0..cols)[s],
 *   V[i*vectors + s] = K(p_s, X_i),    G[(first_i + q)*vectors + s] = dK/dp_s[j]
 * where j is the column of the q-th stored number of row i (all columns of a dense row) and
 * first_i how many are stored in the rows above.  P is cols x vectors.  G may be NULL; gradients
 * are offered by linear, anova, anova-upto and all-subsets. */
FX_API fx_status fx_kernel_values(double *V, double *G, const fx_kernel *k, const double *P,
                                  size_t vectors, const fx_matrix *X, const fx_run *run);

/* ---- Random feature maps ------------------------------------------------------------------
 * Z(x) with <Z(x), Z(y)> = K(x, y) on average over seeds: a linear model on Z does a kernel
 * machine's work.  A map is drawn from (spec, kernel, cols, features, seed) and never looks at
 * data, except for the keys that say auto or allocated: those look at `sample`, if there is one,
 * and what they chose stands in fx_map_spec, which gives the same map without a sample.
 * The kernel must live as long as the map. */
typedef struct fx_map fx_map;
FX_API fx_status fx_map_parse(fx_map **out, const char *spec, const fx_kernel *k, size_t cols,
                              size_t features, uint64_t seed, const fx_matrix *sample,
                              const fx_run *run);
FX_API const char *fx_map_spec(const fx_map *m);    /* complete: defaults and choices spelt out */
FX_API size_t fx_map_features(const fx_map *m);     /* columns of Z: those asked for, and exact ones */
FX_API const char *fx_map_help(size_t i);           /* line i of the table of maps; NULL: no more */
FX_API void fx_map_free(fx_map *m);

/* Z[i*ldz + s], floats or doubles by `type`, computed in floats.  A feature beyond the range of
 * floats is FX_ENUMERIC with its row; then, and after FX_ECANCELLED, Z is partly written. */
FX_API fx_status fx_map_apply(void *Z, size_t ldz, fx_type type, const fx_map *m,
                              const fx_matrix *X, const fx_run *run);
/* S[i*outputs + c] = sum_s Z_s(X_i) W[s*outputs + c], without storing Z.  A feature or sum beyond
 * the range of floats is FX_ENUMERIC with its row. */
FX_API fx_status fx_map_score(double *S, const fx_map *m, const double *W, size_t outputs,
                              const fx_matrix *X, const fx_run *run);

/* Exact variance over seeds of <Z(X_i), Z(X_j)>, (i, j) = pair[2q], pair[2q+1], to V[q]. */
FX_API fx_status fx_map_variance(double *V, const fx_map *m, const fx_matrix *X, const size_t *pair,
                                 size_t pairs, const fx_run *run);

/* How many random features make |error| >= eps at most as probable as delta, by every theorem that
 * holds for this map and kernel, the most general one first and the sharpest last.  The error is
 * that of one pair of rows or, if `uniform`, the largest over all pairs.  Rows have an L1 norm of
 * at most `radius` (ts and jl: L2 norm; rff: any).  FX_EUNSUPPORTED, with the reason, if none
 * holds. */
#define FX_BOUND_MAX  4                 /* theorems for one map, at most */
typedef struct fx_bound {
    const char *kind;                   /* of theorem: "itemset", "anova-factorial", .. */
    const char *formula;                /* the probability it bounds by, for D features */
    double features;                    /* the real number to be rounded up; perhaps infinite */
} fx_bound;
FX_API fx_status fx_map_bound(fx_bound out[FX_BOUND_MAX], size_t *n, const fx_map *m,
                              double radius, double eps, double delta, int uniform);

/* Error of <Z(x), Z(y)> against K(x, y) as measured, by one map: on `pairs` pairs of two different
 * rows of X, drawn by `seed`, each pair from all of them.  It falls as 1/sqrt(D) with D features:
 * about D (rmse/eps)^2 are needed for a root mean square error of eps. */
typedef struct fx_error {
    size_t pairs;
    double mae, rmse, max;              /* of |error|: mean, root mean square, largest */
    double ci95;                        /* rmse +- this: 95 % interval for all pairs of X */
    double mean, scale;                 /* mean error; root mean square of K, to compare with */
    double predicted;                   /* rmse over seeds, by exact variances; NaN: not known */
} fx_error;
FX_API fx_status fx_map_error(fx_error *out, const fx_map *m, const fx_matrix *X, size_t pairs,
                              uint64_t seed, const fx_run *run);

/* ---- Linear algebra -----------------------------------------------------------------------
 * Smallest eigenvalue of the symmetric n x n matrix A (lower triangle read). */
FX_API fx_status fx_linalg_eigmin(double *out, const double *A, size_t lda, size_t n,
                                  const fx_run *run);

#ifdef __cplusplus
}
#endif
#endif
