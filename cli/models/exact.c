/* SPDX-License-Identifier: BSD-3-Clause
 * exact.c - kernel machines in the program: options that they do not take, what a fit will cost.
 *
 * For every kernel machine there is a linear model that does the same work on random features
 * (on_map).  If a fit is impossible or would take long, the program prints that command. */

#include "models.h"

#include <string.h>

enum { MANY = 10000, LONG = 10 };       /* rows, seconds: a fit that is announced */
#define CACHE (256.0 * 1024 * 1024)     /* what the library takes if nothing is said */

/* The linear model that does the same on random features, with the keys that have the same meaning
 * there: kernel-svm:C=10,collapse=no becomes svm:C=10. */
static const char *mapped_model(char buf[FITTING_SPEC])
{
    fx_description exact = fitting_about(), mapped = model_about(exact.on_map);
    const char *keys = fitting_given() + spec_get(fitting_given(), "").n;

    snprintf(buf, FITTING_SPEC, "%s%s", exact.on_map, keys);
    for (size_t i = 0; i < exact.keys; i++) {
        const fx_key *same = spec_key(&mapped, exact.key[i].name);
        if (!same || strcmp(same->help, exact.key[i].help) != 0)
            spec_set(buf, FITTING_SPEC, exact.key[i].name, NULL);
    }
    return buf;
}

/* True if a word needs no quotes in a shell. */
static const char *quoted(char buf[1024], const char *word)
{
    snprintf(buf, 1024, strpbrk(word, "()'\"$&;|<>*? ") ? "'%.1000s'" : "%.1000s", word);
    return buf;
}

/* ---- Options ------------------------------------------------------------------------------ */
int exact_check(const char **kernel, const char *features)
{
    const char *spec = fitting_given() ? fitting_given() : DEFAULT_CLASSES;
    fx_description d = model_about(spec);
    char model[FITTING_SPEC], word[1024];

    if (fit.cache && model_takes(spec, "cache"))
        return EXIT_USAGE;
    if (kernel_precomputed(*kernel) && d.kernel != FX_MUST)
        return say_error(
            "--kernel precomputed is for kernel machines, such as --model " ADVISED_EXACT);
    if (d.kernel != FX_MUST)
        return 0;
    if (fit.map || features)
        return say_error(
            "%s %.50s: %s is exact and has no map; on random features it is --model %s --map "
            "%s --kernel %s",
            fit.map ? "--map" : "-D", fit.map ? fit.map : features, d.name, mapped_model(model),
            fit.map ? fit.map : "auto", quoted(word, *kernel ? *kernel : DEFAULT_KERNEL));
    if (*kernel && !strcmp(*kernel, "auto"))
        return say_error("--kernel auto chooses a map, and %s uses none; name a kernel, or choose "
                         "a linear model", d.name);
    if (!*kernel) {
        *kernel = DEFAULT_KERNEL;
        say_note("kernel: %s, since none is given", *kernel);
    }
    if (kernel_precomputed(*kernel) && fit.scale && strcmp(fit.scale, "none") != 0)
        return say_error("--scale %s: values of a precomputed kernel are taken as they are",
                         fit.scale);
    return 0;
}

/* ---- What it will cost -------------------------------------------------------------------- */
static const char *duration(char buf[32], double seconds)
{
    if (seconds < 1)
        snprintf(buf, 32, "less than a second");
    else if (seconds < 100)
        snprintf(buf, 32, "about %.0f s", seconds);
    else if (seconds < 100 * 60)
        snprintf(buf, 32, "about %.0f min", seconds / 60);
    else if (seconds < 48 * 3600)
        snprintf(buf, 32, "about %.0f h", seconds / 3600);
    else
        snprintf(buf, 32, "about %.0f days", seconds / 86400);
    return buf;
}

/* "--model svm --map rk --kernel anova:order=2 -D 16x"; "": no map serves the kernel. */
static const char *other_way(char buf[2048], const kernel_choice *k, size_t cols)
{
    const char *map = fitting_served(k, cols);
    char model[FITTING_SPEC], word[1024];

    buf[0] = '\0';
    if (map)
        snprintf(buf, 2048, "--model %s --map %s --kernel %s -D 16x", mapped_model(model), map,
                 quoted(word, k->spec));
    return buf;
}

/* If --cache is smaller than what a fit needs at least, nothing is cached, but the fit
 * continues. */
static int check_cache(const training *t)
{
    fx_plan plan = t->plan;
    fx_estimate estimate = FX_INIT(fx_estimate);
    char given[32], taken[32];

    if (!fit.cache)
        return 0;
    plan.cache = 1;
    fx_status s = fx_model_estimate(&estimate, &plan, &t->X.table, &cli.run);
    if (s)
        return say_failure(s);
    if (estimate.bytes > fit.cache)
        say_note("--cache %s: a fit of %zu rows takes %s at least",
                 say_bytes(given, (double)fit.cache), t->X.table.rows,
                 say_bytes(taken, (double)estimate.bytes));
    return 0;
}

uint64_t exact_cache(void)
{
    return fit.cache || !fitting_about().cached || (double)cli.max_memory >= 2 * CACHE
               ? fit.cache
               : cli.max_memory / 2;
}

/* What follows "kernel-svm on 20000 rows: ".  Several fits reuse each other's work, and their times
 * depend on C, so no total is printed. */
static void say_cost(const fx_estimate *e, size_t rows, size_t fits, const char *other)
{
    char time[32], size[32], count[48] = "";

    if (fits > 1)
        snprintf(count, sizeof count, "%zu fits, each ", fits);
    say_note("%s on %zu rows: %s%s, %s", fitting_about().name, rows, count,
             duration(time, e->seconds), say_bytes(size, (double)e->bytes));
    if (*other)
        say_note("with random features, more exact as -D grows: %s", other);
}

/* " of 300 classes (44850 pairs)": why it may need so much; "" of others. */
static const char *of_pairs(char buf[64], const training *t)
{
    size_t n = fitting_about().pairs ? label_classes_count(&t->X.table) : 0;

    buf[0] = '\0';
    if (n > 2)
        snprintf(buf, 64, " of %zu classes (%zu pairs)", n, n * (n - 1) / 2);
    return buf;
}

int exact_announce(const training *t, const kernel_choice *k, size_t fits)
{
    fx_estimate e = FX_INIT(fx_estimate);
    size_t rows = t->X.table.rows;
    char other[2048], pairs[64];

    if (fitting_about().kernel != FX_MUST)
        return 0;
    fx_status s = fx_model_estimate(&e, &t->plan, &t->X.table, &cli.run);
    if (s)
        return say_failure(s);
    other_way(other, k, t->X.table.cols);
    if ((double)e.bytes > (double)cli.max_memory) {
        int status = say_limit((double)e.bytes,
                               "%s on %zu rows%s needs %llu bytes:", fitting_about().name, rows,
                               of_pairs(pairs, t), (unsigned long long)e.bytes);
        if (*other)
            say_hint("%s takes less, and is more exact as -D grows", other);
        return status;
    }
    if (rows >= MANY || e.seconds * (double)fits > LONG)
        say_cost(&e, rows, fits, other);
    return check_cache(t);
}
