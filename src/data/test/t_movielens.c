/* SPDX-License-Identifier: BSD-3-Clause
 * t_movielens.c - users, movies and ratings that are made up: columns against a twin, sizes of the
 * parts, negatives that are neither positive nor repeated, errors.
 * Covers: movielens_files.c */

#include "data/test/reading.h"
#include "featcross_extra.h"

#define FLAGS17 "|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0"
static const char users[] = "1|24|M|smith|85711\n7|25|F|baker|N4T 1\r\n3|4|M|smith|12345\n\n";
static const char movies[] = "1|Alpha (1994)|01-Jan-1994||http://x|0|1" FLAGS17 "\n"
                             "9|unknown||||1|0" FLAGS17 "\n"
                             "2|Gr\xf6\xdf""e|31-Dec-1995|||0|1" FLAGS17 "\n";
static const char *const columns[] = {
    "age=0", "age=20", "age=30", "gender=F", "gender=M", "occupation=baker", "occupation=smith",
    "zip=1", "zip=8", "zip=N", "year=unknown", "year=1990", "year=2000", "genre=unknown",
    "genre=Action", "genre=Adventure"};

static void columns_of(void)
{
    /* All pairs but three of nine are rated; four of them 5, so four others are drawn. */
    static const char ratings[] = "1\t1\t5\t881250949\n1\t9\t3\t1\n7\t2\t5\t2\n3\t9\t5\n"
                                  "3\t1\t1\t4\n7\t1\t5\t9";
    static const struct { const char *user, *movie; size_t col[6]; } expected[] = {
        {"1", "1", {1, 4, 6, 8, 11, 14}}, {"7", "2", {2, 3, 5, 9, 12, 14}},
        {"3", "9", {0, 4, 6, 7, 10, 13}}, {"7", "1", {2, 3, 5, 9, 11, 14}}};
    fx_data *d;

    CHECK(!fx_data_movielens(&d, "all", 1, ratings, users, movies, NULL));
    fx_table t = fx_data_table(d);
    CHECK(fxi_data_check_table(&t, NULL) == FX_OK && t.rows == 8 && t.cols == 13 + 19);
    for (size_t j = 0; j < sizeof columns / sizeof *columns; j++)
        CHECK(!strcmp(t.name[j], columns[j]));
    CHECK(!strcmp(t.name[31], "genre=Western"));
    int seen[4] = {0};
    for (size_t i = 0; i < 8; i++) {
        fxi_row r = reading_row(&t, i);
        size_t w = 0, same = 0;
        CHECK(r.n == 6 && t.label[i] == (i % 2 ? -1 : 1));
        for (; w < 4; w++, same = 0) {
            for (size_t q = 0; q < 6; q++)
                same += (size_t)fxi_row_column(r, q) == expected[w].col[q];
            if (same == 6)
                break;
        }
        CHECK((w < 4) == (t.label[i] > 0));
        if (w < 4)
            CHECK(seen[w]++ == 0);
    }
    fx_data_free(d);
}

enum { USERS = 40, MOVIES = 31, P = 203 };      /* each pair has columns of its own */
static char *many[3];

/* User u has the occupation u, movie v the genres of the bits of v + 1. */
static void write_many(void)
{
    size_t n = 0;

    for (size_t i = 0; i < 3; i++) {
        many[i] = malloc(1 << 16);
        CHECK(many[i]);
    }
    for (int u = 0; u < USERS; u++)
        n += (size_t)sprintf(many[1] + n, "%d|30|M|job%d|1\n", u + 1, u);
    n = 0;
    for (int v = 0; v < MOVIES; v++) {
        n += (size_t)sprintf(many[2] + n, "%d|t|01-Jan-1990||", v + 1);
        for (int g = 0; g < 19; g++)
            n += (size_t)sprintf(many[2] + n, "|%d", (v + 1) >> g & 1);
        many[2][n++] = '\n';
    }
    many[2][n] = '\0';
    n = 0;
    for (int i = 0; i < P; i++)         /* i -> (i % 40, i / 40): all different */
        n += (size_t)sprintf(many[0] + n, "%d\t%d\t5\t1\n", i % USERS + 1, i / USERS * 5 + 1);
}

static int pair_of(const fx_table *t, size_t i)
{
    fxi_row r = reading_row(t, i);
    int u = -1, v = -1;

    for (size_t q = 0; q < r.n; q++) {
        const char *name = t->name[fxi_row_column(r, q)];
        if (!strncmp(name, "occupation=job", 14))
            u = atoi(name + 14);
        for (int g = 0; g < 19; g++)
            v += !strcmp(name, t->name[t->cols - 19 + (size_t)g]) << g;
    }
    return u * MOVIES + v;
}

static fx_data *part(const char *name, uint64_t seed)
{
    fx_data *d;

    CHECK(!fx_data_movielens(&d, name, seed, many[0], many[1], many[2], NULL));
    return d;
}

