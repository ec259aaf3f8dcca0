/* SPDX-License-Identifier: BSD-3-Clause
 * training.c - what train and tune have in common: rows and their weights, the fit, its file. */

#include "models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Weights ------------------------------------------------------------------------------ */
static int read_weights(double **weight, loaded *l)
{
    char *text = NULL, *p;
    size_t n = 0;
    int status;

    if (!fit.weights)
        return 0;
    if (l->table.weight)
        return say_error("--weights %s, but %s has weights of its own", fit.weights, l->name);
    if ((status = input_slurp(&text, fit.weights)))
        return status;
    double *w = malloc((l->table.rows ? l->table.rows : 1) * sizeof *w);
    if (!w)
        status = say_no_memory("weights");
    for (p = text; !status && *(p += strspn(p, " \t\r\n")); n++) {
        char *end;
        double x = strtod(p, &end);     /* the locale is always C */
        if (end == p || !strchr(" \t\r\n", *end) || !isfinite(x) || x < 0) {
            status = say_error("%s: weight %zu, %.*s, is not a number of 0 or more", fit.weights,
                               n + 1, (int)strcspn(p, " \t\r\n"), p);
        } else if (n < l->table.rows)
            w[n] = x;
        p = end;
    }
    if (!status && n != l->table.rows)
        status = say_error("%s has %zu weights, %s has %zu rows", fit.weights, n, l->name,
                           l->table.rows);
    free(text);
    if (status) {
        free(w);
        return status;
    }
    *weight = w;
    l->table.weight = w;
    return 0;
}

static int split_class_weight(char **lines)
{
    if (!fit.class_weight)
        return 0;
    if (!(*lines = strdup(fit.class_weight)))
        return say_no_memory("class weights");
    if (strcmp(*lines, "balanced") != 0)
        for (char *p = *lines; (p = strchr(p, ','));)
            *p = '\n';
    return 0;
}

/* ---- Rows and fits ------------------------------------------------------------------------ */
/* Rows are in a file, or go there now: the task is that of the model. */
static int read_spilled(training *t, const load_options *like, const char *data)
{
    struct stat st;
    bool kept = t->kept && stat(t->kept, &st) == 0;
    int status = 0;

    if (!fitting_task_known(&t->regress))
        return say_error("%s %s, so its labels do not decide the task: add "
                         "--task classify or --task regress", data,
                         t->kept || t->checkpoint ? "is read by passes" : "exceeds --max-memory");
    t->streamed = true;
    t->spill.fd = -1;
    if (kept && !(status = load_ask(&t->X, data, like)))
        status = spill_file_open(&t->spill, &t->X, t->kept, data, like);
    else if (!kept && t->kept && !(status = load_as(&t->X, data, like)) && !t->X.lines)
        status = say_error("--spill %s: %s is not text", t->kept, t->X.name);
    if (!status && !kept)
        status = spill_write(&t->spill, &t->X, t->path, t->kept);
    if (status || (status = load_say_twice(&t->X)))
        return status;
    return split_class_weight(&t->class_weight);
}

/* stream: those that are too many go to a file. */
static int read_rows(training *t, const char *data, int base, bool stream)
{
    const load_options how = {.base = base, .filled = true, .unlabelled = fitting_unlabelled(),
                              .more = t->more, .mores = t->mores, .hashed = t->kept || t->checkpoint,
                              .most = t->kept || t->checkpoint ? 1
                                      : stream                 ? spill_most()
                                                               : 0};

    if (t->kept)
        return read_spilled(t, &how, data);
    int status = link_rows_given()
                     ? link_rows_load(&t->X, "train", &(load_options){.filled = true})
                     : load_as(&t->X, data, &how);

    if (status)
        return status;
    if (t->X.exceeds || t->checkpoint)
        return read_spilled(t, &how, data);
    load_say(&t->X);
    if ((status = load_say_twice(&t->X)) || (status = task_decide(&t->regress, &t->X))
        || (status = read_weights(&t->weight, &t->X)))
        return status;
    return split_class_weight(&t->class_weight);
}

/* True if the model's fit works by passes, and nothing else needs the rows. */
static bool streams(void)
{
    char spec[FITTING_SPEC];
    bool regress = false;
    fx_description d = FX_INIT(fx_description);

    fitting_task_known(&regress);
    const char *missing = rows_missing_plan();
    return !link_rows_given() && !fit.weights && fitting_given()
           && !(missing && !strncmp(missing, "median", strlen("median")))
           && !(fit.map && spec_line(fx_map_describe, fit.map).exact)
           && !fitting_model(spec, regress, NULL, NULL) && !fx_model_describe(&d, spec)
           && d.streamable;
}

