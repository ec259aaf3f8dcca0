/* SPDX-License-Identifier: BSD-3-Clause
 * factors.c - factorization machines: fm, hofm, hofm-shared, hofm-simplex, all-subsets, poly-net,
 * poly-net-uv, bilinear.  Their specs are resolved here: what `auto` means follows from the task and
 * the model.
 *
 *   task       loss auto    others                      solver auto     others
 *   classify   logistic     squared, squared-hinge      cd              adagrad, lbfgs
 *   regress    squared      -                           cd              adagrad, lbfgs
 *   rank       logistic     -                           adagrad         -
 *
 * cd needs no rate and never raises the objective.  Where columns are many and rows few for each,
 * AdaGrad finds more (doc/math.md#fm).  poly-net, for which cd has no exact step, goes to lbfgs. */

#include "kind/kind.h"

#include <stdlib.h>
#include <string.h>

static const char *const solver_name[] = {"auto", "cd", "adagrad", "lbfgs"};

#define COMMON \
    {"task", "classify", "classify|regress|rank"}, \
        {"loss", "auto", "auto|squared|logistic|squared-hinge"}, {"rank", "30", NULL}, \
        {"sd", "0.01", NULL}, {"beta", "3e-4", NULL}, {"linear", "yes", "yes|no"}, \
        {"alpha", "1e-4", NULL}, {"intercept", "free", "free|none"}, \
        {"lambda", "ones", "ones|signs|learned"}, {"beta-lambda", "1e-3", NULL}, \
        {"solver", "auto", "auto|cd|adagrad|lbfgs"}, {"tol", "1e-4", NULL}, \
        {"max-iter", "100", NULL}, {"lr", "0.1", NULL}, {"batch", "64", NULL}, \
        {"guard", "yes", "yes|no"}, {"clip", "no", "no|train"}, \
    { \
        NULL, NULL, NULL \
    }

static const fxi_spec_key keys[] = {COMMON};
static const fxi_spec_key keys_order[] = {{"order", "3", NULL}, COMMON};
static const fxi_spec_key keys_degree[] = {{"degree", "2", NULL}, COMMON};
static const fxi_spec_key keys_split[] = {{"split", NULL, NULL}, COMMON};

static const fxi_learner learners[] = {
    {"fm", "fm           task=classify|regress|rank, loss=, rank=30, beta=3e-4, "
     "solver=auto|cd|adagrad|lbfgs, tol=1e-4, max-iter=100: pairs of columns with learnt weights",
     keys, NULL, FXI_FM_HOFM},
    {"hofm", "hofm         order=3, beta=3e-4: combinations of 2 to `order` columns, "
     "factors for each order", keys_order, NULL, FXI_FM_HOFM},
    {"hofm-shared", "hofm-shared  order=3: the same, factors for all orders together", keys_order,
     NULL, FXI_FM_SHARED},
    {"hofm-simplex", "hofm-simplex order=3: the same, with a learnt weight of each order",
     keys_order, NULL, FXI_FM_SIMPLEX},
    {"all-subsets", "all-subsets  combinations of any number of columns", keys, NULL,
     FXI_FM_SUBSETS},
    {"poly-net", "poly-net     degree=2: powers of linear functions", keys_degree, NULL,
     FXI_FM_POWER},
    {"poly-net-uv", "poly-net-uv  products of two linear functions", keys, NULL, FXI_FM_UV},
    {"bilinear", "bilinear     split=: products of one of the first `split` columns and one of "
     "the others", keys_split, NULL, FXI_FM_BILINEAR},
    {0}};

/* ---- Values ------------------------------------------------------------------------------ */

/* A number of at least 0, or above 0. */
static fx_status number(double *out, const fxi_spec *s, const fxi_spec_key *k, const char *key,
                        bool zero)
{
    fx_status st = fxi_spec_number(out, s, k, key);

    if (!st && !(*out > 0 || (zero && *out == 0)))
        st = fxi_error(FX_EINVAL, "%.*s: %s=%g %s", (int)s->name_len, s->name, key, *out,
                       zero ? "is negative" : "must be positive");
    return st;
}

static fx_status count(size_t *out, const fxi_spec *s, const fxi_spec_key *k, const char *key,
                       uint64_t low, uint64_t high)
{
    uint64_t n = 0;
    fx_status st = fxi_spec_count(&n, s, k, key, low, high);

    *out = (size_t)n;
    return st;
}

