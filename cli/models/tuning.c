/* SPDX-License-Identifier: BSD-3-Clause
 * tuning.c - featcross tune, the part that all models share: cross-validates every setting along
 * its path, prints a table, fits the best setting on all rows and saves it. */

#include "models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Measuring ---------------------------------------------------------------------------- */
static int measure(tuning *s, size_t path)
{
    training *t = s->t;
    double start = say_clock();
    fx_status st = FX_OK;
    int status = s->set(s->ctx, path, NULL);

    if (status || (status = held_out_measure(&st, s->m, t, s->C, s->costs, s->fold, s->folds)))
        return status;
    for (size_t c = 0; c < (st < 0 ? 1 : s->costs) && !status; c++) {
        tuned *x = &s->line[s->lines++];
        *x = (tuned){path, st < 0 ? NAN : s->C[c], NAN, NAN, say_clock() - start, ""};
        if (st < 0) {                   /* the other paths stand */
            say_reason(x->failed, 0);
            s->failure = st;
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
    s->m = malloc(s->costs * s->folds * sizeof *s->m);
    s->line = malloc(s->paths * s->costs * sizeof *s->line);
    return s->m && s->line ? held_out_new(&s->fold, t, s->folds) : say_no_memory("trials");
}

static int run(tuning *s, const char *output_path, const char *data)
{
    output *o = NULL;
    int status;

    if ((status = training_path(s->t, "tune", output_path, data))
        || (status = output_open(&o, s->t->path, OUTPUT_BINARY))
        || (status = training_read(s->t, data, -1, held_out_stream())) || (status = prepare(s))
        || (status = measure_all(s)))
        return status;
    const tuned *won = best(s);
    if (!won)
        return say_failure(s->failure);
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
    free(s->m);
    free(s->line);
    return status;
}
