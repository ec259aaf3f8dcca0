/* SPDX-License-Identifier: BSD-3-Clause
 * selection.c - what the user left open: scaling, kernel, map, number of features, penalty and C.
 *
 * Scaling follows from the range of the values.  The rest is measured: every candidate is fitted
 * along a path of C on four fifths of the rows and scored on the last fifth, or, if there are few
 * rows, on every fifth in turn.  Of the candidates whose best score is within one standard error of
 * the best of all, the first in the list (candidates.c) wins; the list goes from simple to complex.
 * A candidate that can no longer win is not measured further.
 *
 * At most 5,000 rows are used (selection_rows.c).  The path ends where larger values of C, which
 * take longer, bring no more gain.  Candidates that would exceed a given number of operations are
 * left out, and this is reported.  Nothing depends on the clock or on --max-memory, so the same
 * data give the same choice: a fit that lacks memory is an error. */

#include "selection.h"
#include "team/team.h"

#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FOLDS = SELECTION_FOLDS, GRID = SELECTION_COSTS };
#define QUICK 2e5                       /* so few that the path is walked until it falls */
#define LOOSE_TOL "0.01"                /* enough for a comparison */
#define LOOSE_ITER "100"

/* ---- Scores ------------------------------------------------------------------------------- */
static int prepare_plan(fx_plan *plan, char model[FITTING_SPEC], const candidate_set *k,
                        const candidate *x, const char *C)
{
    int status = fitting_model(model, k->of->regress, C, x->penalty);

    *plan = k->plan;
    plan->model = model;
    plan->map = x->map;
    plan->kernel = x->kernel;
    plan->features = (size_t)fmin(x->features, INT32_MAX);
    return status;
}

/* The standard error of a share of n rows, or of a root mean square error of normal residuals. */
static double standard_error(double score, size_t n, bool regress)
{
    double p = (score * (double)n + 1) / ((double)n + 2);       /* never 0 or 1 */

    return regress ? fabs(score) / sqrt(2 * (double)n) : sqrt(p * (1 - p) / (double)n);
}

/* The best C: the middle of the neighbouring values whose scores are as good, to within a quarter
 * of the standard error. */
static void resolve_cost(candidate *x, const candidate_set *k)
{
    size_t top = 0, low = 0, n = x->tried;
    const double *got = x->got;

    for (size_t i = 1; i < n; i++) {
        top = got[i] > got[top] ? i : top;
        low = got[i] < got[low] ? i : low;
    }
    double error = standard_error(got[top], k->held_out, k->of->regress);
    size_t first = top, last = top;
    while (first > 0 && got[first - 1] >= got[top] - error / 4)
        first--;
    while (last + 1 < n && got[last + 1] >= got[top] - error / 4)
        last++;
    x->score = got[top];
    x->C = k->C[(first + last) / 2];
    x->flat = got[low] >= got[top] - error / 4;
    x->rising = top + 1 == n && first == top;   /* not by chance */
    x->falling = got[n - 1] < got[top] - error || top + 4 < n;
}

/* If a candidate cannot be fitted, or not further along its path, the others continue.  The choice
 * fails only if nothing was measured and no candidate is left. */
static int give_up(candidate_set *k, candidate *x, fx_status s)
{
    char reason[SAY_REASON];
    bool others = x->tried > 0;

    x->failed = true;
    for (const candidate *y = k->list; y < k->list + k->n; y++)
        others |= y->tried > 0 || !y->failed;
    if (!others || s == FX_ENOMEM || s == FX_ELIMIT)   /* memory makes no choice */
        return say_failure(s);
    say_reason(reason, 0);
    say_warning("kernel %s, map %s%s: %s", x->kernel ? x->kernel : "none", x->map ? x->map : "none",
                x->tried ? ", larger C" : "", reason);
    return 0;
}

