/* SPDX-License-Identifier: BSD-3-Clause
 * linear.c - linear models, one for each loss that loss.def marks for it.
 *
 * Which penalties and solvers serve follows from the loss: a dual step, a second derivative, both
 * or none.  newton is Newton's method or, where there is no second derivative, the method of
 * multipliers.
 *
 *             dual          newton          cd (l1)   proximal (l1)
 *   svm       auto, first   auto, if long   -         -
 *   svm-l2    auto, first   auto, if long   auto      yes
 *   svr       auto, first   auto, if long   -         -
 *   logistic  -             auto            auto      yes
 *   ridge     yes           auto            auto      yes
 *
 * With solver=auto a loss with a second derivative and no kink goes to Newton's method.  The others
 * go to the dual solver first, which is fastest where C and rows are small: the gap after some
 * visits of the rows predicts how many it would take (fit/dual.c).  If that is more than the other
 * solvers usually take, they continue from its weights: Newton's method for the squared hinge, the
 * method of multipliers for hinge and epsilon-insensitive loss.  The method of multipliers also
 * takes over from Newton's method if the squared hinge makes it stall (fit/newton.c), as often
 * happens with more features than rows.  Counts of visits, passes and steps decide, never the
 * clock.
 *
 * Newton's method comes first for the squared hinge if features are few or sparse, which takes it a
 * dozen passes, if there are so many numbers that rows should not have to be in memory, and if a
 * fit starts from the weights of another that the dual solver did not end. */

#include "kind/kind.h"

enum { PATIENCE = 400, WIDE_PATIENCE = 50 };    /* passes */
enum { DUAL_VISITS = 100, DUAL_VISITS_L2 = 40 }; /* per row: about what the other solvers take */
enum { DUAL_FEATURES = 256 };           /* of the squared hinge: fewer are few */
#define DUAL_NUMBERS 0x1p28             /* .. of all rows: 1 GiB of floats */
enum { AUTO, DUAL, NEWTON, CD, PROXIMAL };
static const char *const solver_name[] = {"auto", "dual", "newton", "cd", "proximal"};

typedef struct options { int solver; bool l1; double epsilon; } options;

/* ---- The table ---------------------------------------------------------------------------- */

#define PENALTY "penalty", "l2", FXI_CHOICE("l2|l1"), "l1: few weights that are not 0"
#define SOLVER  "solver", "auto", FXI_CHOICE("auto|dual|newton|cd|proximal"), \
    "auto: by loss and penalty"
#define TOL     "tol", "1e-3", FXI_POSITIVE, "stop at this share of the objective above the optimum"
#define STEPS   "max-iter", "1000", FXI_COUNT(1, INT32_MAX), \
                "passes (dual, proximal), steps (newton, cd)"
#define ONLY_L2 "penalty", "l2", FXI_CHOICE("l2"), "l1 is for svm-l2, logistic and ridge"
#define SMOOTH  "solver", "auto", FXI_CHOICE("auto|dual|newton"), "auto: by the rows"
#define WITH_L1 {FXI_KEY_C}, {PENALTY}, {FXI_KEY_INTERCEPT}, {SOLVER}, {TOL}, {STEPS}
#define WITHOUT {FXI_KEY_C}, {ONLY_L2}, {FXI_KEY_INTERCEPT}, {SMOOTH}, {TOL}, {STEPS}
static const fx_key keys_l1[] = {WITH_L1, {0}};
static const fx_key keys_l1_calibrate[] = {WITH_L1, {FXI_KEY_CALIBRATE}, {0}};
static const fx_key keys_calibrate[] = {WITHOUT, {FXI_KEY_CALIBRATE}, {0}};
static const fx_key keys_epsilon[] = {WITHOUT, {FXI_KEY_EPSILON}, {0}};

#define LOSS(name)
#define LINEAR(name, model, help, keys) {model, help, keys_##keys, &fxi_loss_##name, 0, NULL},
static const fxi_learner learners[] = {
#include "loss/loss.def"
    {0}};

static bool serves(const fxi_loss *loss, bool l1, int solver)
{
    if (l1)
        return loss->curve && (solver == AUTO || solver == CD || solver == PROXIMAL);
    return solver == DUAL ? loss->step != NULL : solver == NEWTON || solver == AUTO;
}

static fx_status not_served(const fxi_learning *l)
{
    const options *o = l->own;
    bool l1 = serves(l->loss, true, CD), dual = serves(l->loss, false, DUAL);

    return fxi_error(FX_EUNSUPPORTED, "%s has no penalty=%s with solver=%s; there are penalty=l2 "
                     "(solver=%snewton)%s", l->learner->name, o->l1 ? "l1" : "l2",
                     solver_name[o->solver], dual ? "dual|" : "",
                     l1 ? ", penalty=l1 (solver=cd|proximal)" : "");
}

