/* SPDX-License-Identifier: BSD-3-Clause
 * make.c - synthetic sets: the list of them, their memory, and the loop over rows.
 *
 * Row i is a function of (spec without n, seed, i): a longer set begins with a shorter one, and
 * the number of threads changes nothing.  All arithmetic is exact or correctly rounded and free of
 * libm, so sets are the same bits on every machine. */

#include "data/make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const fxi_data_set *const sets[] = {&fxi_data_make_pairs, &fxi_data_make_triples,
                                           &fxi_data_make_parity, &fxi_data_make_fields,
                                           &fxi_data_make_dense_positive};
enum { SETS = sizeof sets / sizeof *sets, PIECE = 1 << 15 };

static fx_description line(size_t i)
{
    return i < SETS ? fxi_spec_describe(sets[i]->name, sets[i]->help, sets[i]->keys)
                    : (fx_description){0};
}

const char *fx_data_make_name(size_t i) { return line(i).name; }

typedef struct loop {
    const fxi_data_set *set;
    const fxi_making *m;
    int64_t *ptr;                       /* NULL if dense, and so is col */
    int32_t *col;
    void *val;
    double *label;
    uint32_t *drawn;                    /* threads x slots */
    size_t piece;
} loop;

static fx_status make_piece(void *ctx, size_t block, fxi_team *team)
{
    const loop *l = ctx;
    const fxi_making *m = l->m;
    size_t first = block * l->piece, last = m->n - first < l->piece ? m->n : first + l->piece;
    size_t size = m->type == FX_F64 ? sizeof(double) : sizeof(float);
    uint32_t *drawn = l->drawn + (size_t)fxi_parallel_thread(team) * m->slots;

    for (size_t i = first; i < last && !fxi_parallel_cancelled(team); i++) {
        size_t at = i * m->stored;
        int32_t *col = m->dense ? NULL : l->col + at;
        for (size_t q = at; q < at + m->stored && !m->dense; q++)
            ((float *)l->val)[q] = 1;
        if (l->ptr)
            l->ptr[i + 1] = (int64_t)(at + m->stored);
        double y = l->set->row(m, i, col, (char *)l->val + at * size, drawn);
        l->label[i] = fxi_rng_uniform(fxi_data_make_row(m, i), 0) < m->noise ? -y : y;
    }
    return FX_OK;
}

fx_status fxi_data_make_one(fxi_making *m)
{
    m->feature = fxi_alloc(m->m, sizeof *m->feature);
    if (!m->feature)
        return FX_ENOMEM;
    return fxi_rng_sample(m->feature, m->m, m->cols, (fxi_rng){m->seed, FXI_DATA_MAKE}, NULL);
}

enum { DIGITS = 12 };                   /* of a column with its separator, and the end */

/* "3 17\n4 9\n": planted sets, their features ascending, from 1. */
static fx_status describe(fx_data *d, const fxi_data_set *set, const fxi_making *m)
{
    if (set->planted) {
        d->planted = fxi_strndup(set->planted, strlen(set->planted));
        return fxi_data_own(d, d->planted);
    }
    char *p = d->planted = fxi_data_alloc(d, m->k * m->m + 1, DIGITS);
    if (!p)
        return FX_ENOMEM;
    *p = '\0';
    for (size_t i = 0; i < m->k * m->m; i++)
        p += snprintf(p, DIGITS, "%zu%c", m->feature[i] + 1, (i + 1) % m->m ? ' ' : '\n');
    return FX_OK;
}

