/* SPDX-License-Identifier: BSD-3-Clause
 * t_make.c - synthetic sets against what they promise.
 *
 * Frequencies of independent events in n rows lie within six standard deviations of their
 * probability; with the seed fixed this is no gamble, and with any other it fails once in 5e8.
 * Covers: make_dense_positive.c, make_fields.c, make_pairs.c, make_parity.c */

#include "base/test.h"
#include "data/data.h"

#include <string.h>

static fx_data *make(const char *spec, uint64_t seed, int threads)
{
    fx_data *d = NULL;
    fx_status s = fx_data_make(&d, spec, seed, &(fx_run){RUN, .threads = threads});

    if (s)
        fprintf(stderr, "%s: %s\n", spec, fx_error_detail());
    CHECK(s == FX_OK);
    fx_table t = fx_data_table(d);
    CHECK(fxi_data_check_table(&t, NULL) == FX_OK && t.label && t.base == 1);
    return d;
}

static bool has(fxi_row r, size_t j)
{
    for (size_t q = 0; q < r.n; q++)
        if ((size_t)fxi_row_column(r, q) == j)
            return true;
    return false;
}

/* The planted sets, from the text. */
static size_t planted(size_t (*set)[3], const fx_data *d, size_t m)
{
    size_t k = 0;
    const char *p = fx_data_planted(d);

    for (; *p; k++) {
        for (size_t j = 0; j < m; j++) {
            char *end;
            set[k][j] = strtoull(p, &end, 10) - 1;
            CHECK(end > p && *end == (j + 1 < m ? ' ' : '\n'));
            CHECK(j == 0 || set[k][j] > set[k][j - 1]);
            p = end + 1;
        }
    }
    return k;
}

/* |P(x | +) - P(x | -)| of an event that does not depend on the label: count of n rows. */
static void no_signal(double plus, double minus, double n_plus, double n_minus)
{
    double p = (plus + minus) / (n_plus + n_minus);

    CHECK_NEAR(plus / n_plus, minus / n_minus, 6 * sqrt(p * (1 - p) * (1 / n_plus + 1 / n_minus)));
}

static void combinations(const char *spec, size_t m, size_t n, size_t d, size_t nz, size_t k,
                         double noise)
{
    fx_data *data = make(spec, test_u64(), 0);
    fx_table t = fx_data_table(data);
    size_t set[100][3], flipped = 0;
    double class[2] = {0}, *single = calloc(2 * d, sizeof *single), whole[100] = {0};
    double pair[2][100][3] = {{{0}}};

    CHECK(single && planted(set, data, m) == k);
    CHECK(t.rows == n && t.cols == d && t.block[0].ptr && t.block[0].type == FX_F32);
    for (size_t i = 0; i < n; i++) {
        fxi_row r = fxi_data_row(t.block, i);
        size_t y = t.label[i] > 0, found = 0;
        CHECK(r.n == nz && fabs(t.label[i]) == 1);
        class[y]++;
        for (size_t q = 0; q < r.n; q++) {
            CHECK(fxi_row_value(r, q) == 1);
            single[y * d + (size_t)fxi_row_column(r, q)]++;
        }
        for (size_t s = 0; s < k; s++) {
            bool in[3] = {has(r, set[s][0]), has(r, set[s][1]), m == 3 ? has(r, set[s][2]) : true};
            found += in[0] && in[1] && in[2];
            whole[s] += in[0] && in[1] && in[2];
            for (size_t j = 0; m == 3 && j < 3; j++)
                pair[y][s][j] += in[j] && in[(j + 1) % 3];
        }
        CHECK(found <= 1);              /* label = sign(sum of products - 1/2), noise apart */
        flipped += found != y;
    }
    double rows = (double)n;
    CHECK_NEAR((double)flipped, noise * rows, 6 * sqrt(noise * (1 - noise) * rows));
    CHECK_NEAR(class[1], rows / 2, 6 * sqrt(rows / 4));
    CHECK(class[1] > 0.35 * rows && class[1] < 0.65 * rows);
    for (size_t j = 0; j < d; j++)      /* a linear model has nothing to learn from */
        no_signal(single[d + j], single[j], class[1], class[0]);
    for (size_t s = 0; s < k; s++) {    /* and every planted set is met often enough */
        double p = 0.5 / (double)k;
        CHECK_NEAR(whole[s], rows * p, 6 * sqrt(rows * p * (1 - p)));
        for (size_t j = 0; m == 3 && j < 3; j++)
            no_signal(pair[1][s][j], pair[0][s][j], class[1], class[0]);
    }
    free(single);
    fx_data_free(data);
}