/* The next stretch of the path. */
static int walk(candidate_set *k, candidate *x)
{
    char model[FITTING_SPEC], number[32];
    fx_metrics m[GRID * FOLDS];
    double start = say_clock();
    fx_plan plan = FX_INIT(fx_plan);
    size_t n = x->tried, more = n ? 2 : k->first;
    bool loose = fitting_about().kernel != FX_MUST;
    const char *metric = k->of->regress ? "rmse" : "accuracy";
    double sign = k->of->regress ? -1 : 1;
    int status = prepare_plan(&plan, model, k, x, NULL);

    if (status)
        return status;
    if (loose && !spec_get(model, "tol").p)
        spec_set(model, sizeof model, "tol", LOOSE_TOL);
    if (x->max_iter)
        spec_set(model, sizeof model, "max-iter", say_number(number, (double)x->max_iter));
    else if (loose && !spec_get(model, "max-iter").p)
        spec_set(model, sizeof model, "max-iter", LOOSE_ITER);
    plan.eval = NULL;
    plan.init = NULL;
    more = more < k->costs - n ? more : k->costs - n;
    m->size = sizeof *m;
    fx_status s = fx_model_path(m, &plan, k->C + n, more, &k->t, k->fold, k->folds, &k->run);
    if (s == FX_ECANCELLED)
        return say_failure(s);
    if (s < 0)
        return give_up(k, x, s);
    for (size_t i = 0; i < more; i++) {
        x->got[n + i] = sign * metric_average(m + i * (size_t)k->folds, k->folds, metric);
        x->auc = fmax(x->auc, metric_average(m + i * (size_t)k->folds, k->folds, "auc"));
    }
    x->tried += more;
    k->ops += (double)more * x->ops;
    x->seconds += say_clock() - start;
    resolve_cost(x, k);
    return 0;
}

/* ---- Who wins ----------------------------------------------------------------------------- */
static const candidate *top_score(const candidate_set *k)
{
    const candidate *top = NULL;

    for (const candidate *x = k->list; x < k->list + k->n; x++)
        if (x->tried && (!top || x->score > top->score))
            top = x;
    return top ? top : k->list;         /* nothing is measured yet */
}

/* True if no later candidate can be better than this one by a standard error. */
static bool unbeatable(const candidate_set *k, const candidate *x)
{
    double perfect = k->of->regress ? 0 : 1;

    return x->tried
           && x->score >= perfect - standard_error(perfect, k->held_out, k->of->regress);
}

/* Large values of C take long.  They are tried if that is fast, if nothing was found yet, or if the
 * score still rises and is not far from the best. */
static bool continues(const candidate_set *k, const candidate *x)
{
    const candidate *top = top_score(k);
    double reach = top->score - 4 * standard_error(top->score, k->held_out, k->of->regress);

    if (x->failed || x->stopped)
        return false;
    for (const candidate *y = k->list; y < x; y++)
        if (unbeatable(k, y))
            return false;
    return !x->tried
           || (x->tried < k->costs
               && (x->flat || (x->rising && x->score >= reach)
                   || (x->work <= QUICK && !x->falling)));
}

/* The simplest candidate is never stopped, and its work does not count, so that others are measured
 * too. */
static bool affordable(candidate_set *k, candidate *x)
{
    x->stopped = x->tried && x > k->list
                 && k->ops - (double)k->list->tried * k->list->ops + 2 * x->ops > SELECTION_OPS;
    if (x->stopped)
        say_note("kernel %s, map %s: C above %g left out to bound the work of choosing",
                 x->kernel ? x->kernel : "none", x->map ? x->map : "none", k->C[x->tried - 1]);
    return !x->stopped;
}

static int walk_all(candidate_set *k)
{
    bool more = true;
    int status = 0;

    for (size_t round = 0; more && !status; round++) {
        more = false;
        for (size_t i = 0; i < k->n && !status; i++)
            if (continues(k, &k->list[i]) && affordable(k, &k->list[i])) {
                progress_begin("choose", "", (double)k->n);
                progress_part((double)(round ? k->n - 1 : i), (double)(round ? k->n : i + 1));
                malloc_trim(0);         /* what the last one freed must not add to the next */
                status = walk(k, &k->list[i]);
                more = true;
            }
    }
    progress_end();
    return status;
}

