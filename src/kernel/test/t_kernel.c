/* SPDX-License-Identifier: BSD-3-Clause
 * t_kernel.c - spec strings of kernels: what is accepted, how it is completed, what errors
 * say; kernels with a series against it.
 *
 * Covers: exp.c, maclaurin.c, poly.c, vovk.c */

#include "base/test.h"
#include "kernel/kernel.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void check_rejected(const char *spec, const char *family, const char *message)
{
    fx_kernel *k = (fx_kernel *)&k;     /* must stay */
    fx_status st = fx_kernel_parse(&k, spec, family, 1);

    if (st >= 0 || k != (fx_kernel *)&k || !strstr(fx_error_detail(), message))
        fprintf(stderr, "'%s': %s '%s', should say '%s'\n", spec, fx_status_name(st),
                fx_error_detail(), message);
    CHECK(st < 0 && k == (fx_kernel *)&k && strstr(fx_error_detail(), message));
}

static void completed(const char *spec, const char *family, const char *want)
{
    fx_kernel *k = NULL;

    CHECK(fx_kernel_parse(&k, spec, family, 1) == FX_OK);
    if (strcmp(fx_kernel_spec(k), want))
        fprintf(stderr, "'%s' is completed to '%s', not '%s'\n", spec, fx_kernel_spec(k), want);
    CHECK(!strcmp(fx_kernel_spec(k), want));
    fx_kernel *again = NULL;            /* and means the same when read again */
    CHECK(fx_kernel_parse(&again, fx_kernel_spec(k), family, 1) == FX_OK);
    CHECK(!strcmp(fx_kernel_spec(again), want));
    fx_kernel_free(k);
    fx_kernel_free(again);
}

/* f(s) = sum a_n s^n, for |s| <= 1/2: terms from n = 60 on are below 2^-60 of the first ones. */
static void check_series(const char *spec)
{
    fx_kernel *k = NULL;

    CHECK(fx_kernel_parse(&k, spec, NULL, 0) == FX_OK);
    for (double s = -0.5; s <= 0.5; s += 0.0625) {
        double sum = 0, all = 0, power = 1;
        for (int n = 0; n < 60; n++, power *= s) {
            sum += k->type->coefficient(k, n) * power;
            all += k->type->coefficient(k, n) * fabs(power);
        }
        CHECK_NEAR(k->type->of(k, s), sum, 200 * DBL_EPSILON * all);
    }
    fx_kernel_free(k);
}

