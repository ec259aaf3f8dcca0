/* SPDX-License-Identifier: BSD-3-Clause
 * factor_tune.c - featcross tune of factorization machines: every combination of order, rank and
 * beta, cross-validated; the best is fitted on all rows.
 *
 * Fits do not start from one another: where factors have become 0 for a large beta, they stay 0. */

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

typedef struct setting {
    const char *order, *rank, *beta;
    double mean, sd, seconds;
    char failed[SAY_REASON];            /* why it did: mean and sd are NaN; or "" */
} setting;

typedef struct search {
    const factor_lists *lists;
    training *t;
    fx_status failure;                  /* of the last trial that failed */
    words order, rank, beta;
    char plain[FITTING_SPEC], model[FITTING_SPEC]; /* as given, without its beta; of a setting */
    kernel_choice k;
    int32_t *fold;
    fx_metrics *m;
    setting *trials;
    size_t n;
} search;

/* ---- Lists -------------------------------------------------------------------------------- */
static int split(words *out, const char *text, const char *option)
{
    out->given = text != NULL;
    for (const char *p = text ? text : "";; p++) {
        size_t n = strcspn(p, ",");
        if (out->n == LIST || n >= WORD || (text && n == 0)) {
            say_error("tune: %s %s is not a list of at most %d values", option, text, LIST);
            return EXIT_USAGE;
        }
        snprintf(out->word[out->n++], WORD, "%.*s", (int)n, p);
        p += n;
        if (!*p)
            return 0;
    }
}

/* beta=X/Y/.. of the spec, or the usual one, to beta; the spec without it to plain. */
static void take_beta(char beta[WORD], char plain[FITTING_SPEC], const char *spec)
{
    fx_description d = model_about(spec);
    spec_part given = spec_get(spec, "beta");

    snprintf(plain, FITTING_SPEC, "%s", spec);
    snprintf(beta, WORD, "%.*s", given.p ? (int)given.n : WORD,
             given.p ? given.p : spec_key(&d, "beta")->fallback);
    spec_set(plain, FITTING_SPEC, "beta", NULL);
}

/* "10x" becomes that multiple of the usual beta of each order; other words stay. */
static int multiply(char word[WORD], const char *usual)
{
    char *end, out[WORD] = "";
    double times = strtod(word, &end), beta;
    size_t n = 0;

    if (end == word || strcmp(end, "x") != 0)
        return 0;
    if (!(times > 0) || !isfinite(times)) {
        say_error("tune: --beta %s is not a multiple above 0", word);
        return EXIT_USAGE;
    }
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
    if (!status && !spec_set(out, FITTING_SPEC, "beta", word)) {
        say_error("the model %.40s... is too long", spec);
        status = EXIT_USAGE;
    }
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
        if (spec_get(fit.model, "beta").p && !strchr(s->beta.word[i], 'x')) {
            say_error("tune: --beta %s and --model %s both set beta", s->beta.word[i], fit.model);
            return EXIT_USAGE;
        }
        status = multiply(s->beta.word[i], usual);
    }
    fit.model = s->plain;
    return status;
}

/* ---- Trials ------------------------------------------------------------------------------- */
static const char *given(const words *w, size_t i) { return w->given ? w->word[i] : NULL; }

static int set_trial(search *s, const setting *x)
{
    fit.order = x->order;
    fit.rank = x->rank;
    fit.beta = x->beta;
    return fitting_model(s->model, s->t->regress, NULL, NULL);
}

static int enter_trials(search *s)
{
    int status = 0;

    s->n = s->order.n * s->rank.n * s->beta.n;
    if (!(s->trials = calloc(s->n, sizeof *s->trials)))
        return say_no_memory("trials");
    for (size_t i = 0; i < s->n && !status; i++) {
        setting *x = &s->trials[i];
        x->order = given(&s->order, i / (s->rank.n * s->beta.n));
        x->rank = given(&s->rank, i / s->beta.n % s->rank.n);
        x->beta = s->beta.word[i % s->beta.n];
        if (!(status = set_trial(s, x)))
            status = fitting_check(NULL);
    }
    return status;
}

static int measure(search *s, setting *x)
{
    const size_t folds = (size_t)s->lists->folds;
    const double same = 1;              /* times beta */
    double start = say_clock();
    fx_run run = progress_run();
    int status = set_trial(s, x);

    if (status)
        return status;
    fx_status st = fx_model_path(s->m, &s->t->plan, &same, 1, &s->t->X.table, s->fold, (int)folds,
                                 &run);
    if (st == FX_ECANCELLED || st == FX_ENOMEM) /* no choice by what memory was left just now */
        return say_failure(st);
    x->seconds = say_clock() - start;
    if (st < 0) {                       /* the other trials stand */
        say_reason(x->failed);
        x->mean = x->sd = NAN;
        s->failure = st;
        return 0;
    }
    return metric_mean(&x->mean, &x->sd, "tune", s->m, folds, s->t->metric);
}

