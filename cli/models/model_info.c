/* SPDX-License-Identifier: BSD-3-Clause
 * model_info.c - featcross info on a model file. */

#include "models.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { LISTED = 20 };                   /* classes and columns that are named */
#define DEAD 1e-6                       /* a norm of factors: they play no part any more */

/* Of the weights, and of columns that training saw. */
static size_t nonzero(const fx_model_info *c)
{
    size_t n = 0;

    for (size_t i = 0; i < c->features * c->outputs; i++)
        n += c->weights[i] != 0;
    return n;
}

static size_t seen(const fx_model_info *c)
{
    size_t n = 0;

    for (size_t j = 0; j < c->cols; j++)
        n += (!c->seen || c->seen[j]) && !(c->later && c->later[j]);
    return n;
}

size_t model_info_later(const fx_model_info *c)
{
    size_t n = 0;

    for (size_t j = 0; c->later && j < c->cols; j++)
        n += c->later[j];
    return n;
}

void model_info_print_later(FILE *f, const fx_model_info *c)
{
    size_t n = model_info_later(c), listed = 0;

    if (!n)
        return;
    safe_print(f, "later        %zu column%s learnt after the training:", n, n == 1 ? "" : "s");
    for (size_t j = 0; j < c->cols && listed < LISTED; j++) {
        if (!c->later[j])
            continue;
        if (c->name)
            safe_print(f, " %s", c->name[j]);
        else
            safe_print(f, " %zu", j + (size_t)c->base);
        listed++;
    }
    fputs(n > LISTED ? " ..\n" : "\n", f);
}

/* ---- What train says of a model, too ------------------------------------------------------- */
bool model_info_collapsed(const fx_model_info *c) { return c->support_vectors && *c->map; }

/* Of all outputs together. */
static double norm_of(const fx_model_info *c, const fx_factors *b)
{
    double sum = 0;

    for (size_t i = 0; i < c->outputs; i++)
        sum += b->norm[i] * b->norm[i];
    return sqrt(sum);
}

static const char *order_name(char buf[32], int order)
{
    if (order)
        snprintf(buf, 32, "order %d", order);
    else
        snprintf(buf, 32, "all subsets");
    return buf;
}

static void print_factors(FILE *f, const fx_model_info *c)
{
    char name[32];

    for (size_t g = 0; g < c->orders; g++) {
        const fx_factors *b = &c->factors[g];
        safe_print(f, "%s%s: %zu components, norm %.6g", g ? "             " : "factors      ",
                   order_name(name, b->order), b->rank, norm_of(c, b));
        for (int t = 0; b->theta && t < b->order; t++)
            safe_print(f, "%s%.4g", t ? ", " : "; shares of orders 1, 2, ..: ", b->theta[t]);
        fputc('\n', f);
    }
    if (c->orders && c->low <= c->high)
        safe_print(f, "clipped      to %.10g .. %.10g, the targets of the training\n", c->low,
                   c->high);
}

void model_info_print_kernel(FILE *f, const fx_model_info *c)
{
    bool exact = c->support_vectors || !*c->map;

    if (c->orders) {
        if (*c->kernel)
            safe_print(f, "combinations %s\n", c->kernel);
        print_factors(f, c);
        return;
    }
    if (*c->kernel)
        safe_print(f, "kernel       %s%s\n", c->kernel, exact ? ", exact" : "");
    if (!exact)
        safe_print(f, "map          %s, %zu features, seed %llu\n", c->map, c->features,
                   (unsigned long long)c->seed);
    if (model_info_collapsed(c))
        safe_print(f, "vectors      %zu of %zu rows, collapsed into weights of %zu combinations\n",
                   c->support_vectors, c->rows, c->features);
    else if (c->support_vectors)
        safe_print(f, "vectors      %zu of %zu rows\n", c->support_vectors, c->rows);
}

json_t *model_info_norms(const fx_model_info *c)
{
    json_t *list = json_array();

    for (size_t g = 0; g < c->orders; g++)
        list = say_append(list, json_pack("{s:i, s:I, s:o}", "order", c->factors[g].order, "rank",
                                          (json_int_t)c->factors[g].rank, "norm",
                                          model_info_number(norm_of(c, &c->factors[g]))));
    return list;
}

/* If the penalty outweighs what the factors explain, their only optimum is 0.  For products of
 * small numbers even the gradient is 0 there. */
void model_info_warn_collapsed(const fx_model *m)
{
    const fx_model_info *c = fx_model_inspect(m);
    char name[32], of[160];

    for (size_t g = 0; g < c->orders; g++)
        for (size_t i = 0; i < c->outputs; i++) {
            if (c->factors[g].norm[i] >= DEAD)
                continue;
            of[0] = '\0';
            if (c->outputs > 1 && c->outputs == c->classes)
                snprintf(of, sizeof of, " for class %.100s", c->class_name[i]);
            say_warning("%s has collapsed to zero%s: lower its --beta, or let tune choose one",
                        order_name(name, c->factors[g].order), of);
        }
}

/* The gap of a fit to a kernel that is not positive semidefinite is DBL_MAX: not known. */
bool model_info_known(double x) { return isfinite(x) && fabs(x) < DBL_MAX; }
json_t *model_info_number(double x) { return model_info_known(x) ? json_real(x) : json_null(); }

void model_info_print_fit(FILE *f, const char *start, const fx_model_info *c)
{
    safe_print(f, "%s%.10g, ", start, c->objective);
    if (model_info_known(c->gap) && !c->orders)
        safe_print(f, "%sgap %.2g, ", c->outputs > 1 ? "largest " : "", c->gap);
    else if (!c->orders)
        fputs("gap not known, ", f);
    safe_print(f, "%llu iterations, %s\n", (unsigned long long)c->iterations,
               c->converged ? "converged" : "not converged");
}