int main(void)
{
    completed("linear", NULL, "linear");
    completed("poly", NULL, "poly:degree=2,coef0=1,gamma=1");
    completed("poly:gamma=0.5", NULL, "poly:degree=2,coef0=1,gamma=0.5");
    completed("anova", NULL, "anova:order=2");
    completed("anova-upto:order=3", NULL, "anova-upto:order=3,theta=1");
    completed("exp(rbf:gamma=0.5)", NULL, "exp:gamma=1(rbf:gamma=0.5)");
    completed("exp(exp:gamma=0.25(linear))", NULL, "exp:gamma=1(exp:gamma=0.25(linear))");
    completed("itemset:file=sets.txt", "1 2\n", "itemset:file=sets.txt");
    completed("groups:file=g", "a: 1\n", "groups:file=g,order=2");

    check_rejected("", NULL, "a name must come first");
    check_rejected("anov", NULL, "there are linear, poly, exp");
    check_rejected("anova:degree=2", NULL, "anova has no key 'degree'; it takes order");
    check_rejected("linear:x=1", NULL, "linear has no key 'x'; it takes none");
    check_rejected("anova:order=0", NULL, "order=0 is not a whole number from 1 to 16");
    check_rejected("anova:order=17", NULL, "from 1 to 16");
    check_rejected("anova:order=-1", NULL, "from 1 to 16");
    check_rejected("anova:order=2.5", NULL, "from 1 to 16");
    check_rejected("anova:order=", NULL, "from 1 to 16");
    check_rejected("anova:order", NULL, "expected key=value");
    check_rejected("anova:order=2,order=3", NULL, "given twice");
    check_rejected("anova:order=99999999999999999999999", NULL, "from 1 to 16");
    check_rejected("anova-upto:order=0", NULL, "from 1 to 16");
    check_rejected("anova-upto:order=3,theta=1/2", NULL, "2 weights theta for order 3");
    check_rejected("anova-upto:order=2,theta=1/-1", NULL, "theta=1/-1 has -1, which is negative");
    check_rejected("anova-upto:order=2,theta=1/x", NULL, "a list of numbers");
    check_rejected("maclaurin", NULL, "maclaurin needs coef=");
    check_rejected("maclaurin:coef=1/-1", NULL, "coef=1/-1 has -1, which is negative");
    check_rejected("poly:coef0=-1", NULL, "coef0=-1 is negative");
    check_rejected("poly:gamma=0", NULL, "must be positive");
    check_rejected("poly:degree=0", NULL, "from 1 to 64");
    check_rejected("rbf:gamma=-1", NULL, "must be positive");
    check_rejected("rbf:gamma=nan", NULL, "not a finite number");
    check_rejected("rbf:gamma=1x", NULL, "not a finite number");
    check_rejected("rbf(linear)", NULL, "takes no inner kernel");
    check_rejected("exp(", NULL, "cannot read '('");
    check_rejected("exp(nonsense)", NULL, "no kernel 'nonsense'");
    check_rejected("exp()", NULL, "a name must come first");
    check_rejected("exp(linear)x", NULL, "cannot read");
    check_rejected("itemset:file=F", NULL, "itemset needs a family");
    check_rejected("groups:file=F", NULL, "groups needs its groups");
    check_rejected("cross", NULL, "cross needs its groups");
    char deep[256] = "";
    for (int i = 0; i < 20; i++)
        strcat(deep, "exp(");
    strcat(deep, "linear))))))))))))))))))))");
    check_rejected(deep, NULL, "kernels inside one another");
    CHECK(fx_kernel_parse(NULL, "linear", NULL, 0) == FX_EINVAL);
    CHECK(fx_kernel_parse(&(fx_kernel *){0}, NULL, NULL, 0) == FX_EINVAL);
    CHECK(fx_kernel_parse(&(fx_kernel *){0}, "linear", NULL, 2) == FX_EINVAL);

    check_series("poly:degree=3,coef0=0.5,gamma=2");
    check_series("poly:degree=4,coef0=0");
    check_series("exp:gamma=0.75");
    check_series("vovk:degree=5");
    check_series("vovk-inf");
    check_series("maclaurin:coef=0.5/0/2/1");

    size_t n = 0;
    const char *spec = "exp:gamma=2(itemset:file=a/b.txt)";
    CHECK(fx_kernel_file(spec, &n) == strstr(spec, "a/b") && n == 7);
    CHECK(fx_kernel_file("anova:order=2", &n) == NULL && fx_kernel_file(NULL, NULL) == NULL);

    fx_description d = FX_INIT(fx_description);
    for (n = 0; fx_kernel_name(n); n++) { /* a name alone is described, whatever it needs */
        CHECK(fx_kernel_describe(&d, fx_kernel_name(n)) == FX_OK);
        CHECK(!strcmp(d.name, fx_kernel_name(n)) && d.help[0]);
        bool file = false;
        for (size_t i = 0; i < d.keys; i++)
            file |= !strcmp(d.key[i].name, "file");
        CHECK((d.family != NULL) == file);
    }
    CHECK(n >= 16);
    CHECK(fx_kernel_describe(&d, "groups") == FX_OK && !strcmp(d.family, "groups"));
    CHECK(fx_kernel_describe(&d, "exp(itemset:file=F)") == FX_OK && d.outer && !d.precomputed);
    CHECK(!strcmp(d.family, "sets"));
    CHECK(fx_kernel_describe(&d, "precomputed") == FX_OK && !d.outer && d.precomputed);
    CHECK(fx_kernel_describe(&d, "anova-upto:order=3,theta=1/2") == FX_EINVAL);
    CHECK(fx_kernel_describe(&d, "exp(exp(rbf:gamma=0))") == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "must be positive"));
    CHECK(fx_kernel_describe(&d, "rbf(linear)") == FX_EINVAL && !strcmp(d.name, "precomputed"));
    CHECK(fx_kernel_describe(NULL, "rbf") == FX_EINVAL
          && fx_kernel_describe(&d, NULL) == FX_EINVAL);
    fx_kernel_free(NULL);
    return 0;
}
