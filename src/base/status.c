/* SPDX-License-Identifier: BSD-3-Clause
 * status.c - the name of each status. */

#include "base/base.h"

const char *fx_status_name(fx_status s)
{
    switch (s) {
#define NAME(x) case x: return #x
    NAME(FX_OK);
    NAME(FX_NOT_CONVERGED);
    NAME(FX_DIVERGED);
    NAME(FX_ENOMEM);
    NAME(FX_EINVAL);
    NAME(FX_ESHAPE);
    NAME(FX_EFORMAT);
    NAME(FX_EDOMAIN);
    NAME(FX_ENUMERIC);
    NAME(FX_EUNSUPPORTED);
    NAME(FX_ECANCELLED);
    NAME(FX_ELIMIT);
    NAME(FX_EOUTPUT);
#undef NAME
    }
    return "FX_UNKNOWN";
}