/* Random rows; of those that hold w planted sets a share 1/(1 + exp(-e (w - E w))) is positive. */
static void effect(const char *spec, size_t m, size_t n, size_t d, size_t nz, size_t k, double e)
{
    fx_data *data = make(spec, test_u64(), 0);
    fx_table t = fx_data_table(data);
    size_t set[100][3];
    double *ones = calloc(d, sizeof *ones), rows[101] = {0}, plus[101] = {0}, mean = (double)k,
           chance = 1;

    CHECK(ones && planted(set, data, m) == k && t.rows == n && t.cols == d);
    for (size_t j = 0; j < m; j++)
        chance *= (double)(nz - j) / (double)(d - j);
    mean *= chance;
    for (size_t i = 0; i < n; i++) {
        fxi_row r = fxi_data_row(t.block, i);
        size_t whole = 0;
        CHECK(r.n == nz);
        for (size_t q = 0; q < r.n; q++)
            ones[fxi_row_column(r, q)]++;
        for (size_t s = 0; s < k; s++)
            whole += has(r, set[s][0]) && has(r, set[s][1]) && (m < 3 || has(r, set[s][2]));
        rows[whole]++;
        plus[whole] += t.label[i] > 0;
    }
    double share = (double)nz / (double)d, held = 0;
    for (size_t j = 0; j < d; j++)
        CHECK_NEAR(ones[j], (double)n * share, 6 * sqrt((double)n * share * (1 - share)));
    for (size_t w = 0; w <= k; w++) {
        double p = 1 / (1 + exp(-e * ((double)w - mean)));
        CHECK_NEAR(plus[w], rows[w] * p, 6 * sqrt(rows[w] * p * (1 - p)) + 1e-9);
        held += (double)w * rows[w];
    }
    CHECK_NEAR(held, (double)n * mean, 6 * (double)k * sqrt((double)n * chance));
    free(ones);
    fx_data_free(data);
}

static void parity(void)
{
    fx_data *data = make("parity:n=5000,d=70,k=4,noise=0.1", 3, 0);
    fx_table t = fx_data_table(data);
    size_t set[4], flipped = 0;
    const char *p = fx_data_planted(data);
    double sum[70] = {0}, with[70] = {0};

    for (int j = 0; j < 4; j++, p++) {
        char *end;
        set[j] = strtoull(p, &end, 10) - 1;
        p = end;
    }
    CHECK(*p == '\0' && t.rows == 5000 && t.cols == 70 && !t.block[0].ptr);
    for (size_t i = 0; i < t.rows; i++) {
        fxi_row r = fxi_data_row(t.block, i);
        double y = 1;
        for (size_t j = 0; j < 70; j++) {
            CHECK(fabsf(r.f32[j]) == 1);
            sum[j] += r.f32[j];
            with[j] += r.f32[j] * t.label[i];
        }
        for (int j = 0; j < 4; j++)
            y *= r.f32[set[j]];
        flipped += y != t.label[i];
    }
    for (size_t j = 0; j < 70; j++) {   /* sums of 5000 signs */
        CHECK_NEAR(sum[j], 0, 6 * sqrt(5000));
        CHECK_NEAR(with[j], 0, 6 * sqrt(5000));
    }
    CHECK_NEAR((double)flipped, 500, 6 * sqrt(5000 * 0.09));
    fx_data_free(data);
}

