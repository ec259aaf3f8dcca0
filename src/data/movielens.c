/* SPDX-License-Identifier: BSD-3-Clause
 * movielens.c - link prediction on MovieLens 100K: pairs of a user and a movie as 49 + 29 columns.
 *
 * Positive examples are the P pairs rated 5; as many negative ones are drawn from all other pairs,
 * each equally probable, none twice.  Positives are put in random order.  The first floor(P/2) of
 * both are "train".  The others alternate, a positive first; of these the first 1,000, or a
 * twentieth if that is fewer, are "valid", the rest is "test".  P = 21,201 gives 21,200, 1,000 and
 * 20,202 rows.  "all" is one after the other.
 *
 * Columns: age, gender, occupation, zip of the user, year of the movie, a column for each value
 * that occurs, values sorted (years: `unknown` first); then the 19 genres.  All entries are 1.
 *
 * The split and the counts: K. Atarashi, S. Maji, S. Oyama, Random feature maps for the itemset
 * kernel, AAAI 2019; M. Blondel, A. Fujino, N. Ueda, M. Ishihata, Higher-order factorization
 * machines, NIPS 2016. */

#include "data/movielens.h"
#include "featcross_extra.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const field_name[FXI_FIELDS] = {"age", "gender", "occupation", "zip", "year"};
static const char *const genre_name[FXI_GENRES] = {
    "unknown", "Action", "Adventure", "Animation", "Children's", "Comedy", "Crime", "Documentary",
    "Drama", "Fantasy", "Film-Noir", "Horror", "Musical", "Mystery", "Romance", "Sci-Fi",
    "Thriller", "War", "Western"};
enum { VALID = 1000, SHARE = 20 };      /* rows of "valid", at most; at most 1/SHARE */

typedef struct making {
    const char *part, *ratings, *users, *movies;
    uint64_t seed;
    const fx_run *run;
    fx_data *out;
    fxi_movielens m;
    int32_t *column[FXI_FIELDS], genres; /* of each value; of the first genre */
    uint64_t *negative;                 /* [positives] */
    size_t first, rows;                 /* the part, among all examples */
} making;

/* ---- Columns -------------------------------------------------------------------------------- */
static long number(const char *text) { return *text == 'u' ? -1 : atol(text); }

static int by_number(const fxi_data_item *a, const fxi_data_item *b)
{
    long x = number(a->key.name), y = number(b->key.name);

    return x < y ? -1 : x > y;
}

static int by_text(const fxi_data_item *a, const fxi_data_item *b)
{
    return strcmp(a->key.name, b->key.name);
}

/* Columns of the values of field f, from *next on, and their names `age=10` at *text. */
static fx_status name_field(making *x, int f, const char **name, size_t *next, char **text,
                            fxi_team *team)
{
    const fxi_data_classes *v = &x->m.value[f];
    fxi_data_item *item = fxi_alloc(v->n + v->n / 2, sizeof *item);

    x->column[f] = fxi_alloc(v->n, sizeof *x->column[f]);
    if (!item || !x->column[f]) {
        free(item);
        return FX_ENOMEM;
    }
    for (size_t i = 0; i < v->n; i++) {
        item[i].key.name = v->text + v->at[i];
        item[i].with.number = i;
    }
    fx_status s = fxi_data_sort(item, item + v->n, v->n,
                                f == FXI_AGE || f == FXI_YEAR ? by_number : by_text, team);
    for (size_t i = 0; i < v->n && !s; i++) {
        x->column[f][item[i].with.number] = (int32_t)*next;
        name[(*next)++] = *text;
        *text += sprintf(*text, "%s=%s", field_name[f], item[i].key.name) + 1;
    }
    free(item);
    return s;
}

static fx_status name_columns(making *x, fxi_team *team)
{
    enum { PREFIX = 16 };               /* bytes before a value, and its end */
    size_t cols = FXI_GENRES, bytes = 2 * FXI_GENRES * PREFIX, next = 0;
    fx_status s = FX_OK;

    for (int f = 0; f < FXI_FIELDS; f++) {
        cols += x->m.value[f].n;
        bytes += x->m.value[f].text_len + x->m.value[f].n * PREFIX;
    }
    const char **name = fxi_data_alloc(x->out, cols, sizeof *name);
    char *text = fxi_data_alloc(x->out, bytes, 1);
    if (!name || !text)
        return FX_ENOMEM;
    for (int f = 0; f < FXI_FIELDS && !s; f++)
        s = name_field(x, f, name, &next, &text, team);
    x->genres = (int32_t)next;
    for (size_t g = 0; g < FXI_GENRES && !s; g++) {
        name[next++] = text;
        text += sprintf(text, "genre=%s", genre_name[g]) + 1;
    }
    x->out->table.name = name;
    x->out->table.cols = cols;
    return s;
}

