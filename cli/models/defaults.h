/* SPDX-License-Identifier: BSD-3-Clause
 * defaults.h - the models that the program names of itself; all others are those of the library's
 * table, and what is to be known of one is asked of it (model_table.c).  tests/layers refuses
 * names elsewhere, but for help and examples. */
#ifndef DEFAULTS_H
#define DEFAULTS_H

/* What train takes if no model is given. */
#define DEFAULT_CLASSES "svm-l2"
#define DEFAULT_NUMBERS "ridge"
#define DEFAULT_EPSILON "svr"           /* numbers, and --epsilon is given */
#define DEFAULT_KERNEL "anova:order=2"  /* of kernel machines and --map */

/* What messages advise. */
#define ADVISED_PROBABILITIES "logistic"
#define ADVISED_EXACT "kernel-svm"

/* What compare and bench measure. */
#define COMPARE_CLASSES DEFAULT_CLASSES ":tol=0.01,max-iter=100"
#define COMPARE_NUMBERS DEFAULT_NUMBERS ":tol=0.01,max-iter=100"
#define COMPARE_EXACT_CLASSES "kernel-svm:tol=0.01"
#define COMPARE_EXACT_NUMBERS "kernel-ridge"
#define COMPARE_PAIRS "fm"
#define COMPARE_TRIPLES "hofm"          /* of order 3 */
#define COMPARE_SUBSETS "all-subsets"
#endif