static fx_status read(fxi_learning *l, const fxi_spec *s)
{
    options *o = l->own;

    o->l1 = fxi_model_learner_choice(l, s, "penalty");
    o->epsilon = fxi_model_learner_number(l, s, "epsilon", 0);
    o->solver = fxi_model_learner_choice(l, s, "solver");
    l->unstored = o->l1 && o->solver != PROXIMAL;
    return serves(l->loss, o->l1, o->solver) ? FX_OK : not_served(l);
}

/* ---- Before a fit ------------------------------------------------------------------------- */

static int solver_of(const fxi_learning *how)
{
    const options *o = how->own;

    return o->solver != AUTO      ? o->solver
           : o->l1                ? CD
           : how->loss->rounded   ? AUTO
                                  : NEWTON;
}

/* Newton's method and proximal steps never see a row; the others need all of them at hand.  Of auto
 * the data decides: prepare. */
static bool streams(const fxi_learning *how)
{
    int solver = solver_of(how);

    return (solver == PROXIMAL || ((solver == NEWTON || solver == AUTO) && how->loss->curve))
           && !how->calibrate;
}

/* Of the squared hinge, by the data alone. */
static bool newton_begins(size_t rows, size_t features, bool sparse)
{
    return sparse || features < DUAL_FEATURES || (double)rows * (double)features > DUAL_NUMBERS;
}

static fx_status prepare(fxi_train *t, const fx_plan *plan, const fx_run *run)
{
    const options *o = t->how.own;
    const fx_model_info *c = &t->m->c;
    size_t numbers;
    bool found = false;
    fx_status st = o->l1 && o->solver != PROXIMAL ? fxi_kind_found_prepare(&found, t, plan) : FX_OK;

    if (!st && !found)
        st = fxi_kind_features_prepare(t, plan, run);
    if (st || found || !t->stream || !t->stream->ask || solver_of(&t->how) != AUTO
        || newton_begins(c->rows, c->features, fxi_train_passes_sparse(&numbers, t)))
        return st;
    return fxi_error(FX_EUNSUPPORTED, "%s begins with the dual solver where %d or more features "
                     "are dense (%zu here) and rows have at most 2^28 numbers of them, and that "
                     "needs all rows in memory; use solver=newton",
                     t->how.learner->name, DUAL_FEATURES, c->features);
}

static bool found(const fxi_train *t) { return ((const fxi_linear *)t->own)->found.found; }

static fx_status init(fxi_train *t, const fx_run *run)
{
    const fx_model_info *i = &t->init->c;
    int solver = solver_of(&t->how);

    (void)run;
    if (found(t))
        return fxi_error(FX_EUNSUPPORTED, "a fit that finds its products cannot start from a "
                                          "model");
    if (t->init->kind->updatable || i->vectors.cols)    /* it has more than weights of features */
        return fxi_train_init_differs("model", i->spec, t->m->c.spec);
    if (solver == DUAL || (solver == AUTO && !t->how.loss->curve)) /* from a number for each row */
        return fxi_error(FX_EUNSUPPORTED, "the dual solver cannot start from a model; "
                         "solver=newton, cd, proximal and perceptron can");
    return fxi_kind_features_init(t);
}

/* The dual solver and the method of multipliers are in what every fit has, the L1 solver counts
 * what it takes itself. */
static bool bytes(size_t *each, size_t *all, const fxi_train *t)
{
    size_t solver = 0, passes = 0, features = t->m->c.features;
    size_t rows = t->stream ? (size_t)t->stream->survey.rows : t->X.rows;
    int which = solver_of(&t->how);

    if (which != DUAL && which != CD
        && !((which == PROXIMAL ? fxi_fit_l1_passes_bytes(&solver, features)
                                : fxi_fit_newton_bytes(&solver, rows, features))
             && (t->stream || fxi_fit_newton_memory_bytes(&passes, rows, features, t->threads))
             && fxi_size_add(&solver, solver, passes)))
        return false;
    return fxi_kind_weights_bytes(each, all, t, 1, solver);
}

/* ---- One output --------------------------------------------------------------------------- */

