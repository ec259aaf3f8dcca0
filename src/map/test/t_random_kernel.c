/* SPDX-License-Identifier: BSD-3-Clause
 * t_random_kernel.c - RK: unbiased as an identity over all sign vectors, equal to its definition on
 * every projection, and the switch from power sums to insertion.
 *
 * Covers: newton_hot.c, random_kernel_exponent.c, random_kernel_loss.c, random_kernel_panel.c,
 * subsets_hot.c */

#include "base/test.h"
#include "map/random_kernel.h"

#include <complex.h>
#include <string.h>
#undef complex

typedef double _Complex number;

static const char family[] = "{}\n1\n2 3\n1 3 4\n2 5\n1 2 3 4 5\n";
static const char groups[] = "a: 1 2\nb: 3\nc: 4 5\n";
static const char cross[] = "a b\na: 1 2\nb: 3 4 5\n";
static const struct { const char *spec, *family; } kernels[] = {
    {"linear", NULL}, {"anova:order=1", NULL}, {"anova:order=2", NULL}, {"anova:order=3", NULL},
    {"anova:order=4", NULL}, {"anova:order=6", NULL}, {"anova:order=9", NULL},
    {"anova-upto:order=2,theta=0.3/2", NULL}, {"anova-upto:order=3,theta=2/0/0.7", NULL},
    {"anova-upto:order=5", NULL}, {"all-subsets", NULL}, {"itemset", family},
    {"groups:order=2", groups}, {"groups:order=3", groups}, {"cross", cross}};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static fx_kernel *kernel(size_t i)
{
    fx_kernel *k = NULL;

    CHECK(fx_kernel_parse(&k, kernels[i].spec, kernels[i].family, 1) == FX_OK);
    return k;
}

static fx_map *map(const char *spec, const fx_kernel *k, size_t cols, size_t D, uint64_t seed)
{
    fx_map *m = NULL;
    fx_status st = fx_map_parse(&m, spec, k, cols, D, seed, NULL, NULL);

    if (st)
        fprintf(stderr, "%s: %s\n", spec, fx_error_detail());
    CHECK(st == FX_OK);
    return m;
}

static fx_matrix dense(const double *x, size_t rows, size_t cols)
{
    return (fx_matrix){.rows = rows, .cols = cols, .stride = cols, .type = FX_F64, .val = x};
}

/* ---- The kernel of x and a complex vector, from its definition: a sum over subsets --------- */

static bool in_family(const fx_kernel *k, const char *name, uint32_t set, size_t d, double *weight)
{
    int size = __builtin_popcount(set);

    *weight = 1;
    if (!strncmp(name, "linear", 6))
        return size == 1;
    if (!strncmp(name, "anova-upto", 10)) {
        *weight = size <= k->order ? k->coef[size] : 0;
        return size >= 1 && size <= k->order;
    }
    if (!strncmp(name, "anova", 5))
        return size == k->order;
    if (!strcmp(name, "all-subsets"))
        return true;
    if (!strcmp(name, "itemset"))
        return set == 0 || set == 1 || set == 6 || set == 13 || set == 18 || set == 31;
    if (!strcmp(name, "cross"))
        return size == 2 && (set & 3) && (set & 28) && __builtin_popcount(set & 3) == 1
               && __builtin_popcount(set & 28) == 1 && set < 32;
    if (size != k->order)               /* groups; features behind the fifth are alone */
        return false;
    (void)d;
    return (set & 3) != 3 && (set & 24) != 24;
}

/* sum over sets of sqrt(weight) prod_{j in set} z_j; absolute: of |z_j| */
static number slow(const fx_kernel *k, const char *name, const number *z, size_t d,
                   double *absolute)
{
    number sum = 0;

    *absolute = 0;
    for (uint32_t set = 0; set < (uint32_t)1 << d; set++) {
        double weight, a = 1;
        number p = 1;
        if (!in_family(k, name, set, d, &weight))
            continue;
        for (size_t j = 0; j < d; j++)
            if (set >> j & 1)
                p *= z[j], a *= cabs(z[j]);
        sum += sqrt(weight) * p;
        *absolute += sqrt(weight) * a;
    }
    return sum;
}

static double exact(const fx_kernel *k, const double *x, const double *y, size_t d)
{
    double v;
    fx_matrix X = dense(x, 1, d), Y = dense(y, 1, d);

    CHECK(fx_kernel_gram(&v, 1, k, &X, &Y, NULL) == FX_OK);
    return v;
}

