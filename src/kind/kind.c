/* SPDX-License-Identifier: BSD-3-Clause
 * kind.c - the table of kinds. */

#include "kind/kind.h"

#define KIND(name) &fxi_kind_##name,
const fxi_kind *const fxi_kinds[] = {
#include "kind/kind.def"
    NULL};
