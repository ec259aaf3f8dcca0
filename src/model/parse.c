/* SPDX-License-Identifier: BSD-3-Clause
 * parse.c - a model from the bytes of a file; nothing in them is believed.
 *
 * First the beginning (is it one of ours?) and the CRC over all bytes (is it whole?), then every
 * string and array: the arrays must stand in the order in which dump.c writes them, one behind the
 * other, with the shapes that follow from one another, to the last byte.  So every count is backed
 * by bytes of the file before anything is allocated for it.  A map's random matrix is not in the
 * file; it may take MAP_BYTES for each pair of a column and a feature, more than any map does, and
 * what asks for more is refused.
 *
 * Cost: one pass for the CRC, one for the numbers; memory for the arrays and, while the header is
 * read, for its strings and 16 bytes per value (json.c). */

#include "model/file.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAP_BYTES = 64 };

static fx_status get_content(fxi_parsing *p)
{
    fx_content *c = &p->m->c;
    struct { const char *key, **to; } texts[] = {
        {"model", &c->spec}, {"scale", &c->scale}, {"map", &c->map}, {"kernel", &c->kernel},
        {"family", &c->family}, {"reader", &c->reader}};
    uint64_t format, version, cols, random, base, rows;
    bool converged;
    size_t names;
    fx_status st;

    if ((st = fxi_model_header_count(&format, p, "format_version", UINT64_MAX)) != 0)
        return st;
    if (format > FXI_MODEL_FORMAT)
        return fxi_error(FX_EFORMAT, "written by a newer version (format %llu; this library reads "
                         "%d)", (unsigned long long)format, FXI_MODEL_FORMAT);
    if (format < 1)
        return fxi_error(FX_EFORMAT, "model: format 0; there is none before 1");
    if ((st = fxi_model_header_choice(&p->bytes, p, "text", "utf-8", "bytes")) != 0)
        return st;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if ((st = fxi_model_header_text(texts[i].to, p, texts[i].key)) != 0)
            return st;
    if ((st = fxi_model_header_count(&version, p, "version", INT32_MAX)) != 0
        || (st = fxi_model_header_count(&c->seed, p, "seed", UINT64_MAX)) != 0
        || (st = fxi_model_header_count(&cols, p, "cols", p->size)) != 0 /* a byte each at least */
        || (st = fxi_model_header_count(&random, p, "random", INT32_MAX)) != 0
        || (st = fxi_model_header_count(&base, p, "base", 1)) != 0
        || (st = fxi_model_header_count(&rows, p, "rows", SIZE_MAX)) != 0
        || (st = fxi_model_header_number(&c->objective, p, "objective")) != 0
        || (st = fxi_model_header_number(&c->gap, p, "gap")) != 0
        || (st = fxi_model_header_count(&c->iterations, p, "iterations", UINT64_MAX)) != 0
        || (st = fxi_model_header_choice(&converged, p, "converged", "no", "yes")) != 0
        || (st = fxi_model_header_classes(p)) != 0
        || (st = fxi_model_header_list(&c->name, &names, p, "names")) != 0)
        return st;
    c->version = (int)version;
    c->cols = (size_t)cols;
    c->random = (size_t)random;
    c->base = (int)base;
    c->rows = (size_t)rows;
    c->converged = converged;
    if (c->name && names != c->cols)
        return fxi_error(FX_EFORMAT, "model: %zu names for %zu columns", names, c->cols);
    return FX_OK;
}

static bool is_factors(const fxi_parsing *p) { return p->how.learner->kind == FXI_FACTORS; }

/* What only some learners have. */
static fx_status get_some(fxi_parsing *p)
{
    uint64_t n = 0;
    fx_content *c = &p->m->c;
    fx_status st = p->how.learner->kernel ? fxi_model_header_count(&n, p, "support", SIZE_MAX)
                                          : FX_OK;

    c->support = (size_t)n;
    if (!st && p->how.components)
        st = fxi_model_header_number(&c->total_variance, p, "total_variance");
    return st || !is_factors(p) ? st : fxi_model_array_factors_header(p);
}

/* ---- Arrays ------------------------------------------------------------------------------- */

/* Features are kernel values with vectors. */
static bool is_exact(const fxi_parsing *p)
{
    return p->how.learner->kernel && !*p->m->c.map && !fxi_model_kernel_is_given(&p->m->c);
}

