/* SPDX-License-Identifier: BSD-3-Clause
 * advice.c - the recommendation of compare as a paragraph: the simplest method that is as good as
 * the best, what it gains, how to train it, and the limits of the advice. advice_rule.c decides.
 * Nothing here depends on running times, so the same seed gives the same text. */

#include "advice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct words {
    FILE *f;
    const comparison *c;
    scores in;
    recommendation r;
    chance luck;
    double constant;                    /* score of one answer for all rows, over seeds */
} words;

/* ---- What a method is ----------------------------------------------------------------------- */
static bool is_exact(const method *m) { return model_about(m->model).kernel == FX_MUST; }
static bool is_raw(const method *m) { return !m->map && model_about(m->model).map; }

/* True if the values of the kernel are sums over combinations of columns. */
static bool combines(const char *kernel)
{
    return !kernel || spec_line(fx_kernel_describe, kernel).explainable;
}

static bool is_explained(const method *m)
{
    return combines(m->kernel) && (!m->map || spec_line(fx_map_describe, m->map).explainable);
}

/* ---- What the rule sees ------------------------------------------------------------------- */
static const fx_table *test_rows(const comparison *c)
{
    return c->test.data ? &c->test.table : &c->X.table;
}

static bool gather(words *w)
{
    const comparison *c = w->c;
    size_t seeds = c->seeds;
    double *score = malloc((c->n * seeds + 1) * sizeof *score);

    if (!score)
        return false;
    for (size_t i = 0; i < c->n; i++)
        for (size_t k = 0; k < seeds; k++)
            score[i * seeds + k] = k < c->list[i].done && !*c->list[i].failed
                                       ? metric_of(&c->list[i].trial[k].test, c->metric)
                                       : NAN;
    w->in = (scores){.methods = c->n, .seeds = seeds, .score = score,
                      .falls = metric_falls(c->metric), .tested = (double)c->tested,
                      .tested_in_all = (double)(c->test.data ? c->tested : c->rows),
                      .overlap = c->test.data ? 0 : (double)c->tested / (double)c->train};
    w->r = advice_rule(&w->in);
    for (size_t k = 0; k < w->r.seeds; k++)
        w->constant += c->constant[k] / (double)w->r.seeds;
    return w->r.seeds == 0
           || !chance_init(&w->luck, test_rows(c), advice_rule_rows(&w->in, w->r.seeds),
                           w->r.methods, w->r.seeds > 1, c->regress);
}

/* ---- Sentences ---------------------------------------------------------------------------- */
static double mean_of(const words *w, size_t i)
{
    return advice_rule_mean(&w->in, i, w->r.seeds);
}

static double deviation(const words *w, size_t i)        /* over seeds */
{
    double square = 0;

    for (size_t k = 0; k < w->r.seeds; k++) {
        double d = w->in.score[i * w->in.seeds + k] - mean_of(w, i);
        square += d * d;
    }
    return sqrt(square / (double)(w->r.seeds - 1));
}

static const char *number(const words *w, char buf[32], double x)
{
    snprintf(buf, 32, w->in.falls ? "%.4g" : "%.4f", x);
    return buf;
}

static size_t seeds_of(const words *w, size_t i)        /* that count: none, if it failed */
{
    return *w->c->list[i].failed ? 0 : w->c->list[i].done;
}

/* The best of the methods that count and for which `is` returns `holds`. */
static size_t best_of(const words *w, bool (*is)(const method *), bool holds)
{
    size_t best = w->c->n;
    double sign = w->in.falls ? -1 : 1;

    for (size_t i = 0; i < w->c->n; i++)
        if (seeds_of(w, i) >= w->r.seeds && is(&w->c->list[i]) == holds
            && (best == w->c->n || sign * mean_of(w, i) > sign * mean_of(w, best)))
            best = i;
    return best;
}

/* The method with the largest AUC, and that AUC; NULL if no method has one. */
static const method *best_order(const words *w, double *auc)
{
    const method *found = NULL;

    *auc = 0;
    for (size_t i = 0; i < w->c->n && !w->c->regress; i++) {
        double x = w->c->list[i].done ? compare_spread(&w->c->list[i], "auc").mean : NAN;
        if (x > *auc)
            *auc = x, found = &w->c->list[i];
    }
    return found;
}

