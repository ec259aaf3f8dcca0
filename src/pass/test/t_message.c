/* SPDX-License-Identifier: BSD-3-Clause
 * t_message.c - messages: what was put is read again; every bit that is flipped and every cut is
 * found; lengths that lie.
 *
 * Covers: message_read.c */

#include "base/test.h"
#include "pass/pass.h"

#include <stdlib.h>
#include <string.h>

static const double numbers[] = {1.5, -0.0, 3e300};

static fxi_message example(void)
{
    fxi_message m = {0};

    fxi_pass_message(&m, "fxtest01");
    fxi_pass_message_count(&m, UINT64_MAX);
    fxi_pass_message_text(&m, "seven b");
    fxi_pass_message_text(&m, NULL);
    fxi_pass_message_text(&m, "");
    fxi_pass_message_numbers(&m, numbers, 3);
    fxi_pass_message_numbers(&m, NULL, 3);
    fxi_pass_message_numbers(&m, numbers, 0);
    fxi_pass_message_number(&m, 0.1);
    fxi_pass_message_put(&m, "abc", 3);
    CHECK(fxi_pass_message_end(&m) == FX_OK);
    return m;
}

static void check(const fxi_message *m)
{
    fxi_reading r;
    size_t n;

    CHECK(fxi_pass_message_read(&r, m->at, m->len, "fxtest01", "test") == FX_OK);
    CHECK(fxi_pass_message_read_count(&r) == UINT64_MAX);
    CHECK(!strcmp(fxi_pass_message_read_text(&r), "seven b"));
    CHECK(!fxi_pass_message_read_text(&r) && !strcmp(fxi_pass_message_read_text(&r), ""));
    const double *x = fxi_pass_message_read_numbers(&r, &n);
    CHECK(x && n == 3 && !memcmp(x, numbers, sizeof numbers));
    CHECK(!fxi_pass_message_read_numbers(&r, &n) && n == 0);
    CHECK(fxi_pass_message_read_numbers(&r, &n) && n == 0);
    CHECK(fxi_pass_message_read_number(&r) == 0.1);
    CHECK(!memcmp(fxi_pass_message_read_take(&r, 3), "abc", 3));
    CHECK(fxi_pass_message_read_end(&r, "test") == FX_OK);
}

static void test_damage(fxi_message *m)
{
    fxi_reading r;

    for (size_t bit = 0; bit < 8 * m->len; bit++) {
        m->at[bit / 8] ^= (unsigned char)(1 << bit % 8);
        CHECK(fxi_pass_message_read(&r, m->at, m->len, "fxtest01", "test") == FX_EFORMAT);
        m->at[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    for (size_t len = 0; len < m->len; len++)
        CHECK(fxi_pass_message_read(&r, m->at, len, "fxtest01", "test") == FX_EFORMAT);
    CHECK(fxi_pass_message_read(&r, m->at, m->len, "fxtest02", "test") == FX_EFORMAT);
    CHECK(fxi_pass_message_read(&r, NULL, 0, "fxtest01", "test") == FX_EFORMAT);
    CHECK(strstr(fx_error_detail(), "test: 0 bytes"));
}

/* The checksum is right, the lengths are not. */
static void test_lies(void)
{
    static const uint64_t lies[] = {2, 1000, UINT64_MAX, UINT64_MAX / 8 + 2, INT64_MAX};

    for (size_t k = 0; k < sizeof lies / sizeof *lies; k++)
        for (int what = 0; what < 3; what++) {
            fxi_message m = {0};
            fxi_reading r;
            size_t n;
            fxi_pass_message(&m, "fxtest01");
            fxi_pass_message_count(&m, lies[k]);
            CHECK(fxi_pass_message_end(&m) == FX_OK);
            CHECK(fxi_pass_message_read(&r, m.at, m.len, "fxtest01", "test") == FX_OK);
            if (what == 0)
                CHECK(!fxi_pass_message_read_text(&r));
            else if (what == 1)
                CHECK(!fxi_pass_message_read_numbers(&r, &n) && n == 0);
            else
                CHECK(!fxi_pass_message_read_take(&r, 16));
            CHECK(r.bad && fxi_pass_message_read_end(&r, "test") == FX_EFORMAT);
            free(m.at);
        }
}

static void test_texts_end(void)
{
    fxi_message m = {0};
    fxi_reading r;

    fxi_pass_message(&m, "fxtest01");
    fxi_pass_message_count(&m, 4);
    fxi_pass_message_put(&m, "a\0b", 4);       /* ends before its length */
    CHECK(fxi_pass_message_end(&m) == FX_OK);
    CHECK(fxi_pass_message_read(&r, m.at, m.len, "fxtest01", "test") == FX_OK);
    CHECK(!fxi_pass_message_read_text(&r) && r.bad);
    CHECK(fxi_pass_message_read_end(&r, "test") == FX_EFORMAT);
    free(m.at);
}

int main(void)
{
    test_init();
    fxi_message m = example();
    check(&m);
    test_damage(&m);
    free(m.at);
    test_lies();
    test_texts_end();
    return 0;
}
