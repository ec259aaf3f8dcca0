/* SPDX-License-Identifier: BSD-3-Clause
 * t_labels.c - classes from labels that come in any order, up to as many as there may be.
 * Covers: class_weight.c */
#include "base/test.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES = 1 << 16 };

static double label[3 * CLASSES], weight[3 * CLASSES];

static fx_table table(size_t rows)
{
    static fx_matrix block;

    block = (fx_matrix){.rows = rows, .cols = 0, .stride = 0, .type = FX_F64, .val = label};
    return (fx_table){.rows = rows, .blocks = 1, .block = &block, .label = label};
}

/* Each label's position among the sorted distinct ones. */
static void check(const fxi_labels *l, const fx_table *t)
{
    for (size_t k = 0; k + 1 < l->classes; k++)
        CHECK(l->value[k] < l->value[k + 1]);
    for (size_t i = 0; i < t->rows; i++)
        CHECK((t->weight && t->weight[i] == 0) || l->value[(size_t)l->y[i]] == t->label[i]);
}

static void few_classes(void)
{
    const double planned[] = {7, -0.0, 2.5};
    fx_table t = table(1 + test_below(40000));
    fx_plan plan = {PLAN, .classes = 3, .class_value = planned};
    fxi_labels l;

    for (size_t i = 0; i < t.rows; i++) {
        label[i] = (double)test_below(5) - 2;
        weight[i] = label[i] == 1 ? 0 : 1;
    }
    label[0] = -0.0;
    weight[0] = 1;
    t.weight = weight;
    CHECK(fxi_model_labels(&l, &t, false, &plan, NULL) == FX_OK);
    check(&l, &t);
    CHECK(l.value[l.classes - 1] == 7 && l.value[l.classes - 2] == 2.5);
    for (size_t k = 0; k < l.classes; k++)
        CHECK(l.value[k] != 1 && !(l.value[k] == 0 && signbit(l.value[k])));
    fxi_model_labels_free(&l);
}

/* Descending, which is the worst order to insert in; weights of all of them by name. */
static void many_classes(void)
{
    fx_table t = table(3 * CLASSES);
    char *spec = malloc(16 * CLASSES);
    size_t n = 0;
    fxi_labels l;

    for (size_t i = 0; i < t.rows; i++)
        label[i] = (double)(CLASSES - 1 - i % CLASSES);
    for (size_t k = 0; k < CLASSES; k++)
        n += (size_t)sprintf(spec + n, "%zu=%zu\n", k, k + 1);
    fx_plan plan = {PLAN, .class_weight = spec};
    CHECK(fxi_model_labels(&l, &t, false, &plan, NULL) == FX_OK && l.classes == CLASSES);
    check(&l, &t);
    for (size_t i = 0; i < t.rows; i++)
        CHECK(l.weight[i] == label[i] + 1);
    fxi_model_labels_free(&l);
    plan.class_weight = "0=2\n65536=3";
    CHECK(fxi_model_labels(&l, &t, false, &plan, NULL) == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "65536"));
    plan.class_weight = NULL;
    label[17] = 0.5;
    CHECK(fxi_model_labels(&l, &t, false, &plan, NULL) == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "more than 65536 distinct labels"));
    free(spec);
}

/* Names of which one begins another. */
static void names(void)
{
    static const char *const name[] = {"a", "aa", "ab", "b"};
    fx_table t = table(4);
    fx_plan plan = {PLAN, .class_weight = "a=2\nab=3\naa=4"};
    fxi_labels l;

    t.class_name = name;
    t.classes = 4;
    for (size_t i = 0; i < 4; i++)
        label[i] = (double)i;
    CHECK(fxi_model_labels(&l, &t, false, &plan, NULL) == FX_OK);
    CHECK(l.weight[0] == 2 && l.weight[1] == 4 && l.weight[2] == 3 && l.weight[3] == 1);
    fxi_model_labels_free(&l);
    plan.class_weight = "ac=2";
    CHECK(fxi_model_labels(&l, &t, false, &plan, NULL) == FX_EINVAL);
    plan.class_weight = "=2";
    CHECK(fxi_model_labels(&l, &t, false, &plan, NULL) == FX_EINVAL);
}

int main(void)
{
    test_init();
    for (int i = 0; i < test_cases(20); i++)
        few_classes();
    many_classes();
    names();
    return 0;
}
