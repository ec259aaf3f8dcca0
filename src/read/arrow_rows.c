/* SPDX-License-Identifier: BSD-3-Clause
 * arrow_rows.c - rows of an Arrow batch, which has columns.
 *
 * A tile of rows at a time: each column of numbers is copied into the tile, which is a part of the
 * table if rows are dense, so that every number is read and written once.  Then the tile is visited
 * row by row.  Numbers are looked at there only if one of the tile is missing, infinite or large,
 * or if a column is not of binary numbers.  The other columns are fields of a CSV file with the
 * same meaning.  A word of a dictionary is looked up once in a chunk. */

#include "read/arrow.h"

#include <math.h>
#include <stdlib.h>

enum { TILE = 1 << 13 };                /* numbers, or those of one row */
enum { UNSEEN = -3, NOTHING = -2, NEW = -1 };   /* beside columns: what a word was found to be */

typedef struct chunk {
    fxi_read_csv_row s;
    const fxi_read_arrow_batch *b;
    const fxi_read_csv_column *column;
    size_t *number, numbers;            /* [numbers] columns of numbers */
    size_t *visit, visits;              /* [visits] columns to be visited in each row: all that are
                                         * read or, if rows are dense, all others of these */
    int32_t **known;                    /* [fields] of a category's words, or NULL */
    double *tile;                       /* sparse rows: memory of a tile */
    char digits[FXI_ARROW_DIGITS];
} chunk;

typedef struct tile {
    size_t first, rows;                 /* of the batch */
    double *to;                         /* its first number */
    size_t stride;
    bool odd;                           /* numbers must be looked at */
} tile;

/* ---- Fields --------------------------------------------------------------------------------- */
/* The field of a row of the batch as text. */
static fx_status text_of(fxi_read_csv_field *f, chunk *k, size_t j, size_t i)
{
    const fxi_read_arrow_column *c = &k->b->column[j];
    const fxi_read_arrow_values *v = &c->values;
    const char *reason = NULL;
    char name[FXI_EXCERPT];

    *f = (fxi_read_csv_field){.text = ""};
    if (c->coded && fxi_read_arrow_valid(v, i)) {
        i = fxi_read_arrow_values_place(v, i, c->words.n);
        v = &c->words;
        reason = i == v->n ? "a code that is not in the dictionary" : NULL;
    }
    if (!reason)
        reason = fxi_read_arrow_values_text(f, k->digits, v, i);
    k->s.line = f->text;
    return reason ? fxi_read_fail(k->s.c, f->text, f->text, "%s, in the column '%s'", reason,
                                  fxi_data_text_excerpt(name, k->column[j].name, k->column[j].len))
                  : FX_OK;
}

/* A number that is a text, a decimal, in a dictionary, or may not be what it seems. */
static fx_status number_of(double *x, const fxi_read_csv_field *f, chunk *k, size_t j, size_t i)
{
    const fxi_read_arrow_column *c = &k->b->column[j];
    const fxi_read_arrow_type type = c->coded ? c->words.type : c->values.type;
    char name[FXI_EXCERPT], excerpt[FXI_EXCERPT];

    if (!f->len)
        *x = NAN;
    else if (!c->coded && type >= FXI_ARROW_F16 && type <= FXI_ARROW_F64)
        fxi_read_arrow_values_numbers(x, 1, &c->values, i, 1);
    else if (fxi_read_arrow_is_text(type) && k->column[j].role == FXI_CSV_NUMBER
             && fxi_read_csv_field_missing(k->s.t, f))
        *x = NAN;
    else if (!fxi_read_csv_field_number(x, k->s.t, f)) {
        fx_status s = fxi_read_csv_row_odd(&k->s, f);
        return s ? s : fxi_read_csv_row_not_a_number(&k->s, &k->column[j], f);
    }
    if (type < FXI_ARROW_F16 && fabs(*x) >= 0x1p53)
        return fxi_read_fail(k->s.c, f->text, f->text,
                             "%s in the column '%s' is a whole number of 2^53 or more, which a "
                             "double would round; make it a text or a category",
                             fxi_data_text_excerpt(excerpt, f->text, f->len),
                             fxi_data_text_excerpt(name, k->column[j].name, k->column[j].len));
    return FX_OK;
}

static fx_status read_label(chunk *k, size_t j, size_t i)
{
    const fxi_read_arrow_column *column = &k->b->column[j];
    fxi_read_chunk *c = k->s.c;
    fxi_read_csv_field f;
    double x;

    /* The first one, and any that is odd, goes the way of texts, which has the messages. */
    if (!column->coded && c->kind == FXI_LABEL_NUMBER
        && fxi_read_arrow_values_numbers(&x, 1, &column->values, i, 1)) {
        c->label[c->rows] = x;
        return FX_OK;
    }
    fx_status s = text_of(&f, k, j, i);
    if (!s && !f.len)
        return fxi_read_fail(c, f.text, f.text, "no label");
    if (!s && !fxi_read_arrow_is_text(column->coded ? column->words.type : column->values.type))
        s = number_of(&x, &f, k, j, i);
    return s ? s : fxi_read_label(c, f.text, f.text, f.text, f.len);
}

