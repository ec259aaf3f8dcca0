/* SPDX-License-Identifier: BSD-3-Clause
 * spec.c - the name of a format, scaling or synthetic set, looked up in a list. */

#include "data/data.h"

#include <stdio.h>
#include <string.h>

fx_status fxi_data_spec(fxi_spec *out, size_t *which, const char *spec, const char *const *names,
                        const char *what)
{
    fxi_spec s;
    char known[256] = "";

    if (!spec)
        return fxi_error(FX_EINVAL, "no %s is named", what);
    fx_status st = fxi_spec_parse(&s, spec, strlen(spec));
    if (st)
        return st;
    for (size_t i = 0; names[i]; i++) {
        if (fxi_spec_is(&s, names[i])) {
            if (s.inner)
                return fxi_error(FX_EINVAL, "'%s': %s takes nothing in brackets", spec, names[i]);
            *which = i;
            *out = s;
            return FX_OK;
        }
        size_t n = strlen(known);
        snprintf(known + n, sizeof known - n, "%s%s", n ? ", " : "", names[i]);
    }
    return fxi_error(FX_EINVAL, "there is no %s '%.*s'; there are %s", what, (int)s.name_len,
                     s.name, known);
}
