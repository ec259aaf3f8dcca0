/* SPDX-License-Identifier: BSD-3-Clause
 * t_links.c - parts of links against their definition: rows, counts, every pair once; errors.
 * Covers: links_draw.c, pairs.c, links_text.c */

#include "base/test.h"
#include "data/data.h"

#include <string.h>

enum { NA = 7, NB = 9, COLS_A = 2, COLS_B = 3 };

/* Nodes whose rows tell which they are: A dense doubles, B sparse floats. */
static double dense[NA][COLS_A], label_a[NA];
static float sparse[2 * NB];
static int32_t col_b[2 * NB];
static int64_t ptr_b[NB + 1];
static const char *const called_b[NB] = {"b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8", "b9"};
static double label_b[NB];
static const char *const name_a[COLS_A] = {"u", "v"}, *const name_b[COLS_B] = {"x", "y", "z"};
static fx_matrix XA = {.rows = NA, .cols = COLS_A, .stride = COLS_A, .type = FX_F64, .val = dense};
static fx_matrix XB = {.rows = NB, .cols = COLS_B, .val = sparse, .ptr = ptr_b, .col = col_b};
static fx_table A = {.rows = NA, .cols = COLS_A, .blocks = 1, .block = &XA, .label = label_a,
                     .name = name_a};
static fx_table B = {.rows = NB, .cols = COLS_B, .blocks = 1, .block = &XB, .label = label_b,
                     .classes = NB, .class_name = called_b, .name = name_b};

static void make_nodes(void)
{
    for (size_t i = 0; i < NA; i++) {
        dense[i][0] = (double)(i + 1);
        dense[i][1] = i % 2 ? 0 : 0.1;          /* a zero that is left out, no float */
        label_a[i] = (double)i / 2;             /* 0, 0.5, 1, .. */
    }
    for (size_t i = 0; i < NB; i++) {
        label_b[i] = (double)i;
        ptr_b[i + 1] = (int64_t)(2 * i + 2);
        col_b[2 * i] = 0, col_b[2 * i + 1] = (int32_t)(1 + i % 2);
        sparse[2 * i] = (float)(i + 1), sparse[2 * i + 1] = 0;   /* stored, so it stays */
    }
}

/* Which pair is row i?  Checks all of the row. */
static void pair_of(size_t *a, size_t *b, const fx_table *t, size_t i, bool within)
{
    const fxi_row r = fxi_data_row(&t->block[0], i);
    double x[COLS_A + COLS_B] = {0};

    for (size_t q = 0; q < r.n; q++)
        x[fxi_row_column(r, q)] = fxi_row_value(r, q);
    *a = (size_t)x[0] - 1, *b = (size_t)x[COLS_A] - 1;
    CHECK(t->qid[i] == (int64_t)*a + 1);
    CHECK(x[1] == dense[*a][1]);
    if (within)
        CHECK(x[COLS_A + 1] == dense[*b][1]
              && r.n == (size_t)(2 + (dense[*a][1] != 0) + (dense[*b][1] != 0)));
    else
        CHECK(r.n == (size_t)(1 + (dense[*a][1] != 0) + 2) && x[COLS_A + 1 + *b % 2] == 0);
}

typedef struct counts { size_t linked[2], seen[NA][NB]; } counts;

/* Counts pairs of a part; labels are those of the links. */
static counts part(const char *which, const char *text, bool link[NA][NB], bool within,
                   size_t negatives, uint64_t seed)
{
    counts n = {0};
    fx_data *d = NULL, *again = NULL;

    CHECK(fx_data_links(&d, &A, within ? NULL : &B, text, which, negatives, seed, NULL) == FX_OK);
    const fx_table t = fx_data_table(d);
    CHECK(fxi_data_check_table(&t, NULL) == FX_OK);
    CHECK(t.cols == (within ? 2 * COLS_A : COLS_A + COLS_B));
    for (size_t i = 0; i < t.rows; i++) {
        size_t a, b;
        pair_of(&a, &b, &t, i, within);
        CHECK(!within || a < b);
        CHECK(t.label[i] == (link[a][b] ? 1 : -1));
        n.linked[link[a][b]]++;
        CHECK(n.seen[a][b]++ == 0);
    }
    CHECK(fx_data_links(&again, &A, within ? NULL : &B, text, which, negatives, seed,
                        &(fx_run){RUN, .threads = 3})
          == FX_OK);
    CHECK(fx_data_table(again).rows == t.rows
          && !memcmp(fx_data_table(again).qid, t.qid, t.rows * sizeof *t.qid));
    fx_data_free(d);
    fx_data_free(again);
    return n;
}