/* What chance can reach is known for accuracy, RMSE and AUC; other metrics of classes are judged by
 * AUC. */
static bool learned(const words *w)
{
    bool known = w->c->regress || !strcmp(w->c->metric, "accuracy");
    double auc;

    if (known)
        return chance_beaten(&w->luck, w->constant, mean_of(w, w->r.best));
    return best_order(w, &auc) && chance_beaten_auc(&w->luck, auc);
}

static void say_learned_nothing(const words *w)
{
    char a[32], b[32];
    double auc;
    const method *m = &w->c->list[w->r.best], *orders = best_order(w, &auc);

    bool ordered = orders && chance_beaten_auc(&w->luck, auc);
    safe_print(w->f, "%s: the best, %s, has %s %s, and always answering the %s has %s. The "
                     "difference is within what chance does.",
               ordered ? "No method beats the most common class" : "Nothing was learned", m->name,
               w->c->regress ? "an RMSE of" : w->c->metric, number(w, a, mean_of(w, w->r.best)),
               w->c->regress ? "mean label" : "most common class", number(w, b, w->constant));
    if (ordered)
        safe_print(w->f,
                   " Yet scores of %s put rows in an order that is no accident (AUC %.3f): the "
                   "classes are of unequal size, and --class-weight balanced of featcross train "
                   "gives the rare ones their say.",
                   orders->name, auc);
    else
        fputs(" Look at the labels and the columns before any model: they may not belong together, "
              "what decides may be missing, or there may be too few rows.", w->f);
}

static void say_choice(const words *w)
{
    const method *m = &w->c->list[w->r.chosen], *best = &w->c->list[w->r.best];
    char a[32], b[32], size[2][32];

    safe_print(w->f, "Use %s: %s %s", m->name, w->c->regress ? "RMSE" : w->c->metric,
               number(w, a, mean_of(w, w->r.chosen)));
    if (w->r.seeds > 1)
        safe_print(w->f, " +- %s over %zu seeds", number(w, a, deviation(w, w->r.chosen)),
                   w->r.seeds);
    if (m == best) {
        if (w->r.methods > 1)
            safe_print(w->f, ", the best of %zu methods%s.", w->r.methods,
                       is_raw(m) ? "" : "; none that is simpler is as good");
        else
            fputs(", the only method that was measured.", w->f);
        return;
    }
    safe_print(w->f,
               ". The best of %zu methods, %s, has %s; differences up to %s are within the "
               "spread, and of those as good this is the simplest",
               w->r.methods, best->name, number(w, a, mean_of(w, w->r.best)),
               number(w, b, advice_rule_margin(&w->in, &w->r, w->r.best, w->r.chosen)));
    double mine = compare_spread(m, "bytes").mean;
    double other = compare_spread(best, "bytes").mean;
    if (2 * mine < other)
        safe_print(w->f, " (its file has %s, that of the best %s)", say_bytes(size[0], mine),
                   say_bytes(size[1], other));
    fputc('.', w->f);
}

static void say_combinations(const words *w)
{
    const method *m = &w->c->list[w->r.chosen];
    size_t raw = best_of(w, is_raw, true);
    char a[32], b[32];

    if (is_raw(m)) {
        if (w->c->cols > 1 && best_of(w, is_raw, false) < w->c->n)
            fputs(" Combinations of columns bring nothing measurable here.", w->f);
    } else if (raw < w->c->n)
        safe_print(w->f, " Against the rows as they are (%s, %s) it gains %s: %s.",
                   w->c->list[raw].name, number(w, a, mean_of(w, raw)),
                   number(w, b, fabs(mean_of(w, w->r.chosen) - mean_of(w, raw))),
                   w->c->cols < 2        ? "more than a straight line matters"
                   : combines(m->kernel) ? "combinations of columns matter"
                                         : "more than single columns matters");
}

static const char *why_not(const method *m) { return *m->failed ? m->failed : m->left_out; }

