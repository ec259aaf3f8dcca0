/* SPDX-License-Identifier: BSD-3-Clause
 * plot_bars.c - named numbers as horizontal bars, the first on top. */

#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 900, ABOVE = 60, BELOW = 100, BAR = 26, NAME = 60, GLYPH = 8 };

static void add_names(strbuf *t, const plot_bar *bar, size_t n)
{
    strbuf_add(t, "set ytics scale 0 noenhanced (");
    for (size_t i = 0; i < n; i++) {
        strbuf_add(t, "%s", i ? ", " : "");
        plot_tic(t, bar[i].name, NAME);
        strbuf_add(t, " %zu", i);
    }
    strbuf_add(t, ")\n");
}

int plot_bars(plot *p, const char *path, const char *title, const char *axis, const plot_bar *bar,
              size_t n, bool sized)
{
    strbuf t = {0}, data = {0};
    size_t longest = 0;

    strbuf_add(&data, "# bar from the top, number, its lower and upper end, 1: below 0, else 0\n");
    for (size_t i = 0; i < n; i++) {
        size_t length = strlen(bar[i].name);
        longest = length > longest ? length : longest;
        strbuf_add(&data, "%zu\t%.9g\t%.9g\t%.9g\t%d\n", i, bar[i].value, fmin(bar[i].value, 0),
                   fmax(bar[i].value, 0), bar[i].negative);
    }
    longest = longest < NAME ? longest : NAME;
    plot_begin(&t, path, WIDTH, ABOVE + BELOW + BAR * (n ? n : 1));
    strbuf_add(&t, "set title ");
    plot_wrapped(&t, title, 80);
    strbuf_add(&t, "\nset xlabel ");
    plot_quoted(&t, axis);
    strbuf_add(&t, "\nset lmargin at screen %.4f\nset rmargin at screen 0.97\n",
               (double)(longest * GLYPH + 24) / WIDTH);
    strbuf_add(&t, "set yrange [%g:-0.5]\nset style fill solid 0.85 noborder\n"
                   "set grid xtics lc 'grey80' lt 1\n"
                   "set arrow from 0, graph 0 to 0, graph 1 nohead lc 'black'\n",
               n ? (double)n - 0.5 : 0.5);
    add_names(&t, bar, n);
    /* Importance has no sign, but its weight does, so the colours need a legend. */
    strbuf_add(&t, sized ? "set key inside bottom right\n" : "unset key\n");
    for (int negative = 0; negative < 2; negative++) {
        strbuf_add(&t, negative ? ", " : "plot ");
        plot_file(&t, p->data_path);
        strbuf_add(&t,
                   " using ($5==%d ? $2/2 : NaN):1:3:4:($1-0.36):($1+0.36) with boxxyerror lc "
                   "rgb '%s' title '%s weight'",
                   negative, negative ? "#d95f02" : "#1f6fb4", negative ? "negative" : "positive");
    }
    strbuf_add(&t, "\n");
    int status = plot_finish(p, path, &t, &data);
    strbuf_free(&t);
    strbuf_free(&data);
    return status;
}
