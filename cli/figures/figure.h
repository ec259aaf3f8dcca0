/* SPDX-License-Identifier: BSD-3-Clause
 * figure.h - between the parts of figure.c. */
#ifndef FIGURE_H
#define FIGURE_H
#include "plot.h"

/* ---- figure_axis.c: for figure.c alone ------------------------------------------------------- */
typedef struct figure_axis {
    double low, high;
    bool log, has_range;                /* has_range: low and high are known */
} figure_axis;
void figure_axis_reach(figure_axis *a, double v);        /* extends the range to v */
void figure_axis_pad(figure_axis *a);                    /* adds a margin; call it last */
/* Range and tics of axis `name`, at most `max_tics`; at[n]: where data is, ascending. */
void figure_axis_tics(strbuf *t, char name, const figure_axis *a, size_t max_tics, const double *at,
                      size_t n);

/* ---- figure_look.c: for figure.c alone ------------------------------------------------------- */
typedef struct figure_look {            /* of one name */
    const char *name;
    size_t style;                       /* of colour and mark, from 0 */
    bool line, mark, across, guide, hollow;     /* what there is to see of it */
} figure_look;
figure_look *figure_look_all(size_t *n, const figure *f); /* free() it; NULL: no memory */
size_t figure_look_of(const figure_look *look, size_t n, const char *name); /* its place */
/* Numbers of line styles in the script: these are added for hollow marks and lines across. */
enum { FIGURE_HOLLOW = 1000, FIGURE_ACROSS = 2000 };
void figure_look_styles(strbuf *t, size_t number, const figure_look *k);
#endif
