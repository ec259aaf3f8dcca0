/* SPDX-License-Identifier: BSD-3-Clause
 * t_names.c - columns by name: numbers by first appearance whatever threads and cuts, hashing
 * against the dictionary, the hash itself.  The input has several chunks.
 * Covers: src/data/classes.c */

#include "read/read.h"
#include "data/test/reading.h"

enum { ROWS = 30000, WORDS = 700, EACH = 9 };
static char *text;                      /* `label word word ...` */
static size_t len;
static short word[ROWS][EACH];          /* of each row; -1: none */

static void write_rows(void)
{
    text = malloc((size_t)ROWS * (EACH * 8 + 8));
    CHECK(text);
    for (size_t i = 0; i < ROWS; i++) {
        len += (size_t)sprintf(text + len, "%zu", i % 2);
        for (size_t k = 0; k < EACH; k++) {
            size_t rare = test_below(WORDS * (1 + i / 100) / 100 + 1);
            word[i][k] = (short)(test_below(8) ? (rare < WORDS ? rare : WORDS - 1) : WORDS);
            if (word[i][k] == WORDS)
                word[i][k] = -1;
            else
                len += (size_t)sprintf(text + len, " w%d", word[i][k]);
        }
        text[len++] = '\n';
    }
}

static fx_data *read_text(const char *spec, int threads, size_t cut, fx_read_counts *count)
{
    fx_reader *r = NULL;
    fx_data *d = NULL;
    fx_run run = {RUN, .threads = threads};

    CHECK(!fx_data_reader_new(&r, spec, "x"));
    while (cut && text[cut - 1] != '\n')
        cut++;
    CHECK(!fx_data_reader_feed(r, text, cut, &run));
    CHECK(!fx_data_reader_feed(r, text + cut, len - cut, &run));
    CHECK(!fx_data_reader_take(&d, r, 1, &run));
    count->size = sizeof(fx_read_counts);
    fx_data_reader_counts(count, r);
    fx_data_reader_free(r);
    return d;
}

static void dictionary(void)
{
    fx_read_counts count = FX_INIT(fx_read_counts), again = count;
    fx_data *d = read_text("text:value=count", 1, 0, &count);
    fx_table t = fx_data_table(d);
    int column[WORDS], next = 0;

    CHECK(fxi_data_check_table(&t, NULL) == FX_OK && t.blocks > 1 && count.names == 0);
    for (int w = 0; w < WORDS; w++)
        column[w] = -1;
    for (size_t i = 0; i < ROWS; i++) {
        double times[WORDS] = {0};
        size_t distinct = 0;
        for (size_t k = 0; k < EACH; k++) {
            int w = word[i][k];
            if (w < 0)
                continue;
            if (column[w] < 0) {
                char name[16];
                sprintf(name, "w%d", w);
                CHECK(!strcmp(t.name[next], name));
                column[w] = next++;
            }
            distinct += times[column[w]]++ == 0;
        }
        fxi_row row = reading_row(&t, i);
        CHECK(row.n == distinct);
        for (size_t q = 0; q < row.n; q++)
            CHECK(fxi_row_value(row, q) == times[fxi_row_column(row, q)]);
    }
    CHECK((size_t)next == t.cols);
    for (int threads = 1; threads <= 3; threads += 2)
        for (size_t cut = 7; cut < len; cut += len / 3) {
            fx_data *e = read_text("text:value=count", threads, cut, &again);
            fx_table u = fx_data_table(e);
            reading_same(&t, &u);
            CHECK(!memcmp(&count, &again, sizeof count));
            fx_data_free(e);
        }
    fx_data_free(d);
}

