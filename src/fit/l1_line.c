/* SPDX-License-Identifier: BSD-3-Clause
 * l1_line.c - the losses along a line of scores: no pass over the features.
 *
 * The root of the slope is sought, by Newton's method inside an interval that contains it.
 * Differences of values would be lost in rounding long before slopes are. */

#include "fit/l1.h"

#include <float.h>
#include <math.h>

enum { TRIES = 100, PARTS = 16 };      /* parts: by the shape alone, for any threads */

typedef struct sums {
    const fxi_problem *p;
    const double *f, *q;
    double t;
    fxi_l1_line part[PARTS];
} sums;

static fx_status sum_part(void *ctx, size_t k, fxi_team *team)
{
    sums *a = ctx;
    const fxi_problem *p = a->p;
    size_t rows = p->source->rows;
    fxi_l1_line o = {0};

    for (size_t i = k * rows / PARTS; i < (k + 1) * rows / PARTS; i++) {
        double c = p->c[i], q = a->q ? a->q[i] : 1;
        if (i % 1024 == 0 && fxi_parallel_cancelled(team))
            return FX_OK;
        if (!(c > 0))
            continue;
        double y = p->y[i], f = a->f[i] + a->t * q, slope = c * p->loss->slope(y, f, p->epsilon);
        o.value += c * p->loss->value(y, f, p->epsilon);
        o.slope += slope * q;
        o.size += fabs(slope * q) + c * fabs(y * q);
        o.curve += c * p->loss->curve(y, f, p->epsilon) * q * q;
    }
    a->part[k] = o;
    return FX_OK;
}

fx_status fxi_fit_l1_line_at(fxi_l1_line *out, const fxi_problem *p, const double *f,
                             const double *q, double t, const fx_run *run)
{
    sums s = {.p = p, .f = f, .q = q, .t = t};
    fx_run how = fxi_parallel_run(run, 20.0 * (double)p->source->rows);
    fx_status st = fxi_parallel(PARTS, sum_part, &s, &how);

    *out = (fxi_l1_line){0};
    for (size_t k = 0; k < PARTS; k++) {
        out->value += s.part[k].value;
        out->slope += s.part[k].slope;
        out->curve += s.part[k].curve;
        out->size += s.part[k].size;
    }
    return st;
}

/* Finds t where rounding hides the slope along the intercept. */
static fx_status search(double *t, fxi_l1_line *at, const fxi_problem *p, const double *f,
                        const fx_run *run)
{
    double low = -INFINITY, high = INFINITY, far = 16;
    fxi_l1_line from;
    fx_status st = fxi_fit_l1_line_at(&from, p, f, NULL, 0, run);

    *at = from;
    if (st || fabs(from.slope) <= DBL_EPSILON * from.size) {
        *t = 0;
        return st;
    }
    *(from.slope < 0 ? &low : &high) = 0;
    for (int k = 0; k < TRIES; k++) {
        st = fxi_fit_l1_line_at(at, p, f, NULL, *t, run);
        if (st || fabs(at->slope) <= DBL_EPSILON * at->size)
            return st;
        *(at->slope < 0 ? &low : &high) = *t;
        double next = *t - at->slope / at->curve;
        if (!(next > low && next < high))       /* also without curvature */
            next = isinf(low) || isinf(high) ? (at->slope < 0 ? *t + far : *t - far)
                                             : low + (high - low) / 2;
        if (!p->loss->regress && fabs(next - *t) > far)
            next = *t + copysign(far, next - *t);
        if (next == *t || next == low || next == high)
            return FX_OK;               /* neighbours */
        far *= 2;
        *t = next;
    }
    return FX_OK;
}

fx_status fxi_fit_l1_line_intercept(fxi_l1_line *at, double *b, double *f, const fxi_problem *p,
                                    const fx_run *run)
{
    double t = 0;
    fx_status st = p->intercept == FXI_FREE ? search(&t, at, p, f, run)
                                            : fxi_fit_l1_line_at(at, p, f, NULL, 0, run);

    *b += t;
    for (size_t i = 0; t != 0 && i < p->source->rows; i++)
        f[i] += t;
    return st;
}
