/* SPDX-License-Identifier: BSD-3-Clause
 * dataset_spec.c - the spec of a set, taken apart.  Which keys a set has, with which values, is
 * said by the line that help shows, so that the two cannot differ. */

#include "dataset.h"
#include "terminal/terminal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COMMON "rows, test-rows, valid, test, seed, positive"

/* Length of a set's name, and of its name and keys, in the line of help. */
static size_t name_len(const dataset_kind *k) { return strcspn(k->help, ": "); }
static size_t spec_len(const dataset_kind *k) { return strcspn(k->help, " "); }

/* Values of a key of the set's own, "default|other", and their length; NULL: no such key. */
static const char *values_of(const dataset_kind *k, const char *key, size_t *len)
{
    const char *end = k->help + spec_len(k);

    for (const char *p = k->help + name_len(k); p < end; p += strcspn(p, ", ")) {
        size_t n = strcspn(++p, "=");
        if (strlen(key) == n && !strncmp(p, key, n)) {
            *len = strcspn(p + n + 1, ", ");
            return p + n + 1;
        }
    }
    return NULL;
}

static int refuse(const dataset_spec *w, const char *key, const char *value, const char *expected)
{
    say_error("set %.*s: %s=%s is not %s", (int)name_len(w->kind), w->kind->help, key, value,
              expected);
    return EXIT_USAGE;
}

static int read_count(size_t *out, const dataset_spec *w, const char *key, const char *value)
{
    char *end;

    errno = 0;
    unsigned long long x = strtoull(value, &end, 10);
    if (*value < '0' || *value > '9' || *end || errno || x == 0 || x > SIZE_MAX)
        return refuse(w, key, value, "a number of 1 or more");
    *out = (size_t)x;
    return 0;
}

static int read_share(double *out, const dataset_spec *w, const char *key, const char *value,
                      bool own)
{
    char *end;

    if (own) {
        say_error("set %.*s comes with such a part, so %s= is not for it", (int)name_len(w->kind),
                  w->kind->help, key);
        return EXIT_USAGE;
    }
    *out = strtod(value, &end);
    if (end == value || *end || !(*out >= 0 && *out < 1))
        return refuse(w, key, value, "a share, 0 or more and less than 1");
    return 0;
}

static int check_own(const dataset_spec *w, const char *key, const char *value)
{
    size_t len, n = strlen(value);
    const char *values = values_of(w->kind, key, &len);
    char list[128];

    if (!values) {
        say_error("set %.*s has no key `%s`; the keys of all sets are " COMMON,
                  (int)name_len(w->kind), w->kind->help, key);
        say_hint("%s", w->kind->help);
        return EXIT_USAGE;
    }
    snprintf(list, sizeof list, "%.*s", (int)len, values);
    if (!strchr(list, '|'))             /* one value: any may stand there */
        return 0;
    for (const char *p = list; *p; p += strcspn(p, "|"), p += *p == '|')
        if (strcspn(p, "|") == n && !strncmp(p, value, n))
            return 0;
    return refuse(w, key, value, list);
}

static int take(dataset_spec *w, const char *key, const char *value, uint64_t seed)
{
    size_t n;
    int status;

    if (!strcmp(key, "rows"))
        return read_count(&w->rows, w, key, value);
    if (!strcmp(key, "test-rows"))
        return read_count(&w->test_rows, w, key, value);
    if (!strcmp(key, "valid"))
        return read_share(&w->valid, w, key, value, w->kind->own_valid);
    if (!strcmp(key, "test"))
        return read_share(&w->test, w, key, value, w->kind->own_test);
    if (!strcmp(key, "seed")) {
        bool each = !strcmp(value, "each"), plus = !strncmp(value, "each+", 5);
        if (!each && (status = read_count(&n, w, key, plus ? value + 5 : value)))
            return status;
        w->seed = each ? seed : plus ? seed + n : n;
        return 0;
    }
    return strcmp(key, "positive") ? check_own(w, key, value) : 0;
}

static int find_kind(dataset_spec *w, const dataset_kind *table, size_t n)
{
    const char *names[32] = {NULL}, *near;
    char copy[31][24];

    for (size_t i = 0; i < n && i < 31; i++) {
        snprintf(copy[i], sizeof copy[i], "%.*s", (int)name_len(&table[i]), table[i].help);
        names[i] = copy[i];
        if (!strcmp(copy[i], w->text)) {
            w->kind = &table[i];
            return 0;
        }
    }
    say_error("there is no data set `%s`", w->text);
    if ((near = opt_nearest(w->text, names)))
        say_hint("did you mean %s?", near);
    return EXIT_USAGE;
}

int dataset_spec_parse(dataset_spec *w, const dataset_kind *table, size_t n, const char *spec,
                       uint64_t seed)
{
    int len = snprintf(w->text, sizeof w->text, "%s", spec);
    char *p = w->text + strcspn(w->text, ":");

    if (len < 0 || (size_t)len >= sizeof w->text) {
        say_error("the data set %.40s... is too long", spec);
        return EXIT_USAGE;
    }
    bool more = *p != '\0';
    *p = '\0';
    int status = find_kind(w, table, n);
    if (status)
        return status;
    w->valid = w->kind->valid;
    w->test = w->kind->test;
    w->seed = 1;
    while (more && !status) {
        char *key = ++p, *value = key + strcspn(key, ",");
        more = *value == ',';
        *value = '\0';
        p = value;
        value = strchr(key, '=');
        if (!value || value == key || !value[1] || w->pairs == sizeof w->pair / sizeof *w->pair) {
            say_error("data set %s: `%s` is not key=value", spec, key);
            return EXIT_USAGE;
        }
        *value++ = '\0';
        w->pair[w->pairs].key = key;
        w->pair[w->pairs++].value = value;
        status = take(w, key, value, seed);
    }
    if (!status && w->valid + w->test >= 1) {
        say_error("data set %s: valid and test leave nothing to train on", spec);
        status = EXIT_USAGE;
    }
    return status;
}

const char *dataset_spec_value(const dataset_spec *w, const char *key)
{
    for (size_t i = w->pairs; i-- > 0;)
        if (!strcmp(w->pair[i].key, key))
            return w->pair[i].value;
    return NULL;
}

bool dataset_spec_is(const dataset_spec *w, const char *key, const char *value)
{
    const char *given = dataset_spec_value(w, key);
    size_t len, n = strlen(value);
    const char *values = given ? NULL : values_of(w->kind, key, &len);

    return given ? !strcmp(given, value)
                 : values && strcspn(values, "|, ") == n && !strncmp(values, value, n);
}
