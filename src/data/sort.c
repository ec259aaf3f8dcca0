/* SPDX-License-Identifier: BSD-3-Clause
 * sort.c - items sorted by their keys, equal keys left in their order; it can be stopped.
 *
 * Merge sort: halves are sorted, the left one is put aside and both are merged back.  qsort would
 * promise neither the order of equal keys nor an end within 100 ms.  O(n log n) comparisons, and
 * memory for n / 2 items in addition to the array. */

#include "data/data.h"

#include <string.h>

enum { FEW = 16, POLL = 1024 };         /* items: sorted by insertion; merged between two polls */

int fxi_data_sort_ascending(const fxi_data_item *a, const fxi_data_item *b)
{
    return a->key.col < b->key.col ? -1 : a->key.col > b->key.col;
}

int64_t fxi_data_sort_number(double x)
{
    int64_t i;

    x += 0.0;                           /* -0 is 0 */
    memcpy(&i, &x, sizeof i);
    return i < 0 ? i ^ INT64_MAX : i;
}

double fxi_data_sort_value(int64_t number)
{
    double x;

    number = number < 0 ? number ^ INT64_MAX : number;
    memcpy(&x, &number, sizeof x);
    return x;
}

size_t fxi_data_sort_place(const int64_t *a, size_t n, int64_t x)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (a[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int fxi_data_sort_integers(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static void insertion(fxi_data_item *item, size_t n, fxi_data_compare *compare)
{
    for (size_t i = 1; i < n; i++) {
        fxi_data_item x = item[i];
        size_t k = i;
        for (; k > 0 && compare(&item[k - 1], &x) > 0; k--)
            item[k] = item[k - 1];
        item[k] = x;
    }
}

fx_status fxi_data_sort(fxi_data_item *item, fxi_data_item *scratch, size_t n,
                        fxi_data_compare *compare, fxi_team *team)
{
    const size_t half = n / 2;

    if (n <= FEW) {
        insertion(item, n, compare);
        return FX_OK;
    }
    fx_status s = fxi_data_sort(item, scratch, half, compare, team);
    if (!s)
        s = fxi_data_sort(item + half, scratch, n - half, compare, team);
    if (s || compare(&item[half - 1], &item[half]) <= 0)
        return s;
    for (size_t i = 0; i < half; i++) {
        scratch[i] = item[i];
        if (fxi_data_stopped(i, team))
            return FX_ECANCELLED;
    }
    for (size_t i = 0, k = half, out = 0; i < half; out++) {    /* out never overtakes k */
        if (k < n && compare(&item[k], &scratch[i]) < 0)
            item[out] = item[k++];
        else
            item[out] = scratch[i++];
        if (out % POLL == POLL - 1 && fxi_parallel_cancelled(team))
            return FX_ECANCELLED;
    }
    return FX_OK;
}
