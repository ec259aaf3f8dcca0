/* SPDX-License-Identifier: BSD-3-Clause */
#include "featcross.h"
#include <stdio.h>
int main(void) { printf("featcross %d %s\n", fx_version(), fx_simd_target()); return 0; }
