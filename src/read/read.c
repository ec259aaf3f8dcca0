/* SPDX-License-Identifier: BSD-3-Clause
 * read.c - what the formats call: labels and messages of a chunk of lines, sparse rows, and the
 * rows that the reader has collected.  It calls no format. */

#include "read/read.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- A chunk of lines ----------------------------------------------------------------------- */
fx_status fxi_read_fail(fxi_read_chunk *c, const char *line, const char *at, const char *format,
                        ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(c->reason, sizeof c->reason, format, args);
    va_end(args);
    c->error_line = c->count.lines;
    c->error_column = (size_t)(at - line) + 1;
    return FX_EFORMAT;
}

fx_status fxi_read_error(const fx_reader *r, uint64_t line, size_t column, const char *reason)
{
    if (r->batches && !line)
        return fxi_error(FX_EFORMAT, "%s: %s", r->name, reason);
    if (r->batches)
        return fxi_error(FX_EFORMAT, "%s: row %llu (from 0): %s", r->name,
                         (unsigned long long)line - 1, reason);
    const char *name = fxi_read_sources_name(&line, r, line);

    return fxi_error(FX_EFORMAT, "%s:%llu:%zu: %s", name, (unsigned long long)line, column, reason);
}

fx_status fxi_read_label(fxi_read_chunk *c, const char *line, const char *at, const char *s,
                         size_t len)
{
    char excerpt[FXI_EXCERPT];
    const char *odd, *byte;
    double x;
    fxi_label kind = fxi_decimal_read(&x, s, s + len) == s + len ? FXI_LABEL_NUMBER
                                                                 : FXI_LABEL_TEXT;

    if (kind == FXI_LABEL_NUMBER && !fxi_read_usable(x))
        return fxi_read_fail(c, line, at, "the label %s is not a finite number in range",
                             fxi_data_text_excerpt(excerpt, s, len));
    if (kind == FXI_LABEL_TEXT && (odd = fxi_data_text_odd(&byte, s, len)))
        return fxi_read_fail(c, line, at + (byte - s), "%s", odd);
    if (c->kind == FXI_LABEL_NONE) {
        c->kind = kind;
        c->first_line = c->count.lines;
        c->first_column = (size_t)(at - line) + 1;
        c->first_row = c->rows;
        fxi_data_text_excerpt(c->first_label, s, len);
    }
    if (kind != c->kind) {
        c->mixed = true;
        return fxi_read_fail(c, line, at, "%s", fxi_data_text_excerpt(excerpt, s, len));
    }
    if (kind == FXI_LABEL_TEXT) {
        size_t number;
        fx_status st = fxi_data_classes_add(&number, &c->classes, s, len, c->team);
        if (st)
            return st;
        x = (double)number;
    }
    c->label[c->rows] = x;
    return FX_OK;
}

/* ---- Sparse rows ---------------------------------------------------------------------------- */
fx_status fxi_read_sparse_open(fxi_read_sparse *s, size_t lines, size_t entries)
{
    *s = (fxi_read_sparse){.lines = lines, .entries = entries};
    s->ptr = fxi_alloc(lines + 1, sizeof *s->ptr);
    s->col = fxi_alloc(entries, sizeof *s->col);
    if (!s->ptr || !s->col)
        return FX_ENOMEM;
    s->ptr[0] = 0;
    return fxi_read_values_new(&s->val, entries);
}

fx_status fxi_read_sparse_merge(fxi_read_merged *out, fxi_read_sparse *x, size_t from, size_t end,
                                size_t to, bool binary, fxi_team *team)
{
    bool ascending = true;
    fx_status s = FX_OK;

    *out = (fxi_read_merged){to, FXI_NO_COLUMN, FXI_NO_COLUMN};
    for (size_t i = from + 1; i < end; i++)
        ascending &= x->col[i - 1] <= x->col[i];
    if (!ascending) {
        void *val = x->val.f32 ? (void *)(x->val.f32 + from) : x->val.f64 + from;
        s = fxi_read_order_row(&x->order, x->col + from, 0, val, x->val.f32 ? FX_F32 : FX_F64,
                               end - from, team);
    }
    for (size_t i = from; i < end && !s;) {
        const int32_t col = x->col[i];
        double sum = fxi_read_values_get(&x->val, i);
        while (++i < end && x->col[i] == col) {
            sum += binary ? 0 : fxi_read_values_get(&x->val, i);
            out->twice = out->twice == FXI_NO_COLUMN ? col : out->twice;
        }
        bool missing = sum != sum;      /* nan=keep */
        if (!missing && !fxi_read_usable(sum) && out->overflow == FXI_NO_COLUMN)
            out->overflow = col;
        if (x->val.f32 && !missing && (double)(float)sum != sum)        /* later entries are still
                                                                         * needed */
            s = fxi_read_values_widen(&x->val, x->n);
        x->col[out->end] = col;
        if (!s)
            s = fxi_read_values_set(&x->val, out->end++, sum);
    }
    return s;
}