/* ---- Unbiased: W of all sign vectors ------------------------------------------------------- */

/* A projection whose row s has the signs of the bits of s: feature j bit j, the other part
 * behind. */
static double bit(const fxi_project *p, size_t s, size_t j)
{
    size_t first = p->part == 1 ? p->cols : 0;
    double sign = s >> (first + j) & 1 ? -1 : 1;

    return p->part == 2 ? sign * (s >> (p->cols + j) & 1 ? -1 : 1) : sign;
}

static void all_entries(double *w, const fxi_project *p, size_t s, int64_t j)
{
    for (size_t i = 0; i < FXI_LANES; i++)
        w[i] = bit(p, s + i, (size_t)j);
}

static void all_prepare(void *space, const fxi_project *p, const fxi_tile *t, const float *x)
{
    CHECK(!t->col);
    memset(space, 0, FXI_LANES * p->cols * sizeof *x);
    memcpy(space, x, t->first[t->rows] * sizeof *x);
}

static void all_apply(float *z, const fxi_project *p, void *space, size_t block)
{
    const float *x = space;

    for (size_t r = 0; r < FXI_LANES; r++)
        for (size_t s = 0; s < p->width; s++) {
            double sum = 0, product = 1;
            for (size_t j = 0; j < p->cols; j++) {
                sum += bit(p, block * p->width + s, j) * (double)x[r * p->cols + j];
                product *= 1 + bit(p, block * p->width + s, j) * (double)x[r * p->cols + j];
            }
            z[r * p->width + s] = (float)(p->products ? product : sum);
        }
}

static void all_free(fxi_project *p) { (void)p; }

static const fxi_project_type all_signs = {"all", NULL, all_free, all_prepare, all_apply,
                                           all_entries, NULL};

static void check_unbiased(size_t i, const char *spec, size_t d, bool complex)
{
    fx_kernel *k = kernel(i);
    size_t rows = (size_t)1 << (complex ? 2 * d : d), D = complex ? 2 * rows : rows;
    fx_map *m = map(spec, k, d, D, 1);
    fxi_rk *rk = m->state;
    double X[2 * 10], sum = 0, scale = 0, a, b;
    float *Z = fxi_alloc(2 * D, sizeof *Z);
    fx_matrix rowsX = dense(X, 2, d);
    number one[10];

    for (int w = 0; w < (complex ? 3 : 1); w++) {
        size_t width = rows < 64 ? (rows + 15) / 16 * 16 : 64;
        bool products = rk->w[w].products;
        fxi_project_free(&rk->w[w]);
        rk->w[w] = (fxi_project){.type = &all_signs, .rows = rows, .cols = d, .part = w, .scale = 1,
                                 .width = width, .blocks = (rows + width - 1) / width,
                                 .products = products, .space = FXI_LANES * d * sizeof(float)};
    }
    m->lanes = false;
    m->width = rk->w[0].width * (complex ? 2 : 1);
    m->blocks = rk->w[0].blocks;
    for (size_t q = 0; q < 2 * d; q++)
        X[q] = (test_unit() * 2 - 1) * 1.5;
    X[0] = 1, X[d] = 0.5;               /* features at 1, and beyond it */
    if (d > 1)
        X[1] = -1, X[d + 1] = 1.25;
    CHECK(fx_map_apply(Z, D, FX_F32, m, &rowsX, NULL) == FX_OK);
    for (size_t s = 0; s < D; s++) {
        sum += (double)Z[s] * (double)Z[D + s];
        scale += fabs((double)Z[s] * (double)Z[D + s]);
    }
    for (size_t j = 0; j < d; j++)
        one[j] = X[j];
    slow(k, kernels[i].spec, one, d, &a);
    for (size_t j = 0; j < d; j++)
        one[j] = X[d + j];
    slow(k, kernels[i].spec, one, d, &b);
    /* Features err by at most LOSS m (d + 4) u of their absolute sums. */
    CHECK_NEAR(sum, exact(k, X, X + d, d), 64 * 10 * 2 * (scale + a * b) * 0x1p-24);
    fx_map_free(m);
    fx_kernel_free(k);
    free(Z);
}

