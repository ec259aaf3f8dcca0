/* SPDX-License-Identifier: BSD-3-Clause
 * collapse.c - a kernel machine becomes the linear model that it is on the features of map
 * `explicit`: sum_j beta_j K(v_j, x) = <W, phi(x)> with W = sum_j beta_j phi(v_j).
 *
 * Prediction then costs the combinations of features of a row, whatever the number of vectors was.
 * collapse=auto does this if prediction becomes at least FASTER times cheaper, the model grows at
 * most LARGER times, and the scores of training rows change by at most EXACT of their range: a
 * map's features are floats, which may not be precise enough if large weights of vectors cancel.
 * The cost is computed, never timed: the same plan and rows give the same model. */

#include "kind/kind.h"
#include "map/map.h"

#include <math.h>
#include <stdlib.h>

enum { FASTER = 2, LARGER = 4, SAMPLE = 1000, CACHE = 1 << 20, LINE = 8 };
static const double EXACT = 1e-6;

/* ---- Whether it is worth it --------------------------------------------------------------- */
static size_t collapsed(const fxi_train *t) { return ((const fxi_machine *)t->own)->collapsed; }
static size_t sampled(const fxi_train *t) { return t->X.rows < SAMPLE ? t->X.rows : SAMPLE; }
static size_t sample_row(const fxi_train *t, size_t i) { return i * t->X.rows / sampled(t); }

/* Nanoseconds for one row, as measured with AVX-512 on one core.  Many vectors are evaluated at a
 * time, and so are products of dense rows.  Those of sparse rows are made one by one, and each
 * reads weights that are far from the last ones in memory. */
static double vectors_cost(const fxi_train *t, fxi_row r)
{
    const fx_model_info *c = &t->m->c;
    double each = 1 + (double)fxi_kernel_cost(t->m->kernel, r.n) / 30 + (double)c->outputs / 10;

    return each * (double)c->vectors.rows;
}

static double products_cost(const fxi_train *t, const fx_map *map, fxi_row r)
{
    size_t outputs = t->outputs, lines = (outputs + LINE - 1) / LINE;
    double row = 50, each = 1 + 0.1 * (double)outputs, n = (double)map->features;

    if (t->X.ptr) {
        bool out_of_cache = collapsed(t) > CACHE;
        n = (double)map->type->sparse(NULL, NULL, map, r);
        each = 6 + 0.4 * (double)outputs + (out_of_cache ? 20 * (double)lines : 0);
    }
    return row + each * n;
}

static bool is_cheaper(const fxi_train *t, const fx_map *map)
{
    double vectors = 0, products = 0;

    for (size_t i = 0; i < sampled(t); i++) {
        fxi_row r = fxi_data_row(&t->X, sample_row(t, i));
        vectors += vectors_cost(t, r);
        products += products_cost(t, map, r);
    }
    return vectors >= FASTER * products;
}

/* True if the collapsed model would be more than LARGER times as large as one with vectors V. */
static bool is_larger(const fxi_train *t, const fx_matrix *V)
{
    double number = V->type == FX_F32 ? sizeof(float) : sizeof(double);
    double now = (double)V->rows * (double)t->outputs * sizeof(double);

    now += V->ptr ? (double)(V->ptr[V->rows] - V->ptr[0]) * (number + sizeof(int32_t))
                  : (double)V->rows * (double)V->cols * number;
    return (double)collapsed(t) > LARGER * now;
}

/* *same: whether scores of sampled training rows agree to EXACT times the range of an output. */
static fx_status compare(bool *same, const fxi_train *t, const fx_map *map, const double *W,
                         const fx_run *run)
{
    const fx_model_info *c = &t->m->c;
    size_t n = sampled(t), numbers = n * c->outputs, row[SAMPLE];
    fx_table table = {.rows = t->X.rows, .cols = t->X.cols, .blocks = 1, .block = &t->X};
    double *S = fxi_alloc(2 * numbers, sizeof *S);
    fx_data *sample = NULL;

    for (size_t i = 0; i < n; i++)
        row[i] = sample_row(t, i);
    fx_status st = S ? fxi_data_select(&sample, &table, row, n, false, run) : FX_ENOMEM;
    if (!st)
        st = fxi_kernel_score(S, t->m->kernel, (fxi_row_subset){sample->table.block, NULL, n},
                              (fxi_row_subset){&c->vectors, NULL, c->vectors.rows}, c->weights,
                              c->outputs, run);
    if (!st)
        st = fx_map_score(S + numbers, map, W, c->outputs, sample->table.block, run);
    *same = true;
    for (size_t k = 0; k < c->outputs && !st; k++) {
        double low = HUGE_VAL, high = -HUGE_VAL, off = 0;
        for (size_t i = k; i < numbers; i += c->outputs) {
            low = fmin(low, S[i]);
            high = fmax(high, S[i]);
            off = fmax(off, fabs(S[i] - S[numbers + i]));
        }
        *same &= off <= EXACT * (high - low);
    }
    fx_data_free(sample);
    free(S);
    return st;
}

