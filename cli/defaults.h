/* SPDX-License-Identifier: BSD-3-Clause
 * defaults.h - the formats, kernels, maps and models that the program itself refers to by name.
 * All other names come from the library's tables, and so does everything that the program has to
 * know about them (spec_line). tests/layers rejects such names anywhere else, except in help and
 * examples. */
#ifndef DEFAULTS_H
#define DEFAULTS_H

/* ---- Formats -------------------------------------------------------------------------------- */
#define DEFAULT_ROWS "svmlight"         /* of rows, where neither --to nor the extension says it */
#define DEFAULT_MATRIX "csv"            /* .. of features and kernel values */
#define TXT_MATRIX "precomputed"        /* .. of kernel values in a file .txt */
#define PLOT_MATRIX "tsv:header=no"     /* what gnuplot reads */
#define MADE_ROWS "svmlight:base=1"     /* as rows that were made are read again after convert */
/* What --format offers; the reader calls tabs csv. */
#define READ_TABS "tsv"
#define READ_TABS_AS "csv"
#define READ_NAMES "svmlight", "csv", READ_TABS, "text", "npy", "npz"

/* ---- Kernels and maps ----------------------------------------------------------------------- */
#define DEFAULT_KERNEL "anova:order=2"  /* of kernel machines and --map */
#define DEFAULT_MAPS "rk", "rm", "rff"  /* the first that serves the kernel */
#define INNER_PRODUCT "linear"
#define UPTO_ORDER "anova-upto:order="  /* combinations of up to .. columns, */
#define UPTO_MAP "rk"                   /* at random, */
#define UPTO_PRODUCTS "explicit"        /* or all of them .. */
#define UPTO_FOUND 0x1p20               /* .. of which those with an L1 penalty are found if there
                                         * are more (doc/reference.md) */
#define BOUND_MAPS "rk:projection=packed", "rm:projection=packed", "rff:projection=dense"
#define CURVE_MAPS                                                                                 \
    "rk:projection=packed", "rk:projection=hadamard", "rk:projection=hadamard,complex=yes",        \
        "scrk", "rm", "rm:h01=yes", "ts", "rff:projection=dense", "rff:projection=hadamard", "jl", \
        "sparse-jl"

/* ---- Models --------------------------------------------------------------------------------- */
/* What train takes if no model is given. */
#define DEFAULT_CLASSES "svm-l2"
#define DEFAULT_NUMBERS "ridge"
#define DEFAULT_RANKS "fm"
#define DEFAULT_EPSILON "svr"           /* numbers, and --epsilon is given */

/* What messages advise. */
#define ADVISED_PROBABILITIES "logistic"
#define ADVISED_EXACT "kernel-svm"
#define ADVISED_DIVISIBLE                                                                          \
    "logistic, ridge, pca, svm-l2 with --solver newton, factorization machines with --solver " \
    "lbfgs;" \
    " with --penalty l1, --solver proximal"

/* ---- What compare measures ------------------------------------------------------------------ */
#define COMPARE_CLASSES DEFAULT_CLASSES ":tol=0.01,max-iter=100"
#define COMPARE_NUMBERS DEFAULT_NUMBERS ":tol=0.01,max-iter=100"
#define COMPARE_FOUND_CLASSES DEFAULT_CLASSES ":tol=0.01,max-iter=10,penalty=l1"
#define COMPARE_FOUND_NUMBERS DEFAULT_NUMBERS ":tol=0.01,max-iter=10,penalty=l1"
#define COMPARE_EXACT_CLASSES "kernel-svm:tol=0.01"
#define COMPARE_EXACT_NUMBERS "kernel-ridge"
#define COMPARE_PAIRS "fm"
#define COMPARE_TRIPLES "hofm"          /* of order 3 */
#define COMPARE_SUBSETS "all-subsets"
/* In the order of kernel_setup.h. */
#define COMPARE_KERNELS                                                                            \
    INNER_PRODUCT, DEFAULT_KERNEL, UPTO_ORDER "2", UPTO_ORDER "3", UPTO_ORDER "4", "all-subsets",  \
        "poly:degree=2", "rbf"
#define COMPARE_MAPS "rk", "ts", "rm", "rff"
#define COMPARE_MAPPED                                                                             \
    {"rk", ANOVA}, {"rk", PAIRS}, {"rk", TRIPLES}, {"rk", SUBSETS}, {"ts", POLY}, {"rm", POLY},    \
        {"rff", RBF}
#endif
