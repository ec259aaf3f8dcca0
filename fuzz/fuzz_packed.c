/* SPDX-License-Identifier: BSD-3-Clause
 * fuzz_packed.c - packed rows.  Byte 0 is r: the rest is taken as it is.  Otherwise its length and
 * checksum are set right.  What is unpacked is packed again, if its rows are those of a table, and
 * a model is fitted to it by passes, or says why not. */

#include "fuzz.h"

enum { BYTES = 8, CRC = 64 };           /* where the header has its length and its checksum */

static uint32_t crc_of(const uint8_t *p, size_t len)
{
    uint32_t r = UINT32_MAX;

    for (size_t i = 0; i < 8 * len; i++)
        r = (r ^ (uint32_t)(p[i / 8] >> i % 8)) & 1 ? r >> 1 ^ 0xedb88320u : r >> 1;
    return ~r;
}

static fx_status bring(void *table, fx_pass *pass)
{
    return fx_model_passes_add(pass, table, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const fx_run run = {.size = sizeof(fx_run), .threads = 1, .max_memory = 1 << 24};
    const fx_plan plan = {.size = sizeof(fx_plan), .model = "logistic:max-iter=5"};
    fuzz_file again = {NULL, 0};
    fx_data *d = NULL, *back = NULL;
    fx_model *m = NULL;
    uint8_t *bytes;

    if (size < 1)
        return 0;
    bytes = malloc(size);
    MUST(bytes);
    memcpy(bytes, data + 1, size - 1);
    size--;
    if (data[0] != 'r' && size >= CRC + 8) {
        memcpy(bytes + BYTES, &(uint64_t){size}, 8);
        memset(bytes + CRC, 0, 4);
        memcpy(bytes + CRC, &(uint32_t){crc_of(bytes, size)}, 4);
    }
    fx_status s = fx_data_unpack(&d, bytes, size, &run);
    MUST((s == FX_OK) == (d != NULL) && (!s || (s < 0 && fx_error_detail()[0])));
    if (d) {
        fx_table t = fx_data_table(d);
        s = fx_data_pack(&(fx_sink){sizeof(fx_sink), fuzz_write, NULL, &again}, &t, &run);
        MUST(s <= 0);
        if (!s)
            MUST(fx_data_unpack(&back, again.bytes, again.len, NULL) == FX_OK);
        s = fx_model_passes_fit(&m, &plan, bring, &t, &run);
        MUST((s >= 0) == (m != NULL));
    }
    fx_model_free(m);
    fx_data_free(d);
    fx_data_free(back);
    free(again.bytes);
    free(bytes);
    return 0;
}