static fx_status read_weight(chunk *k, size_t j, size_t i)
{
    fxi_read_csv_field f;
    double x = 0;
    fx_status s = text_of(&f, k, j, i);

    if (!s && !f.len)
        return fxi_read_fail(k->s.c, f.text, f.text, "no weight");
    if (!s)
        s = number_of(&x, &f, k, j, i);
    return s ? s : fxi_read_csv_row_weight(&k->s, x, f.text, f.len);
}

/* The buffer for names is as long as the first field that needs more, or twice what it was. */
static fx_status make_room(fxi_read_csv_row *s, size_t len)
{
    size_t need;

    if (!fxi_size_add(&need, s->t->longest + sizeof "=NA", len))
        return FX_ENOMEM;
    if (need <= s->room)
        return FX_OK;
    need = need > 2 * s->room ? need : 2 * s->room;
    char *name = fxi_realloc(s->name, need, 1);
    if (!name)
        return FX_ENOMEM;
    s->name = name;
    s->room = need;
    return FX_OK;
}

static fx_status read_category(chunk *k, size_t j, size_t i)
{
    const fxi_read_arrow_column *c = &k->b->column[j];
    fxi_read_csv_row *s = &k->s;
    const size_t before = s->sparse.n;
    const uint64_t unseen = s->c->count.unseen;
    int32_t *known = NULL;
    fxi_read_csv_field f;

    if (k->known[j] && fxi_read_arrow_valid(&c->values, i)) {
        size_t word = fxi_read_arrow_values_place(&c->values, i, c->words.n);
        known = word < c->words.n ? &k->known[j][word] : NULL;
    }
    if (known && *known >= 0)
        return fxi_read_sparse_add(&s->sparse, *known, 1);
    if (known && *known != NEW) {
        s->c->count.unseen += *known == UNSEEN;
        return FX_OK;
    }
    fx_status st = text_of(&f, k, j, i);
    if (!st)
        st = make_room(s, f.len);
    if (!st)
        st = fxi_read_csv_row_category(s, &k->column[j], f);
    if (!st && known)
        *known = s->sparse.n > before          ? s->sparse.col[before]
                 : s->c->count.unseen > unseen ? UNSEEN
                                               : NOTHING;
    return st;
}

static fx_status read_other(chunk *k, size_t j, size_t i)
{
    const fxi_csv_role role = k->column[j].role;
    fx_status s = FX_OK;
    fxi_read_csv_field f;

    if (fxi_csv_has_role(&k->column[j], FXI_CSV_QUERY) && !(s = text_of(&f, k, j, i)))
        s = fxi_read_csv_row_query(&k->s, &f);
    if (s)
        return s;
    switch (role) {
    case FXI_CSV_LABEL: return read_label(k, j, i);
    case FXI_CSV_WEIGHT: return read_weight(k, j, i);
    case FXI_CSV_ID: return (s = text_of(&f, k, j, i)) ? s : fxi_read_csv_row_id(&k->s, &f);
    case FXI_CSV_CATEGORY: return read_category(k, j, i);
    default: return FX_OK;
    }
}

/* ---- Numbers of a tile ---------------------------------------------------------------------- */
static double *place_of(const chunk *k, const tile *t, size_t q)
{
    return t->to + (k->tile ? q : k->column[k->number[q]].col);
}

static void copy_numbers(const chunk *k, tile *t)
{
    for (size_t q = 0; q < k->numbers; q++) {
        const fxi_read_arrow_column *c = &k->b->column[k->number[q]];
        double *to = place_of(k, t, q);
        if (!c->coded)
            t->odd |= !fxi_read_arrow_values_numbers(to, t->stride, &c->values, t->first, t->rows);
        for (size_t i = 0; c->coded && i < t->rows; i++)
            to[i * t->stride] = NAN;
        t->odd |= c->coded;
    }
}

/* Numbers of a row that are missing, infinite or large, or are not yet read. */
static fx_status look_at_numbers(chunk *k, const tile *t, size_t i)
{
    fx_status s = FX_OK;

    for (size_t q = 0; q < k->numbers && !s; q++) {
        const size_t j = k->number[q];
        double *x = place_of(k, t, q) + i * t->stride;
        fxi_read_csv_field f;
        if (fxi_read_usable(*x) && fabs(*x) < 0x1p53)
            continue;
        s = text_of(&f, k, j, t->first + i);
        if (!s)
            s = number_of(x, &f, k, j, t->first + i);
        if (!s && !fxi_read_usable(*x))
            s = fxi_read_csv_row_unusable(&k->s, &k->column[j], x, f.text, f.len);
    }
    return s;
}

