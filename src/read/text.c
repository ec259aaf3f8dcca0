/* SPDX-License-Identifier: BSD-3-Clause
 * text.c - bytes that are collected until they are needed: lines held back, identifiers. */

#include "read/read.h"

char *fxi_read_text_room(fxi_read_text *t, size_t more)
{
    size_t all;

    if (!fxi_size_add(&all, t->len, more))
        return fxi_alloc(SIZE_MAX, 1);  /* sets the error */
    if (all > t->capacity) {
        size_t capacity = all < 2 * t->capacity ? 2 * t->capacity : all;
        char *at = fxi_realloc(t->at, capacity, 1);
        if (!at)
            return NULL;
        t->at = at;
        t->capacity = capacity;
    }
    return t->at + t->len;
}
