/* SPDX-License-Identifier: BSD-3-Clause
 * array.c - the arrays of a model file, taken one after the other in the order in which dump.c
 * writes them; each must lie right behind the one before and have the shape that is expected, so
 * that every count is backed by bytes of the file. */

#include "model/file.h"

#include <math.h>
#include <string.h>

/* The n integers of a list, none negative. */
static bool get_sizes(size_t *out, size_t n, const fxi_json *list)
{
    const fxi_json *x = list + 1;

    if (list->type != FXI_JSON_ARRAY || list->n != n)
        return false;
    for (size_t i = 0; i < n; i++, x++) {
        if (x->type != FXI_JSON_INTEGER || x->integer < 0)
            return false;
        out[i] = (size_t)x->integer;
    }
    return true;
}

bool fxi_model_array_shape(size_t out[2], const fxi_parsing *p, const char *name, size_t n)
{
    const fxi_json *list = fxi_json_get(fxi_json_get(p->root, name), "shape");

    return list && get_sizes(out, n, list);
}

bool fxi_model_array_is(const fxi_parsing *p, const char *name, const char *type)
{
    const fxi_json *dtype = fxi_json_get(fxi_json_get(p->root, name), "dtype");

    return dtype && dtype->type == FXI_JSON_STRING && !strcmp(dtype->text, type);
}

static bool lies_at(size_t out[2], const fxi_json *a)
{
    const fxi_json *list = fxi_json_get(a, "data_offsets");

    return list && get_sizes(out, 2, list);
}

fx_status fxi_model_array(const void **out, fxi_parsing *p, const char *name, const char *type,
                          size_t size, size_t rows, size_t cols)
{
    const fxi_json *a = fxi_json_get(p->root, name);
    size_t shape[2] = {0}, at[2], bytes;

    if (!a)
        return FX_OK;
    if (a->type != FXI_JSON_OBJECT || a->n != 3 || !fxi_model_array_is(p, name, type))
        return fxi_error(FX_EFORMAT, "model: `%s` is no array of %s", name, type);
    if (!fxi_model_array_shape(shape, p, name, cols ? 2 : 1) || shape[0] != rows
        || shape[1] != cols)
        return fxi_error(FX_EFORMAT, "model: `%s` has another shape than %zu x %zu", name, rows,
                         cols ? cols : 1);
    if (!fxi_size_mul(&bytes, rows, size) || !fxi_size_mul(&bytes, bytes, cols ? cols : 1)
        || !lies_at(at, a) || at[0] != p->at || at[1] < at[0] || at[1] - at[0] != bytes
        || at[1] > p->size)
        return fxi_error(FX_EFORMAT, "model: `%s` does not lie where it should", name);
    unsigned char *copied = fxi_alloc(bytes, 1);
    if (copied)
        memcpy(copied, p->data + p->at, bytes);
    *out = copied;
    p->at = at[1];
    p->arrays++;
    return fxi_model_own(p->m, copied);
}

fx_status fxi_model_array_doubles(const double **out, fxi_parsing *p, const char *name, size_t rows,
                                  size_t cols)
{
    const void *x = NULL;
    fx_status st = fxi_model_array(&x, p, name, "F64", sizeof **out, rows, cols);

    if (st || !x)
        return st;
    *out = x;
    for (size_t i = 0; i < rows * (cols ? cols : 1); i++)
        if (!isfinite((*out)[i]))
            return fxi_error(FX_EFORMAT, "model: number %zu of `%s` is not finite", i, name);
    return FX_OK;
}

/* Dense in one array, or CSR in three. */
fx_status fxi_model_array_vectors(fxi_parsing *p)
{
    fx_content *c = &p->m->c;
    fx_matrix v = {.rows = c->features, .cols = c->cols};
    const void *ptr = NULL;
    size_t n[2] = {0};
    bool sparse = fxi_json_get(p->root, "vector_ptr") != NULL;
    const char *name = sparse ? "vector_val" : "vectors";
    fx_status st = fxi_model_array(&ptr, p, "vector_ptr", "I64", 8, c->features + 1, 0);

    if (st)
        return st;
    if (!c->cols)
        return fxi_error(FX_EFORMAT, "model: vectors without columns");
    if (!sparse && !fxi_json_get(p->root, "vectors"))
        return fxi_error(FX_EFORMAT, "model: `vectors` are missing");
    v.type = fxi_model_array_is(p, name, "F32") ? FX_F32 : FX_F64;
    size_t size = v.type == FX_F32 ? 4 : 8;
    const char *type = v.type == FX_F32 ? "F32" : "F64";
    if (!sparse) {
        v.stride = c->cols;
        st = fxi_model_array(&v.val, p, name, type, size, v.rows, v.cols);
    } else {
        v.ptr = ptr;
        v.wide = fxi_model_array_is(p, "vector_col", "I64");
        if (!fxi_model_array_shape(n, p, name, 1) || v.ptr[0] != 0
            || v.ptr[v.rows] != (int64_t)n[0])
            return fxi_error(FX_EFORMAT, "model: `vector_ptr` and `%s` do not go together", name);
        if (v.wide)
            st = fxi_model_array(&v.col, p, "vector_col", "I64", 8, n[0], 0);
        if (!st)
            st = fxi_model_array(&v.val, p, name, type, size, n[0], 0);
        if (!st && !v.wide)
            st = fxi_model_array(&v.col, p, "vector_col", "I32", 4, n[0], 0);
        if (!st && !v.col)
            return fxi_error(FX_EFORMAT, "model: `vector_col` is missing");
    }
    c->vectors = v;
    return st ? st : fxi_model_header_blame(fxi_data_check(&v, "vectors", p->run));
}