/* beta of each order; the last number holds for all further ones. */
static fx_status read_beta(fxi_fm_shape *shape, const fxi_spec *s, const fxi_spec_key *k)
{
    size_t n;
    fx_status st = fxi_spec_list(shape->beta, &n, FX_ORDER_MAX - 1, s, k, "beta");

    for (size_t i = 0; i < n && !st; i++)
        if (shape->beta[i] < 0)
            return fxi_error(FX_EINVAL, "%.*s: beta=%g is negative", (int)s->name_len, s->name,
                             shape->beta[i]);
    for (size_t i = n; i < FX_ORDER_MAX && !st; i++)
        shape->beta[i] = shape->beta[n - 1];
    return st;
}

static fx_status read_shape(fxi_learning *l, const fxi_spec *s, const fxi_spec_key *k)
{
    fxi_fm_shape *shape = &((fxi_factors_keys *)l->own)->shape;
    size_t order = 2;
    int no_linear, none, how;
    fx_status st = FX_OK;

    if (k == keys_order || k == keys_degree)
        st = count(&order, s, k, k->name, 2, FX_ORDER_MAX);
    if (k == keys_split)
        st = count(&shape->split, s, k, "split", 1, INT32_MAX);
    if (st || (st = count(&shape->rank, s, k, "rank", 1, INT32_MAX))
        || (st = read_beta(shape, s, k)) || (st = number(&shape->alpha, s, k, "alpha", true))
        || (st = number(&shape->beta_lambda, s, k, "beta-lambda", true))
        || (st = fxi_spec_choice(&no_linear, s, k, "linear"))
        || (st = fxi_spec_choice(&none, s, k, "intercept"))
        || (st = fxi_spec_choice(&how, s, k, "lambda")))
        return st;
    shape->kind = (fxi_fm_kind)l->learner->form;
    shape->order = (int)order;
    shape->linear = !no_linear;
    shape->intercept = !none;
    shape->how = (fxi_fm_lambda)how;
    l->intercept = none ? FXI_NONE : FXI_FREE;
    return FX_OK;
}

/* ---- What goes together ------------------------------------------------------------------ */

static fx_status resolve(fxi_learning *l, int task, int loss)
{
    static const fxi_loss *const losses[] = {NULL, &fxi_loss_squared, &fxi_loss_logistic,
                                             &fxi_loss_squared_hinge};
    static const char *const names[] = {"classify", "regress", "rank"};
    fxi_factors_keys *o = l->own;
    const char *name = l->learner->name;
    const fxi_loss *own = task == FXI_REGRESS ? &fxi_loss_squared : &fxi_loss_logistic;

    l->task = (fxi_task)task;
    l->loss = loss ? losses[loss] : own;
    if (task != FXI_CLASSIFY && l->loss != own)
        return fxi_error(FX_EINVAL, "%s: task=%s has loss=%s, not %s", name, names[task],
                         own == &fxi_loss_squared ? "squared" : "logistic", l->loss->name);
    if (o->clip && task != FXI_REGRESS)
        return fxi_error(FX_EINVAL, "%s: clip=train is for targets (task=regress), not task=%s",
                         name, names[task]);
    if (task == FXI_RANK && o->solver != FXI_FM_AUTO && o->solver != FXI_FM_ADAGRAD)
        return fxi_error(FX_EUNSUPPORTED, "%s: task=rank is learnt by solver=adagrad, not by %s",
                         name, solver_name[o->solver]);
    if (o->solver == FXI_FM_AUTO)
        o->solver = task == FXI_RANK                ? FXI_FM_ADAGRAD
                    : o->shape.kind == FXI_FM_POWER ? FXI_FM_LBFGS
                                                    : FXI_FM_CD;
    return FX_OK;
}

static fx_status read(fxi_learning *l, const fxi_spec *s)
{
    const fxi_spec_key *k = l->learner->keys;
    fxi_factors_keys *o = l->own;
    int task, loss, guard, clip;
    fx_status st = read_shape(l, s, k);

    if (st || (st = fxi_spec_choice(&task, s, k, "task"))
        || (st = fxi_spec_choice(&loss, s, k, "loss"))
        || (st = fxi_spec_choice(&o->solver, s, k, "solver"))
        || (st = fxi_spec_choice(&guard, s, k, "guard"))
        || (st = fxi_spec_choice(&clip, s, k, "clip")) || (st = number(&o->sd, s, k, "sd", true))
        || (st = number(&l->tol, s, k, "tol", true)) || (st = number(&o->lr, s, k, "lr", false))
        || (st = count(&o->batch, s, k, "batch", 1, INT32_MAX))
        || (st = count(&l->max_iter, s, k, "max-iter", 1, INT32_MAX)))
        return st;
    o->bare = guard;
    o->clip = clip;
    return resolve(l, task, loss);
}

