/* SPDX-License-Identifier: BSD-3-Clause
 * t_spec.c - the grammar of spec strings; errors that say what is possible. */

#include "base/base.h"
#include "base/test.h"

#include <string.h>

static const fxi_spec_key table[] = {{"order", NULL, NULL},
                                     {"gamma", "0.5", NULL},
                                     {"sort", "no", "no|yes|maybe"},
                                     {"theta", "1/2", NULL},
                                     {0}};

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

    static const char *const names[] = {"pol", "poly:", "poly", NULL};
    size_t which = 7;
    CHECK(fxi_spec_find(&which, &s, names, "shape") == FX_OK && which == 2);
    CHECK(s.keys == 2);
    is(s.pair[0].key, s.pair[0].key_len, "degree");
    is(s.pair[1].value, s.pair[1].value_len, "0.5");
    is(s.inner, s.inner_len, "rbf:gamma=0.25");

    s = parse("exp(exp(rbf:gamma=1))");
    is(s.inner, s.inner_len, "exp(rbf:gamma=1)");
    s = parse("linear");
    CHECK(s.name_len == 6 && s.keys == 0 && !s.inner);
    CHECK(fxi_spec_find(&which, &s, names, "shape") == FX_EINVAL && which == 2);
    CHECK(!strcmp(fx_error_detail(), "no shape 'linear'; there are pol, poly:, poly"));
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

static void keys(void)
{
    fxi_spec s = parse("k:order=3,sort=yes"), bad;
    const char *p;
    size_t len, n = 9;
    double x = 7, list[3] = {7, 7, 7};
    uint64_t u = 7;
    int c = 7;

    CHECK(fxi_spec_check(&s, table) == FX_OK);
    CHECK(fxi_spec_text(&p, &len, &s, table, "gamma") == FX_OK);
    is(p, len, "0.5");                          /* the default */
    CHECK(fxi_spec_count(&u, &s, table, "order", 1, 16) == FX_OK && u == 3);
    CHECK(fxi_spec_number(&x, &s, table, "gamma") == FX_OK && x == 0.5);
    CHECK(fxi_spec_choice(&c, &s, table, "sort") == FX_OK && c == 1);
    CHECK(fxi_spec_list(list, &n, 3, &s, table, "theta") == FX_OK && n == 2);
    CHECK(list[0] == 1 && list[1] == 2 && list[2] == 7);

    bad = parse("k:ordr=3");
    check_message(fxi_spec_check(&bad, table),
                  "k has no key 'ordr'; it takes order, gamma, sort, theta");
    check_message(fxi_spec_check(&bad, table + 4), "it takes none");
    bad = parse("k:sort=ye");
    check_message(fxi_spec_check(&bad, table),
                  "k: sort=ye is not possible; use one of no|yes|maybe");
    check_message(fxi_spec_choice(&c, &bad, table, "sort"), "no|yes|maybe");
    bad = parse("k");
    check_message(fxi_spec_count(&u, &bad, table, "order", 1, 16), "k needs order=");

    u = 7, x = 7, c = 7, n = 9;                 /* failures leave what they were to fill */
    static const char *counts[] = {"0", "17", "-1", "+3", "3.0", "3x", "", " 3", "0x3",
                                   "18446744073709551617", "99999999999999999999999"};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        char text[64];
        snprintf(text, sizeof text, "k:order=%s", counts[i]);
        bad = parse(text);
        check_message(fxi_spec_count(&u, &bad, table, "order", 1, 16),
                      "is not a whole number from 1 to 16");
        CHECK(u == 7);
    }
    bad = parse("k:order=18446744073709551615");
    CHECK(fxi_spec_count(&u, &bad, table, "order", 0, UINT64_MAX) == FX_OK && u == UINT64_MAX);
    static const char *numbers[] = {"", "x", "1x", "nan", "inf", "1e999", "1 "};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char text[64];
        snprintf(text, sizeof text, "k:gamma=%s,theta=1/%s", numbers[i], numbers[i]);
        bad = parse(text);
        check_message(fxi_spec_number(&x, &bad, table, "gamma"), "is not a finite number");
        check_message(fxi_spec_list(list, &n, 3, &bad, table, "theta"), "is not a list of numbers");
        CHECK(x == 7 && n == 9);
    }
    bad = parse("k:theta=1/2/3/4");
    check_message(fxi_spec_list(list, &n, 3, &bad, table, "theta"), "more than 3 numbers");
    CHECK(n == 9);
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

int main(void)
{
    test_init();
    grammar();
    names();
    keys();
    return 0;
}
