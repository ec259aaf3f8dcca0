/* SPDX-License-Identifier: BSD-3-Clause
 * key.c - values of a spec, checked and read by a table of keys.
 *
 * Defaults, ranges, choices and the messages that list what is possible come from the table. */

#include "base/base.h"

#include <stdio.h>
#include <string.h>

static const fx_key *find_key(const fx_key *table, const char *key, size_t len)
{
    while (table->name && !fxi_spec_same(table->name, key, len))
        table++;
    return table->name ? table : NULL;
}

bool fxi_key_has(const fx_key *table, const char *key)
{
    return find_key(table, key, strlen(key)) != NULL;
}

typedef struct value {                  /* value of a key, and its place, for messages */
    const fxi_spec *s;
    const fx_key *key;
    const char *at;
    size_t len;
} value;

static fx_status wrong(const value *v, const char *why, const char *more)
{
    return fxi_error(FX_EINVAL, "%.*s: %s=%.*s %s%s", (int)v->s->name_len, v->s->name, v->key->name,
                     (int)v->len, v->at, why, more);
}

/* x is a number of v or v itself. */
static fx_status check_range(const value *v, double x)
{
    const fx_key *k = v->key;
    char one[48] = "", why[128];

    if ((k->above ? x > k->low : x >= k->low) && x <= k->high)
        return FX_OK;
    if (k->type == FX_KEY_LIST)
        snprintf(one, sizeof one, "has %g, which ", x);
    if (!isinf(k->high))
        snprintf(why, sizeof why, "%sis not from %g to %g", one, k->low, k->high);
    else if (k->low != 0)
        snprintf(why, sizeof why, "%smust be %s %g", one, k->above ? "above" : "at least", k->low);
    else
        snprintf(why, sizeof why, "%s%s", one, k->above ? "must be positive" : "is negative");
    return wrong(v, why, "");
}

static fx_status read_number(double *out, const value *v)
{
    double x;

    if (fxi_decimal_read(&x, v->at, v->at + v->len) != v->at + v->len || !isfinite(x))
        return wrong(v, "is not a finite number", "");
    fx_status st = check_range(v, x);
    if (!st)
        *out = x;
    return st;
}

static fx_status read_count(uint64_t *out, const value *v, uint64_t low, uint64_t high)
{
    uint64_t u = 0;
    size_t i;
    char range[64];

    for (i = 0; i < v->len && v->at[i] >= '0' && v->at[i] <= '9'; i++)
        if (__builtin_mul_overflow(u, (uint64_t)10, &u)
            || __builtin_add_overflow(u, (uint64_t)(v->at[i] - '0'), &u))
            break;
    if (v->len == 0 || i < v->len || u < low || u > high) {
        snprintf(range, sizeof range, "%llu to %llu", (unsigned long long)low,
                 (unsigned long long)high);
        return wrong(v, "is not a whole number from ", range);
    }
    *out = u;
    return FX_OK;
}

/* At most max numbers to out; NULL: only checks them. */
static fx_status read_list(double *out, size_t *n, size_t max, const value *v)
{
    size_t count = 0;

    for (const char *p = v->at, *end = v->at + v->len;; p++, count++) {
        double x;
        const char *q = fxi_decimal_read(&x, p, end);
        if (!q || !isfinite(x) || (q < end && *q != '/'))
            return wrong(v, "is not a list of numbers a/b/c", "");
        fx_status st = check_range(v, x);
        if (st)
            return st;
        if (out && count == max)
            return fxi_error(FX_EINVAL, "%.*s: %s has more than %zu numbers", (int)v->s->name_len,
                             v->s->name, v->key->name, max);
        if (out)
            out[count] = x;
        if ((p = q) == end)
            break;
    }
    *n = count + 1;
    return FX_OK;
}

static fx_status wrong_choice(const value *v)
{
    fxi_nearest near = fxi_nearest_to(v->at, v->len);
    char hint[FXI_NEAREST], values[512];

    for (const char *p = v->key->values; p; p = *p ? p + 1 : NULL) {
        size_t n = strcspn(p, "|");
        fxi_nearest_try(&near, p, n);
        p += n;
    }
    snprintf(values, sizeof values, "%s%s", v->key->values, fxi_nearest_hint(hint, &near));
    return wrong(v, "is not possible; use one of ", values);
}

