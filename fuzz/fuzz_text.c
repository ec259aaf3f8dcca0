/* SPDX-License-Identifier: BSD-3-Clause
 * fuzz_text.c - lines of words.  Byte 0: options; byte 1: where the text is cut.  With the names
 * that were found the same rows must come out. */

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char spec[96];

    if (size < 2)
        return 0;
    const char *text = (const char *)data + 2;
    snprintf(spec, sizeof spec, "text:ngram=%d,value=%s,label=%s,hash-bits=%d", data[0] % 5 + 1,
             data[0] & 32 ? "count" : "binary", data[0] & 64 ? "none" : "first",
             data[0] & 128 ? 3 : 0);
    fuzz_result r = fuzz_text(spec, (fuzz_names){0}, text, size - 2, data[1], false);
    if (r.data && fx_data_table(r.data).cols) {
        fuzz_result again = fuzz_named(&r, spec, text, size - 2, data[1]);
        MUST(again.count.unseen == 0);
        again.count.names = r.count.names;      /* not counted again */
        again.count.collisions = r.count.collisions;
        fuzz_same(&r, &again);
        fx_data_free(again.data);
    }
    fx_data_free(r.data);
    return 0;
}
