#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# train.sh - a model from data with planted pairs, measured on other rows, and used.
# featcross must be on the PATH.
set -eu

featcross make pairs -n 2000 -d 40 --nz 8 -k 4 -o all.svm
featcross convert all.svm train.svm test.svm --split 0.7
featcross train train.svm -o model.fx                         # everything is chosen, and said
featcross evaluate model.fx test.svm
featcross predict model.fx test.svm > labels.txt
featcross train train.svm -o logistic.fx --model logistic -C 0.1 --kernel anova-upto:order=2 -D 16x
featcross predict logistic.fx test.svm --output proba --format npy -o proba.npy
featcross tune train.svm -o tuned.fx --order 1,2 -C 0.01,0.1,1
featcross info tuned.fx
featcross compare train.svm --methods linear,fm,rk,exact -D 16x   # which method suits, and why
