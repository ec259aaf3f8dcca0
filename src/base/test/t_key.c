/* SPDX-License-Identifier: BSD-3-Clause
 * t_key.c - values by a table of keys; errors that say what is possible. */

#include "base/base.h"
#include "base/test.h"

#include <string.h>

static const fx_key table[] = {{"order", NULL, FXI_COUNT(1, 16), "o"},
                               {"gamma", "0.5", FXI_NUMBER(-1, 1), "g"},
                               {"sort", "no", FXI_CHOICE("no|yes|maybe"), "s"},
                               {"theta", "1/2", FXI_LIST(0), "t"},
                               {"C", "1", FXI_POSITIVE, "c"},
                               {"p", "2", NULL, FX_KEY_NUMBER, 1, INFINITY, 1, "p"},
                               {"s", "4", "theory", FX_KEY_COUNT, 1, 9, 0, "words, too"},
                               {"counts", "", FXI_LIST(0), "n"},
                               {"label", "last", FXI_TEXT("last|first"), "l"},
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

static void keys(void)
{
    fxi_spec s = parse("k:order=3,sort=yes"), bad;
    const char *p;
    size_t len, n = 9;
    double x = 7, list[3] = {7, 7, 7};
    uint64_t u = 7;
    int c = 7;

    CHECK(fxi_key_check(&s, table) == FX_OK);
    CHECK(fxi_key_text(&p, &len, &s, table, "gamma") == FX_OK);
    is(p, len, "0.5");                          /* the default */
    CHECK(fxi_key_count(&u, &s, table, "order") == FX_OK && u == 3);
    CHECK(fxi_key_number(&x, &s, table, "gamma") == FX_OK && x == 0.5);
    CHECK(fxi_key_choice(&c, &s, table, "sort") == FX_OK && c == 1);
    CHECK(fxi_key_list(list, &n, 3, &s, table, "theta") == FX_OK && n == 2);
    CHECK(list[0] == 1 && list[1] == 2 && list[2] == 7);

    bad = parse("k:ordr=3");
    check_message(fxi_key_check(&bad, table),
         "k has no key 'ordr'; it takes order, gamma, sort, theta, C, ");
    check_message(fxi_key_check(&bad, table + 9), "it takes none");
    bad = parse("k:sort=ye");
    check_message(fxi_key_check(&bad, table), "sort=ye is not possible; use one of no|yes|maybe");
    check_message(fxi_key_choice(&c, &bad, table, "sort"), "no|yes|maybe");
    bad = parse("k");
    check_message(fxi_key_count(&u, &bad, table, "order"), "k needs order=");

    u = 7, x = 7, c = 7, n = 9;                 /* failures leave what they were to fill */
    static const char *counts[] = {"0", "17", "-1", "+3", "3.0", "3x", "", " 3", "0x3",
                                   "18446744073709551617", "99999999999999999999999"};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        char text[64];
        snprintf(text, sizeof text, "k:order=%s", counts[i]);
        bad = parse(text);
        check_message(fxi_key_count(&u, &bad, table, "order"), "not a whole number from 1 to 16");
        CHECK(u == 7);
    }
    bad = parse("k:order=18446744073709551615");
    CHECK(fxi_key_count_within(&u, &bad, table, "order", 0, UINT64_MAX) == FX_OK
          && u == UINT64_MAX);
    static const char *numbers[] = {"", "x", "1x", "nan", "inf", "1e999", "1 "};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char text[64];
        snprintf(text, sizeof text, "k:gamma=%s,theta=1/%s", numbers[i], numbers[i]);
        bad = parse(text);
        check_message(fxi_key_number(&x, &bad, table, "gamma"), "is not a finite number");
        check_message(fxi_key_list(list, &n, 3, &bad, table, "theta"), "is not a list of numbers");
        CHECK(x == 7 && n == 9);
    }
    bad = parse("k:theta=1/2/3/4");
    check_message(fxi_key_list(list, &n, 3, &bad, table, "theta"), "more than 3 numbers");
    CHECK(n == 9);
}

/* Every value of a spec is checked by the table, as where it is read. */
static void ranges(void)
{
    static const char *const good[] = {"gamma=-1", "gamma=1", "C=1e-320", "C=1e300", "p=1.0001",
                                       "s=theory", "s=9", "s=4", "counts=", "counts=0/3", "theta=0",
                                       "label=any", "label=", "order=1", "order=16",
                                       "theta=1/2/3/4"};
    static const struct { const char *text, *part; } bad[] = {
        {"gamma=-1.01", "k: gamma=-1.01 is not from -1 to 1"},
        {"gamma=1.01", "is not from -1 to 1"},
        {"gamma=x", "is not a finite number"}, {"C=0", "k: C=0 must be positive"},
        {"C=-1", "must be positive"}, {"p=1", "k: p=1 must be above 1"},
        {"s=0", "s=0 is not a whole number from 1 to 9"}, {"s=theor", "from 1 to 9"},
        {"theta=1/-2", "k: theta=1/-2 has -2, which is negative"}, {"theta=", "a list of numbers"},
        {"order=17", "from 1 to 16"}, {"order=", "from 1 to 16"}, {"sort=", "use one of no|yes"}};
    char text[64];

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        snprintf(text, sizeof text, "k:%s", good[i]);
        fxi_spec s = parse(text);
        CHECK(fxi_key_check(&s, table) == FX_OK);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(text, sizeof text, "k:%s", bad[i].text);
        fxi_spec s = parse(text);
        double x = 7;
        check_message(fxi_key_check(&s, table), bad[i].part);
        if (bad[i].text[0] == 'C')
            check_message(fxi_key_number(&x, &s, table, "C"), "must be positive");
        CHECK(x == 7);
    }
    CHECK(fxi_key_has(table, "C") && !fxi_key_has(table, "c") && !fxi_key_has(table, ""));
}

int main(void)
{
    test_init();
    keys();
    ranges();
    return 0;
}
