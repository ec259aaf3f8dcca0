/* SPDX-License-Identifier: BSD-3-Clause
 * compare_rows.c - the rows of a comparison: read, drawn by seed where there are many, and dealt to
 * the parts to train, choose and test on. */

#include "compare.h"

static int draw_rows(loaded *l, size_t max_rows, bool regress)
{
    size_t all = l->table.rows;
    fx_data *sample = NULL;
    int status = rows_draw(&sample, &l->table, max_rows, regress, cli.seed);

    if (status)
        return status;
    rows_replace(l, sample);
    say_note("%zu of %zu rows are used, sampled with seed %llu; --rows takes more", l->table.rows,
             all, (unsigned long long)cli.seed);
    return 0;
}

static int choose_metric(comparison *c)
{
    if (!c->metric) {
        c->metric = c->regress ? "rmse" : "accuracy";
        return 0;
    }
    fx_description d = spec_line(fx_metric_describe, c->metric);
    if (!(d.tasks & (c->regress ? FX_TASK_REGRESS : FX_TASK_CLASSIFY)))
        return say_error("compare: there is no %s for %s", c->metric,
                         c->regress ? "numbers" : "classes");
    if (d.probabilities)
        return say_error("compare: %s needs probabilities, which not all methods give", c->metric);
    return 0;
}

static int read_rows(comparison *c, const char *data)
{
    int status = load_as(&c->X, data, &(load_options){.base = -1, .filled = true});

    if (status)
        return status;
    load_say(&c->X);
    if ((status = load_say_twice(&c->X)) || (status = task_decide(&c->regress, &c->X)))
        return status;
    if (c->test_path) {
        const load_options like = {.base = c->X.table.base, .filled = true, .reader = c->X.spec,
                                   .name = c->X.table.name, .names = c->X.table.cols};
        if ((status = load_as(&c->test, c->test_path, &like)))
            return status;
        load_say(&c->test);
        if (!c->test.table.label)
            return say_error("%s has no labels", c->test.name);
    }
    size_t all = c->X.table.rows;
    if ((status = all > c->max_rows ? draw_rows(&c->X, (size_t)c->max_rows, c->regress)
                                    : rows_join(&c->X)))
        return status;
    if (c->X.table.weight)
        say_note("weights are ignored: all rows count alike in a comparison");
    c->X.table.weight = c->test.table.weight = NULL;
    c->X.table.qid = c->test.table.qid = NULL;
    c->rows = c->X.table.rows;
    c->cols = c->X.table.cols;
    if ((status = choose_metric(c)) || (status = rows_scaling(&c->scale, &c->X.table)))
        return status;
    return c->test_path && !c->regress ? label_classes_known(
               &c->test, &c->X, all > c->rows ? "a larger --rows takes more classes" : NULL)
                                       : 0;
}

int compare_split(parts *p, const comparison *c, uint64_t seed)
{
    int status = parts_split(p, &c->X.table, 0.2, c->test_path ? 0 : 0.2, c->regress, seed);

    if (c->test_path)
        p->test = c->test.table;
    if (!status && (p->valid.rows == 0 || p->test.rows == 0))
        status = say_error("%s: %zu rows are too few to train, choose and test on", c->X.name,
                           c->rows);
    return status;
}

static int count_parts(comparison *c)
{
    parts p = {0};
    int status = compare_split(&p, c, cli.seed);

    c->train = p.train.rows;
    c->valid = p.valid.rows;
    c->tested = p.test.rows;
    parts_free(&p);
    return status;
}

int compare_rows(comparison *c, const char *data)
{
    int status = read_rows(c, data);

    return status ? status : count_parts(c);
}
