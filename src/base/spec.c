/* SPDX-License-Identifier: BSD-3-Clause
 * spec.c - the grammar of spec strings.
 *
 *   spec  = name [ ":" pair { "," pair } ] [ "(" spec ")" ]
 *   pair  = key "=" value                 value: any text without , ( )
 *
 * In values that name columns, a byte that would be taken for grammar is written in hexadecimal, as
 * %2C: , ( ) and, between names of a list, /.  A % without two digits after it is itself. */

#include "base/base.h"

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

bool fxi_spec_same(const char *name, const char *text, size_t len)
{
    return strlen(name) == len && !memcmp(name, text, len);
}

size_t fxi_spec_at(const fxi_spec *s, const char *key)
{
    size_t i = 0;

    while (i < s->keys && !fxi_spec_same(key, s->pair[i].key, s->pair[i].key_len))
        i++;
    return i;
}

fx_status fx_spec_get(const char **value, size_t *len, const char *spec, const char *key)
{
    fxi_spec s;

    if (!value || !len || !spec || !key)
        return fxi_error(FX_EINVAL, "fx_spec_get: %s is NULL",
                         !value  ? "value"
                         : !len  ? "len"
                         : !spec ? "spec"
                                 : "key");
    fx_status st = fxi_spec_parse(&s, spec, strlen(spec));
    if (st)
        return st;
    size_t i = fxi_spec_at(&s, key);
    *value = !*key ? s.name : !strcmp(key, "()") ? s.inner : i < s.keys ? s.pair[i].value : NULL;
    *len = !*key                ? s.name_len
           : !strcmp(key, "()") ? s.inner_len
           : i < s.keys         ? s.pair[i].value_len
                                : 0;
    return FX_OK;
}

bool fxi_spec_named(const char *spec, const char *name)
{
    size_t n = strlen(name);

    return until(spec, spec + strlen(spec), ":,=()") == n && !memcmp(spec, name, n);
}

void fxi_spec_set(fxi_spec *s, const char *key, const char *value)
{
    size_t i = fxi_spec_at(s, key);

    s->keys += i == s->keys;
    s->pair[i].key = key;
    s->pair[i].key_len = strlen(key);
    s->pair[i].value = value;
    s->pair[i].value_len = strlen(value);
}

/* ---- Tables of names ------------------------------------------------------------------------- */

fx_description fxi_spec_counted(fx_description d)
{
    while (d.key[d.keys].name)
        d.keys++;
    return d;
}

fx_description fxi_spec_describe(const char *name, const char *help, const fx_key *keys)
{
    return fxi_spec_counted((fx_description){.name = name, .help = help, .key = keys});
}

void fxi_spec_give(fx_description *out, fx_description d) { fxi_sized_out(out, &d, sizeof d); }

void fxi_spec_list(char *list, size_t size, const char *name)
{
    size_t n = strlen(list);

    snprintf(list + n, size - n, "%s%s", n ? ", " : "", name);
}

fx_status fxi_spec_find(size_t *which, const fxi_spec *s, fxi_spec_line *line, const char *what)
{
    char valid_names[256] = "", hint[FXI_NEAREST];
    fxi_nearest near = fxi_nearest_to(s->name, s->name_len);

    for (size_t i = 0;; i++) {
        const char *name = line(i).name;
        if (!name)
            break;
        if (fxi_spec_same(name, s->name, s->name_len)) {
            *which = i;
            return FX_OK;
        }
        fxi_spec_list(valid_names, sizeof valid_names, name);
        fxi_nearest_try(&near, name, strlen(name));
    }
    return fxi_error(FX_EINVAL, "no %s '%.*s'; there are %s%s", what, (int)s->name_len, s->name,
                     valid_names, fxi_nearest_hint(hint, &near));
}

