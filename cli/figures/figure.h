/* SPDX-License-Identifier: BSD-3-Clause
 * figure.h - a picture of lines with error bars: panels in rows and columns.  figure.c writes the
 * gnuplot script, plot.c runs it.  Points, panels and figures begin as {0}, so that what is not
 * said is not there. */
#ifndef FIGURE_H
#define FIGURE_H
#include "cli.h"
#include "plot.h"

typedef struct figure_point {
    double x, y, low, high;             /* low == high: no error bar; x NaN: y holds for every x,
                                         * drawn as a dashed line across the panel */
    double x_low, x_high;               /* both 0: no bar in x */
} figure_point;
typedef struct figure_series {
    const char *name;                   /* series of one name look alike in every panel */
    figure_point *point;
    size_t points;
    bool dots;                          /* marks without a line between them */
    bool hollow;                        /* dots, not filled: another's figures for that name */
    bool guide;                         /* a grey dashed line for the eye, without marks */
} figure_series;
typedef struct figure_panel {
    const char *title, *x, *y;          /* labels, with units; title may be NULL */
    bool log_x, log_y;
    figure_series *series;
    size_t count;
} figure_panel;
typedef struct figure {
    const char *title;
    const char *note;                   /* below the names: what bars are; or NULL */
    const char *hollow;                 /* what hollow marks are; NULL: there are none */
    size_t rows, cols;                  /* of panels */
    figure_panel *panel;                /* [rows * cols], row by row; count 0: left empty */
} figure;
int figure_draw(plot *p, const char *path, const figure *f);    /* after plot_open */

/* ---- figure_axis.c: for figure.c alone ------------------------------------------------------- */
typedef struct figure_axis {
    double low, high;
    bool log, some;                     /* some: low and high are known */
} figure_axis;
void figure_axis_reach(figure_axis *a, double v);        /* a value that it shall show */
void figure_axis_pad(figure_axis *a);                    /* when all are known */
/* Range and tics of axis `name`, at most `most`; at[n]: where data is, ascending. */
void figure_axis_tics(strbuf *t, char name, const figure_axis *a, size_t most, const double *at,
                      size_t n);

/* ---- figure_look.c: for figure.c alone ------------------------------------------------------- */
typedef struct figure_look {            /* of one name */
    const char *name;
    size_t style;                       /* of colour and mark, from 0 */
    bool line, mark, across, guide, hollow;     /* what there is to see of it */
} figure_look;
figure_look *figure_look_all(size_t *n, const figure *f); /* free() it; NULL: no memory */
size_t figure_look_of(const figure_look *look, size_t n, const char *name); /* its place */
/* Line styles of the script: number; more by these for hollow marks and lines across. */
enum { FIGURE_HOLLOW = 1000, FIGURE_ACROSS = 2000 };
void figure_look_styles(strbuf *t, size_t number, const figure_look *k);
#endif