void fxi_read_sparse_close(fxi_read_sparse *s, fxi_read_chunk *c, bool good)
{
    fxi_read_order_free(&s->order);
    if (good) {
        c->matrix.rows = c->rows;
        c->matrix.val = fxi_read_values_take(&s->val, &c->matrix.type, s->n);
        c->matrix.ptr = fxi_read_values_shrink(s->ptr, c->rows + 1, s->lines + 1, sizeof *s->ptr);
        c->matrix.col = fxi_read_values_shrink(s->col, s->n, s->entries, sizeof *s->col);
        return;
    }
    free(s->ptr);
    free(s->col);
    fxi_read_values_free(&s->val);
}

/* ---- The reader ----------------------------------------------------------------------------- */
fx_status fxi_read_check(const fx_reader *r)
{
    if (!r)
        return fxi_error(FX_EINVAL, "no reader");
    if (r->failed)
        return fxi_error(FX_EINVAL, "%s: this reader has failed and can only be freed", r->name);
    return FX_OK;
}

fx_status fxi_read_note(fx_reader *r, fx_status s)
{
    r->failed |= s < 0;
    return s;
}

fx_status fxi_read_state(fx_reader *r, size_t size)
{
    r->state = fxi_zalloc(1, size);
    return r->state ? FX_OK : FX_ENOMEM;
}

fx_status fxi_read_data(fx_reader *r)
{
    if (!r->data)
        r->data = fxi_data_new();
    return r->data ? FX_OK : FX_ENOMEM;
}

fx_status fxi_read_block(fx_reader *r, fx_matrix m)
{
    void *array[] = {(void *)m.val, (void *)m.ptr, (void *)m.col};
    fx_status s = fxi_read_data(r);

    if (!s && r->blocks == r->block_capacity) {
        size_t capacity = r->block_capacity ? 2 * r->block_capacity : 4;
        fx_matrix *more = fxi_realloc(r->block, capacity, sizeof *more);
        if (more) {
            r->block = more;
            r->block_capacity = capacity;
        } else
            s = FX_ENOMEM;
    }
    for (size_t i = 0; i < sizeof array / sizeof *array; i++) {
        if (s)
            free(array[i]);
        else if (array[i])
            s = fxi_data_own(r->data, array[i]);
    }
    if (s)
        return s;
    r->block[r->blocks++] = m;
    r->rows += m.rows;
    r->count.rows += m.rows;
    r->count.entries += m.ptr ? (uint64_t)m.ptr[m.rows] : (uint64_t)m.rows * m.cols;
    return FX_OK;
}

/* Doubled when full: the kernel moves large arrays without copying or touching the new half. */
fx_status fxi_read_reserve(fx_reader *r, size_t n)
{
    size_t need, capacity = r->row_capacity ? r->row_capacity : 64;

    if (!fxi_size_add(&need, r->rows, n))
        return fxi_error(FX_ENOMEM, "%zu rows and %zu more", r->rows, n);
    if (need <= r->row_capacity)
        return FX_OK;
    while (capacity < need && fxi_size_mul(&capacity, capacity, 2)) {
    }
    double *label = fxi_realloc(r->label, capacity, sizeof *label);
    if (!label)
        return FX_ENOMEM;
    r->label = label;
    if (r->qid) {
        int64_t *qid = fxi_realloc(r->qid, capacity, sizeof *qid);
        if (!qid)
            return FX_ENOMEM;
        r->qid = qid;
    }
    if (r->weight) {
        double *weight = fxi_realloc(r->weight, capacity, sizeof *weight);
        if (!weight)
            return FX_ENOMEM;
        r->weight = weight;
    }
    r->row_capacity = capacity;
    return FX_OK;
}
