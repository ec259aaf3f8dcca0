/* SPDX-License-Identifier: BSD-3-Clause
 * movielens_dir.c - a MovieLens 100K directory as rows.  Files may be packed: u.data, u.data.xz. */

#include "load.h"
#include "featcross_extra.h"
#include "files/files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { RATINGS, USERS, MOVIES, FILES };
static const char *const file[FILES] = {"u.data", "u.user", "u.item"};

bool movielens_dir_is(const char *path)
{
    char found[4096];
    struct stat st;

    return strcmp(path, "-") && stat(path, &st) == 0 && S_ISDIR(st.st_mode)
           && extension_find(found, path, file[RATINGS]);
}

int movielens_dir_read(loaded *l, const char *path, const load_options *like)
{
    char found[4096], *text[FILES] = {NULL};
    double start = say_clock();
    int status = 0;

    *l = (loaded){.name = path, .format = "movielens", .part = reading_part("all")};
    progress_begin("read", "B", 0);
    for (int i = 0; i < FILES && !status; i++) {
        if (extension_find(found, path, file[i]))
            status = input_slurp(&text[i], found);
        else
            status = say_error("%s has no %s", path, file[i]);
    }
    if (!status) {
        fx_status s = fx_data_movielens(&l->data, l->part, cli.seed, text[RATINGS], text[USERS],
                                        text[MOVIES], &cli.run);
        if (s == FX_EFORMAT) {
            status = say_error("%s/%s", path, fx_error_detail());
        } else if (s)
            status = say_failure(s);
    }
    progress_end();
    for (int i = 0; i < FILES; i++)
        free(text[i]);
    if (status || (status = rows_made(l, start)))
        return status;
    return like->name ? rows_widen(l, like->names, "the model") : 0;
}
