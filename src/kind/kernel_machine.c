/* SPDX-License-Identifier: BSD-3-Clause
 * kernel_machine.c - kernel machines with a loss: kernel-svm, kernel-svr, kernel-ridge.  Several
 * classes have an output for each pair of them. */

#include "kind/kind.h"

#include <math.h>

enum { CACHE = 256 << 20 };             /* bytes, if plan.cache is 0 */
/* Seconds of a fit with n rows (train/estimate.c); the pilot fit of p = FXI_ESTIMATE_PILOT rows
 * gives the steps i and the share v of support vectors:
 *
 *   kernel-svm, kernel-svr  (PAIRS + m) v n^2 pair + i (n/p)^GROWTH n ELEMENT, m the share of v n
 *                           rows of the matrix that the cache does not hold
 *   kernel-ridge            5/2 n^2 pair + n^3/6 flop
 *
 * The constants come from fits on MovieLens 100K, a9a, ijcnn1 and phishing (doc/math.md); steps
 * grew from n^0.7 to n^2.2.  Misses hardly count: rows are requested again while they are still
 * there. */
#define GROWTH 1.4
#define PAIRS 4.0
#define ELEMENT 6e-10                   /* seconds per variable and step: 60 bytes of traffic */

typedef struct options { int collapse; double epsilon; } options;

#define COLLAPSE  "collapse", "auto", FXI_CHOICE("auto|no|yes"), "keep weights instead of vectors"
#define VIOLATION "tol", "1e-3", FXI_POSITIVE, "stop when optimality is violated by no more"
#define STEPS     {VIOLATION}, {"max-iter", "10000000", FXI_COUNT(1, INT32_MAX), "steps at most"}
static const fx_key keys_svm[] = {{FXI_KEY_C}, STEPS, {FXI_KEY_CALIBRATE}, {COLLAPSE}, {0}};
static const fx_key keys_svr[] = {{FXI_KEY_C}, {FXI_KEY_EPSILON}, STEPS, {COLLAPSE}, {0}};
static const fx_key keys_ridge[] = {{FXI_KEY_C}, {COLLAPSE}, {0}};

static const fxi_learner learners[] = {
    {"kernel-svm", "hinge loss, exact", keys_svm, &fxi_loss_hinge, 0, "svm"},
    {"kernel-svr", "epsilon-insensitive loss, exact, for targets", keys_svr, &fxi_loss_insensitive,
     0, "svr"},
    {"kernel-ridge", "squared loss, exact, for targets", keys_ridge, &fxi_loss_squared, 0, "ridge"},
    {0}};

static fx_status read(fxi_learning *l, const fxi_spec *s)
{
    options *o = l->own;

    o->collapse = fxi_model_learner_choice(l, s, "collapse");
    o->epsilon = fxi_model_learner_number(l, s, "epsilon", 0);
    return FX_OK;
}

static void describe(fx_description *d, const fxi_learning *l)
{
    d->cached = l->loss != &fxi_loss_squared;
}

/* smo.c fits these; kernel_ridge.c the others. */
static bool is_smo(const fxi_train *t) { return t->how.loss != &fxi_loss_squared; }
static int collapse_of(const fxi_train *t) { return ((const options *)t->how.own)->collapse; }

/* ---- Before a fit ------------------------------------------------------------------------- */

static fx_status prepare(fxi_train *t, const fx_plan *plan, const fx_run *run)
{
    fx_status st = fxi_kind_kernel(t, plan, run);

    return st ? st : fxi_kind_collapse_check(t, collapse_of(t), run);
}

static bool bytes(size_t *each, size_t *all, const fxi_train *t)
{
    size_t solver;

    return (is_smo(t) ? fxi_fit_smo_bytes(&solver, t->X.rows)
                      : fxi_fit_kernel_ridge_bytes(&solver, t->X.rows))
           && fxi_kind_weights_bytes(each, all, t, 1, solver);
}

/* Fits by smo.c divide plan.cache, or what the limit leaves besides their own arrays if that is
 * less.  kernel_ridge.c takes one matrix for all threads. */
static void share(fxi_train *t, const fx_plan *plan, uint64_t left, size_t each, const fx_run *run)
{
    fxi_machine *own = t->own;
    uint64_t cache = plan->cache ? plan->cache : CACHE, fits;
    size_t min = 0;

    if (is_smo(t))
        fxi_fit_smo_bytes(&min, t->X.rows);
    fits = min ? cache / min : 0;
    fits = fits > 1 + left / each ? 1 + left / each : fits;
    uint64_t threads = (uint64_t)fxi_parallel_threads(run, SIZE_MAX);
    t->max_at_once = !fits ? 1 : fits < threads ? fits : threads;
    left -= (t->max_at_once - 1) * (each - min);
    own->cache = cache < left ? cache : left;
    if (own->cache < min)
        own->cache = min;
}

/* ---- Estimates ---------------------------------------------------------------------------- */

