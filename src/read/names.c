/* SPDX-License-Identifier: BSD-3-Clause
 * names.c - columns by name: sparse rows of names and values, from categories and from text.
 *
 * Columns are, in one of three ways:
 *   - numbered as names first appear in the input, after those that are fixed beforehand: a chunk
 *     numbers its own names, chunks are joined in the order of the file, so the numbers depend
 *     neither on threads nor on how the input was cut;
 *   - given (fx_data_reader_names): other names are unseen, counted and left out, or numbered
 *     after those (fx_data_reader_names_more);
 *   - hashed to 2^bits: column = top bits of (h ^ h >> 32) * 0x9e3779b97f4a7c15, where h is the
 *     64-bit FNV-1a hash of the name's bytes.  Names are still collected, to count those that
 *     share a column, unless they were given: then memory does not grow with the input.
 * Rows are sorted when their columns are known: given or hashed ones at the end of the row, so that
 * an error has its line, the others when chunks are joined.  Values of equal columns are added, or
 * stay 1 (binary).  O(length) a name on average. */

#include "read/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t fxi_read_names_hash(const char *name, size_t len, unsigned bits)
{
    uint64_t h = 0xcbf29ce484222325u;

    for (size_t i = 0; i < len; i++)
        h = (h ^ (unsigned char)name[i]) * 0x100000001b3u;
    return (size_t)((h ^ h >> 32) * 0x9e3779b97f4a7c15u >> (64 - bits));
}

typedef struct fixing {
    fxi_data_classes *all;
    const char *const *name;
    size_t n, *twice;
} fixing;

static fx_status fix(void *ctx, size_t part, fxi_team *team)
{
    const fixing *f = ctx;
    fx_status s = FX_OK;

    (void)part;
    for (size_t i = 0, number; i < f->n && !s; i++) {
        s = fxi_data_classes_add(&number, f->all, f->name[i], strlen(f->name[i]), team);
        if (!s && number != i) {
            *f->twice = i;
            s = FX_EINVAL;              /* the caller knows where the names are */
        }
    }
    return s;
}

fx_status fxi_read_names_fix(fx_reader *r, const char *const *name, size_t n, size_t *twice)
{
    fixing f = {&r->names.all, name, n, twice};

    if (n > FX_INDEX_MAX)
        return fxi_error(FX_ESHAPE, "%s: %zu names of columns", r->name, n);
    r->names.fixed = n;
    return fxi_parallel_ordered(1, fix, &f, NULL);
}

fx_status fxi_read_names_distinct(const char *const *name, size_t n, size_t *twice)
{
    fxi_data_classes all = {0};
    fixing f = {&all, name, n, twice};
    fx_status s = fxi_parallel_ordered(1, fix, &f, NULL);

    fxi_data_classes_free(&all);
    return s;
}

/* ---- A chunk -------------------------------------------------------------------------------- */
fx_status fxi_read_names_value(fxi_read_sparse *s, const fx_reader *r, fxi_read_chunk *c,
                               const char *name, size_t len, double x)
{
    const fxi_read_names *names = &r->names;
    size_t number = 0;

    if (names->given && !names->bits) {
        bool found = fxi_data_classes_find(&number, &names->all, name, len);
        if (found && number < names->fixed)
            return fxi_read_sparse_add(s, (int64_t)number, x);
        c->count.unseen += !names->more;
        if (!names->more)
            return FX_OK;
    }
    if (!names->given || names->more) {
        fx_status st = fxi_data_classes_add(&number, &c->names, name, len, c->team);
        if (st)
            return st;
    }
    number = names->bits ? fxi_read_names_hash(name, len, names->bits) : names->fixed + number;
    return fxi_read_sparse_add(s, (int64_t)number, x);
}

fx_status fxi_read_names_row(fxi_read_sparse *s, const fx_reader *r, fxi_read_chunk *c,
                             const char *line)
{
    if (fxi_read_names_known(&r->names)) {
        const size_t from = (size_t)s->ptr[c->rows];
        fxi_read_merged m;
        fx_status st = fxi_read_sparse_merge(&m, s, from, s->n, from, r->names.binary, c->team);
        if (st)
            return st;
        if (m.overflow != FXI_NO_COLUMN)
            return fxi_read_fail(c, line, line,
                                 "the sum of the values that share column %d "
                                 "is out of range",
                                 (int)m.overflow);
        s->n = m.end;
    }
    s->ptr[++c->rows] = (int64_t)s->n;
    return FX_OK;
}

