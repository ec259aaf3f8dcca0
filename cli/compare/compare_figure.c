/* SPDX-License-Identifier: BSD-3-Clause
 * compare_figure.c - the leaderboard as a figure: score against seconds to train, one line for
 * each family of methods, through its sizes, with the standard deviation over seeds as bars.
 *
 * More than ten lines cannot be distinguished.  In that case only the lines with the best scores of
 * each kind of method are drawn.  Scores decide, not seconds, so a seed always shows the same
 * lines. */

#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum kind { RAW, EXACT, OTHER };
static const size_t lines_of[] = {[RAW] = 1, [EXACT] = 2, [OTHER] = 7};
enum { LINES = 10 };                    /* the sum of them */

typedef struct line {
    const char *family;
    double best;                        /* score, larger is better */
    enum kind kind;
    figure_series series;
} line;

typedef struct lines {
    const comparison *c;
    line line[COMPARE_METHODS];
    size_t n;
    figure_point point[COMPARE_METHODS];
} lines;

static figure_point point_of(const comparison *c, const method *m)
{
    spread y = compare_spread(m, c->metric), x = compare_spread(m, "train_seconds");
    double sd = y.n > 1 ? y.sd : 0;

    return (figure_point){.x = fmax(x.mean, 1e-6), .y = y.mean, .low = y.mean - sd,
                          .high = y.mean + sd};
}

static enum kind kind_of(const method *m)
{
    fx_description d = model_about(m->model);

    return d.kernel == FX_MUST ? EXACT : m->map || !d.map ? OTHER : RAW;
}

/* Points of a family lie together, in the order of the list. */
static void collect(lines *p)
{
    const comparison *c = p->c;
    double sign = metric_falls(c->metric) ? -1 : 1;
    size_t points = 0;

    for (size_t i = 0; i < c->n; i++) {
        bool new = c->list[i].done > 0;
        for (size_t j = 0; j < p->n && new; j++)
            new = strcmp(p->line[j].family, c->list[i].family) != 0;
        if (!new)
            continue;
        line *l = &p->line[p->n++];
        *l = (line){.family = c->list[i].family, .best = -INFINITY,
                    .kind = kind_of(&c->list[i]),
                    .series = {.name = c->list[i].family, .point = p->point + points}};
        for (size_t k = i; k < c->n; k++)
            if (c->list[k].done > 0 && !strcmp(c->list[k].family, l->family)) {
                p->point[points] = point_of(c, &c->list[k]);
                l->best = fmax(l->best, sign * p->point[points++].y);
                l->series.points++;
            }
    }
}

/* How many lines of its kind are better. */
static size_t place_of(const lines *p, size_t i)
{
    size_t place = 0;

    for (size_t j = 0; j < p->n; j++)
        place += p->line[j].kind == p->line[i].kind
                 && (p->line[j].best > p->line[i].best
                     || (p->line[j].best == p->line[i].best && j < i));
    return place;
}

int compare_figure(plot *p, const char *path, const comparison *c)
{
    lines *all = calloc(1, sizeof *all);
    figure_series shown[COMPARE_METHODS];
    char title[256], note[96], more[64] = "";
    figure_panel panel = {.x = "seconds of one fit, with the C chosen (logarithmic)", .log_x = true,
                          .series = shown};
    figure f = {.title = title, .note = c->seeds > 1 ? note : NULL, .rows = 1, .cols = 1,
                .panel = &panel};

    if (!all)
        return say_no_memory("a picture");
    all->c = c;
    collect(all);
    for (size_t i = 0; i < all->n; i++)
        if (all->n <= LINES || place_of(all, i) < lines_of[all->line[i].kind])
            shown[panel.count++] = all->line[i].series;
    if (panel.count < all->n)
        snprintf(more, sizeof more, "; the best %zu of %zu lines", panel.count, all->n);
    const char *name = strrchr(c->X.name, '/');
    snprintf(title, sizeof title, "%.100s: %zu rows, %zu columns%s%s", name ? name + 1 : c->X.name,
             c->rows, c->cols, more, c->interrupted ? "; interrupted" : "");
    snprintf(note, sizeof note, "bars: standard deviation over up to %llu seeds",
             (unsigned long long)c->seeds);
    panel.y = c->regress ? "RMSE on test rows (lower is better)" : "accuracy on test rows";
    int status = figure_draw(p, path, &f);
    free(all);
    return status;
}
