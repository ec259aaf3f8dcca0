/* SPDX-License-Identifier: BSD-3-Clause
 * compare_files.c - the comparison for other programs: as CSV, as JSON. */

#include "compare.h"

#include <math.h>
#include <stdlib.h>

/* ---- CSV ---------------------------------------------------------------------------------- */
static int csv_text(output *o, const char *text)        /* a field in quotes */
{
    int status = output_text(o, "\"");

    for (const char *p = text; *p && !status; p++)
        status = *p == '"' ? output_text(o, "\"\"") : output_bytes(o, p, 1);
    return status ? status : output_text(o, "\"");
}

static const char *csv_number(char buf[32], double x)   /* what is not known is left empty */
{
    buf[0] = '\0';
    return isfinite(x) ? say_number(buf, x) : buf;
}

static const char *status_text(const method *m, size_t s)
{
    const trial *t = &m->trial[s];

    return s == m->done                    ? "failed"
           : t->status == FX_NOT_CONVERGED ? "not converged"
           : t->status == FX_DIVERGED      ? "diverged"
                                           : "done";
}

static int csv_trial(output *o, const method *m, size_t s)
{
    const trial *t = &m->trial[s];
    const double value[] = {t->C, t->valid, t->test.accuracy, t->test.auc, t->test.rmse,
                            t->train_seconds, t->test_seconds};
    char line[512], number[32];
    bool whole = s < m->done;
    int n = snprintf(line, sizeof line, ",%llu,%zu", (unsigned long long)(cli.seed + s),
                     t->features);

    for (size_t i = 0; i < sizeof value / sizeof *value; i++)
        n += snprintf(line + n, sizeof line - (size_t)n, ",%s", csv_number(number, value[i]));
    if (whole)
        n += snprintf(line + n, sizeof line - (size_t)n, ",%llu,%llu", (unsigned long long)t->bytes,
                      (unsigned long long)t->memory);
    snprintf(line + n, sizeof line - (size_t)n, "%s,%s,", whole ? "" : ",,", status_text(m, s));
    int status = csv_text(o, m->name);
    if (!status && !(status = output_text(o, line)) && !whole)
        status = csv_text(o, m->failed);
    return status ? status : output_text(o, "\n");
}

int compare_csv(output *o, const comparison *c)
{
    int status = output_text(o, "method,seed,D,C,valid,accuracy,auc,rmse,train_seconds,"
                                "test_seconds,bytes,memory,status,reason\n");

    for (const method *m = c->list; m < c->list + c->n && !status; m++) {
        for (size_t s = 0; s < m->done + (*m->failed != 0) && !status; s++)
            status = csv_trial(o, m, s);
        if (*m->left_out && !status && !(status = csv_text(o, m->name))
            && !(status = output_text(o, ",,,,,,,,,,,,left out,"))
            && !(status = csv_text(o, m->left_out)))
            status = output_text(o, "\n");
    }
    if (c->interrupted && !status)
        status = output_text(o, ",,,,,,,,,,,,interrupted,\"not all was measured\"\n");
    return status;
}

/* ---- JSON --------------------------------------------------------------------------------- */
static json_t *number(double x) { return isfinite(x) ? json_real(x) : json_null(); }
static json_t *result(const method *m)
{
    static const char *const figures[] = {"accuracy", "auc", "rmse", "train_seconds",
                                           "test_seconds", "bytes", "memory"};
    json_t *costs = json_array(), *tried = json_array(), *sd = json_object();
    json_t *o = json_pack(
        "{s:o, s:o, s:s, s:o, s:o, s:o, s:I, s:I, s:b}", "name", say_text(m->name), "family",
        say_text(m->family), "model", m->model, "kernel", say_text(m->kernel), "map",
        say_text(m->map), "scale", say_text(m->scale), "D", (json_int_t)m->trial[0].features,
        "seeds", (json_int_t)m->done, "converged",
        !compare_remarked(m, FX_NOT_CONVERGED) && !compare_remarked(m, FX_DIVERGED));

    for (size_t i = 0; i < sizeof figures / sizeof *figures && o; i++) {
        spread s = compare_spread(m, figures[i]);
        o = say_set(o, figures[i], number(s.mean));
        sd = say_set(sd, figures[i], number(s.sd));
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
        results = say_append(results, result(list[i]));
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