static const candidate *best(const candidate_set *k)
{
    const candidate *top = top_score(k), *x = k->list;

    while (!x->tried
           || x->score < top->score - standard_error(top->score, k->held_out, k->of->regress))
        x++;
    return x;
}

static int show(const candidate_set *k, const candidate *won)
{
    bool l1 = fit.penalty ? !strcmp(fit.penalty, "l1")
                          : spec_says(fitting_given(), "penalty", "l1");
    const char *metric = k->of->regress ? "rmse" : "accuracy";

    if (cli.quiet)
        return 0;
    say_note("candidates, from simple to complex, by %s on %zu held-out rows of %zu;", metric,
             k->held_out, k->t.rows);
    say_note("*: the first that is within a standard error of the best");
    const text_table_column column[] = {{"", true, 0, 0},         {"kernel", true, 0, 12},
                                   {"map", true, 0, 4},      {"features", false, 0, 0},
                                   {"penalty", true, 1, 0},  {"C", false, 0, 0},
                                   {metric, false, 0, 0},    {"seconds", false, 2, 0}};
    text_table t = {.column = column, .columns = sizeof column / sizeof *column};
    for (const candidate *x = k->list; x < k->list + k->n; x++)
        if (x->tried) {
            text_table_cell(&t, "%s", x == won ? "*" : "");
            text_table_cell(&t, "%s", x->kernel ? x->kernel : "none");
            text_table_cell(&t, "%.10s", x->map ? x->map : x->kernel ? "exact" : "-");
            text_table_cell(&t, "%.10g", x->map ? x->features : (double)k->t.cols);
            text_table_cell(&t, "%s", l1 || x->penalty ? "l1" : "l2");
            text_table_cell(&t, "%.4g", x->C);
            text_table_cell(&t, "%.4f", fabs(x->score));
            text_table_cell(&t, "%.2f", x->seconds);
            text_table_cell(&t, "%s", "");
        }
    int status = text_table_print(stderr, &t);
    text_table_free(&t);
    return status;
}

/* ---- Was anything learned? ------------------------------------------------------------------ */
/* The score of one answer for all rows, by the same folds, weights and metric. */
static int measure_constant(candidate_set *k)
{
    fx_metrics m[FOLDS];
    blind_rows b;
    const double C = 1;
    fx_plan plan = {.size = sizeof plan,
                    .model = k->of->regress ? DEFAULT_NUMBERS : DEFAULT_CLASSES,
                    .class_weight = k->plan.class_weight};
    int status = chance_blind(&b, &k->t);

    m->size = sizeof *m;
    fx_status s = status ? FX_OK
                         : fx_model_path(m, &plan, &C, 1, &b.table, k->fold, k->folds, &k->run);
    free(b.ptr);
    if (status || s < 0)
        return status ? status : say_failure(s);
    k->c->baseline = metric_average(m, k->folds, k->of->regress ? "rmse" : "accuracy");
    return 0;
}

/* With class weights a score is not a share of rows, so only the AUC decides. */
static int judge(candidate_set *k)
{
    selection *c = k->c;
    size_t looks = 0;
    double auc = 0, score = fabs(top_score(k)->score);
    chance luck;
    int status = measure_constant(k);

    for (const candidate *x = k->list; x < k->list + k->n; x++) {
        looks += x->tried;
        auc = fmax(auc, x->auc);
    }
    if (status || (status = chance_init(&luck, &k->t, (double)k->held_out, looks, k->folds > 1,
                                        k->of->regress)))
        return status;
    bool beaten = !k->plan.class_weight && chance_beaten(&luck, c->baseline, score);
    bool ordered = !k->of->regress && chance_beaten_auc(&luck, auc);
    c->learned = beaten || ordered;
    if (!c->learned) {
        snprintf(c->remark, sizeof c->remark,
                 "nothing was learned: the best %s on %zu held-out rows is %.4g, %s has %.4g, and "
                 "luck can do as much",
                 k->of->regress ? "rmse" : "accuracy", k->held_out, score,
                 k->of->regress ? "always the mean" : "always the most common class", c->baseline);
        say_warning("%s; labels and columns may not belong together, or there are too few rows",
                    c->remark);
    } else if (!beaten && !k->plan.class_weight)
        say_warning("no candidate is right more often than the most common class (%.4f), yet "
                    "scores order the rows (AUC %.4f): --class-weight balanced gives rare classes "
                    "their say", c->baseline, auc);
    return 0;
}

