/* SPDX-License-Identifier: BSD-3-Clause
 * metric.c - the table of metrics: names, what they apply to, which direction is better. */

#include "metric/metric.h"

#include <stdio.h>
#include <string.h>

static const fxi_metric_type table[] = {
#define METRIC(name, function, tasks, falls, two, probabilities, help)                             \
    {name, fxi_metric_##function, tasks, falls, two, probabilities, help},
#include "metric/metric.def"
};
enum { METRICS = sizeof table / sizeof *table, NAME = 48 };

double fxi_metric_weight(const fxi_metric_rows *r, size_t i)
{
    return r->weight ? r->weight[i] : 1;
}

/* ---- Names -------------------------------------------------------------------------------- */

/* Up to and with the @, or all of it. */
static size_t stem(const char *name)
{
    size_t n = strcspn(name, "@");

    return n + (name[n] == '@');
}

static fx_status unknown(const char *name)
{
    char valid_names[256] = "", own[METRICS][NAME], hint[FXI_NEAREST];
    fxi_nearest near = fxi_nearest_to(name, strlen(name));

    for (size_t i = 0; i < METRICS; i++) {
        const char *t = table[i].name, *number = strchr(t, '@') ? strchr(name, '@') : NULL;
        int n = number ? snprintf(own[i], NAME, "%.*s%s", (int)stem(t) - 1, t, number)
                       : snprintf(own[i], NAME, "%s", t);
        fxi_spec_list(valid_names, sizeof valid_names, t);
        if (n > 0 && n < NAME)
            fxi_nearest_try(&near, own[i], (size_t)n);
    }
    return fxi_error(FX_EINVAL, "no metric '%.80s'; there are %s%s", name, valid_names,
                     fxi_nearest_hint(hint, &near));
}

static fx_status read_number(size_t *k, const char *name, const char *digits)
{
    size_t n = 0;
    const char *p = digits;

    for (; *p >= '0' && *p <= '9'; p++)
        if (!fxi_size_mul(&n, n, 10) || !fxi_size_add(&n, n, (size_t)(*p - '0')))
            break;
    if (*p || !n)
        return fxi_error(FX_EINVAL, "metric '%.80s': a whole number from 1 must follow @",
                         name);
    *k = n;
    return FX_OK;
}

fx_status fxi_metric_parse(fxi_metric *out, const char *name)
{
    size_t i = 0, k = SIZE_MAX;

    if (!name)
        return fxi_error(FX_EINVAL, "no metric is named");
    while (i < METRICS
           && (stem(table[i].name) != stem(name) || memcmp(table[i].name, name, stem(name)) != 0))
        i++;
    if (i == METRICS)
        return unknown(name);
    fx_status st = strchr(name, '@') ? read_number(&k, name, name + stem(name)) : FX_OK;
    if (!st)
        *out = (fxi_metric){&table[i], k};
    return st;
}

const char *fx_metric_name(size_t i) { return i < METRICS ? table[i].name : NULL; }

fx_status fx_metric_describe(fx_description *out, const char *name)
{
    static const fx_key none[] = {{0}};
    fxi_metric m;

    if (!out)
        return fxi_error(FX_EINVAL, "fx_metric_describe: out is NULL");
    fx_status st = fxi_sized_check(out, "fx_description");
    if (st || (st = fxi_metric_parse(&m, name)))
        return st;
    fx_description d = fxi_spec_describe(m.type->name, m.type->help, none);
    d.tasks = m.type->tasks;
    d.probabilities = m.type->probabilities;
    d.two_classes = m.type->two;
    d.falls = m.type->falls;
    fxi_spec_give(out, d);
    return FX_OK;
}

/* ---- Use ---------------------------------------------------------------------------------- */

fx_status fxi_metric_check(const fxi_metric *m, int task, size_t classes, bool probabilities)
{
    const fxi_metric_type *t = m->type;
    char valid_names[256] = "", number[24] = "";

    if (!(t->tasks & task)) {
        if (m->k != SIZE_MAX)
            snprintf(number, sizeof number, "%zu", m->k);
        for (size_t i = 0; i < METRICS; i++)
            if (table[i].tasks & task)
                fxi_spec_list(valid_names, sizeof valid_names, table[i].name);
        return fxi_error(FX_EINVAL, "metric %.*s%s does not go with task=%s, whose metrics are %s",
                         (int)stem(t->name), t->name, number,
                         task == FX_TASK_CLASSIFY  ? "classify"
                         : task == FX_TASK_REGRESS ? "regress"
                                                   : "rank",
                         valid_names);
    }
    if (t->two && classes > 2)
        return fxi_error(FX_EINVAL,
                         "metric %s is for two classes, and there are %zu; use %s-macro or "
                         "%s-micro",
                         t->name, classes, t->name, t->name);
    if (t->probabilities && !probabilities)
        return fxi_error(FX_EINVAL, "metric %s needs probabilities, which this model does not give",
                         t->name);
    return FX_OK;
}

fx_status fxi_metric_of(double *out, const fxi_metric *m, const fxi_metric_rows *r,
                        const fx_run *run)
{
    return m->type->of(out, r, m->k, run);
}
