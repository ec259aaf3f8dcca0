/* SPDX-License-Identifier: BSD-3-Clause
 * fuzz_npy.c - the npy reader.  Byte 0: where the file is cut. */

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_result out[2];

    if (size < 1)
        return 0;
    size_t cut = data[0] < size - 1 ? data[0] : size - 1;
    for (int way = 0; way < 2; way++) {
        fx_reader *r = NULL;
        size_t first = way ? cut : size - 1;
        MUST(fx_data_reader_new(&r, "npy", "x") == FX_OK);
        fx_status s = fx_data_reader_feed(r, data + 1, first, NULL);
        if (!s)
            s = fx_data_reader_feed(r, data + 1 + first, size - 1 - first, NULL);
        out[way] = fuzz_finish(r, s);
        fuzz_check(&out[way]);
    }
    fuzz_same(&out[0], &out[1]);
    fx_data_free(out[0].data);
    fx_data_free(out[1].data);
    return 0;
}
