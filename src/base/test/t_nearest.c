/* SPDX-License-Identifier: BSD-3-Clause
 * t_nearest.c - the name that a misspelt word is taken for: fixed cases, the distance against its
 * recursive definition, and messages that end with the hint. */

#include "base/base.h"
#include "base/test.h"

#include <stdio.h>
#include <string.h>

static const char *const models[] = {"svm",         "svm-l2",     "svr",  "logistic", "ridge",
                                     "kernel-svm",  "kernel-svr", "hofm", "hofm-shared",
                                     "hofm-simplex"};
enum { MODELS = sizeof models / sizeof *models };

static void fixed(void)
{
    static const struct { const char *word, *near; } cases[] = {
        {"logistc", "logistic"}, {"logisticc", "logistic"}, {"lgoistic", "logistic"},
        {"lgisti", "logistic"}, {"Logistic", "logistic"}, {"SVM-L2", "svm-l2"},
        {"rigde", "ridge"}, {"rid", "ridge"}, {"kernel_svm", "kernel-svm"},
        {"kernelsvr2", "kernel-svr"}, {"hofm-shred", "hofm-shared"},
        {"hofm-s", "hofm"}, {"kernel-sv", NULL}, {"svn", NULL}, /* svm or svr */
        {"hofm-shx", NULL}, {"kern", NULL},     /* two begin so */
        {"l", NULL}, {"", NULL}, {"forest", NULL}, {"logistic", NULL}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *near = fx_nearest(cases[i].word, models, MODELS), *want = cases[i].near;
        if (want ? !near || strcmp(near, want) != 0 : near != NULL)
            fprintf(stderr, "%s: %s\n", cases[i].word, near ? near : "-");
        CHECK(want ? near && !strcmp(near, want) : !near);
    }
    const char *gaps[] = {"ridge", NULL, "ridge"};
    CHECK(fx_nearest("rigde", gaps, 3) == gaps[0]);     /* a name that stands twice is one name */
    CHECK(!fx_nearest(NULL, models, MODELS) && !fx_nearest("rigde", NULL, 3));
    CHECK(!fx_nearest("rigde", NULL, 0));
}

/* Steps from a[n] to b[m], by the definition: the last letters are kept or replaced, or one of them
 * goes, or the last two are swapped. */
static size_t steps(const char *a, size_t n, const char *b, size_t m)
{
    if (!n || !m)
        return n + m;
    size_t d = steps(a, n - 1, b, m - 1) + (a[n - 1] != b[m - 1]);
    size_t without = steps(a, n - 1, b, m) + 1, with = steps(a, n, b, m - 1) + 1;
    d = without < d ? without : d;
    d = with < d ? with : d;
    if (n > 1 && m > 1 && a[n - 1] == b[m - 2] && a[n - 2] == b[m - 1]) {
        size_t swapped = steps(a, n - 2, b, m - 2) + 1;
        d = swapped < d ? swapped : d;
    }
    return d;
}

static void by_definition(void)
{
    for (int t = 0; t < test_cases(2000); t++) {
        char word[7], name[3][7];
        const char *names[3], *best = NULL;
        size_t n = 2 + test_below(5), least = SIZE_MAX;
        for (size_t i = 0; i < n; i++)
            word[i] = (char)('a' + test_below(3));
        word[n] = '\0';
        for (size_t k = 0; k < 3; k++) {
            size_t m = 1 + test_below(6);
            for (size_t i = 0; i < m; i++)
                name[k][i] = (char)('a' + test_below(3));
            name[k][m] = '\0';
            names[k] = name[k];
            size_t d = steps(word, n, name[k], m);
            size_t limit = n < 6 ? 1 : n / 3;
            if (d > limit && m > n && !strncmp(name[k], word, n))
                d = limit + 1;
            else if (d > limit)
                continue;
            if (!d || d > least)
                continue;
            best = d < least ? name[k] : best && !strcmp(best, name[k]) ? best : NULL;
            least = d;
        }
        const char *got = fx_nearest(word, names, 3);
        CHECK(best ? got && !strcmp(got, best) : !got);
    }
}

/* Longer words than any name are no names, and long names are not shown. */
static void long_words(void)
{
    char word[200], name[200], hint[FXI_NEAREST];
    const char *names[] = {name};

    memset(word, 'x', sizeof word);
    memset(name, 'x', sizeof name);
    for (size_t n = 1; n < 199; n++) {
        word[n] = name[n + 1] = '\0';
        CHECK((fx_nearest(word, names, 1) != NULL) == (n >= 2 && n <= 64));
        word[n] = name[n + 1] = 'x';
    }
    fxi_nearest near = fxi_nearest_to("xy", 2);
    fxi_nearest_try(&near, name, 96);
    CHECK(!strcmp(fxi_nearest_hint(hint, &near), ""));
    near = fxi_nearest_to("xx", 2);
    fxi_nearest_try(&near, name, 97);
    CHECK(!near.name);
    fxi_nearest_try(&near, name, 96);
    CHECK(near.name_len == 96 && strlen(fxi_nearest_hint(hint, &near)) == 96 + 18);
}

static void ends(fx_status st, const char *near)
{
    char end[64];
    size_t n = (size_t)snprintf(end, sizeof end, "; did you mean '%s'?", near);
    const char *detail = fx_error_detail();

    if (strlen(detail) < n || strcmp(detail + strlen(detail) - n, end) != 0)
        fprintf(stderr, "%s should end with %s\n", detail, end);
    CHECK(st == FX_EINVAL && strlen(detail) > n && !strcmp(detail + strlen(detail) - n, end));
}

/* Every table of names, keys and choices answers with it. */
static void messages(void)
{
    fx_description d = FX_INIT(fx_description);
    fx_data *data = NULL;

    ends(fx_model_describe(&d, "logistc"), "logistic");
    ends(fx_model_describe(&d, "fm:rnak=3"), "rank");
    ends(fx_model_describe(&d, "fm:solver=adagard"), "adagrad");
    ends(fx_kernel_describe(&d, "anvoa"), "anova");
    ends(fx_map_describe(&d, "sparsejl"), "sparse-jl");
    ends(fx_data_scale_describe(&d, "max-abs"), "maxabs");
    ends(fx_data_reader_describe(&d, "svmligth"), "svmlight");
    ends(fx_data_write_describe(&d, "precompute"), "precomputed");
    ends(fx_data_make(&data, "partiy", 1, NULL), "parity");
    CHECK(fx_model_describe(&d, "forest") == FX_EINVAL && !strstr(fx_error_detail(), "mean"));
}

int main(void)
{
    test_init();
    fixed();
    by_definition();
    long_words();
    messages();
    return 0;
}