int training_read(training *t, const char *data, int base, bool stream)
{
    bool may = t->may_stream = stream && streams();

    if (t->kept && !may)
        return say_error("--spill keeps the rows for the passes of a fit, but this one needs them "
                         "in memory"), EXIT_MEMORY;
    if (t->kept && rows_missing_plan() && !strcmp(rows_missing_plan(), "drop"))
        return say_error("--spill keeps all rows, but --nan drop leaves some of them out");
    if (t->checkpoint && !may)
        return say_error("--checkpoint keeps the passes of a fit over its rows, but this one needs "
                         "them in memory"), EXIT_MEMORY;
    int status = t->checkpoint ? checkpoint_open(&t->passes, t->checkpoint, t->resume,
                                                 &t->spill.status)
                               : 0;
    if (status || (status = read_rows(t, data, base, may)))
        return status;
    t->rank = fitting_ranks();
    t->metric = fitting_unlabelled() ? NULL
                : t->rank            ? "auc"
                : t->regress         ? "rmse"
                                     : "accuracy";
    if (t->X.table.qid && fitting_about().tasks & FX_TASK_RANK && !t->rank)
        say_note("queries (qid) are ignored; --task rank orders the rows within each query");
    t->plan.size = sizeof t->plan;
    t->plan.class_weight = t->class_weight;
    t->plan.reader = t->X.spec;
    t->plan.missing = rows_missing_plan();
    t->plan.seed = cli.seed;
    return 0;
}

/* -v 2: what the solver did; -v 3: by which settings. */
static void say_steps(const training *t)
{
    const fx_model_info *c = fx_model_inspect(t->model);
    bool mistakes = model_about(c->spec).mistakes;
    char size[32];

    if (cli.verbose >= 3) {
        say_note("settings: %s, %d threads, seed %llu, --max-memory %s", fx_simd_target(),
                 progress_threads(), (unsigned long long)cli.seed,
                 say_bytes(size, (double)cli.max_memory));
        say_note("settings: %s%s%s%s%s%s%s", c->spec, *c->kernel ? ", kernel " : "", c->kernel,
                 *c->map ? ", map " : "", c->map, *c->scale ? ", scaling " : "", c->scale);
    }
    for (size_t i = 0; i < c->steps && cli.verbose >= 2; i++) {
        const fx_step *s = &c->history[i];
        char more[64] = "";
        if (c->orders ? isfinite(s->metric) : model_info_known(s->gap))
            snprintf(more, sizeof more, c->orders ? ", metric %.6g" : ", gap %.3g",
                     c->orders ? s->metric : s->gap);
        else if (!c->orders)
            snprintf(more, sizeof more, ", gap not known");
        if (mistakes)
            say_note("output %zu, pass %zu: %.0f mistakes, %.3f seconds", s->output, s->iteration,
                     s->objective, s->seconds);
        else
            say_note("output %zu, iteration %zu: objective %.10g%s, %.3f seconds", s->output,
                     s->iteration, s->objective, more, s->seconds);
    }
    if (cli.verbose >= 2 && c->support_vectors)
        say_note("%zu of %zu rows are support vectors, after %llu iterations", c->support_vectors,
                 c->rows, (unsigned long long)c->iterations);
}

int training_fit(training *t)
{
    double start = say_clock();

    if (t->checkpoint) {
        int status = checkpoint_begin(&t->passes, &t->spill);
        if (status)
            return status;
        t->passes.ask = spill_answer;
        t->passes.rows = &t->spill;
    }

    progress_begin("fit", "", 1);
    fx_status s = t->checkpoint ? fx_model_passes_fit(&t->model, &t->plan, checkpoint_answer,
                                                      &t->passes, &cli.run)
                  : t->streamed ? fx_model_passes_fit(&t->model, &t->plan, spill_answer, &t->spill,
                                                      &cli.run)
                                : fx_model_fit(&t->model, &t->plan, &t->X.table, &cli.run);
    progress_end();
    if (t->spill.status)
        return t->spill.status;
    t->seconds = say_clock() - start;
    if (s == FX_EUNSUPPORTED && t->streamed)    /* only of rows that are not in memory */
        return say_failure(s), EXIT_MEMORY;
    if (s < 0)
        return say_failure(s);
    t->diverged = s == FX_DIVERGED;
    if (t->diverged)
        say_failure(s);                 /* also with -q, since the exit status tells of it */
    else if (s > 0)
        say_remark();
    say_steps(t);
    model_info_warn_collapsed(t->model);
    return 0;
}

int training_save(training *t, output *o)
{
    int status = output_model(o, &t->bytes, t->model, NULL);

    if (!status && !(status = output_close(o)))
        checkpoint_close(&t->passes, true);
    return status;
}

/* Where the model goes.  If that is standard output, --json cannot be printed there too. */
int training_path(training *t, const char *who, const char *path, const char *data)
{
    if (!path && !strcmp(data, "-"))
        return say_error("%s: rows from standard input need -o MODEL", who);
    size_t n = strlen(data);
    while (n > 1 && data[n - 1] == '/') /* a directory */
        n--;
    int len = path ? snprintf(t->path, sizeof t->path, "%s", path)
                   : snprintf(t->path, sizeof t->path, "%.*s.fx", (int)n, data);
    if (len < 0 || (size_t)len >= sizeof t->path)
        return say_error("%s: the output's name is too long", who);
    if (cli.json && output_is_stdout(t->path))
        return say_error("%s: --json and -o - both want standard output", who);
    return 0;
}

void training_print(FILE *f, const training *t)
{
    const fx_model_info *c = fx_model_inspect(t->model);
    char size[32];

    safe_print(f, "model        %s\n", c->spec);
    model_info_print_kernel(f, c);
    safe_print(f, "saved        %s, %s\n", t->path, say_bytes(size, (double)t->bytes));
}

void training_free(training *t)
{
    fx_model_free(t->model);
    checkpoint_close(&t->passes, false);
    if (t->streamed)
        spill_free(&t->spill);
    load_free(&t->X);
    free(t->weight);
    free(t->class_weight);
}
