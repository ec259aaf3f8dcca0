/* SPDX-License-Identifier: BSD-3-Clause
 * pass.c - the sums of a pass: rows are added in runs, runs to exact sums.
 *
 * Threads take runs as they come; each has its own sums.  Where a run does not end with the rows at
 * hand, its sum waits for the rows that follow. */

#include "fit/pass.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 256, ENTRIES = 1 << 14, PER_COLUMN = 4 }; /* of a run, at least */

/* Runs are short, so that few rows are work for several threads; but one of sparse rows has enough
 * entries to pay for adding up all columns. */
size_t fxi_fit_pass_run(size_t rows, size_t features, size_t numbers, bool sparse)
{
    double each = rows ? (double)numbers / (double)rows : 1;
    double least = fmax(ENTRIES, PER_COLUMN * (double)features);
    size_t run = ROWS;

    while (sparse && run < rows && each * (double)run < least)
        run *= 2;
    return run;
}

/* ---- Memory -------------------------------------------------------------------------------- */

static bool count(size_t *doubles, size_t *exact, size_t features, size_t threads, size_t *numbers)
{
    return features < SIZE_MAX / 8 && fxi_size_mul(numbers, fxi_sum_padded(features), 3)
           && fxi_size_add(numbers, *numbers, FXI_SUM)
           && fxi_size_mul(doubles, *numbers, threads + 1)
           && fxi_size_mul(exact, *numbers / FXI_SUM, threads * sizeof(fxi_sum));
}

bool fxi_fit_pass_sums_bytes(size_t *bytes, size_t features, size_t threads)
{
    size_t doubles, exact, numbers;

    return count(&doubles, &exact, features, threads, &numbers)
           && fxi_size_mul(bytes, doubles, sizeof(double)) && fxi_size_add(bytes, *bytes, exact);
}

fx_status fxi_fit_pass_sums(fxi_pass_sums *out, size_t features, size_t run_rows, size_t runs,
                            double work, const fx_run *run)
{
    fxi_pass_sums a = {.features = features, .run = run_rows, .simd = fxi_simd_get(),
                       .how = fxi_parallel_run(run, work)};
    size_t doubles, exact, bytes;
    fx_status st;

    a.threads = (size_t)fxi_parallel_threads(&a.how, runs);
    if (!count(&doubles, &exact, features, a.threads, &a.numbers)
        || !fxi_fit_pass_sums_bytes(&bytes, features, a.threads))
        return fxi_error(FX_ESHAPE, "%zu features are too many", features);
    if ((st = fxi_memory_check(run, bytes, "sums over the rows")))
        return st;
    a.sum = fxi_alloc(doubles, sizeof *a.sum);
    a.exact = fxi_alloc(exact, 1);
    if (!a.sum || !a.exact) {
        fxi_fit_pass_sums_free(&a);
        return FX_ENOMEM;
    }
    *out = a;
    return FX_OK;
}

void fxi_fit_pass_sums_free(fxi_pass_sums *a) { fxi_free(a->sum, a->exact, a->buffer); }

static fx_status make_buffers(fxi_pass_sums *a, const fxi_source *z)
{
    if (z->buffer <= a->buffered)
        return FX_OK;
    free(a->buffer);
    a->buffered = 0;
    if (!(a->buffer = fxi_alloc(a->threads * z->buffer, sizeof *a->buffer)))
        return FX_ENOMEM;
    a->buffered = z->buffer;
    return FX_OK;
}

/* ---- Adding -------------------------------------------------------------------------------- */

typedef struct adding {
    fxi_pass_sums *a;
    const fxi_question *q;
    const fxi_problem *p;
    const fxi_source *z;
    const fxi_piece *x;
    size_t from;                        /* the row of z with which the first run begins */
    size_t numbers;
} adding;

static fxi_piece piece_at(const fxi_piece *x, size_t i, size_t rows)
{
    fxi_piece at = *x;

    at.rows = rows;
    at.y += i, at.c += i, at.f += i, at.D += i, at.q += i;
    return at;
}

/* Rows i..end - 1 of z to the sum of their run. */
static fx_status add_rows(double *sum, const adding *k, size_t i, size_t end, fxi_team *team)
{
    const fxi_pass_sums *a = k->a;
    size_t piece = k->z->piece < a->run ? k->z->piece : a->run;
    float *buffer = a->buffer ? a->buffer + (size_t)fxi_parallel_thread(team) * a->buffered : NULL;
    fx_run how = fxi_parallel_nested(&a->how, team);
    fx_status st = FX_OK;

    for (; i < end && !st && !fxi_parallel_cancelled(team); i += piece) {
        fxi_piece x = piece_at(k->x, i, end - i < piece ? end - i : piece);
        fx_matrix Z;
        if (fxi_fit_newton_pass_needs(k->q, &x)) {
            st = fxi_fit_source_run(&Z, k->z, i, x.rows, buffer, &how);
            x.Z = &Z;
        }
        if (!st)
            fxi_fit_newton_pass_add(sum, k->q, &x, k->p, a->features, a->simd, team);
    }
    return st;
}

