/* SPDX-License-Identifier: BSD-3-Clause
 * map.c - linear models on maps rk and rm as sums over components, one or a few for each
 * random feature.
 *
 * rk, real draws: feature s is K(w_s, x) scaled; its factors are what was drawn.
 *
 * rk, complex draws: a pair of features with weights a, b adds Re(c prod w_j), c = a - i b.  With
 * w_j = r_j e^{i phi_j}, psi the angle of c and theta_k = (pi k - psi)/t,
 *
 *   Re(c w_1 .. w_t) = |c| 2^(t-1)/t sum_{k < t} (-1)^k prod_j Re(w_j e^{-i theta_k}),
 *
 * t real components for each order t: for w_1 = .. = w_t it is the sum of cos^t over t angles,
 * which leaves only the highest frequency, and both sides are symmetric and linear in each w_j.
 *
 * rm: a feature of order N is a product of N linear forms,
 *
 *   l_1 .. l_N = 1/(N! 2^(N-1)) sum over signs, the first +, of prod eps_i (sum_i eps_i l_i)^N:
 *
 * 2^(N-1) powers of linear forms.  High orders are rare, and more than COMPONENTS are rejected. */

#include "explain/explain.h"
#include "map/maclaurin.h"
#include "map/random_kernel.h"

#include <math.h>
#include <stdlib.h>

enum { COMPONENTS = 1 << 18, FORMS = 12 };

/* ---- rk ---------------------------------------------------------------------------------- */

static void read_rk(double *p, const fxi_explain_part *a, size_t j)
{
    const fxi_project *w = &((const fxi_rk *)a->from)->w[0];
    double lane[FXI_LANES];

    for (size_t s = 0; s < a->S; s += FXI_LANES) {
        w->type->entries(lane, w, s, (int64_t)j);
        for (size_t k = 0; k < FXI_LANES && s + k < a->S; k++)
            p[s + k] = lane[k];
    }
}

/* Component s * order + k. */
static void read_complex(double *p, const fxi_explain_part *a, size_t j)
{
    const fxi_rk *k = a->from;
    size_t n = k->outputs, t = (size_t)a->order;
    double re[FXI_LANES], im[FXI_LANES];

    for (size_t s = 0; s < n; s++) {
        size_t lane = s % FXI_LANES;
        if (lane == 0) {
            k->w[0].type->entries(re, &k->w[0], s, (int64_t)j);
            k->w[1].type->entries(im, &k->w[1], s, (int64_t)j);
        }
        for (size_t i = 0; i < t; i++) {
            double angle = a->angle[s] + 3.14159265358979323846 * (double)i / (double)t;
            p[s * t + i] = (re[lane] * cos(angle) + im[lane] * sin(angle)) * sqrt(0.5);
        }
    }
}

/* The weight of output s: a of the real feature, b of the imaginary one. */
static void weights_of(double *a, double *b, const fxi_explain_terms *t, const fxi_rk *k, size_t s)
{
    const fx_model_info *c = &t->m->c;
    size_t width = k->w[0].width, block = s / width, at = block * t->m->map->width + s % width;

    *a = c->weights[at * c->outputs + t->output];
    *b = c->weights[(at + fxi_rk_count(k, block)) * c->outputs + t->output];
}

/* One part for order n of weight theta. */
static fx_status add_complex(fxi_explain_terms *t, const fxi_rk *k, int n, double theta)
{
    fxi_explain_part *part = fxi_explain_terms_add(t, n, n, k->outputs * (size_t)n, false);

    if (!part || !(part->angle = fxi_alloc(k->outputs, sizeof *part->angle)))
        return FX_ENOMEM;
    part->read = read_complex;
    part->from = k;
    part->order = n;
    for (size_t s = 0; s < k->outputs; s++) {
        double a, b;
        weights_of(&a, &b, t, k, s);
        part->angle[s] = atan2(b, a) / n;       /* -psi/n */
        for (int i = 0; i < n; i++)
            part->lambda[s * (size_t)n + (size_t)i] = (i % 2 ? -1 : 1) * hypot(a, b)
                                                      * ldexp(theta, n - 1) / n;
    }
    return FX_OK;
}

static fx_status add_rk_complex(fxi_explain_terms *t, const fxi_rk *k)
{
    const fx_kernel *kernel = t->m->kernel;
    fx_status st = FX_OK;

    for (int n = 1; n <= k->order && !st; n++)
        if (k->weight[n] != 0)
            st = add_complex(t, k, n, k->weight[n] * k->scale);
    if (!k->order)
        st = fxi_error(FX_EUNSUPPORTED,
                       "complex draws of rk are explained for linear, anova and anova-upto, not "
                       "for %s; fit with rk:complex=no",
                       kernel->spec);
    return st;
}

