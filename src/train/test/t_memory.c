/* SPDX-License-Identifier: BSD-3-Clause
 * t_memory.c - what a limit allows: an error below the bytes of one fit; from there on more fits at
 * a time, one for each multiple of these bytes that is left. */
#include "model/test/fixture.h"
#include "train/train.h"

enum { N = 400, FEATURES = 2048 };         /* more than one block of 1 MiB */

int main(void)
{
    fx_data *d = made("pairs:n=400,d=60,nz=12");
    fx_table table = fx_data_table(d);
    static double label[N];
    fx_plan plan = {PLAN, .model = "ridge"}, mapped = {PLAN, .model = "svm", .map = "rk",
                                                 .kernel = "all-subsets", .features = FEATURES};
    fxi_train t;
    size_t each, all;

    test_init();
    for (size_t i = 0; i < N; i++)
        label[i] = (double)(i % 7);
    table.label = label;
    table.classes = 0;
    CHECK(fxi_train_open(&t, &plan, &table, NULL) == FX_OK);
    CHECK(t.how.kind->bytes(&each, &all, &t) && each > 0 && all > 0);
    CHECK(t.max_at_once > 1000);                        /* no limit */
    fxi_train_close(&t);
    for (size_t k = 0; k < 4; k++) {
        uint64_t need = all + (k + 1) * each;
        CHECK(fxi_train_open(&t, &plan, &table, &(fx_run){RUN, .max_memory = need}) == FX_OK);
        CHECK(t.max_at_once == k + 1);
        fxi_train_close(&t);
        CHECK(fxi_train_open(&t, &plan, &table, &(fx_run){RUN, .max_memory = need - 1})
              == (k ? FX_OK : FX_ELIMIT));
        CHECK(!k || t.max_at_once == k);
        if (k)
            fxi_train_close(&t);
    }
    /* A copy of rows in two blocks counts. */
    fx_matrix half[] = {*table.block, *table.block};
    fx_table joined = table;
    half[0].rows = N / 2, half[1].rows = N - N / 2, half[1].ptr += N / 2;
    joined.block = half, joined.blocks = 2;
    CHECK(fxi_train_open(&t, &plan, &joined, NULL) == FX_OK);
    size_t copy = (size_t)fxi_train_estimate_matrix(&t.X);
    fxi_train_close(&t);
    CHECK(copy > N * 12 * 8);
    for (size_t less = 0; less < 2; less++) {
        fx_run run = {RUN, .max_memory = copy + all + each - less};
        CHECK(fxi_train_open(&t, &plan, &joined, &run) == (less ? FX_ELIMIT : FX_OK));
        if (!less)
            fxi_train_close(&t);
    }
    /* With an L1 penalty, a copy by columns and the vectors of the solver count together. */
    fx_plan l1 = {PLAN, .model = "ridge:penalty=l1"};
    fx_model *m = NULL;
    size_t vectors = (11 * N + 17 * 61) * sizeof(double), labels = N * 2 * sizeof(double);
    for (size_t less = 0; less < 2; less++) {
        fx_run run = {RUN, .max_memory = labels + vectors + N * 12 * 8 - less};
        CHECK(fx_model_fit(&m, &l1, &table, &run) == (less ? FX_ELIMIT : FX_OK));
        if (!less)
            fx_model_free(m);
        run.max_memory += copy;
        CHECK(fx_model_fit(&m, &l1, &joined, &run) == (less ? FX_ELIMIT : FX_OK));
        if (!less)
            fx_model_free(m);
    }
    /* Features that do not fit are computed in each visit, by one fit at a time. */
    fx_run alone = {RUN, .threads = 1};
    CHECK(fxi_train_open(&t, &mapped, &table, &alone) == FX_OK && !t.source.buffer);
    CHECK(t.how.kind->bytes(&each, &all, &t));
    size_t stored = fxi_fit_source_bytes(&t.source);
    fxi_train_close(&t);
    CHECK(stored >= N * FEATURES * sizeof(float));
    fx_run tight = {RUN, .threads = 1, .max_memory = all + each + stored - 1};
    CHECK(fxi_train_open(&t, &mapped, &table, &tight) == FX_OK);
    CHECK(t.source.buffer && t.max_at_once == 1);
    fxi_train_close(&t);
    fx_data_free(d);
    return 0;
}
