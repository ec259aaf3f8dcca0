/* SPDX-License-Identifier: BSD-3-Clause
 * t_spec.c - the grammar of spec strings, their parts, and tables of names. */

#include "base/base.h"
#include "base/test.h"

#include <string.h>

static fxi_spec parse(const char *text)
{
    fxi_spec s;

    CHECK(fxi_spec_parse(&s, text, strlen(text)) == FX_OK);
    return s;
}

static void is(const char *p, size_t len, const char *want)
{
    CHECK(len == strlen(want) && !memcmp(p, want, len));
}

static void check_message(fx_status s, const char *part)
{
    bool found = s == FX_EINVAL && strstr(fx_error_detail(), part);
    if (!found)
        fprintf(stderr, "status %d, '%s', should say '%s'\n", s, fx_error_detail(), part);
    CHECK(found);
}

static void grammar(void)
{
    fxi_spec s = parse("poly:degree=2,gamma=0.5(rbf:gamma=0.25)");

    CHECK(s.keys == 2);
    is(s.pair[0].key, s.pair[0].key_len, "degree");
    is(s.pair[1].value, s.pair[1].value_len, "0.5");
    is(s.inner, s.inner_len, "rbf:gamma=0.25");

    s = parse("exp(exp(rbf:gamma=1))");
    is(s.inner, s.inner_len, "exp(rbf:gamma=1)");
    s = parse("linear");
    CHECK(s.name_len == 6 && s.keys == 0 && !s.inner);
    s = parse("itemset:file=/a b/c:d=e.txt");   /* a value is any text without , ( ) */
    is(s.pair[0].value, s.pair[0].value_len, "/a b/c:d=e.txt");
    s = parse("csv:label=");
    CHECK(s.pair[0].value_len == 0);
    CHECK(fxi_spec_parse(&s, "linear:x=1", 6) == FX_OK && s.keys == 0); /* len rules, not NUL */

    static const struct { const char *text, *part; } bad[] = {
        {"", "a name must come first"},
        {":a=1", "a name must come first"},
        {"(rbf)", "a name must come first"},
        {"poly:", "expected key=value at ''"},
        {"poly:degree", "expected key=value at 'degree'"},
        {"poly:=2", "expected key=value at '=2'"},
        {"poly:a=1,", "expected key=value at ''"},
        {"poly:a=1,,b=2", "expected key=value at ',b=2'"},
        {"poly:a=1,a=2", "key 'a' is given twice"},
        {"poly:a=1(rbf", "cannot read '(rbf'"},
        {"poly)", "cannot read ')'"},
        {"poly(rbf)x", "cannot read '(rbf)x'"},
        {"a,b", "cannot read ',b'"},
        {"x:a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=1,i=1,j=1,k=1,l=1,m=1,n=1,o=1,p=1,"
         "q=1,r=1,s=1,t=1,u=1,v=1,w=1,x=1,y=1", "more than 24 keys"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        fxi_spec before = parse("linear"), after = before;
        check_message(fxi_spec_parse(&after, bad[i].text, strlen(bad[i].text)), bad[i].part);
        CHECK(after.text == before.text && after.name_len == before.name_len); /* untouched */
    }
}

/* The parts of a spec as a user asks for them. */
static void parts(void)
{
    const char *spec = "exp:gamma=2,x=(poly:degree=3(rbf))", *v = spec;
    size_t len = 7;

    CHECK(fx_spec_get(&v, &len, spec, "") == FX_OK && v == spec && len == 3);
    CHECK(fx_spec_get(&v, &len, spec, "gamma") == FX_OK && v == spec + 10 && len == 1);
    CHECK(fx_spec_get(&v, &len, spec, "x") == FX_OK && v && len == 0);  /* given, empty */
    CHECK(fx_spec_get(&v, &len, spec, "degree") == FX_OK && !v && len == 0); /* the inner one's */
    CHECK(fx_spec_get(&v, &len, spec, "()") == FX_OK);
    is(v, len, "poly:degree=3(rbf)");
    CHECK(fx_spec_get(&v, &len, "rbf", "()") == FX_OK && !v && len == 0);
    CHECK(fx_spec_get(&v, &len, "rbf", "gam") == FX_OK && !v);
    v = spec, len = 7;                  /* failures leave what they were to fill */
    check_message(fx_spec_get(&v, &len, "rbf:", "gamma"), "expected key=value");
    check_message(fx_spec_get(&v, &len, "", ""), "a name must come first");
    check_message(fx_spec_get(&v, &len, NULL, ""), "spec is NULL");
    check_message(fx_spec_get(&v, &len, "rbf", NULL), "key is NULL");
    check_message(fx_spec_get(NULL, &len, "rbf", ""), "value is NULL");
    check_message(fx_spec_get(&v, NULL, "rbf", ""), "len is NULL");
    CHECK(v == spec && len == 7);

    fxi_spec s = parse("a:x=1,y=2");
    fxi_spec_set(&s, "y", "30");
    fxi_spec_set(&s, "z", "4");
    CHECK(s.keys == 3 && fxi_spec_at(&s, "z") == 2 && fxi_spec_at(&s, "w") == 3);
    is(s.pair[1].value, s.pair[1].value_len, "30");
}

/* A table of names: found, or all of them in the message. */
static const fx_key shape_keys[] = {{"k", "1", FXI_COUNT(1, 3), "sides"}, {0}};
static fx_description shape(size_t i)
{
    static const char *const names[] = {"pol", "poly:", "poly"};

    return i < 3 ? fxi_spec_describe(names[i], "a shape", shape_keys) : (fx_description){0};
}

static void tables(void)
{
    fxi_spec s = parse("poly"), out = s;
    size_t which = 7;

    CHECK(fxi_spec_find(&which, &s, shape, "shape") == FX_OK && which == 2);
    s = parse("linear");
    check_message(fxi_spec_find(&which, &s, shape, "shape"),
         "no shape 'linear'; there are pol, poly:, poly");
    CHECK(which == 2);
    CHECK(fxi_spec_read(&out, &which, "pol:k=3", shape, "shape") == FX_OK && which == 0);
    CHECK(out.keys == 1);
    check_message(fxi_spec_read(&s, &which, "pol:k=4", shape, "shape"), "from 1 to 3");
    check_message(fxi_spec_read(&s, &which, "pol:l=4", shape, "shape"), "it takes k");
    check_message(fxi_spec_read(&s, &which, "pol(poly)", shape, "shape"), "nothing in brackets");
    check_message(fxi_spec_read(&s, &which, NULL, shape, "shape"), "no shape is named");
    fx_description d = shape(1);
    CHECK(d.keys == 1 && d.key == shape_keys && !strcmp(d.name, "poly:"));
}

/* What is escaped is read back, and is one value of a spec, one name of a list. */
static void names(void)
{
    static const char *const name[] = {"a,b", "(x)", "100%", "%2C", "a/b", "last", "", "\xc3\xa9%"};
    static const char *const value[] = {"a%2Cb", "%28x%29", "100%25", "%252C", "a%2Fb", "%6Cast",
                                        "", "\xc3\xa9%25"};
    char out[32], text[64];

    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        size_t len = fxi_spec_escape(out, name[i], strlen(name[i]), "first|last");
        is(out, len, value[i]);
        CHECK(out[len] == '\0' && fxi_spec_is(out, len, name[i], strlen(name[i])));
        snprintf(text, sizeof text, "csv:label=%s,x=1", out);
        fxi_spec s = parse(text);
        is(s.pair[0].value, s.pair[0].value_len, value[i]);
    }
    CHECK(fxi_spec_is("a%2cb", 5, "a,b", 3) && fxi_spec_is("5%", 2, "5%", 2));
    CHECK(fxi_spec_is("5%zz%2", 6, "5%zz%2", 6) && !fxi_spec_is("ab", 2, "a", 1));
    CHECK(!fxi_spec_is("a", 1, "ab", 2) && !fxi_spec_is("a%2", 2, "a%2", 3));
}

static void aliases(void)
{
    static const fxi_spec_alias alias[] = {
        {"square", "poly", "k=2"}, {"p", "poly", "k=3,l=4"}, {0}};
    static const struct { const char *spec, *expanded; } cases[] = {
        {"square", "poly:k=2"}, {"square:l=5", "poly:k=2,l=5"}, {"p", "poly:k=3,l=4"},
        {"poly", NULL}, {"squares", NULL}, {"poly:k=square", NULL}};
    const char *sets;
    char *out;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK(fxi_spec_expand(&out, &sets, cases[i].spec, alias) == FX_OK);
        CHECK(!out == !cases[i].expanded && !sets == !out);
        CHECK(!out || !strcmp(out, cases[i].expanded));
        free(out);
    }
    CHECK(fxi_spec_expand(&out, &sets, NULL, alias) == FX_OK && !out && !sets);
}

int main(void)
{
    aliases();
    test_init();
    grammar();
    names();
    parts();
    tables();
    return 0;
}
