/* SPDX-License-Identifier: BSD-3-Clause
 * fourier.c - random Fourier features [1] of kernels of differences: K(x - y) = E cos(<w, x - y>),
 * w from the spectral law of K.
 *
 *   rbf         normal with variance 2 gamma
 *   laplacian   Cauchy with scale gamma
 *   cauchy      Laplace, density exp(-|w|/gamma)/(2 gamma)
 *
 * cos-sin: D/2 projections, (cos, sin)(<w, x>)/sqrt(D/2), whose product is cos(<w, x - y>)/(D/2).
 * cos: sqrt(2/D) cos(<w, x> + b), b uniform on a turn.  With K = K(x - y) and K' = K(2(x - y)) the
 * variances are (1 + K' - 2 K^2)/D and (1 + K'/2 - K^2)/D: pairs have less unless K' > 2 K^2.
 *
 * A block of w projections becomes a block of 2w features, cosines first; sines directly follow the
 * cosines, also if the block is cut.
 *
 * Cost: the projection and 0.5 ns per feature.  Accuracy: an angle is a float; beyond the
 * projection's own error its cosine errs by 2e-7.
 *
 * [1] A. Rahimi, B. Recht. Random Features for Large-Scale Kernel Machines. NIPS 2007.  Its b has
 *     one entry a feature, not one an input. */

#include "map/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STRUCTURED = 32 };               /* columns from which the fast transform pays */
enum { CHUNK = 1 << 16 };               /* offsets that are drawn together */

typedef struct fourier {
    fxi_project w;
    float scale;
    float *b;                           /* [blocks * width], or NULL: pairs */
} fourier;

typedef struct scratch {
    size_t rows;
    bool lanes;                         /* they stand side by side */
    float *x;                           /* [entries] */
    void *project;
    float *y;                           /* [width * FXI_LANES] projections, or b for all lanes */
} scratch;

/* ---- Drawing ------------------------------------------------------------------------------ */

static void set_law(fxi_project *w, const fx_kernel *k)
{
    if (k->type == &fxi_kernel_rbf) {
        w->law = FXI_LAW_GAUSSIAN;
        w->scale = sqrt(2 * k->gamma);
    } else if (k->type == &fxi_kernel_laplacian) {
        w->law = FXI_LAW_CAUCHY;
        w->scale = k->gamma;
    } else {                            /* the law has variance 1, density scale sqrt(1/2) */
        w->law = FXI_LAW_LAPLACE;
        w->scale = k->gamma * sqrt(2);
    }
}

static fx_status set_form(fxi_project *w, fx_map *m, int choice)
{
    static const fxi_project_type *const form[] = {
        NULL, &fxi_project_dense, &fxi_project_circulant, &fxi_project_hadamard};
    bool rbf = m->kernel->type == &fxi_kernel_rbf;

    w->type = form[choice];
    if (!w->type)
        w->type = rbf && m->cols >= STRUCTURED ? &fxi_project_hadamard : &fxi_project_dense;
    if (w->type == &fxi_project_hadamard && !rbf)
        return fxi_error(FX_EUNSUPPORTED,
                         "rff: projection=hadamard has normal rows and serves rbf, not %s; "
                         "possible: dense, circulant",
                         m->kernel->type->name);
    fxi_map_resolve(m, "projection", "%s", w->type->name);
    return FX_OK;
}

static fx_status draw_chunk(void *ctx, size_t b, fxi_team *team)
{
    const fx_map *m = ctx;
    const fourier *f = m->state;
    const fxi_project use = {.seed = m->seed, .stream = m->stream + 1};
    size_t first = b * CHUNK, last = m->random - first < CHUNK ? m->random : first + CHUNK;

    (void)team;
    for (size_t s = first; s < last; s++)
        f->b[s] = (float)(6.28318530717958647693 * fxi_rng_uniform(fxi_project_rng(&use, 0, 0), s));
    return FX_OK;
}

static fx_status draw_offsets(fourier *f, fx_map *m, const fx_run *run)
{
    size_t padded = f->w.blocks * f->w.width;
    fx_status st = fxi_memory_check(run, padded * sizeof *f->b, "the offsets of rff");

    if (st)
        return st;
    if (!(f->b = fxi_zalloc(padded, sizeof *f->b)))
        return FX_ENOMEM;
    return fxi_parallel((m->random + CHUNK - 1) / CHUNK, draw_chunk, m, run);
}

static const fx_key keys[] = {
    {"features", "cos-sin", FXI_CHOICE("cos-sin|cos"), "pairs of cos and sin, or shifted cos"},
    {"projection", "auto", FXI_CHOICE("auto|dense|circulant|hadamard"),
     "form of the random matrix; auto: chosen by kernel and size"}, {0}};