static int prepare(search *s)
{
    training *t = s->t;
    fx_plan *plan = &t->plan;
    int status;

    t->metric = s->lists->metric ? s->lists->metric : t->metric;
    if ((status = metric_check("tune", t->metric, t))
        || (s->k.spec && (status = kernel_finish(&s->k, &t->X.table))))
        return status;
    plan->model = s->model;
    plan->kernel = s->k.spec;
    plan->family = s->k.family;
    plan->max_seconds = fit.max_seconds;
    plan->scale = !fit.scale || !strcmp(fit.scale, "auto") ? rows_scaling(&t->X.table) : fit.scale;
    s->fold = malloc((t->X.table.rows ? t->X.table.rows : 1) * sizeof *s->fold);
    s->m = malloc((size_t)s->lists->folds * sizeof *s->m);
    return s->fold && s->m ? metric_folds_of(s->fold, t, (int)s->lists->folds)
                           : say_no_memory("folds");
}

static int measure_all(search *s)
{
    int status = 0;

    for (size_t i = 0; i < s->n && !status; i++) {
        progress_begin("tune", "trials", (double)s->n);
        progress_part((double)i, (double)i + 1);
        status = measure(s, &s->trials[i]);
    }
    progress_end();
    return status;
}

/* NULL: all failed. */
static const setting *best(const search *s)
{
    const setting *x = NULL;
    double sign = metric_falls(s->t->metric) ? -1 : 1;

    for (size_t i = 0; i < s->n; i++)
        if (!*s->trials[i].failed && (!x || sign * s->trials[i].mean > sign * x->mean))
            x = &s->trials[i];
    return x;
}

/* ---- Showing ------------------------------------------------------------------------------ */
static const char *shown(const char *text) { return text ? text : "-"; }

static int print(const search *s, const setting *won)
{
    FILE *f = output_is_stdout(s->t->path) ? stderr : stdout;
    int width = 4;

    if (f == stderr && cli.quiet)
        return 0;
    for (size_t i = 0; i < s->beta.n; i++)
        width = (int)strlen(s->beta.word[i]) > width ? (int)strlen(s->beta.word[i]) : width;
    safe_print(f, "  %5s %6s %*s %10s %9s %8s\n", "order", "rank", width, "beta", s->t->metric,
               "sd", "seconds");
    for (const setting *x = s->trials; x < s->trials + s->n; x++) {
        safe_print(f, "%c %5s %6s %*s ", x == won ? '*' : ' ', shown(x->order), shown(x->rank),
                   width, x->beta);
        if (*x->failed)
            safe_print(f, "failed: %s\n", x->failed);
        else
            safe_print(f, "%10.6g %9.4g %8.2f\n", x->mean, x->sd, x->seconds);
    }
    fputc('\n', f);
    training_print(f, s->t);
    return f == stdout ? say_flush() : 0;
}

static json_t *count(const char *text)
{
    return text ? json_integer((json_int_t)strtoll(text, NULL, 10)) : json_null();
}

static json_t *json_trial(const setting *x)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:f, s:o}", "order", count(x->order), "rank",
                     count(x->rank), "beta", say_text(x->beta), "mean", model_info_number(x->mean),
                     "sd", model_info_number(x->sd), "seconds", x->seconds, "failed",
                     *x->failed ? say_text(x->failed) : json_null());
}

static int print_json(const search *s, const setting *won)
{
    fx_content c = fx_model_content(s->t->model);
    json_t *list = json_array();

    for (const setting *x = s->trials; x < s->trials + s->n; x++)
        list = say_append(list, json_trial(x));
    return say_json(json_pack("{s:I, s:s, s:I, s:o, s:o, s:o, s:o, s:b, s:f, s:o, s:I, s:I}",
                              "rows", (json_int_t)c.rows, "metric", s->t->metric, "folds",
                              (json_int_t)s->lists->folds, "trials", list, "best", json_trial(won),
                              "model", say_text(c.spec), "norms", model_info_norms(&c), "converged",
                              c.converged, "seconds", s->t->seconds, "output", say_text(s->t->path),
                              "bytes", (json_int_t)s->t->bytes, "seed", (json_int_t)c.seed));
}

/* ---- All of it ---------------------------------------------------------------------------- */
static int run(search *s, const char *data)
{
    const factor_lists *lists = s->lists;
    const char *kernel = lists->kernel;
    output *o = NULL;
    int status;

    if ((status = factor_check(&kernel, lists->costs, lists->features))
        || (status = split(&s->order, lists->orders, "--order"))
        || (status = split(&s->rank, lists->ranks, "--rank"))
        || (status = split(&s->beta, lists->betas ? lists->betas : "0.3x,1x,3x,10x", "--beta"))
        || (status = resolve_betas(s)) || (status = enter_trials(s))
        || (kernel && (status = kernel_prepare(&s->k, kernel)))
        || (status = training_path(s->t, "tune", lists->output, data))
        || (status = output_open(&o, s->t->path, "model"))
        || (status = training_read(s->t, data, -1)) || (status = prepare(s))
        || (status = measure_all(s)))
        return status;
    const setting *won = best(s);
    if (!won)
        return say_failure(s->failure);
    if ((status = set_trial(s, won)) || (status = training_fit(s->t))
        || (status = training_save(s->t, o)))
        return status;
    status = cli.json ? print_json(s, won) : print(s, won);
    return status ? status : s->t->diverged ? EXIT_NUMERIC : 0;
}

int factor_tune(training *t, const factor_lists *lists, const char *data)
{
    search *s = calloc(1, sizeof *s);

    if (!s)
        return say_no_memory("trials");
    s->t = t;
    s->lists = lists;
    int status = run(s, data);
    kernel_free(&s->k);
    free(s->fold);
    free(s->m);
    free(s->trials);
    free(s);
    return status;
}
