/* SPDX-License-Identifier: BSD-3-Clause
 * fuzz_libfm.c - libFM's text of a model.  Byte 0: of classes, or of a target.  What is accepted is
 * exported and imported again as the same text. */

#include "fuzz.h"

typedef struct bytes { char *at; size_t len; } bytes;

static int append(void *ctx, const void *more, size_t len)
{
    bytes *b = ctx;

    b->at = realloc(b->at, b->len + len + 1);
    MUST(b->at);
    memcpy(b->at + b->len, more, len);
    b->len += len;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const fx_run run = {.size = sizeof(fx_run), .threads = 1, .max_memory = 1 << 24};
    fx_model *m = NULL, *back = NULL;
    bytes first = {0}, second = {0};

    if (!size)
        return 0;
    fx_status s = fx_model_import(&m, "libfm", data[0] & 1, data + 1, size - 1, &run);
    MUST((s == FX_OK) == (m != NULL) && s <= 0 && (!s || fx_error_detail()[0]));
    if (m) {
        MUST(fx_model_export(&(fx_sink){.size = sizeof(fx_sink), .write = append, .ctx = &first}, m,
                             "libfm")
             == FX_OK);
        MUST(fx_model_import(&back, "libfm", 0, first.at, first.len, NULL) == FX_OK);
        MUST(fx_model_export(&(fx_sink){.size = sizeof(fx_sink), .write = append, .ctx = &second},
                             back, "libfm")
             == FX_OK);
        MUST(first.len == second.len && !memcmp(first.at, second.at, first.len));
    }
    fx_model_free(m);
    fx_model_free(back);
    free(first.at);
    free(second.at);
    return 0;
}
