/* SPDX-License-Identifier: BSD-3-Clause
 * t_loss.c - every loss against its definition: value, slope and curve by numerical differences,
 * the conjugate as a supremum, the step as a maximum, all over fine grids; rounded ones as the
 * minimum that they are.
 *
 * Covers: half_hinge.c, hinge.c, huber_hinge.c, huber_insensitive.c, insensitive.c, logistic.c,
 * squared.c, squared_hinge.c */

#include "base/test.h"
#include "loss/loss.h"

static const fxi_loss *const losses[] = {
#define LOSS(name)                      &fxi_loss_##name,
#define LINEAR(name, model, help, keys) LOSS(name)
#include "loss/loss.def"
#undef LOSS
#undef LINEAR
};
enum { LOSSES = sizeof losses / sizeof *losses };

/* ---- The definitions ---------------------------------------------------------------------- */

typedef long double real;
static real hinge(real y, real f, real e) { return (void)e, fmaxl(0, 1 - y * f); }
static real squared_hinge(real y, real f, real e) { return hinge(y, f, e) * hinge(y, f, e); }
static real logistic(real y, real f, real e) { return (void)e, log1pl(expl(-y * f)); }
static real insensitive(real y, real f, real e) { return fmaxl(0, fabsl(y - f) - e); }
static real squared(real y, real f, real e) { return (void)e, (y - f) * (y - f); }
static double no_kink(double y, double f, double e) { return (void)y, (void)f, (void)e, 1; }
static double margin(double y, double f, double e) { return (void)e, fabs(1 - y * f); }
static double tube(double y, double f, double e) { return fabs(fabs(y - f) - e); }

static const struct definition {
    const fxi_loss *loss;
    real (*value)(real y, real f, real e);
    double (*kink)(double y, double f, double e);       /* how far it is; second differences jump */
    double low, high;                   /* of beta/c, of classes y beta/c; else a part of it */
    bool square;                        /* grows as one */
} definitions[] = {
    {&fxi_loss_hinge, hinge, margin, 0, 1, false},
    {&fxi_loss_squared_hinge, squared_hinge, margin, 0, 3, true},
    {&fxi_loss_logistic, logistic, no_kink, 0, 1, false},
    {&fxi_loss_insensitive, insensitive, tube, -1, 1, false},
    {&fxi_loss_squared, squared, no_kink, -3, 3, true},
};

static const struct definition *defined(const fxi_loss *l)
{
    size_t i = 0;

    while (i < sizeof definitions / sizeof *definitions && definitions[i].loss != l)
        i++;
    CHECK(i < sizeof definitions / sizeof *definitions);        /* every loss has one */
    return &definitions[i];
}

static double random_y(const fxi_loss *l)
{
    return l->regress ? 6 * test_unit() - 3 : test_unit() < 0.5 ? -1 : 1;
}

static void check_slopes(const fxi_loss *l)
{
    const double e = 0.25, h = 1e-4;
    const struct definition *d = defined(l);

    for (int t = 0; t < test_cases(300); t++) {
        double y = random_y(l), f = 8 * test_unit() - 4;
        real at = d->value(y, f, e), up = d->value(y, f + h, e), down = d->value(y, f - h, e);
        CHECK_NEAR(l->value(y, f, e), (double)at, 4e-15 * (1 + (double)at));
        if (d->kink(y, f, e) <= 2 * h)
            continue;
        /* third derivatives are at most 0.1, fourth 0.13: errors below h^2/60, h^2/90 */
        CHECK_NEAR(l->slope(y, f, e), (double)((up - down) / (2 * h)), h * h + 1e-12);
        double curve = l->curve ? l->curve(y, f, e) : 0;
        CHECK_NEAR(curve, (double)((up + down - 2 * at) / ((real)h * h)), h * h + 1e-9);
    }
    /* kinks and far scores: between the slopes of both sides, finite, no NaN */
    for (int side = -1; side <= 1; side += 2) {
        CHECK(isfinite(l->value(1, side * 1e300, e)) || d->square);
        CHECK(isfinite(l->slope(1, side * 1e4, e)) && isfinite(l->value(1, side * 1e4, e)));
        CHECK(fabs(l->slope(1, 1, e)) <= 1);
    }
}

/* A random point of the domain of beta: alpha = y beta for classes. */
static double random_beta(const fxi_loss *l, double y, double c)
{
    const struct definition *d = defined(l);
    double u = test_unit();

    return (l->regress ? c : y * c)
           * (u < 0.2   ? 0
              : u < 0.4 ? d->high
                        : d->low + (d->high - d->low) * test_unit());
}

/* sup_f (-beta f - c loss): no f gives more, and some f of the grid gives nearly as much. */
static void check_conjugate(const fxi_loss *l)
{
    const double e = 0.25, reach = 40, h = 1.0 / 256;

    for (int t = 0; t < test_cases(60); t++) {
        double y = random_y(l), c = exp(4 * test_unit() - 2), beta = random_beta(l, y, c);
        double want = l->conjugate(y, beta, c, e), best = -HUGE_VAL;
        for (double f = -reach; f <= reach; f += h)
            best = fmax(best, -beta * f - c * l->value(y, f, e));
        CHECK(best <= want + 1e-12 * (1 + fabs(want) + c));
        /* the maximiser is within h/2 of the grid, or (logistic at an end of the domain) beyond it,
         * where what is left is below c exp(-reach); slopes of the bracket are at most |beta| + c
         * L */
        double slope = defined(l)->square ? c * h : fabs(beta) + c;
        CHECK(best >= want - slope * h - 1e-12 * (1 + fabs(want) + c));
    }
}

