/* SPDX-License-Identifier: BSD-3-Clause
 * dataset_spec.c - the spec of a set against its keys: those of all sets, the set's own, and, of
 * synthetic rows, those of their kind. */

#include "dataset.h"
#include "terminal/terminal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const of_all[] = {"rows", "test-rows", "valid", "test", "seed", "positive"};
enum { OF_ALL = sizeof of_all / sizeof *of_all };

int dataset_spec_refuse(const dataset_spec *w, const char *key, spec_part v, const char *expected)
{
    return say_error("set %s: %s=%.*s is not %s", w->kind->name, key, (int)v.n, v.p, expected);
}

/* If the key is not given, *out does not change. */
static int read_count(size_t *out, const dataset_spec *w, const char *key, spec_part v)
{
    char *end;

    if (!v.p)
        return 0;
    errno = 0;
    unsigned long long x = strtoull(v.p, &end, 10);
    if (*v.p < '0' || *v.p > '9' || end != v.p + v.n || errno || x == 0 || x > SIZE_MAX)
        return dataset_spec_refuse(w, key, v, "a number of 1 or more");
    *out = (size_t)x;
    return 0;
}

static int read_share(double *out, const dataset_spec *w, const char *key, bool own)
{
    spec_part v = spec_get(w->spec, key);
    char *end;

    if (!v.p)
        return 0;
    if (own)
        return say_error("set %s comes with such a part, so %s= is not for it", w->kind->name, key);
    *out = strtod(v.p, &end);
    if (end == v.p || end != v.p + v.n || !(*out >= 0 && *out < 1))
        return dataset_spec_refuse(w, key, v, "a share, 0 or more and less than 1");
    return 0;
}

static int read_seed(dataset_spec *w, uint64_t seed)
{
    spec_part v = spec_get(w->spec, "seed");
    bool each = spec_says(w->spec, "seed", "each"), plus = v.n > 5 && !memcmp(v.p, "each+", 5);
    size_t n = 1;

    if (plus)
        v = (spec_part){v.p + 5, v.n - 5};
    int status = each ? 0 : read_count(&n, w, "seed", v);
    w->seed = each ? seed : plus ? seed + n : n;
    return status;
}

static int read_common(dataset_spec *w, uint64_t seed)
{
    int status;

    if (!(status = read_count(&w->rows, w, "rows", spec_get(w->spec, "rows")))
        && !(status = read_count(&w->test_rows, w, "test-rows", spec_get(w->spec, "test-rows")))
        && !(status = read_share(&w->valid, w, "valid", w->kind->own_valid))
        && !(status = read_share(&w->test, w, "test", w->kind->own_test))
        && !(status = read_seed(w, seed)) && w->valid + w->test >= 1)
        status = say_error("data set %s: valid and test leave nothing to train on", w->spec);
    return status;
}

/* Checks that the set's own key has one of its values. */
static int check_own(const dataset_spec *w)
{
    const fx_key *own = &w->kind->own;
    spec_part v = own->values ? spec_get(w->spec, own->name) : (spec_part){NULL, 0};

    return !v.p || opt_among(own->values, v.p, v.n)
               ? 0
               : dataset_spec_refuse(w, own->name, v, own->values);
}

/* Removes every known key from a copy of the spec; what remains begins with an unknown key. */
static int check_names(const dataset_spec *w)
{
    char known[512];
    char *rest = strdup(w->spec);
    size_t n = 0;

    if (!rest)
        return say_no_memory("data sets");
    for (size_t i = 0; i < OF_ALL + 1 + w->made.keys; i++) {
        const char *key = i < OF_ALL    ? of_all[i]
                          : i == OF_ALL ? w->kind->own.name
                                        : w->made.key[i - OF_ALL - 1].name;
        if (!key)
            continue;
        spec_set(rest, strlen(rest) + 1, key, NULL);
        if (n < sizeof known)
            n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", n ? ", " : "", key);
    }
    const char *more = rest + strcspn(rest, ":(");
    if (*more == ':') {
        say_error("set %s has no key `%.*s`; it takes %s", w->kind->name,
                  (int)strcspn(more + 1, "="), more + 1, known);
        say_hint("%s: %s", w->kind->name, w->kind->help);
    } else if (*more)
        say_error("set %s takes nothing in brackets", w->kind->name);
    int status = *more ? EXIT_USAGE : 0;
    free(rest);
    return status;
}

static int find_kind(dataset_spec *w, const dataset_kind *table, size_t n)
{
    spec_part name = {NULL, 0};
    const char *names[32], *near;
    char typed[32];
    fx_status s = fx_spec_get(&name.p, &name.n, w->spec, "");

    if (s)
        return say_failure(s);
    for (size_t i = 0; i < n && i < 32; i++) {
        names[i] = table[i].name;
        if (spec_says(w->spec, "", table[i].name)) {
            w->kind = &table[i];
            return 0;
        }
    }
    snprintf(typed, sizeof typed, "%.*s", (int)name.n, name.p);
    say_error("there is no data set `%.*s`", (int)name.n, name.p);
    if ((near = fx_nearest(typed, names, n < 32 ? n : 32)))
        say_hint("did you mean %s?", near);
    return EXIT_USAGE;
}

int dataset_spec_parse(dataset_spec *w, const dataset_kind *table, size_t n, const char *spec,
                       uint64_t seed)
{
    w->spec = spec;
    int status = find_kind(w, table, n);
    if (status)
        return status;
    w->valid = w->kind->valid;
    w->test = w->kind->test;
    if ((w->kind->keys && (status = w->kind->keys(&w->made, w))) || (status = check_names(w))
        || (status = check_own(w)))
        return status;
    return read_common(w, seed);
}

spec_part dataset_spec_value(const dataset_spec *w, const char *key)
{
    spec_part v = spec_get(w->spec, key);
    const fx_key *own = &w->kind->own;
    const fx_key *k = own->name && !strcmp(own->name, key) ? own : spec_key(&w->made, key);

    return v.p || !k || !k->fallback ? v : (spec_part){k->fallback, strlen(k->fallback)};
}

bool dataset_spec_is(const dataset_spec *w, const char *key, const char *value)
{
    spec_part v = dataset_spec_value(w, key);

    return v.p && v.n == strlen(value) && !memcmp(v.p, value, v.n);
}
