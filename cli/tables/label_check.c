/* SPDX-License-Identifier: BSD-3-Clause
 * label_check.c - labels that are hardly meant as such: a different whole number in every row, or
 * huge ones of about the same size, as identifiers and time stamps are.  The last column of a table
 * is often one of these.
 *
 * Different labels are held in a hash table only until it is known that some repeat, and that there
 * are more than a few. */

#include "tables.h"
#include "terminal/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 20 };                      /* rows that may differ by chance; values of classes */
#define LARGE 1e5
#define TIMES 1e8                       /* seconds since 1970: from 1973 on */

void label_check_free(label_look *c)
{
    free(c->slot);
    c->slot = NULL;
    c->slots = 0;
}

static double *find(const label_look *c, double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof bits);
    size_t i = (size_t)(bits * 0x9e3779b97f4a7c15u >> 20) & (c->slots - 1);
    while (!isnan(c->slot[i]) && c->slot[i] != v)
        i = (i + 1) & (c->slots - 1);
    return &c->slot[i];
}

/* Twice the slots; false if there is no memory, and then no warning. */
static bool grow(label_look *c)
{
    label_look more = *c;

    more.slots = c->slots ? 2 * c->slots : 64;
    if (more.slots > cli.max_memory / 4 / sizeof *more.slot)
        return false;
    if (!(more.slot = malloc(more.slots * sizeof *more.slot)))
        return false;
    for (size_t i = 0; i < more.slots; i++)
        more.slot[i] = NAN;
    for (size_t i = 0; i < c->slots; i++)
        if (!isnan(c->slot[i]))
            *find(&more, c->slot[i]) = c->slot[i];
    free(c->slot);
    *c = more;
    return true;
}

static void enter(label_look *c, double v)
{
    if (2 * c->values >= c->slots && !grow(c)) {
        c->plain = true;
        return;
    }
    double *slot = find(c, v);
    if (*slot == v)
        c->repeated = true;
    else
        c->values++;
    *slot = v;
}

void label_check_add(label_look *c, const fx_table *t)
{
    if (t->classes || (t->rows && !t->label))
        c->plain = true;
    for (size_t i = 0; i < t->rows && !c->plain; i++) {
        double v = t->label[i] + 0.0;   /* -0 is 0 */
        c->low = c->rows ? fmin(c->low, v) : v;
        c->high = c->rows ? fmax(c->high, v) : v;
        c->rows++;
        c->plain = v != floor(v);
        if (c->repeated && c->values > FEW)
            label_check_free(c);
        else if (!c->plain)
            enter(c, v);
    }
    if (c->plain)
        label_check_free(c);
}

static bool looks_odd(const label_look *c)
{
    if (c->plain || c->rows < FEW)
        return false;
    if (c->values > FEW && c->low >= TIMES && c->high < 2 * c->low)
        return true;
    return !c->repeated && (c->high - c->low == (double)c->rows - 1 || c->high >= LARGE);
}

void label_check(const loaded *l)
{
    label_look own = {0};
    const label_look *c = l->table.label ? &own : &l->so_far.labels;

    if (l->nodes)
        return;
    if (l->table.label)
        label_check_add(&own, &l->table);
    if (looks_odd(c))
        say_warning("%s: the labels are whole numbers from %.17g to %.17g, as identifiers and time "
                    "stamps are; --label NAME takes another column", l->name, c->low, c->high);
    label_check_free(&own);
}