static void test_unbiased(void)
{
    static const char *const real[] = {"rk", "rk:projection=packed", "rk:projection=hadamard"};

    for (size_t i = 0; i < KERNELS; i++) {
        for (size_t s = 0; s < 3; s++)
            for (size_t d = 5; d <= 10; d += 5)
                check_unbiased(i, real[s], d, false);
        check_unbiased(i, "rk:complex=yes", 5, true);
    }
    check_unbiased(10, "rk", 1, false);
    check_unbiased(10, "rk:complex=yes", 1, true);
}

/* ---- Equal to the definition on every projection ------------------------------------------- */

static void check_defined(size_t i, const char *spec, size_t d, size_t D, bool sparse)
{
    enum { ROWS = 19 };
    fx_kernel *k = kernel(i);
    fx_map *m = map(spec, k, d, D, 7);
    const fxi_rk *rk = m->state;
    double X[ROWS * 12], val[ROWS * 12], *Z = fxi_alloc(ROWS * D, sizeof *Z);
    int64_t ptr[ROWS + 1] = {0};
    int32_t col[ROWS * 12];
    size_t n = 0, count = rk->complex ? D / 2 : D;
    fx_matrix x = dense(X, ROWS, d);
    double w[2][FXI_LANES];

    CHECK(fx_map_features(m) == D);
    for (size_t r = 0; r < ROWS; r++) {
        for (size_t j = 0; j < d; j++) {
            double v = (test_unit() * 2 - 1) * 1.2;
            if (r == 2 || (sparse && test_below(3) == 0))
                v = 0;                  /* row 2 is empty */
            if (r == 3 && j == 0)
                v = 1000;               /* one feature dominates: insertion */
            if (r == 4)
                v = j % 2 ? 1 : -1;     /* where logarithms end */
            if (v != 0) {
                col[n] = (int32_t)j;
                val[n++] = v;
            }
            X[r * d + j] = v;
        }
        ptr[r + 1] = (int64_t)n;
    }
    if (sparse)
        x = (fx_matrix){
            .rows = ROWS, .cols = d, .type = FX_F64, .val = val, .ptr = ptr, .col = col};
    CHECK(fx_map_apply(Z, D, FX_F64, m, &x, NULL) == FX_OK);
    for (size_t s = 0; s < count; s++)
        for (size_t r = 0; r < ROWS; r++) {
            number z[12];
            double absolute, max_abs = 0, sum = 0;
            for (size_t j = 0; j < d; j++) {
                rk->w[0].type->entries(w[0], &rk->w[0], s / 16 * 16, (int64_t)j);
                if (rk->complex)
                    rk->w[1].type->entries(w[1], &rk->w[1], s / 16 * 16, (int64_t)j);
                z[j] = X[r * d + j] * w[0][s % 16];
                if (rk->complex)
                    z[j] = X[r * d + j] * (w[0][s % 16] + I * w[1][s % 16]) * sqrt(0.5);
                max_abs = fmax(max_abs, fabs(X[r * d + j]));
                sum += fabs(X[r * d + j]);
            }
            number v = slow(k, kernels[i].spec, z, d, &absolute);
            /* c u times the absolute sum; power sums lose at most LOSS = 64; FFT and logarithms of
             * the exponent are within 32 u of the sum of their values, here below 12 * 8 */
            double loss = rk->method == FXI_RK_SUMS && rk->order > 1 ? 64 * 2 * rk->order : 1;
            double tol = absolute * 0x1p-24 * (loss + (rk->method == FXI_RK_EXPONENT ? 3200 : 32));
            size_t width = rk->w[0].width, in = s % width, block = s / width;
            size_t full = count - block * width < width ? count - block * width : width;
            size_t re = block * m->width + in, im = re + full;
            double scale = sqrt((double)count);
            CHECK_NEAR(Z[r * D + re] * scale, creal(v), tol);
            if (rk->complex)
                CHECK_NEAR(Z[r * D + im] * scale, cimag(v), tol);
            if (r == 2 && rk->order)
                CHECK(Z[r * D + re] == 0);
            CHECK(sum >= max_abs);
        }
    free(Z);
    fx_map_free(m);
    fx_kernel_free(k);
}

