/* SPDX-License-Identifier: BSD-3-Clause
 * t_scratch.c - pieces are apart and aligned; what was taken once is there without a new block; a
 * pool gives no scratch to two threads at once, and a thread the one that it had before. */

#include "base/base.h"
#include "base/test.h"

#include <pthread.h>
#include <string.h>

static void pieces(void)
{
    fxi_scratch s = {0};
    unsigned char *at[40];
    size_t n[40];

    for (int turn = 0; turn < 3; turn++) {
        for (size_t k = 0; k < 40; k++) {
            n[k] = k % 9 ? test_below(3000) : 0;
            at[k] = fxi_scratch_take(&s, n[k], 1);
            CHECK(at[k] && (uintptr_t)at[k] % 64 == 0);
            memset(at[k], (int)k, n[k]);
        }
        for (size_t k = 0; k < 40; k++)
            for (size_t i = 0; i < n[k]; i++)
                CHECK(at[k][i] == k);
        fxi_scratch_reset(&s);
    }
    size_t total = s.total;
    const fxi_scratch_block *block = s.block;
    for (size_t k = 0; k < 100; k++) {          /* as much again, in other pieces */
        CHECK(fxi_scratch_take(&s, total / 2 - 64, 1) && fxi_scratch_take(&s, total / 8, 3));
        fxi_scratch_reset(&s);
    }
    CHECK(s.total == total && s.block == block);
    CHECK(!fxi_scratch_take(&s, SIZE_MAX / 2, 4) && !fxi_scratch_take(&s, SIZE_MAX - 70, 1));
    CHECK(fxi_scratch_take(&s, 2 * total, 1));
    free(fxi_scratch_release(&s));
    CHECK(s.block == block);
    fxi_scratch_free(&s);
    CHECK(!fxi_scratch_release(&s));
}

enum { THREADS = 6, TURNS = 3000 };
static fxi_scratch_pool *pool;
static atomic_int inside[THREADS];

static void *enter(void *arg)
{
    int me = *(int *)arg;

    for (int k = 0; k < TURNS; k++) {
        fxi_scratch *s = fxi_scratch_enter(pool);
        CHECK(s);
        int *p = fxi_scratch_take(s, 100, sizeof *p);
        CHECK(p);
        for (int i = 0; i < 100; i++)
            p[i] = me;
        for (int i = 0; i < 100; i++)
            CHECK(p[i] == me);
        inside[me]++;
        fxi_scratch_leave(s);
    }
    return NULL;
}

int main(void)
{
    pthread_t id[THREADS];
    int number[THREADS];

    test_init();
    pieces();
    CHECK((pool = fxi_scratch_pool_new()));
    fxi_scratch *a = fxi_scratch_enter(pool), *b = fxi_scratch_enter(pool);
    CHECK(a && b && a != b);
    fxi_scratch_leave(b);
    fxi_scratch_leave(a);
    CHECK(fxi_scratch_enter(pool) == b || fxi_scratch_enter(pool) == b);
    a->busy = b->busy = false;
    for (int t = 0; t < THREADS; t++) {
        number[t] = t;
        CHECK(!pthread_create(&id[t], NULL, enter, &number[t]));
    }
    for (int t = 0; t < THREADS; t++) {
        pthread_join(id[t], NULL);
        CHECK(inside[t] == TURNS);
    }
    fxi_scratch_leave(NULL);
    fxi_scratch_pool_free(pool);
    fxi_scratch_pool_free(NULL);
    return 0;
}
