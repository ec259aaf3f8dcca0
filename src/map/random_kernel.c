/* SPDX-License-Identifier: BSD-3-Clause
 * random_kernel.c - the random kernel map RK [1]: Z_s(x) = K_S(x, w_s)/sqrt(D) for a family S of
 * feature sets, w_s of independent entries with mean 0 and variance 1.  Unbiased for every S,
 * since E[w_j w_j] = 1 keeps a set that both factors hold and E[w_j] = 0 removes the others.
 *
 * Ways to a block of outputs, by kernel and projection:
 *
 *   sums      signs have w^t = w for odd t and 1 for even t: all power sums of x o w come from
 *             ceil(m/2) projections of x, x^3, ..; Newton's recursion makes all orders of them.  A
 *             row whose largest number dominates goes through the panel (random_kernel_loss.c)
 *   products  all-subsets, packed signs: tables of products instead of sums
 *   exponent  all-subsets, any signs: |x_j| != 1 gives
 *             |1 + w x| = sqrt|1 - x^2| exp(w ln|(1 + x)/(1 - x)|/2): one projection and an
 *             exponential.  The sign of the product and features with |x_j| = 1 follow from two
 *             more projections, of signs, where they occur
 *   panel     everything else: the kernel with rows of W (random_kernel_panel.c)
 *
 * Complex draws, w = (s1 + i s2)/sqrt(2) of two signs, give pairs of features (Re, Im): less
 * variance on non-negative data.  1 + w x is then never zero, and
 *   ln(1 + w x) = A + s1 B + i (s2 C + s1 s2 E),
 * so the exponent is three projections, of which the last is the product of the first two.
 * Weighted orders take square roots of theta: theta itself would give theta^2.
 *
 * Accuracy: features are floats; against exact arithmetic they err by at most a multiple of
 * 2^-24 e_m(|x|), 64 times as much at most where power sums serve.  doc/math.md#random_kernel
 *
 * [1] K. Atarashi, S. Maji, S. Oyama. Random Feature Maps for the Itemset Kernel. AAAI 2019.
 *     Its equation (13) lacks the sign (-1)^{t+1}. */

#include "map/random_kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Rows of a tile ----------------------------------------------------------------------- */

static void set_sums(fxi_rk_space *s, const fx_map *m, const fxi_rk *k, size_t row)
{
    size_t at = s->tile->first[row], n = s->tile->first[row + 1] - at;
    double sum = 0, max_abs = 0, power = 0;

    m->simd->map_row(s->value[0] + at, &sum, &max_abs, s->x + at, n);
    for (int i = 1; i < k->sets; i++)
        m->simd->map_power(s->value[i] + at, &power, s->x + at, n, k->power[i]);
    for (int t = k->complex ? 4 : 2; t <= k->order; t += k->complex ? 4 : 2) {
        m->simd->map_power(NULL, &power, s->x + at, n, t);
        s->even[t * FXI_LANES + (int)row] = power;
    }
    s->inserted[row] = k->order > 1 && max_abs > k->limit * (sum - max_abs);
}

static size_t space(const fx_map *m, size_t entries)
{
    const fxi_rk *k = m->state;
    size_t lanes = fxi_project_rounded(k->w[0].width * FXI_LANES * sizeof(float));
    size_t n = fxi_project_rounded(sizeof(fxi_rk_space))
               + (FX_ORDER_MAX + 1) * FXI_LANES * sizeof(double) + 3 * FXI_LANES * sizeof(float)
               + (size_t)k->sets * fxi_project_rounded(entries * sizeof(float))
               + fxi_project_rounded(k->w[0].width * sizeof(float));

    for (int i = 0; i < k->inputs; i++)
        n += fxi_project_rounded(k->w[k->input[i].w].space) + lanes;
    return n + fxi_map_random_kernel_panel_space(m, entries);
}

