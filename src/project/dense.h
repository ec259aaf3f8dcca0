/* SPDX-License-Identifier: BSD-3-Clause
 * dense.h - between dense.c and dense_hot.c. */
#ifndef FXI_PROJECT_DENSE_H
#define FXI_PROJECT_DENSE_H

enum { FXI_PROJECT_PANEL = 64 };        /* outputs whose weights are side by side */
#endif
