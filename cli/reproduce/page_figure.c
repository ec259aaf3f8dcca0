/* SPDX-License-Identifier: BSD-3-Clause
 * page_figure.c - the figure of a recipe: a row of panels for each of its `plot` lines, a column
 * for each name in the column `panel`.
 *
 * A case is a point of its series, at the mean over seeds, with the standard deviation as bar; one
 * that has no x (an exact machine among maps) is a line across.  A case of several points, a
 * history, is a line by itself.  The paper's figures are hollow marks. */

#include "recipe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 96, PANELS = 32, BARS = 12 };     /* histories of more points have no bars */

typedef struct drawing {
    const recipe *r;
    const records *known;
    char (*series)[NAME], (*panel)[NAME];       /* [cells] as shown */
    const char *shown[PANELS];
    size_t panels;
    bool bars, paper;                   /* is there any? */
} drawing;

static bool name_all(drawing *d)
{
    d->series = calloc(d->r->cells, sizeof *d->series);
    d->panel = calloc(d->r->cells, sizeof *d->panel);
    if (!d->series || !d->panel)
        return false;
    for (size_t i = 0; i < d->r->cells; i++) {
        size_t j = 0;
        recipe_say(d->series[i], NAME, recipe_field(d->r, i, "series"));
        recipe_say(d->panel[i], NAME, recipe_field(d->r, i, "panel"));
        while (j < d->panels && strcmp(d->shown[j], d->panel[i]))
            j++;
        if (j == d->panels && j < PANELS)
            d->shown[d->panels++] = d->panel[i];
    }
    return true;
}

/* ---- Points ------------------------------------------------------------------------------- */
/* "16x" is what the map made of it, if that was measured. */
static double multiple(const drawing *d, size_t cell, double times)
{
    size_t column = recipe_measured(d->r, "features");
    double made = column < RECIPE_VALUES ? records_of(d->known, cell, 0, column).mean : NAN;

    return made > 0 ? made : times;
}

static void place(figure_point *q, const drawing *d, const recipe_plot *p, size_t cell,
                  size_t point)
{
    size_t column = recipe_measured(d->r, p->x);
    const char *field = recipe_field(d->r, cell, p->x);
    char *end;

    q->x = NAN;
    if (column < RECIPE_VALUES) {
        summary s = records_of(d->known, cell, point, column);
        q->x = s.mean;
        if (s.sd > 0 && point == RECORDS_LAST) {
            q->x_low = s.mean - s.sd;
            q->x_high = s.mean + s.sd;
        }
    } else if (!strcmp(p->x, "point"))
        q->x = (double)(point == RECORDS_LAST ? records_points(d->known, cell) - 1 : point);
    else if (field) {
        double x = strtod(field, &end);
        q->x = end == field || (*end && strcmp(end, "x")) ? NAN
               : *end                                     ? multiple(d, cell, x)
                                                          : x;
    }
    if (p->log_x && !(q->x > 0))
        q->x = NAN;
}

static figure_point point_of(drawing *d, const recipe_plot *p, size_t cell, size_t point,
                             bool bars)
{
    summary s = records_of(d->known, cell, point, recipe_measured(d->r, p->y));
    figure_point q = {.y = s.mean};

    place(&q, d, p, cell, point);
    if (s.sd > 0 && bars) {
        q.low = s.mean - s.sd;
        q.high = s.mean + s.sd;
        d->bars = true;
    }
    return q;
}

/* The paper's figure for the measured y; NaN: none. */
static double paper_of(const recipe *r, size_t cell, const char *y)
{
    char column[80];
    double x;

    snprintf(column, sizeof column, "paper_%s", y);
    return recipe_number(&x, r, cell, column, NAN) ? NAN : x;
}

/* ---- Series ------------------------------------------------------------------------------- */
/* The series of that name and kind, made if it is not there; room for all of the cells. */
static figure_series *series_of(figure_panel *panel, const char *name, bool hollow, size_t capacity)
{
    for (size_t i = 0; i < panel->count; i++) {
        figure_series *s = &panel->series[i];
        if (s->hollow == hollow && !strcmp(s->name, name))
            return s;
    }
    figure_series *s = &panel->series[panel->count];
    *s = (figure_series){
        .name = name, .hollow = hollow, .point = calloc(capacity, sizeof *s->point)};
    panel->count += s->point != NULL;
    return s->point ? s : NULL;
}

