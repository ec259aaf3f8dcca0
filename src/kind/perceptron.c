/* SPDX-License-Identifier: BSD-3-Clause
 * perceptron.c - the perceptron on features and in a kernel's space: passes over the rows in their
 * order, and the state that lets one resume, so that 5 and 5 passes are 10.  The vectors of an
 * earlier kernel perceptron are rows, if they are found among these, or are put before them. */

#include "kind/kind.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Seconds of a fit with n rows in a kernel's space (train/estimate.c): max-iter n min(MISTAKES n,
 * budget) pair.  The share of rows that are mistakes comes from fits on real data. */
#define MISTAKES 0.4

typedef struct options {
    bool averaged;
    size_t budget;
} options;

/* A state as rows elsewhere have it: these numbers, then w and sum, each from a multiple of HEAD
 * on. */
enum { STEPS, MISTAKES_MADE, B, SUM_B, HEAD = 8 };

#define AVERAGED "averaged", "yes", FXI_CHOICE("yes|no"), "yes: the mean of all weights"
#define PASSES   "max-iter", "10", FXI_COUNT(1, INT32_MAX), "passes over the rows"
#define BUDGET   "keep at most so many mistakes of each class; 0: all"
static const fx_key keys[] = {
    {AVERAGED}, {PASSES}, {FXI_KEY_INTERCEPT}, {FXI_KEY_CALIBRATE}, {0}};
static const fx_key kernel_keys[] = {
    {AVERAGED}, {PASSES}, {"budget", "0", FXI_COUNT(0, INT32_MAX), BUDGET}, {0}};
static const fxi_learner perceptron[] = {
    {"perceptron", "online, can be updated", keys, NULL, 0, NULL}, {0}};
static const fxi_learner kernel_perceptron[] = {
    {"kernel-perceptron", "online, can be updated", kernel_keys, NULL, 0, "perceptron"}, {0}};

static fx_status read(fxi_learning *l, const fxi_spec *s)
{
    options *o = l->own;

    o->averaged = !fxi_model_learner_choice(l, s, "averaged");
    o->budget = fxi_model_learner_count(l, s, "budget");
    return FX_OK;
}

/* A kernel perceptron has a weight for each row, others for each feature. */
static size_t count(const fxi_train *t)
{
    return fxi_kind_weights_of_rows(t->m) ? t->source.rows : t->source.features;
}

static double **weights(fxi_output *o)
{
    return fxi_kind_weights_of_rows(o->train->m) ? &o->s.beta : &o->s.w;
}

static fx_status begin(fxi_train *t)
{
    fxi_weights *w = t->own;
    fxi_online *own = t->m->own;
    size_t outputs = t->outputs, all;
    fx_status st = fxi_kind_weights_begin(t);

    if (st)
        return st;
    if (!fxi_size_mul(&all, 2 * outputs, w->n + 1))
        return fxi_error(FX_ESHAPE, "%zu weights of %zu outputs are too many", w->n, outputs);
    own->count = fxi_zalloc(outputs, sizeof *own->count);
    if ((st = fxi_model_own(t->m, own->count)))
        return st;
    if (!(w->sum = fxi_zalloc(all, sizeof *w->sum))
        || (fxi_kind_weights_of_rows(t->m)
            && !(w->age = fxi_zalloc(w->n * outputs, sizeof *w->age))))
        return FX_ENOMEM;
    return FX_OK;
}

static bool updatable(const fx_model *m) { return ((const fxi_online *)m->own)->sum; }

/* The model must have been scaled in the same way: its weights are those of scaled columns. */
static fx_status init(fxi_train *t, const fx_run *run)
{
    const fx_model_info *a = &t->init->c, *b = &t->m->c;
    bool of_rows = fxi_kind_weights_of_rows(t->m);
    fx_status st;

    if (t->init->kind != t->how.kind || (of_rows && !a->vectors.cols))
        return fxi_train_init_differs("model", a->spec, b->spec);
    if ((st = fxi_kind_features_init(t)))
        return st;
    if (strcmp(a->scale, b->scale) != 0
        || (a->column_scale
            && memcmp(a->column_scale, b->column_scale, a->cols * sizeof *a->column_scale) != 0))
        return fxi_error(FX_EINVAL, "init scales rows in another way; fx_model_update keeps it");
    return of_rows ? fxi_kind_kernel_resume(t, run) : FX_OK;
}

