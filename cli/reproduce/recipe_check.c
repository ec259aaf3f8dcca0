/* SPDX-License-Identifier: BSD-3-Clause
 * recipe_check.c - a recipe as a whole: is all there, do names and numbers mean something? */

#include "recipe_parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool recipe_check_seeds(uint64_t *out, const char *text)
{
    return opt_count(out, text) && *out > 0 && *out <= RECIPE_SEEDS;
}

static bool column_known(const recipe *r, const char *name)
{
    return recipe_column(r, name) < r->columns || recipe_measured(r, name) < RECIPE_VALUES
           || !strcmp(name, "seed") || !strcmp(name, "point");
}

static const char *any_field(const recipe *r, size_t cell)
{
    for (size_t i = 0; i < r->columns; i++)
        if (r->field[cell * r->columns + i])
            return r->field[cell * r->columns + i];
    return NULL;
}

int recipe_check(const recipe *r)
{
    double x;
    uint64_t n;
    int status = 0;

    if (!r->title || !r->paper || !r->measure || !r->cells)
        return recipe_error(r, NULL, "`%s` is missing",
                            !r->title     ? "title"
                            : !r->paper   ? "paper"
                            : !r->measure ? "measure"
                                          : "cases");
    for (size_t i = 0; i < 2 * r->plots; i++) {
        const char *name = i % 2 ? r->plot[i / 2].y : r->plot[i / 2].x;
        if (!column_known(r, name))
            return recipe_error(r, name, "there is no column '%s' to plot", name);
    }
    for (size_t i = 0; i < r->tables; i++)
        if (!column_known(r, r->table[i]))
            return recipe_error(r, r->table[i], "there is no column '%s'", r->table[i]);
    for (size_t i = 0; i < r->columns; i++)
        for (size_t k = 0; k < r->cells && !status; k++)
            if (!strncmp(r->column[i], "paper_", 6))
                status = recipe_number(&x, r, k, r->column[i], 1);
    for (size_t k = 0; k < r->cells && !status; k++) {
        const char *seeds = recipe_field(r, k, "seeds");
        if (!recipe_field(r, k, "data"))
            status = recipe_error(r, any_field(r, k), "a case without data");
        else if (seeds && !recipe_check_seeds(&n, seeds))
            status = recipe_error(r, seeds, "'%s' is not a number of seeds", seeds);
    }
    if (status || (status = claims_parse(r)))
        return status;
    return r->measure->check ? r->measure->check(r) : 0;
}
