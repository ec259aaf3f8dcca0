/* SPDX-License-Identifier: BSD-3-Clause
 * t_error.c - one line of detail for each thread, and the names of statuses.
 *
 * Covers: abi.c, status.c, version.c */

#include "base/base.h"
#include "base/test.h"

#include <pthread.h>
#include <string.h>

static void *other_thread(void *unused)
{
    (void)unused;
    CHECK(fx_error_detail()[0] == '\0');
    fxi_error(FX_EINVAL, "the other's");
    return NULL;
}

int main(void)
{
    test_init();
    CHECK(fx_error_detail()[0] == '\0');
    CHECK(fxi_error(FX_ESHAPE, "X has %zu columns, Z has %d", (size_t)3, 4) == FX_ESHAPE);
    CHECK(!strcmp(fx_error_detail(), "X has 3 columns, Z has 4"));

    pthread_t id;
    CHECK(pthread_create(&id, NULL, other_thread, NULL) == 0);
    CHECK(pthread_join(id, NULL) == 0);
    CHECK(!strcmp(fx_error_detail(), "X has 3 columns, Z has 4"));

    fxi_error(FX_ENUMERIC, "feature 7 of row 3 (from 0) and row 5: 1e9");
    fxi_error_row(0);
    CHECK(strstr(fx_error_detail(), "of row 3 (from 0)"));
    fxi_error_row(9997);
    CHECK(!strcmp(fx_error_detail(), "feature 7 of row 10000 (from 0) and row 5: 1e9"));
    fxi_error(FX_ENUMERIC, "row 3");    /* from what? */
    fxi_error_row(2);
    CHECK(!strcmp(fx_error_detail(), "row 3"));
    fxi_error(FX_EFORMAT, "a\nb\tc\x7f"
                          "d\xc3\xa9"); /* one line; UTF-8 passes */
    CHECK(!strcmp(fx_error_detail(), "a?b?c?d\xc3\xa9"));

    char text[2000];                    /* cut, not overrun */
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    fxi_error(FX_EINVAL, "%s", text);
    CHECK(strlen(fx_error_detail()) == 511);

    CHECK(!strcmp(fx_status_name(FX_OK), "FX_OK"));
    CHECK(!strcmp(fx_status_name(FX_ENOMEM), "FX_ENOMEM"));
    CHECK(!strcmp(fx_status_name((fx_status)99), "FX_UNKNOWN"));
    for (int s = FX_EOUTPUT; s <= FX_DIVERGED; s++)     /* all named, all different */
        for (int t = FX_EOUTPUT; t <= s; t++) {
            const char *a = fx_status_name((fx_status)s), *b = fx_status_name((fx_status)t);
            CHECK((s == t) == !strcmp(a, b) && strcmp(a, "FX_UNKNOWN"));
        }
    CHECK(fx_version() == FX_VERSION && fx_abi() == FX_ABI);
    return 0;
}
