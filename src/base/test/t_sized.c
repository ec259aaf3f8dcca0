/* SPDX-License-Identifier: BSD-3-Clause
 * t_sized.c - structs of callers whose header is older (shorter) or newer (longer) than ours. */

#include "base/test.h"
#include "base/base.h"

#include <string.h>

typedef struct ours {
    size_t size;
    int a, b;
    double c;
} ours;
typedef struct older {
    size_t size;
    int a;
} older;
typedef struct newer {
    size_t size;
    int a, b;
    double c, d;
} newer;

static void test_in(void)
{
    ours o = {.b = 7};
    const older shorter = {sizeof shorter, 1};
    newer longer = {sizeof longer, 1, 2, 3, 0};

    CHECK(fxi_sized_in(&o, sizeof o, &shorter, "fx_ours") == FX_OK);
    CHECK(o.size == sizeof o && o.a == 1 && o.c == 0);
    CHECK(fxi_sized_in(&o, sizeof o, &longer, "fx_ours") == FX_OK);
    CHECK(o.size == sizeof o && o.a == 1 && o.b == 2 && o.c == 3);
    longer.d = 1;
    CHECK(fxi_sized_in(&o, sizeof o, &longer, "fx_ours") == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "fx_ours: a member is set that version"));
    longer.size = 0;
    CHECK(fxi_sized_in(&o, sizeof o, &longer, "fx_ours") == FX_EINVAL);
    CHECK(strstr(fx_error_detail(), "fx_ours.size is 0: start with fx_ours x = FX_INIT(fx_ours)"));
    longer.size = (size_t)-1;           /* never set */
    CHECK(fxi_sized_in(&o, sizeof o, &longer, "fx_ours") == FX_EINVAL);
}

static void test_out(void)
{
    const ours o = {sizeof o, 1, 2, 3};
    struct { older s; int beyond; } shorter = {{sizeof(older), 9}, 5};
    newer longer = {sizeof longer, 9, 9, 9, 9};

    CHECK(fxi_sized_check(&shorter.s, "x") == FX_OK && fxi_sized_check(&longer, "x") == FX_OK);
    fxi_sized_out(&shorter.s, &o, sizeof o);
    CHECK(shorter.s.size == sizeof(older) && shorter.s.a == 1 && shorter.beyond == 5);
    fxi_sized_out(&longer, &o, sizeof o);
    CHECK(longer.size == sizeof longer && longer.a == 1 && longer.c == 3 && longer.d == 0);
    longer.size = 3;
    CHECK(fxi_sized_check(&longer, "x") == FX_EINVAL);
}

static fx_status nothing(void *ctx, size_t block, fxi_team *team)
{
    (void)block, (void)team;
    ++*(int *)ctx;
    return FX_OK;
}

/* A run that is wrong is reported wherever it ends up, also by way of copies. */
static void test_runs(void)
{
    struct { fx_run run; int more; } longer = {{RUN, .threads = 3}, 0};
    const fx_run unset = {.threads = 2};
    int calls = 0;

    longer.run.size = sizeof longer;
    CHECK(fxi_sized_run(NULL).threads == 0 && fxi_sized_run_check(NULL) == FX_OK);
    CHECK(fxi_sized_run(&longer.run).threads == 3 && fxi_sized_run_check(&longer.run) == FX_OK);
    fx_run copy = fxi_sized_run(&unset);
    CHECK(fxi_parallel(1, nothing, &calls, &unset) == FX_EINVAL);
    CHECK(fxi_parallel(1, nothing, &calls, &copy) == FX_EINVAL && calls == 0);
    CHECK(fxi_memory_check(&unset, 1, "x") == FX_EINVAL);
    for (size_t size = 1; size; size = size == 1 ? 1 << 20 : size == 1 << 20 ? SIZE_MAX : 0) {
        const fx_run never = {.size = size};    /* nothing behind it is read */
        CHECK(fxi_parallel(1, nothing, &calls, &never) == FX_EINVAL && calls == 0);
        CHECK(strstr(fx_error_detail(), "fx_run.size is "));
        copy = fxi_sized_run(&never);
        CHECK(fxi_parallel(1, nothing, &calls, &copy) == FX_EINVAL && calls == 0);
    }
    longer.more = 1;
    copy = fxi_parallel_run(&longer.run, 1);
    CHECK(fxi_parallel(1, nothing, &calls, &longer.run) == FX_EINVAL);
    CHECK(fxi_parallel(1, nothing, &calls, &copy) == FX_EINVAL && calls == 0);
    CHECK(strstr(fx_error_detail(), "fx_run: a member is set"));
}

int main(void)
{
    test_init();
    test_in();
    test_out();
    test_runs();
    return 0;
}