static bool allocate(fxi_output *o)
{
    const fxi_train *t = o->train;
    const options *keys_of = t->how.own;
    bool beta = !keys_of->l1 && (solver_of(&t->how) == DUAL || t->how.loss->rounded);

    return (!beta || (o->s.beta = fxi_zalloc(t->source.rows, sizeof *o->s.beta)))
        && (o->s.w = fxi_zalloc(t->source.features, sizeof *o->s.w));
}

static void start(fxi_output *o)
{
    const fx_model_info *c = &o->train->init->c;

    o->s.b = c->intercepts[o->number];
    fxi_kind_weights_take(o->s.w, c->weights, c->features, c->outputs, o->number);
}

static size_t patience(size_t features, size_t rows)
{
    return features > rows ? WIDE_PATIENCE : PATIENCE;
}

static fx_status newton_then_proximal(fxi_solution *s, const fxi_problem *p, const fx_run *run)
{
    fxi_problem first = *p;
    fx_status st;

    if (!p->loss->curve)
        return fxi_fit_proximal(s, p, run);
    if (p->loss->rounded)
        first.patience = patience(p->source->features, p->source->rows);
    st = fxi_fit_newton(s, &first, run);
    return st || !s->stalled || s->iterations + 3 > p->max_iter ? st : fxi_fit_proximal(s, p, run);
}

/* Of the squared hinge, which has both. */
static bool newton_first(const fxi_solution *s, const fxi_source *z)
{
    for (size_t j = 0; j < z->features && !s->dual; j++)
        if (s->w[j] != 0)
            return true;
    return newton_begins(z->rows, z->features, z->sparse);
}

static fx_status dual_then_newton(fxi_solution *s, const fxi_problem *p, const fx_run *run)
{
    fxi_problem first = *p;
    fx_status st;

    if (p->loss->curve && newton_first(s, p->source))
        return newton_then_proximal(s, p, run);
    first.patience = p->loss->curve ? DUAL_VISITS_L2 : DUAL_VISITS;
    st = fxi_fit_dual(s, &first, run);
    s->dual = !st && (!s->stalled || s->iterations + 3 > p->max_iter);
    return st || s->dual ? st : newton_then_proximal(s, p, run);
}

/* The method of multipliers has a number for each row. */
static fx_status fit_stream(fxi_output *o, fxi_problem *p, double C, const fx_run *run)
{
    const fx_model_info *c = &o->train->m->c;
    fxi_asking asking;

    fxi_train_passes(&asking, o, C);
    p->passes = &asking.passes;
    bool newton = solver_of(&o->train->how) != PROXIMAL;
    if (newton && p->loss->rounded)
        p->patience = patience(c->features, c->rows);
    fx_status st = (newton ? fxi_fit_newton : fxi_fit_l1_passes)(&o->s, p, run);
    if (!st && o->s.stalled && o->s.iterations + 3 <= p->max_iter)
        st = fxi_error(FX_EUNSUPPORTED, "the steps of Newton's method are short, and the solver "
                       "that would take over needs all rows in memory; lower C, or use logistic");
    fxi_train_passes_free(&asking);
    return st ? st : fxi_kind_weights_finite(o, o->s.w, o->train->m->c.features);
}

/* ---- Rows that answer ------------------------------------------------------------------------ */

/* Vectors of a question have a number for each feature and one for the intercept. */
static fx_status asked(fxi_answer *a, const fxi_question *q, const fxi_train *t)
{
    size_t d = t->m->c.features, need = d + 1;
    bool product = q->what == FXI_ASK_PRODUCT || q->what == FXI_ASK_HESSIAN;

    if (q->what > FXI_ASK_HESSIAN || !q->w || q->ws != need || (q->v ? q->vs != need : product))
        return fxi_error(FX_EFORMAT, "question %d does not fit %zu features", (int)q->what, d);
    return fxi_fit_newton_pass_begin(a, q, d, NULL);
}

static fx_status answer(fxi_answer *a, const fxi_question *q, const fxi_part *x)
{
    const fxi_train *t = x->train;
    fxi_problem p = {.loss = t->how.loss, .epsilon = ((const options *)t->how.own)->epsilon,
                     .intercept = t->how.intercept, .seed = t->seed};
    size_t rows = x->X.rows;
    double *space = fxi_alloc(rows, 3 * sizeof *space);

    if (!space)
        return FX_ENOMEM;
    fxi_piece piece = {.rows = rows, .y = x->y, .c = x->c, .f = space, .D = space + rows,
                       .q = space + 2 * rows};
    fx_status st = fxi_fit_newton_pass(a, q, &p, &x->z, &piece, x->first,
                                       x->first + rows == x->all);
    fxi_free(space);
    return st;
}

