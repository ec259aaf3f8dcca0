/* SPDX-License-Identifier: BSD-3-Clause
 * headers.c - the headers, included twice, and every struct that may grow, as C and as C++. */

#include <featcross.h>
#include <featcross_extra.h>
#include <featcross.h>
#include <featcross_extra.h>

int main(void)
{
    fx_run run = FX_INIT(fx_run);
    fx_plan plan = FX_INIT(fx_plan);
    fx_sink sink = FX_INIT(fx_sink);
    fx_explain_options options = FX_INIT(fx_explain_options);
    fx_description description = FX_INIT(fx_description);
    fx_metrics metrics = FX_INIT(fx_metrics);
    fx_estimate estimate = FX_INIT(fx_estimate);
    fx_deviation accuracy = FX_INIT(fx_deviation);
    fx_read_counts counts = FX_INIT(fx_read_counts);

    return run.size != sizeof run || plan.size != sizeof plan || sink.size != sizeof sink
           || options.size != sizeof options || description.size != sizeof description
           || metrics.size != sizeof metrics || estimate.size != sizeof estimate
           || accuracy.size != sizeof accuracy || counts.size != sizeof counts
           || run.threads != 0 || FX_FAILED(FX_NOT_CONVERGED) || !FX_FAILED(FX_EINVAL);
}
