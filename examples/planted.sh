#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# planted.sh - data with planted pairs, looked at, turned into kernel matrices and another format.
# featcross must be on the PATH.
set -eu

featcross make pairs -n 500 -d 40 --nz 8 -k 4 -o pairs.svm --planted planted.txt
featcross info pairs.svm
featcross gram pairs.svm --kernel anova:order=2 -o K.npy
featcross gram pairs.svm --kernel all-subsets --scale unit-l2 -o K.txt       # for svm-train -t 4
featcross map pairs.svm --kernel anova:order=2 -D 16x -o Z.npy                # random features
featcross bound pairs.svm --kernel anova:order=2 --scale unit-l2 --eps 0.05  # how many it takes
featcross convert pairs.svm pairs.npz