static fx_status read_row(chunk *k, const tile *t, size_t i)
{
    fx_status s = t->odd ? look_at_numbers(k, t, i) : FX_OK;

    for (size_t q = 0, number = 0; q < k->visits && !s; q++) {
        const fxi_read_csv_column *column = &k->column[k->visit[q]];
        s = read_other(k, k->visit[q], t->first + i);
        if (!s && k->tile && column->role == FXI_CSV_NUMBER)
            s = fxi_read_csv_row_number(&k->s, column, t->to[i * t->stride + number++]);
    }
    return s ? s : fxi_read_csv_row_end(&k->s);
}

static fx_status read_tile(chunk *k, tile *t)
{
    fxi_read_chunk *c = k->s.c;
    fx_status s = FX_OK;

    copy_numbers(k, t);
    for (size_t i = 0; i < t->rows && !s; i++) {
        c->count.lines++;
        k->s.line = "";
        s = read_row(k, t, i);
    }
    if (!k->tile)
        k->s.n += t->rows * t->stride;
    return s ? s : fxi_parallel_cancelled(c->team) ? FX_ECANCELLED : FX_OK;
}

/* ---- A chunk -------------------------------------------------------------------------------- */
/* Codes of categories that are looked up once; not if most words of the dictionary are of rows
 * elsewhere. */
static fx_status open_words(chunk *k, size_t j)
{
    const fxi_read_arrow_column *c = &k->b->column[j];

    if (k->column[j].role != FXI_CSV_CATEGORY || !c->coded || c->words.n > 4 * k->s.c->lines)
        return FX_OK;
    if (!(k->known[j] = fxi_alloc(c->words.n, sizeof **k->known)))
        return FX_ENOMEM;
    for (size_t w = 0; w < c->words.n; w++)
        k->known[j][w] = NEW;
    return FX_OK;
}

static fx_status open_chunk(chunk *k)
{
    const size_t fields = k->b->fields, lines = k->s.c->lines;
    fx_status s = fxi_read_csv_row_open(&k->s, k->s.c->marks, 0);

    k->number = fxi_alloc(fields, sizeof *k->number);
    k->visit = fxi_alloc(fields, sizeof *k->visit);
    k->known = fxi_zalloc(fields, sizeof *k->known);
    if (s || !k->number || !k->visit || !k->known)
        return FX_ENOMEM;
    for (size_t j = 0; j < fields && !s; j++) {
        const fxi_csv_role role = k->column[j].role;
        if (role == FXI_CSV_NUMBER)
            k->number[k->numbers++] = j;
        if (role == FXI_CSV_UNSEEN)
            k->s.c->count.unseen += lines;
        const bool read = role != FXI_CSV_UNSEEN && role != FXI_CSV_IGNORED;
        if (k->column[j].query || (read && (k->s.r->names.used || role != FXI_CSV_NUMBER)))
            k->visit[k->visits++] = j;
        s = open_words(k, j);
    }
    return s;
}

/* Rows in a tile, and its memory. */
static fx_status open_tiles(chunk *k, tile *t, size_t *rows)
{
    const size_t lines = k->s.c->lines;

    t->stride = k->s.r->names.used ? k->numbers : k->s.r->cols;
    *rows = t->stride < TILE ? TILE / (t->stride ? t->stride : 1) : 1;
    *rows = *rows < lines ? *rows : lines;
    if (k->s.r->names.used) {
        k->tile = t->to = fxi_alloc(*rows * t->stride, sizeof *k->tile);
        return k->tile ? FX_OK : FX_ENOMEM;
    }
    k->s.val.capacity = lines * t->stride;
    k->s.val.f64 = t->to = fxi_alloc(k->s.val.capacity, sizeof *t->to);
    return t->to ? FX_OK : FX_ENOMEM;
}

static void close_chunk(chunk *k)
{
    for (size_t j = 0; k->known && j < k->b->fields; j++)
        free(k->known[j]);
    fxi_free(k->number, k->visit, k->known, k->tile);
}

fx_status fxi_read_arrow_rows(const fx_reader *r, fxi_read_chunk *c)
{
    const fxi_read_csv_state *csv = r->state;
    chunk k = {.s = {.c = c, .t = csv, .r = r}, .b = c->batch, .column = csv->column};
    tile t = {0};
    size_t rows = 0;
    fx_status s = open_chunk(&k);

    if (!s)
        s = open_tiles(&k, &t, &rows);
    for (size_t i = 0; i < c->lines && !s; i += rows) {
        t.first = c->first + i;
        t.rows = c->lines - i < rows ? c->lines - i : rows;
        t.odd = false;
        s = read_tile(&k, &t);
        if (!k.tile)
            t.to += t.rows * t.stride;
    }
    close_chunk(&k);
    if (!s && !r->names.used)
        s = fxi_read_values_narrow(&k.s.val, k.s.n);
    fxi_read_csv_row_close(&k.s, !s);
    return s;
}
