/* SPDX-License-Identifier: BSD-3-Clause
 * t_json.c - json.c against a table of right and wrong texts and against Jansson: the same verdict
 * and the same values for every text tried, damaged ones and random ones among them.  Jansson 2.14
 * differs in two ways: it allows deeper nesting, and it overlooks a 0 byte behind a number.
 *
 * Covers: utf8.c */

#include "base/base.h"
#include "base/test.h"

#include <jansson.h>
#include <locale.h>
#include <string.h>
#include <time.h>

typedef struct text {
    char at[1 << 20];
    size_t len;
} text;

static void append(text *t, const char *bytes, size_t n)
{
    CHECK(t->len + n < sizeof t->at);
    memcpy(t->at + t->len, bytes, n);
    t->len += n;
}
static void add(text *t, const char *s) { append(t, s, strlen(s)); }

/* NULL with a detail, or the values.  The copy ends where the text ends: a byte too far is seen by
 * AddressSanitizer. */
static fxi_json *parsed(const char *s, size_t len)
{
    char *exact = malloc(len ? len : 1);
    fxi_json *v = NULL;

    CHECK(exact);
    memcpy(exact, s, len);
    fx_status st = fxi_json_parse(&v, exact, len, "text", NULL);
    free(exact);
    CHECK(st == FX_OK ? v != NULL : st == FX_EFORMAT && !v && fx_error_detail()[0]);
    return v;
}

static void wrong(const char *s, size_t len, const char *why)
{
    fxi_json *v = parsed(s, len);

    if (v || !strstr(fx_error_detail(), why)) {
        fprintf(stderr, "%.*s: %s; expected: %s\n", len > 99 ? 99 : (int)len, s,
                v ? "accepted" : fx_error_detail(), why);
        CHECK(!"another answer");
    }
}

/* ---- Jansson ------------------------------------------------------------------------------ */

static bool same_bits(double a, double b) { return !memcmp(&a, &b, sizeof a); }

/* *v is moved behind what was compared. */
static bool same(const fxi_json **v, const json_t *j)
{
    const fxi_json *a = (*v)++;
    bool equal = true;
    const char *key;
    json_t *inner;
    size_t i;

    switch (json_typeof(j)) {
    case JSON_NULL: return a->type == FXI_JSON_NULL;
    case JSON_TRUE: return a->type == FXI_JSON_TRUE;
    case JSON_FALSE: return a->type == FXI_JSON_FALSE;
    case JSON_INTEGER: return a->type == FXI_JSON_INTEGER && a->integer == json_integer_value(j);
    case JSON_REAL: return a->type == FXI_JSON_REAL && same_bits(a->real, json_real_value(j));
    case JSON_STRING:
        return a->type == FXI_JSON_STRING && a->n == json_string_length(j)
               && !memcmp(a->text, json_string_value(j), a->n + 1);
    case JSON_ARRAY:
        equal = a->type == FXI_JSON_ARRAY && a->n == json_array_size(j);
        json_array_foreach(j, i, inner) equal = equal && same(v, inner);
        return equal && a->end == *v;
    case JSON_OBJECT:
        equal = a->type == FXI_JSON_OBJECT && a->n == json_object_size(j);
        json_object_foreach((json_t *)(uintptr_t)j, key, inner)
        { /* as they were written */
            equal = equal && (*v)->type == FXI_JSON_STRING && !strcmp((*v)->text, key)
                    && fxi_json_get(a, key) == *v + 1 && fxi_json_next(*v) == *v + 1;
            ++*v;
            equal = equal && same(v, inner);
        }
        return equal && a->end == *v && !fxi_json_get(a, "no such key");
    }
    return false;
}

/* The same verdict, the same values; true: accepted. */
static bool as_jansson(const char *s, size_t len)
{
    json_error_t e = {.text = "a 0 byte"};
    json_t *j = memchr(s, 0, len) ? NULL : json_loadb(s, len, JSON_REJECT_DUPLICATES, &e);
    fxi_json *v = parsed(s, len);
    const fxi_json *at = v;
    bool agreed = !j == !v && (!v || (same(&at, j) && fxi_json_next(v) == at));

    if (!agreed)
        fprintf(stderr, "%.*s\nJansson: %s; ours: %s\n", (int)len, s, j ? "accepted" : e.text,
                v ? "accepted" : fx_error_detail());
    CHECK(agreed);
    json_decref(j);
    free(v);
    return agreed && at;
}

