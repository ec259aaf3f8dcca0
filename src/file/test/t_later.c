/* SPDX-License-Identifier: BSD-3-Clause
 * t_later.c - which columns came later, and the weight of the training, in a file: runs of columns
 * back as they were; files without them are as before; texts that are no ascending runs are
 * refused. */

#include "hostile.h"

enum { COLS = 70 };

static fx_model *with(const unsigned char *later, double weight)
{
    fx_model *m = built((fx_model_info){.spec = "ridge", .cols = COLS});

    m->c.later = later;
    m->c.weight = weight;
    return m;
}

static void round_trip(void)
{
    static const double weight[] = {0, 1, 0.1, 12345.678901234567, 1e300};

    for (int k = 0; k < test_cases(200); k++) {
        unsigned char later[COLS];
        uint64_t few = test_below(4);
        int any = 0;
        for (size_t j = 0; j < COLS; j++)
            any |= later[j] = few ? j >= few * 20 && j != 65 : test_below(2) > 0;
        fx_model *m = with(k % 5 ? later : NULL, weight[k % 5]), *back = NULL;
        file f = dumped(m), g;
        CHECK(fx_model_parse(&back, f.bytes, f.len, NULL) == FX_OK);
        CHECK(back->c.weight == m->c.weight && !back->c.later == !(k % 5 && any));
        CHECK(!back->c.later || !memcmp(back->c.later, later, COLS));
        CHECK(!strstr((char *)f.bytes + 8, "\"later\"") == !back->c.later);
        CHECK(!strstr((char *)f.bytes + 8, "\"weight\"") == (back->c.weight == 0));
        g = dumped(back);
        CHECK(f.len == g.len && !memcmp(f.bytes, g.bytes, f.len));
        fx_model_free(m);
        fx_model_free(back);
        free(f.bytes);
        free(g.bytes);
    }
}

int main(void)
{
    static const char *const texts[] = {"", ",", "-", "1,", ",1", "1,1", "2,1", "3-2", "1-3,3",
                                        "70", "1-70", "1--2", "1-2-3", "-1", "x", "1x", "1 ", " 1",
                                        "18446744073709551617", "1-18446744073709551617"};
    unsigned char later[COLS] = {0, 1, 0, 1, 1, 1};
    char to[64];
    change changes[] = {{"\"later\":\"1,3-5\"", to, "`later` is no ascending runs"}, {0}};

    test_init();
    round_trip();
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        snprintf(to, sizeof to, "\"later\":\"%s\"", texts[k]);
        check_changes(with(later, 3), changes);
    }
    const change others[] = {{"\"later\":\"1,3-5\"", "\"later\":1", "`later` is no string"},
                             {"\"weight\":\"3\"", "\"weight\":\"-3\"",
                              "weight of the training is -3"},
                             {"\"weight\":\"3\"", "\"weight\":\"inf\"", "weight"},
                             {"\"weight\":\"3\"", "\"weight\":\"nan\"", "weight"},
                             {"\"weight\":\"3\"", "\"weight\":3", "`weight` is no string"},
                             {0}};
    check_changes(with(later, 3), others);
    return 0;
}
