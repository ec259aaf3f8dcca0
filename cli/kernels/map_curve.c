/* SPDX-License-Identifier: BSD-3-Clause
 * map_curve.c - the error of several maps against the number of features, as a table and a figure.
 *
 * D is 1, 2, 4, .. 64 times the columns (4 if there are fewer, 1024 if more).  A point is the root
 * mean square of the error over the sampled pairs and all seeds, divided by that of the kernel; low
 * and high are the best and the worst seed. */

#include "kernels.h"
#include "terminal/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAPS = 8, POINTS = 7, NARROW = 4, WIDE = 1024, SPEC_SIZE = 256 };
static const double ROUNDING = 1e-6;    /* of floats: what is exact has no place in the figure */

static const char *const usual[] = {CURVE_MAPS};

typedef struct curve {                  /* of one map */
    const char *name;
    struct {
        double D, mean, low, high;
    } point[POINTS];
} curve;

typedef struct curves {
    char name[MAPS][SPEC_SIZE];
    curve of[MAPS];
    size_t n;
} curves;

static int one_point(curve *c, size_t q, const kernel_choice *k, pair_sample *s, size_t D)
{
    const char *const maps[] = {c->name, NULL};
    double scale = s->scale > 0 ? s->scale : 1;
    map_errors e;
    int status = map_error_maps(&e, NULL, s, maps, k->kernel, D, 1, 0);

    if (!status) {
        c->point[q].D = (double)e.columns;
        c->point[q].mean = e.rmse / scale;
        c->point[q].low = e.low / scale;
        c->point[q].high = e.high / scale;
    }
    return status;
}

static int names(curves *c, const char *list)
{
    const char *p = list + strspn(list, " ");

    do {
        size_t n = strcspn(p, " ");
        if (c->n == MAPS || n >= SPEC_SIZE)
            return say_error("--map %.60s..: at most %d maps of less than %d characters are drawn",
                             list, MAPS, SPEC_SIZE);
        memcpy(c->name[c->n++], p, n);
        p += n + strspn(p + n, " ");
    } while (*p);
    return 0;
}

int map_curve_check(const char *list, const kernel_choice *k)
{
    curves *c = calloc(1, sizeof *c);
    int status = c ? names(c, list) : say_no_memory("the curves");

    for (size_t i = 0; !status && i < c->n; i++) {
        const char *const maps[] = {c->name[i], NULL};
        status = kernel_map_check(maps, k);
    }
    free(c);
    return status;
}

/* Maps that the user lists must support the kernel; of the default maps, only those that support it
 * are used. */
static int choose(curves *c, const kernel_choice *k, const pair_sample *s, const char *list)
{
    int status = list ? names(c, list) : 0;

    if (status)
        return status;
    for (size_t i = 0; !list && i < sizeof usual / sizeof *usual && c->n < MAPS; i++) {
        const char *const maps[] = {usual[i], NULL};
        fx_map *m = NULL;
        fx_status st = kernel_map(&m, maps, k->kernel, s->rows.cols, 64, cli.seed, &s->rows);
        fx_map_free(m);
        if (!st)
            snprintf(c->name[c->n++], SPEC_SIZE, "%s", usual[i]);
        else if (st != FX_EUNSUPPORTED)
            return say_failure(st);
    }
    for (size_t i = 0; i < c->n; i++)
        c->of[i].name = c->name[i];
    if (c->n)
        return 0;
    return say_error("no map serves %s", fx_kernel_spec(k->kernel));
}

static int print(const curves *c, const pair_sample *s, size_t unit)
{
    size_t widest = 6;

    for (size_t i = 0; i < c->n; i++)
        widest = strlen(c->name[i]) > widest ? strlen(c->name[i]) : widest;
    safe_print(stdout, "RMSE / RMS of K by random features D; %zu pairs, %llu seed%s\n\n", s->pairs,
               (unsigned long long)s->seeds, s->seeds == 1 ? "" : "s");
    safe_print(stdout, "%-*s", (int)widest, "map");
    for (size_t q = 0; q < POINTS; q++)
        safe_print(stdout, " %7zu", unit << q);
    safe_print(stdout, "  spread\n");
    for (size_t i = 0; i < c->n; i++) {
        double spread = 0;
        safe_print(stdout, "%-*s", (int)widest, c->name[i]);
        for (size_t q = 0; q < POINTS; q++) {
            double mean = c->of[i].point[q].mean;
            safe_print(stdout, " %7.3g", mean);
            if (mean > 0)
                spread += (c->of[i].point[q].high - c->of[i].point[q].low) / mean / 2
                          / POINTS;
        }
        safe_print(stdout, "  +-%.0f %%\n", 100 * spread);
    }
    return say_flush();
}