/* ---- Examples ------------------------------------------------------------------------------- */
static fx_status draw(making *x, fxi_team *team)
{
    fxi_movielens *m = &x->m;
    const size_t P = m->positives;
    const uint64_t pairs = (uint64_t)m->user.n * m->movie.n;
    const fxi_rng order = {x->seed, FXI_DATA_MOVIELENS}, draws = {x->seed, FXI_DATA_MOVIELENS_PAIR};

    if (!P || pairs - P < P)
        return fxi_error(FX_EFORMAT, "u.data: %zu of %llu pairs are rated 5; there must be some, "
                         "and as many others", P, (unsigned long long)pairs);
    x->negative = fxi_alloc(P, sizeof *x->negative);
    if (!x->negative)
        return FX_ENOMEM;
    for (uint64_t n = 0, i = 0; n < P; i++) {
        uint64_t pair = fxi_rng_below(draws, i, pairs);
        if (fxi_data_pairs_enter(&m->known, pair, false))
            x->negative[n++] = pair;
        if (fxi_data_stopped((size_t)i, team))
            return FX_ECANCELLED;
    }
    return fxi_data_pairs_shuffle(m->positive, P, order, team);
}

static fx_status choose_part(making *x)
{
    const size_t train = x->m.positives / 2 * 2, held = 2 * x->m.positives - train;
    const size_t valid = held / SHARE < VALID ? held / SHARE : VALID;

    if (!strcmp(x->part, "train"))
        x->rows = train;
    else if (!strcmp(x->part, "valid"))
        x->first = train, x->rows = valid;
    else if (!strcmp(x->part, "test"))
        x->first = train + valid, x->rows = held - valid;
    else
        x->rows = train + held;
    return x->rows ? FX_OK
                   : fxi_error(FX_EFORMAT, "u.data: %zu ratings of 5 are too few for the part '%s'",
                               x->m.positives, x->part);
}

/* Examples alternate, positive and negative. */
static fx_status fill(making *x, fxi_team *team)
{
    enum { MAX_ENTRIES = FXI_FIELDS + FXI_GENRES };
    const fxi_movielens *m = &x->m;
    fx_table *t = &x->out->table;
    fx_status s = fxi_memory_check(x->run, x->rows * 8 * MAX_ENTRIES, "rows");

    if (s)
        return s;
    fx_matrix *X = fxi_data_alloc(x->out, 1, sizeof *X);
    int64_t *ptr = fxi_data_alloc(x->out, x->rows + 1, sizeof *ptr);
    int32_t *col = fxi_data_alloc(x->out, x->rows, MAX_ENTRIES * sizeof *col);
    float *val = fxi_data_alloc(x->out, x->rows, MAX_ENTRIES * sizeof *val);
    double *label = fxi_data_alloc(x->out, x->rows, sizeof *label);
    if (!X || !ptr || !col || !val || !label)
        return FX_ENOMEM;
    ptr[0] = 0;
    for (size_t i = 0, n = 0; i < x->rows; i++) {
        const size_t e = x->first + i;
        const uint64_t pair = e % 2 ? x->negative[e / 2] : m->positive[e / 2];
        const size_t u = (size_t)(pair / m->movie.n), v = (size_t)(pair % m->movie.n);
        for (int f = 0; f < FXI_USER_FIELDS; f++)
            col[n++] = x->column[f][m->of_user[u * FXI_USER_FIELDS + (size_t)f]];
        col[n++] = x->column[FXI_YEAR][m->of_movie[v]];
        for (int g = 0; g < FXI_GENRES; g++)
            if (m->genres[v] >> g & 1)
                col[n++] = x->genres + g;
        for (size_t q = (size_t)ptr[i]; q < n; q++)
            val[q] = 1;
        ptr[i + 1] = (int64_t)n;
        label[i] = e % 2 ? -1 : 1;
        if (fxi_data_stopped(i, team))
            return FX_ECANCELLED;
    }
    *X = (fx_matrix){.rows = x->rows, .cols = t->cols, .type = FX_F32, .val = val, .ptr = ptr,
                     .col = col};
    t->rows = x->rows;
    t->blocks = 1;
    t->block = X;
    t->label = label;
    t->base = 1;
    return FX_OK;
}

static fx_status make(void *ctx, size_t block, fxi_team *team)
{
    making *x = ctx;
    fx_status s = fxi_data_movielens_files(&x->m, x->ratings, x->users, x->movies, x->run, team);

    (void)block;
    if (!s)
        s = draw(x, team);
    if (!s)
        s = choose_part(x);
    if (!s)
        s = name_columns(x, team);
    return s ? s : fill(x, team);
}

static void release(making *x)
{
    fxi_data_classes_free(&x->m.user);
    fxi_data_classes_free(&x->m.movie);
    for (int f = 0; f < FXI_FIELDS; f++) {
        fxi_data_classes_free(&x->m.value[f]);
        free(x->column[f]);
    }
    fxi_free(x->m.of_user, x->m.of_movie, x->m.genres, x->m.positive, x->m.known.slot, x->negative);
}

fx_status fx_data_movielens(fx_data **out, const char *part, uint64_t seed, const char *ratings,
                            const char *users, const char *movies, const fx_run *run)
{
    making x = {.part = part, .ratings = ratings, .users = users, .movies = movies, .seed = seed,
                .run = run};

    if (!out || !part || !ratings || !users || !movies)
        return fxi_error(FX_EINVAL, "MovieLens needs a part, ratings, users and movies");
    if (strcmp(part, "train") && strcmp(part, "valid") && strcmp(part, "test")
        && strcmp(part, "all"))
        return fxi_error(FX_EINVAL, "no part '%s'; there are train, valid, test, all", part);
    x.out = fxi_data_new();
    fx_status s = x.out ? fxi_parallel_ordered(1, make, &x, run) : FX_ENOMEM;
    release(&x);
    if (s)
        fx_data_free(x.out);
    else
        *out = x.out;
    return s;
}