static void carve(fxi_rk_space *s, const fx_map *m, size_t entries)
{
    const fxi_rk *k = m->state;
    char *at = (char *)s;

    fxi_project_carve(&at, sizeof *s);
    s->even = fxi_project_carve(&at, (FX_ORDER_MAX + 1) * FXI_LANES * sizeof *s->even);
    s->number = fxi_project_carve(&at, 3 * FXI_LANES * sizeof *s->number);
    s->imaginary = fxi_project_carve(&at, k->w[0].width * sizeof *s->imaginary);
    for (int i = 0; i < k->sets; i++)
        s->value[i] = fxi_project_carve(&at, entries * sizeof *s->value[i]);
    for (int i = 0; i < k->inputs; i++) {
        s->project[i] = fxi_project_carve(&at, k->w[k->input[i].w].space);
        s->z[i] = fxi_project_carve(&at, k->w[0].width * FXI_LANES * sizeof *s->z[i]);
    }
    fxi_map_random_kernel_panel_carve(s, &at, m, entries);
}

/* Most rows need no signs of the exponential's product. */
static int count_inputs(const fxi_rk *k, const fxi_rk_space *s)
{
    bool all = k->method != FXI_RK_EXPONENT || k->complex || s->ones || s->beyond;

    return all ? k->inputs : 1;
}

/* Numbers of a single row are repeated in every lane. */
static void repeat(fxi_rk_space *s, const fxi_rk *k)
{
    for (int t = 2; t <= k->order; t += 2)
        for (int w = 1; w < FXI_LANES; w++)
            s->even[t * FXI_LANES + w] = s->even[t * FXI_LANES];
    for (int i = 0; i < 3; i++)
        for (int w = 1; w < FXI_LANES; w++)
            s->number[i * FXI_LANES + w] = s->number[i * FXI_LANES];
}

static void prepare(void *base, const fx_map *m, const fxi_tile *t, const double *x)
{
    const fxi_rk *k = m->state;
    fxi_rk_space *s = base;
    size_t entries = t->first[t->rows];

    memset(s, 0, sizeof *s);
    carve(s, m, entries);
    s->tile = t;
    s->x = x;
    memset(s->even, 0, (FX_ORDER_MAX + 1) * FXI_LANES * sizeof *s->even);
    memset(s->number, 0, 3 * FXI_LANES * sizeof *s->number);
    for (size_t r = 0; r < t->rows && !fxi_tile_stopped_long(t, entries); r++)
        if (k->method == FXI_RK_PANEL)
            s->inserted[r] = true;
        else if (k->method == FXI_RK_EXPONENT)
            fxi_map_random_kernel_exponent(s, m, r);
        else
            set_sums(s, m, k, r);
    if (s->ones || s->beyond)
        fxi_map_random_kernel_exponent_signs(s);
    if (t->rows == 1)
        repeat(s, k);
    for (int i = 0; i < count_inputs(k, s) && !fxi_tile_stopped_long(t, entries); i++) {
        const fxi_project *w = &k->w[k->input[i].w];
        w->type->prepare(s->project[i], w, t, s->value[k->input[i].set]);
    }
}

/* ---- Blocks ------------------------------------------------------------------------------- */

/* Outputs at .. at + n of every input to features; numbers of data rows repeat with period
 * FXI_LANES. */
static void sums(float *re, float *im, const fx_map *m, const fxi_rk *k, const fxi_rk_space *s,
                 size_t at, size_t n, const double *even)
{
    const float *part[3][FX_ORDER_MAX];
    int found[3] = {0};

    for (int i = 0; i < k->inputs; i++)
        part[k->input[i].w][found[k->input[i].w]++] = s->z[i] + at;
    if (k->complex) {
        memcpy(re, s->z[0] + at, n * sizeof *re);
        memcpy(im, s->z[1] + at, n * sizeof *im);
        part[0][0] = re, part[1][0] = im;
        m->simd->map_newton_complex(re, im, part[0], part[1], part[2], even, n, k->order,
                                    k->scaled);
    } else
        m->simd->map_newton(re, part[0], even, n, k->order, k->scaled);
}

static void exponent(float *re, float *im, const fx_map *m, const fxi_rk *k, const fxi_rk_space *s,
                     size_t at, size_t n, const float *number)
{
    if (k->complex)
        memcpy(re, s->z[0] + at, n * sizeof *re);
    m->simd->map_exp(re, number, n);
    if (k->complex) {
        float *angle = s->z[1] + at, *sine = s->z[2] + at;
        for (size_t i = 0; i < n; i++)
            angle[i] += sine[i];
        m->simd->map_sincos(angle, sine, angle, n, 1);
        memcpy(im, re, n * sizeof *im);
        m->simd->map_multiply(re, angle, n);
        m->simd->map_multiply(im, sine, n);
    } else if (s->ones || s->beyond)
        m->simd->map_subsets_signs(re, s->z[1] + at, s->z[2] + at, number + FXI_LANES,
                                   number + 2 * FXI_LANES, n);
}

