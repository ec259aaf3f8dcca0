/* SPDX-License-Identifier: BSD-3-Clause
 * spec.c - the grammar of spec strings.
 *
 *   spec  = name [ ":" pair { "," pair } ] [ "(" spec ")" ]
 *   pair  = key "=" value                 value: any text without , ( )
 *
 * In values that name columns, %2C, a byte in hexadecimal, stands for a byte that would be taken
 * for grammar: , ( ) and, between names of a list, /.  A % without two digits behind is itself.
 *
 * A module describes its keys in a table of fxi_spec_key; defaults, choices and the messages that
 * list what is possible all come from that table. */

#include "base/base.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static size_t until(const char *p, const char *end, const char *stops)
{
    const char *q = p;

    while (q < end && !strchr(stops, *q))
        q++;
    return (size_t)(q - p);
}

fx_status fxi_spec_parse(fxi_spec *out, const char *text, size_t len)
{
    const char *p = text, *end = text + len;
    fxi_spec s = {.text = text, .name = text};

    s.name_len = until(p, end, ":,=()");
    if (s.name_len == 0)
        return fxi_error(FX_EINVAL, "'%.*s': a name must come first", (int)len, text);
    p += s.name_len;
    if (p < end && *p == ':')
        do {
            size_t n = ++p < end ? until(p, end, "=,()") : 0;
            if (n == 0 || p + n >= end || p[n] != '=')
                return fxi_error(FX_EINVAL, "'%.*s': expected key=value at '%.*s'", (int)len, text,
                                 (int)(end - p), p);
            if (s.keys == FXI_SPEC_KEYS)
                return fxi_error(FX_EINVAL, "'%.*s': more than %d keys", (int)len, text,
                                 FXI_SPEC_KEYS);
            for (size_t i = 0; i < s.keys; i++)
                if (s.pair[i].key_len == n && !memcmp(s.pair[i].key, p, n))
                    return fxi_error(FX_EINVAL, "'%.*s': key '%.*s' is given twice", (int)len, text,
                                     (int)n, p);
            s.pair[s.keys].key = p;
            s.pair[s.keys].key_len = n;
            p += n + 1;
            s.pair[s.keys].value = p;
            s.pair[s.keys++].value_len = until(p, end, ",()");
            p += s.pair[s.keys - 1].value_len;
        } while (p < end && *p == ',');
    if (p < end && *p == '(' && end[-1] == ')') {
        s.inner = p + 1;
        s.inner_len = (size_t)(end - p) - 2;
        p = end;
    }
    if (p < end)
        return fxi_error(FX_EINVAL, "'%.*s': cannot read '%.*s'", (int)len, text, (int)(end - p),
                         p);
    *out = s;
    return FX_OK;
}

fx_status fxi_spec_find(size_t *which, const fxi_spec *s, const char *const *names,
                        const char *what)
{
    char valid_names[256] = "";

    for (size_t i = 0; names[i]; i++) {
        if (strlen(names[i]) == s->name_len && !memcmp(s->name, names[i], s->name_len)) {
            *which = i;
            return FX_OK;
        }
        size_t n = strlen(valid_names);
        snprintf(valid_names + n, sizeof valid_names - n, "%s%s", n ? ", " : "", names[i]);
    }
    return fxi_error(FX_EINVAL, "no %s '%.*s'; there are %s", what, (int)s->name_len, s->name,
                     valid_names);
}

static bool in_choice(const char *values, const char *v, size_t len, int *position)
{
    for (*position = 0;; (*position)++) {
        size_t n = strcspn(values, "|");
        if (n == len && !memcmp(values, v, n))
            return true;
        if (!values[n])
            return false;
        values += n + 1;
    }
}

fx_status fxi_spec_check(const fxi_spec *s, const fxi_spec_key *table)
{
    char valid_names[256] = "";

    for (size_t i = 0; i < s->keys; i++) {
        const fxi_spec_key *k = table;
        while (k->name
               && (strlen(k->name) != s->pair[i].key_len
                   || memcmp(k->name, s->pair[i].key, s->pair[i].key_len)))
            k++;
        int position;
        if (k->name && k->values
            && !in_choice(k->values, s->pair[i].value, s->pair[i].value_len, &position))
            return fxi_error(FX_EINVAL, "%.*s: %s=%.*s is not possible; use one of %s",
                             (int)s->name_len, s->name, k->name, (int)s->pair[i].value_len,
                             s->pair[i].value, k->values);
        if (k->name)
            continue;
        for (k = table; k->name; k++) {
            size_t n = strlen(valid_names);
            snprintf(valid_names + n, sizeof valid_names - n, "%s%s", n ? ", " : "", k->name);
        }
        return fxi_error(FX_EINVAL, "%.*s has no key '%.*s'; it takes %s", (int)s->name_len,
                         s->name, (int)s->pair[i].key_len, s->pair[i].key,
                         valid_names[0] ? valid_names : "none");
    }
    return FX_OK;
}

fx_status fxi_spec_text(const char **out, size_t *len, const fxi_spec *s, const fxi_spec_key *table,
                        const char *key)
{
    for (size_t i = 0; i < s->keys; i++)
        if (strlen(key) == s->pair[i].key_len && !memcmp(key, s->pair[i].key, s->pair[i].key_len)) {
            *out = s->pair[i].value;
            *len = s->pair[i].value_len;
            return FX_OK;
        }
    while (table->name && strcmp(table->name, key))
        table++;
    if (!table->name || !table->fallback)
        return fxi_error(FX_EINVAL, "%.*s needs %s=", (int)s->name_len, s->name, key);
    *out = table->fallback;
    *len = strlen(table->fallback);
    return FX_OK;
}

