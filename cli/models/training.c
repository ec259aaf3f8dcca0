/* SPDX-License-Identifier: BSD-3-Clause
 * training.c - what train and tune have in common: rows and their weights, the fit, its file. */

#include "models.h"
#include "team/team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Weights ------------------------------------------------------------------------------ */
int training_weights(training *t)
{
    loaded *l = &t->X;
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
    t->weight = w;
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
/* True if the model's fit works by passes, of several processes if there are, and nothing else
 * needs the rows. */
static bool streams(bool regress)
{
    char spec[FITTING_SPEC];
    fx_description d = FX_INIT(fx_description);
    const char *missing = rows_missing_plan();

    return !link_rows_given() && !fit.weights
           && !(missing && !strncmp(missing, "median", strlen("median")))
           && !fitting_model(spec, regress, NULL, NULL) && !fx_model_describe(&d, spec)
           && (team_ranks() > 1 ? d.divisible : d.streamable);
}

/* The task is that of the model, or the labels decide. */
static int decide_task(training *t)
{
    bool known = fitting_task_known(&t->regress);
    int status = known ? 0 : task_decide(&t->regress, &t->X, &t->spill);

    if (status || streams(t->regress))
        return status;
    say_error("%s: a model of %s by these options needs all rows in memory", t->X.name,
              t->regress ? "numbers" : "classes");
    return EXIT_MEMORY;
}

/* The place for a share of the rows is that of this machine, if it has one. */
static const char *beside(const training *t)
{
    static char path[4096];
    const char *folder = team_ranks() > 1 ? getenv("TMPDIR") : NULL;

    if (!folder || !*folder)
        return t->path;
    snprintf(path, sizeof path, "%s/featcross", folder);
    return path;
}

/* Every process reads all rows, perhaps from a disk of its own. */
static int same_rows(const training *t)
{
    const uint64_t rows[] = {t->spill.rows, t->spill.cols, t->spill.text};

    if (team_ranks() > 1 && t->checkpoint && !t->spill.text)
        return say_error("--checkpoint under mpirun: %s is not text", t->X.name);
    return team_same(rows, sizeof rows, "read other rows, or in another way,");
}

enum { PROGRAM = 16 << 20, SURVEY = 16 };       /* bytes: of the program; of a column in a survey */
/* Times the bytes of a part that are taken by a thread; more, where a number has 4 bytes: for
 * copies of floats, for ones, which are not stored; with what malloc keeps between parts. */
enum { UNPACKED = 2, COPIED = 3, FLOATS = 2, ONES = 3 };

/* A scaled or filled copy of the rows is made. */
static bool copied(const training *t)
{
    const char *scale = t->plan.scale;

    return (scale && strcmp(scale, "none") != 0) || rows_missing_plan();
}

/* What a thread takes of a part. */
static unsigned copies_of_part(const training *t)
{
    double entries = (double)t->X.reading.entries;
    bool dense = entries >= (double)t->spill.rows * (double)t->spill.cols;
    unsigned more = (double)t->spill.bytes >= 6 * entries ? 0
                    : !dense                              ? ONES
                    : copied(t)                           ? FLOATS
                                                          : 0;

    return (copied(t) ? COPIED : UNPACKED) + more;
}

/* What the program and rows have comes off --max-memory.  Of a limit near the program's own size
 * the fit still gets half, so such a limit may be exceeded. */
static uint64_t off(uint64_t all)
{
    uint64_t half = cli.run.max_memory / 2, grace = half < PROGRAM ? PROGRAM - half : 0;

    return all < half ? all : all - half < grace ? half : all - grace;
}

/* Before the fit, and by passes over rows in a file.  Rows in memory count only where the limit is
 * well above the program's size. */
uint64_t training_held(const training *t)
{
    if (t->streamed)
        return off(t->before + spill_reads(&t->spill, copies_of_part(t)));
    return cli.run.max_memory >= 2 * PROGRAM ? off(t->before) : 0;
}

static int check_held(const training *t)
{
    return say_limit(t->streamed ? (double)training_held(t) + 1 : 0, "%s: the program, the rows "
                     "that are read and what is known of %zu columns take", t->X.name,
                     t->spill.cols);
}

static int hold(training *t)
{
    uint64_t columns = (uint64_t)t->spill.cols * SURVEY * (rows_missing_plan() ? 2 : 1);

    t->before = machine_held() + ((uint64_t)progress_threads() + 3) * columns;
    return check_held(t);
}

/* Rows are in a file, or go there now. */
static int read_spilled(training *t, const load_options *like, const char *data)
{
    struct stat st;
    bool kept = t->kept && stat(t->kept, &st) == 0;
    int status = 0;

    t->streamed = true;
    t->spill.fd = -1;
    t->spill.combines = fitting_about().combines;
    if (kept && !(status = load_ask(&t->X, data, like)))
        status = spill_file_open(&t->spill, &t->X, t->kept, data, like);
    else if (!kept && t->kept && !(status = load_as(&t->X, data, like)) && !t->X.lines)
        status = say_error("--spill %s: %s is not text", t->kept, t->X.name);
    if (!status && !kept)
        status = spill_write(&t->spill, &t->X, beside(t), t->kept);
    return status ? status : same_rows(t);
}

/* The first rows did not show how far columns outnumber entries. */
static int deal_again(training *t, const load_options *like, const char *data)
{
    uint64_t group = t->spill.group;

    say_note("%s: there are far more columns than its first rows had, so it is read again, and "
             "dealt out in larger pieces", t->X.name);
    spill_free(&t->spill);
    load_free(&t->X);
    t->spill.group = group;
    int status = load_as(&t->X, data, like);
    return status ? status : read_spilled(t, like, data);
}

static int spill_rows(training *t, const load_options *like, const char *data)
{
    int status = read_spilled(t, like, data);

    if (!status && spill_share_fails(&t->spill, &t->X))
        status = deal_again(t, like, data);
    if (status || (status = hold(t)) || team_rank())    /* process 0 decides */
        return status;
    return (status = load_say_twice(&t->X)) ? status : decide_task(t);
}

/* stream: those that are too many go to a file. */
static int read_rows(training *t, const char *data, int base, bool stream)
{
    double most = stream ? spill_most(fitting_about().combines) : 0;
    const load_options how = {.base = base, .filled = true, .unlabelled = fitting_unlabelled(),
                              .more = t->more, .mores = t->mores, .hashed = t->by_passes,
                              .most = t->by_passes ? 1 : most};

    if (t->kept)
        return spill_rows(t, &how, data);
    int status = link_rows_given()
                     ? link_rows_load(&t->X, "train", &(load_options){.filled = true})
                     : load_as(&t->X, data, &how);

    if (status)
        return status;
    if (t->X.exceeds || t->by_passes) {
        t->whole = false;
        return spill_rows(t, &how, data);
    }
    load_say(&t->X);
    if ((status = load_say_twice(&t->X)) || (status = task_decide(&t->regress, &t->X, NULL)))
        return status;
    status = training_weights(t);
    t->before = machine_held();
    return status;
}

/* Of a task that the labels decide: at least for one of both. */
static bool may_stream(void)
{
    bool regress;

    return fitting_task_known(&regress) ? streams(regress) : streams(false) || streams(true);
}

/* Can several processes do it?  Each reads the rows and keeps some of them. */
static int check_team(const training *t, const char *data)
{
    if (!t->may_stream) {
        say_error("mpirun divides the rows between processes, but this fit needs them in one");
        say_hint("run it without mpirun, or give what can be divided: --model " ADVISED_DIVISIBLE);
        return EXIT_MEMORY;
    }
    if (t->kept)
        return say_error("--spill keeps all rows in one file, but under mpirun each process keeps "
                         "some of them");
    int status = load_files_shared(data);
    for (size_t k = 0; k < t->mores && !status; k++)
        status = load_files_shared(t->more[k]);
    return status;
}

static int take_rows(training *t, const char *data, int base, bool stream)
{
    bool may = t->may_stream = stream && may_stream();
    int status;

    if (t->kept && !may)
        return say_error("--spill keeps the rows for the passes of a fit, but this one needs them "
                         "in memory"), EXIT_MEMORY;
    if (t->kept && rows_missing_plan() && !strcmp(rows_missing_plan(), "drop"))
        return say_error("--spill keeps all rows, but --nan drop leaves some of them out");
    if (t->checkpoint && !may)
        return say_error("--checkpoint keeps the passes of a fit over its rows, but this one needs "
                         "them in memory"), EXIT_MEMORY;
    if (team_ranks() > 1 && (status = t->whole ? load_files_shared(data) : check_team(t, data)))
        return status;
    t->by_passes = t->kept || t->checkpoint || (team_ranks() > 1 && !t->whole);
    status = t->checkpoint && !team_rank() ? checkpoint_open(&t->passes, t->checkpoint, t->resume,
                                                               &t->spill.status)
                                           : 0;
    if (status || (status = read_rows(t, data, base, may))
        || (status = split_class_weight(&t->class_weight)))
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
    t->plan.split = t->X.split;
    t->plan.side_reader[FX_FIRST] = t->X.node_spec[FX_FIRST];
    t->plan.side_reader[FX_SECOND] = t->X.node_spec[FX_SECOND];
    t->plan.missing = rows_missing_plan();
    t->plan.seed = cli.seed;
    return 0;
}

static void advise(const training *t)
{
    if (!link_rows_given() && !t->may_stream && team_ranks() == 1)
        say_hint("rows need not be in memory for --model "
                 "logistic, ridge, svm-l2, pca, perceptron, factorization machines with --solver "
                 "lbfgs or adagrad; with --penalty l1, for --solver proximal");
}

int training_read(training *t, const char *data, int base, bool stream)
{
    int status = take_rows(t, data, base, stream);

    if (status == EXIT_MEMORY)
        advise(t);
    return status;
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

fx_run training_run(const training *t)
{
    fx_run run = cli.run;
    uint64_t less = training_held(t);

    run.max_memory = less < run.max_memory ? run.max_memory - less : 1;
    return run;
}

int training_failed(const training *t, fx_status s)
{
    char size[32];
    int status = say_failure(s);

    if (s == FX_ELIMIT && training_held(t))
        say_hint("the program and the rows that are %s take %s besides",
                 t->streamed ? "read" : "in memory", say_bytes(size, (double)training_held(t)));
    if (s == FX_ELIMIT && !t->streamed)
        advise(t);
    return s == FX_EUNSUPPORTED && t->streamed ? EXIT_MEMORY : status; /* only of rows in a file */
}

int training_fit(training *t)
{
    double start = say_clock();
    int status = check_held(t);

    if (status)
        return status;
    if (t->checkpoint) {
        if ((status = checkpoint_begin(&t->passes, &t->spill)))
            return status;
        t->passes.ask = spill_answer;
        t->passes.rows = &t->spill;
    }

    progress_begin("fit", "", 1);
    const fx_run run = training_run(t);
    fx_status s = t->checkpoint ? fx_model_passes_fit(&t->model, &t->plan, checkpoint_answer,
                                                      &t->passes, &run)
                  : t->streamed ? fx_model_passes_fit(&t->model, &t->plan, spill_answer, &t->spill,
                                                      &run)
                                : fx_model_fit(&t->model, &t->plan, &t->X.table, &run);
    progress_end();
    if (t->spill.status)
        return t->spill.status;
    t->seconds = say_clock() - start;
    if (s < 0)
        return training_failed(t, s);
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

json_t *training_engine(const training *t)
{
    const spill *s = &t->spill;

    if (!t->streamed)
        return json_pack("{s:s, s:i, s:i, s:n}", "name", "memory", "workers", 1, "parts", 1,
                         "passes");
    return json_pack("{s:s, s:i, s:I, s:I, s:{s:f, s:f, s:f}}", "name",
                     team_ranks() > 1 ? "mpi" : "stream", "workers", team_ranks(), "parts",
                     (json_int_t)spill_blocks(s), "passes", (json_int_t)s->passes, "seconds",
                     "first", s->first_seconds, "others", s->other_seconds, "least",
                     s->least_seconds);
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