/* The dual over one coordinate, up to a constant: -0.5 q (t - beta)^2 - f (t - beta) -
 * conjugate(t). */
static void check_step(const fxi_loss *l)
{
    const double e = 0.25;

    for (int t = 0; t < test_cases(300); t++) {
        double y = random_y(l), c = exp(4 * test_unit() - 2), beta = random_beta(l, y, c);
        double q = exp(8 * test_unit() - 4), f = 6 * test_unit() - 3;
        double to = l->step(y, beta, f, q, c, e);
#define DUAL(x) (-0.5 * q * ((x)-beta) * ((x)-beta) - f * ((x)-beta) - l->conjugate(y, x, c, e))
        double best = DUAL(to), size = 1 + fabs(best) + q * to * to;
        for (int k = 0; k < 200; k++) {
            double other = k < 100 ? random_beta(l, y, c) : to + (random_beta(l, y, c) - to) * 1e-3;
            CHECK(DUAL(other) <= best + 1e-13 * (size + q * other * other + q * beta * beta));
        }
        /* a step of no length puts beta into its domain, and an optimal beta stays, bit for bit */
        CHECK(l->step(y, to, 0, HUGE_VAL, c, e) == to);
        CHECK(l->step(y, 100 * c * y, 0, HUGE_VAL, c, e) * y >= 0);
        /* a row of zeros: the beta that its loss alone asks for, whatever beta was */
        double alone = l->step(y, beta, 0, 1e-100, c, e);
        double again = l->step(y, alone, 0, 1e-100, c, e);
        CHECK_NEAR(again, alone, 1e-14 * (fabs(alone) + c * (1 + fabs(y))));
        CHECK_NEAR(-alone, c * l->slope(y, 0, e), 1e-12 * c * (1 + fabs(y)));
    }
}

/* A loss rounded off: the least over s of the sharp one at s and (s - f)^2/2, which lies between
 * f - 1 and f + 1, by thirds.  Near the least both are flat: value to 1e-15, s to 1e-8. */
static real rounded_off(const fxi_loss *l, real y, real f, real e, real *at)
{
#define SUM(s) \
    ((l->regress ? fmaxl(0, fabsl(y - (s)) - e) : fmaxl(0, y > 0 ? y - (s) : (s)-y)) \
     + ((s)-f) * ((s)-f) / 2)
    real low = f - 1, high = f + 1;

    for (int t = 0; t < 120; t++) {
        real a = low + (high - low) / 3, b = high - (high - low) / 3;
        *(SUM(a) < SUM(b) ? &high : &low) = SUM(a) < SUM(b) ? b : a;
    }
    *at = low;
    return SUM(low);
}

static void check_rounded(const fxi_loss *l)
{
    const double e = 0.25;

    for (int t = 0; t < test_cases(3000); t++) {
        double y = 6 * test_unit() - 3, f = 10 * test_unit() - 5, lack;
        if (y == 0)
            continue;
        real s, v = rounded_off(l, y, f, e, &s);
        CHECK_NEAR(l->value(y, f, e), (double)v, 1e-14 * (1 + (double)v));
        CHECK_NEAR(l->slope(y, f, e), (double)(f - s), 1e-7);   /* of the least: that of its sum */
        lack = l->regress ? fabs(y - f) - e : y > 0 ? y - f : f - y;
        CHECK(l->curve(y, f, e) == (lack > 0 && lack < 1));
        CHECK(isfinite(l->value(y, 1e300, e)) && fabs(l->slope(y, -1e300, e)) <= 1);
    }
}

/* Half the squared hinge at a margin |y|: at 1 the squared hinge itself, at others that of scores
 * which have been moved; and the least over s of the whole at s and (s - f)^2. */
static void check_half(const fxi_loss *l)
{
    for (int t = 0; t < test_cases(3000); t++) {
        double y = 6 * test_unit() - 3, f = 10 * test_unit() - 5, sign = y > 0 ? 1 : -1;
        const fxi_loss *whole = &fxi_loss_squared_hinge;
        double at = f - y + sign, s = (f + y) / 2, lack = sign * (y - f);
        CHECK_NEAR(l->value(y, f, 0), whole->value(sign, at, 0) / 2, 1e-13);
        CHECK_NEAR(l->slope(y, f, 0), whole->slope(sign, at, 0) / 2, 1e-13);
        CHECK(l->curve(y, f, 0) == (lack > 0));
        if (lack > 0)
            CHECK_NEAR(l->value(y, f, 0), whole->value(sign, s - y + sign, 0) + (s - f) * (s - f),
                       1e-13);
    }
}

int main(void)
{
    test_init();
    for (size_t i = 0; i < LOSSES; i++) {
        if (!losses[i]->conjugate) {
            (losses[i] == &fxi_loss_half_hinge ? check_half : check_rounded)(losses[i]);
            continue;
        }
        check_slopes(losses[i]);
        check_conjugate(losses[i]);
        if (losses[i]->step)
            check_step(losses[i]);
    }
    return 0;
}
