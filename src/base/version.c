/* SPDX-License-Identifier: BSD-3-Clause
 * version.c - what is loaded, for programs that were compiled with another header. */

#include "base/base.h"

int fx_version(void) { return FX_VERSION; }
