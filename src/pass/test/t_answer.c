/* SPDX-License-Identifier: BSD-3-Clause
 * t_answer.c - answers: sums of rows in parts, in any order, by threads, merged from bytes; counts;
 * lengths of runs; answers that do not fit.
 *
 * Covers: bytes.c, run.c */

#include "base/test.h"
#include "pass/pass.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 5 * 4096 + 321, D = 70 };
static double X[N][D];

/* Column j of rows i..end - 1. */
static fx_status add(void *ctx, double *sum, size_t i, size_t end, fxi_team *team)
{
    const size_t *first = ctx;

    (void)team;
    for (; i < end; i++)
        for (size_t j = 0; j < D; j++)
            sum[j] += X[*first + i][j];
    return FX_OK;
}

static fxi_answer begun(size_t run, int threads)
{
    fxi_answer a;
    fx_run how = {RUN, .threads = threads};

    CHECK(fxi_pass_answer_new(&a, run, 40, 1e9, &how) == FX_OK);
    CHECK(fxi_pass_answer_sums(&a, D) == FX_OK);
    return a;
}

static void add_rows(fxi_answer *a, size_t first, size_t end)
{
    CHECK(fxi_pass_answer_add(a, add, &first, end - first, first, end == N) == FX_OK);
}

/* As a message, at an odd address. */
static fxi_message bytes_of(fxi_answer *a)
{
    fxi_message m = {0};

    fxi_pass_message(&m, "fxtest01");
    CHECK(fxi_pass_bytes_answer(&m, a) == FX_OK);
    CHECK(fxi_pass_message_end(&m) == FX_OK);
    return m;
}

static fx_status merge(fxi_answer *a, const fxi_message *m)
{
    unsigned char *odd = malloc(m->len + 1);
    fxi_reading r;

    CHECK(odd);
    memcpy(odd + 1, m->at, m->len);
    CHECK(fxi_pass_message_read(&r, odd + 1, m->len, "fxtest01", "test") == FX_OK);
    fx_status st = fxi_pass_bytes_merge(a, &r), end = fxi_pass_message_read_end(&r, "test");
    free(odd);
    return st ? st : end;
}

static void test_merge(size_t run)
{
    static const size_t from[] = {0, 4096, 3 * 4096, 4 * 4096, N};
    static const size_t order[2][4] = {{0, 1, 2, 3}, {2, 0, 3, 1}};
    double whole[D], got[D];
    fxi_answer a = begun(run, 3);

    test_helped();
    add_rows(&a, 0, N);
    CHECK(test_helped() && a.rows == N);
    fxi_pass_answer_round(whole, &a);
    for (size_t j = 0; j < D; j++) {
        double sum = 0, size = 0;
        for (size_t i = 0; i < N; i++) {
            sum += X[i][j];
            size += fabs(X[i][j]);
        }
        CHECK_NEAR(whole[j], sum, 1e-12 * size);
    }
    for (int k = 0; k < 2; k++) {
        CHECK(fxi_pass_answer_sums(&a, D) == FX_OK);
        for (size_t part = 0; part < 4; part++) {
            fxi_answer one = begun(run, 1 + (int)part % 2);
            add_rows(&one, from[order[k][part]], from[order[k][part] + 1]);
            fxi_message m = bytes_of(&one);
            CHECK(merge(&a, &m) == FX_OK);
            free(m.at);
            fxi_pass_answer_free(&one);
        }
        CHECK(a.rows == N);
        fxi_pass_answer_round(got, &a);
        CHECK(!memcmp(got, whole, sizeof got));
    }
    fxi_pass_answer_free(&a);
}

static void test_counts(void)
{
    double mine[3] = {0}, out[3];
    fxi_answer a = begun(256, 1), b = begun(256, 1);

    CHECK(fxi_pass_answer_counts(&a, 3, NULL) == FX_OK);
    CHECK(fxi_pass_answer_counts(&b, 3, mine) == FX_OK);
    a.count[1] = 0x1p52;
    b.count[1] = 3;
    a.rows = 7;
    fxi_message m = bytes_of(&a);
    CHECK(merge(&b, &m) == FX_OK);
    fxi_pass_answer_round(out, &b);
    CHECK(b.rows == 7 && mine[1] == 0x1p52 + 3 && out[1] == mine[1] && out[0] == 0);
    CHECK(fxi_pass_answer_counts(&b, 2, mine) == FX_OK && merge(&b, &m) == FX_EFORMAT);
    CHECK(fxi_pass_answer_sums(&b, 3) == FX_OK && merge(&b, &m) == FX_EFORMAT);
    free(m.at);
    fxi_pass_answer_free(&a);
    fxi_pass_answer_free(&b);
}

