/* SPDX-License-Identifier: BSD-3-Clause
 * dataset_ratings.c - pairs with a number: ratings of movies by users, counts of tags of artists.
 * A row has two ones, in the column of either id; ids that do not occur have no column. */

#include "dataset.h"
#include "terminal/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ID = 100000000 };            /* an id */

typedef struct rating { uint32_t id[2]; double y; } rating;
typedef struct ratings {
    rating *at;
    size_t n, capacity;
} ratings;

static int add(ratings *s, uint64_t a, uint64_t b, double y)
{
    if (s->n == s->capacity) {
        size_t more = s->capacity ? 2 * s->capacity : 1024;
        rating *grown = realloc(s->at, more * sizeof *grown);
        if (!grown)
            return say_no_memory("ratings");
        s->at = grown;
        s->capacity = more;
    }
    s->at[s->n++] = (rating){{(uint32_t)a, (uint32_t)b}, y};
    return 0;
}

/* Columns of the ids of one side, ascending, from *next on. */
static int32_t *columns(const ratings *s, int side, size_t *next)
{
    size_t ids = 0;

    for (size_t i = 0; i < s->n; i++)
        ids = s->at[i].id[side] >= ids ? s->at[i].id[side] + (size_t)1 : ids;
    int32_t *column = calloc(ids + 1, sizeof *column);
    for (size_t i = 0; i < s->n && column; i++)
        column[s->at[i].id[side]] = 1;
    for (size_t k = 0; k < ids && column; k++)
        if (column[k])
            column[k] = (int32_t)(*next)++;
    return column;
}

static int to_rows(dataset_rows *out, const ratings *s, const char *what)
{
    size_t n = s->n, cols = 0;
    int32_t *of[] = {columns(s, 0, &cols), columns(s, 1, &cols)};
    int64_t *ptr = malloc((n + 1) * sizeof *ptr);
    int32_t *col = malloc((2 * n + 1) * sizeof *col);
    float *val = malloc((2 * n + 1) * sizeof *val);
    double *label = malloc((n + 1) * sizeof *label);
    int status = of[0] && of[1] && ptr && col && val && label ? 0 : say_no_memory("rows");

    if (!status && n == 0)
        status = say_error("%s: no rows", what);
    if (!status) {
        ptr[0] = 0;
        for (size_t i = 0; i < n; i++) {
            ptr[i + 1] = 2 * (int64_t)(i + 1);
            for (size_t k = 0; k < 2; k++) {
                col[2 * i + k] = of[k][s->at[i].id[k]];
                val[2 * i + k] = 1;
            }
            label[i] = s->at[i].y;
        }
        fx_matrix X = {.rows = n, .cols = cols, .type = FX_F32, .val = val, .ptr = ptr,
                       .col = col};
        status = dataset_files_take(out, &(fx_table){.rows = n, .cols = cols, .blocks = 1,
                                                  .block = &X, .label = label, .base = 1});
    }
    free(of[0]);
    free(of[1]);
    free(ptr);
    free(col);
    free(val);
    free(label);
    return status;
}

/* Lines of three numbers, below a line of names if there is no y; first, second, y: which of them.
 * y < 0: 1. */
static int read_triples(ratings *s, const dataset_spec *w, int file, int first, int second, int y,
                        const char *expected)
{
    char *text = NULL;
    dataset_line l = {0};
    int status = dataset_files_slurp(&text, w, file);
    const char *at = text;

    if (!status && y < 0)
        dataset_files_line(&l, &at);
    while (!status && dataset_files_line(&l, &at)) {
        uint64_t x[3];
        bool good = true;
        for (int k = 0; k < 3 && good; k++)
            good = dataset_files_count(&x[k], &l) && (k == y || x[k] <= MAX_ID);
        status = good ? add(s, x[first], x[second], y < 0 ? 1 : (double)x[y])
                      : dataset_files_error(w, file, &l, expected);
    }
    free(text);
    return status;
}

/* ---- MovieLens 1M: user::movie::rating, perhaps ::time ------------------------------------- */
int dataset_ratings_movielens(dataset_rows r[DATASET_PARTS], const dataset_spec *w)
{
    ratings s = {0};
    int status = read_triples(&s, w, 0, 0, 1, 2, "user::movie::rating");

    if (!status)
        status = to_rows(&r[DATASET_TRAIN], &s, w->kind->file[0]);
    free(s.at);
    return status;
}

/* ---- Last.fm: how often an artist was given a tag ------------------------------------------ */
static int by_ids(const void *a, const void *b)
{
    const rating *x = a, *y = b;

    for (int k = 0; k < 2; k++)
        if (x->id[k] != y->id[k])
            return x->id[k] < y->id[k] ? -1 : 1;
    return 0;
}

static int read_pairs(ratings *s, const dataset_spec *w, int file, int first, int second)
{
    int status = read_triples(s, w, file, first, second, -1, "numbers");

    if (s->n)
        qsort(s->at, s->n, sizeof *s->at, by_ids);
    return status;
}

/* Equal pairs become one pair with their count; pairs whose artist has no listeners are left
 * out. */
static void count(ratings *tags, const ratings *heard, bool logarithm)
{
    size_t n = 0, h = 0;

    for (size_t i = 0, next; i < tags->n; i = next) {
        for (next = i + 1; next < tags->n && !by_ids(&tags->at[i], &tags->at[next]);)
            next++;
        while (h < heard->n && heard->at[h].id[0] < tags->at[i].id[0])
            h++;
        if (h == heard->n || heard->at[h].id[0] != tags->at[i].id[0])
            continue;
        tags->at[n] = tags->at[i];
        tags->at[n++].y = logarithm ? log((double)(next - i)) : (double)(next - i);
    }
    tags->n = n;
}

int dataset_ratings_lastfm(dataset_rows r[DATASET_PARTS], const dataset_spec *w)
{
    ratings heard = {0}, tags = {0};
    int status;

    if (!(status = read_pairs(&heard, w, 0, 1, 0)) && !(status = read_pairs(&tags, w, 1, 1, 2))) {
        count(&tags, &heard, dataset_spec_is(w, "target", "log"));
        status = to_rows(&r[DATASET_TRAIN], &tags, w->kind->file[1]);
    }
    free(heard.at);
    free(tags.at);
    return status;
}