/* With the loss and the solver that were resolved where none is given: what a model says of
 * itself. */
static char *complete(const fxi_learning *l, const fxi_spec *s)
{
    fxi_spec_key keys_now[FXI_SPEC_KEYS + 1];
    size_t n = 0;

    for (const fxi_spec_key *k = l->learner->keys; k->name; k++, n++) {
        keys_now[n] = *k;
        if (!strcmp(k->name, "loss"))
            keys_now[n].fallback = l->loss == &fxi_loss_squared    ? "squared"
                                   : l->loss == &fxi_loss_logistic ? "logistic"
                                                                   : "squared-hinge";
        if (!strcmp(k->name, "solver"))
            keys_now[n].fallback = solver_name[((const fxi_factors_keys *)l->own)->solver];
    }
    keys_now[n] = (fxi_spec_key){0};
    return fxi_spec_complete(s, keys_now);
}

/* ---- The model ---------------------------------------------------------------------------- */

enum { NUMBERS = 1 << 16, ROWS = 4096 };        /* of a chunk that is scored */

static fx_status score(double *S, const fxi_scorer *s, const fx_matrix *X, const fx_run *run,
                       fxi_team *team)
{
    const fxi_factors *own = s->m->own;
    size_t outputs = s->m->c.outputs;
    fx_data *memory = NULL;
    fx_matrix view;
    double *f = outputs > 1 ? fxi_alloc(X->rows, sizeof *f) : S;
    fx_status st = f || !X->rows ? fxi_fm_rows(&view, &memory, own->fm, X, run) : FX_ENOMEM;

    (void)team;
    for (size_t k = 0; k < outputs && !st; k++) {
        st = fxi_fm_score(f, own->fm, own->v + k * own->fm->size,
                          (fxi_row_subset){&view, NULL, X->rows}, run);
        for (size_t i = 0; i < X->rows && !st && outputs > 1; i++)
            S[i * outputs + k] = f[i];
    }
    fx_data_free(memory);
    if (outputs > 1)
        free(f);
    return st;
}

static fx_status scorer(fxi_scorer *s, const fx_matrix *X, const fx_run *run)
{
    (void)X, (void)run;
    s->numbers = NUMBERS;
    s->rows = ROWS;
    s->score = score;
    return FX_OK;
}

static bool updatable(const fx_model *m) { return ((const fxi_factors *)m->own)->state; }

static void free_shape(fx_model *m)
{
    fxi_factors *own = m->own;

    if (own->fm)
        fxi_fm_free(own->fm);
    free(own->fm);
}

const fxi_kind fxi_kind_factors = {
    .name = "factorization machine", .learner = learners, .options = sizeof(fxi_factors_keys),
    .numbers = sizeof(fxi_factors), .prepared = sizeof(fxi_factors_rows),
    .state = sizeof(fxi_factors_state), .measured = true, .columns = true, .widens = true,
    .format = 3, .probable = "loss=logistic does",
    .read = read, .complete = complete, .prepare = fxi_kind_factors_fit_prepare,
    .prepare_eval = fxi_kind_factors_fit_eval, .init = fxi_kind_factors_init,
    .bytes = fxi_kind_factors_fit_bytes, .close = fxi_kind_factors_fit_close,
    .fit = fxi_train_fit, .begin = fxi_kind_factors_fit_begin,
    .allocate = fxi_kind_factors_output_new, .solve = fxi_kind_factors_output,
    .score = fxi_kind_factors_output_score, .keep = fxi_kind_factors_fit_keep,
    .release = fxi_kind_factors_output_release, .finish = fxi_kind_factors_fit_finish,
    .summary = fxi_kind_factors_summary, .missed = fxi_kind_factors_summary_missed,
    .updatable = updatable, .update = fxi_kind_factors_fit_update, .scorer = scorer,
    .terms = fxi_kind_factors_terms, .dump_header = fxi_kind_factors_file_header,
    .dump_arrays = fxi_kind_factors_file_dump, .parse_header = fxi_kind_factors_file_range,
    .parse_arrays = fxi_kind_factors_file_take, .parsed = fxi_kind_factors_file_parsed,
    .free = free_shape};
