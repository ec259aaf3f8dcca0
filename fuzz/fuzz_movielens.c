/* SPDX-License-Identifier: BSD-3-Clause
 * fuzz_movielens.c - u.data, u.user and u.item, NUL bytes between them.  Byte 0: the part. */

#include "fuzz.h"
#include "featcross_extra.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const part[] = {"train", "valid", "test", "all"};
    const char *file[3] = {"", "", ""};

    if (size < 2)
        return 0;
    char *text = malloc(size);
    MUST(text != NULL);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    const char *p = text, *end = text + size - 1;
    for (int i = 0; i < 3 && p <= end; i++) {
        file[i] = p;
        p += strlen(p) + 1;
    }
    fuzz_result r = {0};
    r.status = fx_data_movielens(&r.data, part[data[0] & 3], data[0], file[0], file[1], file[2],
                                 NULL);
    MUST(r.status <= 0 && (r.status == 0) == (r.data != NULL));
    if (r.data)
        r.count.rows = fx_data_table(r.data).rows;
    fuzz_check(&r);
    fx_data_free(r.data);
    free(text);
    return 0;
}
