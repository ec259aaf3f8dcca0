/* SPDX-License-Identifier: BSD-3-Clause
 * train_report.c - what train did, as text and JSON, and the lines of --history. */

#include "train_report.h"
#include "team/team.h"

#include <math.h>
#include <string.h>

/* ---- --history ------------------------------------------------------------------------------ */
int train_report_history(const fx_model *m, output *o)
{
    const fx_model_info *c = fx_model_inspect(m);
    char line[256], x[4][32];
    int status = output_text(o, "iteration,output,seconds,objective,gap,metric\n");

    for (size_t i = 0; i < c->steps && !status; i++) {
        const fx_step *s = &c->history[i];
        const double value[4] = {s->seconds, s->objective, s->gap, s->metric};
        for (int v = 0; v < 4; v++) {   /* what is not known is left empty */
            x[v][0] = '\0';
            if (model_info_known(value[v]))
                say_number(x[v], value[v]);
        }
        snprintf(line, sizeof line, "%zu,%zu,%s,%s,%s,%s\n", s->iteration, s->output, x[0], x[1],
                 x[2], x[3]);
        status = output_text(o, line);
    }
    return status ? status : output_close(o);
}

/* ---- The score when choosing ---------------------------------------------------------------- */
static const char *plain_metric(const training *t) { return t->regress ? "rmse" : "accuracy"; }

static void print_held_out(FILE *f, const training *t, const selection *c)
{
    safe_print(f, "held out     %s %.4f +- %.4f, on %zu rows, when choosing; %s %.4f\n",
               plain_metric(t), fabs(c->score), c->error, c->held_out,
               t->regress ? "always the mean" : "always the most common class", c->baseline);
}

static json_t *held_out_json(const training *t, const selection *c)
{
    return json_pack("{s:s, s:f, s:f, s:I, s:f}", "metric", plain_metric(t), "score",
                     fabs(c->score), "error", c->error, "rows", (json_int_t)c->held_out,
                     "baseline", c->baseline);
}

/* ---- The model as text ---------------------------------------------------------------------- */
static void print_rows(FILE *f, const training *t, const fx_model_info *c)
{
    safe_print(f, "rows         %zu x %zu", c->rows, c->cols);
    if (!c->classes) {
        fputs(c->variance ? ", labels not looked at\n"
              : t->rank   ? ", ranked\n"
                          : ", numbers\n", f);
        return;
    }
    safe_print(f, ", %zu classes:", c->classes);
    for (size_t i = 0; i < c->classes && i < 10; i++)
        safe_print(f, " %s", c->class_name[i]);
    fputs(c->classes > 10 ? " ..\n" : "\n", f);
}

static void print_passes(FILE *f, const spill *s)
{
    unsigned long long passes = s->passes;
    char size[32];

    if (team_ranks() > 1)
        safe_print(f, "passes       %llu over %llu parts in %d processes\n", passes,
                   (unsigned long long)spill_blocks(s), team_ranks());
    else
        safe_print(f, "passes       %llu over %s in %zu parts\n", passes,
                   say_bytes(size, (double)s->bytes), s->parts);
}

int train_report(FILE *f, const training *t, const selection *chosen, const train_scores *scores)
{
    const fx_model_info *c = fx_model_inspect(t->model);
    char size[32];

    if (cli.quiet)
        return 0;
    safe_print(f, "model        %s\n", c->spec);
    if (*c->scale)
        safe_print(f, "scaling      %s\n", c->scale);
    model_info_print_kernel(f, c);
    print_rows(f, t, c);
    if (c->variance)
        model_info_print_variance(f, c);
    else if (model_about(c->spec).mistakes)
        safe_print(f, "mistakes     %.10g in the last of %llu passes\n", c->objective,
                   (unsigned long long)c->iterations);
    else
        model_info_print_fit(f, "objective    ", c);
    model_info_print_later(f, c);
    if (scores->folds)
        safe_print(f, "folds        %s %.4f +- %.4f (standard deviation of %llu)\n", t->metric,
                   scores->mean, scores->sd, (unsigned long long)scores->folds);
    if (chosen->held_out)
        print_held_out(f, t, chosen);
    if (*c->remark)
        safe_print(f, "remark       %s\n", c->remark);
    if (scores->evaluated && !isnan(scores->eval))
        safe_print(f, "eval set     %s %.4f, on %zu rows\n", t->metric, scores->eval,
                   scores->rows);
    if (t->streamed)
        print_passes(f, &t->spill);
    safe_print(f, "seconds      read %.2f, ", t->X.seconds);
    if (chosen->seconds > 0)
        safe_print(f, "choose %.2f, ", chosen->seconds);
    safe_print(f, "map %.2f, fit %.2f\n", c->prepared, t->seconds - c->prepared);
    safe_print(f, "saved        %s, %s\n", t->path, say_bytes(size, (double)t->bytes));
    return f == stdout ? say_flush() : 0;
}