/* row < 0: outputs whose lanes are as `even` and `number` have them; else all of this row. */
static void apply_kernel(float *re, float *im, const fx_map *m, const fxi_rk_space *s, size_t at,
                         size_t n, int row)
{
    const fxi_rk *k = m->state;
    _Alignas(64) double even[(FX_ORDER_MAX + 1) * FXI_LANES];
    _Alignas(64) float number[3 * FXI_LANES];

    if (k->method == FXI_RK_PRODUCTS) {
        m->simd->map_scale(re, n, (float)k->scale);
        return;
    }
    /* order 1 reads that of order 2, times 0 */
    for (int t = 2; row >= 0 && t <= FX_ORDER_MAX && t <= k->order + 1; t += 2)
        for (int w = 0; w < FXI_LANES; w++)
            even[t * FXI_LANES + w] = s->even[t * FXI_LANES + row];
    for (int i = 0; row >= 0 && k->method == FXI_RK_EXPONENT && i < 3; i++)
        for (int w = 0; w < FXI_LANES; w++)
            number[i * FXI_LANES + w] = s->number[i * FXI_LANES + row];
    if (k->method == FXI_RK_SUMS)
        sums(re, im, m, k, s, at, n, row < 0 ? s->even : even);
    else
        exponent(re, im, m, k, s, at, n, row < 0 ? s->number : number);
}

static void by_projections(float *z, const fx_map *m, fxi_rk_space *s, size_t b)
{
    const fxi_rk *k = m->state;
    size_t width = k->w[0].width, count = fxi_rk_count(k, b);

    if (!k->complex)
        s->z[0] = z;                    /* same layout: the rest is done in place */
    for (int i = 0; i < count_inputs(k, s) && !fxi_tile_stopped_long(s->tile, width); i++) {
        const fxi_project *w = &k->w[k->input[i].w];
        w->type->apply(s->z[i], w, s->project[i], b);
    }
    if (fxi_map_lanes(m, s->tile)) {
        apply_kernel(z, z + count * FXI_LANES, m, s, 0, count * FXI_LANES, -1);
        return;
    }
    for (size_t r = 0; r < s->tile->rows; r++) {
        apply_kernel(z + r * m->width, s->imaginary, m, s, r * width, width,
                     s->tile->rows > 1 ? (int)r : -1);
        if (k->complex)                 /* after the real parts, which may be cut */
            memcpy(z + r * m->width + count, s->imaginary, count * sizeof *z);
    }
}

static void block(float *z, const fx_map *m, void *base, size_t b)
{
    const fxi_rk *k = m->state;
    fxi_rk_space *s = base;
    bool inserted = false;

    if (k->method != FXI_RK_PANEL)
        by_projections(z, m, s, b);
    for (size_t r = 0; r < s->tile->rows; r++)
        inserted |= s->inserted[r];
    if (inserted)
        fxi_map_random_kernel_panel(z, m, s, b);
}

/* ---- From a spec -------------------------------------------------------------------------- */

static const fx_key keys[] = {
    {"dist", "rademacher", FXI_CHOICE("rademacher|gaussian|uniform|laplace"),
     "distribution of the random numbers"},
    {"complex", "no", FXI_CHOICE("no|yes|auto"),
     "yes: complex draws, two features each; auto: whichever has the smaller variance on the rows"},
    {"projection", "auto", FXI_CHOICE("auto|packed|circulant|hadamard|dense"),
     "form of the random matrix; auto: chosen by kernel and size"},
    {"signs", "column", FXI_CHOICE("column|row"), "circulant: random signs of columns or of rows"},
    {0}};
static const char *const kernels[] = {
    "linear", "anova", "anova-upto", "all-subsets", "itemset", "groups", "cross", NULL};
static const fxi_project_type *const forms[] = {NULL, &fxi_project_packed, &fxi_project_circulant,
                                                &fxi_project_hadamard, &fxi_project_dense};

