/* SPDX-License-Identifier: BSD-3-Clause
 * fuzz_map.c - spec strings of maps.  Byte 0: how many features are asked for, and whether there is
 * a sample of rows; up to the first line end the map, behind it the kernel, behind that the family.
 * A map that is accepted must read its own spec again, without the sample, as the same map, and
 * score rows as their features do. */

#include "fuzz.h"

enum { N = 3, D = 6 };

static const double dense[N * D] = {0.5, 0, -0.25, 0.1, 0, 0.3, 0, 0, 0, 0, 0, 0,
                                    -0.5, 0.2, 0, 0.4, 0.1, 0};
static const double val[] = {0.5, -0.25, 0.1, 0.3, -0.5, 0.2, 0.4, 0.1};
static const int32_t col[] = {0, 2, 3, 5, 0, 1, 3, 4};
static const int64_t ptr[N + 1] = {0, 4, 4, 8};
static const fx_matrix X = {.rows = N, .cols = D, .stride = D, .type = FX_F64, .val = dense};
static const fx_matrix S = {.rows = N, .cols = D, .type = FX_F64, .val = val, .ptr = ptr,
                            .col = col};
static const fx_run run = {.size = sizeof(fx_run), .threads = 1, .max_memory = 1 << 24};

static double *numbers(size_t n)
{
    double *x = calloc(n + 1, sizeof *x);

    MUST(x != NULL);
    return x;
}

static void check_map(const fx_map *m, const fx_map *again)
{
    size_t F = fx_map_features(m);
    double *z = numbers(N * F), *y = numbers(N * F), *w = numbers(F), score[N];

    MUST(fx_map_features(again) == F && !strcmp(fx_map_spec(m), fx_map_spec(again)));
    fx_status s = fx_map_apply(z, F, FX_F64, m, &X, &run);
    MUST(s == FX_OK || s == FX_ENUMERIC || s == FX_ELIMIT);
    MUST(fx_map_apply(y, F, FX_F64, again, &X, &run) == s);
    MUST(s || !memcmp(z, y, N * F * sizeof *z));
    for (size_t f = 0; f < F; f++)
        w[f] = f % 2 ? -1 : 1;
    fx_status t = fx_map_score(score, m, w, 1, &X, &run);
    MUST(s == t || t == FX_ELIMIT);
    for (size_t i = 0; !s && !t && i < N; i++) {
        double sum = 0, size = 0;
        for (size_t f = 0; f < F; f++) {
            MUST(isfinite(z[i * F + f]));
            sum += w[f] * z[i * F + f];
            size += fabs(z[i * F + f]);
        }
        MUST(fabs(score[i] - sum) <= 70 * 0x1p-24 * size + 1e-37);      /* doc/math.md#score */
    }
    t = fx_map_apply(y, F, FX_F64, m, &S, &run);
    MUST(t == s || t == FX_OK || t == FX_ENUMERIC || t == FX_ELIMIT);
    free(z);
    free(y);
    free(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fx_kernel *k = NULL;
    fx_map *m = NULL, *again = NULL;
    char *text = malloc(size + 1);

    if (!text || size < 1) {
        free(text);
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    char *spec = text + 1, *kernel = strchr(spec, '\n');
    char *family = kernel ? strchr(kernel + 1, '\n') : NULL;
    if (kernel)
        *kernel++ = '\0';
    if (family)
        *family++ = '\0';
    size_t features = data[0] & 127;
    if (fx_kernel_parse(&k, kernel ? kernel : "anova", family, 0) == FX_OK) {
        if (fx_map_parse(&m, spec, k, D, features, 1, data[0] & 128 ? &S : NULL, &run) == FX_OK) {
            MUST(fx_map_describe(&(fx_description){.size = sizeof(fx_description)}, spec) == FX_OK);
            MUST(fx_map_parse(&again, fx_map_spec(m), k, D, features, 1, NULL, &run) == FX_OK);
            check_map(m, again);
        } else
            MUST(!m && fx_error_detail()[0]);
    }
    fx_map_free(again);
    fx_map_free(m);
    fx_kernel_free(k);
    free(text);
    return 0;
}
