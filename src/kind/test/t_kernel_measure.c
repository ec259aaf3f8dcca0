/* SPDX-License-Identifier: BSD-3-Clause
 * t_kernel_measure.c - the pilot fit on all rows, if they are few, is the fit itself; on a sample
 * of many it leaves the plan as it was; timings are positive and possible. */
#include "model/test/fixture.h"
#include "kind/kind.h"

static void pilots(size_t n, bool all)
{
    char spec[64];
    fx_plan plan = {PLAN, .model = "kernel-svm:max-iter=50000", .kernel = "anova:order=2"};
    fxi_train t;

    snprintf(spec, sizeof spec, "pairs:n=%zu,d=60,nz=12", n);
    fx_data *d = made(spec);
    fx_table table = fx_data_table(d);
    CHECK(fxi_train_open(&t, &plan, &table, NULL) == FX_OK);
    fxi_estimating e = {.t = &t};
    t.at_once = 1;
    CHECK(fxi_kind_kernel_measure_pilot(&e, NULL) == FX_OK && t.how.max_iter == 50000);
    CHECK(e.steps >= 0.3 && e.support >= 0.1 && e.support <= 1);
    if (all) {
        fx_model *m = fitted(&plan, &table, NULL);
        const fx_model_info *c = fx_model_inspect(m);
        CHECK(e.steps == fmax(0.3, (double)c->iterations / (double)n));
        CHECK(e.support == fmax(0.1, (double)c->support_vectors / (double)n));
        fx_model_free(m);
    }
    /* A value of a kernel of 12 numbers takes more than 1 ps, on any number of threads. */
    CHECK(fxi_kind_kernel_measure(&e, NULL) == FX_OK);
    CHECK(e.pair > 1e-12 && e.pair < 1 && e.flop > 1e-14 && e.flop < 1);
    fxi_train_close(&t);
    fx_data_free(d);
}

int main(void)
{
    test_init();
    pilots(100, true);
    pilots(FXI_KIND_PILOT, true);
    pilots(FXI_KIND_PILOT + 300, false);
    return 0;
}
