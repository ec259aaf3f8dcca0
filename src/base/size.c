/* SPDX-License-Identifier: BSD-3-Clause
 * size.c - size arithmetic that cannot wrap. */

#include "base/base.h"

bool fxi_size_add(size_t *out, size_t a, size_t b) { return !__builtin_add_overflow(a, b, out); }

bool fxi_size_mul(size_t *out, size_t a, size_t b) { return !__builtin_mul_overflow(a, b, out); }
