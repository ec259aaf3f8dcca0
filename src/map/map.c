/* SPDX-License-Identifier: BSD-3-Clause
 * map.c - the table of maps, and maps from spec strings. */

#include "map/map.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const fxi_map_type *const table[] = {
#define MAP(name) &fxi_map_##name,
#include "map/map.def"
};
enum { MAPS = sizeof table / sizeof *table };

/* Names for a map with some keys set. */
static const fxi_spec_alias alias[] = {{"scrk", "rk", "projection=circulant,signs=row"}, {0}};
enum { ALIASES = sizeof alias / sizeof *alias - 1 };

/* Aliases after the maps, for messages: they have been expanded before a name is looked up. */
static fx_description line(size_t i)
{
    static const fx_key no_keys[] = {{0}};
    fx_description d = i < MAPS ? fxi_spec_describe(table[i]->name, table[i]->help, table[i]->keys)
                       : i < MAPS + ALIASES ? fxi_spec_describe(alias[i - MAPS].name, "", no_keys)
                                            : (fx_description){0};

    if (i < MAPS) {
        d.kernels = table[i]->kernels;
        d.composed = table[i]->composed;
        d.explainable = table[i]->explained;
        d.exact = table[i]->exact;
        d.independent = table[i]->independent;
        d.norm = table[i]->l2 ? 2 : 1;
    }
    return d;
}

const char *fx_map_name(size_t i) { return i < MAPS ? table[i]->name : NULL; }
const char *fx_map_spec(const fx_map *m) { return m->spec; }
size_t fx_map_features(const fx_map *m) { return m->features; }

void fx_map_free(fx_map *m)
{
    if (!m)
        return;
    if (m->type->free)
        m->type->free(m);
    fx_kernel_free(m->kernel);
    fxi_free(m->spec, m);
}

void fxi_map_resolve(fx_map *m, const char *key, const char *format, ...)
{
    size_t i = 0, n = sizeof m->resolved / sizeof *m->resolved;
    va_list args;

    while (i + 1 < n && m->resolved[i].key && strcmp(m->resolved[i].key, key) != 0)
        i++;
    m->resolved[i].key = key;
    va_start(args, format);
    vsnprintf(m->resolved[i].value, sizeof m->resolved[i].value, format, args);
    va_end(args);
}

/* ---- Which map serves which kernel -------------------------------------------------------- */

static bool serves(const fxi_map_type *t, const fx_kernel *k)
{
    if (k->inner && !t->composed)
        return false;
    for (size_t i = 0; t->kernels[i]; i++)
        if (!strcmp(t->kernels[i], k->type->name))
            return true;
    return false;
}

static fx_status not_served(const fxi_map_type *t, const fx_kernel *k)
{
    char kernels[256] = "", maps[128] = "";

    for (size_t i = 0; t->kernels[i]; i++)
        fxi_spec_list(kernels, sizeof kernels, t->kernels[i]);
    for (size_t i = 0; i < MAPS; i++)
        if (serves(table[i], k))
            fxi_spec_list(maps, sizeof maps, table[i]->name);
    return fxi_error(FX_EUNSUPPORTED, "%s serves %s, not %s; maps for that: %s", t->name, kernels,
                     k->spec, *maps ? maps : "none");
}

/* ---- From a spec -------------------------------------------------------------------------- */

/* What init resolved replaces or joins the pairs of the spec. */
static char *complete_spec(fx_map *m, fxi_spec s)
{
    for (size_t i = 0; i < sizeof m->resolved / sizeof *m->resolved && m->resolved[i].key; i++)
        fxi_spec_set(&s, m->resolved[i].key, m->resolved[i].value);
    return fxi_spec_complete(&s, m->type->keys);
}

static fx_status make(fx_map **out, const char *spec, const fx_kernel *k, fx_map like,
                      const fx_matrix *sample, const fx_run *run)
{
    fxi_spec s;
    size_t i;
    fx_status st = fxi_spec_read(&s, &i, spec, line, "map");

    if (st)
        return st;
    if (!serves(table[i], k))
        return not_served(table[i], k);

    fx_map *m = fxi_alloc(1, sizeof *m);
    if (!m)
        return FX_ENOMEM;
    *m = like;
    m->type = table[i];
    m->kernel = fxi_kernel_share(k);
    m->simd = fxi_simd_get();
    m->features = m->random;
    m->rows = FXI_LANES;
    if (m->like < m->random)
        m->like = m->random;
    st = m->type->init(m, &s, sample, run);
    if (!st && !(m->spec = complete_spec(m, s)))
        st = FX_ENOMEM;
    if (st) {
        fx_map_free(m);
        return st;
    }
    *out = m;
    return FX_OK;
}

fx_status fx_map_describe(fx_description *out, const char *spec)
{
    const char *sets;
    char *expanded;
    fxi_spec s;
    size_t i;

    if (!out || !spec)
        return fxi_error(FX_EINVAL, "fx_map_describe: %s is NULL", out ? "spec" : "out");
    fx_status st = fxi_sized_check(out, "fx_description");
    if (st || (st = fxi_spec_expand(&expanded, &sets, spec, alias)))
        return st;
    if (!(st = fxi_spec_read(&s, &i, expanded ? expanded : spec, line, "map"))) {
        fx_description d = line(i);
        d.sets = sets;
        fxi_spec_give(out, d);
    }
    free(expanded);
    return st;
}

fx_status fx_map_parse(fx_map **out, const char *spec, const fx_kernel *k, size_t cols,
                       size_t features, uint64_t seed, const fx_matrix *sample, const fx_run *run)
{
    const char *sets;
    char *expanded;
    fx_status st;

    if (!out || !spec || !k)
        return fxi_error(FX_EINVAL, "fx_map_parse: %s is NULL",
                         !out    ? "out"
                         : !spec ? "spec"
                                 : "k");
    if (cols < 1 || cols > INT32_MAX)
        return fxi_error(FX_ESHAPE, "a map of %zu columns; there must be 1 to %d", cols, INT32_MAX);
    if (features > INT32_MAX)
        return fxi_error(FX_ESHAPE, "%zu features; at most %d are offered", features, INT32_MAX);
    if ((st = fxi_sized_run_check(run)) || (sample && (st = fxi_data_check(sample, "sample", run))))
        return st;
    if (sample && sample->cols != cols)
        return fxi_error(FX_ESHAPE, "the sample has %zu columns, the map %zu", sample->cols, cols);
    if ((st = fxi_spec_expand(&expanded, &sets, spec, alias)) != 0)
        return st;
    st = make(out, expanded ? expanded : spec, k,
              (fx_map){.cols = cols, .random = features, .seed = seed}, sample, run);
    free(expanded);
    return st;
}

fx_status fxi_map_inner(fx_map **out, const char *spec, const fx_kernel *k, size_t cols,
                        size_t random, size_t like, uint64_t seed, uint64_t stream,
                        const fx_run *run)
{
    return make(
        out, spec, k,
        (fx_map){.cols = cols, .random = random, .like = like, .seed = seed, .stream = stream},
        NULL, run);
}
