/* SPDX-License-Identifier: BSD-3-Clause
 * map.h - inside the library: what a random feature map is.
 *
 * Z(x) is made for a tile of up to FXI_LANES rows at a time, a block of features after the other,
 * in floats; map.c stores blocks in the caller's memory or multiplies them with weights at once.
 * Each map is one file with one fxi_map_type and one line in map.def. */
#ifndef FXI_MAP_H
#define FXI_MAP_H
#include "kernel/kernel.h"
#include "project/project.h"

typedef struct fxi_pair {               /* two rows aligned by column */
    size_t n;                           /* columns where one of them is not 0 */
    const double *x, *y;                /* [n] */
    const int64_t *col;                 /* [n] ascending */
    fxi_team *team;                     /* for work that may take long; or NULL */
} fxi_pair;

typedef struct fxi_map_type {
    const char *name;
    const char *help;                   /* one line, without keys and kernels */
    const fx_key *keys;
    const char *const *kernels;         /* names of those that it serves; ends with NULL */
    bool composed;                      /* serves kernels with an inner one */
    bool explained;                     /* features are functions of combinations of columns */
    bool exact;                         /* features are not random */
    bool independent;                   /* random numbers of columns; projection= decides else */
    bool l2;                            /* bounds are for rows of an L2 norm, else L1 */
    /* Reads the spec and m's first part, fills in the second.  On failure map.c frees. */
    fx_status (*init)(fx_map *m, const fxi_spec *s, const fx_matrix *sample, const fx_run *run);
    void (*free)(fx_map *m);            /* m->state may be NULL or half made; or NULL */
    /* bytes of scratch for a tile of at most `entries` entries */
    size_t (*space)(const fx_map *m, size_t entries);
    /* Once per tile.  x: one number per entry; both stay until its last block.  space: 64-byte
     * aligned. */
    void (*prepare)(void *space, const fx_map *m, const fxi_tile *t, const double *x);
    /* Features [block*width, ..) of the tile to z, [output][FXI_LANES rows] where
     * fxi_map_lanes(m, t) says so, else [row][width]. */
    void (*block)(float *z, const fx_map *m, void *space, size_t block);
    /* Where most features of a sparse row are 0: the others and their columns, ascending; returns
     * how many (val NULL: that alone).  NULL: features are dense. */
    size_t (*sparse)(float *val, int32_t *col, const fx_map *m, fxi_row r);
    /* Variance over seeds of <Z(x), Z(y)>: *one of one random feature (pair of features, if they
     * come in pairs) before averaging, *all of the whole map; NULL: not known. */
    fx_status (*variance)(double *one, double *all, const fx_map *m, const fxi_pair *p);
} fxi_map_type;

struct fx_map {
    /* set by map.c */
    const fxi_map_type *type;
    fx_kernel *kernel;                  /* shared with the caller */
    const fxi_simd *simd;
    size_t cols, random;                /* random features requested */
    size_t like;                        /* >= random; see fxi_project.like */
    uint64_t seed, stream;              /* streams from this one on, FXI_MAP_STREAMS of them */
    /* filled in by init */
    size_t features;                    /* columns of Z; `random` unless init says otherwise */
    size_t rows;                        /* of a tile; FXI_LANES unless init says otherwise */
    size_t width, blocks;               /* as of projections; the last block may be cut */
    bool lanes;
    void *state;
    /* Keys whose value init resolved ("auto" became "hadamard"): key=value in fx_map_spec. */
    struct {
        const char *key;
        char value[240];
    } resolved[4];
    char *spec;
};
static inline bool fxi_map_lanes(const fx_map *m, const fxi_tile *t)
{
    return m->lanes && t->rows > 1;     /* a single row is stored alone */
}
enum { FXI_MAP_TERMS = 64 };            /* of a score that are summed in floats */
enum { FXI_MAP_STREAMS = 8 };           /* of one map, without its inner maps */
enum { FXI_MAP_ERROR = 1010, FXI_MAP_COMPLEX }; /* streams that sample rows; see data/data.h */

#define MAP(name) extern const fxi_map_type fxi_map_##name;
#include "map/map.def"

/* map.c - a map inside another: random features of `like`, from streams `stream` on. */
fx_status fxi_map_inner(fx_map **out, const char *spec, const fx_kernel *k, size_t cols,
                        size_t random, size_t like, uint64_t seed, uint64_t stream,
                        const fx_run *run);