static fx_status init(fx_map *m, const fxi_spec *s, const fx_matrix *sample, const fx_run *run)
{
    int offset, form;
    fx_status st = fxi_key_choice(&offset, s, keys, "features");

    (void)sample;
    if (st || (st = fxi_key_choice(&form, s, keys, "projection")) != 0)
        return st;
    if (m->random < 1 || (!offset && m->random % 2))
        return fxi_error(FX_EINVAL, "rff:features=%s makes %s; %zu features cannot be had",
                         offset ? "cos" : "cos-sin",
                         offset ? "one feature or more" : "pairs of features", m->random);
    size_t each = offset ? 1 : 2;
    fourier *f = m->state = fxi_zalloc(1, sizeof *f);
    if (!f)
        return FX_ENOMEM;
    fxi_project w = {.rows = m->random / each, .cols = m->cols, .like = m->like / each,
                     .seed = m->seed, .stream = m->stream};
    set_law(&w, m->kernel);
    if ((st = set_form(&w, m, form)) != 0 || (st = fxi_project_new(&w, run)) != 0)
        return st;
    f->w = w;
    f->scale = (float)sqrt(2 / (double)m->random);
    m->width = f->w.width * each;
    m->blocks = f->w.blocks;
    m->lanes = f->w.lanes;
    return offset ? draw_offsets(f, m, run) : FX_OK;
}

static void release(fx_map *m)
{
    fourier *f = m->state;

    if (!f)
        return;
    fxi_project_free(&f->w);
    free(f->b);
    free(f);
}

/* ---- Mapping ------------------------------------------------------------------------------ */

static size_t space(const fx_map *m, size_t entries)
{
    const fourier *f = m->state;

    return sizeof(scratch) + (entries + f->w.width * FXI_LANES) * sizeof(float) + f->w.space
           + 4 * 64;                    /* what carving rounds up */
}

static void prepare(void *base, const fx_map *m, const fxi_tile *t, const double *x)
{
    const fourier *f = m->state;
    scratch *s = base;
    char *at = base;
    size_t n = t->first[t->rows];

    fxi_project_carve(&at, sizeof *s);
    s->rows = t->rows;
    s->lanes = fxi_map_lanes(m, t);
    s->x = fxi_project_carve(&at, n * sizeof *s->x);
    s->y = fxi_project_carve(&at, f->w.width * FXI_LANES * sizeof *s->y);
    s->project = fxi_project_carve(&at, f->w.space);
    for (size_t e = 0; e < n; e++)
        s->x[e] = (float)x[e];
    f->w.type->prepare(s->project, &f->w, t, s->x);
}

static void pairs(float *z, const fx_map *m, scratch *s, size_t block, size_t count)
{
    const fourier *f = m->state;
    size_t width = f->w.width, padded = (count + FXI_LANES - 1) / FXI_LANES * FXI_LANES;

    if (s->lanes) {
        f->w.type->apply(z, &f->w, s->project, block);
        m->simd->map_sincos(z, z + count * FXI_LANES, z, count * FXI_LANES, f->scale);
        return;
    }
    f->w.type->apply(s->y, &f->w, s->project, block);
    for (size_t r = 0; r < s->rows; r++, z += m->width) {
        m->simd->map_sincos(z, z + padded, s->y + r * width, padded, f->scale);
        memmove(z + count, z + padded, count * sizeof *z);
    }
}

static void offsets(float *z, const fx_map *m, scratch *s, size_t block, size_t count)
{
    const fourier *f = m->state;
    size_t width = f->w.width, padded = (count + FXI_LANES - 1) / FXI_LANES * FXI_LANES;
    const float *b = f->b + block * width;

    f->w.type->apply(z, &f->w, s->project, block);
    if (s->lanes) {
        for (size_t i = 0; i < count; i++)
            for (size_t r = 0; r < FXI_LANES; r++)
                s->y[i * FXI_LANES + r] = b[i];
        m->simd->map_cos(z, s->y, count * FXI_LANES, f->scale);
    } else
        for (size_t r = 0; r < s->rows; r++)
            m->simd->map_cos(z + r * width, b, padded, f->scale);
}

static void block(float *z, const fx_map *m, void *base, size_t b)
{
    const fourier *f = m->state;
    size_t left = f->w.rows - b * f->w.width, count = left < f->w.width ? left : f->w.width;

    if (f->b)
        offsets(z, m, base, b, count);
    else
        pairs(z, m, base, b, count);
}

/* ---- Variance ----------------------------------------------------------------------------- */

static fx_status variance(double *one, double *all, const fx_map *m, const fxi_pair *p)
{
    const fourier *f = m->state;

    *one = fxi_map_variance_fourier(m->kernel, p, f->b != NULL);
    *all = *one / (double)f->w.rows;
    if (f->w.type != &fxi_project_dense)
        return fxi_error(FX_EUNSUPPORTED,
                         "rff: the exact variance is known for projection=dense; the rows of %s "
                         "depend on one another",
                         f->w.type->name);
    return FX_OK;
}

static const char *const kernels[] = {"rbf", "laplacian", "cauchy", NULL};
const fxi_map_type fxi_map_fourier = {
    .name = "rff",
    .help = "random Fourier features",
    .keys = keys, .kernels = kernels, .init = init, .free = release, .space = space,
    .prepare = prepare, .block = block, .variance = variance};
