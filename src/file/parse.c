/* SPDX-License-Identifier: BSD-3-Clause
 * parse.c - a model from the bytes of a file; every byte of them is checked.
 *
 * First the beginning and the CRC over all bytes, then every string and array: the arrays must be
 * in the order in which dump.c writes them, without gaps, with the shapes that follow from one
 * another, to the last byte.  So every count is backed by bytes of the file before anything is
 * allocated for it.  A map's random matrix is not in the file; it may take MAP_BYTES for each pair
 * of a column and a feature, more than any map does, and a map that needs more is rejected.
 *
 * Cost: one pass for the CRC, one for the numbers; memory for the arrays and, while the header is
 * read, for its strings and 16 bytes per value (json.c). */

#include "file/file.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAP_BYTES = 64 };

static fx_status get_content(fxi_parsing *p)
{
    fx_model_info *c = &p->m->c;
    struct { const char *key, **to; } texts[] = {
        {"model", &c->spec}, {"scale", &c->scale}, {"map", &c->map}, {"kernel", &c->kernel},
        {"family", &c->family}, {"reader", &c->reader}};
    uint64_t format, version, cols, random, base, rows, split = 0;
    bool converged;
    size_t names;
    fx_status st;

    if ((st = fxi_file_header_count(&format, p, "format_version", UINT64_MAX)) != 0)
        return st;
    if (format > FXI_MODEL_FORMAT)
        return fxi_error(FX_EFORMAT,
                         "written by a newer version (format %llu; this library reads %d)",
                         (unsigned long long)format, FXI_MODEL_FORMAT);
    if (format < 1)
        return fxi_error(FX_EFORMAT, "model: format 0; there is none before 1");
    if ((st = fxi_file_header_choice(&p->bytes, p, "text", "utf-8", "bytes")) != 0)
        return st;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if ((st = fxi_file_header_text(texts[i].to, p, texts[i].key)) != 0)
            return st;
    if ((st = fxi_file_header_count(&version, p, "version", INT32_MAX)) != 0
        || (st = fxi_file_header_count(&c->seed, p, "seed", UINT64_MAX)) != 0
        || (st = fxi_file_header_count(&cols, p, "cols", p->size)) != 0 /* a byte each at least */
        || (st = fxi_file_header_count(&random, p, "random", INT32_MAX)) != 0
        || (st = fxi_file_header_count(&base, p, "base", 1)) != 0
        || (st = fxi_file_header_count(&rows, p, "rows", SIZE_MAX)) != 0
        || (st = fxi_file_header_number(&c->objective, p, "objective")) != 0
        || (st = fxi_file_header_number(&c->gap, p, "gap")) != 0
        || (st = fxi_file_header_count(&c->iterations, p, "iterations", UINT64_MAX)) != 0
        || (st = fxi_file_header_choice(&converged, p, "converged", "no", "yes")) != 0
        || (fxi_json_get(p->meta, "remark")
            && (st = fxi_file_header_text(&c->remark, p, "remark")) != 0)
        || (fxi_json_get(p->meta, "weight")
            && (st = fxi_file_header_number(&c->weight, p, "weight")) != 0)
        || (fxi_json_get(p->meta, "split")
            && (st = fxi_file_header_count(&split, p, "split", cols)) != 0)
        || (fxi_json_get(p->meta, "first_reader")
            && (st = fxi_file_header_text(&c->side_reader[FX_FIRST], p, "first_reader")) != 0)
        || (fxi_json_get(p->meta, "second_reader")
            && (st = fxi_file_header_text(&c->side_reader[FX_SECOND], p, "second_reader")) != 0)
        || (st = fxi_file_header_classes(p)) != 0
        || (st = fxi_file_header_list(&c->name, &names, p, "names")) != 0)
        return st;
    c->version = (int)version;
    c->cols = (size_t)cols;
    c->random = (size_t)random;
    c->split = (size_t)split;
    c->base = (int)base;
    c->rows = (size_t)rows;
    c->converged = converged;
    p->by_column = !*c->map;
    if ((st = fxi_file_missing_header(p, format)) != 0 || (st = fxi_file_later_parse(p)) != 0)
        return st;
    if (!(c->weight >= 0 && c->weight < INFINITY))
        return fxi_error(FX_EFORMAT, "model: the weight of the training is %g", c->weight);
    if (c->split >= c->inputs && c->split)
        return fxi_error(FX_EFORMAT, "model: `split` is %zu of %zu columns", c->split, c->inputs);
    if (c->name && names != c->cols)
        return fxi_error(FX_EFORMAT, "model: %zu names for %zu columns", names, c->cols);
    return FX_OK;
}

/* ---- Arrays ------------------------------------------------------------------------------- */

static fx_status take_seen(fxi_parsing *p)
{
    fx_model_info *c = &p->m->c;
    const void *bytes = NULL;
    size_t n = (c->cols + 7) / 8 * 8;
    fx_status st;

    if (p->by_column && !fxi_json_get(p->root, "seen"))
        return FX_OK;
    if ((st = fxi_file_array(&bytes, p, "seen", "U8", n, 0)))
        return st;
    const unsigned char *seen = bytes;
    for (size_t j = 0; j < n; j++)
        if (seen[j] > (j < c->cols))
            return fxi_error(FX_EFORMAT, "model: number %zu of `seen` is %d", j, seen[j]);
    if (memchr(seen, 0, c->cols))
        c->seen = seen;
    return FX_OK;
}

/* Checks that the file has weights for as many outputs as spec and classes give. */
static fx_status check_outputs(const fxi_parsing *p, size_t outputs)
{
    fx_model_info *c = &p->m->c;

    return !fxi_model_outputs(c, &p->how) && c->outputs == outputs
               ? FX_OK
               : fxi_error(FX_EFORMAT, "model: %zu outputs, %zu classes", outputs, c->classes);
}