/* ---- The choice --------------------------------------------------------------------------- */
static int measure(fx_plan *plan, candidate_set *k)
{
    selection *c = k->c;
    char C[32];

    candidates_enter(k);
    candidates_bound(k);
    int status = walk_all(k);
    if (status)
        return status;
    const candidate *won = best(k);
    if ((status = show(k, won)))
        return status;
    c->score = won->score;
    c->error = standard_error(won->score, k->held_out, k->of->regress);
    c->held_out = k->held_out;
    c->D = won->features;
    if ((status = judge(k)))
        return status;
    status = prepare_plan(plan, c->model, k, won, c->C ? say_number(C, won->C) : c->cost);
    plan->remark = c->remark;
    return status;
}

static void set_costs(candidate_set *k)
{
    if (!k->c->C) {
        k->C[0] = k->c->cost ? strtod(k->c->cost, NULL) : 1;
        k->costs = k->first = 1;
        return;
    }
    static const double grid[] = {1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3,
                                  1,    3,    10,   30,   100,  300,  1000};
    memcpy(k->C, grid, sizeof grid);
    k->costs = GRID;
    k->first = SELECTION_FIRST;
}

/* Where rows exceed --max-memory, fits may take what the program does not hold. */
static int limit_fits(candidate_set *k, const training *t)
{
    uint64_t held = t->streamed ? machine_held() : 0;

    k->run = cli.run;
    k->run.max_memory -= held;
    return say_limit((double)held + 1, "%s: the program and %zu rows to choose on take", t->X.name,
                     k->t.rows);
}

static int choose_by_rows(candidate_set *k, training *t)
{
    fx_data *part = NULL;
    double start = say_clock();
    int status = selection_rows(&part, k, t);

    if (!status)
        status = limit_fits(k, t);
    if (!status && !(status = selection_hold_out(k))) {
        if (k->held_out)
            status = measure(&t->plan, k);
        else {
            say_note("too few rows, or classes among the %zu looked at, to hold some out: the "
                     "simplest model is taken", k->t.rows);
            candidates_enter(k);
            status = prepare_plan(&t->plan, k->c->model, k, k->list, k->c->cost);
        }
    }
    fx_data_free(part);
    k->c->seconds = say_clock() - start;
    return status;
}

/* What the data chose may need rows that are not in memory. */
static int check_chosen(const training *t)
{
    if (!t->streamed || model_about(t->plan.model).streamable)
        return 0;
    bool alone = team_ranks() == 1;
    say_error("%s %s, and penalty l1, which was chosen, needs all rows in memory", t->X.name,
              alone ? "exceeds --max-memory" : "is shared by several processes");
    say_hint("--penalty l1 --solver proximal does not, --penalty l2 leaves it out; or %s",
             alone ? "raise --max-memory" : "run it without mpirun");
    return EXIT_MEMORY;
}

int selection_plan(selection *c, training *t)
{
    candidate_set k = {.c = c, .of = t};
    bool by_rows = c->kernel || c->C || (c->features && t->plan.map);
    spill *rows = t->streamed ? &t->spill : NULL;
    int status = 0;

    if (c->scale && rows && !by_rows && !c->scale_now)      /* by the first pass */
        t->plan.scale = "auto";
    else if (c->scale)
        status = rows_scaling(&t->plan.scale, &t->X, rows);
    if (status)
        return status;
    t->plan.model = c->model;
    if (!by_rows)
        return fitting_model(c->model, t->regress, c->cost, NULL);
    k.plan = t->plan;
    set_costs(&k);
    status = choose_by_rows(&k, t);
    free(k.fold);
    return status ? status : check_chosen(t);
}
