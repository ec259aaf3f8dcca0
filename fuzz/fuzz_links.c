/* SPDX-License-Identifier: BSD-3-Clause
 * fuzz_links.c - links between three nodes and four, or within three.  Byte 0: the part, how many
 * pairs are drawn for a link, and whether nodes of A are called by number. */

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const part[] = {"train", "test", "sample", "all"};
    static const char *const called[] = {"a", "b", "c"};
    static const float x[8] = {1, 0, 2, 3, 0, 4, 5, 6};
    static const double label[3] = {0, 1, 2}, number[4] = {-1, 0, 2.5, 1e300};

    if (!size)
        return 0;
    const fx_matrix XA = {.rows = 3, .cols = 2, .stride = 2, .val = x};
    const fx_matrix XB = {.rows = 4, .cols = 2, .stride = 2, .val = x};
    fx_table A = {.rows = 3, .cols = 2, .blocks = 1, .block = &XA, .label = label, .classes = 3,
                  .class_name = called};
    const fx_table B = {.rows = 4, .cols = 2, .blocks = 1, .block = &XB, .label = number};
    if (data[0] & 16)
        A.label = NULL, A.classes = 0, A.class_name = NULL;
    char *text = malloc(size);
    MUST(text != NULL);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    fuzz_result r = {0};
    r.status = fx_data_links(&r.data, &A, data[0] & 32 ? NULL : &B, text, part[data[0] & 3],
                             data[0] >> 2 & 3, data[0], NULL);
    MUST(r.status <= 0 && (r.status == 0) == (r.data != NULL));
    if (r.data)
        r.count.rows = fx_data_table(r.data).rows;
    fuzz_check(&r);
    fx_data_free(r.data);
    free(text);
    return 0;
}
