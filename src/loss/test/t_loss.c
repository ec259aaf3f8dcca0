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
#define LOSS(name) &fxi_loss_##name,
#include "loss/loss.def"
#undef LOSS
};
enum { LOSSES = sizeof losses / sizeof *losses };

static long double defined(const fxi_loss *l, long double y, long double f, long double e)
{
    switch (l->name[0] == 's' ? l->name[7] : l->name[0]) {
    case 'h': return fmaxl(0, 1 - y * f);
    case '-': return fmaxl(0, 1 - y * f) * fmaxl(0, 1 - y * f);
    case 'l': return log1pl(expl(-y * f));
    case 'e': return fmaxl(0, fabsl(y - f) - e);
    default: return (y - f) * (y - f);
    }
}

/* Second differences jump where a kink lies between the points. */
static int smooth(const fxi_loss *l, double y, double f, double e, double h)
{
    double kink = l->regress ? fabs(fabs(y - f) - e) : fabs(1 - y * f);

    return kink > 2 * h;
}

static double random_y(const fxi_loss *l)
{
    return l->regress ? 6 * test_unit() - 3 : test_unit() < 0.5 ? -1 : 1;
}

static void check_slopes(const fxi_loss *l)
{
    const double e = 0.25, h = 1e-4;

    for (int t = 0; t < test_cases(300); t++) {
        double y = random_y(l), f = 8 * test_unit() - 4;
        long double at = defined(l, y, f, e), up = defined(l, y, f + h, e);
        long double down = defined(l, y, f - h, e);
        CHECK_NEAR(l->value(y, f, e), (double)at, 4e-15 * (1 + (double)at));
        if (!smooth(l, y, f, e, h))
            continue;
        /* third derivatives are at most 0.1, fourth 0.13: errors below h^2/60, h^2/90 */
        CHECK_NEAR(l->slope(y, f, e), (double)((up - down) / (2 * h)), h * h + 1e-12);
        double curve = l->curve ? l->curve(y, f, e) : 0;
        CHECK_NEAR(curve, (double)((up + down - 2 * at) / ((long double)h * h)), h * h + 1e-9);
    }
    /* kinks and far scores: between the slopes of both sides, finite, no NaN */
    for (int side = -1; side <= 1; side += 2) {
        CHECK(isfinite(l->value(1, side * 1e300, e)) || l->name[0] == 's');
        CHECK(isfinite(l->slope(1, side * 1e4, e)) && isfinite(l->value(1, side * 1e4, e)));
        CHECK(fabs(l->slope(1, 1, e)) <= 1);
    }
}

/* A random point of the domain of beta: alpha = y beta for classes. */
static double random_beta(const fxi_loss *l, double y, double c)
{
    double u = test_unit();

    switch (l->name[0] == 's' ? l->name[7] : l->name[0]) {
    case 'h': case 'l': return y * c * (u < 0.2 ? 0 : u < 0.4 ? 1 : test_unit());
    case '-': return y * (u < 0.2 ? 0 : 3 * c * test_unit());
    case 'e': return c * (u < 0.2 ? 0 : u < 0.4 ? 1 : 2 * test_unit() - 1);
    default: return 6 * c * (test_unit() - 0.5);
    }
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
        double slope = l->curve && l->name[0] != 'l' ? c * h : fabs(beta) + c;
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
#define DUAL(x)                                                                                    \
    (-0.5 * q * ((x) - beta) * ((x) - beta) - f * ((x) - beta) - l->conjugate(y, x, c, e))
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
static long double rounded_off(const fxi_loss *l, long double y, long double f, long double e,
                               long double *at)
{
#define SUM(s)                                                                                     \
    ((l->regress ? fmaxl(0, fabsl(y - (s)) - e) : fmaxl(0, y > 0 ? y - (s) : (s) - y))      \
     + ((s) - f) * ((s) - f) / 2)
    long double low = f - 1, high = f + 1;

    for (int t = 0; t < 120; t++) {
        long double a = low + (high - low) / 3, b = high - (high - low) / 3;
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
        long double s, v = rounded_off(l, y, f, e, &s);
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
