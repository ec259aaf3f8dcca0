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
