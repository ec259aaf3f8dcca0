/* SPDX-License-Identifier: BSD-3-Clause
 * kernel_choice.c - kernels and maps from their specs, and what only the program handles: files of
 * families, and multiples of the number of columns. */

#include "family_names.h"
#include "kernels.h"
#include "terminal/terminal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int parse(kernel_choice *k, int base)
{
    fx_status s = fx_kernel_parse(&k->kernel, k->spec, k->family, base);

    return !s ? 0 : k->family ? say_file_error(k->path, "family", s) : say_failure(s);
}

int kernel_prepare(kernel_choice *k, const char *spec)
{
    size_t len;
    const char *file = fx_kernel_file(spec, &len);

    k->spec = spec;
    if (!file)
        return parse(k, 1);
    if (len >= sizeof k->path)
        return say_error("%.60s...: the file name is too long", spec);
    memcpy(k->path, file, len);
    k->path[len] = '\0';
    return input_slurp(&k->family, k->path);
}

int kernel_finish(kernel_choice *k, const fx_table *t)
{
    const char *family = spec_line(fx_kernel_describe, k->spec).family;
    int status = 0;

    if (!k->kernel && t && t->name)
        status = family_names_read(&k->family, k->path, t, family && !strcmp(family, "sets"));
    return status || k->kernel ? status : parse(k, t ? t->base : 1);
}

void kernel_free(kernel_choice *k)
{
    fx_kernel_free(k->kernel);
    free(k->family);
}

bool kernel_precomputed(const char *spec)
{
    return spec_line(fx_kernel_describe, spec).precomputed;
}

/* ---- Maps --------------------------------------------------------------------------------- */
const char *const kernel_maps[] = {DEFAULT_MAPS, NULL};

int kernel_features(size_t *D, const char *text, size_t cols)
{
    char *end = NULL;

    errno = 0;
    unsigned long long n = *text >= '1' && *text <= '9' ? strtoull(text, &end, 10) : 0;
    bool times = end && *end == 'x';
    if (n == 0 || end[times])
        return say_error(
            "-D %s is neither a count such as 1024 nor a multiple of the columns such as 16x",
            text);
    if (errno || n > INT32_MAX)
        return say_error("-D %s: at most %d features are possible", text, INT32_MAX);
    if (times && cols > INT32_MAX / n)
        return say_error("-D %s: %zu columns make more than %d features", text, cols, INT32_MAX);
    *D = (size_t)n * (times ? cols : 1);
    return 0;
}

/* The first of the maps that serves the kernel; the last one's failure if none does. */
fx_status kernel_map(fx_map **out, const char *const *maps, const fx_kernel *k, size_t cols,
                     size_t D, uint64_t seed, const fx_matrix *sample)
{
    fx_status s;

    do
        s = fx_map_parse(out, *maps, k, cols, D, seed, sample, &cli.run);
    while (s == FX_EUNSUPPORTED && *++maps);
    return s;
}

static bool counted(const char *const *maps) { return spec_get(*maps, "counts").p; }
size_t kernel_few(const char *const *maps, size_t D)
{
    enum { FEW = 64 };                  /* but so many that auto takes what it takes for more */

    return counted(maps) ? D : FEW;
}

/* On two rows of 16 ones: enough to see whether names, keys and kernel fit. */
int kernel_map_check(const char *const *maps, const kernel_choice *k)
{
    enum { COLS = 16, FEATURES = 4096 };
    static const float ones[2 * COLS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                         1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const fx_matrix sample = {.rows = 2, .cols = COLS, .stride = COLS, .val = ones};
    fx_map *m = NULL;

    if (!k->kernel)                     /* its file has features of any number */
        return 0;
    fx_status s = kernel_map(&m, maps, k->kernel, COLS, FEATURES, 1, &sample);
    fx_map_free(m);
    if (s == FX_EINVAL && counted(maps))
        return 0;
    return s == FX_EINVAL || s == FX_EUNSUPPORTED ? say_failure(s) : 0;
}