static fx_status take_optional(const double **out, fxi_parsing *p, const char *name, size_t rows,
                               size_t cols)
{
    return fxi_json_get(p->root, name) ? fxi_file_array_doubles(out, p, name, rows, cols) : FX_OK;
}

static fx_status take_arrays(fxi_parsing *p)
{
    fx_model_info *c = &p->m->c;
    size_t shape[2] = {0};
    fx_status st;

    if (!fxi_file_array_shape(shape, p, "weights", 2))
        return fxi_error(FX_EFORMAT, "model: `weights` has no shape");
    c->features = shape[0];
    if ((st = check_outputs(p, shape[1])) != 0)
        return st;
    if (p->by_column && c->features != c->cols)
        return fxi_error(FX_EFORMAT, "model: %zu weights, %zu columns", c->features, c->cols);
    if ((st = fxi_file_array_doubles(&c->weights, p, "weights", c->features, c->outputs)) != 0
        || (st = fxi_file_array_doubles(&c->intercepts, p, "intercepts", c->outputs, 0)) != 0
        || (st = take_optional(&c->sigmoid, p, "sigmoid", c->outputs, 2)) != 0
        || (st = take_optional(&c->column_scale, p, "factors", c->cols, 0)) != 0
        || (st = fxi_file_missing_arrays(p)) != 0
        || (p->how.kind->parse_arrays && (st = p->how.kind->parse_arrays(p)) != 0)
        || (st = take_seen(p)) != 0)
        return st;
    for (size_t i = 0; *c->map && i < c->features * c->outputs; i++)
        if (fabs(c->weights[i]) > FLT_MAX)      /* a map's features are floats */
            return fxi_error(FX_EFORMAT, "model: number %zu of `weights` is %g", i, c->weights[i]);
    const void *crc = NULL;
    if ((st = fxi_file_array(&crc, p, "crc", "U32", 1, 0)) != 0)
        return st;
    if (p->at != p->size || p->root->n != p->arrays + 1)
        return fxi_error(FX_EFORMAT, "model: there are arrays that no model of this format has");
    return FX_OK;
}

/* ---- What the specs say ------------------------------------------------------------------- */

static fx_status check_labels(const fxi_parsing *p)
{
    const fx_model_info *c = &p->m->c;

    if ((p->how.task != FXI_CLASSIFY) != (c->classes == 0))
        return fxi_error(FX_EFORMAT, "%s with %zu classes", c->spec, c->classes);
    return c->sigmoid && !c->classes
               ? fxi_error(FX_EFORMAT, "`sigmoid` and %s do not go together", c->spec)
               : FX_OK;
}

static fx_status check_scale(const fx_model_info *c)
{
    fx_scale *s = NULL;
    fx_status st = fxi_model_rows_scale(&s, c);

    if (!st && !c->column_scale != !(s && fx_data_scale_columns(s, NULL)))
        st = fxi_error(FX_EFORMAT, "scale `%s` with%s factors", c->scale,
                       c->column_scale ? "" : "out");
    fx_data_scale_free(s);
    return st;
}

/* The map of the weights.  explicit needs no number of features; for others it is at most what they
 * make. */
fx_status fxi_file_parse_map(fx_model *m, const fx_run *run)
{
    const fx_model_info *c = &m->c;
    fx_run within = fxi_sized_run(run);
    size_t max;

    if (!*c->map)
        return fxi_model_ready(m, run);
    if (c->random > c->features && !fxi_spec_named(c->map, "explicit"))
        return fxi_error(FX_EFORMAT, "%zu random features, weights for %zu", c->random,
                         c->features);
    if (!fxi_size_mul(&max, c->features + 1024, c->cols + 1024)
        || !fxi_size_mul(&max, max, MAP_BYTES))
        max = SIZE_MAX;
    bool own = !within.max_memory || within.max_memory > max;
    if (own)
        within.max_memory = max;
    fx_status st = fxi_model_ready(m, &within);
    if (st == FX_ELIMIT && own)
        return fxi_error(FX_EFORMAT, "%s is not for %zu features of %zu columns", c->map,
                         c->features, c->cols);
    return st;
}

static fx_status check_specs(fxi_parsing *p)
{
    fx_status st = check_labels(p);

    if (!st)
        st = check_scale(&p->m->c);
    return st ? st : p->how.kind->parsed(p);
}

fx_status fx_model_parse(fx_model **out, const void *bytes, size_t len, const fx_run *run)
{
    fxi_parsing p = {.run = run};
    fx_status st;

    if (!out || !bytes)
        return fxi_error(FX_EINVAL, "fx_model_parse: %s is NULL", out ? "bytes" : "out");
    if ((st = fxi_memory_check(run, len, "the model")) != 0)
        return st;
    if (!(p.m = fxi_model_new()))
        return FX_ENOMEM;
    if (!(st = fxi_file_header_open(&p, bytes, len)) && !(st = get_content(&p))
        && !(st = fxi_file_header_error(fxi_model_learner(&p.how, p.m->c.spec)))
        && !(st = fxi_model_become(p.m, &p.how))
        && !(st = p.how.kind->parse_header ? p.how.kind->parse_header(&p) : FX_OK)
        && !(st = take_arrays(&p)))
        st = fxi_file_header_error(check_specs(&p));
    free(p.root);
    fxi_model_learner_free(&p.how);
    if (st) {
        fx_model_free(p.m);
        return st;
    }
    *out = p.m;
    return FX_OK;
}
