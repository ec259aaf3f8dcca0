/* SPDX-License-Identifier: BSD-3-Clause
 * fuzz_columns.c - the CSV reader with categories, weights, hashing and names that are given.
 * Byte 0: options; byte 1: where the text is cut.  Names are given in three ways: those that the
 * rows have, by the same spec and by cat=auto,label=last, as predictions may be asked for; and a
 * list of ones with equals signs, whatever the rows are. */

#include "fuzz.h"

static void with_names(fuzz_names names, const char *spec, const char *text, size_t len, size_t cut)
{
    fuzz_result r = fuzz_text(spec, names, text, len, cut, false);

    if (r.data)
        MUST(fx_data_table(r.data).cols == names.n);
    fx_data_free(r.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const cat[] = {"none", "auto", "a", "a/%62"};
    static const char *const num[] = {"auto", "auto", "b", "b/c"};
    static const char *const label[] = {"last", "none", "first", "y"};
    static const char *const odd[] = {"y=lag", "b", "a=u", "a=u=v", "b=1", "=", "c="};
    char spec[160];

    if (size < 2)
        return 0;
    const char *text = (const char *)data + 2;
    const size_t len = size - 2;
    snprintf(spec, sizeof spec, "csv:cat=%s,num=%s,weight=%s,hash-bits=%d,label=%s,nan=drop",
             cat[data[0] & 3], num[data[0] >> 2 & 3], data[0] & 16 ? "w" : "none",
             data[0] & 32 ? 3 : 0, label[data[0] >> 6]);
    fuzz_result r = fuzz_text(spec, (fuzz_names){0}, text, len, data[1], false);
    fx_table t = r.data ? fx_data_table(r.data) : (fx_table){0};
    if (t.name && t.cols) {
        fuzz_names names = {t.name, t.cols};
        with_names(names, spec, text, len, data[1]);
        with_names(names, data[0] & 32 ? "csv:cat=auto,label=last,hash-bits=3"
                                       : "csv:cat=auto,label=last", text, len, data[1]);
    }
    if (!(data[0] & 32))
        with_names((fuzz_names){odd, 1 + data[1] % 7}, spec, text, len, data[1]);
    fx_data_free(r.data);
    return 0;
}
