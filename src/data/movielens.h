/* SPDX-License-Identifier: BSD-3-Clause
 * movielens.h - between movielens_files.c, which reads the files, and movielens.c, which draws
 * examples from them. */
#ifndef FXI_MOVIELENS_H
#define FXI_MOVIELENS_H
#include "data/data.h"

enum { FXI_AGE, FXI_GENDER, FXI_OCCUPATION, FXI_ZIP, FXI_YEAR, FXI_FIELDS }; /* of one value each */
enum { FXI_USER_FIELDS = FXI_YEAR, FXI_GENRES = 19 };

typedef struct fxi_movielens {          /* zeros at first */
    fxi_data_classes user, movie;       /* ids; a user is its position there, a movie too */
    fxi_data_classes value[FXI_FIELDS]; /* all values of a field, as they came */
    int32_t *of_user;                   /* [users][FXI_USER_FIELDS] positions among values */
    int32_t *of_movie;                  /* [movies] of the year */
    uint32_t *genres;                   /* [movies] bits */
    uint64_t *positive;                 /* [positives] user * movies + movie, rated 5 */
    size_t positives;
    fxi_data_pairs known;               /* such pairs, then those drawn, too */
} fxi_movielens;
fx_status fxi_data_movielens_files(fxi_movielens *m, const char *ratings, const char *users,
                                   const char *movies, const fx_run *run, fxi_team *team);
#endif