fx_status fxi_spec_number(double *out, const fxi_spec *s, const fxi_spec_key *table,
                          const char *key)
{
    const char *v;
    size_t len;
    double x;
    fx_status st = fxi_spec_text(&v, &len, s, table, key);

    if (st)
        return st;
    if (fxi_decimal_read(&x, v, v + len) != v + len || !isfinite(x))
        return fxi_error(FX_EINVAL, "%.*s: %s=%.*s is not a finite number", (int)s->name_len,
                         s->name, key, (int)len, v);
    *out = x;
    return FX_OK;
}

fx_status fxi_spec_count(uint64_t *out, const fxi_spec *s, const fxi_spec_key *table,
                         const char *key, uint64_t low, uint64_t high)
{
    const char *v;
    size_t len, i;
    uint64_t u = 0;
    fx_status st = fxi_spec_text(&v, &len, s, table, key);

    if (st)
        return st;
    for (i = 0; i < len && v[i] >= '0' && v[i] <= '9'; i++)
        if (__builtin_mul_overflow(u, (uint64_t)10, &u)
            || __builtin_add_overflow(u, (uint64_t)(v[i] - '0'), &u))
            break;
    if (len == 0 || i < len || u < low || u > high)
        return fxi_error(FX_EINVAL, "%.*s: %s=%.*s is not a whole number from %llu to %llu",
                         (int)s->name_len, s->name, key, (int)len, v, (unsigned long long)low,
                         (unsigned long long)high);
    *out = u;
    return FX_OK;
}

fx_status fxi_spec_choice(int *out, const fxi_spec *s, const fxi_spec_key *table, const char *key)
{
    const char *v;
    size_t len;
    fx_status st = fxi_spec_text(&v, &len, s, table, key);

    if (st)
        return st;
    while (strcmp(table->name, key))
        table++;
    if (!in_choice(table->values, v, len, out))         /* fxi_spec_check came first */
        return fxi_error(FX_EINVAL, "%.*s: %s=%.*s is not one of %s", (int)s->name_len, s->name,
                         key, (int)len, v, table->values);
    return FX_OK;
}

fx_status fxi_spec_list(double *out, size_t *n, size_t max, const fxi_spec *s,
                        const fxi_spec_key *table, const char *key)
{
    const char *v;
    size_t len, count = 0;
    fx_status st = fxi_spec_text(&v, &len, s, table, key);

    if (st)
        return st;
    for (const char *p = v, *end = v + len;; p++, count++) {
        double x;
        const char *q = fxi_decimal_read(&x, p, end);
        if (!q || !isfinite(x) || (q < end && *q != '/'))
            return fxi_error(FX_EINVAL, "%.*s: %s=%.*s is not a list of numbers a/b/c",
                             (int)s->name_len, s->name, key, (int)len, v);
        if (count == max)
            return fxi_error(FX_EINVAL, "%.*s: %s has more than %zu numbers", (int)s->name_len,
                             s->name, key, max);
        out[count] = x;
        if ((p = q) == end)
            break;
    }
    *n = count + 1;
    return FX_OK;
}

/* ---- Names in values ------------------------------------------------------------------------- */
static int digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : -1;
}

bool fxi_spec_is(const char *value, size_t len, const char *name, size_t name_len)
{
    const char *p = value, *end = value + len;
    size_t i = 0;

    for (; p < end && i < name_len; i++) {
        bool escape = *p == '%' && end - p > 2 && digit(p[1]) >= 0 && digit(p[2]) >= 0;
        char byte = escape ? (char)(16 * digit(p[1]) + digit(p[2])) : *p;
        if (byte != name[i])
            return false;
        p += escape ? 3 : 1;
    }
    return p == end && i == name_len;
}

size_t fxi_spec_escape(char *out, const char *name, size_t len, const char *reserved)
{
    static const char hex[] = "0123456789ABCDEF";
    size_t n = 0;
    int position;
    bool word = in_choice(reserved, name, len, &position);

    for (size_t i = 0; i < len; i++)
        if ((word && i == 0) || strchr(",()/%", name[i])) {
            out[n++] = '%';
            out[n++] = hex[(unsigned char)name[i] >> 4];
            out[n++] = hex[(unsigned char)name[i] & 15];
        } else
            out[n++] = name[i];
    out[n] = '\0';
    return n;
}

char *fxi_spec_complete(const fxi_spec *s, const fxi_spec_key *table)
{
    size_t n = s->name_len + 1, len;

    for (const fxi_spec_key *key = table; key->name; key++) {
        const char *v;
        size_t value_len = 0;
        fxi_spec_text(&v, &value_len, s, table, key->name);
        n += strlen(key->name) + value_len + 2;
    }
    char *spec = fxi_realloc(NULL, n, 1);
    if (!spec)
        return NULL;
    len = (size_t)snprintf(spec, n, "%.*s", (int)s->name_len, s->name);
    for (const fxi_spec_key *key = table; key->name; key++) {
        const char *v = "";
        size_t value_len = 0;
        fxi_spec_text(&v, &value_len, s, table, key->name);
        if (value_len)
            len += (size_t)snprintf(spec + len, n - len, "%c%s=%.*s",
                                    memchr(spec, ':', len) ? ',' : ':', key->name, (int)value_len,
                                    v);
    }
    return spec;
}
