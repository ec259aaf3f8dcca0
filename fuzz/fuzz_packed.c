/* SPDX-License-Identifier: BSD-3-Clause
 * fuzz_packed.c - packed rows.  Byte 0 is r: the rest is taken as it is.  Otherwise its length and
 * checksum are set right.  What is unpacked is packed again, if its rows are those of a table, and
 * a model is fitted to it by passes, or says why not. */

#include "fuzz.h"

enum { BYTES = 8, CHECKSUM = 64 };      /* where the header has its length and its checksum */

static uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15u;
    return h << 31 | h >> 33;
}

/* As in src/base/checksum.c. */
static uint64_t checksum_of(const uint8_t *p, size_t len)
{
    uint64_t lane[8] = {0}, h = 1;

    for (size_t at = 0; at < (len + 63) / 64 * 64; at += 8) {
        uint64_t x = 0;
        for (size_t k = 0; k < 8 && at + k < len; k++)
            x |= (uint64_t)p[at + k] << 8 * k;
        lane[at / 8 % 8] = mix(lane[at / 8 % 8], x);
    }
    for (int k = 0; k < 8; k++)
        h = mix(h, lane[k]);
    return h;
}

static fx_status bring(void *table, const void *request, size_t bytes, const fx_sink *answer)
{
    fx_pass *p = NULL;
    fx_status s = fx_model_pass_new(&p, NULL);

    if (!s && !(s = fx_model_pass_begin(p, request, bytes))
        && !(s = fx_model_pass_add(p, table, 0)))
        s = fx_model_pass_end(answer, p);
    fx_model_pass_free(p);
    return s;
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
    if (data[0] != 'r' && size >= CHECKSUM + 8) {
        memcpy(bytes + BYTES, &(uint64_t){size}, 8);
        memset(bytes + CHECKSUM, 0, 8);
        memcpy(bytes + CHECKSUM, &(uint64_t){checksum_of(bytes, size)}, 8);
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