static void random_graph(bool within)
{
    bool link[NA][NB] = {{false}};
    char text[4096] = "# a comment\n\n", *p = text + strlen(text);
    const size_t nb = within ? NA : NB, all = within ? NA * (NA - 1) / 2 : NA * NB;
    const size_t share = 1 + test_below(4);
    size_t P = 0;

    for (size_t a = 0; a < NA; a++)
        for (size_t b = within ? a + 1 : 0; b < nb; b++)
            if (test_below(4) < share || P < 2) {
                link[a][b] = true;
                P++;
                if (within)             /* in any direction */
                    p += test_below(2) ? sprintf(p, "%g %g\n", label_a[a], label_a[b])
                                       : sprintf(p, "%.2f\t%.2f # so\r\n", label_a[b], label_a[a]);
                else
                    p += sprintf(p, " %g  %s\n", label_a[a], called_b[b]);
            }
    const size_t most = (all - P) / P, negatives = test_below(most + 1), half = P / 2;
    const uint64_t seed = test_u64();
    const counts train = part("train", text, link, within, negatives, seed);
    const counts test = part("test", text, link, within, negatives, seed);
    const counts both = part("all", text, link, within, negatives, seed);
    const counts given = part("given", text, link, within, negatives, seed);
    CHECK(given.linked[1] == P && given.linked[0] == 0);
    CHECK(train.linked[1] == half && train.linked[0] == half * negatives);
    CHECK(both.linked[1] == P && both.linked[0] == P * negatives);
    CHECK(test.linked[1] == P - half && test.linked[0] == all - P - half * negatives);
    for (size_t a = 0; a < NA; a++)
        for (size_t b = within ? a + 1 : 0; b < nb; b++) {
            CHECK(train.seen[a][b] + test.seen[a][b] == 1);
            CHECK(both.seen[a][b] >= train.seen[a][b]);
        }
    if (all - P - half * negatives < P - half)
        return;
    const counts sample = part("sample", text, link, within, negatives, seed);
    CHECK(sample.linked[1] == P - half && sample.linked[0] == P - half);
    for (size_t a = 0; a < NA; a++)
        for (size_t b = 0; b < nb; b++)
            CHECK(sample.seen[a][b] <= test.seen[a][b]);
}

/* Every pair that is no link is drawn equally often: 5 standard deviations of a binomial count. */
static void even(bool within)
{
    enum { DRAWS = 2000 };
    const size_t nb = within ? NA : NB, all = within ? NA * (NA - 1) / 2 : NA * NB;
    const double p = 2. / (double)(all - 4), sd = sqrt(DRAWS * p * (1 - p));
    const char *text = within ? "0 0.5\n0 1\n0 1.5\n0 2\n" : "0 b1\n0 b2\n0 b3\n0 b4\n";
    size_t count[NA][NB] = {{0}};

    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        fx_data *d = NULL;
        CHECK(fx_data_links(&d, &A, within ? NULL : &B, text, "train", 1, seed, NULL) == FX_OK);
        const fx_table t = fx_data_table(d);
        for (size_t i = 0; i < t.rows; i++) {
            size_t a, b;
            pair_of(&a, &b, &t, i, within);
            count[a][b] += t.label[i] < 0;
        }
        fx_data_free(d);
    }
    for (size_t a = 0; a < NA; a++)
        for (size_t b = within ? a + 1 : 0; b < nb; b++) {
            const bool linked = a == 0 && b >= (within ? 1 : 0) && b < (within ? 5 : 4);
            CHECK(linked ? count[a][b] == 0 : fabs((double)count[a][b] - DRAWS * p) < 5 * sd);
        }
}

/* Rows of "given" are the lines. */
static void in_order(void)
{
    static const size_t want[3][2] = {{4, 2}, {0, 8}, {2, 0}};
    fx_data *d = NULL;

    CHECK(fx_data_links(&d, &A, &B, "2 b3\n0 b9\n1 b1\n", "given", 5, 1, NULL) == FX_OK);
    const fx_table t = fx_data_table(d);
    CHECK(t.rows == 3);
    for (size_t i = 0; i < 3; i++) {
        size_t a, b;
        pair_of(&a, &b, &t, i, false);
        CHECK(a == want[i][0] && b == want[i][1] && t.label[i] == 1);
    }
    fx_data_free(d);
}