/* A weight, the two numbers of its state, and the age of a row.  Of passes: the state in a
 * question, a request, a pass and its answer. */
static bool bytes(size_t *each, size_t *all, const fxi_train *t)
{
    size_t passes = 0;

    return (!t->stream || fxi_size_mul(&passes, t->m->c.features + HEAD, 8 * sizeof(double)))
           && fxi_kind_weights_bytes(each, all, t, fxi_kind_weights_of_rows(t->m) ? 4 : 3, passes);
}

static double seconds(const fxi_estimating *e, double n)
{
    size_t budget = ((const options *)e->t->how.own)->budget;

    return (double)e->t->how.max_iter * n * fmin(MISTAKES * n, budget ? (double)budget : n)
           * e->pair;
}

/* ---- One output ---------------------------------------------------------------------------- */

static bool allocate(fxi_output *o)
{
    fxi_perceptron *p = o->own;
    size_t n = count(o->train);

    return (*weights(o) = fxi_zalloc(n, sizeof(double))) && (p->w = fxi_zalloc(n, sizeof *p->w))
           && (p->sum = fxi_zalloc(n, sizeof *p->sum))
           && (!fxi_kind_weights_of_rows(o->train->m) || (p->age = fxi_zalloc(n, sizeof *p->age)));
}

static void release(fxi_output *o)
{
    fxi_perceptron *p = o->own;

    free(p->w);
    free(p->sum);
    free(p->age);
    *p = (fxi_perceptron){0};
}

/* The vectors of an earlier kernel perceptron are the first rows, or those that `at` lists. */
static void start(fxi_output *o)
{
    const fx_model_info *c = &o->train->init->c;
    const fxi_online *own = o->train->init->own;
    fxi_perceptron *p = o->own;
    size_t n = c->features, outputs = c->outputs, k = o->number;
    const double *now = own->sum, *sum = own->sum + (n + 1) * outputs;
    const int32_t *at = p->age ? ((const fxi_machine *)o->train->own)->at : NULL;
    double *to = *weights(o);

    o->s.b = c->intercepts[k];
    o->s.iterations = c->iterations;
    for (size_t j = 0, e = k; j < n; j++, e += outputs) {
        size_t i = at ? (size_t)at[j] : j;
        to[i] = c->weights[e];
        p->w[i] = now[e];
        p->sum[i] = sum[e];
        if (p->age)
            p->age[i] = own->age[e];
    }
    p->b = now[n * outputs + k];
    p->sum_b = sum[n * outputs + k];
    p->steps = own->count[k];
}

/* ---- Rows elsewhere ------------------------------------------------------------------------ */

/* Passes go over the rows in their order. */
static bool streams(const fxi_learning *how) { return !how->calibrate; }

static bool states(const fxi_learning *how)
{
    (void)how;
    return true;
}

static size_t room(size_t features) { return (features + HEAD - 1) / HEAD * HEAD; }

/* The state in the numbers of an answer. */
static fxi_perceptron state_of(double *x, size_t features)
{
    return (fxi_perceptron){.w = x + HEAD, .sum = x + HEAD + room(features), .b = x[B],
                            .sum_b = x[SUM_B], .steps = (uint64_t)x[STEPS]};
}

/* Vectors of a question have a number for each feature and one for the intercept; t: steps. */
static fx_status asked(fxi_answer *a, const fxi_question *q, const fxi_train *t)
{
    size_t d = t->m->c.features, each = d * sizeof(double);
    bool fits = q->what == FXI_ASK_MISTAKES && q->ws == d + 1 && q->vs == d + 1 && q->t >= 0
                && q->t < 0x1p53;
    fx_status st = fits ? fxi_pass_answer_state(a, HEAD + 2 * room(d))
                        : fxi_error(FX_EFORMAT, "question %d does not fit %zu features",
                                    (int)q->what, d);

    if (st)
        return st;
    a->count[STEPS] = q->t;
    a->count[B] = q->w[d];
    a->count[SUM_B] = q->v[d];
    memcpy(a->count + HEAD, q->w, each);
    memcpy(a->count + HEAD + room(d), q->v, each);
    return FX_OK;
}

