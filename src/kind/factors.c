/* SPDX-License-Identifier: BSD-3-Clause
 * factors.c - factorization machines: fm, hofm, hofm-shared, hofm-simplex, all-subsets, poly-net,
 * poly-net-uv, bilinear.  Their specs are resolved here: what `auto` means follows from the task
 * and the model.
 *
 *   task       loss auto    others                      solver auto     others
 *   classify   logistic     squared, squared-hinge      cd              adagrad, lbfgs
 *   regress    squared      -                           cd              adagrad, lbfgs
 *   rank       logistic     -                           adagrad         -
 *
 * cd needs no rate and never raises the objective.  Where columns are many and rows few for each,
 * AdaGrad finds more (doc/math.md#fm).  poly-net, for which cd has no exact step, goes to lbfgs. */

#include "kind/kind.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

static const char *const solver_name[] = {"auto", "cd", "adagrad", "lbfgs"};

#define NOT_NEGATIVE FXI_NUMBER(0, INFINITY)
#define COUNT        FXI_COUNT(1, INT32_MAX)
#define COMMON                                                                                     \
    {"task", "classify", FXI_CHOICE("classify|regress|rank"),                                      \
     "rank: labels order the rows of a query"},                                                    \
    {"loss", "auto", FXI_CHOICE("auto|squared|logistic|squared-hinge"),                            \
     "auto: squared for targets, else logistic"},                                                  \
    {"rank", "30", COUNT, "components of each order"},                                             \
    {"sd", "0.01", NOT_NEGATIVE, "standard deviation of factors at the start"},                    \
    {"beta", "3e-4", FXI_LIST(0), "penalty of factors; X/Y/..: of orders 2, 3, .."},               \
    {"linear", "yes", FXI_CHOICE("yes|no"), "a weight for each column, too"},                      \
    {"alpha", "1e-4", NOT_NEGATIVE, "penalty of the linear term"},                                 \
    {"intercept", "free", FXI_CHOICE("free|none"), "a constant that is not penalised"},            \
    {"lambda", "ones", FXI_CHOICE("ones|signs|learned"), "weights of components"},                 \
    {"beta-lambda", "1e-3", NOT_NEGATIVE, "penalty of learned weights of components"},             \
    {"solver", "auto", FXI_CHOICE("auto|cd|adagrad|lbfgs"),                                        \
     "auto: cd; for rank adagrad, for poly-net lbfgs"},                                            \
    {"tol", "1e-4", NOT_NEGATIVE, "stop when an iteration gains less than this share"},            \
    {"max-iter", "100", COUNT, "iterations at most"},                                              \
    {"lr", "0.1", FXI_POSITIVE, "adagrad: learning rate"},                                         \
    {"batch", "64", COUNT, "adagrad: rows of a step, at most 4,096"},                             \
    {"guard", "yes", FXI_CHOICE("yes|no"), "adagrad: repeat at half the rate what goes astray"},   \
    {"clip", "no", FXI_TEXT("no|train"), \
     "keep predicted targets within those of the training, or within a range: LO/HI"}, \
    {0}

static const fx_key keys[] = {COMMON};
static const fx_key keys_order[] = {
    {"order", "3", FXI_COUNT(2, FX_ORDER_MAX), "columns in a combination, at most"}, COMMON};
static const fx_key keys_degree[] = {
    {"degree", "2", FXI_COUNT(2, FX_ORDER_MAX), "power of the linear functions"}, COMMON};
static const fx_key keys_split[] = {
    {"split", NULL, COUNT, "columns on the left of a product"}, COMMON};