static void rejected(fx_status expected, const char *why, const fx_table *b, const char *text,
                     const char *which, size_t negatives)
{
    fx_data *keep = (fx_data *)&A, *d = keep;

    CHECK(fx_data_links(&d, &A, b, text, which, negatives, 1, NULL) == expected && d == keep);
    if (!strstr(fx_error_detail(), why))
        fprintf(stderr, "%s\n", fx_error_detail());
    CHECK(strstr(fx_error_detail(), why));
}

static void refusals(void)
{
    fx_data *d = NULL;

    rejected(FX_EFORMAT, "links:2: no node of B is called 'c1'", &B, "0 b1\n1 c1\n", "all", 1);
    rejected(FX_EFORMAT, "links:3: no node of A is called 'one'", &B, "\n0 b1\none b1\n", "all", 1);
    rejected(FX_EFORMAT, "links:1: one word", &B, "0 # b1\n", "all", 1);
    rejected(FX_EFORMAT, "links:1: more than two", &B, "0 b1 5", "all", 1);
    rejected(FX_EFORMAT, "links:2: this link is given twice", &B, "0 b1\n0.0 b1\n", "all", 1);
    rejected(FX_EFORMAT, "links:2: this link is given twice", NULL, "0 1\n1 0\n", "all", 1);
    rejected(FX_EFORMAT, "links:1: a link of node 3 with itself", NULL, "1 1\n", "all", 1);
    rejected(FX_EFORMAT, "there is no link", &B, "# none\n", "all", 1);
    rejected(FX_EFORMAT, "too few for the part 'train'", &B, "0 b1\n", "train", 1);
    rejected(FX_EINVAL, "only 62 pairs have no link", &B, "0 b1\n", "all", 63);
    rejected(FX_EINVAL, "pairs have no link", &B, "0 b1\n0 b2\n", "train", SIZE_MAX);
    rejected(FX_EINVAL, "no part 'valid'", &B, "0 b1\n", "valid", 1);
    rejected(FX_EINVAL, "need nodes", &B, NULL, "train", 1);
    CHECK(
        fx_data_links(&d, &A, &B, "0 b1\n0 b2\n", "test", 1, 1, &(fx_run){RUN, .max_memory = 1000})
            == FX_ELIMIT
        && !d);
    label_a[3] = label_a[2];
    rejected(FX_EINVAL, "rows 3 and 4 of A are both called '1'", &B, "0 b1\n", "all", 1);
    label_a[3] = 1.5;
}

static void names(void)
{
    fx_data *d = NULL;
    fx_table other = B;

    CHECK(fx_data_links(&d, &A, &B, "0 b1", "all", 0, 1, NULL) == FX_OK);
    CHECK(!strcmp(fx_data_table(d).name[1], "v") && !strcmp(fx_data_table(d).name[4], "z"));
    fx_data_free(d);
    CHECK(fx_data_links(&d, &A, NULL, "0 1", "all", 0, 1, NULL) == FX_OK);
    CHECK(!strcmp(fx_data_table(d).name[1], "a.v") && !strcmp(fx_data_table(d).name[3], "b.v"));
    fx_data_free(d);
    other.name = NULL, other.label = NULL;      /* nodes by number, whatever classes there are */
    for (int i = 0; i < 2; i++, other.classes = 0) {
        CHECK(fx_data_links(&d, &A, &other, "0 9", "all", 0, 1, NULL) == FX_OK);
        CHECK(!fx_data_table(d).name && ((const double *)fx_data_table(d).block->val)[2] == 9);
        fx_data_free(d);
    }
}

/* Missing numbers of a node, dense or sparse, are missing in its pairs; infinity is an error. */
static void missing(void)
{
    fx_data *d = NULL;

    dense[1][1] = NAN;                  /* the node 0.5 */
    sparse[0] = NAN;                    /* b1 */
    CHECK(fx_data_links(&d, &A, &B, "0.5 b1", "all", 0, 1, NULL) == FX_OK);
    const fx_table t = fx_data_table(d);
    const fxi_row r = fxi_data_row(&t.block[0], 0);
    CHECK(r.n == 4 && fxi_row_value(r, 0) == 2 && isnan(fxi_row_value(r, 1))
          && isnan(fxi_row_value(r, 2)));
    fx_data_free(d);
    sparse[0] = INFINITY;
    rejected(FX_EDOMAIN, "inf is not a finite number", &B, "0.5 b1", "all", 1);
    sparse[0] = 1, dense[1][1] = 0;
}

int main(void)
{
    test_init();
    make_nodes();
    for (int i = 0, n = test_cases(100); i < n; i++)
        random_graph(i % 2);
    even(false);
    even(true);
    in_order();
    refusals();
    names();
    missing();
    return 0;
}