/* ---- Right and wrong ---------------------------------------------------------------------- */

static void check_right(void)
{
    static const char *const right[] = {
        "{}", "[]", " \t\r\n[ \t\r\n] \t\r\n", "[null,true,false]", "[[],{},[[]],{\"\":{}}]",
        "{\"a\":1,\"b\":[1,2,{\"a\":2}],\"c\":{\"a\":{\"a\":3}}}", "{\"a\" : \"b\" , \"c\" : [ ]}",
        "[\"\",\" \",\"/\",\"\\/\",\"\\\"\\\\\\b\\f\\n\\r\\t\"]", "[\"\x7f\"]",
        "[\"\\u0041\\u00e9\\u00E9\\u20ac\\ud834\\udd1e\\uDBFF\\uDFFF\\u0001\"]",
        "[\"\\ud800\\udc00\\ud7ff\\ue000\\u007f\\u0080\\u07FF\\u0800\\uffff\"]",
        "[\"\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf\"]",
        "[\"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\"]", "{\"\xc3\xa4\":\"\\u00e4\"}",
        "[0,-0,1,-1,10,123456789]", "[9223372036854775807,-9223372036854775808]",
        "[0.0,-0.0,0.1,1.0,1e0,1E0,1e+0,1e-0,1e00,0e5,0.5e-3,12.25E+2]",
        "[1e308,1.7976931348623157e308,5e-324,1e-400,-1e-400,0e999999999999]",
        "[123456789012345678901234567890.0,0.1000000000000000055511151231257827021181583404541]"};
    const char *doc = "{\"a\":{\"b\":[10,-20,[\"x\"],2.5]},\"\\u0062\":\"\\u00e4\"}";

    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        CHECK(as_jansson(right[i], strlen(right[i])));
    fxi_json *v = parsed(doc, strlen(doc));
    CHECK(v && v->type == FXI_JSON_OBJECT && v->n == 2 && !fxi_json_get(v, "c"));
    const fxi_json *b = fxi_json_get(fxi_json_get(v, "a"), "b");
    CHECK(b && b->type == FXI_JSON_ARRAY && b->n == 4 && !fxi_json_get(b, "b"));
    CHECK(b[1].integer == 10 && b[2].integer == -20 && b[3].type == FXI_JSON_ARRAY && b[3].n == 1);
    CHECK(!strcmp(b[4].text, "x") && fxi_json_next(&b[3]) == &b[5] && same_bits(b[5].real, 2.5));
    CHECK(!strcmp(fxi_json_get(v, "b")->text, "\xc3\xa4") && fxi_json_get(v, "b")->n == 2);
    CHECK(!fxi_json_get(NULL, "a"));
    free(v);
}

