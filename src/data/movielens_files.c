/* SPDX-License-Identifier: BSD-3-Clause
 * movielens_files.c - u.user, u.item and u.data of MovieLens 100K.
 *
 *   u.user   id|age|gender|occupation|zip
 *   u.item   id|title|date|video date|url|0|1|.. (19 genres)     date: 01-Jan-1995, or empty
 *   u.data   user, movie, rating, time; tabs between them
 *
 * Ages and years are rounded to the nearest ten, halves up; of a zip code the first character
 * counts.  Any number of users, movies and ratings; ids may be any text.  Anything else is rejected
 * with its file, line and column. */

#include "data/movielens.h"

#include <stdio.h>
#include <string.h>

typedef struct scan {
    const char *file, *p, *end;         /* p: what follows the line */
    char separator;
    size_t number;                      /* of the line */
    const char *line, *stop, *at;       /* at: the next field; NULL: no more */
} scan;

static fx_status reject(const scan *s, const char *at, const char *what, const char *text,
                        size_t len)
{
    char excerpt[FXI_EXCERPT];

    return fxi_error(FX_EFORMAT, "%s:%zu:%zu: '%s' is not %s", s->file, s->number,
                     (size_t)(at - s->line) + 1, fxi_data_text_excerpt(excerpt, text, len), what);
}

static scan begin(const char *file, const char *text, char separator)
{
    return (scan){.file = file, .p = text, .end = text + strlen(text), .separator = separator};
}

static bool next_line(scan *s)
{
    while (fxi_data_text_line(&s->line, &s->stop, &s->p, s->end)) {
        s->number++;
        s->at = s->line;
        if (s->stop > s->line)          /* empty lines are skipped */
            return true;
    }
    return false;
}

typedef struct field { const char *text; size_t len; } field;

static fx_status next_field(field *f, scan *s, const char *what, bool may_be_empty)
{
    if (!s->at)
        return fxi_error(FX_EFORMAT, "%s:%zu:%zu: the line ends before %s", s->file, s->number,
                         (size_t)(s->stop - s->line) + 1, what);
    const char *stop = memchr(s->at, s->separator, (size_t)(s->stop - s->at));
    *f = (field){s->at, (size_t)((stop ? stop : s->stop) - s->at)};
    s->at = stop ? stop + 1 : NULL;
    return f->len || may_be_empty ? FX_OK : reject(s, f->text, what, f->text, 0);
}

static fx_status last_field(const scan *s)
{
    return s->at ? reject(s, s->at, "expected: the line should have ended", s->at,
                          (size_t)(s->stop - s->at))
                 : FX_OK;
}

/* A whole number of at most `digits` digits. */
static fx_status whole(unsigned *out, const scan *s, const char *text, size_t len, size_t digits,
                       const char *what)
{
    unsigned x = 0;

    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9' || i == digits)
            return reject(s, text, what, text, len);
        x = 10 * x + (unsigned)(text[i] - '0');
    }
    *out = x;
    return len ? FX_OK : reject(s, text, what, text, len);
}

/* A new id: its position is the number of those before. */
static fx_status new_id(fxi_data_classes *ids, scan *s, fxi_team *team)
{
    size_t number, before = ids->n;
    field f;
    fx_status st = next_field(&f, s, "an id", false);

    if (!st)
        st = fxi_data_classes_add(&number, ids, f.text, f.len, team);
    if (!st && number < before)
        st = reject(s, f.text, "new: an id stands twice", f.text, f.len);
    return st;
}

static fx_status add_value(int32_t *out, fxi_data_classes *values, const char *text, size_t len,
                           fxi_team *team)
{
    size_t number = 0;
    fx_status s = fxi_data_classes_add(&number, values, text, len, team);

    *out = (int32_t)number;
    return s;
}

static fx_status add_ten(int32_t *out, fxi_data_classes *values, unsigned x, fxi_team *team)
{
    char text[16];
    int n = snprintf(text, sizeof text, "%u", (x + 5) / 10 * 10);

    return add_value(out, values, text, (size_t)n, team);
}

static fx_status read_user(fxi_movielens *m, scan *s, fxi_team *team)
{
    int32_t *to = m->of_user + m->user.n * FXI_USER_FIELDS;
    field age, gender, occupation, zip;
    unsigned years;
    fx_status st = new_id(&m->user, s, team);

    if (st || (st = next_field(&age, s, "an age", false))
        || (st = next_field(&gender, s, "a gender", false))
        || (st = next_field(&occupation, s, "an occupation", false))
        || (st = next_field(&zip, s, "a zip code", false)) || (st = last_field(s))
        || (st = whole(&years, s, age.text, age.len, 3, "an age")))
        return st;
    if (zip.text[0] <= ' ' || zip.text[0] > '~')
        return reject(s, zip.text, "a zip code", zip.text, zip.len);
    if ((st = add_ten(&to[FXI_AGE], &m->value[FXI_AGE], years, team))
        || (st = add_value(&to[FXI_GENDER], &m->value[FXI_GENDER], gender.text, gender.len, team))
        || (st = add_value(&to[FXI_OCCUPATION], &m->value[FXI_OCCUPATION], occupation.text,
                           occupation.len, team)))
        return st;
    return add_value(&to[FXI_ZIP], &m->value[FXI_ZIP], zip.text, 1, team);
}

