/* SPDX-License-Identifier: BSD-3-Clause
 * kind.c - the table of kinds. */

#include "kind/kind.h"

#define KIND(name) &fxi_kind_##name,
const fxi_kind *const fxi_kinds[] = {
#include "kind/kind.def"
    NULL};

const struct fxi_kinds_can fxi_kinds_can = {
    .measure = "factorization machines have",
    .init = "solver=newton, cd, proximal and perceptrons can",
    .update = "perceptrons can, but not of a precomputed kernel, and factorization machines with "
              "solver=adagrad",
    .fold_in = "into factorization machines they can, but not poly-net and task=rank",
    .estimate = "that of kernel machines is",
    .stream = "logistic, ridge, svm-l2, pca and perceptron can, factorization machines with "
              "solver=adagrad (not task=rank) or lbfgs (not hofm-simplex), and penalty=l1 with "
              "solver=proximal"};
