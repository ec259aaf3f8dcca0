/* SPDX-License-Identifier: BSD-3-Clause
 * kernel.h - inside the library: what a kernel is.
 *
 * A kernel is evaluated for one row x and FXI_LANES other vectors z_w at a time, a panel.  Each
 * kernel is one file with one fxi_kernel_type and one line in kernel.def. */
#ifndef FXI_KERNEL_H
#define FXI_KERNEL_H
#include "data/data.h"
#include "simd/simd.h"

typedef struct fxi_panel {              /* a row and FXI_LANES vectors */
    size_t n;                           /* entries of the row */
    const double *x;                    /* [n] */
    const double *x2;                   /* a second row, for kernels of pairs; or NULL.  If there
                                         * are slots, x and x2 then have a number for each slot */
    const int64_t *col;                 /* [n] features, ascending; NULL: entry k is feature k */
    const int32_t *slot;                /* [n] row of zt; NULL: entry k belongs to row k */
    const double *zt;                   /* [..][FXI_LANES], 64-byte aligned */
} fxi_panel;

typedef struct fxi_work {               /* scratch of a thread, allocated once on entry */
    const fxi_simd *simd;
    double *scratch;                    /* fxi_kernel_scratch doubles, 64-byte aligned */
    fxi_team *team;                     /* for work that may take long */
} fxi_work;

typedef struct fxi_kernel_type {
    const char *name;
    const char *help;                   /* formula and remarks, one line, without the keys */
    const fx_key *keys;
    const char *family;                 /* what its file lists, as in fx_description; or NULL */
    fx_status (*init)(fx_kernel *k, const fxi_spec *s, const char *family, int base); /* or NULL */
    /* panel: K(x, z_w) to out[FXI_LANES], up to `finish`; of a kernel of pairs, K(x2, z_w) to the
     * next FXI_LANES if there is an x2.  Or of: f(s), a kernel on top of another (by default the
     * linear one); NaN where f is not defined.  Neither: precomputed. */
    void (*panel)(double *out, const fx_kernel *k, const fxi_panel *p, const fxi_work *work);
    double (*of)(const fx_kernel *k, double s);
    /* v to f(v) for n numbers, a multiple of FXI_LANES, 64-byte aligned: what panel left to do, or
     * faster than `of`; or NULL */
    void (*finish)(double *v, size_t n, const fx_kernel *k, const fxi_simd *simd);
    bool pairs;
    /* with `of`: the coefficient of s^n in its Maclaurin series, >= 0; 0 beyond the end */
    double (*coefficient)(const fx_kernel *k, int n);
    bool differences;                   /* panel needs every feature where x or some z_w is not 0 */
    bool combines;                      /* panel is a sum over combinations of columns */
    bool products, squares;             /* panel is <x, z_w>, is ||x - z_w||^2 */
    /* doubles of scratch for rows of at most n entries; NULL: none */
    size_t (*scratch)(const fx_kernel *k, size_t n, bool gradient);
    /* dK/dz_w of entry e to g[e*FXI_LANES + w], after panel has filled the same scratch; or NULL */
    void (*gradient)(double *g, const fx_kernel *k, const fxi_panel *p, const fxi_work *work);
} fxi_kernel_type;

typedef struct fxi_tree fxi_tree;       /* family.c */
typedef struct fxi_groups fxi_groups;

struct fx_kernel {
    const fxi_kernel_type *type;
    fx_kernel *inner;                   /* of an outer kernel; NULL: linear */
    char *spec;
    int order;                          /* order or degree */
    double gamma, coef0;
    double *coef;                       /* coefficients; coef[t] of order t */
    size_t coefs;
    fxi_tree *tree;
    fxi_groups *groups;
    atomic_size_t shared;               /* owners in addition to the first: maps */
    int serial;                         /* precomputed: columns before those of the matrix, 0 or 1;
                                         * -1: 1 if X has one column more than rows */
};

#define KERNEL(name) extern const fxi_kernel_type fxi_kernel_##name;
#include "kernel/kernel.def"

/* kernel.c */
fx_kernel *fxi_kernel_share(const fx_kernel *k);        /* adds an owner, who must free it, too */
void fxi_kernel_eval(double *out, const fx_kernel *k, const fxi_panel *p, const fxi_work *work);
/* The same in two steps: for each row or two, and for the numbers of many rows. */
void fxi_kernel_begin(double *out, const fx_kernel *k, const fxi_panel *p, const fxi_work *work);
void fxi_kernel_finish(double *out, size_t n, const fx_kernel *k, const fxi_simd *simd);
bool fxi_kernel_pairs(const fx_kernel *k);
size_t fxi_kernel_scratch(const fx_kernel *k, size_t n, bool gradient);
/* Approximate number of multiply-adds for a row of n entries and one vector. */
size_t fxi_kernel_cost(const fx_kernel *k, size_t n);
bool fxi_kernel_differences(const fx_kernel *k);
bool fxi_kernel_products(const fx_kernel *k);   /* true: a function of <x, z> */
/* Of a function of ||x - z||^2 its gamma, which comes from norms and <x, z> if
 * gamma (||x||^2 + ||z||^2) <= FXI_KERNEL_NEAR (rbf.c); else 0. */
