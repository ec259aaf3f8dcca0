/* SPDX-License-Identifier: BSD-3-Clause
 * sized.c - structs with a member `size`, the first one, which callers fill or have filled.
 *
 * If the caller's header is older than the library, its struct is shorter; if it is newer, longer.
 * Missing members are 0; additional members must be 0, since the library does not know them. */

#include "base/base.h"

#include <string.h>

enum { LARGEST = 1 << 16 };             /* a larger size was never set */
static const size_t UNKNOWN = SIZE_MAX - 1; /* of a run with members that are unknown here */

static size_t size_of(const void *given)
{
    size_t size;

    memcpy(&size, given, sizeof size);
    return size;
}

static bool is_known(const void *given, size_t ours)
{
    size_t size = size_of(given);

    for (size_t i = ours; i < size; i++)
        if (((const unsigned char *)given)[i])
            return false;
    return true;
}

static fx_status unknown(const char *type)
{
    return fxi_error(FX_EINVAL, "%s: a member is set that version %d of the library does not have",
                     type, FX_VERSION);
}

fx_status fxi_sized_check(const void *given, const char *type)
{
    size_t size = size_of(given);

    if (size < sizeof size || size > LARGEST)
        return fxi_error(FX_EINVAL, "%s.size is %zu: start with %s x = FX_INIT(%s)", type, size,
                         type, type);
    return FX_OK;
}

fx_status fxi_sized_in(void *own, size_t ours, const void *given, const char *type)
{
    fx_status st = fxi_sized_check(given, type);

    if (st)
        return st;
    if (!is_known(given, ours))
        return unknown(type);
    size_t size = size_of(given);
    memset(own, 0, ours);
    memcpy(own, given, size < ours ? size : ours);
    memcpy(own, &ours, sizeof ours);
    return FX_OK;
}

void fxi_sized_out(void *given, const void *own, size_t ours)
{
    size_t size = size_of(given);

    memset(given, 0, size);
    memcpy(given, own, size < ours ? size : ours);
    memcpy(given, &size, sizeof size);
}

fx_run fxi_sized_run(const fx_run *run)
{
    fx_run own = FX_INIT(fx_run);

    if (!run)
        return own;
    size_t size = size_of(run);
    if (size < sizeof size || size > LARGEST)
        own.size = size;                /* reported by fxi_sized_run_check */
    else if (!is_known(run, sizeof own))
        own.size = UNKNOWN;
    else
        fxi_sized_in(&own, sizeof own, run, "fx_run");
    return own;
}

fx_status fxi_sized_run_check(const fx_run *run)
{
    if (!run)
        return FX_OK;
    if (size_of(run) == UNKNOWN)
        return unknown("fx_run");
    fx_status st = fxi_sized_check(run, "fx_run");
    return st || is_known(run, sizeof *run) ? st : unknown("fx_run");
}