static const fxi_learner learners[] = {
    {"fm", "pairs of columns with learnt weights", keys, NULL, FXI_FM_HOFM, NULL},
    {"hofm", "combinations of 2 to `order` columns, factors for each order", keys_order, NULL,
     FXI_FM_HOFM, NULL},
    {"hofm-shared", "combinations of 2 to `order` columns, factors for all orders together",
     keys_order, NULL, FXI_FM_SHARED, NULL},
    {"hofm-simplex", "as hofm-shared, with a learnt weight of each order", keys_order, NULL,
     FXI_FM_SIMPLEX, NULL},
    {"all-subsets", "combinations of any number of columns", keys, NULL, FXI_FM_SUBSETS, NULL},
    {"poly-net", "powers of linear functions", keys_degree, NULL, FXI_FM_POWER, NULL},
    {"poly-net-uv", "products of two linear functions", keys, NULL, FXI_FM_UV, NULL},
    {"bilinear", "products of one of the first `split` columns and one of the others", keys_split,
     NULL, FXI_FM_BILINEAR, NULL},
    {0}};

/* ---- Values ------------------------------------------------------------------------------ */

/* beta of each order; the last number holds for all further ones. */
static fx_status read_beta(double beta[FX_ORDER_MAX], const fxi_learning *l, const fxi_spec *s)
{
    size_t n;
    fx_status st = fxi_key_list(beta, &n, FX_ORDER_MAX - 1, s, l->learner->keys, "beta");

    for (size_t i = n; i < FX_ORDER_MAX && !st; i++)
        beta[i] = beta[n - 1];
    return st;
}