/* ---- The model as JSON ---------------------------------------------------------------------- */
int train_report_json(const training *t, const selection *chosen, const train_scores *scores)
{
    const fx_model_info *c = fx_model_inspect(t->model);
    json_t *o = json_pack(
        "{s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:b, s:I, s:{s:f, s:f, s:f}, "
        "s:I, s:I, s:o, s:I, s:o, s:b, s:b}",
        "model", say_text(c->spec), "rows", (json_int_t)c->rows, "features", (json_int_t)c->cols,
        "classes", (json_int_t)c->classes, "class_names", model_file_classes(c), "map",
        *c->map ? say_text(c->map) : json_null(), "kernel",
        *c->kernel ? say_text(c->kernel) : json_null(), "scale",
        *c->scale ? say_text(c->scale) : json_null(), "D",
        (json_int_t)(c->support_vectors && !*c->map ? 0 : c->features), "objective",
        model_info_number(c->objective), "gap", model_info_number(c->orders ? NAN : c->gap),
        "converged", c->converged, "iterations", (json_int_t)c->iterations, "seconds", "read",
        t->X.seconds, "map", c->prepared, "fit", t->seconds - c->prepared, "peak_bytes",
        (json_int_t)machine_peak(), "seed", (json_int_t)c->seed, "output", say_text(t->path),
        "bytes", (json_int_t)t->bytes, "support",
        c->support_vectors ? json_integer((json_int_t)c->support_vectors) : json_null(),
        "collapsed", model_info_collapsed(c), "pairs", c->pairs);

    o = say_set(o, "engine", training_engine(t));
    if (chosen->seconds > 0 && json_object_set_new(json_object_get(o, "seconds"), "choose",
                                                   json_real(chosen->seconds)) < 0) {
        json_decref(o);
        o = NULL;
    }
    if (*c->missing)
        o = say_set(o, "missing", say_text(c->missing));
    if (c->later)
        o = say_set(o, "later_columns", json_integer((json_int_t)model_info_later(c)));
    if (c->orders)
        o = say_set(o, "norms", model_info_norms(c));
    if (c->variance)
        o = say_set(say_set(o, "variance", model_info_variance(c)), "total_variance",
                    model_info_number(c->total_variance));
    if (scores->folds)
        o = say_set(o, "folds", json_pack("{s:s, s:f, s:f, s:I}", "metric", t->metric,
                                          "mean", scores->mean, "sd", scores->sd, "count",
                                          (json_int_t)scores->folds));
    if (chosen->held_out)
        o = say_set(say_set(o, "held_out", held_out_json(t, chosen)), "learned",
                    json_boolean(chosen->learned));
    if (scores->evaluated)
        o = say_set(o, "eval",
                    json_pack("{s:s, s:o, s:I}", "metric", t->metric, "score",
                              model_info_number(scores->eval), "rows", (json_int_t)scores->rows));
    return say_json(o);
}

/* ---- The plan ------------------------------------------------------------------------------- */
int train_report_plan(const training *t, const selection *chosen)
{
    const fx_plan *p = &t->plan;
    const char *scale = p->scale && strcmp(p->scale, "none") != 0 ? p->scale : NULL;
    double D = chosen->held_out ? chosen->D : (double)p->features;

    if (cli.json) {
        json_t *o = json_pack("{s:o, s:o, s:o, s:o, s:I, s:I}", "model", say_text(p->model),
                              "kernel", say_text(p->kernel), "map", say_text(p->map), "scale",
                              say_text(scale), "D", (json_int_t)(p->map ? fmin(D, 0x1p62) : 0),
                              "seed", (json_int_t)p->seed);
        if (chosen->held_out)
            o = say_set(say_set(o, "held_out", held_out_json(t, chosen)), "learned",
                        json_boolean(chosen->learned));
        return say_json(o);
    }
    safe_print(stdout, "model        %s\n", p->model);
    if (scale)
        safe_print(stdout, "scaling      %s\n", scale);
    if (p->kernel)
        safe_print(stdout, "kernel       %s\n", p->kernel);
    if (p->map)
        safe_print(stdout, "map          %s, %.10g features\n", p->map, D);
    if (chosen->held_out)
        print_held_out(stdout, t, chosen);
    return say_flush();
}
