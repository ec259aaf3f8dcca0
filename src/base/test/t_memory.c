/* SPDX-License-Identifier: BSD-3-Clause
 * t_memory.c - alignment, zeroing, sizes that cannot be had, and the limit of a call. */

#include "base/base.h"
#include "base/test.h"

#include <string.h>

static void check_rejected(void *p)
{
    CHECK(p == NULL);
    CHECK(strstr(fx_error_detail(), "out of memory"));
    fxi_error(FX_EINVAL, "something else");
}

int main(void)
{
    test_init();
    for (size_t n = 0; n < 300; n++) {
        unsigned char *p = fxi_alloc(n, 3), *z = fxi_zalloc(n, 3);
        CHECK(p && z && (uintptr_t)p % 64 == 0 && (uintptr_t)z % 64 == 0);
        memset(p, 0xff, 3 * n);
        for (size_t i = 0; i < 3 * n; i++)
            CHECK(z[i] == 0);
        free(z);
        z = fxi_realloc(p, 2 * n, 3);   /* keeps what was there, whoever allocated it */
        CHECK(z);
        for (size_t i = 0; i < 3 * n; i++)
            CHECK(z[i] == 0xff);
        free(z);
    }
    char *s = fxi_strndup("abcdef", 3);
    CHECK(s && !strcmp(s, "abc"));

    volatile size_t huge = SIZE_MAX;    /* hides the size from the compiler's warnings */
    check_rejected(fxi_alloc(huge, 2));  /* the product wraps */
    check_rejected(fxi_alloc(huge, 1));  /* the padding wraps */
    check_rejected(fxi_alloc(huge / 2, 1));  /* no machine has it */
    check_rejected(fxi_zalloc(huge / 2, 1));
    check_rejected(fxi_realloc(s, huge, 2));
    check_rejected(fxi_realloc(s, huge / 2, 1));
    CHECK(!strcmp(s, "abc"));           /* still ours */
    free(s);

    fx_run run = {RUN, .max_memory = 1000};
    CHECK(fxi_memory_check(NULL, SIZE_MAX, "K") == FX_OK);
    CHECK(fxi_memory_check(&(fx_run){.size = sizeof(fx_run)}, SIZE_MAX, "K") == FX_OK);
    CHECK(fxi_memory_check(&run, 1000, "K") == FX_OK);
    CHECK(fxi_memory_check(&run, 1001, "K") == FX_ELIMIT);
    CHECK(!strcmp(fx_error_detail(), "K needs 1001 bytes, the limit is 1000"));

    fx_status st = FX_OK;
    void *p = fxi_alloc_within(&st, 100, 10, &run, "K");
    CHECK(p && st == FX_OK);
    free(p);
    CHECK(!fxi_alloc_within(&st, SIZE_MAX, 2, NULL, "K") && st == FX_ENOMEM);
    CHECK(!fxi_alloc_within(&st, 1, 1, NULL, "K") && st == FX_ENOMEM);  /* the error stays */
    st = FX_OK;
    CHECK(!fxi_alloc_within(&st, 1001, 1, &run, "K") && st == FX_ELIMIT);
    return 0;
}
