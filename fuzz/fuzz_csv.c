/* SPDX-License-Identifier: BSD-3-Clause
 * fuzz_csv.c - the CSV reader.  Byte 0: options and threads; byte 1: where the text is cut.
 * The two top bits are 1: three threads, 3: header=no. */

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const separator[] = {"comma", "tab", "semicolon", "comma"};
    static const char *const label[] = {"last", "first", "none", "y"};
    char spec[128];

    if (size < 2)
        return 0;
    bool no_header = data[0] >> 6 == 3;
    if (no_header && (data[0] >> 2 & 3) == 3)
        return 0;                       /* a name needs a header: refused with the spec */
    snprintf(spec, sizeof spec, "csv:separator=%s,label=%s,header=%s,nan=%s",
             separator[data[0] & 3], label[data[0] >> 2 & 3],
             no_header ? "no" : data[0] & 16 ? "yes" : "auto", data[0] & 32 ? "drop" : "error");
    fuzz_result r = fuzz_text(spec, (fuzz_names){0}, (const char *)data + 2, size - 2, data[1],
                              data[0] >> 6 == 1);
    const bool labels = r.data && fx_data_table(r.data).label;
    fuzz_again(&r, "csv", labels ? "csv:header=yes" : "csv:header=yes,label=none");
    fuzz_again(&r, "tsv", labels ? "csv:header=yes,separator=tab"
                                 : "csv:header=yes,separator=tab,label=none");
    fx_data_free(r.data);
    return 0;
}
