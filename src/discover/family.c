/* SPDX-License-Identifier: BSD-3-Clause
 * family.c - nested discoveries, of which one may stand for another, are one family. */

#include "discover/discover.h"

static bool nested(const fxi_combined *a, const fxi_combined *b)
{
    return a->output == b->output
           && (fxi_discover_set_within(&a->set, &b->set)
               || fxi_discover_set_within(&b->set, &a->set));
}

void fxi_discover_family(fxi_combined *c, size_t n)
{
    size_t families = 0;

    for (size_t k = 0; k < n; k++)
        c[k].family = c[k].eliminated ? SIZE_MAX : families++;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < k && !c[k].eliminated; i++)
            if (!c[i].eliminated && c[i].family != c[k].family && nested(&c[i], &c[k])) {
                size_t low = c[i].family < c[k].family ? c[i].family : c[k].family,
                       high = c[i].family + c[k].family - low;
                for (size_t j = 0; j < n; j++)  /* numbers stay without gaps */
                    if (!c[j].eliminated)
                        c[j].family = c[j].family == high ? low
                                                          : c[j].family - (c[j].family > high);
                families--;
            }
    /* One that was eliminated joins the first family that it is nested with, and none together. */
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n && c[k].family == SIZE_MAX; i++)
            if (!c[i].eliminated && nested(&c[i], &c[k]))
                c[k].family = c[i].family;
    for (size_t k = 0; k < n; k++)
        if (c[k].family == SIZE_MAX)
            c[k].family = families++;
}