static void fields(void)
{
    enum { N = 20000, F = 4, L = 25 };
    fx_data *data = make("fields:n=20000,noise=0", 5, 0);
    fx_table t = fx_data_table(data);
    static double count[F][L], sum[L][L];
    double plus = 0, weight = 0, kept = 0;

    CHECK(t.rows == N && t.cols == F * L && t.name);
    CHECK(!strcmp(fx_data_planted(data), "field1 field2\n"));
    CHECK(!strcmp(t.name[0], "field1=1") && !strcmp(t.name[2 * L + 9], "field3=10"));
    for (size_t i = 0; i < N; i++) {
        fxi_row r = fxi_data_row(t.block, i);
        CHECK(r.n == F);
        for (size_t f = 0; f < F; f++) {
            size_t l = (size_t)r.col32[f] - f * L;
            CHECK(l < L && r.f32[f] == 1);
            count[f][l]++;
        }
        sum[r.col32[0]][r.col32[1] - L] += t.label[i];
        plus += t.label[i] > 0;
    }
    for (int l = 0; l < L; l++)
        weight += 1.0 / (l + 4);
    for (int f = 0; f < F; f++)
        for (int l = 0; l < L; l++) {
            double p = 1 / ((l + 4) * weight);
            CHECK_NEAR(count[f][l], N * p, 6 * sqrt(N * p * (1 - p)));
        }
    CHECK(plus > 0.35 * N && plus < 0.65 * N);
    for (int a = 0; a < L; a++)         /* what a table of the first two fields gets right */
        for (int b = 0; b < L; b++)
            kept += fabs(sum[a][b]);
    CHECK((N + kept) / 2 > 0.95 * N);   /* 1 - P(N(0,1) > 2) = 0.977; pairs of levels cluster */
    fx_data_free(data);
}

static void dense_positive(void)
{
    fx_data *data = make("dense-positive:n=3000,d=40", 9, 0);
    fx_table t = fx_data_table(data);
    size_t set[1][3];
    double plus = 0, mean = 0;

    CHECK(planted(set, data, 2) == 1 && t.cols == 40 && !t.block[0].ptr);
    for (size_t i = 0; i < t.rows; i++) {
        fxi_row r = fxi_data_row(t.block, i);
        double norm = 0;
        for (size_t j = 0; j < 40; j++) {
            CHECK(r.f64[j] >= 0);
            norm += r.f64[j] * r.f64[j];
            mean += r.f64[j];
        }
        CHECK_NEAR(norm, 1, (40 + 2) * 3 * 0x1p-53);    /* sum, root and quotients, and sum again */
        plus += t.label[i] > 0;
    }
    CHECK_NEAR(plus, 1500, 6 * sqrt(750));
    /* E|x| = 1.0085, E x^2 = 1.25: the mean is 0.902/sqrt(d) but for a relative O(1/d) */
    CHECK_NEAR(mean / (3000 * 40), 0.902 / sqrt(40), 0.902 / sqrt(40) / 40);
    fx_data_free(data);
}

/* The same rows for any number of threads, and as the beginning of a larger set. */
static void repeats(const char *name, const char *keys)
{
    char small[100], large[100];

    snprintf(small, sizeof small, "%s:n=3000%s", name, keys);
    snprintf(large, sizeof large, "%s:n=7000%s", name, keys);
    fx_data *a = make(small, 11, 1), *b = make(large, 11, 3), *c = make(small, 12, 2);
    fx_table x = fx_data_table(a), y = fx_data_table(b), z = fx_data_table(c);
    size_t differ = 0;
    CHECK(!strcmp(fx_data_planted(a), fx_data_planted(b)));
    for (size_t i = 0; i < 3000; i++) {
        fxi_row p = fxi_data_row(x.block, i), q = fxi_data_row(y.block, i);
        CHECK(p.n == q.n && x.label[i] == y.label[i]);
        differ += x.label[i] != z.label[i];
        for (size_t j = 0; j < p.n; j++)
            CHECK(fxi_row_value(p, j) == fxi_row_value(q, j)
                  && fxi_row_column(p, j) == fxi_row_column(q, j));
    }
    CHECK_NEAR((double)differ, 1500, 450);      /* another seed, other rows; loose on purpose */
    fx_data_free(a), fx_data_free(b), fx_data_free(c);
}

static void rejected(const char *spec, const char *says)
{
    fx_data *keep = (fx_data *)&test_state, *d = keep;

    CHECK(fx_data_make(&d, spec, 1, NULL) == FX_EINVAL && d == keep);
    if (!strstr(fx_error_detail(), says)) {
        fprintf(stderr, "%s: %s\n", spec ? spec : "NULL", fx_error_detail());
        exit(1);
    }
}

static int stop(void *ctx, double done)
{
    (void)ctx, (void)done;
    return 1;
}

