/* SPDX-License-Identifier: BSD-3-Clause
 * anova.c - products of m distinct features: K(x, y) = e_m(z), z_j = x_j y_j, and the weighted sum
 * of all orders up to m, K = sum_t theta_t e_t(z).
 *
 * Insertion (esp.c) costs n m multiply-adds and gives every order at once.  Power sums
 * would cost the same but cancel: no digit is left at order 8 when one feature is 100 times the
 * others, and fewer than m common features would give noise instead of 0.
 *
 * Gradient: de_t/dp_j = x_j e_{t-1}(without j), by deletion in O(m) per entry.  With E_t = e_t of
 * the |z_i|, D_t the same without j, a deletion of order m-1 errs by at most k u B (esp.c),
 *
 *   B = E_{m-1} + |z_j| E_{m-2} + .. + |z_j|^{m-1},
 *
 * where building e(without j) from scratch would err by k u D_{m-1}.  For one row E is fixed, B
 * grows with |z_j|, and D_t falls when a larger number is left out; so B/D, also of sums over t
 * with weights theta, is largest for the largest |z_j|, and one test per row decides: deletion is
 * used if B <= LOSS * D for that j, otherwise the reverse-mode table of [1], which subtracts
 * nothing but needs m numbers per entry.  The test fails when one feature dominates or hardly more
 * than m features are common.
 *
 * [1] M. Blondel, A. Fujino, N. Ueda, M. Ishihata. Higher-Order Factorization Machines. NIPS
 *     2016. */

#include "kernel/kernel.h"

#include <string.h>

enum { LOSS = 64 };                     /* six bits */

/* Scratch: e [order + 1][FXI_LANES] of panel; for the gradient also E [order][FXI_LANES],
 * the largest |z| [FXI_LANES], and the table [n][order]. */
static size_t scratch(const fx_kernel *k, size_t n, bool gradient)
{
    size_t m = (size_t)k->order;

    return (m + 1) * FXI_LANES + (gradient ? (m + 1) * FXI_LANES + n * m : 0);
}

static void panel(double *out, const fx_kernel *k, const fxi_panel *p, const fxi_work *work)
{
    work->simd->kernel_anova(work->scratch, p->x, p->slot, p->zt, p->n, k->order);
    memcpy(out, work->scratch + k->order * FXI_LANES, FXI_LANES * sizeof *out);
}

static void panel_upto(double *out, const fx_kernel *k, const fxi_panel *p, const fxi_work *work)
{
    const double *e = work->scratch;

    work->simd->kernel_anova(work->scratch, p->x, p->slot, p->zt, p->n, k->order);
    for (int w = 0; w < FXI_LANES; w++) {
        out[w] = 0;
        for (int t = 1; t <= k->order; t++)
            out[w] += k->coef[t] * e[t * FXI_LANES + w];
    }
}

static double product(const fxi_panel *p, size_t entry, int lane)
{
    size_t row = p->slot ? (size_t)p->slot[entry] : entry;

    return p->x[entry] * p->zt[row * FXI_LANES + (size_t)lane];
}

/* One lane by the reverse-mode table: a[j][t] = e_t of the entries before j, then, running back,
 * b[t] = dK/de_t of the entries up to j. */
static void by_table(double *g, double *a, const fx_kernel *k, const fxi_panel *p, int lane)
{
    int m = k->order;
    double e[FX_ORDER_MAX + 1] = {1}, b[FX_ORDER_MAX + 2] = {0};

    for (size_t j = 0; j < p->n; j++) {
        memcpy(a + j * (size_t)m, e, (size_t)m * sizeof *a);
        fxi_kernel_esp_insert(e, m - 1, product(p, j, lane));
    }
    memcpy(b, k->coef, (size_t)(m + 1) * sizeof *b);
    for (size_t j = p->n; j-- > 0;) {
        double z = product(p, j, lane), sum = 0;
        for (int t = 1; t <= m; t++) {
            sum += b[t] * a[j * (size_t)m + (size_t)t - 1];
            b[t] += z * b[t + 1];
        }
        g[j * FXI_LANES + (size_t)lane] = p->x[j] * sum;
    }
}

