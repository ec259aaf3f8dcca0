/* SPDX-License-Identifier: BSD-3-Clause
 * spec.c - the name of a format, scaling or synthetic set, looked up in a list. */

#include "data/data.h"

#include <string.h>

fx_status fxi_data_spec(fxi_spec *out, size_t *which, const char *spec, const char *const *names,
                        const char *what)
{
    fxi_spec s;

    if (!spec)
        return fxi_error(FX_EINVAL, "no %s is named", what);
    fx_status st = fxi_spec_parse(&s, spec, strlen(spec));
    if (!st)
        st = fxi_spec_find(which, &s, names, what);
    if (!st && s.inner)
        st = fxi_error(FX_EINVAL, "'%s': a %s takes nothing in brackets", spec, what);
    if (!st)
        *out = s;
    return st;
}
