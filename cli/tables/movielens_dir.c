/* SPDX-License-Identifier: BSD-3-Clause
 * movielens_dir.c - a MovieLens 100K directory as rows.  Files may be packed: u.data, u.data.xz. */

#include "load.h"
#include "files/files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { RATINGS, USERS, MOVIES, FILES };
static const char *const file[FILES] = {"u.data", "u.user", "u.item"};

/* The path of a file in the directory, as it is or packed. */
static bool find(char path[4096], const char *directory, const char *name)
{
    static const char *const extensions[] = {"", ".xz", ".gz", ".zst", ".bz2"};
    struct stat st;

    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++) {
        int n = snprintf(path, 4096, "%s/%s%s", directory, name, extensions[i]);
        if (n > 0 && n < 4096 && stat(path, &st) == 0 && S_ISREG(st.st_mode))
            return true;
    }
    return false;
}

bool movielens_dir_is(const char *path)
{
    char found[4096];
    struct stat st;

    return strcmp(path, "-") && stat(path, &st) == 0 && S_ISDIR(st.st_mode)
        && find(found, path, file[RATINGS]);
}

int movielens_dir_read(loaded *l, const char *path, const load_options *like)
{
    char found[4096], *text[FILES] = {NULL};
    double start = say_clock();
    int status = 0;

    *l = (loaded){.name = path, .format = "movielens", .part = reading_part("all")};
    progress_begin("read", "B", 0);
    for (int i = 0; i < FILES && !status; i++) {
        if (find(found, path, file[i]))
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
    if (status)
        return status;
    l->table = fx_data_table(l->data);
    l->reading.rows = l->table.rows;
    l->reading.entries = (uint64_t)l->table.block[0].ptr[l->table.rows];
    l->seconds = say_clock() - start;
    l->spec = strdup(MADE_ROWS);
    if (!l->spec)
        return say_no_memory("reading");
    return like->name ? rows_widen(l, like->names, "the model") : 0;
}
