/* SPDX-License-Identifier: BSD-3-Clause
 * records.c - what was measured, in memory: in order of cases, then seeds, then points. */

#include "recipe.h"

#include <math.h>
#include <stdlib.h>

int records_push(records *k, const struct record *p)
{
    if (k->n == k->capacity) {
        size_t capacity = k->capacity ? 2 * k->capacity : 64;
        struct record *more = realloc(k->at, capacity * sizeof *more);
        if (!more)
            return say_no_memory("records");
        k->at = more;
        k->capacity = capacity;
    }
    k->at[k->n++] = *p;
    return 0;
}

static size_t first_of(const records *k, size_t cell)
{
    size_t low = 0, high = k->n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (k->at[mid].cell < cell)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static bool counts(const records *k, size_t i, size_t point)
{
    const struct record *a = &k->at[i];

    return point != RECORDS_LAST ? a->point == point
                         : i + 1 == k->n || a[1].cell != a->cell || a[1].seed != a->seed;
}

summary records_of(const records *k, size_t cell, size_t point, size_t column)
{
    summary s = {.mean = NAN};
    double sum = 0, squares = 0;

    for (int turn = 0; turn < 2; turn++) {
        for (size_t i = first_of(k, cell); i < k->n && k->at[i].cell == cell; i++) {
            double v = k->at[i].value[column];
            if (isnan(v) || !counts(k, i, point))
                continue;
            if (turn == 0) {
                s.n++;
                sum += v;
            } else
                squares += (v - s.mean) * (v - s.mean);
        }
        s.mean = s.n ? sum / (double)s.n : NAN;
    }
    s.sd = s.n > 1 ? sqrt(squares / (double)(s.n - 1)) : 0;
    return s;
}

size_t records_points(const records *k, size_t cell)
{
    size_t points = 0;

    for (size_t i = first_of(k, cell); i < k->n && k->at[i].cell == cell; i++)
        points = k->at[i].point + 1 > points ? k->at[i].point + 1 : points;
    return points;
}

double records_get(const records *k, size_t cell, uint64_t seed, size_t point, size_t column)
{
    for (size_t i = first_of(k, cell); i < k->n && k->at[i].cell == cell; i++)
        if (k->at[i].seed == seed && k->at[i].point == point)
            return k->at[i].value[column];
    return NAN;
}
