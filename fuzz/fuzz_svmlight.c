/* SPDX-License-Identifier: BSD-3-Clause
 * fuzz_svmlight.c - the svmlight reader.  Byte 0: options and threads; byte 1: where the text
 * is cut.  The two low bits are 3: rows may lack labels. */

#include "fuzz.h"

#ifdef FX_FUZZ_PLANTED
/* An overflow for the fuzzer to find, as proof that it reaches so far: it takes two rows with
 * queries and two different words as labels. */
static void planted(const fx_table *t)
{
    double *copy = malloc(t->rows * sizeof *copy);

    if (copy && t->qid && t->rows == 2 && t->classes == 2)
        MUST(((volatile double *)copy)[t->classes] != 0.123);
    free(copy);
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const base[] = {"auto", "0", "1", "auto"};
    char spec[128];

    if (size < 2)
        return 0;
    snprintf(spec, sizeof spec, "svmlight:base=%s,sort=%s,duplicates=%s,nan=%s,fields=%s,labels=%s",
             base[data[0] & 3], data[0] & 4 ? "yes" : "no", data[0] & 8 ? "sum" : "error",
             data[0] & 16 ? "drop" : "error", data[0] & 32 ? "ignore" : "error",
             (data[0] & 3) == 3 ? "auto" : "yes");
    fuzz_result r = fuzz_text(spec, (fuzz_names){0}, (const char *)data + 2, size - 2, data[1],
                              data[0] >> 6 == 1);
    if (r.data && fx_data_table(r.data).label) {
        fuzz_again(&r, "svmlight:base=0", "svmlight:base=0");
        fuzz_again(&r, "svmlight", "svmlight:base=1");
    }
#ifdef FX_FUZZ_PLANTED
    if (r.data) {
        fx_table t = fx_data_table(r.data);
        planted(&t);
    }
#endif
    fx_data_free(r.data);
    return 0;
}
