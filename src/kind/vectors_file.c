/* SPDX-License-Identifier: BSD-3-Clause
 * vectors_file.c - the vectors of a kernel machine in a file; none if its kernel is precomputed, or
 * if it collapsed. */

#include "kind/kind.h"

#include <string.h>

void fxi_kind_vectors_file_header(fxi_dumping *d)
{
    fxi_file_dump_header_count(d, "support", d->m->c.support_vectors);
}

static void dump_matrix(fxi_dumping *d, const fx_matrix *v)
{
    const char *real = v->type == FX_F32 ? "F32" : "F64";
    size_t stored = v->ptr ? (size_t)v->ptr[v->rows] : 0;

    if (!v->ptr) {
        fxi_file_dump_array(d, "vectors", real, v->val, v->rows, v->cols);
        return;
    }
    fxi_file_dump_array(d, "vector_ptr", "I64", v->ptr, v->rows + 1, 0);
    if (v->wide)
        fxi_file_dump_array(d, "vector_col", "I64", v->col, stored, 0);
    fxi_file_dump_array(d, "vector_val", real, v->val, stored, 0);
    if (!v->wide)
        fxi_file_dump_array(d, "vector_col", "I32", v->col, stored, 0);
}

void fxi_kind_vectors_file_dump(fxi_dumping *d)
{
    if (fxi_kind_kernel_exact(d->m))
        dump_matrix(d, &d->m->c.vectors);
}

/* ---- Reading ------------------------------------------------------------------------------ */

fx_status fxi_kind_vectors_file_support(fxi_parsing *p)
{
    fx_model_info *c = &p->m->c;
    uint64_t n = 0;
    fx_status st = fxi_file_header_count(&n, p, "support", SIZE_MAX);

    c->support_vectors = (size_t)n;
    if (st)
        return st;
    if (!*c->kernel)
        return fxi_error(FX_EFORMAT, "model: %s without a kernel", c->spec);
    st = fxi_file_header_error(fx_kernel_parse(&p->m->kernel, c->kernel, c->family, c->base));
    p->by_column &= !fxi_kind_kernel_exact(p->m);
    return st;
}

/* Dense in one array, or CSR in three. */
fx_status fxi_kind_vectors_file_take(fxi_parsing *p)
{
    fx_model_info *c = &p->m->c;
    fx_matrix v = {.rows = c->features, .cols = c->cols};
    const void *ptr = NULL;
    size_t n[2] = {0};
    bool sparse = fxi_json_get(p->root, "vector_ptr") != NULL;
    const char *name = sparse ? "vector_val" : "vectors";
    fx_status st = FX_OK;

    if (*c->map || p->by_column)
        return FX_OK;                   /* there are none */
    if (sparse && (st = fxi_file_array(&ptr, p, "vector_ptr", "I64", c->features + 1, 0)))
        return st;
    if (!c->cols)
        return fxi_error(FX_EFORMAT, "model: vectors without columns");
    if (!sparse && !fxi_json_get(p->root, "vectors"))
        return fxi_error(FX_EFORMAT, "model: `vectors` are missing");
    v.type = fxi_file_array_is(p, name, "F32") ? FX_F32 : FX_F64;
    const char *type = v.type == FX_F32 ? "F32" : "F64";
    if (!sparse) {
        v.stride = c->cols;
        st = fxi_file_array(&v.val, p, name, type, v.rows, v.cols);
    } else {
        v.ptr = ptr;
        v.wide = fxi_file_array_is(p, "vector_col", "I64");
        if (!fxi_file_array_shape(n, p, name, 1) || v.ptr[0] != 0
            || v.ptr[v.rows] != (int64_t)n[0])
            return fxi_error(FX_EFORMAT, "model: `vector_ptr` and `%s` do not go together", name);
        if (v.wide)
            st = fxi_file_array(&v.col, p, "vector_col", "I64", n[0], 0);
        if (!st)
            st = fxi_file_array(&v.val, p, name, type, n[0], 0);
        if (!st && !v.wide)
            st = fxi_file_array(&v.col, p, "vector_col", "I32", n[0], 0);
    }
    c->vectors = v;
    return st ? st : fxi_file_header_error(fxi_data_check(&v, "vectors", p->run));
}

fx_status fxi_kind_vectors_file_parsed(fxi_parsing *p)
{
    const fx_model_info *c = &p->m->c;
    bool collapsed = fxi_spec_named(c->map, "explicit") && p->how.loss;

    if (*c->map && !collapsed)
        return fxi_error(FX_EFORMAT, "%s with kernel %s, map `%s`", c->spec, c->kernel, c->map);
    if (c->vectors.cols && c->support_vectors != c->features)
        return fxi_error(FX_EFORMAT, "%zu vectors, support is %zu", c->features,
                         c->support_vectors);
    return fxi_file_parse_map(p->m, p->run);
}