static void test_defined(void)
{
    static const char *const forms[] = {"auto", "packed", "circulant", "hadamard", "dense"};
    char spec[128];

    for (size_t i = 0; i < KERNELS; i++)
        for (size_t f = 0; f < 5; f++)
            for (int complex = 0; complex < 2; complex++) {
                snprintf(spec, sizeof spec, "rk:projection=%s,complex=%s", forms[f],
                         complex ? "yes" : "no");
                if (f == 4 && complex && i > 1 && i < 11)
                    continue;           /* rejected: test_rejected */
                check_defined(i, spec, i % 2 ? 9 : 5, 70, i % 3 == 0);
                check_defined(i, spec, 5, 6, true);
            }
    check_defined(3, "scrk", 7, 33, false);
    check_defined(4, "rk:dist=gaussian", 7, 33, false);
    check_defined(10, "rk:dist=uniform", 7, 33, true);
    check_defined(8, "rk:dist=laplace", 7, 33, true);
    check_defined(2, "rk", 1, 1, false);
    check_defined(10, "rk", 1, 3, false);
}

/* ---- The switch ---------------------------------------------------------------------------- */

static void symmetric(double *e, double *h, const double *x, size_t n, int m)
{
    double E[FX_ORDER_MAX + 1] = {1}, H[FX_ORDER_MAX + 1] = {1};

    for (size_t j = 0; j < n; j++) {
        for (int t = m; t > 0; t--)
            E[t] += x[j] * E[t - 1];
        for (int t = 1; t <= m; t++)
            H[t] += x[j] * H[t - 1];
    }
    *e = E[m];
    *h = H[m];
}

static void test_loss(void)
{
    for (int i = 0; i < test_cases(20000); i++) {
        double x[30], sum = 0, max_abs = 0, e, h;
        size_t n = 1 + test_below(30);
        int m = 1 + (int)test_below(8);
        double tilt = test_unit() * 6;
        for (size_t j = 0; j < n; j++) {
            x[j] = pow(test_unit(), tilt) + 1e-9;
            sum += x[j];
            max_abs = fmax(max_abs, x[j]);
        }
        symmetric(&e, &h, x, n, m);
        double loss = n > 1 ? fxi_map_random_kernel_loss(max_abs / (sum - max_abs), m) : INFINITY;
        CHECK(loss > 1e4 || h <= loss * e * (1 + 1e-9));        /* far beyond the limit: rounding */
    }
    for (int m = 2; m <= FX_ORDER_MAX; m++) {
        double limit = fxi_map_random_kernel_loss_limit(m);
        CHECK(fxi_map_random_kernel_loss(limit, m) <= 64);
        CHECK(fxi_map_random_kernel_loss(limit * 1.001, m) > 64);
    }
    CHECK_NEAR(fxi_map_random_kernel_loss(1, 2), 3, 1e-12);     /* (1/2, 1/2): h = 3/4, e = 1/4 */
    CHECK(isinf(fxi_map_random_kernel_loss(1, 3)));             /* two features, order 3 */
}

/* Rows on both sides of the limit: the error stays within the bound, and beyond the limit within
 * that of insertion. */
static void test_switch(void)
{
    enum { d = 12, D = 64 };
    fx_kernel *k = kernel(4);           /* order 4 */
    fx_map *m = map("rk:projection=packed", k, d, D, 3);
    const fxi_rk *rk = m->state;
    double sides[2] = {0, 0};

    for (double big = 0.1; big < 1e6; big *= 1.5) {
        double x[d], sum = 0, absolute, w[FXI_LANES];
        float Z[D];
        fx_matrix X = dense(x, 1, d);
        for (size_t j = 0; j < d; j++)
            x[j] = 0.5 + test_unit();
        x[5] = big + 1.5;
        for (size_t j = 0; j < d; j++)
            sum += j == 5 ? 0 : x[j];
        bool inserted = x[5] > rk->limit * sum;
        CHECK(fx_map_apply(Z, D, FX_F32, m, &X, NULL) == FX_OK);
        for (size_t s = 0; s < D; s++) {
            number z[d];
            for (size_t j = 0; j < d; j++) {
                rk->w[0].type->entries(w, &rk->w[0], s / 16 * 16, (int64_t)j);
                z[j] = x[j] * w[s % 16];
            }
            double v = creal(slow(k, kernels[4].spec, z, d, &absolute));
            double error = fabs((double)Z[s] * 8 - v) / (absolute * 0x1p-24);
            sides[inserted] = fmax(sides[inserted], error);
            CHECK(error <= (inserted ? 2 : 64 * 4 * 16));
        }
    }
    CHECK(sides[0] > 0 && sides[1] > 0);        /* both sides were seen */
    fx_map_free(m);
    fx_kernel_free(k);
}

