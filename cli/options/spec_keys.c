/* SPDX-License-Identifier: BSD-3-Clause
 * spec_keys.c - parts of spec strings, as the library reads them, and keys set in them. */

#include "options.h"
#include "terminal/terminal.h"

#include <stdlib.h>
#include <string.h>

spec_part spec_get(const char *spec, const char *key)
{
    spec_part v = {NULL, 0};

    if (spec && fx_spec_get(&v.p, &v.n, spec, key))
        v = (spec_part){NULL, 0};
    return v;
}

bool spec_says(const char *spec, const char *key, const char *value)
{
    spec_part v = spec_get(spec, key);

    return v.p && strlen(value) == v.n && !memcmp(v.p, value, v.n);
}

bool spec_set(char *spec, size_t size, const char *key, const char *value)
{
    spec_part old = spec_get(spec, key);

    if (old.p) {                        /* goes, with what separates it */
        char *from = spec + (old.p - spec) - strlen(key) - 2, *rest = spec + (old.p - spec) + old.n;
        bool first = *from == ':' && *rest == ',';
        memmove(from + first, rest + first, strlen(rest + first) + 1);
    }
    size_t n = strlen(spec);
    int more = value ? snprintf(spec + n, size - n, "%c%s=%s", strchr(spec, ':') ? ',' : ':', key,
                                value)
                     : 0;
    return more >= 0 && (size_t)more < size - n;
}

bool spec_about(fx_description *d, spec_describes *about, const char *spec)
{
    d->size = sizeof *d;
    fx_status s = about(d, spec);

    if (s == FX_ENOMEM)                 /* "no" would be a wrong answer, and change what is done */
        exit(say_no_memory("a description"));
    return !s;
}

fx_description spec_line(spec_describes *about, const char *spec)
{
    fx_description d = FX_INIT(fx_description);
    spec_part name = spec_get(spec, "");
    char alone[64];

    if (!spec || spec_about(&d, about, spec))
        return d;
    snprintf(alone, sizeof alone, "%.*s", (int)name.n, name.p ? name.p : "");
    spec_about(&d, about, alone);
    return d;
}

const fx_key *spec_key(const fx_description *d, const char *name)
{
    for (size_t i = 0; i < d->keys; i++)
        if (!strcmp(d->key[i].name, name))
            return &d->key[i];
    return NULL;
}

void spec_list(char out[SPEC_LIST], spec_names *name, spec_describes *about, spec_is *is,
               const char *what, const char *and)
{
    const char *last = "";
    fx_description d = FX_INIT(fx_description);
    size_t n = 0;

    for (size_t i = 0; name(i) && n < SPEC_LIST; i++)
        if (spec_about(&d, about, name(i)) && is(&d, what)) {
            if (*last)
                n += (size_t)snprintf(out + n, SPEC_LIST - n, "%s%s", n ? ", " : "", last);
            last = name(i);
        }
    if (n < SPEC_LIST)
        snprintf(out + n, SPEC_LIST - n, n ? " %s %s" : "%.0s%s", and, last);
}