static int print_json(const curves *c, const kernel_choice *k, const pair_sample *s)
{
    json_t *list = json_array();

    for (size_t i = 0; i < c->n; i++)
        for (size_t q = 0; q < POINTS; q++)
            list = say_append(list,
                              json_pack("{s:o, s:I, s:f, s:f, s:f}", "map", say_text(c->name[i]),
                                        "D", (json_int_t)c->of[i].point[q].D, "relative_rmse",
                                        c->of[i].point[q].mean, "low", c->of[i].point[q].low,
                                        "high", c->of[i].point[q].high));
    return say_json(json_pack("{s:o, s:I, s:I, s:f, s:o}", "kernel",
                              say_text(fx_kernel_spec(k->kernel)), "pairs", (json_int_t)s->pairs,
                              "seeds", (json_int_t)s->seeds, "scale", s->scale, "curve", list));
}

/* A line of slope 1/sqrt(D), for the eye, lies below the lowest curve. */
static int draw(plot *p, const char *path, const char *title, const char *note, const curves *c)
{
    figure_point at[MAPS + 1][POINTS] = {0};
    figure_series series[MAPS + 1] = {0};
    figure_panel panel = {.x = "features D (columns of Z)", .log_x = true, .log_y = true,
                          .y = "RMSE of <Z(x), Z(y)> / RMS of K(x, y)", .series = series};
    figure f = {.title = title, .note = note, .rows = 1, .cols = 1, .panel = &panel};
    double lowest = INFINITY;

    for (; panel.count < c->n; panel.count++) {
        figure_series *s = &series[panel.count];
        *s = (figure_series){.name = c->name[panel.count], .point = at[panel.count]};
        for (size_t q = 0; q < POINTS; q++)
            if (c->of[panel.count].point[q].mean > ROUNDING) {
                s->point[s->points++] = (figure_point){.x = c->of[panel.count].point[q].D,
                                                       .y = c->of[panel.count].point[q].mean,
                                                       .low = c->of[panel.count].point[q].low,
                                                       .high = c->of[panel.count].point[q].high};
                lowest = fmin(lowest, s->point[s->points - 1].y * sqrt(s->point[s->points - 1].x));
            }
    }
    if (isfinite(lowest)) {
        figure_series *s = &series[panel.count];
        *s = (figure_series){.name = "slope of 1/sqrt(D)", .point = at[panel.count++],
                             .guide = true, .points = POINTS};
        for (size_t q = 0; q < POINTS; q++) {
            s->point[q].x = c->of[0].point[q].D;
            s->point[q].y = lowest / sqrt(s->point[q].x) / 1.4;
        }
    }
    return figure_draw(p, path, &f);
}

int map_curve_run(const loaded *l, const kernel_choice *k, pair_sample *s, const char *maps,
                  const char *plot_path, plot *p)
{
    size_t unit = s->rows.cols < NARROW ? NARROW /* which every map can have */
                  : s->rows.cols < WIDE ? (s->rows.cols + 1) / 2 * 2 /* features in pairs */
                                        : WIDE;
    char title[512], note[64];
    curves *c = calloc(1, sizeof *c);
    int status = c ? choose(c, k, s, maps) : say_no_memory("the curves");

    for (size_t i = 0; !status && i < c->n; i++)
        for (size_t q = 0; !status && q < POINTS; q++)
            status = one_point(&c->of[i], q, k, s, unit << q);
    if (!status)
        status = cli.json ? print_json(c, k, s) : print(c, s, unit);
    if (!status && plot_path) {
        snprintf(title, sizeof title, "Error of random features: %s on %s",
                 fx_kernel_spec(k->kernel), l->name);
        snprintf(note, sizeof note, "bars: best and worst of %llu seeds",
                 (unsigned long long)s->seeds);
        status = draw(p, plot_path, title, note, c);
    }
    free(c);
    return status;
}
