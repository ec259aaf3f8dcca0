/* SPDX-License-Identifier: BSD-3-Clause
 * t_sort.c - sorted, nothing lost, equal keys in their order; stopped when asked. */

#include "base/test.h"
#include "data/data.h"

typedef struct job { fxi_data_item *item; size_t n; } job;

static fx_status sort(void *ctx, size_t part, fxi_team *team)
{
    job *j = ctx;

    (void)part;
    return fxi_data_sort(j->item, j->item + j->n, j->n, fxi_data_sort_ascending, team);
}

static void fill(job *j, size_t keys)
{
    for (size_t i = 0; i < j->n; i++) {
        j->item[i].key.col = (int64_t)test_below(keys) - 5;
        j->item[i].with.number = i;
    }
}

static void check(size_t n, size_t keys)
{
    job j = {malloc((n + n / 2 + 1) * sizeof *j.item), n};
    int64_t *key = malloc((n + 1) * sizeof *key);
    bool *seen = calloc(n + 1, sizeof *seen);

    CHECK(j.item && key && seen);
    fill(&j, keys);
    for (size_t i = 0; i < n; i++)
        key[i] = j.item[i].key.col;
    CHECK(fxi_parallel_ordered(1, sort, &j, NULL) == FX_OK);
    for (size_t i = 0; i < n; i++) {
        size_t from = j.item[i].with.number;
        CHECK(from < n && !seen[from] && j.item[i].key.col == key[from]);
        seen[from] = true;
        if (i) {
            size_t before = j.item[i - 1].with.number;
            CHECK(key[before] < key[from] || (key[before] == key[from] && before < from));
        }
    }
    free(j.item);
    free(key);
    free(seen);
}

static int stop(void *ctx, double done)
{
    CHECK(done == 0);
    return ++*(int *)ctx;
}

int main(void)
{
    job large = {malloc(3000000 * sizeof(fxi_data_item)), 2000000};
    int calls = 0;

    test_init();
    for (size_t n = 0; n < 70; n++)
        for (size_t keys = 1; keys < 200; keys = 3 * keys + 1)
            check(n, keys);
    check(100000, 1000);
    check(100000, (size_t)1 << 60);

    CHECK(large.item);
    fill(&large, (size_t)1 << 60);
    CHECK(fxi_parallel_ordered(1, sort, &large, &(fx_run){RUN, .progress = stop, .ctx = &calls})
          == FX_ECANCELLED);
    CHECK(calls == 1);
    free(large.item);
    return 0;
}
