/* SPDX-License-Identifier: BSD-3-Clause
 * random_kernel.h - what the parts of the RK map share: random_kernel.c (the map),
 * random_kernel_panel.c (by definition), random_kernel_exponent.c (values of the exponential form),
 * random_kernel_loss.c (when power sums are accurate enough). */
#ifndef FXI_RANDOM_KERNEL_H
#define FXI_RANDOM_KERNEL_H
#include "map/map.h"

enum { FXI_RK_INPUTS = 20 };            /* most pairs of a set of values and a projection */

typedef enum fxi_rk_method {            /* how a block of features is made */
                             FXI_RK_SUMS, /* power sums by projections, then Newton's recursion */
                             FXI_RK_PRODUCTS, /* all-subsets by packed products */
                             FXI_RK_EXPONENT, /* all-subsets as the exponential of a projection */
                             FXI_RK_PANEL /* the kernel itself with rows of W */
} fxi_rk_method;

typedef struct fxi_rk {
    fxi_rk_method method;
    fxi_law law;
    bool complex;
    fxi_project w[3];                   /* real: [0]; complex: both parts and their product */
    size_t outputs;                     /* rows of w: features, or pairs of them */
    int order;                          /* of anova and anova-upto, 1 for linear, else 0 */
    double scale;                       /* 1/sqrt(outputs) */
    double weight[FX_ORDER_MAX + 1], scaled[FX_ORDER_MAX + 1]; /* of the orders, and times scale */
    double limit;                       /* rows whose max/(sum - max) is above it are inserted */
    int sets, power[FXI_RK_INPUTS];     /* sets of values: x^power, in the sums */
    int inputs;                         /* which set goes through which projection */
    struct { int w, set; } input[FXI_RK_INPUTS]; /* complex: [0], [1] are the parts of set 0 */
} fxi_rk;

typedef struct fxi_rk_space {           /* a tile, at the beginning of its scratch */
    const fxi_tile *tile;
    const double *x;
    bool inserted[FXI_LANES];           /* rows that go through the panel */
    bool ones, beyond;                  /* exponent: some |x_j| = 1, > 1 in the tile */
    double *even;                       /* [FX_ORDER_MAX + 1][FXI_LANES] power sums of rows */
    float *number;                      /* exponent: [3][FXI_LANES] shift, ones, beyond */
    float *value[FXI_RK_INPUTS];        /* [sets][entries] */
    void *project[FXI_RK_INPUTS];
    float *z[FXI_RK_INPUTS];            /* [width * FXI_LANES] outputs of an input */
    float *imaginary;                   /* [width] parts of one row */
    double *re, *im;                    /* [entries of a row][FXI_LANES] rows of W */
    size_t since;                       /* operations since the last poll for cancellation */
    fxi_work work;                      /* for kernels */
} fxi_rk_space;

/* Outputs of this block (not features: pairs count once), as many as there are. */
static inline size_t fxi_rk_count(const fxi_rk *k, size_t block)
{
    size_t left = k->outputs - block * k->w[0].width;

    return left < k->w[0].width ? left : k->w[0].width;
}

/* random_kernel_loss.c - digits that power sums lose against insertion, as a factor: at most this
 * when the largest number of a row is rho times the sum of the others; and the largest such rho
 * for which it is harmless. */
double fxi_map_random_kernel_loss(double rho, int m);
double fxi_map_random_kernel_loss_limit(int m);

/* random_kernel_panel.c - the outputs of a block for the rows that are `inserted`. */
void fxi_map_random_kernel_panel(float *z, const fx_map *m, fxi_rk_space *s, size_t block);
size_t fxi_map_random_kernel_panel_space(const fx_map *m, size_t entries);
/* Cuts its part of the scratch. */
void fxi_map_random_kernel_panel_carve(fxi_rk_space *s, char **at, const fx_map *m,
                                       size_t entries);
/* random_kernel_exponent.c - values and numbers of one row, where all-subsets is an exponential;
 * once all rows are there and some |x_j| is 1 or more: the sets that say which. */
void fxi_map_random_kernel_exponent(fxi_rk_space *s, const fx_map *m, size_t row);
void fxi_map_random_kernel_exponent_signs(fxi_rk_space *s);
/* random_kernel_complex.c - complex=auto, with the values of two other keys */
fx_status fxi_map_random_kernel_complex(bool *out, const fx_map *m, const char *projection,
                                        const char *signs, const fx_matrix *sample,
                                        const fx_run *run);
#endif
