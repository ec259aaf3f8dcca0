/* SPDX-License-Identifier: BSD-3-Clause
 * figure_axis.c - how far an axis reaches, and where its tics are.
 *
 * gnuplot's own choice for logarithmic axes is powers of ten, of which a panel may have one or
 * none.  Here tics are at 1, 2, 5 (or 1, 3) of each power while there is room, and at round numbers
 * if the axis is short; a horizontal axis of few whole numbers (features, orders) has them as its
 * tics. */

#include "figure.h"

#include <float.h>
#include <math.h>
#include <string.h>

void figure_axis_reach(figure_axis *a, double v)
{
    if (!isfinite(v) || (a->log && v <= 0))
        return;
    a->low = a->has_range ? fmin(a->low, v) : v;
    a->high = a->has_range ? fmax(a->high, v) : v;
    a->has_range = true;
}

static double across(const figure_axis *a, double v)     /* 0 at its beginning, 1 at its end */
{
    return a->log ? log(v / a->low) / log(a->high / a->low) : (v - a->low) / (a->high - a->low);
}

/* A margin, so that no mark lies on the border. */
void figure_axis_pad(figure_axis *a)
{
    if (!a->has_range)
        a->low = a->log ? 1 : 0, a->high = a->log ? 10 : 1;
    if (a->log) {
        double by = fmax(pow(a->high / a->low, 0.06), 1.05);
        a->low = fmax(a->low / by, DBL_MIN);
        a->high *= by;
    } else {
        bool from_0 = a->low >= 0 && a->low < 0.25 * a->high;
        double by = fmax((a->high - a->low) * 0.06, fmax(fabs(a->high) * 1e-3, 1e-12));
        a->low = from_0 ? 0 : a->low - by;
        a->high += by;
    }
}

/* ---- Tics --------------------------------------------------------------------------------- */
enum { TICS = 12 };
typedef struct tics { double at[TICS]; size_t n; } tics;

static void take(tics *t, const figure_axis *a, double v)        /* n > TICS: too many */
{
    if (v < a->low * (a->low > 0 ? 1 - 1e-9 : 1 + 1e-9) || v > a->high * (1 + 1e-9))
        return;
    if (t->n < TICS)
        t->at[t->n] = v;
    t->n++;
}

static tics round_tics(const figure_axis *a, size_t max_tics)
{
    static const double of[] = {1, 2, 5};
    double unit = pow(10, floor(log10((a->high - a->low) / (double)max_tics)));

    for (;; unit *= 10)
        for (size_t i = 0; i < 3; i++) {
            double step = unit * of[i];
            tics t = {0};
            for (double k = ceil(a->low / step); k <= floor(a->high / step + 1e-9); k++)
                take(&t, a, k * step);
            if (t.n <= max_tics && t.n <= TICS)
                return t;
        }
}

static tics power_tics(const figure_axis *a, size_t max_tics)
{
    static const double of[][3] = {{1, 2, 5}, {1, 3}, {1}};
    int from = (int)floor(log10(a->low)), to = (int)ceil(log10(a->high));

    for (int level = 0;; level++) {     /* from 2 on: each power, each second, .. */
        int step = level < 2 ? 1 : level - 1;
        const double *in = of[level < 2 ? level : 2];
        tics t = {0};
        for (int e = from; e <= to; e++)
            for (size_t i = 0; i < 3 && in[i] > 0 && e % step == 0; i++)
                take(&t, a, in[i] * pow(10, e));
        if (t.n <= max_tics && t.n <= TICS)
            return t;
    }
}

/* Those of at[n] (ascending) if all are whole and lie 1 / most apart, else none. */
static tics whole_tics(const figure_axis *a, size_t max_tics, const double *at, size_t n)
{
    tics t = {0};

    for (size_t i = 0; i < n; i++) {
        if (at[i] != floor(at[i]) || t.n == TICS
            || (i && across(a, at[i]) - across(a, at[i - 1]) < 0.7 / (double)max_tics))
            return (tics){0};
        t.at[t.n++] = at[i];
    }
    return t;
}

static void add_number(strbuf *t, double v)       /* 2e-5, 1e6: no zeros nor signs in exponents */
{
    char s[32];

    snprintf(s, sizeof s, "%.6g", fabs(v) < 1e-300 ? 0 : v);
    char *e = strchr(s, 'e');
    if (!e) {
        strbuf_add(t, "'%s' %.9g", s, v);
        return;
    }
    *e++ = 0;
    strbuf_add(t, "'%se%s%s' %.9g", s, *e == '-' ? "-" : "", e + 1 + strspn(e + 1, "0"), v);
}

void figure_axis_tics(strbuf *t, char name, const figure_axis *a, size_t max_tics, const double *at,
                      size_t n)
{
    tics found = whole_tics(a, max_tics, at, n);

    if (found.n < 2 && a->log)
        found = power_tics(a, max_tics);
    if (found.n < 3 && n != found.n && !(a->log && a->high > 4 * a->low))
        found = round_tics(a, max_tics);
    strbuf_add(t, "set %crange [%.9g:%.9g]\nset %ctics (", name, a->low, a->high, name);
    for (size_t i = 0; i < found.n; i++) {
        strbuf_add(t, i ? ", " : "");
        add_number(t, found.at[i]);
    }
    strbuf_add(t, ")\n");
}
