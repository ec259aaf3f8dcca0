/* SPDX-License-Identifier: BSD-3-Clause
 * claims.c - the lines of a recipe that claim something of its results; recipe.h lists the
 * forms. */

#include "claims.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The forms ---------------------------------------------------------------------------- */
static bool has_column(const recipe *r, const char *start, const char *name, const char *end)
{
    char whole[128];

    snprintf(whole, sizeof whole, "%s%s%s", start, name, end);
    return recipe_column(r, whole) < r->columns;
}

static bool has_case(const recipe *r, const char *column, const char *name)
{
    for (size_t i = 0; i < r->cells; i++)
        if (recipe_same(recipe_field(r, i, column), name))
            return true;
    return false;
}

/* A number that is followed by `end`. */
static bool limit(claim_line *w, const char *text, const char *end)
{
    char *stop;

    w->limit = strtod(text, &stop);
    return stop > text && !strcmp(stop, end) && isfinite(w->limit);
}

static bool parse_paper(claim_line *w)
{
    w->lower = w->words == 4 && !strcmp(w->word[2], "below");
    const char *margin = w->word[w->words - 1];
    return w->words == 3 + (size_t)w->lower
           && (limit(w, margin, "") || (w->sd = limit(w, margin, "sd")));
}

static bool parse_reach(claim_line *w)
{
    w->series = w->word[3], w->by = w->word[5];
    return w->words == 6 && limit(w, w->word[2], "") && !strcmp(w->word[4], "by");
}

static bool parse_slope(claim_line *w)
{
    w->lower = w->words == 6 && !strcmp(w->word[3], "least");
    w->by = w->word[2], w->series = w->word[w->words - 1];
    return w->words == 5 + (size_t)w->lower && limit(w, w->word[3 + w->lower], "");
}

static bool parse_ratio(claim_line *w)
{
    size_t at;

    w->lower = w->words > 2 && !strcmp(w->word[2], "least");
    at = 2 + (size_t)w->lower;
    if (w->words != at + 4 && w->words != at + 6)
        return false;
    w->series = w->word[at + 1], w->other = w->word[at + 3];
    w->panel = w->words > at + 4 ? w->word[at + 5] : NULL;
    return limit(w, w->word[at], "") && !strcmp(w->word[at + 2], "of")
           && (!w->panel || !strcmp(w->word[at + 4], "in"));
}

static bool parse_bound(claim_line *w)
{
    w->lower = w->words == 5 && !strcmp(w->word[2], "least");
    w->series = w->word[w->words - 1];
    return w->words == 4 + (size_t)w->lower && limit(w, w->word[2 + w->lower], "");
}

static bool parse_share(claim_line *w)
{
    w->series = w->word[3];
    return w->words == 4 && limit(w, w->word[2], "");
}

/* ---- Lines -------------------------------------------------------------------------------- */
static const struct {
    const char *name, *form;
    bool (*parse)(claim_line *w);
    void (*run)(findings *f, const claim_line *w);
} forms[] = {
    {"paper", "X paper 0.01, X paper 2sd, or X paper below ..", parse_paper, claims_decide_paper},
    {"reach", "X reach 0.01 SERIES by COLUMN", parse_reach, claims_decide_reach},
    {"slope", "X slope COLUMN 0.6 SERIES, or .. least 0.6 SERIES",
     parse_slope, claims_decide_slope},
    {"ratio", "X ratio 0.6 SERIES of SERIES, perhaps with in PANEL",
     parse_ratio, claims_decide_ratio},
    {"bound", "X bound 0.05 SERIES, or .. least 0.85 SERIES", parse_bound, claims_decide_bound},
    {"share", "X share 0.05 SERIES", parse_share, claims_decide_share},
};
enum { FORMS = sizeof forms / sizeof *forms };

static int parse(claim_line *w, size_t *form, const recipe *r, const char *line)
{
    char *rest;

    *w = (claim_line){0};
    snprintf(w->text, sizeof w->text, "%s", line);
    for (char *p = strtok_r(w->text, " \t", &rest); p && w->words < CLAIMS_WORDS;
         p = strtok_r(NULL, " \t", &rest))
        w->word[w->words++] = p;
    for (*form = 0; *form < FORMS; ++*form)
        if (w->words > 1 && !strcmp(forms[*form].name, w->word[1]))
            break;
    if (*form == FORMS)
        return recipe_error(r, line, "expected X paper .., X reach .., X slope .., X ratio .., "
                                     "X bound .. or X share ..");
    if (!forms[*form].parse(w))
        return recipe_error(r, line, "expected %s", forms[*form].form);
    if ((w->column = recipe_measured(r, w->word[0])) == RECIPE_VALUES)
        return recipe_error(r, line, "'%s' is not measured", w->word[0]);
    return 0;
}

int claims_parse(const recipe *r)
{
    claim_line w;
    size_t form;

    for (size_t i = 0; i < r->checks; i++) {
        const char *line = r->check[i].text;
        if (parse(&w, &form, r, line))
            return EXIT_USAGE;
        if (!w.series && (!has_column(r, "paper_", w.word[0], "")
                          || (w.sd && !has_column(r, "paper_", w.word[0], "_sd"))))
            return recipe_error(r, line, "there is no column paper_%s%s", w.word[0],
                                w.sd ? ", or none with _sd behind it" : "");
        if (w.by && !has_column(r, "", w.by, "") && recipe_measured(r, w.by) == RECIPE_VALUES)
            return recipe_error(r, line, "there is no column '%s'", w.by);
        for (int k = 0; k < 3 && !r->quick; k++) {      /* --quick may have left them out */
            const char *name = k == 0 ? w.series : k == 1 ? w.other : w.panel;
            const char *what = k < 2 ? "series" : "panel";
            if (name && !has_case(r, what, name))
                return recipe_error(r, line, "there is no %s '%s'", what, name);
        }
    }
    return 0;
}

int claims_run(claim *out, size_t *n, size_t max_claims, const recipe *r, const records *k)
{
    findings f = {.at = out, .max_claims = max_claims, .r = r, .k = k};
    claim_line w;
    size_t form;

    for (size_t i = 0; i < r->checks; i++) {
        const char *line = r->check[i].text;
        size_t before = f.n;
        if (parse(&w, &form, r, line))
            return EXIT_USAGE;
        if (!r->quick || !r->check[i].full)
            forms[form].run(&f, &w);
        if (f.n == before && f.n < max_claims) {        /* else it would pass unseen */
            claim *c = &out[f.n++];
            c->left_out = r->quick;
            snprintf(c->text, sizeof c->text, r->quick ? "%s" : "%s: there is nothing to compare",
                     line);
        }
    }
    *n = f.n;
    return f.n < max_claims ? 0
                            : recipe_error(r, NULL, "its checks are more than %zu", max_claims - 1);
}
