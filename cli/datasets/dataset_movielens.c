/* SPDX-License-Identifier: BSD-3-Clause
 * dataset_movielens.c - MovieLens 100K: pairs of a user and a movie, linked where the rating is
 * 5. */

#include "dataset.h"
#include "featcross_extra.h"
#include "terminal/terminal.h"

#include <stdlib.h>
#include <string.h>

enum { RATINGS, USERS, MOVIES, FILES, GENRES = 19 }; /* as in the table */

static int read_files(char *text[FILES], const dataset_spec *w)
{
    int status = 0;

    for (int i = 0; i < FILES && !status; i++)
        status = dataset_files_slurp(&text[i], w, i);
    return status;
}

/* The papers' rows and parts. */
int dataset_movielens_read(dataset_rows r[DATASET_PARTS], const dataset_spec *w)
{
    static const char *const part[DATASET_PARTS] = {"train", "valid", "test"};
    char *text[FILES] = {NULL};
    int status = read_files(text, w);

    for (int k = 0; k < DATASET_PARTS && !status; k++)
        status = dataset_files_made(&r[k],
                                    fx_data_movielens(&r[k].data, part[k], w->seed, text[RATINGS],
                                                      text[USERS], text[MOVIES], &cli.run));
    for (int i = 0; i < FILES; i++)
        free(text[i]);
    return status;
}

/* ---- All pairs ----------------------------------------------------------------------------
 * Nodes are written as CSV with the same columns: tens of years, rounded, are categories. */
static unsigned tens(const char *p) { return ((unsigned)strtoul(p, NULL, 10) + 5) / 10 * 10; }

/* Where the fields of a line begin; the last one ends with the line. */
static size_t cut(const char **field, size_t max_fields, const dataset_line *l)
{
    size_t n = 0;

    for (const char *p = l->p; p && n < max_fields; n++) {
        field[n] = p;
        p = memchr(p, '|', (size_t)(l->end - p));
        p = p ? p + 1 : NULL;
    }
    return n;
}

static int user(char *to, const dataset_line *l)        /* id|age|gender|occupation|zip */
{
    const char *f[5];

    if (cut(f, 5, l) < 5 || f[4] == l->end)
        return -1;
    return sprintf(to, "%.*s,%u,%.*s,%.*s,%c\n", (int)(f[1] - f[0] - 1), f[0], tens(f[1]),
                   (int)(f[3] - f[2] - 1), f[2], (int)(f[4] - f[3] - 1), f[3], *f[4]);
}

static int movie(char *to, const dataset_line *l)       /* id|title|1-Jan-1995|..|..|0|1|0.. */
{
    const char *f[5 + GENRES];
    char year[16] = "unknown";

    if (cut(f, 5 + GENRES, l) < 5 + GENRES || l->end - f[5] != 2 * GENRES - 1)
        return -1;
    if (f[3] - f[2] > 4)
        snprintf(year, sizeof year, "%u", tens(f[3] - 5));
    int n = sprintf(to, "%.*s,%s", (int)(f[1] - f[0] - 1), f[0], year);
    for (int g = 0; g < GENRES; g++)
        n += sprintf(to + n, ",%c", *f[5 + g]);
    return n + sprintf(to + n, "\n");
}

/* A CSV line is never longer than what it was made of by more than this. */
enum { MORE = 16 };

static int nodes(dataset_rows *out, const dataset_spec *w, const char *text, int which)
{
    size_t lines = 1, n = 0;
    dataset_line l = {0};
    int status = 0;

    for (const char *p = text; *p; p++)
        lines += *p == '\n';
    char *csv = malloc(strlen(text) + lines * MORE);
    if (!csv)
        return say_no_memory("nodes");
    while (!status && dataset_files_line(&l, &text)) {
        int more = which == USERS ? user(csv + n, &l) : movie(csv + n, &l);
        if (more < 0)
            status = dataset_files_error(w, which, &l, which == USERS ? "a user" : "a movie");
        else
            n += (size_t)more;
    }
    csv[n] = '\0';
    if (!status)
        status = dataset_files_parse(out, w, which, csv,
                                     which == USERS ? "csv:header=no,label=first,cat=c2/c3/c4/c5"
                                                    : "csv:header=no,label=first,cat=c2");
    free(csv);
    return status;
}

/* u.data, user item rating time, is turned into lines `user item` in its place. */
static int fives(char *text, const dataset_spec *w)
{
    const char *at = text;
    dataset_line l = {0};
    uint64_t x[3];

    while (dataset_files_line(&l, &at)) {
        for (int k = 0; k < 3; k++)
            if (!dataset_files_count(&x[k], &l))
                return dataset_files_error(w, RATINGS, &l, "user, movie, rating, time");
        if (x[2] == 5)                  /* shorter than the line that it stands in */
            text += sprintf(text, "%llu %llu\n", (unsigned long long)x[0],
                            (unsigned long long)x[1]);
    }
    *text = '\0';
    return 0;
}

int dataset_movielens_links(dataset_rows r[DATASET_PARTS], const dataset_spec *w)
{
    char *text[FILES] = {NULL};
    dataset_rows users = {0}, movies = {0};
    int status;

    if (!(status = read_files(text, w)) && !(status = nodes(&users, w, text[USERS], USERS))
        && !(status = nodes(&movies, w, text[MOVIES], MOVIES))
        && !(status = fives(text[RATINGS], w)))
        status = dataset_files_links(r, w, &users.table, &movies.table, text[RATINGS],
                                     dataset_spec_is(w, "pairs", "all") ? "test" : "sample");
    dataset_parts_drop(&users);
    dataset_parts_drop(&movies);
    for (int i = 0; i < FILES; i++)
        free(text[i]);
    return status;
}
