/* SPDX-License-Identifier: BSD-3-Clause
 * figure.c - lines with error bars, panel beside panel, as a gnuplot script and its data.
 *
 * The legend is below the panels, once, in as many columns as fit.  Everything is placed in
 * pixels, since gnuplot's own margins would differ from panel to panel. */

#include "figure.h"
#include "tables/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT = 88, RIGHT = 22, ABOVE = 34, BELOW = 64, LINE = 21, GLYPH = 9, SAMPLE = 70,
       TITLE = 11, MARKS = 12 };      /* marks of a long line */

typedef struct layout {
    const figure *f;
    figure_look *look;
    size_t n;
    size_t width, height, panel_width, panel_height; /* panels: within their axes */
    size_t title_height, key_columns, key_rows, key_height;
    size_t block;                       /* of data, the next one */
} layout;

/* ---- Places ------------------------------------------------------------------------------- */
static size_t lines_of(const char *s, size_t columns)
{
    return s ? 1 + (strlen(s) > columns) : 0;
}

static void place(layout *l)
{
    const figure *f = l->f;
    size_t longest = f->hollow ? strlen(f->hollow) : 0, names = l->n + (f->hollow != NULL);

    l->panel_width = f->cols == 1 ? 680 : f->cols == 2 ? 400 : 320;
    l->panel_height = f->rows * f->cols == 1 ? 430 : f->cols <= 2 ? 290 : 240;
    l->width = f->cols * (LEFT + l->panel_width + RIGHT);
    for (size_t i = 0; i < l->n; i++)
        longest = strlen(l->look[i].name) > longest ? strlen(l->look[i].name) : longest;
    l->key_columns = (l->width - 20) / (SAMPLE + GLYPH * longest);
    l->key_columns += !l->key_columns;
    l->key_rows = (names + l->key_columns - 1) / l->key_columns;
    l->key_height = (l->key_rows + (f->note != NULL)) * LINE + 18;
    l->title_height = lines_of(f->title, l->width / TITLE) * 22 + 14;
    l->height = l->title_height + f->rows * (ABOVE + l->panel_height + BELOW) + l->key_height;
}

static void add_margins(strbuf *t, const layout *l, double left, double right, double top,
                        double bottom)          /* in pixels from the upper left corner */
{
    strbuf_add(t, "set margins at screen %.5f, screen %.5f, screen %.5f, screen %.5f\n",
               left / (double)l->width, right / (double)l->width, 1 - bottom / (double)l->height,
               1 - top / (double)l->height);
}

static bool is_drawn(const figure_point *q) { return isfinite(q->y); }

/* ---- Data --------------------------------------------------------------------------------- */
/* Points with or without an x as a block; how many there are. */
static size_t add_block(strbuf *data, const layout *l, const figure_panel *p,
                        const figure_series *s, bool placed)
{
    size_t n = 0;

    for (size_t i = 0; i < s->points; i++) {
        const figure_point *q = &s->point[i];
        bool bar = q->x_low != 0 || q->x_high != 0;
        if (!is_drawn(q) || isfinite(q->x) != placed)
            continue;
        if (n++ == 0) {
            strbuf_add(data, "%s# ", l->block ? "\n\n" : "");
            safe_add(data, p->title ? p->title : "", p->title ? strlen(p->title) : 0);
            strbuf_add(data, "%s", p->title ? ", " : "");
            safe_add(data, s->name, strlen(s->name));
            strbuf_add(data, "%s: x, y, low, high of y, low, high of x\n",
                       s->hollow ? " (hollow)" : "");
        }
        strbuf_add(data, "%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\n", q->x, q->y,
                   q->low < q->high ? q->low : q->y, q->low < q->high ? q->high : q->y,
                   bar ? q->x_low : q->x, bar ? q->x_high : q->x);
    }
    return n;
}

