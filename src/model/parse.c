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
 * read, about ten times its length. */

#include "model/file.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAP_BYTES = 64 };

/* Sorted and distinct; numbers are written as featcross writes them. */
static fx_status get_classes(fxi_parsing *p)
{
    fx_content *c = &p->m->c;
    bool numbers = false, fine;
    fx_status st = fxi_model_header_list(&c->class_name, &c->classes, p, "classes");

    if (st || !c->class_name)
        return st;
    if (c->classes < 2)
        return fxi_error(FX_EFORMAT, "model: classes: there are %zu", c->classes);
    if ((st = fxi_model_header_choice(&numbers, p, "class_type", "text", "number")) != 0)
        return st;
    double *value = numbers ? fxi_alloc(c->classes, sizeof *value) : NULL;
    if (numbers && (st = fxi_model_own(p->m, value)) != 0)
        return st;
    for (size_t i = 0; i < c->classes; i++) {
        const char *text = c->class_name[i], *end = text + strlen(text);
        char again[32];
        if (numbers) {
            fine = fxi_decimal_read(&value[i], text, end) == end && isfinite(value[i])
                   && fxi_decimal_write(again, value[i]) && !strcmp(again, text)
                   && (!i || value[i - 1] < value[i]);
        } else
            fine = !i || strcmp(c->class_name[i - 1], text) < 0;
        if (!fine)
            return fxi_error(FX_EFORMAT, "model: class %zu is out of order%s", i,
                             numbers ? " or no number in shortest form" : "");
    }
    c->class_value = value;
    return FX_OK;
}

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
        || (st = get_classes(p)) != 0
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

/* ---- Arrays ------------------------------------------------------------------------------- */

static bool pair(size_t out[2], const json_t *list, size_t n)
{
    bool fine = json_is_array(list) && json_array_size(list) == n;

    for (size_t i = 0; fine && i < n; i++) {
        const json_t *x = json_array_get(list, i);
        fine = json_is_integer(x) && json_integer_value(x) >= 0;
        out[i] = fine ? (size_t)json_integer_value(x) : 0;
    }
    return fine;
}

/* The next array of the file, rows x cols (cols 0: one dimension).  *out stays if it is missing. */
static fx_status take(const void **out, fxi_parsing *p, const char *name, const char *type,
                      size_t size, size_t rows, size_t cols)
{
    const json_t *a = json_object_get(p->root, name);
    const char *dtype = json_string_value(json_object_get(a, "dtype"));
    size_t shape[2] = {0}, at[2], bytes;

    if (!a)
        return FX_OK;
    if (!json_is_object(a) || json_object_size(a) != 3 || !dtype || strcmp(dtype, type) != 0)
        return fxi_error(FX_EFORMAT, "model: `%s` is no array of %s", name, type);
    if (!pair(shape, json_object_get(a, "shape"), cols ? 2 : 1) || shape[0] != rows
        || shape[1] != cols)
        return fxi_error(FX_EFORMAT, "model: `%s` has another shape than %zu x %zu", name, rows,
                         cols ? cols : 1);
    if (!fxi_size_mul(&bytes, rows, size) || !fxi_size_mul(&bytes, bytes, cols ? cols : 1)
        || !pair(at, json_object_get(a, "data_offsets"), 2) || at[0] != p->at || at[1] < at[0]
        || at[1] - at[0] != bytes || at[1] > p->size)
        return fxi_error(FX_EFORMAT, "model: `%s` does not lie where it should", name);
    unsigned char *copied = fxi_alloc(bytes, 1);
    if (copied)
        memcpy(copied, p->data + p->at, bytes);
    *out = copied;
    p->at = at[1];
    p->arrays++;
    return fxi_model_own(p->m, copied);
}

static fx_status take_doubles(const double **out, fxi_parsing *p, const char *name, size_t rows,
                              size_t cols)
{
    const void *x = NULL;
    fx_status st = take(&x, p, name, "F64", sizeof **out, rows, cols);

    if (st || !x)
        return st;
    *out = x;
    for (size_t i = 0; i < rows * (cols ? cols : 1); i++)
        if (!isfinite((*out)[i]))
            return fxi_error(FX_EFORMAT, "model: number %zu of `%s` is not finite", i, name);
    return FX_OK;
}

/* What a perceptron goes on from. */
static fx_status take_perceptron(fxi_parsing *p)
{
    const fx_content *c = &p->m->c;
    const double *sum = NULL;
    const void *count = NULL;
    fx_status st = take_doubles(&sum, p, "sums", 2 * (c->features + 1), c->outputs);

    if (!st)
        st = take(&count, p, "counts", "I64", sizeof(int64_t), c->outputs, 0);
    if (st)
        return st;
    if (!sum != !count)
        return fxi_error(FX_EFORMAT, "model: `sums` and `counts` belong together");
    p->m->sum = (double *)(uintptr_t)sum;       /* owned by the model: what it may change */
    p->m->count = (uint64_t *)(uintptr_t)count;
    for (size_t i = 0; count && i < c->outputs; i++)
        if (p->m->count[i] > INT64_MAX)
            return fxi_error(FX_EFORMAT, "model: number %zu of `counts` is negative", i);
    return FX_OK;
}