fx_status fxi_spec_read(fxi_spec *out, size_t *which, const char *spec, fxi_spec_line *line,
                        const char *what)
{
    fxi_spec s;

    if (!spec)
        return fxi_error(FX_EINVAL, "no %s is named", what);
    fx_status st = fxi_spec_parse(&s, spec, strlen(spec));
    if (!st)
        st = fxi_spec_find(which, &s, line, what);
    if (!st && s.inner)
        st = fxi_error(FX_EINVAL, "'%s': a %s takes nothing in brackets", spec, what);
    if (!st)
        st = fxi_key_check(&s, line(*which).key);
    if (!st)
        *out = s;
    return st;
}

fx_status fxi_spec_expand(char **out, const char **sets, const char *spec,
                          const fxi_spec_alias *alias)
{
    const char *name;
    size_t len;

    *out = NULL;
    *sets = NULL;
    if (!spec)                          /* is reported where it is read */
        return FX_OK;
    fx_status st = fx_spec_get(&name, &len, spec, "");
    for (; alias->name && !st; alias++) {
        if (!fxi_spec_same(alias->name, name, len))
            continue;
        const char *rest = spec + len;
        bool keys = *rest == ':';
        size_t size = strlen(alias->line) + strlen(alias->keys) + strlen(rest) + 3;
        if (!(*out = fxi_alloc(size, 1)))
            return FX_ENOMEM;
        snprintf(*out, size, "%s:%s%s%s", alias->line, alias->keys, keys ? "," : "", rest + keys);
        *sets = alias->keys;
        break;
    }
    return st;
}

/* ---- Names in values ------------------------------------------------------------------------- */
bool fxi_spec_word(int *which, const char *values, const char *word, size_t len)
{
    for (*which = 0;; (*which)++) {
        size_t n = strcspn(values, "|");
        if (n == len && !memcmp(values, word, n))
            return true;
        if (!values[n])
            return false;
        values += n + 1;
    }
}

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

size_t fxi_spec_unescape(char *out, const char *value, size_t len)
{
    size_t n = 0;

    for (size_t i = 0; i < len; i++) {
        bool escape = value[i] == '%' && len - i > 2 && digit(value[i + 1]) >= 0
                      && digit(value[i + 2]) >= 0;
        out[n++] = escape ? (char)(16 * digit(value[i + 1]) + digit(value[i + 2])) : value[i];
        i += escape ? 2 : 0;
    }
    return n;
}

size_t fxi_spec_escape(char *out, const char *name, size_t len, const char *reserved)
{
    static const char hex[] = "0123456789ABCDEF";
    size_t n = 0;
    int which;
    bool word = fxi_spec_word(&which, reserved, name, len);

    for (size_t i = 0; i < len; i++)
        if ((i == 0 && (word || name[i] == '+')) || strchr(",()/%", name[i])) {
            out[n++] = '%';
            out[n++] = hex[(unsigned char)name[i] >> 4];
            out[n++] = hex[(unsigned char)name[i] & 15];
        } else
            out[n++] = name[i];
    out[n] = '\0';
    return n;
}

char *fxi_spec_complete(const fxi_spec *s, const fx_key *table)
{
    size_t n = s->name_len + 1, len;

    for (const fx_key *key = table; key->name; key++) {
        const char *v;
        size_t value_len = 0;
        fxi_key_text(&v, &value_len, s, table, key->name);
        n += strlen(key->name) + value_len + 2;
    }
    char *spec = fxi_realloc(NULL, n, 1);
    if (!spec)
        return NULL;
    len = (size_t)snprintf(spec, n, "%.*s", (int)s->name_len, s->name);
    for (const fx_key *key = table; key->name; key++) {
        const char *v = "";
        size_t value_len = 0;
        fxi_key_text(&v, &value_len, s, table, key->name);
        if (value_len)
            len += (size_t)snprintf(spec + len, n - len, "%c%s=%.*s",
                                    memchr(spec, ':', len) ? ',' : ':', key->name, (int)value_len,
                                    v);
    }
    return spec;
}
