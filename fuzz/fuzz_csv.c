/* SPDX-License-Identifier: BSD-3-Clause
 * fuzz_csv.c - the CSV reader.  Byte 0: options and threads; byte 1: where the text is cut. */

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const separator[] = {"comma", "tab", "semicolon", "comma"};
    static const char *const label[] = {"last", "first", "none", "y"};
    static const char *const header[] = {"auto", "yes"};
    char spec[128];

    if (size < 2)
        return 0;
    snprintf(spec, sizeof spec, "csv:separator=%s,label=%s,header=%s,nan=%s",
             separator[data[0] & 3], label[data[0] >> 2 & 3], header[data[0] >> 4 & 1], data[0] & 32 ? "drop" : "error");
    fuzz_result r = fuzz_text(spec, (const char *)data + 2, size - 2, data[1], data[0] >> 6 == 1);
    fx_data_free(r.data);
    return 0;
}
