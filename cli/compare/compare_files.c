/* SPDX-License-Identifier: BSD-3-Clause
 * compare_files.c - the comparison for other programs: as CSV, as JSON. */

#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- CSV ---------------------------------------------------------------------------------- */
static void add_text(strbuf *t, const char *text)       /* a field in quotes */
{
    strbuf_add(t, "\"");
    for (; *text; text++)
        strbuf_add(t, *text == '"' ? "\"\"" : "%c", *text);
    strbuf_add(t, "\"");
}

static const char *status_text(const trial *t)
{
    return t->status == FX_NOT_CONVERGED ? "not converged"
           : t->status == FX_DIVERGED    ? "diverged"
                                         : "done";
}

/* The metric that decides has a column of its own, the last one, if it is not among the others. */
static bool is_other(const comparison *c)
{
    return strcmp(c->metric, "accuracy") && strcmp(c->metric, "auc") && strcmp(c->metric, "rmse");
}

static void add_trial(strbuf *t, const comparison *c, const method *m, size_t s)
{
    const trial *x = &m->trial[s];
    const double value[] = {x->C, x->valid, x->test.accuracy, x->test.auc, x->test.rmse,
                            x->train_seconds, x->test_seconds};
    char number[32];

    add_text(t, m->name);
    strbuf_add(t, ",%llu,%zu", (unsigned long long)(cli.seed + s), x->features);
    for (size_t i = 0; i < sizeof value / sizeof *value; i++)   /* what is not known is empty */
        strbuf_add(t, ",%s", isfinite(value[i]) ? say_number(number, value[i]) : "");
    if (s < m->done)
        strbuf_add(t, ",%llu,%llu,%s,", (unsigned long long)x->bytes, (unsigned long long)x->memory,
                   status_text(x));
    else {
        strbuf_add(t, ",,,failed,");
        add_text(t, m->failed);
    }
    if (is_other(c)) {
        double last = metric_of(&x->test, c->metric);
        strbuf_add(t, ",%s", isfinite(last) ? say_number(number, last) : "");
    }
    strbuf_add(t, "\n");
}

int compare_csv(output *o, const comparison *c)
{
    strbuf t = {0};

    strbuf_add(&t, "method,seed,D,C,valid,accuracy,auc,rmse,train_seconds,test_seconds,bytes,"
                   "memory,status,reason%s%s\n",
               is_other(c) ? "," : "", is_other(c) ? c->metric : "");
    for (const method *m = c->list; m < c->list + c->n; m++) {
        for (size_t s = 0; s < m->done + (*m->failed != 0); s++)
            add_trial(&t, c, m, s);
        if (*m->left_out) {
            add_text(&t, m->name);
            strbuf_add(&t, ",,,,,,,,,,,,left out,");
            add_text(&t, m->left_out);
            strbuf_add(&t, is_other(c) ? ",\n" : "\n");
        }
    }
    if (c->interrupted)
        strbuf_add(&t, ",,,,,,,,,,,,interrupted,\"not all was measured\"%s\n",
                   is_other(c) ? "," : "");
    int status = t.failed ? say_no_memory("the table") : output_text(o, t.s);
    strbuf_free(&t);
    return status ? status : output_close(o);
}

/* ---- JSON --------------------------------------------------------------------------------- */
static json_t *result(const comparison *c, const method *m)
{
    const char *const figures[] = {"accuracy", "auc", "rmse", "train_seconds", "test_seconds",
                                   "bytes", "memory", c->metric};
    json_t *costs = json_array(), *tried = json_array(), *sd = json_object();
    json_t *o = json_pack(
        "{s:o, s:o, s:s, s:o, s:o, s:o, s:I, s:I, s:b}", "name", say_text(m->name), "family",
        say_text(m->family), "model", m->model, "kernel", say_text(m->kernel), "map",
        say_text(m->map), "scale", say_text(m->scale), "D", (json_int_t)m->trial[0].features,
        "seeds", (json_int_t)m->done, "converged",
        !compare_remarked(m, FX_NOT_CONVERGED) && !compare_remarked(m, FX_DIVERGED));

    for (size_t i = 0; i < sizeof figures / sizeof *figures - !is_other(c) && o; i++) {
        spread s = compare_spread(m, figures[i]);
        o = say_set(o, figures[i], model_info_number(s.mean));
        sd = say_set(sd, figures[i], model_info_number(s.sd));
    }
    for (size_t i = 0; i < m->done; i++)
        costs = say_append(costs, json_real(m->trial[i].C));
    for (size_t i = 0; i < m->tries; i++)
        tried = say_append(tried, json_real(m->choose[i]));
    o = say_set(say_set(o, "sd", sd), "tried", tried);
    return say_set(o, "C", costs);
}

json_t *compare_json(const comparison *c, const char *advice)
{
    size_t n;
    const method **list = compare_ranking(c, &n);
    json_t *results = json_array(), *left_out = json_array(), *failed = json_array();

    for (size_t i = 0; i < n && list; i++)
        results = say_append(results, result(c, list[i]));
    for (const method *m = c->list; m < c->list + c->n; m++) {
        if (*m->left_out)
            left_out = say_append(left_out, json_pack("{s:o, s:o}", "name", say_text(m->name),
                                                      "reason", say_text(m->left_out)));
        if (*m->failed)
            failed = say_append(failed, json_pack("{s:o, s:I, s:o}", "name", say_text(m->name),
                                                  "seed", (json_int_t)(cli.seed + m->done),
                                                  "reason", say_text(m->failed)));
    }
    free(list);
    return list
               ? json_pack("{s:I, s:I, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:b, s:o, s:o, s:o, s:o}",
                           "rows", (json_int_t)c->rows, "columns", (json_int_t)c->cols, "metric",
                           c->metric, "scale", c->scale, "train", (json_int_t)c->train, "valid",
                           (json_int_t)c->valid, "test", (json_int_t)c->tested, "seed",
                           (json_int_t)cli.seed, "seeds", (json_int_t)c->seeds, "interrupted",
                           c->interrupted, "results", results, "left_out", left_out, "failed",
                           failed, "advice", say_text(advice))
               : NULL;
}
