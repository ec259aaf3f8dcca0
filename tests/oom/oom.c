/* SPDX-License-Identifier: BSD-3-Clause
 * oom.c - every public function survives every failing allocation.
 *
 * A scenario prepares its arguments, calls one public function and releases everything.  It is run
 * once to learn its result, then with the n-th allocation failing, n = 1, 2, .. until the call no
 * longer reaches the n-th; then the same with all from the n-th on, and with the n-th thread not
 * starting.  Each time: the call gives FX_ENOMEM with a detail and untouched outputs, or the result
 * of the undisturbed run (fewer threads are no failure), and nothing is left allocated.  Under
 * AddressSanitizer this is also a test of every error path.
 *
 * The scenarios are tables in data.c, kernel.c and model.c, one line a function and kind;
 * complete.py checks that none is missing. */

#include "scenario.h"

#include <stdio.h>

int main(void)
{
    const scenario *const tables[] = {data_scenarios, kernel_scenarios, model_scenarios};
    long failures[WRAP_THREAD + 1] = {0};
    size_t count = 0;

    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
        for (const scenario *c = tables[k]; c->function; c++, count++) {
            uint64_t want, got;
            scenario_once(&want, c, WRAP_NOTHING, 0, 0);
            for (wrap_what what = WRAP_ONE; what <= WRAP_THREAD; what++)
                for (long n = 1; scenario_once(&got, c, what, n, want); n++)
                    failures[what]++;
        }
    printf("%zu scenarios; survived: %ld failing allocations, %ld times none from the n-th on, "
           "%ld threads that did not start\n",
           count, failures[WRAP_ONE], failures[WRAP_ALL_FROM], failures[WRAP_THREAD]);
    return failures[WRAP_ONE] && failures[WRAP_ALL_FROM] && failures[WRAP_THREAD] ? 0 : 1;
}