/* ---- A panel ------------------------------------------------------------------------------ */
/* Ranges and tics; error bars that reach down to 0 do not extend a logarithmic axis. */
static bool add_axes(strbuf *t, const layout *l, const figure_panel *p, figure_axis *x,
                     figure_axis *y)
{
    size_t n = 0, all = 1, different = 0;

    for (size_t i = 0; i < p->count; i++)
        all += p->series[i].points;
    double *at = malloc(all * sizeof *at);
    if (!at)
        return false;
    for (size_t i = 0; i < p->count; i++)
        for (size_t j = 0; j < p->series[i].points; j++) {
            const figure_point *q = &p->series[i].point[j];
            if (!is_drawn(q))
                continue;
            bool bar = q->low < q->high, x_bar = q->x_low < q->x_high;
            figure_axis_reach(y, q->y);
            figure_axis_reach(y, !bar ? q->y : p->log_y ? fmax(q->low, q->y / 4) : q->low);
            figure_axis_reach(y, bar ? q->high : q->y);
            figure_axis_reach(x, q->x);
            figure_axis_reach(x, !x_bar ? q->x : p->log_x ? fmax(q->x_low, q->x / 4) : q->x_low);
            figure_axis_reach(x, x_bar ? q->x_high : q->x);
            if (isfinite(q->x))
                at[n++] = q->x;
        }
    qsort(at, n, sizeof *at, ascending_doubles);
    for (size_t i = 0; i < n; i++)
        if (!i || at[i] != at[i - 1])
            at[different++] = at[i];
    figure_axis_pad(x);
    figure_axis_pad(y);
    figure_axis_tics(t, 'x', x, l->panel_width / 55, at, different);
    figure_axis_tics(t, 'y', y, l->panel_height / 34, NULL, 0);
    free(at);
    return true;
}

static void add_clause(strbuf *t, layout *l, const plot *p, bool *first)
{
    strbuf_add(t, *first ? "plot " : ", \\\n     ");
    *first = false;
    plot_file(t, p->data_path);
    strbuf_add(t, " index %zu ", l->block);
}

static void add_series(strbuf *t, strbuf *data, layout *l, const plot *p, const figure_panel *panel,
                       const figure_series *s, const figure_axis *x, const figure_axis *y,
                       bool *first)
{
    size_t number = figure_look_of(l->look, l->n, s->name) + 1;
    bool bar = false, x_bar = false;

    for (size_t i = 0; i < s->points; i++) {
        bar |= s->point[i].low < s->point[i].high;
        x_bar |= s->point[i].x_low < s->point[i].x_high;
    }
    if (add_block(data, l, panel, s, true)) {
        if (bar) {                      /* as vectors: gnuplot writes three times as many bytes for
                                         * error bars */
            add_clause(t, l, p, first);
            strbuf_add(t,
                       "using ($4 > $3 ? $1 : NaN):(low = $3 > %.9g ? $3 : %.9g):(0):($4 - low) "
                       "with vectors nohead ls %zu dt 1 lw 1 notitle",
                       y->low, y->low, number);
        }
        if (x_bar) {
            add_clause(t, l, p, first);
            strbuf_add(t,
                       "using (low = $5 > %.9g ? $5 : %.9g):($6 > $5 ? $2 : NaN):($6 - low):(0) "
                       "with vectors nohead ls %zu dt 1 lw 1 notitle",
                       x->low, x->low, number);
        }
        add_clause(t, l, p, first);
        strbuf_add(t, "using 1:2 with %s ls %zu ",
                   s->guide               ? "lines"
                   : s->dots || s->hollow ? "points"
                                          : "linespoints",
                   number + (s->hollow ? FIGURE_HOLLOW : 0));
        if (!s->guide)                  /* gnuplot warns of marks that a line has not */
            strbuf_add(t, "pointinterval %zu ",
                       s->points > 2 * MARKS && !s->dots ? s->points / MARKS : 1);
        strbuf_add(t, "notitle");
        l->block++;
    }
    if (add_block(data, l, panel, s, false)) {
        if (bar) {
            add_clause(t, l, p, first);
            strbuf_add(t,
                       "using (%.9g):2:(%.9g):(%.9g):3:4 with boxxyerror ls %zu fs transparent "
                       "solid 0.12 noborder notitle",
                       x->low, x->low, x->high, number + FIGURE_ACROSS);
        }
        add_clause(t, l, p, first);
        strbuf_add(t, "using (%.9g):2:(%.9g):(0) with vectors nohead ls %zu %snotitle", x->low,
                   x->high - x->low, number + FIGURE_ACROSS, s->hollow ? "lw 1 dt 3 " : "");
        l->block++;
    }
}

/* A label is not repeated if the panel to the left, or below, has the same one. */
static void add_labels(strbuf *t, const layout *l, size_t row, size_t col)
{
    const figure *f = l->f;
    const figure_panel *p = &f->panel[row * f->cols + col];
    const figure_panel *left = col ? p - 1 : NULL;
    const figure_panel *below = row + 1 < f->rows ? p + f->cols : NULL;

    strbuf_add(t, "set title ");
    plot_quoted(t, p->title ? p->title : "");
    strbuf_add(t, "\nset xlabel ");
    plot_quoted(t, below && below->count && !strcmp(below->x, p->x) ? "" : p->x);
    strbuf_add(t, "\nset ylabel ");
    plot_quoted(t, left && left->count && !strcmp(left->y, p->y) ? "" : p->y);
    strbuf_add(t, "\nunset logscale\n%s%s", p->log_x ? "set logscale x\n" : "",
               p->log_y ? "set logscale y\n" : "");
}