/* Record what a key was resolved to; shown by fx_map_spec. */
void fxi_map_resolve(fx_map *m, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* score.c - weights W[features][outputs] of a map's features, packed once; W and the map stay the
 * caller's. */
typedef struct fxi_map_scorer {
    const fx_map *m;
    const double *W;
    float *w;                           /* [outputs][padded], padded = blocks * width */
    size_t outputs, padded;
} fxi_map_scorer;
fx_status fxi_map_score_new(fxi_map_scorer *out, const fx_map *m, const double *W, size_t outputs,
                            const fx_run *run);
void fxi_map_score_free(fxi_map_scorer *s);
/* Scores of rows that were checked, on the thread of this block; run: its memory limit. */
fx_status fxi_map_score_rows(double *S, const fxi_map_scorer *s, const fx_matrix *X,
                             fxi_scratch *scratch, const fx_run *run, fxi_team *team);

/* apply.c - the same of features that are dense; of all rows, on run's threads. */
fx_status fxi_map_apply_tiles(double *S, const fxi_map_scorer *s, const fx_matrix *X,
                              fxi_scratch *scratch, const fx_run *run, fxi_team *team);
fx_status fxi_map_apply_scores(double *S, const fxi_map_scorer *s, const fx_matrix *X,
                               const fx_run *run);
/* Features [block*width, ..) of all rows as columns, T[feature][ldt], ldt >= rows: the numbers of
 * fx_map_apply. */
fx_status fxi_map_apply_columns(float *T, size_t ldt, const fx_map *m, size_t block,
                                const fx_matrix *X, const fx_run *run);

/* sparse.c - of maps with `sparse`, on sparse rows: ptr[rows + 1] from 0; then val and col of
 * ptr[rows] features; or scores, by W alone. */
bool fxi_map_sparse(const fx_map *m, const fx_matrix *X);
void fxi_map_sparse_count(int64_t *ptr, const fx_map *m, const fx_matrix *X);
fx_status fxi_map_sparse_rows(float *val, int32_t *col, const int64_t *ptr, const fx_map *m,
                              const fx_matrix *X, const fx_run *run);
fx_status fxi_map_sparse_chunk(double *S, const fxi_map_scorer *s, const fx_matrix *X,
                               fxi_scratch *scratch, const fx_run *run, fxi_team *team);
fx_status fxi_map_sparse_scores(double *S, const fxi_map_scorer *s, const fx_matrix *X,
                                const fx_run *run);

/* choose.c - projection=auto of signs: the form for W of rows x cols. */
const fxi_project_type *fxi_map_choose(const fx_kernel *k, size_t cols, size_t rows);

/* variance.c - sums over two rows.  Sums over i != j are formed directly: nothing is subtracted, so
 * a variance of 0 is exactly 0. */
typedef struct fxi_moments {
    double c, xx, yy;                   /* <x,y>, |x|^2, |y|^2 */
    double s;                           /* sum of x_j^2 y_j^2 */
    double P, Q;                        /* sums over i != j of x_i^2 y_j^2 and x_i y_i x_j y_j */
} fxi_moments;
void fxi_map_variance_add(fxi_moments *m, double x, double y);  /* one more feature */
fxi_moments fxi_map_variance_moments(const fxi_pair *p);
/* Two rows side by side, in space for 3 * capacity numbers; capacity: the entries of both. */
fxi_pair fxi_map_variance_pair(double *space, size_t capacity, fxi_row a, fxi_row b);
/* K of a pair, in 64-byte aligned space for this many numbers. */
double fxi_map_variance_value(const fx_kernel *k, const fxi_pair *p, double *space,
                              const fxi_simd *simd);
size_t fxi_map_variance_value_space(const fx_kernel *k, size_t n);
double fxi_map_variance_kurtosis(fxi_law law);  /* E w^4 */
double fxi_map_variance_growth(double a, double h, int n); /* (a + h)^n - a^n */
/* Variance of the estimate of one feature or, where D is given, of the whole map: (w.x)(w.y);
 * the product of `degree` of them; count sketches convolved, all of <x,y>^degree; a sketch of s
 * blocks of D/s rows; cos and sin of w.x or cos(w.x + b). */
double fxi_map_variance_jl(const fxi_moments *m, fxi_law law);
double fxi_map_variance_product(const fxi_moments *m, int degree, bool complex);
double fxi_map_variance_sketch(const fxi_moments *m, int degree, size_t D);
double fxi_map_variance_sparse(const fxi_moments *m, size_t s, size_t D);
double fxi_map_variance_fourier(const fx_kernel *k, const fxi_pair *p, bool offset);

/* variance_rk.c - the RK map's *one and *all of fxi_map_type.variance. */
typedef struct fxi_blocks {             /* how its rows depend on one another */
    size_t rows;                        /* features; complex ones if they are complex */
    size_t p;                           /* rows of a Hadamard block; 0: independent rows */
    bool mixed, folded;                 /* column 0 is left empty; a column is drawn for each
                                         * feature, so features may share one */
} fxi_blocks;
fx_status fxi_map_variance_rk(double *one, double *all, const fx_kernel *k, const fxi_pair *pair,
                              fxi_law law, bool complex, const fxi_blocks *blocks);
/* weight[t], t = 0..max_power: what the characters of t features of a row's estimate (their squares
 * sum up to *one) weigh in *all. */
void fxi_map_variance_rk_weights(double *weight, size_t max_power, const fxi_blocks *blocks);
/* variance_itemset.c - the same for a family given as a tree, signs only. */
fx_status fxi_map_variance_itemset(double *one, double *all, const fxi_tree *tree,
                                   const fxi_pair *pair, bool complex, const fxi_blocks *blocks);

/* bound.c - theorems by name: the probability of an error >= eps as a function of D. */
typedef struct fxi_bound_args {
    double R, eps;
    double d, p;                        /* columns; base of the random orders of rm */
    int m;                              /* order or degree */
    const fx_kernel *kernel;            /* of <x,y>, or anova-upto */
} fxi_bound_args;
typedef struct fxi_tail {
    double a, b;                        /* log P = a - b D, */
    double f, g;                        /* or, if these are not both 0, P = f/D + g/D^2 */
} fxi_tail;
bool fxi_map_bound_tail(fxi_tail *out, const char *kind, const fxi_bound_args *a);
double fxi_map_bound_log(fxi_tail t, double D);         /* log P */
double fxi_map_bound_features(fxi_tail t, double delta); /* D with P = delta */
#endif