/* True if entries may be deleted from this lane.  E: e_t of the |z_i|, z: the largest of them. */
static bool deletable(const fx_kernel *k, const double *E, double z)
{
    double d = 1, b = 1, good = k->coef[1], bad = k->coef[1];

    for (int t = 1; t < k->order; t++) {
        d = E[t * FXI_LANES] - z * d;
        b = E[t * FXI_LANES] + z * b;
        good += k->coef[t + 1] * d;
        bad += k->coef[t + 1] * b;
    }
    return bad <= LOSS * good;
}

static void gradient(double *g, const fx_kernel *k, const fxi_panel *p, const fxi_work *work)
{
    double *e = work->scratch, *E = e + (k->order + 1) * FXI_LANES;
    double *max_abs = E + k->order * FXI_LANES, *table = max_abs + FXI_LANES;
    int m = k->order;

    work->simd->kernel_anova_delete(g, e, p->x, p->slot, p->zt, p->n, m, k->coef);
    if (m == 1)
        return;
    work->simd->kernel_anova_abs(E, max_abs, p->x, p->slot, p->zt, p->n, m - 1);
    for (int w = 0; w < FXI_LANES && !fxi_parallel_cancelled(work->team); w++)
        if (!deletable(k, E + w, max_abs[w]))
            by_table(g, table, k, p, w);
}

#define ORDER "order", "2", FXI_COUNT(1, FX_ORDER_MAX)
static const fx_key keys[] = {{ORDER, "columns in each combination"}, {0}};
static const fx_key keys_upto[] = {
    {ORDER, "columns in a combination, at most"},
    {"theta", "1", FXI_LIST(0), "weights t1/t2/.. of the orders 1, 2, ..; one number: of all"},
    {0}};

/* coef[1..order]: theta, or 1 at the one order of anova. */
static fx_status init_order(fx_kernel *k, const fxi_spec *s, const fx_key *table)
{
    uint64_t order;
    fx_status st = fxi_key_count(&order, s, table, "order");

    if (st)
        return st;
    if (!(k->coef = fxi_zalloc(FX_ORDER_MAX + 1, sizeof *k->coef)))
        return FX_ENOMEM;
    k->order = (int)order;
    return FX_OK;
}

static fx_status init(fx_kernel *k, const fxi_spec *s, const char *family, int base)
{
    fx_status st = init_order(k, s, keys);

    (void)family, (void)base;
    if (!st)
        k->coef[k->order] = 1;
    return st;
}

static fx_status init_upto(fx_kernel *k, const fxi_spec *s, const char *family, int base)
{
    double theta[FX_ORDER_MAX];
    size_t n;
    fx_status st = init_order(k, s, keys_upto);

    (void)family, (void)base;
    if (st || (st = fxi_key_list(theta, &n, FX_ORDER_MAX, s, keys_upto, "theta")) != 0)
        return st;
    if (n == 1)                         /* one weight for every order */
        while (n < (size_t)k->order)
            theta[n++] = theta[0];
    if (n != (size_t)k->order)
        return fxi_error(FX_EINVAL, "anova-upto: %zu weights theta for order %d", n, k->order);
    for (int t = 1; t <= k->order; t++)
        k->coef[t] = theta[t - 1];
    return FX_OK;
}

const fxi_kernel_type fxi_kernel_anova = {
    .name = "anova", .help = "sum over sets of `order` features of prod x_j y_j",
    .keys = keys, .init = init, .panel = panel, .combines = true,
    .scratch = scratch, .gradient = gradient};
const fxi_kernel_type fxi_kernel_anova_upto = {
    .name = "anova-upto",
    .help = "sum over t <= order of theta_t anova_t",
    .keys = keys_upto, .init = init_upto, .panel = panel_upto, .combines = true, .scratch = scratch,
    .gradient = gradient};
