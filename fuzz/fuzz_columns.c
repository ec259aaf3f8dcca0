/* SPDX-License-Identifier: BSD-3-Clause
 * fuzz_columns.c - the CSV reader with categories, weights, hashing and names that are given.
 * Byte 0: options; byte 1: where the text is cut. */

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const cat[] = {"none", "auto", "a", "a/%62"};
    static const char *const num[] = {"auto", "auto", "b", "b/c"};
    static const char *const label[] = {"last", "none", "first", "y"};
    char spec[160];

    if (size < 2)
        return 0;
    const char *text = (const char *)data + 2;
    snprintf(spec, sizeof spec, "csv:cat=%s,num=%s,weight=%s,hash-bits=%d,label=%s,nan=drop",
             cat[data[0] & 3], num[data[0] >> 2 & 3], data[0] & 16 ? "w" : "none",
             data[0] & 32 ? 3 : 0, label[data[0] >> 6]);
    fuzz_result r = fuzz_text(spec, text, size - 2, data[1], false);
    if (r.data && fx_data_table(r.data).name && fx_data_table(r.data).cols) {
        fuzz_result again = fuzz_named(&r, spec, text, size - 2);
        fx_data_free(again.data);
    }
    fx_data_free(r.data);
    return 0;
}
