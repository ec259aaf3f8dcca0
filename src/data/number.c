/* SPDX-License-Identifier: BSD-3-Clause
 * number.c - numbers as text, the same in files, messages and JSON. */

#include "data/data.h"

int fx_data_number(char buf[32], double x) { return fxi_decimal_write(buf, x); }