static fx_status add_rk(fxi_explain_terms *t)
{
    const fx_model_info *c = &t->m->c;
    const fxi_rk *k = t->m->map->state;
    fxi_explain_part *a = NULL;

    if (k->complex)
        return add_rk_complex(t, k);
    double *beta = fxi_alloc(k->outputs, sizeof *beta);
    if (!beta)
        return FX_ENOMEM;
    for (size_t s = 0; s < k->outputs; s++)
        beta[s] = c->weights[s * c->outputs + t->output] * k->scale;
    bool anova = k->order && t->m->kernel->type != &fxi_kernel_linear;
    fx_status st = fxi_explain_terms_family(&a, t, t->m->kernel, anova ? k->weight : NULL, beta,
                                            k->outputs);
    free(beta);
    if (a) {
        a->read = read_rk;
        a->from = k;
    }
    return st;
}

/* ---- rm ---------------------------------------------------------------------------------- */

/* Features first, first + 1, .. of order `order`, each 2^(order - 1) components. */
static void read_rm(double *p, const fxi_explain_part *a, size_t j)
{
    const fxi_rm *rm = a->from;
    size_t powers = (size_t)1 << (a->order - 1), features = a->S / powers;
    double form[FORMS][FXI_LANES];

    for (size_t f = 0; f < features; f++) {
        size_t s = a->first + f, lane = s % FXI_LANES;
        for (int i = 0; i < a->order && (lane == 0 || f == 0); i++) {
            const fxi_rk *level = rm->level[i]->state;
            level->w[0].type->entries(form[i], &level->w[0], s - lane, (int64_t)j);
        }
        for (size_t e = 0; e < powers; e++) {
            double sum = form[0][lane];
            for (int i = 1; i < a->order; i++)
                sum += e >> (i - 1) & 1 ? -form[i][lane] : form[i][lane];
            p[f * powers + e] = sum;
        }
    }
}

static fx_status add_forms(fxi_explain_terms *t, const fxi_rm *rm, int n, size_t first)
{
    const fx_model_info *c = &t->m->c;
    size_t powers = (size_t)1 << (n - 1), S = rm->count[n] * powers;
    fxi_explain_part *a = fxi_explain_terms_add(t, n, n, S, false);
    double divisor = (double)powers;

    if (!a)
        return FX_ENOMEM;
    for (int i = 2; i <= n; i++)
        divisor *= i;
    a->repeats = true;
    a->read = read_rm;
    a->from = rm;
    a->first = first;
    a->order = n;
    for (size_t s = 0; s < S; s++) {
        size_t f = first + s / powers;
        double w = c->weights[f * c->outputs + t->output] * rm->scale[f] / divisor;
        for (size_t e = s % powers; e; e &= e - 1)
            w = -w;
        a->lambda[s] = w;
    }
    return FX_OK;
}

/* Orders 0 and 1 are exact features after the random ones. */
static fx_status add_exact(fxi_explain_terms *t, const fxi_rm *rm)
{
    const fx_model_info *c = &t->m->c;
    const double *w = c->weights + t->m->map->random * c->outputs + t->output;

    t->constant += w[0] * sqrt(rm->a[0]);
    if (!(t->linear = fxi_alloc(c->cols, sizeof *t->linear)))
        return FX_ENOMEM;
    for (size_t j = 0; j < c->cols; j++)
        t->linear[j] = w[(j + 1) * c->outputs] * sqrt(rm->a[1]);
    return FX_OK;
}

static fx_status add_rm(fxi_explain_terms *t)
{
    const fx_model_info *c = &t->m->c;
    const fxi_rm *rm = t->m->map->state;
    size_t first = 0;
    fx_status st = FX_OK;

    if (!rm->linear)
        return fxi_error(FX_EUNSUPPORTED,
                         "rm of %s: dot-product kernels are explained, not compositions",
                         t->m->kernel->spec);
    for (int n = rm->top - 1; n > 0 && !st; first += rm->count[n--]) {
        if (!rm->count[n])
            continue;
        if (n > FORMS || rm->count[n] > (size_t)COMPONENTS >> (n - 1))
            return fxi_error(FX_EUNSUPPORTED,
                             "rm: %zu features of order %d; up to order %d, and "
                             "%d >> (order - 1) of them, are explained: fit with max-order=",
                             rm->count[n], n, FORMS, COMPONENTS);
        st = add_forms(t, rm, n, first);
    }
    for (size_t f = first; f < first + rm->count[0] && !st; f++)
        t->constant += c->weights[f * c->outputs + t->output] * rm->scale[f];
    return st || !rm->h01 ? st : add_exact(t, rm);
}

fx_status fxi_explain_map(fxi_explain_terms *t)
{
    return t->m->map->type == &fxi_map_maclaurin ? add_rm(t) : add_rk(t);
}
