/* SPDX-License-Identifier: BSD-3-Clause
 * tuning.c - featcross tune, the part that all models share: cross-validates every setting along
 * its path, prints a table, fits the best setting on all rows and saves it.
 *
 * Where mpirun started several processes, each reads the rows, and the folds of all paths are dealt
 * to them in turn.  Process 0 gets the scores, chooses, and fits the best setting alone.  Rows that
 * exceed --max-memory are shared instead, and process 0 asks the others for passes. */

#include "models.h"
#include "team/team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Measuring ---------------------------------------------------------------------------- */
typedef struct outcome {                /* of a path */
    fx_status status;
    char why[SAY_REASON];
} outcome;

static uint64_t turn_of(const tuning *s, size_t path, size_t fold)
{
    return (uint64_t)path * s->folds + fold;
}

/* How many folds of a path this process holds out: all of those whose rows are shared. */
static size_t choose_folds(tuning *s, size_t path)
{
    int32_t n = 0;

    for (size_t f = 0; f < s->folds; f++)
        s->place[f] = !s->t->whole || team_turn(turn_of(s, path, f)) ? n++ : -1;
    for (size_t i = 0; i < s->t->X.table.rows; i++)
        s->own[i] = s->fold[i] < 0 ? -1 : s->place[s->fold[i]];
    return (size_t)n;
}

/* The metrics of `folds` folds go to s->m, [costs][folds]. */
static int fit_folds(outcome *o, tuning *s, size_t folds)
{
    training *t = s->t;

    if (!folds)
        return 0;
    int status = held_out_measure(&o->status, s->m, t, s->C, s->costs, s->own, folds);
    if (!status && o->status < 0)
        say_reason(o->why, 0);
    return status;
}

/* In process 0 s->m becomes that of all folds, which come one at a time. */
static int gather_folds(outcome *o, tuning *s, size_t path, size_t folds)
{
    const outcome own = *o;
    size_t all = s->costs * s->folds;

    if (!s->t->whole)
        return 0;
    fx_metrics *m = calloc(all + s->costs, sizeof *m), *one = m ? m + all : NULL;
    int status = m ? 0 : say_no_memory("scores");

    for (size_t f = 0; f < s->folds && !status; f++) {
        uint64_t turn = turn_of(s, path, f);
        outcome its = own;
        for (size_t c = 0; c < s->costs && s->place[f] >= 0; c++)
            one[c] = s->m[c * folds + (size_t)s->place[f]];
        if ((status = team_bring(turn, &its, sizeof its))
            || (status = team_bring(turn, one, s->costs * sizeof *one)))
            break;
        for (size_t c = 0; c < s->costs; c++)
            m[c * s->folds + f] = one[c];
        if (its.status < 0)
            *o = its;
    }
    if (!status)
        memcpy(s->m, m, all * sizeof *m);
    free(m);
    return status;
}

static int measure(tuning *s, size_t path)
{
    training *t = s->t;
    double start = say_clock();
    outcome o = {0};
    size_t folds = choose_folds(s, path);
    int status;

    if ((status = s->set(s->ctx, path, NULL)) || (status = fit_folds(&o, s, folds))
        || (status = gather_folds(&o, s, path, folds)) || team_rank())
        return status;
    for (size_t c = 0; c < (o.status < 0 ? 1 : s->costs) && !status; c++) {
        tuned *x = &s->line[s->lines++];
        *x = (tuned){path, o.status < 0 ? NAN : s->C[c], NAN, NAN, say_clock() - start, ""};
        if (o.status < 0) {             /* the other paths stand */
            snprintf(x->failed, sizeof x->failed, "%s", o.why);
            s->failure = o.status;
        } else
            status = metric_mean(&x->mean, &x->sd, "tune", s->m + c * s->folds, s->folds,
                                 t->metric);
    }
    return status;
}

static int measure_all(tuning *s)
{
    int status = 0;

    for (size_t i = 0; i < s->paths && !status; i++) {
        progress_begin("tune", "paths", (double)s->paths);
        progress_part((double)i, (double)i + 1);
        status = measure(s, i);
    }
    progress_end();
    return status;
}

/* NULL: all failed. */
static const tuned *best(const tuning *s)
{
    const tuned *x = NULL;
    double sign = metric_falls(s->t->metric) ? -1 : 1;

    for (const tuned *y = s->line; y < s->line + s->lines; y++)
        if (!*y->failed && (!x || sign * y->mean > sign * x->mean))
            x = y;
    return x;
}

/* ---- Showing ------------------------------------------------------------------------------ */
static void add_line(text_table *t, const tuning *s, const tuned *x, bool won)
{
    char buf[512];

    text_table_cell(t, "%s", won ? "*" : "");
    for (int i = 0; i < TUNING_COLUMNS; i++)
        text_table_cell(t, "%s", s->cell(buf, s->ctx, x, i));
    if (*x->failed) {
        for (int i = 0; i < 3; i++)
            text_table_cell(t, "%s", "");
        text_table_cell(t, "failed: %s", x->failed);
        return;
    }
    text_table_cell(t, "%.6g", x->mean);
    text_table_cell(t, "%.4g", x->sd);
    text_table_cell(t, "%.2f", x->seconds);
    text_table_cell(t, "%s", "");
}

