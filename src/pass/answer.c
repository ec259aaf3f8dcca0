/* SPDX-License-Identifier: BSD-3-Clause
 * answer.c - an answer in the making: rows are added in runs, runs to exact sums.
 *
 * Threads take runs as they come; each has its own sums.  Where a run does not end with the rows at
 * hand, its sum waits for the rows that follow. */

#include "pass/pass.h"

#include <stdlib.h>
#include <string.h>

/* ---- Memory -------------------------------------------------------------------------------- */

static bool count(size_t *doubles, size_t *exact, size_t numbers, size_t threads)
{
    return numbers < SIZE_MAX / 8 && fxi_size_mul(doubles, fxi_sum_padded(numbers), threads + 1)
           && fxi_size_mul(exact, fxi_sum_blocks(numbers), threads * sizeof(fxi_sum));
}

bool fxi_pass_answer_bytes(size_t *bytes, size_t numbers, size_t threads)
{
    size_t doubles, exact;

    return count(&doubles, &exact, numbers, threads)
           && fxi_size_mul(bytes, doubles, sizeof(double)) && fxi_size_add(bytes, *bytes, exact);
}

fx_status fxi_pass_answer_new(fxi_answer *out, size_t run_rows, size_t runs, double work,
                              const fx_run *run)
{
    *out = (fxi_answer){.run = run_rows, .how = fxi_parallel_run(run, work)};
    out->threads = (size_t)fxi_parallel_threads(&out->how, runs);
    return FX_OK;
}

void fxi_pass_answer_free(fxi_answer *a)
{
    fxi_free(a->sum, a->exact);
    if (a->counted)
        free(a->count);
    *a = (fxi_answer){0};
}

fx_status fxi_pass_answer_sums(fxi_answer *a, size_t numbers)
{
    size_t doubles, exact, bytes, blocks = fxi_sum_blocks(numbers);
    fx_status st;

    if (blocks * FXI_SUM > a->capacity) {
        if (!count(&doubles, &exact, numbers, a->threads)
            || !fxi_pass_answer_bytes(&bytes, numbers, a->threads))
            return fxi_error(FX_ESHAPE, "%zu sums are too many", numbers);
        if ((st = fxi_memory_check(&a->how, bytes, "sums over the rows")))
            return st;
        fxi_free(a->sum, a->exact);
        a->capacity = 0;
        a->sum = fxi_alloc(doubles, sizeof *a->sum);
        a->exact = fxi_alloc(exact, 1);
        if (!a->sum || !a->exact)
            return FX_ENOMEM;
        a->capacity = blocks * FXI_SUM;
    }
    a->numbers = numbers;
    a->counts = a->state = a->open = false;
    a->rows = 0;
    for (size_t t = 0; t < a->threads; t++)
        fxi_linalg_sum_clear(a->exact + t * (a->capacity / FXI_SUM), blocks);
    return FX_OK;
}

fx_status fxi_pass_answer_counts(fxi_answer *a, size_t numbers, double *to)
{
    fx_status st = FX_OK;

    if (to || a->counted < numbers) {
        if (a->counted)
            free(a->count);
        a->counted = 0;
        a->count = to ? to
                      : fxi_alloc_within(&st, numbers, sizeof *to, &a->how, "sums over the rows");
        if (!a->count)
            return st ? st : FX_ENOMEM;
        a->counted = to ? 0 : numbers;
    }
    a->numbers = numbers;
    a->counts = true;
    a->state = a->open = false;
    a->rows = 0;
    if (numbers)
        memset(a->count, 0, numbers * sizeof *a->count);
    return FX_OK;
}

fx_status fxi_pass_answer_state(fxi_answer *a, size_t numbers)
{
    fx_status st = fxi_pass_answer_counts(a, numbers, NULL);

    a->state = true;
    return st;
}

/* ---- Adding -------------------------------------------------------------------------------- */

typedef struct adding {
    fxi_answer *a;
    fxi_pass_rows *fn;
    void *ctx;
    size_t rows, from;                  /* from: the row with which the first run begins */
} adding;

static fx_status add_run(void *ctx, size_t r, fxi_team *team)
{
    const adding *k = ctx;
    const fxi_answer *a = k->a;
    size_t thread = (size_t)fxi_parallel_thread(team), first = k->from + r * a->run;
    size_t end = k->rows - first < a->run ? k->rows : first + a->run;
    double *sum = a->sum + thread * a->capacity;

    memset(sum, 0, a->numbers * sizeof *sum);
    fx_status st = k->fn(k->ctx, sum, first, end, team);
    if (!st && !fxi_parallel_cancelled(team))
        fxi_linalg_sum_add(a->exact + thread * (a->capacity / FXI_SUM), sum, a->numbers);
    return st;
}

/* Rows `from` .. of a run that does not begin or does not end among those at hand. */
static fx_status add_open(void *ctx, size_t block, fxi_team *team)
{
    const adding *k = ctx;
    const fxi_answer *a = k->a;
    size_t end = k->from + (size_t)(a->run - a->next % a->run);

    (void)block;
    end = end < k->rows ? end : k->rows;
    return k->fn(k->ctx, a->sum + a->threads * a->capacity, k->from, end, team);
}

static void close_run(fxi_answer *a)
{
    if (a->open)
        fxi_linalg_sum_add(a->exact, a->sum + a->threads * a->capacity, a->numbers);
    a->open = false;
}

/* The rows from k->from on that belong to one run. */
static fx_status go_on(adding *k)
{
    fxi_answer *a = k->a;
    size_t left = k->rows - k->from, more = (size_t)(a->run - a->next % a->run);
    double *sum = a->sum + a->threads * a->capacity;

    if (!a->open)
        memset(sum, 0, a->numbers * sizeof *sum);
    a->open = true;
    fx_status st = fxi_parallel_ordered(1, add_open, k, &a->how);
    a->next += more < left ? more : left;
    k->from += more < left ? more : left;
    if (!st && more <= left)
        close_run(a);
    return st;
}

fx_status fxi_pass_answer_add(fxi_answer *a, fxi_pass_rows *fn, void *ctx, size_t rows,
                              uint64_t first, bool last)
{
    adding k = {a, fn, ctx, rows, 0};
    fx_status st = FX_OK;

    if ((first % a->run || a->open) && !(a->open && a->next == first))
        return fxi_error(FX_EINVAL, "row %llu (from 0) comes before those above it: runs of %zu "
                         "rows must be in order", (unsigned long long)first, a->run);
    a->next = first;
    if (first % a->run)
        st = go_on(&k);
    size_t left = rows - k.from, runs = left / a->run + (last && left % a->run);
    if (!st)
        st = fxi_parallel(runs, add_run, &k, &a->how);
    k.from += runs * a->run;
    a->next = first + k.from;
    if (!st && k.from < rows)
        st = go_on(&k);
    if (!st && last)
        close_run(a);
    a->rows += rows;
    return st;
}

void fxi_pass_answer_round(double *out, fxi_answer *a)
{
    size_t blocks = fxi_sum_blocks(a->numbers), room = a->capacity / FXI_SUM;

    if (a->counts) {
        if (out != a->count)
            memcpy(out, a->count, a->numbers * sizeof *out);
        return;
    }
    for (size_t t = 1; t < a->threads; t++)
        fxi_linalg_sum_merge(a->exact, a->exact + t * room, blocks);
    fxi_linalg_sum_round(out, a->exact, a->numbers);
}
