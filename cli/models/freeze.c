/* SPDX-License-Identifier: BSD-3-Clause
 * freeze.c - train --init MODEL --freeze: rows are read as those of the model were, what is new in
 * them is learnt, and everything else stays.
 *
 * The model says how it is fitted, so every option that would is refused. */

#include "models.h"
#include "team/team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Options that a frozen fit takes, of those that only training has. */
static bool allowed(const opt *o)
{
    static const char *const names[] = {"init",    "freeze", "output", "eval-set", "metric",
                                        "weights", "links",  "nodes",  "nodes-b",  "negatives",
                                        "class-weight"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(o->name, names[i]))
            return true;
    return false;
}

int freeze_check(const opt_group *const *groups)
{
    for (; *groups && *groups != &reading_options; groups++)
        for (const opt *o = (*groups)->opts; o->name; o++)
            if (!allowed(o) && opt_given(o))
                return say_error("train: --freeze leaves all but new columns as it is in the "
                                 "model; remove --%s", o->name);
    if (team_ranks() > 1)
        return say_error("train: --freeze takes rows in the memory of one process; run it without "
                         "mpirun");
    return 0;
}

/* ---- Weights of classes ------------------------------------------------------------------- */
/* The class that is called text[n]; c->classes: none. */
static size_t class_of(const fx_model_info *c, const char *text, size_t n)
{
    size_t k = 0;

    while (k < c->classes && (strncmp(c->class_name[k], text, n) || c->class_name[k][n]))
        k++;
    return k;
}

/* CLASS=W,.. : multiplies weight[classes]. */
static int parse_weights(double *weight, const fx_model_info *c)
{
    for (const char *p = fit.class_weight, *end; *p; p = end + (*end == ',')) {
        char *stop = NULL;
        end = p + strcspn(p, ",");
        const char *equals = memchr(p, '=', (size_t)(end - p));
        const size_t k = equals ? class_of(c, p, (size_t)(equals - p)) : c->classes;
        if (k == c->classes)
            return say_error("--class-weight %s: with --freeze it is CLASS=W,.. for classes of the "
                             "model", fit.class_weight);
        weight[k] = strtod(equals + 1, &stop);
        if (stop != end || stop == equals + 1 || !(weight[k] >= 0) || !isfinite(weight[k]))
            return say_error("--class-weight %s: %.*s is no weight", fit.class_weight,
                             (int)(end - equals - 1), equals + 1);
    }
    return 0;
}

/* Weights of rows, as a training with these weights of classes has them. */
static int weigh_classes(training *t, const fx_model_info *c)
{
    fx_table *x = &t->X.table;
    char buf[32];

    if (!fit.class_weight)
        return 0;
    double *weight = malloc((c->classes + 1) * sizeof *weight);
    double *all = malloc((x->rows + 1) * sizeof *all);
    int status = weight && all ? 0 : say_no_memory("class weights");
    for (size_t k = 0; k < c->classes && !status; k++)
        weight[k] = 1;
    if (!status && !(status = parse_weights(weight, c)))
        for (size_t i = 0; i < x->rows && x->label; i++) {
            const char *name = x->classes ? x->class_name[(size_t)x->label[i]] : buf;
            if (!x->classes)
                fx_data_number(buf, x->label[i] + 0.0);
            const size_t k = class_of(c, name, strlen(name));
            all[i] = (x->weight ? x->weight[i] : 1) * (k < c->classes ? weight[k] : 1);
        }
    free(weight);
    if (status) {
        free(all);
        return status;
    }
    free(t->weight);
    x->weight = t->weight = all;
    return 0;
}

int freeze_read(training *t, const char *data, const fx_model *init)
{
    const fx_model_info *c = fx_model_inspect(init);
    const load_options how = {.kept = *c->missing != '\0', .grows = true, .more = t->more,
                              .mores = t->mores};
    int status = link_rows_given() ? side_rows_links(&t->X, c, "all", how)
                                   : model_file_rows(&t->X, data, c, how);

    if (status || (status = training_weights(t)) || (status = weigh_classes(t, c)))
        return status;
    load_say(&t->X);
    t->regress = !c->classes;
    t->metric = t->regress ? "rmse" : "accuracy";
    return 0;
}

int freeze_fit(training *t, const fx_model *init)
{
    double start = say_clock();

    progress_begin("fit", "", 1);
    fx_status s = fx_model_fold_in(&t->model, init, &t->X.table, &cli.run);
    progress_end();
    t->seconds = say_clock() - start;
    if (s < 0)
        return load_failed(&t->X, s);
    if (s > 0)
        say_remark();
    return 0;
}