/* ---- Joining -------------------------------------------------------------------------------- */
/* Hashed names are counted: all of them, and those that are not alone in their column. */
static fx_status count(fx_reader *r, const char *name, size_t len, size_t number, size_t before)
{
    fxi_read_names *n = &r->names;
    size_t cols = (size_t)1 << n->bits, col = fxi_read_names_hash(name, len, n->bits);

    if (!n->first) {
        n->first = fxi_zalloc(cols, sizeof *n->first);
        n->shared = fxi_zalloc(cols, sizeof *n->shared);
        if (!n->first || !n->shared)
            return FX_ENOMEM;
    }
    if (number < before)
        return FX_OK;
    r->count.names++;
    if (!n->first[col])
        n->first[col] = (uint32_t)number + 1;
    else {
        r->count.collisions += n->shared[col] ? 1 : 2;
        n->shared[col] = 1;
    }
    return FX_OK;
}

fx_status fxi_read_names_number(fx_reader *r, fxi_read_chunk *c, fxi_team *team)
{
    fx_status s = FX_OK;

    if (r->names.given && !r->names.more)
        return FX_OK;
    c->column = fxi_alloc(c->names.n, sizeof *c->column);
    if (!c->column)
        return FX_ENOMEM;
    for (size_t i = 0; i < c->names.n && !s; i++) {
        const char *name = c->names.text + c->names.at[i];
        size_t len = strlen(name), number = 0, before = r->names.all.n;
        s = fxi_data_classes_add(&number, &r->names.all, name, len, team);
        if (!s && number >= FX_INDEX_MAX)
            s = fxi_error(FX_ESHAPE, "%s: more than %d names of columns", r->name, FX_INDEX_MAX);
        if (!s && r->names.bits)
            s = count(r, name, len, number, before);
        c->column[i] = (int32_t)number;
        if (fxi_data_stopped(i, team))
            s = FX_ECANCELLED;
    }
    fxi_data_classes_free(&c->names);
    return s;
}

fx_status fxi_read_names_sort(const fx_reader *r, fxi_read_chunk *c, fxi_team *team)
{
    fx_matrix *m = &c->matrix;
    int64_t *ptr = (int64_t *)m->ptr;
    const int32_t fixed = (int32_t)r->names.fixed;
    fx_status s = FX_OK;

    if (!c->rows)
        return FX_OK;
    const size_t all = (size_t)ptr[c->rows];
    fxi_read_sparse x = {.col = (int32_t *)m->col, .val = {.capacity = all}, .n = all};
    if (m->type == FX_F32)
        x.val.f32 = (float *)m->val;
    else
        x.val.f64 = (double *)m->val;
    fxi_read_merged merged = {0};       /* never beyond: a number and ones are added */
    size_t from = 0;
    for (size_t i = 0; i < c->rows && !s; i++) {
        const size_t end = (size_t)ptr[i + 1];
        for (size_t q = from; q < end; q++)
            x.col[q] = x.col[q] < fixed ? x.col[q] : c->column[x.col[q] - fixed];
        s = fxi_read_sparse_merge(&merged, &x, from, end, merged.end, r->names.binary, team);
        ptr[i + 1] = (int64_t)merged.end;
        from = end;
        if (!s && i % 256 == 255 && fxi_parallel_cancelled(team))
            s = FX_ECANCELLED;
    }
    fxi_read_order_free(&x.order);
    m->val = fxi_read_values_take(&x.val, &m->type, merged.end);
    m->col = fxi_read_values_shrink(x.col, merged.end, all, sizeof *x.col);
    return s;
}

/* ---- Taking --------------------------------------------------------------------------------- */
fx_status fxi_read_names_take(fx_reader *r, const fx_run *run)
{
    const fxi_read_names *n = &r->names;
    const bool by_first = n->bits && !n->given; /* a column's name is the first one found */
    const size_t cols = n->bits ? (size_t)1 << n->bits : n->all.n, number = 12;
    size_t bytes = n->all.text_len + (by_first ? cols * number : 0);
    fx_status s = fxi_memory_check(run, bytes + cols * sizeof(char *), "names of columns");

    if (s)
        return s;
    char *text = fxi_data_alloc(r->data, bytes, 1), *p;
    const char **name = fxi_data_alloc(r->data, cols, sizeof *name);
    if (!text || !name)
        return FX_ENOMEM;
    if (n->all.text_len)
        memcpy(text, n->all.text, n->all.text_len);
    p = text + n->all.text_len;
    for (size_t j = 0; j < cols; j++) {
        if (!by_first)
            name[j] = text + n->all.at[j];
        else if (n->first && n->first[j])
            name[j] = text + n->all.at[n->first[j] - 1];
        else {
            name[j] = p;
            p += snprintf(p, number, "#%u", (unsigned)j) + 1;
        }
    }
    r->data->table.name = name;
    r->cols = cols;
    return FX_OK;
}

void fxi_read_names_free(fxi_read_names *n)
{
    fxi_data_classes_free(&n->all);
    free(n->first);
    free(n->shared);
}