static void scored(fxi_question *q, const fxi_output *o)
{
    *q = (fxi_question){.w = o->s.w, .ws = o->train->m->c.features, .v = &o->s.b, .vs = 1};
}

static fx_status scores(double *f, const fxi_question *q, const fxi_part *x, const fx_run *run)
{
    if (q->ws != x->train->m->c.features || !q->v || q->vs != 1)
        return fxi_error(FX_EFORMAT, "%zu weights do not fit %zu features", q->ws,
                         x->train->m->c.features);
    return fxi_fit_source_scores(f, &x->z, q->w, q->v, 1, run);
}

static fx_status solve(fxi_output *o, double C, const fx_run *run)
{
    if (found(o->train))
        return fxi_kind_found_solve(o, C, run);

    const fxi_learning *how = &o->train->how;
    fxi_problem p = fxi_kind_weights_problem(o, C);
    fx_run left = fxi_sized_run(run);
    fx_status st;

    p.epsilon = ((const options *)how->own)->epsilon;
    if (left.max_memory)                /* beside copies, labels and weights, which bytes() has */
        left.max_memory -= o->train->copies + o->train->X.rows * 2 * sizeof(double);
    o->s.iterations = 0;
    if (o->train->stream)
        return fit_stream(o, &p, C, run);
    switch (solver_of(how)) {
    case NEWTON: st = newton_then_proximal(&o->s, &p, run); break;
    case DUAL: st = fxi_fit_dual(&o->s, &p, run); break;
    case CD: st = fxi_fit_l1(&o->s, &p, &left); break;
    case PROXIMAL: st = fxi_fit_l1_passes(&o->s, &p, run); break;
    default: st = dual_then_newton(&o->s, &p, run); break;
    }
    return st ? st : fxi_kind_weights_finite(o, o->s.w, o->train->source.features);
}

/* ---- Products that are found ---------------------------------------------------------------- */

static fx_status begin(fxi_train *t)
{
    fx_status st = fxi_kind_weights_begin(t);

    return st || !found(t) ? st : fxi_kind_found_begin(t);
}

static fx_status score(double *f, const fxi_output *o, const fxi_solution *now, const int32_t *row,
                       size_t n, const fx_run *run)
{
    return found(o->train) ? fxi_kind_found_score(f, o, row, n, run)
                           : fxi_kind_weights_score(f, o, now, row, n, run);
}

static void keep(fxi_output *o)
{
    if (found(o->train)) {
        ((fxi_weights *)o->train->own)->intercepts[o->number] = o->s.b;
        fxi_kind_found_keep(o);
    } else
        fxi_kind_weights_keep(o);
}

static fx_status finish(fxi_train *t, const fx_run *run)
{
    return found(t) ? fxi_kind_found_finish(t, run) : fxi_kind_weights_finish(t, run);
}

static void close(fxi_train *t)
{
    fxi_kind_found_close(t);
    fxi_kind_weights_close(t);
}

/* ---- What is said of it ------------------------------------------------------------------- */

/* Only solver=auto changes to another solver if one makes no progress. */
static fx_status not_converged(const fxi_train *t, const fxi_output *o)
{
    const options *keys = t->how.own;
    bool alone = !keys->l1
                 && (keys->solver == DUAL || (keys->solver == NEWTON && !t->how.loss->curve));
    char where[128];
    bool unscaled = fxi_kind_weights_spread(where, t) > FXI_KIND_MAX_SPREAD;

    return fxi_error(FX_NOT_CONVERGED, "gap %.2g after %zu iterations, above tol=%g%s: %s",
                     o->s.gap, o->s.iterations, t->how.tol, where,
                     fxi_kind_weights_suggest(t, o, unscaled, alone));
}

const fxi_kind fxi_kind_linear = {
    .name = "linear", .learner = learners, .options = sizeof(options),
    .prepared = sizeof(fxi_linear), .state = sizeof(fxi_found_fit), .path = "C", .format = 1,
    .map = FX_MAY, .proba_hint = FXI_KIND_PROBA_HINT, .read = read, .streams = streams,
    .asked = asked, .answer = answer, .scored = scored, .scores = scores, .prepare = prepare,
    .init = init, .bytes = bytes, .close = close, .fit = fxi_train_fit,
    .begin = begin, .allocate = allocate, .start = start,
    .solve = solve, .score = score, .keep = keep, .release = fxi_kind_found_release,
    .finish = finish, .not_converged = not_converged, .fold_not_converged = fxi_kind_weights_fold,
    .scorer = fxi_kind_features_scorer, .terms = fxi_explain_terms_weights,
    .parsed = fxi_kind_features_parsed};
