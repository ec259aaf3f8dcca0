/* SPDX-License-Identifier: BSD-3-Clause
 * figure_look.c - a name has one look in all panels.
 *
 * A look is one of the colours of Okabe and Ito, which colour-blind readers can distinguish, and a
 * mark.  Beyond eight names lines are also dashed; names of the same colour differ in mark and
 * dash. */

#include "figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t figure_look_of(const figure_look *look, size_t n, const char *name)
{
    size_t i = 0;

    while (i < n && strcmp(look[i].name, name))
        i++;
    return i;
}

static void see(figure_look *k, const figure_series *s)
{
    for (size_t i = 0; i < s->points; i++)
        if (isfinite(s->point[i].y)) {
            bool placed = isfinite(s->point[i].x);
            k->across |= !placed && !s->hollow;
            k->mark |= placed && !s->guide && !s->hollow;
            k->line |= placed && !s->dots && !s->hollow;
            k->hollow |= s->hollow;
        }
    k->guide |= s->guide;
}

figure_look *figure_look_all(size_t *n, const figure *f)
{
    size_t max_looks = 1, styles = 0;

    for (size_t i = 0; i < f->rows * f->cols; i++)
        max_looks += f->panel[i].count;
    figure_look *all = calloc(max_looks, sizeof *all);
    *n = 0;
    for (size_t i = 0; all && i < f->rows * f->cols; i++)
        for (size_t j = 0; j < f->panel[i].count; j++) {
            const figure_series *s = &f->panel[i].series[j];
            figure_look *k = &all[figure_look_of(all, *n, s->name)];
            if (!k->name) {
                k->name = s->name;
                k->style = s->guide ? 0 : styles++;
                ++*n;
            }
            see(k, s);
        }
    return all;
}

void figure_look_styles(strbuf *t, size_t number, const figure_look *k)
{
    size_t style = k->style;
    static const char *const colour[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                         "#e69f00", "#56b4e9", "#000000", "#8c8c8c"};
    static const int mark[] = {7, 5, 9, 11, 13, 15};     /* filled; one less: hollow */
    static const char *const dash[] = {"1", "(8,3)", "(2,2)"};
    /* Lines across have no marks: dashes of four kinds. */
    static const char *const across[] = {"(9,4)", "(3,3)", "(9,3,2,3)", "(16,4)"};
    size_t colours = sizeof colour / sizeof *colour;

    if (k->guide) {
        strbuf_add(t, "set style line %zu lc rgb '#666666' lw 1.5 dt 2\n", number);
        return;
    }
    strbuf_add(t, "set style line %zu lc rgb '%s' pt %d ps 1.1 lw 1.8 dt %s\n", number,
               colour[style % colours], mark[style % 6], dash[style / colours % 3]);
    strbuf_add(t, "set style line %zu lc rgb '%s' pt %d ps 1.7 lw 1.3\n", number + FIGURE_HOLLOW,
               colour[style % colours], mark[style % 6] - 1);
    strbuf_add(t, "set style line %zu lc rgb '%s' lw 1.8 dt %s\n", number + FIGURE_ACROSS,
               colour[style % colours], across[(style + style / colours) % 4]);
}
