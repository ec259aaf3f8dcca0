/* SPDX-License-Identifier: BSD-3-Clause
 * message.c - numbers and texts as bytes; see pass.h. */

#include "pass/pass.h"

#include <stdlib.h>
#include <string.h>

enum { NAME = 8, SUM_AT = 16 };         /* the header: name, length, checksum */

static bool reserve(fxi_message *m, size_t more)
{
    size_t need, capacity = m->capacity ? m->capacity : 256;

    if (m->failed || !fxi_size_add(&need, m->len, more)) {
        m->failed = true;
        return false;
    }
    if (need <= m->capacity)
        return true;
    if (capacity <= SIZE_MAX / 2)
        capacity *= 2;
    capacity = capacity < need ? need : capacity;       /* answers are long, and come at once */
    unsigned char *at = fxi_realloc(m->at, capacity, 1);
    if (!at) {
        m->failed = true;
        return false;
    }
    m->at = at;
    m->capacity = capacity;
    return true;
}

int fxi_pass_message_write(void *message, const void *bytes, size_t len)
{
    fxi_message *m = message;

    if (!reserve(m, len))
        return 1;
    if (len)
        memcpy(m->at + m->len, bytes, len);
    m->len += len;
    return 0;
}

void fxi_pass_message_put(fxi_message *m, const void *bytes, size_t len)
{
    const char zeros[8] = {0};

    if (!fxi_pass_message_write(m, bytes, len))
        fxi_pass_message_write(m, zeros, (8 - len % 8) % 8);
}

void fxi_pass_message(fxi_message *m, const char name[8])
{
    const char zeros[FXI_MESSAGE_HEADER - NAME] = {0};

    m->len = 0;
    m->failed = false;
    fxi_pass_message_put(m, name, NAME);
    fxi_pass_message_put(m, zeros, sizeof zeros);
}

void fxi_pass_message_count(fxi_message *m, uint64_t x) { fxi_pass_message_put(m, &x, sizeof x); }
void fxi_pass_message_number(fxi_message *m, double x) { fxi_pass_message_put(m, &x, sizeof x); }

void fxi_pass_message_numbers(fxi_message *m, const double *x, size_t n)
{
    fxi_pass_message_count(m, x ? n + 1 : 0);
    if (x)
        fxi_pass_message_put(m, x, n * sizeof *x);
}

void fxi_pass_message_text(fxi_message *m, const char *text)
{
    size_t len = text ? strlen(text) + 1 : 0;

    fxi_pass_message_count(m, len);
    fxi_pass_message_put(m, text, len);
}

fx_status fxi_pass_message_end(fxi_message *m)
{
    uint64_t len = m->len, sum = 0;
    fxi_checksum c = {0};

    if (m->failed)
        return FX_ENOMEM;
    memcpy(m->at + NAME, &len, sizeof len);
    memset(m->at + SUM_AT, 0, sizeof sum);
    fxi_checksum_add(&c, m->at, m->len);
    sum = fxi_checksum_end(&c);
    memcpy(m->at + SUM_AT, &sum, sizeof sum);
    return FX_OK;
}