/* Column 0 of Hadamard blocks is left empty where sets of even and of odd size meet. */
static void test_parity(void)
{
    static const struct { const char *spec, *family; bool mixed; } cases[] = {
        {"linear", NULL, false}, {"anova:order=3", NULL, false}, {"all-subsets", NULL, true},
        {"anova-upto:order=2", NULL, true}, {"anova-upto:order=3,theta=2/0/1", NULL, false},
        {"anova-upto:order=4,theta=0/2/1/0", NULL, true}, {"itemset", family, true},
        {"groups:order=2", groups, false}, {"cross", cross, false}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fx_kernel *k = NULL;
        CHECK(fx_kernel_parse(&k, cases[i].spec, cases[i].family, 1) == FX_OK);
        fx_map *m = map("rk:projection=hadamard", k, 64, 64, 1);
        const fxi_rk *rk = m->state;
        CHECK(rk->w[0].mixed == cases[i].mixed && rk->w[0].unit == (cases[i].mixed ? 128 : 64));
        fx_map_free(m);
        fx_kernel_free(k);
    }
}

static void check_rejected(size_t i, const char *spec, size_t cols, size_t D, fx_status want,
                           const char *part)
{
    fx_kernel *k = kernel(i);
    fx_map *m = NULL;

    CHECK(fx_map_parse(&m, spec, k, cols, D, 1, NULL, NULL) == want);
    if (!strstr(fx_error_detail(), part))
        fprintf(stderr, "%s\n", fx_error_detail());
    CHECK(!m && strstr(fx_error_detail(), part));
    fx_kernel_free(k);
}

static void test_rejected(void)
{
    check_rejected(2, "rk:complex=yes,projection=dense", 5, 8, FX_EUNSUPPORTED, "hadamard");
    check_rejected(2, "rk:complex=yes", 5, 7, FX_EINVAL, "7 features");
    check_rejected(2, "rk:complex=auto", 5, 8, FX_EINVAL, "rows");
    check_rejected(2, "rk:complex=yes,dist=gaussian", 5, 8, FX_EUNSUPPORTED, "rademacher");
    check_rejected(2, "rk:projection=packed,dist=laplace", 5, 8, FX_EUNSUPPORTED, "rademacher");
    check_rejected(2, "rk:signs=row", 5, 8, FX_EINVAL, "circulant");
    check_rejected(2, "rk", 5, 0, FX_EINVAL, "at least one");
    check_rejected(2, "rk", 0, 8, FX_ESHAPE, "0 columns");
    check_rejected(2, "rk:order=2", 5, 8, FX_EINVAL, "dist");
    check_rejected(2, "kr", 5, 8, FX_EINVAL, "scrk");
    check_rejected(2, "scrk(rbf)", 5, 8, FX_EINVAL, "nothing in brackets");
    check_rejected(2, "scrk:order=1", 5, 8, FX_EINVAL, "order");
    /* a feature that may stand in a product twice */
    static const char *const twice[][2] = {{"groups:order=2", "a: 1 2\nb: 3 2\n"},
                                           {"groups:order=1", "a: 1 2\nb: 3 2\n"},
                                           {"cross", "a a\na: 1 2\n"},
                                           {"cross", "a b\na: 1 2\nb: 3 2\n"}};
    for (size_t i = 0; i < 4; i++) {
        fx_kernel *k = NULL;
        fx_map *m = NULL;
        CHECK(fx_kernel_parse(&k, twice[i][0], twice[i][1], 1) == FX_OK);
        CHECK(fx_map_parse(&m, "rk", k, 5, 8, 1, NULL, NULL) == FX_EUNSUPPORTED && !m);
        CHECK(strstr(fx_error_detail(), i == 2 ? "feature 0" : "feature 1"));
        fx_kernel_free(k);
    }
    fx_kernel *apart = NULL;            /* a group that the cross does not use */
    fx_map *served = NULL;
    CHECK(fx_kernel_parse(&apart, "cross", "a b\na: 1 2\nb: 3\nc: 1 3\n", 1) == FX_OK);
    CHECK(fx_map_parse(&served, "rk", apart, 5, 8, 1, NULL, NULL) == FX_OK);
    fx_map_free(served);
    fx_kernel_free(apart);
}

int main(void)
{
    test_init();
    test_unbiased();
    test_parity();
    test_rejected();
    test_defined();
    test_loss();
    test_switch();
    return 0;
}