/* Sets of even and odd size: their features must not share a sign that never changes. */
static bool mixed_parity(const fx_map *m, const fxi_rk *k)
{
    const fx_kernel *kernel = m->kernel;

    if (kernel->type != &fxi_kernel_anova_upto)
        return kernel->type == &fxi_kernel_all_subsets || kernel->type == &fxi_kernel_itemset;
    bool parity[2] = {false, false};
    for (int t = 1; t <= k->order; t++)
        parity[t % 2] |= k->weight[t] > 0;
    return parity[0] && parity[1];
}

/* Groups that share features, and a group that is multiplied by itself, put a feature twice into a
 * product: w_j^2 where there should be w_j.  No family of sets, and the map would be biased. */
static fx_status check_groups(const fxi_groups *g)
{
    for (size_t f = 0; g && f < g->features; f++) {
        size_t uses = 0;
        for (int32_t i = g->first[f]; i < g->first[f + 1]; i++) {
            uses += g->factors == 0;
            for (size_t q = 0; q < g->factors; q++)
                uses += g->factor[q] == g->member[i];
        }
        if (uses > 1)
            return fxi_error(FX_EUNSUPPORTED,
                             "rk: feature %lld (from 0) stands in %zu of the groups; rk serves "
                             "sets of features, which have each of them once",
                             (long long)g->feature[f], uses);
    }
    return FX_OK;
}

static void add_input(fxi_rk *k, int w, int set)
{
    k->input[k->inputs].w = w;
    k->input[k->inputs++].set = set;
}

/* The sets of values, and the projections that they go through. */
static void plan(const fx_map *m, fxi_rk *k, const fxi_project_type *form)
{
    bool subsets = m->kernel->type == &fxi_kernel_all_subsets;

    k->method = FXI_RK_PANEL;
    if (k->law != FXI_LAW_SIGN || (!subsets && k->order == 0))
        return;
    if (subsets && form == &fxi_project_packed && !k->complex) {
        k->method = FXI_RK_PRODUCTS;
        k->sets = k->power[0] = 1;
        add_input(k, 0, 0);
        return;
    }
    if (subsets) {
        k->method = FXI_RK_EXPONENT;
        k->sets = 3;
        for (int i = 0; i < 3; i++)
            add_input(k, k->complex ? i : 0, i);
        return;
    }
    k->method = FXI_RK_SUMS;
    for (int t = 1; t <= k->order; t++) {
        if (k->complex ? t % 4 == 0 : t % 2 == 0)
            continue;                   /* a number of the row */
        k->power[k->sets] = t;
        add_input(k, t % 2 ? 0 : 2, k->sets);
        if (k->complex && t % 2)
            add_input(k, 1, k->sets);
        k->sets++;
    }
}

static fx_status draw(fx_map *m, fxi_rk *k, const fxi_project_type *form, bool row_signs,
                      const fx_run *run)
{
    fxi_project w = {.type = form, .rows = k->outputs, .cols = m->cols,
                     .like = k->complex ? m->like / 2 : m->like, .law = k->law, .scale = 1,
                     .row_signs = row_signs, .mixed = mixed_parity(m, k),
                     .products = k->method == FXI_RK_PRODUCTS, .seed = m->seed,
                     .stream = m->stream};
    bool square = false;                /* sums of w^2 are wanted */
    fx_status st;

    for (int i = 0; i < k->inputs; i++)
        square |= k->input[i].w == 2;
    if (square && !form->times)
        return fxi_error(FX_EUNSUPPORTED,
                         "rk: complex=yes of %s is offered by the projections packed, circulant "
                         "and hadamard, not %s",
                         m->kernel->spec, form->name);
    k->w[0] = w;
    if ((st = fxi_project_new(&k->w[0], run)) != 0 || !k->complex)
        return st;
    w.part = 1;
    k->w[1] = w;
    if ((st = fxi_project_new(&k->w[1], run)) != 0 || !square)
        return st;
    return fxi_project_times(&k->w[2], &k->w[0], &k->w[1], run);
}

