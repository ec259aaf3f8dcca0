/* SPDX-License-Identifier: BSD-3-Clause
 * oom.c - every public function survives every failing allocation.
 *
 * A scenario prepares its arguments, calls one public function and releases everything.  It is run
 * once to learn its result, then with the n-th allocation failing, n = 1, 2, .. until the call no
 * longer reaches the n-th; then the same with all from the n-th on, and with the n-th thread not
 * starting.  With FX_TEST_MULT below 1, as where sanitizers make each run slow, only a share of the
 * allocations after the first EACH fails.  Each time: the call gives FX_ENOMEM with a detail and
 * untouched outputs, or the result of the undisturbed run (fewer threads are no failure), and
 * nothing is left allocated.  Under AddressSanitizer this is also a test of every error path.
 * Before that, each call must refuse an fx_run whose size was not set.
 *
 * The scenarios are tables in data.c, kernel.c and model.c, one line a function and kind;
 * complete.py checks that none is missing. */

#include "scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EACH = 20 };

/* The allocation that fails after the n-th. */
static long after(long n)
{
    const char *s = getenv("FX_TEST_MULT");
    double share = s ? atof(s) : 1;

    return n < EACH || !(share > 0 && share < 1) ? n + 1 : n + (long)(1 / share);
}

/* Those that take no fx_run.  All others must look at its size; complete.py checks the list. */
static const char *const without_run[] = {
    "fx_spec_get", "fx_data_reader_describe", "fx_data_reader_new", "fx_data_reader_names",
    "fx_data_reader_names_more", "fx_data_reader_file", "fx_data_reader_member",
    "fx_data_reader_counts", "fx_data_write_describe", "fx_data_folds",
    "fx_data_scale_restore", "fx_data_scale_describe", "fx_data_make_describe", "fx_kernel_parse",
    "fx_kernel_describe", "fx_map_describe", "fx_map_bound", "fx_model_describe", "fx_model_dump",
    "fx_model_metrics", "fx_model_evaluator_only", "fx_metric_describe", "fx_model_export",
    "fx_model_pass_begin", "fx_model_pass_add", "fx_model_pass_merge", "fx_model_pass_end"};

static bool takes_run(const char *function)
{
    for (size_t i = 0; i < sizeof without_run / sizeof *without_run; i++)
        if (!strcmp(function, without_run[i]))
            return false;
    return true;
}

int main(void)
{
    const scenario *const tables[] = {data_scenarios, kernel_scenarios, model_scenarios};
    long failures[WRAP_THREAD + 1] = {0};
    size_t count = 0;

    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
        for (const scenario *c = tables[k]; c->function; c++, count++) {
            uint64_t want, got;
            scenario_once(&want, c, WRAP_NOTHING, 0, 0);
            if (takes_run(c->function) && !scenario_refuses(c)) {
                fprintf(stderr, "%s (%s) does not look at fx_run.size\n", c->function, c->spec);
                return 1;
            }
            for (wrap_what what = WRAP_ONE; what <= WRAP_THREAD; what++)
                for (long n = 1; scenario_once(&got, c, what, n, want); n = after(n))
                    failures[what]++;
        }
    printf("%zu scenarios; survived: %ld failing allocations, %ld times none from the n-th on, "
           "%ld threads that did not start\n",
           count, failures[WRAP_ONE], failures[WRAP_ALL_FROM], failures[WRAP_THREAD]);
    return failures[WRAP_ONE] && failures[WRAP_ALL_FROM] && failures[WRAP_THREAD] ? 0 : 1;
}
