/* SPDX-License-Identifier: BSD-3-Clause
 * kernel_setup.h - between methods.c, which enters methods, and kernel_setup.c, which looks at the rows. */
#ifndef SUITED_H
#define SUITED_H
#include "compare.h"

enum { TRIES = 5 };                     /* values to choose from, for every method */
enum { LINEAR, ANOVA, PAIRS, TRIPLES, SUBSETS, POLY, RBF, KERNELS };
typedef struct known {                  /* a kernel on these rows */
    char spec[64];
    const char *scale;
    double C[TRIES], diagonal;          /* diagonal: mean K(x, x) */
    char fault[200];                    /* why it does not suit them; "": it does */
} known;

int suited_learn(known kernels[KERNELS], const comparison *c);
double suited_decade(size_t i);         /* 0.01, 0.1, 1, .. for i = 0, 1, 2, .. */
double suited_rounded(double x);        /* to one digit, which people like to read */
#endif