/* A state is taken as it is, once; an answer without rows changes nothing. */
static void test_states(void)
{
    double out[2];
    fxi_answer a = begun(256, 1), b = begun(256, 1), none = begun(256, 1);

    CHECK(fxi_pass_answer_state(&a, 2) == FX_OK && fxi_pass_answer_state(&b, 2) == FX_OK);
    CHECK(fxi_pass_answer_state(&none, 2) == FX_OK);
    a.count[0] = 0.1;
    a.rows = 7;
    b.count[0] = 5;
    none.count[1] = 3;
    fxi_message m = bytes_of(&a), empty = bytes_of(&none);
    CHECK(merge(&b, &m) == FX_OK && merge(&b, &empty) == FX_OK);
    fxi_pass_answer_round(out, &b);
    CHECK(b.rows == 7 && out[0] == 0.1 && out[1] == 0);
    CHECK(merge(&b, &m) == FX_EINVAL);
    CHECK(fxi_pass_answer_counts(&b, 2, NULL) == FX_OK && merge(&b, &m) == FX_EFORMAT);
    CHECK(fxi_pass_answer_sums(&b, 2) == FX_OK && merge(&b, &m) == FX_EFORMAT);
    free(m.at);
    free(empty.at);
    fxi_pass_answer_free(&a);
    fxi_pass_answer_free(&b);
    fxi_pass_answer_free(&none);
}

/* Numbers that no sum has, though the checksum is right. */
static void test_impossible(void)
{
    fxi_answer a = begun(256, 1);

    add_rows(&a, 0, 4096);
    a.exact[0].top = INT64_MAX;
    fxi_message m = bytes_of(&a);
    CHECK(fxi_pass_answer_sums(&a, D) == FX_OK && merge(&a, &m) == FX_EFORMAT);
    free(m.at);
    add_rows(&a, 0, 4096);
    a.exact[1].limb[2][63] = INT64_MIN;
    m = bytes_of(&a);
    CHECK(fxi_pass_answer_sums(&a, D) == FX_OK && merge(&a, &m) == FX_EFORMAT);
    free(m.at);
    fxi_pass_answer_free(&a);
}

/* A run that is longer than a block: rows come in their order, and an answer ends with a run. */
static void test_long_runs(void)
{
    size_t first = 0;
    double whole[D], got[D];
    fxi_message m = {0};
    fxi_answer a = begun(1 << 14, 2);

    add_rows(&a, 0, N);
    fxi_pass_answer_round(whole, &a);
    CHECK(fxi_pass_answer_sums(&a, D) == FX_OK);
    for (; first < N; first += 4096)
        add_rows(&a, first, N - first < 4096 ? N : first + 4096);
    fxi_pass_answer_round(got, &a);
    CHECK(!memcmp(got, whole, sizeof got));
    CHECK(fxi_pass_answer_sums(&a, D) == FX_OK);
    add_rows(&a, 0, 4096);
    fxi_pass_message(&m, "fxtest01");
    CHECK(fxi_pass_bytes_answer(&m, &a) == FX_EINVAL && strstr(fx_error_detail(), "16384 rows"));
    free(m.at);
    first = 3 * 4096;
    CHECK(fxi_pass_answer_add(&a, add, &first, 4096, first, false) == FX_EINVAL);
    fxi_pass_answer_free(&a);
}

static void test_runs(void)
{
    CHECK(fxi_pass_run(1000000, 1000, 1000000000, false) == 256);
    CHECK(fxi_pass_run(32000, 124, 32000 * 14, true) == 2048);
    CHECK(fxi_pass_run(1000000, 3, 3000000, true) == 4096);     /* narrow, but not far wider */
    CHECK(fxi_pass_run(1000000, 100000, 20000000, true) == 4096);
    CHECK(fxi_pass_run(1000000, 1000000, 100000000, true) == 8192);
    CHECK(fxi_pass_run(10, 1000000, 100, true) == 256);
    CHECK(fxi_pass_run(0, 0, 0, true) == 256);
}

static void test_questions(void)
{
    const double w[3] = {1, -2, 3e-300}, v[1] = {7};
    const fxi_question q = {.what = FXI_ASK_LINE, .flags = 6, .t = -0.5, .w = w, .ws = 3, .v = v,
                            .vs = 1};
    fxi_message m = {0};
    fxi_reading r;
    fxi_question got;

    fxi_pass_message(&m, "fxtest01");
    fxi_pass_bytes_question(&m, &q);
    fxi_pass_bytes_question(&m, &(fxi_question){.what = FXI_ASK_GRADIENT});
    CHECK(fxi_pass_message_end(&m) == FX_OK);
    CHECK(fxi_pass_message_read(&r, m.at, m.len, "fxtest01", "test") == FX_OK);
    fxi_pass_bytes_read_question(&got, &r);
    CHECK(got.what == q.what && got.flags == 6 && got.t == -0.5 && got.ws == 3 && got.vs == 1);
    CHECK(!memcmp(got.w, w, sizeof w) && got.v[0] == 7);
    fxi_pass_bytes_read_question(&got, &r);
    CHECK(got.what == FXI_ASK_GRADIENT && !got.w && !got.v && !got.ws);
    CHECK(fxi_pass_message_read_end(&r, "test") == FX_OK);
    free(m.at);
}

int main(void)
{
    test_init();
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < D; j++)
            X[i][j] = (test_unit() - 0.4) * pow(10, (double)(j % 9) - 4);
    for (size_t run = 256; run <= 4096; run *= 4)
        test_merge(run);
    test_counts();
    test_states();
    test_impossible();
    test_long_runs();
    test_runs();
    test_questions();
    return 0;
}