static void say_exact(const words *w)
{
    size_t exact = best_of(w, is_exact, true), other = best_of(w, is_exact, false);
    char a[32];

    if (is_exact(&w->c->list[w->r.chosen])) {
        if (other < w->c->n)
            safe_print(w->f,
                       " It is an exact kernel machine, whose time grows with the square of the "
                       "rows; the best of the others, %s, has %s.",
                       w->c->list[other].name, number(w, a, mean_of(w, other)));
        return;
    }
    if (exact < w->c->n && !is_raw(&w->c->list[w->r.chosen]))
        safe_print(w->f, " The exact kernel machine (%s, %s) gains nothing measurable over it.",
                   w->c->list[exact].name, number(w, a, mean_of(w, exact)));
    for (size_t i = 0; i < w->c->n && exact == w->c->n; i++)
        if (is_exact(&w->c->list[i]) && *why_not(&w->c->list[i])) {
            safe_print(w->f, " What an exact kernel machine would bring is not known (%s).",
                    why_not(&w->c->list[i]));
            return;
        }
}

static int say_training(const words *w)
{
    const method *m = &w->c->list[w->r.chosen];
    size_t open = 0, ends = compare_ends(m, w->r.seeds);
    bool grows = model_penalty_grows(m->model);
    bool full = model_has(m->model, "tol") && !spec_get(m->model, "tol").p;

    for (size_t k = 0; k < w->r.seeds && full; k++)
        open += m->trial[k].status == FX_NOT_CONVERGED; /* others have more steps in the command */
    if (open)
        safe_print(w->f, " Of its %zu fits %zu had not converged: a larger --max-iter may gain.",
                   w->r.seeds, open);
    if (2 * ends > w->r.seeds)
        safe_print(w->f, " Mostly the %s %s that was tried did best: %s may gain.",
                   grows ? "smallest" : "largest", model_about(m->model).path,
                   grows ? "less" : "more");
    fputs(" To train it on all rows:\n\n    ", w->f);
    int status = advice_command(w->f, w->c, m, w->r.seeds);
    if (is_raw(m))
        fputs("\n\nThen featcross explain model.fx lists the columns with the largest weights.",
              w->f);
    else if (is_explained(m))
        fputs("\n\nThen featcross explain model.fx lists the combinations with the largest "
              "weights, and with --row what they contribute to one score.", w->f);
    else
        fputs("\n\nfeatcross explain cannot say which columns decide: its features are no "
              "combinations.", w->f);
    return status;
}

static void say_limits(const words *w)
{
    size_t partly = 0, failed = 0;

    for (size_t i = 0; i < w->c->n; i++) {
        const method *m = &w->c->list[i];
        partly += m->done < w->r.seeds && !*why_not(m);
        failed += *m->failed != '\0';
    }
    if (failed)
        safe_print(w->f, " %zu method%s failed and had no say in this.", failed,
                   failed == 1 ? "" : "s");
    if (w->c->interrupted && partly)
        safe_print(w->f, " The run was interrupted: %zu other method%s no say in this.", partly,
                   partly == 1 ? " had" : "s had");
    else if (w->c->interrupted)
        fputs(" The run was interrupted: more seeds were to come.", w->f);
    if (w->r.seeds == 1)
        safe_print(w->f,
                   " One seed is one split of the rows: differences count here if they exceed "
                   "the sampling error of %zu rows; --seeds 5 would show the spread.",
                   w->c->tested);
}

char *advice_of(const comparison *c)
{
    char *text = NULL;
    size_t size = 0;
    words w = {.f = open_memstream(&text, &size), .c = c};
    bool done = w.f && gather(&w);
    int status = 0;

    if (done && w.r.seeds == 0)
        fputs("No method was measured, so there is no advice.", w.f);
    else if (done && !learned(&w))
        say_learned_nothing(&w);
    else if (done) {
        say_choice(&w);
        say_combinations(&w);
        say_exact(&w);
        status = say_training(&w);
    }
    if (done && w.r.seeds)
        say_limits(&w);
    free((double *)w.in.score);
    done = done && !ferror(w.f);        /* no memory for the text */
    if (w.f && fclose(w.f))
        done = false;
    if (done && !status)
        return text;
    free(text);
    return NULL;
}
