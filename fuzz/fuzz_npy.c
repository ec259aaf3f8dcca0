/* SPDX-License-Identifier: BSD-3-Clause
 * fuzz_npy.c - the npy reader: at once, cut where byte 0 says, byte by byte. */

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_result out[3];

    if (size < 1)
        return 0;
    size_t cut = data[0] < size - 1 ? data[0] : size - 1;
    for (int way = 0; way < 3; way++) {
        fx_reader *r = NULL;
        fx_status s = FX_OK;
        MUST(fx_data_reader_new(&r, "npy", "x") == FX_OK);
        for (size_t at = 0, n; at < size - 1 && !s; at += n) {
            n = way == 2 ? 1 : way && at < cut ? cut : size - 1 - at;
            s = fx_data_reader_feed(r, data + 1 + at, n, NULL);
        }
        out[way] = fuzz_finish(r, s);
        fuzz_check(&out[way]);
        fuzz_same(&out[0], &out[way]);
    }
    for (int way = 0; way < 3; way++)
        fx_data_free(out[way].data);
    return 0;
}