int main(void)
{
    test_init();
    combinations("pairs", 2, 2000, 100, 20, 10, 0.05);
    combinations("triples", 3, 2000, 100, 20, 10, 0.05);
    combinations("pairs:n=20000,d=200", 2, 20000, 200, 20, 10, 0.05);
    combinations("triples:n=20000,d=200", 3, 20000, 200, 20, 10, 0.05);
    combinations("pairs:n=5000,d=4,nz=2,k=2,noise=0", 2, 5000, 4, 2, 2, 0);     /* the smallest */
    combinations("triples:n=5000,d=12,nz=6,k=4,noise=0.5", 3, 5000, 12, 6, 4, 0.5);
    combinations("pairs:n=3000,d=1000,nz=902,k=50,noise=0", 2, 3000, 1000, 902, 50, 0); /* full */
    effect("triples:n=20000,d=50,k=5,nz=20,effect=2.5", 3, 20000, 50, 20, 5, 2.5);
    effect("pairs:n=5000,d=20,nz=9,k=2,effect=1,noise=0", 2, 5000, 20, 9, 2, 1);
    effect("triples:n=5000,d=12,nz=12,effect=50", 3, 5000, 12, 12, 4, 50);  /* all hold all */
    parity();
    fields();
    dense_positive();
    repeats("pairs", "");
    repeats("triples", "");
    repeats("triples", ",d=50,effect=2.5");
    repeats("parity", "");
    repeats("fields", ",fields=2,levels=200");
    repeats("dense-positive", ",d=8");
    fx_data *d = make("fields:n=50,fields=7,levels=2", 1, 0);
    fx_data_free(d);
    d = make("parity:n=1,d=1,k=1", 1, 0);
    CHECK(!strcmp(fx_data_planted(d), "1\n"));
    fx_data_free(d);

    rejected("spirals", "pairs, triples, parity, fields, dense-positive");
    rejected(NULL, "no synthetic set");
    rejected("pairs:rows=3", "n, d, nz, k, noise, effect");
    rejected("pairs:n=0", "n=0");
    rejected("pairs:n=-5", "n=-5");
    rejected("pairs:d=3", "from 4 to");
    rejected("pairs:d=30,nz=29", "from 2 to 28");
    rejected("pairs:d=30,nz=20,k=10", "k=10 is not a whole number from 2 to 6");
    rejected("pairs:noise=0.6", "0 to 0.5");
    rejected("pairs:noise=x", "noise=x");
    rejected("triples:k=3", "from 4 to");
    rejected("triples:nz=5", "from 6 to");
    rejected("triples:d=50,k=17,effect=1", "k=17 is not a whole number from 4 to 16");
    rejected("triples:d=50,nz=51,effect=1", "from 6 to 50");
    rejected("pairs:effect=-1", "effect=-1");
    rejected("parity:d=3,k=4", "from 1 to 3");
    rejected("fields:levels=1", "from 2 to");
    rejected("fields:fields=100000,levels=100000", "levels=100000");
    rejected("dense-positive:d=1", "from 2 to");
    rejected("dense-positive:noise=0", "no key");
    rejected("pairs(linear)", "brackets");
    CHECK(fx_data_make(NULL, "pairs", 1, NULL) == FX_EINVAL);
    fx_data *keep = d = (fx_data *)&test_state;
    fx_run run = {RUN, .max_memory = 1 << 20};
    CHECK(fx_data_make(&d, "pairs:n=100000", 1, &run) == FX_ELIMIT && d == keep);
    CHECK(fx_data_make(&d, "pairs:d=2000000000", 1, &run) == FX_ELIMIT && d == keep);
    CHECK(fx_data_make(&d, "fields:levels=100000000", 1, &run) == FX_ELIMIT && d == keep);
    CHECK(fx_data_make(&d, "parity:n=1000000000000,d=2147483647", 1, NULL) == FX_ESHAPE);
    /* 8 MB for the order of the features, 4 for the rows; the text of 400000 pairs takes 9 more. */
    run = (fx_run){RUN, .threads = 8, .max_memory = 13 << 20};
    CHECK(fx_data_make(&d, "pairs:n=20000,d=1000000", 1, &run) == FX_OK);
    fx_data_free(d);
    d = keep;
    CHECK(fx_data_make(&d, "pairs:n=20000,d=1000000,k=400000", 1, &run) == FX_ELIMIT && d == keep);
    run = (fx_run){RUN, .progress = stop};
    CHECK(fx_data_make(&d, "dense-positive:n=100000,d=200", 1, &run) == FX_ECANCELLED && d == keep);
    return 0;
}