static fx_status read_shape(fxi_learning *l, const fxi_spec *s)
{
    fxi_fm_shape *shape = &((fxi_factors_keys *)l->own)->shape;
    const fx_key *first = l->learner->keys;     /* order or degree, if it has one */
    bool ordered = first == keys_order || first == keys_degree;

    shape->kind = (fxi_fm_kind)l->learner->form;
    shape->order = ordered ? (int)fxi_model_learner_count(l, s, first->name) : 2;
    shape->split = fxi_model_learner_count(l, s, "split");
    shape->rank = fxi_model_learner_count(l, s, "rank");
    shape->alpha = fxi_model_learner_number(l, s, "alpha", 0);
    shape->beta_lambda = fxi_model_learner_number(l, s, "beta-lambda", 0);
    shape->linear = !fxi_model_learner_choice(l, s, "linear");
    shape->intercept = !fxi_model_learner_choice(l, s, "intercept");
    shape->how = (fxi_fm_lambda)fxi_model_learner_choice(l, s, "lambda");
    l->intercept = shape->intercept ? FXI_FREE : FXI_NONE;
    return read_beta(shape->beta, l, s);
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
        return fxi_error(FX_EINVAL, "%s: clip is for targets (task=regress), not for task=%s",
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

/* no, train or LO/HI */
static fx_status read_clip(fxi_learning *l, const fxi_spec *s)
{
    fxi_factors_keys *o = l->own;
    const char *text, *end, *p;
    size_t len;
    fx_status st = fxi_key_text(&text, &len, s, l->learner->keys, "clip");

    if (st)
        return st;
    end = text + len;
    o->clip = !(len == 2 && !memcmp(text, "no", 2));
    o->range = o->clip && !(len == 5 && !memcmp(text, "train", 5));
    if (!o->range)
        return FX_OK;
    if ((p = fxi_decimal_read(&o->low, text, end)) && p < end && *p == '/'
        && fxi_decimal_read(&o->high, p + 1, end) == end && o->low <= o->high
        && o->low >= -DBL_MAX && o->high <= DBL_MAX)
        return FX_OK;
    return fxi_error(FX_EINVAL, "%s: clip=%.*s is neither no, train nor a range LO/HI",
                     l->learner->name, (int)(len < 60 ? len : 60), text);
}

static fx_status read(fxi_learning *l, const fxi_spec *s)
{
    fxi_factors_keys *o = l->own;
    fx_status st = read_shape(l, s);

    if (!st)
        st = read_clip(l, s);

    o->solver = fxi_model_learner_choice(l, s, "solver");
    o->bare = fxi_model_learner_choice(l, s, "guard");
    o->sd = fxi_model_learner_number(l, s, "sd", 0);
    o->lr = fxi_model_learner_number(l, s, "lr", 0);
    o->batch = fxi_model_learner_count(l, s, "batch");
    return st ? st
              : resolve(l, fxi_model_learner_choice(l, s, "task"),
                        fxi_model_learner_choice(l, s, "loss"));
}

static void describe(fx_description *d, const fxi_learning *l)
{
    const fxi_factors_keys *o = l->own;

    d->tasks = FX_TASK_CLASSIFY | FX_TASK_REGRESS | FX_TASK_RANK;
    d->kernel = o->shape.kind == FXI_FM_HOFM ? FX_MAY : FX_NO;  /* groups */
    d->updatable = o->solver == FXI_FM_ADAGRAD;
}

/* With the loss and the solver that were resolved where none is given: what a model says of
 * itself. */
static char *complete(const fxi_learning *l, const fxi_spec *s)
{
    fxi_spec now = *s;

    if (fxi_spec_at(s, "loss") == s->keys)
        fxi_spec_set(&now, "loss", l->loss->name);
    if (fxi_spec_at(s, "solver") == s->keys)
        fxi_spec_set(&now, "solver", solver_name[((const fxi_factors_keys *)l->own)->solver]);
    return fxi_spec_complete(&now, l->learner->keys);
}

/* ---- The model ---------------------------------------------------------------------------- */

enum { NUMBERS = 1 << 16, ROWS = 4096 };        /* of a chunk that is scored */

static fx_status score(double *S, const fx_scorer *s, const fx_matrix *X, fxi_scratch *scratch,
                       const fx_run *run, fxi_team *team)
{
    const fxi_factors *own = s->m->own;

    return fxi_fm_score_given(S, own->fm, own->v, s->m->c.outputs, X, scratch, run, team);
}

static fx_status scorer(fx_scorer *s, const fx_run *run)
{
    (void)run;
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
    .numbers = sizeof(fxi_factors), .prepared = sizeof(fxi_factors_fit),
    .state = sizeof(fxi_factors_state), .path = "beta", .combines = true, .measured = true,
    .columns = true, .widens = true, .format = 3, .proba_hint = "loss=logistic does",
    .read = read, .complete = complete, .describe = describe,
    .streams = fxi_kind_factors_pass_streams, .states = fxi_kind_factors_pass_states,
    .asked = fxi_kind_factors_pass_asked,
    .answer = fxi_kind_factors_pass_answer, .order = fxi_kind_factors_pass_order,
    .scored = fxi_kind_factors_output_scored, .scores = fxi_kind_factors_pass_scores,
    .prepare = fxi_kind_factors_fit_prepare,
    .prepare_eval = fxi_kind_factors_fit_eval, .init = fxi_kind_factors_init,
    .bytes = fxi_kind_factors_fit_bytes, .close = fxi_kind_factors_fit_close,
    .fit = fxi_train_fit, .begin = fxi_kind_factors_fit_begin,
    .allocate = fxi_kind_factors_output_new, .solve = fxi_kind_factors_output,
    .score = fxi_kind_factors_output_score, .keep = fxi_kind_factors_fit_keep,
    .release = fxi_kind_factors_output_release, .finish = fxi_kind_factors_numbers_keep,
    .not_converged = fxi_kind_factors_summary, .fold_not_converged = fxi_kind_factors_summary_fold,
    .updatable = updatable, .update = fxi_kind_factors_fit_update,
    .foldable = fxi_kind_factors_fold_in_able, .fold_in = fxi_kind_factors_fold_in,
    .scorer = scorer, .terms = fxi_kind_factors_terms, .dump_header = fxi_kind_factors_file_header,
    .dump_arrays = fxi_kind_factors_file_dump, .parse_header = fxi_kind_factors_file_range,
    .parse_arrays = fxi_kind_factors_file_take, .parsed = fxi_kind_factors_file_parsed,
    .free = free_shape};