/* What a perceptron goes on from. */
static fx_status take_perceptron(fxi_parsing *p)
{
    const fx_content *c = &p->m->c;
    const double *sum = NULL;
    const void *count = NULL;
    const void *age = NULL;
    fx_status st = fxi_model_array_doubles(&sum, p, "sums", 2 * (c->features + 1), c->outputs);

    if (!st)
        st = fxi_model_array(&count, p, "counts", "I64", sizeof(int64_t), c->outputs, 0);
    if (!st)
        st = fxi_model_array(&age, p, "ages", "I64", sizeof(int64_t), c->features, c->outputs);
    if (st)
        return st;
    if (!sum != !count)
        return fxi_error(FX_EFORMAT, "model: `sums` and `counts` belong together");
    p->m->sum = (double *)(uintptr_t)sum;       /* owned by the model: what it may change */
    p->m->count = (uint64_t *)(uintptr_t)count;
    p->m->age = (int64_t *)(uintptr_t)age;
    for (size_t i = 0; count && i < c->outputs; i++)
        if (p->m->count[i] > INT64_MAX)
            return fxi_error(FX_EFORMAT, "model: number %zu of `counts` is negative", i);
    for (size_t i = 0; age && i < c->features * c->outputs; i++)
        if (p->m->age[i] < 0)
            return fxi_error(FX_EFORMAT, "model: number %zu of `ages` is negative", i);
    return FX_OK;
}

static fx_status take_seen(fxi_parsing *p)
{
    fx_content *c = &p->m->c;
    const void *bytes = NULL;
    size_t n = (c->cols + 7) / 8 * 8;
    fx_status st = fxi_model_array(&bytes, p, "seen", "U8", 1, n, 0);

    if (st)
        return st;
    const unsigned char *seen = bytes;
    if (!seen && (*c->map || is_exact(p)))
        return fxi_error(FX_EFORMAT, "model: `seen` is missing");
    for (size_t j = 0; seen && j < n; j++)
        if (seen[j] > (j < c->cols))
            return fxi_error(FX_EFORMAT, "model: number %zu of `seen` is %d", j, seen[j]);
    if (seen && memchr(seen, 0, c->cols))
        c->seen = seen;
    return FX_OK;
}

/* How many outputs do spec and classes make? */
static fx_status count_outputs(const fxi_parsing *p)
{
    fx_content *c = &p->m->c;
    size_t want = p->how.components ? p->how.components : c->classes > 2 ? c->classes : 1;

    c->pairs = c->classes > 2 && p->how.learner->kernel && p->how.learner->loss;
    if (c->pairs && !fxi_model_pairs(&want, c->classes))
        want = SIZE_MAX;
    return c->outputs == want ? FX_OK : fxi_error(FX_EFORMAT, "model: %zu outputs, %zu classes",
                                                  c->outputs, c->classes);
}

static fx_status take_arrays(fxi_parsing *p)
{
    fx_content *c = &p->m->c;
    size_t shape[2] = {0};
    fx_status st;

    if (!fxi_model_array_shape(shape, p, "weights", 2))
        return fxi_error(FX_EFORMAT, "model: `weights` has no shape");
    c->features = shape[0];
    c->outputs = shape[1];
    if ((st = count_outputs(p)) != 0)
        return st;
    if (!*c->map && !is_exact(p) && c->features != c->cols)
        return fxi_error(FX_EFORMAT, "model: %zu weights, %zu columns", c->features, c->cols);
    if ((st = fxi_model_array_doubles(&c->weights, p, "weights", c->features, c->outputs)) != 0
        || (st = fxi_model_array_doubles(&c->intercepts, p, "intercepts", c->outputs, 0)) != 0
        || (st = fxi_model_array_doubles(&c->sigmoid, p, "sigmoid", c->outputs, 2)) != 0
        || (st = fxi_model_array_doubles(&c->factors, p, "factors", c->cols, 0)) != 0
        || (st = take_perceptron(p)) != 0
        || (st = fxi_model_array_doubles(&c->variance, p, "variance", c->outputs, 0)) != 0
        || (is_factors(p) && (st = fxi_model_array_factors(p)) != 0)
        || (is_exact(p) && (st = fxi_model_array_vectors(p)) != 0) || (st = take_seen(p)) != 0)
        return st;
    for (size_t i = 0; *c->map && i < c->features * c->outputs; i++)
        if (fabs(c->weights[i]) > FLT_MAX)      /* features of a map meet them in floats */
            return fxi_error(FX_EFORMAT, "model: number %zu of `weights` is %g", i, c->weights[i]);
    const void *crc = NULL;
    if ((st = fxi_model_array(&crc, p, "crc", "U32", sizeof(uint32_t), 1, 0)) != 0)
        return st;
    if (!c->intercepts || !crc)
        return fxi_error(FX_EFORMAT, "model: `%s` is missing", crc ? "intercepts" : "crc");
    if (p->at != p->size || p->root->n != p->arrays + 1)
        return fxi_error(FX_EFORMAT, "model: there are arrays that no model of this format has");
    return is_factors(p) ? fxi_model_array_factors_take(p) : FX_OK;
}

