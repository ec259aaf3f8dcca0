/* SPDX-License-Identifier: BSD-3-Clause
 * fuzz_npz.c - the npz reader.  The input is a list of members: number of the name, length in two
 * bytes, npy bytes. */

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const name[] = {"data.npy",   "indices.npy",   "indptr.npy", "shape.npy",
                                       "format.npy", "x.npy",         "labels.npy", "other.npy",
                                       "arr_0.npy",  "_is_array.npy", "y.npy",      ""};
    fuzz_result out[2];

    for (int way = 0; way < 2; way++) { /* a member at once, or byte by byte */
        fx_reader *r = NULL;
        fx_status s = FX_OK;
        MUST(fx_data_reader_new(&r, "npz", "x") == FX_OK);
        for (size_t at = 0; at + 3 <= size && !s;) {
            size_t len = data[at + 1] | (size_t)data[at + 2] << 8;
            s = fx_data_reader_member(r, name[data[at] % (sizeof name / sizeof *name)]);
            at += 3;
            if (len > size - at)
                len = size - at;
            for (size_t i = 0, step = way ? 1 : len; i < len && !s; i += step)
                s = fx_data_reader_feed(r, data + at + i, step, NULL);
            at += len;
        }
        out[way] = fuzz_finish(r, s);
        fuzz_check(&out[way]);
    }
    fuzz_same(&out[0], &out[1]);
    fx_data_free(out[0].data);
    fx_data_free(out[1].data);
    return 0;
}
