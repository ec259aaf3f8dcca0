/* SPDX-License-Identifier: BSD-3-Clause
 * array.c - the arrays of a model file, taken one after the other in the order in which dump.c
 * writes them; each must begin where the one before ends and have the shape that is expected, so
 * that every count is backed by bytes of the file. */

#include "file/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The n integers of a list, none negative. */
static bool get_sizes(size_t *out, size_t n, const fxi_json *list)
{
    if (!list || list->type != FXI_JSON_ARRAY || list->n != n)
        return false;
    const fxi_json *x = list + 1;
    for (size_t i = 0; i < n; i++, x++) {
        if (x->type != FXI_JSON_INTEGER || x->integer < 0)
            return false;
        out[i] = (size_t)x->integer;
    }
    return true;
}

bool fxi_file_array_shape(size_t out[2], const fxi_parsing *p, const char *name, size_t n)
{
    return get_sizes(out, n, fxi_json_get(fxi_json_get(p->root, name), "shape"));
}

bool fxi_file_array_is(const fxi_parsing *p, const char *name, const char *type)
{
    const fxi_json *dtype = fxi_json_get(fxi_json_get(p->root, name), "dtype");

    return dtype && dtype->type == FXI_JSON_STRING && !strcmp(dtype->text, type);
}

size_t fxi_file_array_size(const char *type) { return (size_t)strtoul(type + 1, NULL, 10) / 8; }

/* ---- Numbers, a piece at a time, so that large models can be cancelled ----------------------- */

enum { PIECE = 1 << 22 };               /* bytes */

typedef struct copying {
    const unsigned char *from;
    unsigned char *to;
    size_t bytes;
    const char *doubles;                /* the array's name, if it must be finite doubles */
} copying;

static fx_status copy_piece(void *ctx, size_t block, fxi_team *team)
{
    const copying *c = ctx;
    size_t first = block * PIECE, n = c->bytes - first < PIECE ? c->bytes - first : PIECE;
    const double *x = (const void *)(c->to + first);

    (void)team;
    memcpy(c->to + first, c->from + first, n);
    for (size_t i = 0; i < n / sizeof *x && c->doubles; i++)
        if (!isfinite(x[i]))
            return fxi_error(FX_EFORMAT, "model: number %zu of `%s` is not finite",
                             first / sizeof *x + i, c->doubles);
    return FX_OK;
}

static fx_status take(const void **out, fxi_parsing *p, const char *name, size_t bytes,
                      bool doubles)
{
    copying c = {p->data + p->at, fxi_alloc(bytes, 1), bytes, doubles ? name : NULL};
    fx_status st = fxi_model_own(p->m, c.to);

    *out = c.to;
    return st ? st : fxi_parallel((bytes + PIECE - 1) / PIECE, copy_piece, &c, p->run);
}

/* ---- Arrays --------------------------------------------------------------------------------- */

static fx_status get_array(const void **out, fxi_parsing *p, const char *name, const char *type,
                           size_t rows, size_t cols, bool finite)
{
    const fxi_json *a = fxi_json_get(p->root, name);
    size_t shape[2] = {0}, at[2], bytes;

    if (!a)
        return fxi_error(FX_EFORMAT, "model: `%s` is missing", name);
    if (a->type != FXI_JSON_OBJECT || a->n != 3 || !fxi_file_array_is(p, name, type))
        return fxi_error(FX_EFORMAT, "model: `%s` is no array of %s", name, type);
    if (!fxi_file_array_shape(shape, p, name, cols ? 2 : 1) || shape[0] != rows || shape[1] != cols)
        return fxi_error(FX_EFORMAT, "model: `%s` has another shape than %zu x %zu", name, rows,
                         cols ? cols : 1);
    if (!fxi_size_mul(&bytes, rows, fxi_file_array_size(type))
        || !fxi_size_mul(&bytes, bytes, cols ? cols : 1)
        || !get_sizes(at, 2, fxi_json_get(a, "data_offsets")) || at[0] != p->at || at[1] < at[0]
        || at[1] - at[0] != bytes || at[1] > p->size)
        return fxi_error(FX_EFORMAT, "model: `%s` does not lie where it should", name);
    fx_status st = take(out, p, name, bytes, finite);
    p->at = at[1];
    p->arrays++;
    return st;
}

fx_status fxi_file_array(const void **out, fxi_parsing *p, const char *name, const char *type,
                         size_t rows, size_t cols)
{
    return get_array(out, p, name, type, rows, cols, false);
}

fx_status fxi_file_array_doubles(const double **out, fxi_parsing *p, const char *name, size_t rows,
                                 size_t cols)
{
    const void *x = NULL;
    fx_status st = get_array(&x, p, name, "F64", rows, cols, true);

    if (!st)
        *out = x;
    return st;
}
