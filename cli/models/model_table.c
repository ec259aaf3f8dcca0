/* SPDX-License-Identifier: BSD-3-Clause
 * model_table.c - questions about models, asked of the library's table.
 *
 * An option belongs to a key of the spec or to a property of the model.  That decides which models
 * take it, so there are no lists of models here. */

#include "models.h"

#include <string.h>

fx_description model_about(const char *spec) { return spec_line(fx_model_describe, spec); }

bool model_has(const char *spec, const char *key)
{
    fx_description d = model_about(spec);

    return spec_key(&d, key);
}

bool model_penalty_grows(const char *spec)
{
    const char *path = model_about(spec).path;

    return path && strcmp(path, "C") != 0;
}

bool model_combines(const char *spec) { return model_about(spec).combines; }

const char *model_by_loss(const char *loss)
{
    fx_description d = FX_INIT(fx_description);

    for (size_t i = 0; fx_model_name(i); i++)
        if (spec_about(&d, fx_model_describe, fx_model_name(i)) && d.map && d.loss
            && !strcmp(d.loss, loss))
            return d.name;
    return NULL;
}

/* ---- Lists -------------------------------------------------------------------------------- */
static bool is_of_numbers(const fx_description *d, const char *exact)
{
    return d->tasks == FX_TASK_REGRESS && (d->kernel == FX_MUST) == (exact != NULL);
}

void model_numbers(char out[SPEC_LIST], bool exact)
{
    spec_list(out, fx_model_name, fx_model_describe, is_of_numbers, exact ? "exact" : NULL, "or");
}

/* Options that are no keys. */
static bool takes(const fx_description *d, const char *option)
{
    const struct { const char *option; bool is; } properties[] = {
        {"cache", d->cached}, {"patience", d->measured}, {"max-seconds", d->measured},
        {"groups", d->kernel == FX_MAY}, {"cross", d->kernel == FX_MAY},
        {"task rank", d->tasks & FX_TASK_RANK}};

    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
        if (!strcmp(properties[i].option, option))
            return properties[i].is;
    return spec_key(d, option);
}

int model_takes(const char *spec, const char *option)
{
    fx_description d = model_about(spec);
    char names[SPEC_LIST];

    if (!d.name || takes(&d, option))   /* a wrong name is reported where it is used */
        return 0;
    spec_list(names, fx_model_name, fx_model_describe, takes, option, "and");
    if (!strcmp(option, "clip"))
        return say_error("--clip is for %s; %s stores no range of predictions: use one of these "
                         "models, or limit the numbers that featcross predict prints", names,
                         d.name);
    return say_error("%s%s is for %s; %s does not take it", option[1] ? "--" : "-", option, names,
                     d.name);
}
