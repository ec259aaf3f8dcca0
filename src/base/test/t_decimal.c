/* SPDX-License-Identifier: BSD-3-Clause
 * t_decimal.c - decimal.c against strtod and by round trips. */

#include "base/base.h"
#include "base/test.h"

#include <locale.h>
#include <string.h>

static void same_as_strtod(const char *s)
{
    char *end;
    double want = strtod(s, &end), got = -1;
    const char *after = fxi_decimal_read(&got, s, s + strlen(s));

    bool same = after == end && (!memcmp(&got, &want, sizeof got) || (isnan(got) && isnan(want)));
    if (!same)
        fprintf(stderr, "'%s': read %.17g, want %.17g\n", s, got, want);
    CHECK(same);
}

static void round_trip(double x)
{
    char buf[32];
    double back = 0;
    int n = fxi_decimal_write(buf, x);

    CHECK(n > 0 && n < 32 && strlen(buf) == (size_t)n);
    CHECK(fxi_decimal_read(&back, buf, buf + n) == buf + n);
    bool same = !memcmp(&back, &x, sizeof x);
    if (!same)
        fprintf(stderr, "%a written as %s reads %a\n", x, buf, back);
    CHECK(same);
}

static void written(double x, const char *want)
{
    char buf[32];

    fxi_decimal_write(buf, x);
    if (strcmp(buf, want))
        fprintf(stderr, "%.17g written as %s, want %s\n", x, buf, want);
    CHECK(!strcmp(buf, want));
}

int main(void)
{
    static const char *cases[] = {
        "0", "-0", "1", "+1.5", "-1e3", "1.", ".5", "1e", "1e+", "1ex", "00012.500", "0.000123",
        "0.1", "123456789012345678", "12345678901234567890", "9007199254740993",
        "9007199254740992.5",
        "9007199254740993.0000000000000000000000000000000000000001", "1e22", "1e23", "1e27",
        "1e-27", "1e28", "1e-28", "4.9e-324", "2.2250738585072011e-308", "1.7976931348623157e308",
        "1e308", "1e309", "1e-400", "-1e999999999999", "1e-999999999999", "inf", "-INF",
        "nan", "Infinity",
        "0.30000000000000004", "1234567890123456789e-27", "9999999999999999999e27",
        "0e5", "0.0e-5", "1.2.3", "1,5", "5e-1x",
        "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649"
        "017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676"
        "273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510"
        "704342711559699508093042880"};
    test_init();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        same_as_strtod(cases[i]);

    double x = 7;                       /* not a number: nothing is read or written */
    const char *bad[] = {"", "-", ".", "e5", "abc", "-.e1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(fxi_decimal_read(&x, bad[i], bad[i] + strlen(bad[i])) == NULL && x == 7);

    char s[1200] = "123";
    CHECK(fxi_decimal_read(&x, s, s) == NULL && x == 7);
    for (int i = 0, n = test_cases(200000); i < n; i++) {
        uint64_t bits = test_u64();
        memcpy(&x, &bits, sizeof x);
        if (isfinite(x)) {              /* all magnitudes, 1 to 20 digits */
            round_trip(x);
            snprintf(s, sizeof s, "%.*e", (int)test_below(20), x);
            same_as_strtod(s);
        }
        int digits = (int)test_below(19) + 1; /* halfway and ordinary data values */
        snprintf(s, sizeof s, "%.*f", digits, ldexp((double)(test_u64() >> 10) + 0.5,
                                                    (int)test_below(40) - 60));
        same_as_strtod(s);
    }
    for (int i = 0; i < 2000; i++) {    /* exact halfway points between neighbours, all digits */
        x = ldexp((double)(test_u64() >> 11 | 1), -(int)test_below(300));
        snprintf(s, sizeof s, "%.800f", x);
        same_as_strtod(s);
    }
    round_trip(0.0), round_trip(-0.0), round_trip(4.9e-324), round_trip(1.7976931348623157e308);
    written(0.1, "0.1"), written(1e15, "1000000000000000"), written(-2.5, "-2.5");
    written(1e21, "1e21"), written(1e-7, "1e-7");
    written(0.30000000000000004, "0.30000000000000004");
    written(INFINITY, "inf"), written(NAN, "nan"), written(123456.789, "123456.789");
    written(0.00012, "0.00012"), written(1.25e-10, "1.25e-10");
    written(12345678901234567.0, "12345678901234568");

    /* With a decimal comma: the ways through the C library, too. */
    if (setlocale(LC_ALL, "de_DE.UTF-8")) {
        const char *point = "1.2345678901234567890123e-200", *comma = "0,5";
        CHECK(strtod(comma, NULL) == 0.5);
        CHECK(fxi_decimal_read(&x, point, point + strlen(point)) && x == 0x1.e3d71f622be95p-665);
        CHECK(fxi_decimal_read(&x, comma, comma + 3) == comma + 1 && x == 0);
        written(0.5, "0.5"), written(1.25e-200, "1.25e-200"), written(1.5e300, "1.5e300");
    } else
        printf("skipped: no locale de_DE.UTF-8 (Debian's package locales)\n");
    return 0;
}
