/* SPDX-License-Identifier: BSD-3-Clause
 * kernels.h - kernels and maps as a user names them. */
#ifndef CLI_KERNELS_H
#define CLI_KERNELS_H
#include "figures/figures.h"
#include "tables/tables.h"

/* ---- kernel_choice.c: kernels and maps from specs ------------------------------------------- */
#define KERNEL_SCALES "none|maxabs|unit-l1|unit-l2|std|auto"
typedef struct kernel_choice {
    const char *spec;
    char path[4096], *family;           /* the file that the kernel names, or ""; its text */
    fx_kernel *kernel;
} kernel_choice;
/* Early, so that a misspelt kernel is found before a large file is read.  One with a file is
 * finished when the rows' index base and names are known. */
int kernel_prepare(kernel_choice *k, const char *spec);
int kernel_finish(kernel_choice *k, const fx_table *t);         /* NULL: no rows */
void kernel_free(kernel_choice *k);
bool kernel_precomputed(const char *spec);      /* rows of kernel values; spec may be NULL or "" */
int kernel_features(size_t *D, const char *text, size_t cols);  /* of -D: "1024" or "16x" */
extern const char *const kernel_maps[]; /* those of DEFAULT_MAPS, then NULL */
/* The first of maps[] (ends with NULL) that serves the kernel. */
fx_status kernel_map(fx_map **out, const char *const *maps, const fx_kernel *k, size_t cols,
                     size_t D, uint64_t seed, const fx_matrix *sample);
/* Early, as kernel_prepare. */
int kernel_map_check(const char *const *maps, const kernel_choice *k);
/* Number of features for a map that is only checked: few, unless its counts= fit only D. */
size_t kernel_few(const char *const *maps, size_t D);

/* ---- map_error.c: errors of maps on pairs of rows ------------------------------------------- */
typedef struct map_errors {             /* of |error| over pairs and maps of several seeds */
    double mae, rmse, max;
    double ci95;                        /* half width of an interval about rmse; NaN: unknown */
    double within, share;               /* quantile that was asked for; share of errors <= eps */
    double low, high;                   /* rmse of the best and the worst seed */
    size_t requested, columns;          /* random features; columns of Z, exact ones included */
} map_errors;
typedef struct pair_sample {
    fx_data *data;                      /* rows, in groups of which every pair counts */
    fx_matrix rows;
    fx_matrix narrow;                   /* the same without columns of zeros, if that is a gain */
    int64_t *col;                       /* its columns */
    const fx_matrix *used;              /* the one of both that was mapped last */
    size_t pairs, *pair;                /* [2 pairs] rows of the sample */
    uint64_t seeds;                     /* maps to draw, from cli.seed on */
    double *K, *error, scale;           /* [pairs], [seeds * pairs]; root mean square of K */
} pair_sample;
int map_error_sample(pair_sample *s, const loaded *l, const kernel_choice *k, uint64_t pairs,
                     uint64_t seeds);
/* maps: as for kernel_map. *last receives the last map; last may be NULL. */
int map_error_maps(map_errors *out, fx_map **last, pair_sample *s, const char *const *maps,
                   const fx_kernel *k, size_t D, double quantile, double eps);
void map_error_free(pair_sample *s);

/* ---- map_curve.c: the error of several maps against D --------------------------------------- */
/* maps: specs separated by spaces, or NULL for all that support the kernel. */
int map_curve_check(const char *maps, const kernel_choice *k); /* early, as kernel_prepare */
int map_curve_run(const loaded *l, const kernel_choice *k, pair_sample *s, const char *maps,
                  const char *plot_path, plot *p);
#endif