static fx_status add_run(void *ctx, size_t r, fxi_team *team)
{
    const adding *k = ctx;
    const fxi_pass_sums *a = k->a;
    size_t thread = (size_t)fxi_parallel_thread(team), first = k->from + r * a->run;
    double *sum = a->sum + thread * a->numbers;

    memset(sum, 0, k->numbers * sizeof *sum);
    size_t end = k->z->rows - first < a->run ? k->z->rows : first + a->run;
    fx_status st = add_rows(sum, k, first, end, team);
    if (!st && !fxi_parallel_cancelled(team))
        fxi_linalg_sum_add(a->exact + thread * (a->numbers / FXI_SUM), sum, k->numbers);
    return st;
}

/* Rows `from` .. of a run that does not begin or does not end among those of z. */
static fx_status add_open(void *ctx, size_t block, fxi_team *team)
{
    const adding *k = ctx;
    const fxi_pass_sums *a = k->a;
    size_t end = k->from + (size_t)(a->run - a->next % a->run);

    (void)block;
    end = end < k->z->rows ? end : k->z->rows;
    return add_rows(a->sum + a->threads * a->numbers, k, k->from, end, team);
}

static void close_run(fxi_pass_sums *a, size_t numbers)
{
    if (a->open)
        fxi_linalg_sum_add(a->exact, a->sum + a->threads * a->numbers, numbers);
    a->open = false;
}

/* The rows of z from k->from on that belong to one run. */
static fx_status go_on(adding *k)
{
    fxi_pass_sums *a = k->a;
    size_t left = k->z->rows - k->from, more = (size_t)(a->run - a->next % a->run);
    double *sum = a->sum + a->threads * a->numbers;

    if (!a->open)
        memset(sum, 0, k->numbers * sizeof *sum);
    a->open = true;
    fx_status st = fxi_parallel_ordered(1, add_open, k, &a->how);
    a->next += more < left ? more : left;
    k->from += more < left ? more : left;
    if (!st && more <= left)
        close_run(a, k->numbers);
    return st;
}

fx_status fxi_fit_pass_sums_add(fxi_pass_sums *a, const fxi_question *q, const fxi_problem *p,
                                const fxi_source *z, const fxi_piece *x, uint64_t first, bool last)
{
    adding k = {a, q, p, z, x, 0, fxi_answer_numbers(q, a->features)};
    fx_status st = make_buffers(a, z);

    if (!st && first % a->run && !(a->open && a->next == first))
        st = fxi_error(FX_EINVAL, "row %llu (from 0) comes before those above it: runs of %zu rows "
                       "must be in order", (unsigned long long)first, a->run);
    a->next = first;
    if (!st && first % a->run)
        st = go_on(&k);
    size_t left = z->rows - k.from, runs = left / a->run + (last && left % a->run);
    if (!st)
        st = fxi_parallel(runs, add_run, &k, &a->how);
    k.from += runs * a->run;
    a->next = first + k.from;
    if (!st && k.from < z->rows)
        st = go_on(&k);
    if (!st && last)
        close_run(a, k.numbers);
    return st;
}

void fxi_fit_pass_sums_clear(fxi_pass_sums *a, const fxi_question *q)
{
    size_t blocks = fxi_answer_numbers(q, a->features) / FXI_SUM, room = a->numbers / FXI_SUM;

    a->open = false;
    for (size_t t = 0; t < a->threads; t++)
        fxi_linalg_sum_clear(a->exact + t * room, blocks);
}

void fxi_fit_pass_sums_round(double *sums, fxi_pass_sums *a, const fxi_question *q)
{
    size_t numbers = fxi_answer_numbers(q, a->features), room = a->numbers / FXI_SUM;

    for (size_t t = 1; t < a->threads; t++)
        fxi_linalg_sum_merge(a->exact, a->exact + t * room, numbers / FXI_SUM);
    fxi_linalg_sum_round(sums, a->exact, numbers);
}

/* ---- Visiting ------------------------------------------------------------------------------ */

fx_status fxi_fit_pass_sums_each(fxi_pass_sums *a, const double *w, const fxi_problem *p,
                                 const fxi_source *z, const fxi_piece *x, uint64_t first,
                                 fxi_pass_visit *visit, void *ctx)
{
    fx_status st = make_buffers(a, z);

    for (size_t b = 0; b < z->rows && !st; b += FXI_PASS_BLOCK) {
        size_t end = z->rows - b < FXI_PASS_BLOCK ? z->rows : b + FXI_PASS_BLOCK;
        for (size_t i = b; i < end && !st; i += z->piece) {
            fxi_piece at = piece_at(x, i, end - i < z->piece ? end - i : z->piece);
            fx_matrix Z;
            if ((st = fxi_fit_source_run(&Z, z, i, at.rows, a->buffer, &a->how)))
                break;
            at.Z = &Z;
            if (!at.D_known)
                fxi_fit_newton_pass_curves(w, &at, p, a->features, a->simd);
            st = visit(ctx, first + i, &at, i + at.rows == end);
        }
    }
    return st;
}
