#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# kernel.sh - the same kernel exactly and by a map, a precomputed one, and principal components.
# featcross must be on the PATH.
set -eu

featcross make pairs -n 1500 -d 30 --nz 8 -k 3 -o all.svm
featcross convert all.svm train.svm test.svm --split 0.6
featcross train train.svm -o exact.fx --model kernel-svm --kernel anova:order=2
featcross train train.svm -o mapped.fx --model svm --map rk --kernel anova:order=2 -D 64x
featcross evaluate exact.fx test.svm
featcross evaluate mapped.fx test.svm
featcross gram train.svm --kernel anova:order=2 -o K.txt            # the matrix, computed anywhere
featcross gram test.svm train.svm --kernel anova:order=2 -o T.txt   # rows: test, columns: train
featcross train K.txt -o pre.fx --model kernel-svm --kernel precomputed
featcross predict pre.fx T.txt > labels.txt
featcross train train.svm -o parts.fx --model kernel-pca:k=2 --kernel anova:order=2
featcross predict parts.fx test.svm > components.txt                # two numbers a row

featcross predict exact.fx test.svm | cmp - labels.txt
test "$(wc -w < components.txt)" -eq 1200
