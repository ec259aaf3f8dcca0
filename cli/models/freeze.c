/* SPDX-License-Identifier: BSD-3-Clause
 * freeze.c - train --init MODEL --freeze: rows are read as those of the model were, what is new in
 * them is learnt, and everything else stays.
 *
 * The model says how it is fitted, so every option that would is refused. */

#include "models.h"
#include "team/team.h"

#include <stdlib.h>
#include <string.h>

/* Options that a frozen fit takes, of those that only training has. */
static bool allowed(const opt *o)
{
    static const char *const names[] = {"init",    "freeze", "output", "eval-set", "metric",
                                        "weights", "links",  "nodes",  "nodes-b",  "negatives"};

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

int freeze_read(training *t, const char *data, const fx_model *init)
{
    const fx_model_info *c = fx_model_inspect(init);
    const load_options how = {.kept = *c->missing != '\0', .grows = true, .more = t->more,
                              .mores = t->mores};
    int status = link_rows_given() ? side_rows_links(&t->X, c, "all", how)
                                   : model_file_rows(&t->X, data, c, how);

    if (status || (status = training_weights(t)))
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
