/* SPDX-License-Identifier: BSD-3-Clause
 * run.c - the main of a module's unit tests: `kernel.test gram` runs src/kernel/test/t_gram.c.
 * CMake lists the tests as TESTS, e.g. TEST(gram) TEST(rows), and renames the main of each to
 * test_gram, test_rows, ..  A test that ends without having checked anything has failed. */

#include "base/test.h"

#include <string.h>

#define TEST(name) int test_##name(void);
TESTS
#undef TEST

static const struct {
    const char *name;
    int (*run)(void);
} tests[] = {
#define TEST(name) {#name, test_##name},
    TESTS
#undef TEST
};

int main(int argc, char **argv)
{
    const size_t n = sizeof tests / sizeof *tests;

    for (size_t i = 0; argc == 2 && i < n; i++)
        if (!strcmp(argv[1], tests[i].name)) {
            int status = tests[i].run();
            if (!status && !test_checked) {
                fprintf(stderr, "%s: nothing was checked\n", argv[1]);
                return 1;
            }
            return status;
        }
    fprintf(stderr, "usage: %s TEST, one of", argv[0]);
    for (size_t i = 0; i < n; i++)
        fprintf(stderr, " %s", tests[i].name);
    fprintf(stderr, "\n");
    return 2;
}
