/* SPDX-License-Identifier: BSD-3-Clause
 * compare_rows.c - the rows of a comparison: read, drawn by seed where there are many, and dealt to
 * the parts to train, choose and test on. */

#include "compare.h"

/* All rows, or as many as are to be looked at. */
static int take_rows(comparison *c, draw *s, const char *data, const load_options *like)
{
    load_options how = *like;

    how.again = true;
    if (s->found.late_base)
        how.base = load_base(&s->found);
    size_t rows = s->sample.rows;
    if (rows <= c->max_rows) {
        int status = load_as(&c->X, data, &how);
        return status ? status : rows_join(&c->X);
    }
    int status = compare_sample(&c->X, s, data, like, (size_t)c->max_rows, c->regress);
    if (!status)
        say_note("%zu of %zu rows are used, sampled with seed %llu; --rows takes more",
                 c->X.table.rows, rows, (unsigned long long)cli.seed);
    return status;
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

static int read_test(comparison *c, const loaded *train)
{
    const load_options like = {.base = load_base(train), .filled = true, .reader = train->spec,
                               .name = train->table.name, .names = train->table.cols};
    int status = load_as(&c->test, c->test_path, &like);

    if (status)
        return status;
    load_say(&c->test);
    return c->test.table.label ? 0 : say_error("%s has no labels", c->test.name);
}

static int read_both(comparison *c, draw *s, const char *data)
{
    const load_options like = {.base = -1, .filled = true};
    int status = compare_count(s, data, &like);

    if (status || (status = load_say_twice(&s->found))
        || (status = task_decide_by(&c->regress, &s->found, &s->labels, &s->sample.labels)))
        return status;
    if ((status = take_rows(c, s, data, &like)))
        return status;
    return c->test_path ? read_test(c, &c->X) : 0;
}

static int read_rows(comparison *c, const char *data)
{
    draw s = {0};
    int status = read_both(c, &s, data);
    size_t all = s.found.table.rows;
    bool weighted = s.found.so_far.weighted;

    compare_sample_free(&s);
    if (status)
        return status;
    if (weighted)
        say_note("weights are ignored: all rows count alike in a comparison");
    c->X.table.weight = c->test.table.weight = NULL;
    c->X.table.qid = c->test.table.qid = NULL;
    c->rows = c->X.table.rows;
    c->cols = c->X.table.cols;
    if ((status = choose_metric(c)) || (status = rows_scaling(&c->scale, &c->X, NULL)))
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
