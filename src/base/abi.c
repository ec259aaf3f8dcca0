/* SPDX-License-Identifier: BSD-3-Clause
 * abi.c - which binary interface is loaded. */

#include "base/base.h"

int fx_abi(void) { return FX_ABI; }