#define FXI_KERNEL_NEAR 32.
double fxi_kernel_squares(const fx_kernel *k);
bool fxi_kernel_is_precomputed(const fx_kernel *k);
/* True if the kernel depends on feature indices (itemset, groups, cross). */
bool fxi_kernel_columns(const fx_kernel *k);
/* for kernels whose one key is gamma > 0 */
extern const fx_key fxi_kernel_gamma_keys[];
fx_status fxi_kernel_gamma_init(fx_kernel *k, const fxi_spec *s, const char *family, int base);
/* Names of the kernels that take an inner kernel, or that have gradients: "poly, exp, ..". */
void fxi_kernel_names(char out[256], bool outer);
/* A value that is not finite: FX_EDOMAIN or FX_ENUMERIC, naming row i and `other` ("row") j. */
fx_status fxi_kernel_not_finite(const fx_kernel *k, double value, size_t i, const char *other,
                                size_t j);

/* rows.c - K[w][i] = K(x_i, z_w) in floats: a block of rows of a Gram matrix.  diagonal:
 * K(x_i, x_i) to d[x.n].  bytes: what a call allocates at most, with rows of X for x and z.
 * Here and below rows are taken to be finite numbers, and a result depends on its own two rows
 * alone, bit for bit. */
fx_status fxi_kernel_rows(float *const *K, const fx_kernel *k, fxi_row_subset x, fxi_row_subset z,
                          const fx_run *run);
fx_status fxi_kernel_rows_diagonal(double *d, const fx_kernel *k, fxi_row_subset x,
                                   const fx_run *run);
size_t fxi_kernel_rows_bytes(const fx_kernel *k, const fx_matrix *X, const fx_run *run);
/* score.c - S[i*outputs + c] = sum_w K(x_i, z_w) W[w*outputs + c], without a Gram matrix. */
fx_status fxi_kernel_score(double *S, const fx_kernel *k, fxi_row_subset x, fxi_row_subset z,
                           const double *W, size_t outputs, const fx_run *run);
/* The same with all rows of Z packed once, unless it is for one call or the packed rows would take
 * more than 64 MiB and more than four times Z; k, Z and W stay the caller's.  rows: scores of
 * checked rows, on the thread of this block; run: its memory limit. */
typedef struct fxi_kernel_scorer fxi_kernel_scorer;
fx_status fxi_kernel_score_new(fxi_kernel_scorer **out, const fx_kernel *k, const fx_matrix *Z,
                               const double *W, size_t outputs, bool once, const fx_run *run);
void fxi_kernel_score_free(fxi_kernel_scorer *s);
fx_status fxi_kernel_score_rows(double *S, const fxi_kernel_scorer *s, const fx_matrix *X,
                                fxi_scratch *scratch, const fx_run *run, fxi_team *team);

/* precomputed.c - the rows are rows of a Gram matrix, and K(x_i, z_w) is read from it: z_w is known
 * by its row number z.row[w] alone (z.X may be NULL, except in fxi_kernel_rows, which reads row
 * z_w of z.X at the numbers of x). */
/* Checks that X is square (or has a first column 1, 2, ..) and symmetric to 1e-6 of the larger
 * number. */
fx_status fxi_kernel_precomputed_check(const fx_kernel *k, const fx_matrix *X, const fx_run *run);
fx_status fxi_kernel_precomputed_rows(float *const *K, const fx_kernel *k, fxi_row_subset x,
                                      fxi_row_subset z, const fx_run *run);
fx_status fxi_kernel_precomputed_diagonal(double *d, const fx_kernel *k, fxi_row_subset x,
                                          const fx_run *run);
fx_status fxi_kernel_precomputed_score(double *S, const fx_kernel *k, fxi_row_subset x,
                                       fxi_row_subset z, const double *W, size_t outputs,
                                       const fx_run *run);
/* FX_EUNSUPPORTED if k is precomputed: `what` needs rows of features. */
fx_status fxi_kernel_precomputed_reject(const fx_kernel *k, const char *what);

/* esp.c - elementary symmetric polynomials e[0..m] of a multiset of numbers. */
void fxi_kernel_esp_insert(double *e, int m, double z);

/* family.c - families of feature sets as prefix trees, and named groups. */
struct fxi_tree {
    size_t features, nodes, depth;
    int64_t *feature;                   /* [features], ascending */
    /* nodes in the order of a walk, the root left out */
    int32_t *use;                       /* [nodes] position in feature */
    int32_t *level;                     /* [nodes] 1 below the root */
    int32_t *next;                      /* [nodes] first node after this one's subtree */
    int32_t *ends;                      /* [nodes] 1 if a set ends here */
    int empty;                          /* 1 if the empty set belongs to the family */
};
struct fxi_groups {
    size_t groups, features, factors;
    int64_t *feature;                   /* [features] in some group, ascending */
    int32_t *first;                     /* [features + 1] into member */
    int32_t *member;                    /* groups of each feature */
    int32_t *factor;                    /* [factors] groups that a cross multiplies */
};
fx_status fxi_family_tree(fxi_tree **out, const char *text, int base);
fx_status fxi_family_groups(fxi_groups **out, const char *text, int base, bool cross);
void fxi_family_free(fxi_tree *tree, fxi_groups *groups);
static inline int64_t fxi_family_find(const int64_t *feature, size_t n, int64_t j)
{                                       /* position, or -1 */
    size_t at = fxi_data_sort_place(feature, n, j);

    return at < n && feature[at] == j ? (int64_t)at : -1;
}
#endif