static bool add_panel(strbuf *t, strbuf *data, layout *l, const plot *p, size_t row, size_t col)
{
    const figure_panel *panel = &l->f->panel[row * l->f->cols + col];
    figure_axis x = {.log = panel->log_x}, y = {.log = panel->log_y};
    size_t left = col * (LEFT + l->panel_width + RIGHT) + LEFT;
    size_t top = l->title_height + row * (ABOVE + l->panel_height + BELOW) + ABOVE;
    bool first = true;

    if (!panel->count)
        return true;
    strbuf_add(t, "\n");
    add_margins(t, l, (double)left, (double)(left + l->panel_width), (double)top,
                (double)(top + l->panel_height));
    add_labels(t, l, row, col);
    if (!add_axes(t, l, panel, &x, &y))
        return false;
    for (size_t i = 0; i < panel->count; i++)
        add_series(t, data, l, p, panel, &panel->series[i], &x, &y, &first);
    strbuf_add(t, first ? "plot NaN notitle\n" : "\n");
    return true;
}

/* ---- Title, names, note ------------------------------------------------------------------- */
static void add_texts(strbuf *t, const layout *l)
{
    strbuf_add(t, "set label 1 ");
    plot_wrapped(t, l->f->title, l->width / TITLE);
    strbuf_add(t, " at screen 0.5, screen %.5f center front font ',14'\n",
               1 - 22 / (double)l->height);
    if (l->f->note) {
        strbuf_add(t, "set label 2 ");
        plot_quoted(t, l->f->note);
        strbuf_add(t, " at screen 0.5, screen %.5f center textcolor rgb '#444444'\n",
                   14 / (double)l->height);
    }
}

static void add_key(strbuf *t, const layout *l)
{
    const figure *f = l->f;
    const char *comma = "plot ";

    strbuf_add(t, "\n");
    add_margins(t, l, 10, (double)l->width - 10, (double)(l->height - l->key_height),
                (double)l->height - (f->note ? LINE + 4 : 4));
    add_texts(t, l);
    strbuf_add(t,
               "unset title\nunset xlabel\nunset ylabel\nunset tics\nunset border\nunset grid\n"
               "unset logscale\nset xrange [0:1]\nset yrange [0:1]\n"
               "set key center center vertical maxrows %zu Left reverse samplen 4 spacing 1.15 "
               "width 1\n",
               l->key_rows);
    for (size_t i = 0; i < l->n; i++, comma = ", \\\n     ") {
        const figure_look *k = &l->look[i];
        bool only_across = k->across && !k->mark;
        strbuf_add(t, "%sNaN with %s ls %zu title ", comma,
                   k->guide || only_across ? "lines"
                   : k->line               ? "linespoints"
                                           : "points",
                   i + 1
                       + (only_across             ? FIGURE_ACROSS
                          : !k->mark && k->hollow ? FIGURE_HOLLOW
                                                  : 0));
        char shown[256];                /* no wider than the figure */
        snprintf(shown, sizeof shown, "%.*s", (int)safe_cut(k->name, (l->width - SAMPLE) / GLYPH),
                 k->name);
        plot_quoted(t, shown);
    }
    if (f->hollow) {
        strbuf_add(t, "%sNaN with points pt 6 ps 1.7 lw 1.3 lc rgb '#444444' title ", comma);
        plot_quoted(t, f->hollow);
    }
    strbuf_add(t, "\n");
}

static bool write_script(strbuf *t, strbuf *data, layout *l, const plot *p, const char *path)
{
    const figure *f = l->f;

    plot_begin(t, path, l->width, l->height);
    for (size_t i = 0; i < l->n; i++)
        figure_look_styles(t, i + 1, &l->look[i]);
    strbuf_add(t, "set border 3\nset tics nomirror\n"
                  "set grid lt 1 lc rgb '#e2e2e2' lw 1\nset multiplot\n");
    for (size_t row = 0; row < f->rows; row++)
        for (size_t col = 0; col < f->cols; col++)
            if (!add_panel(t, data, l, p, row, col))
                return false;
    add_key(t, l);
    strbuf_add(t, "unset multiplot\n");
    return true;
}

int figure_draw(plot *p, const char *path, const figure *f)
{
    layout l = {.f = f};
    strbuf script = {0}, data = {0};
    bool done = (l.look = figure_look_all(&l.n, f)) != NULL;

    if (done) {
        place(&l);
        done = write_script(&script, &data, &l, p, path);
    }
    int status = done ? plot_finish(p, path, &script, &data) : say_no_memory("the picture");
    strbuf_free(&script);
    strbuf_free(&data);
    free(l.look);
    return status;
}
