/* SPDX-License-Identifier: BSD-3-Clause
 * t_model.c - what a model holds before it is fitted: defaults, copies that it owns, the number of
 * its outputs, kernel and map made of its specs.
 * Covers: keep.c */
#include "base/test.h"
#include "model/model.h"

#include <string.h>

static void starts_empty(void)
{
    fx_model *m = fxi_model_new();

    CHECK(m && !*m->c.spec && !*m->c.scale && !*m->c.map && !*m->c.kernel && !*m->c.family);
    CHECK(m->c.version == FX_VERSION && m->c.low > m->c.high);
    CHECK(fxi_model_own(m, NULL) == FX_ENOMEM);
    fx_model_free(m);
    fx_model_free(NULL);
}

/* Copies do not follow their originals; NULL and "" leave the place as it was. */
static void keeps_copies(void)
{
    fx_model *m = fxi_model_new();
    double numbers[] = {1, 2, 3};
    char first[] = "a", second[] = "", text[] = "svm";
    const char *const texts[] = {first, second};
    const double *x = NULL;
    const char *s = "before";
    const char *const *list = NULL;

    CHECK(m && fxi_model_keep(&x, m, NULL, 8) == FX_OK && !x);
    CHECK(fxi_model_keep_text(&s, m, NULL) == FX_OK && fxi_model_keep_text(&s, m, "") == FX_OK);
    CHECK(!strcmp(s, "before") && fxi_model_keep_texts(&list, m, NULL, 2) == FX_OK && !list);
    CHECK(fxi_model_keep(&x, m, numbers, sizeof numbers) == FX_OK);
    CHECK(fxi_model_keep_text(&s, m, text) == FX_OK);
    CHECK(fxi_model_keep_texts(&list, m, texts, 2) == FX_OK);
    numbers[1] = 9;
    first[0] = text[0] = 'x';
    CHECK(x[0] == 1 && x[1] == 2 && x[2] == 3 && !strcmp(s, "svm"));
    CHECK(!strcmp(list[0], "a") && !strcmp(list[1], ""));
    fx_model_free(m);
}

static void counts_outputs(void)
{
    static const struct { const char *spec; size_t classes, outputs; int pairs; } cases[] = {
        {"svr", 0, 1, 0}, {"svm", 2, 1, 0}, {"svm", 4, 4, 0}, {"kernel-svm", 2, 1, 0},
        {"kernel-svm", 4, 6, 1}, {"pca:k=3", 0, 3, 0}, {"fm", 3, 3, 0}};
    fxi_learning how;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fx_model_info c = {.classes = cases[i].classes};
        CHECK(fxi_model_learner(&how, cases[i].spec) == FX_OK);
        CHECK(fxi_model_outputs(&c, &how) == FX_OK);
        CHECK(c.outputs == cases[i].outputs && c.pairs == cases[i].pairs);
        c.classes = SIZE_MAX / 2;
        CHECK(fxi_model_outputs(&c, &how) == (how.kind->pairs ? FX_ESHAPE : FX_OK));
        fxi_model_learner_free(&how);
    }
}

/* Weights must be as many as the map makes features. */
static void makes_kernel_and_map(void)
{
    fx_model *m = fxi_model_new();

    CHECK(m && fxi_model_ready(m, NULL) == FX_OK && !m->kernel && !m->map);
    m->c.kernel = "anova:order=2";
    CHECK(fxi_model_ready(m, NULL) == FX_OK && m->kernel && !m->map);
    m->c.map = "rk";
    m->c.cols = 5;
    m->c.random = 8;
    m->c.features = 7;
    CHECK(fxi_model_ready(m, NULL) == FX_ESHAPE);
    m->c.features = 8;
    CHECK(fxi_model_ready(m, NULL) == FX_OK && fx_map_features(m->map) == 8);
    fx_model_free(m);
}

int main(void)
{
    test_init();
    starts_empty();
    keeps_copies();
    counts_outputs();
    makes_kernel_and_map();
    return 0;
}
