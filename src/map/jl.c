/* SPDX-License-Identifier: BSD-3-Clause
 * jl.c - the linear kernel by a random projection: Z(x) = W x / sqrt(D), W of independent entries,
 * Gaussian (stored, project/dense.c) or signs (as bits, project/packed.c).
 *
 * With probability 1 - delta lengths are preserved within a factor 1 +- O(sqrt(ln(1/delta)/D)) for
 * any number of columns [1], so D ~ ln(n)/eps^2 features preserve all distances of n rows.
 *
 * Cost: O(D nz) per row.  Accuracy: that of the projection.
 *
 * [1] W. Johnson, J. Lindenstrauss. Extensions of Lipschitz mappings into a Hilbert space.
 *     Contemporary Mathematics 26 (1984). */

#include "map/map.h"

#include <math.h>
#include <stdlib.h>

typedef struct scratch {
    float *x;                           /* [entries], times 1/sqrt(D) */
    void *project;
} scratch;

static size_t space(const fx_map *m, size_t entries)
{
    return fxi_project_rounded(sizeof(scratch)) + fxi_project_rounded(entries * sizeof(float))
           + ((const fxi_project *)m->state)->space;
}

static void prepare(void *base, const fx_map *m, const fxi_tile *t, const double *x)
{
    const fxi_project *w = m->state;
    double scale = 1 / sqrt((double)m->random);
    size_t n = t->first[t->rows];
    scratch *s = base;
    char *at = base;

    fxi_project_carve(&at, sizeof *s);
    s->x = fxi_project_carve(&at, n * sizeof *s->x);
    s->project = at;
    for (size_t e = 0; e < n; e++)
        s->x[e] = (float)(x[e] * scale);
    w->type->prepare(s->project, w, t, s->x);
}

static void block(float *z, const fx_map *m, void *base, size_t b)
{
    const fxi_project *w = m->state;

    w->type->apply(z, w, ((scratch *)base)->project, b);
}

static const fx_key keys[] = {
    {"dist", "gaussian", FXI_CHOICE("gaussian|rademacher"), "distribution of the random numbers"},
    {0}};
static const char *const kernels[] = {"linear", NULL};

static fx_status init(fx_map *m, const fxi_spec *s, const fx_matrix *sample, const fx_run *run)
{
    fxi_project *w = m->state = fxi_zalloc(1, sizeof *w);
    int signs = 0;
    fx_status st;

    (void)sample;
    if (!w)
        return FX_ENOMEM;
    if ((st = fxi_key_choice(&signs, s, keys, "dist")) != 0)
        return st;
    if (m->random == 0)
        return fxi_error(FX_EINVAL, "jl: there must be at least one feature");
    *w = (fxi_project){.type = signs ? &fxi_project_packed : &fxi_project_dense,
                       .rows = m->random,
                       .cols = m->cols,
                       .like = m->like,
                       .scale = 1,
                       .law = signs ? FXI_LAW_SIGN : FXI_LAW_GAUSSIAN,
                       .seed = m->seed,
                       .stream = m->stream};
    if ((st = fxi_project_new(w, run)) != 0)
        return st;
    m->width = w->width;
    m->blocks = w->blocks;
    m->lanes = w->lanes;
    return FX_OK;
}

static fx_status variance(double *one, double *all, const fx_map *m, const fxi_pair *p)
{
    fxi_moments sums = fxi_map_variance_moments(p);

    *one = fxi_map_variance_jl(&sums, ((const fxi_project *)m->state)->law);
    *all = *one / (double)m->random;
    return FX_OK;
}

static void release(fx_map *m)
{
    fxi_project_free(m->state);
    free(m->state);
}

const fxi_map_type fxi_map_jl = {
    .name = "jl", .help = "random projection",
    .keys = keys, .kernels = kernels, .independent = true, .l2 = true, .init = init,
    .free = release, .space = space, .prepare = prepare, .block = block, .variance = variance};
