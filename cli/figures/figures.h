/* SPDX-License-Identifier: BSD-3-Clause
 * figures.h - what gnuplot draws. */
#ifndef CLI_FIGURES_H
#define CLI_FIGURES_H
#include "files/files.h"

/* ---- plot.c: a figure's files, before and after it is drawn --------------------------------- */
typedef struct plot {
    output *image, *script, *data;
    char script_path[4096], data_path[4096];
} plot;
int plot_open(plot *p, const char *path);       /* before any work: can this figure be drawn? */
int plot_check(void);                   /* plot_open does it too: does gnuplot run? */
int plot_gram(plot *p, const char *path, const char *title, const double *K, size_t cols,
              const fx_table *X, const fx_table *Z);

/* ---- plot_bars.c: horizontal bars, the first on top ------------------------------------------ */
typedef struct plot_bar {
    const char *name;
    double value;
    bool negative;                      /* its colour */
} plot_bar;
/* sized: values are sizes, and a key says what the colours are. */
int plot_bars(plot *p, const char *path, const char *title, const char *axis, const plot_bar *bar,
              size_t n, bool sized);

/* ---- plot_intervals.c: numbers with intervals, the first on top ------------------------------ */
typedef struct plot_interval {
    const char *name;
    double value, low, high;
} plot_interval;
int plot_intervals(plot *p, const char *path, const char *title, const char *axis,
                   const plot_interval *line, size_t n);

/* ---- figure.c --------------------------------------------------------------------------------
 * Lines with error bars: panels in rows and columns.  Initialise points, panels and figures with
 * {0}; members that are not set are absent. */
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
#endif