/* Words and the default are always allowed. */
static fx_status check_value(const value *v)
{
    const fx_key *k = v->key;
    uint64_t count;
    size_t n;
    double x;
    int which;

    if ((k->values && fxi_spec_word(&which, k->values, v->at, v->len))
        || (k->fallback && fxi_spec_same(k->fallback, v->at, v->len)))
        return FX_OK;
    return k->type == FX_KEY_CHOICE   ? wrong_choice(v)
           : k->type == FX_KEY_NUMBER ? read_number(&x, v)
           : k->type == FX_KEY_COUNT  ? read_count(&count, v, (uint64_t)k->low, (uint64_t)k->high)
           : k->type == FX_KEY_LIST   ? read_list(NULL, &n, 0, v)
                                      : FX_OK;
}

fx_status fxi_key_check(const fxi_spec *s, const fx_key *table)
{
    char valid_names[256] = "", hint[FXI_NEAREST];

    for (size_t i = 0; i < s->keys; i++) {
        const fx_key *k = find_key(table, s->pair[i].key, s->pair[i].key_len);
        fx_status st = k ? check_value(&(value){s, k, s->pair[i].value, s->pair[i].value_len})
                         : FX_OK;
        if (st)
            return st;
        if (k)
            continue;
        fxi_nearest near = fxi_nearest_to(s->pair[i].key, s->pair[i].key_len);
        for (k = table; k->name; k++) {
            fxi_spec_list(valid_names, sizeof valid_names, k->name);
            fxi_nearest_try(&near, k->name, strlen(k->name));
        }
        return fxi_error(FX_EINVAL, "%.*s has no key '%.*s'; it takes %s%s", (int)s->name_len,
                         s->name, (int)s->pair[i].key_len, s->pair[i].key,
                         valid_names[0] ? valid_names : "none", fxi_nearest_hint(hint, &near));
    }
    return FX_OK;
}

static fx_status get(value *out, const fxi_spec *s, const fx_key *table, const char *key)
{
    const fx_key *k = find_key(table, key, strlen(key));
    size_t i = fxi_spec_at(s, key);

    if (!k || (i == s->keys && !k->fallback))
        return fxi_error(FX_EINVAL, "%.*s needs %s=", (int)s->name_len, s->name, key);
    *out = (value){s, k, k->fallback, 0};
    if (i < s->keys) {
        out->at = s->pair[i].value;
        out->len = s->pair[i].value_len;
    } else
        out->len = strlen(k->fallback);
    return FX_OK;
}

fx_status fxi_key_text(const char **out, size_t *len, const fxi_spec *s, const fx_key *table,
                       const char *key)
{
    value v;
    fx_status st = get(&v, s, table, key);

    if (st)
        return st;
    *out = v.at;
    *len = v.len;
    return FX_OK;
}

fx_status fxi_key_number(double *out, const fxi_spec *s, const fx_key *table, const char *key)
{
    value v;
    fx_status st = get(&v, s, table, key);

    return st ? st : read_number(out, &v);
}

fx_status fxi_key_count(uint64_t *out, const fxi_spec *s, const fx_key *table, const char *key)
{
    value v;
    fx_status st = get(&v, s, table, key);

    return st ? st : read_count(out, &v, (uint64_t)v.key->low, (uint64_t)v.key->high);
}

fx_status fxi_key_count_within(uint64_t *out, const fxi_spec *s, const fx_key *table,
                               const char *key, uint64_t low, uint64_t high)
{
    value v;
    fx_status st = get(&v, s, table, key);

    return st ? st : read_count(out, &v, low, high);
}

fx_status fxi_key_choice(int *out, const fxi_spec *s, const fx_key *table, const char *key)
{
    value v;
    fx_status st = get(&v, s, table, key);

    if (!st && !fxi_spec_word(out, v.key->values, v.at, v.len))
        st = check_value(&v);
    return st;
}

fx_status fxi_key_list(double *out, size_t *n, size_t max, const fxi_spec *s, const fx_key *table,
                       const char *key)
{
    value v;
    fx_status st = get(&v, s, table, key);

    return st ? st : read_list(out, n, max, &v);
}
