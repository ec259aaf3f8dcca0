/* SPDX-License-Identifier: BSD-3-Clause
 * features.c - what kinds share that have a weight for each feature: of the rows themselves, or of
 * a map. */

#include "kind/kind.h"

#include <stdlib.h>

enum { SAMPLE = 256 };                  /* rows that a map's automatic keys use */
enum { NUMBERS = 1 << 16, ROWS_MAPPED = 512, ROWS = 4096 };     /* of a chunk that is scored */
enum { PIECE = 256 };                   /* outputs between two polls */

/* ---- Before a fit ------------------------------------------------------------------------ */

/* Rows for keys that use them. */
static fx_status take_sample(fx_data **out, const fxi_train *t, const fx_run *run)
{
    size_t row[SAMPLE], n = t->X.rows < SAMPLE ? t->X.rows : SAMPLE;
    fx_table table = {.rows = t->X.rows, .cols = t->X.cols, .blocks = 1, .block = &t->X};

    if (t->stream && !t->stream->ask)
        return FX_OK;                   /* a pass: the request has keys that need no rows */
    if (t->stream)
        return fxi_train_passes_sample(out, t, SAMPLE, run);
    fx_status st = fxi_rng_sample(row, n, t->X.rows, (fxi_rng){t->seed, FXI_MODEL_SAMPLE}, run);
    return st ? st : fxi_data_select(out, &table, row, n, false, run);
}

fx_status fxi_kind_features_prepare(fxi_train *t, const fx_plan *plan, const fx_run *run)
{
    fx_model *m = t->m;
    fx_model_info *c = &m->c;
    fx_data *sample = NULL;
    fx_status st;

    if (!plan->map) {
        c->features = c->cols;
        return FX_OK;
    }
    if (!plan->kernel)
        return fxi_error(FX_EINVAL, "map %s needs a kernel", plan->map);
    c->random = plan->features;
    if ((st = fx_kernel_parse(&m->kernel, plan->kernel, plan->family, c->base))
        || (st = take_sample(&sample, t, run)))
        return st;
    st = fx_map_parse(&m->map, plan->map, m->kernel, c->cols, plan->features, plan->seed,
                      sample ? sample->table.block : NULL, run);
    fx_data_free(sample);
    if (st || (st = fxi_model_keep_text(&c->map, m, fx_map_spec(m->map)))
        || (st = fxi_model_keep_text(&c->kernel, m, fx_kernel_spec(m->kernel)))
        || (st = fxi_model_keep_text(&c->family, m, plan->family)))
        return st;
    c->features = fx_map_features(m->map);
    if (!c->features)
        return fxi_error(FX_EINVAL, "%s makes no features of %zu", c->map, c->random);
    return t->stream ? fxi_train_passes_products(t, run) : FX_OK;
}

fx_status fxi_kind_features_init(const fxi_train *t)
{
    const fx_model_info *c = &t->m->c, *i = &t->init->c;

    if (i->cols != c->cols || (i->features != c->features && !fxi_kind_weights_of_rows(t->m)))
        return fxi_error(FX_EINVAL, "init has %zu columns and %zu features, now %zu and %zu",
                         i->cols, i->features, c->cols, c->features);
    return fxi_train_init_check(t);
}

/* ---- The fit ----------------------------------------------------------------------------- */

fx_status fxi_kind_features_score(double *f, const fxi_output *o, const double *w, double b,
                                  const int32_t *row, size_t n, const fx_run *run)
{
    const fxi_train *t = o->train;
    const fxi_source *source = row ? &t->source : &t->eval;
    double *all = row ? fxi_alloc(source->rows, sizeof *all) : f;
    fx_status st = all ? fxi_fit_source_scores(all, source, w, &b, 1, run) : FX_ENOMEM;

    if (!row)
        return st;
    for (size_t i = 0; i < n && !st; i++)
        f[i] = all[row[i]];
    free(all);
    return st;
}

/* ---- The model --------------------------------------------------------------------------- */

static fx_status score_rows(double *S, const fx_scorer *s, const fx_matrix *X, fxi_scratch *scratch,
                            const fx_run *run, fxi_team *team)
{
    const fx_model_info *c = &s->m->c;
    const double *W = s->own ? s->own : c->weights;

    (void)scratch, (void)run;
    for (size_t i = 0; i < X->rows; i++)
        for (size_t k = 0; k < c->outputs && (k % PIECE || !fxi_parallel_cancelled(team)); k++)
            S[i * c->outputs + k] = fxi_fit_row_dot(fxi_data_row(X, i), W + k * c->features,
                                                    s->simd);
    return FX_OK;
}

static fx_status score_mapped(double *S, const fx_scorer *s, const fx_matrix *X,
                              fxi_scratch *scratch, const fx_run *run, fxi_team *team)
{
    return fxi_map_score_rows(S, s->own, X, scratch, run, team);
}

static void close_mapped(void *own)
{
    if (own)
        fxi_map_score_free(own);
    free(own);
}

static fx_status prepare_mapped(fx_scorer *s, const fx_run *run)
{
    const fx_model_info *c = &s->m->c;
    fxi_map_scorer *own = fxi_zalloc(1, sizeof *own);

    if (!own)
        return FX_ENOMEM;
    s->own = own;
    s->close = close_mapped;
    return fxi_map_score_new(own, s->m->map, c->weights, c->outputs, run);
}

typedef struct packing {
    double *W;
    const fx_model_info *c;
} packing;

static fx_status pack_output(void *ctx, size_t k, fxi_team *team)
{
    const packing *p = ctx;
    const fx_model_info *c = p->c;

    (void)team;
    fxi_kind_weights_take(p->W + k * c->features, c->weights, c->features, c->outputs, k);
    return FX_OK;
}

/* Vectors score by themselves (vectors.c); weights of columns are put side by side for each
 * output. */
fx_status fxi_kind_features_scorer(fx_scorer *s, const fx_run *run)
{
    const fx_model_info *c = &s->m->c;
    fx_status st = FX_OK;

    s->intercepts = c->intercepts;
    if (fxi_kind_kernel_exact(s->m))
        return fxi_kind_vectors_scorer(s, run);
    s->numbers = NUMBERS;
    s->rows = s->m->map ? ROWS_MAPPED : ROWS;
    s->score = s->m->map ? score_mapped : score_rows;
    if (s->m->map)
        return prepare_mapped(s, run);
    if (c->outputs == 1)
        return FX_OK;
    s->own = fxi_alloc_within(&st, c->features, c->outputs * sizeof(double), run,
                              "weights side by side");
    return st ? st : fxi_parallel(c->outputs, pack_output, &(packing){s->own, c}, run);
}

/* A map has a kernel, and there is none without a map. */
fx_status fxi_kind_features_parsed(fxi_parsing *p)
{
    const fx_model_info *c = &p->m->c;

    if (*c->map && !*c->kernel)
        return fxi_error(FX_EFORMAT, "%s without a kernel", c->map);
    if (*c->kernel && !*c->map)
        return fxi_error(FX_EFORMAT, "%s with kernel %s, map `%s`", c->spec, c->kernel, c->map);
    return fxi_file_parse_map(p->m, p->run);
}