/* Hashed rows are the rows of the dictionary with columns moved; collisions are counted. */
static void hashing(void)
{
    enum { BITS = 9, COLS = 1 << BITS };
    fx_read_counts plain = FX_INIT(fx_read_counts), count = plain, again = plain;
    fx_data *d = read_text("text:value=count", 1, 0, &plain);
    fx_data *h = read_text("text:value=count,hash-bits=9", 3, len / 2, &count);
    fx_data *b = read_text("text:hash-bits=9", 1, 0, &again);
    fx_table t = fx_data_table(d), u = fx_data_table(h), v = fx_data_table(b);
    size_t used[COLS] = {0}, collisions = 0, *to = malloc(t.cols * sizeof *to);

    CHECK(fxi_data_check_table(&u, NULL) == FX_OK && u.cols == COLS && to);
    for (size_t j = 0; j < t.cols; j++) {
        to[j] = fxi_read_names_hash(t.name[j], strlen(t.name[j]), BITS);
        if (!used[to[j]]++)
            CHECK(!strcmp(u.name[to[j]], t.name[j]));
    }
    for (size_t j = 0; j < COLS; j++) {
        char name[16];
        sprintf(name, "#%zu", j);
        CHECK(used[j] || !strcmp(u.name[j], name));
        collisions += used[j] > 1 ? used[j] : 0;
    }
    CHECK(count.names == t.cols && count.collisions == collisions && collisions > 0);
    CHECK(again.names == count.names && again.collisions == collisions);
    for (size_t i = 0; i < ROWS; i += 7) {
        double x[COLS] = {0};
        fxi_row row = reading_row(&t, i), hashed = reading_row(&u, i), ones = reading_row(&v, i);
        for (size_t q = 0; q < row.n; q++)
            x[to[fxi_row_column(row, q)]] += fxi_row_value(row, q);
        CHECK(ones.n == hashed.n);
        for (size_t q = 0; q < hashed.n; q++) {
            CHECK(x[fxi_row_column(hashed, q)] == fxi_row_value(hashed, q));
            CHECK(fxi_row_value(ones, q) == 1);
            x[fxi_row_column(hashed, q)] = 0;
        }
        for (size_t j = 0; j < COLS; j++)
            CHECK(x[j] == 0);
    }

    /* Names given: the same rows, and nothing is collected. */
    fx_reader *r = NULL;
    fx_data *g;
    CHECK(!fx_data_reader_new(&r, "text:value=count,hash-bits=9", "x"));
    CHECK(!fx_data_reader_names(r, u.name, u.cols) && !fx_data_reader_feed(r, text, len, NULL));
    CHECK(!fx_data_reader_take(&g, r, 1, NULL));
    fx_table w = fx_data_table(g);
    reading_same(&u, &w);
    CHECK(r->count.names == 0 && r->count.unseen == 0);
    fx_data_reader_free(r);
    fx_data_free(g);
    free(to);
    fx_data_free(d);
    fx_data_free(h);
    fx_data_free(b);
}

/* With the names of some rows given and more to come, the others have the columns that they have
 * after those rows, whatever threads and cuts. */
static void more(void)
{
    fx_read_counts count = FX_INIT(fx_read_counts);
    fx_data *all = read_text("text:value=count", 1, 0, &count);
    fx_table t = fx_data_table(all);
    size_t first = 0, rows = 0, row[ROWS], known;

    while (first < len / 7 || text[first - 1] != '\n')
        rows += text[first++] == '\n';
    for (size_t i = rows; i < ROWS; i++)
        row[i - rows] = i;
    fx_data *want, *some;
    CHECK(!fx_data_select(&want, &t, row, ROWS - rows, NULL));
    fx_table rest = fx_data_table(want), begin;
    CHECK(!fx_data_parse(&some, "text:value=count", "x", text, first, NULL));
    begin = fx_data_table(some);
    known = begin.cols;
    CHECK(known > 100 && known < t.cols);
    for (int threads = 1; threads <= 2; threads++)
        for (size_t cut = first; cut < len; cut += len / 3) {
            fx_reader *r = NULL;
            fx_data *d;
            fx_run run = {RUN, .threads = threads};
            CHECK(!fx_data_reader_new(&r, "text:value=count", "x"));
            CHECK(fx_data_reader_names_more(r) == FX_EINVAL);
            CHECK(!fx_data_reader_names(r, begin.name, known) && !fx_data_reader_names_more(r));
            while (text[cut - 1] != '\n')
                cut++;
            CHECK(!fx_data_reader_feed(r, text + first, cut - first, &run));
            CHECK(cut == first || fx_data_reader_names_more(r) == FX_EINVAL);
            CHECK(!fx_data_reader_feed(r, text + cut, len - cut, &run));
            CHECK(!fx_data_reader_take(&d, r, 1, &run) && r->count.unseen == 0);
            fx_table u = fx_data_table(d);
            CHECK(u.cols == t.cols && u.rows == rest.rows);
            for (size_t j = 0; j < u.cols; j++)
                CHECK(!strcmp(u.name[j], t.name[j]));
            for (size_t i = 0; i < u.rows; i++) {
                fxi_row a = reading_row(&u, i), b = reading_row(&rest, i);
                CHECK(a.n == b.n);
                for (size_t q = 0; q < a.n; q++)
                    CHECK(fxi_row_column(a, q) == fxi_row_column(b, q)
                          && fxi_row_value(a, q) == fxi_row_value(b, q));
            }
            fx_data_reader_free(r);
            fx_data_free(d);
        }
    fx_data_free(all);
    fx_data_free(some);
    fx_data_free(want);
}

