/* SPDX-License-Identifier: BSD-3-Clause
 * advice_command.c - the command that trains one of the methods on all rows, to be copied into a
 * shell: with the median of the C chosen, and the options by which the rows were read here. */

#include "advice.h"

#include <stdlib.h>
#include <string.h>

#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./%@"

/* Quotes words as bash and zsh read them, without control characters for the terminal. */
static void put_odd_word(FILE *f, const char *word)
{
    const char *end = word + strlen(word);

    fputs(" $'", f);
    while (word < end) {
        size_t n = safe_length(word, end);
        if (n == 0)
            fprintf(f, "\\x%02x", (unsigned)(unsigned char)*word);
        else
            fprintf(f, "%s%.*s", *word == '\'' || *word == '\\' ? "\\" : "", (int)n, word);
        word += n ? n : 1;
    }
    fputc('\'', f);
}

static bool is_safe(const char *word)
{
    const char *end = word + strlen(word);

    for (size_t n; word < end; word += n)
        if (!(n = safe_length(word, end)))
            return false;
    return true;
}

static void put_word(FILE *f, const char *word)
{
    if (!is_safe(word)) {
        put_odd_word(f, word);
        return;
    }
    if (*word && !word[strspn(word, PLAIN)]) {
        fprintf(f, " %s", word);
        return;
    }
    fputs(" '", f);
    for (; *word; word++)
        fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, f);
    fputc('\'', f);
}

static void put_option(FILE *f, const char *name, const char *value)
{
    if (value) {
        put_word(f, name);
        put_word(f, value);
    }
}

/* Only options that differ from their defaults. */
static void put_reading(FILE *f)
{
    for (const opt *o = reading_options.opts; o->name; o++) {
        char name[64], count[24];
        const char *text = o->kind == OPT_TEXT || o->kind == OPT_CHOICE ? *(const char **)o->to
                                                                         : NULL;
        snprintf(name, sizeof name, "--%s", o->name);
        if (o->kind == OPT_FLAG && *(bool *)o->to)
            put_word(f, name);
        else if (text && !(o->fallback && !strcmp(text, o->fallback)))
            put_option(f, name, text);
        else if (o->kind == OPT_COUNT && *(uint64_t *)o->to) {
            snprintf(count, sizeof count, "%llu", (unsigned long long)*(uint64_t *)o->to);
            put_option(f, name, count);
        }
    }
}

/* The median.  For an even number it is the one of the two middle values with the stronger penalty:
 * the smaller C, the larger beta. */
static double median_cost(const method *m, size_t seeds)
{
    double C[COMPARE_SEEDS];

    for (size_t k = 0; k < seeds; k++)
        C[k] = m->trial[k].C;
    qsort(C, seeds, sizeof *C, ascending_doubles);
    return C[model_penalty_grows(m->model) ? seeds / 2 : (seeds - 1) / 2];
}

/* The model without keys that only shorten the comparison: the final fit is a full one. */
static void put_model(FILE *f, const char *spec)
{
    char out[FITTING_SPEC];

    snprintf(out, sizeof out, "%s", spec);
    spec_set(out, sizeof out, "tol", NULL);
    spec_set(out, sizeof out, "max-iter", NULL);
    put_option(f, "--model", out);
}

int advice_command(FILE *f, const comparison *c, const method *m, size_t seeds)
{
    char spec[FITTING_SPEC], number[32];
    double C = median_cost(m, seeds);
    bool in_model = model_penalty_grows(m->model);      /* the penalty is a key there, not -C */
    int status = in_model ? factor_times(spec, m->model, C) : 0;

    if (status)
        return status;
    fputs("featcross train", f);
    put_word(f, c->X.name);
    put_word(f, "-o");
    put_word(f, "model.fx");
    put_model(f, in_model ? spec : m->model);
    if (!in_model)
        put_option(f, "-C", say_number(number, C));
    put_option(f, "--kernel", m->kernel);
    put_option(f, "--map", m->map);
    if (m->map && m->features && !spec_line(fx_map_describe, m->map).exact) {
        snprintf(number, sizeof number, "%zu", m->features);
        put_option(f, "-D", number);
    }
    if (model_combines(m->model) || (m->scale && strcmp(m->scale, "none") != 0))
        put_option(f, "--scale", m->scale ? m->scale : "none");
    put_reading(f);
    return 0;
}
