/* SPDX-License-Identifier: BSD-3-Clause
 * fuzz_kernel.c - spec strings and the text of families.  Byte 0: index base; up to the first line
 * end the spec, behind it the family.  A kernel that is accepted must be described, read its own
 * spec again as the same kernel, and give a symmetric Gram matrix, alike for dense and sparse
 * rows. */

#include "fuzz.h"

enum { N = 3, D = 6 };

static void check_kernel(const fx_kernel *k)
{
    static const double dense[N * D] = {0.5, 0, -0.25, 0.1, 0, 0.3, 0, 0, 0, 0, 0, 0,
                                        -0.5, 0.2, 0, 0.4, 0.1, 0};
    static const double val[] = {0.5, -0.25, 0.1, 0.3, -0.5, 0.2, 0.4, 0.1};
    static const int32_t col[] = {0, 2, 3, 5, 0, 1, 3, 4};
    static const int64_t ptr[N + 1] = {0, 4, 4, 8};
    fx_matrix X = {.rows = N, .cols = D, .stride = D, .type = FX_F64, .val = dense};
    fx_matrix S = {.rows = N, .cols = D, .type = FX_F64, .val = val, .ptr = ptr, .col = col};
    double K[N * N], L[N * N];
    fx_status s = fx_kernel_gram(K, N, k, &X, NULL, NULL);
    fx_status t = fx_kernel_gram(L, N, k, &S, NULL, NULL);

    MUST(s == t
         && (s == FX_OK || s == FX_EDOMAIN || s == FX_ENUMERIC || s == FX_EUNSUPPORTED));
    for (int i = 0; !s && i < N; i++)
        for (int j = 0; j < N; j++) {
            double a = K[i * N + j], b = L[i * N + j];
            MUST(isfinite(a) && a == K[j * N + i]);
            MUST(fabs(a - b) <= 1e-6 * (1 + fabs(a) + fabs(b)));
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fx_kernel *k = NULL, *again = NULL;
    char *text = malloc(size + 1);

    if (!text || size < 1) {
        free(text);
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    char *spec = text + 1, *family = strchr(spec, '\n');
    if (family)
        *family++ = '\0';
    size_t len = 0;
    const char *file = fx_kernel_file(spec, &len);
    MUST(!file || (file >= spec && file + len <= text + size));
    fx_description d = FX_INIT(fx_description);
    fx_status described = fx_kernel_describe(&d, spec);
    if (fx_kernel_parse(&k, spec, family, data[0] & 1) == FX_OK) {
        const char *name;
        MUST(described == FX_OK && fx_spec_get(&name, &len, spec, "") == FX_OK);
        MUST(len == strlen(d.name) && !memcmp(name, d.name, len));
        MUST(fx_kernel_parse(&again, fx_kernel_spec(k), family, data[0] & 1) == FX_OK);
        MUST(!strcmp(fx_kernel_spec(k), fx_kernel_spec(again)));
        check_kernel(k);
    } else
        MUST(!k && fx_error_detail()[0]);
    fx_kernel_free(k);
    fx_kernel_free(again);
    free(text);
    return 0;
}