/* ---- What the specs say ------------------------------------------------------------------- */

/* What the specs of a kernel machine leave open: is it exact, precomputed or collapsed? */
static fx_status check_kernel(const fxi_parsing *p)
{
    const fx_content *c = &p->m->c;
    bool map = *c->map, collapsed = !strncmp(c->map, "explicit", 8) && p->how.learner->loss;

    if (!*c->kernel && (map || p->how.learner->kernel))
        return fxi_error(FX_EFORMAT, "%s without a kernel", map ? c->map : c->spec);
    if (p->how.learner->kernel ? map && !collapsed : *c->kernel && !map)
        return fxi_error(FX_EFORMAT, "%s with kernel %s, map `%s`", c->spec, c->kernel, c->map);
    return !is_exact(p) || c->support == c->features
               ? FX_OK
               : fxi_error(FX_EFORMAT, "%zu vectors, support is %zu", c->features, c->support);
}

static fx_status check_learner(const fxi_parsing *p)
{
    const fx_model *m = p->m;
    const fx_content *c = &m->c;
    const fxi_learner *l = p->how.learner;
    bool online = l->kind == FXI_ONLINE;
    bool targets = is_factors(p) ? p->how.task != FXI_CLASSIFY : l->loss ? l->loss->regress : !online;

    if (targets != (c->classes == 0))
        return fxi_error(FX_EFORMAT, "%s with %zu classes", c->spec, c->classes);
    if (!!m->sum != (online && !fxi_model_kernel_is_given(c)) || (c->sigmoid && !c->classes))
        return fxi_error(FX_EFORMAT, "`%s` and %s do not go together", m->sum ? "sums" : "sigmoid",
                         c->spec);
    if (!m->age != !(m->sum && l->kernel) || !c->variance != !p->how.components)
        return fxi_error(FX_EFORMAT, "`%s` and %s do not go together", m->age ? "ages" : "variance",
                         c->spec);
    for (size_t k = 0; c->variance && k < c->outputs; k++)
        if (c->variance[k] < 0)
            return fxi_error(FX_EFORMAT, "number %zu of `variance` is %g", k, c->variance[k]);
    if (!(c->total_variance >= 0 && c->total_variance <= DBL_MAX))
        return fxi_error(FX_EFORMAT, "`total_variance` is %g", c->total_variance);
    return is_factors(p) ? FX_OK : check_kernel(p);
}

static fx_status check_scale(const fx_content *c)
{
    fx_scale *s = NULL;
    fx_status st = fxi_model_rows_scale(&s, c);

    if (!st && !c->factors != !(s && fx_data_scale_factors(s, NULL)))
        st = fxi_error(FX_EFORMAT, "scale `%s` with%s factors", c->scale, c->factors ? "" : "out");
    fx_data_scale_free(s);
    return st;
}

/* The map that the weights are for.  explicit asks for nothing, others never for more than they
 * make. */
static fx_status make_map(fx_model *m, const fx_run *run)
{
    const fx_content *c = &m->c;
    fx_run within = run ? *run : (fx_run){0};
    size_t most;

    if (!*c->map)
        return fxi_model_ready(m, run);
    if (c->random > c->features && strncmp(c->map, "explicit", 8) != 0)
        return fxi_error(FX_EFORMAT, "%zu random features, weights for %zu", c->random,
                         c->features);
    if (!fxi_size_mul(&most, c->features + 1024, c->cols + 1024)
        || !fxi_size_mul(&most, most, MAP_BYTES))
        most = SIZE_MAX;
    bool own = !within.max_memory || within.max_memory > most;
    if (own)
        within.max_memory = most;
    fx_status st = fxi_model_ready(m, &within);
    return st == FX_ELIMIT && own ? fxi_error(FX_EFORMAT, "%s is not for %zu features of %zu "
                                              "columns", c->map, c->features, c->cols) : st;
}

static fx_status check_specs(const fxi_parsing *p)
{
    fx_status st = check_learner(p);

    if (!st)
        st = check_scale(&p->m->c);
    return st ? st : make_map(p->m, p->run);
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
    if (!(st = fxi_model_header_open(&p, bytes, len)) && !(st = get_content(&p))
        && !(st = fxi_model_header_blame(fxi_model_learner(&p.how, p.m->c.spec)))
        && !(st = get_some(&p)) && !(st = take_arrays(&p)))
        st = fxi_model_header_blame(check_specs(&p));
    free(p.root);
    free(p.how.spec);
    if (st) {
        fx_model_free(p.m);
        return st;
    }
    *out = p.m;
    return FX_OK;
}