/* Of a table: new values of known categories; a new column of numbers is left out. */
static void more_of_csv(void)
{
    static const char *const name[] = {"age", "user=a", "user=b", "item=x"};
    static const char bytes[] = "extra,item,user,y,age\n9,x,c,1,0.5\n8,z,a,0,0\n7,z,c,1,3\n";
    fx_reader *r = NULL;
    fx_data *d;

    CHECK(!fx_data_reader_new(&r, "csv:label=y,cat=user/item", "x"));
    CHECK(!fx_data_reader_names(r, name, 4) && !fx_data_reader_names_more(r));
    CHECK(!fx_data_reader_feed(r, bytes, sizeof bytes - 1, NULL));
    CHECK(!fx_data_reader_take(&d, r, 1, NULL));
    fx_table t = fx_data_table(d);
    CHECK(t.cols == 6 && !strcmp(t.name[4], "user=c") && !strcmp(t.name[5], "item=z"));
    static const int64_t want[3][3] = {{0, 3, 4}, {1, 5, -1}, {0, 4, 5}};
    for (size_t i = 0; i < 3; i++) {
        fxi_row row = reading_row(&t, i);
        CHECK(row.n == (want[i][2] < 0 ? 2 : 3));
        for (size_t q = 0; q < row.n; q++)
            CHECK(fxi_row_column(row, q) == want[i][q]);
    }
    fx_data_reader_free(r);
    fx_data_free(d);
}

/* Values by which files of other machines are read; and columns as even as random ones: of n names
 * in m columns each is alone with probability (1 - 1/m)^(n-1), and the number of those alone has a
 * variance below n, so six of its standard deviations are exceeded with a probability < 1e-7. */
static void hash_values(void)
{
    enum { N = 20000, BITS = 15, COLS = 1 << BITS };
    static unsigned used[COLS];
    double alone = 0, p = 1;

    CHECK(fxi_read_names_hash("", 0, 24) == 0x8570e2
          && fxi_read_names_hash("city=Paris", 10, 24) == 0xb978b1);
    for (int i = 0; i < N; i++) {
        char name[32];
        size_t n = (size_t)sprintf(name, "field%d=%d", i % 7, i / 7);
        used[fxi_read_names_hash(name, n, BITS)]++;
        p *= 1 - 1.0 / COLS;
    }
    for (int j = 0; j < COLS; j++)
        alone += used[j] == 1;
    CHECK_NEAR(alone, N * p, 6 * sqrt(N));
}

/* Hashed numbers of a table: added where they meet, in doubles if floats cannot hold the sum. */
static void numbers(void)
{
    fx_data *d = reading_good("csv:hash-bits=1,label=none", "a,b,c\n0.5,0.25,16777216\n"
                                                            "1,1,1\n3,0,0\n");
    fx_table t = fx_data_table(d);
    size_t a = fxi_read_names_hash("a", 1, 1), b = fxi_read_names_hash("b", 1, 1);
    size_t c = fxi_read_names_hash("c", 1, 1);
    double x[2] = {0};

    x[a] += 0.5, x[b] += 0.25, x[c] += 16777216;
    CHECK(t.cols == 2 && reading_at(d, 0, 0) == x[0] && reading_at(d, 0, 1) == x[1]);
    CHECK(reading_at(d, 2, (int64_t)a) == 3 && reading_row(&t, 2).n == 1);
    fx_data_free(d);
    reading_bad("csv:hash-bits=1,label=none,header=yes", "a,b,c\n1,1,1\n1e154,1e154,1e154\n1,x,1\n",
                "x:3:1: ", "out of range");
}

int main(void)
{
    write_rows();
    dictionary();
    hashing();
    more();
    more_of_csv();
    hash_values();
    numbers();
    free(text);
    return 0;
}