/* Only as far as all seeds have points, so that the mean does not jump where one seed ends. */
static bool add_history(drawing *d, figure_panel *panel, const recipe_plot *p, size_t cell)
{
    size_t y = recipe_measured(d->r, p->y), n = records_points(d->known, cell), whole = 0;
    size_t seeds = records_of(d->known, cell, 0, y).n;
    figure_series *s = &panel->series[panel->count];

    while (whole < n && records_of(d->known, cell, whole, y).n == seeds)
        whole++;
    *s = (figure_series){.name = d->series[cell], .points = whole, .dots = p->dots,
                         .point = calloc(n, sizeof *s->point)};
    if (!s->point)
        return false;
    panel->count++;
    for (size_t i = 0; i < whole; i++)
        s->point[i] = point_of(d, p, cell, i, whole <= BARS);
    return true;
}

static bool add_case(drawing *d, figure_panel *panel, const recipe_plot *p, size_t cell)
{
    size_t points = records_points(d->known, cell);
    double paper = paper_of(d->r, cell, p->y);

    if (points > 1 && !p->last)
        return add_history(d, panel, p, cell);
    figure_point q = point_of(d, p, cell, RECORDS_LAST, true);
    if (isfinite(q.y)) {
        figure_series *s = series_of(panel, d->series[cell], false, d->r->cells);
        if (!s)
            return false;
        s->dots = p->dots;
        s->point[s->points++] = q;
    }
    if (isfinite(paper)) {
        figure_series *s = series_of(panel, d->series[cell], true, d->r->cells);
        if (!s)
            return false;
        s->point[s->points++] = (figure_point){.x = q.x, .y = paper};
        d->paper = true;
    }
    return true;
}

static const char *label(char capacity[64], const char *given, const char *column)
{
    recipe_say(capacity, 64, column);
    return given ? given : capacity;
}

static bool fill(drawing *d, figure_panel *panel, const recipe_plot *p, size_t number,
                 char labels[2][64])
{
    *panel = (figure_panel){.title = *d->shown[number] ? d->shown[number] : NULL,
                            .x = label(labels[0], p->xlabel, p->x),
                            .y = label(labels[1], p->ylabel, p->y),
                            .log_x = p->log_x, .log_y = p->log_y,
                            .series = calloc(2 * d->r->cells, sizeof *panel->series)};
    if (!panel->series)
        return false;
    for (size_t i = 0; i < d->r->cells; i++)
        if (!strcmp(d->panel[i], d->shown[number]) && !add_case(d, panel, p, i))
            return false;
    return true;
}

/* ---- The whole ---------------------------------------------------------------------------- */
/* At most three panels wide if possible, because pages are taller than wide. */
static size_t place_of(figure *f, size_t plots, size_t panels, size_t i, size_t j)
{
    if (plots == 1) {
        f->cols = panels == 4 ? 2 : panels < 3 ? panels : 3;
        f->rows = (panels + f->cols - 1) / f->cols;
        return j;
    }
    bool upright = panels > 3 && plots <= 3;
    f->rows = upright ? panels : plots;
    f->cols = upright ? plots : panels;
    return upright ? j * plots + i : i * panels + j;
}

/* If a plot uses only some panels, these are placed side by side without gaps. */
static void close_gaps(figure *f, size_t panels)
{
    size_t n = 0;

    for (size_t i = 0; i < panels; i++) {
        if (!f->panel[i].count)
            continue;
        figure_panel moved = f->panel[i];
        f->panel[i] = f->panel[n];
        f->panel[n++] = moved;
    }
    if (n > 0 && n < panels) {
        f->cols = n == 4 ? 2 : n < 3 ? n : 3;
        f->rows = (n + f->cols - 1) / f->cols;
    }
}

int page_figure(plot *p, const char *path, const recipe *r, const records *k)
{
    drawing d = {.r = r, .known = k};
    figure f = {.title = r->title};
    char labels[sizeof r->plot / sizeof *r->plot][2][64], note[80];
    bool done = name_all(&d);

    size_t capacity = r->plots * d.panels + 3;          /* a last row may be filled in part */
    f.panel = done ? calloc(capacity, sizeof *f.panel) : NULL;
    done = f.panel != NULL;
    for (size_t i = 0; i < r->plots; i++)
        for (size_t j = 0; j < d.panels && done; j++) {
            size_t at = place_of(&f, r->plots, d.panels, i, j);
            done = fill(&d, &f.panel[at], &r->plot[i], j, labels[i]);
        }
    if (done)
        close_gaps(&f, r->plots * d.panels);
    snprintf(note, sizeof note, "bars: one standard deviation over %llu seeds",
             (unsigned long long)r->seeds);
    f.note = d.bars ? note : NULL;
    f.hollow = d.paper ? "hollow: the paper" : NULL;
    int status = done ? figure_draw(p, path, &f) : say_no_memory("the picture");
    for (size_t i = 0; f.panel && i < capacity; i++) {
        for (size_t j = 0; j < f.panel[i].count; j++)
            free(f.panel[i].series[j].point);
        free(f.panel[i].series);
    }
    free(f.panel);
    free(d.series);
    free(d.panel);
    return status;
}