static fx_status measure(fxi_estimating *e, const fx_run *run)
{
    fx_status st = fxi_kind_kernel_measure(e, run);

    return st || !is_smo(e->t) ? st : fxi_kind_kernel_measure_pilot(e, run);
}

static double seconds(const fxi_estimating *e, double n)
{
    const fxi_train *t = e->t;
    const fxi_machine *own = t->own;

    if (!is_smo(t))
        return n * n * (2.5 * e->pair + n / 6 * e->flop);
    double grown = n > FXI_KIND_PILOT ? pow(n / FXI_KIND_PILOT, GROWTH - 1) : 1;
    double steps = e->steps * n * grown;
    double used = e->support * n, cached = (double)own->cache / t->at_once / (4 * n);
    double miss_rate = cached < used ? 1 - cached / used : 0;
    return (PAIRS + miss_rate) * used * n * e->pair + steps * n * ELEMENT / t->at_once;
}

/* What smo.c cannot do without, and the cache as far as n rows use it. */
static double cache_bytes(const fxi_train *t, size_t n)
{
    const fxi_machine *own = t->own;
    double part = (double)(own->cache / (uint64_t)t->at_once);
    size_t min;

    if (!fxi_fit_smo_bytes(&min, n))
        return (double)SIZE_MAX;
    double all = (double)min + (double)n * (double)n * sizeof(float);
    return fmax((double)min, fmin(part, all));
}

static double peak(const fxi_estimating *e, double each, size_t rows)
{
    const fxi_train *t = e->t;
    const fxi_machine *own = t->own;
    size_t min = 0;

    if (is_smo(t) && fxi_fit_smo_bytes(&min, t->X.rows))
        each += cache_bytes(t, rows) - (double)min;
    return fmax(t->at_once * each, fxi_train_estimate_matrix(&t->X) + (double)own->collapsed);
}

/* ---- One output --------------------------------------------------------------------------- */

static bool allocate(fxi_output *o)
{
    return (o->s.beta = fxi_zalloc(o->train->source.rows, sizeof *o->s.beta));
}

static fx_status solve(fxi_output *o, double C, const fx_run *run)
{
    const fxi_train *t = o->train;
    fxi_problem p = fxi_kind_weights_problem(o, C);

    p.epsilon = ((const options *)t->how.own)->epsilon;
    p.kernel = t->m->kernel;
    p.cache = ((const fxi_machine *)t->own)->cache / (uint64_t)t->at_once;
    fx_status st = is_smo(t) ? fxi_fit_smo(&o->s, &p, run) : fxi_fit_kernel_ridge(&o->s, &p, run);
    return st ? st : fxi_kind_weights_finite(o, o->s.beta, t->source.rows);
}

static fx_status finish(fxi_train *t, const fx_run *run)
{
    fx_status st = fxi_kind_vectors_finish(t, run);

    return st ? st : fxi_kind_collapse(t, collapse_of(t), run);
}

/* ---- What is said of it ------------------------------------------------------------------- */

static fx_status not_converged(const fxi_train *t, const fxi_output *o)
{
    bool given = fxi_kind_kernel_given(t->m), smo = is_smo(t);
    char where[128] = "";

    if (o->s.indefinite)
        return fxi_error(FX_NOT_CONVERGED, "%s is not positive semidefinite on these rows: after "
                         "%zu steps the model is usable, but no optimum is defined; %s",
                         t->m->c.kernel, o->s.iterations,
                         given ? "add a number to the diagonal of the matrix"
                               : "take another kernel or other coefficients");
    bool unscaled = !given && fxi_kind_weights_spread(where, t) > FXI_KIND_MAX_SPREAD;
    return fxi_error(FX_NOT_CONVERGED, "gap %.2g after %zu %s, %s tol=%g%s: %s", o->s.gap,
                     o->s.iterations, smo ? "steps" : "iterations",
                     smo ? "and optimality violated by more than" : "above", t->how.tol, where,
                     smo ? fxi_kind_weights_suggest(t, o, unscaled, false)
                         : "the matrix is too near a singular one; lower C");
}

const fxi_kind fxi_kind_kernel_machine = {
    FXI_KIND_WEIGHTS, FXI_KIND_VECTORS, .name = "kernel machine", .learner = learners,
    .options = sizeof(options), .path = "C", .pairs = true, .read = read, .describe = describe,
    .prepare = prepare, .bytes = bytes, .share = share, .begin = fxi_kind_weights_begin,
    .allocate = allocate, .solve = solve, .keep = fxi_kind_weights_keep,
    .finish = finish, .not_converged = not_converged, .measure = measure, .seconds = seconds,
    .peak = peak, .dump_header = fxi_kind_vectors_file_header,
    .dump_arrays = fxi_kind_vectors_file_dump, .parse_header = fxi_kind_vectors_file_support,
    .parse_arrays = fxi_kind_vectors_file_take};
