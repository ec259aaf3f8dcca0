#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# factors.sh - a factorization machine of order 3 finds planted triples, and explain names them.
# featcross must be on the PATH.
set -eu

featcross make triples -n 6000 -d 100 --nz 10 -k 8 -o all.svm --planted planted.txt
featcross convert all.svm train.svm test.svm --split 0.75
featcross train train.svm -o fm.fx --model hofm --order 3 --solver adagrad
featcross evaluate fm.fx test.svm
featcross explain fm.fx train.svm --top 8                    # the planted triples
featcross explain fm.fx test.svm --row 1                     # one score, taken apart

featcross explain fm.fx -q --top 8 | awk '$2 == 3 { print $3, $5, $7 }' | sort > found.txt
sort planted.txt | cmp - found.txt