static fx_status take_seen(fxi_parsing *p)
{
    fx_content *c = &p->m->c;
    const void *bytes = NULL;
    size_t n = (c->cols + 7) / 8 * 8;
    fx_status st = take(&bytes, p, "seen", "U8", 1, n, 0);

    if (st)
        return st;
    const unsigned char *seen = bytes;
    if (!seen && *c->map)
        return fxi_error(FX_EFORMAT, "model: `seen` is missing");
    for (size_t j = 0; seen && j < n; j++)
        if (seen[j] > (j < c->cols))
            return fxi_error(FX_EFORMAT, "model: number %zu of `seen` is %d", j, seen[j]);
    if (seen && memchr(seen, 0, c->cols))
        c->seen = seen;
    return FX_OK;
}

static fx_status take_arrays(fxi_parsing *p)
{
    fx_content *c = &p->m->c;
    size_t shape[2] = {0};
    fx_status st;

    if (!pair(shape, json_object_get(json_object_get(p->root, "weights"), "shape"), 2))
        return fxi_error(FX_EFORMAT, "model: `weights` has no shape");
    c->features = shape[0];
    c->outputs = shape[1];
    if (c->outputs != (c->classes > 2 ? c->classes : 1))
        return fxi_error(FX_EFORMAT, "model: %zu outputs, %zu classes", c->outputs, c->classes);
    if (!*c->map && c->features != c->cols)
        return fxi_error(FX_EFORMAT, "model: %zu weights, %zu columns", c->features, c->cols);
    if ((st = take_doubles(&c->weights, p, "weights", c->features, c->outputs)) != 0
        || (st = take_doubles(&c->intercepts, p, "intercepts", c->outputs, 0)) != 0
        || (st = take_doubles(&c->sigmoid, p, "sigmoid", c->outputs, 2)) != 0
        || (st = take_doubles(&c->factors, p, "factors", c->cols, 0)) != 0
        || (st = take_perceptron(p)) != 0 || (st = take_seen(p)) != 0)
        return st;
    for (size_t i = 0; *c->map && i < c->features * c->outputs; i++)
        if (fabs(c->weights[i]) > FLT_MAX)      /* features of a map meet them in floats */
            return fxi_error(FX_EFORMAT, "model: number %zu of `weights` is %g", i, c->weights[i]);
    const void *crc = NULL;
    if ((st = take(&crc, p, "crc", "U32", sizeof(uint32_t), 1, 0)) != 0)
        return st;
    if (!c->intercepts || !crc)
        return fxi_error(FX_EFORMAT, "model: `%s` is missing", crc ? "intercepts" : "crc");
    if (p->at != p->size || json_object_size(p->root) != p->arrays + 1)
        return fxi_error(FX_EFORMAT, "model: there are arrays that no model of this format has");
    return FX_OK;
}

/* ---- What the specs say ------------------------------------------------------------------- */

static fx_status check_learner(const fx_model *m)
{
    const fx_content *c = &m->c;
    fxi_learning how;
    fx_status st = fxi_model_learner(&how, c->spec);

    if (st)
        return st;
    free(how.spec);
    const fxi_loss *loss = how.learner->loss;
    if ((loss && loss->regress) != (c->classes == 0))
        return fxi_error(FX_EFORMAT, "%s with %zu classes", c->spec, c->classes);
    if (!loss != !!m->sum || (c->sigmoid && !c->classes))
        return fxi_error(FX_EFORMAT, "`%s` and %s do not go together", m->sum ? "sums" : "sigmoid",
                         c->spec);
    return FX_OK;
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
        return FX_OK;
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

static fx_status check_specs(fx_model *m, const fx_run *run)
{
    char why[400];
    fx_status st = check_learner(m);

    if (!st)
        st = check_scale(&m->c);
    if (!st)
        st = make_map(m, run);
    if (!st || st == FX_ENOMEM || st == FX_ELIMIT || st == FX_ECANCELLED)
        return st;
    snprintf(why, sizeof why, "%s", fx_error_detail());
    return fxi_error(FX_EFORMAT, "model: %s", why);
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
        && !(st = take_arrays(&p)))
        st = check_specs(p.m, run);
    json_decref(p.root);
    if (st) {
        fx_model_free(p.m);
        return st;
    }
    *out = p.m;
    return FX_OK;
}
