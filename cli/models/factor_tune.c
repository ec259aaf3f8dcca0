/* SPDX-License-Identifier: BSD-3-Clause
 * factor_tune.c - featcross tune of factorization machines: every combination of order, rank and
 * beta, cross-validated; the best is fitted on all rows.
 *
 * Fits do not start from one another, because factors that became 0 for a large beta would stay
 * 0. */

#include "models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LIST = 64, WORD = 128 };

typedef struct words {
    char word[LIST][WORD];
    size_t n;
    bool given;                         /* else one word, "", and the model's default */
} words;

typedef struct search {
    tuning s;
    const factor_lists *lists;
    words order, rank, beta;
    char plain[FITTING_SPEC], model[FITTING_SPEC]; /* as given, without its beta; of a setting */
    kernel_choice k;
} search;

/* ---- Lists -------------------------------------------------------------------------------- */
static int split(words *out, const char *text, const char *option)
{
    out->given = text != NULL;
    for (const char *p = text ? text : "";; p++) {
        size_t n = strcspn(p, ",");
        if (out->n == LIST || n >= WORD || (text && n == 0))
            return say_error("tune: %s %s is not a list of at most %d values", option, text, LIST);
        snprintf(out->word[out->n++], WORD, "%.*s", (int)n, p);
        p += n;
        if (!*p)
            return 0;
    }
}

/* The penalty of a path, beta=X/Y/.., of the spec, or the usual one, to beta; the spec without it
 * to plain. */
static void take_beta(char beta[WORD], char plain[FITTING_SPEC], const char *spec)
{
    fx_description d = model_about(spec);
    spec_part given = spec_get(spec, d.path);

    snprintf(plain, FITTING_SPEC, "%s", spec);
    snprintf(beta, WORD, "%.*s", given.p ? (int)given.n : WORD,
             given.p ? given.p : spec_key(&d, d.path)->fallback);
    spec_set(plain, FITTING_SPEC, d.path, NULL);
}

/* "10x" becomes that multiple of the usual beta of each order; other words stay. */
static int multiply(char word[WORD], const char *usual)
{
    char *end, out[WORD] = "";
    double times = strtod(word, &end), beta;
    size_t n = 0;

    if (end == word || strcmp(end, "x") != 0)
        return 0;
    if (!(times > 0) || !isfinite(times))
        return say_error("tune: --beta %s is not a multiple above 0", word);
    for (const char *p = usual; *p && n < WORD; p = end + (*end == '/')) {
        beta = strtod(p, &end);
        if (end == p)                   /* the library says what is wrong with it */
            break;
        n += (size_t)snprintf(out + n, WORD - n, "%s%.10g", n ? "/" : "", times * beta);
    }
    snprintf(word, WORD, "%s", out);
    return 0;
}

int factor_times(char out[FITTING_SPEC], const char *spec, double times)
{
    char usual[WORD], word[WORD];

    take_beta(usual, out, spec);
    snprintf(word, WORD, "%.17gx", times);
    int status = multiply(word, usual);
    if (!status && !spec_set(out, FITTING_SPEC, model_about(spec).path, word))
        status = say_error("the model %.40s... is too long", spec);
    return status;
}

/* All of --beta, by the beta in the model's spec or the usual one. */
static int resolve_betas(search *s)
{
    char usual[WORD];
    int status = 0;

    take_beta(usual, s->plain, fit.model);
    if (!model_has(fit.model, "order"))
        usual[strcspn(usual, "/")] = '\0';      /* there is one order */
    for (size_t i = 0; i < s->beta.n && !status; i++) {
        if (spec_get(fit.model, "beta").p && !strchr(s->beta.word[i], 'x'))
            return say_error("tune: --beta %s and --model %s both set beta", s->beta.word[i],
                             fit.model);
        status = multiply(s->beta.word[i], usual);
    }
    fit.model = s->plain;
    return status;
}

/* ---- Settings ----------------------------------------------------------------------------- */
/* The order, the rank or the beta of a setting; NULL: as the model has it. */
static const char *value(const search *s, size_t path, int column)
{
    const words *w[] = {&s->order, &s->rank, &s->beta};
    size_t i = column == 0   ? path / (s->rank.n * s->beta.n)
               : column == 1 ? path / s->beta.n % s->rank.n
                             : path % s->beta.n;

    return w[column]->given || column == 2 ? w[column]->word[i] : NULL;
}

static int set(void *ctx, size_t path, const tuned *won)
{
    search *s = ctx;

    (void)won;                          /* its beta is that of the path */
    fit.order = value(s, path, 0);
    fit.rank = value(s, path, 1);
    fit.beta = value(s, path, 2);
    return fitting_model(s->model, s->s.t->regress, NULL, NULL);
}

static int check_settings(search *s)
{
    int status = 0;

    s->s.paths = s->order.n * s->rank.n * s->beta.n;
    for (size_t i = 0; i < s->s.paths && !status; i++)
        if (!(status = set(s, i, NULL)))
            status = fitting_check(NULL);
    return status;
}

static int ready(void *ctx)
{
    search *s = ctx;
    training *t = s->s.t;
    fx_plan *plan = &t->plan;
    int status = s->k.spec ? kernel_finish(&s->k, &t->X.table) : 0;

    plan->model = s->model;
    plan->kernel = s->k.spec;
    plan->family = s->k.family;
    plan->max_seconds = fit.max_seconds;
    plan->scale = fit.scale;
    if (!status && (!fit.scale || !strcmp(fit.scale, "auto")))
        status = rows_scaling(&plan->scale, &t->X, t->streamed ? &t->spill : NULL);
    return status;
}

/* ---- Showing ------------------------------------------------------------------------------ */
static const char *cell(char buf[512], void *ctx, const tuned *x, int column)
{
    const char *text = value(ctx, x->path, column);

    snprintf(buf, 512, "%s", text ? text : "-");
    return buf;
}

static json_t *count(const char *text)
{
    return text ? json_integer((json_int_t)strtoll(text, NULL, 10)) : json_null();
}

static json_t *json(void *ctx, const tuned *x)
{
    return json_pack("{s:o, s:o, s:o}", "order", count(value(ctx, x->path, 0)), "rank",
                     count(value(ctx, x->path, 1)), "beta", say_text(value(ctx, x->path, 2)));
}

/* ---- All of it ---------------------------------------------------------------------------- */
static int run(search *s, const char *data)
{
    const factor_lists *lists = s->lists;
    const char *kernel = lists->kernel;
    int status;

    if ((status = factor_check(&kernel, lists->costs, lists->features))
        || (status = split(&s->order, lists->orders, "--order"))
        || (status = split(&s->rank, lists->ranks, "--rank"))
        || (status = split(&s->beta, lists->betas ? lists->betas : "0.3x,1x,3x,10x", "--beta"))
        || (status = resolve_betas(s)) || (status = check_settings(s))
        || (kernel && (status = kernel_prepare(&s->k, kernel))))
        return status;
    return tuning_run(&s->s, lists->output, data);
}

int factor_tune(training *t, const factor_lists *lists, const char *data)
{
    static const double same = 1;       /* times beta */
    search *s = calloc(1, sizeof *s);

    if (!s)
        return say_no_memory("trials");
    s->lists = lists;
    s->s = (tuning){.t = t, .metric = lists->metric, .folds = (size_t)lists->folds, .costs = 1,
                    .C = &same, .head = {"order", "rank", "beta"}, .ctx = s,
                    .ready = ready, .set = set, .cell = cell, .json = json};
    int status = run(s, data);
    kernel_free(&s->k);
    free(s);
    return status;
}