/* ---- The call ----------------------------------------------------------------------------- */
/* Map `explicit` of the kernel.  The limit of memory must not decide whether there is one. */
static fx_status open_map(fx_map **map, const fxi_train *t, const fx_run *run)
{
    const fx_model *m = t->m;
    fx_run how = fxi_sized_run(run);
    fx_status st;

    how.max_memory = 0;

    *map = NULL;
    if (!fxi_kind_kernel_exact(m))
        return fxi_error(FX_EUNSUPPORTED, "collapse: kernel %s is no function of features",
                         m->c.kernel);
    if (m->kernel->tree)                /* collapse_weights.c has no sets */
        return fxi_error(FX_EUNSUPPORTED, "collapse: not for kernel %s", m->c.kernel);
    if ((st = fx_map_parse(map, "explicit", m->kernel, m->c.cols, 1, m->c.seed, NULL, &how)))
        return st;
    if (!fx_map_features(*map))
        return fxi_error(FX_EUNSUPPORTED, "collapse: %s makes no combinations of %zu columns",
                         m->c.kernel, m->c.cols);
    return FX_OK;
}

/* Gives map and W to m instead of vectors and their weights. */
static fx_status replace(fx_model *m, fx_map *map, double *W)
{
    fx_model_info *c = &m->c;
    fx_status st = fxi_model_keep_text(&c->map, m, fx_map_spec(map));

    if (st)
        return st;
    for (size_t i = 0; i < m->owns; i++)
        if (m->owned[i] == c->weights) {
            free(m->owned[i]);
            m->owned[i] = W;
        }
    fx_data_free(((fxi_vectors *)m->own)->data);
    ((fxi_vectors *)m->own)->data = NULL;
    m->map = map;
    c->vectors = (fx_matrix){0};
    c->weights = W;
    c->random = c->features = fx_map_features(map);
    return FX_OK;
}

fx_status fxi_kind_collapse_check(fxi_train *t, int how, const fx_run *run)
{
    fxi_machine *own = t->own;
    bool always = how == FXI_COLLAPSE_YES;
    fx_map *map = NULL;

    if (how == FXI_COLLAPSE_NO)
        return FX_OK;
    fx_status st = open_map(&map, t, run);
    if (!st && !fxi_size_mul(&own->collapsed, fx_map_features(map), t->outputs * sizeof(double)))
        own->collapsed = SIZE_MAX;
    fx_map_free(map);
    if (!st && (always || !is_larger(t, &t->X)))        /* not larger with fewer vectors */
        return fxi_memory_check(run, own->collapsed,
                                "weights of combinations of features "
                                "(collapse=no needs none)");
    own->collapsed = 0;
    return always || st == FX_ENOMEM || st == FX_ECANCELLED ? st : FX_OK;
}

fx_status fxi_kind_collapse(fxi_train *t, int how, const fx_run *run)
{
    bool always = how == FXI_COLLAPSE_YES, collapses = true;
    double *W = NULL;
    fx_map *map = NULL;

    if (!collapsed(t))
        return FX_OK;
    fx_status st = open_map(&map, t, run);
    if (!st && !always)
        collapses = !is_larger(t, &t->m->c.vectors) && is_cheaper(t, map);
    if (!st && collapses)
        st = fxi_kind_collapse_weights(&W, &t->m->c, map, run);
    if (!st && collapses && !always)
        st = compare(&collapses, t, map, W, run);
    if (!st && collapses && !(st = replace(t->m, map, W)))
        return FX_OK;
    free(W);
    fx_map_free(map);
    return always || st == FX_ENOMEM || st == FX_ECANCELLED || st == FX_ELIMIT ? st : FX_OK;
}
