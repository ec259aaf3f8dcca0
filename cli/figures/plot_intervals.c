/* SPDX-License-Identifier: BSD-3-Clause
 * plot_intervals.c - named numbers, each with an interval, the first on top. */

#include "plot.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 900, ABOVE = 60, BELOW = 80, LINE = 26, NAME = 60, GLYPH = 8 };

/* gnuplot leaves out a line with NaN, and takes infinity for an error. */
static void add_number(strbuf *data, double x)
{
    if (isfinite(x))
        strbuf_add(data, "\t%.9g", x);
    else
        strbuf_add(data, "\tNaN");
}

int plot_intervals(plot *p, const char *path, const char *title, const char *axis,
                   const plot_interval *line, size_t n)
{
    strbuf t = {0}, data = {0};
    size_t longest = 0, drawn = 0;

    strbuf_add(&data, "# line from the top, number, lower and upper end\n");
    plot_begin(&t, path, WIDTH, ABOVE + BELOW + LINE * (n ? n : 1));
    strbuf_add(&t, "set ytics scale 0 noenhanced (");
    for (size_t i = 0; i < n; i++) {
        size_t length = strlen(line[i].name);
        longest = length > longest ? length : longest;
        drawn += isfinite(line[i].value) != 0;
        strbuf_add(&data, "%zu", i);
        add_number(&data, line[i].value);
        add_number(&data, line[i].low);
        add_number(&data, line[i].high);
        strbuf_add(&data, "\n");
        strbuf_add(&t, "%s", i ? ", " : "");
        plot_tic(&t, line[i].name, NAME);
        strbuf_add(&t, " %zu", i);
    }
    longest = longest < NAME ? longest : NAME;
    strbuf_add(&t, ")\nset title ");
    plot_wrapped(&t, title, 80);
    strbuf_add(&t, "\nset xlabel ");
    plot_quoted(&t, axis);
    strbuf_add(&t, "\nset lmargin at screen %.4f\nset rmargin at screen 0.97\n"
                   "set yrange [%g:-0.5]\nset grid xtics lc 'grey80' lt 1\nunset key\n",
               (double)(longest * GLYPH + 24) / WIDTH, n ? (double)n - 0.5 : 0.5);
    if (drawn) {
        strbuf_add(&t, "set arrow from 0, graph 0 to 0, graph 1 nohead lc 'black'\nplot ");
        plot_file(&t, p->data_path);
        strbuf_add(&t, " using 2:1:3:4 with xerrorbars pt 7 ps 0.9 lw 1.5 lc rgb '#1f6fb4'\n");
    } else {
        strbuf_add(&t, "set xrange [-1:1]\nplot NaN\n");
    }
    int status = plot_finish(p, path, &t, &data);
    strbuf_free(&t);
    strbuf_free(&data);
    return status;
}
