/* SPDX-License-Identifier: BSD-3-Clause
 * claims_decide.c - decides whether the claims of a recipe hold, and prints each with the figures
 * that decide it.  Of several points the last one counts, of several seeds the mean. */

#include "claims.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static double mean_of(const findings *f, size_t cell, size_t column)
{
    return column < RECIPE_VALUES ? records_of(f->k, cell, RECORDS_LAST, column).mean : NAN;
}

static bool is_series(const recipe *r, size_t cell, const char *name)
{
    return recipe_same(recipe_field(r, cell, "series"), name);
}

/* A new claim, and the name of the case's panel at its beginning: "order 2: ". */
static claim *claim_of(findings *f, size_t cell, bool passed)
{
    const char *panel = recipe_field(f->r, cell, "panel");
    claim *c = &f->at[f->n++];

    c->passed = passed;
    recipe_say(c->text, 100, panel);
    strcat(c->text, panel ? ": " : "");
    return c;
}

static void add(claim *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(claim *c, const char *format, ...)
{
    size_t n = strlen(c->text);
    va_list args;

    va_start(args, format);
    vsnprintf(c->text + n, sizeof c->text - n, format, args);
    va_end(args);
}

static const char *shown(char buf[64], const recipe *r, size_t cell, const char *column)
{
    recipe_say(buf, 64, recipe_field(r, cell, column));
    return buf;
}

void claims_decide_paper(findings *f, const claim_line *w)
{
    char paper[128], sd[128], name[64], D[64];
    size_t cases = 0, near = 0, worst = 0;
    double largest = -1, p, s;

    snprintf(paper, sizeof paper, "paper_%s", w->word[0]);
    snprintf(sd, sizeof sd, "paper_%s_sd", w->word[0]);
    for (size_t i = 0; i < f->r->cells; i++) {
        recipe_number(&p, f->r, i, paper, NAN);
        recipe_number(&s, f->r, i, sd, w->sd ? NAN : 1);
        double x = (p - mean_of(f, i, w->column)) / (w->sd ? s : 1);
        x = !w->lower ? fabs(x) : x < 0 ? 0 : x;        /* fmax would hide a NaN */
        if (isnan(p) || isnan(s))
            continue;
        cases++;
        near += x <= w->limit;
        if (!(x <= largest)) {          /* NaN, nothing measured, is worst */
            largest = isnan(x) ? INFINITY : x;
            worst = i;
        }
    }
    if (!cases || f->n == f->max_claims)
        return;
    recipe_number(&p, f->r, worst, paper, NAN);
    claim *c = claim_of(f, worst, near == cases);
    c->text[0] = '\0';
    add(c, "%s: %zu of %zu means are %s %g%s %s the paper's; the farthest, %s", w->word[0], near,
        cases, w->lower ? "no more than" : "within", w->limit, w->sd ? " standard deviations" : "",
        w->lower ? "below" : "of", shown(name, f->r, worst, "series"));
    if (recipe_field(f->r, worst, "panel"))
        add(c, ", %s", shown(name, f->r, worst, "panel"));
    if (recipe_field(f->r, worst, "D"))
        add(c, ", D = %s", shown(D, f->r, worst, "D"));
    add(c, ": %.4g, the paper's %.4g", mean_of(f, worst, w->column), p);
}

/* How many times as fast as the case `than`, where that was measured. */
static void add_speed(claim *c, const findings *f, size_t cell, size_t than)
{
    const char *const times[] = {"train_seconds", "test_seconds"};
    const char *const doing[] = {"trains", "tests"};

    for (size_t i = 0; i < 2; i++) {
        size_t column = recipe_measured(f->r, times[i]);
        double ratio = mean_of(f, than, column) / mean_of(f, cell, column);
        if (isfinite(ratio))
            add(c, "; %s %.3g times as fast", doing[i], ratio);
    }
}

/* Of the series that begins with case `first`: the first case that is near enough. */
static void reach_one(findings *f, const claim_line *w, size_t first, size_t target)
{
    const recipe *r = f->r;
    bool rises = !strncmp(w->word[0], "accuracy", 8) || !strncmp(w->word[0], "auc", 3);
    double target_mean = mean_of(f, target, w->column), x = NAN;
    size_t last = first, i = first;
    char name[64], other[64], D[64];

    for (; i < r->cells; i++) {
        if (!recipe_alike(r, i, first, "series") || !recipe_alike(r, i, first, "panel"))
            continue;
        x = mean_of(f, last = i, w->column);
        if ((rises ? target_mean - x : x - target_mean) <= w->limit)
            break;
    }
    claim *c = claim_of(f, first, i < r->cells);
    add(c, "%s %s within %g of %s's %s of %.4g %s %s = %s: %.4g", shown(name, r, first, "series"),
        c->passed ? "is" : "is not", w->limit, shown(other, r, target, "series"), w->word[0],
        target_mean, c->passed ? "at" : "up to", w->by, shown(D, r, last, w->by), x);
    add_speed(c, f, last, target);
}

void claims_decide_reach(findings *f, const claim_line *w)
{
    const recipe *r = f->r;

    for (size_t i = 0; i < r->cells && f->n < f->max_claims; i++) {
        size_t target = recipe_other(r, i, w->series);
        bool begins = true;
        for (size_t j = 0; j < i && begins; j++)
            begins = !recipe_alike(r, i, j, "series") || !recipe_alike(r, i, j, "panel");
        if (begins && target < r->cells && !is_series(r, i, w->series) && recipe_field(r, i, w->by))
            reach_one(f, w, i, target);
    }
}

/* "16x" counts as 16: a factor does not change a slope. */
static double number_of(const findings *f, size_t cell, const char *column)
{
    const char *field = recipe_field(f->r, cell, column);

    return field ? strtod(field, NULL) : mean_of(f, cell, recipe_measured(f->r, column));
}

void claims_decide_slope(findings *f, const claim_line *w)
{
    const recipe *r = f->r;
    char name[64];

    for (size_t first = 0; first < r->cells && f->n < f->max_claims; first++) {
        double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
        if (!is_series(r, first, w->series) || recipe_other(r, first, w->series) != first)
            continue;
        for (size_t i = first; i < r->cells; i++) {
            double x = log(number_of(f, i, w->by)), y = log(mean_of(f, i, w->column));
            if (is_series(r, i, w->series) && recipe_alike(r, i, first, "panel") && isfinite(x)
                && isfinite(y))
                n++, sx += x, sy += y, sxx += x * x, sxy += x * y;
        }
        if (n == 0)                     /* the panel is about something else */
            continue;
        double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
        claim *c = claim_of(f, first, w->lower ? slope >= w->limit : slope <= w->limit);
        add(c, "%s: %s goes with %s to the power %.3f, wanted: %s %g",
            shown(name, r, first, "series"), w->word[0], w->by, slope,
            w->lower ? "at least" : "at most", w->limit);
    }
}

/* Of the panel in which case `first` begins series S: its worst D. */
static void ratio_one(findings *f, const claim_line *w, size_t first)
{
    const recipe *r = f->r;
    double largest = NAN, sign = w->lower ? -1 : 1;
    size_t worst = first, cases = 0, passed = 0;
    char name[64], other[64], D[64];

    for (size_t i = first; i < r->cells; i++)
        for (size_t j = 0; j < r->cells && is_series(r, i, w->series); j++) {
            if (!recipe_alike(r, i, first, "panel") || !recipe_alike(r, j, i, "panel")
                || (recipe_field(r, j, "D") && !recipe_alike(r, j, i, "D"))
                || !is_series(r, j, w->other))
                continue;
            double ratio = mean_of(f, i, w->column) / mean_of(f, j, w->column);
            passed += sign * ratio <= sign * w->limit;
            if (!cases++ || !(sign * ratio <= sign * largest)) { /* NaN, nothing there, is worst */
                largest = ratio;
                worst = i;
            }
        }
    if (!cases)
        return;
    claim *c = claim_of(f, first, passed == cases);
    recipe_say(other, sizeof other, w->other);
    add(c, "%s of %s is %s %.3g of that of %s", w->word[0], shown(name, r, first, "series"),
        w->lower ? "at least" : "at most", largest, other);
    if (recipe_field(r, worst, "D"))
        add(c, " (D = %s)", shown(D, r, worst, "D"));
    add(c, ", wanted: %g", w->limit);
}

void claims_decide_ratio(findings *f, const claim_line *w)
{
    for (size_t i = 0; i < f->r->cells && f->n < f->max_claims; i++)
        if (is_series(f->r, i, w->series) && recipe_other(f->r, i, w->series) == i
            && (!w->panel || recipe_same(recipe_field(f->r, i, "panel"), w->panel)))
            ratio_one(f, w, i);
}

void claims_decide_bound(findings *f, const claim_line *w)
{
    char name[64];

    for (size_t i = 0; i < f->r->cells && f->n < f->max_claims; i++) {
        if (!is_series(f->r, i, w->series))
            continue;
        double mean = mean_of(f, i, w->column);
        claim *c = claim_of(f, i, w->lower ? mean >= w->limit : mean <= w->limit);
        add(c, "%s: %s is %.4g, wanted: at %s %g", shown(name, f->r, i, "series"), w->word[0], mean,
            w->lower ? "least" : "most", w->limit);
    }
}

void claims_decide_share(findings *f, const claim_line *w)
{
    char name[64];
    double low, high;

    for (size_t i = 0; i < f->r->cells && f->n < f->max_claims; i++) {
        if (!is_series(f->r, i, w->series))
            continue;
        summary s = records_of(f->k, i, RECORDS_LAST, w->column);
        double cases = round(s.mean * (double)s.n);
        claim *c = claim_of(f, i, s.mean <= w->limit);
        add(c, "%s: %s in %.0f of %zu seeds", shown(name, f->r, i, "series"), w->word[0], cases,
            s.n);
        if (!s.n)
            continue;
        fx_discover_binomial(&low, &high, (uint64_t)cases, s.n);
        add(c, ", a share of %.3g (95 %% interval %.3g to %.3g), wanted: at most %g", s.mean, low,
            high, w->limit);
    }
}