static fx_status init(fx_map *m, const fxi_spec *s, const fx_matrix *sample, const fx_run *run)
{
    fxi_rk *k = m->state = fxi_zalloc(1, sizeof *k);
    const fx_kernel *kernel = m->kernel;
    int dist = 0, complex = 0, projection = 0, signs = 0;
    fx_status st;

    if (!k)
        return FX_ENOMEM;
    if ((st = fxi_key_choice(&dist, s, keys, "dist")) != 0
        || (st = fxi_key_choice(&complex, s, keys, "complex")) != 0
        || (st = fxi_key_choice(&projection, s, keys, "projection")) != 0
        || (st = fxi_key_choice(&signs, s, keys, "signs")) != 0)
        return st;
    if ((st = check_groups(kernel->groups)) != 0)
        return st;
    k->law = (fxi_law)dist;             /* in the same order */
    if (kernel->type == &fxi_kernel_linear)
        k->order = 1, k->weight[1] = 1;
    if (kernel->type == &fxi_kernel_anova || kernel->type == &fxi_kernel_anova_upto) {
        k->order = kernel->order;
        for (int t = 1; t <= k->order; t++)
            k->weight[t] = sqrt(kernel->coef[t]);
    }
    k->limit = fxi_map_random_kernel_loss_limit(k->order);
    k->complex = complex == 1;
    if (complex == 2 && k->law == FXI_LAW_SIGN
        && (st = fxi_map_random_kernel_complex(&k->complex, m,
                                               forms[projection] ? forms[projection]->name : "auto",
                                               signs ? "row" : "column", sample, run))
               != 0)
        return st;
    if (k->complex && k->law != FXI_LAW_SIGN)
        return fxi_error(FX_EUNSUPPORTED, "rk: complex=yes draws signs; dist=rademacher only");
    if (m->random == 0 || (k->complex && m->random % 2))
        return fxi_error(FX_EINVAL, "rk: %zu features; %s", m->random,
                         m->random ? "complex=yes makes pairs, the number must be even"
                                   : "there must be at least one");
    k->outputs = k->complex ? m->random / 2 : m->random;
    k->scale = 1 / sqrt((double)k->outputs);
    for (int t = 1; t <= k->order; t++)
        k->scaled[t] = k->weight[t] * k->scale;

    const fxi_project_type *form = forms[projection];
    if (!form)
        form = k->law == FXI_LAW_SIGN
                   ? fxi_map_choose(kernel, m->cols, k->complex ? m->like / 2 : m->like)
                   : &fxi_project_dense;
    if (k->law != FXI_LAW_SIGN && form != &fxi_project_dense)
        return fxi_error(FX_EUNSUPPORTED, "rk: projection=%s draws signs; dist=rademacher only",
                         form->name);
    if (signs == 1 && form != &fxi_project_circulant)
        return fxi_error(FX_EINVAL, "rk: signs=row is a way of projection=circulant, not %s",
                         form->name);
    plan(m, k, form);
    if ((st = draw(m, k, form, signs == 1, run)) != 0)
        return st;
    m->lanes = k->w[0].lanes;
    m->width = k->w[0].width * (k->complex ? 2 : 1);
    m->blocks = k->w[0].blocks;
    fxi_map_resolve(m, "projection", "%s", form->name);
    fxi_map_resolve(m, "complex", "%s", k->complex ? "yes" : "no");
    return FX_OK;
}

static fx_status variance(double *one, double *all, const fx_map *m, const fxi_pair *p)
{
    const fxi_rk *k = m->state;
    const fxi_project *w = &k->w[0];

    if (w->type == &fxi_project_circulant)      /* it depends on the columns of the features */
        return fxi_error(FX_EUNSUPPORTED,
                         "rk: no exact variance with projection=circulant; packed, hadamard and "
                         "dense have one");
    return fxi_map_variance_rk(
        one, all, m->kernel, p, k->law, k->complex,
        &(fxi_blocks){.rows = k->outputs, .p = w->unit, .mixed = w->mixed, .folded = w->folded});
}

static void free_state(fx_map *m)
{
    fxi_rk *k = m->state;

    for (int i = 0; k && i < 3; i++)
        fxi_project_free(&k->w[i]);
    free(k);
}

const fxi_map_type fxi_map_random_kernel = {
    .name = "rk",
    .help = "random kernel map; scrk is rk:projection=circulant,signs=row",
    .keys = keys, .kernels = kernels, .explained = true,
    .init = init, .free = free_state, .space = space,
    .prepare = prepare, .block = block, .variance = variance};
