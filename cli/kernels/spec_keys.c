/* SPDX-License-Identifier: BSD-3-Clause
 * spec_keys.c - the name and the keys of a spec, NAME:key=value,.. */

#include "kernels.h"

#include <string.h>

bool spec_named(const char *spec, const char *name)
{
    size_t n = strlen(name);

    return !strncmp(spec, name, n) && (!spec[n] || spec[n] == ':');
}

const char *spec_value(const char *spec, const char *key)
{
    size_t n = strlen(key);

    for (const char *p = strpbrk(spec, ":,"); p; p = strpbrk(p + 1, ":,"))
        if (!strncmp(p + 1, key, n) && p[1 + n] == '=')
            return p + n + 2;
    return NULL;
}

bool spec_has(const char *spec, const char *key) { return spec_value(spec, key) != NULL; }

bool spec_says(const char *spec, const char *key, const char *value)
{
    const char *v = spec_value(spec, key);
    size_t n = strlen(value);

    return v && !strncmp(v, value, n) && (!v[n] || v[n] == ',');
}
