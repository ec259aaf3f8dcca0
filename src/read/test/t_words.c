/* SPDX-License-Identifier: BSD-3-Clause
 * t_words.c - the format `text`: words, n-grams, counts, labels, errors. */

#include "data/test/reading.h"
#include "read/read.h"

static void named(const fx_data *d, const char *const *name, size_t n)
{
    fx_table t = fx_data_table(d);

    CHECK(t.cols == n);
    for (size_t j = 0; j < n; j++)
        CHECK(!strcmp(t.name[j], name[j]));
}

static void words(void)
{
    static const char *const one[] = {"the", "cat", "s", "2", "m\xc3\xbcller"};
    static const char *const two[] = {"the", "cat", "the cat", "s", "cat s", "2", "2 cat",
                                      "m\xc3\xbcller"};
    static const char text[] = "pos The CAT's the\r\n\n  neg\t2,cat!\npos\nneg m\xc3\xbcller ";
    fx_data *d = reading_good("text:value=count", text);
    fx_table t = fx_data_table(d);

    named(d, one, 5);
    CHECK(t.rows == 4 && t.classes == 2 && !strcmp(t.class_name[0], "neg") && t.label[0] == 1);
    CHECK(reading_at(d, 0, 0) == 2 && reading_at(d, 0, 1) == 1 && reading_row(&t, 0).n == 3);
    CHECK(reading_row(&t, 2).n == 0 && reading_at(d, 3, 4) == 1 && t.block[0].type == FX_F32);
    fx_data_free(d);

    d = reading_good("text:ngram=2", "0 the cat s\n1 2 cat\n2 M\xc3\xbcller\n");
    named(d, two, 8);
    CHECK(reading_stored(d) == 9 && fx_data_table(d).classes == 0);
    CHECK(fx_data_table(d).label[1] == 1);
    fx_data_free(d);

    d = reading_good("text:label=none,value=binary", "a a b\nb\n");
    CHECK(!fx_data_table(d).label && reading_at(d, 0, 0) == 1 && reading_stored(d) == 3);
    fx_data_free(d);

    static const char *const five[] = {"a", "b", "a b", "c", "b c", "a b c", "d", "c d", "b c d",
                                       "a b c d", "e", "d e", "c d e", "b c d e", "a b c d e"};
    d = reading_good("text:ngram=5,label=none", "a b c d e");
    named(d, five, 15);
    fx_data_free(d);
}

static void given(void)
{
    static const char *const name[] = {"cat", "the cat", "dog"};
    static const char text[] = "cat the cat\nthe bird\n";
    fx_reader *r = NULL;
    fx_data *d;

    CHECK(!fx_data_reader_new(&r, "text:ngram=2,label=none,value=count", "x"));
    CHECK(!fx_data_reader_names(r, name, 3));
    CHECK(!fx_data_reader_feed(r, text, sizeof text - 1, NULL));
    CHECK(!fx_data_reader_take(&d, r, 1, NULL));
    named(d, name, 3);
    CHECK(reading_at(d, 0, 0) == 2 && reading_at(d, 0, 1) == 1 && reading_stored(d) == 2);
    CHECK(r->count.unseen == 5);     /* the, cat the; the, bird, the bird */
    fx_data_free(d);
    fx_data_reader_free(r);
}

static void faults(void)
{
    fx_reader *r;

    reading_bad("text", "", "x: ", "no rows");
    reading_bad("text", "a b\n1 b\n", "x:2:1: ", "label");
    reading_bad("text", "nan b\n", "x:1:1: ", "label");
    reading_bad("text", "a b\rc\n", "x:1:4: ", "carriage return");
    reading_bad_bytes("text", "a b\0c\n", 6, "x:1:4: ", "NUL");
    CHECK(fx_data_reader_new(&r, "text:ngram=6", "x") == FX_EINVAL);
    CHECK(fx_data_reader_new(&r, "text:ngram=0", "x") == FX_EINVAL);
    CHECK(fx_data_reader_new(&r, "text:label=last", "x") == FX_EINVAL);
}

int main(void)
{
    words();
    given();
    faults();
    return 0;
}