static fx_status read_movie(fxi_movielens *m, scan *s, fxi_team *team)
{
    const size_t i = m->movie.n;
    fx_status st = new_id(&m->movie, s, team);
    field date, f;
    unsigned year = 0;

    if (st || (st = next_field(&f, s, "a title", true))
        || (st = next_field(&date, s, "a date", true))
        || (st = next_field(&f, s, "a video date", true))
        || (st = next_field(&f, s, "an address", true)))
        return st;
    m->genres[i] = 0;
    for (uint32_t g = 0; g < FXI_GENRES; g++) {
        if ((st = next_field(&f, s, "a flag of a genre (0 or 1)", false)))
            return st;
        if (f.len != 1 || (*f.text != '0' && *f.text != '1'))
            return reject(s, f.text, "a flag of a genre (0 or 1)", f.text, f.len);
        m->genres[i] |= (uint32_t)(*f.text - '0') << g;
    }
    if ((st = last_field(s)))
        return st;
    if (!date.len)
        return add_value(&m->of_movie[i], &m->value[FXI_YEAR], "unknown", 7, team);
    if (date.len < 5 || date.text[date.len - 5] != '-')
        return reject(s, date.text, "a date such as 01-Jan-1995", date.text, date.len);
    st = whole(&year, s, date.text + date.len - 4, 4, 4, "a year");
    return st ? st : add_ten(&m->of_movie[i], &m->value[FXI_YEAR], year, team);
}

static fx_status read_rating(fxi_movielens *m, scan *s)
{
    field user, movie, f;
    size_t u, v;
    unsigned rating = 0;
    fx_status st;

    if ((st = next_field(&user, s, "a user", false))
        || (st = next_field(&movie, s, "a movie", false))
        || (st = next_field(&f, s, "a rating", false))
        || (st = whole(&rating, s, f.text, f.len, 1, "a rating from 1 to 5")))
        return st;
    if (rating < 1 || rating > 5)
        return reject(s, f.text, "a rating from 1 to 5", f.text, f.len);
    if (!fxi_data_classes_find(&u, &m->user, user.text, user.len))
        return reject(s, user.text, "a user of u.user", user.text, user.len);
    if (!fxi_data_classes_find(&v, &m->movie, movie.text, movie.len))
        return reject(s, movie.text, "a movie of u.item", movie.text, movie.len);
    uint64_t pair = (uint64_t)u * m->movie.n + v;
    if (rating == 5 && !fxi_data_pairs_enter(&m->known, pair, false))
        return reject(s, movie.text, "new: this user rated it 5 before", movie.text, movie.len);
    if (rating == 5)
        m->positive[m->positives++] = pair;
    return FX_OK;
}

fx_status fxi_data_movielens_files(fxi_movielens *m, const char *ratings, const char *users,
                                   const char *movies, const fx_run *run, fxi_team *team)
{
    size_t n = fxi_data_text_lines(ratings), rows = fxi_data_text_lines(users);
    size_t films = fxi_data_text_lines(movies), bytes;
    fx_status st = FX_OK;

    if (!fxi_size_mul(&bytes, n, 12 * sizeof *m->positive) || rows > FX_INDEX_MAX
        || films > FX_INDEX_MAX)
        return fxi_error(FX_ESHAPE, "%zu ratings, %zu users, %zu movies: too many", n, rows, films);
    if ((st = fxi_memory_check(run, bytes, "MovieLens ratings"))
        || (st = fxi_data_pairs_reserve(&m->known, 2 * n, run, team)))
        return st;
    m->of_user = fxi_alloc(rows, FXI_USER_FIELDS * sizeof *m->of_user);
    m->of_movie = fxi_alloc(films, sizeof *m->of_movie);
    m->genres = fxi_alloc(films, sizeof *m->genres);
    m->positive = fxi_alloc(n, sizeof *m->positive);
    if (!m->of_user || !m->of_movie || !m->genres || !m->positive)
        return FX_ENOMEM;

    scan u = begin("u.user", users, '|'), v = begin("u.item", movies, '|');
    scan r = begin("u.data", ratings, '\t');
    while (!st && next_line(&u))
        st = fxi_data_stopped(u.number, team) ? FX_ECANCELLED : read_user(m, &u, team);
    while (!st && next_line(&v))
        st = fxi_data_stopped(v.number, team) ? FX_ECANCELLED : read_movie(m, &v, team);
    while (!st && next_line(&r))
        st = fxi_data_stopped(r.number, team) ? FX_ECANCELLED : read_rating(m, &r);
    return st;
}