static fx_status answer(fxi_answer *a, const fxi_question *q, const fxi_part *x)
{
    fxi_perceptron s = state_of(a->count, x->train->m->c.features);
    fxi_problem p = {.source = &x->z, .y = x->y, .c = x->c, .intercept = x->train->how.intercept};
    fx_status st = fxi_fit_perceptron(&s, &p, &a->how);

    (void)q;
    a->count[STEPS] = (double)s.steps;
    a->count[MISTAKES_MADE] += (double)s.mistakes;
    a->count[B] = s.b;
    a->count[SUM_B] = s.sum_b;
    a->rows += x->X.rows;
    return st;
}

/* One pass over rows that are elsewhere. */
static fx_status ask(fxi_perceptron *s, fxi_passes *passes)
{
    size_t d = passes->features, each = d * sizeof(double);
    double *x = fxi_alloc(HEAD + 2 * room(d), sizeof *x);
    double *w = fxi_alloc(2 * (d + 1), sizeof *w), *v = w ? w + d + 1 : NULL;
    fx_status st = x && w ? FX_OK : FX_ENOMEM;

    if (!st) {
        memcpy(w, s->w, each);
        memcpy(v, s->sum, each);
        w[d] = s->b;
        v[d] = s->sum_b;
        st = passes->ask(passes, x, &(fxi_question){FXI_ASK_MISTAKES, .t = (double)s->steps, .w = w,
                                                    .v = v, .ws = d + 1, .vs = d + 1});
    }
    if (!st) {
        fxi_perceptron now = state_of(x, d);
        memcpy(s->w, now.w, each);
        memcpy(s->sum, now.sum, each);
        s->b = now.b;
        s->sum_b = now.sum_b;
        s->steps = now.steps;
        s->mistakes = (uint64_t)x[MISTAKES_MADE];
    }
    fxi_free(x, w);
    return st;
}

/* ---- Fitting --------------------------------------------------------------------------------- */

/* Each pass is an iteration, and its mistakes the objective. */
static fx_status solve(fxi_output *o, double C, const fx_run *run)
{
    const fxi_train *t = o->train;
    const options *how = t->how.own;
    fxi_perceptron *now = o->own;
    fxi_problem p = fxi_kind_weights_problem(o, C);
    double *to = *weights(o);
    size_t n = count(t), first = now->age ? ((const fxi_machine *)t->own)->first : 0;
    fxi_asking asking = {0};
    fx_status st = FX_OK;

    p.kernel = t->m->kernel;
    if (t->stream)
        fxi_train_passes(&asking, o, C);
    for (size_t i = 0; i < t->how.max_iter && !st; i++) {
        if ((st = t->stream  ? ask(now, &asking.passes)
                  : now->age ? fxi_fit_kernel_perceptron(now, &p, first, how->budget, run)
                             : fxi_fit_perceptron(now, &p, run)))
            break;
        o->s.objective = (double)now->mistakes;
        o->s.b = now->b;
        if (how->averaged)
            fxi_fit_perceptron_mean(to, &o->s.b, now, n);
        else
            memcpy(to, now->w, n * sizeof *to);
        o->s.iterations++;
        st = fxi_train_history(o, &o->s);
        if (o->done)
            *o->done = (double)(i + 1) / (double)t->how.max_iter;
    }
    o->s.gap = 0;
    o->s.converged = true;
    fxi_train_passes_free(&asking);
    return st ? st : fxi_kind_weights_finite(o, to, n);
}

static void keep(fxi_output *o)
{
    const fxi_weights *w = o->train->own;
    const fxi_perceptron *p = o->own;
    size_t n = w->n, outputs = o->train->outputs, k = o->number;
    double *now = w->sum, *sum = w->sum + (n + 1) * outputs;

    fxi_kind_weights_keep(o);
    fxi_kind_weights_place(now, p->w, n, outputs, k);
    fxi_kind_weights_place(sum, p->sum, n, outputs, k);
    for (size_t i = 0; p->age && i < n; i++)
        w->age[i * outputs + k] = p->age[i];
    now[n * outputs + k] = p->b;
    sum[n * outputs + k] = p->sum_b;
    ((fxi_online *)o->train->m->own)->count[k] = p->steps;
}

