/* SPDX-License-Identifier: BSD-3-Clause
 * model_info.c - featcross info on a model file. */

#include "cli.h"

#include <math.h>
#include <string.h>

enum { LISTED = 20 };                   /* classes that are named */

/* Of the weights, and of columns that training saw. */
static size_t nonzero(const fx_content *c)
{
    size_t n = 0;

    for (size_t i = 0; i < c->features * c->outputs; i++)
        n += c->weights[i] != 0;
    return n;
}

static size_t seen(const fx_content *c)
{
    size_t n = 0;

    for (size_t j = 0; j < c->cols; j++)
        n += !c->seen || c->seen[j];
    return n;
}

static const char *version(char buf[32], int v)
{
    snprintf(buf, 32, "%d.%d.%d", v / 10000, v / 100 % 100, v % 100);
    return buf;
}

static int print(const char *path, const fx_content *c, size_t bytes)
{
    char size[32], by[32];

    printf("file         %s\n", path);
    printf("format       model, written by featcross %s, %s\n", version(by, c->version),
           say_bytes(size, (double)bytes));
    printf("model        %s\n", c->spec);
    if (*c->scale)
        printf("scaling      %s\n", c->scale);
    if (*c->map)
        printf("kernel       %s\nmap          %s, %zu features, seed %llu\n", c->kernel, c->map,
               c->features, (unsigned long long)c->seed);
    printf("columns      %zu, numbered from %d, %zu seen in training, %s\n", c->cols, c->base,
           seen(c), c->name ? "with names" : "without names");
    if (*c->reader)
        printf("reader       %s\n", c->reader);
    if (c->classes) {
        printf("classes      %zu:", c->classes);
        for (size_t i = 0; i < c->classes && i < LISTED; i++)
            printf(" %s", c->class_name[i]);
        puts(c->classes > LISTED ? " .." : "");
    } else
        puts("classes      none: a model of numbers");
    printf("outputs      %zu, %zu of %zu weights not 0, %s\n", c->outputs, nonzero(c),
           c->features * c->outputs,
           !c->sigmoid                         ? "no probabilities"
           : !strncmp(c->spec, "logistic", 8) ? "probabilities"
                                              : "probabilities by a sigmoid fitted on folds");
    printf("training     %zu rows, objective %.10g, gap %.2g, %llu iterations, %s\n", c->rows,
           c->objective, c->gap, (unsigned long long)c->iterations,
           c->converged ? "converged" : "not converged");
    return say_flush();
}

static json_t *text(const char *s) { return *s ? say_text(s) : json_null(); }
static json_t *number(double x) { return isfinite(x) ? json_real(x) : json_null(); }

static int print_json(const char *path, const fx_content *c, size_t bytes)
{
    char by[32];

    return say_json(json_pack(
        "{s:o, s:s, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:i, s:I, s:b, s:I, s:o, "
        "s:I, s:b, s:{s:I, s:o, s:o, s:I, s:b}}",
        "file", say_text(path), "format", "model", "version", version(by, c->version), "bytes",
        (json_int_t)bytes, "model", say_text(c->spec), "scale", text(c->scale), "kernel",
        text(c->kernel), "map", text(c->map), "reader", text(c->reader), "seed",
        (json_int_t)c->seed, "D", (json_int_t)c->features, "columns", (json_int_t)c->cols, "base",
        c->base, "seen_columns", (json_int_t)seen(c), "names", c->name != NULL, "outputs",
        (json_int_t)c->outputs, "classes", model_classes(c), "nonzero_weights",
        (json_int_t)nonzero(c), "probabilities", c->sigmoid != NULL, "training", "rows",
        (json_int_t)c->rows, "objective", number(c->objective), "gap", number(c->gap),
        "iterations", (json_int_t)c->iterations, "converged", c->converged));
}

int model_info(const char *path)
{
    fx_model *m = NULL;
    size_t bytes;
    int status = model_load(&m, &bytes, path);

    if (status)
        return status;
    fx_content c = fx_model_content(m);
    status = cli.json ? print_json(path, &c, bytes) : print(path, &c, bytes);
    fx_model_free(m);
    return status;
}
