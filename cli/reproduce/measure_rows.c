/* SPDX-License-Identifier: BSD-3-Clause
 * measure_rows.c - what measures share: the rows of a case and its map, counts, a clock.
 *
 * Rows: as many training rows as the option rows= says, drawn by seed, scaled, in one block.  They
 * are cached, so that consecutive cases that share them draw them once. */

#include "recipe.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct {
    char *of;                           /* data, scale, seed and rows= */
    fx_data *data;
} cached;

int measure_count(size_t *n, const recipe *r, const char *option, const char *otherwise)
{
    const char *text = recipe_set(r, option, otherwise);
    char *end;
    long long value = strtoll(text, &end, 10);

    if (end == text || *end || value < 0)
        return recipe_error(r, text, "%s=%s is not a count", option, text);
    *n = (size_t)value;
    return 0;
}

double measure_clock(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* n of t's rows, 0: all.  The scaling is that of all of them. */
static int draw(fx_data **out, const fx_table *t, size_t n, const char *scale, uint64_t seed)
{
    fx_data *sample = NULL;
    fx_scale *by = NULL;
    int status = rows_draw(&sample, t, n && n < t->rows ? n : t->rows, seed);

    if (status || !scale) {
        *out = sample;
        return status;
    }
    fx_table drawn = fx_data_table(sample);
    fx_status s = fx_data_scale_fit(&by, scale, t, &cli.run);
    if (!s)
        s = fx_data_scale_apply(out, by, &drawn, &cli.run);
    fx_data_scale_free(by);
    fx_data_free(sample);
    return s ? say_failure(s) : 0;
}

void measure_key(char key[MEASURE_KEY], const measure_context *l, size_t cell, const char *more)
{
    const char *data = recipe_field(l->r, cell, "data"), *scale = recipe_field(l->r, cell, "scale");

    snprintf(key, MEASURE_KEY, "%s %s %llu %s %s", data, scale ? scale : "-",
             (unsigned long long)l->seed, recipe_set(l->r, "rows", "0"), more ? more : "");
}

int measure_rows(fx_table *out, const measure_context *l, size_t cell)
{
    const char *data = recipe_field(l->r, cell, "data"), *scale = recipe_field(l->r, cell, "scale");
    char key[MEASURE_KEY];
    parts *p = NULL;
    size_t n;

    measure_key(key, l, cell, NULL);
    if (!cached.of || strcmp(cached.of, key) != 0) {
        free(cached.of);
        fx_data_free(cached.data);
        memset(&cached, 0, sizeof cached);
        int status;
        if ((status = measure_count(&n, l->r, "rows", "0"))
            || (status = datasets_get(&p, l->sets, data, l->seed))
            || (status = draw(&cached.data, &p->train, n, scale, l->seed)))
            return status;
        if (!(cached.of = strdup(key)))
            return say_no_memory("rows");
    }
    *out = fx_data_table(cached.data);
    return 0;
}

/* ---- The map ------------------------------------------------------------------------------- */
int measure_map(fx_map **out, kernel_choice *k, const fx_table *t, const measure_context *l,
                size_t cell)
{
    size_t D = 0;
    int status;

    if ((status = kernel_prepare(k, recipe_field(l->r, cell, "kernel")))
        || (status = kernel_finish(k, t))
        || (status = kernel_features(&D, recipe_field(l->r, cell, "D"), t->cols)))
        return status;
    fx_status s = fx_map_parse(out, recipe_field(l->r, cell, "map"), k->kernel, t->cols, D, l->seed,
                               t->block, &cli.run);
    return s ? say_failure(s) : 0;
}

/* Checking one D of a list is enough, because the others have the same strings. */
static bool is_new(const recipe *r, size_t cell)
{
    return cell == 0 || recipe_field(r, cell, "map") != recipe_field(r, cell - 1, "map")
           || recipe_field(r, cell, "kernel") != recipe_field(r, cell - 1, "kernel");
}

int measure_map_check(const recipe *r, size_t cell)
{
    const char *maps[] = {recipe_field(r, cell, "map"), NULL};
    const char *kernel = recipe_field(r, cell, "kernel"), *D = recipe_field(r, cell, "D");
    kernel_choice k = {0};
    size_t n;

    if (*maps && (!kernel || !D))
        return recipe_error(r, *maps, "map %s needs a kernel and D", *maps);
    int status = *maps ? kernel_features(&n, D, 1) : 0;
    if (!status && kernel && is_new(r, cell)) {
        status = kernel_prepare(&k, kernel);
        if (!status && *maps)
            status = kernel_map_check(maps, &k);
        kernel_free(&k);
    }
    return status;
}

int measure_check(const recipe *r)
{
    size_t n;
    int status = 0;

    for (const char *const *o = r->measure->options; *o && !status; o++)
        status = measure_count(&n, r, *o, "0");
    for (size_t cell = 0; cell < r->cells && !status; cell++)
        status = recipe_field(r, cell, "map")
                     ? measure_map_check(r, cell)
                     : recipe_error(r, recipe_field(r, cell, "data"), "a case without a map");
    return status;
}