/* ---- Files -------------------------------------------------------------------------------- */

static void dump_arrays(fxi_dumping *d)
{
    const fx_model_info *c = &d->m->c;
    const fxi_online *own = d->m->own;

    fxi_file_dump_array(d, "sums", "F64", own->sum, 2 * (c->features + 1), c->outputs);
    fxi_file_dump_array(d, "counts", "I64", own->sum ? own->count : NULL, c->outputs, 0);
    fxi_file_dump_array(d, "ages", "I64", own->age, c->features, c->outputs);
    fxi_kind_vectors_file_dump(d);
}

/* With a precomputed kernel it cannot resume. */
static fx_status parse_arrays(fxi_parsing *p)
{
    const fx_model_info *c = &p->m->c;
    bool age = fxi_kind_weights_of_rows(p->m);
    fxi_online *own = p->m->own;
    const double *sum = NULL;
    const void *count = NULL, *ages = NULL;
    fx_status st;

    if (fxi_kind_kernel_given(p->m))
        return FX_OK;
    if ((st = fxi_file_array_doubles(&sum, p, "sums", 2 * (c->features + 1), c->outputs))
        || (st = fxi_file_array(&count, p, "counts", "I64", c->outputs, 0))
        || (age && (st = fxi_file_array(&ages, p, "ages", "I64", c->features, c->outputs))))
        return st;
    own->sum = (double *)(uintptr_t)sum;        /* owned by the model: what it may change */
    own->count = (uint64_t *)(uintptr_t)count;
    own->age = (int64_t *)(uintptr_t)ages;
    for (size_t i = 0; i < c->outputs; i++)
        if (own->count[i] > INT64_MAX)
            return fxi_error(FX_EFORMAT, "model: number %zu of `counts` is negative", i);
    for (size_t i = 0; age && i < c->features * c->outputs; i++)
        if (own->age[i] < 0)
            return fxi_error(FX_EFORMAT, "model: number %zu of `ages` is negative", i);
    return fxi_kind_vectors_file_take(p);
}

/* What a perceptron of features resumes from; that of rows is stored with its vectors. */
static fx_status finish(fxi_train *t, const fx_run *run)
{
    fxi_weights *w = t->own;
    fxi_online *online = t->m->own;
    fx_status st = fxi_kind_weights_finish(t, run);

    if (st || fxi_kind_weights_of_rows(t->m))
        return st;
    online->sum = w->sum;
    w->sum = NULL;
    return fxi_model_own(t->m, online->sum);
}

#define PERCEPTRON                                                                                 \
    FXI_KIND_WEIGHTS, .options = sizeof(options), .state = sizeof(fxi_perceptron),                 \
    .mistakes = true, .columns = true, .read = read, .init = init, .bytes = bytes, .begin = begin, \
    .allocate = allocate, .start = start, .solve = solve, .keep = keep, .release = release,        \
    .finish = finish, .updatable = updatable, .dump_arrays = dump_arrays,                          \
    .parse_arrays = parse_arrays

const fxi_kind fxi_kind_perceptron = {
    PERCEPTRON, .name = "perceptron", .learner = perceptron, .numbers = sizeof(fxi_online),
    .prepared = sizeof(fxi_weights), .format = 1, .map = FX_MAY,
    .streams = streams, .states = states, .asked = asked, .answer = answer,
    .prepare = fxi_kind_features_prepare, .close = fxi_kind_weights_close,
    .parsed = fxi_kind_features_parsed};

const fxi_kind fxi_kind_kernel_perceptron = {
    PERCEPTRON, FXI_KIND_VECTORS, .name = "kernel perceptron", .learner = kernel_perceptron,
    .prepare = fxi_kind_kernel, .update = fxi_kind_kernel_join,
    .measure = fxi_kind_kernel_measure, .seconds = seconds, .peak = fxi_kind_vectors_peak,
    .dump_header = fxi_kind_vectors_file_header, .parse_header = fxi_kind_vectors_file_support};
