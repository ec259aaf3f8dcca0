/* SPDX-License-Identifier: BSD-3-Clause
 * kernel_setup.h - the interface between methods.c, which lists methods, and kernel_setup.c, which
 * measures the rows. */
#ifndef KERNEL_SETUP_H
#define KERNEL_SETUP_H
#include "compare.h"

enum { TRIES = 5 };                     /* values to choose from, for every method */
enum { LINEAR, ANOVA, PAIRS, TRIPLES, QUADS, SUBSETS, POLY, RBF, KERNELS };
typedef struct kernel_setup {           /* a kernel on these rows */
    char spec[64];
    const char *scale;
    double C[TRIES], diagonal;          /* diagonal: mean K(x, x) */
    char reason[200];                   /* why it does not suit them; "": it does */
} kernel_setup;

int kernel_setup_measure(kernel_setup kernels[KERNELS], const comparison *c);
double kernel_setup_decade(size_t i);   /* 0.01, 0.1, 1, .. for i = 0, 1, 2, .. */
double kernel_setup_rounded(double x);  /* to one digit, which people like to read */
#endif
