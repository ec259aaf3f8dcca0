/* SPDX-License-Identifier: BSD-3-Clause
 *
 * featcross_extra.h - functions for one data set and for a check.  The rules of featcross.h hold,
 * but not what FX_ABI promises: functions here may change with any version. */
#ifndef FEATCROSS_EXTRA_H
#define FEATCROSS_EXTRA_H
#include "featcross.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- MovieLens 100K -----------------------------------------------------------------------
 * Link prediction as in the papers: pairs (user, movie), 49 + 29 columns, +1 where the rating is 5,
 * as many -1 drawn by seed.  Parts: "train" (21,200 rows), "valid" (1,000), "test" (20,202), "all".
 * ratings, users, movies: the text of u.data, u.user, u.item.  Other sets in this format work, too:
 * of P ratings of 5, floor(P/2) and as many other pairs are for training; of the rest, 1,000
 * examples or a twentieth, whichever is fewer, are for validation. */
FX_API fx_status fx_data_movielens(fx_data **out, const char *part, uint64_t seed,
                                   const char *ratings, const char *users, const char *movies,
                                   const fx_run *run);

/* ---- Linear algebra -----------------------------------------------------------------------
 * Smallest eigenvalue of the symmetric n x n matrix A (lower triangle read). */
FX_API fx_status fx_linalg_eigmin(double *out, const double *A, size_t lda, size_t n,
                                  const fx_run *run);

#ifdef __cplusplus
}
#endif
#endif