static fx_status fill(fx_data *d, const fxi_data_set *set, fxi_making *m, const fx_run *run)
{
    size_t size = m->type == FX_F64 ? sizeof(double) : sizeof(float), numbers, bytes, more;
    loop l = {.set = set, .m = m, .piece = PIECE / (m->stored + 1)};

    l.piece += l.piece == 0;
    size_t blocks = m->n / l.piece + (m->n % l.piece != 0);
    size_t threads = (size_t)fxi_parallel_threads(run, blocks);
    /* At most 2^10 threads, 2^33 slots; 2^31 planted features. */
    size_t fixed = m->extra + threads * m->slots * sizeof *l.drawn + (m->k * m->m + 1) * DIGITS;
    if (!fxi_size_mul(&numbers, m->n, m->stored)
        || !fxi_size_mul(&bytes, numbers, size + (m->dense ? 0 : sizeof(int32_t)))
        || !fxi_size_mul(&more, m->n + 1, sizeof(double) + sizeof(int64_t))
        || !fxi_size_add(&bytes, bytes, more) || !fxi_size_add(&bytes, bytes, fixed))
        return fxi_error(FX_ESHAPE, "%s: %zu rows of %zu numbers: too large", set->name, m->n,
                         m->stored);
    fx_status s = fxi_memory_check(run, bytes, set->name);
    if (s || (s = set->plant(m)))
        return s;

    fx_matrix *X = fxi_data_alloc(d, 1, sizeof *X);
    if (!X || !(l.val = fxi_data_alloc(d, numbers, size))
        || !(l.label = fxi_data_alloc(d, m->n, sizeof *l.label)))
        return FX_ENOMEM;
    if (!m->dense) {
        if (!(l.col = fxi_data_alloc(d, numbers, sizeof *l.col))
            || !(l.ptr = fxi_data_alloc(d, m->n + 1, sizeof *l.ptr)))
            return FX_ENOMEM;
        l.ptr[0] = 0;
    }
    if (!(l.drawn = fxi_zalloc(threads * m->slots, sizeof *l.drawn)))
        return FX_ENOMEM;
    *X = (fx_matrix){.rows = m->n, .cols = m->cols, .stride = m->dense ? m->cols : 0,
                     .type = m->type, .val = l.val, .ptr = l.ptr, .col = l.col};
    d->table = (fx_table){.rows = m->n, .cols = m->cols, .blocks = 1, .block = X,
                          .label = l.label, .base = 1};
    s = fxi_parallel(blocks, make_piece, &l, run);
    free(l.drawn);
    return s;
}

static fx_status start(fxi_making *m, const fxi_data_set *set, const fxi_spec *spec)
{
    uint64_t n;
    fx_status s = fxi_key_count(&n, spec, set->keys, "n");

    if (!s && fxi_key_has(set->keys, "noise"))
        s = fxi_key_number(&m->noise, spec, set->keys, "noise");
    if (s)
        return s;
    m->n = (size_t)n;
    return set->start(m, spec, set->keys);
}

fx_status fx_data_make_describe(fx_description *out, const char *spec)
{
    fxi_making m = {0};
    fxi_spec s;
    size_t which;

    if (!out)
        return fxi_error(FX_EINVAL, "fx_data_make_describe: out is NULL");
    fx_status st = fxi_sized_check(out, "fx_description");
    if (!st)
        st = fxi_spec_read(&s, &which, spec, line, "synthetic set");
    if (!st && !(st = start(&m, sets[which], &s)))
        fxi_spec_give(out, line(which));
    return st;
}

fx_status fx_data_make(fx_data **out, const char *spec, uint64_t seed, const fx_run *run)
{
    fxi_making m = {.seed = seed};
    fxi_spec parsed;
    size_t which;

    fx_status s = fxi_spec_read(&parsed, &which, spec, line, "synthetic set");
    if (!s && !out)
        s = fxi_error(FX_EINVAL, "no place is given for the set");
    if (s)
        return s;
    const fxi_data_set *set = sets[which];
    fx_data *d = fxi_data_new();
    if (!d)
        return FX_ENOMEM;
    s = start(&m, set, &parsed);
    if (!s)
        s = fill(d, set, &m, run);
    if (!s)
        s = describe(d, set, &m);
    if (!s && set->finish)
        s = set->finish(&m, d);
    fxi_free(m.feature, m.chance, m.popularity);
    if (s)
        fx_data_free(d);
    else
        *out = d;
    return s;
}