static void check_wrong(void)
{
    static const struct { const char *text, *why; } cases[] = {
        {"", "expected { or [ at byte 0 of 0"}, {"  ", "expected { or [ at byte 2 of 2"},
        {"1", "expected { or ["}, {"\"a\"", "expected { or ["}, {"null", "expected { or ["},
        {"\xef\xbb\xbf{}", "expected { or [ at byte 0"}, {"]", "expected { or ["},
        {"[", "expected a value at byte 1 of 1"},
        {"[1", "expected , or ] in an array at byte 2"}, {"[1,", "expected a value"},
        {"[1,]", "expected a value at byte 3"}, {"[,1]", "expected a value"},
        {"[1,,2]", "expected a value"}, {"[1 2]", "expected , or ]"}, {"[1}", "expected , or ]"},
        {"[}", "expected a value"}, {"{]", "expected a key"},
        {"[1]]", "expected nothing more at byte 3 of 4"}, {"{} {}", "expected nothing more"},
        {"{} x", "expected nothing more"}, {"[]//", "expected nothing more"},
        {"{", "expected a key"}, {"{\"a\"", "expected : after a key"},
        {"{\"a\":", "expected a value"}, {"{\"a\":1", "expected , or } in an object at byte 6"},
        {"{\"a\":1,", "expected a key"},
        {"{\"a\":1,}", "expected a key in double quotes at byte 7"}, {"{a:1}", "expected a key"},
        {"{'a':1}", "expected a key"}, {"{1:1}", "expected a key"},
        {"{\"a\" 1}", "expected : after a key"}, {"{\"a\"=1}", "expected : after a key"},
        {"{\"a\":1 \"b\":2}", "expected , or }"}, {"{\"a\":1]", "expected , or }"},
        {"{,}", "expected a key"}, {"{\"a\":}", "expected a value"},
        {"{\"a\":b}", "expected a value"}, {"{\"a\":1,\"a\":2}", "text: duplicate key `a`"},
        {"[{\"b\":1,\"a\":1,\"\\u0061\":2}]", "duplicate key `a`"},
        {"{\"x\":{\"\":1,\"\":1}}", "duplicate key ``"}, {"[tru]", "expected a value"},
        {"[True]", "expected a value"}, {"[nul", "expected a value"},
        {"[truex]", "expected , or ]"}, {"[NaN]", "expected a value"},
        {"[inf]", "expected a value"}, {"[Infinity]", "expected a value"},
        {"[-Infinity]", "expected a digit"}, {"[-]", "expected a digit at byte 2"},
        {"[+1]", "expected a value"}, {"[.5]", "expected a value"}, {"[1.]", "expected a digit"},
        {"[1.e5]", "expected a digit"}, {"[1e]", "expected a digit"},
        {"[1e+]", "expected a digit"}, {"[1e+-1]", "expected a digit"},
        {"[01]", "expected , or ]"}, {"[-01]", "expected , or ]"}, {"[00]", "expected , or ]"},
        {"[0x1]", "expected , or ]"}, {"[1.2.3]", "expected , or ]"},
        {"[1e5.5]", "expected , or ]"}, {"[- 1]", "expected a digit"}, {"[1", "expected , or ]"},
        {"[1_0]", "expected , or ]"}, {"[-", "expected a digit"},
        {"[9223372036854775808]", "an integer that does not fit 64 bits at byte 1"},
        {"[-9223372036854775809]", "64 bits"}, {"[99999999999999999999]", "64 bits"},
        {"[1e309]", "beyond the range of doubles at byte 1"},
        {"[-1e999999999999]", "range of doubles"},
        {"[1.7976931348623159e308]", "range of doubles"},
        {"[\"a", "the end of a string is missing at byte 3"}, {"[\"", "the end of a string"},
        {"[\"a\\", "unknown escape"}, {"[\"\\\"", "the end of a string"},
        {"[\"\\x\"]", "unknown escape"}, {"[\"\\'\"]", "unknown escape"},
        {"[\"\\U0041\"]", "unknown escape"}, {"[\"\\\n\"]", "unknown escape"},
        {"[\"\\u\"]", "four hexadecimal digits"}, {"[\"\\u00g0\"]", "four hexadecimal digits"},
        {"[\"\\u004", "four hexadecimal digits"}, {"[\"\\u+041\"]", "four hexadecimal digits"},
        {"[\"\\u0000\"]", "character U+0000"}, {"{\"\\u0000\":1}", "character U+0000"},
        {"[\"\\ud800\"]", "half of a surrogate pair at byte 4"}, {"[\"\\udc00\"]", "half of a"},
        {"[\"\\ud800x\"]", "half of a"}, {"[\"\\ud800\\n\"]", "half of a"},
        {"[\"\\ud800\\ud800\"]", "half of a"}, {"[\"\\udc00\\ud800\"]", "half of a"},
        {"[\"\\ud800\\u0041\"]", "half of a"}, {"[\"\\ud800\\u0000\"]", "half of a"},
        {"[\"\\ud800\\ue000\"]", "half of a"},
        {"[\"\\ud800\\udbff\"]", "half of a"}, {"[\"\\ud800\\udc00\\udfff\"]", "half of a"},
        {"[\"\\ud800\\u", "four hexadecimal digits"},
        {"[\"\n\"]", "control character in a string at byte 2"},
        {"[\"\t\"]", "control character"}, {"[\"\x1f\"]", "control character"},
        {"['a']", "expected a value"}, {"[a]", "expected a value"},
        {"[\"\x80\"]", "bytes that are not UTF-8 at byte 2"}, {"[\"\xc3\"]", "not UTF-8"},
        {"[\"\xc3", "not UTF-8"}, {"[\"\xc0\x80\"]", "not UTF-8"},
        {"[\"\xc1\xbf\"]", "not UTF-8"}, {"[\"\xe0\x9f\xbf\"]", "not UTF-8"},
        {"[\"\xed\xa0\x80\"]", "not UTF-8"}, {"[\"\xed\xbf\xbf\"]", "not UTF-8"},
        {"[\"\xf0\x8f\xbf\xbf\"]", "not UTF-8"}, {"[\"\xf4\x90\x80\x80\"]", "not UTF-8"},
        {"[\"\xf5\x80\x80\x80\"]", "not UTF-8"}, {"[\"\xf8\x88\x80\x80\x80\"]", "not UTF-8"},
        {"[\"\xff\"]", "not UTF-8"}, {"[\"\xe2\x82\"]", "not UTF-8"},
        {"[\"\xf0\x90\x80\"]", "not UTF-8"}, {"[\xc3\xa4]", "expected a value"},
        {"[1\xc2\xa0]", "expected , or ]"}, {"[\f1]", "expected a value"},
        {"[\v1]", "expected a value"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wrong(cases[i].text, strlen(cases[i].text), cases[i].why);
        CHECK(!as_jansson(cases[i].text, strlen(cases[i].text)));
    }
    wrong("[\"a\0b\"]", 7, "control character in a string at byte 3");
    wrong("[]\0", 3, "expected nothing more");
    wrong("\0", 1, "expected { or [");
}

/* ---- Damage, chance ----------------------------------------------------------------------- */

static void check_damage(void)
{
    static const char doc[] =
        "{\"__metadata__\":{\"format\":\"f\",\"n\":\"[\\\"a\\\",\\\"\xc3\xb6\\\"]\",\"e\":"
        "\"\\u00e4\\ud834\\udd1e\\n\"},"
        " \"w\":{\"dtype\":\"F64\",\"shape\":[30,-1.5e-3],\"x\":[true,false,null]} ,\"\":[[],{}]}";
    size_t len = sizeof doc - 1;
    char changed[sizeof doc + 1];

    CHECK(as_jansson(doc, len));
    for (size_t n = 0; n < len; n++)
        CHECK(!as_jansson(doc, n));
    for (size_t i = 0; i < len; i++)
        for (int c = 0; c < 256; c++) {
            memcpy(changed, doc, len);
            changed[i] = (char)c;
            as_jansson(changed, len);
            memcpy(changed + i + 1, doc + i, len - i);  /* one more byte */
            as_jansson(changed, len + 1);
        }
    for (size_t i = 0; i < len; i++) {  /* one less */
        memcpy(changed, doc, i);
        memcpy(changed + i, doc + i + 1, len - i - 1);
        as_jansson(changed, len - 1);
    }
}

static void random_space(text *t)
{
    while (!test_below(4))
        append(t, &" \t\r\n"[test_below(4)], 1);
}

static void random_string(text *t)
{
    static const char *const parts[] = {
        "a", "key", " ", "/", "\\/", "\\\"", "\\\\", "\\n", "\\b", "\x7f", "\\u0001", "\\u00ff",
        "\\uD83d\\uDE00", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "{", "]", ","};

    add(t, "\"");
    for (size_t n = test_below(6); n; n--)
        add(t, parts[test_below(sizeof parts / sizeof *parts)]);
    add(t, "\"");
}

static void random_number(text *t)
{
    char buf[400];
    size_t n = 0, digits = 1 + test_below(test_below(10) ? 20 : 300);

    if (test_below(2))
        buf[n++] = '-';
    buf[n++] = (char)('1' + test_below(9));
    while (--digits)
        buf[n++] = (char)('0' + test_below(10));
    if (test_below(2)) {
        buf[n++] = '.';
        for (digits = 1 + test_below(25); digits; digits--)
            buf[n++] = (char)('0' + test_below(10));
    }
    if (test_below(2))
        n += (size_t)snprintf(
            buf + n, 20, "%c%s%zu", "eE" [test_below(2)],
            (const char *[]) { "", "+", "-" }[test_below(3)], test_below(330));
    append(t, buf, n);
}

static void random_value(text *t, int depth)
{
    size_t kind = depth > 6 ? 4 + test_below(5) : depth ? test_below(9) : test_below(4);

    random_space(t);
    if (kind < 4) {                     /* 0, 1: an array; 2, 3: an object */
        append(t, kind < 2 ? "[" : "{", 1);
        for (size_t n = test_below(5), i = 0; i < n; i++) {
            add(t, i ? "," : "");
            random_space(t);
            if (kind > 1) {
                random_string(t);
                random_space(t);
                add(t, ":");
            }
            random_value(t, depth + 1);
        }
        random_space(t);
        append(t, kind < 2 ? "]" : "}", 1);
    } else if (kind < 6)
        random_string(t);
    else if (kind < 8)
        random_number(t);
    else
        add(t, (const char *[]){"true", "false", "null"}[test_below(3)]);
    random_space(t);
}

static void check_random(void)
{
    static text t;
    int accepted = 0, cases = test_cases(5000);

    for (int k = 0; k < cases; k++) {
        t.len = 0;
        random_value(&t, 0);
        json_t *j = json_loadb(t.at, t.len, JSON_REJECT_DUPLICATES, NULL);
        accepted += as_jansson(t.at, t.len);
        char *again = j ? json_dumps(j, (size_t)JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
        CHECK(!again || as_jansson(again, strlen(again)));
        if (t.len) {                    /* and with one byte changed */
            t.at[test_below(t.len)] = (char)test_u64();
            as_jansson(t.at, t.len);
        }
        free(again);
        json_decref(j);
    }
    CHECK(accepted > cases / 4);        /* others have keys twice, or numbers that are too large */
}

static void check_numbers(void)
{
    static text t;
    char *end;

    for (int k = 0; k < test_cases(20000); k++) {
        t.len = 0;
        add(&t, "[");
        random_number(&t);
        add(&t, "]");
        t.at[t.len] = '\0';
        double want = strtod(t.at + 1, &end);
        CHECK(*end == ']');
        fxi_json *v = parsed(t.at, t.len);
        bool real = strpbrk(t.at, ".eE") != NULL;
        if (!v)
            CHECK(strstr(fx_error_detail(), real ? "range of doubles" : "64 bits")
                  && (real ? isinf(want) : fabs(want) > 9e18));
        else if (real)
            CHECK(v[1].type == FXI_JSON_REAL && same_bits(v[1].real, want));
        else
            CHECK(v[1].type == FXI_JSON_INTEGER && v[1].integer == strtoll(t.at + 1, NULL, 10));
        free(v);
    }
}

/* A comma may be the decimal point of the process. */
static void check_locale(void)
{
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) {
        printf("no locale de_DE.UTF-8: not tested\n");
        return;
    }
    fxi_json *v = parsed("[0.5,123456789012345678901.5e-3]", 32);
    wrong("[0,5.]", 6, "expected a digit");
    setlocale(LC_NUMERIC, "C");
    CHECK(v && same_bits(v[1].real, 0.5) && same_bits(v[2].real, 123456789012345678901.5e-3));
    free(v);
}

/* ---- Limits ------------------------------------------------------------------------------- */

static void nest(text *t, size_t depth, bool objects, bool whole)
{
    t->len = 0;
    for (size_t i = 0; i < depth; i++)
        add(t, objects ? "{\"a\":" : i % 2 ? "[0,[]," : "[");
    add(t, "0");
    for (size_t i = 0; whole && i < depth; i++)
        add(t, objects ? "}" : "]");
}

static void check_depth(void)
{
    static text t;

    for (int objects = 0; objects < 2; objects++) {
        nest(&t, 63, objects, true);    /* "[0,[]," is a 64th */
        CHECK(as_jansson(t.at, t.len));
        nest(&t, 66, objects, true);
        wrong(t.at, t.len, "nested too deeply at byte");
        nest(&t, 100000, objects, false);
        wrong(t.at, t.len, "nested too deeply at byte");
    }
    memset(t.at, '[', sizeof t.at);
    wrong(t.at, sizeof t.at, "nested too deeply at byte 64 of 1048576");
}

static fx_status within(uint64_t bytes, const char *s)
{
    fxi_json *v = NULL;
    fx_status st = fxi_json_parse(&v, s, strlen(s), "text", &(fx_run){RUN, .max_memory = bytes});

    CHECK(!st == !!v);
    free(v);
    return st;
}

static void check_sizes(void)
{
    fxi_json *v = NULL;

    /* Refused by its length alone: nothing is read. */
    CHECK(fxi_json_parse(&v, "[]", (size_t)FXI_JSON_MAX + 1, "text", NULL) == FX_EFORMAT && !v);
    CHECK(!strcmp(fx_error_detail(), "text has 1073741825 bytes, the limit is 1073741824"));
    CHECK(within(2 * 16 + 3, "[\"ab\"]") == FX_OK);
    CHECK(within(2 * 16 + 2, "[\"ab\"]") == FX_ELIMIT);
    CHECK(!strcmp(fx_error_detail(), "text needs 35 bytes, the limit is 34"));
    CHECK(within(3 * 16 + 8 + 2, "{\"\\n\":[]}") == FX_OK);
    CHECK(within(3 * 16 + 8 + 1, "{\"\\n\":[]}") == FX_ELIMIT);
    CHECK(within(1, "[") == FX_EFORMAT);
}

static void check_keys(void)
{
    enum { N = 20000 };
    static text t;

    for (int twice = 0; twice < 2; twice++) {
        t.len = 0;
        for (size_t i = 0; i < N; i++) {        /* an order that looks random, and nested ones */
            char member[64];
            size_t key = i * 7919 % N;
            append(&t, member,
                   (size_t)snprintf(member, sizeof member, "%s\"%zu\":{\"%zu\":0}", i ? "," : "{",
                                    twice && i == N - 1 ? 4711 : key, key));
        }
        add(&t, "}");
        if (twice)
            wrong(t.at, t.len, "duplicate key `4711`");
        else
            CHECK(as_jansson(t.at, t.len));
    }
}

static int slow_progress(void *ctx, double done)        /* so slow that it is called every time */
{
    int *left = ctx;

    (void)done;
    nanosleep(&(struct timespec){.tv_nsec = 55000000}, NULL);
    return --*left < 0;
}

/* Stopped at each place that asks: before, in both scans, among the keys. */
static void check_cancelled(void)
{
    static text t;
    int calls = 0;
    fx_status st = FX_ECANCELLED;

    add(&t, "{\"a\":\"");
    memset(t.at + t.len, 'x', 1 << 16);
    t.len += 1 << 16;
    add(&t, "\",\"b\":2}");
    for (; st; calls++) {
        int left = calls;
        fx_run run = {RUN, .progress = slow_progress, .ctx = &left};
        fxi_json *v = NULL;
        st = fxi_json_parse(&v, t.at, t.len, "text", &run);
        CHECK(st == FX_OK ? v && left == 0 : st == FX_ECANCELLED && !v);
        free(v);
    }
    CHECK(calls >= 6);
}

int main(void)
{
    test_init();
    check_right();
    check_wrong();
    check_damage();
    check_random();
    check_numbers();
    check_locale();
    check_depth();
    check_sizes();
    check_keys();
    check_cancelled();
    return 0;
}