static void parts(void)
{
    static const struct { const char *name; size_t rows; } list[] = {
        {"train", 202}, {"valid", 10}, {"test", 194}};          /* 203 = 101 + 102; 204/20 = 10 */
    bool seen[USERS * MOVIES] = {false}, same = true;
    fx_data *all = part("all", 3), *other = part("all", 4);
    fx_table a = fx_data_table(all), o = fx_data_table(other);
    size_t first = 0;

    CHECK(a.rows == 2 * P);
    for (size_t i = 0; i < a.rows; i++) {
        int p = pair_of(&a, i), u = p / MOVIES, v = p % MOVIES;
        bool five = v % 5 == 0 && v / 5 * USERS + u < P;
        CHECK(five == (a.label[i] > 0) && !seen[p]);
        seen[p] = true;
        same &= p == pair_of(&o, i);
    }
    CHECK(!same);
    for (size_t k = 0; k < 3; k++) {
        fx_data *d = part(list[k].name, 3);
        fx_table t = fx_data_table(d);
        CHECK(t.rows == list[k].rows && t.cols == a.cols);
        for (size_t i = 0; i < t.rows; i++)
            CHECK(pair_of(&t, i) == pair_of(&a, first + i) && t.label[i] == a.label[first + i]);
        first += t.rows;
        fx_data_free(d);
    }
    CHECK(first == a.rows);
    fx_data_free(all);
    fx_data_free(other);
}

static void rejected(const char *name, const char *ratings, const char *u, const char *m,
                     fx_status status, const char *holds)
{
    fx_data *d = NULL;
    fx_status s = fx_data_movielens(&d, name, 1, ratings, u, m, NULL);

    if (s != status || d || !strstr(fx_error_detail(), holds))
        fprintf(stderr, "status %d '%s', want '%s'\n", (int)s, fx_error_detail(), holds);
    CHECK(s == status && !d && strstr(fx_error_detail(), holds));
}

static void faults(void)
{
    static const struct { const char *ratings, *users, *movies, *holds; } bad[] = {
        {"1\t1\t5\n1\t1\tx\n", users, movies, "u.data:2:5: 'x' is not a rating"},
        {"1\t1\t6\n", users, movies, "u.data:1:5: '6' is not a rating"},
        {"1\t1\t0\n", users, movies, "u.data:1:5: "},
        {"1\t1\n", users, movies, "u.data:1:4: the line ends before a rating"},
        {"1\t4\t5\n", users, movies, "u.data:1:3: '4' is not a movie of u.item"},
        {"2\t1\t5\n", users, movies, "u.data:1:1: '2' is not a user of u.user"},
        {"1\t1\t5\n1\t1\t5\n", users, movies, "u.data:2:3: '1' is not new"},
        {"1\t1\t4\n", users, movies, "0 of 9 pairs"},
        {"1\t1\t5\n1\t2\t5\n1\t9\t5\n3\t1\t5\n3\t2\t5\n", users, movies, "5 of 9 pairs"},
        {"", "1|x|M|a|1\n", movies, "u.user:1:3: 'x' is not an age"},
        {"", "1|2000|M|a|1\n", movies, "u.user:1:3: "},
        {"", "1|20||a|1\n", movies, "u.user:1:6: '' is not a gender"},
        {"", "1|20|M|a\n", movies, "u.user:1:9: the line ends before a zip code"},
        {"", "1|20|M|a|1|\n", movies, "u.user:1:12: "},
        {"", "1|20|M|a|\xe9\n", movies, "u.user:1:10: "},
        {"", "1|20|M|a|1\n1|20|M|a|1\n", movies, "u.user:2:1: '1' is not new"},
        {"", users, "1|t|1995|||0|0" FLAGS17 "\n", "u.item:1:5: '1995' is not a date"},
        {"", users, "1|t|1-1-19x5|||0|0" FLAGS17 "\n", "u.item:1:9: '19x5' is not a year"},
        {"", users, "1|t||||0|2" FLAGS17 "\n", "u.item:1:10: '2' is not a flag"},
        {"", users, "1|t||||0" FLAGS17 "\n", "u.item:1:43: the line ends before a flag"},
        {"", users, "1|t||||0|0|0" FLAGS17 "\n", "u.item:1:46: "},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        rejected("all", bad[i].ratings, bad[i].users, bad[i].movies, FX_EFORMAT, bad[i].holds);
    rejected("valid", "1\t1\t5\n", users, movies, FX_EFORMAT, "too few for the part 'valid'");
    rejected("dev", "1\t1\t5\n", users, movies, FX_EINVAL, "train, valid, test, all");
    rejected("all", NULL, users, movies, FX_EINVAL, "needs");
}

int main(void)
{
    columns_of();
    write_many();
    parts();
    faults();
    for (size_t i = 0; i < 3; i++)
        free(many[i]);
    return 0;
}