/* Percentages are of the variance in all directions; rows that are all the same have none. */
void model_info_print_variance(FILE *f, const fx_model_info *c)
{
    double explained = 0, percent = c->total_variance > 0 ? 100 / c->total_variance : 0;

    for (size_t i = 0; i < c->outputs; i++)
        explained += c->variance[i];
    safe_print(f, "components   %zu, variance %.6g of %.6g (%.1f %%):", c->outputs, explained,
               c->total_variance, percent * explained);
    for (size_t i = 0; i < c->outputs && i < LISTED; i++)
        safe_print(f, " %.4g (%.1f %%)", c->variance[i], percent * c->variance[i]);
    fputs(c->outputs > LISTED ? " ..\n" : "\n", f);
}

json_t *model_info_variance(const fx_model_info *c)
{
    json_t *list = c->variance ? json_array() : json_null();

    for (size_t i = 0; c->variance && i < c->outputs; i++)
        list = say_append(list, json_real(c->variance[i]));
    return list;
}

/* ---- The whole ----------------------------------------------------------------------------- */

static int print(const char *path, const fx_model_info *c, size_t bytes)
{
    char size[32], by[32];

    safe_print(stdout, "file         %s\n", path);
    safe_print(stdout, "format       model, written by featcross %s, %s\n",
               machine_version(by, c->version), say_bytes(size, (double)bytes));
    safe_print(stdout, "model        %s\n", c->spec);
    if (*c->scale)
        safe_print(stdout, "scaling      %s\n", c->scale);
    model_info_print_kernel(stdout, c);
    safe_print(stdout, "columns      %zu, numbered from %d, %zu seen in training, %s\n", c->cols,
               c->base, seen(c), c->name ? "with names" : "without names");
    model_info_print_later(stdout, c);
    if (*c->missing)
        safe_print(stdout, "missing      %s, %zu of the columns tell where\n", c->missing,
                   c->cols - c->inputs);
    if (*c->reader)
        safe_print(stdout, "reader       %s\n", c->reader);
    if (c->classes) {
        safe_print(stdout, "classes      %zu:", c->classes);
        for (size_t i = 0; i < c->classes && i < LISTED; i++)
            safe_print(stdout, " %s", c->class_name[i]);
        safe_print(stdout, c->classes > LISTED ? " ..\n" : "\n");
    } else
        safe_print(stdout, "classes      none: a model of %s\n",
                   c->variance                             ? "components"
                   : spec_says(c->spec, "task", "rank") ? "rankings"
                                                        : "numbers");
    safe_print(stdout, "outputs      %zu%s, %zu of %zu weights not 0, %s\n", c->outputs,
               c->pairs ? ", one a pair of classes" : "", nonzero(c), c->features * c->outputs,
               !c->sigmoid ? "no probabilities"
               : spec_says(c->spec, "calibrate", "yes")
                   ? "probabilities by a sigmoid fitted on folds"
                   : "probabilities");
    if (c->variance)
        model_info_print_variance(stdout, c);
    safe_print(stdout, c->variance ? "training     %zu rows\n" : "training     %zu rows, ",
               c->rows);
    if (!c->variance)
        model_info_print_fit(stdout, "objective ", c);
    if (*c->remark)
        safe_print(stdout, "remark       %s\n", c->remark);
    return say_flush();
}

json_t *model_info_text(const char *s) { return *s ? say_text(s) : json_null(); }

static int print_json(const char *path, const fx_model_info *c, size_t bytes)
{
    char by[32];

    return say_json(json_pack(
        "{s:o, s:s, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:i, s:I, s:I, s:b, s:I, "
        "s:o, s:I, s:b, s:o, s:b, s:b, s:o, s:o, s:o, s:o, s:{s:I, s:o, s:o, s:I, s:b}, s:o}",
        "file", say_text(path), "format", "model", "version", machine_version(by, c->version),
        "bytes", (json_int_t)bytes, "model", say_text(c->spec), "scale", model_info_text(c->scale),
        "kernel", model_info_text(c->kernel), "map", model_info_text(c->map), "reader",
        model_info_text(c->reader), "seed", (json_int_t)c->seed, "D",
        (json_int_t)(c->support_vectors && !*c->map ? 0 : c->features), "columns",
        (json_int_t)c->cols, "base", c->base, "seen_columns", (json_int_t)seen(c), "later_columns",
        (json_int_t)model_info_later(c), "names",
        c->name != NULL, "outputs", (json_int_t)c->outputs, "classes", model_file_classes(c),
        "nonzero_weights", (json_int_t)nonzero(c), "probabilities", c->sigmoid != NULL, "support",
        c->support_vectors ? json_integer((json_int_t)c->support_vectors) : json_null(),
        "collapsed", model_info_collapsed(c), "pairs", c->pairs, "variance", model_info_variance(c),
        "total_variance", c->variance ? model_info_number(c->total_variance) : json_null(), "norms",
        model_info_norms(c), "missing", model_info_text(c->missing), "training", "rows",
        (json_int_t)c->rows, "objective",
        model_info_number(c->objective), "gap", model_info_number(c->orders ? NAN : c->gap),
        "iterations", (json_int_t)c->iterations, "converged", c->converged, "remark",
        model_info_text(c->remark)));
}

int model_info(const char *path)
{
    fx_model *m = NULL;
    size_t bytes;
    int status = model_file_load(&m, &bytes, path);

    if (status)
        return status;
    const fx_model_info *c = fx_model_inspect(m);
    status = cli.json ? print_json(path, c, bytes) : print(path, c, bytes);
    fx_model_free(m);
    return status;
}
