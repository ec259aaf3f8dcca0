/* SPDX-License-Identifier: BSD-3-Clause
 * pairs.c - an output for each pair of classes: (0,1), (0,2), .., (1,2), ..; a positive score means
 * the second class.
 *
 * A score of 0 is a vote for the first, as with two classes.  The sum of a class's scores ranks
 * rows by how strongly they belong to it; the votes alone would give most rows the same rank. */

#include "model/model.h"

#include <math.h>
#include <string.h>

bool fxi_model_pairs(size_t *out, size_t classes)
{
    bool fits = fxi_size_mul(out, classes, classes ? classes - 1 : 0);

    *out /= 2;
    return fits;
}

void fxi_model_pairs_of(size_t *first, size_t *second, size_t classes, size_t number)
{
    /* From the end there is 1 pair of the last class but one, then 2 of the one before, 3, ..: r
     * such groups are before the wanted one.  The root may be off by one. */
    size_t back = classes * (classes - 1) / 2 - 1 - number;
    size_t r = (size_t)((sqrt(8.0 * (double)back + 1) - 1) / 2);

    while (r * (r + 1) / 2 > back)
        r--;
    while ((r + 1) * (r + 2) / 2 <= back)
        r++;
    *first = classes - 2 - r;
    *second = classes - 1 - (back - r * (r + 1) / 2);
}

size_t fxi_model_pairs_number(size_t classes, size_t first, size_t second)
{
    return first * (2 * classes - first - 1) / 2 + second - first - 1;
}

double fxi_model_pairs_sign(const fx_model_info *c, size_t number, size_t class)
{
    size_t a, b;

    if (!c->pairs)
        return class == (c->outputs > 1 ? number : 1) ? 1 : -1;
    fxi_model_pairs_of(&a, &b, c->classes, number);
    return class == b ? 1 : class == a ? -1 : 0;
}

void fxi_model_pairs_vote(double *v, const fx_model_info *c, const double *score)
{
    memset(v, 0, c->classes * sizeof *v);
    for (size_t a = 0; a < c->classes; a++)
        for (size_t b = a + 1; b < c->classes; b++)
            v[*score++ > 0 ? b : a]++;
}

void fxi_model_pairs_sum(double *v, const fx_model_info *c, const double *score)
{
    memset(v, 0, c->classes * sizeof *v);
    for (size_t a = 0; a < c->classes; a++)
        for (size_t b = a + 1; b < c->classes; b++, score++) {
            v[a] -= *score;
            v[b] += *score;
        }
}