static int print(const tuning *s, const tuned *won)
{
    FILE *f = output_is_stdout(s->t->path) ? stderr : stdout;
    const text_table_column column[] = {{"", true, 0, 0},          {s->head[0], false, 0, 12},
                                   {s->head[1], false, 0, 0}, {s->head[2], false, 0, 0},
                                   {s->t->metric, false, 0, 0}, {"sd", false, 1, 0},
                                   {"seconds", false, 2, 0}};
    text_table t = {.column = column, .columns = sizeof column / sizeof *column};

    if (cli.quiet)
        return 0;
    for (const tuned *x = s->line; x < s->line + s->lines; x++)
        add_line(&t, s, x, x == won);
    int status = text_table_print(f, &t);
    text_table_free(&t);
    fputc('\n', f);
    training_print(f, s->t);
    return status ? status : f == stdout ? say_flush() : 0;
}

static json_t *json_line(const tuning *s, const tuned *x)
{
    json_t *o = s->json(s->ctx, x);

    o = say_set(say_set(o, "mean", model_info_number(x->mean)), "sd", model_info_number(x->sd));
    o = say_set(o, "seconds", json_real(x->seconds));
    return say_set(o, "failed", model_info_text(x->failed));
}

static int print_json(const tuning *s, const tuned *won)
{
    const training *t = s->t;
    const fx_model_info *c = fx_model_inspect(t->model);
    json_t *list = json_array(), *o;

    for (const tuned *x = s->line; x < s->line + s->lines; x++)
        list = say_append(list, json_line(s, x));
    o = json_pack("{s:I, s:s, s:I, s:o, s:o, s:o}", "rows", (json_int_t)c->rows, "metric",
                  t->metric, "folds", (json_int_t)s->folds, "trials", list, "best",
                  json_line(s, won), "model", say_text(c->spec));
    if (c->orders)
        o = say_set(o, "norms", model_info_norms(c));
    else
        o = say_set(say_set(o, "kernel", model_info_text(c->kernel)), "map",
                    model_info_text(c->map));
    o = say_set(say_set(o, "converged", json_boolean(c->converged)), "seconds",
                json_real(t->seconds));
    o = say_set(say_set(o, "output", say_text(t->path)), "bytes",
                json_integer((json_int_t)t->bytes));
    o = say_set(o, "engine", training_engine(t));
    return say_json(say_set(o, "seed", json_integer((json_int_t)c->seed)));
}

/* ---- All of it ---------------------------------------------------------------------------- */
static int prepare(tuning *s)
{
    training *t = s->t;
    int status;

    t->metric = s->metric ? s->metric : t->metric;
    if ((status = metric_check("tune", t->metric, t)) || (status = s->ready(s->ctx)))
        return status;
    s->own = malloc((t->X.table.rows ? t->X.table.rows : 1) * sizeof *s->own);
    s->place = malloc(s->folds * sizeof *s->place);
    s->m = calloc(s->costs * s->folds, sizeof *s->m);
    s->line = malloc(s->paths * s->costs * sizeof *s->line);
    return s->own && s->place && s->m && s->line ? held_out_new(&s->fold, t, s->folds)
                                                 : say_no_memory("trials");
}

static int read_rows(tuning *s, const char *data)
{
    const fx_table *X = &s->t->X.table;
    int status = team_same(&cli.max_memory, sizeof cli.max_memory, "another --max-memory");

    s->t->whole = team_ranks() > 1;
    if (status || (status = training_read(s->t, data, -1, held_out_stream())) || !s->t->whole)
        return status;
    const uint64_t shape[] = {X->rows, X->cols};
    return team_same(shape, sizeof shape, "read other rows");
}

static int run(tuning *s, const char *output_path, const char *data)
{
    output *o = NULL;
    int status;

    if ((status = training_path(s->t, "tune", output_path, data))
        || (!team_rank() && (status = output_open(&o, s->t->path, OUTPUT_BINARY)))
        || (status = read_rows(s, data)))
        return status;
    if (team_rank() && !s->t->whole)
        return spill_assist(&s->t->spill);
    if ((status = prepare(s)) || (status = measure_all(s)) || team_rank())
        return status;
    const tuned *won = best(s);
    if (!won)
        return say_failure_by(s->failure, s->line[s->lines - 1].failed);
    if ((status = s->set(s->ctx, won->path, won)) || (status = training_fit(s->t))
        || (status = training_save(s->t, o)))
        return status;
    status = cli.json ? print_json(s, won) : print(s, won);
    return status ? status : s->t->diverged ? EXIT_NUMERIC : 0;
}

int tuning_run(tuning *s, const char *output_path, const char *data)
{
    int status = run(s, output_path, data);

    free(s->fold);
    free(s->own);
    free(s->place);
    free(s->m);
    free(s->line);
    return status;
}
